/*
 * Tests of worker/broker/state/audit: one line for each call of a tool, however
 * it ends, with no value in it; and a file that is full costs lines alone.
 */
#include <sys/resource.h>
#include <sys/stat.h>

#include "../broker_play.h"

#define FILE_MOST 420 /* bytes, where it cannot be longer: two lines */

static struct play_server gh;
static int relay;
static int file; /* the audit file, to read */

/* Opens a file that is nowhere any more, to read and for the broker. */
static int
open_file(void)
{
	char path[] = "/tmp/caisson-audit-XXXXXX";
	int fd;

	file = mkstemp(path);
	ck_assert_int_ne(file, -1);
	fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	ck_assert_int_ne(fd, -1);
	unlink(path);
	return fd;
}

/* A broker that writes lines, and a server with this in place of a tool. */
static void
start(void)
{
	struct ipc_audit audit = { .file = open_file() };

	play_start();
	play_send(play_supervisor, IPC_AUDIT, &audit);
	relay = play_grant_of("gh\0hm", 6, "gh", 3);
	play_serve(&gh);
}

static size_t
file_size(void)
{
	struct stat st;

	ck_assert_int_eq(fstat(file, &st), 0);
	return (size_t)st.st_size;
}

/* Reads what was written, once the broker has ended. */
static char *
finish(void)
{
	size_t len = file_size();
	char *text;

	play_end();
	len = file_size();
	text = mem_alloc(len + 1);
	ck_assert_int_eq(pread(file, text, len, 0), (ssize_t)len);
	close(file);
	return text;
}

/*
 * Takes a line off the front of the text: the time that it begins with and how
 * long the call took can be any.
 */
static void
is_line(char **text, const char *wanted)
{
	char *line = strsep(text, "\n");
	char *ms, *end;
	int year, n = 0;

	ck_assert_ptr_nonnull(line);
	sscanf(line, "{\"time\":\"%d-%*2d-%*2dT%*2d:%*2d:%*2d.%*3dZ\",%n",
	    &year, &n);
	ck_assert_msg(n == 35 && year > 2000, "%s", line);
	ms = strstr(line, "\"milliseconds\":");
	ck_assert_ptr_nonnull(ms);
	ms += strlen("\"milliseconds\":");
	end = ms + strspn(ms, "0123456789");
	memmove(ms, end, strlen(end) + 1);
	ck_assert_str_eq(line + n, wanted);
}

#define LINE(server, tool, arguments, result, sent, outcome)                   \
	"\"execution\":\"0000000000000007\",\"server\":\"" server              \
	"\",\"tool\":\"" tool                                                 \
	"\",\"argument_bytes\":" #arguments ",\"result_bytes\":" #result       \
	",\"milliseconds\":,\"sent\":" #sent ",\"outcome\":\"" outcome "\"}"

/* Which the code chooses: one line, and nothing that a terminal obeys. */
static const struct {
	const char *server, *tool; /* as the code says them; the tool as JSON */
	const char *line;
} names[] = {
	{ "hm", "\"\\n\\u001b[1m\\u009b\\\"\\ud83d\\ude00\"",
	    LINE("hm", "\\n\\\\x1b[1m\\\\u009b\\\"\xf0\x9f\x98\x80", 2, 0,
	        false, "refused") },
	{ "hm", "\"\\u202ea\xe2\x81\xa6\\u2028\xe2\x80\xa9\\u0085\\u000b\"",
	    LINE("hm", "\\\\u202ea\\\\u2066\\\\u2028\\\\u2029\\\\u0085"
	        "\\\\x0b", 2, 0, false, "refused") },
	/* What no text can hold stays as it was written. */
	{ "hm", "\"\\ud800\\n\"",
	    LINE("hm", "\\\"\\\\ud800\\n\\\"", 2, 0, false, "refused") },
	{ "h\n\x1b\xe2\x80\xae" "m\"}", "\"t\"",
	    LINE("h\\n\\\\x1b\\\\u202em\\\"}", "t", 2, 0, false, "refused") },
};

UNIT_TESTS(a_name_is_text, UNIT_COUNT(names))
{
	struct ipc_call_tool call = { .id = 1, .server = names[_i].server,
		.tool = { (const uint8_t *)names[_i].tool,
		    strlen(names[_i].tool) },
		.arguments = { (const uint8_t *)"{}", 2, -1 } };
	auto_free char *text = NULL;
	char *rest;

	start();
	play_send(relay, IPC_CALL_TOOL, &call);
	play_expect(relay, IPC_REFUSED);
	rest = text = finish();
	is_line(&rest, names[_i].line);
	ck_assert_str_eq(rest, "");
}

/* Calls go on without their lines; what comes after them is on its own. */
UNIT_TEST(a_full_file_costs_lines)
{
	struct rlimit limit = { FILE_MOST, FILE_MOST };
	auto_free char *text = NULL;
	char *rest;
	int n;

	start();
	ck_assert_int_eq(prlimit(play_pid, RLIMIT_FSIZE, &limit, NULL), 0);
	for (n = 0; n < 6; n++) {
		play_call(relay, 1, "nobody");
		play_expect_refused(relay, 1, "unknown server");
		play_sync(relay);
	}
	ck_assert_uint_eq(file_size(), FILE_MOST);
	/* There is room again. */
	ck_assert_int_eq(ftruncate(file, 10), 0);
	play_call(relay, 1, "nobody");
	play_expect_refused(relay, 1, "unknown server");
	rest = text = finish();
	ck_assert_str_eq(strsep(&rest, "\n"), "{\"time\":\"2");
	is_line(&rest, LINE("nobody", "talk", 20, 0, false, "refused"));
	ck_assert_str_eq(rest, "");
}
