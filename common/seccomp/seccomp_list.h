/*
 * A list of system calls with the action for each, as the build-time tools read
 * it: seccomp_compile and seccomp_oci. Neither is installed, and no process of
 * Caisson runs them.
 *
 * A list holds one rule per line; '#' starts a comment:
 *
 *	default errno ENOSYS	result of every call not named below
 *	default allow		for a list that is applied before another one
 *	badarch kill		calls of a foreign architecture (and x32) kill
 *	with FILE		the rules of that list, before all others
 *	allow CALL...
 *	refuse CALL...		fails with EPERM
 *	ignore CALL...		succeeds without being executed
 *	lack CALL...		fails with EOPNOTSUPP, as on a file system that
 *				does not support it: programs continue without
 *	decline CALL...		fails with EINVAL, as for descriptors that it
 *				does not take: programs call something else
 *	allow CALL... if arg1 == VALUE, VALUE and arg2 & MASK == VALUE
 *
 * The rules of a call are tried in order, and the first that matches decides; a
 * call without a matching rule gets the default. '?CALL' may be missing on this
 * architecture. MASK and VALUE are numbers, or names of constants that
 * seccomp_list.c lists, joined by '|'. Only the lower 32 bits of an argument
 * are compared: all compared arguments are ints or flags that the kernel also
 * truncates to 32 bits (a filter that compared more was CVE-2019-10063).
 */
#ifndef COMMON_SECCOMP_LIST_H
#define COMMON_SECCOMP_LIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sizes of a list: far above the lists of this program. */
#define COMPILE_RULES_MAX 1024
#define COMPILE_CONDITIONS_MAX 3
#define COMPILE_VALUES_MAX 32

struct condition {
	unsigned int arg;
	uint32_t mask;
	uint32_t values[COMPILE_VALUES_MAX];
	size_t nvalues;
};

struct rule {
	int nr;
	int line;
	uint32_t action; /* SECCOMP_RET_* */
	struct condition conditions[COMPILE_CONDITIONS_MAX];
	size_t nconditions;
};

struct list {
	const char *path;
	int line;
	uint32_t fallback;
	bool badarch; /* whether the list has this line */
	struct rule rules[COMPILE_RULES_MAX];
	size_t nrules;
};
/* Reads list->path into list, which is otherwise zeroed; exits on an error. */
void seccomp_list_read(struct list *list);

/* Returns the first rule of a call number from this one on, or NULL. */
const struct rule *seccomp_list_find(
    const struct list *list, size_t from, int nr);

#endif
