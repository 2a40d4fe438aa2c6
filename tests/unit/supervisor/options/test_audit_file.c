/*
 * Tests of supervisor/options/audit_file: a missing file is created for its
 * user only; a file that others could write to, or that is not a regular file,
 * is refused and stays as it is.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/base/fd.h"
#include "supervisor/options/audit_file.h"
#include "tests/unit/unit_folder.h"

static struct err err;
static int fd = -1;

static void
enter(void)
{
	umask(0);
}

static void
leave(void)
{
	fd_close(&fd);
}

static void
make(const char *path, mode_t mode)
{
	auto_fd int made = open(path, O_WRONLY | O_CREAT, mode);

	ck_assert_int_eq(fd_write_all(made, "before\n", 7), 0);
}

static void
is_refused(const char *path, const char *words)
{
	ck_assert_int_eq(audit_file_open(path, &fd, &err), -1);
	ck_assert_int_eq(fd, -1);
	ck_assert_msg(strstr(err.text, words) != NULL, "%s", err.text);
	ck_assert_msg(strstr(err.text, path) != NULL, "%s", err.text);
	ck_assert_int_eq(audit_file_try(path, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, path));
}

UNIT_TEST(is_made_for_its_user)
{
	struct stat st;

	ck_assert_int_eq(audit_file_open("a", &fd, &err), 0);
	ck_assert_int_eq(fstat(fd, &st), 0);
	ck_assert_int_eq(st.st_mode, S_IFREG | 0600);
	ck_assert_int_eq(fcntl(fd, F_GETFD), FD_CLOEXEC);
}

UNIT_TESTS(what_others_write_to_is_refused, 3)
{
	static const mode_t modes[] = { 0620, 0602, 0666 };

	make("a", modes[_i]);
	is_refused("a", "can be written by other users: run 'chmod 600'");
}

UNIT_TEST(what_belongs_to_another_is_refused)
{
	if (geteuid() != 0) {
		unit_skip("only root can give files away");
		return;
	}
	make("a", 0600);
	ck_assert_int_eq(chown("a", 65534, 65534), 0);
	is_refused("a", "belongs to user 65534, and Caisson runs as user 0");
}

UNIT_TEST(what_is_no_file_is_refused)
{
	struct sockaddr_un name = { AF_UNIX, "socket" };
	auto_fd int server = socket(AF_UNIX, SOCK_STREAM, 0);

	ck_assert_int_eq(mkfifo("pipe", 0600), 0);
	is_refused("pipe", "is a named pipe, and must be a regular file");
	ck_assert_int_eq(mkdir("folder", 0700), 0);
	is_refused("folder", "is a directory");
	ck_assert_int_eq(
	    bind(server, (struct sockaddr *)&name, sizeof(name)), 0);
	is_refused("socket", "is a socket");
	is_refused("/dev/null", "is a device");
}

/* Also where it has a reader. */
UNIT_TEST(a_pipe_with_a_reader_is_refused)
{
	auto_fd int reader = -1;

	ck_assert_int_eq(mkfifo("pipe", 0600), 0);
	reader = open("pipe", O_RDONLY | O_NONBLOCK);
	is_refused("pipe", "is a named pipe");
}

UNIT_TEST(a_link_is_not_followed)
{
	make("file", 0600);
	ck_assert_int_eq(symlink("file", "link"), 0);
	is_refused("link", "is a symbolic link");
	ck_assert_int_eq(symlink("nowhere", "dangling"), 0);
	is_refused("dangling", "is a symbolic link");
	ck_assert_int_eq(access("nowhere", F_OK), -1);
}

UNIT_FIXTURE(enter, leave)
