/*
 * Becomes an unprivileged user if the supervisor runs as root. Run by the
 * launcher, before any namespace is made: a box is never built, and its code
 * never runs, as a user that has rights on the host. A launcher forked by a
 * template becomes one of the users mapped for the template.
 */
#include <grp.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "native.h"

static int
identity_note(struct box *box, struct err *err)
{
	box->uid = geteuid();
	box->gid = getegid();
	/* Otherwise the maps of the user namespace would belong to root. */
	if (prctl(PR_SET_DUMPABLE, 1, 0, 0, 0) == -1)
		return err_sys(err, "become dumpable");
	return 0;
}

int
identity_drop(struct box *box, struct err *err)
{
	uid_t uid = (uid_t)box->setup.uid;

	if (uid != 0) {
		if (setgroups(0, NULL) == -1)
			return err_sys(err, "leave all groups");
		if (setresgid(uid, uid, uid) == -1)
			return err_sys(err, "become group %u", uid);
		if (setresuid(uid, uid, uid) == -1)
			return err_sys(err, "become user %u", uid);
	}
	if (geteuid() == 0 || getuid() == 0)
		return err_set(err, "the launcher of the box is still root");
	return identity_note(box, err);
}

/* The maps of the template's namespace do not allow changing groups. */
int
identity_change(struct box *box, struct err *err)
{
	uid_t uid = (uid_t)box->setup.uid;

	if (uid != 0 && setresgid(uid, uid, uid) == -1)
		return err_sys(err, "become group %u", uid);
	if (uid != 0 && setresuid(uid, uid, uid) == -1)
		return err_sys(err, "become user %u", uid);
	return identity_note(box, err);
}
