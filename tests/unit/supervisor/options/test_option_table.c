/*
 * Tests of supervisor/options/option_table: that every row of options.def is
 * sound, and that names turn into keys and back.
 */
#include <ctype.h>
#include <string.h>

#include "common/base/log.h"
#include "supervisor/options/option_table.h"
#include "supervisor/options/option_value.h"
#include "tests/unit/unit.h"

UNIT_EACH(every_row_is_sound, OPTION_IDS)
{
	const struct option_row *row = option_row((enum option_id)_i);
	uint64_t number;
	const char *p;

	ck_assert_uint_eq(option_find(row->key), (unsigned int)_i);
	ck_assert_uint_lt(
	    strlen(OPTION_PREFIX) + strlen(row->key), OPTION_NAME_SIZE);
	for (p = row->key; *p != '\0'; p++)
		ck_assert_msg(islower((unsigned char)*p) || *p == '_',
		    "key %s", row->key);
	ck_assert_msg(row->least <= row->most, "bounds of %s", row->key);
	ck_assert_msg((row->kind == OPTION_KIND_CHOICE ||
		row->kind == OPTION_KIND_PROGRAM ||
		row->kind == OPTION_KIND_WORDS) == (row->words != NULL),
	    "words of %s", row->key);
	ck_assert_msg(row->doc[strlen(row->doc) - 1] == '.' &&
	    isupper((unsigned char)row->doc[0]), "sentence of %s", row->key);
	if (row->default_text != NULL)
		ck_assert_msg(option_value_parse(row, row->default_text,
		    &number) == 0, "default of %s", row->key);
}

UNIT_EACH(names_go_both_ways, OPTION_IDS)
{
	const char *key = option_row((enum option_id)_i)->key;
	char name[OPTION_NAME_SIZE], back[OPTION_NAME_SIZE];

	option_flag(key, name);
	ck_assert_int_eq(strncmp(name, "--", 2), 0);
	ck_assert_ptr_null(strchr(name, '_'));
	option_key(name + 2, strlen(name) - 2, back);
	ck_assert_str_eq(back, key);
	option_variable(key, name);
	ck_assert_int_eq(strncmp(name, OPTION_PREFIX,
	    strlen(OPTION_PREFIX)), 0);
	option_key(name + strlen(OPTION_PREFIX),
	    strlen(name) - strlen(OPTION_PREFIX), back);
	ck_assert_str_eq(back, key);
}

UNIT_TEST(names_are_those_that_users_know)
{
	char name[OPTION_NAME_SIZE];

	option_variable("max_timeout", name);
	ck_assert_str_eq(name, "CAISSON_MAX_TIMEOUT");
	option_former("max_timeout", name);
	ck_assert_str_eq(name, "MCP_BRIDGE_MAX_TIMEOUT");
	option_flag("max_timeout", name);
	ck_assert_str_eq(name, "--max-timeout");
}

UNIT_TEST(long_names_are_cut)
{
	char name[4 * OPTION_NAME_SIZE], key[OPTION_NAME_SIZE];

	memset(name, 'A', sizeof(name));
	option_key(name, sizeof(name), key);
	ck_assert_uint_eq(strlen(key), OPTION_NAME_SIZE - 1);
	ck_assert_uint_eq(option_find(key), OPTION_IDS);
}

UNIT_TEST(actions_are_no_options)
{
	const struct option_action_row *action;
	size_t i;

	for (i = 0; (action = option_action_row(i)) != NULL; i++) {
		const char *key = action->key;

		ck_assert_ptr_eq(option_action_find(key), action);
		ck_assert_ptr_eq(option_action_of(action->task), action);
		ck_assert_uint_eq(option_find(key), OPTION_IDS);
		/* "help" is near to "shell". */
		if (option_nearest(key, 0) != NULL)
			ck_assert_str_ne(option_nearest(key, 0), key);
		ck_assert_str_eq(option_nearest(key, 1), key);
	}
	ck_assert_ptr_null(option_action_find("serve"));
}

UNIT_TEST(log_levels_are_in_the_order_of_the_log)
{
	const char *const *words = option_row(OPTION_ID_LOG_LEVEL)->words;

	ck_assert_str_eq(words[LOG_LEVEL_ERROR], "error");
	ck_assert_str_eq(words[LOG_LEVEL_WARN], "warn");
	ck_assert_str_eq(words[LOG_LEVEL_INFO], "info");
	ck_assert_str_eq(words[LOG_LEVEL_DEBUG], "debug");
	ck_assert_ptr_null(words[LOG_LEVEL_DEBUG + 1]);
}
