/* The description of a change for users: see adopt_show.h. */
#include <string.h>

#include "../../../common/limits.h"
#include "../../../common/base/shown.h"
#include "../../../common/base/text_list.h"
#include "../../options/text/json_report.h"
#include "../../servers/in_force/server_mask.h"
#include "adopt_show.h"
#include "adopt_work.h"

void
adopt_show_text(struct buffer *out, const char *text)
{
	shown_add_quoted(out, text, CONFIG_PATH_MAX);
}

/* Adds an argument; before is the previous one, or NULL. */
static void
adopt_show_argument(struct buffer *out, const char *text, const char *before)
{
	if (server_mask_hides(text, before))
		buffer_add_text(out, MASK);
	else
		adopt_show_text(out, text);
}

/* Adds the names of variables or headers, if there are any. */
static void
adopt_show_pairs(struct buffer *out, const struct server_texts *pairs)
{
	const char *separator = " (";
	const char *name, *value;

	TEXT_LIST_PAIRS (name, value, pairs->data, pairs->len) {
		buffer_add_text(out, separator);
		buffer_add_text(out, name[0] == ':' ? "oauth" : "");
		adopt_show_text(out, name);
		buffer_add_text(out, "=" MASK);
		separator = ", ";
	}
	if (pairs->len > 0)
		buffer_add_text(out, ")");
}

void
adopt_show_server(struct buffer *out, const struct server *server)
{
	auto_buffer struct buffer url = { 0 };
	const char *before = NULL, *text;

	if (server->remote) {
		server_mask_url(&url, server->url);
		adopt_show_text(out, url.data);
		adopt_show_pairs(out, &server->headers);
		return;
	}
	if (server->command == NULL) {
		buffer_add_text(out, MASK);
		return;
	}
	/* A path may contain digits; secrets are in arguments. */
	if (strpbrk(server->command, " =$:") == NULL)
		adopt_show_text(out, server->command);
	else
		buffer_add_text(out, MASK);
	TEXT_LIST_EACH (text, server->args.data, server->args.len) {
		buffer_add_text(out, " ");
		adopt_show_argument(out, text, before);
		before = text;
	}
	adopt_show_pairs(out, &server->env);
}

static void
adopt_show_line(struct buffer *out, const char *sign,
    const struct server *server)
{
	buffer_printf(out, "%s \"", sign);
	adopt_show_text(out, server->name);
	buffer_add_text(out, "\": ");
	adopt_show_server(out, server);
	buffer_add_text(out, "\n");
}

static void
adopt_show_stays(
    const struct adopt_plan *plan, const char *head, struct buffer *out)
{
	size_t i;

	for (i = 0; i < plan->count; i++) {
		const struct adopt_row *row = &plan->rows[i];

		if (row->why == NULL)
			continue;
		buffer_printf(out, "%s  \"", head);
		adopt_show_text(out, row->server->name);
		buffer_add_text(out, "\": ");
		shown_add(out, row->why, strlen(row->why));
		buffer_add_text(out, "\n");
		head = "";
	}
}

/* What changes in the file of the client. */
static void
adopt_show_client(const struct adopt_plan *plan, const char *program,
    struct buffer *out)
{
	size_t i;

	adopt_show_text(out, plan->file->path);
	buffer_add_text(out, "\n");
	for (i = 0; i < plan->count; i++)
		if (plan->rows[i].moves)
			adopt_show_line(out, "-", plan->rows[i].server);
	if (plan->registered)
		return;
	buffer_add_text(out, "+ \"caisson\": ");
	adopt_show_text(out, program);
	buffer_add_text(out, "\n");
}

void
adopt_show(
    const struct adopt_plan *plan, const char *program, const char *target)
{
	auto_buffer struct buffer text = { 0 };
	size_t i;

	buffer_add_text(&text, "");
	if (!plan->copies)
		adopt_show_client(plan, program, &text);
	if ((plan->copies ? adopt_work_count_new(plan) : plan->moves) > 0) {
		adopt_show_text(&text, target);
		buffer_add_text(&text, "\n");
	}
	for (i = 0; i < plan->count; i++)
		if (plan->rows[i].moves && !(plan->copies &&
			adopt_plan_owns(plan, plan->rows[i].server->name)))
			adopt_show_line(&text, "+", plan->rows[i].server);
	adopt_show_stays(plan, plan->copies ? "Not copied:\n" :
	    "Stays where it is:\n", &text);
	fputs(text.data, stdout);
}

/* Each entry that moves, and each that does not, with the reason. */
static void
adopt_show_json_rows(
    const struct adopt_plan *plan, int moves, struct buffer *out)
{
	size_t i;

	for (i = 0; i < plan->count; i++) {
		const struct adopt_row *row = &plan->rows[i];
		auto_buffer struct buffer starts = { 0 };

		if (row->moves != moves || (!moves && row->why == NULL))
			continue;
		json_report_open(out, NULL, '{');
		json_report_text(out, "name", row->server->name);
		if (moves)
			adopt_show_server(&starts, row->server);
		json_report_text(out, moves ? "starts" : "reason",
		    moves ? starts.data : row->why);
		json_report_close(out, '}');
	}
}

void
adopt_show_json(const struct adopt_plan *plan, const char *target)
{
	auto_buffer struct buffer out = { 0 };

	json_report_text(&out, "client", plan->client->name);
	json_report_text(&out, "file", plan->file->path);
	json_report_text(&out, "to", target);
	json_report_bool(&out, "registered", plan->registered);
	json_report_open(&out, plan->copies ? "copies" : "moves", '[');
	adopt_show_json_rows(plan, 1, &out);
	json_report_close(&out, ']');
	json_report_open(&out, "stays", '[');
	adopt_show_json_rows(plan, 0, &out);
	json_report_close(&out, ']');
	json_report_print(&out);
}
