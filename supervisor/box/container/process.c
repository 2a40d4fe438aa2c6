/*
 * The processes of a container, from outside: see container.h. The
 * processes of podman, crun and runc are descendants of the keeper that started
 * them; those of docker are not, but their cgroup is named after the id of the
 * container. Runs in the supervisor; reads only /proc.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "container.h"

/* "/proc/", two numbers, and the longest names. */
#define CONTAINER_PROCESS_PATH 96

/* Keeper, monitor, and for crun its own process: a container is not deeper. */
#define CONTAINER_PROCESS_DEPTH 6

/* Returns whether the process is in another namespace of processes than we. */
static int
container_process_is_inside(pid_t pid)
{
	char path[CONTAINER_PROCESS_PATH];
	struct stat own, other;

	snprintf(path, sizeof(path), "/proc/%d/ns/pid", (int)pid);
	return stat("/proc/self/ns/pid", &own) == 0 &&
	    stat(path, &other) == 0 &&
	    (own.st_dev != other.st_dev || own.st_ino != other.st_ino);
}

static pid_t container_process_search(pid_t pid, int depth);

/* Searches the children of one thread. */
static pid_t
container_process_search_list(FILE *list, int depth)
{
	pid_t found = 0;
	int pid;

	while (found == 0 && fscanf(list, "%d", &pid) == 1)
		found = container_process_is_inside(pid) ? pid :
		    container_process_search(pid, depth + 1);
	return found;
}

static pid_t
container_process_search(pid_t pid, int depth)
{
	char path[CONTAINER_PROCESS_PATH];
	const struct dirent *thread;
	pid_t found = 0;
	FILE *list;
	DIR *tasks;

	snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	tasks = depth > CONTAINER_PROCESS_DEPTH ? NULL : opendir(path);
	if (tasks == NULL)
		return 0;
	while (found == 0 && (thread = readdir(tasks)) != NULL) {
		snprintf(path, sizeof(path), "/proc/%d/task/%.20s/children",
		    (int)pid, thread->d_name);
		list = thread->d_name[0] == '.' ? NULL : fopen(path, "re");
		if (list == NULL)
			continue;
		found = container_process_search_list(list, depth);
		fclose(list);
	}
	closedir(tasks);
	return found;
}

pid_t
container_process_below(pid_t ancestor)
{
	return ancestor > 0 ? container_process_search(ancestor, 0) : 0;
}

/* Returns whether the file of that name of the process contains a text. */
static int
container_process_says(pid_t pid, const char *name, const char *text)
{
	char path[CONTAINER_PROCESS_PATH], *line = NULL;
	size_t size = 0;
	int found = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	file = fopen(path, "re");
	while (file != NULL && !found && getline(&line, &size, file) != -1)
		found = strstr(line, text) != NULL;
	free(line);
	if (file != NULL)
		fclose(file);
	return found;
}

int
container_process_is_of(pid_t pid, const char *id)
{
	return container_process_is_inside(pid) &&
	    container_process_says(pid, "cgroup", id);
}
