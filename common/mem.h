/*
 * Memory that cannot be forgotten. Allocation never fails here: without
 * memory the process ends with one line in the log, and a process that depends
 * on it sees it end. "auto_free char *p = NULL;" frees at the end of the scope,
 * "mem_take(&p)" hands over. Used by every process.
 */
#ifndef COMMON_MEM_H
#define COMMON_MEM_H

#include <stdarg.h>
#include <stddef.h>

/* Returns size bytes of zeroes (at least one); the caller frees them. */
void *mem_alloc(size_t size);

/* Resizes p (which may be NULL) to size bytes, new bytes unset. */
void *mem_resize(void *p, size_t size);

/* Returns a copy of len bytes with a NUL behind it; the caller frees it. */
void *mem_dup(const void *data, size_t len);

/* Returns a copy of a string; NULL stays NULL. */
char *mem_strdup(const char *s);

/* Returns the formatted string; the caller frees it. */
char *mem_printf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
char *mem_vprintf(const char *fmt, va_list ap)
    __attribute__((format(printf, 1, 0)));

/* The clean-up function behind auto_free: frees *(void **)p. */
void mem_auto_free(void *p);

#define auto_free __attribute__((cleanup(mem_auto_free)))

/* Hands over: the value of *pp, which becomes NULL. */
#define mem_take(pp)                                                           \
	__extension__({                                                        \
		__typeof__(*(pp)) mem_taken_ = *(pp);                          \
		*(pp) = NULL;                                                  \
		mem_taken_;                                                    \
	})

#endif
