/*
 * Drops every capability, in every set, permanently; in its own user namespace
 * a process starts with all of them. When the launcher has done everything
 * except mounting /proc, it makes sure that neither it nor its children can
 * regain any. Init and the code then drop those that they have. capabilities(7)
 * is the source.
 */
#include <errno.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "native.h"

/* A set has 64 bits; the kernel reports which of them are capabilities. */
#define CAPABILITIES_MAX 64

/*
 * Irreversible: uid 0 gives no rights, and none are kept over a change of user.
 */
#define CAPABILITIES_BITS_KEPT                                                 \
	(SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP |       \
	    SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED)
#define CAPABILITIES_BITS                                                      \
	(CAPABILITIES_BITS_KEPT | SECBIT_NO_CAP_AMBIENT_RAISE |                \
	    SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED)

/* With these the boxes of a template become other users. */
#define CAPABILITIES_USERS (1U << CAP_SETUID | 1U << CAP_SETGID)

static int
capabilities_are_kept(const struct box *box)
{
	return box->kind == BOX_TEMPLATE && box->template.uids > 0;
}

int
capabilities_bound(struct box *box, struct err *err)
{
	int kept = capabilities_are_kept(box);
	int cap;

	for (cap = 0; cap < CAPABILITIES_MAX; cap++) {
		if (kept && cap < 32 && (CAPABILITIES_USERS & 1U << cap))
			continue;
		if (prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) == 0)
			continue;
		if (errno == EINVAL) /* the kernel has no more of them */
			break;
		return err_sys(err, "drop capability %d", cap);
	}
	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) == -1)
		return err_sys(err, "clear the ambient capabilities");
	if (prctl(PR_SET_SECUREBITS, kept ? CAPABILITIES_BITS_KEPT :
	            CAPABILITIES_BITS, 0, 0, 0) == -1)
		return err_sys(err, "lock the secure bits");
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == -1)
		return err_sys(err, "set no_new_privs");
	return 0;
}

int
capabilities_refuse(struct box *, struct err *err)
{
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == -1)
		return err_sys(err, "set no_new_privs");
	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) == -1)
		return err_sys(err, "clear the ambient capabilities");
	return 0;
}

int
capabilities_drop(struct box *, struct err *err)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3
	};
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { 0 };

	if (syscall(SYS_capset, &header, none) == -1)
		return err_sys(err, "drop the capabilities");
	return 0;
}

/* Ambient, because no other set survives the start of the interpreter. */
int
capabilities_keep(struct box *box, struct err *err)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3
	};
	struct __user_cap_data_struct kept[_LINUX_CAPABILITY_U32S_3] = {
		{ CAPABILITIES_USERS, CAPABILITIES_USERS, CAPABILITIES_USERS }
	};

	if (!capabilities_are_kept(box))
		return capabilities_drop(box, err);
	if (syscall(SYS_capset, &header, kept) == -1)
		return err_sys(err, "drop the capabilities");
	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_SETUID, 0, 0) ==
	        -1 ||
	    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_SETGID, 0, 0) ==
	        -1)
		return err_sys(err, "keep the right to become other users");
	return 0;
}
