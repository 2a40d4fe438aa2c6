/*
 * Landlock: see landlock.h. Linked into every confined process; the C library
 * has no wrappers for the calls. Opens no file: paths come as descriptors.
 */
#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../base/fd.h"
#include "landlock.h"
#include "landlock_abi.h"

/* The rights that apply to a file other than a directory. */
#define LANDLOCK_FS_FILE                                                       \
	(LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_WRITE_FILE |          \
	    LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_TRUNCATE |       \
	    LANDLOCK_ACCESS_FS_IOCTL_DEV)

int
landlock_abi(void)
{
	long abi = syscall(SYS_landlock_create_ruleset, NULL, 0,
	    LANDLOCK_CREATE_RULESET_VERSION);

	if (abi < 0)
		return 0;
	return abi < LANDLOCK_ABI_KNOWN ? (int)abi : LANDLOCK_ABI_KNOWN;
}

/* Every right to files in this ABI. */
static uint64_t
landlock_fs_rights(int abi)
{
	uint64_t rights = LANDLOCK_FS_ABI_1;

	if (abi >= 2)
		rights |= LANDLOCK_ACCESS_FS_REFER;
	if (abi >= 3)
		rights |= LANDLOCK_ACCESS_FS_TRUNCATE;
	if (abi >= 5)
		rights |= LANDLOCK_ACCESS_FS_IOCTL_DEV;
	return rights;
}

int
landlock_create(int abi, int connects, struct err *err)
{
	struct landlock_ruleset_abi attr = { 0 };
	long ruleset;

	attr.handled_access_fs = landlock_fs_rights(abi);
	if (abi >= 4)
		attr.handled_access_net = LANDLOCK_ACCESS_NET_BIND_TCP |
		    (connects ? 0 : LANDLOCK_ACCESS_NET_CONNECT_TCP);
	if (abi >= 6)
		attr.scoped = LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET |
		    LANDLOCK_SCOPE_SIGNAL;
	ruleset = syscall(SYS_landlock_create_ruleset, &attr, sizeof(attr), 0);
	if (ruleset == -1)
		return err_sys(err, "create a landlock rule set of ABI %d",
		    abi);
	return (int)ruleset;
}

/* Returns 0, or -1 with errno. */
static int
landlock_add(int ruleset, const struct landlock_path_beneath_attr *rule)
{
	return (int)syscall(SYS_landlock_add_rule, ruleset,
	    LANDLOCK_RULE_PATH_BENEATH, rule, 0);
}

int
landlock_allow(
    int ruleset, int abi, int path_fd, uint64_t rights, struct err *err)
{
	struct landlock_path_beneath_attr rule = { .parent_fd = path_fd };

	rule.allowed_access = rights & landlock_fs_rights(abi);
	if (landlock_add(ruleset, &rule) == 0)
		return 0;
	/* The kernel refuses rights to a directory for any other file. */
	rule.allowed_access &= LANDLOCK_FS_FILE;
	if (errno == EINVAL && landlock_add(ruleset, &rule) == 0)
		return 0;
	return err_sys(err, "add a landlock rule");
}

int
landlock_enforce(int ruleset, struct err *err)
{
	if (syscall(SYS_landlock_restrict_self, ruleset, 0) == -1)
		return err_sys(err, "apply a landlock rule set");
	return 0;
}

int
landlock_enforce_nothing(int abi, struct err *err)
{
	auto_fd int ruleset = landlock_create(abi, 0, err);

	if (ruleset == -1)
		return -1;
	return landlock_enforce(ruleset, err);
}
