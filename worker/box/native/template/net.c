/*
 * The network namespaces of the boxes of a template. The kernel counts sockets
 * per network namespace, with any holder. The watchdog of a box must see
 * exactly its own sockets, so no two boxes may share one at the same time.
 * Creating and removing a network namespace takes longer than everything else
 * that the kernel creates for a forked box. So the template keeps them, and
 * lends each to one box after the other. A box can leave nothing in it: its
 * code has no capability there and can only make socket pairs, and when process
 * 1 of the box has ended, so has every process that could hold one.
 *
 * They belong to a separate user namespace below that of the template. It
 * belongs to the user of the template, so a launcher can enter it, and has all
 * capabilities there and nowhere else. The code of a box is further below, and
 * has none. user_namespaces(7) is the source.
 *
 * Run by the template, except net_enter.
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

#include "template.h"
#include "../native.h"
#include "../../../../common/base/buffer.h"
#include "../../../../common/base/fd.h"
#include "../../../../common/base/mem.h"

/* The start of sockstat while a namespace has no socket. */
#define NET_EMPTY "sockets: used 0\n"

#define NET_STACK 16384

struct net {
	int fd;
	int borrower; /* pidfd of process 1 of the box, -1 if unused */
};

static struct net net_all[BOX_NETS_MAX];
static size_t net_count;
static struct net *net_chosen; /* for the box being made, or NULL */
static int net_users = -1; /* the user namespace to which they belong */
static char net_stack[NET_STACK] __attribute__((aligned(64)));

/* The user namespace */

/* Waits until the other end of the line is closed. */
static void __attribute__((noreturn))
net_be_user(int line)
{
	char end;

	if (unshare(CLONE_NEWUSER) == 0 && write(line, "", 1) == 1)
		(void)!read(line, &end, 1);
	_exit(0);
}

/* Maps every user and group to the same as in the template. */
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
	/* In a single write: the kernel accepts only one. */
	if (fd == -1 || write(fd, map.data, map.len) == -1)
		return err_sys(err, "write %s", path);
	return 0;
}

/* The child has reported that it is in its own namespace: opens that. */
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
	int line[2], parent, failed;
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

/* Shares the descriptors and the memory of the template. */
static int
net_make_one(void *arg)
{
	int *fd = arg;

	if (setns(net_users, CLONE_NEWUSER) == 0 && unshare(CLONE_NEWNET) == 0)
		*fd = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	_exit(0);
}

/* Returns a new one, or NULL if there is no room, or none can be made. */
static struct net *
net_add(void)
{
	int fd = -1, pid;

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

/* Whether no process is left of the box that used it. */
static int
net_is_free(struct net *net)
{
	struct pollfd end = { .fd = net->borrower, .events = POLLIN };

	/*
	 * Process 1 ends after all other processes of its namespace are reaped.
	 */
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
	/* If the end of the box cannot be noticed. */
	close(net->fd);
	*net = net_all[--net_count];
}

/* In the launcher */

/*
 * Whether the entered namespace has no socket. The kernel frees sockets in
 * flight a moment after the last process that could have received them.
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
