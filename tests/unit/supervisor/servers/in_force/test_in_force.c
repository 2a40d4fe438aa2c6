/*
 * Tests of supervisor/servers/in_force/in_force: files are read before the
 * first use and again when one of them has changed, each waiting request is
 * answered once, and servers in force are found by name. The test makes up the
 * files.
 */
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "common/base/fd.h"
#include "common/limits.h"
#include "common/base/mem.h"
#include "supervisor/options/options.h"
#include "supervisor/servers/in_force/in_force.h"
#include "tests/unit/unit_folder.h"

/* The files: in folders of the test, which is everybody's home. */

static char home[sizeof("HOME=") + sizeof(folder)];
static char *envp[] = { home, NULL };

static struct in_force *config;
static struct buffer told; /* what happened */

/* In the place of servers.c: a reading ends when the test says so. */

static struct servers *reading; /* NULL: none */
static int readings;
static int lists; /* that are not freed */
static const char *at_once; /* what a reading finds that ends at once */

/* Each letter of says is a state, the words behind it are names. */
static void
end_reading(const char *says)
{
	auto_free char *copy = mem_strdup(says);
	struct servers *servers = mem_take(&reading);
	struct server *server;
	char *rest = copy, *word;

	ck_assert_ptr_nonnull(servers);
	while ((word = strsep(&rest, " ")) != NULL) {
		if (word[0] == '\0')
			continue;
		server = mem_alloc(sizeof(*server));
		server->name = mem_strdup(word + 1);
		server->file = TAILQ_FIRST(&servers->files);
		server->state = word[0] == '+' ? SERVER_TAKEN :
		    word[0] == '-' ? SERVER_SKIPPED : SERVER_REJECTED;
		if (server->state != SERVER_TAKEN)
			server->why = mem_strdup("wrong");
		TAILQ_INSERT_TAIL(&servers->list, server, entry);
		servers->count++;
	}
	servers->done(servers->ctx);
}

void
options_add_name(struct buffer *, const struct options *, enum option_id)
{
}

void
servers_read(struct servers *servers, const struct servers_setup *setup,
    const struct servers *before, void (*done)(void *ctx), void *ctx)
{
	ck_assert_ptr_null(reading);
	ck_assert_ptr_eq(before, in_force_servers(config));
	ck_assert_ptr_eq(setup->envp, envp);
	readings++;
	lists++;
	reading = servers;
	servers->done = done;
	servers->ctx = ctx;
	TAILQ_INIT(&servers->list);
	TAILQ_INIT(&servers->files);
	server_sources_find(&servers->files, setup);
	if (at_once != NULL)
		end_reading(at_once);
}

void
servers_free(struct servers *servers)
{
	struct server *server;

	lists--;
	while ((server = TAILQ_FIRST(&servers->list)) != NULL) {
		TAILQ_REMOVE(&servers->list, server, entry);
		free(server->name);
		free(server->why);
		free(server->alias);
		free(server->program);
		free(server);
	}
	server_sources_free(&servers->files);
}

void
server_rows_copy(struct servers *servers, const struct server_file *file,
    const struct server_file *before)
{
	ck_abort_msg("nothing is kept here");
}

int
server_judge_is_stranger(
    const struct servers *servers, const struct server_file *file)
{
	return file->source->project;
}

static int programs_looked_for;
static int programs_there;

void
server_judge_program(struct servers *servers, struct server *server)
{
	ck_assert_ptr_eq(servers, in_force_servers(config));
	programs_looked_for++;
	if (programs_there)
		server->program = mem_strdup("/bin/true");
}

/* The stage */

static uint64_t clock_ms = 1000000;

static uint64_t
tell_time(void)
{
	return clock_ms;
}

static void
on_changed(void *ctx)
{
	ck_assert_ptr_eq(ctx, &told);
	buffer_add_text(&told, "changed\n");
}

static void
on_settled(void *ctx)
{
	ck_assert_ptr_eq(ctx, &told);
	buffer_add_text(&told, "settled\n");
}

