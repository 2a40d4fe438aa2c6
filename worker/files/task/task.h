/*
 * A task of the supervisor, and its messages. Some tasks have a porter and own
 * the channel to it; a porter that breaks a rule, or ends too early, costs its
 * own task only.
 *
 * Tasks take turns, one in each turn of the loop, and a task sends messages
 * only in its turn. There are no turns while a message waits in the queue of
 * the channel to the supervisor. So any number of tasks can be answered with
 * few open descriptors. Runs in files.
 */
#ifndef WORKER_FILES_TASK_H
#define WORKER_FILES_TASK_H

#include <stdbool.h>

#include "../../../common/limits.h"
#include "../stored/files.h"
#include "../stored/head.h"
#include "../stored/share.h"

/* For a task that did not fail at a file. */
#define TASK_NO_NAME ((struct ipc_bytes){ NULL, 0 })

/* The name of a file in a task, as received: any bytes, followed by a NUL. */
struct task_name {
	size_t len;
	char text[FILE_NAME_MAX + 1];
};

/* The callbacks of a kind of task; NULL for events that cannot occur. */
struct task_kind {
	/* Takes the file; returns the fault of the message, or NULL. */
	const char *(*offer)(struct task *task, struct ipc_offer *offer);
	const char *(*skip)(struct task *task, const struct ipc_skip *skip);
	const char *(*carried)(
	    struct task *task, const struct ipc_carried *carried);
	/* After CARRIED, or without it. May end the task. */
	void (*porter_gone)(struct task *task);
	/*
	 * It has its turn, after task_wake: may send messages, and may end it.
	 */
	void (*wake)(struct task *task);
	void (*free)(struct task *task); /* frees the members of the kind */
};

/* The first member of the structs of all kinds. */
struct task {
	TAILQ_ENTRY(task) entry; /* of files */
	TAILQ_ENTRY(task) turn;  /* of files, if has_turn is set */
	bool has_turn;
	struct files *files;
	const struct task_kind *kind;
	uint64_t number;
	char *owner;
	const char *links; /* the method of links in FILED */
	struct channel *porter; /* NULL if there is none, or it has ended */
	struct event *waking;  /* time of its turn */
	enum file_fault fault; /* why it failed as a whole */
	uint64_t count;        /* these two of TASK_DONE, after it has ended */
	struct task_name failed;
};

/* Makes room for tasks; task_free_all frees it. */
void task_prepare(struct files *files);

/*
 * Makes a task in size bytes, of which the rest are 0. porter may be NULL,
 * otherwise its channel is taken. task_done or task_free_all frees the result.
 */
struct task *task_new(struct files *files, const struct task_kind *kind,
    size_t size, uint64_t number, const char *owner, int *porter);

/*
 * Schedules a turn in this many milliseconds, after the tasks that wait then.
 */
void task_wake(struct task *task, uint64_t ms);

/* Schedules a turn before all waiting tasks, except ended ones. */
void task_wake_first(struct task *task);

/*
 * The porter is not needed any more, or broke a rule: how is NULL in the first
 * case. Calls porter_gone of the kind, last of all.
 */
void task_part(struct task *task, const char *how);

/*
 * Whether no message waits in the queue of the channel to the supervisor. True
 * at the start of a turn, in which a few messages can be sent; it must be
 * checked again before more are sent.
 */
int task_may_tell(const struct files *files);

/*
 * Reports a stored file. changed: when that of a box was changed (same.h), or
 * 0.
 */
void task_tell_filed(
    struct task *task, const struct head *head, uint64_t changed);

/*
 * Reports what the files of an owner, or of a conversation, take and may take;
 * so many of them are earlier versions.
 */
void task_tell_used(struct task *task, const char *owner, struct share own,
    struct share most, uint64_t versions);

/* Reports a file that is not stored, or not written into a box. */
void task_tell_skipped(
    struct task *task, struct ipc_bytes name, enum file_fault fault);

/*
 * Ends a task, at any time, with its fault: frees the members of its kind, and
 * sends TASK_DONE, with count and name, in a turn. No callback of the task is
 * called before or after that.
 */
void task_done(struct task *task, uint64_t count, struct ipc_bytes name);

/* The free of a kind without members. */
void task_has_nothing(struct task *task);

void task_name_set(struct task_name *name, struct ipc_bytes bytes);

/* Valid as long as name. */
struct ipc_bytes task_name_bytes(const struct task_name *name);

/*
 * Ends the task of this number with FILE_FAULT_PORTER, after undoing its
 * current step. If there is none, the task has ended before, and the messages
 * have crossed.
 */
void task_give_up(struct files *files, uint64_t number);

/* Frees every task without a message, and the memory of task_prepare. */
void task_free_all(struct files *files);

/*
 * What the supervisor asks for: each begins a task, whose channel to a porter
 * and descriptors are taken, and which goes on when it has its turn.
 */

/*
 * collect.c: stores the files that a porter offers, in the order of the offers.
 * synced is a checked copy of the list in the message, and is taken.
 */
void collect_begin(
    struct files *files, struct ipc_collect *collect, char **synced);

/*
 * deliver.c: passes files of an owner to a porter, which writes them into a
 * box: all, or none if one of them is unknown. The names are a list, which is
 * empty for all files of a conversation.
 */
void deliver_begin(struct files *files, struct ipc_deliver *deliver);

/* added.c: stores a file that the supervisor passes, or that will come. */
void added_begin(struct files *files, struct ipc_add_file *add);
void received_begin(
    struct files *files, const struct ipc_receive_file *receive);

/* removed.c: removes files of an owner; a version comes with a name. */
void removed_begin(struct files *files, const struct ipc_remove_files *remove);

/* usage.c: tells how much each owner keeps. */
void usage_begin(struct files *files, const struct ipc_list_usage *list);

/* listed.c: lists the files of an owner. */
void listed_begin(struct files *files, const struct ipc_list_files *list);

/* fetched.c: passes a file to the supervisor; makes a link for sending one. */
void linked_begin(struct files *files, const struct ipc_link_file *link);
void fetched_begin(struct files *files, const struct ipc_fetch_file *fetch);

#endif
