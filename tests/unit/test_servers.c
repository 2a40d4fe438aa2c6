/*
 * Tests of supervisor/servers/servers: files go to a reader one after the
 * other, a reader for each source, and whatever a reader does costs at most the
 * file that it had. The reader is played by a child of the test; what files
 * there are is given, and judging is left out.
 */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/fd.h"
#include "common/ipc_socket.h"
#include "common/mem.h"
#define SERVERS_ARE_HERE
#include "not_here.h"

static const struct server_source sources[] = {
	{ .name = "one" },
	{ .name = "two", .shape = CONFIG_SHAPE_CODEX },
	{ .name = "project", .project = 1 },
};

/*
 * The files: source and path, and behind a colon what happens to it, or else
 * that is the path: its first letter is for the reader.
 */
static const char *const *script;

static int started; /* readers */
static uint64_t now = 1000000;
static time_t since; /* so many seconds ago files were changed */
static ino_t next_number = 2;
static int judged;
static int ended;
static struct servers servers;

static const char *
happens(const struct server_file *file)
{
	size_t i, len = strlen(file->path);

	for (i = 0; script[i] != NULL; i++)
		if (strncmp(script[i] + 1, file->path, len) == 0 &&
		    script[i][1 + len] == ':')
			return script[i] + 2 + len;
	return file->path;
}

/* In the place of the other files of the supervisor */

void
server_sources_find(
    struct server_file_list *files, const struct servers_setup *setup)
{
	size_t i;

	(void)setup;
	for (i = 0; script[i] != NULL; i++) {
		struct server_file *file = mem_alloc(sizeof(*file));

		file->source = &sources[script[i][0] - '1'];
		file->path = mem_dup(
		    script[i] + 1, strcspn(script[i] + 1, ":"));
		if (strcmp(happens(file), "missing") == 0) {
			file->state = SERVER_FILE_MISSING;
			file->fault = SERVER_FAULT_GONE;
			file->why = mem_strdup("there is no such file");
		}
		TAILQ_INSERT_TAIL(files, file, entry);
	}
}

/* The size of the file is the first letter of its name; so is its number. */
int
server_open(struct server_file *file, const char *in, struct err *err)
{
	char name[] = "/tmp/caisson-test-XXXXXX";
	auto_fd int writer = -1;
	int fd;

	ck_assert_str_eq(in, "/here");
	if (strcmp(happens(file), "unopenable") == 0) {
		file->fault = SERVER_FAULT_UNTRUSTED;
		return err_set(err, "cannot be opened today");
	}
	if (strcmp(happens(file), "nowhere") == 0) {
		file->fault = SERVER_FAULT_GONE;
		return err_set(err, "leads nowhere");
	}
	writer = mkstemp(name);
	ck_assert_int_eq(ftruncate(writer, happens(file)[0]), 0);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	unlink(name);
	file->opened = 1;
	file->size = happens(file)[0];
	clock_gettime(CLOCK_REALTIME, &file->changed);
	file->changed.tv_sec -= since;
	file->ino = strstr(file->path, "same") != NULL ? 1 : next_number++;
	return fd;
}

size_t
server_open_most(const struct server_source *source)
{
	return source->project ? 1000 : 2000;
}

void
server_sources_free(struct server_file_list *files)
{
	struct server_file *file;

	while ((file = TAILQ_FIRST(files)) != NULL) {
		TAILQ_REMOVE(files, file, entry);
		free(file->path);
		free(file->why);
		free(file);
	}
}

void
server_judge(struct servers *list, struct server *server)
{
	(void)list;
	(void)server;
	judged++;
}

int
server_judge_is_stranger(
    const struct servers *list, const struct server_file *file)
{
	(void)list;
	(void)file;
	return 0;
}

unsigned int
identity_relay(void)
{
	return 0;
}

/* The reader */

static void
play_send(int fd, enum ipc_type type, void *msg)
{
	static struct ipc_packet packet;

	if (ipc_encode(type, msg, &packet, NULL) == -1 ||
	    ipc_socket_send(fd, &packet, NULL) == -1)
		_exit(9);
}

static void
play_server(int fd, const char *name)
{
	struct ipc_entry row = { .line = 1, .column = 1, .name = name,
		.command = "c", .cwd = "", .description = "" };

	play_send(fd, IPC_ENTRY, &row);
}

