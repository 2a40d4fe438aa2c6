/*
 * The text of --help and of --check, from options.def. Runs in the supervisor;
 * prints, and changes nothing.
 */
#include <string.h>

#include "../../common/limits.h"
#include "../../common/base/mem.h"
#include "../../common/base/shown.h"
#include "text/colour.h"
#include "text/json_report.h"
#include "option_environment.h"
#include "option_value.h"
#include "options.h"

/*
 * Prints words with line breaks between them, indented; the first line starts
 * in this column.
 */
static void
options_wrap_from(FILE *out, size_t column, size_t indent, const char *text)
{
	size_t len;
	int first = 1;

	for (; *text != '\0'; text += len, first = 0) {
		text += strspn(text, " ");
		len = strcspn(text, " ");
		if (!first && column + 1 + len > HELP_COLUMNS) {
			fputc('\n', out);
			column = 0;
			first = 1;
		}
		if (column < indent)
			column += (size_t)fprintf(
			    out, "%*s", (int)(indent - column), "");
		else if (!first)
			column += (size_t)fprintf(out, " ");
		column += (size_t)fprintf(out, "%.*s", (int)len, text);
	}
	fputc('\n', out);
}

static void
options_wrap(FILE *out, size_t indent, const char *text)
{
	options_wrap_from(out, 0, indent, text);
}

static void
options_head(FILE *out, const char *text)
{
	fputc('\n', out);
	colour_print(out, COLOUR_HEAD, text, 0);
	fputs(":\n", out);
}

static void
options_help_row(FILE *out, const struct option_row *row)
{
	auto_buffer struct buffer text = { 0 };
	char flag[OPTION_NAME_SIZE];

	option_flag(row->key, flag);
	fprintf(out, "  %s %s\n", flag, option_value_what(row));
	buffer_printf(&text, "%s Allowed: ", row->doc);
	option_value_add_allowed(&text, row);
	if (row->default_text != NULL && row->default_text[0] != '\0')
		buffer_printf(&text, ". Default: %s", row->default_text);
	buffer_add_text(&text, ".");
	options_wrap(out, HELP_INDENT, text.data);
}

static void
options_help_command(FILE *out, const struct command_row *row)
{
	int column = fprintf(out, "  %s%s%s%s%s", row->word,
	    row->verb == NULL ? "" : " ", row->verb == NULL ? "" : row->verb,
	    row->operands == NULL ? "" : " ",
	    row->operands == NULL ? "" : row->operands);

	if (column + 2 > HELP_COMMAND_INDENT) {
		fputc('\n', out);
		column = 0;
	}
	options_wrap_from(out, (size_t)column, HELP_COMMAND_INDENT, row->doc);
}

/* Prints a flag with its short form and its value. */
static void
options_help_flag(FILE *out, enum command_flag flag)
{
	const struct command_flag_row *row = command_flag_row(flag);
	auto_buffer struct buffer text = { 0 };
	char name[OPTION_NAME_SIZE];

	option_flag(row->key, name);
	buffer_printf(&text, "%*s", HELP_INDENT, "");
	if (row->letter != 0)
		buffer_printf(&text, "-%c, ", row->letter);
	buffer_printf(&text, "%s%s%s", name, row->value == NULL ? "" : " ",
	    row->value == NULL ? "" : row->value);
	fputs(text.data, out);
	if (text.len + 2 > HELP_COMMAND_INDENT) {
		fputc('\n', out);
		text.len = 0;
	}
	options_wrap_from(out, text.len, HELP_COMMAND_INDENT, row->doc);
}

static void
options_help_flags(FILE *out, const struct command_row *command)
{
	enum command_flag flag;

	for (flag = COMMAND_FLAG_NONE + 1; flag < COMMAND_FLAGS; flag++)
		if (command_takes(command->task, flag))
			options_help_flag(out, flag);
}

