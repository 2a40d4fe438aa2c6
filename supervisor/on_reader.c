/*
 * The messages of a reader to the supervisor: the whole surface between the
 * two. Each is checked before it is used.
 */
#include <string.h>

#include "../common/limits.h"
#include "../common/base/mem.h"
#include "../common/base/text_list.h"
#include "../common/base/utf8.h"
#include "servers/server_locations.h"
#include "servers/servers.h"
#include "handlers.h"

/*
 * Returns how many texts, each + NUL, the bytes contain, or -1 if they are
 * malformed.
 */
static int
on_reader_count(const struct ipc_bytes *bytes)
{
	const char *texts = (const char *)bytes->data;

	if (!text_list_complete(texts, bytes->len) ||
	    !utf8_valid(texts, bytes->len))
		return -1;
	return (int)text_list_count(texts, bytes->len);
}

/*
 * Returns whether the bytes are pairs of texts with valid names of variables.
 */
static int
on_reader_names(const struct ipc_bytes *bytes)
{
	const char *texts = (const char *)bytes->data;
	const char *name, *value;

	TEXT_LIST_PAIRS (name, value, texts, bytes->len)
		if (*name == '\0' || strchr(name, '=') != NULL)
			return 0;
	return 1;
}

/* Returns whether the bytes are names of tools. */
static int
on_reader_tools(const struct ipc_bytes *bytes)
{
	const char *texts = (const char *)bytes->data;
	const char *p;

	if (on_reader_count(bytes) == -1)
		return 0;
	TEXT_LIST_EACH (p, texts, bytes->len)
		if (*p == '\0')
			return 0;
	return 1;
}

/* Returns the fault of a row, or NULL. */
static const char *
on_reader_check(const struct servers *servers, const struct ipc_entry *row)
{
	int variables = on_reader_count(&row->env);

	if (servers->current_rows >= CONFIG_ENTRIES_MAX)
		return "too many servers";
	if (on_reader_count(&row->args) == -1)
		return "arguments that are not text";
	if (variables == -1 || variables % 2 != 0 ||
	    !on_reader_names(&row->env))
		return "malformed environment";
	if (!on_reader_tools(&row->allow) || !on_reader_tools(&row->deny) ||
	    !on_reader_tools(&row->others))
		return "tools that are none";
	return NULL;
}

static struct server_texts
on_reader_texts(const struct ipc_bytes *bytes)
{
	return (struct server_texts){ mem_dup(bytes->data, bytes->len),
		bytes->len };
}

/*
 * Sets the fields of a row that are needed to start the server or connect to
 * it.
 */
static void
on_reader_fill(struct server *server, const struct ipc_entry *row)
{
	struct server_texts pairs = on_reader_texts(&row->env);

	server->remote = (enum config_remote)row->remote;
	server->command = mem_strdup(row->remote ? "" : row->command);
	server->url = row->remote ? mem_strdup(row->command) : NULL;
	server->args = on_reader_texts(&row->args);
	server->cwd = mem_strdup(row->cwd);
	server->description = mem_strdup(row->description);
	server->shared = (int)row->shared;
	server->narrowed = (int)row->narrowed;
	server->allow = on_reader_texts(&row->allow);
	server->deny = on_reader_texts(&row->deny);
	server->others = on_reader_texts(&row->others);
	server->concurrency = (unsigned int)row->concurrency;
	if (row->remote)
		server->headers = pairs;
	else
		server->env = pairs;
}

/*
 * Counts a row. The author of the working directory must not displace the
 * user's own servers, nor make us store unused rows. Returns -1 if there are
 * too many of theirs.
 */
static int
on_reader_count_row(struct servers *servers)
{
	servers->current_rows++;
	if (!server_judge_is_stranger(servers, servers->current))
		return 0;
	if (servers->strangers < CONFIG_SERVERS_MAX) {
		servers->strangers++;
		return 0;
	}
	servers_reader_failed(servers, "the files of the current directory "
	    "have more than %d entries together", CONFIG_SERVERS_MAX);
	return -1;
}

void
supervisor_on_entry(struct servers *servers, struct ipc_entry *row)
{
	const char *wrong = on_reader_check(servers, row);
	struct server *server;

	if (wrong != NULL || servers->current == NULL) {
		servers_reader_failed(servers,
		    "protocol violation by the reader: %s",
		    wrong != NULL ? wrong : "a server of no file");
		return;
	}
	if (on_reader_count_row(servers) == -1)
		return;
	server = server_rows_add(
	    servers, servers->current, row->line, row->column, row->name);
	server->disabled = (int)row->disabled;
	if (server_judge_is_stranger(servers, servers->current))
		return;
	on_reader_fill(server, row);
	server_rows_bound(servers, server);
}

void
supervisor_on_rejected(struct servers *servers, struct ipc_rejected *row)
{
	struct server *server;

	/*
	 * The file may have a fault in each of its members, besides its
	 * entries.
	 */
	if (servers->current == NULL ||
	    servers->current_rows >= 2 * CONFIG_ENTRIES_MAX) {
		servers_reader_failed(servers,
		    "protocol violation by the reader: too many rejections");
		return;
	}
	if (on_reader_count_row(servers) == -1)
		return;
	server = server_rows_add(
	    servers, servers->current, row->line, row->column, row->name);
	server->state = row->foreign ? SERVER_SKIPPED : SERVER_REJECTED;
	server->unsupported = (int)row->foreign;
	server->why = mem_strdup(row->reason);
}

void
supervisor_on_end_of_file(struct servers *servers, struct ipc_end_of_file *row)
{
	if (servers->current == NULL)
		servers_reader_failed(servers,
		    "protocol violation by the reader: the end of no file");
	else
		servers_file_ended(servers, (int)row->parsed);
}

/* Handles a message about positions; wrong is its fault, or NULL. */
static void
on_reader_judge(struct servers *servers, const char *wrong)
{
	if (wrong != NULL)
		servers_reader_failed(
		    servers, "protocol violation by the reader: %s", wrong);
}

void
supervisor_on_location(struct servers *servers, struct ipc_location *location)
{
	on_reader_judge(servers, server_locations_set(servers, location));
}

void
supervisor_on_gap(struct servers *servers, struct ipc_gap *gap)
{
	on_reader_judge(servers, server_locations_set_gap(servers, gap));
}
