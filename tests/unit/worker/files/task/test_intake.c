/*
 * Tests of worker/files/task/intake and worker/files/stored, in a directory of
 * the test's: files are there as a whole or not at all, also when their process
 * is killed; each has a version that no other had; and owners share the room.
 */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/fd.h"
#include "common/base/mem.h"
#include "tests/unit/small_disk.h"
#include "tests/unit/unit_folder.h"
#include "worker/files/task/intake.h"
#include "worker/files/stored/index.h"
#include "worker/files/stored/share.h"

#define MOST (64 * MIB)

static struct files files;

static void
enter(void)
{
	files = (struct files){ .most = MOST, .lifetime = 86400 };
	files.folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ck_assert_int_ne(files.folder, -1);
}

static void
leave(void)
{
	index_free(&files);
	fd_close(&files.folder);
}

/* Copies to the end; returns the fault, and frees it. */
static enum file_fault
finish(struct intake *intake, enum file_fault fault)
{
	enum intake_state state = INTAKE_COPIES;
	uint64_t until = 0;

	while (intake != NULL && state == INTAKE_COPIES)
		state = intake_go_on(intake, &until, &fault);
	ck_assert_int_eq(state == INTAKE_STORED, fault == FILE_FAULT_NONE);
	intake_free(&intake);
	return fault;
}

static enum file_fault
add(const char *owner, const char *name, const char *text)
{
	struct ipc_bytes bytes = { (const uint8_t *)text, strlen(text) };
	enum file_fault fault;
	struct intake *intake =
	    intake_new_bytes(&files, owner, name, &bytes, &fault);

	return finish(intake, fault);
}

/* A file of so many bytes, of which only the last is there. */
static int
make_holes(size_t len)
{
	int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	ck_assert_int_eq(pwrite(fd, "x", 1, (off_t)len - 1), 1);
	return fd;
}

static enum file_fault
add_holes(const char *owner, const char *name, size_t len)
{
	int fd = make_holes(len);
	enum file_fault fault;
	struct intake *intake = intake_new(&files, owner, name, &fd, &fault);

	ck_assert_int_eq(fd, -1);
	return finish(intake, fault);
}

/* The newest version that is there; 0 for none. */
static uint64_t
newest(const char *owner, const char *name)
{
	const struct stored_file *stored;

	ck_assert_int_eq(index_renew(&files), 0);
	stored = index_find(&files, owner, name, 0);
	return stored == NULL ? 0 : stored->head.version;
}

UNIT_FIXTURE(enter, leave)

UNIT_TEST(no_version_is_given_twice)
{
	uint64_t removed;

	ck_assert_int_eq(add("", "a", "one"), FILE_FAULT_NONE);
	ck_assert_int_eq(add("", "a", "two"), FILE_FAULT_NONE);
	ck_assert_int_eq(add("o", "a", "three"), FILE_FAULT_NONE);
	ck_assert_uint_eq(newest("", "a"), 2);
	ck_assert_uint_eq(newest("o", "a"), 1);
	ck_assert_int_eq(index_remove(&files, "", 0, "a", 0, &removed), 0);
	ck_assert_uint_eq(removed, 2);
	ck_assert_uint_eq(newest("", "a"), 0);
	ck_assert_uint_eq(newest("o", "a"), 1);
	ck_assert_int_eq(add("", "a", "four"), FILE_FAULT_NONE);
	ck_assert_uint_eq(newest("", "a"), 3);
}

UNIT_TEST(holes_stay_holes)
{
	enum file_fault fault;
	struct stat st;
	int fd;

	ck_assert_int_eq(add_holes("", "a", 32 * MIB), FILE_FAULT_NONE);
	ck_assert_uint_eq(newest("", "a"), 1);
	fd = index_open(&files, index_find(&files, "", "a", 0), &fault);
	ck_assert_int_eq(fstat(fd, &st), 0);
	ck_assert_int_eq(st.st_size, FILE_HEAD_SIZE + 32 * MIB);
	ck_assert_int_lt(st.st_blocks * 512, 4 * MIB);
	close(fd);
}

