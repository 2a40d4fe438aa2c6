/*
 * The broker as the supervisor sees it: see broker.h. Runs in the supervisor;
 * starts the broker, and the servers that it requests by name.
 */
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../../common/base/fd.h"
#include "../../common/ipc/ipc_pair.h"
#include "../../common/limits.h"
#include "../../common/base/log.h"
#include "../../common/base/mem.h"
#include "../../common/base/text_list.h"
#include "../../common/base/utf8.h"
#include "broker.h"
#include "../servers/in_force/server_process.h"
#include "../servers/in_force/server_mask.h"
#include "../servers/in_force/server_names.h"
#include "store.h"
#include "../process/process.h"

/* The facts about a server that were sent to the broker. */
struct broker_told {
	TAILQ_ENTRY(broker_told) entry;
	uint64_t number; /* of the definition */
	const struct server_source *source; /* of the file that defines it */
	char *path;
	char *name;
	struct server_texts shown; /* facts visible to code, to compare */
	char *runs;  /* facts that affect its processes */
	size_t runs_len;
	uint8_t fingerprint[FINGERPRINT_SIZE];
	bool found; /* still configured */
	uint64_t starts; /* of its processes */
};

TAILQ_HEAD(broker_told_list, broker_told);

/* A server process that the broker requested. */
struct broker_link {
	LIST_ENTRY(broker_link) entry;
	struct broker *broker;
	char *name;
	char *owner; /* the owner of the process */
	uint64_t definition; /* of its server */
	uint64_t number; /* 0: of an earlier broker */
	struct server_process *process;
};

struct broker {
	struct event_base *base;
	struct in_force *config;
	char **envp;
	const struct peers *peers;
	const struct options *options;
	int audit; /* as in struct peers_setup */
	struct service service;
	uint64_t last_link;
	uint64_t last_definition;
	time_t lists_wanted; /* when the broker last asked for the store */
	bool lists_missed;    /* it was unavailable, and that was logged */
	LIST_HEAD(, broker_link) links;
	struct buffer owners; /* owners of its grants: a text list */
	struct broker_told_list told;
	/* Removed definitions whose processes still run. */
	struct broker_told_list removed;
	void (*ended)(void *ctx); /* for broker_stop */
	void *ended_ctx;
	broker_tried *tried; /* for broker_try */
	void (*gone)(void *ctx);
	void *tried_ctx;
	broker_asked *asked; /* takes questions; NULL: none are passed on */
	void *asked_ctx;
};

/* The time limits for ending a server. */
static const struct server_process_times broker_times = {
	SERVER_PROCESS_EOF_MS, SERVER_PROCESS_TERM_MS, SERVER_PROCESS_KILL_MS
};

static void
broker_forget(struct broker_told_list *list, struct broker_told *told)
{
	TAILQ_REMOVE(list, told, entry);
	free(told->path);
	free(told->name);
	free(told->shown.data);
	free(told->runs);
	free(told);
}

static void
broker_forget_all(struct broker *broker)
{
	while (!TAILQ_EMPTY(&broker->told))
		broker_forget(&broker->told, TAILQ_FIRST(&broker->told));
	while (!TAILQ_EMPTY(&broker->removed))
		broker_forget(&broker->removed, TAILQ_FIRST(&broker->removed));
}

/* Its end */

static void
broker_check_ended(struct broker *broker)
{
	void (*ended)(void *ctx) = broker->ended;

	if (!LIST_EMPTY(&broker->links) || ended == NULL)
		return;
	broker->ended = NULL;
	ended(broker->ended_ctx);
}

/* The pipes of the broker are closed, so its servers are ended in order. */
static void
broker_forget_process(void *ctx)
{
	struct broker *broker = ctx;
	struct broker_link *link;

	broker_hear_question(broker, &(struct broker_question){ 0 });
	broker_forget_all(broker);
	buffer_reset(&broker->owners);
	broker->last_link = 0;
	broker->lists_wanted = 0;
	LIST_FOREACH (link, &broker->links, entry) {
		link->number = 0;
		server_process_stop(link->process);
	}
}

