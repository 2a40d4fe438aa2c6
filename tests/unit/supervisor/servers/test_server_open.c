/*
 * Tests of supervisor/servers/server_open: nothing but a regular file is ever
 * opened, and a file of a project only where no other user can have put it.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/fd.h"
#include "common/limits.h"
#include "common/base/mem.h"
#include "supervisor/options/options.h"
#include "supervisor/servers/servers.h"
#include "tests/unit/unit_folder.h"

static const struct server_source own = { .name = "own" };
static const struct server_source named = { .name = "named", .named = 1 };
static const struct server_source project = { .name = "project",
	.project = 1 };

static struct server_file file;
static struct err err;

static void
enter(void)
{
	ck_assert_int_eq(mkdir("work", 0700), 0);
}

UNIT_FIXTURE(enter, NULL)

static void
make_file(const char *path, off_t size)
{
	auto_fd int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);

	ck_assert_int_eq(ftruncate(fd, size), 0);
}

/* Opens a path below the folder; returns the descriptor or -1. */
static int
try_open(const struct server_source *source, const char *path)
{
	auto_free char *work = mem_printf("%s/work", folder);
	auto_free char *whole = path[0] == '/' ? mem_strdup(path) :
	    mem_printf("%s/%s", folder, path);
	struct options options = { .sources[OPTION_ID_SERVERS_CONFIG] =
		OPTIONS_FORMER };
	struct servers_setup setup = { .folder = work, .options = &options };
	int fd;

	file = (struct server_file){ .source = source, .path = whole };
	fd = server_open(&file, &setup, &err);
	file.path = NULL;
	return fd;
}

static void
refuses(const struct server_source *source, const char *path,
    const char *sentence)
{
	enum server_fault fault =
	    strstr(sentence, "No such file") != NULL ? SERVER_FAULT_GONE :
	    strstr(sentence, "larger") != NULL ? SERVER_FAULT_BROKEN :
	                                         SERVER_FAULT_UNTRUSTED;

	ck_assert_int_eq(try_open(source, path), -1);
	ck_assert_str_eq(err.text, sentence);
	ck_assert_int_eq(file.transient, 0);
	ck_assert_int_eq(file.fault, fault);
}

UNIT_TEST(opens_regular_files_alone)
{
	auto_fd int fd = -1;
	struct stat st;

	make_file("good", CONFIG_FILE_MAX);
	make_file("large", CONFIG_FILE_MAX + 1);
	ck_assert_int_eq(mkfifo("fifo", 0600), 0);
	ck_assert_int_eq(symlink("good", "link"), 0);
	ck_assert_int_eq(symlink("fifo", "trap"), 0);
	fd = try_open(&own, "link");
	ck_assert_int_ne(fd, -1);
	ck_assert_int_eq(fcntl(fd, F_GETFL) & O_ACCMODE, O_RDONLY);
	ck_assert_int_eq(stat("good", &st), 0);
	ck_assert_int_eq(file.opened, 1);
	ck_assert_uint_eq(file.ino, st.st_ino);
	ck_assert_uint_eq(file.dev, st.st_dev);
	ck_assert_int_eq(file.changed.tv_sec, st.st_ctim.tv_sec);
	ck_assert_int_eq(file.fault, SERVER_FAULT_NONE);
	refuses(&own, "large", "is larger than 67108864 bytes, the limit "
	    "for a file of servers");
	refuses(&own, "fifo", "is not a regular file");
	refuses(&own, "trap", "is not a regular file");
	refuses(&own, "/dev/null", "is not a regular file");
	refuses(&own, "work", "is not a regular file");
	refuses(&own, "none", "cannot be opened: No such file or directory");
	refuses(&named, "none", "cannot be opened: No such file or directory; "
	    "create the file, or correct MCP_SERVERS_CONFIG");
}

#define AWAY "is a link that leads out of the working directory"

UNIT_TEST(a_project_keeps_to_its_folder)
{
	auto_fd int fd = -1;

	make_file("outside", 1);
	make_file("work/inside", 1);
	make_file("work/large", CONFIG_PROJECT_FILE_MAX + 1);
	ck_assert_int_eq(mkdir("work/below", 0700), 0);
	ck_assert_int_eq(symlink("../inside", "work/below/link"), 0);
	ck_assert_int_eq(symlink("../outside", "work/out"), 0);
	ck_assert_int_eq(symlink("/etc/passwd", "work/absolute"), 0);
	ck_assert_int_eq(symlink("..", "work/folder"), 0);
	fd = try_open(&project, "work/below/link");
	ck_assert_int_ne(fd, -1);
	refuses(&project, "work/out", AWAY);
	refuses(&project, "work/absolute", AWAY);
	refuses(&project, "work/folder/outside", AWAY);
	refuses(&project, "work/large", "is larger than 1048576 bytes, the "
	    "limit for a file of servers");
	refuses(&project, "work/below", "is not a regular file");
	refuses(&project, "work/none",
	    "cannot be opened: No such file or directory");
}

