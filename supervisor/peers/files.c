/*
 * The files of owners as the supervisor sees them: see files.h. Runs in the
 * supervisor; opens the directory of files, and starts porters and the process
 * that keeps files.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "../../common/base/loop.h"
#include "../../common/base/fd.h"
#include "../../common/ipc/ipc_pair.h"
#include "../../common/base/log.h"
#include "../../common/base/mem.h"
#include "../../common/base/shown.h"
#include "../../common/base/text_list.h"
#include "../process/process.h"
#include "files.h"
#include "../options/state_dir.h"

_Static_assert(FILES_SILENT_MS + FILES_ANSWER_MS < FILES_COLLECT_MS,
    "a task is given up before its process is known to hang");

/* No file has this name. */
#define FILES_NONE "."

struct files_task {
	LIST_ENTRY(files_task) entry;
	struct files *files;
	enum ipc_type type; /* of its first message */
	uint64_t number;
	struct files_user user;
	char *owner;
	struct files_usage used; /* as USED told it of this owner */
	struct event *timer; /* since the last sign of progress */
	bool given_up;
	bool awaited; /* FILE_AWAITED was received */
	bool filed;  /* FILED was received */
	bool fetched; /* FILE_FETCHED was received */
	/* For tasks with a porter. */
	bool direct; /* files are put into the directory itself */
	struct channel *porter;
	struct child *process;
};

struct files {
	const struct options *options;
	char **envp;
	struct service service;
	struct buffer limits; /* of owners: pairs of a scope and bytes */
	LIST_HEAD(, files_task) tasks;
	LIST_HEAD(, files_task) lost; /* of a process that has ended */
	struct event *silence; /* since the last message of the process */
	bool asked;             /* it was asked for FILES_NONE since then */
	uint64_t started; /* tasks so far, and number of the last */
};

/* The ends of tasks */

static void
files_task_end_porter(struct files_task *task)
{
	channel_free(&task->porter);
	reaper_forget(&task->process);
}

static void
files_task_free(struct files_task *task)
{
	files_task_end_porter(task);
	loop_event_free(&task->timer);
	free(task->owner);
	free(task);
}

/* Removes the task from the list, and calls done. */
static void
files_task_done(struct files_task *task, const struct files_end *end)
{
	const struct files_user user = task->user;

	LIST_REMOVE(task, entry);
	files_task_free(task);
	if (user.done != NULL)
		user.done(user.ctx, end);
}

/* No task goes on. */
static void
files_forget_process(void *ctx)
{
	struct files *files = ctx;
	struct files_task *task;

	files->asked = false;
	event_del(files->silence);
	while ((task = LIST_FIRST(&files->tasks)) != NULL) {
		LIST_REMOVE(task, entry);
		LIST_INSERT_HEAD(&files->lost, task, entry);
		/* Another process knows nothing of it. */
		task->given_up = true;
		event_del(task->timer);
	}
}

/* Their callbacks may start other tasks, which start a new process. */
static void
files_on_failed(void *ctx, const char *why)
{
	auto_free char *text = mem_printf("the files process %s", why);
	const struct files_end end = { .why = text };
	struct files *files = ctx;
	struct files_task *task;

	while ((task = LIST_FIRST(&files->lost)) != NULL)
		files_task_done(task, &end);
}

void
files_forget(struct files_task **taskp)
{
	struct files_task *task = mem_take(taskp);

	if (task != NULL)
		task->user = (struct files_user){ 0 };
}

void
files_give_up(struct files_task *task)
{
	struct ipc_give_up give_up = { .task = task->number };
	struct err err;

	if (task->given_up)
		return;
	task->given_up = true;
	files_task_end_porter(task);
	loop_set_timer(task->timer, FILES_BUSY_MS);
	/* If it has ended, its channel reports that soon. */
	if (channel_send_give_up(
	        task->files->service.channel, &give_up, &err) == -1)
		log_error("files: a task cannot be cancelled: %s", err.text);
}

/* A task takes too long, or does not end after it was cancelled. */
static void
files_task_on_timer(evutil_socket_t, short, void *arg)
{
	struct files_task *task = arg;

	if (!task->given_up) {
		log_error("files: a task was cancelled after %d s without "
		    "progress", FILES_COLLECT_MS / 1000);
		files_give_up(task);
		return;
	}
	service_hang(&task->files->service);
}

/*
 * A message was sent to the process, or came from it. As long as there are
 * tasks, it must not be silent for long.
 */
