/*
 * Tests of the real caisson-porter, its argument, behind its real lockdown,
 * with the test as its supervisor and as the process that keeps files: what it
 * offers of a directory that code could write to, and what it puts into one.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/buffer.h"
#include "common/fd.h"
#include "common/ipc_socket.h"
#include "common/limits.h"
#include "common/mem.h"
#include "small_disk.h"
#include "unit.h"

#define NAME_50 "12345678901234567890123456789012345678901234567890"

static const char *program = "caisson-porter";
static char folder[] = "/tmp/test_porter.XXXXXX";
static int opened = -1; /* the directory, as it was when it was made */
static pid_t pid;
static int supervisor, files; /* our ends of its channels */
static struct ipc_packet packet;
static union ipc_any msg; /* what came last */

static void
make_folder(void)
{
	ck_assert_ptr_nonnull(mkdtemp(folder));
	ck_assert_int_eq(chdir(folder), 0);
}

static void
remove_folder(void)
{
	auto_free char *command = mem_printf("rm -rf '%s'", folder);

	ck_assert_int_eq(chdir("/"), 0);
	ck_assert_int_eq(system(command), 0);
}

static void
send_to(int fd, enum ipc_type type, void *message)
{
	struct err err;

	ck_assert_msg(ipc_encode(type, message, &packet, &err) == 0, "%s",
	    err.text);
	ck_assert_msg(
	    ipc_socket_send(fd, &packet, &err) == 0, "%s", err.text);
	ipc_packet_close(&packet);
}

/* Waits for a message of the porter. Returns its type, IPC_TYPES at the end. */
static enum ipc_type
receive(void)
{
	enum ipc_type type;
	struct err err;
	int n = ipc_socket_receive(files, &packet, &err);

	if (n == 0)
		return IPC_TYPES;
	ck_assert_msg(n == 1, "%s", err.text);
	ck_assert_msg(ipc_decode(&packet, &type, &msg, &err) == 0, "%s",
	    err.text);
	return type;
}

/* As the supervisor makes it: a worker may not change flags. */
static int
make_pair(int *theirs)
{
	int pair[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0,
	    pair), 0);
	ck_assert_int_eq(fcntl(pair[1], F_SETFL, O_NONBLOCK), 0);
	*theirs = pair[1];
	return pair[0];
}

static void
start(void)
{
	int theirs;

	opened = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	supervisor = make_pair(&theirs);
	pid = fork();
	if (pid == 0) {
		dup2(theirs, WORKER_CHANNEL_FD);
		execl(program, "porter", NULL);
		_exit(99);
	}
	close(theirs);
}

/* Tells the one that was started what to do. */

static void
begin_out(void)
{
	struct ipc_carry_out carry = { .folder = fd_take(&opened) };

	files = make_pair(&carry.files);
	send_to(supervisor, IPC_CARRY_OUT, &carry);
}

static void
begin_in(void)
{
	struct ipc_carry_in carry = { .folder = fd_take(&opened) };

	files = make_pair(&carry.files);
	send_to(supervisor, IPC_CARRY_IN, &carry);
}

static void
carry_out(void)
{
	start();
	begin_out();
}

static void
carry_in(void)
{
	start();
	begin_in();
}

/* It must end with this status, by itself. */
static void
expect_exit(int wanted)
{
	int status;

	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), wanted);
}

/* All has been said: it ends when its channel is closed. */
static void
expect_carried(enum file_fault fault, uint64_t more)
{
	ck_assert_int_eq(receive(), IPC_CARRIED);
	ck_assert_uint_eq(msg.carried.fault, fault);
	ck_assert_uint_eq(msg.carried.more, more);
	close(files);
	expect_exit(0);
	close(supervisor);
}

static void
write_file(const char *name, const char *text)
{
	auto_fd int fd = open(name, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);

	ck_assert_msg(fd != -1, "%s: %s", name, strerror(errno));
	ck_assert_int_eq(fd_write_all(fd, text, strlen(text)), 0);
}

static void
expect_name(struct ipc_bytes found, const char *name)
{
	ck_assert_uint_eq(found.len, strlen(name));
	ck_assert_mem_eq(found.data, name, found.len);
}

/* It must offer a file with this text. */
static void
expect_offer(const char *name, const char *text)
{
	char found[100] = "";

	ck_assert_int_eq(receive(), IPC_OFFER);
	expect_name(msg.offer.name, name);
	ck_assert_int_eq(pread(msg.offer.file, found, sizeof(found), 0),
	    (ssize_t)strlen(text));
	ck_assert_str_eq(found, text);
	ck_assert_int_eq(write(msg.offer.file, "x", 1), -1);
	ipc_message_close(IPC_OFFER, &msg);
}

