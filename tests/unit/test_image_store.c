/*
 * Tests of supervisor/box/image_store, image_record and image_tree: an image is
 * there as a whole or not at all, has the digest of its content, and is found
 * by name and by digest.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/fd.h"
#include "common/mem.h"
#include "common/text_list.h"
#include "supervisor/box/image_store.h"
#include "unit.h"

static char base[] = "/tmp/test_image.XXXXXX";
static char *folder;
static struct err err;

static void
enter(void)
{
	ck_assert_ptr_nonnull(mkdtemp(base));
	folder = mem_printf("%s/images", base);
	umask(022);
}

static void
leave(void)
{
	auto_free char *command =
	    mem_printf("chmod -R u+rwx '%s'; rm -rf '%s'", base, base);

	ck_assert_int_eq(system(command), 0);
	free(folder);
}

/* Runs a command of a shell in the directory at path. */
static void
shell(const char *path, const char *command)
{
	auto_free char *all = mem_printf("cd '%s' && %s", path, command);

	ck_assert_msg(system(all) == 0, "%s", all);
}

static int
lock(void)
{
	int fd = image_store_lock(folder, &err);

	ck_assert_msg(fd != -1, "%s", err.text);
	return fd;
}

/* An image whose root a command of a shell fills. */
static struct image
make(int held, const char *name, const char *fill)
{
	auto_free char *root = image_store_begin(held, folder, &err);
	struct image image = { .name = mem_strdup(name),
		.language = mem_strdup("ruby"),
		.engine = mem_strdup("") };

	ck_assert_msg(root != NULL, "%s", err.text);
	shell(root, fill);
	text_list_add(&image.command, "/usr/bin/ruby");
	text_list_add(&image.command, "a \"b\"\n");
	if (strcmp(name, "my-ruby") == 0)
		text_list_add(&image.variables, "A=\"b\" c");
	ck_assert_msg(image_store_put(held, folder, &image, &err) == 0, "%s",
	    err.text);
	return image;
}

static void
expect_found(const char *name, const char *digest)
{
	struct image image;

	ck_assert_msg(image_store_find(folder, NULL, name, &image, &err) == 0,
	    "%s", err.text);
	ck_assert_str_eq(image.digest, digest);
	image_reset(&image);
}

static void
expect_lost(const char *name, const char *words)
{
	struct image image;

	ck_assert_int_eq(
	    image_store_find(folder, NULL, name, &image, &err), -1);
	ck_assert_msg(strstr(err.text, words) != NULL, "%s", err.text);
}

START_TEST(without_images_it_says_how_to_build_one)
{
	expect_lost("caisson-python", "caisson image build python");
	ck_assert_int_eq(access(folder, F_OK), -1);
	fd_close(&(int){ lock() });
	expect_lost("caisson-python", folder);
}
END_TEST

START_TEST(a_kept_image_is_found)
{
	auto_fd int held = lock();
	struct image image = make(held, "my-ruby", "echo hello >file");
	struct image found;
	char digits[13];

	expect_found("my-ruby", image.digest);
	expect_found(image.digest, image.digest);
	snprintf(digits, sizeof(digits), "%s", image.digest + 7);
	expect_found(digits, image.digest);
	digits[11] = '\0';
	expect_lost(digits, "there is no such image");
	ck_assert_int_eq(
	    image_store_find(folder, NULL, digits, &found, &err), -1);
	ck_assert_int_eq(err.code, ENOENT);
	ck_assert_int_eq(
	    image_store_find(folder, "", "my-ruby", &found, &err), 0);
	ck_assert_str_eq(found.language, "ruby");
	ck_assert_str_eq(found.root, image.root);
	ck_assert_uint_eq(found.command.len, image.command.len);
	ck_assert_int_eq(memcmp(found.command.data, image.command.data,
	    image.command.len), 0);
	ck_assert_uint_eq(found.variables.len, sizeof("A=\"b\" c"));
	ck_assert_str_eq(found.variables.data, "A=\"b\" c");
	ck_assert_uint_eq(found.bytes, 6);
	ck_assert_uint_eq(found.enabled, 0);
	shell(found.root, "test -f file -a -d proc -a -k workspace");
	image_reset(&found);
	image_reset(&image);
}
END_TEST