static void
files_hear(struct files *files)
{
	files->asked = false;
	if (LIST_EMPTY(&files->tasks))
		event_del(files->silence);
	else
		loop_set_timer(files->silence, FILES_SILENT_MS);
}

/*
 * It is silent: it is asked for a file that cannot exist, which it answers
 * between two pieces of another one. Then it hangs, and is killed.
 */
static void
files_on_silence(evutil_socket_t, short, void *arg)
{
	const struct files_user nobody = { 0 };
	struct files *files = arg;
	struct err err;

	if (LIST_EMPTY(&files->tasks))
		return;
	if (files->asked) {
		service_hang(&files->service);
		return;
	}
	files->asked = true;
	loop_set_timer(files->silence, FILES_ANSWER_MS);
	if (files_fetch(files, "", FILES_NONE, 0, NULL, &nobody, &err) == NULL)
		log_error("files: it cannot be asked: %s", err.text);
}

/* Starting */

static struct ipc_bytes
files_name(const char *name)
{
	return (struct ipc_bytes){ (const uint8_t *)name, strlen(name) };
}

static int
files_send_limits(struct files *files, struct err *err)
{
	struct ipc_limit_files limit = { .limits = {
		(const uint8_t *)files->limits.data, files->limits.len, -1 } };

	return channel_send_limit_files(files->service.channel, &limit, err);
}

void
files_limit(struct files *files, const struct buffer *limits)
{
	struct err err;

	if (limits->len == files->limits.len && (limits->len == 0 ||
	        memcmp(limits->data, files->limits.data, limits->len) == 0))
		return;
	buffer_reset(&files->limits);
	buffer_add(&files->limits, limits->data, limits->len);
	if (files->service.channel != NULL)
		service_sent(&files->service, files_send_limits(files, &err),
		    &err);
}

static int
files_start(void *ctx, struct err *err)
{
	struct files *files = ctx;
	struct ipc_keep_files keep = { .log_terms = log_terms(),
		.most = files->options->files_max,
		.days = files->options->files_days,
		.link_seconds = files->options->link_seconds };
	const char *secret = files->options->file_secret;
	auto_fd int folder = state_dir_open_inner(
	    files->options, files->envp, STATE_DIR_FILES, err);

	if (folder == -1)
		state_dir_hide(files->options, err);
	if (folder == -1 || service_start(&files->service, err) == -1)
		return -1;
	/* On this signal it removes unfinished files. */
	reaper_finish_with(files->service.process, SIGTERM);
	keep.folder = fd_take(&folder);
	if (secret != NULL)
		keep.secret = files_name(secret);
	return channel_send_keep_files(
	           files->service.channel, &keep, err) == -1 ||
	        (files->limits.len > 0 &&
	            files_send_limits(files, err) == -1) ? -1 : 0;
}

/* One attempt to start it, for service_ask. */
static int
files_want(void *ctx, void *, struct err *err)
{
	struct files *files = ctx;

	return service_want(&files->service, err);
}

/* The porter has exited; it sends no more files. */
static void
files_task_on_porter_closed(void *ctx, const struct err *why)
{
	struct files_task *task = ctx;

	if (why != NULL)
		log_error("%s a porter: %s", channel_blame(why), why->text);
	files_task_end_porter(task);
}

static void
files_task_on_porter_ended(void *ctx, const struct child_end *)
{
	struct files_task *task = ctx;

	task->process = NULL;
}

/*
 * Starts the porter of a task as the user uid, and sends it the request.
 * Returns the other end of its channel to the process that keeps files, which
 * the caller owns, or -1 with err.
 */
static int
files_task_start_porter(struct files_task *task, struct ipc_blob known,
    int *folder, unsigned int uid, struct err *err)
{
	struct files *files = task->files;
	struct channel_ends ends = worker_ends(
	    ROLE_PORTER, files_task_on_porter_closed, task);
	struct ipc_carry_out carry_out = { .log_terms = log_terms(),
		.known = known };
	struct ipc_carry_in carry_in = { .log_terms = log_terms() };
	auto_fd int pidfd = -1, ours = -1;
	int theirs;

	task->porter = worker_start(files->service.base, &ends, task->number,
	    uid, -1, &pidfd, err);
	if (task->porter == NULL)
		return -1;
	task->process = reaper_watch(files->service.base, &pidfd,
	    files_task_on_porter_ended, task);
	reaper_keep_running(task->process);
	if (ipc_pair(&ours, &theirs, 0, err) == -1)
		return -1;
	carry_in.direct = task->direct != 0;
	carry_out.files = carry_in.files = theirs;
	carry_out.folder = carry_in.folder = fd_take(folder);
	if ((task->type == IPC_COLLECT ?
	        channel_send_carry_out(task->porter, &carry_out, err) :
	        channel_send_carry_in(task->porter, &carry_in, err)) == -1)
		return -1;
	return fd_take(&ours);
}

