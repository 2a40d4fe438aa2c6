/*
 * What a container has used: see container.h. Runs in the supervisor.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../../common/base/fd.h"
#include "../../../common/base/mem.h"
#include "../cgroup/cgroup.h"
#include "container.h"

struct container_usage {
	int cpu;    /* cpu.stat, or cpuacct.usage; -1: not counted */
	int memory; /* memory.peak, or memory.max_usage_in_bytes; -1 */
	uint64_t begun_us;
	uint64_t cpu_us;
	uint64_t peak_kib;
};

/* A controller, which is of version 1 where a hierarchy is mounted for it. */
struct container_controller {
	const char *name;
	const char *file;  /* version 1 */
	const char *file2; /* version 2 */
};

static const struct container_controller container_cpu = { "cpuacct",
	"cpuacct.usage", "cpu.stat" };
static const struct container_controller container_memory = { "memory",
	"memory.max_usage_in_bytes", "memory.peak" };

/* Returns whether a list with commas has a word. */
static int
container_usage_lists(const char *list, const char *word)
{
	size_t len = strlen(word);

	for (; list != NULL; list = strchr(list, ',')) {
		list += list[0] == ',';
		if (strncmp(list, word, len) == 0 &&
		    strchr(",", list[len]) != NULL)
			return 1;
	}
	return 0;
}

/*
 * Returns the file of a controller if a line of /proc/PID/cgroup is about it,
 * "NUMBER:CONTROLLERS:PATH"; else NULL. A hierarchy of version 1 is mounted in
 * a folder with the names of its controllers; version 2 has none.
 */
static char *
container_usage_file(const char *root, const char *line,
    const struct container_controller *controller)
{
	auto_free char *text = mem_strdup(line);
	char *names = strchr(text, ':'), *path;

	path = names == NULL ? NULL : strchr(names + 1, ':');
	if (path == NULL || path[1] != '/')
		return NULL;
	*path++ = '\0';
	names++;
	if (names[0] == '\0')
		return mem_printf("%s%s/%s", root, path, controller->file2);
	if (!container_usage_lists(names, controller->name))
		return NULL;
	return mem_printf(
	    "%s/%s%s/%s", root, names, path, controller->file);
}

/* Returns whether a text has a line. */
static int
container_usage_has(const char *text, const char *line)
{
	size_t len = strlen(line);

	for (; text != NULL; text = strchr(text, '\n')) {
		text += text[0] == '\n';
		if (strncmp(text, line, len) == 0 &&
		    strchr("\n", text[len]) != NULL)
			return 1;
	}
	return 0;
}

/*
 * Opens the file of a controller. theirs and own are the cgroups of a process
 * of the container and of this one. -1: there is none.
 */
static int
container_usage_find(const char *root, const char *theirs, const char *own,
    const struct container_controller *controller)
{
	auto_free char *text = mem_strdup(theirs);
	char *line, *rest = text;
	int fd = -1;

	while (fd == -1 && (line = strsep(&rest, "\n")) != NULL) {
		auto_free char *file =
		    container_usage_file(root, line, controller);

		/* In our own cgroup it would be what others have used. */
		if (file != NULL && !container_usage_has(own, line))
			fd = open(file, O_RDONLY | O_CLOEXEC);
	}
	return fd;
}

/* Reads a count as text. Returns whether it could be read. */
static int
container_usage_text(int fd, char text[GROUP_TEXT_SIZE])
{
	ssize_t n = fd == -1 ? -1 : pread(fd, text, GROUP_TEXT_SIZE - 1, 0);

	if (n > 0)
		text[n] = '\0';
	return n > 0;
}

void
container_usage_read(struct container_usage *usage)
{
	char text[GROUP_TEXT_SIZE];

	if (usage == NULL)
		return;
	/* Version 1 has one number, in nanoseconds. */
	if (container_usage_text(usage->cpu, text))
		usage->cpu_us = strchr(text, ' ') == NULL ?
		    strtoull(text, NULL, 10) / 1000 :
		    cgroup_file_number(text, "usage_usec");
	if (container_usage_text(usage->memory, text))
		usage->peak_kib = strtoull(text, NULL, 10) / KIB;
}

void
container_usage_raise(
    struct container_usage *usage, uint64_t cpu_us, uint64_t peak_kib)
{
	if (usage != NULL && cpu_us > usage->cpu_us)
		usage->cpu_us = cpu_us;
	if (usage != NULL && peak_kib > usage->peak_kib)
		usage->peak_kib = peak_kib;
}

struct container_usage *
container_usage_open(const char *proc, const char *root, pid_t pid)
{
	auto_free char *their_path = mem_printf("%s/%d/cgroup", proc, (int)pid);
	auto_free char *own_path = mem_printf("%s/self/cgroup", proc);
	char theirs[GROUP_TEXT_SIZE], own[GROUP_TEXT_SIZE];
	struct container_usage *usage;

	if (cgroup_file_read(AT_FDCWD, their_path, theirs, sizeof(theirs),
	        NULL) == -1 ||
	    cgroup_file_read(AT_FDCWD, own_path, own, sizeof(own), NULL) == -1)
		return NULL;
	usage = mem_alloc(sizeof(*usage));
	usage->cpu = container_usage_find(root, theirs, own, &container_cpu);
	usage->memory =
	    container_usage_find(root, theirs, own, &container_memory);
	if (usage->cpu == -1 && usage->memory == -1)
		container_usage_free(&usage);
	container_usage_read(usage);
	if (usage != NULL)
		usage->begun_us = usage->cpu_us;
	return usage;
}

void
container_usage_free(struct container_usage **usagep)
{
	struct container_usage *usage = mem_take(usagep);

	if (usage == NULL)
		return;
	fd_close(&usage->cpu);
	fd_close(&usage->memory);
	free(usage);
}

uint64_t
container_usage_cpu_us(const struct container_usage *usage)
{
	return usage == NULL ? 0 : usage->cpu_us - usage->begun_us;
}

uint64_t
container_usage_peak_kib(const struct container_usage *usage)
{
	return usage == NULL ? 0 : usage->peak_kib;
}
