/*
 * Constants that the landlock headers of an older system lack: those of ABI 3
 * to 7, and the rule set's structure with all its fields. Each names the kernel
 * that introduced it; the source is include/uapi/linux/landlock.h there, and
 * Documentation/userspace-api/landlock.rst. The headers of Debian 12 end at ABI
 * 2. Constants only; included by files that name rights.
 */
#ifndef COMMON_LANDLOCK_ABI_H
#define COMMON_LANDLOCK_ABI_H

#include <linux/landlock.h>
#include <stdint.h>

/* The newest ABI of which all rights are defined here. */
#define LANDLOCK_ABI_KNOWN 7

/* ABI 3, Linux 6.2 */
#ifndef LANDLOCK_ACCESS_FS_TRUNCATE
#define LANDLOCK_ACCESS_FS_TRUNCATE (1ULL << 14)
#endif

/* ABI 4, Linux 6.7 */
#ifndef LANDLOCK_ACCESS_NET_BIND_TCP
#define LANDLOCK_ACCESS_NET_BIND_TCP (1ULL << 0)
#define LANDLOCK_ACCESS_NET_CONNECT_TCP (1ULL << 1)
#endif

/* ABI 5, Linux 6.10 */
#ifndef LANDLOCK_ACCESS_FS_IOCTL_DEV
#define LANDLOCK_ACCESS_FS_IOCTL_DEV (1ULL << 15)
#endif

/* ABI 6, Linux 6.12 */
#ifndef LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET
#define LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET (1ULL << 0)
#define LANDLOCK_SCOPE_SIGNAL (1ULL << 1)
#endif

/* ABI 7, Linux 6.15, added flags for the audit log and no right. */

/*
 * struct landlock_ruleset_attr as of ABI 6. An older kernel accepts the longer
 * structure if its unknown fields are zero.
 */
struct landlock_ruleset_abi {
	uint64_t handled_access_fs;  /* ABI 1 */
	uint64_t handled_access_net; /* ABI 4 */
	uint64_t scoped;             /* ABI 6 */
};

/* Every right of ABI 1, Linux 5.13: EXECUTE (bit 0) to MAKE_SYM (bit 12). */
#define LANDLOCK_FS_ABI_1 ((LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1)

#endif