static void
play_rejected(int fd, const char *name)
{
	struct ipc_rejected row = { .line = 1, .column = 1, .name = name,
		.reason = "wrong" };

	play_send(fd, IPC_REJECTED, &row);
}

/* A row in which nothing is left out. */
static void
play_whole(int fd, uint64_t remote)
{
	struct ipc_entry row = { .line = 7, .column = 9, .remote = remote,
		.disabled = 1, .name = "whole", .command = "c", .cwd = "/cwd",
		.description = "about", .narrowed = 1,
		.args = { (const uint8_t *)"a\0b", 4 },
		.env = { (const uint8_t *)"N\0v", 4 },
		.allow = { (const uint8_t *)"x", 2 },
		.deny = { (const uint8_t *)"yy", 3 } };

	play_send(fd, IPC_ENTRY, &row);
}

/* Each letter is one kind of file. */
static void
play_file(int fd, char letter)
{
	struct ipc_end_of_file end = { .parsed = strchr("re", letter) == NULL };

	if (strchr("gdnxk", letter) != NULL)
		play_server(fd, "s");
	if (letter == 'r' || letter == 'w')
		play_rejected(fd, "");
	if (letter == 'm')
		play_rejected(fd, "entry");
	if (letter == 'a') {
		play_whole(fd, 0);
		play_whole(fd, 1);
		play_rejected(fd, "bad");
	}
	if (letter == 'd' || (letter == 'k' && started == 1)) /* dies */
		_exit(0);
	if (letter == 'n' && write(fd, "nonsense", 8) != 8)
		_exit(9);
	if (letter == 'x')
		pause();
	play_send(fd, IPC_END_OF_FILE, &end);
}

static void __attribute__((noreturn))
play(int fd)
{
	static struct ipc_packet packet;
	union ipc_any msg;
	enum ipc_type type;
	struct stat st;

	while (ipc_socket_receive(fd, &packet, NULL) == 1) {
		if (ipc_decode(&packet, &type, &msg, NULL) == -1 ||
		    type != IPC_READ_FILE ||
		    strcmp(msg.read_file.folder, "/here") != 0 ||
		    (msg.read_file.most != 1000 &&
		        msg.read_file.most != 2000) ||
		    fstat(msg.read_file.file, &st) == -1)
			_exit(9);
		ipc_message_close(type, &msg);
		play_file(fd, (char)st.st_size);
	}
	_exit(0);
}

int
spawn_worker(enum role role, unsigned long number, unsigned int uid,
    int group, int channel, int *pidfd, struct err *err)
{
	pid_t pid;

	(void)number;
	(void)uid;
	ck_assert_int_eq(role, ROLE_READER);
	ck_assert_int_eq(group, -1);
	if (strcmp(script[0], "1unspawnable") == 0)
		return err_set(err, "no reader today");
	started++;
	pid = fork();
	if (pid == 0)
		play(channel);
	*pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	return 0;
}

static void
on_done(void *ctx)
{
	ended++;
	event_base_loopexit(ctx, NULL);
}

static struct {
	const char *files[6];
	int readers;
	const char *result; /* state of each file, then the entries */
} const plays[] = {
	{ { NULL }, 0, "" },
	{ { "1good" }, 1, "good 1; s" },
	{ { "1good", "1good", "1good" }, 1, "good 1; good 1; good 1; s s s" },
	{ { "1good", "2good" }, 2, "good 1; good 1; s s" },
	{ { "1empty" }, 1, "empty 1;" },
	{ { "1mixed" }, 1, "mixed 1; entry" },
	{ { "1rejected", "1good" }, 1,
	    "rejected 4 is not a configuration of servers; good 1;  s" },
	{ { "1unopenable", "1good" }, 1,
	    "unopenable 4 cannot be opened today; good 1; s" },
	/* A reader that is killed is started again, once for each file. */
	{ { "1good", "1dies", "1good" }, 3,
	    "good 1; dies 4 the reader exited while it read this; good 1; "
	    "s s" },
	{ { "1killed", "1good" }, 2, "killed 1; good 1; s s" },
	{ { "3dies" }, 2, "dies 4 the reader exited while it read this;" },
	{ { "1nonsense", "2good" }, 2,
	    "nonsense 4 protocol violation by the reader: message number "
	    "1936617326 is unknown; good 1; s" },
	{ { "1x", "1good" }, 2,
	    "x 4 it could not be read within 5 s; good 1; s" },
	/* A project's file never stands for one of the user's. */
	{ { "1gsame", "2gsame" }, 1,
	    "gsame 1; gsame 3 is the same file as gsame; s" },
	{ { "1gsame", "3gsame" }, 1,
	    "gsame 1; gsame 3 is the same file as gsame; s" },
	{ { "3gsame", "1gsame" }, 2, "gsame 1; gsame 1; s s" },
	{ { "1unspawnable" }, 0, "unspawnable 4 no reader today;" },
};

