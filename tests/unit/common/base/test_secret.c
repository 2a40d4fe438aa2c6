/*
 * Tests of common/base/secret: the same bytes are, no others are, and all of
 * them are read where the first one differs already.
 */
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/base/secret.h"
#include "tests/unit/unit.h"

UNIT_TEST(the_same_bytes_are)
{
	ck_assert(secret_is("token", "token", 5));
	ck_assert(secret_is("", "x", 0));
	ck_assert(!secret_is("token", "tokem", 5));
	ck_assert(!secret_is("Token", "token", 5));
}

/* The second page cannot be read, which is seen only where that is tried. */
UNIT_ROW(all_are_read_after_a_difference, SIGSEGV, 0, 1)
{
	static const char other[1 << 16];
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	char *both = mmap(NULL, 2 * page, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ck_assert_ptr_ne(both, MAP_FAILED);
	memset(both, 'x', page);
	ck_assert_int_eq(mprotect(both + page, page, PROT_NONE), 0);
	signal(SIGSEGV, SIG_DFL);
	secret_is(both, other, page + 1);
}
