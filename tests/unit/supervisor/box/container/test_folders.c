/*
 * Tests of supervisor/box/container/folders: the directories of a process in
 * namespaces of its own are opened, and outlive it, where each is a tmpfs; any
 * other directory is refused. The process is a child of the test.
 */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/fd.h"
#include "common/base/mem.h"
#include "supervisor/box/container/container.h"
#include "tests/unit/unit.h"

/* How the child lays out its view. */
enum layout {
	LAYOUT_RIGHT,
	LAYOUT_LINK,  /* /workspace is a symbolic link */
	LAYOUT_PLAIN, /* /workspace is no mount */
	LAYOUT_PLAIN_OUT, /* /workspace/out is no mount */
	LAYOUT_NO_OUT,
	LAYOUT_PLAIN_DATA, /* /data is no mount */
	LAYOUT_NO_DATA,
};

static char place[] = "/tmp/caisson-test-folders-XXXXXX";
static pid_t pid;

static int
mount_tmpfs(const char *path)
{
	return mount("tmpfs", path, "tmpfs", MS_NOSUID | MS_NODEV,
	    "mode=1777,size=1m");
}

static int
put(const char *path, const char *text)
{
	auto_fd int fd = open(path, O_WRONLY);

	return fd == -1 ||
	    write(fd, text, strlen(text)) != (ssize_t)strlen(text) ? -1 : 0;
}

/* Becomes the only user of new namespaces. */
static int
enter_namespaces(void)
{
	auto_free char *user = mem_printf("0 %u 1", (unsigned int)geteuid());
	auto_free char *group = mem_printf("0 %u 1", (unsigned int)getegid());

	return unshare(CLONE_NEWUSER | CLONE_NEWNS) == -1 ||
	        put("/proc/self/uid_map", user) == -1 ||
	        put("/proc/self/setgroups", "deny") == -1 ||
	        put("/proc/self/gid_map", group) == -1 ? -1 : 0;
}

/* Returns 0, or -1 if this machine does not allow it. */
static int
lay_out(enum layout layout)
{
	int failed;

	if (enter_namespaces() == -1 ||
	    mount_tmpfs(place) == -1 || chdir(place) == -1)
		return -1;
	failed = layout == LAYOUT_LINK ?
	    mkdir("elsewhere", 0777) == -1 || mount_tmpfs("elsewhere") == -1 ||
	        symlink("elsewhere", "workspace") == -1 :
	    mkdir("workspace", 0777) == -1 ||
	        (layout != LAYOUT_PLAIN && mount_tmpfs("workspace") == -1);
	if (failed || (layout != LAYOUT_NO_OUT &&
	    mkdir("workspace/out", 0777) == -1))
		return -1;
	if (layout != LAYOUT_PLAIN_OUT && layout != LAYOUT_NO_OUT &&
	    mount_tmpfs("workspace/out") == -1)
		return -1;
	if (layout != LAYOUT_NO_DATA && (mkdir("data", 0777) == -1 ||
	    (layout != LAYOUT_PLAIN_DATA && mount_tmpfs("data") == -1)))
		return -1;
	return chroot(".");
}

/* The child: reports that it stands, then leaves a file when asked. */
static void __attribute__((noreturn))
be_container(enum layout layout, int told, int tell)
{
	char answer = lay_out(layout) == -1 ? 'n' : 'y';
	char c;
	int fd;

	if (write(tell, &answer, 1) != 1 || read(told, &c, 1) != 1)
		_exit(1);
	fd = open("/workspace/out/left", O_WRONLY | O_CREAT, 0666);
	if (fd == -1 || write(fd, "hi", 2) != 2)
		_exit(1);
	_exit(access("/data", F_OK) == 0 && mkdir("/data/made", 0777) == -1);
}

/* Returns whether the child stands; *go ends it when a byte is written. */
static int
start(enum layout layout, int *go)
{
	int told[2], tell[2];
	char answer;

	ck_assert_ptr_nonnull(mkdtemp(place));
	ck_assert_int_eq(pipe(told), 0);
	ck_assert_int_eq(pipe(tell), 0);
	pid = fork();
	ck_assert_int_ne(pid, -1);
	if (pid == 0)
		be_container(layout, told[0], tell[1]);
	close(told[0]);
	close(tell[1]);
	*go = told[1];
	ck_assert_int_eq(read(tell[0], &answer, 1), 1);
	close(tell[0]);
	if (answer == 'n')
		unit_skip("no namespaces of users and mounts");
	return answer == 'y';
}

