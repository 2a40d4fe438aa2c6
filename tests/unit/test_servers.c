/*
 * Tests of supervisor/servers: files go to a reader one after the other, a
 * reader for each source, and whatever a reader does costs at most the file
 * that it had. The reader is played by a child of the test; what files there
 * are is given, and judging is left out.
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

/* The files: source and path; what the reader does is the path. */
static const char *const *script;

static int started; /* readers */
static ino_t next_number = 2;
static int judged;
static int ended;
static struct servers servers;

/* In the place of the other files of the supervisor */

void
server_sources_find(
    struct server_file_list *files, char **envp, const char *folder)
{
	size_t i;

	(void)envp;
	(void)folder;
	for (i = 0; script[i] != NULL; i++) {
		struct server_file *file = mem_alloc(sizeof(*file));

		file->source = &sources[script[i][0] - '1'];
		file->path = mem_strdup(script[i] + 1);
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
	if (strcmp(file->path, "unopenable") == 0)
		return err_set(err, "cannot be opened today");
	writer = mkstemp(name);
	ck_assert_int_eq(ftruncate(writer, file->path[0]), 0);
	fd = open(name, O_RDONLY | O_CLOEXEC);
	unlink(name);
	file->opened = 1;
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
	struct ipc_server row = { .line = 1, .column = 1, .name = name,
		.command = "c", .cwd = "", .description = "" };

	play_send(fd, IPC_SERVER, &row);
}

static void
play_rejected(int fd, const char *name)
{
	struct ipc_rejected row = { .line = 1, .column = 1, .name = name,
		.reason = "wrong" };

	play_send(fd, IPC_REJECTED, &row);
}

/* Each letter is one kind of file. */
static void
play_file(int fd, char letter)
{
	struct ipc_end_of_file end = { 0 };

	if (strchr("gdnx", letter) != NULL)
		play_server(fd, "s");
	if (letter == 'r')
		play_rejected(fd, "");
	if (letter == 'm')
		play_rejected(fd, "entry");
	if (letter == 'd') /* dies */
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
	{ { "1good", "1dies", "1good" }, 2,
	    "good 1; dies 4 the reader died while it read this; good 1; "
	    "s s" },
	{ { "1nonsense", "2good" }, 2,
	    "nonsense 4 the reader talks nonsense: message number 1936617326 "
	    "is unknown; good 1; s" },
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
told(void)
{
	const struct server_file *file;
	const struct server *server;
	struct buffer out = { 0 };

	buffer_add_text(&out, "");
	TAILQ_FOREACH (file, &servers.files, entry)
		buffer_printf(&out, "%s%s %d%s%s;", out.len > 0 ? " " : "",
		    file->path, (int)file->state, file->why ? " " : "",
		    file->why ? file->why : "");
	TAILQ_FOREACH (server, &servers.list, entry)
		buffer_printf(&out, " %s", server->name);
	return buffer_take(&out, NULL);
}

START_TEST(plays_out)
{
	struct event_base *base = loop_new(0);
	struct servers_setup setup = { .base = base, .folder = "/here" };
	auto_free char *text = NULL;
	int fds;

	signal(SIGPIPE, SIG_IGN);
	reaper_init(base);
	fds = unit_open_fds();
	script = plays[_i].files;
	servers_read(&servers, &setup, on_done, base);
	event_base_dispatch(base);
	ck_assert_int_eq(ended, 1);
	text = told();
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

static void
add_tests(TCase *tc)
{
	tcase_add_loop_test(tc, plays_out, 0, UNIT_COUNT(plays));
}

int
main(void)
{
	return unit_run("servers", add_tests);
}
