/*
 * The real caisson-porter, behind its real lockdown, with the test as its
 * supervisor and as the process that keeps files. The directory of a box is a
 * temporary one, which is the working directory of the test.
 */
#ifndef TESTS_UNIT_PORTER_PLAY_H
#define TESTS_UNIT_PORTER_PLAY_H

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/buffer.h"
#include "common/fd.h"
#include "common/limits.h"
#include "common/mem.h"
#include "peer_play.h"
#include "small_disk.h"

static const char *program = "caisson-porter";
static char folder[] = "/tmp/test_porter.XXXXXX";
static int opened = -1; /* the directory, as it was when it was made */
static pid_t pid;
static int supervisor, files; /* our ends of its channels */

static inline void
make_folder(void)
{
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(chdir(folder), 0);
}

static inline void
remove_folder(void)
{
	auto_free char *command = mem_printf("rm -rf '%s'", folder);

	ck_assert_int_eq(chdir("/"), 0);
	ck_assert_int_eq(system(command), 0);
}

static inline void
start(void)
{
	int theirs;

	opened = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	supervisor = make_pair(&theirs);
	pid = fork();
	if (pid == 0) {
		dup2(theirs, WORKER_CHANNEL_FD);
		execl(program, "porter", NULL);
		_exit(99);
	}
	close(theirs);
}

/* Tells the one that was started what to do. */

static inline void
begin_out(void)
{
	struct ipc_carry_out carry = { .folder = fd_take(&opened) };

	files = make_pair(&carry.files);
	send_to(supervisor, IPC_CARRY_OUT, &carry);
}

static inline void
begin_in(void)
{
	struct ipc_carry_in carry = { .folder = fd_take(&opened) };

	files = make_pair(&carry.files);
	send_to(supervisor, IPC_CARRY_IN, &carry);
}

static inline void
carry_out(void)
{
	start();
	begin_out();
}

static inline void
carry_in(void)
{
	start();
	begin_in();
}

/* It must end with this status, by itself. */
static inline void
expect_exit(int wanted)
{
	int status;

	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), wanted);
}

/* All has been said: it ends when its channel is closed. */
static inline void
expect_carried(enum file_fault fault, uint64_t more)
{
	ck_assert_int_eq(receive(files), IPC_CARRIED);
	ck_assert_uint_eq(msg.carried.fault, fault);
	ck_assert_uint_eq(msg.carried.more, more);
	close(files);
	expect_exit(0);
	close(supervisor);
}

static inline void
write_file(const char *name, const char *text)
{
	auto_fd int fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

	ck_assert_msg(fd != -1, "%s: %s", name, strerror(errno));
	ck_assert_int_eq(fd_write_all(fd, text, strlen(text)), 0);
}

static inline void
expect_name(struct ipc_bytes found, const char *name)
{
	ck_assert_uint_eq(found.len, strlen(name));
	ck_assert_mem_eq(found.data, name, found.len);
}

/* It must offer a file with this text. */
static inline void
expect_offer(const char *name, const char *text)
{
	char found[100] = "";

	ck_assert_int_eq(receive(files), IPC_OFFER);
	expect_name(msg.offer.name, name);
	ck_assert_int_eq(pread(msg.offer.file, found, sizeof(found), 0),
	    (ssize_t)strlen(text));
	ck_assert_str_eq(found, text);
	ck_assert_int_eq(write(msg.offer.file, "x", 1), -1);
	ipc_message_close(IPC_OFFER, &msg);
}

static inline void
expect_leave(const char *name, enum file_fault fault)
{
	ck_assert_int_eq(receive(files), IPC_LEAVE);
	expect_name(msg.leave.name, name);
	ck_assert_uint_eq(msg.leave.fault, fault);
}

/* Sends a file with these bytes, as the keeper of files does. */
static inline void
put(const char *name, const char *bytes, size_t len, size_t offset)
{
	auto_free char *path = mem_strdup("/tmp/test_porter_file.XXXXXX");
	auto_fd int fd = mkstemp(path);
	struct ipc_put message = { .name = name, .offset = offset };

	ck_assert_int_eq(fd_write_all(fd, bytes, len), 0);
	message.file = open(path, O_RDONLY | O_CLOEXEC);
	ck_assert_int_eq(unlink(path), 0);
	send_to(files, IPC_PUT, &message);
}

#endif