static void
finish(int *go)
{
	int status;

	ck_assert_int_eq(write(*go, "x", 1), 1);
	fd_close(go);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(rmdir(place), 0);
}

/* What is written there later is found, when all processes have ended. */
UNIT_TEST(the_directories_outlive_the_container)
{
	int workspace = -1, left = -1, data = -1, fd, go;
	struct err err = { 0, "" };
	char text[3] = "";

	if (start(LAYOUT_RIGHT, &go)) {
		ck_assert_msg(container_folders_open(pid, &workspace, &left,
		    &data, &err) == 0, "%s", err.text);
		finish(&go);
		fd = openat(left, "left", O_RDONLY);
		ck_assert_int_ne(fd, -1);
		ck_assert_int_eq(read(fd, text, 2), 2);
		ck_assert_str_eq(text, "hi");
		close(fd);
		ck_assert_int_eq(faccessat(workspace, "out", F_OK, 0), 0);
		ck_assert_int_eq(faccessat(data, "made", F_OK, 0), 0);
		ck_assert_int_eq(fcntl(left, F_GETFD), FD_CLOEXEC);
		ck_assert_int_eq(fcntl(data, F_GETFD), FD_CLOEXEC);
		close(data);
		close(left);
		close(workspace);
	} else {
		finish(&go);
	}
}

static const struct {
	enum layout layout;
	const char *why;
} wrong[] = {
	{ LAYOUT_LINK, "open /workspace of the container: Not a directory" },
	{ LAYOUT_PLAIN, "/workspace of the container is no tmpfs of its own" },
	{ LAYOUT_PLAIN_OUT,
	    "/workspace/out of the container is no tmpfs of its own" },
	{ LAYOUT_NO_OUT,
	    "open /workspace/out of the container: No such file or directory" },
	{ LAYOUT_PLAIN_DATA, "/data of the container is no tmpfs of its own" },
	{ LAYOUT_NO_DATA,
	    "open /data of the container: No such file or directory" },
};

UNIT_TESTS(other_directories_are_refused, UNIT_COUNT(wrong))
{
	int workspace = -1, left = -1, data = -1, fds, go;
	struct err err = { 0, "" };

	if (start(wrong[_i].layout, &go)) {
		fds = unit_open_fds();
		ck_assert_int_eq(container_folders_open(pid, &workspace, &left,
		    &data, &err), -1);
		ck_assert_str_eq(err.text, wrong[_i].why);
		ck_assert_int_eq(workspace, -1);
		ck_assert_int_eq(left, -1);
		ck_assert_int_eq(data, -1);
		ck_assert_int_eq(unit_open_fds(), fds);
	}
	finish(&go);
}

/* /data is not looked at where it is not asked for. */
UNIT_TESTS(there_need_not_be_conversations, 2)
{
	int workspace = -1, left = -1, go;
	struct err err = { 0, "" };

	if (start(_i == 0 ? LAYOUT_NO_DATA : LAYOUT_PLAIN_DATA, &go)) {
		ck_assert_msg(container_folders_open(pid, &workspace, &left,
		    NULL, &err) == 0, "%s", err.text);
		close(left);
		close(workspace);
	}
	finish(&go);
}

/* A number that has become that of another process: not of a container. */
UNIT_TEST(other_processes_are_refused)
{
	auto_free char *why =
	    mem_printf("process %d is in no container", (int)getpid());
	int workspace = -1, left = -1, status;
	struct err err = { 0, "" };

	ck_assert_int_eq(container_folders_open(
	    getpid(), &workspace, &left, NULL, &err), -1);
	ck_assert_str_eq(err.text, why);
	pid = fork();
	if (pid == 0)
		_exit(0);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(container_folders_open(
	    pid, &workspace, &left, NULL, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "No such file or directory"));
	ck_assert_int_eq(workspace, -1);
	ck_assert_int_eq(left, -1);
}
