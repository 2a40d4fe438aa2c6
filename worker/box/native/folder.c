/*
 * The private directory of a box with reduced isolation, which has no file
 * system of its own. The launcher creates it; the guard empties and removes it
 * when no process of the box is left. Launcher and guard hold a lock on it, so
 * the launcher of a later box finds directories whose guard was killed, and
 * removes them first.
 *
 * Its content was created by the code: names of any bytes, directories of any
 * depth. It is removed without recursion and without following links:
 * subdirectories are moved up before their directory is removed.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "native.h"
#include "../../../common/base/fd.h"
#include "../../../common/base/log.h"

#define FOLDER_PLACE "/tmp"
#define FOLDER_PREFIX "caisson-box-"

/* Attempts to choose a name: it is random, but a sweeper may remove it. */
#define FOLDER_TRIES 4

/* As in view.c; the last two belong to the code. */
static const char *const folder_directories[] = { "opt", BOX_DATA_DIR,
	"workspace", "tmp" };

/* Emptying */

/* The remaining work, so that a sweep always ends. */
struct folder_work {
	unsigned long left;
	unsigned long done;
	unsigned long moved; /* number in the name of the next moved directory
			      */
};

typedef void folder_found(
    int dir, const char *name, void *ctx, struct folder_work *work);

/* Calls found for each entry of a directory except "." and "..". */
static void
folder_each(int dir, folder_found *found, void *ctx, struct folder_work *work)
{
	char entries[4096] __attribute__((aligned(8)));
	const struct dirent64 *entry;
	ssize_t n, at;

	if (lseek(dir, 0, SEEK_SET) == -1)
		return;
	while (work->left > 0 &&
	    (n = getdents64(dir, entries, sizeof(entries))) > 0) {
		for (at = 0; at < n && work->left > 0; at += entry->d_reclen) {
			entry = (const struct dirent64 *)(entries + at);
			if (strcmp(entry->d_name, ".") == 0 ||
			    strcmp(entry->d_name, "..") == 0)
				continue;
			work->left--;
			found(dir, entry->d_name, ctx, work);
		}
	}
}

/*
 * The code may have removed its own rights to a directory. Root does not need
 * them, and must not change a file that it has not checked.
 */
static int
folder_unlock(int dir, const char *name)
{
	struct stat st;

	if (geteuid() == 0 ||
	    fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) == -1 ||
	    !S_ISDIR(st.st_mode))
		return 0;
	return fchmodat(dir, name, S_IRWXU, 0);
}

/* Removes an entry that is not a directory. */
static int
folder_unlink(int dir, const char *name, struct folder_work *work)
{
	if (unlinkat(dir, name, 0) == -1)
		return errno == ENOENT ? 0 : -1;
	work->done++;
	return 0;
}

/* An entry of a directory to be removed: removes it or moves it up. */
static void
folder_move_up(int dir, const char *name, void *ctx, struct folder_work *work)
{
	const int *top = ctx;
	char free_name[32];
	int moved;

	if (folder_unlink(dir, name, work) == 0)
		return;
	/* Moving a directory requires write permission to it. */
	folder_unlock(dir, name);
	do {
		snprintf(free_name, sizeof(free_name), "%lu", work->moved++);
		moved = renameat2(dir, name, *top, free_name, RENAME_NOREPLACE);
	} while (moved == -1 && errno == EEXIST && work->left-- > 1);
	work->done += moved == 0;
}

static void
folder_remove_entry(int dir, const char *name, void *, struct folder_work *work)
{
	auto_fd int sub = -1;

	if (folder_unlink(dir, name, work) == 0)
		return;
	folder_unlock(dir, name);
	sub = openat(
	    dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (sub == -1)
		return;
	folder_each(sub, folder_move_up, &dir, work);
	if (unlinkat(dir, name, AT_REMOVEDIR) == 0)
		work->done++;
}

/* Whether a process holds it or it was removed. */
static int
folder_pass(int dir, struct folder_work *work)
{
	unsigned long before = work->done;

	folder_each(dir, folder_remove_entry, NULL, work);
	return work->done > before;
}

/* Empties a directory; gives up after it has examined most entries. */
static void
folder_empty(int dir, unsigned long most)
{
	struct folder_work work = { .left = most };

	while (folder_pass(dir, &work))
		;
}

/* Sweeping */

/* The owner of directories to remove: for root, those of its boxes. */
static int
folder_is_ours(const struct stat *st)
{
	if (!S_ISDIR(st->st_mode))
		return 0;
	return geteuid() == 0 ? st->st_uid != 0 : st->st_uid == geteuid();
}

static void
folder_sweep_one(int place, const char *name)
{
	auto_fd int dir = openat(
	    place, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	struct stat st;

	if (dir == -1 || fstat(dir, &st) == -1 || !folder_is_ours(&st) ||
	    flock(dir, LOCK_EX | LOCK_NB) == -1)
		return;
	log_debug("sweeping %s/%s", FOLDER_PLACE, name);
	folder_empty(dir, BOX_FOLDER_SWEPT_MAX);
	unlinkat(place, name, AT_REMOVEDIR);
}

int
folder_sweep(struct box *box, struct err *)
{
	const struct dirent *entry;
	DIR *place = box->setup.weak ? opendir(FOLDER_PLACE) : NULL;

	/* Not an error: whether a directory can be created is checked later. */
	if (place == NULL)
		return 0;
	while ((entry = readdir(place)) != NULL)
		if (strncmp(entry->d_name, FOLDER_PREFIX,
		        strlen(FOLDER_PREFIX)) == 0)
			folder_sweep_one(dirfd(place), entry->d_name);
	closedir(place);
	return 0;
}

/* Making */

/* Returns 1 if it exists and is locked, 0 if another name may succeed. */
static int
folder_try(struct box *box, struct err *err)
{
	unsigned long long number;
	struct stat st;

	if (getrandom(&number, sizeof(number), 0) != sizeof(number))
		return err_sys(err, "get a random number");
	snprintf(box->weak.folder, sizeof(box->weak.folder),
	    FOLDER_PLACE "/" FOLDER_PREFIX "%016llx", number);
	if (mkdir(box->weak.folder, S_IRWXU) == -1)
		return errno == EEXIST ?
		    0 : err_sys(err, "create %s", box->weak.folder);
	box->weak.fd = open(box->weak.folder,
	    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	/* A sweeper has removed it before it was locked. */
	if (box->weak.fd != -1 &&
	    flock(box->weak.fd, LOCK_EX | LOCK_NB) == 0 &&
	    fstat(box->weak.fd, &st) == 0 && st.st_nlink > 0)
		return 1;
	fd_close(&box->weak.fd);
	return 0;
}

int
folder_make(struct box *box, struct err *err)
{
	int tries, made = 0;
	size_t i;

	for (tries = 0; made == 0 && tries < FOLDER_TRIES; tries++)
		made = folder_try(box, err);
	if (made == -1)
		return -1;
	if (made == 0)
		return err_set(err, "no directory could be created in "
		    FOLDER_PLACE);
	if (fchdir(box->weak.fd) == -1)
		return err_sys(err, "enter %s", box->weak.folder);
	for (i = 0; i < sizeof(folder_directories) / sizeof(char *); i++)
		if (mkdir(folder_directories[i], S_IRWXU) == -1)
			return err_sys(err, "create %s/%s", box->weak.folder,
			    folder_directories[i]);
	return data_write(box, err);
}

void
folder_remove(struct box *box)
{
	if (box->weak.fd == -1)
		return;
	folder_empty(box->weak.fd, ~0UL);
	rmdir(box->weak.folder);
}
