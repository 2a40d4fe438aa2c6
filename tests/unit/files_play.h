/*
 * The real caisson-files, behind its real lockdown, with the test as its
 * supervisor and as its porters, all of which block. The directory of files is
 * a temporary one, which the test looks into as it likes.
 */
#ifndef TESTS_UNIT_FILES_PLAY_H
#define TESTS_UNIT_FILES_PLAY_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/buffer.h"
#include "common/fd.h"
#include "common/ipc_socket.h"
#include "common/limits.h"
#include "common/mem.h"
#include "unit.h"
#include "worker/files/head.h"

/* A process, and the supervisor's end of the channel to it. */
struct play {
	pid_t pid;
	int supervisor;
};

static const char *play_program = "caisson-files";
static char play_folder[] = "/tmp/test_files.XXXXXX";
static struct ipc_packet play_packet;
static union ipc_any play_msg; /* what came last */

static inline void
play_make_folder(void)
{
	ck_assert_ptr_nonnull(mkdtemp(play_folder));
}

static inline void
play_remove_folder(void)
{
	auto_free char *command = mem_printf("rm -rf '%s'", play_folder);

	ck_assert_int_eq(system(command), 0);
}

/* A path in the directory, which the caller frees. */
static inline char *
play_path(const char *name)
{
	return mem_printf("%s/%s", play_folder, name);
}

/* Sends a message. Returns -1 where the other side is gone. */
static inline int
play_try_send(int fd, enum ipc_type type, void *msg)
{
	struct err err;
	int sent;

	ck_assert_msg(ipc_encode(type, msg, &play_packet, &err) == 0, "%s",
	    err.text);
	sent = ipc_socket_send(fd, &play_packet, &err);
	ipc_packet_close(&play_packet);
	ck_assert_msg(sent == 0 || err.code == EPIPE ||
	    err.code == ECONNRESET, "%s", err.text);
	return sent;
}

static inline void
play_send(int fd, enum ipc_type type, void *msg)
{
	ck_assert_int_eq(play_try_send(fd, type, msg), 0);
}

/* Waits for a message. Returns its type, or IPC_TYPES at the end. */
static inline enum ipc_type
play_receive(int fd)
{
	enum ipc_type type;
	struct err err;
	int n = ipc_socket_receive(fd, &play_packet, &err);

	if (n == 0)
		return IPC_TYPES;
	ck_assert_msg(n == 1, "%s", err.text);
	ck_assert_msg(ipc_decode(&play_packet, &type, &play_msg, &err) == 0,
	    "%s", err.text);
	return type;
}

/* Makes a channel: returns our end, theirs goes to *theirs. */
static inline int
play_pair(int *theirs)
{
	int pair[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0,
	    pair), 0);
	/* As the supervisor makes it: a worker may not change flags. */
	ck_assert_int_eq(fcntl(pair[1], F_SETFL, O_NONBLOCK), 0);
	*theirs = pair[1];
	return pair[0];
}

/* Starts one in the directory. */
static inline void
play_start_for(struct play *play, uint64_t most, uint64_t days)
{
	struct ipc_keep_files keep = { .most = most, .days = days };
	int theirs;

	play->supervisor = play_pair(&theirs);
	play->pid = fork();
	if (play->pid == 0) {
		dup2(theirs, WORKER_CHANNEL_FD);
		execl(play_program, "files", NULL);
		_exit(99);
	}
	close(theirs);
	keep.folder = open(play_folder, O_RDONLY | O_DIRECTORY);
	play_send(play->supervisor, IPC_KEEP_FILES, &keep);
}

static inline void
play_start(struct play *play)
{
	play_start_for(play, FILES_MAX_MAX, FILES_DAYS_MAX);
}

/* Ends the supervisor's channel: the process must end well. */
static inline void
play_end(struct play *play)
{
	int status;

	close(play->supervisor);
	ck_assert_int_eq(waitpid(play->pid, &status, 0), play->pid);
	ck_assert_int_eq(status, 0);
}

/* It must have ended by itself: the supervisor broke a rule. */
static inline void
play_expect_fatal(struct play *play)
{
	int status;

	while (play_receive(play->supervisor) != IPC_TYPES)
		;
	close(play->supervisor);
	ck_assert_int_eq(waitpid(play->pid, &status, 0), play->pid);
	ck_assert(WIFEXITED(status) && WEXITSTATUS(status) == 70);
}

