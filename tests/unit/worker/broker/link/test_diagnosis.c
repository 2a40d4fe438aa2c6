/*
 * Tests of worker/broker/link/diagnosis: of what real runtimes write to
 * standard error when a server fails, the line is found that a person would
 * look for.
 */
#include <string.h>
#include <unistd.h>

#include "common/limits.h"
#include "common/base/log.h"
#include "common/base/mem.h"
#include "common/base/utf8.h"
#include "tests/unit/unit.h"
#include "worker/broker/link/link.h"

#define SAYS "; its standard error says: "

static const struct {
	const char *errors;
	const char *wanted;
} rows[] = {
	{ "", "" },
	{ "\n \t\n", "" },
	{ "hm", "hm" },
	{ "hm\n  and more\n\n", "hm" },
	{ "  only\n  this\n", "  this" },
	/* node: an uncaught error, with its source above it */
	{ "file:///srv/index.js:5\n"
	  "throw new Error(\"Error: TOKEN is required\");\n"
	  "      ^\n\n"
	  "Error: TOKEN is required\n"
	  "    at file:///srv/index.js:5:7\n"
	  "    at ModuleJob.run (node:internal/modules/esm/module_job:325:25)\n"
	  "\nNode.js v20.20.2\n", "Error: TOKEN is required" },
	{ "node:internal/modules/cjs/loader:1210\n  throw err;\n  ^\n\n"
	  "Error: Cannot find module '/srv/nope.js'\n"
	  "    at Module._load (node:internal/modules/cjs/loader:1038:27) {\n"
	  "  code: 'MODULE_NOT_FOUND',\n  requireStack: []\n}\n"
	  "\nNode.js v20.20.2\n", "Error: Cannot find module '/srv/nope.js'" },
	{ "Error: cannot read the settings\n    at x.mjs:1:44 {\n"
	  "  [cause]: SyntaxError: Expected '}'\n      at JSON.parse\n}\n",
	  "Error: cannot read the settings" },
	{ "Fatal error in main(): Error: ENOENT: no such file, open '/no'\n"
	  "    at async main (file:///srv/main.mjs:1:69) {\n"
	  "  errno: -2,\n  code: 'ENOENT'\n}\n",
	  "Fatal error in main(): Error: ENOENT: no such file, open '/no'" },
	{ "/srv/s.js:1\nfoo bar\n    ^^^\n\n"
	  "SyntaxError: Unexpected identifier 'bar'\n    at wrapSafe\n",
	  "SyntaxError: Unexpected identifier 'bar'" },
	/* In colour, as logging libraries write it; other sequences stay. */
	{ "\033[31;1mError: no key\033[0m\r\n    at x\n", "Error: no key" },
	{ "Error: \033[2Jno\033[", "Error: \\x1b[2Jno\\x1b[" },
	/* Python */
	{ "Traceback (most recent call last):\n"
	  "  File \"/srv/m.py\", line 1, in <module>\n    import nothing_such\n"
	  "ModuleNotFoundError: No module named 'nothing_such'\n",
	  "ModuleNotFoundError: No module named 'nothing_such'" },
	{ "Traceback (most recent call last):\n  File \"f\"\n    ~~^^^^^\n"
	  "KeyError: 'k'\n\nThe above exception was the direct cause of the "
	  "following exception:\n\nTraceback (most recent call last):\n"
	  "  File \"c.py\", line 4, in <module>\n    f()\n"
	  "    ^^^\napp.NoKey: it is not set\n", "app.NoKey: it is not set" },
	{ "  + Exception Group Traceback (most recent call last):\n"
	  "  |   File \"g.py\", line 5, in <module>\n  |     asyncio.run(m())\n"
	  "  | ExceptionGroup: unhandled errors (1 sub-exception)\n"
	  "  +-+---------------- 1 ----------------\n"
	  "    | Traceback (most recent call last):\n"
	  "    |   File \"g.py\", line 2, in a\n"
	  "    | ValueError: TOKEN is not set\n"
	  "    +------------------------------------\n",
	  "ValueError: TOKEN is not set" },
	{ "  File \"/srv/s.py\", line 1\n    def x(:\n          ^\n"
	  "SyntaxError: invalid syntax\n", "SyntaxError: invalid syntax" },
	{ "usage: s [-h] --token TOKEN\n"
	  "s: error: the following arguments are required: --token\n",
	  "s: error: the following arguments are required: --token" },
	{ "/usr/bin/python3: No module named nosuch\n",
	  "/usr/bin/python3: No module named nosuch" },
	/* npm */
	{ "npm warn Unknown user config \"nodedir\".\nnpm error code E404\n"
	  "npm error 404 Not Found - GET https://npm.example/nope\n"
	  "npm error 404\nnpm error 404  The requested resource 'nope@*' "
	  "could not be found.\nnpm error A complete log of this run can be "
	  "found in: /root/.npm/_logs/x.log\n",
	  "npm error 404 Not Found - GET https://npm.example/nope" },
	{ "npm ERR! code ENOENT\nnpm ERR! syscall open\nnpm ERR! path /x\n"
	  "npm ERR! errno -2\nnpm ERR! enoent Could not read package.json: "
	  "Error: ENOENT: no such file\nnpm ERR! enoent This is related to\n",
	  "npm ERR! enoent Could not read package.json: Error: ENOENT: no "
	  "such file" },
	{ "Error: no key\n    at x\nnpm error code 1\n"
	  "npm error command failed\n", "Error: no key" },
	/* Others */
	{ "panic: no key\n\ngoroutine 1 [running]:\nmain.main()\n\t/x.go:3\n"
	  "exit status 2\n", "panic: no key" },
	{ "thread 'main' panicked at src/main.rs:2:5:\nno key\nnote: run with "
	  "`RUST_BACKTRACE=1` environment variable to display a backtrace\n",
	  "thread 'main' panicked at src/main.rs:2:5: no key" },
	{ "Error:\n    at x\n", "Error:" },
	{ "Exception in thread \"main\" java.lang.IllegalStateException: no\n"
	  "\tat Main.main(Main.java:3)\nCaused by: java.io.IOException: key\n"
	  "\tat Main.key(Main.java:9)\n",
	  "Caused by: java.io.IOException: key" },
	{ "docker: Error response from daemon: pull access denied.\n"
	  "See 'docker run --help'.\n",
	  "docker: Error response from daemon: pull access denied." },
	{ "2026-01-01 12:00:00 INFO begun\n2026-01-01 12:00:01 ERROR no key\n"
	  "2026-01-01 12:00:01 INFO ended\n",
	  "2026-01-01 12:00:01 ERROR no key" },
	{ "Warning: no directory\nError: None is accessible\n",
	  "Error: None is accessible" },
	{ "sh: 1: nosuch: not found\n", "sh: 1: nosuch: not found" },
};

