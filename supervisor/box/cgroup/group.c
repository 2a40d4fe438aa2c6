/*
 * The directory of one box in our part of the cgroup tree: see cgroup.h. The
 * names and meanings of its files are those of the kernel's
 * Documentation/admin-guide/cgroup-v2.rst. Runs in the supervisor; writes only
 * to files of cgroups.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../../common/base/loop.h"
#include "../../../common/base/fd.h"
#include "../../../common/base/log.h"
#include "../../../common/base/mem.h"
#include "cgroup.h"

#define GROUP_OF_BOX "box"
#define GROUP_OF_CAISSON "caisson"

struct group {
	struct cgroup *cg;
	int dir;
	char name[GROUP_NAME_SIZE];
};

/* Names */

/* The fields of /proc/N/stat between the name and the start time. */
#define GROUP_BIRTH_FORMAT                                                     \
	" %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s"                            \
	" %*s %*s %*s %*s %*s %*s %*s %*s %*s %llu"

unsigned long long
group_birth(pid_t pid)
{
	auto_free char *path = mem_printf("/proc/%d/stat", (int)pid);
	char text[GROUP_TEXT_SIZE];
	unsigned long long birth;
	const char *p;

	if (cgroup_file_read(AT_FDCWD, path, text, sizeof(text), NULL) == -1)
		return 0;
	/* The name of a process may contain brackets and spaces. */
	p = strrchr(text, ')');
	if (p == NULL || sscanf(p + 1, GROUP_BIRTH_FORMAT, &birth) != 1)
		return 0;
	return birth;
}

void
group_name(
    const struct cgroup *cg, unsigned long number, char name[GROUP_NAME_SIZE])
{
	if (number == 0)
		snprintf(name, GROUP_NAME_SIZE, GROUP_OF_CAISSON "-%d-%llu",
		    (int)getpid(), cg->birth);
	else
		snprintf(name, GROUP_NAME_SIZE, GROUP_OF_BOX "-%d-%llu-%lu",
		    (int)getpid(), cg->birth, number);
}

/* Returns whether a name is ours, and of a Caisson that has ended. */
static int
group_is_stale(const char *name)
{
	unsigned long long birth;
	int pid;

	if (sscanf(name, GROUP_OF_BOX "-%d-%llu-", &pid, &birth) != 2 &&
	    sscanf(name, GROUP_OF_CAISSON "-%d-%llu", &pid, &birth) != 2)
		return 0;
	return group_birth(pid) != birth;
}

/* Ends */

static int
group_remove(const struct cgroup *cg, const char *name)
{
	return unlinkat(cg->dir, name, AT_REMOVEDIR) == -1 && errno != ENOENT ?
	    -1 : 0;
}

/* Removes a directory whose processes were killed, now or later. */
static void
group_end(struct cgroup *cg, const char *name)
{
	struct group_end *end;

	if (group_remove(cg, name) == 0)
		return;
	end = mem_alloc(sizeof(*end));
	snprintf(end->name, sizeof(end->name), "%.*s",
	    (int)sizeof(end->name) - 1, name);
	STAILQ_INSERT_TAIL(&cg->ends, end, entry);
	cg->wait_ms = GROUP_PAUSE_FIRST_MS;
	loop_set_timer(cg->timer, GROUP_PAUSE_FIRST_MS);
}

void
group_remove_ended(struct cgroup *cg)
{
	struct group_end *end, *next;

	for (end = STAILQ_FIRST(&cg->ends); end != NULL; end = next) {
		next = STAILQ_NEXT(end, entry);
		if (group_remove(cg, end->name) == -1)
			continue;
		STAILQ_REMOVE(&cg->ends, end, group_end, entry);
		free(end);
	}
	if (STAILQ_EMPTY(&cg->ends))
		return;
	cg->wait_ms = cg->wait_ms * 2 < GROUP_PAUSE_MOST_MS ?
	    cg->wait_ms * 2 : GROUP_PAUSE_MOST_MS;
	loop_set_timer(cg->timer, cg->wait_ms);
}

