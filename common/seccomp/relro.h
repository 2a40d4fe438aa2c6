/*
 * Makes read-only what is only written while a program is relocated. glibc does
 * so before main(); in a static program of musl this does. Linked into every
 * confined process; called by lockdown() only.
 */
#ifndef COMMON_RELRO_H
#define COMMON_RELRO_H

#include "../base/err.h"

/* Returns 0, or -1 with err. */
int relro_protect(struct err *err);

#endif
