/*
 * Detects changes of the configuration files: see servers.h. Calls wait for
 * this. Most places have no file, and are in few folders: while the times of a
 * folder stay the same, so do its names, and none that it lacks is looked up.
 * Runs in the supervisor; reads directories and attributes, opens no file.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <time.h>

#include "../../common/base/fd.h"
#include "../../common/base/mem.h"
#include "../../common/base/text_list.h"
#include "../options/home.h"
#include "servers.h"

/* A place, or a folder above places, as of the last check. */
struct server_look_name {
	struct server_place place; /* of a folder: path and project */
	size_t within;             /* its folder; that of "/" is itself */
	struct stat st;            /* of a folder */
	bool above;                /* is a folder */
	bool exact;                /* whose times tell of all its names */
	bool same;                 /* and have not changed */
	bool absent;
};

struct server_look {
	struct server_look_name *names; /* each behind its folder */
	size_t count;
	const char *folder;
};

/* A check in progress. */
struct server_look_taken {
	struct buffer *bytes;
	bool moving;
	int project;
	int within; /* links must not lead out of it, if not AT_FDCWD */
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
	return taken->within == AT_FDCWD ? open(path, flags | O_CLOEXEC) :
	    server_open_beneath(taken->within, path, flags | O_CLOEXEC);
}

/* Reads the attributes of a path's target. Returns 0, or -1 with errno. */
static int
server_look_at(const struct server_look_taken *taken, const char *path,
    struct stat *st)
{
	auto_fd int fd = -1;

	if (taken->within == AT_FDCWD)
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

/*
 * Returns whether a file system keeps the times of directories exactly. Others,
 * such as network drives, may show old ones for some seconds.
 */
static bool
server_look_is_exact(const char *path)
{
	static const unsigned long known[] = { BTRFS_SUPER_MAGIC,
		EXT4_SUPER_MAGIC, F2FS_SUPER_MAGIC, OVERLAYFS_SUPER_MAGIC,
		TMPFS_MAGIC, XFS_SUPER_MAGIC };
	struct statfs fs;
	size_t i;

	for (i = 0; statfs(path, &fs) == 0 &&
	     i < sizeof(known) / sizeof(known[0]); i++)
		if ((unsigned long)fs.f_type == known[i])
			return true;
	return false;
}

/* Compares the times of a folder with those of the last check. */
static void
server_look_above(struct server_look_name *folder)
{
	const struct stat old = folder->st;
	struct stat *st = &folder->st;

	if (folder->absent || stat(folder->place.path, st) == -1) {
		folder->exact = folder->same = false;
		return;
	}
	folder->same = folder->exact && st->st_dev == old.st_dev &&
	    st->st_ino == old.st_ino &&
	    memcmp(&st->st_mtim, &old.st_mtim, sizeof(old.st_mtim)) == 0 &&
	    memcmp(&st->st_ctim, &old.st_ctim, sizeof(old.st_ctim)) == 0;
	/* Times of whole seconds show too little. */
	if (!folder->same)
		folder->exact = st->st_ctim.tv_nsec != 0 &&
		    !server_look_is_moving(st) &&
		    server_look_is_exact(folder->place.path);
}

/* Returns the path of a name, relative to what it must be within. */
static const char *
server_look_path(const struct server_look *look,
    struct server_look_taken *taken, const struct server_look_name *name)
{
	taken->within = name->place.project ? taken->project : AT_FDCWD;
	return name->place.project ?
	    server_open_relative(name->place.path, look->folder) :
	    name->place.path;
}

/*
 * Returns whether there is no such name. A link is one even if its target is
 * missing, which may come without a change of the folder.
 */
static bool
server_look_is_absent(const struct server_look *look,
    const struct server_look_taken *taken, const struct server_look_name *name,
    const char *path)
{
	const struct server_look_name *folder = &look->names[name->within];
	auto_fd int fd = -1;

	if (folder->absent || folder->same)
		return folder->absent || name->absent;
	fd = server_look_open(taken, path, O_PATH | O_NOFOLLOW);
	return fd == -1 && errno == ENOENT;
}

void
server_look_add(struct server_look *look, struct buffer *bytes, int *moving)
{
	auto_fd int project = open(
	    look->folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct server_look_taken taken = { .bytes = bytes, .project = project };
	struct server_look_name *name = look->names;
	const char *home = NULL, *path;
	size_t i;

	if (project == -1)
		server_look_failed(&taken, look->count);
	for (i = 0; i < look->count; i++, name++) {
		/* Files in another user's directory are not used. */
		if (name->place.home != NULL && name->place.home != home) {
			home = name->place.home;
			server_look_mark(&taken, i, home_owner(home),
			    &server_look_nothing);
		}
		path = server_look_path(look, &taken, name);
		name->absent = server_look_is_absent(look, &taken, name, path);
		if (name->above)
			server_look_above(name);
		else if (!name->absent && name->place.folder)
			server_look_files(&taken, i, path);
		else if (!name->absent)
			server_look_file(&taken, i, path);
	}
	*moving = taken.moving;
}

/* Adds a name behind its folder, and takes its path. Returns its number. */
static size_t
server_look_add_name(struct server_look *look, struct server_look_name name)
{
	const char *path = name.place.path;
	const char *slash = strrchr(path, '/');
	size_t len =
	    slash == NULL || slash == path ? 1 : (size_t)(slash - path);
	auto_free char *folder = mem_dup(slash == NULL ? "." : path, len);
	size_t i = 0;

	while (i < look->count && (!look->names[i].above ||
	           strcmp(look->names[i].place.path, folder) != 0))
		i++;
	if (i == look->count && strcmp(folder, path) != 0)
		i = server_look_add_name(look, (struct server_look_name){
		        .place = { .path = mem_take(&folder),
		            .project = name.place.project &&
		                len > strlen(look->folder) },
		        .above = true });
	name.within = i;
	look->names = mem_resize(
	    look->names, (look->count + 1) * sizeof(*look->names));
	look->names[look->count] = name;
	return look->count++;
}

struct server_look *
server_look_new(const struct servers_setup *setup)
{
	struct server_look *look = mem_alloc(sizeof(*look));
	struct server_look_name name = { 0 };
	size_t i;

	look->folder = setup->folder;
	for (i = 0; server_sources_place(i, setup, &name.place); i++)
		if (name.place.path != NULL)
			server_look_add_name(look, name);
	return look;
}

void
server_look_free(struct server_look **lookp)
{
	struct server_look *look = mem_take(lookp);

	if (look == NULL)
		return;
	while (look->count > 0)
		free(look->names[--look->count].place.path);
	free(look->names);
	free(look);
}