static void
expect_leave(const char *name, enum file_fault fault)
{
	ck_assert_int_eq(receive(), IPC_LEAVE);
	expect_name(msg.leave.name, name);
	ck_assert_uint_eq(msg.leave.fault, fault);
}

/* Carrying out */

START_TEST(an_empty_directory_is_no_fault)
{
	carry_out();
	expect_carried(FILE_FAULT_NONE, 0);
}
END_TEST

static const char *const names[] = { "plain", "with spaces ", "-rf", "--",
	"...", ".hidden", "gr\xc3\xbc\xc3\x9f" "e \xe2\x9c\x93", "new\nline",
	"\x1b[31m", "not \xff UTF-8", "a\\b", "%s%n", "in", "CON",
	NAME_50 NAME_50 NAME_50 NAME_50 NAME_50 "12345" };

/* Which of them can be kept is not for a porter to judge. */
START_TEST(offers_files_of_any_name)
{
	const char *name = names[_i];

	write_file(name, "some text");
	carry_out();
	expect_offer(name, "some text");
	expect_carried(FILE_FAULT_NONE, 0);
}
END_TEST

static void
make_socket(const char *name)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	auto_fd int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", name);
	ck_assert_int_eq(bind(fd, (const struct sockaddr *)&address,
	    sizeof(address)), 0);
}

START_TEST(leaves_what_is_no_file)
{
	write_file("a file", "1");
	ck_assert_int_eq(mkdir("b folder", 0755), 0);
	write_file("b folder/not looked at", "2");
	ck_assert_int_eq(mkfifo("c fifo", 0666), 0);
	make_socket("d socket");
	ck_assert_int_eq(symlink("a file", "e link"), 0);
	ck_assert_int_eq(symlink("/etc/passwd", "f link out"), 0);
	ck_assert_int_eq(symlink("nowhere", "g link nowhere"), 0);
	ck_assert_int_eq(symlink(".", "h link to a folder"), 0);
	write_file("i linked", "3");
	ck_assert_int_eq(link("i linked", "j linked"), 0);
	carry_out();
	expect_offer("a file", "1");
	expect_leave("b folder", FILE_FAULT_DIRECTORY);
	expect_leave("c fifo", FILE_FAULT_FIFO);
	expect_leave("d socket", FILE_FAULT_SOCKET);
	expect_leave("e link", FILE_FAULT_SYMBOLIC_LINK);
	expect_leave("f link out", FILE_FAULT_SYMBOLIC_LINK);
	expect_leave("g link nowhere", FILE_FAULT_SYMBOLIC_LINK);
	expect_leave("h link to a folder", FILE_FAULT_SYMBOLIC_LINK);
	expect_leave("i linked", FILE_FAULT_LINKED);
	expect_leave("j linked", FILE_FAULT_LINKED);
	expect_carried(FILE_FAULT_NONE, 0);
}
END_TEST

START_TEST(leaves_devices)
{
	if (mknod("device", S_IFCHR | 0666, makedev(1, 3)) == -1) {
		unit_skip("no device can be made here");
		return;
	}
	carry_out();
	expect_leave("device", FILE_FAULT_DEVICE);
	expect_carried(FILE_FAULT_NONE, 0);
}
END_TEST

START_TEST(leaves_what_cannot_be_read)
{
	if (geteuid() == 0) {
		unit_skip("root reads everything");
		return;
	}
	write_file("secret", "1");
	ck_assert_int_eq(chmod("secret", 0), 0);
	write_file("shown", "2");
	carry_out();
	expect_leave("secret", FILE_FAULT_UNREADABLE);
	expect_offer("shown", "2");
	expect_carried(FILE_FAULT_NONE, 0);
}
END_TEST

START_TEST(a_directory_that_cannot_be_read_is_told)
{
	if (geteuid() == 0) {
		unit_skip("root reads everything");
		return;
	}
	start();
	ck_assert_int_eq(chmod(".", 0100), 0);
	begin_out();
	expect_carried(FILE_FAULT_UNREADABLE, 0);
	ck_assert_int_eq(chmod(".", 0700), 0);
}
END_TEST

/* The first by name are told of, whatever the order they were made in. */
START_TEST(many_are_counted)
{
	static const int counts[] = { 100, 101, 3000 };
	int count = counts[_i];
	char name[20];
	int n;

	for (n = 0; n < count; n++) {
		/* 7919 is a prime: all of them, mixed. */
		snprintf(name, sizeof(name), "%05d", n * 7919 % count);
		write_file(name, name);
	}
	carry_out();
	for (n = 0; n < FILES_LEFT_MAX; n++) {
		snprintf(name, sizeof(name), "%05d", n);
		expect_offer(name, name);
	}
	expect_carried(FILE_FAULT_NONE, (uint64_t)(count - FILES_LEFT_MAX));
}
END_TEST

