/*
 * Files: stores the files that executions leave and users add, for their
 * owners, each file with all its versions, in one directory, the only place of
 * the file system that this process can access. The bytes are copied; the first
 * bytes of each file are examined for its media type (type.h). All files of
 * this folder run in that process only.
 *
 * Other processes of the same user may use the same directory at the same time,
 * so its content is read again for each task (kept.h).
 *
 * The order of the files: main → routes → on_supervisor, on_porter → added,
 * collect, deliver, fetched, listed, removed, usage → task, intake, same →
 * outdated, share → kept → versions → directory, head, type.
 */
#ifndef WORKER_FILES_FILES_H
#define WORKER_FILES_FILES_H

#include <sys/queue.h>

#include "../../common/ipc/channel.h"
#include "../../common/ipc/ipc.h"

struct kept;
struct task;

struct files {
	struct event_base *base;
	channel_handler *const *routes; /* a handler for every message to it */
	struct channel *supervisor;
	int folder;        /* -1 until KEEP_FILES arrives */
	uint64_t most;     /* limit of the bytes of all files */
	uint64_t lifetime; /* maximum age of a file in seconds */
	uint64_t copied;   /* bytes of the files being stored */
	struct kept **kept;
	size_t kept_count;
	TAILQ_HEAD(files_tasks, task) tasks;
	TAILQ_HEAD(files_turns, task) turns; /* of these, those with a turn in
					      * progress */
	struct event *turn; /* of the first of them */
};

/* routes.c: the dispatch table of this process. */
channel_handler *const *files_routes(void);

/* on_supervisor.c: the handlers. */
void files_on_keep_files(struct files *files, struct ipc_keep_files *keep);
void files_on_collect(struct files *files, struct ipc_collect *collect);
void files_on_deliver(struct files *files, struct ipc_deliver *deliver);
void files_on_add_file(struct files *files, struct ipc_add_file *add);
void files_on_list_files(struct files *files, struct ipc_list_files *list);
void files_on_list_usage(struct files *files, struct ipc_list_usage *list);
void files_on_fetch_file(struct files *files, struct ipc_fetch_file *fetch);
void files_on_remove_files(
    struct files *files, struct ipc_remove_files *remove);
void files_on_give_up(struct files *files, struct ipc_give_up *give_up);

/* on_porter.c: the handlers, one task each. */
void files_on_offer(struct task *task, struct ipc_offer *offer);
void files_on_leave(struct task *task, struct ipc_leave *leave);
void files_on_carried(struct task *task, struct ipc_carried *carried);

#endif
