/*
 * For files whose tests need a directory: each test has one, which is its
 * working directory, too, and is removed with its content.
 */
#ifndef TESTS_UNIT_UNIT_FOLDER_H
#define TESTS_UNIT_UNIT_FOLDER_H

#include <stdlib.h>
#include <unistd.h>

#include "common/base/mem.h"
#include "unit.h"

static char folder[] = "/tmp/caisson-test-XXXXXX";

/* Writes a file whose path is absolute or begins in the directory. */
static inline void
put_file(const char *path, const char *text)
{
	FILE *file = fopen(path, "we");

	ck_assert_ptr_nonnull(file);
	ck_assert_int_ge(fputs(text, file), 0);
	ck_assert_int_eq(fclose(file), 0);
}

static void
unit_make_folder(void)
{
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(chdir(folder), 0);
}

static void
unit_remove_folder(void)
{
	auto_free char *command =
	    mem_printf("chmod -R u+w %s; rm -rf %s", folder, folder);

	ck_assert_int_eq(system(command), 0);
}

/* Before other fixtures of the file, and after them. */
static void __attribute__((constructor))
unit_add_folder(void)
{
	tcase_add_checked_fixture(unit_case(__BASE_FILE__), unit_make_folder,
	    unit_remove_folder);
}

#endif
