/*
 * What files of this folder share, for them and for the tests. Runs in the
 * keeper, and in the supervisor.
 */
#ifndef SUPERVISOR_KEEPER_PARTS_H
#define SUPERVISOR_KEEPER_PARTS_H

#include <dirent.h>
#include <stdio.h>

#include "process.h"

/*
 * The parts of children.c, for that file and for its test, which tries both
 * ways to find children on every kernel.
 */

/* The kernel's own list; missing in kernels without CONFIG_PROC_CHILDREN. */
#define CHILDREN_LIST "/proc/thread-self/children"

/*
 * Calls found for each child in list, an open CHILDREN_LIST. Returns how often
 * found returned something other than 0.
 */
size_t children_in_list(FILE *list, children_found *found, void *ctx);

/*
 * The same without the list: reads the parent of every process in proc, an open
 * /proc.
 */
size_t children_in_proc(DIR *proc, children_found *found, void *ctx);

/*
 * Returns the parent of the process name in /proc, of which proc is a
 * descriptor, or 0 if it cannot be read.
 */
pid_t children_parent(int proc, const char *name);

/*
 * What the files of the keeper share: keeper.c calls keeper_again.c and
 * keeper_container.c, and all call keeper_children.c.
 */

struct keeper {
	unsigned long number;
	pid_t supervisor;
	pid_t server;
	int ended; /* and reaped: status is set */
	int status;
	pid_t remover; /* the engine that removes the container; 0: none */
	int removal;   /* its status, once it has ended */
};

/*
 * keeper_again.c: executes our own program, which goes on. Returns if it is not
 * caisson, or cannot be executed.
 */
void keeper_start_over(
    const struct keeper *keeper, const struct spawn_program *program);

/*
 * Reads the command line that keeper_start_over() has made. Both then point
 * into it. Returns whether it is a keeper's.
 */
int keeper_read(int argc, char **argv, struct keeper *keeper,
    struct spawn_program *program);

/*
 * keeper_children.c: reaps children that have ended. Returns whether others are
 * left.
 */
int keeper_reap(struct keeper *keeper);

/*
 * Kills all children until none is left; children of a killed child become
 * ours. A process that is being killed cannot finish a fork, so forking is no
 * escape. A process that exits before it is killed, and leaves a child in a new
 * session, only survives until a round finds the child in time.
 */
void keeper_kill_all(struct keeper *keeper);

/* keeper_container.c: sees to it that the container is gone. */
void keeper_remove(struct keeper *keeper, const struct spawn_program *program);

#endif
