/*
 * How the configuration files look: see servers.h. Calls wait for this, so
 * where the files may be is found out once, a folder that is not there is met
 * once for all that would be in it, and the folder that we run in is opened
 * once a look. Nothing is remembered from one look to the next. Runs in the
 * supervisor; looks at folders and opens no file.
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
	SERVER_LOOK_FILES, /* every *.json of a folder */
	SERVER_LOOK_GATE,  /* a folder that others are in, to ask for first */
	SERVER_LOOK_OWNER, /* of a folder: others may not be used */
};

struct server_look_step {
	enum server_look_kind kind;
	char *path;  /* seen from where we are, or from the folder we run in */
	size_t last; /* behind a gate: the last one that is in that folder */
};

struct server_look {
	struct server_look_step *steps;
	size_t count;
	size_t project; /* from this one on: those in the folder we run in */
	const char *folder;
};

/* Finding out where files may be */

/* Takes path. */
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

/* Up to which byte two paths are in the same folder, its slash included. */
static size_t
server_look_common(const char *one, const char *other)
{
	size_t i, len = 0;

	for (i = 0; one[i] != '\0' && one[i] == other[i]; i++)
		if (one[i] == '/')
			len = i + 1;
	return len;
}

/* How many of the next paths are below the same folder of this one. */
static size_t
server_look_group(const struct server_place *places, size_t n, size_t above)
{
	size_t i, len = above + strcspn(places[0].path + above, "/");

	for (i = 1; i < n; i++)
		if (server_look_common(places[0].path, places[i].path) <= len)
			return i;
	return n;
}

/* A gate to the folder that a path begins with. */
static void
server_look_gate(struct server_look *look, const char *path, size_t len)
{
	server_look_step(look, SERVER_LOOK_GATE, mem_dup(path, len));
}

/*
 * Those of some places that are in one folder, and what is below it; above is
 * how much of their paths has been asked for. They are in the order of their
 * paths, so that those of a folder stand together.
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
 * Those of the folder that we run in, which may be a stranger's: a gate is a
 * name in it, never a path, in which there could be links.
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

/* Makes a path one that is seen from the folder which it begins with. */
static void
server_look_shorten(char *path, const char *folder)
{
	const char *rest = server_open_relative(path, folder);

	memmove(path, rest, strlen(rest) + 1);
}

/* The owner of the folder that a place is in, once for each such folder. */
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
	 * A gate is for several places, and never for the same ones; so is a
	 * folder of the user.
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

/* Looking */

/* A look that is being taken. */
struct server_look_taken {
	struct buffer *bytes;
	int moving;
	int within; /* the folder that no link may lead out of; -1: any */
};

/*
 * Whether something may happen to a file that leaves its time as it is: the
 * clock of the file system has ticks.
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

/* What n means depends on the step; it is always as many bytes. */
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

/* Something could not be looked at; what is not there leaves no mark. */
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

/* Sets what a path leads to. Returns 0, or -1 with errno. */
static int
server_look_at(const struct server_look_taken *taken, const char *path,
    struct stat *st)
{
	auto_fd int fd = -1;

	if (taken->within == -1)
		return stat(path, st);
	/* A name leads nowhere else, unless it is that of a link. */
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

/* A file of a folder: which one, and how it looks. */
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
		/* Of too many, none is read. */
		if (n <= CONFIG_FILES_MAX)
			server_look_named(taken, step, path, names[i]);
		free(names[i]);
	}
}

/* Whether nothing can be in a folder, as it is not there. */
static int
server_look_is_shut(const struct server_look_taken *taken, const char *path)
{
	struct stat st;
	int seen = taken->within == -1 ? stat(path, &st) :
	    fstatat(taken->within, path, &st, AT_SYMLINK_NOFOLLOW);

	return seen == -1 && errno == ENOENT;
}

/* The steps from one to before another. */
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

/* The files of the folder that we run in, which is opened for all of them. */
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
