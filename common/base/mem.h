/*
 * Memory with automatic release. Allocation never fails here: without memory
 * the process exits with one line in the log, and the processes that depend on
 * it see its exit. "auto_free char *p = NULL;" frees p at the end of its scope;
 * "mem_take(&p)" transfers ownership. Used by every process.
 */
#ifndef COMMON_MEM_H
#define COMMON_MEM_H

#include <stdarg.h>
#include <stddef.h>

/* Returns size zeroed bytes (at least one); the caller frees them. */
void *mem_alloc(size_t size);

/*
 * Resizes p (which may be NULL) to size bytes; new bytes are not initialised.
 */
void *mem_resize(void *p, size_t size);

/* Returns a copy of len bytes, terminated by a NUL; the caller frees it. */
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

/* Transfers ownership: returns the value of *pp, which becomes NULL. */
#define mem_take(pp)                                                           \
	__extension__({                                                        \
		__typeof__(*(pp)) mem_taken_ = *(pp);                          \
		*(pp) = NULL;                                                  \
		mem_taken_;                                                    \
	})

#endif