static char *
told(const struct servers *list)
{
	const struct server_file *file;
	const struct server *server;
	struct buffer out = { 0 };

	buffer_add_text(&out, "");
	TAILQ_FOREACH (file, &list->files, entry)
		buffer_printf(&out, "%s%s %d%s%s;", out.len > 0 ? " " : "",
		    file->path, (int)file->state, file->why ? " " : "",
		    file->why ? file->why : "");
	TAILQ_FOREACH (server, &list->list, entry)
		buffer_printf(&out, " %s", server->name);
	return buffer_take(&out, NULL);
}

static uint64_t
tell_time(void)
{
	return now;
}

START_TEST(plays_out)
{
	struct event_base *base = loop_new(0);
	struct servers_setup setup = { .base = base, .folder = "/here",
		.clock = tell_time };
	auto_free char *text = NULL;
	int fds;

	signal(SIGPIPE, SIG_IGN);
	reaper_init(base);
	fds = unit_open_fds();
	script = plays[_i].files;
	servers_read(&servers, &setup, NULL, on_done, base);
	event_base_dispatch(base);
	ck_assert_int_eq(ended, 1);
	text = told(&servers);
	ck_assert_str_eq(text, plays[_i].result);
	ck_assert_int_eq(started, plays[_i].readers);
	ck_assert_uint_eq((size_t)judged, servers.count);
	ck_assert_ptr_null(servers.reader);
	servers_free(&servers);
	reaper_finish(5000);
	/* But for pidfds of readers that were being reaped. */
	ck_assert_int_le(unit_open_fds(), fds + started);
}
END_TEST

/* What was in force, and still is where files cannot be read */

static struct event_base *loop;

/* Reads the files of a script, after those of an earlier reading. */
static void
read_after(struct servers *list, const char *const *files,
    const struct servers *before)
{
	struct servers_setup setup = { .base = loop, .folder = "/here",
		.clock = tell_time };

	script = files;
	servers_read(list, &setup, before, on_done, loop);
	event_base_dispatch(loop);
	ck_assert_ptr_null(list->before);
}

