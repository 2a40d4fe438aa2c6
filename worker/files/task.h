/*
 * A task of the supervisor that is not done at once, and what is told of any.
 * Most have a porter, a channel to which is the task's; one that breaks a rule,
 * or ends too early, costs its own task only. Runs in files.
 */
#ifndef WORKER_FILES_TASK_H
#define WORKER_FILES_TASK_H

#include "files.h"
#include "head.h"

/* Where a task did not fail at a file. */
#define TASK_NO_NAME ((struct ipc_bytes){ NULL, 0 })

/* What a sort of task does with what happens; NULL where that cannot be. */
struct task_kind {
	/* Takes the file; returns what is wrong with the message, or NULL. */
	const char *(*offer)(struct task *task, struct ipc_offer *offer);
	const char *(*leave)(struct task *task, const struct ipc_leave *leave);
	const char *(*carried)(
	    struct task *task, const struct ipc_carried *carried);
	/*
	 * There is no porter any more, which said CARRIED or not. May end the
	 * task.
	 */
	void (*left)(struct task *task);
	void (*wake)(struct task *task); /* after task_wake; may end it, too */
	void (*free)(struct task *task); /* what belongs to the sort */
};

/* The first member of the structs of all sorts. */
struct task {
	TAILQ_ENTRY(task) entry; /* of files */
	struct files *files;
	const struct task_kind *kind;
	uint64_t number;
	char *owner;
	struct channel *porter; /* NULL: there is none, or it is done */
	struct event *waking;
	enum file_fault fault; /* why it failed as a whole */
};

/*
 * Makes a task in size bytes, the rest of which are 0. porter may be NULL, else
 * its channel is taken. Returns what task_done or task_free_all frees.
 */
struct task *task_new(struct files *files, const struct task_kind *kind,
    size_t size, uint64_t number, const char *owner, int *porter);

/* Has wake called in so many milliseconds, from the loop. */
void task_wake(struct task *task, uint64_t ms);

/*
 * The porter is not needed any more, or broke a rule: how is NULL for the
 * first. Calls left of the kind, last of all.
 */
void task_part(struct task *task, const char *how);

/* Tells the end of a task that has not been made a struct. */
void task_tell_done(struct files *files, uint64_t number, uint64_t count,
    enum file_fault fault, struct ipc_bytes name);

/* Tells of a file that is kept. */
void task_tell_filed(
    struct files *files, uint64_t number, const struct head *head);

/* Tells of a file that is not kept, or not put into a box. */
void task_tell_left_out(
    struct task *task, struct ipc_bytes name, enum file_fault fault);

/* Tells the end of a task, and frees it; name is as in TASK_DONE. */
void task_done(struct task *task, uint64_t count, struct ipc_bytes name);

/*
 * Ends the task of this number with FILE_FAULT_PORTER, after what it was doing
 * is undone. Where there is none it has ended before, which crossed this.
 */
void task_give_up(struct files *files, uint64_t number);

/* Ends every task without a word. */
void task_free_all(struct files *files);

#endif
