/*
 * Tests of worker/box/trial/proc_line: which lines of /proc tell that a
 * container is not isolated.
 */
#include <stdlib.h>
#include <string.h>

#include "tests/unit/unit.h"
#include "worker/box/trial/trial.h"

UNIT_TEST(test_fields)
{
	unsigned long long value = 7;

	ck_assert(proc_line_field("CapEff:\t000001ffffffffff\n", "CapEff", 16,
	    &value));
	ck_assert(value == 0x1ffffffffffULL);
	ck_assert(proc_line_field("Seccomp:\t2\n", "Seccomp", 10, &value));
	ck_assert(value == 2);
	ck_assert(!proc_line_field(
	    "Seccomp_filters:\t5\n", "Seccomp", 10, &value));
	ck_assert(!proc_line_field("Sec", "Seccomp", 10, &value));
	ck_assert(!proc_line_field("Name:\tSeccomp:\n", "Seccomp", 10, &value));
	ck_assert(value == 2);
}

UNIT_TEST(test_routes)
{
	ck_assert(proc_line_is_lonely(
	    "00000000000000000000000000000001 80 "
	    "00000000000000000000000000000000 00 "
	    "00000000000000000000000000000000 00000000 00000002 00000000 "
	    "80200001       lo\n"));
	ck_assert(!proc_line_is_lonely("fe80 40 00200001     eth0\n"));
	ck_assert(!proc_line_is_lonely("fe80 40 00200001     solo\n"));
	ck_assert(!proc_line_is_lonely("lo\n"));
	ck_assert(!proc_line_is_lonely("fe80 lo"));
	ck_assert(!proc_line_is_lonely(""));
}

static const struct {
	const char *line;
	const char *place; /* NULL: no volume */
} mounts[] = {
	{ "overlay / overlay rw,lowerdir=/a 0 0\n", "/" },
	{ "overlay / overlay ro,lowerdir=/a 0 0\n", NULL },
	{ "tmpfs /tmp tmpfs rw,nosuid,nodev,noexec 0 0\n", NULL },
	{ "tmpfs /workspace/out tmpfs rw,noexec 0 0\n", NULL },
	{ "tmpfs /data tmpfs rw,noexec 0 0\n", NULL },
	/* Of ours, only what is as Caisson asks for it. */
	{ "tmpfs /tmp tmpfs rw,nosuid 0 0\n", "/tmp" },
	{ "tmpfs /workspace/in tmpfs rw,noexec 0 0\n", "/workspace/in" },
	{ "/dev/sda /volume ext4 rw,noexec 0 0\n", "/volume" },
	{ "/dev/sda /volume ext4 relatime,rw 0 0\n", "/volume" },
	{ "/dev/sda /volume ext4 ro,errors=rw 0 0\n", NULL },
	{ "/dev/sda /volume ext4 rwx,ro 0 0\n", NULL },
	/* Those of the kernel, and names that only begin like them. */
	{ "proc /proc proc rw 0 0\n", NULL },
	{ "tmpfs /dev/shm tmpfs rw 0 0\n", NULL },
	{ "cgroup /sys/fs/cgroup cgroup rw 0 0\n", NULL },
	{ "tmpfs /devices tmpfs rw 0 0\n", "/devices" },
	{ "tmpfs /de tmpfs rw 0 0\n", "/de" },
	{ "a\\040b /a\\040b\\134c\\012 ext4 rw 0 0\n", "/a b\\c\n" },
	{ "a /tmp\\040x tmpfs rw,noexec 0 0\n", "/tmp x" },
	{ "a /\\04 tmpfs rw 0 0\n", "/\\04" },
	/* Not of the kernel. */
	{ "a /b tmpfs\n", NULL },
	{ "\n", NULL },
	{ "", NULL },
};

UNIT_TESTS(test_mounts, UNIT_COUNT(mounts))
{
	char *line = strdup(mounts[_i].line);
	const char *place = proc_line_volume(line);

	if (mounts[_i].place == NULL)
		ck_assert_msg(place == NULL, "%s", mounts[_i].line);
	else
		ck_assert_pstr_eq(place, mounts[_i].place);
	free(line);
}