static void
enter(void)
{
	struct servers_setup setup = { .envp = envp, .folder = folder,
		.named = "mine.json",
		.clock = tell_time };

	snprintf(home, sizeof(home), "HOME=%s", folder);
	ck_assert_int_eq(mkdir("MCPs", 0700), 0);
	config = in_force_new(&setup, on_changed, on_settled, &told);
	buffer_add_text(&told, "");
}

static void
leave(void)
{
	in_force_free(&config);
	in_force_free(&config); /* NULL is accepted */
	ck_assert_int_eq(lists, 0);
	buffer_reset(&told);
}

/* Requests that wait */

static struct in_force_waiter waiters[3];
static struct in_force_waiter *victim; /* cancelled by the first to be called */
static struct in_force_waiter *again;  /* waits again when it is called */

static void
on_ready(void *ctx)
{
	struct in_force_waiter *waiter = ctx;

	buffer_printf(&told, "ready %td\n", waiter - waiters);
	if (victim != NULL)
		in_force_cancel(config, mem_take(&victim));
	if (again == waiter) {
		again = NULL;
		in_force_refresh(config, waiter);
	}
}

/* Returns how many ns have passed by the clock that files are stamped with. */
static long long
passed(const struct timespec *since)
{
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	return (now.tv_sec - since->tv_sec) * 1000000000LL +
	    (now.tv_nsec - since->tv_nsec);
}

static void
refresh_now(int n)
{
	waiters[n].ready = on_ready;
	waiters[n].ctx = &waiters[n];
	in_force_refresh(config, &waiters[n]);
}

/* What was saved before was saved a while ago. */
static void
refresh(int n)
{
	struct timespec start;

	clock_gettime(CLOCK_REALTIME, &start);
	while (passed(&start) <= CONFIG_TICK_MS * 1000000LL)
		;
	refresh_now(n);
}

/* What happened since the last time. */
static void
happened(const char *wanted)
{
	ck_assert_str_eq(told.data, wanted);
	told.len = 0;
	buffer_add_text(&told, "");
}

/* The configuration was read for the first time. */
static void
read_once(const char *says)
{
	int before = readings;

	refresh(0);
	ck_assert_int_eq(readings, before + 1);
	end_reading(says);
	happened("changed\nready 0\nsettled\n");
}

/* Nothing has changed, but what went wrong may go right now. */
UNIT_TEST(a_file_that_could_not_be_read_is_tried_again)
{
	struct server_file *file;

	put_file("MCPs/a.json", "x");
	refresh(0);
	file = TAILQ_FIRST(&reading->files);
	file->state = SERVER_FILE_REFUSED;
	file->transient = 1;
	free(file->path);
	file->path = mem_strdup("MCPs/a.json");
	file->why = mem_strdup("no descriptors");
	end_reading("");
	happened("changed\nready 0\nsettled\n");
	refresh(0);
	ck_assert_int_eq(readings, 2);
	end_reading("+a");
	happened("changed\nready 0\nsettled\n");
	refresh(0);
	ck_assert_int_eq(readings, 2);
	happened("ready 0\n");
}

/* The reading finds this of its first file, and ends. */
static void
end_reading_kept(enum server_fault fault, uint64_t since)
{
	struct server_file *file = TAILQ_FIRST(&reading->files);

	free(file->path);
	file->path = mem_strdup("/mine.json");
	file->why = mem_strdup("is empty");
	file->state = SERVER_FILE_STALE;
	file->fault = fault;
	file->since = since;
	end_reading("+a");
	happened("changed\nready 0\nsettled\n");
}

static void
check_notes(const char *wanted)
{
	size_t len;
	auto_free char *notes = in_force_notes(config, &len);

	ck_assert_str_eq(len == 0 ? "" : notes, wanted);
	ck_assert_uint_eq(len, wanted[0] == '\0' ? 0 : strlen(wanted) + 1);
}

