/*
 * caisson servers list --json: the output of print_config.c for programs. It
 * contains no argument and no value of a variable, as they may be secrets. Runs
 * in the supervisor.
 */
#include <string.h>

#include "../../../common/base/text_list.h"
#include "../../options/text/json_report.h"
#include "../../servers/servers.h"
#include "../../servers/in_force/server_mask.h"
#include "../shared/command.h"

static void
print_config_json_file(struct buffer *out, const struct server_file *file)
{
	json_report_open(out, NULL, '{');
	json_report_text(out, "path", file->path);
	json_report_text(out, "source", file->source->name);
	json_report_text(out, "state", server_faults_word(file));
	json_report_text(out, "reason",
	    file->state == SERVER_FILE_TAKEN ? NULL : file->why);
	json_report_close(out, '}');
}

static void
print_config_json_texts(struct buffer *out, const char *key,
    const struct server_texts *texts)
{
	const char *text;

	json_report_open(out, key, '[');
	TEXT_LIST_EACH (text, texts->data, texts->len)
		json_report_text(out, NULL, text);
	json_report_close(out, ']');
}

static void
print_config_json_place(struct buffer *out, const struct server *server)
{
	json_report_text(out, "name", server->name);
	json_report_text(out, "path", server->file->path);
	json_report_number(out, "line", server->line);
	json_report_number(out, "column", server->column);
}

/* A text that an entry need not have: null if it has none. */
static void
print_config_json_choice(
    struct buffer *out, const char *key, const char *text)
{
	json_report_text(
	    out, key, text == NULL || text[0] == '\0' ? NULL : text);
}

static void
print_config_json_server(struct buffer *out, const struct server *server)
{
	auto_buffer struct buffer url = { 0 };
	const char *name, *value;

	json_report_open(out, NULL, '{');
	print_config_json_place(out, server);
	if (server->remote) {
		server_mask_url(&url, server->url);
		json_report_text(out, "url", url.data);
		json_report_open(out, "headers", '[');
		TEXT_LIST_PAIRS (name, value, server->headers.data,
		    server->headers.len)
			json_report_text(out, NULL, name);
		json_report_close(out, ']');
	}
	json_report_text(out, "command", server->command);
	json_report_number(out, "arguments",
	    text_list_count(server->args.data, server->args.len));
	/* The value of an expanded variable is not printed. */
	json_report_text(out, "program",
	    server->remote || strstr(server->command, "${") != NULL ? NULL :
	    server->program);
	json_report_bool(out, "found", server->program != NULL);
	json_report_open(out, "variables", '[');
	TEXT_LIST_PAIRS (name, value, server->env.data, server->env.len)
		json_report_text(out, NULL, name);
	json_report_close(out, ']');
	print_config_json_choice(out, "cwd", server->cwd);
	print_config_json_choice(out, "description", server->description);
	if (server->narrowed)
		print_config_json_texts(out, "allowed", &server->allow);
	if (server->deny.len > 0)
		print_config_json_texts(out, "denied", &server->deny);
	json_report_close(out, '}');
}

static void
print_config_json_problem(struct buffer *out, const struct server *server)
{
	json_report_open(out, NULL, '{');
	print_config_json_place(out, server);
	json_report_text(out, "state",
	    server->state == SERVER_REJECTED ? "rejected" : "skipped");
	json_report_text(out, "reason", server->why);
	json_report_close(out, '}');
}

void
print_config_json(const struct servers *servers)
{
	auto_buffer struct buffer out = { 0 };
	const struct server_file *file;
	const struct server *server;

	json_report_open(&out, "sources", '[');
	TAILQ_FOREACH (file, &servers->files, entry)
		print_config_json_file(&out, file);
	json_report_close(&out, ']');
	json_report_open(&out, "servers", '[');
	TAILQ_FOREACH (server, &servers->list, entry)
		if (server->state == SERVER_TAKEN)
			print_config_json_server(&out, server);
	json_report_close(&out, ']');
	json_report_open(&out, "problems", '[');
	TAILQ_FOREACH (server, &servers->list, entry)
		if (server->state != SERVER_TAKEN)
			print_config_json_problem(&out, server);
	json_report_close(&out, ']');
	json_report_print(&out);
}
