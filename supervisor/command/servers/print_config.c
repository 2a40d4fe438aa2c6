/*
 * caisson servers list: prints every source of servers with its state, then
 * every server. Foreign text is escaped. Arguments and the values of variables
 * are omitted, as they may be secrets.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../../../common/base/buffer.h"
#include "../../../common/base/clock.h"
#include "../../../common/limits.h"
#include "../../../common/base/mem.h"
#include "../../../common/base/shown.h"
#include "../../../common/base/text_list.h"
#include "../../../common/suggest.h"
#include "../../peers/broker.h"
#include "../../servers/servers.h"
#include "../../process/process.h"
#include "../../options/text/colour.h"
#include "../../options/options.h"
#include "../../options/text/json_report.h"
#include "../../servers/in_force/server_login.h"
#include "../../servers/in_force/server_mask.h"
#include "../shared/command.h"

#define PRINT_CONFIG_WIDTH 8 /* length of the longest state */

static void
print_config_text(FILE *out, const char *text)
{
	auto_buffer struct buffer shown = { 0 };

	shown_add_quoted(&shown, text, CONFIG_PATH_MAX);
	fputs(shown.data, out);
}

/*
 * Prints a sentence of ours, with its own quotes, which may contain foreign
 * names.
 */
static void
print_config_sentence(FILE *out, const char *text)
{
	auto_buffer struct buffer shown = { 0 };

	shown_add(&shown, text, strlen(text));
	fprintf(out, "%s\n", shown.data);
}

static size_t
print_config_count(const struct servers *servers,
    const struct server_file *file, enum server_state state)
{
	const struct server *server;
	size_t n = 0;

	TAILQ_FOREACH (server, &servers->list, entry)
		n += server->file == file && server->state == state;
	return n;
}

/* Prints the position of an entry: "FILE:3:5". */
static void
print_config_place(FILE *out, const struct server *server)
{
	print_config_text(out, server->file->path);
	fprintf(out, ":%llu:%llu", (unsigned long long)server->line,
	    (unsigned long long)server->column);
}

/* Prints why an entry is not used. */
static void
print_config_note(FILE *out, const struct server *server)
{
	fputs("         ", out);
	print_config_place(out, server);
	fputs(": ", out);
	if (server->name[0] != '\0') {
		fputc('"', out);
		print_config_text(out, server->name);
		fprintf(out, "\" %s: ", server->state == SERVER_REJECTED ?
		        "rejected" : "skipped");
	}
	print_config_sentence(out, server->why);
}

static void
print_config_notes(FILE *out, const struct servers *servers,
    const struct server_file *file)
{
	const struct server *server;

	TAILQ_FOREACH (server, &servers->list, entry)
		if (server->file == file && server->state != SERVER_TAKEN)
			print_config_note(out, server);
}

/* Prints the state of a file, before its name. */
static void
print_config_state(FILE *out, const struct server_file *file)
{
	colour_print(out, file->state == SERVER_FILE_TAKEN ? COLOUR_GOOD :
	    file->state == SERVER_FILE_REFUSED ? COLOUR_BAD : COLOUR_PLAIN,
	    server_faults_word(file), PRINT_CONFIG_WIDTH);
	fputc(' ', out);
}

/* Prints "/home/me/.cursor/mcp.json (Cursor): ". */
static void
print_config_head(FILE *out, const struct server_file *file)
{
	print_config_state(out, file);
	if (file->path == NULL) {
		fprintf(out, "%s: ", file->source->name);
		return;
	}
	print_config_text(out, file->path);
	if (file->source->client)
		fprintf(out, " (%s)", file->source->name);
	fputs(": ", out);
}

/* Returns whether it is a missing file of a client, as most are. */
static int
print_config_is_absent(const struct server_file *file)
{
	return file->source->client && file->state == SERVER_FILE_MISSING;
}