static inline void
play_kill(struct play *play)
{
	kill(play->pid, SIGKILL);
	ck_assert_int_eq(waitpid(play->pid, NULL, 0), play->pid);
	close(play->supervisor);
}

static inline struct ipc_bytes
play_bytes(const char *text)
{
	return (struct ipc_bytes){ (const uint8_t *)text, strlen(text) };
}

/* What comes next must be this: */

static inline void
play_expect_filed(struct play *play, uint64_t task, const char *name,
    uint64_t version, uint64_t size)
{
	ck_assert_int_eq(play_receive(play->supervisor), IPC_FILED);
	ck_assert_uint_eq(play_msg.filed.task, task);
	ck_assert_str_eq(play_msg.filed.name, name);
	ck_assert_uint_eq(play_msg.filed.version, version);
	ck_assert_uint_eq(play_msg.filed.size, size);
}

/* The message that came last says this. */
static inline void
play_was_left_out(uint64_t task, const char *name, enum file_fault fault)
{
	ck_assert_uint_eq(play_msg.left_out.task, task);
	ck_assert_uint_eq(play_msg.left_out.fault, fault);
	ck_assert_uint_eq(play_msg.left_out.name.len, strlen(name));
	ck_assert_mem_eq(play_msg.left_out.name.data, name, strlen(name));
}

static inline void
play_expect_left_out(struct play *play, uint64_t task, const char *name,
    enum file_fault fault)
{
	ck_assert_int_eq(play_receive(play->supervisor), IPC_LEFT_OUT);
	play_was_left_out(task, name, fault);
}

static inline void
play_expect_done(struct play *play, uint64_t task, enum file_fault fault,
    const char *name, uint64_t count)
{
	ck_assert_int_eq(play_receive(play->supervisor), IPC_TASK_DONE);
	ck_assert_uint_eq(play_msg.task_done.task, task);
	ck_assert_uint_eq(play_msg.task_done.fault, fault);
	ck_assert_uint_eq(play_msg.task_done.count, count);
	ck_assert_uint_eq(play_msg.task_done.name.len, strlen(name));
	ck_assert_mem_eq(play_msg.task_done.name.data, name, strlen(name));
}

/* Requests, and the answers that they normally get */

static inline void
play_add(struct play *play, const char *owner, const char *name,
    const void *data, size_t len)
{
	struct ipc_add_file add = { .task = 1,
		.owner = owner,
		.name = play_bytes(name),
		.content = { data, len, -1 } };

	play_send(play->supervisor, IPC_ADD_FILE, &add);
}

/* Adds a file and waits until it is kept as this version. */
static inline void
play_keep(struct play *play, const char *owner, const char *name,
    const char *text, uint64_t version)
{
	play_add(play, owner, name, text, strlen(text));
	play_expect_filed(play, 1, name, version, strlen(text));
	play_expect_done(play, 1, FILE_FAULT_NONE, "", 0);
}

static inline void
play_list(struct play *play, const char *owner, int versions)
{
	struct ipc_list_files list = { .task = 2,
		.owner = owner,
		.versions = (uint64_t)versions };

	play_send(play->supervisor, IPC_LIST_FILES, &list);
}

/* Nothing at all is kept for this owner. */
static inline void
play_expect_none(struct play *play, const char *owner)
{
	play_list(play, owner, 1);
	play_expect_done(play, 2, FILE_FAULT_NONE, "", 0);
}

static inline void
play_fetch(struct play *play, const char *owner, const char *name,
    uint64_t version)
{
	struct ipc_fetch_file fetch = { .task = 3,
		.owner = owner,
		.name = play_bytes(name),
		.version = version };

	play_send(play->supervisor, IPC_FETCH_FILE, &fetch);
}

/* Reads a descriptor from an offset to its end, to text that is freed. */
static inline char *
play_read(int fd, uint64_t offset)
{
	struct buffer text = { 0 };
	ssize_t n;

	while ((n = pread(fd, buffer_reserve(&text, 65536), 65536,
	            (off_t)offset)) > 0) {
		text.len += (size_t)n;
		offset += (uint64_t)n;
	}
	ck_assert_int_eq(n, 0);
	return buffer_take(&text, NULL);
}

