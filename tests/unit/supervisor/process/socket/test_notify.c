/*
 * Tests of supervisor/process/socket/notify: the datagrams that a service
 * manager gets, and which variables are left for children.
 */
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/base/fd.h"
#include "supervisor/process/socket/socket.h"
#include "tests/unit/unit_folder.h"

static struct err err;

/* Returns the socket of a manager at this path, or abstract name after @. */
static int
manager(const char *where)
{
	struct sockaddr_un at = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	memcpy(at.sun_path, where, strlen(where));
	if (at.sun_path[0] == '@')
		at.sun_path[0] = '\0';
	ck_assert_int_eq(bind(fd, (struct sockaddr *)&at,
	    (socklen_t)(sizeof(sa_family_t) + strlen(where))), 0);
	return fd;
}

static void
told(const char *where)
{
	const struct notify notify = { where, 0 };
	auto_fd int fd = manager(where);
	char text[64] = "";

	ck_assert_msg(notify_send(&notify, "READY=1\nSTATUS=x\n", &err) == 0,
	    "%s", err.text);
	ck_assert_int_eq(recv(fd, text, sizeof(text), 0), 17);
	ck_assert_str_eq(text, "READY=1\nSTATUS=x\n");
}

UNIT_TEST(a_manager_gets_one_datagram)
{
	char path[PATH_MAX], name[64];

	ck_assert_ptr_nonnull(getcwd(path, sizeof(path) - 8));
	strcat(path, "/notify");
	told(path);
	snprintf(name, sizeof(name), "@caisson-test-%d", (int)getpid());
	told(name);
}

UNIT_TEST(without_a_manager_nothing_is_sent)
{
	const struct notify none = { 0 }, gone = { "/nowhere/notify", 0 },
		odd = { "notify", 0 };

	ck_assert_int_eq(notify_send(&none, "READY=1", &err), 0);
	ck_assert_int_eq(notify_send(&gone, "READY=1", &err), -1);
	ck_assert_int_eq(notify_send(&odd, "READY=1", &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "NOTIFY_SOCKET"));
}

UNIT_TEST(its_variables_are_taken)
{
	char a[] = "A=1", socket[] = "NOTIFY_SOCKET=/x", b[] = "WATCHDOG=2",
	     usec[] = "WATCHDOG_USEC=3000000", pid[32];
	char *envp[] = { a, socket, b, usec, pid, NULL };
	char *other[] = { socket, usec, pid, NULL };
	struct notify notify = { 0 };

	snprintf(pid, sizeof(pid), "WATCHDOG_PID=%d", (int)getpid());
	notify_take(&notify, envp);
	ck_assert_str_eq(notify.where, "/x");
	ck_assert(notify.watchdog);
	ck_assert_ptr_eq(envp[0], a);
	ck_assert_ptr_eq(envp[1], b);
	ck_assert_ptr_null(envp[2]);

	/* The watchdog of another process. */
	notify = (struct notify){ 0 };
	snprintf(pid, sizeof(pid), "WATCHDOG_PID=1");
	notify_take(&notify, other);
	ck_assert(!notify.watchdog);
	ck_assert_ptr_null(other[0]);
}
