/*
 * Detects changes of the configuration files: see servers.h. Calls wait for
 * this, so the possible places are found only once. A missing directory is
 * tested once for all files in it, and the working directory is opened once per
 * check. No state is kept between checks. Runs in the supervisor; reads
 * directories and attributes, opens no file.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "../../common/fd.h"
#include "../../common/mem.h"
#include "../../common/text_list.h"
#include "../options/home.h"
#include "servers.h"

enum server_look_kind {
	SERVER_LOOK_FILE,
	SERVER_LOOK_FILES, /* every *.json of a directory */
	SERVER_LOOK_GATE,  /* a directory of several places: tested first */
	SERVER_LOOK_OWNER, /* of a directory: others' are not used */
};

struct server_look_step {
	enum server_look_kind kind;
	char *path;  /* relative to us, or to the working directory */
	size_t last; /* of a gate: the last place in that directory */
};

struct server_look {
	struct server_look_step *steps;
	size_t count;
	size_t project; /* steps from here on: in the working directory */
	const char *folder;
};

/* Finding the possible places */

/* Adds a step; takes path. */
static void
server_look_step(
    struct server_look *look, enum server_look_kind kind, char *path)
{
	struct server_look_step *step = &look->steps[look->count++];

	step->kind = kind;
	step->path = path;
}

static void
server_look_place(struct server_look *look, struct server_place *place)
{
	server_look_step(look,
	    place->folder ? SERVER_LOOK_FILES : SERVER_LOOK_FILE,
	    mem_take(&place->path));
}

/* Returns the length of the common directory of two paths, with its slash. */
static size_t
server_look_common(const char *one, const char *other)
{
	size_t i, len = 0;

	for (i = 0; one[i] != '\0' && one[i] == other[i]; i++)
		if (one[i] == '/')
			len = i + 1;
	return len;
}

/*
 * Returns how many of the next paths are below the same directory of this one.
 */
static size_t
server_look_group(const struct server_place *places, size_t n, size_t above)
{
	size_t i, len = above + strcspn(places[0].path + above, "/");

	for (i = 1; i < n; i++)
		if (server_look_common(places[0].path, places[i].path) <= len)
			return i;
	return n;
}

/* Adds a gate: the directory that a path starts with. */
static void
server_look_gate(struct server_look *look, const char *path, size_t len)
{
	server_look_step(look, SERVER_LOOK_GATE, mem_dup(path, len));
}

/*
 * Adds the places in one directory, and those below it; above is the length of
 * the part of their paths that has gates already. They are sorted by path, so
 * those of a directory are adjacent.
 */
static void
server_look_below(struct server_look *look, struct server_place *places,
    size_t n, size_t above)
{
	size_t group, gate, len, i;

	for (; n > 0; places += group, n -= group) {
		group = server_look_group(places, n, above);
		if (group < CONFIG_GATE_MIN) {
			for (i = 0; i < group; i++)
				server_look_place(look, &places[i]);
			continue;
		}
		len = server_look_common(
		    places[0].path, places[group - 1].path);
		gate = look->count;
		server_look_gate(look, places[0].path, len);
		server_look_below(look, places, group, len);
		look->steps[gate].last = look->count - 1;
	}
}

/*
 * Adds the places in the working directory, whose author may be another user. A
 * gate is a name in it, never a path, which could contain links.
 */
static void
server_look_inside(
    struct server_look *look, struct server_place *places, size_t n)
{
	size_t len, i, group, gate;

	for (; n > 0; places += group, n -= group) {
		len = strcspn(places->path, "/");
		for (group = 1; group < n; group++)
			if (strncmp(places->path, places[group].path,
			        len + 1) != 0)
				break;
		gate = look->count;
		if (places->path[len] == '/')
			server_look_gate(look, places->path, len);
		for (i = 0; i < group; i++)
			server_look_place(look, &places[i]);
		look->steps[gate].last = look->count - 1;
	}
}

static int
server_look_compare(const void *a, const void *b)
{
	const struct server_place *one = a, *other = b;

	if (one->project != other->project)
		return one->project - other->project;
	return strcmp(one->path, other->path);
}

/* Makes a path relative to the directory that it starts with. */
static void
server_look_shorten(char *path, const char *folder)
{
	const char *rest = server_open_relative(path, folder);

	memmove(path, rest, strlen(rest) + 1);
}

