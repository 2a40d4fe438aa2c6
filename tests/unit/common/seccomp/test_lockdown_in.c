/*
 * Tests of common/seccomp/lockdown for roles that are left one directory: what
 * each may do with files there, and that it can do nothing elsewhere. Each row
 * is tried by a process of its own, as in test_lockdown.c: a call that is not
 * on the list of the role fails with EPERM, a file that landlock guards with
 * EACCES.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/seccomp/landlock.h"
#include "common/seccomp/lockdown.h"
#include "common/base/mem.h"
#include "tests/unit/unit.h"

/* What the child ends with when it could not be locked down. */
#define LOCKDOWN_FAILED 200

static int own;    /* its directory, with a file "b" and a directory "sub" */
static int other;  /* the one that this lies in, with a file "d" */
static int handed; /* a file of that one, which was opened before */
static char page[4096];

/* Opens a file with what opens files there: openat() or openat2(). */
static int
open_in(int folder, const char *name, uint64_t flags)
{
	struct open_how how = { .flags = flags,
		.mode = flags & O_CREAT ? 0600 : 0 };
	int fd = openat(folder, name, (int)flags, 0600);

	if (fd == -1 && errno == EPERM)
		fd = (int)syscall(SYS_openat2, folder, name, &how, sizeof(how));
	return fd;
}

/* Each returns as its system call does: -1 and errno when it is refused. */
#define TRY(name, call)                                                        \
	static long try_##name(void)                                           \
	{                                                                      \
		return call;                                                   \
	}

TRY(create, open_in(own, "a", O_CREAT | O_EXCL | O_WRONLY))
TRY(read, open_in(own, "b", O_RDONLY))
TRY(write, open_in(own, "b", O_WRONLY))
TRY(empty, open_in(own, "b", O_WRONLY | O_TRUNC))
TRY(look, open_in(own, "b", O_PATH))
TRY(list, open_in(own, ".", O_RDONLY | O_DIRECTORY))
TRY(list_below, open_in(own, "sub", O_RDONLY | O_DIRECTORY))
TRY(truncate, ftruncate(open_in(own, "b", O_RDWR), 0))
TRY(unlink, unlinkat(own, "b", 0))
TRY(rmdir, unlinkat(own, "sub", AT_REMOVEDIR))
TRY(mkdir, mkdirat(own, "c", 0700))
TRY(rename, renameat(own, "b", own, "c"))
TRY(link, linkat(own, "b", own, "c", 0))
TRY(symlink, symlinkat("b", own, "c"))
TRY(fifo, mknodat(own, "c", S_IFIFO | 0600, 0))
TRY(device, mknodat(own, "c", S_IFCHR | 0600, 0))
TRY(chmod, fchmodat(own, "b", 0777, 0))
TRY(chown, fchownat(own, "b", 1, 1, 0))
TRY(times, utimensat(own, "b", NULL, 0))
TRY(lock, fcntl(open_in(own, "b", O_RDWR), F_SETLK,
    &(struct flock){ .l_type = F_WRLCK }))
TRY(flock, flock(open_in(own, "b", O_RDONLY), LOCK_EX | LOCK_NB))
TRY(sync, fsync(own))
TRY(stat, syscall(SYS_newfstatat, own, "b", page, AT_SYMLINK_NOFOLLOW))

TRY(other_create, open_in(other, "e", O_CREAT | O_WRONLY))
TRY(other_read, open_in(other, "d", O_RDONLY))
TRY(other_write, open_in(other, "d", O_WRONLY))
TRY(other_list, open_in(other, ".", O_RDONLY | O_DIRECTORY))
TRY(other_up, open_in(own, "../d", O_RDONLY))
TRY(other_root, open_in(AT_FDCWD, "/etc/passwd", O_RDONLY))
TRY(other_mkdir, mkdirat(other, "c", 0700))
TRY(other_unlink, unlinkat(other, "d", 0))
TRY(handed_read, pread(handed, page, 1, 0))

