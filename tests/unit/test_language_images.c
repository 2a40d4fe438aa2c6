/*
 * Tests of supervisor/box/language_images: only enabled images become
 * languages, none replaces one of the program, and those of one language have
 * different names that do not change when one more is enabled.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/fd.h"
#include "common/mem.h"
#include "common/text_list.h"
#include "supervisor/box/image_store.h"
#include "supervisor/box/language.h"
#include "supervisor/box/language_images.h"
#include "unit.h"

static char base[] = "/tmp/test_languages.XXXXXX";
static char *folder;
static struct err err;

static void
enter(void)
{
	ck_assert_ptr_nonnull(mkdtemp(base));
	folder = mem_printf("%s/images", base);
}

static void
leave(void)
{
	auto_free char *command = mem_printf("rm -rf '%s'", base);

	ck_assert_int_eq(system(command), 0);
	free(folder);
}

/* Keeps an image that podman holds, whose digest is one digit repeated. */
static void
keep_checked(
    int lock, const char *language, char digit, int enabled, int checked)
{
	struct image image = { .name = mem_printf("my/%s", language),
		.language = mem_strdup(language),
		.engine = mem_strdup("podman"),
		.checked = checked };

	memset(image.digest, digit, IMAGE_DIGEST_SIZE - 1);
	memcpy(image.digest, "sha256:", 7);
	ck_assert_msg(image_store_put(lock, folder, &image, &err) == 0, "%s",
	    err.text);
	ck_assert_int_eq(image_store_enable(lock, &image, enabled, &err), 0);
	image_reset(&image);
}

/* The same, after podman was asked about it. */
static void
keep(int lock, const char *language, char digit, int enabled)
{
	keep_checked(lock, language, digit, enabled, 1);
}

static void
read_all(const char *engine)
{
	ck_assert_msg(language_images_read(folder, engine, &err) == 0, "%s",
	    err.text);
}

/* Enables or disables the image that has these digits. */
static void
enable(int lock, char digit, int on)
{
	struct image image = { .engine = NULL };

	memset(image.digest, digit, IMAGE_DIGEST_SIZE - 1);
	memcpy(image.digest, "sha256:", 7);
	ck_assert_int_eq(image_store_enable(lock, &image, on, &err), 0);
}

static void
expect_names(const char *names)
{
	auto_buffer struct buffer text = { 0 };

	language_add_names(&text);
	ck_assert_str_eq(text.data, names);
}

START_TEST(without_images_nothing_is_added)
{
	read_all("podman");
	expect_names("python, shell");
}
END_TEST

START_TEST(only_enabled_images_are_languages)
{
	auto_fd int lock = image_store_lock(folder, &err);
	const struct language *ruby;

	keep(lock, "ruby", 'a', 1);
	keep(lock, "perl", 'b', 0);
	read_all("docker");
	read_all("");
	expect_names("python, shell");
	read_all("podman");
	expect_names("python, shell, ruby");
	ruby = language_find("Ruby");
	ck_assert_ptr_nonnull(ruby);
	ck_assert_str_eq(ruby->image_name, "my/ruby");
	ck_assert_uint_eq(strlen(ruby->image), 64);
	ck_assert_ptr_null(ruby->command);
	ck_assert_ptr_null(language_at(0)->image);
	ck_assert_ptr_null(language_find("perl"));
}
END_TEST

/* Its volumes and annotations are unknown. */
START_TEST(images_that_were_not_checked_are_not_used)
{
	auto_fd int lock = image_store_lock(folder, &err);

	keep_checked(lock, "ruby", 'a', 1, 0);
	keep_checked(lock, "perl", 'b', 1, 1);
	read_all("podman");
	expect_names("python, shell, perl");
}
END_TEST

START_TEST(the_first_one_keeps_the_name)
{
	auto_fd int lock = image_store_lock(folder, &err);

	keep(lock, "ruby", 'c', 1);
	keep(lock, "ruby", 'a', 1);
	keep(lock, "ruby", 'b', 1);
	read_all("podman");
	expect_names("python, shell, ruby, ruby@aaaaaaaaaaaa, "
	    "ruby@bbbbbbbbbbbb");
	ck_assert_int_eq(language_find("ruby")->digest[7], 'c');
	ck_assert_ptr_eq(
	    language_find("ruby@cccccccccccc"), language_find("ruby"));
	ck_assert_int_eq(language_find("ruby@bbbbbbbbbbbb")->digest[7], 'b');
}
END_TEST

