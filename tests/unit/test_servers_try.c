/*
 * Tests of supervisor/command/servers_try: what "caisson servers --try" prints
 * of every answer, in which foreign text stays text, when it ends, and with
 * which status. Configuration and broker are stand-ins.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/mem.h"
#include "supervisor/peers/broker.h"
#include "supervisor/servers/in_force.h"
#include "supervisor/servers/servers.h"
#include "supervisor/supervisor.h"
#include "unit.h"
#include "supervisor/process/process.h"
#include "supervisor/command/command.h"

static struct event_base *base;
static int a_config, a_broker;

#define OWN 960 /* bytes of our own definitions */

/* The answers of the broker, a row a server; NULL name: the broker exits. */
struct answer {
	const char *name;
	uint64_t count;
	const char *tools;
	size_t len;
	const char *reason;
};

static struct answer answers[4];
static uint64_t sizes[4]; /* of the definitions of each */
static size_t nservers;
static const char *names[4]; /* as the files have them */
static const char *untryable;
static int stops;

/* The configuration: known from the loop, or at once when there is none. */

static void
on_configured(evutil_socket_t fd, short what, void *ctx)
{
	struct in_force_waiter *waiter = ctx;

	(void)fd;
	(void)what;
	waiter->ready(waiter->ctx);
}

void
in_force_refresh(struct in_force *config, struct in_force_waiter *waiter)
{
	const struct timeval now = { 0, 0 };

	ck_assert_ptr_eq(config, &a_config);
	if (nservers == 0)
		waiter->ready(waiter->ctx);
	else
		event_base_once(
		    base, -1, EV_TIMEOUT, on_configured, waiter, &now);
}

/* The files: one with those in force, and in front of it those of a test. */
static struct servers files;
static struct server_source source = { .name = "SOURCE" };
static struct server_source project = { .name = "PROJECT", .project = 1 };
static struct server_file mine = { .source = &source,
	.path = (char *)"/h/b.json",
	.state = SERVER_FILE_TAKEN };
static struct server_file others[4];
static struct server servers[4], rows[4];
static size_t nothers, nrows;

/* It keeps nothing secret. */
const struct server *
in_force_find(const struct in_force *config, const char *name, size_t len)
{
	(void)config;
	(void)name;
	(void)len;
	return NULL;
}

const struct servers *
in_force_servers(const struct in_force *config)
{
	size_t i;

	ck_assert_ptr_eq(config, &a_config);
	TAILQ_INIT(&files.files);
	TAILQ_INIT(&files.list);
	for (i = 0; i < nothers; i++)
		TAILQ_INSERT_TAIL(&files.files, &others[i], entry);
	TAILQ_INSERT_TAIL(&files.files, &mine, entry);
	for (i = 0; i < nrows; i++)
		TAILQ_INSERT_TAIL(&files.list, &rows[i], entry);
	for (i = 0; i < nservers; i++) {
		servers[i].file = &mine;
		servers[i].name = (char *)(names[i] != NULL ? names[i] :
		        answers[i].name);
		TAILQ_INSERT_TAIL(&files.list, &servers[i], entry);
	}
	return &files;
}

/* Of a refused file: its first row. */
const struct server *
server_faults_row(
    const struct servers *all, const struct server_file *file)
{
	const struct server *row;

	TAILQ_FOREACH (row, &all->list, entry)
		if (row->file == file)
			return row;
	return NULL;
}

int
server_judge_is_stranger(
    const struct servers *all, const struct server_file *file)
{
	ck_assert_ptr_eq(all, &files);
	return file->source->project;
}

void
in_force_free(struct in_force **config)
{
	ck_assert_ptr_eq(*config, &a_config);
	*config = NULL;
}

/* The broker: answers from the loop; its servers end from the loop. */

static broker_tried *on_tried;
static void (*on_gone)(void *ctx);
static void (*on_stopped)(void *ctx);
static void *try_ctx;

static void
on_answer(evutil_socket_t fd, short what, void *ctx)
{
	const struct answer *answer = ctx;

	(void)fd;
	(void)what;
	ck_assert_int_eq(stops, 0);
	if (answer->name == NULL)
		on_gone(try_ctx);
	else
		on_tried(try_ctx, &(struct broker_answer){
		    .name = answer->name, .count = answer->count,
		    .bytes = sizes[answer - answers],
		    .tools = answer->tools, .tools_len = answer->len,
		    .reason = answer->reason });
}

int
broker_try(struct broker *broker, const struct buffer *only,
    broker_tried *tried, void (*gone)(void *ctx), void *ctx,
    struct err *err)
{
	struct timeval when = { 0, 0 };
	size_t i;

	ck_assert_ptr_null(only);
	ck_assert_ptr_eq(broker, &a_broker);
	if (untryable != NULL)
		return err_set(err, "%s", untryable);
	on_tried = tried;
	on_gone = gone;
	try_ctx = ctx;
	for (i = 0; i < nservers; i++, when.tv_usec += 1000) {
		event_base_once(
		    base, -1, EV_TIMEOUT, on_answer, &answers[i], &when);
		if (answers[i].name == NULL)
			break;
	}
	return 0;
}