static void
print_config_file(FILE *out, const struct servers *servers,
    const struct server_file *file)
{
	size_t taken = print_config_count(servers, file, SERVER_TAKEN);

	if (print_config_is_absent(file))
		return;
	print_config_head(out, file);
	if (file->state == SERVER_FILE_TAKEN)
		fprintf(out, "%zu server%s\n", taken, taken == 1 ? "" : "s");
	else
		print_config_sentence(out, file->why);
	print_config_notes(out, servers, file);
}

/*
 * Returns whether a file before it has the same path: in the home directory,
 * those of the home and of the current folder are the same.
 */
static int
print_config_is_again(
    const struct servers *servers, const struct server_file *file)
{
	const struct server_file *other;

	TAILQ_FOREACH (other, &servers->files, entry) {
		if (other == file)
			return 0;
		if (other->path != NULL && print_config_is_absent(other) &&
		    strcmp(other->path, file->path) == 0)
			return 1;
	}
	return 0;
}

/* Prints the missing files of clients, in few lines. */
static void
print_config_absent(FILE *out, const struct servers *servers)
{
	const struct server_file *file;
	size_t len, column = 0;

	TAILQ_FOREACH (file, &servers->files, entry) {
		auto_buffer struct buffer shown = { 0 };

		if (!print_config_is_absent(file) || file->path == NULL ||
		    print_config_is_again(servers, file))
			continue;
		shown_add_quoted(&shown, file->path, CONFIG_PATH_MAX);
		len = shown.len + 2;
		if (column == 0)
			fputs("\nNot found, of other programs:", out);
		if (column == 0 || column + len > HELP_COLUMNS) {
			fputs("\n ", out);
			column = 1;
		}
		fprintf(out, " %s", shown.data);
		column += len;
	}
	if (column > 0)
		fputc('\n', out);
}

/* Prints each text, or each first one of so many: the names of pairs. */
static void
print_config_list(
    FILE *out, const char *what, const struct server_texts *texts, size_t many)
{
	const char *separator = "";
	const char *p;
	size_t n = 0;

	fprintf(out, "    %-12s ", what);
	TEXT_LIST_EACH (p, texts->data, texts->len) {
		if (n++ % many != 0)
			continue;
		fputs(separator, out);
		fputs(p[0] == ':' ? "oauth" : "", out);
		print_config_text(out, p);
		separator = ", ";
	}
	fputs(n == 0 ? "none\n" : "\n", out);
}

static void
print_config_line(FILE *out, const char *what, const char *text)
{
	if (text == NULL || text[0] == '\0')
		return;
	fprintf(out, "    %-12s ", what);
	print_config_text(out, text);
	fputc('\n', out);
}

/* The values of expanded variables are not printed. */
static void
print_config_program(FILE *out, const struct server *server)
{
	auto_free char *nowhere = NULL;

	if (server->program != NULL) {
		if (strstr(server->command, "${") == NULL)
			print_config_line(out, "program", server->program);
		return;
	}
	if (server->searched != NULL)
		nowhere = mem_printf("not found; searched %s",
		    server->searched);
	print_config_line(
	    out, "program", nowhere == NULL ? "not found" : nowhere);
}

/* Prints who is logged in at a remote server, and until when. */
static void
print_config_logins(FILE *out, const struct server *server,
    const struct options *options, char **envp)
{
	auto_buffer struct buffer logins = { 0 };
	const char *owner, *until;
	time_t now = time(NULL);
	char text[64] = "";

	strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", gmtime(&now));
	server_login_list(options, envp, server->name, &logins);
	TEXT_LIST_PAIRS (owner, until, logins.data, logins.len)
		fprintf(out, "    login        %s, %s%s\n",
		    owner[0] == '\0' ? "the local user" : owner,
		    until[0] == '\0' ? "renewed when it is used" :
		    strcmp(until, text) <= 0 ? "ended " : "until ", until);
}

