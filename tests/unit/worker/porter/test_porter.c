/*
 * Tests of worker/porter/out and in, in a directory of the test's: only regular
 * files with one name leave a box, and what comes into one keeps its holes, or
 * leaves nothing.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "common/base/fd.h"
#include "common/base/mem.h"
#include "tests/unit/small_disk.h"
#include "tests/unit/unit.h"
#include "worker/porter/porter.h"

static char path[] = "/tmp/test_porter.XXXXXX";
static int folder;

static void
enter(void)
{
	ck_assert_ptr_nonnull(mkdtemp(path));
	ck_assert_int_eq(chdir(path), 0);
	folder = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static void
leave(void)
{
	auto_free char *command = mem_printf("rm -rf '%s'", path);

	fd_close(&folder);
	ck_assert_int_eq(chdir("/"), 0);
	ck_assert_int_eq(system(command), 0);
}

static void
make(const char *name)
{
	auto_fd int fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	ck_assert_int_eq(write(fd, "hello", 5), 5);
}

static void
make_socket(const char *name)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	auto_fd int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", name);
	ck_assert_int_eq(
	    bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
}

UNIT_FIXTURE(enter, leave)

UNIT_TEST(only_files_with_one_name_leave)
{
	static const struct {
		const char *name;
		enum file_fault fault;
	} cases[] = {
		{ "file", FILE_FAULT_NONE },
		{ "\n\xff", FILE_FAULT_NONE },
		{ "linked", FILE_FAULT_LINKED },
		{ "folder", FILE_FAULT_DIRECTORY },
		{ "symbolic", FILE_FAULT_SYMBOLIC_LINK },
		{ "fifo", FILE_FAULT_FIFO },
		{ "socket", FILE_FAULT_SOCKET },
		{ "..", FILE_FAULT_UNREADABLE },
		{ "none", FILE_FAULT_UNREADABLE },
	};
	enum file_fault fault;
	size_t i;
	int fd;

	make("file");
	make("\n\xff");
	make("linked");
	ck_assert_int_eq(link("linked", "twin"), 0);
	ck_assert_int_eq(mkdir("folder", 0700), 0);
	ck_assert_int_eq(symlink("/etc/passwd", "symbolic"), 0);
	ck_assert_int_eq(mkfifo("fifo", 0600), 0);
	make_socket("socket");
	for (i = 0; i < UNIT_COUNT(cases); i++) {
		fd = out_open(folder, cases[i].name, &fault);
		ck_assert_msg(fault == cases[i].fault ||
		        cases[i].fault == FILE_FAULT_UNREADABLE, "%s: %d",
		    cases[i].name, (int)fault);
		ck_assert_int_eq(fd != -1, cases[i].fault == FILE_FAULT_NONE);
		fd_close(&fd);
	}
}

/* What is in folders has their names; only what cannot be listed is told. */
UNIT_TEST(folders_are_entered)
{
	static const char *const found[] = { "a", "b/c", "b/d/e", "link",
		"x/2/3/4/5/6/7/8" };
	struct out_list list = { 0 };
	auto_free char *command = mem_printf("cd '%s' && mkdir -p b/d empty "
	    "x/2/3/4/5/6/7/8/9 && ln -s b link && touch a b/c b/d/e", path);
	size_t i;

	ck_assert_int_eq(system(command), 0);
	ck_assert_int_eq(out_list(folder, &list), 0);
	ck_assert_uint_eq(list.count, UNIT_COUNT(found));
	for (i = 0; i < UNIT_COUNT(found); i++)
		ck_assert_str_eq(list.names[i], found[i]);
	out_list_free(&list);
}

/* The first ones by their names; the others are counted. */
UNIT_TEST(many_are_counted)
{
	struct out_list list = { 0 };
	char name[16];
	int n;

	for (n = FILES_OUT_MAX + 9; n >= 0; n--) {
		snprintf(name, sizeof(name), "%04d", n);
		make(name);
	}
	ck_assert_int_eq(out_list(folder, &list), 0);
	ck_assert_uint_eq(list.count, FILES_OUT_MAX);
	ck_assert_uint_eq(list.more, 10);
	for (n = 0; n < FILES_OUT_MAX; n++)
		ck_assert_int_eq(atoi(list.names[n]), n);
	out_list_free(&list);
}

/* Puts a file of so many bytes, the first and the last of which are there. */
static enum file_fault
put(const char *name, size_t len)
{
	auto_fd int from = open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	enum file_fault fault;
	auto_fd int in = in_make(folder, &fault);

	ck_assert_int_ne(in, -1);
	ck_assert_int_eq(pwrite(from, "xyz", 3, 0), 3);
	ck_assert_int_eq(pwrite(from, "x", 1, (off_t)len + 1), 1);
	return in_put(in, name, from, 2, 1);
}

UNIT_TEST(folders_are_made_and_no_link_is_followed)
{
	struct stat st;

	ck_assert_int_eq(put("a/b/c", 3), FILE_FAULT_NONE);
	ck_assert_int_eq(stat("in/a/b/c", &st), 0);
	ck_assert_int_eq(st.st_mtim.tv_sec, 1);
	ck_assert_int_eq(st.st_mtim.tv_nsec, 0);
	ck_assert_int_eq(put("a/b/c", 3), FILE_FAULT_NONE);
	ck_assert_int_eq(put("a/b", 3), FILE_FAULT_TAKEN);
	ck_assert_int_eq(put("a/b/c/d", 3), FILE_FAULT_TAKEN);
	ck_assert_int_eq(symlink("..", "in/up"), 0);
	ck_assert_int_eq(put("up/x", 3), FILE_FAULT_TAKEN);
	ck_assert_int_ne(put("../x", 3), FILE_FAULT_NONE);
	ck_assert_int_eq(stat("x", &st), -1);
}

UNIT_TEST(holes_take_no_room)
{
	struct stat st;
	char byte;
	int fd;

	if (!small_disk_make(path, "size=1m,mode=0700"))
		return;
	fd_close(&folder);
	folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ck_assert_int_eq(put("a", 9 * MIB), FILE_FAULT_NONE);
	/* Another one of that name takes its place. */
	ck_assert_int_eq(put("a", 8 * MIB), FILE_FAULT_NONE);
	fd = openat(folder, "in/a", O_RDONLY | O_CLOEXEC);
	ck_assert_int_eq(fstat(fd, &st), 0);
	ck_assert_int_eq(st.st_size, 8 * MIB);
	ck_assert_int_eq(pread(fd, &byte, 1, 0), 1);
	ck_assert_int_eq(byte, 'z');
	close(fd);
	small_disk_fill(path);
	ck_assert_int_eq(put("b", MIB), FILE_FAULT_ROOM);
	ck_assert_int_eq(faccessat(folder, "in/b", F_OK, 0), -1);
	fd_close(&folder);
	ck_assert_int_eq(chdir("/"), 0);
	small_disk_remove(path);
}

UNIT_TESTS(a_place_that_is_taken_is_told, 2)
{
	enum file_fault fault;

	if (_i == 0)
		make("in");
	else
		ck_assert_int_eq(symlink("/tmp", "in"), 0);
	ck_assert_int_eq(in_make(folder, &fault), -1);
	ck_assert_int_eq(fault, FILE_FAULT_TAKEN);
}
