/*
 * Tests of worker/box/native/limits: what bounds the memory and the number of
 * the processes of a language. No limit is set: the calls are led here.
 */
#include <sys/resource.h>

#include "common/limits.h"
#include "tests/unit/unit.h"
#include "worker/box/native/native.h"

int __wrap_setrlimit64(unsigned int resource, const struct rlimit *limit);
int __wrap_getrlimit64(unsigned int resource, struct rlimit *limit);

/* Those of the process, without a limit at first, and how often one was set. */
static struct rlimit seen[RLIM_NLIMITS] = {
	[0 ... RLIM_NLIMITS - 1] = { RLIM_INFINITY, RLIM_INFINITY },
};
static unsigned int sets;

int
__wrap_setrlimit64(unsigned int resource, const struct rlimit *limit)
{
	ck_assert_uint_lt(resource, RLIM_NLIMITS);
	seen[resource] = *limit;
	sets++;
	return 0;
}

int
__wrap_getrlimit64(unsigned int resource, struct rlimit *limit)
{
	ck_assert_uint_lt(resource, RLIM_NLIMITS);
	*limit = seen[resource];
	return 0;
}

static const struct row {
	enum language_memory memory;
	int grouped;
	int watchdog;
	int bounded; /* the address space is */
} rows[] = {
	{ LANGUAGE_ADDRESS_SPACE, 0, 1, 1 },
	{ LANGUAGE_ADDRESS_SPACE, 0, 0, 1 },
	{ LANGUAGE_ADDRESS_SPACE, 1, 0, 0 },
	{ LANGUAGE_RESIDENT, 0, 1, 0 },
	/* Where nothing counts page tables, as with reduced isolation. */
	{ LANGUAGE_RESIDENT, 0, 0, 1 },
	{ LANGUAGE_RESIDENT, 1, 0, 0 },
	{ LANGUAGE_RESERVED, 0, 1, 0 },
	{ LANGUAGE_RESERVED, 0, 0, 1 },
	{ LANGUAGE_RESERVED, 1, 0, 0 },
};

UNIT_TESTS(the_address_space_is_as_the_language_says, UNIT_COUNT(rows))
{
	const struct row *row = &rows[_i];
	const struct language language = { .memory = row->memory };
	static struct box box;
	struct err err;

	box.language = &language;
	box.watchdog = row->watchdog;
	box.setup = (struct ipc_setup){ .memory_bytes = 512 * MIB,
		.processes = 32,
		.cpu_seconds = 100,
		.files_bytes = 128 * MIB,
		.grouped = (uint64_t)row->grouped };
	ck_assert_msg(limits_set(&box, &err) == 0, "%s", err.text);
	ck_assert_uint_eq(seen[RLIMIT_AS].rlim_max, row->bounded ?
	    512 * MIB + BOX_ADDRESS_EXTRA : RLIM_INFINITY);
	/* That stays for all but those that reserve private memory. */
	ck_assert_uint_eq(seen[RLIMIT_DATA].rlim_max,
	    row->memory == LANGUAGE_RESERVED && !row->bounded ?
	    RLIM_INFINITY : row->grouped ?
	    512 * MIB + 32 * BOX_STACK : 512 * MIB);
}

UNIT_TEST(helpers_take_no_place_of_the_code)
{
	const struct language language = { .helpers = 1 };
	static struct box box;
	struct err err;

	box.language = &language;
	box.setup = (struct ipc_setup){ .memory_bytes = 512 * MIB,
		.processes = 32, .cpu_seconds = 100, .files_bytes = 128 * MIB };
	ck_assert_msg(limits_set(&box, &err) == 0, "%s", err.text);
	ck_assert_uint_eq(seen[RLIMIT_NPROC].rlim_max, 32 + 1 + 1);
}

/* A box has most limits from its template: those are not set again. */
UNIT_TEST(sets_what_differs)
{
	const struct language language = { .helpers = 0 };
	static struct box box;
	struct err err;

	box.language = &language;
	box.setup = (struct ipc_setup){ .memory_bytes = 512 * MIB,
		.processes = 32, .cpu_seconds = 100, .files_bytes = 128 * MIB };
	ck_assert_msg(limits_set(&box, &err) == 0, "%s", err.text);
	/* Another soft limit is another limit, and a lower one stays. */
	seen[RLIMIT_CORE].rlim_cur = 0;
	seen[RLIMIT_FSIZE] = (struct rlimit){ 5, 5 };
	sets = 0;
	ck_assert_msg(limits_set(&box, &err) == 0, "%s", err.text);
	ck_assert_uint_eq(sets, 1);
	ck_assert_uint_eq(seen[RLIMIT_CORE].rlim_cur, 1);
	ck_assert_uint_eq(seen[RLIMIT_FSIZE].rlim_max, 5);
	ck_assert_uint_eq(seen[RLIMIT_DATA].rlim_cur, 512 * MIB);
}