/* Prints a flag and the commands that take it. Returns whether there is one. */
static int
options_help_command_flag(FILE *out, const char *key)
{
	char name[OPTION_NAME_SIZE];
	const struct command_row *row;
	enum command_flag flag;
	size_t i;

	option_flag(key, name);
	flag = command_flag_find(name, strlen(name));
	if (flag == COMMAND_FLAG_NONE)
		return 0;
	options_help_flag(out, flag);
	options_head(out, "Commands that take it");
	for (i = 0; (row = command_row(i)) != NULL; i++)
		if (command_takes(row->task, flag))
			options_help_command(out, row);
	return 1;
}

/* Headings, each before the row of the help that it names. */
static const struct {
	enum command_task task;
	const char *heading;
} options_command_groups[] = {
#define COMMAND_GROUP(TASK, heading) { COMMAND_##TASK, heading },
#include "commands.def"
};

static const struct {
	enum option_id id;
	const char *heading;
} options_groups[] = {
#define OPTION_GROUP(NAME, heading) { OPTION_ID_##NAME, heading },
#include "options.def"
};

#define OPTIONS_COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void
options_command_head(FILE *out, enum command_task task)
{
	size_t i;

	for (i = 0; i < OPTIONS_COUNT(options_command_groups); i++)
		if (options_command_groups[i].task == task)
			options_head(out, options_command_groups[i].heading);
}

static void
options_option_head(FILE *out, enum option_id id)
{
	size_t i;

	for (i = 0; i < OPTIONS_COUNT(options_groups); i++)
		if (options_groups[i].id == id)
			options_head(out, options_groups[i].heading);
}

/* Prints a line for each first word, with its verbs or its description. */
static void
options_help_words(FILE *out)
{
	const struct command_row *row, *next;
	size_t i;

	for (i = 0; (row = command_row(i)) != NULL; i++) {
		options_command_head(out, row->task);
		if (row->verb == NULL) {
			options_help_command(out, row);
			continue;
		}
		fprintf(out, "  %s %s", row->word, row->verb);
		for (; (next = command_row(i + 1)) != NULL &&
		     strcmp(next->word, row->word) == 0; i++)
			fprintf(out, "|%s", next->verb);
		fputc('\n', out);
	}
}

/*
 * Prints all commands; or those of a word, and of its verb, with their flags.
 */
static size_t
options_help_commands(FILE *out, const char *word, const char *verb)
{
	const struct command_row *row;
	enum option_id id;
	size_t i, n = 0;

	for (i = 0; (row = command_row(i)) != NULL; i++) {
		if (word != NULL && strcmp(row->word, word) != 0)
			continue;
		if (verb != NULL &&
		    (row->verb == NULL || strcmp(row->verb, verb) != 0))
			continue;
		if (word == NULL)
			options_command_head(out, row->task);
		options_help_command(out, row);
		if (word != NULL)
			options_help_flags(out, row);
		for (id = 0; word != NULL && id < OPTION_IDS &&
		     row->needs == COMMAND_NEEDS_CLIENTS; id++)
			if (option_is_of_serve(id))
				options_help_row(out, option_row(id));
		n++;
	}
	return n;
}

/* Examples */

/* The short help has the first ones. */
static const struct {
	const char *word;
	const char *line;
	const char *doc;
} help_examples[] = {
	{ "selftest", "selftest", "whether it works on this machine" },
	{ "client", "client cursor", "what to write into Cursor's file" },
	{ "adopt", "adopt cursor --dry-run",
	    "what moving its servers would change" },
	{ "servers", "servers test", "whether each MCP server starts" },
	{ "config", "config check --memory 1g",
	    "whether it would start with that" },
	{ "exec", "exec report.py", "what a program does in a box" },
	{ "selftest", "selftest -v", "every check that it makes" },
	{ "adopt", "adopt cursor --undo", "take an adopt back" },
	{ "libraries", "libraries office", "what reads spreadsheets" },
	{ "config", "config show", "what is set, and where" },
	{ "memory", "memory show totals", "what code has saved as totals" },
	{ "saved-tools", "saved-tools show clean", "the source of a function" },
	{ "files", "files save report.xlsx", "copy a file to this folder" },
	{ "sessions", "sessions end sales", "free what it keeps" },
	{ "image", "image build python --engine podman",
	    "an image for containers of podman" },
	{ "completion", "completion bash > ~/.local/share/"
	    "bash-completion/completions/caisson", NULL },
	{ "help", "help timeout", "what an option means" },
};
#define HELP_EXAMPLES_BRIEF 5

