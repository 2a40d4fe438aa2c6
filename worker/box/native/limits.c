/*
 * The rlimits of the code. They apply to one process each, except the number of
 * processes, which the kernel counts for the whole user namespace. Run by the
 * code. The sum of all processes is limited elsewhere: by the cgroup in which
 * the supervisor started the launcher, or by the watchdog.
 */
#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "native.h"

/* Bytes read of /proc/N/stat: the number of threads is its 20th field. */
#define LIMITS_STAT_SIZE 512

struct limits_row {
	int resource;
	const char *name;
	rlim_t value;
	rlim_t warning; /* difference of the soft limit from the hard one */
};

/*
 * Never above the current limit; a lower limit of the user remains. In a forked
 * box most limits are those of its template already.
 */
static int
limits_lower(const struct limits_row *row, struct err *err)
{
	struct rlimit now, limit;

	if (getrlimit(row->resource, &now) == -1)
		return err_sys(err, "read RLIMIT_%s", row->name);
	limit = now;
	if (row->value < limit.rlim_max)
		limit.rlim_max = row->value;
	limit.rlim_cur = limit.rlim_max;
	if (row->warning < limit.rlim_max)
		limit.rlim_cur -= row->warning;
	if (limit.rlim_cur == now.rlim_cur && limit.rlim_max == now.rlim_max)
		return 0;
	if (setrlimit(row->resource, &limit) == -1)
		return err_sys(err, "set RLIMIT_%s to %llu", row->name,
		    (unsigned long long)limit.rlim_max);
	return 0;
}

static int
limits_lower_all(const struct limits_row *rows, size_t n, struct err *err)
{
	for (; n > 0; rows++, n--)
		if (limits_lower(rows, err) == -1)
			return -1;
	return 0;
}

/*
 * The stack of every thread counts as memory in full. With little memory it is
 * smaller, so that a few dozen threads are still possible.
 */
static uint64_t
limits_stack(const struct ipc_setup *setup)
{
	uint64_t share = setup->memory_bytes / BOX_STACK_SHARE;

	return share < BOX_STACK ? share : BOX_STACK;
}

/*
 * Private memory of one process. A cgroup counts used memory, not reserved
 * memory, so every thread may have a large stack. Still no process may request
 * much more than the limit; Python then raises MemoryError.
 */
static uint64_t
limits_data(const struct box *box)
{
	const struct ipc_setup *setup = &box->setup;

	if (box->language->memory == LANGUAGE_RESERVED &&
	    (setup->grouped || box->watchdog))
		return RLIM_INFINITY;
	if (!setup->grouped)
		return setup->memory_bytes;
	return setup->memory_bytes + setup->processes * BOX_STACK;
}

/*
 * Page tables grow with the mapped and accessed address space, which
 * RLIMIT_DATA does not count. If the memory of the box as a whole is not
 * counted, this limits them, for every language.
 */
static uint64_t
limits_address_space(const struct box *box)
{
	const struct ipc_setup *setup = &box->setup;

	if (setup->grouped ||
	    (box->watchdog && box->language->memory != LANGUAGE_ADDRESS_SPACE))
		return RLIM_INFINITY;
	return setup->memory_bytes + BOX_ADDRESS_EXTRA;
}

int
limits_refuse_reserved(struct box *box, struct err *err)
{
	if (box->language->memory != LANGUAGE_RESERVED ||
	    limits_address_space(box) == RLIM_INFINITY)
		return 0;
	return err_set(err, "its engine reserves more address space than the "
	    "limit of %llu MiB, which counts that there",
	    (unsigned long long)box->setup.memory_bytes / MIB);
}

/*
 * Returns the threads of a process; 0 if it belongs to another user or has
 * ended.
 */
static unsigned long
limits_threads(const char *pid, uid_t uid)
{
	char path[64], line[LIMITS_STAT_SIZE];
	unsigned long threads = 0;
	const char *rest;
	struct stat st;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%.20s/stat", pid);
	file = fopen(path, "re");
	if (file == NULL)
		return 0;
	/* A process may have any name, with brackets and spaces. */
	if (fstat(fileno(file), &st) == 0 && st.st_uid == uid &&
	    fgets(line, sizeof(line), file) != NULL &&
	    (rest = strrchr(line, ')')) != NULL)
		sscanf(rest + 1, " %*c %*s %*s %*s %*s %*s %*s %*s %*s %*s "
		    "%*s %*s %*s %*s %*s %*s %*s %lu", &threads);
	fclose(file);
	return threads;
}

/*
 * Whether a process is not part of the box: not the code, the guard or the
 * launcher.
 */
static int
limits_is_other(pid_t pid)
{
	/* The guard is in the initial session of the launcher. */
	return pid > 0 && pid != getpid() && pid != getppid() &&
	    pid != getsid(getppid());
}

