/*
 * The entries of configuration files, as a list: created, copied and removed.
 */
#include <stdlib.h>

#include "../../common/limits.h"
#include "../../common/base/mem.h"
#include "server_locations.h"
#include "servers.h"

struct server *
server_rows_add(struct servers *servers, const struct server_file *file,
    uint64_t line, uint64_t column, const char *name)
{
	struct server *server = mem_alloc(sizeof(*server));

	server->file = file;
	server->line = line;
	server->column = column;
	server->name = mem_strdup(name);
	TAILQ_INSERT_TAIL(&servers->list, server, entry);
	servers->count++;
	return server;
}

void
server_rows_free(struct servers *servers, struct server *server)
{
	TAILQ_REMOVE(&servers->list, server, entry);
	servers->count--;
	servers->strangers -= server_judge_is_stranger(servers, server->file);
	free(server->why);
	free(server->name);
	free(server->command);
	free(server->args.data);
	free(server->env.data);
	free(server->url);
	free(server->headers.data);
	free(server->cwd);
	free(server->description);
	free(server->allow.data);
	free(server->deny.data);
	free(server->others.data);
	free(server->run.data);
	free(server->run_env.data);
	free(server->run_cwd);
	free(server->path);
	free(server->program);
	free(server->alias);
	free(server->searched);
	server_locations_free(&server->location);
	free(server);
}

void
server_rows_bound(struct servers *servers, struct server *server)
{
	if (servers->count - servers->strangers <= CONFIG_SERVERS_MAX)
		return;
	server->state = SERVER_REJECTED;
	server->why = mem_printf("more than %d servers in all files together",
	    CONFIG_SERVERS_MAX);
}

/* Removes the entries of a file. */
void
server_rows_remove(struct servers *servers, const struct server_file *file)
{
	struct server *server = TAILQ_FIRST(&servers->list), *next;

	for (; server != NULL; server = next) {
		next = TAILQ_NEXT(server, entry);
		if (server->file == file)
			server_rows_free(servers, server);
	}
}

static char *
server_rows_copy_text(const char *text)
{
	return text == NULL ? NULL : mem_strdup(text);
}

static struct server_texts
server_rows_copy_texts(const struct server_texts *texts)
{
	return (struct server_texts){ mem_dup(texts->data, texts->len),
		texts->len };
}

/* Copies the content of an entry, without the results of judging it. */
static void
server_rows_copy_one(struct servers *servers, const struct server_file *file,
    const struct server *row)
{
	struct server *copy = server_rows_add(
	    servers, file, row->line, row->column, row->name);

	if (row->command == NULL) {
		/* The reader rejected it. */
		copy->state = row->state;
		copy->why = server_rows_copy_text(row->why);
		return;
	}
	copy->remote = row->remote;
	copy->disabled = row->disabled;
	copy->shared = row->shared;
	copy->command = server_rows_copy_text(row->command);
	copy->args = server_rows_copy_texts(&row->args);
	copy->env = server_rows_copy_texts(&row->env);
	copy->url = server_rows_copy_text(row->url);
	copy->headers = server_rows_copy_texts(&row->headers);
	copy->cwd = server_rows_copy_text(row->cwd);
	copy->description = server_rows_copy_text(row->description);
	copy->narrowed = row->narrowed;
	copy->allow = server_rows_copy_texts(&row->allow);
	copy->deny = server_rows_copy_texts(&row->deny);
	copy->others = server_rows_copy_texts(&row->others);
	copy->concurrency = row->concurrency;
	server_rows_bound(servers, copy);
}

void
server_rows_copy(struct servers *servers, const struct server_file *file,
    const struct server_file *before)
{
	const struct server *row;

	server_rows_remove(servers, file);
	TAILQ_FOREACH (row, &servers->before->list, entry)
		if (row->file == before)
			server_rows_copy_one(servers, file, row);
}
