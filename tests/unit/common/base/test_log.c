/*
 * Tests of common/base/log: one write per line, whatever the text; foreign
 * bytes cannot forge a line or move a cursor; levels; and how fatal ends.
 */
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/limits.h"
#include "common/base/log.h"
#include "tests/unit/unit.h"

/*
 * Descriptor 2 becomes one end of a socket that keeps writes apart, so that
 * the test sees each of them; the other end does not wait.
 */
static int
catch_writes(void)
{
	int fds[2];

	ck_assert_int_eq(
	    socketpair(
		AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, fds),
	    0);
	ck_assert_int_eq(dup2(fds[1], STDERR_FILENO), STDERR_FILENO);
	close(fds[1]);
	return fds[0];
}

/* The next write, as a string; empty when there was none. */
static const char *
caught(int fd)
{
	static char text[16 * KIB];
	ssize_t n = recv(fd, text, sizeof(text) - 1, 0);

	text[n > 0 ? n : 0] = '\0';
	return text;
}

UNIT_TEST(one_write_per_line)
{
	int fd = catch_writes();

	log_init("relay[7]", LOG_LEVEL_DEBUG);
	log_error("first %d", 1);
	log_warn("second %s", "two");
	log_info("%s", "");
	log_debug("fourth");
	ck_assert_str_eq(caught(fd), "relay[7]: first 1\n");
	ck_assert_str_eq(caught(fd), "relay[7]: second two\n");
	ck_assert_str_eq(caught(fd), "relay[7]: \n");
	ck_assert_str_eq(caught(fd), "relay[7]: fourth\n");
	ck_assert_str_eq(caught(fd), "");
}

UNIT_TEST(a_line_has_the_form_that_was_chosen)
{
	static char most[2 * LOG_TEXT_SIZE];
	int fd = catch_writes();
	const char *line;

	log_init("relay[7]", LOG_TERMS(LOG_LEVEL_INFO, LOG_FORMAT_JOURNAL));
	ck_assert_uint_eq(log_terms(), 10);
	log_error("a");
	log_warn("b");
	log_info("c\nd");
	log_debug("e");
	ck_assert_str_eq(caught(fd), "<3>relay[7]: a\n");
	ck_assert_str_eq(caught(fd), "<4>relay[7]: b\n");
	ck_assert_str_eq(caught(fd), "<6>relay[7]: c\\x0ad\n");
	ck_assert_str_eq(caught(fd), "");
	log_init("x", LOG_TERMS(LOG_LEVEL_INFO, LOG_FORMAT_JSON));
	log_warn("say \"%s\"", "\n\\");
	line = caught(fd);
	ck_assert_str_eq(strstr(line, "\"level\""),
	    "\"level\":\"warn\",\"process\":\"x\","
	    "\"message\":\"say \\\"\\\\x0a\\\\\\\"\"}\n");
	ck_assert_msg(strncmp(line, "{\"time\":\"20", 11) == 0, "%s", line);
	/* One that is too long is cut, and still an object. */
	memset(most, 1, sizeof(most) - 1);
	log_warn("%s", most);
	line = caught(fd);
	ck_assert_str_eq(line + strlen(line) - 3, "\"}\n");
	ck_assert_uint_le(strlen(line), 4096);
}

UNIT_TEST(foreign_bytes_are_escaped)
{
	static const char *const cases[][2] = {
		{ "a\nforged: line", "a\\x0aforged: line" },
		{ "\r\t\b", "\\x0d\\x09\\x08" },
		{ "\x1b[2J\x1b]0;title\x07", "\\x1b[2J\\x1b]0;title\\x07" },
		{ "\x7f", "\\x7f" },
		{ "\xff\xfe", "\\xff\\xfe" },
		/* U+009B is CSI, U+2028 a line end, U+202E turns text round. */
		{ "\xc2\x9b"
		  "31m",
		    "\\u009b31m" },
		{ "\xe2\x80\xa8\xe2\x80\xae", "\\u2028\\u202e" },
		{ "\xe2\x80\xc2", "\\xe2\\x80\\xc2" },
		/* A tag character, in which text could be hidden. */
		{ "\xf3\xa0\x81\x81", "\\U000e0041" },
		{ "plain ~!", "plain ~!" },
		{ "caf\xc3\xa9 \xe4\xbd\xa0 \xf0\x9f\x8c\x8d",
		    "caf\xc3\xa9 \xe4\xbd\xa0 \xf0\x9f\x8c\x8d" },
	};
	int fd = catch_writes();
	char want[256];
	size_t n;

	log_init("x", LOG_LEVEL_INFO);
	for (n = 0; n < UNIT_COUNT(cases); n++) {
		log_info("%s", cases[n][0]);
		snprintf(want, sizeof(want), "x: %s\n", cases[n][1]);
		ck_assert_str_eq(caught(fd), want);
	}
}

UNIT_TEST(long_lines_are_cut)
{
	int fd = catch_writes();
	char text[3 * LOG_TEXT_SIZE];
	const char *line;

	log_init("x", LOG_LEVEL_INFO);
	memset(text, 'y', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	log_info("%s", text);
	line = caught(fd);
	ck_assert_uint_eq(strlen(line), 3 + LOG_TEXT_SIZE - 1 + 1);
	ck_assert_int_eq(line[strlen(line) - 1], '\n');
	/* The longest there can be: every byte escaped. */
	memset(text, '\x01', sizeof(text) - 1);
	log_info("%s", text);
	line = caught(fd);
	ck_assert_uint_eq(strlen(line), 3 + 4 * (LOG_TEXT_SIZE - 1) + 1);
	ck_assert_int_eq(line[strlen(line) - 1], '\n');
}

UNIT_EXITS(fatal_ends, FATAL_EXIT_STATUS, 1)
{
	/* Buffered output of a process that met its own bug is not trusted. */
	atexit(abort);
	fatal("the end of %s", "it");
}

UNIT_TEST(fatal_says_why)
{
	int fd = catch_writes(), status;
	pid_t pid = fork();

	ck_assert_int_ne(pid, -1);
	if (pid == 0) {
		log_init("x", LOG_LEVEL_ERROR);
		fatal("no memory for %d bytes", 7);
	}
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), FATAL_EXIT_STATUS);
	ck_assert_str_eq(caught(fd), "x: no memory for 7 bytes\n");
}