static void
on_servers_ended(evutil_socket_t fd, short what, void *ctx)
{
	(void)fd;
	(void)what;
	on_stopped(ctx);
}

void
broker_stop(struct broker *broker, void (*ended)(void *ctx), void *ctx)
{
	const struct timeval now = { 0, 0 };

	ck_assert_ptr_eq(broker, &a_broker);
	stops++;
	on_stopped = ended;
	event_base_once(
	    base, -1, EV_TIMEOUT, on_servers_ended, ctx, &now);
}

void
broker_free(struct broker **broker)
{
	ck_assert_ptr_eq(*broker, &a_broker);
	*broker = NULL;
}

void
reaper_finish(unsigned int ms)
{
	ck_assert_uint_eq(ms, SHUTDOWN_REAP_MS);
}

/* Runs it; what it prints must be exactly this. */
static void
prints(const char *wanted, int status)
{
	FILE *file = tmpfile();
	char text[4096] = "";
	int saved = dup(STDOUT_FILENO), ended;

	ck_assert_ptr_nonnull(file);
	base = loop_new(0);
	dup2(fileno(file), STDOUT_FILENO);
	ended = servers_try_run(base,
	    (struct in_force *)(void *)&a_config,
	    (struct broker *)(void *)&a_broker, OWN, NULL, NULL, 0);
	fflush(stdout);
	dup2(saved, STDOUT_FILENO);
	close(saved);
	rewind(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	ck_assert_str_eq(text, wanted);
	ck_assert_int_eq(ended, status);
	event_base_free(base);
}

#define WORKS "1 server: 1 works\n"
#define LOGGED                                                                 \
	" failed; --log-level debug shows all that servers wrote to standard " \
	"error\n"
#define SIZES                                                                  \
	"1 tool, 1.2 kB of definitions: 1.0 kB for a client of Caisson\n"
#define FAILED "1 server: 0 work, 1" LOGGED

static const struct {
	struct answer answer;
	const char *prints;
	int status;
} ones[] = {
	{ { "fs", 0, "", 0, "" }, "ok       fs: 0 tools\n" WORKS, 0 },
	{ { "fs", 1, "read", 5, "" },
	    "ok       fs: 1 tool\n         read\n" WORKS, 0 },
	/* More tools than one message can name. */
	{ { "fs", 9999, "a\0b", 4, "" },
	    "ok       fs: 9999 tools\n         a\n         b\n" WORKS, 0 },
	/* Names are foreign text, whose bytes may do something. */
	{ { "f\"\xc3\xa9", 1, "a\n\033[31m\\", 9, "" },
	    "ok       f\\\"\xc3\xa9: 1 tool\n"
	    "         a\\x0a\\x1b[31m\\\\\n" WORKS, 0 },
	{ { "fs", 0, "", 0, "could not be started: no" },
	    "FAILED   fs: could not be started: no\n" FAILED, 1 },
	/* Whatever else it says: it failed. */
	{ { "fs", 3, "a", 2, "no" }, "FAILED   fs: no\n" FAILED, 1 },
	/* A sentence may have lines, and any language. */
	{ { "fs", 0, "", 0, "it ended:\n  caf\xc3\xa9 \xc2\xa0\xf0\x9f\x98\x80"
	    "\ttab\r\033[2J\x7f" },
	    "FAILED   fs: it ended:\n           caf\xc3\xa9 \xc2\xa0"
	    "\xf0\x9f\x98\x80\\x09tab\\x0d\\x1b[2J\\x7f\n" FAILED, 1 },
	/* The other control characters, which terminals know, too. */
	{ { "fs", 0, "", 0, "\xc2\x9b" "31m \xc2\x80\xc2\x9f\xc2" },
	    "FAILED   fs: \\u009b31m \\u0080\\u009f\\xc2\n" FAILED, 1 },
	/* And those that are not shown. */
	{ { "fs", 0, "", 0, "a\xe2\x80\xae" "b\xf3\xa0\x81\x81\xe2\x80" },
	    "FAILED   fs: a\\u202eb\\U000e0041\\xe2\\x80\n" FAILED, 1 },
};

START_TEST(prints_an_answer)
{
	nservers = 1;
	answers[0] = ones[_i].answer;
	prints(ones[_i].prints, ones[_i].status);
	ck_assert_int_eq(stops, 1);
}
END_TEST

/* In the order of their files, whichever answers first. */
START_TEST(prints_in_the_order_of_the_files)
{
	nservers = 3;
	names[0] = "b";
	names[1] = "c";
	names[2] = "a";
	answers[0] = (struct answer){ "c", 1, "x", 2, "" };
	sizes[0] = 1234;
	answers[1] = (struct answer){ "a", 0, "", 0, _i == 0 ? "no" : "" };
	answers[2] = (struct answer){ "b", 0, "", 0, "" };
	if (_i == 0)
		prints("ok       b: 0 tools\nok       c: 1 tool\n         x\n"
		    "FAILED   a: no\n3 servers: 2 work, 1" LOGGED SIZES, 1);
	else
		prints("ok       b: 0 tools\nok       c: 1 tool\n         x\n"
		    "ok       a: 0 tools\n3 servers: 3 work\n" SIZES, 0);
	ck_assert_int_eq(stops, 1);
}
END_TEST

START_TEST(says_that_there_are_none)
{
	prints("No servers are configured ('caisson servers list' lists "
	    "the places for them).\n", 0);
}
END_TEST

static struct server_file *
add_file(const struct server_source *of, enum server_file_state state,
    const char *path, const char *why)
{
	others[nothers] = (struct server_file){ .source = of,
		.state = state,
		.path = (char *)path,
		.why = (char *)why };
	return &others[nothers++];
}

static struct server *
add_row(const struct server_file *file, enum server_state state,
    const char *name, const char *why)
{
	rows[nrows] = (struct server){ .file = file,
		.line = 3,
		.column = 7,
		.state = state,
		.name = (char *)name,
		.why = (char *)why };
	return &rows[nrows++];
}

START_TEST(lists_refused_files)
{
	const struct server_file *file = add_file(&source,
	    SERVER_FILE_REFUSED, "/h/a\n.json", "is no configuration");

	add_file(&source, SERVER_FILE_MISSING, "/h/gone", "is not there");
	add_file(&source, SERVER_FILE_SKIPPED, "/h/same", "is the same");
	add_file(&project, SERVER_FILE_REFUSED, NULL, "is not yours");
	if (_i == 0)
		add_row(file, SERVER_REJECTED, "", "there is no end");
	prints(_i == 0 ? "REFUSED  /h/a\\x0a.json: line 3, column 7: there is "
	    "no end\nskipped  PROJECT: is not yours\n"
	    "0 servers: 0 work; 1 file refused; 1 skipped\n" :
	    "REFUSED  /h/a\\x0a.json: is no configuration\n"
	    "skipped  PROJECT: is not yours\n"
	    "0 servers: 0 work; 1 file refused; 1 skipped\n", 1);
	ck_assert_int_eq(stops, 0);
}
END_TEST

START_TEST(lists_refused_entries)
{
	const struct server_file *file =
	    add_file(&source, SERVER_FILE_TAKEN, "/h/a", NULL);

	add_row(file, SERVER_REJECTED, "b", "uses ${NOPE}");
	add_row(file, SERVER_SKIPPED, "url", "not supported")->unsupported = 1;
	add_row(file, SERVER_SKIPPED, "off", "not to be used");
	add_row(file, SERVER_REJECTED, "", "no \"servers\"");
	nservers = 1;
	answers[0] = (struct answer){ "b", 0, "", 0, "" };
	prints("FAILED   b: uses ${NOPE} (/h/a:3:7)\n"
	    "FAILED   url: not supported (/h/a:3:7)\n"
	    "skipped  off: not to be used (/h/a:3:7)\n"
	    "FAILED   /h/a: no \"servers\" (/h/a:3:7)\n"
	    "ok       b: 0 tools\n"
	    "4 servers: 1 works, 3 failed; 1 skipped\n", 1);
	ck_assert_int_eq(stops, 1);
}
END_TEST

/* What a stranger has written fails nothing of the user's. */
START_TEST(lists_what_is_left_out)
{
	const struct server_file *file =
	    add_file(&project, SERVER_FILE_TAKEN, "/p/a", NULL);

	add_row(file, SERVER_REJECTED, "b", "is wrong");
	add_row(file, SERVER_SKIPPED, "c", "not trusted");
	prints("skipped  b: is wrong (/p/a:3:7)\n"
	    "skipped  c: not trusted (/p/a:3:7)\n"
	    "0 servers: 0 work; 2 skipped\n", 0);
}
END_TEST

START_TEST(says_that_nothing_can_be_tried)
{
	nservers = 2;
	untryable = "no broker today";
	names[0] = "a";
	names[1] = "b";
	prints("FAILED   no broker today\n2 servers: 0 work, 2" LOGGED, 1);
}
END_TEST

START_TEST(says_that_the_broker_died)
{
	nservers = 2;
	names[0] = "a";
	names[1] = "fs";
	answers[0] = (struct answer){ "fs", 0, "", 0, "" };
	prints("ok       fs: 0 tools\n"
	    "FAILED   the process that speaks with the servers died\n"
	    "2 servers: 1 works, 1" LOGGED, 1);
	ck_assert_int_eq(stops, 0);
}
END_TEST

static void
add_tests(TCase *tc)
{
	tcase_add_loop_test(tc, prints_an_answer, 0, UNIT_COUNT(ones));
	tcase_add_loop_test(tc, prints_in_the_order_of_the_files, 0, 2);
	tcase_add_test(tc, says_that_there_are_none);
	tcase_add_loop_test(tc, lists_refused_files, 0, 2);
	tcase_add_test(tc, lists_refused_entries);
	tcase_add_test(tc, lists_what_is_left_out);
	tcase_add_test(tc, says_that_nothing_can_be_tried);
	tcase_add_test(tc, says_that_the_broker_died);
}

int
main(void)
{
	return unit_run("servers_try", add_tests);
}
