/*
 * The namespaces of the box. Run by the launcher, which from here on is alone
 * with its children: own users, mounts, processes, network, IPC, host name and
 * cgroup view. user_namespaces(7) is the source for the maps.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "box.h"
#include "../../common/fd.h"
#include "../../common/log.h"

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
namespaces_user(struct box *box, struct err *err)
{
	(void)box;
	if (unshare(CLONE_NEWUSER) == -1)
		return err_sys(err, "unshare");
	return 0;
}

int
namespaces_map(struct box *box, struct err *err)
{
	char map[64];

	if (box->template && box->uids > 0)
		return users_map(box, err);
	/* Without this the kernel lets nobody map a group. */
	if (namespaces_write("/proc/self/setgroups", "deny", err) == -1)
		return -1;
	snprintf(map, sizeof(map), "%d %u 1", BOX_USER, box->uid);
	if (namespaces_write("/proc/self/uid_map", map, err) == -1)
		return -1;
	snprintf(map, sizeof(map), "%d %u 1", BOX_USER, box->gid);
	return namespaces_write("/proc/self/gid_map", map, err);
}

int
namespaces_rest(struct box *box, struct err *err)
{
	/*
	 * That of a template is empty and nobody can put anything into it, so
	 * its boxes share it: to make one takes as long as all the others.
	 */
	int net = box->forked ? 0 : CLONE_NEWNET;

	/* NEWPID is for the children: the next one is process 1. */
	if (unshare(net | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWIPC |
	        CLONE_NEWUTS | CLONE_NEWCGROUP) == -1)
		return err_sys(err, "unshare");
	if (sethostname(NAMESPACES_HOST_NAME, strlen(NAMESPACES_HOST_NAME)) ==
	    -1)
		return err_sys(err, "set the host name");
	return 0;
}

/*
 * No namespaces within the box, should the system call filter ever fail. After
 * the view, as a detached copy of a mount counts as a mount namespace, and
 * while the /proc of the host is still there. A second layer: not an error
 * where the switches are missing or /proc is not writable.
 */
int
namespaces_forbid_more(struct box *box, struct err *err)
{
	static const char *const kinds[] = { "user", "pid", "mnt", "net", "ipc",
		"uts", "cgroup", "time" };
	char path[64];
	struct err ignored;
	size_t i;

	(void)box;
	(void)err;
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		snprintf(path, sizeof(path),
		    "/proc/sys/user/max_%s_namespaces", kinds[i]);
		if (namespaces_write(path, "0", &ignored) == -1)
			log_debug("%s", ignored.text);
	}
	return 0;
}