void
group_sweep(struct cgroup *cg)
{
	int copy = openat(cg->dir, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *entries = copy == -1 ? NULL : fdopendir(copy);
	struct dirent *entry;

	while (entries != NULL && (entry = readdir(entries)) != NULL) {
		auto_free char *kill = NULL;

		if (!group_is_stale(entry->d_name))
			continue;
		log_info("sweeping the cgroup %s", entry->d_name);
		kill = mem_printf("%s/cgroup.kill", entry->d_name);
		cgroup_file_write(cg->dir, kill, "1", NULL);
		group_end(cg, entry->d_name);
	}
	if (entries != NULL)
		closedir(entries);
}

/* One box */

static int
group_set(const struct group *group, const char *file, uint64_t value,
    struct err *err)
{
	auto_free char *text = mem_printf("%llu", (unsigned long long)value);

	return cgroup_file_write(group->dir, file, text, err);
}

/* Kernels without swap accounting have no such file. */
static int
group_forbid_swap(const struct group *group, struct err *err)
{
	if (group_set(group, "memory.swap.max", 0, err) == -1 &&
	    err->code != ENOENT)
		return -1;
	return 0;
}

static int
group_limit(const struct group *group, const struct options *options,
    struct err *err)
{
	auto_free char *text = NULL;

	if (cgroup_file_lend(group->dir, err) == -1 ||
	    group_set(group, "memory.max", options->memory, err) == -1 ||
	    group_forbid_swap(group, err) == -1 ||
	    group_set(group, "memory.oom.group", 1, err) == -1 ||
	    group_set(group, "pids.max", options->pids + GROUP_HELPER_PROCESSES,
	        err) == -1)
		return -1;
	if (!group->cg->cpu || options->cpus == 0)
		return 0;
	text = mem_printf("%llu %d", (unsigned long long)options->cpus *
	    GROUP_PERIOD_US / 100, GROUP_PERIOD_US);
	return cgroup_file_write(group->dir, "cpu.max", text, err);
}

struct group *
group_new(struct cgroup *cg, unsigned long number,
    const struct options *limits, struct err *err)
{
	struct group *group = mem_alloc(sizeof(*group));

	group->cg = cg;
	group->dir = -1;
	group_name(cg, number, group->name);
	if (mkdirat(cg->dir, group->name, 0755) == -1) {
		err_sys(err, "make a cgroup");
		free(group);
		return NULL;
	}
	group->dir =
	    openat(cg->dir, group->name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (group->dir == -1)
		err_sys(err, "open a cgroup");
	if (group->dir == -1 || group_limit(group, limits, err) == -1)
		group_free(&group);
	return group;
}

int
group_fd(const struct group *group)
{
	return group == NULL ? -1 : group->dir;
}

void
group_kill(struct group *group)
{
	if (group != NULL)
		cgroup_file_write(group->dir, "cgroup.kill", "1", NULL);
}

int
group_read(
    const struct group *group, struct group_usage *usage, struct err *err)
{
	char text[GROUP_TEXT_SIZE];

	*usage = (struct group_usage){ 0 };
	if (cgroup_file_read(
	        group->dir, "cpu.stat", text, sizeof(text), err) == -1)
		return -1;
	usage->cpu_us = cgroup_file_number(text, "usage_usec");
	if (cgroup_file_read(
	        group->dir, "memory.peak", text, sizeof(text), NULL) == 0)
		usage->peak_kib = strtoull(text, NULL, 10) / KIB;
	return 0;
}

int
group_ran_out(const struct group *group, struct err *err)
{
	char text[GROUP_TEXT_SIZE];

	if (cgroup_file_read(group->dir, "memory.events", text, sizeof(text),
	        err) == -1)
		return -1;
	/* "oom" is 0 if a limit above ours, or the machine, ran out. */
	return cgroup_file_number(text, "oom") > 0 &&
	    cgroup_file_number(text, "oom_kill") > 0;
}

void
group_free(struct group **groupp)
{
	struct group *group = mem_take(groupp);

	if (group == NULL)
		return;
	group_kill(group);
	fd_close(&group->dir);
	group_end(group->cg, group->name);
	free(group);
}
