/*
 * What turns the objects of caisson-box into caisson-box-open, a box of the
 * tests that leaves out the protections which the test names. The objects are
 * those of the program that is installed, byte for byte; the linker (--wrap)
 * leads their calls through the functions below. So caisson-box itself has no
 * switch of any kind, and what is tried here is what users get, less one thing.
 *
 * A word can be: seccomp, landlock, caps, no_new_privs, user, outer_user, pid,
 * net, ipc, uts, cgroup, more_namespaces, identity, overlay, ro, nosuid, nodev,
 * noexec, size, inodes, proc_mask, mount_table, old_root, rlimits (or one, such
 * as NPROC), fds, environment, life, dumpable, session, watchdog.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <linux/capability.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "worker/box/native/native.h"
#include "open_words.h"

#define REAL(name) __typeof__(name) __real_##name, __wrap_##name

REAL(identity_drop);
REAL(namespaces_map);
REAL(namespaces_hide);
REAL(namespaces_forbid_more);
REAL(view_hide);
REAL(memory_watch);
REAL(capabilities_bound);
REAL(capabilities_drop);
REAL(confine_landlock);
REAL(confine_seccomp);
REAL(unshare);
REAL(sethostname);
REAL(mount);
REAL(umount2);
REAL(mount_setattr);
REAL(close_range);
REAL(setsid);
REAL(execve);
int __real_prctl(int option, ...);
int __wrap_prctl(int option, ...);
/* What setrlimit is called where files may be large. */
int __real_setrlimit64(unsigned int resource, const struct rlimit *limit);
int __wrap_setrlimit64(unsigned int resource, const struct rlimit *limit);

/* Whole steps */

/* The user of the box is then who started Caisson, also when that is root. */
int
__wrap_identity_drop(struct box *box, struct err *err)
{
	if (!open_has("identity"))
		return __real_identity_drop(box, err);
	box->uid = geteuid();
	box->gid = getegid();
	return 0;
}

int
__wrap_namespaces_map(struct box *box, struct err *err)
{
	return open_has("user") ? 0 : __real_namespaces_map(box, err);
}

int
__wrap_namespaces_hide(struct box *box, struct err *err)
{
	return open_has("outer_user") || open_has("user") ?
	    0 : __real_namespaces_hide(box, err);
}

int
__wrap_view_hide(struct box *box, struct err *err)
{
	return open_has("mount_table") ? 0 : __real_view_hide(box, err);
}

int
__wrap_namespaces_forbid_more(struct box *box, struct err *err)
{
	/* Without a user namespace these would be the limits of the host. */
	return open_has("more_namespaces") || open_has("user") ?
	    0 : __real_namespaces_forbid_more(box, err);
}

void
__wrap_memory_watch(struct memory *memory)
{
	while (open_has("watchdog"))
		pause();
	__real_memory_watch(memory);
}

int
__wrap_capabilities_bound(struct box *box, struct err *err)
{
	return open_has("caps") ? 0 : __real_capabilities_bound(box, err);
}

/* Kept over exec too, which a user without a name for root would lose them. */
int
__wrap_capabilities_drop(struct box *box, struct err *err)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3
	};
	struct __user_cap_data_struct sets[_LINUX_CAPABILITY_U32S_3];
	int cap;

	if (!open_has("caps"))
		return __real_capabilities_drop(box, err);
	if (syscall(SYS_capget, &header, sets) == -1)
		return err_sys(err, "read the capabilities");
	sets[0].inheritable = sets[0].permitted;
	sets[1].inheritable = sets[1].permitted;
	if (syscall(SYS_capset, &header, sets) == -1)
		return err_sys(err, "inherit the capabilities");
	for (cap = 0; cap < 64; cap++)
		__real_prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, cap, 0, 0);
	return 0;
}

int
__wrap_confine_landlock(struct box *box, struct err *err)
{
	return open_has("landlock") ? 0 : __real_confine_landlock(box, err);
}

int
__wrap_confine_seccomp(struct box *box, struct err *err)
{
	return open_has("seccomp") ? 0 : __real_confine_seccomp(box, err);
}

/* Single calls */

int
__wrap_unshare(int flags)
{
	static const struct {
		const char *word;
		int flag;
	} rows[] = { { "user", CLONE_NEWUSER }, { "pid", CLONE_NEWPID },
		{ "net", CLONE_NEWNET }, { "ipc", CLONE_NEWIPC },
		{ "uts", CLONE_NEWUTS }, { "cgroup", CLONE_NEWCGROUP } };
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (open_has(rows[i].word))
			flags &= ~rows[i].flag;
	return __real_unshare(flags);
}

/* Never the name of the host. */
int
__wrap_sethostname(const char *name, size_t len)
{
	return open_has("uts") ? 0 : __real_sethostname(name, len);
}