static void
print_config_server(FILE *out, const struct server *server)
{
	const struct server_texts *pairs =
	    server->remote ? &server->headers : &server->env;
	size_t n = text_list_count(server->args.data, server->args.len);
	auto_buffer struct buffer url = { 0 };

	fputc('\n', out);
	print_config_text(out, server->name);
	fputs("\n    source       ", out);
	print_config_place(out, server);
	if (server->remote) {
		server_mask_url(&url, server->url);
		fputs("\n", out);
		print_config_line(out, "url", url.data);
	} else {
		fputs("\n    command      ", out);
		print_config_text(out, server->command);
		fprintf(out, ", %zu argument%s\n", n, n == 1 ? "" : "s");
		print_config_program(out, server);
	}
	if (pairs->len > 0)
		print_config_list(out,
		    server->remote ? "headers" : "variables", pairs, 2);
	print_config_line(out, "cwd", server->cwd);
	print_config_line(out, "description", server->description);
	if (server->narrowed)
		print_config_list(out, "allowed", &server->allow, 1);
	if (server->deny.len > 0)
		print_config_list(out, "denied", &server->deny, 1);
	if (server->others.len > 0)
		print_config_list(out, "rules", &server->others, 1);
	if (server->concurrency > 0)
		fprintf(out, "    concurrency  %u\n", server->concurrency);
}

static const char print_config_nothing[] =
    "No servers. 'caisson servers add' defines one, 'caisson adopt CLIENT' "
    "moves those of a client; caisson.conf(5) lists the files that are read.\n";

/* Returns whether no file of servers exists. */
static int
print_config_is_empty(const struct servers *servers)
{
	const struct server_file *file;

	TAILQ_FOREACH (file, &servers->files, entry)
		if (file->state != SERVER_FILE_MISSING)
			return 0;
	return 1;
}

void
print_config(
    const struct servers *servers, const struct options *options, FILE *out)
{
	const struct server_file *file;
	const struct server *server;
	size_t n = 0;

	if (print_config_is_empty(servers)) {
		fputs(print_config_nothing, out);
		return;
	}
	fputs("Sources, in their order; the first definition of a name "
	      "wins:\n\n", out);
	TAILQ_FOREACH (file, &servers->files, entry)
		print_config_file(out, servers, file);
	print_config_absent(out, servers);
	TAILQ_FOREACH (server, &servers->list, entry)
		n += server->state == SERVER_TAKEN;
	fprintf(out, n == 0 ? "\nNo servers.\n" : "\nServers:\n");
	TAILQ_FOREACH (server, &servers->list, entry)
		if (server->state == SERVER_TAKEN) {
			print_config_server(out, server);
			if (server->remote)
				print_config_logins(out, server, options,
				    servers->setup.envp);
		}
}