static void
broker_on_failed(void *ctx, const char *)
{
	struct broker *broker = ctx;

	if (broker->gone != NULL)
		broker->gone(broker->tried_ctx);
}

/* Sending the servers to it */

static char *
broker_runs(const struct server *server, size_t *len)
{
	struct buffer runs = { 0 };
	const char *cwd = server->run_cwd == NULL ? "" : server->run_cwd;

	/* Each part ends with its last NUL; none starts empty. */
	buffer_printf(&runs, "%d %zu %zu %s", server->shared, server->run.len,
	    server->run_env.len, cwd);
	buffer_add(&runs, "", 1);
	buffer_add(&runs, server->run.data, server->run.len);
	buffer_add(&runs, server->run_env.data, server->run_env.len);
	return buffer_take(&runs, len);
}

/* Returns the facts about a server besides its name, to compare them. */
static struct server_texts
broker_shown(const struct server *server)
{
	auto_buffer struct buffer text = { 0 };
	struct server_texts shown;

	buffer_printf(&text, "%s\n%s\n%d %zu %zu %u ", server->alias,
	    server->description, server->narrowed, server->allow.len,
	    server->others.len, server->concurrency);
	buffer_add(&text, server->allow.data, server->allow.len);
	buffer_add(&text, server->others.data, server->others.len);
	buffer_add(&text, server->deny.data, server->deny.len);
	shown.data = buffer_take(&text, &shown.len);
	return shown;
}

static struct ipc_bytes
broker_bytes(const struct server_texts *texts)
{
	return (struct ipc_bytes){ (const uint8_t *)texts->data, texts->len };
}

static int
broker_define(struct broker *broker, const struct server *server,
    uint64_t number, struct err *err)
{
	struct broker_told *told = mem_alloc(sizeof(*told));
	struct ipc_define define = { .definition = number,
		.name = server->name,
		.alias = server->alias,
		.description = server->description,
		.remote = server->remote != CONFIG_STDIO,
		.shared = (uint64_t)server->shared,
		.narrowed = (uint64_t)server->narrowed,
		.allow = broker_bytes(&server->allow),
		.deny = broker_bytes(&server->deny),
		.others = broker_bytes(&server->others),
		.concurrency = server->concurrency,
		.fingerprint = { told->fingerprint, FINGERPRINT_SIZE } };

	fingerprint_make(server, told->fingerprint);
	if (channel_send_define(broker->service.channel, &define, err) == -1) {
		free(told);
		return -1;
	}
	told->number = number;
	told->source = server->file->source;
	told->path = mem_strdup(server->file->path);
	told->name = mem_strdup(server->name);
	told->shown = broker_shown(server);
	told->runs = broker_runs(server, &told->runs_len);
	told->found = true;
	TAILQ_INSERT_TAIL(&broker->told, told, entry);
	return 0;
}

static struct broker_told *
broker_find_told(struct broker *broker, const char *name)
{
	struct broker_told *told;

	TAILQ_FOREACH (told, &broker->told, entry)
		if (strcmp(told->name, name) == 0)
			return told;
	return NULL;
}

/* Returns whether a process of a definition is left. */
static int
broker_has_process(const struct broker *broker, uint64_t definition)
{
	const struct broker_link *link;

	LIST_FOREACH (link, &broker->links, entry)
		if (link->definition == definition)
			return 1;
	return 0;
}

/* Ends a server that is no longer trusted, without waiting for the broker. */
static int
broker_revoke(struct broker *broker, const struct broker_told *told,
    struct buffer *why, struct err *err)
{
	struct ipc_revoke message = { .definition = told->number };
	struct broker_link *link;

	why->len = utf8_cut(why->data, why->len, REVOKED_MAX);
	buffer_add(why, "", 1);
	message.reason = why->data;
	LIST_FOREACH (link, &broker->links, entry)
		if (link->definition == told->number)
			server_process_stop(link->process);
	return channel_send_revoke(broker->service.channel, &message, err);
}

/*
 * Removes a server that is not configured any more. Executions that have loaded
 * it may continue, unless its file is no longer trusted, now or later.
 */
