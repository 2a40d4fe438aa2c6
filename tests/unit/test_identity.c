/*
 * Tests of supervisor/identity: who relays and boxes are, for an ordinary
 * user, for root, and for root in user namespaces with many, some and no other
 * users.
 */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/fd.h"
#include "common/limits.h"
#include "supervisor/supervisor.h"
#include "unit.h"

/* What a child reports by its exit status. */
enum { CHOSE_OWN, CHOSE_FEW, CHOSE_NOBODY, REFUSED, CANNOT };

static int
choice(void)
{
	struct err err = { 0, "" };

	if (identity_init(&err) == -1)
		return strstr(err.text, "ordinary user") != NULL ? REFUSED
		                                                 : CANNOT;
	if (identity_relay() == 0 && identity_box(5) == 0)
		return CHOSE_NOBODY;
	if (identity_relay() == RELAY_UID_FEW &&
	    identity_box(1) == BOX_UID_FEW && identity_box(2) == BOX_UID_FEW)
		return CHOSE_FEW;
	if (identity_relay() == RELAY_UID &&
	    identity_box(1) != identity_box(2) &&
	    identity_box(0) == BOX_UID_FIRST &&
	    identity_box(BOX_UID_COUNT) == BOX_UID_FIRST &&
	    identity_box(BOX_UID_COUNT - 1) ==
	        BOX_UID_FIRST + BOX_UID_COUNT - 1)
		return CHOSE_OWN;
	return CANNOT;
}

static int
write_map(pid_t pid, const char *file, const char *map)
{
	char path[64];
	auto_fd int fd = -1;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	return fd == -1 ? -1 : fd_write_all(fd, map, strlen(map));
}

/* Runs choice() as root of a user namespace with this map. */
static int
choice_with_map(const char *map)
{
	int ready[2], go[2], status;
	char byte = 0;
	pid_t pid;

	ck_assert_int_eq(pipe(ready), 0);
	ck_assert_int_eq(pipe(go), 0);
	pid = fork();
	if (pid == 0) {
		if (unshare(CLONE_NEWUSER) == -1 ||
		    write(ready[1], "", 1) != 1 || read(go[0], &byte, 1) != 1)
			_exit(CANNOT);
		_exit(choice());
	}
	close(ready[1]);
	close(go[0]);
	if (read(ready[0], &byte, 1) == 1 &&
	    write_map(pid, "uid_map", map) == 0 &&
	    write_map(pid, "gid_map", map) == 0)
		ck_assert_int_eq(write(go[1], "", 1), 1);
	close(go[1]);
	close(ready[0]);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : CANNOT;
}

static const struct {
	const char *map;
	int want;
} maps[] = {
	{ "0 0 4294967295", CHOSE_OWN },
	{ "0 0 65536", CHOSE_FEW },
	{ "0 0 1\n1 100000 65536", CHOSE_FEW },
	{ "0 0 65534", REFUSED },
	{ "0 0 1", REFUSED },
	{ "0 0 1879048193", CHOSE_FEW },
};

START_TEST(chooses_among_those_who_exist)
{
	if (geteuid() != 0) {
		unit_skip("only root can map many users");
		return;
	}
	ck_assert_msg(choice_with_map(maps[_i].map) == maps[_i].want,
	    "map \"%s\"", maps[_i].map);
}
END_TEST

START_TEST(an_ordinary_user_stays)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		if (geteuid() == 0 &&
		    (setgid(BOX_UID_FEW) == -1 || setuid(BOX_UID_FEW) == -1))
			_exit(CANNOT);
		_exit(choice());
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(WEXITSTATUS(status), CHOSE_NOBODY);
}
END_TEST

static void
add(TCase *tc)
{
	tcase_add_loop_test(tc, chooses_among_those_who_exist, 0,
	    sizeof(maps) / sizeof(maps[0]));
	tcase_add_test(tc, an_ordinary_user_stays);
}

int
main(void)
{
	return unit_run("identity", add);
}