/* Neither those of a project nor the user's own, unless it was named. */
UNIT_TEST(others_cannot_have_written_it)
{
	auto_fd int fd = -1;

	make_file("work/open", 1);
	ck_assert_int_eq(chmod("work/open", 0646), 0);
	refuses(&project, "work/open", "can be written by every user of this "
	    "machine; fix: 'chmod o-w'");
	refuses(&own, "work/open", "can be written by every user of this "
	    "machine; fix: 'chmod o-w'");
	fd = try_open(&named, "work/open");
	ck_assert_int_ne(fd, -1);
	if (geteuid() != 0) {
		unit_skip("only root can give files away");
	} else {
		make_file("work/theirs", 1);
		ck_assert_int_eq(chown("work/theirs", 12345, 12345), 0);
		refuses(&project, "work/theirs",
		    "belongs to another user (number 12345)");
		refuses(&own, "work/theirs",
		    "belongs to another user (number 12345)");
		fd_close(&fd);
		fd = try_open(&named, "work/theirs");
		ck_assert_int_ne(fd, -1);
	}
}

/* What is looked at of a path below the folder: 0, or the error. */
static int
look(const char *path)
{
	auto_free char *work = mem_printf("%s/work", folder);
	auto_free char *whole = mem_printf("%s/%s", work, path);
	struct stat st;

	return server_open_look(whole, work, &st) == 0 ? 0 : errno;
}

UNIT_TEST(looks_nowhere_else)
{
	make_file("work/inside", 1);
	ck_assert_int_eq(symlink("inside", "work/link"), 0);
	ck_assert_int_eq(symlink("/etc", "work/away"), 0);
	ck_assert_int_eq(symlink("nowhere", "work/dangling"), 0);
	ck_assert_int_eq(look("inside"), 0);
	ck_assert_int_eq(look("link"), 0);
	ck_assert_int_eq(look("none"), ENOENT);
	ck_assert_int_eq(look("dangling"), 0);
	/* A link that leads out is there; what it leads to is not asked. */
	ck_assert_int_eq(look("away"), 0);
	ck_assert_int_eq(look("away/hosts"), EXDEV);
	ck_assert_int_eq(look("away/none"), EXDEV);
}

/* 0: one of our own checks. */
static const struct {
	int code;
	enum server_fault fault;
} faults[] = {
	{ 0, SERVER_FAULT_UNTRUSTED },
	{ EACCES, SERVER_FAULT_UNTRUSTED },
	{ EPERM, SERVER_FAULT_UNTRUSTED },
	{ ELOOP, SERVER_FAULT_UNTRUSTED },
	{ EXDEV, SERVER_FAULT_UNTRUSTED },
	{ ENOENT, SERVER_FAULT_GONE },
	{ ENOTDIR, SERVER_FAULT_GONE },
	{ EMFILE, SERVER_FAULT_BROKEN },
	{ ENFILE, SERVER_FAULT_BROKEN },
	{ ENOMEM, SERVER_FAULT_BROKEN },
	{ EINTR, SERVER_FAULT_BROKEN },
	{ EAGAIN, SERVER_FAULT_BROKEN },
	{ EBUSY, SERVER_FAULT_BROKEN },
	{ ETXTBSY, SERVER_FAULT_BROKEN },
	{ ENAMETOOLONG, SERVER_FAULT_BROKEN },
	{ EOVERFLOW, SERVER_FAULT_BROKEN },
	{ EINVAL, SERVER_FAULT_BROKEN },
	{ ENODEV, SERVER_FAULT_BROKEN },
	{ ENXIO, SERVER_FAULT_BROKEN },
	{ EIO, SERVER_FAULT_BROKEN },
	{ EREMOTEIO, SERVER_FAULT_BROKEN },
	{ EUCLEAN, SERVER_FAULT_BROKEN },
	{ ENOKEY, SERVER_FAULT_BROKEN },
	{ ESTALE, SERVER_FAULT_BROKEN },
	{ ETIMEDOUT, SERVER_FAULT_BROKEN },
	{ ENOTCONN, SERVER_FAULT_BROKEN },
	{ ECONNABORTED, SERVER_FAULT_BROKEN },
	{ ECONNREFUSED, SERVER_FAULT_BROKEN },
	{ ECONNRESET, SERVER_FAULT_BROKEN },
	{ EHOSTDOWN, SERVER_FAULT_BROKEN },
	{ EHOSTUNREACH, SERVER_FAULT_BROKEN },
	{ ENETUNREACH, SERVER_FAULT_BROKEN },
	{ ENOSYS, SERVER_FAULT_BROKEN },
};

/* Only a file that may not be read, or is elsewhere, has lost its trust. */
UNIT_TESTS(errors_are_of_three_kinds, UNIT_COUNT(faults))
{
	ck_assert_msg(
	    server_open_fault(faults[_i].code) == faults[_i].fault,
	    "%s", strerror(faults[_i].code));
}