static int
broker_remove(struct broker *broker, struct broker_told *told, struct err *err)
{
	struct ipc_remove message = { .name = told->name };
	auto_buffer struct buffer why = { 0 };
	int sent, kept = 0;

	if (in_force_distrusts(
	        broker->config, told->source, told->path, &why)) {
		sent = broker_revoke(broker, told, &why, err);
	} else {
		kept = broker_has_process(broker, told->number);
		sent = channel_send_remove(
		    broker->service.channel, &message, err);
	}
	if (!kept) {
		broker_forget(&broker->told, told);
		return sent;
	}
	TAILQ_REMOVE(&broker->told, told, entry);
	TAILQ_INSERT_TAIL(&broker->removed, told, entry);
	return sent;
}

/* Ends removed servers whose file is no longer trusted. */
static int
broker_check_removed(struct broker *broker, struct err *err)
{
	struct broker_told *told, *next;
	int sent;

	for (told = TAILQ_FIRST(&broker->removed); told != NULL; told = next) {
		auto_buffer struct buffer why = { 0 };

		next = TAILQ_NEXT(told, entry);
		sent = 0;
		if (!broker_has_process(broker, told->number))
			broker_forget(&broker->removed, told);
		else if (in_force_distrusts(broker->config, told->source,
		             told->path, &why)) {
			sent = broker_revoke(broker, told, &why, err);
			broker_forget(&broker->removed, told);
		}
		if (sent == -1)
			return -1;
	}
	return 0;
}

/* Returns whether a server looks unchanged to code and to caches. */
static int
broker_is_same(const struct broker_told *told, const struct server *server)
{
	struct server_texts shown = broker_shown(server);
	uint8_t fingerprint[FINGERPRINT_SIZE];
	int same = shown.len == told->shown.len &&
	    memcmp(shown.data, told->shown.data, shown.len) == 0;

	free(shown.data);
	fingerprint_make(server, fingerprint);
	return same &&
	    memcmp(fingerprint, told->fingerprint, FINGERPRINT_SIZE) == 0;
}

/* It is still configured the same, perhaps in another file. */
static void
broker_found(struct broker_told *told, const struct server *server)
{
	told->found = true;
	told->source = server->file->source;
	free(told->path);
	told->path = mem_strdup(server->file->path);
}

/* Sends the facts about a server that the broker does not have yet. */
static int
broker_tell_server(
    struct broker *broker, const struct server *server, struct err *err)
{
	struct broker_told *told = broker_find_told(broker, server->name);
	auto_free char *runs = NULL;
	uint64_t number;
	size_t len;

	if (told == NULL)
		return broker_define(
		    broker, server, ++broker->last_definition, err);
	number = told->number;
	runs = broker_runs(server, &len);
	if (len == told->runs_len && memcmp(runs, told->runs, len) == 0 &&
	    broker_is_same(told, server)) {
		broker_found(told, server);
		return 0;
	}
	/* A change that does not affect its processes needs no restart. */
	if (len != told->runs_len || memcmp(runs, told->runs, len) != 0) {
		if (broker_remove(broker, told, err) == -1)
			return -1;
		number = ++broker->last_definition;
	} else {
		broker_forget(&broker->told, told);
	}
	return broker_define(broker, server, number, err);
}

/* Sends all servers; removes those that are no longer configured. */
static int
broker_tell(struct broker *broker, struct err *err)
{
	struct broker_told *told, *next;
	size_t i;

	TAILQ_FOREACH (told, &broker->told, entry)
		told->found = false;
	for (i = 0; i < in_force_count(broker->config); i++)
		if (broker_tell_server(
		        broker, in_force_at(broker->config, i), err) == -1)
			return -1;
	for (told = TAILQ_FIRST(&broker->told); told != NULL; told = next) {
		next = TAILQ_NEXT(told, entry);
		if (!told->found && broker_remove(broker, told, err) == -1)
			return -1;
	}
	return broker_check_removed(broker, err);
}

/* Passes it the audit file, if there is one. */
static int
broker_send_audit(struct broker *broker, struct err *err)
{
	struct ipc_audit audit = { .file = -1 };

	if (broker->audit == -1)
		return 0;
	audit.file = fcntl(broker->audit, F_DUPFD_CLOEXEC, 0);
	if (audit.file == -1)
		return err_sys(err, "hand over the audit file");
	return channel_send_audit(broker->service.channel, &audit, err);
}

