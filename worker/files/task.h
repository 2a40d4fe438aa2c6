/*
 * A task of the supervisor, and what is told of it. Some have a porter, a
 * channel to which is the task's; one that breaks a rule, or ends too early,
 * costs its own task only.
 *
 * Tasks take turns, one for each turn of the loop, and only in its turn does a
 * task tell anything. There is none while a message waits in the queue of the
 * channel to the supervisor. So any number of tasks can be answered, and few
 * descriptors are open at a time. Runs in files.
 */
#ifndef WORKER_FILES_TASK_H
#define WORKER_FILES_TASK_H

#include "../../common/limits.h"
#include "files.h"
#include "head.h"

/* Where a task did not fail at a file. */
#define TASK_NO_NAME ((struct ipc_bytes){ NULL, 0 })

/* The name of a file in a task, as it came: any bytes, with a NUL behind. */
struct task_name {
	size_t len;
	char text[FILE_NAME_MAX + 1];
};

/* What a sort of task does with what happens; NULL where that cannot be. */
struct task_kind {
	/* Takes the file; returns what is wrong with the message, or NULL. */
	const char *(*offer)(struct task *task, struct ipc_offer *offer);
	const char *(*leave)(struct task *task, const struct ipc_leave *leave);
	const char *(*carried)(
	    struct task *task, const struct ipc_carried *carried);
	/* After CARRIED, or without it. May end the task. */
	void (*porter_gone)(struct task *task);
	/* It has its turn, after task_wake: may tell, and may end it. */
	void (*wake)(struct task *task);
	void (*free)(struct task *task); /* what belongs to the sort */
};

/* The first member of the structs of all sorts. */
struct task {
	TAILQ_ENTRY(task) entry; /* of files */
	TAILQ_ENTRY(task) turn;  /* of files, where has_turn is set */
	int has_turn;
	struct files *files;
	const struct task_kind *kind;
	uint64_t number;
	char *owner;
	struct channel *porter; /* NULL: there is none, or it is done */
	struct event *waking;  /* when it takes a turn */
	enum file_fault fault; /* why it failed as a whole */
	uint64_t count;        /* these two of TASK_DONE, when it has ended */
	struct task_name failed;
};

/* Makes room for tasks; task_free_all frees it. */
void task_prepare(struct files *files);

/*
 * Makes a task in size bytes, the rest of which are 0. porter may be NULL, else
 * its channel is taken. Returns what task_done or task_free_all frees.
 */
struct task *task_new(struct files *files, const struct task_kind *kind,
    size_t size, uint64_t number, const char *owner, int *porter);

/* Has it take a turn in so many milliseconds, behind those that wait then. */
void task_wake(struct task *task, uint64_t ms);

/* Has it take a turn before all that wait, but for tasks that have ended. */
void task_wake_first(struct task *task);

/*
 * The porter is not needed any more, or broke a rule: how is NULL for the
 * first. Calls porter_gone of the kind, last of all.
 */
void task_part(struct task *task, const char *how);

/*
 * Whether no message waits in the queue of the channel to the supervisor. Holds
 * at the start of a turn, in which a few messages can be told; before more it
 * is asked again.
 */
int task_may_tell(const struct files *files);

/* Tells of a file that is kept. */
void task_tell_filed(struct task *task, const struct head *head);

/* Tells of a file that is not kept, or not put into a box. */
void task_tell_left_out(
    struct task *task, struct ipc_bytes name, enum file_fault fault);

/*
 * Ends a task, at any time, with its fault: frees what belongs to its sort, and
 * tells TASK_DONE, with count and name, in a turn. Nothing else of the task is
 * called before or after that.
 */
void task_done(struct task *task, uint64_t count, struct ipc_bytes name);

/* The free of a sort to which nothing belongs. */
void task_has_nothing(struct task *task);

void task_name_set(struct task_name *name, struct ipc_bytes bytes);

/* Valid as long as name. */
struct ipc_bytes task_name_bytes(const struct task_name *name);

/*
 * Ends the task of this number with FILE_FAULT_PORTER, after what it was doing
 * is undone. Where there is none it has ended before, which crossed this.
 */
void task_give_up(struct files *files, uint64_t number);

/* Frees every task without a word, and what task_prepare made. */
void task_free_all(struct files *files);

#endif
