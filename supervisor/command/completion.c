/*
 * caisson completion: the tables of commands and options become one function
 * in each shell, which only handles words: commands first, then verbs, options
 * anywhere, and after an option its words, or else names of files. Runs in the
 * supervisor; prints, and changes nothing.
 */
#include <string.h>

#include "../../common/base/buffer.h"
#include "../../common/limits.h"
#include "../options/options.h"
#include "client/adopt_client.h"
#include "shared/command.h"

/* Returns whether a row is the first one with its word. */
static int
completion_is_first(size_t n)
{
	return n == 0 ||
	    strcmp(command_row(n - 1)->word, command_row(n)->word) != 0;
}

/* Adds the first words, each after a space. */
static void
completion_add_commands(struct buffer *out)
{
	const struct command_row *row;
	size_t i;

	for (i = 0; (row = command_row(i)) != NULL; i++)
		if (completion_is_first(i))
			buffer_printf(out, " %s", row->word);
}

static void
completion_add_clients(struct buffer *out)
{
	size_t i;

	for (i = 0; adopt_client_at(i) != NULL; i++)
		buffer_printf(out, " %s", adopt_client_at(i)->name);
}

static void
completion_add_settings(struct buffer *out)
{
	size_t i;

	for (i = 0; i < OPTION_IDS; i++)
		buffer_printf(out, " %s", option_row(i)->key);
}

static const struct {
	enum command_task task;
	void (*add)(struct buffer *out);
} completion_choices[] = {
#define COMMAND_CHOICES(TASK, what) { COMMAND_##TASK, completion_add_##what },
#include "../options/commands.def"
};

/* Adds the choices for the first operand of a command, each after a space. */
static void
completion_add_operands(struct buffer *out, const struct command_row *row)
{
	const char *p = row->operands;
	size_t i;

	for (i = 0;
	     i < sizeof(completion_choices) / sizeof(completion_choices[0]);
	     i++)
		if (completion_choices[i].task == row->task)
			completion_choices[i].add(out);
	if (p != NULL && strchr(p, '|') != NULL)
		for (; *p != '\0'; p++)
			buffer_printf(out, "%s%c",
			    p == row->operands ? " " : "",
			    strchr("[|]", *p) != NULL ? ' ' : *p);
}

/* Adds the words after such a word: verbs, or choices of an operand. */
static void
completion_add_verbs(struct buffer *out, const char *word)
{
	const struct command_row *row;
	size_t i;

	for (i = 0; (row = command_row(i)) != NULL; i++) {
		if (strcmp(row->word, word) != 0)
			continue;
		if (row->verb != NULL)
			buffer_printf(out, " %s", row->verb);
		else
			completion_add_operands(out, row);
	}
}

/* Returns the word whose list --names prints the values of a flag, or NULL. */
static const char *
completion_flag_lister(enum command_flag flag)
{
	return flag == COMMAND_FLAG_SERVER ? "servers" :
	    flag == COMMAND_FLAG_OWNER ? "token" : NULL;
}

/*
 * Returns whether the first operand of a command is one of the names that the
 * list of the same word prints.
 */
static int
completion_takes_name(const struct command_row *row)
{
	const struct command_row *list;
	size_t i;

	if (row->operands == NULL || strcmp(row->verb, "add") == 0 ||
	    (strncmp(row->operands, "NAME", 4) != 0 &&
	        strncmp(row->operands, "KEY", 3) != 0))
		return 0;
	for (i = 0; (list = command_row(i)) != NULL; i++)
		if (strcmp(list->word, row->word) == 0 &&
		    command_takes(list->task, COMMAND_FLAG_NAMES))
			return 1;
	return 0;
}

/* Adds the flags of a command, each after a space. */
static void
completion_add_own(struct buffer *out, enum command_task task)
{
	char name[OPTION_NAME_SIZE];
	enum command_flag flag;

	for (flag = COMMAND_FLAG_NONE + 1; flag < COMMAND_FLAGS; flag++) {
		if (!command_takes(task, flag))
			continue;
		option_flag(command_flag_row(flag)->key, name);
		buffer_printf(out, " %s", name);
	}
}

static void
completion_add_flags(struct buffer *out)
{
	char flag[OPTION_NAME_SIZE];
	enum option_action action;
	enum option_id id;

	for (id = 0; id < OPTION_IDS; id++) {
		option_flag(option_row(id)->key, flag);
		buffer_printf(out, " %s", flag);
	}
	for (action = OPTION_NONE + 1; action < OPTION_ACTIONS; action++) {
		option_flag(option_action_row(action)->key, flag);
		buffer_printf(out, " %s", flag);
	}
}

/* Adds the words of an option, if it has any. */
static void
completion_add_values(struct buffer *out, const struct option_row *row)
{
	size_t i;

	if (row->kind == OPTION_KIND_SWITCH)
		buffer_add_text(out, " on off");
	if (row->kind == OPTION_KIND_AUTO)
		buffer_add_text(out, " auto");
	for (i = 0; row->words != NULL && row->words[i] != NULL; i++)
		buffer_printf(out, " %s", row->words[i]);
}