/* A box's file system, whose mount namespace is gone. */
START_TEST(reads_a_file_system_that_is_nowhere)
{
	if (!small_disk_make(folder, "size=1m,mode=0700"))
		return;
	ck_assert_int_eq(chdir(folder), 0);
	write_file("x", "still there");
	ck_assert_int_eq(mkdir("sub", 0700), 0);
	start();
	ck_assert_int_eq(chdir("/"), 0);
	small_disk_remove(folder);
	begin_out();
	expect_leave("sub", FILE_FAULT_DIRECTORY);
	expect_offer("x", "still there");
	expect_carried(FILE_FAULT_NONE, 0);
}
END_TEST

/* What is mounted there, as by a program of the same user, is not entered. */
START_TEST(enters_no_other_file_system)
{
	write_file("x", "below");
	if (small_disk_unshare() == -1 ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == -1 ||
	    mount("/etc/passwd", "x", NULL, MS_BIND, NULL) == -1) {
		unit_skip("nothing can be mounted here");
		return;
	}
	carry_out();
	expect_leave("x", FILE_FAULT_UNREADABLE);
	expect_carried(FILE_FAULT_NONE, 0);
	ck_assert_int_eq(umount2("x", MNT_DETACH), 0);
}
END_TEST

/* Putting in */

static void
put(const char *name, const char *bytes, size_t len, size_t offset)
{
	auto_free char *path = mem_strdup("/tmp/test_porter_file.XXXXXX");
	auto_fd int fd = mkstemp(path);
	struct ipc_put message = { .name = name, .offset = offset };

	ck_assert_int_eq(fd_write_all(fd, bytes, len), 0);
	message.file = open(path, O_RDONLY | O_CLOEXEC);
	ck_assert_int_eq(unlink(path), 0);
	send_to(files, IPC_PUT, &message);
}

static void
put_all(void)
{
	send_to(files, IPC_PUT_ALL, &(struct ipc_put_all){ 0 });
}

static void
expect_file(const char *path, const char *text)
{
	auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
	char found[100] = "";
	struct stat st;

	ck_assert_msg(fd != -1, "%s: %s", path, strerror(errno));
	ck_assert_int_eq(
	    read(fd, found, sizeof(found)), (ssize_t)strlen(text));
	ck_assert_str_eq(found, text);
	ck_assert_int_eq(fstat(fd, &st), 0);
	ck_assert_uint_eq(st.st_mode, S_IFREG | 0644);
}

START_TEST(puts_files_into_a_folder)
{
	struct stat st;

	umask(077);
	carry_in();
	put("a", "xxxhello", 8, 3);
	put("b with space", "", 0, 0);
	put("-c", "1", 1, 1);
	put_all();
	expect_carried(FILE_FAULT_NONE, 0);
	expect_file("in/a", "hello");
	expect_file("in/b with space", "");
	expect_file("in/-c", "");
	ck_assert_int_eq(stat("in", &st), 0);
	ck_assert_uint_eq(st.st_mode, S_IFDIR | 0755);
}
END_TEST

START_TEST(puts_large_files)
{
	size_t len = 5 * MIB + 3;
	auto_free char *bytes = mem_alloc(len);
	auto_free char *found = mem_alloc(len);
	auto_fd int fd = -1;

	memset(bytes, 'x', len);
	carry_in();
	put("large", bytes, len, 0);
	put_all();
	expect_carried(FILE_FAULT_NONE, 0);
	fd = open("in/large", O_RDONLY);
	ck_assert_int_eq(read(fd, found, len), (ssize_t)len);
	ck_assert_mem_eq(found, bytes, len);
	ck_assert_int_eq(read(fd, found, 1), 0);
}
END_TEST

/* A name that is there already stays what it is. */
START_TEST(a_name_that_is_taken_is_told)
{
	carry_in();
	put("a", "first", 5, 0);
	put("a", "second", 6, 0);
	put("b", "third", 5, 0);
	put_all();
	expect_leave("a", FILE_FAULT_TAKEN);
	expect_carried(FILE_FAULT_NONE, 0);
	expect_file("in/a", "first");
	expect_file("in/b", "third");
}
END_TEST

/* Nothing is put where something is that another made: also a link. */
START_TEST(a_folder_that_is_taken_is_told)
{
	ck_assert_int_eq(mkdir("elsewhere", 0700), 0);
	if (_i == 0)
		ck_assert_int_eq(mkdir("in", 0700), 0);
	else
		ck_assert_int_eq(symlink("elsewhere", "in"), 0);
	carry_in();
	put("a", "1", 1, 0);
	put("b", "2", 1, 0);
	put_all();
	expect_carried(FILE_FAULT_TAKEN, 0);
	ck_assert_int_eq(access("in/a", F_OK), -1);
	ck_assert_int_eq(access("elsewhere/a", F_OK), -1);
}
END_TEST

