/*
 * Tests of supervisor/box/native/namespace_fix: each switch that forbids
 * namespaces has its own sentence, for the steps that it makes fail and for no
 * other. The switches are files of the test.
 */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/box_step.h"
#include "common/base/mem.h"
#include "tests/unit/unit_folder.h"
#include "supervisor/box/native/native.h"

#define USERNS_CLONE "sys/kernel/unprivileged_userns_clone"
#define APPARMOR "sys/kernel/apparmor_restrict_unprivileged_userns"

/* The directory is in the place of /proc. */
static void
setup(void)
{
	static const char *const folders[] = { "sys", "sys/user",
		"sys/kernel", "self" };
	size_t i;

	for (i = 0; i < UNIT_COUNT(folders); i++)
		ck_assert_int_eq(mkdir(folders[i], 0700), 0);
}

static const char *
usual(enum box_step step)
{
	return box_step_info(step)->fix;
}

static void
assert_names(enum box_step step, const char *word)
{
	const char *fix = namespace_fix(step, folder);

	ck_assert_msg(strstr(fix, word) != NULL, "%s: %s",
	    box_step_info(step)->what, fix);
	/* It stands inside of a sentence. */
	ck_assert_int_ne(fix[strlen(fix) - 1], '.');
}

/* As on a system that allows everything, or where nothing can be read. */
UNIT_TESTS(has_no_cause_without_one, BOX_STEPS)
{
	ck_assert_str_eq(namespace_fix((unsigned long)_i, folder), usual(_i));
	put_file("sys/user/max_user_namespaces", "15000\n");
	put_file("sys/user/max_net_namespaces", "15000\n");
	put_file(USERNS_CLONE, "1\n");
	put_file(APPARMOR, "0\n");
	put_file("self/status", "Name:\tcaisson\nSeccomp:\t0\n");
	ck_assert_str_eq(namespace_fix((unsigned long)_i, folder), usual(_i));
	put_file(APPARMOR, "what?\n");
	put_file("self/status", "");
	ck_assert_str_eq(namespace_fix((unsigned long)_i, folder), usual(_i));
}

UNIT_TEST(has_no_fix_for_no_step)
{
	ck_assert_ptr_null(namespace_fix(BOX_STEPS, folder));
	ck_assert_ptr_null(namespace_fix(~0UL, folder));
}

UNIT_TEST(names_the_switch_of_older_debian)
{
	put_file(USERNS_CLONE, "0\n");
	assert_names(BOX_STEP_USER_NAMESPACE,
	    "'sysctl kernel.unprivileged_userns_clone=1'");
	ck_assert_str_eq(namespace_fix(BOX_STEP_USER_MAP, folder),
	    usual(BOX_STEP_USER_MAP));
}

UNIT_TEST(names_the_limit_of_user_namespaces)
{
	put_file("sys/user/max_user_namespaces", "0\n");
	assert_names(BOX_STEP_USER_NAMESPACE,
	    "'sysctl user.max_user_namespaces=15000'");
	ck_assert_str_eq(namespace_fix(BOX_STEP_NAMESPACES, folder),
	    usual(BOX_STEP_NAMESPACES));
}

UNIT_TESTS(names_the_limit_of_each_other_kind, 6)
{
	static const char *const kinds[] = { "mnt", "pid", "net", "ipc", "uts",
		"cgroup" };
	auto_free char *name =
	    mem_printf("sys/user/max_%s_namespaces", kinds[_i]);
	auto_free char *fix =
	    mem_printf("'sysctl user.max_%s_namespaces=15000'", kinds[_i]);

	put_file(name, "0\n");
	assert_names(BOX_STEP_NAMESPACES, fix);
	ck_assert_str_eq(namespace_fix(BOX_STEP_USER_NAMESPACE, folder),
	    usual(BOX_STEP_USER_NAMESPACE));
}

/* It lets a namespace be made, and later steps fail. */
UNIT_TESTS(names_the_profile_of_apparmor, 4)
{
	static const enum box_step steps[] = { BOX_STEP_USER_NAMESPACE,
		BOX_STEP_USER_MAP, BOX_STEP_NAMESPACES, BOX_STEP_VIEW };

	put_file(APPARMOR, "1\n");
	assert_names(steps[_i], "apparmor_parser -r");
	assert_names(steps[_i], "/apparmor.d/caisson-box'");
	ck_assert_str_eq(namespace_fix(BOX_STEP_PIVOT, folder),
	    usual(BOX_STEP_PIVOT));
}

UNIT_TEST(names_a_filter_of_a_container)
{
	put_file("self/status", "Name:\tcaisson\nNoNewPrivs:\t0\nSeccomp:\t2\n"
	    "Seccomp_filters:\t1\n");
	assert_names(BOX_STEP_USER_NAMESPACE, "--security-opt seccomp=");
	assert_names(BOX_STEP_VIEW, "--security-opt seccomp=");
	ck_assert_str_eq(namespace_fix(BOX_STEP_LIMITS, folder),
	    usual(BOX_STEP_LIMITS));
	/* A switch that is off would stop it without any filter. */
	put_file("sys/user/max_user_namespaces", "0\n");
	assert_names(BOX_STEP_USER_NAMESPACE, "sysctl");
}

/* A folder of the test's, or a link to a path that is there anyway. */
static void
point(const char *name, const char *target)
{
	auto_free char *path = mem_printf("%s/%s", folder, name);

	ck_assert_int_eq(symlink(target, path), 0);
}

/* No root of a process is a folder of a file system, but in a chroot. */
UNIT_TEST(names_a_chroot)
{
	point("self/root", folder);
	assert_names(BOX_STEP_USER_NAMESPACE, "in a chroot");
	assert_names(BOX_STEP_USER_NAMESPACE, "pivot_root");
	ck_assert_str_eq(namespace_fix(BOX_STEP_USER_MAP, folder),
	    usual(BOX_STEP_USER_MAP));
	/* No filter has to be changed, but a switch that is off has. */
	put_file("self/status", "Seccomp:\t2\n");
	assert_names(BOX_STEP_USER_NAMESPACE, "in a chroot");
	put_file("sys/user/max_user_namespaces", "0\n");
	assert_names(BOX_STEP_USER_NAMESPACE, "sysctl");
}

/* Its root may be a mount: then it is compared with that of process 1. */
UNIT_TESTS(names_a_chroot_at_a_mount, 4)
{
	static const struct {
		const char *root, *mounts;
		int told;
	} firsts[] = {
		{ "/proc", "mnt:[1]", 1 },
		{ "/proc", "mnt:[2]", 0 },
		{ "/", "mnt:[1]", 0 },
		{ "/none", "mnt:[1]", 0 },
	};
	auto_free char *one = mem_printf("%s/1", folder);
	auto_free char *ns = mem_printf("%s/1/ns", folder);
	auto_free char *own = mem_printf("%s/self/ns", folder);

	ck_assert_int_eq(mkdir(one, 0700), 0);
	ck_assert_int_eq(mkdir(ns, 0700), 0);
	ck_assert_int_eq(mkdir(own, 0700), 0);
	point("self/root", "/");
	point("self/ns/mnt", "mnt:[1]");
	point("1/root", firsts[_i].root);
	point("1/ns/mnt", firsts[_i].mounts);
	if (firsts[_i].told)
		assert_names(BOX_STEP_USER_NAMESPACE, "in a chroot");
	else
		ck_assert_str_eq(namespace_fix(BOX_STEP_USER_NAMESPACE, folder),
		    usual(BOX_STEP_USER_NAMESPACE));
}

UNIT_FIXTURE(setup, NULL)