/* Returns a task that is not sent yet; NULL with err if there is no process. */
static struct files_task *
files_task_new(struct files *files, enum ipc_type type, const char *owner,
    const struct files_user *user, struct err *err)
{
	struct files_task *task;

	if (service_ask(&files->service, files_want, NULL, err) == -1) {
		err_wrap(err, "files are unavailable");
		return NULL;
	}
	task = mem_alloc(sizeof(*task));
	task->files = files;
	task->type = type;
	task->number = ++files->started;
	task->user = *user;
	task->owner = mem_strdup(owner);
	task->timer =
	    evtimer_new(files->service.base, files_task_on_timer, task);
	loop_set_timer(task->timer, FILES_COLLECT_MS);
	LIST_INSERT_HEAD(&files->tasks, task, entry);
	if (!event_pending(files->silence, EV_TIMEOUT, NULL))
		files_hear(files);
	return task;
}

/*
 * Frees a task that could not start, without callbacks; err has the cause.
 * Returns NULL.
 */
static struct files_task *
files_task_refuse(struct files_task *task, struct err *err)
{
	err_wrap(err, "files are unavailable");
	LIST_REMOVE(task, entry);
	files_task_free(task);
	return NULL;
}

/* Sends the message of a task. Returns the task, or NULL with err. */
static struct files_task *
files_task_send(struct files_task *task, void *msg, struct err *err)
{
	if (channel_send(task->files->service.channel, task->type, msg, err) ==
	    -1)
		return files_task_refuse(task, err);
	return task;
}

/* Starts a task without a porter, whose message has its number there. */
static struct files_task *
files_task_ask(struct files *files, enum ipc_type type, const char *owner,
    const struct files_user *user, void *msg, uint64_t *number, struct err *err)
{
	struct files_task *task = files_task_new(files, type, owner, user, err);

	if (task == NULL)
		return NULL;
	*number = task->number;
	return files_task_send(task, msg, err);
}

/* The tasks */

void
file_row_sync(struct buffer *synced, const struct file_row *row)
{
	text_list_add(synced, row->name);
	buffer_printf(synced, "%llu:%llu", (unsigned long long)row->version,
	    (unsigned long long)row->changed);
	buffer_add(synced, "", 1);
}

struct files_task *
files_mirror(struct files *files, const char *owner,
    const struct buffer *synced, int *folder, unsigned int uid,
    const struct files_user *user, struct err *err)
{
	struct ipc_collect collect = { .owner = owner,
		.synced = { (const uint8_t *)synced->data, synced->len, -1 } };
	const struct ipc_blob none = { .fd = -1 };
	struct files_task *task = files_task_new(
	    files, IPC_COLLECT, owner, user, err);

	if (task == NULL)
		return NULL;
	collect.task = task->number;
	collect.porter = files_task_start_porter(task,
	    strchr(owner, '\n') == NULL ? none : collect.synced, folder, uid,
	    err);
	if (collect.porter == -1)
		return files_task_refuse(task, err);
	return files_task_send(task, &collect, err);
}

struct files_task *
files_deliver(struct files *files, const char *owner, const char *names,
    size_t names_len, int *folder, unsigned int uid,
    const struct files_user *user, struct err *err)
{
	struct ipc_deliver deliver = { .owner = owner,
		.names = { (const uint8_t *)names, names_len } };
	const struct ipc_blob none = { .fd = -1 };
	struct files_task *task = files_task_new(
	    files, IPC_DELIVER, owner, user, err);

	if (task == NULL)
		return NULL;
	task->direct = names_len == 0;
	deliver.task = task->number;
	deliver.porter = files_task_start_porter(task, none, folder, uid, err);
	if (deliver.porter == -1)
		return files_task_refuse(task, err);
	return files_task_send(task, &deliver, err);
}

struct files_task *
files_add(struct files *files, const char *owner, const char *name,
    const char *data, size_t len, const struct files_user *user,
    struct err *err)
{
	struct ipc_add_file add = { .owner = owner,
		.name = files_name(name),
		.content = { (const uint8_t *)data, len, -1 } };

	return files_task_ask(
	    files, IPC_ADD_FILE, owner, user, &add, &add.task, err);
}