/* Adds a check of the owner of a place's directory, once per directory. */
static void
server_look_owner(struct server_look *look, const struct server_place *place)
{
	size_t i;

	for (i = 0; i < look->count; i++)
		if (strcmp(look->steps[i].path, place->home) == 0)
			return;
	server_look_step(look, SERVER_LOOK_OWNER, mem_strdup(place->home));
}

struct server_look *
server_look_new(const struct servers_setup *setup)
{
	struct server_look *look = mem_alloc(sizeof(*look));
	struct server_place place;
	auto_free struct server_place *places = NULL;
	size_t i, n = 0, users = 0;

	look->folder = setup->folder;
	for (i = 0; server_sources_place(i, setup, &place); i++) {
		if (place.path == NULL)
			continue;
		if (place.project)
			server_look_shorten(place.path, setup->folder);
		places = mem_resize(places, (n + 1) * sizeof(*places));
		places[n++] = place;
		users += !place.project;
	}
	/*
	 * Each gate serves several places, and no two gates the same ones; this
	 * also holds for directories of the user.
	 */
	look->steps = mem_alloc(3 * n * sizeof(*look->steps));
	for (i = 0; i < n; i++)
		if (places[i].home != NULL)
			server_look_owner(look, &places[i]);
	qsort(places, n, sizeof(*places), server_look_compare);
	/* The root directory is not checked. */
	server_look_below(look, places, users, 1);
	look->project = look->count;
	server_look_inside(look, places + users, n - users);
	return look;
}

void
server_look_free(struct server_look **lookp)
{
	struct server_look *look = mem_take(lookp);
	size_t i;

	if (look == NULL)
		return;
	for (i = 0; i < look->count; i++)
		free(look->steps[i].path);
	free(look->steps);
	free(look);
}

/* Checking */

/* A check in progress. */
struct server_look_taken {
	struct buffer *bytes;
	int moving;
	int within; /* links must not lead out of it; -1: no limit */
};

/*
 * Returns whether a further change might leave the file's time unchanged, as
 * the clock of the file system has ticks.
 */
static int
server_look_is_moving(const struct stat *st)
{
	struct timespec now;
	long long ns;

	clock_gettime(CLOCK_REALTIME, &now);
	ns = (now.tv_sec - st->st_ctim.tv_sec) * 1000000000LL +
	    (now.tv_nsec - st->st_ctim.tv_nsec);
	return llabs(ns) < CONFIG_TICK_MS * 1000000LL;
}

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
	taken->moving |= server_look_is_moving(&st);
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

/* Returns whether a directory is missing, so no file can be in it. */
static int
server_look_is_shut(const struct server_look_taken *taken, const char *path)
{
	struct stat st;
	int seen = taken->within == -1 ? stat(path, &st) :
	    fstatat(taken->within, path, &st, AT_SYMLINK_NOFOLLOW);

	return seen == -1 && errno == ENOENT;
}

/* Takes the steps from one to before another. */
static void
server_look_walk(const struct server_look *look,
    struct server_look_taken *taken, size_t from, size_t until)
{
	const struct server_look_step *step;
	size_t i;

	for (i = from; i < until; i++) {
		step = &look->steps[i];
		if (step->kind == SERVER_LOOK_FILE)
			server_look_file(taken, i, step->path);
		else if (step->kind == SERVER_LOOK_FILES)
			server_look_files(taken, i, step->path);
		else if (step->kind == SERVER_LOOK_OWNER)
			server_look_mark(taken, i, home_owner(step->path),
			    &server_look_nothing);
		else if (server_look_is_shut(taken, step->path))
			i = step->last;
	}
}

/* Checks the files of the working directory, which is opened once for all. */
static void
server_look_project(
    const struct server_look *look, struct server_look_taken *taken)
{
	auto_fd int folder =
	    open(look->folder, O_PATH | O_DIRECTORY | O_CLOEXEC);

	taken->within = folder;
	if (folder == -1)
		server_look_failed(taken, look->count);
	else
		server_look_walk(look, taken, look->project, look->count);
}

void
server_look_add(
    const struct server_look *look, struct buffer *bytes, int *moving)
{
	struct server_look_taken taken = { .bytes = bytes, .within = -1 };

	server_look_walk(look, &taken, 0, look->project);
	if (look->project < look->count)
		server_look_project(look, &taken);
	*moving = taken.moving;
}
