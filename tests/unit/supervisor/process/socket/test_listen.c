/*
 * Tests of supervisor/process/socket/listen: where sockets listen, what is
 * refused, and whose files are replaced.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/fd.h"
#include "supervisor/process/socket/socket.h"
#include "tests/unit/unit_folder.h"

static struct listen_place place;
static struct err err;

UNIT_TEST(an_address_of_ipv6_is_in_brackets)
{
	auto_fd int fd = listen_tcp("[::1]:0", &err);

	/* A machine may have none. */
	if (fd == -1) {
		ck_assert_ptr_nonnull(strstr(err.text, "[::1]:0"));
		return;
	}
	ck_assert_int_eq(listen_look(fd, &place, &err), 0);
	ck_assert_mem_eq(place.text, "[::1]:", 6);
}

static const char *const bad[] = { "", ":", ":80", "80", "127.0.0.1",
	"127.0.0.1:", "127.0.0.1:-1", "127.0.0.1:65536", "127.0.0.1:080808",
	"127.0.0.1: 80", "256.0.0.1:80", "::1:80", "[::1]", "[::1:80",
	"[]:80", "example.org:80", "http://127.0.0.1:80" };

UNIT_TESTS(other_words_are_refused, UNIT_COUNT(bad))
{
	ck_assert_int_eq(listen_tcp(bad[_i], &err), -1);
	ck_assert_msg(strstr(err.text, "is not an address and a port") != NULL,
	    "%s", err.text);
}

UNIT_TEST(what_a_killed_program_left_is_replaced)
{
	int left = listen_unix("socket", &err);
	auto_fd int fd = -1;

	close(left);
	fd = listen_unix("socket", &err);
	ck_assert_msg(fd != -1, "%s", err.text);
}

/* Tries to listen once go is closed, says so, and listens until stop is. */
static void
start_one(const int go[2], const int stop[2], const int told[2])
{
	char byte;
	int fd;

	close(go[1]);
	close(stop[1]);
	if (read(go[0], &byte, 1) != 0)
		_exit(2);
	fd = listen_unix("socket", &err);
	byte = fd != -1;
	if (write(told[1], &byte, 1) != 1 || read(stop[0], &byte, 1) != 0)
		_exit(2);
	_exit(0);
}

#define STARTERS 8

/* Of programs that start at once where a socket was left one gets it. */
UNIT_TESTS(starters_do_not_race, 20)
{
	int i, status, got = 0, go[2], stop[2], told[2];
	char byte = 0;

	close(listen_unix("socket", &err));
	ck_assert_int_eq(pipe(go), 0);
	ck_assert_int_eq(pipe(stop), 0);
	ck_assert_int_eq(pipe(told), 0);
	for (i = 0; i < STARTERS; i++)
		if (fork() == 0)
			start_one(go, stop, told);
	close(go[0]);
	close(go[1]);
	for (i = 0; i < STARTERS; i++) {
		ck_assert_int_eq(read(told[0], &byte, 1), 1);
		got += byte;
	}
	close(stop[0]);
	close(stop[1]);
	for (i = 0; i < STARTERS; i++) {
		ck_assert_int_ne(wait(&status), -1);
		ck_assert_int_eq(status, 0);
	}
	close(told[0]);
	close(told[1]);
	ck_assert_int_eq(got, 1);
}

UNIT_TEST(other_files_stay)
{
	struct stat st;

	ck_assert_int_eq(mkdir("other", 0700), 0);
	ck_assert_int_eq(listen_unix("other", &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "is in use"));
	ck_assert_int_eq(stat("other", &st), 0);
}