START_TEST(the_digest_is_that_of_the_content)
{
	auto_fd int held = lock();
	struct image one = make(held, "a", "mkdir d && echo 1 >d/f");
	struct image same = make(held, "a", "mkdir d && echo 1 >d/f && "
	    "touch -d 2001-01-01 d/f");
	struct image other = make(held, "a", "mkdir d && echo 2 >d/f");
	struct image moved = make(held, "a", "mkdir d && echo 1 >d/g");
	struct image mode = make(
	    held, "a", "mkdir d && echo 1 >d/f && chmod +x d/f");
	struct image named = make(held, "b", "mkdir d && echo 1 >d/f");
	struct image_list list;

	ck_assert_str_eq(one.digest, same.digest);
	ck_assert_str_ne(one.digest, other.digest);
	ck_assert_str_ne(one.digest, moved.digest);
	ck_assert_str_ne(one.digest, mode.digest);
	ck_assert_str_ne(one.digest, named.digest);
	/* The newest of a name has the name; the same twice is one. */
	expect_found("a", mode.digest);
	ck_assert_int_eq(image_store_list(folder, &list, &err), 0);
	ck_assert_uint_eq(list.count, 5);
	image_list_reset(&list);
	image_reset(&one);
	image_reset(&same);
	image_reset(&other);
	image_reset(&moved);
	image_reset(&mode);
	image_reset(&named);
}
END_TEST

/* Root can make devices and keeps the modes that programs ask for. */
START_TEST(the_digest_is_that_for_any_user)
{
	auto_fd int held = lock();
	struct image user = make(held, "a", "mkdir -m 755 dev shared");
	struct image root = make(held, "a", "mkdir -m 755 dev proc sys && "
	    "mkdir dev/pts && mkfifo dev/null && ln -s ../proc/self/fd dev/fd "
	    "&& touch proc/1 sys/a && mkdir -m 3777 shared");

	ck_assert_str_eq(user.digest, root.digest);
	ck_assert_uint_eq(user.bytes, root.bytes);
	shell(root.root, "test -d dev -a -d proc -a -d sys && "
	    "test -z \"$(ls -A dev proc sys | grep -v : | xargs)\" && "
	    "test \"$(stat -c %a shared)\" = 755");
	image_reset(&user);
	image_reset(&root);
}
END_TEST

/* Whether the name of the image with this digest stands for it. */
static void
expect_newest(const char *digest, int newest)
{
	struct image found;

	ck_assert_int_eq(
	    image_store_find(folder, NULL, digest, &found, &err), 0);
	ck_assert_int_eq(found.newest, newest);
	image_reset(&found);
}

/* A later build of the same content becomes the newest of its name again. */
START_TEST(building_again_is_newest)
{
	auto_fd int held = lock();
	struct image one = make(held, "a", "echo 1 >f");
	struct image two = make(held, "a", "echo 2 >f");
	struct image again = make(held, "a", "echo 1 >f");

	ck_assert_str_eq(one.digest, again.digest);
	expect_found("a", one.digest);
	expect_newest(one.digest, 1);
	expect_newest(two.digest, 0);
	image_reset(&one);
	image_reset(&two);
	image_reset(&again);
}
END_TEST

START_TEST(a_root_is_made_safe)
{
	auto_fd int held = lock();
	struct image image = make(held, "a", "mkfifo pipe && echo 1 >set && "
	    "chmod 6711 set && echo 2 >secret && chmod 0 secret && mkdir shut "
	    "&& echo 3 >shut/f && chmod 700 shut && ln -s /etc/shadow link && "
	    "echo 4 >open && chmod 666 open");

	shell(image.root, "test ! -e pipe -a -L link");
	shell(image.root,
	    "test \"$(stat -c '%n %a' open secret set shut | xargs)\" = "
	    "'open 644 secret 444 set 755 shut 755'");
	image_reset(&image);
}
END_TEST

START_TEST(a_link_leads_nowhere)
{
	auto_fd int held = lock();
	auto_free char *root = image_store_begin(held, folder, &err);
	auto_free char *outside = mem_printf("%s/outside", base);
	struct image image = { .name = mem_strdup("a"),
		.language = mem_strdup("ruby"),
		.engine = mem_strdup("") };

	ck_assert_int_eq(mkdir(outside, 0700), 0);
	shell(root, "ln -s ../../../outside workspace");
	ck_assert_int_eq(image_store_put(held, folder, &image, &err), -1);
	ck_assert_msg(
	    strstr(err.text, "not a directory") != NULL, "%s", err.text);
	shell(base, "test \"$(stat -c %a outside)\" = 700");
	image_store_drop(held);
	shell(base, "test -d outside");
	image_reset(&image);
}
END_TEST

START_TEST(what_was_interrupted_is_never_found)
{
	int held = lock();
	auto_free char *root = image_store_begin(held, folder, &err);
	struct image_list list;

	shell(root, "mkdir -p a/b && touch a/b/c && chmod 500 a/b");
	fd_close(&held);
	ck_assert_int_eq(image_store_list(folder, &list, &err), 0);
	ck_assert_uint_eq(list.count, 0);
	held = lock();
	shell(folder, "test \"$(ls -A | wc -l)\" = 0");
	fd_close(&held);
}
END_TEST

