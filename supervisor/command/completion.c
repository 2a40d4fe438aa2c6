/*
 * caisson completion: a function for each shell, which asks this command for
 * the words that may come next. They are in the tables of commands and options;
 * names that are kept come from the list command. Runs in the supervisor;
 * prints, and changes nothing.
 */
#include <string.h>

#include "../../common/base/mem.h"
#include "../../common/base/text_list.h"
#include "../options/options.h"
#include "../process/process.h"
#include "client/adopt_client.h"
#include "client/client_config.h"
#include "shared/command.h"

static const char completion_bash[] =
    "# bash: eval \"$(caisson completion bash)\"\n"
    "_caisson() {\n"
    "\tlocal IFS=$'\\n'\n"
    "\tmapfile -t COMPREPLY < <(compgen -W \"$(\"${COMP_WORDS[0]}\" \\\n"
    "\t    completion bash -- \"${COMP_WORDS[@]:1:COMP_CWORD}\" \\\n"
    "\t    2>/dev/null)\" -- \"$2\")\n"
    "\t[ ${#COMPREPLY[@]} -gt 0 ] ||\n"
    "\t\tmapfile -t COMPREPLY < <(compgen -f -- \"$2\")\n"
    "}\n"
    "complete -o filenames -F _caisson caisson\n";

static const char completion_zsh[] =
    "#compdef caisson\n"
    "# zsh: eval \"$(caisson completion zsh)\", behind compinit\n"
    "_caisson() {\n"
    "\tlocal known=\"$(\"${words[1]}\" completion zsh -- \\\n"
    "\t    \"${(@)words[2,CURRENT]}\" 2>/dev/null)\"\n"
    "\tif [ -n \"$known\" ]; then compadd -- \"${(@f)known}\"; "
    "else _files; fi\n"
    "}\n"
    "compdef _caisson caisson\n";

static const char completion_fish[] =
    "# fish: caisson completion fish | source\n"
    "function _caisson\n"
    "\tset -l word (commandline -ct)\n"
    "\tset -l known (caisson completion fish -- \\\n"
    "\t    (commandline -opc)[2..-1] \"$word\" 2>/dev/null)\n"
    "\tif test (count $known) -gt 0\n"
    "\t\tprintf '%s\\n' $known\n"
    "\telse\n"
    "\t\t__fish_complete_path \"$word\"\n"
    "\tend\n"
    "end\n"
    "complete -c caisson -f -a '(_caisson)'\n";

/* The first words of commands, or the verbs behind one of them. */
static void
completion_print_words(const char *word)
{
	const struct command_row *row;
	const char *before = "";
	size_t i;

	for (i = 0; (row = command_row(i)) != NULL; i++) {
		if (word == NULL && strcmp(before, row->word) != 0)
			puts(row->word);
		else if (word != NULL && strcmp(row->word, word) == 0 &&
		    row->verb != NULL)
			puts(row->verb);
		before = row->word;
	}
}

static void
completion_print_commands(void)
{
	completion_print_words(NULL);
}

static void
completion_print_clients(void)
{
	size_t i;

	for (i = 0; adopt_client_at(i) != NULL; i++)
		puts(adopt_client_at(i)->name);
}

static void
completion_print_settings(void)
{
	size_t i;

	for (i = 0; i < OPTION_IDS; i++)
		puts(option_row(i)->key);
}

