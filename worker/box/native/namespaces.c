/*
 * The namespaces of the box: users, mounts, processes, network, IPC, host name
 * and cgroup view. Run by the launcher, which from here on shares them only
 * with its children. user_namespaces(7) is the source for the maps.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "native.h"
#include "../../../common/base/fd.h"

#define NAMESPACES_HOST_NAME "box"

static int
namespaces_write(const char *path, const char *text, struct err *err)
{
	auto_fd int fd = open(path, O_WRONLY | O_CLOEXEC);

	if (fd == -1)
		return err_sys(err, "open %s", path);
	if (write(fd, text, strlen(text)) == -1)
		return err_sys(err, "write '%s' to %s", text, path);
	return 0;
}

int
namespaces_user(struct box *, struct err *err)
{
	if (unshare(CLONE_NEWUSER) == -1)
		return err_sys(err, "unshare");
	return 0;
}

/* Maps the user of the box to uid and gid of the parent namespace. */
static int
namespaces_map_user(uid_t uid, gid_t gid, struct err *err)
{
	char map[64];

	snprintf(map, sizeof(map), "%d %u 1", BOX_USER, uid);
	if (namespaces_write("/proc/self/uid_map", map, err) == -1)
		return -1;
	snprintf(map, sizeof(map), "%d %u 1", BOX_USER, gid);
	return namespaces_write("/proc/self/gid_map", map, err);
}

int
namespaces_map(struct box *box, struct err *err)
{
	if (box->kind == BOX_TEMPLATE && box->template.uids > 0)
		return users_map(box, err);
	/*
	 * Without this the kernel refuses to map a group. For a forked box the
	 * template has done it already.
	 */
	if (box->kind != BOX_FORKED &&
	    namespaces_write("/proc/self/setgroups", "deny", err) == -1)
		return -1;
	return namespaces_map_user(box->uid, box->gid, err);
}

/*
 * Code can read its user in the parent namespace, which would be the user that
 * started Caisson. With one more namespace in between, it is the same user as
 * inside. The namespace of a template serves boxes of the same user.
 */
int
namespaces_hide(struct box *box, struct err *err)
{
	if (box->kind == BOX_FORKED && box->uid == BOX_USER)
		return 0;
	if (namespaces_user(box, err) == -1)
		return -1;
	return namespaces_map_user(BOX_USER, BOX_USER, err);
}

/*
 * The host name is the least important property of a box. The default system
 * call filters of container engines refuse this call alone of all that a box
 * needs. The code then sees the name of the host, and the supervisor reports
 * it.
 */
static int
namespaces_name(struct box *box, struct err *err)
{
	if (sethostname(NAMESPACES_HOST_NAME, strlen(NAMESPACES_HOST_NAME)) ==
	    0)
		return 0;
	if (errno != EPERM)
		return err_sys(err, "set the host name");
	box->unnamed = 1;
	return 0;
}

int
namespaces_rest(struct box *box, struct err *err)
{
	/* The template has provided it: net.c. */
	int net = box->kind == BOX_FORKED ? 0 : CLONE_NEWNET;
	/* A template could not start boxes in cgroups that it does not see. */
	int group = box->kind == BOX_TEMPLATE && box->setup.grouped ? 0 :
	    CLONE_NEWCGROUP;

	/* NEWPID applies to children: the next one is process 1. */
	if (unshare(net | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC |
	        CLONE_NEWUTS | group) == -1)
		return err_sys(err, "unshare");
	return namespaces_name(box, err);
}

static void
namespaces_forbid(int folder, const char *kind)
{
	auto_fd int fd = openat(folder, kind, O_WRONLY | O_CLOEXEC);

	if (fd != -1)
		(void)!write(fd, "0", 1);
}

/*
 * Forbids namespaces within the box, in case the system call filter fails,
 * except one of mounts: a detached copy counts as that, and view_hide needs
 * one. This requires the /proc of the host, which is still mounted, or in a
 * forked box the separate one with the switches. As a second layer, it is no
 * error if these are missing or /proc is read-only.
 */
int
namespaces_forbid_more(struct box *, struct err *)
{
	static const char *const switches[] = {
		"max_user_namespaces",
		"max_pid_namespaces",
		"max_net_namespaces",
		"max_ipc_namespaces",
		"max_uts_namespaces",
		"max_cgroup_namespaces",
		"max_time_namespaces",
	};
	auto_fd int folder =
	    open("/proc/sys/user", O_PATH | O_DIRECTORY | O_CLOEXEC);
	size_t i;

	for (i = 0; i < sizeof(switches) / sizeof(switches[0]); i++)
		namespaces_forbid(folder, switches[i]);
	return 0;
}