TRY(execve, syscall(SYS_execve, "/bin/true", NULL, NULL))
TRY(clone, syscall(SYS_clone, SIGCHLD, NULL, NULL, NULL, NULL))
TRY(socket, syscall(SYS_socket, AF_UNIX, SOCK_STREAM, 0))
TRY(kill, syscall(SYS_kill, getppid(), 0))
TRY(vm_read, syscall(SYS_process_vm_readv, getppid(), NULL, 0, NULL, 0, 0))
TRY(setuid, syscall(SYS_setuid, 0))
TRY(mmap_exec, syscall(SYS_mmap, NULL, 4096, PROT_READ | PROT_EXEC,
    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
TRY(memfd, memfd_create("blob", MFD_CLOEXEC | MFD_ALLOW_SEALING))
TRY(mount, syscall(SYS_mount, "x", ".none", "tmpfs", 0, NULL))
TRY(ioctl, syscall(SYS_ioctl, 0, 0x5412, page))
TRY(landlock, syscall(SYS_landlock_create_ruleset, NULL, 0, 1))

/* The first ABI of landlock refuses it in its own way. */
static long
try_rename_out(void)
{
	int renamed = renameat(own, "b", other, "c");

	if (renamed == -1 && errno == EXDEV)
		errno = EACCES;
	return renamed;
}

static const struct {
	enum role role;
	enum lockdown_use use;
} users[] = {
	{ ROLE_STORE, LOCKDOWN_KEEPS },
	{ ROLE_FILES, LOCKDOWN_KEEPS },
	{ ROLE_PORTER, LOCKDOWN_READS },
	{ ROLE_PORTER, LOCKDOWN_FILLS },
	{ ROLE_CONNECTOR, LOCKDOWN_CONNECTS },
};

struct lockdown_case {
	const char *name;
	long (*try)(void);
	int wanted[UNIT_COUNT(users)]; /* errno, in their order */
};

#define ALL(wanted) { wanted, wanted, wanted, wanted, wanted }

static const struct lockdown_case cases[] = {
	{ "create", try_create, { 0, 0, EACCES, 0, 0 } },
	{ "read", try_read, { 0, 0, 0, EACCES, 0 } },
	{ "write", try_write, { 0, 0, EACCES, 0, 0 } },
	{ "empty", try_empty, { 0, 0, EACCES, EACCES, EACCES } },
	{ "look at", try_look, ALL(0) },
	{ "list", try_list, { 0, 0, 0, EACCES, EACCES } },
	{ "list below", try_list_below, { 0, 0, 0, EACCES, EACCES } },
	{ "truncate", try_truncate, { 0, EPERM, EPERM, EPERM, EPERM } },
	{ "remove", try_unlink, { 0, 0, EACCES, 0, 0 } },
	{ "remove a directory", try_rmdir, ALL(EACCES) },
	{ "make a directory", try_mkdir, { EPERM, EPERM, EACCES, 0, EPERM } },
	{ "rename", try_rename, { EPERM, 0, EPERM, EPERM, 0 } },
	{ "rename to elsewhere", try_rename_out,
	    { EPERM, EACCES, EPERM, EPERM, EACCES } },
	{ "link", try_link, ALL(EPERM) },
	{ "link by name", try_symlink, ALL(EPERM) },
	{ "make a FIFO", try_fifo, ALL(EPERM) },
	{ "make a device", try_device, ALL(EPERM) },
	{ "change rights", try_chmod, ALL(EPERM) },
	{ "give away", try_chown, ALL(EPERM) },
	{ "change times", try_times, ALL(EPERM) },
	{ "lock", try_lock, { 0, EPERM, EPERM, EPERM, EPERM } },
	{ "lock a file", try_flock, { EPERM, 0, EPERM, EPERM, 0 } },
	{ "wait for the disk", try_sync, { 0, 0, EPERM, EPERM, 0 } },
	{ "ask about a path", try_stat, { 0, EPERM, EPERM, EPERM, 0 } },
	{ "create elsewhere", try_other_create, ALL(EACCES) },
	{ "read elsewhere", try_other_read, ALL(EACCES) },
	{ "write elsewhere", try_other_write, ALL(EACCES) },
	{ "list elsewhere", try_other_list, ALL(EACCES) },
	{ "leave by ..", try_other_up, ALL(EACCES) },
	{ "read by a path", try_other_root, ALL(EACCES) },
	{ "make a directory elsewhere", try_other_mkdir,
	    { EPERM, EPERM, EACCES, EACCES, EPERM } },
	{ "remove elsewhere", try_other_unlink, ALL(EACCES) },
	{ "read what it was handed", try_handed_read, ALL(0) },
	{ "execute", try_execve, ALL(EPERM) },
	{ "fork", try_clone, ALL(EPERM) },
	{ "connect", try_socket, ALL(EPERM) },
	{ "signal", try_kill, ALL(EPERM) },
	{ "look into others", try_vm_read, ALL(EPERM) },
	{ "become another", try_setuid, ALL(EPERM) },
	{ "execute memory", try_mmap_exec, ALL(EPERM) },
	{ "make a memfd", try_memfd, { 0, EPERM, EPERM, EPERM, EPERM } },
	{ "mount", try_mount, ALL(EPERM) },
	{ "control devices", try_ioctl, ALL(EPERM) },
	{ "free itself", try_landlock, ALL(EPERM) },
};

static void
make_folders(char *path)
{
	ck_assert_ptr_nonnull(mkdtemp(path));
	other = open(path, O_RDONLY | O_DIRECTORY);
	close(openat(other, "d", O_CREAT | O_RDWR, 0600));
	handed = openat(other, "d", O_RDONLY);
	ck_assert_int_eq(mkdirat(other, "own", 0700), 0);
	own = openat(other, "own", O_RDONLY | O_DIRECTORY);
	close(openat(own, "b", O_CREAT | O_RDWR, 0600));
	ck_assert_int_eq(mkdirat(own, "sub", 0700), 0);
}

UNIT_TESTS(leaves_one_directory, UNIT_COUNT(users) * UNIT_COUNT(cases))
{
	const struct lockdown_case *c = &cases[_i / UNIT_COUNT(users)];
	size_t user = (size_t)_i % UNIT_COUNT(users);
	char path[] = "/tmp/test_lockdown.XXXXXX";
	auto_free char *command = NULL;
	struct err err;
	int status;
	pid_t pid;

	if (landlock_abi() == 0) {
		unit_skip("this kernel has no landlock");
		return;
	}
	if (landlock_abi() < 3 && c->try == try_empty) {
		unit_skip("this kernel's landlock does not know of emptying");
		return;
	}
	make_folders(path);
	pid = fork();
	if (pid == 0) {
		if (lockdown(users[user].role, users[user].use, own,
		        &err) == -1)
			_exit(LOCKDOWN_FAILED);
		errno = 0;
		status = c->try() == -1 ? errno : 0;
		/* The list of the connector says it so. */
		_exit(status == ENOSYS ? EPERM : status);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	command = mem_printf("rm -rf '%s'", path);
	ck_assert_int_eq(system(command), 0);
	ck_assert_msg(
	    WIFEXITED(status) && WEXITSTATUS(status) == c->wanted[user],
	    "%s, use %d: %s: %s, not %s", role_info(users[user].role)->name,
	    users[user].use, c->name, strerror(WEXITSTATUS(status)),
	    strerror(c->wanted[user]));
}