/* Starts the broker, and sends it all servers. */
static int
broker_start(void *ctx, struct err *err)
{
	struct broker *broker = ctx;

	return service_start(&broker->service, err) == -1 ||
	        broker_send_audit(broker, err) == -1 ? -1 :
	    broker_tell(broker, err);
}

void
broker_reconfigure(struct broker *broker)
{
	struct err err;

	if (broker->service.channel != NULL)
		service_sent(&broker->service, broker_tell(broker, &err), &err);
}

/* Grants */

static void
broker_add_allowed(const struct broker *broker,
    const struct server_texts *allowed, struct buffer *names)
{
	const struct server *server;
	size_t i;

	for (i = 0; i < in_force_count(broker->config); i++) {
		server = in_force_at(broker->config, i);
		if (server_allowed(allowed, server->name))
			text_list_add(names, server->name);
	}
}

/* One attempt: returns the relay's end, or -1 with err. */
static int
broker_send_grant(void *ctx, void *question, struct err *err)
{
	struct broker *broker = ctx;
	const struct broker_grant *wanted = question;
	const struct server_texts *loaded = &wanted->loaded;
	auto_buffer struct buffer allowed = { 0 };
	struct ipc_grant_servers grant = { .execution = wanted->execution,
		.owner = wanted->owner,
		.log_terms = log_terms(),
		.tool_seconds = broker->options->tool_timeout,
		.tool_ceiling = broker->options->tool_ceiling,
		.remember = broker->options->memory_api != 0,
		.asks = wanted->asks,
		.client = wanted->client,
		.loaded = { (const uint8_t *)loaded->data, loaded->len, -1 } };
	auto_fd int relay = -1;

	if (service_want(&broker->service, err) == -1 ||
	    ipc_pair(&relay, &grant.relay, 0, err) == -1)
		return -1;
	broker_add_allowed(broker, wanted->allowed, &allowed);
	grant.allowed = (struct ipc_blob){ (const uint8_t *)allowed.data,
		allowed.len, -1 };
	if (service_sent(&broker->service, channel_send_grant_servers(
	            broker->service.channel, &grant, err), err) == -1)
		return -1;
	if (!text_list_has(&broker->owners, wanted->owner))
		text_list_add(&broker->owners, wanted->owner);
	return fd_take(&relay);
}

int
broker_grant_servers(struct broker *broker,
    const struct broker_grant *wanted, struct err *err)
{
	struct broker_grant question = *wanted;

	return service_ask(&broker->service, broker_send_grant, &question, err);
}

/* Servers */

static void
broker_send_ended(struct broker *broker, uint64_t number, const char *how)
{
	auto_buffer struct buffer text = { 0 };
	struct ipc_ended ended = { .process = number };
	struct err err;

	/* The text may contain a path, which may be any bytes. */
	text.len = utf8_repair(how, strlen(how),
	    buffer_reserve(&text, UTF8_REPAIR_FACTOR * strlen(how)));
	text.len = utf8_cut(text.data, text.len, ENDED_HOW_MAX);
	buffer_add(&text, "", 1);
	ended.how = text.data;
	service_sent(&broker->service,
	    channel_send_ended(broker->service.channel, &ended, &err), &err);
}

static void
broker_on_server_ended(void *ctx, const char *how)
{
	struct broker_link *link = ctx;
	struct broker *broker = link->broker;
	uint64_t number = link->number;

	LIST_REMOVE(link, entry);
	free(link->name);
	free(link->owner);
	free(link);
	if (number != 0 && broker->service.channel != NULL)
		broker_send_ended(broker, number, how);
	broker_check_ended(broker);
}

/* Returns whether this owner may have another process of a server. */
static int
broker_has_room(const struct broker *broker, const struct ipc_want *want)
{
	const struct broker_link *link;
	size_t n = 0;

	LIST_FOREACH (link, &broker->links, entry)
		n += strcmp(link->name, want->name) == 0 &&
		    strcmp(link->owner, want->owner) == 0;
	return n < SERVER_PROCESSES_MAX;
}