/*
 * Prints the examples of the command with this first word, below a heading, if
 * there are any. For NULL these are all; brief means the first few of them.
 */
static void
help_examples_print(const char *word, int brief, FILE *out)
{
	const size_t all = sizeof(help_examples) / sizeof(help_examples[0]);
	int any = 0;
	size_t i;

	for (i = 0; i < (brief ? HELP_EXAMPLES_BRIEF : all); i++) {
		if (word != NULL && strcmp(help_examples[i].word, word) != 0)
			continue;
		if (!any)
			options_head(out, "Examples");
		any = 1;
		if (help_examples[i].doc == NULL)
			fprintf(out, "  caisson %s\n", help_examples[i].line);
		else
			fprintf(out, "  caisson %-24s  %s\n",
			    help_examples[i].line, help_examples[i].doc);
	}
}

/* All */

static const char options_usage[] =
    "usage: caisson [COMMAND] [--OPTION VALUE | --OPTION=VALUE] ...\n\n";

static const char options_about[] =
    "Without a command, caisson serves the Model Context Protocol on its "
    "standard input and output until the input ends: that is how MCP clients "
    "start it.";

static const char options_more[] =
    "'caisson help COMMAND' tells of one command, 'caisson --help' of all "
    "commands and options.";

static const char options_status[] =
    "Exit status: 0 success, 1 a failure or nothing found, 2 a wrong command "
    "or setting, 70 a bug.";

static const char options_actions[] =
    "Flags that stand for commands, as in earlier versions";

static const char options_places[] =
    "Each option is a flag (--max-output 64k), or a variable of the "
    "environment (" OPTION_PREFIX "MAX_OUTPUT=64k), or a member of "
    "~/.config/caisson/config.json ({\"max_output\": \"64k\"}); the first of "
    "these that sets it wins, and of a flag given twice the last value; those "
    "of --listen, --allow-host and --allow-origin add up. A TIME is in "
    "seconds or has a unit: 30, 30s, 2m, 1h; a SIZE is in bytes or has a unit: "
    "65536, 64k, 512m, 512MiB, 1g.";

static void
options_help_actions(FILE *out)
{
	const struct option_action_row *row;
	char flag[OPTION_NAME_SIZE];
	size_t i;

	options_head(out, options_actions);
	for (i = 0; (row = option_action_row(i)) != NULL; i++) {
		option_flag(row->key, flag);
		fprintf(out, "  %s%s%s\n", flag,
		    row->argument == NULL ? "" : " ",
		    row->argument == NULL ? "" : row->argument);
		options_wrap(out, HELP_INDENT, row->doc);
	}
}

static void
options_help_options(FILE *out)
{
	enum option_id id;

	options_help_actions(out);
	fputc('\n', out);
	options_wrap(out, 0, options_places);
	for (id = 0; id < OPTION_IDS; id++) {
		options_option_head(out, id);
		options_help_row(out, option_row(id));
	}
}

/* Prints the help of one command; the options are those of all. */
static int
options_help_one(const char *word, const char *verb, FILE *out, struct err *err)
{
	auto_buffer struct buffer shown = { 0 };
	const char *suggested = command_nearest(word);
	char key[OPTION_NAME_SIZE];

	if (options_help_commands(out, word, verb) > 0) {
		help_examples_print(word, 0, out);
		fprintf(out, "\nEach takes the options that 'caisson --help' "
		    "lists.\n");
		return 0;
	}
	if (suggested != NULL && strcmp(suggested, word) == 0)
		return command_unknown_verb(word, verb, err);
	option_key(word, strlen(word), key);
	if (option_find(key) != OPTION_IDS) {
		options_help_row(out, option_row(option_find(key)));
		return 0;
	}
	if (options_help_command_flag(out, key))
		return 0;
	shown_add_quoted(&shown, word, OPTION_VALUE_SHOWN);
	if (suggested == NULL)
		return err_set(err, "\"%s\" is not a command: 'caisson help' "
		    "lists them", shown.data);
	return err_set(err, "\"%s\" is not a command: did you mean 'caisson "
	    "help %s'?", shown.data, suggested);
}

