/*
 * Detects changes of the configuration files: see servers.h. Calls wait for
 * this: it takes one system call for a place without a file, as most are. Runs
 * in the supervisor; reads directories and attributes, opens no file.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "../../common/base/fd.h"
#include "../../common/base/mem.h"
#include "../../common/base/text_list.h"
#include "../options/home.h"
#include "servers.h"

struct server_look {
	struct server_place *places; /* those of a project are relative to it */
	size_t count;
	const char *folder;
};

/* A check in progress. */
struct server_look_taken {
	struct buffer *bytes;
	bool moving;
	int within; /* links must not lead out of it; -1: no limit */
};

static const struct stat server_look_nothing;

/* Appends a mark of fixed size; the meaning of n depends on the place. */
static void
server_look_mark(struct server_look_taken *taken, size_t place, size_t n,
    const struct stat *st)
{
	const uint64_t mark[] = { place, n, st->st_dev, st->st_ino,
		(uint64_t)st->st_size, (uint64_t)st->st_mtim.tv_sec,
		(uint64_t)st->st_mtim.tv_nsec, (uint64_t)st->st_ctim.tv_sec,
		(uint64_t)st->st_ctim.tv_nsec };

	buffer_add(taken->bytes, mark, sizeof(mark));
}

/* A place could not be checked; a missing one leaves no mark. */
static void
server_look_failed(struct server_look_taken *taken, size_t place)
{
	if (errno != ENOENT)
		server_look_mark(
		    taken, place, (size_t)errno, &server_look_nothing);
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
	fd = server_look_open(taken, path, O_PATH);
	return fd == -1 ? -1 : fstat(fd, st);
}

/*
 * Returns whether a further change might leave the time of a file unchanged, as
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

static void
server_look_file(
    struct server_look_taken *taken, size_t place, const char *path)
{
	struct stat st;

	if (server_look_at(taken, path, &st) == -1) {
		server_look_failed(taken, place);
		return;
	}
	server_look_mark(taken, place, 0, &st);
	taken->moving |= server_look_is_moving(&st);
}

/* Marks a file of a directory: its name and its state. */
static void
server_look_named(struct server_look_taken *taken, size_t place,
    const char *folder, const char *name)
{
	auto_free char *path = mem_printf("%s/%s", folder, name);

	text_list_add(taken->bytes, name);
	server_look_file(taken, place, path);
}

static void
server_look_files(
    struct server_look_taken *taken, size_t place, const char *path)
{
	int fd = server_look_open(taken, path, O_RDONLY | O_DIRECTORY);
	DIR *folder = fd == -1 ? NULL : fdopendir(fd);
	char *names[CONFIG_FILES_MAX + 1];
	size_t i, n;

	if (folder == NULL) {
		server_look_failed(taken, place);
		fd_close(&fd);
		return;
	}
	n = server_sources_list(folder, names);
	closedir(folder);
	server_look_mark(taken, place, n, &server_look_nothing);
	for (i = 0; i < n; i++) {
		/* Of too many files, none is read. */
		if (n <= CONFIG_FILES_MAX)
			server_look_named(taken, place, path, names[i]);
		free(names[i]);
	}
}

void
server_look_add(struct server_look *look, struct buffer *bytes, int *moving)
{
	struct server_look_taken taken = { .bytes = bytes, .within = -1 };
	auto_fd int project = open(
	    look->folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	const char *home = NULL;
	size_t i;

	if (project == -1)
		server_look_failed(&taken, look->count);
	for (i = 0; i < look->count; i++) {
		const struct server_place *place = &look->places[i];

		/* Files in another user's directory are not used. */
		if (place->home != NULL && place->home != home) {
			home = place->home;
			server_look_mark(&taken, i, home_owner(home),
			    &server_look_nothing);
		}
		taken.within = place->project ? project : -1;
		if (place->project && project == -1)
			continue;
		if (place->folder)
			server_look_files(&taken, i, place->path);
		else
			server_look_file(&taken, i, place->path);
	}
	*moving = taken.moving;
}

/* Makes a path relative to the directory that it starts with. */
static void
server_look_shorten(char *path, const char *folder)
{
	const char *rest = server_open_relative(path, folder);

	memmove(path, rest, strlen(rest) + 1);
}

struct server_look *
server_look_new(const struct servers_setup *setup)
{
	struct server_look *look = mem_alloc(sizeof(*look));
	struct server_place place;
	size_t i;

	look->folder = setup->folder;
	for (i = 0; server_sources_place(i, setup, &place); i++) {
		if (place.path == NULL)
			continue;
		if (place.project)
			server_look_shorten(place.path, setup->folder);
		look->places = mem_resize(look->places,
		    (look->count + 1) * sizeof(*look->places));
		look->places[look->count++] = place;
	}
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
		free(look->places[i].path);
	free(look->places);
	free(look);
}
