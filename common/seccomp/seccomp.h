/*
 * Loads a system call filter that was compiled at build time (see
 * seccomp_compile.c). Used by lockdown and by the box.
 */
#ifndef COMMON_SECCOMP_H
#define COMMON_SECCOMP_H

#include <linux/filter.h>
#include <stddef.h>

#include "../base/err.h"

/*
 * Permanently filters the system calls of this thread and all its children.
 * Needs no_new_privs. Returns 0, or -1 with err.
 */
int seccomp_load(const struct sock_filter *filter, size_t len, struct err *err);

#endif
