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

/* A pipe opened once more, with these flags. */
static inline int
ipc_make_reopened_pipe(int flags)
{
	int fd, from = ipc_make_pipe(0);
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/fd/%d", from);
	fd = ipc_made(open(path, flags | O_CLOEXEC));
	close(from);
	return fd;
}

static inline int
ipc_make_socket(int type)
{
	int fds[2];

	ipc_made(socketpair(AF_UNIX, type | SOCK_CLOEXEC, 0, fds));
	return ipc_keep(fds, 0);
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
ipc_make_sealed(int seals)
{
	return ipc_make_memfd(100, seals);
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

/* Of ourselves (1), our parent (2), or a child, which is one for all. */
static inline int
ipc_make_pidfd(int of)
{
	static pid_t parent, child;

	if (of == 0 && parent != getpid()) {
		child = ipc_make_child();
		parent = getpid();
	}
	return ipc_made((int)syscall(SYS_pidfd_open, of == 0 ? child :
	    of == 1 ? getpid() : getppid(), 0));
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
ipc_make_null(int flags)
{
	return ipc_made(open("/dev/null", flags | O_CLOEXEC));
}

static inline int
ipc_make_file(int flags)
{
	return ipc_made(open("/proc/self/exe", flags | O_CLOEXEC));
}

static inline int
ipc_make_folder(int flags)
{
	return ipc_made(open("/", flags | O_DIRECTORY | O_CLOEXEC));
}

static inline int
ipc_make_eventfd(int flags)
{
	return ipc_made(eventfd(0, flags));
}

static inline int
ipc_make_epoll(int flags)
{
	return ipc_made(epoll_create1(flags));
}

/* Its name is chosen by the kernel. */
static inline int
ipc_make_listener(int type)
{
	const struct sockaddr nothing = { .sa_family = AF_UNIX };
	int fd = ipc_made(socket(AF_UNIX, type | SOCK_CLOEXEC, 0));

	ipc_made(bind(fd, &nothing, sizeof(nothing.sa_family)));
	ipc_made(listen(fd, 1));
	return fd;
}

/* A sort of descriptor, how it is made, and the kind it is right for. */
struct ipc_descriptor {
	const char *name;
	int (*make)(int how);
	int how;
	int kind; /* enum ipc_kind, or -1: right for none */
};

static const struct ipc_descriptor ipc_descriptors[] = {
	{ "the read end of a pipe", ipc_make_pipe, 0, IPC_KIND_PIPE_R },
	{ "the write end of a pipe", ipc_make_pipe, 1, IPC_KIND_PIPE_W },
	{ "both ends of a pipe", ipc_make_reopened_pipe, O_RDWR, -1 },
	/* Its access mode looks like reading. */
	{ "the path of a pipe", ipc_make_reopened_pipe, O_PATH, -1 },
	{ "a seqpacket socket", ipc_make_socket, SOCK_SEQPACKET,
	    IPC_KIND_PEER },
	{ "a stream socket", ipc_make_socket, SOCK_STREAM, -1 },
	{ "a datagram socket", ipc_make_socket, SOCK_DGRAM, -1 },
	{ "a sealed memfd", ipc_make_sealed, IPC_ALL_SEALS, IPC_KIND_MEMFD },
	{ "a memfd without seals", ipc_make_sealed, 0, -1 },
	{ "a memfd that can be written", ipc_make_sealed,
	    IPC_ALL_SEALS & ~F_SEAL_WRITE, IPC_KIND_USAGE },
	{ "a memfd that can shrink", ipc_make_sealed,
	    IPC_ALL_SEALS & ~F_SEAL_SHRINK, -1 },
	{ "a memfd that can grow", ipc_make_sealed,
	    IPC_ALL_SEALS & ~F_SEAL_GROW, -1 },
	{ "a memfd whose seals are open", ipc_make_sealed,
	    IPC_ALL_SEALS & ~F_SEAL_SEAL, -1 },
	{ "a pidfd of a child", ipc_make_pidfd, 0, IPC_KIND_PIDFD },
	{ "a pidfd of ourselves", ipc_make_pidfd, 1, -1 },
	{ "a pidfd of our parent", ipc_make_pidfd, 2, -1 },
	{ "a file open for reading", ipc_make_file, O_RDONLY,
	    IPC_KIND_FILE_R },
	{ "a file open for appending", ipc_make_temporary,
	    O_WRONLY | O_APPEND, IPC_KIND_FILE_A },
	{ "a file open for both, appending", ipc_make_temporary,
	    O_RDWR | O_APPEND, -1 },
	{ "/dev/null", ipc_make_null, O_RDWR, -1 },
	{ "/dev/null, appending", ipc_make_null, O_WRONLY | O_APPEND, -1 },
	{ "a folder", ipc_make_folder, O_RDONLY, IPC_KIND_DIR },
	{ "the path of a folder", ipc_make_folder, O_PATH, -1 },
	{ "a listening socket", ipc_make_listener, SOCK_STREAM,
	    IPC_KIND_LISTENER },
	{ "an eventfd", ipc_make_eventfd, EFD_CLOEXEC, -1 },
	{ "an epoll descriptor", ipc_make_epoll, EPOLL_CLOEXEC, -1 },
	{ "a file open for writing", ipc_make_temporary, O_WRONLY, -1 },
	{ "a file open for both", ipc_make_temporary, O_RDWR, -1 },
	{ "the path of a file", ipc_make_temporary, O_PATH, -1 },
};

#define IPC_DESCRIPTORS (sizeof(ipc_descriptors) / sizeof(ipc_descriptors[0]))

/* Returns a new descriptor of the n-th sort. */
static inline int
ipc_make(size_t n)
{
	return ipc_descriptors[n].make(ipc_descriptors[n].how);
}

/* Returns a new descriptor of the kind a field asks for. */
static inline int
ipc_make_kind(enum ipc_kind kind)
{
	size_t n;

	for (n = 0; n < IPC_DESCRIPTORS; n++)
		if (ipc_descriptors[n].kind == (int)kind)
			return ipc_make(n);
	fprintf(stderr, "no descriptor of kind %d is known\n", (int)kind);
	abort();
}

#endif
