/*
 * What _FORTIFY_SOURCE does for the functions that relays and porters use,
 * where they are linked with musl, whose headers leave it out: a process that
 * would write more bytes than a place has room for, as far as the compiler
 * knows the place, is killed. Included first by every file of such a program.
 */
#ifndef COMMON_FORTIFY_H
#define COMMON_FORTIFY_H

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Returns the number of bytes, which fit into that room. */
static inline __attribute__((always_inline)) size_t
fortify_fits(size_t bytes, size_t room)
{
	if (bytes > room)
		__builtin_trap();
	return bytes;
}

/* An unknown room is the largest number. */
#define FORTIFY_FITS(to, bytes)                                                \
	fortify_fits((bytes), __builtin_object_size((to), 0))

#define memcpy(to, from, bytes) memcpy(to, from, FORTIFY_FITS(to, bytes))
#define memmove(to, from, bytes) memmove(to, from, FORTIFY_FITS(to, bytes))
#define memset(to, value, bytes) memset(to, value, FORTIFY_FITS(to, bytes))
#define read(fd, to, bytes) read(fd, to, FORTIFY_FITS(to, bytes))
#define pread(fd, to, bytes, at) pread(fd, to, FORTIFY_FITS(to, bytes), at)
#define snprintf(to, bytes, ...)                                               \
	snprintf(to, FORTIFY_FITS(to, bytes), __VA_ARGS__)
#define vsnprintf(to, bytes, ...)                                              \
	vsnprintf(to, FORTIFY_FITS(to, bytes), __VA_ARGS__)
#define poll(fds, count, ms)                                                   \
	poll(fds,                                                              \
	    FORTIFY_FITS(fds, (count) * sizeof(*(fds))) / sizeof(*(fds)), ms)

#endif