struct files_task *
files_receive(struct files *files, const char *owner, const char *name,
    uint64_t size, const struct file_linked *link,
    const struct files_user *user, struct err *err)
{
	struct ipc_receive_file receive = { .owner = owner,
		.name = files_name(name),
		.size = size,
		.expires = link->expires,
		.signature = link->signature };
	struct files_task *task = files_task_ask(files, IPC_RECEIVE_FILE,
	    owner, user, &receive, &receive.task, err);

	if (task != NULL)
		event_del(task->timer);
	return task;
}

struct files_task *
files_list(struct files *files, const char *owner, int all, int versions,
    const struct files_user *user, struct err *err)
{
	struct ipc_list_files list = { .owner = owner,
		.versions = versions != 0, .all = all != 0 };

	return files_task_ask(
	    files, IPC_LIST_FILES, owner, user, &list, &list.task, err);
}

struct files_task *
files_list_usage(
    struct files *files, const struct files_user *user, struct err *err)
{
	struct ipc_list_usage list = { 0 };

	return files_task_ask(
	    files, IPC_LIST_USAGE, "", user, &list, &list.task, err);
}

struct files_task *
files_fetch(struct files *files, const char *owner, const char *name,
    uint64_t version, const struct file_linked *link,
    const struct files_user *user, struct err *err)
{
	struct ipc_fetch_file fetch = { .owner = owner,
		.name = files_name(name),
		.version = version,
		.expires = link == NULL ? 0 : link->expires,
		.signature = link == NULL ? "" : link->signature };

	return files_task_ask(
	    files, IPC_FETCH_FILE, owner, user, &fetch, &fetch.task, err);
}

struct files_task *
files_link(struct files *files, const char *owner, const char *name,
    const struct files_user *user, struct err *err)
{
	struct ipc_link_file link = { .owner = owner,
		.name = files_name(name) };

	return files_task_ask(
	    files, IPC_LINK_FILE, owner, user, &link, &link.task, err);
}

struct files_task *
files_remove(struct files *files, const char *owner, const char *name,
    uint64_t version, const struct files_user *user, struct err *err)
{
	struct ipc_remove_files removal = { .owner = owner,
		.name = files_name(name == NULL ? "" : name),
		.version = version,
		.all = name == NULL && strchr(owner, '\n') == NULL };

	return files_task_ask(
	    files, IPC_REMOVE_FILES, owner, user, &removal, &removal.task, err);
}

/* Messages of the process */

/* Returns the task of that number; NULL if there is none: it has ended. */
static struct files_task *
files_find(struct files *files, uint64_t number)
{
	struct files_task *task;

	files_hear(files);
	LIST_FOREACH (task, &files->tasks, entry)
		if (task->number == number)
			return task;
	service_violate(files, "a message about a task that there is not");
	return NULL;
}

/* Returns whether a file may be reported for such a task now. */
static int
files_task_may_file(const struct files_task *task)
{
	switch (task->type) {
	case IPC_COLLECT:
	case IPC_DELIVER:
	case IPC_LIST_FILES:
		return 1;
	case IPC_ADD_FILE:
	case IPC_RECEIVE_FILE:
	case IPC_FETCH_FILE:
	case IPC_LINK_FILE:
		return !task->filed;
	default:
		return 0;
	}
}

/* Restarts the timer: the task makes progress. */
static void
files_task_hear(struct files_task *task)
{
	if (!task->given_up && task->type != IPC_RECEIVE_FILE)
		loop_set_timer(task->timer, FILES_COLLECT_MS);
}

void
files_hear_filed(struct files *files, const struct ipc_filed *filed)
{
	struct files_task *task = files_find(files, filed->task);
	struct file_row row = { filed->name, filed->version, filed->size,
		filed->since, filed->changed, filed->type,
		filed->conversation, NULL };
	auto_free char *url = NULL;

	if (task == NULL)
		return;
	if (!files_task_may_file(task)) {
		service_violate(files, "a file more than the task is about");
		return;
	}
	task->filed = true;
	files_task_hear(task);
	if (filed->expires > 0)
		row.url = url = file_url(
		    files->options->public_url, task->owner, filed);
	if (task->user.filed != NULL)
		task->user.filed(task->user.ctx, &row);
}

void
files_hear_used(
    struct files *files, uint64_t number, const struct files_usage *row)
{
	struct files_task *task = files_find(files, number);

	if (task == NULL)
		return;
	if (task->type != IPC_LIST_USAGE && task->type != IPC_COLLECT &&
	    task->type != IPC_ADD_FILE && task->type != IPC_RECEIVE_FILE) {
		service_violate(files, "an owner that was not asked for");
		return;
	}
	files_task_hear(task);
	task->used = *row;
	if (task->user.used != NULL)
		task->user.used(task->user.ctx, row);
}