static int
broker_launch(struct broker *broker, const struct ipc_want *want,
    struct broker_told *told, const struct server *server, struct err *err)
{
	struct ipc_launched launched = { .process = want->process };
	struct broker_link *link = mem_alloc(sizeof(*link));
	const struct server_process_setup start = { broker->envp,
		broker->options, want->owner };
	struct server_process_pipes pipes;
	auto_buffer struct buffer masks = { 0 };

	link->broker = broker;
	link->number = want->process;
	link->definition = told->number;
	link->process =
	    server_process_start(broker->base, server, &start, &broker_times,
	        &pipes, broker_on_server_ended, link, err);
	if (link->process == NULL) {
		free(link);
		return -1;
	}
	told->starts++;
	link->name = mem_strdup(server->name);
	link->owner = mem_strdup(want->owner);
	LIST_INSERT_HEAD(&broker->links, link, entry);
	launched.in = pipes.in;
	launched.out = pipes.out;
	launched.errors = pipes.errors;
	server_mask_gather(&masks, server, broker->envp);
	launched.masks = (struct ipc_bytes){ (const uint8_t *)masks.data,
		masks.len };
	service_sent(&broker->service, channel_send_launched(
	        broker->service.channel, &launched, err), err);
	return 0;
}

void
broker_each_link(const struct broker *broker,
    void (*each)(void *ctx, const char *name, const char *owner), void *ctx)
{
	const struct broker_link *link;

	LIST_FOREACH (link, &broker->links, entry)
		each(ctx, link->name, link->owner);
}

void
broker_each_server(const struct broker *broker,
    void (*each)(void *ctx, const char *name, uint64_t starts), void *ctx)
{
	const struct broker_told *told;

	TAILQ_FOREACH (told, &broker->told, entry)
		each(ctx, told->name, told->starts);
}

static void
broker_no_program(const struct server *server, struct err *err)
{
	if (server->searched != NULL)
		err_set(err, "its command was not found");
	else
		err_set(err, "its command is not an executable file");
}

void
broker_want(struct broker *broker, const struct ipc_want *want)
{
	const struct server *server =
	    in_force_find(broker->config, want->name, strlen(want->name));
	struct broker_told *told = broker_find_told(broker, want->name);
	auto_free char *how = NULL;
	struct err err;

	if (want->process <= broker->last_link) {
		service_violate(broker, "a number that was used before");
		return;
	}
	/*
	 * Processes shared by all owners, and those of a TRY, belong to our
	 * user.
	 */
	if (want->owner[0] != '\0' &&
	    !text_list_has(&broker->owners, want->owner)) {
		service_violate(broker, "a server of an owner without a grant");
		return;
	}
	broker->last_link = want->process;
	/* A removed definition must not start a new one of the same name. */
	if (server == NULL || told == NULL)
		err_set(&err, "it is no longer configured");
	else if (told->number != want->definition)
		err_set(&err, "its configuration has changed just now; call "
		    "it again");
	else if (!in_force_has_program(broker->config, server))
		broker_no_program(server, &err);
	else if (!broker_has_room(broker, want))
		err_set(&err, "%d of its processes still run or are ending; "
		    "they end with the executions that use them",
		    SERVER_PROCESSES_MAX);
	else if (broker_launch(broker, want, told, server, &err) == 0)
		return;
	how = mem_printf("could not be started: %s", err.text);
	if (broker->service.channel != NULL)
		broker_send_ended(broker, want->process, how);
}

void
broker_let_go(struct broker *broker, uint64_t link)
{
	struct broker_link *found;

	LIST_FOREACH (found, &broker->links, entry)
		if (found->number == link) {
			server_process_stop(found->process);
			return;
		}
	/* A message about its end may still be on its way to the broker. */
	if (link > broker->last_link)
		service_violate(broker, "a server that was not requested");
}

void
broker_stop(struct broker *broker, void (*ended)(void *ctx), void *ctx)
{
	broker->ended = ended;
	broker->ended_ctx = ctx;
	service_stop(&broker->service);
	broker_check_ended(broker);
}

