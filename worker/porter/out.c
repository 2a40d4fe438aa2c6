/*
 * What the code left in a directory of its box: see out.h. Runs in the porter.
 *
 * Nothing of the box is at work there any more. Each entry is looked at twice
 * all the same, without opening it for reading and then through the descriptor
 * that is handed over: what is offered is what was judged.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../../common/entries.h"
#include "../../common/fd.h"
#include "../../common/mem.h"
#include "beneath.h"
#include "out.h"

/*
 * Inserts a name in its place. Of a directory with a million names there are
 * never more in memory than are told of.
 */
static void
out_list_add(void *ctx, const char *name)
{
	struct out_list *list = ctx;
	unsigned int at = list->count;

	while (at > 0 && strcmp(list->names[at - 1], name) > 0)
		at--;
	if (list->count == FILES_LEFT_MAX) {
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

int
out_list(int folder, struct out_list *list)
{
	/* Opened anew: others hold folder, and a position belongs to it. */
	int fd = beneath_open(folder, ".", O_RDONLY | O_DIRECTORY, 0);

	memset(list, 0, sizeof(*list));
	return entries_each(&fd, out_list_add, list);
}

void
out_list_free(struct out_list *list)
{
	while (list->count > 0)
		free(list->names[--list->count]);
}

/* Why a file with this mode and so many names is not carried. */
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

/* Opens with these flags and judges what that is. */
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
	/* A FIFO or a device may do something when it is opened: this not. */
	auto_fd int looked = out_open_as(folder, name, O_PATH, fault);

	if (looked == -1)
		return -1;
	return out_open_as(
	    folder, name, O_RDONLY | O_NONBLOCK | O_NOCTTY, fault);
}
