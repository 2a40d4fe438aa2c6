/*
 * The store as the supervisor sees it: see store.h. Runs in the supervisor;
 * opens the state directory and starts the store in it.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <sys/queue.h>


#include "../../common/base/fd.h"
#include "../../common/ipc/ipc_pair.h"
#include "../../common/base/log.h"
#include "../../common/base/mem.h"
#include "../options/state_dir.h"
#include "store.h"
#include "../process/process.h"

/* A request whose answer is pending. */
struct store_task {
	LIST_ENTRY(store_task) entry;
	uint64_t number;
	bool lost; /* the process that it was sent to has ended */
	void (*done)(void *ctx, const struct store_read *read);
	void *ctx;
};

struct store {
	const struct options *options;
	char **envp;
	struct service service;
	store_shown *shown; /* NULL: no notification */
	void *shown_ctx;
	LIST_HEAD(, store_task) tasks;
	uint64_t started;   /* tasks so far, and the number of the last */
};

static void
store_forget_process(void *ctx)
{
	struct store *store = ctx;
	struct store_task *task;

	LIST_FOREACH (task, &store->tasks, entry)
		task->lost = true;
}

/* Removes the task from the list, and calls done. */
static void
store_task_done(struct store_task *task, const struct store_read *read)
{
	const struct store_task ended = *task;

	LIST_REMOVE(task, entry);
	free(task);
	if (ended.done != NULL)
		ended.done(ended.ctx, read);
}

/* Returns a pending task with this number, 0: that is lost; or NULL. */
static struct store_task *
store_task_find(struct store *store, uint64_t number)
{
	struct store_task *task;

	LIST_FOREACH (task, &store->tasks, entry)
		if (number == 0 ? task->lost :
		    task->number == number && !task->lost)
			return task;
	return NULL;
}

/* Each callback may add and remove tasks. */
static void
store_on_failed(void *ctx, const char *)
{
	const struct store_read none = {
		.reason = "the process that keeps it ended" };
	struct store *store = ctx;
	struct store_task *task;

	while ((task = store_task_find(store, 0)) != NULL)
		store_task_done(task, &none);
	if (store->shown != NULL)
		store->shown(store->shown_ctx, "", 0, none.reason);
}

void
store_listen(struct store *store, store_shown *shown, void *ctx)
{
	store->shown = shown;
	store->shown_ctx = ctx;
}

void
store_hear_shown(
    struct store *store, const char *payload, size_t len, const char *reason)
{
	if (store->shown == NULL)
		service_violate(store, "an answer without a request");
	else
		store->shown(store->shown_ctx, payload, len, reason);
}

static int
store_start(void *ctx, struct err *err)
{
	struct store *store = ctx;
	struct ipc_keep keep = { .log_terms = log_terms(),
		.most = store->options->state_max };
	auto_fd int folder = state_dir_open(store->options, store->envp, err);

	if (folder == -1)
		state_dir_hide(store->options, err);
	if (folder == -1 || service_start(&store->service, err) == -1)
		return -1;
	keep.folder = fd_take(&folder);
	return channel_send_keep(store->service.channel, &keep, err);
}

struct channel *
store_channel(struct store *store, struct err *err)
{
	return service_want(&store->service, err) == -1 ? NULL :
	    store->service.channel;
}

int
store_may_hold(const struct store *store)
{
	return state_dir_may_exist(store->options, store->envp);
}

/*
 * One attempt to give the store one end of a channel: for an execution, or for
 * the broker (0). Returns the other end, or -1 with err.
 */
static int
store_lend(void *ctx, void *question, struct err *err)
{
	struct store *store = ctx;
	struct ipc_grant_store grant =
	    *(const struct ipc_grant_store *)question;
	struct ipc_lister lister;
	struct channel *channel = store_channel(store, err);
	auto_fd int ours = -1;
	int theirs, sent;

	if (channel == NULL || ipc_pair(&ours, &theirs, 0, err) == -1)
		return -1;
	grant.relay = lister.broker = theirs;
	sent = grant.execution == 0 ?
	    channel_send_lister(channel, &lister, err) :
	    channel_send_grant_store(channel, &grant, err);
	return service_sent(&store->service, sent, err) == -1 ? -1 :
	    fd_take(&ours);
}

int
store_connect(struct store *store, uint64_t execution, const char *scope,
    uint64_t most, struct err *err)
{
	struct ipc_grant_store grant = { .execution = execution, .scope = scope,
		.most = most };

	return service_ask(&store->service, store_lend, &grant, err);
}

/* One attempt to pass an execution on. Returns 0, or -1 with err. */
static int
store_pass_execution(void *ctx, void *question, struct err *err)
{
	struct store *store = ctx;
	struct channel *channel = store_channel(store, err);

	return channel == NULL ? -1 :
	    service_sent(&store->service,
	        channel_send_keep_execution(channel, question, err), err);
}

int
store_keep_execution(struct store *store,
    struct ipc_keep_execution *execution, struct err *err)
{
	/* Only who asks for what is kept is told that there is no directory. */
	if (store->service.channel == NULL &&
	    state_dir_try(store->options, store->envp, err) == -1)
		return -1;
	return service_ask(
	    &store->service, store_pass_execution, execution, err);
}

/* One attempt to ask for an output. Returns 0, or -1 with err. */
static int
store_ask_output(void *ctx, void *question, struct err *err)
{
	struct store *store = ctx;
	struct channel *channel = store_channel(store, err);

	return channel == NULL ? -1 :
	    service_sent(&store->service,
	        channel_send_read_output(channel, question, err), err);
}

struct store_task *
store_read_output(struct store *store, const struct ipc_read_output *question,
    void (*done)(void *ctx, const struct store_read *read), void *ctx,
    struct err *err)
{
	struct ipc_read_output sent = *question;
	struct store_task *task;

	sent.task = ++store->started;
	if (service_ask(&store->service, store_ask_output, &sent, err) == -1)
		return NULL;
	task = mem_alloc(sizeof(*task));
	task->number = sent.task;
	task->done = done;
	task->ctx = ctx;
	LIST_INSERT_HEAD(&store->tasks, task, entry);
	return task;
}

void
store_forget(struct store_task **taskp)
{
	struct store_task *task = mem_take(taskp);

	if (task != NULL)
		task->done = NULL;
}

void
store_hear_output(
    struct store *store, uint64_t number, const struct store_read *read)
{
	struct store_task *task = store_task_find(store, number);

	if (task == NULL)
		service_violate(store, "an output that was not requested");
	else
		store_task_done(task, read);
}

int
store_connect_lister(struct store *store, struct err *err)
{
	struct ipc_grant_store none = { 0 };

	return service_ask(&store->service, store_lend, &none, err);
}

struct store *
store_new(const struct peers_setup *setup, const struct peers *)
{
	struct store *store;

	if (!options_keeps(setup->options))
		return NULL;
	store = mem_alloc(sizeof(*store));
	/* At the end of the program it writes what the broker has sent. */
	store->service = (struct service){ .base = setup->base,
		.role = ROLE_STORE,
		.ctx = store,
		.start = store_start,
		.forget = store_forget_process,
		.failed = store_on_failed,
		.lingers = true };
	store->options = setup->options;
	store->envp = setup->envp;
	return store;
}

/* Committed data is kept. */
void
store_free(struct store **storep)
{
	struct store *store = mem_take(storep);
	struct store_task *task;

	if (store == NULL)
		return;
	while ((task = LIST_FIRST(&store->tasks)) != NULL) {
		LIST_REMOVE(task, entry);
		free(task);
	}
	service_stop(&store->service);
	free(store);
}
