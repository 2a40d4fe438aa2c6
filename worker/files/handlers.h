/*
 * The handlers of the process files: its whole surface to the supervisor and to
 * porters. routes.c has the table of them.
 */
#ifndef WORKER_FILES_HANDLERS_H
#define WORKER_FILES_HANDLERS_H

#include "../../common/ipc/channel.h"

struct files;
struct task;

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