/* Appends a "case" branch of a shell for each word that has successors. */
static void
completion_add_cases(struct buffer *out)
{
	const struct command_row *row;
	char flag[OPTION_NAME_SIZE];
	enum command_flag own;
	enum option_id id;
	size_t i;

	for (i = 0; (row = command_row(i)) != NULL; i++) {
		auto_buffer struct buffer verbs = { 0 };
		auto_buffer struct buffer operands = { 0 };

		if (row->verb != NULL)
			completion_add_operands(&operands, row);
		if (operands.len > 0)
			buffer_printf(out, "\t%s) known='%s' ;;\n", row->verb,
			    operands.data + 1);
		if (!completion_is_first(i))
			continue;
		completion_add_verbs(&verbs, row->word);
		if (verbs.len > 0)
			buffer_printf(out, "\t%s) known='%s' ;;\n", row->word,
			    verbs.data + 1);
	}
	for (own = COMMAND_FLAG_NONE + 1; own < COMMAND_FLAGS; own++) {
		if (completion_flag_lister(own) == NULL)
			continue;
		option_flag(command_flag_row(own)->key, flag);
		buffer_printf(out, "\t%s) names=%s ;;\n", flag,
		    completion_flag_lister(own));
	}
	for (id = 0; id < OPTION_IDS; id++) {
		auto_buffer struct buffer values = { 0 };

		option_flag(option_row(id)->key, flag);
		completion_add_values(&values, option_row(id));
		/* Behind a flag, and behind the key for config set. */
		if (values.len > 0)
			buffer_printf(out, "\t%s|%s) known='%s' ;;\n", flag,
			    option_row(id)->key, values.data + 1);
		else if (option_is_text(id))
			buffer_printf(out, "\t%s|%s) files=1 ;;\n", flag,
			    option_row(id)->key);
	}
}

/* Adds a branch for each command with flags: "servers list" and its flags. */
static void
completion_add_own_cases(struct buffer *out)
{
	const struct command_row *row;
	size_t i;

	for (i = 0; (row = command_row(i)) != NULL; i++) {
		auto_buffer struct buffer own = { 0 };
		int name = row->verb != NULL && completion_takes_name(row);

		completion_add_own(&own, row->task);
		if (own.len == 0 && !name)
			continue;
		buffer_printf(out, "\t'%s '%s%s%s) own='%s'", row->word,
		    row->verb == NULL ? "*" : "'",
		    row->verb == NULL ? "" : row->verb,
		    row->verb == NULL ? "" : "'",
		    own.len == 0 ? "" : own.data + 1);
		if (name)
			buffer_printf(out, " lists=%s", row->word);
		buffer_add_text(out, " ;;\n");
	}
}

/* Adds the common part of the functions for bash and zsh. */
static void
completion_add_function(struct buffer *out, const char *words,
    const char *before, const char *count, const char *program)
{
	buffer_printf(out, "\tlocal known= files= own= names= lists=\n"
	    "\tcase \"%s\" in\n", words);
	completion_add_own_cases(out);
	buffer_printf(out, "\tesac\n\tcase \"%s\" in\n", before);
	completion_add_cases(out);
	buffer_printf(out, "\t*) [ \"%s\" -gt 1 ] || known='", count);
	completion_add_commands(out);
	buffer_add_text(out, "'\n\tknown=\"$known $own ");
	completion_add_flags(out);
	buffer_printf(out, "\"\n\t[ \"%s\" -ne 3 ] || names=$lists ;;\n"
	    "\tesac\n"
	    "\t[ -z \"$names\" ] || known=\"$known $(%s \"$names\" list "
	    "--names 2>/dev/null | grep -v ' ')\"\n", count, program);
}

static void
completion_add_bash(struct buffer *out)
{
	buffer_add_text(out, "# bash: eval \"$(caisson completion bash)\"\n"
	    "_caisson() {\n");
	completion_add_function(out, "${COMP_WORDS[1]} ${COMP_WORDS[2]}",
	    "${COMP_WORDS[COMP_CWORD-1]}", "$COMP_CWORD",
	    "\"${COMP_WORDS[0]}\"");
	buffer_add_text(out,
	    "\tif [ -n \"$files\" ]; then\n"
	    "\t\tmapfile -t COMPREPLY < <(compgen -f -- \"$2\")\n"
	    "\telse\n"
	    "\t\tmapfile -t COMPREPLY < <(compgen -W \"$known\" -- \"$2\")\n"
	    "\tfi\n"
	    "}\n"
	    "complete -o filenames -F _caisson caisson\n");
}

static void
completion_add_zsh(struct buffer *out)
{
	buffer_add_text(out, "#compdef caisson\n"
	    "# zsh: eval \"$(caisson completion zsh)\", behind compinit\n"
	    "_caisson() {\n"
	    "\tlocal before=${words[CURRENT-1]} count=$((CURRENT - 1))\n");
	completion_add_function(
	    out, "${words[2]} ${words[3]}", "$before", "$count",
	    "\"${words[1]}\"");
	buffer_add_text(out,
	    "\tif [ -n \"$files\" ]; then _files; "
	    "else compadd -- ${=known}; fi\n"
	    "}\n"
	    "compdef _caisson caisson\n");
}

