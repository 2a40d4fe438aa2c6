/*
 * Tests of common/base/fortify.h: a process that would write more than a place
 * has room for is killed, and one that would not is let be. Compiled with
 * optimisation, like what includes it.
 */
#include "common/base/fortify.h"

#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>

#include "tests/unit/unit.h"

/* The compiler cannot know how much is written. */
static volatile size_t fitting = 8, larger = 9;
static const char *volatile from = "0123456789abcde";

#ifdef __aarch64__
#define TRAPPED SIGTRAP
#else
#define TRAPPED SIGILL
#endif

static void __attribute__((format(printf, 2, 3)))
print(size_t bytes, const char *fmt, ...)
{
	char place[8];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(place, bytes, fmt, ap);
	va_end(ap);
	__asm__ volatile("" : : "r"(place) : "memory");
}

/* Writes so many bytes into eight, in the way with this number. */
static void
write_bytes(int way, size_t bytes)
{
	char place[8];
	struct pollfd fds[1] = { { .fd = -1 } };
	int fd = open("/dev/zero", O_RDONLY);

	switch (way) {
	case 0:
		memcpy(place, from, bytes);
		break;
	case 1:
		memmove(place, from, bytes);
		break;
	case 2:
		memset(place, 'x', bytes);
		break;
	case 3:
		ck_assert_int_eq(read(fd, place, bytes), (ssize_t)bytes);
		break;
	case 4:
		ck_assert_int_eq(pread(fd, place, bytes, 0), (ssize_t)bytes);
		break;
	case 5:
		snprintf(place, bytes, "%s", from);
		break;
	case 6:
		print(bytes, "%s", from);
		break;
	case 7:
		poll(fds, bytes - 7, 0);
		break;
	default:
		ck_abort_msg("no such way");
	}
	close(fd);
	__asm__ volatile("" : : "r"(place) : "memory");
}

#define WAYS 8

UNIT_TESTS(writes_what_fits, WAYS)
{
	write_bytes(_i, fitting);
}

UNIT_ROW(writes_no_more, TRAPPED, 0, WAYS)
{
	write_bytes(_i, larger);
}
