/*
 * Files that the code left in a directory of its box: see porter.h.
 *
 * No process of the box uses the directory any more. Each entry is still
 * checked twice, first without opening it for reading and then through the
 * descriptor that is passed on: the offered file is the one that was checked.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../../common/base/entries.h"
#include "../../common/base/fd.h"
#include "../../common/base/mem.h"
#include "../../common/base/text_list.h"
#include "porter.h"

/* A folder that is listed. */
struct out_walk {
	struct out_list *list;
	int top; /* the directory */
	const char *path; /* of the folder in it, with a slash, or "" */
	unsigned int depth; /* of its entries */
};

/*
 * Inserts a path in order, once. Even if a directory has a million names, only
 * those that are reported are in memory.
 */
static void
out_list_add(struct out_list *list, const char *name)
{
	unsigned int at = list->count;

	if (text_list_value(list->known, list->known_len, name) != NULL)
		return;
	while (at > 0 && strcmp(list->names[at - 1], name) > 0)
		at--;
	if (at > 0 && strcmp(list->names[at - 1], name) == 0)
		return;
	if (list->count == FILES_OUT_MAX) {
		list->more++;
		if (at == list->count)
			return;
		free(list->names[--list->count]);
	}
	memmove(list->names + at + 1, list->names + at,
	    (list->count - at) * sizeof(list->names[0]));
	list->names[at] = mem_strdup(name);
	list->count++;
}

/* Adds an entry, or what is in it. */
static void
out_walk_entry(void *ctx, const char *name)
{
	struct out_walk *walk = ctx;
	struct out_list *list = walk->list;
	auto_free char *path = mem_printf("%s%s", walk->path, name);
	auto_free char *within = mem_printf("%s/", path);
	struct out_walk below = { list, walk->top, within, walk->depth + 1 };
	int fd = -1;

	if (strlen(path) > FILE_NAME_MAX)
		path[strlen(walk->path) - 1] = '\0'; /* the folder */
	else if (walk->depth < FILES_DEPTH_MAX &&
	    list->folders < FILES_FOLDERS_MAX)
		fd = beneath_open(walk->top, path, O_RDONLY | O_DIRECTORY, 0);
	if (fd == -1) {
		out_list_add(list, path);
		return;
	}
	list->folders++;
	if (entries_each(&fd, out_walk_entry, &below) == -1)
		out_list_add(list, path);
}

int
out_list(int folder, struct out_list *list)
{
	struct out_walk walk = { list, folder, "", 1 };
	/*
	 * Opened again: other processes hold folder, and it has one position.
	 */
	int fd = beneath_open(folder, ".", O_RDONLY | O_DIRECTORY, 0);

	return entries_each(&fd, out_walk_entry, &walk);
}

void
out_list_free(struct out_list *list)
{
	while (list->count > 0)
		free(list->names[--list->count]);
}

/* Returns why a file with this mode and number of names is not transferred. */
static enum file_fault
out_judge(const struct stat *st)
{
	switch (st->st_mode & S_IFMT) {
	case S_IFREG:
		return st->st_nlink == 1 ? FILE_FAULT_NONE :
		    FILE_FAULT_LINKED;
	case S_IFDIR:
		return FILE_FAULT_DIRECTORY;
	case S_IFLNK:
		return FILE_FAULT_SYMBOLIC_LINK;
	case S_IFIFO:
		return FILE_FAULT_FIFO;
	case S_IFSOCK:
		return FILE_FAULT_SOCKET;
	default:
		return FILE_FAULT_DEVICE;
	}
}

int
out_is_gone(int folder, const char *name)
{
	auto_fd int fd = beneath_open(folder, name, O_PATH, 0);
	struct stat st;

	if (fd == -1)
		return errno == ENOENT || errno == ENOTDIR;
	return fstat(fd, &st) == 0 && S_ISDIR(st.st_mode);
}

/* Opens with these flags and checks the opened file. */
static int
out_open_as(int folder, const char *name, uint64_t flags,
    enum file_fault *fault)
{
	auto_fd int fd = beneath_open(folder, name, flags, 0);
	struct stat st;

	*fault = FILE_FAULT_UNREADABLE;
	if (fd == -1 || fstat(fd, &st) == -1)
		return -1;
	*fault = out_judge(&st);
	return *fault == FILE_FAULT_NONE ? fd_take(&fd) : -1;
}

int
out_open(int folder, const char *name, enum file_fault *fault)
{
	/* Opening a FIFO or a device may have effects; O_PATH has none. */
	auto_fd int looked = out_open_as(folder, name, O_PATH, fault);

	if (looked == -1)
		return -1;
	return out_open_as(
	    folder, name, O_RDONLY | O_NONBLOCK | O_NOCTTY, fault);
}
