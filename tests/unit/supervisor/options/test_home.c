/*
 * Tests of supervisor/options/home: which folders of the user may be used, by
 * whose they are, and what is said of the others.
 */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "supervisor/options/home.h"
#include "tests/unit/unit.h"

#define STRANGER 4242

static char folder[] = "/tmp/caisson-test-XXXXXX";
static char variable[4 * sizeof(folder)];
static char *envp[] = { (char *)"A=b", variable, NULL };

static void
enter(void)
{
	ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void
leave(void)
{
	ck_assert_int_eq(rmdir(folder), 0);
}

static void
set(const char *name, const char *value, const char *more)
{
	snprintf(variable, sizeof(variable), "%s=%s%s", name, value, more);
}

static const struct {
	const char *name, *value;
	int found;
} values[] = {
	{ "HOME", "/home/me", 1 },
	{ "HOME", "/", 1 },
	{ "HOME", "", 0 },
	{ "HOME", "relative", 0 },
	{ "HOMER", "/x", 0 },
	{ "XHOME", "/x", 0 },
};

UNIT_TESTS(a_folder_is_an_absolute_path, UNIT_COUNT(values))
{
	const char *found;

	set(values[_i].name, values[_i].value, "");
	found = home_folder(envp, "HOME");
	ck_assert_int_eq(found != NULL, values[_i].found);
	if (found != NULL)
		ck_assert_str_eq(found, values[_i].value);
}

UNIT_TEST(settings_may_have_moved)
{
	set("HOME", "/home/me", "");
	ck_assert_str_eq(home_settings_variable(envp), "HOME");
	set("XDG_CONFIG_HOME", "relative", "");
	ck_assert_str_eq(home_settings_variable(envp), "HOME");
	set("XDG_CONFIG_HOME", "/x", "");
	ck_assert_str_eq(home_settings_variable(envp), "XDG_CONFIG_HOME");
}

/* What is missing would be made in the nearest folder above it. */
static const char *const places[] = { "", "/none", "/none/at/all", "/" };

UNIT_TESTS(our_own_folders_are_used, UNIT_COUNT(places))
{
	set("HOME", folder, places[_i]);
	ck_assert_ptr_null(home_refusal(envp, "HOME"));
	ck_assert_ptr_null(home_refusal(envp, "OTHER"));
	ck_assert_uint_eq(home_owner(folder), geteuid());
}

static const char *const of_root[] = { "/", "/usr", "/none/at/all", "//" };

UNIT_TESTS(folders_of_root_are_used, UNIT_COUNT(of_root))
{
	set("HOME", of_root[_i], "");
	ck_assert_ptr_null(home_refusal(envp, "HOME"));
	ck_assert_uint_eq(home_owner(of_root[_i]), 0);
}

/* Makes the folder another user's; returns whether that can be. */
static int
give_away(void)
{
	if (geteuid() != 0) {
		unit_skip("only root can give a folder away");
		return 0;
	}
	ck_assert_int_eq(chown(folder, STRANGER, STRANGER), 0);
	return 1;
}

UNIT_TESTS(folders_of_others_are_not, UNIT_COUNT(places))
{
	auto_free char *why = NULL;
	auto_free char *wanted = NULL;

	if (!give_away())
		return;
	set("HOME", folder, places[_i]);
	why = home_refusal(envp, "HOME");
	wanted = mem_printf("HOME (%s%s) belongs to user 4242, but Caisson "
	    "runs as user 0: set HOME=/root (sudo -H), or run Caisson as user "
	    "4242", folder, places[_i]);
	ck_assert_str_eq(why, wanted);
	ck_assert_uint_eq(home_owner(folder), STRANGER);
}

/* As an ordinary user who is given the home of another one. */
UNIT_TEST(an_ordinary_user_gets_the_fix)
{
	auto_free char *why = NULL;
	auto_free char *wanted = NULL;

	if (!give_away())
		return;
	set("XDG_STATE_HOME", folder, "");
	ck_assert_int_eq(seteuid(STRANGER + 1), 0);
	why = home_refusal(envp, "XDG_STATE_HOME");
	ck_assert_int_eq(seteuid(0), 0);
	wanted = mem_printf("XDG_STATE_HOME (%s) belongs to user 4242, but "
	    "Caisson runs as user 4243: set XDG_STATE_HOME to a folder of "
	    "user 4243, or run Caisson as user 4242", folder);
	ck_assert_str_eq(why, wanted);
}

static void
expect_changeable(mode_t mode, const char *wanted)
{
	auto_free char *below = mem_printf("%s/nosuch", folder);
	auto_free char *found = home_changeable(folder);
	auto_free char *missing = home_changeable(below);

	ck_assert_msg(wanted == NULL ? found == NULL :
	    found != NULL && strcmp(found, wanted) == 0, "%o", mode);
	/* Whoever looks at it again would find another one. */
	ck_assert_str_eq(missing, below);
}

UNIT_TEST(directories_that_others_can_change_are_found)
{
	static const struct {
		mode_t mode;
		int found;
	} modes[] = { { 0700, 0 }, { 0755, 0 }, { 0775, 1 }, { 0757, 1 },
		{ 01777, 0 } };
	size_t i;

	for (i = 0; i < UNIT_COUNT(modes); i++) {
		ck_assert_int_eq(chmod(folder, modes[i].mode), 0);
		expect_changeable(
		    modes[i].mode, modes[i].found ? folder : NULL);
	}
	if (geteuid() != 0)
		return;
	ck_assert_int_eq(chown(folder, STRANGER, 0), 0);
	expect_changeable(0, folder);
}

UNIT_FIXTURE(enter, leave)
