/*
 * Limits of a box as a whole, by cgroups(7) version 2, if a part of the tree is
 * ours: systemd calls that delegated. A group is the directory of one box in
 * it. cgroup.c finds our part and moves us into a leaf; group.c makes the
 * groups; scope.c asks a user manager for such a part. Runs in the supervisor;
 * its descriptors are passed to no other process.
 */
#ifndef SUPERVISOR_CGROUP_H
#define SUPERVISOR_CGROUP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/types.h>

#include "../../../common/base/err.h"
#include "../../../common/limits.h"
#include "../../options/options.h"

struct event;
struct event_base;

/* How a user provides what cgroup_new looks for. */
#define CGROUP_HOW                                                             \
	"a systemd user manager that has the controllers memory and pids, or " \
	"as a unit of it with Delegate=yes ('caisson service install')"

/* A directory whose box has ended, until the kernel allows its removal. */
struct group_end {
	STAILQ_ENTRY(group_end) entry;
	char name[GROUP_NAME_SIZE];
};

/* Our part of the tree. One per process. */
struct cgroup {
	int dir; /* of the cgroup that we were started in */
	char leaf[GROUP_NAME_SIZE]; /* below it: of us and our workers */
	bool entered; /* we are in the leaf */
	const struct options *options;
	bool cpu; /* it limits processors, where a box has such a limit */
	unsigned long long birth; /* our start time, for names */
	STAILQ_HEAD(, group_end) ends;
	struct event *timer; /* for the next attempt to remove ends */
	unsigned long wait_ms;
};

/*
 * Finds our part and prepares it: we move below it, and groups left by an
 * earlier Caisson are removed. proc is /proc/self. base and options must
 * outlive it. Returns NULL with err, the reason, if it is missing, not ours
 * alone, or if a group cannot be created; then nothing has changed.
 */
struct cgroup *cgroup_new(struct event_base *base, const char *proc,
    const struct options *options, struct err *err);

/*
 * Moves us back and removes empty directories, after the end of every child.
 * NULL is accepted; *cg becomes NULL.
 */
void cgroup_free(struct cgroup **cg);

/* The words of the setting cgroup. */
enum { CGROUP_OFF, CGROUP_AUTO, CGROUP_REQUIRED };

/* Returns whether cgroup_new could use our cgroup: 0, or -1 with err. */
int cgroup_delegated(const struct options *options, struct err *err);

/*
 * Returns whether the cgroup of a process (/proc/PID) has the controllers that
 * boxes need, so that those below its parent may have them.
 */
int cgroup_offered(const char *proc, const struct options *options);

/*
 * scope.c: where our cgroup is not delegated and the setting cgroup asks for
 * that, executes this program again in a scope of the user's service manager:
 * if it is auto, only where that limits boxes and changes nothing else. Must be
 * called before anything is started. Returns 0 if we go on as we are, after a
 * warning if the manager makes no scope, or -1 with err.
 */
int scope_enter(
    const struct options *options, char **argv, char **envp, struct err *err);

/* Returns whether we are in a scope that scope_enter has asked for. */
int scope_entered(void);

/*
 * cgroup_file.c: cgroup_file_read reads a small file of a cgroup as a string,
 * truncated to the size of text; cgroup_file_write writes one. Return 0, or -1
 * with err. cgroup_file_number finds the line "NAME NUMBER" in such a text, and
 * returns the number; 0 if there is none.
 */
int cgroup_file_read(int dir, const char *name, char *text, size_t size,
    struct err *err);
int cgroup_file_write(
    int dir, const char *name, const char *text, struct err *err);
uint64_t cgroup_file_number(const char *text, const char *name);
/*
 * Where we are root, lets the template start processes in the cgroup, of which
 * it needs two: that of the box, and the one that is above it and the template.
 * Returns 0, or -1 with err.
 */
int cgroup_file_lend(int dir, struct err *err);

/* group.c: the directory of one box. */

struct group;

/* The resources used by all processes of a box together. */
struct group_usage {
	uint64_t cpu_us;
	uint64_t peak_kib;  /* 0: not measured (before Linux 5.19) */
};

/*
 * Creates the group of the box of this number, with the limits of these
 * settings. Returns it, or NULL with err.
 */
struct group *group_new(struct cgroup *cg, unsigned long number,
    const struct options *limits, struct err *err);

/* Returns the descriptor for spawn_worker; the group owns it. NULL: -1. */
int group_fd(const struct group *group);

/* Kills every process in it, if the kernel can (5.14). NULL is accepted. */
void group_kill(struct group *group);

/* Reads its use so far: 0, or -1 with err. */
int group_read(
    const struct group *group, struct group_usage *usage, struct err *err);

/* Returns whether the kernel has killed them at its limit; -1 with err. */
int group_ran_out(const struct group *group, struct err *err);

/*
 * Kills its processes, and removes it as soon as it is empty. NULL is accepted;
 * *group becomes NULL.
 */
void group_free(struct group **group);

/* Kills and removes, as above, the groups of every Caisson that has ended. */
void group_sweep(struct cgroup *cg);

/* Tries again to remove the directories in ends. */
void group_remove_ended(struct cgroup *cg);

/* Writes the name of a directory: of the box of this number, or (0) our own. */
void group_name(const struct cgroup *cg, unsigned long number,
    char name[GROUP_NAME_SIZE]);

/*
 * Returns the start time of a process, in ticks since boot; 0: no such process.
 */
unsigned long long group_birth(pid_t pid);

#endif
