/*
 * Reads the configuration files, one after the other: see servers.h. Each
 * source has a reader of its own, so a hostile file cannot affect the reading
 * of the user's own files. A row is attributed to the file being read, not by
 * the reader's data.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../../common/base/loop.h"
#include "../../common/base/fd.h"
#include "../../common/limits.h"
#include "../../common/base/log.h"
#include "../../common/base/mem.h"
#include "../../common/base/utf8.h"
#include "server_locations.h"
#include "servers.h"
#include "../process/process.h"

/* The reader */

static void
servers_stop_reader(struct servers *servers)
{
	loop_event_free(&servers->timer);
	channel_free(&servers->reader);
	reaper_forget(&servers->process);
	servers->source = NULL;
}

static void
servers_on_process_ended(void *ctx, const struct child_end *)
{
	struct servers *servers = ctx;

	servers->process = NULL;
}

static void servers_continue(struct servers *servers);

/*
 * The reader of a file has exited. Another one gets the file, but only once,
 * because the file may cause the exit. Returns whether it is next again.
 */
static int
servers_retry(struct servers *servers, struct server_file *file)
{
	if (file == NULL || file->retried)
		return 0;
	log_info("%s: the reader exited while it read this; starting "
	    "another", file->path);
	file->retried = true;
	servers->current = NULL;
	servers_stop_reader(servers);
	server_rows_remove(servers, file);
	server_locations_free_gap(&file->gap);
	servers->visited = TAILQ_PREV(file, server_file_list, entry);
	return 1;
}

static void
servers_on_closed(void *ctx, const struct err *why)
{
	struct servers *servers = ctx;

	if (why != NULL)
		servers_reader_failed(servers, "%s the reader: %s",
		    channel_blame(why), why->text);
	else if (servers_retry(servers, servers->current))
		servers_continue(servers);
	else
		servers_reader_failed(
		    servers, "the reader exited while it read this");
}

/* Returns the time limit for reading a file, in milliseconds. */
static unsigned long
servers_patience(const struct server_file *file)
{
	return CONFIG_READ_MS +
	    CONFIG_READ_MIB_MS * ((unsigned long)file->size / MIB);
}

static void
servers_on_timer(evutil_socket_t, short, void *ctx)
{
	const struct servers *servers = ctx;

	servers_reader_failed(ctx, "it could not be read within %lu s",
	    servers_patience(servers->current) / 1000);
}

/* Starts a reader for the files of a source. */
static int
servers_start_reader(struct servers *servers,
    const struct server_source *source, struct err *err)
{
	struct channel_ends ends =
	    worker_ends(ROLE_READER, servers_on_closed, servers);
	auto_fd int pidfd = -1;

	servers->reader = worker_start(servers->setup.base, &ends, 1,
	    0, -1, &pidfd, err);
	if (servers->reader == NULL)
		return -1;
	servers->process = reaper_watch(servers->setup.base, &pidfd,
	    servers_on_process_ended, servers);
	servers->timer =
	    evtimer_new(servers->setup.base, servers_on_timer, servers);
	servers->source = source;
	return 0;
}

/* Makes sure that the reader is one for the source of a file. */
static int
servers_ready_reader(struct servers *servers, struct server_file *file,
    struct err *err)
{
	if (servers->source != file->source)
		servers_stop_reader(servers);
	if (servers->reader != NULL)
		return 0;
	/* A failure to start a reader is not the fault of the file. */
	file->transient =
	    servers_start_reader(servers, file->source, err) == -1;
	return file->transient ? -1 : 0;
}

/* Returns whether positions of the entries of a source are needed. */
static int
servers_wants_locations(
    const struct servers *servers, const struct server_source *source)
{
	return servers->setup.locations != NULL && !source->project &&
	    strcmp(source->name, servers->setup.locations) == 0;
}

/* Returns the form of a file; one that the user names may be TOML. */
static enum config_shape
servers_shape(const struct server_file *file)
{
	const char *end = strrchr(file->path, '.');

	return file->source->named && end != NULL &&
	        strcmp(end, ".toml") == 0 ? CONFIG_SHAPE_PLAIN_TOML :
	                                    file->source->shape;
}

/* Sends an opened file to its reader. */
static int
servers_send(struct servers *servers, struct server_file *file, int *fd,
    struct err *err)
{
	unsigned long ms = servers_patience(file);
	struct ipc_read_file msg = { .shape = servers_shape(file),
		.most = server_open_most(file->source),
		.folder = servers->setup.folder,
		.locations = servers_wants_locations(servers, file->source),
		.file = -1 };

	if (servers_ready_reader(servers, file, err) == -1)
		return -1;
	/*
	 * A path that is too long or not UTF-8 is omitted: no entry can refer
	 * to it.
	 */
	if (msg.folder == NULL || strlen(msg.folder) > CONFIG_PATH_MAX ||
	    !utf8_valid(msg.folder, strlen(msg.folder)))
		msg.folder = "";
	msg.file = fd_take(fd);
	if (channel_send_read_file(servers->reader, &msg, err) == -1)
		return -1;
	servers->current = file;
	servers->current_rows = 0;
	loop_set_timer(servers->timer, ms);
	return 0;
}

/* Going through the files */

static void
servers_refuse(struct server_file *file, const char *why)
{
	file->state = SERVER_FILE_REFUSED;
	free(file->why);
	file->why = mem_strdup(why);
}

/* A file cannot be read: its former content is used, or none. */
static void
servers_fail(struct servers *servers, struct server_file *file, const char *why)
{
	server_rows_remove(servers, file);
	if (!server_keep(servers, file, why))
		servers_refuse(file, why);
}