/* Whatever the list of enabled images says. */
START_TEST(a_language_of_the_program_stays)
{
	auto_fd int lock = image_store_lock(folder, &err);

	keep(lock, "python", 'a', 1);
	keep(lock, "sh", 'b', 1);
	keep(lock, "py", 'c', 1);
	read_all("podman");
	expect_names("python, shell");
}
END_TEST

START_TEST(an_image_with_a_root_has_a_command)
{
	auto_fd int lock = image_store_lock(folder, &err);
	auto_free char *root = image_store_begin(lock, folder, &err);
	struct image image = { .name = mem_strdup("caisson-ruby"),
		.language = mem_strdup("ruby"),
		.engine = mem_strdup("") };
	const struct language *ruby;

	text_list_add(&image.command, "/usr/bin/ruby");
	text_list_add(&image.command, "-W0");
	ck_assert_ptr_nonnull(root);
	ck_assert_int_eq(image_store_put(lock, folder, &image, &err), 0);
	ck_assert_int_eq(image_store_enable(lock, &image, 1, &err), 0);
	read_all("");
	ruby = language_find("ruby");
	ck_assert_ptr_nonnull(ruby);
	ck_assert_str_eq(ruby->image, image.root);
	ck_assert_str_eq(ruby->command[0], "/usr/bin/ruby");
	ck_assert_str_eq(ruby->command[1], "-W0");
	ck_assert_ptr_null(ruby->command[2]);
	image_reset(&image);
}
END_TEST

START_TEST(a_directory_of_others_is_an_error)
{
	int lock = image_store_lock(folder, &err);

	fd_close(&lock);
	ck_assert_int_eq(chmod(folder, 0777), 0);
	ck_assert_int_eq(language_images_read(folder, "podman", &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "chmod 700"));
}
END_TEST

START_TEST(changes_are_noticed)
{
	auto_fd int lock = image_store_lock(folder, &err);
	const struct language *ruby, *perl;

	read_all("podman");
	keep(lock, "perl", 'b', 1);
	expect_names("python, shell");
	language_renew();
	expect_names("python, shell, perl");
	perl = language_find("perl");
	keep(lock, "ruby", 'a', 1);
	language_renew();
	ruby = language_find("ruby");
	ck_assert_ptr_nonnull(ruby);
	enable(lock, 'b', 0);
	language_renew();
	language_renew();
	expect_names("python, shell, ruby");
	ck_assert_ptr_eq(language_find("ruby"), ruby);
	/* A call may still refer to it. */
	ck_assert_str_eq(perl->name, "perl");
	enable(lock, 'b', 1);
	language_renew();
	expect_names("python, shell, ruby, perl");
	ck_assert_ptr_eq(language_find("perl"), perl);
}
END_TEST

/* The second image of a language, when the first one is disabled. */
START_TEST(the_name_goes_to_the_next_one)
{
	auto_fd int lock = image_store_lock(folder, &err);

	keep(lock, "ruby", 'c', 1);
	keep(lock, "ruby", 'a', 1);
	read_all("podman");
	expect_names("python, shell, ruby, ruby@aaaaaaaaaaaa");
	enable(lock, 'c', 0);
	language_renew();
	expect_names("python, shell, ruby");
	ck_assert_int_eq(language_find("ruby")->digest[7], 'a');
	ck_assert_ptr_eq(
	    language_find("ruby@aaaaaaaaaaaa"), language_find("ruby"));
}
END_TEST

START_TEST(a_directory_that_others_may_change_ends_all)
{
	int lock = image_store_lock(folder, &err);

	keep(lock, "ruby", 'a', 1);
	read_all("podman");
	keep(lock, "perl", 'b', 1);
	fd_close(&lock);
	ck_assert_int_eq(chmod(folder, 0777), 0);
	language_renew();
	expect_names("python, shell");
}
END_TEST

static void
add_tests(TCase *tc)
{
	tcase_add_checked_fixture(tc, enter, leave);
	tcase_add_test(tc, without_images_nothing_is_added);
	tcase_add_test(tc, only_enabled_images_are_languages);
	tcase_add_test(tc, images_that_were_not_checked_are_not_used);
	tcase_add_test(tc, the_first_one_keeps_the_name);
	tcase_add_test(tc, a_language_of_the_program_stays);
	tcase_add_test(tc, an_image_with_a_root_has_a_command);
	tcase_add_test(tc, a_directory_of_others_is_an_error);
	tcase_add_test(tc, changes_are_noticed);
	tcase_add_test(tc, the_name_goes_to_the_next_one);
	tcase_add_test(tc, a_directory_that_others_may_change_ends_all);
}

int
main(void)
{
	return unit_run("language_images", add_tests);
}