START_TEST(one_command_at_a_time)
{
	int held = lock();

	ck_assert_int_eq(image_store_lock(folder, &err), -1);
	ck_assert_msg(strstr(err.text, "wait") != NULL, "%s", err.text);
	fd_close(&held);
}
END_TEST

START_TEST(another_user_may_not_write_there)
{
	struct image_list list;

	fd_close(&(int){ lock() });
	ck_assert_int_eq(chmod(folder, 0720), 0);
	ck_assert_int_eq(image_store_list(folder, &list, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "chmod 700"));
	ck_assert_int_eq(image_store_lock(folder, &err), -1);
}
END_TEST

START_TEST(a_state_directory_that_is_none_has_no_images)
{
	struct image_list list;

	ck_assert_int_eq(image_store_list("/dev/null/images", &list, &err), 0);
	ck_assert_uint_eq(list.count, 0);
	ck_assert_int_eq(image_store_lock("/dev/null/images", &err), -1);
}
END_TEST

static void
expect_enabled(const char *digest, unsigned int place)
{
	struct image image;

	ck_assert_int_eq(
	    image_store_find(folder, NULL, digest, &image, &err), 0);
	ck_assert_uint_eq(image.enabled, place);
	image_reset(&image);
}

START_TEST(enabled_images_have_an_order)
{
	auto_fd int held = lock();
	struct image one = make(held, "a", "echo 1 >f");
	struct image two = make(held, "a", "echo 2 >f");

	ck_assert_int_eq(image_store_enable(held, &two, 1, &err), 0);
	ck_assert_int_eq(image_store_enable(held, &one, 1, &err), 0);
	ck_assert_int_eq(image_store_enable(held, &two, 1, &err), 0);
	expect_enabled(two.digest, 1);
	expect_enabled(one.digest, 2);
	ck_assert_int_eq(image_store_remove(held, &two, &err), 0);
	expect_lost(two.digest, "there is no such image");
	expect_enabled(one.digest, 1);
	ck_assert_int_eq(image_store_enable(held, &one, 0, &err), 0);
	expect_enabled(one.digest, 0);
	shell(folder, "test \"$(ls -A | wc -l)\" = 2");
	image_reset(&one);
	image_reset(&two);
}
END_TEST

START_TEST(a_changed_image_is_noticed)
{
	auto_fd int held = lock();
	struct image image = make(held, "a", "echo 1 >f");
	struct image found;

	ck_assert_int_eq(image_store_find(folder, "", "a", &found, &err), 0);
	ck_assert_msg(image_store_verify(&found, &err) == 0, "%s", err.text);
	shell(image.root, _i == 0 ? "echo 2 >f" : _i == 1 ? "chmod +x f" :
	      _i == 2 ? "echo 1 >g" : "sed -i s/usr/bin/ ../image.json");
	image_reset(&found);
	ck_assert_int_eq(image_store_find(folder, "", "a", &found, &err), 0);
	ck_assert_int_eq(image_store_verify(&found, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "build it again"));
	image_reset(&found);
	image_reset(&image);
}
END_TEST

START_TEST(a_damaged_record_is_left_out)
{
	static const char *const records[] = { "", "{", "[]", "{}",
		"{\"name\":\"a\",\"language\":\"Ruby!\",\"command\":[]}",
		"{\"name\":\"a\",\"language\":\"ruby\",\"command\":[1]}",
		"{\"name\":\"-a\",\"language\":\"ruby\",\"command\":[]}",
		("{\"name\":\"a\",\"language\":\"ruby\",\"command\":[],"
		 "\"variables\":{}}"),
		("{\"name\":\"a\",\"language\":\"ruby\",\"command\":[],"
		 "\"variables\":[\"A=b\",\"=b\"]}"),
		("{\"name\":\"a\",\"name\":\"a\",\"language\":\"ruby\","
		 "\"command\":[]}") };
	auto_fd int held = lock();
	struct image image = make(held, "a", "true");
	auto_free char *path = mem_printf("%s/../image.json", image.root);
	auto_fd int fd = -1;

	fd = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC);
	ck_assert_int_ne(fd, -1);
	ck_assert_int_eq(fd_write_all(fd, records[_i], strlen(records[_i])), 0);
	expect_lost(image.digest, "there is no such image");
	image_reset(&image);
}
END_TEST