/*
 * Without its own user namespace a box shares this limit with all processes of
 * its user: their current number is added.
 */
static rlim_t
limits_processes(const struct box *box)
{
	/* init or guard, holder and helpers count, too */
	rlim_t limit = box->setup.processes +
	    (box->kind == BOX_FORKED ? 2 : 1) + box->language->helpers;
	const struct dirent *entry;
	DIR *proc = box->kind == BOX_WEAK ? opendir("/proc") : NULL;

	if (proc == NULL)
		return limit;
	while ((entry = readdir(proc)) != NULL)
		if (limits_is_other(atoi(entry->d_name)))
			limit += limits_threads(entry->d_name, box->uid);
	closedir(proc);
	return limit;
}

/* Limits that the code of a template has, too. */
static int
limits_set_shared(const struct box *box, struct err *err)
{
	const struct ipc_setup *setup = &box->setup;
	const struct limits_row rows[] = {
		{ RLIMIT_FSIZE, "FSIZE",
		    setup->files_bytes + BOX_FILE_EXTRA, 0 },
		/* 1, not 0, which would still start a core handler */
		{ RLIMIT_CORE, "CORE", 1, 0 },
		{ RLIMIT_DATA, "DATA", limits_data(box), 0 },
		{ RLIMIT_AS, "AS", limits_address_space(box), 0 },
		{ RLIMIT_SIGPENDING, "SIGPENDING", BOX_SIGPENDING, 0 },
		{ RLIMIT_STACK, "STACK", limits_stack(setup), 0 },
		{ RLIMIT_MEMLOCK, "MEMLOCK", 0, 0 },
		{ RLIMIT_MSGQUEUE, "MSGQUEUE", 0, 0 },
		{ RLIMIT_NICE, "NICE", 0, 0 },
		{ RLIMIT_RTPRIO, "RTPRIO", 0, 0 },
	};

	return limits_lower_all(rows, sizeof(rows) / sizeof(rows[0]), err);
}

/* The soft limit of descriptors: every process may raise it to the hard one. */
static int
limits_set_descriptors(rlim_t soft, struct err *err)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == -1)
		return err_sys(err, "read RLIMIT_NOFILE");
	limit.rlim_cur = soft < limit.rlim_max ? soft : limit.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &limit) == -1)
		return err_sys(err, "set RLIMIT_NOFILE to %llu",
		    (unsigned long long)limit.rlim_cur);
	return 0;
}

int
limits_set_template(struct box *box, struct err *err)
{
	/*
	 * Its launchers need the hard limit; its modules see the limit of a
	 * box.
	 */
	if (limits_set_descriptors(BOX_NOFILE, err) == -1)
		return -1;
	return limits_set_shared(box, err);
}

int
limits_set_launcher(struct box *, struct err *err)
{
	return limits_set_descriptors(RLIM_INFINITY, err);
}

int
limits_set_processors(struct box *box, struct err *err)
{
	unsigned int wanted = (unsigned int)box->setup.processors;
	cpu_set_t all, own;
	unsigned int count, first, cpu, n = 0;

	if (wanted == 0)
		return 0;
	if (sched_getaffinity(0, sizeof(all), &all) == -1)
		return err_sys(err, "read which processors there are");
	count = (unsigned int)CPU_COUNT(&all);
	if (wanted >= count)
		return 0;
	/* Boxes that run at once begin at different ones. */
	first = (unsigned int)(box->setup.number % count) * wanted % count;
	CPU_ZERO(&own);
	for (cpu = 0; n < count; cpu++) {
		if (!CPU_ISSET(cpu, &all))
			continue;
		if ((n++ + count - first) % count < wanted)
			CPU_SET(cpu, &own);
	}
	return sched_setaffinity(0, sizeof(own), &own) == -1 ?
	    err_sys(err, "choose its processors") : 0;
}

int
limits_set(struct box *box, struct err *err)
{
	/* That of a session is renewed with each call: see clear.c. */
	rlim_t cpu = box->setup.cpu_seconds;
	rlim_t hard = box->setup.session ? BOX_CPU_SECONDS_MAX + 1 : cpu + 1;
	const struct limits_row rows[] = {
		{ RLIMIT_NOFILE, "NOFILE", BOX_NOFILE, 0 },
		{ RLIMIT_NPROC, "NPROC", limits_processes(box), 0 },
		/* SIGXCPU reports the cause, a second before SIGKILL */
		{ RLIMIT_CPU, "CPU", hard, hard - cpu },
	};

	if (limits_set_shared(box, err) == -1)
		return -1;
	return limits_lower_all(rows, sizeof(rows) / sizeof(rows[0]), err);
}