int
options_help(const char *command, const char *verb, int brief, FILE *out,
    struct err *err)
{
	if (command != NULL)
		return options_help_one(command, verb, out, err);
	fputs(options_usage, out);
	options_wrap(out, 0, options_about);
	if (brief)
		options_help_words(out);
	else
		options_help_commands(out, NULL, NULL);
	help_examples_print(NULL, brief, out);
	fputc('\n', out);
	options_wrap(out, 0, brief ? options_more : options_status);
	if (!brief)
		options_help_options(out);
	return 0;
}

/* No name is longer; paths may be, and move the last column of their line. */
#define OPTIONS_NAME_COLUMNS 20
#define OPTIONS_VALUE_COLUMNS 24

/* Returns the variable, flag or file of a value; name: room for it. */
static const char *
options_source(const struct options *options, enum option_id id,
    char name[OPTION_NAME_SIZE])
{
	enum option_id by;

	switch (options->sources[id]) {
	case OPTIONS_FLAG:
		return "flag";
	case OPTIONS_ENVIRONMENT:
		option_variable(option_row(id)->key, name);
		return name;
	case OPTIONS_FORMER:
		option_former(option_row(id)->key, name);
		return name;
	case OPTIONS_COMPAT:
		return option_compat_name(id);
	case OPTIONS_PRESET:
		by = options_preset_by(options, id);
		snprintf(name, OPTION_NAME_SIZE, "%s %s",
		    option_row(by)->key, options_word(options, by));
		return name;
	case OPTIONS_FILE:
		return "file";
	default:
		return "default";
	}
}

void
options_print_line(
    FILE *out, const char *name, const char *value, const char *where)
{
	auto_buffer struct buffer shown = { 0 };

	shown_add_quoted(&shown, value, OPTION_PATH_MAX);
	fprintf(out, "%-*s %-*s %s\n", OPTIONS_NAME_COLUMNS, name,
	    OPTIONS_VALUE_COLUMNS, shown.len > 0 ? shown.data : "(none)",
	    where);
}

/* Appends a value as a user would write it. */
static void
options_add_value(
    struct buffer *out, const struct options *options, enum option_id id)
{
	if (option_is_text(id))
		buffer_add_text(out, options_text(options, id));
	else
		option_value_add(
		    out, option_row(id), options_number(options, id));
}

static void
options_print_row(const struct options *options, enum option_id id, FILE *out)
{
	auto_buffer struct buffer value = { 0 };
	char flag[OPTION_NAME_SIZE], name[OPTION_NAME_SIZE];

	options_add_value(&value, options, id);
	option_flag(option_row(id)->key, flag);
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
	    options->file_found ? "read" : "not found");
}

static void
options_report_file(const struct options *options, struct buffer *out)
{
	json_report_open(out, "file", '{');
	json_report_text(out, "path", options->file);
	json_report_text(out, "state", options->file == NULL ? "missing" :
	        options->file_refusal != NULL ? "ignored" :
	        options->file_found ? "read" : "missing");
	json_report_text(out, "reason", options->file_refusal);
	json_report_close(out, '}');
}

void
options_report(const struct options *options)
{
	auto_buffer struct buffer out = { 0 };
	enum option_id id;

	json_report_open(&out, "settings", '[');
	for (id = 0; id < OPTION_IDS; id++) {
		auto_buffer struct buffer value = { 0 };
		char name[OPTION_NAME_SIZE];

		options_add_value(&value, options, id);
		json_report_open(&out, NULL, '{');
		json_report_text(&out, "name", option_row(id)->key);
		json_report_text(&out, "value", value.data);
		json_report_text(
		    &out, "source", options_source(options, id, name));
		json_report_close(&out, '}');
	}
	json_report_close(&out, ']');
	options_report_file(options, &out);
	json_report_print(&out);
}
