/*
 * Tests of the tables of the store on a disk of their own that is full: what is
 * refused says so, everything can be read and removed, also without a byte of
 * room, and what is removed makes room.
 */
#include <fcntl.h>
#include <sys/stat.h>

#include "common/base/fd.h"
#include "tests/unit/small_disk.h"
#include "store_folder.h"
#include "worker/store/memories.h"
#include "worker/store/saved_tools.h"

#define VALUE_BIG (700 * KIB)

static void
enter_disk(void)
{
	enter();
	if (small_disk_make(store_folder, "size=2m,mode=0700"))
		ck_assert_int_eq(chdir(store_folder), 0);
}

static void
leave_disk(void)
{
	database_free(&database);
	ck_assert_int_eq(chdir("/"), 0);
	small_disk_remove(store_folder);
	leave();
}

static uint64_t
file_size(const char *name)
{
	struct stat st;

	return stat(name, &st) == -1 ? 0 : (uint64_t)st.st_size;
}

/* Saves a value of so many bytes. */
static int
save(const char *key, size_t size)
{
	auto_free char *value = mem_alloc(size + 1);
	struct memory memory = {
		.key = { (const uint8_t *)key, strlen(key) },
		.value = { (const uint8_t *)value, size },
		.metadata = { (const uint8_t *)"{}", 2 },
	};

	memset(value, '7', size);
	buffer_reset(&json);
	return memories_save(database, "", &memory, &json, &err);
}

static int
load(const char *key)
{
	struct ipc_bytes bytes = { (const uint8_t *)key, strlen(key) };

	buffer_reset(&json);
	return memories_load(database, "", bytes, 1, &json, &err);
}

static int
forget(const char *key)
{
	struct ipc_bytes bytes = { (const uint8_t *)key, strlen(key) };

	buffer_reset(&json);
	return memories_delete(database, "", bytes, &json, &err);
}

static int
list(void)
{
	struct ipc_bytes after = { (const uint8_t *)"", 0 };

	buffer_reset(&json);
	return memories_list(database, "", after, &json, &err);
}

static int
clear(void)
{
	buffer_reset(&json);
	return memories_clear(database, "", &json, &err);
}

static int
save_tool(const char *name)
{
	struct saved_tool tool = { .name = name, .about = "",
		.source = { (const uint8_t *)"x", 1 } };
	unsigned int places = SAVED_TOOLS_NEW_MAX;

	buffer_reset(&json);
	return saved_tools_save(database, "", &tool, &places, &json, &err);
}

/* Saves values of so many bytes until one is refused; returns how many. */
static unsigned int
save_all(size_t size)
{
	unsigned int count = 0;
	char key[12];

	do
		snprintf(key, sizeof(key), "k%u", count++);
	while (save(key, size) == 0);
	ck_assert_msg(strstr(err.text, "disk is full") != NULL, "%s",
	    err.text);
	return count - 1;
}

/* As when the store is started again. */
static void
open_again(void)
{
	database_free(&database);
	database = database_new(STATE_MAX_MAX);
}

UNIT_FIXTURE(enter_disk, leave_disk)

/* By its own doing: of small values, and of large ones. */
UNIT_TESTS(removing_makes_room, 2)
{
	static const size_t sizes[] = { 20000, 500000 };
	size_t size = sizes[_i];
	unsigned int count, n;
	char key[12];

	if (!small_disk_made)
		return;
	count = save_all(size);
	/* Most of the disk is what is kept. */
	ck_assert_uint_ge(count * (size + 60) * 2, 2 * MIB / 2);
	expect_told(load("k0"), "\"value\":7777");
	expect_told(list(), "\"key\":\"k0\"");
	for (n = 0; n <= count / 10; n++) {
		snprintf(key, sizeof(key), "k%u", n);
		expect_all(forget(key), "true");
	}
	expect_told(save("again", size), "\"again\"");
	open_again();
	expect_told(load("again"), "\"value\":7777");
	expect_told(load("k0"), "null");
	buffer_reset(&json);
	expect_told(clear(), "");
	ck_assert_uint_eq(strtoul(json.data, NULL, 10), count - n + 1);
	ck_assert_uint_ge(save_all(size), count * 9 / 10);
}

/* By another's files: with the file open, opened again, or open twice. */
UNIT_TESTS(removing_needs_no_room, 3)
{
	struct database *other = database_new(STATE_MAX_MAX);

	if (!small_disk_made)
		return;
	expect_told(save("small", 10), "\"small\"");
	expect_told(save("other", 10), "\"other\"");
	expect_told(save("big", VALUE_BIG), "\"big\"");
	expect_told(save_tool("f"), "\"f\"");
	if (_i == 1)
		open_again();
	if (_i == 2)
		ck_assert_int_eq(database_open(other, &err), 0);
	small_disk_fill(".");
	expect_err(save("more", 500000), "disk is full");
	expect_told(load("small"), "\"value\":7777777777}");
	expect_all(forget("small"), "true");
	small_disk_fill(".");
	expect_all(forget("big"), "true");
	expect_told(list(), "{\"entries\":[{\"key\":\"other\",");
	ck_assert_uint_eq(count_told("\"key\""), 1);
	small_disk_fill(".");
	expect_all(clear(), "1");
	buffer_reset(&json);
	expect_all(saved_tools_clear(database, "", 0, &json, &err), "1");
	/* The room is in the file, for the next values. */
	expect_told(save("again", 50000), "\"again\"");
	database_free(&other);
}

/* What was a secret is not left in the file, however it was removed. */
UNIT_TEST(what_is_removed_is_overwritten)
{
	auto_buffer struct buffer bytes = { 0 };
	auto_fd int fd = -1;
	ssize_t n;

	if (!small_disk_made)
		return;
	expect_told(save("big", VALUE_BIG), "\"big\"");
	small_disk_fill(".");
	expect_all(forget("big"), "true");
	database_free(&database);
	fd = open(DATABASE_NAME, O_RDONLY | O_CLOEXEC);
	while ((n = read(fd, buffer_reserve(&bytes, 65536), 65536)) > 0)
		bytes.len += (size_t)n;
	ck_assert_uint_ge(bytes.len, VALUE_BIG);
	ck_assert_ptr_null(memmem(bytes.data, bytes.len, "77777777", 8));
}

/* A value that does not fit takes no room from others. */
UNIT_TEST(what_is_refused_leaves_the_room)
{
	uint64_t room, size;

	if (!small_disk_made)
		return;
	expect_told(save("a", 10), "\"a\"");
	expect_err(save("b", 3 * MIB), "disk is full");
	room = small_disk_room(".");
	size = file_size(DATABASE_NAME);
	ck_assert_uint_ge(room, MIB);
	expect_err(save("b", MIB), "disk is full");
	ck_assert_uint_ge(small_disk_room("."), room);
	ck_assert_uint_eq(file_size(DATABASE_NAME), size);
	expect_told(save("b", MIB / 2), "\"b\"");
}

UNIT_TEST(the_log_is_bounded)
{
	unsigned int n;
	char key[12];

	for (n = 0; n < 200; n++) {
		snprintf(key, sizeof(key), "k%u", n % 10);
		expect_told(save(key, 20000), "\"key\"");
		ck_assert_uint_le(
		    file_size(DATABASE_NAME "-wal"),
		    DATABASE_LOG_MAX + 64 * KIB);
	}
}