/* For programs */

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
    const struct server_texts *texts, size_t many)
{
	const char *text;
	size_t n = 0;

	json_report_open(out, key, '[');
	TEXT_LIST_EACH (text, texts->data, texts->len)
		if (n++ % many == 0) {
			auto_free char *shown = mem_printf(
			    "%s%s", text[0] == ':' ? "oauth" : "", text);

			json_report_text(out, NULL, shown);
		}
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
print_config_json_choice(struct buffer *out, const char *key, const char *text)
{
	json_report_text(
	    out, key, text == NULL || text[0] == '\0' ? NULL : text);
}

static void
print_config_json_server(struct buffer *out, const struct server *server,
    const struct servers *servers, const struct options *options)
{
	auto_buffer struct buffer url = { 0 }, logins = { 0 };
	const char *name, *value;

	json_report_open(out, NULL, '{');
	print_config_json_place(out, server);
	if (server->remote) {
		server_mask_url(&url, server->url);
		json_report_text(out, "url", url.data);
		print_config_json_texts(out, "headers", &server->headers, 2);
		server_login_list(
		    options, servers->setup.envp, server->name, &logins);
		json_report_open(out, "logins", '[');
		TEXT_LIST_PAIRS (name, value, logins.data, logins.len) {
			json_report_open(out, NULL, '{');
			json_report_text(out, "owner", name);
			print_config_json_choice(out, "until", value);
			json_report_close(out, '}');
		}
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
	print_config_json_texts(out, "variables", &server->env, 2);
	print_config_json_choice(out, "cwd", server->cwd);
	print_config_json_choice(out, "description", server->description);
	if (server->narrowed)
		print_config_json_texts(out, "allowed", &server->allow, 1);
	if (server->deny.len > 0)
		print_config_json_texts(out, "denied", &server->deny, 1);
	if (server->others.len > 0)
		print_config_json_texts(out, "rules", &server->others, 1);
	if (server->concurrency > 0)
		json_report_number(out, "concurrency", server->concurrency);
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

/* The same for programs, as one JSON object. */
static void
print_config_json(const struct servers *servers, const struct options *options)
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
			print_config_json_server(
			    &out, server, servers, options);
	json_report_close(&out, ']');
	json_report_open(&out, "problems", '[');
	TAILQ_FOREACH (server, &servers->list, entry)
		if (server->state != SERVER_TAKEN)
			print_config_json_problem(&out, server);
	json_report_close(&out, ']');
	json_report_print(&out);
}

/* Reading */

static void
print_config_done(void *ctx)
{
	struct event_base *base = ctx;

	/* This also works before the loop has started. */
	event_base_loopexit(base, NULL);
}

/* Reads all; call servers_free afterwards. Returns 0, or -1 with err. */
static int
print_config_read(struct servers *servers, struct event_base *base,
    const struct options *options, char **envp, struct err *err)
{
	char folder[PATH_MAX];
	struct servers_setup setup = { .base = base,
		.envp = envp,
		.folder = folder,
		.named = options->servers_config,
		.options = options,
		.self = "/proc/self/exe",
		.trust_project = (int)options->trust_project_files,
		.allow_self = (int)options->allow_self_server,
		.clock = clock_ms };

	if (getcwd(folder, sizeof(folder)) == NULL)
		return err_sys(err, "find the folder we run in");
	servers_read(servers, &setup, NULL, print_config_done, base);
	event_base_dispatch(base);
	return 0;
}

/* Returns 0, or -1 with err if no server that is taken has this name. */
static int
print_config_find(
    const struct servers *servers, const char *name, struct err *err)
{
	struct suggest suggest = suggest_start(name);
	const struct server *server;

	TAILQ_FOREACH (server, &servers->list, entry) {
		if (server->state != SERVER_TAKEN)
			continue;
		if (strcmp(server->name, name) == 0)
			return 0;
		suggest_try(&suggest, server->name);
	}
	return command_no_server("--server", &suggest, err);
}

int
print_config_check_named(struct event_base *base,
    const struct options *options, char **envp, struct err *err)
{
	const struct command_flags *flags = &options->command.flags;
	struct servers servers;
	const char *name;
	int status = 0;
	size_t i;

	if (print_config_read(&servers, base, options, envp, err) == -1)
		return -1;
	for (i = 0; status == 0 &&
	     (name = command_value(flags, COMMAND_FLAG_SERVER, i)) != NULL;
	     i++)
		status = print_config_find(&servers, name, err);
	servers_free(&servers);
	return status;
}

static void
print_config_only_names(const struct servers *servers)
{
	const struct server *server;

	TAILQ_FOREACH (server, &servers->list, entry) {
		if (server->state != SERVER_TAKEN)
			continue;
		print_config_text(stdout, server->name);
		putchar('\n');
	}
}

int
servers_list_run(struct command_setup *setup, struct err *err)
{
	const struct options *options = setup->options;
	struct servers servers;

	if (print_config_read(&servers, setup->base, options, setup->envp,
	        err) == -1)
		return -1;
	if (options_json(options))
		print_config_json(&servers, options);
	else if (command_has(&options->command.flags, COMMAND_FLAG_NAMES))
		print_config_only_names(&servers);
	else
		print_config(&servers, options, stdout);
	servers_free(&servers);
	return 0;
}