START_TEST(what_has_no_room_leaves_nothing)
{
	auto_free char *bytes = mem_alloc(2 * MIB);

	if (!small_disk_make(folder, "size=1m,mode=0700"))
		return;
	ck_assert_int_eq(chdir(folder), 0);
	carry_in();
	put("a", bytes, 2 * MIB, 0);
	put("b", "small", 5, 0);
	put_all();
	expect_leave("a", FILE_FAULT_ROOM);
	expect_carried(FILE_FAULT_NONE, 0);
	ck_assert_int_eq(access("in/a", F_OK), -1);
	expect_file("in/b", "small");
	ck_assert_int_eq(chdir("/"), 0);
	small_disk_remove(folder);
}
END_TEST

/* Into a box that no path leads to. */
START_TEST(fills_a_file_system_that_is_nowhere)
{
	auto_fd int kept = -1;
	auto_fd int found = -1;

	if (!small_disk_make(folder, "size=1m,mode=0700"))
		return;
	ck_assert_int_eq(chdir(folder), 0);
	start();
	ck_assert_int_eq(chdir("/"), 0);
	small_disk_remove(folder);
	kept = dup(opened);
	begin_in();
	put("a", "1", 1, 0);
	put_all();
	expect_carried(FILE_FAULT_NONE, 0);
	found = openat(kept, "in/a", O_RDONLY);
	ck_assert_int_ne(found, -1);
}
END_TEST

/* Its end */

static const char *const paths[] = { "../x", "a/b", "/tmp/x", ".", ".." };

START_TEST(ends_where_files_send_nonsense)
{
	carry_in();
	if (_i < (int)UNIT_COUNT(paths))
		put(paths[_i], "1", 1, 0);
	else
		ck_assert_int_eq(send(files, "nonsense", 8, 0), 8);
	ck_assert_int_eq(receive(), IPC_TYPES);
	expect_exit(70);
	ck_assert_int_eq(access("../x", F_OK), -1);
}
END_TEST

START_TEST(takes_no_files_where_it_carries_out)
{
	carry_out();
	put("a", "1", 1, 0);
	expect_exit(70);
	ck_assert_int_eq(access("in", F_OK), -1);
}
END_TEST

START_TEST(is_told_once)
{
	carry_out();
	send_to(supervisor, IPC_CARRY_OUT, &(struct ipc_carry_out){
	    .folder = open(".", O_RDONLY | O_DIRECTORY),
	    .files = make_pair(&(int){ -1 }) });
	expect_exit(70);
}
END_TEST

START_TEST(ends_with_either_channel)
{
	if (_i == 2) {
		start();
		close(supervisor);
		expect_exit(0);
		return;
	}
	carry_in();
	close(_i == 0 ? supervisor : files);
	expect_exit(0);
}
END_TEST

static void
add_tests(TCase *tc)
{
	tcase_add_checked_fixture(tc, make_folder, remove_folder);
	tcase_add_test(tc, an_empty_directory_is_no_fault);
	tcase_add_loop_test(
	    tc, offers_files_of_any_name, 0, UNIT_COUNT(names));
	tcase_add_test(tc, leaves_what_is_no_file);
	tcase_add_test(tc, leaves_devices);
	tcase_add_test(tc, leaves_what_cannot_be_read);
	tcase_add_test(tc, a_directory_that_cannot_be_read_is_told);
	tcase_add_loop_test(tc, many_are_counted, 0, 3);
	tcase_add_test(tc, reads_a_file_system_that_is_nowhere);
	tcase_add_test(tc, enters_no_other_file_system);
	tcase_add_test(tc, puts_files_into_a_folder);
	tcase_add_test(tc, puts_large_files);
	tcase_add_test(tc, a_name_that_is_taken_is_told);
	tcase_add_loop_test(tc, a_folder_that_is_taken_is_told, 0, 2);
	tcase_add_test(tc, what_has_no_room_leaves_nothing);
	tcase_add_test(tc, fills_a_file_system_that_is_nowhere);
	tcase_add_loop_test(tc, ends_where_files_send_nonsense, 0,
	    UNIT_COUNT(paths) + 1);
	tcase_add_test(tc, takes_no_files_where_it_carries_out);
	tcase_add_test(tc, is_told_once);
	tcase_add_loop_test(tc, ends_with_either_channel, 0, 3);
}

int
main(int argc, char **argv)
{
	if (argc > 1)
		program = realpath(argv[1], NULL);
	return unit_run("porter", add_tests);
}