/* Adds the flags of a command for fish. */
static void
completion_add_fish_flags(struct buffer *out, const struct command_row *row)
{
	char name[OPTION_NAME_SIZE];
	enum command_flag flag;

	for (flag = COMMAND_FLAG_NONE + 1; flag < COMMAND_FLAGS; flag++) {
		const struct command_flag_row *own = command_flag_row(flag);

		if (!command_takes(row->task, flag))
			continue;
		option_flag(own->key, name);
		buffer_printf(out, "complete -c caisson -n "
		    "'__fish_seen_subcommand_from %s", row->word);
		if (row->verb != NULL)
			buffer_printf(out, "; and "
			    "__fish_seen_subcommand_from %s", row->verb);
		buffer_printf(out, "' -l %s", name + strlen("--"));
		if (own->letter != 0)
			buffer_printf(out, " -s %c", own->letter);
		buffer_add_text(out, own->value == NULL ? "" : " -x");
		if (completion_flag_lister(flag) != NULL)
			buffer_printf(out, " -a '(caisson %s list --names "
			    "2>/dev/null)'", completion_flag_lister(flag));
		buffer_printf(out, " -d '%s'\n", own->doc);
	}
}

/* Adds the words after a command for fish, until one of them is given. */
static void
completion_add_fish_words(struct buffer *out, const char *word,
    const char *verb, const char *words)
{
	buffer_printf(out, "complete -c caisson -n "
	    "'__fish_seen_subcommand_from %s", word);
	if (verb != NULL)
		buffer_printf(out, "; and __fish_seen_subcommand_from %s",
		    verb);
	/* The words after "help" include "help" itself. */
	if (strcmp(word, "help") != 0)
		buffer_printf(
		    out, "; and not __fish_seen_subcommand_from %s", words);
	buffer_printf(out, "' -a '%s'\n", words);
}

/* For fish, adds a line for each word. */
static void
completion_add_fish(struct buffer *out)
{
	const struct command_row *row;
	char flag[OPTION_NAME_SIZE];
	enum option_action action;
	enum option_id id;
	size_t i;

	buffer_add_text(out, "# fish: caisson completion fish | source\n"
	    "complete -c caisson -f\n");
	for (i = 0; (row = command_row(i)) != NULL; i++) {
		auto_buffer struct buffer verbs = { 0 };

		if (!completion_is_first(i))
			continue;
		buffer_printf(out, "complete -c caisson -n "
		    "__fish_use_subcommand -a %s\n", row->word);
		completion_add_verbs(&verbs, row->word);
		if (verbs.len > 0)
			completion_add_fish_words(
			    out, row->word, NULL, verbs.data + 1);
	}
	for (i = 0; (row = command_row(i)) != NULL; i++) {
		auto_buffer struct buffer operands = { 0 };

		completion_add_fish_flags(out, row);
		if (row->verb != NULL && completion_takes_name(row))
			buffer_printf(out, "complete -c caisson -n "
			    "'__fish_seen_subcommand_from %s; and "
			    "__fish_seen_subcommand_from %s' -a '(caisson %s "
			    "list --names 2>/dev/null)'\n", row->word,
			    row->verb, row->word);
		if (row->verb != NULL)
			completion_add_operands(&operands, row);
		if (operands.len > 0)
			completion_add_fish_words(
			    out, row->word, row->verb, operands.data + 1);
	}
	for (id = 0; id < OPTION_IDS; id++) {
		auto_buffer struct buffer values = { 0 };

		option_flag(option_row(id)->key, flag);
		completion_add_values(&values, option_row(id));
		buffer_printf(out, "complete -c caisson -l %s%s%s%s%s\n",
		    flag + strlen("--"),
		    option_is_text(id) ? " -r -F" : " -x",
		    values.len > 0 ? " -a '" : "",
		    values.len > 0 ? values.data + 1 : "",
		    values.len > 0 ? "'" : "");
		if (values.len > 0)
			completion_add_fish_words(out, "set",
			    option_row(id)->key, values.data + 1);
	}
	for (action = OPTION_NONE + 1; action < OPTION_ACTIONS; action++) {
		option_flag(option_action_row(action)->key, flag);
		buffer_printf(out, "complete -c caisson -l %s\n",
		    flag + strlen("--"));
	}
}

int
completion_run(struct command_setup *setup, struct err *err)
{
	const char *shell = setup->options->command.operand;
	auto_buffer struct buffer lines = { 0 };

	if (strcmp(shell, "bash") == 0)
		completion_add_bash(&lines);
	else if (strcmp(shell, "zsh") == 0)
		completion_add_zsh(&lines);
	else
		completion_add_fish(&lines);
	fputs(lines.data, stdout);
	(void)err;
	return 0;
}