/* What is there first, what then, and what is in force so many ms later. */
static const struct {
	const char *first[5], *then[5];
	unsigned int ms;
	const char *result;
} keeps[] = {
	/* For a moment, and not for longer: missing, or a link to nowhere */
	{ { "1x:g" }, { "1x:missing" }, CONFIG_KEPT_MS - 1,
	    "x 5 there is no such file; s" },
	{ { "1x:g" }, { "1x:missing" }, CONFIG_KEPT_MS,
	    "x 2 there is no such file;" },
	{ { "1x:g" }, { "1x:nowhere" }, CONFIG_KEPT_MS - 1,
	    "x 5 leads nowhere; s" },
	{ { "1x:g" }, { "1x:nowhere" }, CONFIG_KEPT_MS,
	    "x 4 leads nowhere;" },
	/* Files of a folder that are not found any more, in their places */
	{ { "1a:g", "1b:m", "1c:g" }, { "1b:m" }, 0,
	    "a 5 there is no such file; b 1; c 5 there is no such file; "
	    "s entry s" },
	{ { "1a:g", "1b:m", "2c:g" }, { "1a:g", "2c:g" }, 0,
	    "a 1; b 5 there is no such file; c 1; s entry s" },
	{ { "1a:g", "1b:m", "2c:g" }, { "1a:g", "2c:g" }, CONFIG_KEPT_MS,
	    "a 1; b 2 there is no such file; c 1; s s" },
	{ { "1a:g", "1b:m" }, { "1:missing" }, 0,
	    " 2 there is no such file; a 5 there is no such file; "
	    "b 5 there is no such file; s entry" },
	/* For ever: empty, half written, killing its readers */
	{ { "1x:g" }, { "1x:e" }, 100 * CONFIG_KEPT_MS, "x 5 is empty; s" },
	{ { "1x:m" }, { "1x:r" }, 100 * CONFIG_KEPT_MS,
	    "x 5 line 1, column 1: wrong; entry" },
	{ { "1x:g" }, { "1x:d" }, 100 * CONFIG_KEPT_MS,
	    "x 5 the reader exited while it read this; s" },
	{ { "1x:g" }, { "1x:n" }, 0, "x 5 protocol violation by the reader: "
	    "message number 1936617326 is unknown; s" },
	/* What it says counts at once, be it nothing or wrong. */
	{ { "1x:g" }, { "1x:m" }, 0, "x 1; entry" },
	{ { "1x:g" }, { "1x:o" }, 0, "x 1;" },
	{ { "1x:g" }, { "1x:w" }, 0,
	    "x 4 is not a configuration of servers; " },
	/* So does a file that others may write. */
	{ { "1x:g" }, { "1x:unopenable" }, 0,
	    "x 4 cannot be opened today;" },
	/* Nothing is kept of a file that had nothing. */
	{ { "1x:e" }, { "1x:e" }, 0, "x 1;" },
	{ { "1x:o" }, { "1x:r" }, 0,
	    "x 4 is not a configuration of servers; " },
	{ { "1x:r" }, { "1x:e" }, 0, "x 1;" },
	/* Of another source, a file of that name is another one. */
	{ { "1x:g", "2y:g" }, { "1y:r", "2:missing" }, 0,
	    "x 5 there is no such file; y 4 is not a configuration of "
	    "servers;  2 there is no such file; y 5 there is no such file; "
	    "s  s" },
};

START_TEST(keeps_what_files_said)
{
	struct servers lists[3];
	auto_free char *text = NULL;

	signal(SIGPIPE, SIG_IGN);
	loop = loop_new(0);
	reaper_init(loop);
	read_after(&lists[0], keeps[_i].first, NULL);
	read_after(&lists[1], keeps[_i].then, &lists[0]);
	servers_free(&lists[0]);
	now += keeps[_i].ms;
	read_after(&lists[2], keeps[_i].then, &lists[1]);
	servers_free(&lists[1]);
	text = told(&lists[2]);
	ck_assert_str_eq(text, keeps[_i].result);
	ck_assert_int_eq(ended, 3);
	servers_free(&lists[2]);
	reaper_finish(5000);
}
END_TEST

static void
check_texts(const struct server_texts *one, const struct server_texts *other)
{
	ck_assert_uint_eq(one->len, other->len);
	if (one->len > 0)
		ck_assert_mem_eq(one->data, other->data, one->len);
}

static void
check_text(const char *one, const char *other)
{
	ck_assert_int_eq(one == NULL, other == NULL);
	if (one != NULL)
		ck_assert_str_eq(one, other);
}

/* An entry is kept as it was; its state is decided again. */
START_TEST(keeps_all_of_an_entry)
{
	static const char *const whole[] = { "1x:a", NULL };
	static const char *const gone[] = { "1x:missing", NULL };
	const struct server *one, *other;
	struct servers before, after;
	size_t n = 0;

	loop = loop_new(0);
	reaper_init(loop);
	read_after(&before, whole, NULL);
	read_after(&after, gone, &before);
	other = TAILQ_FIRST(&after.list);
	TAILQ_FOREACH (one, &before.list, entry) {
		ck_assert_ptr_eq(other->file, TAILQ_FIRST(&after.files));
		ck_assert_uint_eq(other->line, one->line);
		ck_assert_uint_eq(other->column, one->column);
		ck_assert_int_eq(other->state, one->state);
		ck_assert_int_eq(other->remote, one->remote);
		ck_assert_int_eq(other->disabled, one->disabled);
		ck_assert_int_eq(other->narrowed, one->narrowed);
		check_text(other->why, one->why);
		check_text(other->name, one->name);
		check_text(other->command, one->command);
		check_text(other->url, one->url);
		check_text(other->cwd, one->cwd);
		check_text(other->description, one->description);
		check_texts(&other->args, &one->args);
		check_texts(&other->env, &one->env);
		check_texts(&other->headers, &one->headers);
		check_texts(&other->allow, &one->allow);
		check_texts(&other->deny, &one->deny);
		other = TAILQ_NEXT(other, entry);
		n++;
	}
	ck_assert_ptr_null(other);
	ck_assert_uint_eq(n, 3);
	servers_free(&before);
	servers_free(&after);
	reaper_finish(5000);
}
END_TEST

