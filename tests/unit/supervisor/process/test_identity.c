/*
 * Tests of supervisor/process/identity: who relays and boxes are, for an
 * ordinary user, for root, and for root in user namespaces with many, some and
 * no other users.
 */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/fd.h"
#include "common/limits.h"
#include "supervisor/supervisor.h"
#include "tests/unit/unit.h"
#include "supervisor/process/process.h"

/* The file of the locks, a test's own. */
static char claims[] = "/tmp/caisson-test-XXXXXX";

static void
enter(void)
{
	auto_fd int fd = mkstemp(claims);

	ck_assert_int_ne(fd, -1);
}

static void
leave(void)
{
	unlink(claims);
}

/* What a child reports by its exit status. */
enum { CHOSE_OWN, CHOSE_FEW, CHOSE_NOBODY, REFUSED, CANNOT };

/* Whether the users are those of one block. */
static int
is_block(void)
{
	unsigned int first = identity_nobody(), boxes, count;

	identity_boxes(&boxes, &count);
	return first >= RELAY_UID && (first - RELAY_UID) % UID_BLOCK == 0 &&
	    (first - RELAY_UID) / UID_BLOCK < UID_BLOCKS &&
	    boxes == first + 1 && count == BOX_UID_COUNT &&
	    identity_box(0) == boxes && identity_box(1) == boxes + 1 &&
	    identity_box(BOX_UID_COUNT - 1) == boxes + count - 1 &&
	    identity_box(BOX_UID_COUNT) == boxes &&
	    identity_template() == boxes + count;
}

static int
choice(void)
{
	struct err err = { 0, "" };

	if (identity_init(claims, &err) == -1)
		return strstr(err.text, "ordinary user") != NULL ? REFUSED
		                                                 : CANNOT;
	if (identity_nobody() == 0 && identity_box(5) == 0)
		return CHOSE_NOBODY;
	if (identity_nobody() == RELAY_UID_FEW &&
	    identity_box(1) == BOX_UID_FEW && identity_box(2) == BOX_UID_FEW)
		return CHOSE_FEW;
	return is_block() ? CHOSE_OWN : CANNOT;
}

static int
write_map(pid_t pid, const char *file, const char *map)
{
	char path[64];
	auto_fd int fd = -1;

	snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, file);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	return fd == -1 ? -1 : fd_write_all(fd, map, strlen(map));
}

/* Runs choice() as root of a user namespace with this map. */
static int
choice_with_map(const char *map)
{
	int ready[2], go[2], status;
	char byte = 0;
	pid_t pid;

	ck_assert_int_eq(pipe(ready), 0);
	ck_assert_int_eq(pipe(go), 0);
	pid = fork();
	if (pid == 0) {
		if (unshare(CLONE_NEWUSER) == -1 ||
		    write(ready[1], "", 1) != 1 || read(go[0], &byte, 1) != 1)
			_exit(CANNOT);
		_exit(choice());
	}
	close(ready[1]);
	close(go[0]);
	if (read(ready[0], &byte, 1) == 1 &&
	    write_map(pid, "uid_map", map) == 0 &&
	    write_map(pid, "gid_map", map) == 0)
		ck_assert_int_eq(write(go[1], "", 1), 1);
	close(go[1]);
	close(ready[0]);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : CANNOT;
}

static const struct {
	const char *map;
	int want;
} maps[] = {
	{ "0 0 4294967295", CHOSE_OWN },
	{ "0 0 65536", CHOSE_FEW },
	{ "0 0 1\n1 100000 65536", CHOSE_FEW },
	{ "0 0 65534", REFUSED },
	{ "0 0 1", REFUSED },
	{ "0 0 1879048193", CHOSE_FEW },
	/* The first block, and a part of the second */
	{ "0 0 1881048192", CHOSE_OWN },
};

UNIT_TESTS(chooses_among_existing_users, UNIT_COUNT(maps))
{
	if (geteuid() != 0) {
		unit_skip("only root can map many users");
		return;
	}
	ck_assert_msg(choice_with_map(maps[_i].map) == maps[_i].want,
	    "map \"%s\"", maps[_i].map);
}

UNIT_TEST(an_ordinary_user_stays)
{
	int status;
	pid_t pid = fork();

	if (pid == 0) {
		if (geteuid() == 0 &&
		    (setgid(BOX_UID_FEW) == -1 || setuid(BOX_UID_FEW) == -1))
			_exit(CANNOT);
		_exit(choice());
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(WEXITSTATUS(status), CHOSE_NOBODY);
}

/* Locks a block as another Caisson does; lasts as long as the descriptor. */
static void
lock(int fd, int block)
{
	struct flock all = { .l_type = F_WRLCK, .l_whence = SEEK_SET,
		.l_start = block, .l_len = 1 };

	ck_assert_int_eq(fcntl(fd, F_OFD_SETLK, &all), 0);
}

/* The one block that is left is found, wherever the search begins. */
UNIT_TESTS(no_block_is_chosen_twice, 4)
{
	static const int left[] = { 0, 1, 77, UID_BLOCKS - 1 };
	auto_fd int others = open(claims, O_RDWR | O_CLOEXEC);
	int block;

	if (geteuid() != 0) {
		unit_skip("an ordinary user has no other users");
		return;
	}
	for (block = 0; block < UID_BLOCKS; block++)
		if (block != left[_i])
			lock(others, block);
	ck_assert_int_eq(choice(), CHOSE_OWN);
	ck_assert_uint_eq(identity_nobody(),
	    RELAY_UID + (unsigned int)left[_i] * UID_BLOCK);
	/* It is kept: who comes now finds none. */
	ck_assert_int_eq(fcntl(others, F_OFD_SETLK, &(struct flock){
	    .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = left[_i],
	    .l_len = 1 }), -1);
}

UNIT_FIXTURE(enter, leave)