/* No file changes, only the time: what was kept for a while is over then. */
UNIT_TEST(what_is_kept_is_read_again_when_its_time_is_over)
{
	refresh(0);
	end_reading_kept(SERVER_FAULT_GONE, clock_ms);
	clock_ms += CONFIG_STALE_MS - 1;
	refresh(0);
	happened("ready 0\n");
	ck_assert_int_eq(readings, 1);
	ck_assert_ptr_nonnull(in_force_find(config, "a", 1));
	clock_ms++;
	check_notes("");
	refresh(0);
	ck_assert_int_eq(readings, 2);
	end_reading("");
	happened("changed\nready 0\nsettled\n");
	ck_assert_ptr_null(in_force_find(config, "a", 1));
	clock_ms += 100 * CONFIG_STALE_MS;
	refresh(0);
	ck_assert_int_eq(readings, 2);
}

static void
file_grows(void)
{
	put_file("MCPs/a.json", "more");
}

/* Waiting */

UNIT_TESTS(a_waiter_may_cancel_another, 2)
{
	refresh(0);
	refresh(1);
	refresh(2);
	victim = &waiters[1 + _i];
	end_reading("");
	happened(_i == 0 ? "changed\nready 0\nready 2\nsettled\n" :
	                   "changed\nready 0\nready 1\nsettled\n");
}

UNIT_TEST(a_waiter_may_wait_again)
{
	refresh(0);
	refresh(1);
	again = &waiters[0];
	end_reading("");
	/* Nothing has changed: it is last, but waits for nothing. */
	happened("changed\nready 0\nready 1\nready 0\nsettled\n");
	ck_assert_int_eq(readings, 1);
}

/* A file is saved during the reading: who asks then means that file. */
UNIT_TEST(what_was_saved_before_asking_is_in_force)
{
	put_file("MCPs/a.json", "");
	refresh(0);
	file_grows();
	refresh(1);
	in_force_cancel(config, &waiters[1]);
	refresh(1);
	refresh(2);
	happened("");
	end_reading("+old");
	happened("changed\nready 0\n");
	ck_assert_int_eq(readings, 2);
	refresh(0);
	end_reading("+new");
	happened("changed\nready 1\nready 2\nready 0\nsettled\n");
	refresh(0);
	happened("ready 0\n");
	ck_assert_int_eq(readings, 2);
}

/* What is in force */

/* mcp_servers is all of them: no server may have that name in the box. */
UNIT_TEST(no_server_is_called_as_all_of_them)
{
	read_once("+servers +Servers +servers_2");
	ck_assert_uint_eq(in_force_count(config), 3);
	ck_assert_str_eq(in_force_at(config, 0)->alias, "servers_3");
	ck_assert_str_eq(in_force_at(config, 1)->alias, "servers_4");
	ck_assert_str_eq(in_force_at(config, 2)->alias, "servers_2");
}

UNIT_TEST(finds_each_of_many)
{
	auto_buffer struct buffer says = { 0 };
	char name[8];
	int n;

	for (n = 0; n < CONFIG_SERVERS_MAX; n++)
		buffer_printf(&says, "+%d ", n);
	read_once(says.data);
	ck_assert_uint_eq(in_force_count(config), CONFIG_SERVERS_MAX);
	for (n = 0; n <= CONFIG_SERVERS_MAX; n++) {
		snprintf(name, sizeof(name), "%d", n);
		ck_assert_int_eq(in_force_find(config, name, strlen(name)) !=
		    NULL, n < CONFIG_SERVERS_MAX);
	}
}

/* A program may have been installed since the files were read. */
UNIT_TEST(looks_again_for_a_program)
{
	const struct server *server;

	read_once("+a +b");
	server = in_force_find(config, "b", 1);
	ck_assert_int_eq(in_force_has_program(config, server), 0);
	ck_assert_int_eq(in_force_has_program(config, server), 0);
	ck_assert_int_eq(programs_looked_for, 2);
	programs_there = 1;
	ck_assert_int_eq(in_force_has_program(config, server), 1);
	ck_assert_int_eq(in_force_has_program(config, server), 1);
	ck_assert_int_eq(programs_looked_for, 3);
	ck_assert_ptr_null(in_force_find(config, "a", 1)->program);
}

UNIT_FIXTURE(enter, leave)