UNIT_TESTS(a_file_that_changes_is_not_kept, 2)
{
	int fd = make_holes(3 * MIB), writes = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	uint64_t until = 0;
	enum file_fault fault;
	struct intake *intake = intake_new(&files, "", "a", &fd, &fault);

	ck_assert_int_eq(intake_go_on(intake, &until, &fault), INTAKE_COPIES);
	ck_assert_int_eq(ftruncate(writes, _i == 0 ? 2 * MIB : 4 * MIB), 0);
	ck_assert_int_eq(finish(intake, fault), FILE_FAULT_CHANGED);
	ck_assert_uint_eq(newest("", "a"), 0);
	ck_assert(LIST_EMPTY(&files.coming));
	close(writes);
}

/* Holes count, too; of what others leave an owner gets half. */
UNIT_TEST(owners_share_the_room)
{
	static const struct {
		const char *owner;
		size_t mib;
		enum file_fault fault;
	} steps[] = {
		{ "one", 33, FILE_FAULT_LARGE },
		{ "one", 24, FILE_FAULT_NONE },
		{ "one", 9, FILE_FAULT_SHARE },
		{ "two", 21, FILE_FAULT_LARGE },
		{ "two", 20, FILE_FAULT_NONE },
		{ "", 65, FILE_FAULT_LARGE },
		{ "", 21, FILE_FAULT_LARGE },
		{ "", 20, FILE_FAULT_NONE },
	};
	size_t i;

	for (i = 0; i < UNIT_COUNT(steps); i++) {
		const char name[] = { (char)('a' + i), '\0' };

		ck_assert_msg(add_holes(steps[i].owner, name,
		        steps[i].mib * MIB) == steps[i].fault, "step %zu", i);
	}
}

/* "one" may keep less than before once "two" has files. */
UNIT_TEST(a_file_may_always_shrink)
{
	ck_assert_int_eq(add_holes("one", "a", 8 * MIB), FILE_FAULT_NONE);
	ck_assert_int_eq(add_holes("one", "b", 24 * MIB), FILE_FAULT_NONE);
	ck_assert_int_eq(add_holes("two", "a", 16 * MIB), FILE_FAULT_NONE);
	ck_assert_int_eq(add_holes("one", "c", 1), FILE_FAULT_SHARE);
	ck_assert_int_eq(add_holes("one", "a", 9 * MIB), FILE_FAULT_SHARE);
	ck_assert_uint_eq(newest("one", "a"), 1);
	ck_assert_int_eq(add_holes("one", "a", 7 * MIB), FILE_FAULT_NONE);
	ck_assert_uint_eq(newest("one", "a"), 2);
	ck_assert_uint_eq(files.stored_count, 3);
	files.most = 20 * MIB;
	ck_assert_int_eq(add_holes("one", "b", 22 * MIB), FILE_FAULT_NONE);
	ck_assert_int_eq(add_holes("one", "b", 23 * MIB), FILE_FAULT_LARGE);
	ck_assert_uint_eq(newest("one", "b"), 2);
	ck_assert_uint_eq(files.stored_count, 3);
}

UNIT_TEST(earlier_versions_give_way)
{
	int n;

	for (n = 0; n < 4; n++)
		ck_assert_int_eq(add_holes("", "a", 30 * MIB), FILE_FAULT_NONE);
	ck_assert_uint_eq(newest("", "a"), 4);
	ck_assert_uint_eq(files.stored_count, 2);
	ck_assert_int_eq(add_holes("", "b", 35 * MIB), FILE_FAULT_QUOTA);
	ck_assert_uint_eq(files.stored_count, 2);
	/* The one before goes when the new one is stored, and not earlier. */
	ck_assert_int_eq(add_holes("", "a", 60 * MIB), FILE_FAULT_NONE);
	ck_assert_int_eq(add_holes("", "a", 65 * MIB), FILE_FAULT_LARGE);
	ck_assert_uint_eq(newest("", "a"), 5);
	ck_assert_uint_eq(files.stored_count, 1);
}