/* Lists of tools */

/* Logs a missing store once, and again after it was available. */
static void
broker_miss_lists(struct broker *broker, const struct err *err)
{
	if (!broker->lists_missed)
		log_warn("lists of tools are not remembered between runs, so a "
		    "search starts servers: %s", err->text);
	broker->lists_missed = true;
}

/*
 * Without a store, the broker starts servers to list their tools. It gets a
 * store at most once a second.
 */
void
broker_want_lists(struct broker *broker)
{
	struct ipc_lists lists = { .store = -1 };
	time_t now = time(NULL);
	struct err err;

	if (broker->peers->store != NULL && now != broker->lists_wanted) {
		broker->lists_wanted = now;
		lists.store = store_connect_lister(broker->peers->store, &err);
		if (lists.store == -1)
			broker_miss_lists(broker, &err);
		else
			broker->lists_missed = false;
	}
	service_sent(&broker->service,
	    channel_send_lists(broker->service.channel, &lists, &err), &err);
}

void
broker_on_question(struct broker *broker, broker_asked *asked, void *ctx)
{
	broker->asked = asked;
	broker->asked_ctx = ctx;
}

void
broker_answer(struct broker *broker, uint64_t number, uint64_t execution,
    struct json_span result, const char *why)
{
	struct ipc_client_answered answered = { .question = number,
		.execution = execution,
		.result = { (const uint8_t *)result.p, result.len, -1 },
		.reason = result.len > 0 ? "" : why };
	struct err err;

	if (broker->service.channel != NULL)
		service_sent(&broker->service, channel_send_client_answered(
		        broker->service.channel, &answered, &err), &err);
}

void
broker_tell_roots(struct broker *broker, uint64_t client)
{
	struct ipc_roots_changed changed = { .client = client };
	struct err err;

	if (broker->service.channel != NULL)
		service_sent(&broker->service, channel_send_roots_changed(
		        broker->service.channel, &changed, &err), &err);
}

void
broker_hear_question(
    struct broker *broker, const struct broker_question *question)
{
	if (broker->asked != NULL)
		broker->asked(broker->asked_ctx, question);
}

/* Trying */

void
broker_hear_tried(struct broker *broker, const struct broker_answer *answer)
{
	if (broker->tried == NULL)
		service_violate(broker, "an answer without a request");
	else
		broker->tried(broker->tried_ctx, answer);
}

int
broker_try(struct broker *broker, const struct buffer *only,
    broker_tried *tried, void (*gone)(void *ctx), void *ctx, struct err *err)
{
	struct ipc_try message;
	size_t i;

	if (service_want(&broker->service, err) == -1)
		return -1;
	broker->tried = tried;
	broker->gone = gone;
	broker->tried_ctx = ctx;
	message.log_terms = log_terms();
	for (i = 0; i < in_force_count(broker->config); i++) {
		message.name = in_force_at(broker->config, i)->name;
		if ((only == NULL || text_list_has(only, message.name)) &&
		    channel_send_try(
		        broker->service.channel, &message, err) == -1)
			return -1;
	}
	return 0;
}

/* Its lifetime */

struct broker *
broker_new(const struct peers_setup *setup, const struct peers *peers)
{
	struct broker *broker = mem_alloc(sizeof(*broker));

	broker->base = setup->base;
	broker->peers = peers;
	broker->options = setup->options;
	broker->audit = setup->audit;
	broker->service = (struct service){ .base = setup->base,
		.role = ROLE_BROKER,
		.ctx = broker,
		.start = broker_start,
		.forget = broker_forget_process,
		.failed = broker_on_failed };
	broker->config = setup->config;
	broker->envp = setup->envp;
	LIST_INIT(&broker->links);
	TAILQ_INIT(&broker->told);
	TAILQ_INIT(&broker->removed);
	return broker;
}

void
broker_free(struct broker **brokerp)
{
	struct broker *broker = mem_take(brokerp);

	if (broker == NULL)
		return;
	/* Links are freed with their processes, which reaper_finish() ends. */
	LIST_INIT(&broker->links);
	service_stop(&broker->service);
	free(broker);
}
