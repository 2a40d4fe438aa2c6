/*
 * main() of the tests of one file or several, which add themselves (unit.h).
 */
#include <string.h>

#include "unit.h"

#define FILES_MAX 96

static struct {
	const char *file;
	TCase *tc;
} cases[FILES_MAX];
static size_t count;

TCase *
unit_case(const char *file)
{
	const char *name = strrchr(file, '/');
	size_t i;

	for (i = 0; i < count; i++)
		if (strcmp(cases[i].file, file) == 0)
			return cases[i].tc;
	if (count == FILES_MAX)
		abort();
	cases[count].file = file;
	cases[count].tc = tcase_create(name == NULL ? file : name + 1);
	tcase_set_timeout(cases[count].tc, UNIT_TIMEOUT_SECONDS);
	return cases[count++].tc;
}

char **unit_argv;

int
unit_run(void)
{
	Suite *suite = suite_create("unit");
	SRunner *runner;
	size_t i;
	int failed;

	for (i = 0; i < count; i++)
		suite_add_tcase(suite, cases[i].tc);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

/* A file of tests may have its own. */
int __attribute__((weak))
main(int, char **argv)
{
	unit_argv = argv;
	return unit_run();
}
