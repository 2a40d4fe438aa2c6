/*
 * Detects changes of the configuration files: see servers.h. Calls wait for
 * this. A directory is tested once for all files in it: while it is unchanged,
 * the missing ones are still missing. Runs in the supervisor; reads directories
 * and attributes, opens no file.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../../common/base/fd.h"
#include "../../common/base/mem.h"
#include "../../common/base/text_list.h"
#include "../options/home.h"
#include "server_look_parts.h"
#include "servers.h"

/* A check in progress. */
struct server_look_taken {
	struct buffer *bytes;
	bool moving;
	int within; /* links must not lead out of it; -1: no limit */
};

/* Appends a mark of fixed size; the meaning of n depends on the step. */
static void
server_look_mark(struct server_look_taken *taken, size_t step, size_t n,
    const struct stat *st)
{
	const uint64_t mark[] = { step, n, st->st_dev, st->st_ino,
		(uint64_t)st->st_size, (uint64_t)st->st_mtim.tv_sec,
		(uint64_t)st->st_mtim.tv_nsec, (uint64_t)st->st_ctim.tv_sec,
		(uint64_t)st->st_ctim.tv_nsec };

	buffer_add(taken->bytes, mark, sizeof(mark));
}

static const struct stat server_look_nothing;

/* A place could not be checked; a missing one leaves no mark. */
static void
server_look_failed(struct server_look_taken *taken, size_t step)
{
	if (errno != ENOENT)
		server_look_mark(
		    taken, step, (size_t)errno, &server_look_nothing);
}

static int
server_look_open(
    const struct server_look_taken *taken, const char *path, int flags)
{
	return taken->within == -1 ? open(path, flags | O_CLOEXEC) :
	    server_open_beneath(taken->within, path, flags | O_CLOEXEC);
}

/* Reads the attributes of a path's target. Returns 0, or -1 with errno. */
static int
server_look_at(const struct server_look_taken *taken, const char *path,
    struct stat *st)
{
	auto_fd int fd = -1;

	if (taken->within == -1)
		return stat(path, st);
	/* A name without a slash leads elsewhere only if it is a link. */
	if (strchr(path, '/') == NULL) {
		if (fstatat(taken->within, path, st, AT_SYMLINK_NOFOLLOW) ==
		    -1)
			return -1;
		if (!S_ISLNK(st->st_mode))
			return 0;
	}
	fd = server_look_open(taken, path, O_PATH);
	return fd == -1 ? -1 : fstat(fd, st);
}

static void
server_look_file(
    struct server_look_taken *taken, size_t step, const char *path)
{
	struct stat st;

	if (server_look_at(taken, path, &st) == -1) {
		server_look_failed(taken, step);
		return;
	}
	server_look_mark(taken, step, 0, &st);
	taken->moving |= server_folder_is_moving(&st);
}

/* Marks a file of a directory: its name and its state. */
static void
server_look_named(struct server_look_taken *taken, size_t step,
    const char *folder, const char *name)
{
	auto_free char *path = mem_printf("%s/%s", folder, name);

	text_list_add(taken->bytes, name);
	server_look_file(taken, step, path);
}

static void
server_look_files(
    struct server_look_taken *taken, size_t step, const char *path)
{
	int fd = server_look_open(taken, path, O_RDONLY | O_DIRECTORY);
	DIR *folder = fd == -1 ? NULL : fdopendir(fd);
	char *names[CONFIG_FILES_MAX + 1];
	size_t i, n;

	if (folder == NULL) {
		server_look_failed(taken, step);
		fd_close(&fd);
		return;
	}
	n = server_sources_list(folder, names);
	closedir(folder);
	server_look_mark(taken, step, n, &server_look_nothing);
	for (i = 0; i < n; i++) {
		/* Of too many files, none is read. */
		if (n <= CONFIG_FILES_MAX)
			server_look_named(taken, step, path, names[i]);
		free(names[i]);
	}
}

/*
 * Returns whether a directory is missing, so no file can be in it. A gate of
 * the working directory that is a link is no directory, and so not known.
 */
static int
server_look_is_shut(struct server_look_taken *taken,
    struct server_look_step *step, size_t number)
{
	int inside = taken->within != -1;
	struct stat st;

