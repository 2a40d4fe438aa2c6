/*
 * Descriptors of every sort, for tests of what the catalogue lets in: which
 * are right for a kind, and which only look like it. Included by test_ipc and
 * the fuzz target of the catalogue.
 */
#ifndef TESTS_UNIT_IPC_DESCRIPTORS_H
#define TESTS_UNIT_IPC_DESCRIPTORS_H

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/ipc/ipc.h"

#define IPC_ALL_SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL)

/* A test that cannot make its descriptors proves nothing: it ends. */
static inline int
ipc_made(int fd)
{
	if (fd >= 0)
		return fd;
	perror("make a descriptor");
	abort();
}

/* Keeps one end of two. */
static inline int
ipc_keep(const int *fds, int end)
{
	close(fds[1 - end]);
	return fds[end];
}

static inline int
ipc_make_pipe(int end)
{
	int fds[2];

	ipc_made(pipe2(fds, O_CLOEXEC));
	return ipc_keep(fds, end);
}

static inline int
ipc_make_pipe_r(void)
{
	return ipc_make_pipe(0);
}

static inline int
ipc_make_pipe_w(void)
{
	return ipc_make_pipe(1);
}

/* A pipe opened once more, with these flags. */
static inline int
ipc_make_reopened_pipe(int flags)
{
	int fd, from = ipc_make_pipe_r();
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", from);
	fd = ipc_made(open(path, flags | O_CLOEXEC));
	close(from);
	return fd;
}

static inline int
ipc_make_pipe_rw(void)
{
	return ipc_make_reopened_pipe(O_RDWR);
}

/* Names a pipe, but cannot be read: its access mode looks like reading. */
static inline int
ipc_make_pipe_path(void)
{
	return ipc_make_reopened_pipe(O_PATH);
}

static inline int
ipc_make_socket(int type)
{
	int fds[2];

	ipc_made(socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, fds));
	return ipc_keep(fds, 0);
}

static inline int
ipc_make_peer(void)
{
	return ipc_make_socket(SOCK_SEQPACKET);
}

static inline int
ipc_make_stream(void)
{
	return ipc_make_socket(SOCK_STREAM);
}

static inline int
ipc_make_datagram(void)
{
	return ipc_make_socket(SOCK_DGRAM);
}

/* A memfd of so many bytes (zeroes) under these seals. */
static inline int
ipc_make_memfd(size_t size, int seals)
{
	int fd =
	    ipc_made(memfd_create("test", MFD_CLOEXEC | MFD_ALLOW_SEALING));

	ipc_made(ftruncate(fd, (off_t)size));
	ipc_made(fcntl(fd, F_ADD_SEALS, seals));
	return fd;
}

static inline int
ipc_make_sealed(void)
{
	return ipc_make_memfd(100, IPC_ALL_SEALS);
}

static inline int
ipc_make_unsealed(void)
{
	return ipc_make_memfd(100, 0);
}

static inline int
ipc_make_writable(void)
{
	return ipc_make_memfd(100, IPC_ALL_SEALS & ~F_SEAL_WRITE);
}

static inline int
ipc_make_shrinkable(void)
{
	return ipc_make_memfd(100, IPC_ALL_SEALS & ~F_SEAL_SHRINK);
}

static inline int
ipc_make_growable(void)
{
	return ipc_make_memfd(100, IPC_ALL_SEALS & ~F_SEAL_GROW);
}

static inline int
ipc_make_unsealable(void)
{
	return ipc_make_memfd(100, IPC_ALL_SEALS & ~F_SEAL_SEAL);
}

/* A child that ends with us. Returns when it has none of our descriptors. */
static inline pid_t
ipc_make_child(void)
{
	int sync[2];
	pid_t pid;
	char c;

	ipc_made(pipe2(sync, O_CLOEXEC));
	pid = ipc_made(fork());
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		syscall(SYS_close_range, 0, ~0U, 0);
		for (;;)
			pause();
	}
	close(sync[1]);
	ipc_made((int)read(sync[0], &c, 1));
	close(sync[0]);
	return pid;
}

/* All are of one child. */
static inline int
ipc_make_pidfd(void)
{
	static pid_t parent, child;

	if (parent != getpid())
		child = ipc_make_child();
	parent = getpid();
	return ipc_made((int)syscall(SYS_pidfd_open, child, 0));
}

static inline int
ipc_make_own_pidfd(void)
{
	return ipc_made((int)syscall(SYS_pidfd_open, getpid(), 0));
}

static inline int
ipc_make_foreign_pidfd(void)
{
	return ipc_made((int)syscall(SYS_pidfd_open, getppid(), 0));
}

static inline int
ipc_make_file(void)
{
	return ipc_made(open("/proc/self/exe", O_RDONLY | O_CLOEXEC));
}

