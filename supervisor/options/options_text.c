/*
 * What a user is shown of the options: the text of --help and of --check, from
 * options.def. Runs in the supervisor; prints, and changes nothing.
 */
#include <string.h>

#include "../../common/limits.h"
#include "../../common/mem.h"
#include "../../common/shown.h"
#include "option_value.h"
#include "options.h"

/* Prints words with line breaks between them, indented. */
static void
options_wrap(FILE *out, size_t indent, const char *text)
{
	size_t column = 0;
	size_t len;

	for (; *text != '\0'; text += len) {
		text += strspn(text, " ");
		len = strcspn(text, " ");
		if (column > 0 && column + 1 + len > HELP_COLUMNS) {
			fputc('\n', out);
			column = 0;
		}
		if (column == 0)
			column = (size_t)fprintf(out, "%*s", (int)indent, "");
		else
			column += (size_t)fprintf(out, " ");
		column += (size_t)fprintf(out, "%.*s", (int)len, text);
	}
	fputc('\n', out);
}

static void
options_help_row(FILE *out, const struct option_row *row)
{
	static const char *const what[] = {
		[OPTION_KIND_SECONDS] = "TIME",
		[OPTION_KIND_SIZE] = "SIZE",
		[OPTION_KIND_COUNT] = "NUMBER",
		[OPTION_KIND_AUTO] = "auto|NUMBER",
		[OPTION_KIND_SHARE] = "NUMBER",
		[OPTION_KIND_CHOICE] = "WORD",
		[OPTION_KIND_WORDS] = "WORDS",
		[OPTION_KIND_PATH] = "PATH",
		[OPTION_KIND_FILE] = "PATH",
		[OPTION_KIND_NAMES] = "NAMES",
		[OPTION_KIND_SWITCH] = "on|off",
	};
	auto_buffer struct buffer text = { 0 };
	char flag[OPTION_NAME_SIZE];

	option_flag(row->key, flag);
	fprintf(out, "  %s %s\n", flag, what[row->kind]);
	buffer_printf(&text, "%s Allowed: ", row->doc);
	option_value_add_allowed(&text, row);
	if (row->preset != NULL && row->preset[0] != '\0')
		buffer_printf(&text, ". Default: %s", row->preset);
	buffer_add_text(&text, ".");
	options_wrap(out, HELP_INDENT, text.data);
}

static const char options_about[] =
    "Without an action, caisson serves the Model Context Protocol on its "
    "standard input and output until the input ends. Actions:";

static const char options_places[] =
    "Each option is a flag (--max-output 64k), or a variable of the "
    "environment (" OPTION_PREFIX "MAX_OUTPUT=64k), or a member of "
    "~/.config/caisson/config.json ({\"max_output\": \"64k\"}); the first of "
    "these that sets it wins. A TIME is in seconds or has a unit: 30, 30s, "
    "2m, 1h; a SIZE is in bytes or has a unit: 65536, 64k, 512m, 1g. Options:";

void
options_help(FILE *out)
{
	char flag[OPTION_NAME_SIZE];
	enum option_action action;
	enum option_id id;

	fputs("usage: caisson [--OPTION VALUE | --OPTION=VALUE] ...\n"
	      "       caisson ACTION [--OPTION VALUE | --OPTION=VALUE] ...\n"
	      "       caisson memory list | show KEY | remove KEY | clear\n"
	      "       caisson saved-tools list | show NAME | remove NAME | "
	      "clear | prune\n"
	      "       caisson files list | show NAME | save NAME [PATH] | "
	      "add PATH [NAME] |\n"
	      "           remove NAME | clear\n\n",
	    out);
	options_wrap(out, 0, options_about);
	fputc('\n', out);
	for (action = OPTION_NONE + 1; action < OPTION_ACTIONS; action++) {
		const char *argument = option_action_row(action)->argument;

		option_flag(option_action_row(action)->key, flag);
		fprintf(out, "  %s%s%s\n", flag, argument == NULL ? "" : " ",
		    argument == NULL ? "" : argument);
		options_wrap(
		    out, HELP_INDENT, option_action_row(action)->doc);
	}
	fputc('\n', out);
	options_wrap(out, 0, options_places);
	fputc('\n', out);
	for (id = 0; id < OPTION_IDS; id++)
		options_help_row(out, option_row(id));
}

/* Which variable, flag or file a value comes from; name: room for it. */
static const char *
options_source(const struct options *options, enum option_id id,
    char name[OPTION_NAME_SIZE])
{
	switch (options->sources[id]) {
	case OPTIONS_FLAG:
		return "flag";
	case OPTIONS_ENVIRONMENT:
		option_variable(option_row(id)->key, name);
		return name;
	case OPTIONS_FORMER:
		option_former(option_row(id)->key, name);
		return name;
	case OPTIONS_FILE:
		return "file";
	default:
		return "default";
	}
}

/* One line of --check: foreign text only escaped. */
static void
options_print_line(
    FILE *out, const char *name, const char *value, const char *where)
{
	auto_buffer struct buffer shown = { 0 };

	shown_add_quoted(&shown, value, OPTION_PATH_MAX);
	fprintf(out, "%-16s %-18s %s\n", name,
	    shown.len > 0 ? shown.data : "(none)", where);
}

static void
options_print_row(const struct options *options, enum option_id id, FILE *out)
{
	const struct option_row *row = option_row(id);
	auto_buffer struct buffer value = { 0 };
	char flag[OPTION_NAME_SIZE], name[OPTION_NAME_SIZE];

	if (option_is_text(id))
		buffer_add_text(&value, options_text(options, id));
	else
		option_value_add(&value, row, options_number(options, id));
	option_flag(row->key, flag);
	options_print_line(out, flag + strlen("--"), value.data,
	    options_source(options, id, name));
}

void
options_print(const struct options *options, FILE *out)
{
	auto_free char *ignored = NULL;
	enum option_id id;

	for (id = 0; id < OPTION_IDS; id++)
		options_print_row(options, id, out);
	if (options->file == NULL)
		return;
	if (options->file_refusal != NULL)
		ignored = mem_printf("ignored: %s", options->file_refusal);
	options_print_line(out, "config.json", options->file,
	    ignored != NULL ? ignored :
	    options->file_found ? "read" : "not there");
}