/* Returns the next file; entries have the order of the files. */
static struct server_file *
servers_next(struct servers *servers)
{
	struct server_file *file = servers->visited == NULL ?
	    TAILQ_FIRST(&servers->files) :
	    TAILQ_NEXT(servers->visited, entry);

	if (file != NULL)
		servers->visited = file;
	return file;
}

/* Returns a file already read under another name; NULL for none. */
static const struct server_file *
servers_find_same(const struct servers *servers, const struct server_file *file)
{
	const struct server_file *other;

	TAILQ_FOREACH (other, &servers->files, entry) {
		if (other == file)
			break;
		/* A project's file must not hide the user's own. */
		if (other->opened && other->dev == file->dev &&
		    other->ino == file->ino &&
		    (file->source->project || !other->source->project))
			return other;
	}
	return NULL;
}

/* Opens a file and has it read. Returns 1, 0 if it is skipped, -1 with err. */
static int
servers_try_file(
    struct servers *servers, struct server_file *file, struct err *err)
{
	auto_fd int fd = server_open(file, &servers->setup, err);
	const struct server_file *same;

	if (fd == -1)
		return -1;
	same = servers_find_same(servers, file);
	if (same == NULL)
		return servers_send(servers, file, &fd, err) == -1 ? -1 : 1;
	file->state = SERVER_FILE_SKIPPED;
	file->why = mem_printf("is the same file as %s", same->path);
	return 0;
}

static void
servers_finish(struct servers *servers)
{
	struct server *server;

	servers_stop_reader(servers);
	servers->before = NULL;
	TAILQ_FOREACH (server, &servers->list, entry)
		server_judge(servers, server);
	servers->done(servers->ctx);
}

/* Has a file read, if possible. Returns whether the reader has it. */
static int
servers_visit(struct servers *servers, struct server_file *file)
{
	struct err err;
	int tried;

	if (file->state != SERVER_FILE_FOUND) {
		server_keep(servers, file, file->why);
		return 0;
	}
	tried = servers_try_file(servers, file, &err);
	if (tried != -1)
		return tried;
	if ((err.code == EPIPE || err.code == ECONNRESET) &&
	    servers_retry(servers, file))
		return 0;
	/* No fault was found when it was opened. */
	if (file->fault == SERVER_FAULT_NONE)
		file->fault = SERVER_FAULT_BROKEN;
	servers_fail(servers, file, err.text);
	servers_stop_reader(servers);
	return 0;
}

/* Sends the next readable file; calls done after the last. */
static void
servers_continue(struct servers *servers)
{
	struct server_file *file;

	while ((file = servers_next(servers)) != NULL)
		if (servers_visit(servers, file))
			return;
	servers_finish(servers);
}

/* Returns the row with the fault of a whole file, or NULL. */
static const struct server *
servers_file_fault(
    const struct servers *servers, const struct server_file *file)
{
	const struct server *server, *fault = NULL;

	TAILQ_FOREACH (server, &servers->list, entry) {
		if (server->file != file)
			continue;
		if (server->name[0] != '\0')
			return NULL;
		fault = server;
	}
	return fault;
}

/* Returns why a file could not be parsed; the caller frees it. */
static char *
servers_cause(const struct server_file *file, const struct server *fault)
{
	if (fault == NULL || file->size == 0)
		return mem_strdup("is empty");
	return mem_printf("line %llu, column %llu: %s",
	    (unsigned long long)fault->line, (unsigned long long)fault->column,
	    fault->why);
}

/* Decides on a file that was read to its end. */
static void
servers_take(struct servers *servers, struct server_file *file, int parsed)
{
	const struct server *fault = servers_file_fault(servers, file);
	auto_free char *cause = servers_cause(file, fault);

	file->fault = parsed ? SERVER_FAULT_NONE : SERVER_FAULT_BROKEN;
	if (server_keep(servers, file, cause))
		return;
	if (fault != NULL) {
		servers_refuse(file, "is not a configuration of servers");
		return;
	}
	file->state = SERVER_FILE_TAKEN;
	file->fault = SERVER_FAULT_NONE;
}

void
servers_file_ended(struct servers *servers, int parsed)
{
	event_del(servers->timer);
	servers_take(servers, mem_take(&servers->current), parsed);
	servers_continue(servers);
}

void
servers_reader_failed(struct servers *servers, const char *fmt, ...)
{
	struct server_file *file = mem_take(&servers->current);
	auto_free char *why = NULL;
	va_list ap;

	va_start(ap, fmt);
	why = mem_vprintf(fmt, ap);
	va_end(ap);
	servers_stop_reader(servers);
	if (file == NULL)
		return;
	log_warn("%s: %s", file->path, why);
	/* A project's file might do this every time. */
	file->transient = !file->source->project;
	file->fault = SERVER_FAULT_BROKEN;
	servers_fail(servers, file, why);
	servers_continue(servers);
}

void
servers_read(struct servers *servers, const struct servers_setup *setup,
    const struct servers *before, void (*done)(void *ctx), void *ctx)
{
	memset(servers, 0, sizeof(*servers));
	servers->setup = *setup;
	servers->before = before;
	servers->done = done;
	servers->ctx = ctx;
	TAILQ_INIT(&servers->files);
	TAILQ_INIT(&servers->list);
	server_sources_find(&servers->files, setup);
	server_keep_missing(servers);
	servers_continue(servers);
}

void
servers_free(struct servers *servers)
{
	servers_stop_reader(servers);
	while (!TAILQ_EMPTY(&servers->list))
		server_rows_free(servers, TAILQ_FIRST(&servers->list));
	server_sources_free(&servers->files);
}