/* A file that is nowhere any more, opened once more with these flags. */
static inline int
ipc_make_temporary(int flags)
{
	char path[64] = "/tmp/caisson-test-XXXXXX";
	int fd = ipc_made(mkstemp(path)), again;

	again = ipc_made(open(path, flags | O_CLOEXEC));
	close(fd);
	unlink(path);
	return again;
}

static inline int
ipc_make_file_w(void)
{
	return ipc_make_temporary(O_WRONLY);
}

static inline int
ipc_make_file_a(void)
{
	return ipc_make_temporary(O_WRONLY | O_APPEND);
}

static inline int
ipc_make_file_ra(void)
{
	return ipc_make_temporary(O_RDWR | O_APPEND);
}

static inline int
ipc_make_null_a(void)
{
	return ipc_made(open("/dev/null", O_WRONLY | O_APPEND | O_CLOEXEC));
}

static inline int
ipc_make_file_rw(void)
{
	return ipc_make_temporary(O_RDWR);
}

static inline int
ipc_make_file_path(void)
{
	return ipc_make_temporary(O_PATH);
}

static inline int
ipc_make_null(void)
{
	return ipc_made(open("/dev/null", O_RDWR | O_CLOEXEC));
}

static inline int
ipc_make_folder(void)
{
	return ipc_made(open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

static inline int
ipc_make_eventfd(void)
{
	return ipc_made(eventfd(0, EFD_CLOEXEC));
}

static inline int
ipc_make_folder_path(void)
{
	return ipc_made(open("/", O_PATH | O_DIRECTORY | O_CLOEXEC));
}

static inline int
ipc_make_epoll(void)
{
	return ipc_made(epoll_create1(EPOLL_CLOEXEC));
}

/* Its name is chosen by the kernel. */
static inline int
ipc_make_listener(void)
{
	const struct sockaddr nothing = { .sa_family = AF_UNIX };
	int fd = ipc_made(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));

	ipc_made(bind(fd, &nothing, sizeof(nothing.sa_family)));
	ipc_made(listen(fd, 1));
	return fd;
}

/* A sort of descriptor, and the kind it is right for. */
struct ipc_descriptor {
	const char *name;
	int (*make)(void);
	int kind; /* enum ipc_kind, or -1: right for none */
};

static const struct ipc_descriptor ipc_descriptors[] = {
	{ "the read end of a pipe", ipc_make_pipe_r, IPC_KIND_PIPE_R },
	{ "the write end of a pipe", ipc_make_pipe_w, IPC_KIND_PIPE_W },
	{ "both ends of a pipe", ipc_make_pipe_rw, -1 },
	{ "the path of a pipe", ipc_make_pipe_path, -1 },
	{ "a seqpacket socket", ipc_make_peer, IPC_KIND_PEER },
	{ "a stream socket", ipc_make_stream, -1 },
	{ "a datagram socket", ipc_make_datagram, -1 },
	{ "a sealed memfd", ipc_make_sealed, IPC_KIND_MEMFD },
	{ "a memfd without seals", ipc_make_unsealed, -1 },
	{ "a memfd that can be written", ipc_make_writable, IPC_KIND_USAGE },
	{ "a memfd that can shrink", ipc_make_shrinkable, -1 },
	{ "a memfd that can grow", ipc_make_growable, -1 },
	{ "a memfd whose seals are open", ipc_make_unsealable, -1 },
	{ "a pidfd of a child", ipc_make_pidfd, IPC_KIND_PIDFD },
	{ "a pidfd of ourselves", ipc_make_own_pidfd, -1 },
	{ "a pidfd of our parent", ipc_make_foreign_pidfd, -1 },
	{ "a file open for reading", ipc_make_file, IPC_KIND_FILE_R },
	{ "a file open for appending", ipc_make_file_a, IPC_KIND_FILE_A },
	{ "a file open for both, appending", ipc_make_file_ra, -1 },
	{ "/dev/null", ipc_make_null, -1 },
	{ "/dev/null, appending", ipc_make_null_a, -1 },
	{ "a folder", ipc_make_folder, IPC_KIND_DIR },
	{ "the path of a folder", ipc_make_folder_path, -1 },
	{ "a listening socket", ipc_make_listener, IPC_KIND_LISTENER },
	{ "an eventfd", ipc_make_eventfd, -1 },
	{ "an epoll descriptor", ipc_make_epoll, -1 },
	{ "a file open for writing", ipc_make_file_w, -1 },
	{ "a file open for both", ipc_make_file_rw, -1 },
	{ "the path of a file", ipc_make_file_path, -1 },
};

#define IPC_DESCRIPTORS (sizeof(ipc_descriptors) / sizeof(ipc_descriptors[0]))

/* Returns a new descriptor of the kind a field asks for. */
static inline int
ipc_make_kind(enum ipc_kind kind)
{
	size_t n;

	for (n = 0; n < IPC_DESCRIPTORS; n++)
		if (ipc_descriptors[n].kind == (int)kind)
			return ipc_descriptors[n].make();
	fprintf(stderr, "no descriptor of kind %d is known\n", (int)kind);
	abort();
}

#endif
