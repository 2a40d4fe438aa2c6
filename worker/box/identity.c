/*
 * Becoming an unprivileged user, when the supervisor runs as root. Run by the
 * launcher, before any namespace: a box is never built, and its code never
 * runs, as a user who is somebody on the host.
 */
#include <grp.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "box.h"

int
identity_drop(struct box *box, struct err *err)
{
	uid_t uid = (uid_t)box->setup.uid;

	if (uid != 0) {
		/* Or /dev/stdout could not be opened, which is a pipe. */
		if (fchown(box->setup.out, uid, uid) == -1 ||
		    fchown(box->setup.errors, uid, uid) == -1)
			return err_sys(err, "give the streams to the box");
		if (setgroups(0, NULL) == -1)
			return err_sys(err, "leave all groups");
		if (setresgid(uid, uid, uid) == -1)
			return err_sys(err, "become group %u", uid);
		if (setresuid(uid, uid, uid) == -1)
			return err_sys(err, "become user %u", uid);
	}
	if (geteuid() == 0 || getuid() == 0)
		return err_set(err, "a box is not built by root");
	box->uid = geteuid();
	box->gid = getegid();
	/* Else the maps of the user namespace would belong to root. */
	if (prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) == -1)
		return err_sys(err, "become dumpable");
	return 0;
}
