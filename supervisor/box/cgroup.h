/*
 * Limits of a box as a whole, through cgroups(7) version 2, where a part of
 * its tree is ours: systemd calls that delegated. A group is the folder of one
 * box in it. cgroup.c finds our part and moves us out of the way, group.c does
 * the rest. Runs in the supervisor; no descriptor of it goes to anybody else.
 */
#ifndef SUPERVISOR_CGROUP_H
#define SUPERVISOR_CGROUP_H

#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/types.h>

#include "../../common/err.h"
#include "../../common/limits.h"
#include "../options/options.h"

struct event;
struct event_base;

/* How a user gets what cgroup_new looks for. */
#define CGROUP_HOW                                                             \
	"'systemd-run --user --scope -p Delegate=yes caisson', or as a "       \
	"systemd user unit with Delegate=yes"

/* A folder whose box is dead, until the kernel lets it go. */
struct group_end {
	STAILQ_ENTRY(group_end) entry;
	char name[GROUP_NAME_SIZE];
};

/* Our part of the tree. One of it. */
struct cgroup {
	int dir; /* of the cgroup that we were started in */
	char own[GROUP_NAME_SIZE]; /* below it: where we and our workers are */
	int entered; /* we are */
	const struct options *options;
	unsigned long long birth; /* ours, for names */
	STAILQ_HEAD(, group_end) ends;
	struct event *timer; /* of the next look at them */
	unsigned long wait_ms;
};

/*
 * Finds our part and prepares it: we move below it, and what a Caisson that
 * died has left in it is swept. proc is /proc/self. base and options outlive
 * it. Returns NULL with err, why there are to be no groups, when it is not
 * there, not ours alone, or a group cannot be had; all is as before then.
 */
struct cgroup *cgroup_new(struct event_base *base, const char *proc,
    const struct options *options, struct err *err);

/*
 * Moves us back and removes what is empty: after the end of every child. NULL
 * is accepted; *cg becomes NULL.
 */
void cgroup_free(struct cgroup **cg);

/*
 * cgroup_file.c: read a small file of a cgroup as a string, cut where it is
 * longer than text; write to one. Return 0, or -1 with err.
 */
int cgroup_file_read(int dir, const char *name, char *text, size_t size,
    struct err *err);
int cgroup_file_write(
    int dir, const char *name, const char *text, struct err *err);

/* group.c: the folder of one box. */

struct group;

/* What a box used, all its processes together. */
struct group_usage {
	uint64_t cpu_us;
	uint64_t peak_kib;  /* 0: this kernel does not tell (before 5.19) */
	int out_of_memory;  /* the kernel ended it, for its own limit */
};

/*
 * Makes the group of the box of this number, with its limits set. Returns it,
 * or NULL with err.
 */
struct group *group_new(
    struct cgroup *cg, unsigned long number, struct err *err);

/* The descriptor that spawn_worker wants; it stays the group's. NULL: -1. */
int group_fd(const struct group *group);

/* Kills every process in it, where the kernel can (5.14). NULL is accepted. */
void group_kill(struct group *group);

/* Reads what it used so far: 0, or -1 with err. */
int group_read(
    const struct group *group, struct group_usage *usage, struct err *err);

/*
 * Kills what is in it, and removes it as soon as it is empty. NULL is
 * accepted; *group becomes NULL.
 */
void group_free(struct group **group);

/* Kills and removes, as above, the folders whose Caisson is dead. */
void group_sweep(struct cgroup *cg);

/* Tries once more to remove what is to be removed. */
void group_remove_ended(struct cgroup *cg);

/* Writes the name of a folder: of the box of this number, or (0) our own. */
void group_name(const struct cgroup *cg, unsigned long number,
    char name[GROUP_NAME_SIZE]);

/* Returns when a process was born, in ticks since boot; 0: there is none. */
unsigned long long group_birth(pid_t pid);

#endif