/* Returns the sentence, which the caller frees. */
static char *
files_task_why(struct files_task *task, enum file_fault fault)
{
	auto_free char *scope =
	    mem_dup(task->owner, strcspn(task->owner, "\n"));
	const struct buffer *limits = &task->files->limits;
	const char *own = text_list_value(limits->data, limits->len, scope);

	task->used.owner = task->owner; /* with its conversation */
	task->used.own = own == NULL ? 0 : strtoull(own, NULL, 10);
	return file_fault_text(fault, task->files->options, &task->used);
}

void
files_hear_skipped(struct files *files, uint64_t number, const char *name,
    size_t len, enum file_fault fault)
{
	struct files_task *task = files_find(files, number);
	auto_free char *why = NULL;

	if (task == NULL)
		return;
	if (task->type != IPC_COLLECT && task->type != IPC_DELIVER) {
		service_violate(files, "a file that was left out of no box");
		return;
	}
	files_task_hear(task);
	why = files_task_why(task, fault);
	if (task->user.skipped != NULL)
		task->user.skipped(task->user.ctx, name, len, fault, why);
}

void
files_hear_fetched(
    struct files *files, uint64_t number, int *file, uint64_t offset)
{
	struct files_task *task = files_find(files, number);

	if (task == NULL)
		return;
	if (task->type != IPC_FETCH_FILE || !task->filed || task->fetched) {
		service_violate(files, "a descriptor that was not asked for");
		return;
	}
	task->fetched = true;
	if (task->user.fetched != NULL)
		task->user.fetched(task->user.ctx, file, offset);
}

void
files_hear_awaited(struct files *files, uint64_t number, int *sink)
{
	struct files_task *task = files_find(files, number);

	if (task == NULL)
		return;
	if (task->type != IPC_RECEIVE_FILE || task->awaited || task->filed) {
		service_violate(files, "a pipe that was not asked for");
		return;
	}
	task->awaited = true;
	if (task->user.awaited != NULL)
		task->user.awaited(task->user.ctx, sink);
}

/* Returns whether a task may end successfully now. */
static int
files_task_is_done(const struct files_task *task)
{
	return (task->type != IPC_FETCH_FILE || task->fetched) &&
	    ((task->type != IPC_ADD_FILE && task->type != IPC_RECEIVE_FILE) ||
	        task->filed);
}

void
files_hear_done(struct files *files, uint64_t number, uint64_t count,
    enum file_fault fault, const char *name, size_t len)
{
	struct files_task *task = files_find(files, number);
	struct files_end end = { .count = count, .fault = fault };
	auto_buffer struct buffer why = { 0 };
	auto_free char *text = NULL;

	if (task == NULL)
		return;
	if (fault == FILE_FAULT_NONE && !files_task_is_done(task)) {
		service_violate(files, "the end of a task that is not done");
		return;
	}
	if (fault != FILE_FAULT_NONE) {
		text = files_task_why(task, fault);
		if (len > 0) {
			shown_add(&why, name, len);
			buffer_add_text(&why, ": ");
		}
		buffer_add_text(&why, text);
		end.why = why.data;
	}
	files_task_done(task, &end);
}

/* All files */

int
files_may_hold(const struct files *files)
{
	return state_dir_may_hold(files->options, files->envp, STATE_DIR_FILES);
}

struct files *
files_new(const struct peers_setup *setup, const struct peers *)
{
	struct event_base *base = setup->base;
	struct files *files;

	if (!options_keeps(setup->options))
		return NULL;
	files = mem_alloc(sizeof(*files));
	files->service = (struct service){ .base = base,
		.role = ROLE_FILES,
		.ctx = files,
		.start = files_start,
		.forget = files_forget_process,
		.failed = files_on_failed };
	files->options = setup->options;
	files->envp = setup->envp;
	LIST_INIT(&files->tasks);
	LIST_INIT(&files->lost);
	files->silence = evtimer_new(base, files_on_silence, files);
	return files;
}

void
files_free(struct files **filesp)
{
	struct files *files = mem_take(filesp);
	struct files_task *task;

	if (files == NULL)
		return;
	service_stop(&files->service);
	while ((task = LIST_FIRST(&files->lost)) != NULL) {
		LIST_REMOVE(task, entry);
		files_task_free(task);
	}
	loop_event_free(&files->silence);
	buffer_reset(&files->limits);
	free(files);
}
