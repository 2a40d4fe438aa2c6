/*
 * The children of the calling process: see process.h. Runs in the supervisor
 * and in keepers. It reads only /proc, and kills children.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../common/base/fd.h"
#include "keeper_parts.h"
#include "process.h"

/* The part of /proc/N/stat to read: the parent follows a short name. */
#define CHILDREN_STAT_SIZE 256

size_t
children_in_list(FILE *list, children_found *found, void *ctx)
{
	size_t n = 0;
	int pid;

	while (fscanf(list, "%d", &pid) == 1)
		n += found(ctx, pid) != 0;
	return n;
}

pid_t
children_parent(int proc, const char *name)
{
	char path[64], stat[CHILDREN_STAT_SIZE];
	auto_fd int fd = -1;
	const char *p;
	ssize_t n;
	int parent;

	snprintf(path, sizeof(path), "%.20s/stat", name);
	fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
	n = fd == -1 ? -1 : read(fd, stat, sizeof(stat) - 1);
	if (n <= 0)
		return 0;
	stat[n] = '\0';
	/* The name of a process may contain brackets and spaces. */
	p = strrchr(stat, ')');
	if (p == NULL || sscanf(p + 1, " %*c %d", &parent) != 1)
		return 0;
	return parent;
}

size_t
children_in_proc(DIR *proc, children_found *found, void *ctx)
{
	const struct dirent *entry;
	size_t n = 0;
	long pid;

	while ((entry = readdir(proc)) != NULL) {
		pid = strtol(entry->d_name, NULL, 10);
		if (pid > 0 &&
		    children_parent(dirfd(proc), entry->d_name) == getpid())
			n += found(ctx, (pid_t)pid) != 0;
	}
	return n;
}

int
children_kill(pid_t pid)
{
	pid_t group = getpgid(pid);

	if (group > 1 && group != getpgrp())
		kill(-group, SIGKILL);
	return kill(pid, SIGKILL) == 0;
}

size_t
children_each(children_found *found, void *ctx)
{
	FILE *list = fopen(CHILDREN_LIST, "re");
	DIR *proc = list == NULL ? opendir("/proc") : NULL;
	size_t n = 0;

	if (list != NULL) {
		n = children_in_list(list, found, ctx);
		fclose(list);
	} else if (proc != NULL) {
		n = children_in_proc(proc, found, ctx);
		closedir(proc);
	}
	return n;
}
