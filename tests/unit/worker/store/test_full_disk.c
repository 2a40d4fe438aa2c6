/*
 * Tests of the tables of the store on a disk of their own that is full: what is
 * refused says so, and everything can be read.
 */
#include <sys/stat.h>

#include "tests/unit/small_disk.h"
#include "store_folder.h"
#include "worker/store/memories.h"

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
list(void)
{
	struct ipc_bytes after = { (const uint8_t *)"", 0 };

	buffer_reset(&json);
	return memories_list(database, "", after, &json, &err);
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
	ck_assert_msg(strstr(err.text, "disk is full") != NULL, "%s", err.text);
	return count - 1;
}

UNIT_FIXTURE(enter_disk, leave_disk)

/* What is refused says so; what was kept can be read, also later. */
UNIT_TESTS(what_is_kept_stays, 2)
{
	static const size_t sizes[] = { 20000, 500000 };
	size_t size = sizes[_i];

	if (!small_disk_made)
		return;
	ck_assert_uint_ge(save_all(size) * (size + 60) * 2, 2 * MIB / 2);
	expect_told(load("k0"), "\"value\":7777");
	expect_told(list(), "\"key\":\"k0\"");
	database_free(&database);
	database = database_new(STATE_MAX_MAX);
	expect_told(load("k0"), "\"value\":7777");
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