UNIT_TEST(old_files_are_removed)
{
	ck_assert_int_eq(add("", "a", "x"), FILE_FAULT_NONE);
	ck_assert_uint_eq(newest("", "a"), 1);
	files.lifetime = 0;
	ck_assert_uint_eq(newest("", "a"), 0);
}

static void
count_entry(void *ctx, const char *name)
{
	int *count = ctx;

	count[directory_entry(name)]++;
}

/* What is half there is no file, and goes unless somebody still writes it. */
UNIT_TEST(halves_are_no_files)
{
	char temporary[DIRECTORY_TEMPORARY_SIZE];
	int count[DIRECTORY_FOREIGN + 1] = { 0 };
	int fd = directory_make(files.folder, temporary), whole;

	ck_assert_int_eq(add("", "a", "hello"), FILE_FAULT_NONE);
	ck_assert_uint_eq(newest("", "a"), 1);
	index_sweep(&files);
	close(fd);
	whole = openat(files.folder, files.stored[0]->id, O_RDWR | O_CLOEXEC);
	ck_assert_int_eq(ftruncate(whole, FILE_HEAD_SIZE + 4), 0);
	close(whole);
	index_free(&files);
	files.stored_count = 0;
	ck_assert_uint_eq(newest("", "a"), 0);
	ck_assert_int_eq(directory_each(files.folder, count_entry, count), 0);
	ck_assert_int_eq(count[DIRECTORY_TEMPORARY], 1);
	index_sweep(&files);
	memset(count, 0, sizeof(count));
	ck_assert_int_eq(directory_each(files.folder, count_entry, count), 0);
	ck_assert_int_eq(count[DIRECTORY_TEMPORARY], 0);
	ck_assert_int_eq(count[DIRECTORY_STORED], 1);
}

/* Adds files without an end, and says so of each. */
static void __attribute__((noreturn))
add_for_ever(int told)
{
	auto_free char *text = mem_alloc(100 * KIB + 1);

	memset(text, 'x', 100 * KIB);
	for (;;)
		if (add("", "a", text) != FILE_FAULT_NONE ||
		    write(told, "", 1) != 1)
			_exit(1);
}

/* Whatever moment it is: all that were told of are there, and no half. */
UNIT_TEST(no_kill_loses_a_file)
{
	int fds[2], n, count[DIRECTORY_FOREIGN + 1] = { 0 };
	uint64_t told = 0;
	char byte;
	pid_t pid;

	for (n = 0; n < 10; n++) {
		ck_assert_int_eq(pipe(fds), 0);
		pid = fork();
		if (pid == 0)
			add_for_ever(fds[1]);
		close(fds[1]);
		ck_assert_int_eq(read(fds[0], &byte, 1), 1);
		ck_assert_int_eq(kill(pid, SIGKILL), 0);
		ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
		for (told++; read(fds[0], &byte, 1) == 1; told++)
			;
		close(fds[0]);
		ck_assert_uint_ge(newest("", "a"), told);
		told = newest("", "a");
	}
	ck_assert_uint_eq(files.stored_count, told);
	for (n = 0; n < (int)told; n++)
		ck_assert_int_eq(files.stored[n]->sound, 1);
	index_sweep(&files);
	ck_assert_int_eq(directory_each(files.folder, count_entry, count), 0);
	ck_assert_int_eq(count[DIRECTORY_TEMPORARY], 0);
}

UNIT_TEST(a_full_disk_costs_one_file)
{
	if (!small_disk_make(folder, "size=1m,mode=0700"))
		return;
	fd_close(&files.folder);
	files.folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	small_disk_fill(folder);
	ck_assert_int_eq(add("", "a", "hello"), FILE_FAULT_DISK);
	ck_assert_uint_eq(newest("", "a"), 0);
	ck_assert_int_eq(unlinkat(files.folder, "fill", 0), 0);
	ck_assert_int_eq(add("", "a", "hello"), FILE_FAULT_NONE);
	ck_assert_uint_eq(newest("", "a"), 1);
	fd_close(&files.folder);
	small_disk_remove(folder);
}