/* An engine holds the image: there is a record only. */
START_TEST(an_image_of_an_engine_has_no_root)
{
	auto_fd int held = lock();
	struct image image = { .name = mem_strdup("docker.io/ruby:3"),
		.language = mem_strdup("ruby"),
		.engine = mem_strdup("podman"),
		.checked = 1,
		.digest = "sha256:0123456789abcdef0123456789abcdef"
		          "0123456789abcdef0123456789abcdef" };
	struct image found, none;

	ck_assert_msg(image_store_put(held, folder, &image, &err) == 0, "%s",
	    err.text);
	ck_assert_int_eq(image_store_find(folder, "podman", "docker.io/ruby:3",
	    &found, &err), 0);
	ck_assert_str_eq(found.engine, "podman");
	ck_assert_ptr_null(found.root);
	ck_assert(found.checked);
	ck_assert_int_eq(image_store_find(
	    folder, "", "docker.io/ruby:3", &none, &err), -1);
	image_reset(&image);
	image_reset(&found);
}
END_TEST

/* Keeps a record of an image of podman, whose digest has this first digit. */
static struct image
put_held(int held, const char *name, char digit)
{
	struct image image = { .name = mem_strdup(name),
		.language = mem_strdup("ruby"),
		.engine = mem_strdup("podman") };

	memcpy(image.digest, IMAGE_ALGORITHM, strlen(IMAGE_ALGORITHM));
	memset(image.digest + strlen(IMAGE_ALGORITHM), digit, 64);
	ck_assert_msg(image_store_put(held, folder, &image, &err) == 0, "%s",
	    err.text);
	return image;
}

/* An image that has lost its name gives way to one that has it. */
START_TEST(a_name_that_stands_is_found_first)
{
	auto_fd int held = lock();
	struct image own = make(held, "a", "echo 1 >f");
	struct image older = put_held(held, "a", '1');
	struct image newer = put_held(held, "a", '2');

	expect_found("a", newer.digest);
	ck_assert_int_eq(image_store_remove(held, &newer, &err), 0);
	expect_found("a", own.digest);
	ck_assert_int_eq(image_store_remove(held, &own, &err), 0);
	expect_found("a", older.digest);
	expect_newest(older.digest, 0);
	image_reset(&own);
	image_reset(&older);
	image_reset(&newer);
}
END_TEST

START_TEST(names_are_bounded)
{
	ck_assert(image_is_name("localhost/caisson-python:1"));
	ck_assert(!image_is_name(""));
	ck_assert(!image_is_name("-v"));
	ck_assert(!image_is_name("a b"));
	ck_assert(!image_is_name("sha256:0123456789ab"));
	ck_assert(image_is_language("c++"));
	ck_assert(!image_is_language("../x"));
	ck_assert(image_is_digest("0123456789ab"));
	ck_assert(!image_is_digest("0123456789aX"));
}
END_TEST

START_TEST(a_registry_has_no_image_that_is_made_here)
{
	ck_assert(image_may_be_pulled("ruby"));
	ck_assert(image_may_be_pulled("registry.example/caisson-ruby:3"));
	ck_assert(image_may_be_pulled("localhost:5000/ruby"));
	ck_assert(!image_may_be_pulled("localhost/ruby:3"));
	ck_assert(!image_may_be_pulled("caisson-ruby"));
	ck_assert(!image_may_be_pulled("sha256:0123456789ab"));
}
END_TEST

static void
add_tests(TCase *tc)
{
	tcase_add_checked_fixture(tc, enter, leave);
	tcase_add_test(tc, without_images_it_says_how_to_build_one);
	tcase_add_test(tc, a_kept_image_is_found);
	tcase_add_test(tc, the_digest_is_that_of_the_content);
	tcase_add_test(tc, the_digest_is_that_for_any_user);
	tcase_add_test(tc, building_again_is_newest);
	tcase_add_test(tc, a_root_is_made_safe);
	tcase_add_test(tc, a_link_leads_nowhere);
	tcase_add_test(tc, what_was_interrupted_is_never_found);
	tcase_add_test(tc, one_command_at_a_time);
	tcase_add_test(tc, another_user_may_not_write_there);
	tcase_add_test(tc, a_state_directory_that_is_none_has_no_images);
	tcase_add_test(tc, enabled_images_have_an_order);
	tcase_add_loop_test(tc, a_changed_image_is_noticed, 0, 4);
	tcase_add_loop_test(tc, a_damaged_record_is_left_out, 0, 10);
	tcase_add_test(tc, an_image_of_an_engine_has_no_root);
	tcase_add_test(tc, a_name_that_stands_is_found_first);
	tcase_add_test(tc, names_are_bounded);
	tcase_add_test(tc, a_registry_has_no_image_that_is_made_here);
}

int
main(void)
{
	return unit_run("image_store", add_tests);
}
