/*
 * Drops all privileges: see lockdown.h. Linked into every worker, run once by
 * each. The lists of system calls, in the folder of each worker as
 * relay/lockdown.rules, are compiled at build time.
 */
#include <fcntl.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "landlock.h"
#include "../base/fd.h"
#include "landlock_abi.h"
#include "lockdown.h"
#include "../base/log.h"
#include "relro.h"
#include "seccomp.h"
#include "lockdown_lists.h"

/* The rights in that directory and below it, for each kind of use. */
static const uint64_t lockdown_rights[LOCKDOWN_USES] = {
	[LOCKDOWN_KEEPS] = LANDLOCK_ACCESS_FS_READ_FILE |
	    LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_TRUNCATE |
	    LANDLOCK_ACCESS_FS_READ_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
	    LANDLOCK_ACCESS_FS_REMOVE_FILE,
	[LOCKDOWN_READS] =
	    LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR,
	[LOCKDOWN_CONNECTS] = LANDLOCK_ACCESS_FS_READ_FILE |
	    LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_MAKE_REG |
	    LANDLOCK_ACCESS_FS_REMOVE_FILE,
	[LOCKDOWN_FILLS] = LANDLOCK_ACCESS_FS_WRITE_FILE |
	    LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |
	    LANDLOCK_ACCESS_FS_REMOVE_FILE,
};

/* The files that a process which connects reads: hosts, and certificates. */
static const char *const lockdown_hosts[] = { "/etc/hosts", "/etc/host.conf",
	"/etc/resolv.conf", "/etc/nsswitch.conf", "/etc/gai.conf",
	"/etc/services", "/run/systemd/resolve", "/etc/ssl",
	"/etc/ca-certificates", "/usr/share/ca-certificates", "/usr/lib/ssl" };

struct lockdown_row {
	const struct sock_filter *filter;
	size_t len;
};

#define LOCKDOWN_ROW(filter) { filter, sizeof(filter) / sizeof((filter)[0]) }

/* Only workers can be locked down. */
#define LOCKDOWN_PROGRAM(name) { NULL, 0 }
#define LOCKDOWN_BOX(name) { NULL, 0 }
#define LOCKDOWN_TASK(name) LOCKDOWN_ROW(lockdown_##name)
#define LOCKDOWN_SERVICE(name) LOCKDOWN_ROW(lockdown_##name)

static const struct lockdown_row lockdown_table[ROLES] = {
#define ROLE(NAME, name, kind, ...) [ROLE_##NAME] = LOCKDOWN_##kind(name),
#include "../roles.def"
#undef ROLE
};

/* Allows to read what is there of the files for connections. */
static int
lockdown_allow_hosts(int ruleset, int abi, struct err *err)
{
	size_t n;

	for (n = 0; n < sizeof(lockdown_hosts) / sizeof(lockdown_hosts[0]);
	     n++) {
		auto_fd int fd = (int)syscall(SYS_openat, AT_FDCWD,
		    lockdown_hosts[n], O_PATH | O_CLOEXEC);

		if (fd != -1 && landlock_allow(ruleset, abi, fd,
		        lockdown_rights[LOCKDOWN_READS], err) == -1)
			return -1;
	}
	return 0;
}

/* Denies all files outside folder; -1 denies all files. */
static int
lockdown_landlock(enum lockdown_use use, int folder, struct err *err)
{
	int abi = landlock_abi();
	auto_fd int ruleset = -1;

	if (abi == 0 && use == LOCKDOWN_CONNECTS)
		return err_set(err, "there is no landlock, without which it "
		    "could read all files");
	if (abi == 0) {
		/*
		 * Landlock is a second layer where no call that it governs is
		 * on the list.
		 */
		log_debug("no landlock here: the system call filter alone "
		    "confines");
		return 0;
	}
	ruleset = landlock_create(abi, use == LOCKDOWN_CONNECTS, err);
	if (ruleset == -1)
		return -1;
	if (use == LOCKDOWN_CONNECTS &&
	    lockdown_allow_hosts(ruleset, abi, err) == -1)
		return -1;
	if (folder != -1 && landlock_allow(ruleset, abi, folder,
	        lockdown_rights[use], err) == -1)
		return -1;
	return landlock_enforce(ruleset, err);
}

/*
 * Root has them at the start. No role needs one: its files belong to our user,
 * and all other rights are open descriptors.
 */
static int
lockdown_drop_capabilities(struct err *err)
{
	struct __user_cap_header_struct header = {
		.version = _LINUX_CAPABILITY_VERSION_3
	};
	struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3] = { 0 };

	if (syscall(SYS_capset, &header, none) == -1)
		return err_sys(err, "drop the capabilities");
	return 0;
}

int
lockdown(enum role role, enum lockdown_use use, int folder, struct err *err)
{
	const struct lockdown_row *row = &lockdown_table[role];

	if (row->filter == NULL)
		return err_set(err, "there is no system call list for %s",
		    role_info(role)->name);
	/*
	 * Logged once, by the process that runs long: porters start for each
	 * call.
	 */
	if (use == LOCKDOWN_KEEPS && landlock_abi() == 0)
		log_warn("no landlock here: of files, only their rights "
		    "confine");
#ifndef __GLIBC__
	if (relro_protect(err) == -1)
		return -1;
#endif
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == -1)
		return err_sys(err, "set no_new_privs");
	if (lockdown_landlock(use, folder, err) == -1)
		return -1;
	if (lockdown_drop_capabilities(err) == -1)
		return -1;
	if (prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) == -1)
		return err_sys(err, "refuse core dumps and debuggers");
	return seccomp_load(row->filter, row->len, err);
}
