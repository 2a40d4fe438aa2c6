/*
 * The command line: see option_flags.h. Runs in the supervisor; opens and
 * changes nothing.
 */
#include <string.h>

#include "option_flags.h"
#include "option_value.h"
#include "../../common/limits.h"
#include "../../common/shown.h"

/* Whether len bytes of arg are this flag. */
static int
option_flags_match(const char *flag, const char *arg, size_t len)
{
	return strlen(flag) == len && memcmp(flag, arg, len) == 0;
}

/* Whether len bytes of arg are the flag of this key. */
static int
option_flags_are(const char *key, const char *arg, size_t len)
{
	char name[OPTION_NAME_SIZE];

	option_flag(key, name);
	return option_flags_match(name, arg, len);
}

static int
option_flags_unknown(const char *arg, size_t len, struct err *err)
{
	auto_buffer struct buffer name = { 0 };
	auto_buffer struct buffer shown = { 0 };
	char key[OPTION_NAME_SIZE], flag[OPTION_NAME_SIZE];
	const char *near;
	size_t dashes = strspn(arg, "-");

	buffer_add(&name, arg, len);
	shown_add_quoted(&shown, name.data, OPTION_VALUE_SHOWN);
	if (dashes == 0)
		return err_set(err, "\"%s\" is not understood: behind the "
		    "command there are options only, 'caisson --help' lists "
		    "them", shown.data);
	option_key(arg + dashes, len > dashes ? len - dashes : 0, key);
	near = option_nearest(key, 1);
	if (near == NULL)
		return err_set(err, "%s is not an option: 'caisson --help' "
		    "lists them", shown.data);
	option_flag(near, flag);
	return err_set(err, "%s is not an option: did you mean %s?",
	    shown.data, flag);
}

/* Finds which option or action len bytes of arg name. */
static int
option_flags_find(
    struct option_flag *flag, const char *arg, size_t len, struct err *err)
{
	char key[OPTION_NAME_SIZE];

	flag->id = OPTION_IDS;
	flag->action = OPTION_NONE;
	flag->verbose = option_flags_match("-v", arg, len) ||
	    option_flags_match("--verbose", arg, len);
	flag->brief = option_flags_match("-h", arg, len);
	if (flag->brief)
		flag->action = OPTION_HELP;
	else if (option_flags_match("-V", arg, len))
		flag->action = OPTION_VERSION;
	if (flag->verbose || flag->action != OPTION_NONE)
		return 0;
	if (len < 3)
		return option_flags_unknown(arg, len, err);
	option_key(arg + 2, len - 2, key);
	if (!option_flags_are(key, arg, len))
		return option_flags_unknown(arg, len, err);
	flag->id = option_find(key);
	if (flag->id != OPTION_IDS)
		return 0;
	flag->action = option_action_find(key);
	if (flag->action != OPTION_ACTIONS)
		return 0;
	return option_flags_unknown(arg, len, err);
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

/* What an action is about, which may be left out at the end. */
static const char *
option_flags_argument(struct option_flags *walk)
{
	if (walk->next >= walk->argc ||
	    strncmp(walk->argv[walk->next], "--", 2) == 0)
		return NULL;
	return walk->argv[walk->next++];
}

int
option_flags_next(
    struct option_flags *walk, struct option_flag *flag, struct err *err)
{
	const char *arg, *equals;
	size_t len;

	if (walk->next >= walk->argc)
		return 0;
	arg = walk->argv[walk->next++];
	len = strcspn(arg, "=");
	equals = arg[len] == '=' ? arg + len : NULL;
	if (option_flags_find(flag, arg, len, err) == -1)
		return -1;
	flag->value = equals == NULL ? NULL : equals + 1;
	if (flag->action != OPTION_NONE &&
	    option_action_row(flag->action)->argument != NULL) {
		if (equals == NULL)
			flag->value = option_flags_argument(walk);
		return 1;
	}
	if (flag->id == OPTION_IDS)
		return equals == NULL ? 1 :
		    err_set(err, "%.*s takes no value", (int)len, arg);
	if (equals != NULL)
		return 1;
	if (walk->next >= walk->argc)
		return option_flags_no_value(flag->id, arg, err);
	flag->value = walk->argv[walk->next++];
	return 1;
}