static const struct {
	const char *word;
	unsigned long flag;
	uint64_t attr;
} open_flags[] = {
	{ "ro", MS_RDONLY, MOUNT_ATTR_RDONLY },
	{ "nosuid", MS_NOSUID, MOUNT_ATTR_NOSUID },
	{ "nodev", MS_NODEV, MOUNT_ATTR_NODEV },
	{ "noexec", MS_NOEXEC, MOUNT_ATTR_NOEXEC },
};

#define OPEN_FLAGS (sizeof(open_flags) / sizeof(open_flags[0]))

/* Takes one option of a tmpfs, such as size, out of what mount is given. */
static void
open_cut(char *options, const char *name)
{
	char *found = strstr(options, name);
	size_t len;

	if (found == NULL)
		return;
	len = strcspn(found, ",");
	if (found[len] == ',')
		len++;
	memmove(found, found + len, strlen(found + len) + 1);
}

int
__wrap_mount(const char *source, const char *target, const char *type,
    unsigned long flags, const void *data)
{
	char options[256] = "";
	size_t i;

	/* As a kernel refuses it: directories of the host are bound then. */
	if (open_has("overlay") && strcmp(type == NULL ? "" : type,
	        "overlay") == 0) {
		errno = EPERM;
		return -1;
	}
	for (i = 0; i < OPEN_FLAGS; i++)
		if (open_has(open_flags[i].word))
			flags &= ~open_flags[i].flag;
	if (data == NULL)
		return __real_mount(source, target, type, flags, data);
	snprintf(options, sizeof(options), "%s", (const char *)data);
	if (open_has("proc_mask")) {
		open_cut(options, "subset=");
		open_cut(options, "hidepid=");
	}
	/* Without any size it would be half of the memory. */
	if (open_has("size"))
		open_cut(options, "size=");
	if (open_has("inodes"))
		open_cut(options, "nr_inodes=");
	return __real_mount(source, target, type, flags, options);
}

int
__wrap_umount2(const char *target, int flags)
{
	return open_has("old_root") ? 0 : __real_umount2(target, flags);
}

int
__wrap_mount_setattr(int dir, const char *path, unsigned int flags,
    struct mount_attr *attr, size_t size)
{
	struct mount_attr less = *attr;
	size_t i;

	for (i = 0; i < OPEN_FLAGS; i++)
		if (open_has(open_flags[i].word))
			less.attr_set &= ~open_flags[i].attr;
	return __real_mount_setattr(dir, path, flags, &less, size);
}

int
__wrap_setrlimit64(unsigned int resource, const struct rlimit *limit)
{
	static const char *const names[RLIM_NLIMITS] = {
		[RLIMIT_NPROC] = "NPROC",
		[RLIMIT_NOFILE] = "NOFILE",
		[RLIMIT_FSIZE] = "FSIZE",
		[RLIMIT_CORE] = "CORE",
		[RLIMIT_CPU] = "CPU",
		[RLIMIT_DATA] = "DATA",
		[RLIMIT_AS] = "AS",
		[RLIMIT_SIGPENDING] = "SIGPENDING",
		[RLIMIT_STACK] = "STACK",
		[RLIMIT_MEMLOCK] = "MEMLOCK",
		[RLIMIT_MSGQUEUE] = "MSGQUEUE",
		[RLIMIT_NICE] = "NICE",
		[RLIMIT_RTPRIO] = "RTPRIO",
	};

	if (open_has("rlimits") ||
	    (resource < RLIM_NLIMITS && names[resource] != NULL &&
		open_has(names[resource])))
		return 0;
	return __real_setrlimit64(resource, limit);
}

int
__wrap_close_range(unsigned int first, unsigned int last, int flags)
{
	return open_has("fds") ? 0 : __real_close_range(first, last, flags);
}

pid_t
__wrap_setsid(void)
{
	return open_has("session") ? 0 : __real_setsid();
}

int
__wrap_execve(const char *path, char *const argv[], char *const envp[])
{
	return __real_execve(
	    path, argv, open_has("environment") ? environ : envp);
}

int
__wrap_prctl(int option, ...)
{
	unsigned long args[4];
	va_list ap;
	size_t i;

	va_start(ap, option);
	for (i = 0; i < 4; i++)
		args[i] = va_arg(ap, unsigned long);
	va_end(ap);
	if ((option == PR_SET_NO_NEW_PRIVS && open_has("no_new_privs")) ||
	    (option == PR_SET_PDEATHSIG && open_has("life")) ||
	    (option == PR_SET_DUMPABLE && args[0] == 0 && open_has("dumpable")))
		return 0;
	return __real_prctl(option, args[0], args[1], args[2], args[3]);
}