static void
add(struct buffer *reason, const char *errors, size_t len, int cut)
{
	struct buffer buffer = { (char *)errors, len, 0 };

	buffer_add_text(reason, "");
	diagnosis_add(reason, &buffer, cut, 1);
}

UNIT_TESTS(finds_the_line, UNIT_COUNT(rows))
{
	auto_buffer struct buffer reason = { 0 };
	auto_free char *wanted = mem_printf("%s%s",
	    rows[_i].wanted[0] == '\0' ? "" : SAYS, rows[_i].wanted);

	add(&reason, rows[_i].errors, strlen(rows[_i].errors), 0);
	ck_assert_str_eq(reason.data, wanted);
}

/* Any bytes: text comes of them, and not too much. */
UNIT_TEST(foreign_bytes_are_text)
{
	static const char odd[] = "Error: a\0b\xff\xc2\x9b\xe2\x80\xae";
	auto_buffer struct buffer reason = { 0 }, errors = { 0 };
	int n;

	add(&reason, odd, sizeof(odd) - 1, 0);
	ck_assert_str_eq(reason.data,
	    SAYS "Error: a\\x00b\xef\xbf\xbd\\u009b\\u202e");
	buffer_reset(&reason);
	buffer_add_text(&errors, "Error: x");
	for (n = 0; n < 8192; n++)
		buffer_add_text(&errors, "\xc3\xa4");
	add(&reason, errors.data, errors.len, 0);
	ck_assert_uint_le(reason.len, REFUSED_FOREIGN_MAX + strlen(SAYS));
	ck_assert(utf8_valid(reason.data, reason.len));
}

/* All of it is in the log of those who want to see all. */
UNIT_TESTS(the_log_has_all_lines, 2)
{
	static const char wanted[] = "x: server \"gh\" wrote: Error: no\n"
	    "x: server \"gh\" wrote:     at \\x1b[2Jx\n";
	struct buffer errors = {
		"Error: no\n\n    at \033[2Jx\n", 24, 0 };
	char text[200] = "";
	int ends[2];

	ck_assert_int_eq(pipe(ends), 0);
	dup2(ends[1], STDERR_FILENO);
	log_init("x", _i == 0 ? LOG_LEVEL_INFO : LOG_LEVEL_DEBUG);
	diagnosis_log("gh", &errors);
	close(STDERR_FILENO);
	close(ends[1]);
	ck_assert_int_ge(read(ends[0], text, sizeof(text) - 1), 0);
	ck_assert_str_eq(text, _i == 0 ? "" : wanted);
}

/* For a box; the operator has them, as above. */
UNIT_TESTS(our_own_lines_have_no_path, 4)
{
	static const char *const lines[][2] = {
		{ "caisson: cannot execute /h: e/x: Permission denied\n",
		    "caisson: cannot execute its command: Permission denied" },
		{ "caisson: cannot enter the folder /srv/x: No such file\n",
		    "caisson: cannot enter its folder: No such file" },
		{ "caisson: cannot execute /h", "caisson: cannot execute its "
		    "command" },
		{ "x: cannot execute /h: no\n", "x: cannot execute /h: no" },
	};
	auto_buffer struct buffer reason = { 0 };
	struct buffer errors = { (char *)lines[_i][0], strlen(lines[_i][0]),
		0 };
	auto_free char *wanted = mem_printf(SAYS "%s", lines[_i][1]);

	diagnosis_add(&reason, &errors, 0, 0);
	ck_assert_str_eq(reason.data, wanted);
}
