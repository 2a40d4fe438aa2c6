/* The names of servers that a call requests: see server_names.h. */
#include <stdlib.h>
#include <string.h>

#include "../../../common/alias.h"
#include "../../../common/json/json.h"
#include "../../../common/limits.h"
#include "../../../common/base/shown.h"
#include "../../../common/base/text_list.h"
#include "../../../common/suggest.h"
#include "server_names.h"

/* How many names an error lists, and how many bytes of each. */
#define SERVER_NAMES_LISTED 10
#define SERVER_NAMES_SHOWN 40

/*
 * Appends UTF-8 in quotes, cut to most bytes: names as they must be written.
 * Characters that would leave the quotes or the line are escaped.
 */
static void
server_names_add_quoted(struct buffer *text, const char *data, size_t most)
{
	buffer_add_text(text, "\"");
	shown_add_quoted(text, data, most);
	buffer_add_text(text, "\"");
}

static void
server_names_add_shown(struct buffer *text, const char *name)
{
	server_names_add_quoted(text, name, SERVER_NAMES_SHOWN);
}

/* Lists the first of the allowed servers. */
static void
server_names_add_list(struct buffer *text, const struct in_force *config,
    const struct server_texts *allowed)
{
	size_t i, n = 0;
	const char *name;

	for (i = 0; i < in_force_count(config); i++) {
		name = in_force_at(config, i)->name;
		if (!server_allowed(allowed, name))
			continue;
		if (n < SERVER_NAMES_LISTED) {
			buffer_add_text(text, n == 0 ? "configured: " : ", ");
			server_names_add_shown(text, name);
		}
		n++;
	}
	if (n == 0)
		buffer_add_text(text, "no servers are configured");
	else if (n > SERVER_NAMES_LISTED)
		buffer_printf(text, " and %zu more", n - SERVER_NAMES_LISTED);
}

int
server_names_any(
    const struct in_force *config, const struct server_texts *allowed)
{
	size_t i;

	for (i = 0; i < in_force_count(config); i++)
		if (server_allowed(allowed, in_force_at(config, i)->name))
			return 1;
	return 0;
}

/* Lists the servers to use instead of an unknown name. */
static void
server_names_add_choice(struct buffer *text, const char *name,
    const struct in_force *config, const struct server_texts *allowed, int ours)
{
	struct suggest suggest = suggest_start(name);
	size_t i;

	for (i = 0; i < in_force_count(config); i++)
		if (server_allowed(allowed, in_force_at(config, i)->name))
			suggest_try(&suggest, in_force_at(config, i)->name);
	if (suggest.best != NULL) {
		buffer_add_text(text, "did you mean ");
		server_names_add_shown(text, suggest.best);
		buffer_add_text(text, "? ");
	}
	server_names_add_list(text, config, allowed);
	if (ours)
		server_faults_add_refusals(text, in_force_servers(config));
}

/* Returns the entry that defines an unused name, or NULL. */
static const struct server *
server_names_find_unused(const struct in_force *config, const char *name)
{
	const struct servers *servers = in_force_servers(config);
	const struct server *server;

	TAILQ_FOREACH (server, &servers->list, entry)
		if (strcmp(server->name, name) == 0)
			return server;
	return NULL;
}

/* Always returns -1, for the caller to return. */
static int
server_names_unknown(const char *name, const struct in_force *config,
    const struct server_texts *allowed, int ours, struct err *err)
{
	const struct server *unused = server_names_find_unused(config, name);
	auto_buffer struct buffer text = { 0 };

	if (unused != NULL && ours) {
		buffer_add_text(&text, "server ");
		server_names_add_shown(&text, name);
		buffer_add_text(&text, " is not used: ");
		server_faults_add_text(&text, unused->why);
	} else {
		buffer_add_text(&text, "unknown server ");
		server_names_add_shown(&text, name);
		buffer_add_text(&text, ": ");
		server_names_add_choice(&text, name, config, allowed, ours);
	}
	return err_set(err, "%s", text.data);
}

/* Always returns -1, for the caller to return. */
static int
server_names_no_program(const struct server *server, int ours, struct err *err)
{
	auto_buffer struct buffer text = { 0 };

	buffer_add_text(&text, "server ");
	server_names_add_shown(&text, server->name);
	if (!ours)
		return err_set(err, "%s cannot be started", text.data);
	buffer_add_text(&text, " cannot be started: its command ");
	server_names_add_quoted(&text, server->command, OPTION_NAME_SHOWN);
	if (strchr(server->run.data, '/') == NULL && server->searched != NULL) {
		buffer_add_text(&text, " was not found: install it, or name "
		    "its whole path ('caisson servers test' shows where it "
		    "was searched for)");
	} else {
		buffer_add_text(&text, " is not an executable file here");
	}
	return err_set(err, "%s", text.data);
}

/* Returns the name of the server that a name means, or the name itself. */
static const char *
server_names_meant(const char *name, const struct in_force *config,
    const struct server_texts *allowed)
{
	struct alias_search search = alias_search_server(name);
	const struct server *server;
	size_t i;

	for (i = 0; i < in_force_count(config); i++) {
		server = in_force_at(config, i);
		if (server_allowed(allowed, server->name))
			alias_try(&search, server->name, server->alias, server);
	}
	/* Another name may mean an entry that is defined but not used. */
	if (search.named == NULL &&
	    server_names_find_unused(config, name) != NULL)
		return name;
	server = alias_found(&search);
	return server != NULL ? server->name : name;
}

void
server_names_settle(char **names, size_t *len, struct in_force *config,
    const struct server_texts *allowed)
{
	auto_buffer struct buffer settled = { 0 };
	const char *name, *meant;

	if (*len == 0)
		return;
	TEXT_LIST_EACH (name, *names, *len) {
		meant = server_names_meant(name, config, allowed);
		if (!text_list_has(&settled, meant))
			text_list_add(&settled, meant);
	}
	free(*names);
	*names = buffer_take(&settled, len);
}

int
server_names_check(const char *names, size_t len, struct in_force *config,
    const struct server_texts *allowed, int ours, struct err *err)
{
	const struct server *server;
	size_t at, step;

	for (at = 0; at < len; at += step + 1) {
		step = strlen(names + at);
		server = in_force_find(config, names + at, step);
		if (server == NULL || !server_allowed(allowed, names + at))
			return server_names_unknown(
			    names + at, config, allowed, ours, err);
		if (!in_force_has_program(config, server))
			return server_names_no_program(server, ours, err);
	}
	return 0;
}

static void
server_names_add_row(struct buffer *buffer, const struct server *server)
{
	buffer_add_text(buffer, "{\"name\":");
	json_add_text(buffer, server->name);
	buffer_add_text(buffer, ",\"alias\":");
	json_add_text(buffer, server->alias);
	buffer_add_text(buffer, ",\"description\":");
	json_add_text(buffer, server->description);
	buffer_add_text(buffer, "}");
}

void
server_names_add_json(struct buffer *buffer, const char *names, size_t len,
    const struct in_force *config)
{
	const struct server *server;
	size_t at, step;

	buffer_add_text(buffer, "[");
	for (at = 0; at < len; at += step + 1) {
		step = strlen(names + at);
		server = in_force_find(config, names + at, step);
		if (server == NULL)
			continue;
		if (buffer->data[buffer->len - 1] == '}')
			buffer_add_text(buffer, ",");
		server_names_add_row(buffer, server);
	}
	buffer_add_text(buffer, "]");
}