static const struct {
	enum command_task task;
	void (*print)(void);
} completion_choices[] = {
#define COMMAND_CHOICES(TASK, what)                                            \
	{ COMMAND_##TASK, completion_print_##what },
#include "../options/commands.def"
};

#define COMPLETION_CHOICES                                                     \
	(sizeof(completion_choices) / sizeof(completion_choices[0]))

/* The words of an option, if it has any. */
static void
completion_print_values(const struct option_row *row)
{
	size_t i;

	if (row->kind == OPTION_KIND_SWITCH)
		fputs("on\noff\n", stdout);
	if (row->kind == OPTION_KIND_AUTO)
		puts("auto");
	for (i = 0; row->words != NULL && row->words[i] != NULL; i++)
		puts(row->words[i]);
}

/* A flag; fish shows what it is for. */
static void
completion_print_flag(const char *key, const char *doc, const char *shell)
{
	char flag[OPTION_NAME_SIZE];

	option_flag(key, flag);
	if (strcmp(shell, "fish") == 0)
		printf("%s\t%s\n", flag, doc);
	else
		puts(flag);
}

static void
completion_print_flags(const struct command_row *row, const char *shell)
{
	const struct option_action_row *action;
	enum command_flag flag;
	enum option_id id;
	size_t i;

	for (flag = COMMAND_FLAG_NONE + 1; flag < COMMAND_FLAGS; flag++)
		if (row != NULL && command_takes(row->task, flag))
			completion_print_flag(command_flag_row(flag)->key,
			    command_flag_row(flag)->doc, shell);
	for (id = 0; id < OPTION_IDS; id++)
		completion_print_flag(
		    option_row(id)->key, option_row(id)->doc, shell);
	for (i = 0; (action = option_action_row(i)) != NULL; i++)
		completion_print_flag(action->key, action->doc, shell);
}

/*
 * Becomes the command that lists the names of a word, such as "servers"; flags
 * is a text list of more arguments.
 */
static int
completion_print_names(const struct command_setup *setup, const char *word,
    const struct buffer *flags, struct err *err)
{
	auto_buffer struct buffer words = { 0 };
	auto_free char **argv = NULL;

	text_list_add(&words, setup->self->exe);
	text_list_add(&words, word);
	text_list_add(&words, "list");
	text_list_add(&words, "--names");
	if (flags != NULL)
		buffer_add(&words, flags->data, flags->len);
	argv = text_list_vector(words.data, words.len);
	fflush(stdout);
	return spawn_instead(argv, setup->envp, err);
}

/* Returns the option that a word of len bytes names, with or without dashes. */
static enum option_id
completion_option(const char *word, size_t len)
{
	size_t dashes = strspn(word, "-");
	char key[OPTION_NAME_SIZE];

	option_key(word + dashes, len > dashes ? len - dashes : 0, key);
	return option_find(key);
}

/*
 * Takes the flag that words begin with, and its value, if it is not the n-th.
 * One with a value that a list understands is added to flags. Returns how many
 * words these are.
 */
static size_t
completion_take_flag(char **words, size_t n, const struct command_row *list,
    struct buffer *flags)
{
	size_t len = strcspn(words[0], "="), taken = 1, i;
	enum command_flag flag = command_flag_find(words[0], len);
	int valued = flag == COMMAND_FLAG_NONE ?
	    completion_option(words[0], len) != OPTION_IDS :
	    command_flag_row(flag)->value != NULL;

	if (valued && words[0][len] == '\0' && n > 1)
		taken = 2;
	if (valued && (flag == COMMAND_FLAG_NONE ||
		(list != NULL && command_takes(list->task, flag))))
		for (i = 0; i < taken; i++)
			text_list_add(flags, words[i]);
	return taken;
}

/* Takes the flags out of n words. Returns how many remain. */
static size_t
completion_take_flags(char **words, size_t n, struct buffer *flags)
{
	const struct command_row *list = command_find(words[0], "list");
	size_t i, left = 0;

	for (i = 0; i < n;)
		if (words[i][0] == '-')
			i += completion_take_flag(
			    words + i, n - i, list, flags);
		else
			words[left++] = words[i++];
	return left;
}

/* Whether the list of the same word prints what the first operand may be. */
static int
completion_takes_name(const struct command_row *row)
{
	const struct command_row *list = command_find(row->word, "list");
	const char *operand = row->operands == NULL ? "" : row->operands;

	operand += operand[0] == '[';
	return list != NULL && command_takes(list->task, COMMAND_FLAG_NAMES) &&
	    strcmp(row->verb, "add") != 0 &&
	    (strncmp(operand, "NAME", 4) == 0 ||
		strncmp(operand, "KEY", 3) == 0 ||
		strcmp(operand, "ID") == 0);
}

/* The first operand of a command; flags are those of the line. */
static int
completion_print_operand(const struct command_setup *setup,
    const struct command_row *row, const struct buffer *flags, struct err *err)
{
	const char *p = row->operands;
	size_t i;

	for (i = 0; i < COMPLETION_CHOICES; i++)
		if (completion_choices[i].task == row->task)
			completion_choices[i].print();
	if (row->verb != NULL && completion_takes_name(row))
		return completion_print_names(setup, row->word, flags, err);
	if (p != NULL && memchr(p, '|', strcspn(p, " ")) != NULL)
		for (; *p != ' ' && *p != '\0'; p++)
			putchar(strchr("[|]", *p) != NULL ? '\n' : *p);
	return 0;
}

/* What may stand at the n-th word of a command line; words[n] begins it. */
static int
completion_print_next(const struct command_setup *setup, char **words,
    size_t n, struct err *err)
{
	const char *shell = setup->options->command.operand;
	const char *before = n == 0 ? "" : words[n - 1], *last = words[n];
	enum command_flag flag = command_flag_find(before, strlen(before));
	enum option_id id = completion_option(before, strlen(before));
	auto_buffer struct buffer flags = { 0 };
	const struct command_row *row;

	if (flag != COMMAND_FLAG_NONE && command_flag_row(flag)->value != NULL)
		return flag == COMMAND_FLAG_SERVER ?
		    completion_print_names(setup, "servers", NULL, err) :
		    flag == COMMAND_FLAG_OWNER ?
		    completion_print_names(setup, "token", NULL, err) : 0;
	n = completion_take_flags(words, n, &flags);
	row = n < 2 ? NULL : command_find(words[0], words[1]);
	if (row == NULL && n > 0)
		row = command_find(words[0], NULL);
	if (id != OPTION_IDS && (before[0] == '-' ||
		(row != NULL && row->task == COMMAND_CONFIG_SET && n == 3))) {
		completion_print_values(option_row(id));
		return 0;
	}
	if (last[0] == '-')
		completion_print_flags(row, shell);
	else if (n < 2)
		completion_print_words(n == 0 ? NULL : words[0]);
	if (last[0] != '-' && row != NULL && n == (row->verb == NULL ? 1U : 2U))
		return completion_print_operand(setup, row, &flags, err);
	return 0;
}

int
completion_run(struct command_setup *setup, struct err *err)
{
	const struct command *command = &setup->options->command;
	const char *shell = command->operand;
	size_t n = 0;

	while (command->rest != NULL && command->rest[n] != NULL)
		n++;
	if (n > 0)
		return completion_print_next(setup, command->rest, n - 1, err);
	fputs(strcmp(shell, "bash") == 0 ? completion_bash :
	    strcmp(shell, "zsh") == 0 ? completion_zsh : completion_fish,
	    stdout);
	return 0;
}
