/*
 * Why a box cannot have its namespaces: the common causes, distinguished by
 * settings of this system, each with its exact fix. The failed step is already
 * known; this only explains it. Runs in the supervisor; reads only files of
 * /proc.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../../common/box_step.h"
#include "../../../common/base/mem.h"
#include "native.h"

#define CAUSE_IN(step) (1U << BOX_STEP_##step)
/* An LSM allows a user namespace, and then denies its capabilities. */
#define NAMESPACE_FIX_IN_ALL                                                   \
	(CAUSE_IN(USER_NAMESPACE) | CAUSE_IN(USER_MAP) |                       \
	    CAUSE_IN(NAMESPACES) | CAUSE_IN(VIEW))

#define CAUSE_KEPT " (put it into a file of /etc/sysctl.d to keep it)"

#define CAUSE_LIMIT(kind)                                                      \
	{ CAUSE_IN(NAMESPACES), "sys/user/max_" kind "_namespaces", 0,         \
		"this system allows no " kind " namespaces "                   \
		"(user.max_" kind "_namespaces is 0): 'sysctl "                \
		"user.max_" kind "_namespaces=15000'" CAUSE_KEPT }

/* Room for the target of a link to a namespace: mnt:[4026531841]. */
#define CAUSE_NAMESPACE_SIZE 64

/* A cause: the step fails if the file contains this number. */
struct namespace_fix_row {
	unsigned int steps;
	const char *path; /* below /proc */
	long value;
	const char *fix;
};

/* The first match is reported: disabled features come first. */
static const struct namespace_fix_row namespace_fix_rows[] = {
	{ CAUSE_IN(USER_NAMESPACE), "sys/user/max_user_namespaces", 0,
	    "this system allows no user namespaces "
	    "(user.max_user_namespaces is 0): 'sysctl "
	    "user.max_user_namespaces=15000'" CAUSE_KEPT },
	{ CAUSE_IN(USER_NAMESPACE), "sys/kernel/unprivileged_userns_clone", 0,
	    "this system allows user namespaces to root only "
	    "(kernel.unprivileged_userns_clone is 0): 'sysctl "
	    "kernel.unprivileged_userns_clone=1'" CAUSE_KEPT },
	CAUSE_LIMIT("mnt"),
	CAUSE_LIMIT("pid"),
	CAUSE_LIMIT("net"),
	CAUSE_LIMIT("ipc"),
	CAUSE_LIMIT("uts"),
	CAUSE_LIMIT("cgroup"),
	{ NAMESPACE_FIX_IN_ALL,
	    "sys/kernel/apparmor_restrict_unprivileged_userns", 1,
	    "AppArmor allows user namespaces only to programs that have a "
	    "profile (kernel.apparmor_restrict_unprivileged_userns is 1): "
	    "load the one of caisson-box, 'apparmor_parser "
	    "-r " CAISSON_APPARMOR_PROFILE "' as root" },
};

/* Returns the first number in a file, or -1. */
static long
namespace_fix_number(const char *proc, const char *path)
{
	auto_free char *whole = mem_printf("%s/%s", proc, path);
	FILE *file = fopen(whole, "re");
	long number;

	if (file == NULL)
		return -1;
	if (fscanf(file, "%ld", &number) != 1)
		number = -1;
	fclose(file);
	return number;
}

/*
 * Returns whether our system calls are filtered. We set no filter for
 * ourselves: it is that of a container, or of a systemd unit.
 */
static int
namespace_fix_is_filtered(const char *proc)
{
	auto_free char *path = mem_printf("%s/self/status", proc);
	FILE *file = fopen(path, "re");
	char line[256];
	int mode = 0;

	if (file == NULL)
		return 0;
	while (mode == 0 && fgets(line, sizeof(line), file) != NULL)
		if (sscanf(line, "Seccomp: %d", &mode) == 1)
			break;
	fclose(file);
	return mode == 2;
}

/* Returns whether a directory is not a mount point. */
static int
namespace_fix_is_plain_folder(const char *proc, const char *path)
{
	auto_free char *whole = mem_printf("%s/%s", proc, path);
	struct statx st;

	return statx(AT_FDCWD, whole, 0, STATX_TYPE, &st) == 0 &&
	    (st.stx_attributes_mask & STATX_ATTR_MOUNT_ROOT) != 0 &&
	    (st.stx_attributes & STATX_ATTR_MOUNT_ROOT) == 0;
}

/* Returns whether process 1, with the same mounts as ours, has another root. */
static int
namespace_fix_has_other_root(const char *proc)
{
	auto_free char *one = mem_printf("%s/1/ns/mnt", proc);
	auto_free char *own = mem_printf("%s/self/ns/mnt", proc);
	auto_free char *one_root = mem_printf("%s/1/root", proc);
	auto_free char *own_root = mem_printf("%s/self/root", proc);
	char one_text[CAUSE_NAMESPACE_SIZE] = "";
	char own_text[CAUSE_NAMESPACE_SIZE] = "";
	struct stat one_st, own_st;

	/* An ordinary user may read none of this of process 1. */
	return readlink(one, one_text, sizeof(one_text) - 1) > 0 &&
	    readlink(own, own_text, sizeof(own_text) - 1) > 0 &&
	    strcmp(one_text, own_text) == 0 && stat(one_root, &one_st) == 0 &&
	    stat(own_root, &own_st) == 0 &&
	    (one_st.st_dev != own_st.st_dev || one_st.st_ino != own_st.st_ino);
}

/* user_namespaces(7), unshare(2): EPERM in a chroot. */
static int
namespace_fix_is_chroot(const char *proc)
{
	return namespace_fix_is_plain_folder(proc, "self/root") ||
	    namespace_fix_has_other_root(proc);
}

const char *
namespace_fix(unsigned long step, const char *proc)
{
	const struct box_step_info *info = box_step_info(step);
	const struct namespace_fix_row *row = namespace_fix_rows;
	const struct namespace_fix_row *end = namespace_fix_rows +
	    sizeof(namespace_fix_rows) / sizeof(namespace_fix_rows[0]);

	if (info == NULL)
		return NULL;
	for (; row < end; row++)
		if (row->steps & 1U << step &&
		    namespace_fix_number(proc, row->path) == row->value)
			return row->fix;
	if (CAUSE_IN(USER_NAMESPACE) & 1U << step &&
	    namespace_fix_is_chroot(proc))
		return "Caisson runs in a chroot, in which the kernel refuses "
		       "user namespaces: start it outside, or enter that "
		       "folder by pivot_root, as container engines, bwrap "
		       "and systemd-nspawn do";
	if (NAMESPACE_FIX_IN_ALL & 1U << step &&
	    namespace_fix_is_filtered(proc))
		return "a system call filter around Caisson refuses it: in a "
		       "container use a seccomp profile that permits unshare, "
		       "mount and pivot_root ('--security-opt "
		       "seccomp=unconfined' permits all), in a systemd unit "
		       "no RestrictNamespaces= and SystemCallFilter=";
	return info->fix;
}