/* The file is read for the first time long after it was broken, or went. */
START_TEST(the_time_begins_with_the_fault)
{
	static const char *const first[] = { "1x:g", "1/usr/none/x:g", NULL };
	static const char *const then[] = { "1x:r", "1/usr/none/x:missing",
		NULL };
	const struct server_file *file;
	struct servers before, after;

	loop = loop_new(0);
	reaper_init(loop);
	read_after(&before, first, NULL);
	since = 7;
	read_after(&after, then, &before);
	file = TAILQ_FIRST(&after.files);
	ck_assert_int_eq(file->state, SERVER_FILE_KEPT);
	ck_assert_int_eq(server_keep_is_over(file, now), 1);
	ck_assert_uint_eq(server_keep_due(&after, now), UINT64_MAX);
	file = TAILQ_NEXT(file, entry);
	ck_assert_int_eq(file->state, SERVER_FILE_MISSING);
	servers_free(&before);
	servers_free(&after);
	reaper_finish(5000);
}
END_TEST

/* Another fault has a time of its own, the same one has not. */
START_TEST(each_fault_has_its_time)
{
	static const char *const good[] = { "1x:g", NULL };
	static const char *const broken[] = { "1x:r", NULL };
	static const char *const gone[] = { "1x:missing", NULL };
	const struct server_file *file;
	struct servers lists[4];
	uint64_t began = now;
	int i;

	loop = loop_new(0);
	reaper_init(loop);
	read_after(&lists[0], good, NULL);
	read_after(&lists[1], broken, &lists[0]);
	now += 1500;
	read_after(&lists[2], broken, &lists[1]);
	file = TAILQ_FIRST(&lists[2].files);
	ck_assert_uint_le(file->since, began);
	ck_assert_uint_gt(file->since + 1000, began);
	ck_assert_uint_eq(
	    server_keep_due(&lists[2], now), file->since + CONFIG_KEPT_MS);
	ck_assert_int_eq(
	    server_keep_is_over(file, file->since + CONFIG_KEPT_MS - 1), 0);
	ck_assert_int_eq(
	    server_keep_is_over(file, file->since + CONFIG_KEPT_MS), 1);
	read_after(&lists[3], gone, &lists[2]);
	file = TAILQ_FIRST(&lists[3].files);
	ck_assert_int_eq(file->state, SERVER_FILE_KEPT);
	ck_assert_uint_eq(file->since, now);
	for (i = 0; i < 4; i++)
		servers_free(&lists[i]);
	reaper_finish(5000);
}
END_TEST

START_TEST(entries_are_counted)
{
	struct server *server;
	struct servers list = { .count = CONFIG_SERVERS_MAX };

	TAILQ_INIT(&list.files);
	TAILQ_INIT(&list.list);
	server = server_rows_add(&list, NULL, 1, 1, "a");
	list.strangers = 1;
	server_rows_bound(&list, server);
	ck_assert_int_eq(server->state, SERVER_TAKEN);
	list.strangers = 0;
	server_rows_bound(&list, server);
	ck_assert_int_eq(server->state, SERVER_REJECTED);
	ck_assert_str_eq(
	    server->why, "more than 1000 servers in all files together");
	servers_free(&list);
}
END_TEST

static void
add_tests(TCase *tc)
{
	tcase_add_loop_test(tc, plays_out, 0, UNIT_COUNT(plays));
	tcase_add_loop_test(tc, keeps_what_files_said, 0, UNIT_COUNT(keeps));
	tcase_add_test(tc, keeps_all_of_an_entry);
	tcase_add_test(tc, the_time_begins_with_the_fault);
	tcase_add_test(tc, each_fault_has_its_time);
	tcase_add_test(tc, entries_are_counted);
}

int
main(void)
{
	worker_init(supervisor_routes());
	return unit_run("servers", add_tests);
}
