/*
 * Tests of supervisor/run/figures: whose calls are counted by themselves.
 */
#include <string.h>

#include "supervisor/box/shared/language.h"
#include "supervisor/run/call_parts.h"
#include "supervisor/run/figures.h"
#include "tests/unit/unit.h"

/* Counts a call that never had a place. */
static void
count(struct figures *figures, const char *name, const char *language)
{
	struct owner owner = { .name = name };
	struct language of = { .name = language };
	struct call call = { .request = { .owner = &owner, .language = &of } };

	figures_add_call(figures, &call);
}

/* Returns how many calls there were. */
static uint64_t
counted(const struct figures *figures, const char *name, const char *language)
{
	uint64_t sum = 0;
	size_t i;

	for (i = 0; i < figures->ncalls; i++)
		if (strcmp(figures->calls[i].owner, name) == 0 &&
		    strcmp(figures->calls[i].language, language) == 0)
			sum += figures->calls[i].ended[0];
	return sum;
}

UNIT_TEST(owners_above_the_bound_share_rows)
{
	struct figures figures = { 0 };
	char name[8];
	int i;

	for (i = 0; i < FIGURES_CALLS_MAX + 10; i++) {
		snprintf(name, sizeof(name), "%d", i);
		count(&figures, name, "python");
	}
	/* One that has a row keeps it; the others have one for a language. */
	count(&figures, "0", "python");
	count(&figures, "new", "shell");
	ck_assert_uint_eq(counted(&figures, "0", "python"), 2);
	ck_assert_uint_eq(counted(&figures, FIGURES_OTHERS, "python"), 10);
	ck_assert_uint_eq(counted(&figures, FIGURES_OTHERS, "shell"), 1);
	ck_assert_uint_eq(figures.ncalls, FIGURES_CALLS_MAX + 2);
	figures_reset(&figures);
}
