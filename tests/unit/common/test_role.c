/*
 * Tests of common/role: every process has a complete row, no two are the
 * same, and entering one shows in ps and in the log.
 */
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "common/base/log.h"
#include "common/role.h"
#include "tests/unit/unit.h"

/* A keeper is a fork of the supervisor, and an operator the same program. */
static int
is_program(enum role role)
{
	return role != ROLE_KEEPER && role != ROLE_TEMPLATE &&
	    role != ROLE_OPERATOR;
}

UNIT_TESTS(rows_are_complete, ROLES)
{
	const struct role_info *info = role_info((enum role)_i);
	size_t len;

	ck_assert_str_ne(info->name, "");
	ck_assert_int_eq(strncmp(info->binary, "caisson", 7), 0);
	/* The law: folder, process, binary and prefix share the name. */
	if (_i == ROLE_TEMPLATE) /* what a box becomes */
		info = role_info(ROLE_BOX);
	else if (!is_program((enum role)_i))
		info = role_info(ROLE_SUPERVISOR);
	len = strlen(info->folder);
	ck_assert_uint_gt(len, strlen(info->name));
	ck_assert_int_eq(info->folder[len - 1], '/');
	ck_assert_int_eq(strncmp(info->folder + len - 1 - strlen(info->name),
			     info->name, strlen(info->name)),
	    0);
}

/* Enters a role and returns what the log then begins with. */
static const char *
enter(enum role role, unsigned long number)
{
	static char line[256];
	int fds[2];
	ssize_t n;

	ck_assert_int_eq(
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, fds), 0);
	ck_assert_int_eq(dup2(fds[1], STDERR_FILENO), STDERR_FILENO);
	role_enter(role, number);
	log_error("x");
	n = recv(fds[0], line, sizeof(line) - 1, 0);
	line[n > 0 ? n : 0] = '\0';
	close(fds[0]);
	close(fds[1]);
	return line;
}

UNIT_TESTS(enters, ROLES)
{
	enum role role = (enum role)_i;
	char name[16], want[64];

	snprintf(want, sizeof(want), "%s: x\n", role_info(role)->name);
	ck_assert_str_eq(enter(role, 0), want);
	ck_assert_int_eq(prctl(PR_GET_NAME, name), 0);
	ck_assert_str_eq(name, role_info(role)->name);

	snprintf(want, sizeof(want), "%s[7]: x\n", role_info(role)->name);
	ck_assert_str_eq(enter(role, 7), want);
	ck_assert_int_eq(prctl(PR_GET_NAME, name), 0);
	ck_assert_int_eq(strncmp(name, want, strlen(name)), 0);
}