	if (fstatat(inside ? taken->within : AT_FDCWD, step->path, &st,
	        inside ? AT_SYMLINK_NOFOLLOW : 0) == -1) {
		server_folder_forget(&step->own);
		return errno == ENOENT;
	}
	server_folder_begin(&step->own, step->place, &st);
	if (step->owned)
		server_look_mark(
		    taken, number, st.st_uid, &server_look_nothing);
	return 0;
}

/*
 * Returns whether no such name exists. In the working directory, links above
 * the name must not lead out of it.
 */
static int
server_look_is_missing(
    const struct server_look_taken *taken, const char *name)
{
	int inside = taken->within != -1;
	auto_fd int fd = -1;
	struct stat st;

	if (!inside || strchr(name, '/') == NULL)
		return fstatat(inside ? taken->within : AT_FDCWD, name, &st,
		           AT_SYMLINK_NOFOLLOW) == -1 && errno == ENOENT;
	fd = server_look_open(taken, name, O_PATH | O_NOFOLLOW);
	return fd == -1 && errno == ENOENT;
}

/*
 * Returns whether a name in a directory is missing. A link whose target is
 * missing is not: the target may come without a change of that directory.
 */
static int
server_look_is_absent(
    const struct server_look_taken *taken, struct server_look_step *step)
{
	if (step->in == NULL || !step->in->known)
		return 0;
	if (!step->in->same)
		step->absent = server_look_is_missing(taken, step->name);
	return step->absent;
}

/* Takes the steps from one to before another. */
static void
server_look_walk(struct server_look *look, struct server_look_taken *taken,
    size_t from, size_t until)
{
	struct server_look_step *step;
	size_t i;

	for (i = from; i < until; i++) {
		step = &look->steps[i];
		if (server_look_is_absent(taken, step) ||
		    (step->kind == SERVER_LOOK_GATE &&
		        server_look_is_shut(taken, step, i))) {
			if (step->kind == SERVER_LOOK_GATE)
				i = step->last;
		} else if (step->kind == SERVER_LOOK_FILE)
			server_look_file(taken, i, step->path);
		else if (step->kind == SERVER_LOOK_FILES)
			server_look_files(taken, i, step->path);
		else if (step->kind == SERVER_LOOK_OWNER)
			server_look_mark(taken, i, home_owner(step->path),
			    &server_look_nothing);
	}
}

/* Returns whether a directory in the working directory lists the same names. */
static int
server_look_is_unchanged(const struct server_look_step *gate)
{
	struct stat st;

	return lstat(gate->place, &st) == 0 &&
	    server_folder_is_same(&gate->own, &st);
}

/*
 * Returns whether the working directory, and the directories in it, have still
 * no file of a source.
 */
static int
server_look_is_idle(struct server_look *look)
{
	const struct server_look_step *step;
	struct stat st;
	size_t i;

	if (stat(look->folder, &st) == -1) {
		server_folder_forget(&look->working);
		return 0;
	}
	server_folder_begin(&look->working, look->folder, &st);
	if (!look->working.same)
		return 0;
	for (i = look->project; i < look->count; i++) {
		step = &look->steps[i];
		if (step->kind != SERVER_LOOK_GATE ? !step->absent :
		        !step->absent && !server_look_is_unchanged(step))
			return 0;
		if (step->kind == SERVER_LOOK_GATE && step->absent)
			i = step->last;
	}
	return 1;
}

/* Checks the files of the working directory, which is opened once for all. */
static void
server_look_project(struct server_look *look, struct server_look_taken *taken)
{
	auto_fd int folder = -1;

	if (server_look_is_idle(look))
		return;
	folder = open(look->folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	taken->within = folder;
	if (folder == -1)
		server_look_failed(taken, look->count);
	else
		server_look_walk(look, taken, look->project, look->count);
}

void
server_look_add(struct server_look *look, struct buffer *bytes, int *moving)
{
	struct server_look_taken taken = { .bytes = bytes, .within = -1 };

	server_look_walk(look, &taken, 0, look->project);
	if (look->project < look->count)
		server_look_project(look, &taken);
	*moving = taken.moving;
}