/* The newest version of a file is this, with this text. */
static inline void
play_expect_text(struct play *play, const char *owner, const char *name,
    uint64_t version, const char *text)
{
	auto_free char *found = NULL;

	play_fetch(play, owner, name, 0);
	play_expect_filed(play, 3, name, version, strlen(text));
	ck_assert_int_eq(play_receive(play->supervisor), IPC_FILE_FETCHED);
	ck_assert_uint_eq(play_msg.file_fetched.task, 3);
	found = play_read(
	    play_msg.file_fetched.file, play_msg.file_fetched.offset);
	/* It can only be read. */
	ck_assert_int_eq(write(play_msg.file_fetched.file, "x", 1), -1);
	ck_assert_str_eq(found, text);
	ipc_message_close(IPC_FILE_FETCHED, &play_msg);
	play_expect_done(play, 3, FILE_FAULT_NONE, "", 0);
}

static inline void
play_expect_unknown(struct play *play, const char *owner, const char *name,
    uint64_t version)
{
	play_fetch(play, owner, name, version);
	play_expect_done(play, 3, FILE_FAULT_UNKNOWN, name, 0);
}

static inline void
play_remove(struct play *play, const char *owner, const char *name,
    uint64_t version)
{
	struct ipc_remove_files remove = { .task = 4,
		.owner = owner,
		.name = play_bytes(name),
		.version = version };

	play_send(play->supervisor, IPC_REMOVE_FILES, &remove);
}

/* The test as a porter */

/* Begins a collection. Returns the porter's end. */
static inline int
play_collect(struct play *play, uint64_t task, const char *owner)
{
	struct ipc_collect collect = { .task = task, .owner = owner };
	int porter = play_pair(&collect.porter);

	play_send(play->supervisor, IPC_COLLECT, &collect);
	return porter;
}

/* A descriptor of a file without a name, with these bytes; only for reading. */
static inline int
play_file(const void *data, size_t len)
{
	auto_fd int fd = memfd_create("left", MFD_CLOEXEC);
	auto_free char *path = mem_printf("/proc/self/fd/%d", fd);
	int reading;

	ck_assert_int_eq(fd_write_all(fd, data, len), 0);
	reading = open(path, O_RDONLY | O_CLOEXEC);
	ck_assert_int_ne(reading, -1);
	return reading;
}

static inline int
play_offer_file(int porter, const char *name, int file)
{
	struct ipc_offer offer = { .name = play_bytes(name), .file = file };

	return play_try_send(porter, IPC_OFFER, &offer);
}

static inline int
play_offer(int porter, const char *name, const char *text)
{
	return play_offer_file(porter, name, play_file(text, strlen(text)));
}

static inline int
play_leave(int porter, const char *name, enum file_fault fault)
{
	struct ipc_leave leave = { .name = play_bytes(name), .fault = fault };

	return play_try_send(porter, IPC_LEAVE, &leave);
}

static inline int
play_carried(int porter, uint64_t more, enum file_fault fault)
{
	struct ipc_carried carried = { .more = more, .fault = fault };

	return play_try_send(porter, IPC_CARRIED, &carried);
}

/* Waits until the channel of a porter is closed. */
static inline void
play_expect_parted(int porter)
{
	ck_assert_int_eq(play_receive(porter), IPC_TYPES);
	close(porter);
}

/* The directory */

/* How many entries begin so: "t" for files that are being made. */
static inline unsigned int
play_count(const char *start)
{
	DIR *dir = opendir(play_folder);
	unsigned int count = 0;
	struct dirent *entry;

	ck_assert_ptr_nonnull(dir);
	while ((entry = readdir(dir)) != NULL)
		if (strncmp(entry->d_name, start, strlen(start)) == 0 &&
		    entry->d_name[0] != '.')
			count++;
	closedir(dir);
	return count;
}

/* The files that are kept, by what the directory has. */
static inline unsigned int
play_count_kept(void)
{
	return play_count("") - play_count("t") - play_count("v") -
	    play_count("lock");
}

/* Puts a file into the directory as if it had been kept. */
static inline void
play_forge(const char *id, const struct head *head, const char *text)
{
	auto_free char *path = play_path(id);
	auto_fd int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	uint8_t bytes[FILE_HEAD_SIZE];

	head_encode(head, bytes);
	ck_assert_int_eq(fd_write_all(fd, bytes, sizeof(bytes)), 0);
	ck_assert_int_eq(fd_write_all(fd, text, strlen(text)), 0);
}

#endif
