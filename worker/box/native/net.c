/*
 * The network namespaces of the boxes of a template. The kernel counts sockets
 * for each of them, whatever holds a socket: so that the watchdog of a box sees
 * all that belong to it, and no others, no two boxes may have the same one at
 * the same time. To make one, and to take it apart, takes longer than all else
 * of a forked box that the kernel makes anew; so the template keeps them, and
 * lends each to one box after the other. A box can leave nothing in it: its
 * code has no capability there, can make only pairs of sockets, and when
 * process 1 of the box has ended so has every process that could hold one.
 *
 * They belong to a user namespace of their own below that of the template. It
 * belongs to the user that the template is, so a launcher can enter it, and has
 * all capabilities there and over nothing else; the code of a box, which is
 * further below, has none. user_namespaces(7) is the source.
 *
 * Run by the template, but for net_enter.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "native.h"
#include "../../../common/buffer.h"
#include "../../../common/fd.h"
#include "../../../common/mem.h"

/* What sockstat begins with while there is no socket in a namespace. */
#define NET_EMPTY "sockets: used 0\n"

#define NET_STACK 16384

struct net {
	int fd;
	int borrower; /* pidfd of process 1 of the box, -1: it is free */
};

static struct net net_all[BOX_NETS_MAX];
static size_t net_count;
static struct net *net_chosen; /* for the box that is being made, or NULL */
static int net_users = -1; /* the user namespace that they belong to */
static char net_stack[NET_STACK] __attribute__((aligned(64)));

/* The user namespace */

/* Lives until its other end of the line is closed. */
static void __attribute__((noreturn))
net_be_user(int line)
{
	char end;

	if (unshare(CLONE_NEWUSER) == 0 && write(line, "", 1) == 1)
		(void)!read(line, &end, 1);
	_exit(0);
}

/* In it every user and group is the same that it is for the template. */
static int
net_map(pid_t child, const char *name, struct err *err)
{
	auto_free char *own = mem_printf("/proc/self/%s", name);
	auto_free char *path = mem_printf("/proc/%d/%s", (int)child, name);
	auto_buffer struct buffer map = { 0 };
	unsigned int first, outside, count;
	auto_fd int fd = -1;
	FILE *file = fopen(own, "re");

	if (file == NULL)
		return err_sys(err, "open %s", own);
	while (fscanf(file, "%u %u %u", &first, &outside, &count) == 3)
		buffer_printf(&map, "%u %u %u\n", first, first, count);
	fclose(file);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	/* All of it at once: the kernel takes it only once. */
	if (fd == -1 || write(fd, map.data, map.len) == -1)
		return err_sys(err, "write %s", path);
	return 0;
}

/* The child has told that it is in one of its own: takes it. */
static int
net_take_users(pid_t child, int line, struct err *err)
{
	auto_free char *path = mem_printf("/proc/%d/ns/user", (int)child);
	char told;

	if (read(line, &told, 1) != 1)
		return err_set(err, "a user namespace for the network "
		    "namespaces of boxes cannot be made");
	if (net_map(child, "uid_map", err) == -1 ||
	    net_map(child, "gid_map", err) == -1)
		return -1;
	net_users = open(path, O_RDONLY | O_CLOEXEC);
	return net_users == -1 ? err_sys(err, "open %s", path) : 0;
}

int
net_open(struct err *err)
{
	int line[2];
	int parent, failed;
	pid_t child;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, line) == -1)
		return err_sys(err, "make a pair of sockets");
	parent = processes_fork(&child, err);
	if (parent == 0) {
		close(line[0]);
		net_be_user(line[1]);
	}
	close(line[1]);
	failed = parent == -1 ? -1 : net_take_users(child, line[0], err);
	close(line[0]);
	if (parent == 1)
		waitpid(child, NULL, 0);
	return failed;
}

/* Lending */

/* Has the descriptors of the template, and its memory. */
static int
net_make_one(void *arg)
{
	int *fd = arg;

	if (setns(net_users, CLONE_NEWUSER) == 0 && unshare(CLONE_NEWNET) == 0)
		*fd = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	_exit(0);
}

/* Returns a new one, or NULL where there is no room, or none can be made. */
static struct net *
net_add(void)
{
	int fd = -1;
	int pid;

	if (net_count == BOX_NETS_MAX)
		return NULL;
	pid = clone(net_make_one, net_stack + sizeof(net_stack),
	    CLONE_VM | CLONE_VFORK | CLONE_FILES, &fd);
	if (pid != -1)
		waitpid(pid, NULL, __WCLONE);
	if (fd == -1)
		return NULL;
	net_all[net_count] = (struct net){ .fd = fd, .borrower = -1 };
	return &net_all[net_count++];
}

/* Whether no process is left of the box that had it. */
static int
net_is_free(struct net *net)
{
	struct pollfd end = { .fd = net->borrower, .events = POLLIN };

	/* Process 1 ends when all others of its namespace have been reaped. */
	if (net->borrower != -1 && poll(&end, 1, 0) == 1)
		fd_close(&net->borrower);
	return net->borrower == -1;
}

void
net_choose(struct box *box)
{
	struct net *net;

	net_chosen = NULL;
	for (net = net_all; net < net_all + net_count; net++)
		if (net_is_free(net)) {
			net_chosen = net;
			break;
		}
	if (net_chosen == NULL)
		net_chosen = net_add();
	box->net = net_chosen == NULL ? -1 : net_chosen->fd;
}

void
net_lend(pid_t init)
{
	struct net *net = net_chosen;

	if (net == NULL || init == 0)
		return;
	net->borrower = pidfd_open(init, 0);
	if (net->borrower != -1 || errno == ESRCH)
		return;
	/* When the box ends could not be seen. */
	close(net->fd);
	*net = net_all[--net_count];
}

/* In the launcher */

/*
 * Whether there is no socket in the one that was entered. Those that were sent
 * through each other are freed by the kernel a moment after the last process
 * that could have received them.
 */
static int
net_is_empty(void)
{
	auto_fd int fd = open("/proc/self/net/sockstat", O_RDONLY | O_CLOEXEC);
	char text[sizeof(NET_EMPTY) - 1];

	return fd != -1 && read(fd, text, sizeof(text)) == sizeof(text) &&
	    memcmp(text, NET_EMPTY, sizeof(text)) == 0;
}

int
net_enter(struct box *box, struct err *err)
{
	if (setns(net_users, CLONE_NEWUSER) == -1)
		return err_sys(err, "enter the user namespace of networks");
	if (box->net != -1 && setns(box->net, CLONE_NEWNET) == 0 &&
	    net_is_empty())
		return 0;
	if (unshare(CLONE_NEWNET) == -1)
		return err_sys(err, "unshare");
	return 0;
}
