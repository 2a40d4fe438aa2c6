/*
 * The command line: see option_flags.h. Runs in the supervisor; opens and
 * changes nothing.
 */
#include <string.h>

#include "command_word.h"
#include "option_flags.h"
#include "option_value.h"
#include "text/suggest.h"
#include "../../common/limits.h"
#include "../../common/base/shown.h"

/* Returns whether len bytes of arg are this flag. */
static int
option_flags_match(const char *flag, const char *arg, size_t len)
{
	return strlen(flag) == len && memcmp(flag, arg, len) == 0;
}

/* Returns whether len bytes of arg are the flag of this key. */
static int
option_flags_are(const char *key, const char *arg, size_t len)
{
	char name[OPTION_NAME_SIZE];

	option_flag(key, name);
	return option_flags_match(name, arg, len);
}

/* Sets the error for a word where a flag is expected. */
static int
option_flags_word_error(
    enum command_task task, const char *word, struct err *err)
{
	auto_buffer struct buffer shown = { 0 };
	const char *near = command_nearest(word);

	if (task != COMMAND_NONE)
		return command_superfluous(word, err);
	shown_add_quoted(&shown, word, OPTION_VALUE_SHOWN);
	if (near != NULL && strcmp(near, word) == 0)
		return err_set(err, "the command \"%s\" must come before all "
		    "options", shown.data);
	return err_set(err, "\"%s\" is not understood: only options may "
	    "follow an option, 'caisson --help' lists them", shown.data);
}

static int
option_flags_unknown(
    enum command_task task, const char *arg, size_t len, struct err *err)
{
	auto_buffer struct buffer name = { 0 };
	auto_buffer struct buffer shown = { 0 };
	char key[OPTION_NAME_SIZE], flag[OPTION_NAME_SIZE];
	size_t dashes = strspn(arg, "-");
	struct suggest suggest;

	buffer_add(&name, arg, len);
	if (dashes == 0)
		return option_flags_word_error(task, name.data, err);
	shown_add_quoted(&shown, name.data, OPTION_VALUE_SHOWN);
	option_key(arg + dashes, len > dashes ? len - dashes : 0, key);
	suggest = suggest_start(key);
	command_flag_suggest(&suggest, task);
	option_suggest(&suggest, 1);
	if (suggest.best == NULL)
		return err_set(err, "%s is not an option: 'caisson --help' "
		    "lists them", shown.data);
	option_flag(suggest.best, flag);
	return err_set(err, "%s is not an option: did you mean %s?",
	    shown.data, flag);
}

/* Finds the option, action or flag of a command in len bytes of arg. */
static int
option_flags_find(enum command_task task, struct option_flag *flag,
    const char *arg, size_t len, struct err *err)
{
	char key[OPTION_NAME_SIZE];

	flag->own = command_flag_find(arg, len);
	flag->brief = option_flags_match("-h", arg, len);
	if (flag->brief)
		flag->action = OPTION_HELP;
	else if (option_flags_match("-V", arg, len))
		flag->action = OPTION_VERSION;
	if (flag->action != OPTION_NONE || flag->own != COMMAND_FLAG_NONE)
		return 0;
	if (len < 3)
		return option_flags_unknown(task, arg, len, err);
	option_key(arg + 2, len - 2, key);
	if (!option_flags_are(key, arg, len))
		return option_flags_unknown(task, arg, len, err);
	flag->id = option_find(key);
	if (flag->id != OPTION_IDS)
		return 0;
	flag->action = option_action_find(key);
	if (flag->action != OPTION_ACTIONS)
		return 0;
	return option_flags_unknown(task, arg, len, err);
}

static int
option_flags_no_value(enum option_id id, const char *arg, struct err *err)
{
	auto_buffer struct buffer allowed = { 0 };

	option_value_add_allowed(&allowed, option_row(id));
	option_value_add_examples(&allowed, option_row(id));
	return err_set(err, "%s lacks its value, which must be %s", arg,
	    allowed.data);
}

/* Returns the argument of an action, which may be omitted at the end. */
static const char *
option_flags_argument(struct option_flags *walk)
{
	if (walk->next >= walk->argc ||
	    strncmp(walk->argv[walk->next], "--", 2) == 0)
		return NULL;
	return walk->argv[walk->next++];
}

/* Reads the value of a flag of a command. Returns 1, or -1 with err. */
static int
option_flags_own(struct option_flags *walk, struct option_flag *flag,
    const char *arg, size_t len, struct err *err)
{
	const struct command_flag_row *row = command_flag_row(flag->own);

	if (row->value == NULL)
		return flag->value == NULL ? 1 :
		    err_set(err, "%.*s takes no value", (int)len, arg);
	/* After a dash there is a value only behind "=", or nothing. */
	if (flag->value == NULL && walk->next < walk->argc &&
	    (walk->argv[walk->next][0] != '-' ||
	        strcmp(walk->argv[walk->next], "-") == 0))
		flag->value = walk->argv[walk->next++];
	if (flag->value == NULL)
		return err_set(
		    err, "%.*s lacks its %s", (int)len, arg, row->value);
	if (row->times == COMMAND_LIST)
		walk->list = flag->own;
	return 1;
}

/* Takes a word that is not a flag, after a command. */
static int
option_flags_word(struct option_flags *walk, struct option_flag *flag)
{
	const char *arg = walk->argv[walk->next];

	if (strcmp(arg, "--") == 0) {
		flag->rest = walk->argv + walk->next + 1;
		walk->next = walk->argc;
		return 1;
	}
	if (arg[0] == '-' && arg[1] != '\0')
		return 0;
	walk->next++;
	if (walk->list == COMMAND_FLAG_NONE) {
		flag->word = arg;
		return 1;
	}
	flag->own = walk->list;
	flag->value = arg;
	return 1;
}

int
option_flags_next(
    struct option_flags *walk, struct option_flag *flag, struct err *err)
{
	const char *arg, *equals;
	size_t len;

	*flag = (struct option_flag){ .id = OPTION_IDS };
	if (walk->next >= walk->argc)
		return 0;
	if (walk->task != COMMAND_NONE && option_flags_word(walk, flag))
		return 1;
	arg = walk->argv[walk->next++];
	walk->list = COMMAND_FLAG_NONE;
	len = strcspn(arg, "=");
	equals = arg[len] == '=' ? arg + len : NULL;
	if (option_flags_find(walk->task, flag, arg, len, err) == -1)
		return -1;
	flag->value = equals == NULL ? NULL : equals + 1;
	if (flag->own != COMMAND_FLAG_NONE)
		return option_flags_own(walk, flag, arg, len, err);
	if (flag->action != OPTION_NONE &&
	    option_action_row(flag->action)->argument != NULL) {
		if (equals == NULL)
			flag->value = option_flags_argument(walk);
		return 1;
	}
	if (flag->action != OPTION_NONE)
		return equals == NULL ? 1 :
		    err_set(err, "%.*s takes no value", (int)len, arg);
	if (equals != NULL)
		return 1;
	if (walk->next >= walk->argc)
		return option_flags_no_value(flag->id, arg, err);
	flag->value = walk->argv[walk->next++];
	return 1;
}
