/*
 * Tests of supervisor/call and box: the state machines, with the test as the
 * relay, as the box and as its processes. Whatever happens in whatever order,
 * a call is concluded once, with the right words, and leaves nothing behind:
 * every test counts descriptors and children. Times are long, or short where
 * that is the matter of a test.
 */
#include "common/clock.h"
/*
 * The linker takes ours in the place of these (--wrap): who opens sessions and
 * connects to the store, who starts launchers, who has boxes that wait, and
 * which servers there are.
 */
#define broker_open_session __wrap_broker_open_session
#define launcher_start __wrap_launcher_start
#define store_connect __wrap_store_connect
#define pool_take __wrap_pool_take
#define pool_wake __wrap_pool_wake
#define in_force_count __wrap_in_force_count
#define in_force_at __wrap_in_force_at
#define in_force_find __wrap_in_force_find
#define in_force_has_program __wrap_in_force_has_program
#define in_force_notes __wrap_in_force_notes
#define in_force_servers __wrap_in_force_servers

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/box_step.h"
#include "common/fd.h"
#include "common/ipc_socket.h"
#include "common/limits.h"
#include "common/loop.h"
#include "common/mem.h"
#include "common/utf8.h"
#include "supervisor/box/box.h"
#include "supervisor/box/cgroup.h"
#include "supervisor/handlers.h"
#include "supervisor/peers/broker.h"
#include "supervisor/peers/store.h"
#include "supervisor/process/process.h"
#include "supervisor/run/pool.h"
#include "supervisor/run/run.h"
#include "supervisor/servers/in_force.h"
#include "supervisor/supervisor.h"
#include "unit.h"

/* What a call may take that names no other time. */
#define CALL_SECONDS 30

#define PLAYS_MAX 16
#define BOXES_MAX 64

/* One execution, as the workers and the client of the call see it. */
struct play {
	struct call *call;
	/* What the test holds of the workers. */
	pid_t pids[ROLES];
	int channels[ROLES];
	int stuck; /* the channel of the box outlives its launcher */
	int told_ready; /* the relay has said so */
	pid_t init, code;
	int code_line; /* a byte through it ends the code */
	int init_line; /* the same for init */
	int group;     /* of the box: stands for a descriptor; 0: none */
	/* What was concluded. */
	unsigned int concluded;
	struct call_result result;
	char *servers; /* of the result */
	int bound; /* the result said why */
	int weak;      /* as the result was */
};

static struct supervisor sv = {
	.boxes.times = { 100000, 100000, 10 },
	.runs.times = { 1, 1 },
};
static struct play plays[PLAYS_MAX]; /* by number, from 1 */
static struct play *boxes[BOXES_MAX]; /* who has this box, by its number */
static enum role unspawnable;         /* ROLES: every role can be started */
static struct server_texts asked;    /* the servers of the next calls */
static struct server_texts loaded;   /* those of the last session */
static const char *sessions_refused; /* why there are none */
static const char *store_refused;    /* the same */
static unsigned int idles;
static int fds_before;

/* Processes */

static int
is_gone(pid_t pid)
{
	return kill(pid, 0) == -1 && errno == ESRCH;
}

static int
open_pidfd(pid_t pid)
{
	return (int)syscall(SYS_pidfd_open, pid, 0);
}

/* What it does: waits to be killed, or to be told how to end. */
static void __attribute__((noreturn))
be_process(int line)
{
	unsigned char end[2];

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(BOX_GUARD_END, SIG_DFL); /* Check's own */
	dup2(line, STDIN_FILENO);
	close_range(STDERR_FILENO + 1, ~0U, 0);
	while (line == -1 || read(STDIN_FILENO, end, 2) != 2)
		pause();
	if (end[0] == 's') {
		signal(end[1], SIG_DFL);
		raise(end[1]);
	}
	_exit(end[1]);
}

/* Returns when it has none of our descriptors any more. */
static pid_t
make_process(int line)
{
	int sync[2];
	pid_t pid;
	char c;

	ck_assert_int_eq(pipe2(sync, O_CLOEXEC), 0);
	pid = fork();
	ck_assert_int_ne(pid, -1);
	if (pid == 0)
		be_process(line);
	close(sync[1]);
	ck_assert_int_eq(read(sync[0], &c, 1), 0);
	close(sync[0]);
	return pid;
}

/* The play of the call that this box is started for. */
static struct play *
play_of(unsigned long number)
{
	ck_assert_uint_lt(number, BOXES_MAX);
	if (boxes[number] == NULL)
		boxes[number] = &plays[sv.runs.last];
	return boxes[number];
}

/* In the place of spawn.c: the worker is a process, its channel is ours. */
int
spawn_worker(enum role role, unsigned long number, unsigned int uid,
    int group, int channel, int *pidfd, struct err *err)
{
	struct play *play = play_of(number);

	ck_assert_uint_eq(uid, (role == ROLE_RELAY ? identity_relay() : 0));
	ck_assert_int_eq(group,
	    role == ROLE_BOX && play->group != 0 ? play->group : -1);
	if (role == unspawnable)
		return err_set(err, "no %s today", role_info(role)->name);
	/* A box in the place of one that is of no use any more. */
	fd_close(&play->channels[role]);
	play->told_ready = 0;
	play->pids[role] = make_process(-1);
	play->channels[role] = fcntl(channel, F_DUPFD_CLOEXEC, 3);
	*pidfd = open_pidfd(play->pids[role]);
	return 0;
}

/* In the place of launcher.c: a template may be asked that has just died. */

static int dying_template;

struct channel *
launcher_start(struct boxes *owner, const struct channel_ends *ends,
    unsigned long number, int own, const struct group *group, int *pidfd,
    struct err *err)
{
	int pair[2];

	if (own || !dying_template)
		return worker_start(owner->base, ends, number, 0,
		    group_fd(group), pidfd, err);
	ck_assert_int_eq(
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	close(pair[1]);
	*pidfd = -1;
	return channel_new(owner->base, &pair[0], ends);
}

/* In the place of group.c: what groups were asked for, and what they tell. */

struct group {
	struct play *play;
};

static struct group_usage usage;
static int ungroupable, unreadable; /* no group can be had; be read */
static unsigned int group_kills, group_frees;

struct group *
group_new(struct cgroup *cg, unsigned long number, struct err *err)
{
	struct group *group;

	ck_assert_ptr_eq(cg, sv.boxes.cgroup);
	if (ungroupable) {
		err_set(err, "no group today");
		return NULL;
	}
	group = mem_alloc(sizeof(*group));
	group->play = play_of(number);
	group->play->group = (int)number + 1000;
	return group;
}

int
group_fd(const struct group *group)
{
	return group == NULL ? -1 : group->play->group;
}

void
group_kill(struct group *group)
{
	group_kills += group != NULL;
}

int
group_read(
    const struct group *group, struct group_usage *used, struct err *err)
{
	ck_assert_ptr_nonnull(group);
	*used = usage;
	return unreadable ? err_set(err, "cannot be read") : 0;
}

void
group_free(struct group **group)
{
	group_frees += *group != NULL;
	free(mem_take(group));
}

int
keeper_start(unsigned long number, const struct spawn_program *program,
    int *pidfd, struct err *err)
{
	ck_abort_msg("no server is started here");
}

/* In the place of broker.c: the other end of a session is ours. */
int
broker_open_session(struct broker *broker, uint64_t execution,
    const struct server_texts *names, struct err *err)
{
	int pair[2];

	ck_assert_ptr_null(broker);
	if (sessions_refused != NULL)
		return err_set(err, "%s", sessions_refused);
	ck_assert_int_eq(socketpair(AF_UNIX,
	    SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair), 0);
	free(loaded.data);
	loaded = (struct server_texts){ mem_dup(names->data, names->len),
		names->len };
	plays[execution].channels[ROLE_BROKER] = pair[0];
	return pair[1];
}

/* In the place of store.c: the other end of the channel is ours. */
int
store_connect(struct store *store, uint64_t execution, struct err *err)
{
	int pair[2];

	ck_assert_ptr_eq(store, (struct store *)(void *)&sv);
	if (store_refused != NULL)
		return err_set(err, "%s", store_refused);
	ck_assert_int_eq(socketpair(AF_UNIX,
	    SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair), 0);
	plays[execution].channels[ROLE_STORE] = pair[0];
	return pair[1];
}

/* In the place of pool.c: one box, and when it is asked to look for more. */

static struct box *waiting_box;
static unsigned int wakes;

struct box *
pool_take(struct pool *pool)
{
	ck_assert_ptr_null(pool);
	return mem_take(&waiting_box);
}

void
pool_wake(struct pool *pool)
{
	ck_assert_ptr_null(pool);
	wakes++;
}

/* The channel of a worker ends with it. */
static void
tend(void)
{
	struct play *play;
	enum role role;

	for (play = plays; play < plays + PLAYS_MAX; play++)
		for (role = 0; role < ROLES; role++)
			if (play->pids[role] > 0 &&
			    is_gone(play->pids[role]) &&
			    !(role == ROLE_BOX && play->stuck))
				fd_close(&play->channels[role]);
}

/* Lets everything happen that can happen at once. */
static void
settle(void)
{
	int n;

	for (n = 0; n < 8; n++) {
		event_base_loop(sv.base, EVLOOP_NONBLOCK);
		tend();
	}
}

static void
wait_until_concluded(const struct play *play)
{
	while (play->concluded == 0) {
		event_base_loop(sv.base, EVLOOP_ONCE);
		tend();
	}
	settle();
}

static void
wait_until_gone(pid_t pid)
{
	while (!is_gone(pid)) {
		event_base_loop(sv.base, EVLOOP_ONCE);
		tend();
	}
}

/* The servers in force */

static struct server offered[] = {
	{ .name = (char *)"fs", .alias = (char *)"fs",
	    .description = (char *)"Files", .program = (char *)"/bin/fs" },
	{ .name = (char *)"git-hub", .alias = (char *)"git_hub",
	    .description = (char *)"", .program = (char *)"/bin/gh" },
};
static size_t noffered; /* so many of them are there */
static struct servers no_files;

size_t
in_force_count(const struct in_force *config)
{
	return noffered;
}

const struct server *
in_force_at(const struct in_force *config, size_t i)
{
	ck_assert_uint_lt(i, noffered);
	return &offered[i];
}

const struct server *
in_force_find(const struct in_force *config, const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < noffered; i++)
		if (strlen(offered[i].name) == len &&
		    memcmp(offered[i].name, name, len) == 0)
			return &offered[i];
	return NULL;
}

int
in_force_has_program(struct in_force *config, const struct server *server)
{
	return server->program != NULL;
}

char *
in_force_notes(const struct in_force *config, size_t *len)
{
	*len = 0;
	return NULL;
}

const struct servers *
in_force_servers(const struct in_force *config)
{
	return &no_files;
}

static void
offer_servers(void)
{
	noffered = UNIT_COUNT(offered);
}

/* The stage */

static void
on_idle(void *ctx)
{
	ck_assert_ptr_eq(ctx, &idles);
	idles++;
}

static void
open_stage(void)
{
	const struct rlimit none = { 0, 0 };
	struct play *play;
	enum role role;
	struct err err;

	ck_assert_int_eq(identity_init("/dev/null", &err), 0);
	setrlimit(RLIMIT_CORE, &none);
	fds_before = unit_open_fds();
	for (play = plays; play < plays + PLAYS_MAX; play++) {
		for (role = 0; role < ROLES; role++)
			play->channels[role] = -1;
		play->code_line = play->init_line = -1;
	}
	unspawnable = ROLES;
	sv.base = sv.boxes.base = loop_new(0);
	sv.boxes.options = &sv.options;
	runs_init(&sv.runs, &sv.boxes);
	reaper_init(sv.base);
	TAILQ_INIT(&no_files.list);
	TAILQ_INIT(&no_files.files);
	sv.boxes.runtime = runtime_find("native");
	sv.runs.idle = on_idle;
	sv.runs.idle_ctx = &idles;
	sv.options.max_concurrent = 4;
	sv.options.queue = 4;
	sv.options.queue_timeout = 10;
	sv.options.max_output = 65536;
	sv.options.memory = 512 * MIB;
	sv.options.pids = 128;
	sv.options.python = (char *)"/usr/bin/python3";
}

static void
forget_play(struct play *play)
{
	enum role role;

	for (role = 0; role < ROLES; role++)
		fd_close(&play->channels[role]);
	fd_close(&play->code_line);
	fd_close(&play->init_line);
	free(play->result.error);
	free(play->result.out.data);
	free(play->result.errors.data);
	free(mem_take(&play->servers));
}

/* Nothing may be left: no call, no child, no descriptor. */
static void
close_stage(void)
{
	siginfo_t si;
	struct play *play;

	ck_assert_uint_eq(sv.runs.nrunning + sv.runs.nwaiting, 0);
	ck_assert(TAILQ_EMPTY(&sv.runs.running));
	ck_assert(TAILQ_EMPTY(&sv.runs.waiting));
	ck_assert_uint_ge(idles, 1);
	while (waitid(P_ALL, 0, &si, WEXITED | WNOHANG | WNOWAIT) != -1) {
		event_base_loop(sv.base, EVLOOP_ONCE);
		tend();
	}
	for (play = plays; play < plays + PLAYS_MAX; play++)
		forget_play(play);
	reaper_finish(1); /* there is nobody left */
	free(mem_take(&loaded.data));
	event_base_free(sv.base);
	ck_assert_int_eq(unit_open_fds(), fds_before);
}

/* The client's side */

static struct call_stream
copy_stream(const struct call_stream *stream)
{
	struct call_stream copy = *stream;

	copy.data = mem_dup(stream->data, stream->len);
	return copy;
}

static void
on_concluded(void *ctx, const struct call_result *result)
{
	struct play *play = ctx;

	play->concluded++;
	ck_assert_uint_eq(play->concluded, 1);
	ck_assert_int_eq(result->error == NULL,
	    result->status == CALL_SUCCESS);
	play->result = *result;
	play->weak = result->weak != NULL;
	play->bound = result->bound != NULL;
	play->result.error = mem_strdup(result->error);
	play->result.out = copy_stream(&result->out);
	play->result.errors = copy_stream(&result->errors);
	play->servers = mem_dup(result->servers, result->servers_len);
	play->call = NULL;
}

/* Returns the play of a new call, NULL with err when it is refused. */
static struct play *
try_call(unsigned int timeout, struct err *err)
{
	struct play *play = &plays[sv.runs.calls + 1];
	struct request run = { .code = mem_strdup("print('hi')"),
		.code_len = 11,
		.timeout = timeout,
		.servers = mem_dup(asked.data, asked.len),
		.servers_len = asked.len };

	play->call = call_new(&sv.runs, &run, on_concluded, play, err);
	ck_assert_ptr_null(run.code);
	ck_assert_ptr_null(run.servers);
	ck_assert_uint_eq(play->concluded, 0); /* never before */
	return play->call == NULL ? NULL : play;
}

static struct play *
new_call(void)
{
	struct play *play;
	struct err err = { 0, "" };

	play = try_call(CALL_SECONDS, &err);
	ck_assert_msg(play != NULL, "%s", err.text);
	return play;
}

static void
was_concluded(const struct play *play, enum call_status status,
    const char *error)
{
	ck_assert_uint_eq(play->concluded, 1);
	ck_assert_msg(play->result.status == status, "status %d, error %s",
	    play->result.status, play->result.error);
	if (error == NULL)
		ck_assert_ptr_null(play->result.error);
	else
		ck_assert_str_eq(play->result.error, error);
}

static void
printed(const struct play *play, const char *out, const char *errors)
{
	ck_assert_str_eq(play->result.out.data, out);
	ck_assert_str_eq(play->result.errors.data, errors);
}

/* The workers' side */

static struct ipc_packet packet;

/* What a worker was sent; its descriptors belong to msg. */
static void
receive(struct play *play, enum role role, enum ipc_type wanted,
    union ipc_any *msg)
{
	enum ipc_type type;
	struct err err = { 0, "the end" };

	if (ipc_socket_receive(play->channels[role], &packet, &err) != 1 ||
	    ipc_decode(&packet, &type, msg, &err) == -1)
		ck_abort_msg("%s: %s", ipc_message(wanted)->name, err.text);
	ck_assert_int_eq(type, wanted);
}

static void
send_as(struct play *play, enum role role, enum ipc_type type, void *msg)
{
	struct err err;

	if (ipc_encode(type, msg, &packet, &err) == -1 ||
	    ipc_socket_send(play->channels[role], &packet, &err) == -1)
		ck_abort_msg("%s", err.text);
	ipc_packet_close(&packet);
}

/* A relay that has been prepared gets code. */
static void
receive_start(struct play *play, union ipc_any *msg)
{
	receive(play, ROLE_RELAY, IPC_START, msg);
	ck_assert_int_eq(
	    msg->start.session != -1, noffered > 0);
}

/* Both workers take what they were sent. */
static void
take_requests(struct play *play)
{
	union ipc_any msg;

	receive(play, ROLE_BOX, IPC_SETUP, &msg);
	ipc_message_close(IPC_SETUP, &msg);
	receive(play, ROLE_RELAY, IPC_PREPARE, &msg);
	ipc_message_close(IPC_PREPARE, &msg);
	receive_start(play, &msg);
	ipc_message_close(IPC_START, &msg);
}

/* A call whose workers have what they need. */
static struct play *
start_call(void)
{
	struct play *play = new_call();

	take_requests(play);
	return play;
}

/* Makes a process that a byte through the line ends. */
static pid_t
make_ending_process(int *line)
{
	int ends[2];
	pid_t pid;

	fd_close(line);
	ck_assert_int_eq(pipe2(ends, O_CLOEXEC), 0);
	pid = make_process(ends[0]);
	close(ends[0]);
	*line = ends[1];
	return pid;
}

/* Says who the processes of the box are. */
static void
box_starts(struct play *play)
{
	struct ipc_started started = { .landlock = 6,
		.bound = "/usr: no",
		.proc = 1,
		.watchdog = 1,
		.unnamed = 1 };

	play->init = make_ending_process(&play->init_line);
	play->code = make_ending_process(&play->code_line);
	started.init = open_pidfd(play->init);
	started.code = open_pidfd(play->code);
	send_as(play, ROLE_BOX, IPC_STARTED, &started);
}

static void relay_runs(struct play *play);

/* The same at the weaker level: there is a guard, which ends as the code. */
static void
guard_stands(struct play *play)
{
	struct ipc_guarded guarded = { .landlock = 6,
		.step = BOX_STEP_USER_NAMESPACE,
		.reason = "unshare: no" };
	union ipc_any msg;

	play->code = make_ending_process(&play->code_line);
	guarded.guard = open_pidfd(play->code);
	send_as(play, ROLE_BOX, IPC_GUARDED, &guarded);
	settle();
	receive(play, ROLE_BOX, IPC_ADOPTED, &msg);
	relay_runs(play);
	settle();
}

/* The box stands: its processes were adopted. */
static void
box_stands(struct play *play)
{
	union ipc_any msg;

	box_starts(play);
	settle();
	receive(play, ROLE_BOX, IPC_ADOPTED, &msg);
}

/* The interpreter runs: nobody holds the channel of the box any more. */
static void
box_lets_go(struct play *play)
{
	fd_close(&play->channels[ROLE_BOX]);
	/* The launcher ends by itself. */
	if (!is_gone(play->pids[ROLE_BOX]))
		kill(play->pids[ROLE_BOX], SIGKILL);
}

static void
box_fails(struct play *play, const char *reason)
{
	struct ipc_failed failed = { .step = BOX_STEP_SECCOMP,
		.reason = reason };

	send_as(play, ROLE_BOX, IPC_FAILED, &failed);
}

static void
relay_runs(struct play *play)
{
	struct ipc_ready ready = { 0 };
	struct ipc_running running = { 0 };

	if (!play->told_ready)
		send_as(play, ROLE_RELAY, IPC_READY, &ready);
	play->told_ready = 1;
	send_as(play, ROLE_RELAY, IPC_RUNNING, &running);
}

static void
relay_faults(struct play *play)
{
	struct ipc_fault fault = { .reason = "a frame without a type" };

	send_as(play, ROLE_RELAY, IPC_FAULT, &fault);
}

static void
relay_is_done(struct play *play)
{
	struct ipc_done done = { .out = { (const uint8_t *)"hi\n", 3, -1 },
		.out_head = 3,
		.errors = { (const uint8_t *)"oops\n", 5, -1 },
		.errors_head = 5,
		.tool_calls = 3 };

	send_as(play, ROLE_RELAY, IPC_DONE, &done);
}

/* The box cannot be built, as there were only too many processes. */
static void
box_fails_for_now(struct play *play)
{
	struct ipc_failed failed = { .step = BOX_STEP_PROCESSES,
		.reason = "fork: no room",
		.passing = 1 };

	send_as(play, ROLE_BOX, IPC_FAILED, &failed);
	settle();
	relay_is_done(play);
}

static void
relay_dies(struct play *play)
{
	fd_close(&play->channels[ROLE_RELAY]);
	kill(play->pids[ROLE_RELAY], SIGKILL);
}

/* The code ends by itself; waits until that was seen. */
static void
code_ends(struct play *play, char how, int number)
{
	const char end[2] = { how, (char)number };

	ck_assert_int_eq(write(play->code_line, end, 2), 2);
	wait_until_gone(play->code);
	settle();
}

/* The box stands and its code runs. */
static void
run_box(struct play *play)
{
	box_stands(play);
	box_lets_go(play);
	relay_runs(play);
	settle();
}

/* A call whose code runs. */
static struct play *
run_call(void)
{
	struct play *play = start_call();

	run_box(play);
	return play;
}

/* After a kill: the pipes of the box are closed, so the relay concludes. */
static void
box_was_killed(struct play *play)
{
	wait_until_gone(play->code);
	wait_until_gone(play->init);
	ck_assert_uint_eq(play->concluded, 0); /* the output is missing */
	relay_is_done(play);
	wait_until_concluded(play);
}

static void
send_garbage(struct play *play, enum role role)
{
	packet.len = 3;
	packet.nfds = 0;
	ck_assert_int_eq(
	    ipc_socket_send(play->channels[role], &packet, NULL), 0);
}

static uint64_t
now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* Success */

static void
code_exits(struct play *play)
{
	code_ends(play, 'x', 0);
}

/* The code ends by itself, and all is said. */
static void
end_well(struct play *play)
{
	code_exits(play);
	relay_is_done(play);
	settle();
	was_concluded(play, CALL_SUCCESS, NULL);
}

/* What ends a call: it is concluded when all of them have happened. */
static void (*const end_events[3])(struct play *play) = {
	code_exits,
	relay_is_done,
	box_lets_go,
};
static const int end_orders[6][3] = { { 0, 1, 2 }, { 0, 2, 1 }, { 1, 0, 2 },
	{ 1, 2, 0 }, { 2, 0, 1 }, { 2, 1, 0 } };

START_TEST(succeeds_in_every_order)
{
	struct play *play;
	int n;

	open_stage();
	play = start_call();
	play->stuck = 1; /* until the box lets go */
	box_stands(play);
	relay_runs(play);
	settle();
	for (n = 0; n < 3; n++) {
		ck_assert_uint_eq(play->concluded, 0);
		end_events[end_orders[_i][n]](play);
		settle();
	}
	was_concluded(play, CALL_SUCCESS, NULL);
	printed(play, "hi\n", "oops\n");
	ck_assert_int_eq(play->result.exited, 1);
	ck_assert_int_eq(play->result.exit_code, 0);
	ck_assert_int_eq(play->result.boxed, 1);
	ck_assert_uint_eq(play->result.landlock, 6);
	ck_assert_int_eq(play->result.proc, 1);
	ck_assert_uint_eq(play->result.tool_calls, 3);
	ck_assert_int_eq(play->bound, 1);
	ck_assert_int_eq(play->result.watchdog, 1);
	ck_assert_int_eq(play->result.unnamed, 1);
	ck_assert_uint_eq(idles, 1);
	close_stage();
}
END_TEST

/* The two channels are two: what crosses which depends on nothing. */
START_TEST(the_code_may_run_before_the_box_is_known)
{
	struct play *play;

	open_stage();
	play = start_call();
	relay_runs(play);
	settle();
	box_stands(play);
	box_lets_go(play);
	end_well(play);
	close_stage();
}
END_TEST

START_TEST(a_relay_may_leave_when_it_is_done)
{
	struct play *play;

	open_stage();
	play = run_call();
	relay_is_done(play);
	settle();
	relay_dies(play);
	wait_until_gone(play->pids[ROLE_RELAY]);
	settle();
	ck_assert_uint_eq(play->concluded, 0);
	code_exits(play);
	was_concluded(play, CALL_SUCCESS, NULL);
	close_stage();
}
END_TEST

/* Somebody has a pipe of the code yet: not for long. */
START_TEST(what_the_code_leaves_is_killed)
{
	struct play *play;

	open_stage();
	play = run_call();
	code_exits(play);
	box_was_killed(play);
	was_concluded(play, CALL_SUCCESS, NULL);
	close_stage();
}
END_TEST

/* Nobody has: the answer does not wait for the end of the box. */
START_TEST(a_box_that_is_left_is_ended_later)
{
	struct play *play;

	sv.boxes.times.leavings = 100000;
	open_stage();
	play = run_call();
	code_exits(play);
	ck_assert_uint_eq(play->concluded, 0);
	ck_assert_int_eq(is_gone(play->init), 0);
	relay_is_done(play);
	wait_until_concluded(play);
	was_concluded(play, CALL_SUCCESS, NULL);
	wait_until_gone(play->init);
	close_stage();
}
END_TEST

/* Whose end of a pipe waits, and whose does not. */
static void
is_nonblocking(int relay_end, int box_end)
{
	ck_assert_int_ne(fcntl(relay_end, F_GETFL) & O_NONBLOCK, 0);
	ck_assert_int_eq(fcntl(box_end, F_GETFL) & O_NONBLOCK, 0);
}

/* Who has which end of the four pipes, and what else they are told. */
static void
is_pipe(int read_end, int write_end)
{
	char c = 0;

	ck_assert_int_eq(write(write_end, "x", 1), 1);
	ck_assert_int_eq(read(read_end, &c, 1), 1);
	ck_assert_int_eq(c, 'x');
}

START_TEST(workers_are_joined_by_pipes)
{
	union ipc_any setup, prepare, start;
	auto_free char *code = NULL;
	struct play *play;
	struct err err;

	open_stage();
	play = new_call();
	receive(play, ROLE_BOX, IPC_SETUP, &setup);
	receive(play, ROLE_RELAY, IPC_PREPARE, &prepare);
	is_pipe(setup.setup.control_in, prepare.prepare.control_out);
	is_pipe(prepare.prepare.control_in, setup.setup.control_out);
	is_pipe(prepare.prepare.out, setup.setup.out);
	is_pipe(prepare.prepare.errors, setup.setup.errors);
	/* The relay may not change flags: its ends come as it needs them. */
	is_nonblocking(prepare.prepare.control_out, setup.setup.control_in);
	is_nonblocking(prepare.prepare.control_in, setup.setup.control_out);
	is_nonblocking(prepare.prepare.out, setup.setup.out);
	is_nonblocking(prepare.prepare.errors, setup.setup.errors);
	ck_assert_uint_eq(prepare.prepare.output_max, 65536);
	ipc_message_close(IPC_SETUP, &setup);
	ipc_message_close(IPC_PREPARE, &prepare);
	receive(play, ROLE_RELAY, IPC_START, &start);
	ck_assert_uint_eq(start.start.execution, 1);
	ipc_message_close(IPC_START, &start);
	call_cancel(play->call, "enough");
	relay_is_done(play);
	wait_until_concluded(play);
	/* Another one, for its code. */
	play = new_call();
	receive(play, ROLE_RELAY, IPC_PREPARE, &prepare);
	ipc_message_close(IPC_PREPARE, &prepare);
	receive(play, ROLE_RELAY, IPC_START, &start);
	code = ipc_blob_copy(&start.start.code, &err);
	ck_assert_str_eq(code, "print('hi')");
	ipc_message_close(IPC_START, &start);
	call_cancel(play->call, "enough");
	relay_is_done(play);
	wait_until_concluded(play);
	close_stage();
}
END_TEST

/* Cgroups */

static void
open_stage_with_cgroup(void)
{
	open_stage();
	sv.boxes.cgroup = (struct cgroup *)(void *)&idles;
}

START_TEST(a_group_tells_what_all_of_the_box_used)
{
	struct play *play;

	open_stage_with_cgroup();
	usage = (struct group_usage){ 7654321, 1234567, 0 };
	play = run_call();
	ck_assert_uint_eq(group_kills, 0);
	code_ends(play, 'e', 0);
	ck_assert_uint_ge(group_kills, 1); /* what it has left behind */
	relay_is_done(play);
	wait_until_concluded(play);
	was_concluded(play, CALL_SUCCESS, NULL);
	ck_assert_int_eq(play->result.grouped, 1);
	ck_assert_uint_eq(play->result.cpu_us, 7654321);
	ck_assert_uint_eq(play->result.peak_kib, 1234567);
	ck_assert_uint_eq(group_frees, 1);
	close_stage();
}
END_TEST

/* A group that tells nothing costs nothing but what it would have told. */
START_TEST(without_its_word_the_code_counts)
{
	struct play *play;

	open_stage_with_cgroup();
	usage = (struct group_usage){ 5, 0, _i };
	unreadable = _i;
	play = run_call();
	code_ends(play, 's', SIGKILL);
	relay_is_done(play);
	wait_until_concluded(play);
	was_concluded(play, CALL_ERROR, "Sandbox was killed by SIGKILL");
	ck_assert_uint_gt(play->result.peak_kib, 0);
	close_stage();
}
END_TEST

static const struct {
	char how;
	int number;
	uint64_t memory;
	const char *error;
} shortages[] = {
	{ 's', SIGKILL, 512 * MIB, "Sandbox ran out of memory (limit 512 "
	    "MiB): keep less at a time, or raise MCP_BRIDGE_MEMORY" },
	{ 's', SIGKILL, 16 * MIB + 1, "Sandbox ran out of memory (limit "
	    "16777217 bytes): keep less at a time, or raise "
	    "MCP_BRIDGE_MEMORY" },
	/* That was not the kernel. */
	{ 's', SIGTERM, 512 * MIB, "Sandbox was killed by SIGTERM" },
	{ 'e', 137, 512 * MIB, "Sandbox exited with code 137" },
};

START_TEST(a_box_out_of_memory_is_told)
{
	struct play *play;

	open_stage_with_cgroup();
	sv.options.memory = shortages[_i].memory;
	usage = (struct group_usage){ 5, 6, 1 };
	play = run_call();
	code_ends(play, shortages[_i].how, shortages[_i].number);
	relay_is_done(play);
	wait_until_concluded(play);
	was_concluded(play, CALL_ERROR, shortages[_i].error);
	ck_assert_int_eq(play->result.signal,
	    shortages[_i].number == SIGTERM ? SIGTERM : 0);
	close_stage();
}
END_TEST

START_TEST(no_group_no_box)
{
	struct play *play;

	open_stage_with_cgroup();
	ungroupable = 1;
	play = new_call();
	wait_until_concluded(play);
	was_concluded(play, CALL_ERROR,
	    "the box cannot be started: no group today");
	ck_assert_int_eq(play->pids[ROLE_BOX], 0);
	close_stage();
}
END_TEST

/* Sessions */

/* What the relay is told of servers. Returns its session, or -1. */
static int
is_told(struct play *play, const char *servers)
{
	auto_free char *told = NULL;
	union ipc_any start;
	struct err err;
	int session;

	receive(play, ROLE_RELAY, IPC_START, &start);
	told = ipc_blob_copy(&start.start.servers, &err);
	ck_assert_str_eq(told, servers);
	session = fd_take(&start.start.session);
	ipc_message_close(IPC_START, &start);
	return session;
}

static const struct {
	struct server_texts asked;
	const char *told;
} loads[] = {
	{ { (char *)"", 0 }, "[]" },
	{ { (char *)"fs", 3 },
	    "[{\"name\":\"fs\",\"alias\":\"fs\",\"description\":\"Files\"}]" },
	{ { (char *)"git-hub\0fs", 11 },
	    "[{\"name\":\"git-hub\",\"alias\":\"git_hub\",\"description\":"
	    "\"\"},{\"name\":\"fs\",\"alias\":\"fs\",\"description\":"
	    "\"Files\"}]" },
};

START_TEST(a_relay_has_a_session)
{
	auto_fd int session = -1;
	union ipc_any prepare;
	struct play *play;
	char byte = 0;

	open_stage();
	offer_servers();
	asked = loads[_i].asked;
	play = new_call();
	receive(play, ROLE_RELAY, IPC_PREPARE, &prepare);
	ipc_message_close(IPC_PREPARE, &prepare);
	session = is_told(play, loads[_i].told);
	ck_assert_int_ne(fcntl(session, F_GETFL) & O_NONBLOCK, 0);
	ck_assert_uint_eq(loaded.len, asked.len);
	ck_assert_mem_eq(loaded.data, asked.data, asked.len);
	/* The other end is who opened it. */
	ck_assert_int_eq(
	    send(play->channels[ROLE_BROKER], "x", 1, MSG_NOSIGNAL), 1);
	ck_assert_int_eq(recv(session, &byte, 1, 0), 1);
	fd_close(&session);
	relay_dies(play);
	wait_until_concluded(play);
	ck_assert_mem_eq(play->servers, asked.data, asked.len);
	close_stage();
}
END_TEST

/* There is no session; the broker is not even started. */
START_TEST(without_servers_there_is_nobody)
{
	union ipc_any prepare;
	struct play *play;

	open_stage();
	sessions_refused = "nobody may ask";
	play = new_call();
	receive(play, ROLE_RELAY, IPC_PREPARE, &prepare);
	ipc_message_close(IPC_PREPARE, &prepare);
	ck_assert_int_eq(is_told(play, "[]"), -1);
	relay_dies(play);
	wait_until_concluded(play);
	close_stage();
}
END_TEST

START_TEST(a_session_that_cannot_be_had)
{
	struct play *play;

	open_stage();
	offer_servers();
	sessions_refused = "no broker today";
	play = new_call();
	wait_until_concluded(play);
	was_concluded(
	    play, CALL_ERROR, "the box cannot be started: no broker today");
	ck_assert_int_eq(play->pids[ROLE_RELAY], 0);
	close_stage();
}
END_TEST

/* What it was to load is no longer configured when its turn comes. */
START_TEST(a_call_may_lose_a_server_while_it_waits)
{
	struct play *first, *second;

	open_stage();
	offer_servers();
	sv.options.max_concurrent = 1;
	first = start_call();
	asked = loads[2].asked;
	second = new_call();
	noffered = 1;
	relay_dies(first);
	wait_until_concluded(first);
	wait_until_concluded(second);
	was_concluded(second, CALL_ERROR, "the box cannot be started: unknown "
	    "server \"git-hub\": configured: \"fs\"");
	ck_assert_int_eq(second->pids[ROLE_BOX], 0);
	close_stage();
}
END_TEST

/*
 * The supervisor keeps no descriptor through which a byte of the code could
 * reach it: two channels, two pidfds and the file of counts while a box is
 * built, then a channel, three pidfds and that file.
 */
START_TEST(nothing_of_the_box_is_kept)
{
	struct play *play;
	int before;

	open_stage();
	before = unit_open_fds();
	play = start_call();
	/* Two ends of channels are the test's. */
	ck_assert_int_eq(unit_open_fds(), before + 5 + 2);
	box_stands(play);
	box_lets_go(play);
	wait_until_gone(play->pids[ROLE_BOX]);
	settle();
	/* Our ends of a channel, and of the lines to both processes. */
	ck_assert_int_eq(unit_open_fds(), before + 5 + 3);
	relay_runs(play);
	end_well(play);
	close_stage();
}
END_TEST

START_TEST(what_the_code_used_is_told)
{
	struct play *play;

	open_stage();
	play = run_call();
	code_exits(play);
	relay_is_done(play);
	settle();
	ck_assert_uint_gt(play->result.duration_us, 0);
	ck_assert_uint_lt(play->result.duration_us, 60000000);
	ck_assert_uint_gt(play->result.peak_kib, 0);
	close_stage();
}
END_TEST

/* Ends of the code */

static const struct {
	char how;
	int number, ran;
	const char *error;
	int exited, exit_code, signal;
} code_endings[] = {
	{ 'x', 0, 1, NULL, 1, 0, 0 },
	{ 'x', 1, 1, "Sandbox exited with code 1", 1, 1, 0 },
	{ 'x', 137, 1, "Sandbox exited with code 137", 1, 137, 0 },
	{ 's', SIGKILL, 1, "Sandbox was killed by SIGKILL", 0, 0, SIGKILL },
	{ 's', SIGABRT, 1, "Sandbox was killed by SIGABRT", 0, 0, SIGABRT },
	{ 's', 34, 1, "Sandbox was killed by SIGRTMIN", 0, 0, 34 },
	{ 's', 64, 1, "Sandbox was killed by SIGRTMIN+30", 0, 0, 64 },
	/* Before it took the code: not the code's fault. */
	{ 'x', 0, 0, "/usr/bin/python3 ended with code 0 before it took the "
	    "code: is it a Python 3 interpreter (MCP_BRIDGE_PYTHON)?", 1, 0,
	    0 },
	{ 'x', 127, 0, "/usr/bin/python3 ended with code 127 before it took "
	    "the code: is it a Python 3 interpreter (MCP_BRIDGE_PYTHON)?", 1,
	    127, 0 },
	{ 's', SIGSEGV, 0, "/usr/bin/python3 was killed by SIGSEGV before it "
	    "took the code", 0, 0, SIGSEGV },
};

START_TEST(tells_how_the_code_ended)
{
	struct play *play;

	open_stage();
	play = start_call();
	box_stands(play);
	box_lets_go(play);
	if (code_endings[_i].ran)
		relay_runs(play);
	settle();
	code_ends(play, code_endings[_i].how, code_endings[_i].number);
	/* What it left behind ends with it. */
	wait_until_gone(play->init);
	ck_assert_uint_eq(play->concluded, 0);
	relay_is_done(play);
	settle();
	was_concluded(play, code_endings[_i].error == NULL ? CALL_SUCCESS :
	    CALL_ERROR, code_endings[_i].error);
	printed(play, "hi\n", "oops\n");
	ck_assert_int_eq(play->result.exited, code_endings[_i].exited);
	ck_assert_int_eq(play->result.exit_code, code_endings[_i].exit_code);
	ck_assert_int_eq(play->result.signal, code_endings[_i].signal);
	close_stage();
}
END_TEST

/*
 * Ends of the box by its init, which says why. The supervisor hears of the two
 * processes in the order in which they end.
 */

#define OUT_OF_MEMORY                                                          \
	"Sandbox ran out of memory (limit 512 MiB): keep less at a time, or "  \
	"raise MCP_BRIDGE_MEMORY"

static const struct {
	char how; /* the end of the code */
	int number, init, ran;
	enum call_status status;
	const char *error;
	int signal;
} init_endings[] = {
	{ 's', SIGKILL, BOX_EXIT_MEMORY, 1, CALL_ERROR, OUT_OF_MEMORY, 0 },
	{ 's', SIGKILL, BOX_EXIT_MEMORY, 0, CALL_ERROR, OUT_OF_MEMORY, 0 },
	{ 's', SIGKILL, BOX_EXIT_BLIND, 1, CALL_ERROR,
	    "Sandbox was ended: its memory could not be watched", 0 },
	{ 's', SIGKILL, BOX_EXIT_LOOSE, 1, CALL_ERROR,
	    "Sandbox was ended: its memory could not be watched, "
	    "because its processes could not be stopped: do not send SIGCONT "
	    "all the time", 0 },
	{ 's', SIGKILL, 1, 1, CALL_ERROR, "Sandbox was killed by SIGKILL",
	    SIGKILL },
	/* The code was faster. */
	{ 'x', 0, BOX_EXIT_MEMORY, 1, CALL_SUCCESS, NULL, 0 },
	{ 'x', 3, BOX_EXIT_MEMORY, 1, CALL_ERROR,
	    "Sandbox exited with code 3", 0 },
	{ 's', SIGSEGV, BOX_EXIT_MEMORY, 1, CALL_ERROR,
	    "Sandbox was killed by SIGSEGV", SIGSEGV },
};

/* Ends a process; the supervisor does not hear of it yet. */
static void
end_unheard(pid_t pid, int line, char how, int number)
{
	const char end[2] = { how, (char)number };
	siginfo_t si;

	ck_assert_int_eq(write(line, end, 2), 2);
	ck_assert_int_eq(
	    waitid(P_PID, (id_t)pid, &si, WEXITED | WNOWAIT), 0);
}

static void
end_box(struct play *play, int n, int init_first)
{
	if (init_first)
		end_unheard(play->init, play->init_line, 'x',
		    init_endings[n].init);
	end_unheard(play->code, play->code_line, init_endings[n].how,
	    init_endings[n].number);
	if (!init_first)
		end_unheard(play->init, play->init_line, 'x',
		    init_endings[n].init);
	settle();
	ck_assert_uint_eq(play->concluded, 0); /* the output is missing */
}

START_TEST(tells_why_init_ended_the_box)
{
	int n = _i / 2;
	struct play *play;

	open_stage();
	play = start_call();
	box_stands(play);
	box_lets_go(play);
	if (init_endings[n].ran)
		relay_runs(play);
	settle();
	end_box(play, n, _i % 2);
	relay_is_done(play);
	settle();
	was_concluded(play, init_endings[n].status, init_endings[n].error);
	printed(play, "hi\n", "oops\n");
	ck_assert_int_eq(play->result.signal, init_endings[n].signal);
	close_stage();
}
END_TEST

/* What killed the code is known when init has ended, and not before. */
START_TEST(a_killed_code_waits_for_its_init)
{
	struct play *play;

	open_stage();
	play = run_call();
	kill(play->init, SIGSTOP);
	relay_is_done(play);
	end_unheard(play->code, play->code_line, 's', SIGKILL);
	event_base_loop(sv.base, EVLOOP_NONBLOCK);
	wait_until_concluded(play);
	ck_assert(is_gone(play->init));
	was_concluded(play, CALL_ERROR, "Sandbox was killed by SIGKILL");
	ck_assert_int_eq(play->result.signal, SIGKILL);
	close_stage();
}
END_TEST

/* Failures of the start: each is told once, after call_new. */

START_TEST(a_box_that_cannot_be_started)
{
	struct play *play;

	open_stage();
	unspawnable = ROLE_BOX;
	play = new_call();
	wait_until_concluded(play);
	was_concluded(
	    play, CALL_ERROR, "the box cannot be started: no box today");
	ck_assert_int_eq(play->result.boxed, 0);
	close_stage();
}
END_TEST

START_TEST(a_relay_that_cannot_be_started)
{
	uint64_t began = now_ms();
	struct play *play;

	open_stage();
	unspawnable = ROLE_RELAY;
	play = new_call();
	wait_until_concluded(play);
	was_concluded(
	    play, CALL_ERROR, "the box cannot be started: no relay today");
	ck_assert_uint_lt(now_ms() - began, BOX_DRAIN_MS);
	close_stage();
}
END_TEST

/* No request reaches the box: it is ended, and nobody waits for its relay. */
START_TEST(a_box_that_cannot_be_asked)
{
	uint64_t began = now_ms();
	struct play *play;

	open_stage();
	sv.options.python = (char *)"/usr/bin/python\xff";
	play = new_call();
	wait_until_concluded(play);
	was_concluded(play, CALL_ERROR, "the box cannot be started: message "
	    "setup: python is not UTF-8");
	ck_assert_uint_lt(now_ms() - began, BOX_DRAIN_MS);
	close_stage();
}
END_TEST

START_TEST(a_relay_that_cannot_be_asked)
{
	uint64_t began = now_ms();
	struct play *play;

	open_stage();
	sv.options.max_output = 10;
	play = new_call();
	wait_until_concluded(play);
	was_concluded(play, CALL_ERROR, "the box cannot be started: message "
	    "prepare: output_max is 10, not 1024 to 16777216");
	ck_assert_uint_lt(now_ms() - began, BOX_DRAIN_MS);
	close_stage();
}
END_TEST

/* Every descriptor on the way may be the one too many. */
START_TEST(descriptors_that_run_out)
{
	struct rlimit limit, all;
	struct play *play;
	int extra;

	open_stage();
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &all), 0);
	for (extra = 0; extra < 10; extra++) {
		limit = all;
		limit.rlim_cur = (rlim_t)(dup(0) + extra);
		close((int)limit.rlim_cur - extra);
		ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
		play = new_call();
		ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &all), 0);
		wait_until_concluded(play);
		ck_assert_int_eq(play->result.status, CALL_ERROR);
		ck_assert_ptr_nonnull(strstr(play->result.error,
		    "the box cannot be started: make a "));
	}
	close_stage();
}
END_TEST

/* The weaker level */

START_TEST(a_guard_that_ends_as_the_code)
{
	struct play *play;

	if (_i == 1)
		open_stage_with_cgroup();
	else
		open_stage();
	play = start_call();
	guard_stands(play);
	code_exits(play);
	settle();
	box_lets_go(play);
	relay_is_done(play);
	wait_until_concluded(play);
	was_concluded(play, CALL_SUCCESS, NULL);
	ck_assert_int_eq(play->result.boxed, 1);
	ck_assert_uint_eq(play->result.landlock, 6);
	ck_assert_int_eq(play->result.proc, 0);
	ck_assert_int_eq(play->weak, 1);
	ck_assert_int_eq(play->result.grouped, _i);
	close_stage();
}
END_TEST

/* It has others to kill: it gets the signal that says so, and not SIGKILL. */
START_TEST(a_guard_that_must_end)
{
	struct play *play;
	siginfo_t si;

	open_stage();
	play = start_call();
	guard_stands(play);
	box_lets_go(play);
	call_cancel(play->call, "enough");
	ck_assert_int_eq(waitid(P_PID, (id_t)play->code, &si,
	    WEXITED | WNOWAIT), 0);
	ck_assert_int_eq(si.si_status, BOX_GUARD_END);
	settle();
	relay_is_done(play);
	wait_until_concluded(play);
	was_concluded(play, CALL_CANCELLED, "enough");
	close_stage();
}
END_TEST

START_TEST(a_box_that_names_a_foreign_guard)
{
	struct ipc_guarded guarded = { .landlock = 6, .reason = "no" };
	struct play *play;

	open_stage();
	play = start_call();
	guarded.guard = open_pidfd(getppid());
	send_as(play, ROLE_BOX, IPC_GUARDED, &guarded);
	settle();
	relay_is_done(play);
	box_lets_go(play);
	wait_until_concluded(play);
	was_concluded(play, CALL_ERROR, "protocol violation by the box: this "
	    "process is no child of ours: No child processes");
	ck_assert_int_eq(play->result.boxed, 0);
	close_stage();
}
END_TEST

/* Failures of the box */

START_TEST(a_box_that_cannot_be_built)
{
	struct play *play;

	open_stage();
	play = start_call();
	box_fails(play, "prctl: Invalid argument");
	relay_is_done(play);
	wait_until_concluded(play);
	was_concluded(play, CALL_ERROR, "the box cannot be built: could not "
	    "apply the system call filter (prctl: Invalid argument); the "
	    "kernel needs CONFIG_SECCOMP_FILTER");
	ck_assert_int_eq(play->result.boxed, 0);
	close_stage();
}
END_TEST

START_TEST(an_interpreter_that_cannot_be_started)
{
	struct play *play;

	open_stage();
	play = start_call();
	box_stands(play);
	settle();
	box_fails(play, "execve: No such file or directory");
	settle();
	box_was_killed(play);
	ck_assert_int_eq(play->result.status, CALL_ERROR);
	ck_assert_ptr_nonnull(strstr(play->result.error,
	    "the box cannot be built: could not apply the system call filter "
	    "(execve: No such file or directory)"));
	ck_assert_int_eq(play->result.signal, 0); /* that was us */
	close_stage();
}
END_TEST

START_TEST(a_box_that_ends_without_a_word)
{
	struct play *play;

	open_stage();
	play = start_call();
	box_lets_go(play);
	settle();
	ck_assert_uint_eq(play->concluded, 0);
	relay_is_done(play);
	wait_until_concluded(play);
	was_concluded(play, CALL_ERROR, "the box ended before it stood");
	printed(play, "hi\n", "oops\n");
	close_stage();
}
END_TEST

/* It said who its processes are and is gone: nobody could end them. */
START_TEST(a_box_that_cannot_be_adopted)
{
	struct play *play;

	open_stage();
	play = start_call();
	box_starts(play);
	fd_close(&play->channels[ROLE_BOX]);
	settle();
	wait_until_gone(play->code);
	wait_until_gone(play->init);
	relay_is_done(play);
	wait_until_concluded(play);
	was_concluded(play, CALL_ERROR, "the box cannot be adopted: send a "
	    "packet: Broken pipe");
	close_stage();
}
END_TEST

START_TEST(a_box_that_talks_nonsense)
{
	struct play *play;

	open_stage();
	play = start_call();
	if (_i == 1)
		box_stands(play);
	settle();
	send_garbage(play, ROLE_BOX);
	settle();
	if (_i == 1) {
		box_was_killed(play);
	} else {
		wait_until_gone(play->pids[ROLE_BOX]);
		relay_is_done(play);
		wait_until_concluded(play);
	}
	was_concluded(play, CALL_ERROR,
	    "protocol violation by the box: a packet of 3 bytes");
	close_stage();
}
END_TEST

/* Processes that are not ours are not accepted, let alone killed. */
START_TEST(a_box_that_names_strangers)
{
	struct ipc_started started = { .bound = "" };
	struct play *play;
	pid_t child;

	open_stage();
	play = start_call();
	child = make_process(-1);
	started.init = open_pidfd(_i == 0 ? getppid() : child);
	started.code = open_pidfd(_i == 0 ? child : getppid());
	send_as(play, ROLE_BOX, IPC_STARTED, &started);
	settle();
	relay_is_done(play);
	wait_until_concluded(play);
	was_concluded(play, CALL_ERROR, "protocol violation by the box: this "
	    "process is no child of ours: No child processes");
	ck_assert_int_eq(kill(getppid(), 0), 0);
	kill(child, SIGKILL);
	close_stage();
}
END_TEST

/* One process under two names: how the code ended cannot be known. */
START_TEST(a_box_that_names_one_process_twice)
{
	struct ipc_started started = { .bound = "" };
	struct play *play;
	pid_t child;

	open_stage();
	play = start_call();
	child = make_process(-1);
	started.init = open_pidfd(child);
	started.code = open_pidfd(child);
	send_as(play, ROLE_BOX, IPC_STARTED, &started);
	settle();
	relay_runs(play);
	settle();
	kill(child, SIGKILL);
	wait_until_gone(child);
	relay_is_done(play);
	wait_until_concluded(play);
	ck_assert_int_eq(play->result.status, CALL_ERROR);
	close_stage();
}
END_TEST

START_TEST(a_box_that_is_not_ready_in_time)
{
	struct play *play;

	sv.boxes.times.start = 2000;
	open_stage();
	play = start_call();
	if (_i == 1) {
		box_stands(play);
		wait_until_gone(play->init);
		box_was_killed(play);
	} else {
		wait_until_gone(play->pids[ROLE_BOX]);
		relay_is_done(play);
		wait_until_concluded(play);
	}
	was_concluded(
	    play, CALL_ERROR, "the box was not ready within 2 s");
	close_stage();
}
END_TEST

/* Failures of the relay */

static void
check_relay_death(struct play *play)
{
	relay_dies(play);
	settle();
	wait_until_gone(play->pids[ROLE_RELAY]);
	wait_until_concluded(play);
	was_concluded(
	    play, CALL_ERROR, "the relay of this execution died");
	close_stage();
}

START_TEST(a_relay_that_dies_at_once)
{
	open_stage();
	check_relay_death(start_call());
}
END_TEST

START_TEST(a_relay_that_dies_with_a_box)
{
	struct play *play;

	open_stage();
	play = start_call();
	box_stands(play);
	settle();
	check_relay_death(play);
}
END_TEST

START_TEST(a_relay_that_dies_while_the_code_runs)
{
	open_stage();
	check_relay_death(run_call());
}
END_TEST

/* Its process is reaped before its end is noticed on the channel. */
START_TEST(a_relay_that_is_reaped_first)
{
	struct play *play;

	open_stage();
	play = run_call();
	play->stuck = 0;
	kill(play->pids[ROLE_RELAY], SIGKILL);
	while (!is_gone(play->pids[ROLE_RELAY]))
		event_base_loop(sv.base, EVLOOP_ONCE);
	ck_assert_uint_eq(play->concluded, 0);
	check_relay_death(play);
}
END_TEST

START_TEST(a_relay_that_dies_with_the_output)
{
	struct play *play;

	open_stage();
	play = run_call();
	code_exits(play);
	ck_assert_uint_eq(play->concluded, 0);
	check_relay_death(play);
}
END_TEST

START_TEST(a_relay_that_talks_nonsense)
{
	struct play *play;

	open_stage();
	play = run_call();
	if (_i == 0)
		send_garbage(play, ROLE_RELAY);
	else
		relay_runs(play); /* again */
	wait_until_concluded(play);
	was_concluded(play, CALL_ERROR, _i == 0 ?
	    "protocol violation by the relay: a packet of 3 bytes" :
	    "protocol violation by the relay: message running comes at the "
	    "wrong time");
	close_stage();
}
END_TEST

/* A cut that cannot be: nothing of it is believed. */
START_TEST(a_relay_that_lies_about_the_output)
{
	struct ipc_done done = { .out = { (const uint8_t *)"hi\n", 3, -1 },
		.out_head = 4,
		.out_dropped = 1 };
	struct play *play;

	open_stage();
	play = run_call();
	send_as(play, ROLE_RELAY, IPC_DONE, &done);
	wait_until_concluded(play);
	was_concluded(play, CALL_ERROR,
	    "protocol violation by the relay: a cut outside of the output");
	ck_assert_uint_eq(play->result.out.len, 0);
	close_stage();
}
END_TEST

/* A fault ends the box, and what it had printed is told. */
START_TEST(a_box_that_breaks_the_protocol)
{
	struct play *play;

	open_stage();
	play = _i == 0 ? run_call() : start_call();
	if (_i == 1) {
		box_stands(play);
		settle();
	}
	relay_faults(play);
	settle();
	box_was_killed(play);
	was_concluded(play, CALL_ERROR, "protocol violation by the code: a "
	    "frame without a type");
	printed(play, "hi\n", "oops\n");
	ck_assert_int_eq(play->result.signal, 0);
	close_stage();
}
END_TEST

/* The store */

static void
relay_wants_store(struct play *play)
{
	struct ipc_want_store want = { 0 };

	send_as(play, ROLE_RELAY, IPC_WANT_STORE, &want);
	settle();
}

/* Code may keep something: never looked into, store_connect() is ours. */
static void
offer_store(void)
{
	sv.runs.store = (struct store *)(void *)&sv;
	sv.options.memory_api = 1;
}

/* It gets channels, some, and the supervisor keeps none of their ends. */
START_TEST(the_store_is_handed_over)
{
	struct play *play;
	union ipc_any msg;
	char byte;
	int fds, n;

	open_stage();
	offer_store();
	play = run_call();
	wait_until_gone(play->pids[ROLE_BOX]);
	fds = unit_open_fds();
	for (n = 0; n < STORE_FETCHES_MAX; n++) {
		relay_wants_store(play);
		receive(play, ROLE_RELAY, IPC_STORE, &msg);
		ck_assert_int_eq(send(msg.store.store, "x", 1, 0), 1);
		ck_assert_int_eq(
		    recv(play->channels[ROLE_STORE], &byte, 1, 0), 1);
		fd_close(&msg.store.store);
		fd_close(&play->channels[ROLE_STORE]);
	}
	ck_assert_int_eq(unit_open_fds(), fds);
	relay_wants_store(play);
	box_was_killed(play);
	was_concluded(play, CALL_ERROR,
	    "protocol violation by the relay: it may not ask for the store");
	close_stage();
}
END_TEST

START_TEST(a_store_that_cannot_be_had)
{
	struct play *play;
	union ipc_any msg;

	open_stage();
	offer_store();
	store_refused = "the state directory is not ours";
	play = run_call();
	relay_wants_store(play);
	receive(play, ROLE_RELAY, IPC_STORE, &msg);
	ck_assert_int_eq(msg.store.store, -1);
	ck_assert_str_eq(msg.store.reason, store_refused);
	code_exits(play);
	relay_is_done(play);
	wait_until_concluded(play);
	was_concluded(play, CALL_SUCCESS, NULL);
	close_stage();
}
END_TEST

/* Whether a relay may ask is said at its start. */
START_TEST(a_store_that_is_switched_off)
{
	struct play *play;
	union ipc_any msg;

	open_stage();
	if (_i > 0)
		offer_store();
	sv.options.memory_api = _i == 1;
	play = new_call();
	receive(play, ROLE_BOX, IPC_SETUP, &msg);
	ipc_message_close(IPC_SETUP, &msg);
	receive(play, ROLE_RELAY, IPC_PREPARE, &msg);
	ipc_message_close(IPC_PREPARE, &msg);
	receive_start(play, &msg);
	ck_assert_uint_eq(msg.start.stored, _i == 1);
	ipc_message_close(IPC_START, &msg);
	run_box(play);
	if (_i == 1) {
		code_exits(play);
		relay_is_done(play);
		wait_until_concluded(play);
	} else {
		relay_wants_store(play);
		box_was_killed(play);
		was_concluded(play, CALL_ERROR, "protocol violation by the "
		    "relay: it may not ask for the store");
	}
	close_stage();
}
END_TEST

/* Nobody tells us the end: what is missing is given up. */
START_TEST(a_relay_that_never_drains)
{
	struct play *play;

	sv.boxes.times.drain = 1000;
	open_stage();
	play = run_call();
	code_exits(play);
	wait_until_concluded(play);
	was_concluded(
	    play, CALL_ERROR, "the box could not be ended in time");
	ck_assert_int_eq(play->result.exited, 1);
	close_stage();
}
END_TEST

START_TEST(a_box_that_never_lets_go)
{
	struct play *play;

	sv.boxes.times.drain = 1000;
	open_stage();
	play = start_call();
	play->stuck = 1;
	call_cancel(play->call, "enough");
	relay_is_done(play);
	wait_until_concluded(play);
	was_concluded(play, CALL_CANCELLED, "enough");
	close_stage();
}
END_TEST

/* Deadlines */

START_TEST(the_deadline_ends_the_code)
{
	uint64_t began;
	struct play *play;
	struct err err;

	open_stage();
	play = try_call(1, &err);
	ck_assert_ptr_nonnull(play);
	take_requests(play);
	box_stands(play);
	box_lets_go(play);
	settle();
	began = now_ms();
	relay_runs(play); /* from here on, not from the call */
	box_was_killed(play);
	ck_assert_uint_ge(now_ms() - began, 990);
	was_concluded(play, CALL_TIMEOUT, "Execution timed out after 1s");
	printed(play, "hi\n", "oops\n");
	ck_assert_uint_eq(play->result.timeout, 1);
	ck_assert_int_eq(play->result.exited, 0);
	ck_assert_int_eq(play->result.signal, 0); /* that was us: no news */
	close_stage();
}
END_TEST

/* Which nobody could tell otherwise. */
START_TEST(a_deadline_names_what_was_waited_for)
{
	struct ipc_done done = { .out_head = 0,
		.waiting = { (const uint8_t *)"fs.read (1 s)", 13 } };
	struct play *play;
	struct err err;

	open_stage();
	play = try_call(1, &err);
	ck_assert_ptr_nonnull(play);
	take_requests(play);
	box_stands(play);
	box_lets_go(play);
	relay_runs(play);
	send_as(play, ROLE_RELAY, IPC_DONE, &done);
	settle();
	wait_until_concluded(play);
	was_concluded(play, CALL_TIMEOUT,
	    "Execution timed out after 1s; it waited for fs.read (1 s)");
	close_stage();
}
END_TEST

/* It closed its streams and went on: the deadline still holds. */
START_TEST(the_deadline_ends_a_silent_code)
{
	struct play *play;
	struct err err;

	open_stage();
	play = try_call(3, &err);
	ck_assert_ptr_nonnull(play);
	take_requests(play);
	box_stands(play);
	box_lets_go(play);
	relay_runs(play);
	relay_is_done(play);
	settle();
	ck_assert_uint_eq(play->concluded, 0);
	wait_until_concluded(play);
	was_concluded(play, CALL_TIMEOUT, "Execution timed out after 3s");
	close_stage();
}
END_TEST

/* Cancels, in every state */

static struct play *
cancel_starting(void)
{
	return start_call();
}

static struct play *
cancel_standing(void)
{
	struct play *play = start_call();

	box_stands(play);
	settle();
	return play;
}

static struct play *
cancel_silent(void)
{
	struct play *play = run_call();

	relay_is_done(play);
	settle();
	return play;
}

static struct play *
cancel_ended(void)
{
	struct play *play = run_call();

	code_exits(play);
	return play;
}

static struct play *(*const cancel_states[])(void) = {
	new_call,
	cancel_starting,
	cancel_standing,
	run_call,
	cancel_silent,
	cancel_ended,
};

START_TEST(can_be_cancelled_in_every_state)
{
	struct play *play;

	open_stage();
	play = cancel_states[_i]();
	call_cancel(play->call, "enough");
	call_cancel(play->call, "again"); /* the first cause stands */
	ck_assert_uint_eq(play->concluded, 0); /* never under a caller */
	if (play->code > 0)
		wait_until_gone(play->code);
	if (play->concluded == 0 && cancel_states[_i] != cancel_silent)
		relay_is_done(play);
	wait_until_concluded(play);
	was_concluded(play, CALL_CANCELLED, "enough");
	ck_assert_int_eq(play->result.signal, 0);
	close_stage();
}
END_TEST

/* The box was built while it was told to end; or it is gone already. */
START_TEST(a_box_may_stand_too_late)
{
	struct play *play;

	open_stage();
	play = start_call();
	play->stuck = 1;
	call_cancel(play->call, "enough");
	settle();
	if (_i == 0)
		box_stands(play);
	else
		box_starts(play);
	box_lets_go(play);
	settle();
	box_was_killed(play);
	was_concluded(play, CALL_CANCELLED, "enough");
	close_stage();
}
END_TEST

/* So was its code: that does not give it more time. */
START_TEST(the_code_may_run_too_late)
{
	uint64_t began = now_ms();
	struct play *play;

	sv.boxes.times.drain = 1000;
	open_stage();
	play = start_call();
	call_cancel(play->call, "enough");
	relay_runs(play);
	wait_until_concluded(play); /* the relay never drains */
	was_concluded(play, CALL_CANCELLED, "enough");
	ck_assert_uint_lt(now_ms() - began, CALL_SECONDS * 1000 / 2);
	close_stage();
}
END_TEST

START_TEST(a_failure_is_not_a_cancel)
{
	struct play *play;

	open_stage();
	play = run_call();
	relay_faults(play);
	settle();
	call_cancel(play->call, "enough");
	box_was_killed(play);
	ck_assert_int_eq(play->result.status, CALL_ERROR);
	close_stage();
}
END_TEST

/* The queue */

START_TEST(calls_wait_for_their_turn)
{
	struct play *play[4];
	struct err err = { 0, "" };
	int n;

	open_stage();
	sv.options.max_concurrent = 2;
	sv.options.queue = 2;
	for (n = 0; n < 4; n++)
		play[n] = new_call();
	ck_assert_uint_eq(sv.runs.nrunning, 2);
	ck_assert_uint_eq(sv.runs.nwaiting, 2);
	ck_assert_ptr_null(try_call(30, &err));
	ck_assert_str_eq(err.text, "busy: 2 executions are running and 2 are "
	    "waiting; try again later, or raise MCP_BRIDGE_MAX_CONCURRENT or "
	    "MCP_BRIDGE_QUEUE");
	/* Nobody who waits has a process. */
	ck_assert_int_eq(play[2]->pids[ROLE_BOX] + play[3]->pids[ROLE_BOX], 0);
	for (n = 0; n < 4; n++) {
		take_requests(play[n]);
		box_stands(play[n]);
		box_lets_go(play[n]);
		relay_runs(play[n]);
		settle();
		code_exits(play[n]);
		relay_is_done(play[n]);
		settle();
		was_concluded(play[n], CALL_SUCCESS, NULL);
		ck_assert_uint_eq(idles, n == 3);
		/* The one that has waited longest is next, at once. */
		ck_assert_int_eq(n < 2 && play[n + 2]->pids[ROLE_BOX] == 0, 0);
	}
	close_stage();
}
END_TEST

START_TEST(calls_wait_only_so_long)
{
	struct play *first, *second;

	open_stage();
	sv.options.max_concurrent = 1;
	sv.options.queue_timeout = 1;
	first = run_call();
	second = new_call();
	wait_until_concluded(second);
	was_concluded(second, CALL_ERROR, "no place became free within 1s: 1 "
	    "executions are running (MCP_BRIDGE_MAX_CONCURRENT, "
	    "MCP_BRIDGE_QUEUE_TIMEOUT)");
	ck_assert_uint_eq(first->concluded, 0);
	ck_assert_uint_eq(idles, 0);
	code_exits(first);
	relay_is_done(first);
	settle();
	was_concluded(first, CALL_SUCCESS, NULL);
	close_stage();
}
END_TEST

/* Whoever gives up does not take a place, nor keep one. */
START_TEST(a_call_may_be_cancelled_while_it_waits)
{
	struct play *first, *second, *third;

	open_stage();
	sv.options.max_concurrent = 1;
	first = run_call();
	second = new_call();
	third = new_call();
	/* The place becomes free before its end was noticed. */
	code_exits(first);
	relay_is_done(first);
	call_cancel(second->call, "enough");
	ck_assert_uint_eq(second->concluded, 0);
	settle();
	was_concluded(first, CALL_SUCCESS, NULL);
	was_concluded(second, CALL_CANCELLED, "enough");
	ck_assert_int_eq(second->pids[ROLE_BOX], 0);
	ck_assert_int_ne(third->pids[ROLE_BOX], 0);
	relay_dies(third);
	wait_until_concluded(third);
	close_stage();
}
END_TEST

START_TEST(without_a_queue_nobody_waits)
{
	struct play *play;
	struct err err = { 0, "" };

	open_stage();
	sv.options.max_concurrent = 1;
	sv.options.queue = 0;
	play = start_call();
	ck_assert_ptr_null(try_call(30, &err));
	ck_assert_str_ne(err.text, "");
	relay_dies(play);
	wait_until_concluded(play);
	close_stage();
}
END_TEST

START_TEST(all_can_be_cancelled)
{
	struct play *play[5];
	int n;

	open_stage();
	sv.options.max_concurrent = 2;
	play[0] = run_call();
	for (n = 1; n < 5; n++)
		play[n] = new_call();
	call_cancel_all(&sv.runs, "Caisson is shutting down");
	relay_is_done(play[0]);
	relay_is_done(play[1]);
	for (n = 0; n < 5; n++) {
		wait_until_concluded(play[n]);
		was_concluded(
		    play[n], CALL_CANCELLED, "Caisson is shutting down");
	}
	/* None of those who waited was started on the way. */
	ck_assert_int_eq(play[2]->pids[ROLE_BOX], 0);
	ck_assert_uint_eq(idles, 1);
	close_stage();
}
END_TEST

/* A start that fails at once gives its place to the next. */
START_TEST(failed_starts_do_not_stop_the_queue)
{
	struct play *play[3];
	int n;

	open_stage();
	sv.options.max_concurrent = 1;
	unspawnable = ROLE_BOX;
	for (n = 0; n < 3; n++)
		play[n] = new_call();
	for (n = 0; n < 3; n++) {
		wait_until_concluded(play[n]);
		was_concluded(play[n], CALL_ERROR,
		    "the box cannot be started: no box today");
	}
	close_stage();
}
END_TEST

/* Many after one another: nothing adds up. */
START_TEST(leaves_nothing_behind)
{
	struct play *play;
	enum role role;
	int n, fds = 0;

	open_stage();
	for (n = 0; n < 30; n++) {
		sv.runs.calls = 0;
		memset(&plays[1], 0, sizeof(plays[1]));
		plays[1].code_line = plays[1].init_line = -1;
		for (role = 0; role < ROLES; role++)
			plays[1].channels[role] = -1;
		play = run_call();
		if (n % 3 == 0)
			code_exits(play);
		else if (n % 3 == 1)
			call_cancel(play->call, "enough");
		else
			relay_faults(play);
		relay_is_done(play);
		wait_until_concluded(play);
		wait_until_gone(play->code);
		wait_until_gone(play->init);
		wait_until_gone(play->pids[ROLE_RELAY]);
		wait_until_gone(play->pids[ROLE_BOX]);
		forget_play(play);
		settle();
		if (n == 0)
			fds = unit_open_fds();
		ck_assert_int_eq(unit_open_fds(), fds);
	}
	memset(&plays[1].result, 0, sizeof(plays[1].result));
	close_stage();
}
END_TEST

/* Boxes that waited in the pool */

static unsigned int changes;

static void
on_waiting_changed(void *ctx)
{
	ck_assert_ptr_eq(ctx, &changes);
	changes++;
}

/* Starts the box of the next call ahead of it. */
static struct play *
start_ahead(void)
{
	struct play *play = &plays[sv.runs.calls + 1];
	union ipc_any msg;
	struct err err;

	boxes[sv.boxes.started + 1] = play;
	waiting_box = box_new(&sv.boxes, 0, on_waiting_changed, &changes, &err);
	ck_assert_ptr_nonnull(waiting_box);
	receive(play, ROLE_BOX, IPC_SETUP, &msg);
	ipc_message_close(IPC_SETUP, &msg);
	receive(play, ROLE_RELAY, IPC_PREPARE, &msg);
	ipc_message_close(IPC_PREPARE, &msg);
	return play;
}

static void
relay_is_ready(struct play *play)
{
	struct ipc_ready ready = { 0 };

	send_as(play, ROLE_RELAY, IPC_READY, &ready);
	play->told_ready = 1;
}

/* The same, until it waits for code. */
static struct play *
wait_ahead(void)
{
	struct play *play = start_ahead();

	box_stands(play);
	box_lets_go(play);
	relay_is_ready(play);
	settle();
	ck_assert_int_eq(waiting_box->state, BOX_READY);
	return play;
}

START_TEST(a_box_that_waits_is_taken)
{
	union ipc_any start;
	struct play *play;
	unsigned long started;

	open_stage();
	play = wait_ahead();
	started = sv.boxes.started;
	ck_assert_ptr_eq(new_call(), play);
	receive(play, ROLE_RELAY, IPC_START, &start);
	ck_assert_uint_eq(start.start.execution, 1);
	ipc_message_close(IPC_START, &start);
	relay_runs(play);
	settle();
	end_well(play);
	printed(play, "hi\n", "oops\n");
	ck_assert_int_eq(play->result.boxed, 1);
	ck_assert_uint_eq(play->result.landlock, 6);
	ck_assert_int_eq(play->result.watchdog, 1);
	ck_assert_uint_eq(sv.boxes.started, started);
	ck_assert_uint_eq(wakes, 1); /* it is out of the way */
	close_stage();
}
END_TEST

/* Which of the two channels is heard first is chance. */
START_TEST(a_box_waits_when_all_is_known)
{
	struct play *play;

	open_stage();
	play = start_ahead();
	play->stuck = 1;
	relay_is_ready(play);
	settle();
	ck_assert_int_eq(waiting_box->state, BOX_STARTING);
	box_stands(play);
	settle();
	ck_assert_int_eq(waiting_box->state, BOX_STARTING);
	box_lets_go(play);
	settle();
	ck_assert_int_eq(waiting_box->state, BOX_READY);
	ck_assert_int_eq(box_alive(waiting_box), 1);
	box_drop(&waiting_box);
	ck_assert_uint_eq(sv.boxes.dropped, 0);
	idles = 1;
	close_stage();
}
END_TEST

/* The rest of a call whose box was started when it came. */
static void
succeed(struct play *play)
{
	take_requests(play);
	run_box(play);
	end_well(play);
	printed(play, "hi\n", "oops\n");
}

/* A call asks a template that dies: its first box never begins. */
static struct play *
ask_dying_template(void)
{
	union ipc_any msg;
	struct play *play;
	unsigned long first;

	dying_template = 1;
	play = new_call();
	first = sv.boxes.started;
	receive(play, ROLE_RELAY, IPC_PREPARE, &msg);
	ipc_message_close(IPC_PREPARE, &msg);
	receive_start(play, &msg);
	ipc_message_close(IPC_START, &msg);
	settle();
	/* What was printed may yet come. */
	ck_assert_uint_eq(sv.boxes.started, first);
	relay_is_done(play);
	return play;
}

/*
 * Nothing has begun: another box is started, and nobody hears of it. It has an
 * interpreter of its own, whatever templates there are.
 */
START_TEST(a_template_may_die_before_it_forks)
{
	struct play *play;
	unsigned long first;

	open_stage();
	play = ask_dying_template();
	first = sv.boxes.started;
	while (sv.boxes.started == first)
		event_base_loop(sv.base, EVLOOP_ONCE);
	succeed(play);
	ck_assert_uint_eq(sv.boxes.started, first + 1);
	ck_assert_uint_eq(sv.runs.nstarting, 0);
	close_stage();
}
END_TEST

/* While it waits for another box it can be ended as in any other state. */
START_TEST(a_call_without_a_box_can_be_cancelled)
{
	struct play *play;
	unsigned long first;

	open_stage();
	sv.runs.times.replace = 1000 * 1000;
	play = ask_dying_template();
	first = sv.boxes.started;
	while (call_has_box(play->call))
		event_base_loop(sv.base, EVLOOP_ONCE);
	settle();
	ck_assert_uint_eq(sv.boxes.started, first);
	ck_assert_uint_eq(play->concluded, 0);
	ck_assert_uint_eq(sv.runs.nstarting, 1);
	if (_i == 0)
		call_cancel(play->call, "enough");
	else
		call_cancel_all(&sv.runs, "enough");
	wait_until_concluded(play);
	was_concluded(play, CALL_CANCELLED, "enough");
	ck_assert_uint_eq(sv.boxes.started, first);
	ck_assert_uint_eq(sv.runs.nstarting, 0);
	close_stage();
}
END_TEST

START_TEST(a_box_may_be_taken_while_it_is_built)
{
	union ipc_any start;
	struct play *play;

	open_stage();
	play = start_ahead();
	ck_assert_ptr_eq(new_call(), play);
	receive(play, ROLE_RELAY, IPC_START, &start);
	ipc_message_close(IPC_START, &start);
	run_box(play);
	end_well(play);
	close_stage();
}
END_TEST

/* Ends of a box that nobody has noticed when a call takes it. */

static void
die_by_code(struct play *play)
{
	end_unheard(play->code, play->code_line, 's', SIGKILL);
	relay_is_done(play);
}

static void
die_by_init(struct play *play)
{
	kill(play->init, SIGKILL);
	kill(play->code, SIGKILL);
	relay_is_done(play);
}

static void
die_by_relay(struct play *play)
{
	relay_dies(play);
}

/* Its last word crosses the code. */
static void
die_by_fault(struct play *play)
{
	relay_faults(play);
	relay_is_done(play);
}

static void
die_drained(struct play *play)
{
	relay_is_done(play);
	kill(play->code, SIGKILL);
}

static void (*const deaths[])(struct play *play) = {
	die_by_code,
	die_by_init,
	die_by_relay,
	die_by_fault,
	die_drained,
};

/* Nothing has run: the call has another one started, and is not told. */
START_TEST(a_box_that_had_died_is_replaced)
{
	struct play *play;
	unsigned long first;

	open_stage();
	play = wait_ahead();
	first = sv.boxes.started;
	deaths[_i](play);
	ck_assert_ptr_eq(new_call(), play);
	while (sv.boxes.started == first)
		event_base_loop(sv.base, EVLOOP_ONCE);
	ck_assert_uint_eq(sv.boxes.started, first + 1);
	succeed(play);
	close_stage();
}
END_TEST

/* One of the pool, one that is forked, one of its own; then an error. */
START_TEST(a_call_has_three_boxes_at_most)
{
	union ipc_any msg;
	struct play *play;
	unsigned long first;

	open_stage();
	play = wait_ahead();
	first = sv.boxes.started;
	die_by_code(play);
	dying_template = 1;
	new_call();
	while (sv.boxes.started == first)
		event_base_loop(sv.base, EVLOOP_ONCE);
	receive(play, ROLE_RELAY, IPC_PREPARE, &msg);
	ipc_message_close(IPC_PREPARE, &msg);
	receive_start(play, &msg);
	ipc_message_close(IPC_START, &msg);
	relay_is_done(play);
	while (sv.boxes.started == first + 1)
		event_base_loop(sv.base, EVLOOP_ONCE);
	take_requests(play);
	box_fails(play, "prctl: Invalid argument");
	relay_is_done(play);
	wait_until_concluded(play);
	was_concluded(play, CALL_ERROR, "the box cannot be built: "
	    "could not apply the system call filter (prctl: Invalid "
	    "argument); the kernel needs CONFIG_SECCOMP_FILTER");
	ck_assert_uint_eq(sv.boxes.started, first + 2);
	close_stage();
}
END_TEST

#define NO_ROOM                                                                \
	"the box cannot be built: could not start the processes of the box "   \
	"(fork: no room); raise the limit on processes ('ulimit -u'), or "     \
	"wait until the system is less busy"

/* As often as it takes, with the same code. */
START_TEST(a_call_waits_for_room_for_its_box)
{
	struct play *play;
	unsigned long first;
	int n;

	open_stage();
	play = start_call();
	for (n = 0; n < 3; n++) {
		first = sv.boxes.started;
		box_fails_for_now(play);
		while (sv.boxes.started == first)
			event_base_loop(sv.base, EVLOOP_ONCE);
		if (n < 2)
			take_requests(play);
	}
	succeed(play);
	ck_assert_uint_eq(sv.runs.nstarting, 0);
	close_stage();
}
END_TEST

/* As long as for a place in the queue. */
START_TEST(a_call_does_not_wait_for_room_for_ever)
{
	struct play *play;

	open_stage();
	sv.options.queue_timeout = 0;
	play = start_call();
	box_fails_for_now(play);
	wait_until_concluded(play);
	was_concluded(play, CALL_ERROR, NO_ROOM);
	close_stage();
}
END_TEST

START_TEST(a_call_that_waits_for_room_can_be_cancelled)
{
	struct play *play;

	open_stage();
	sv.runs.times.retry = 1000 * 1000;
	play = start_call();
	box_fails_for_now(play);
	while (call_has_box(play->call))
		event_base_loop(sv.base, EVLOOP_ONCE);
	settle();
	call_cancel(play->call, "enough");
	wait_until_concluded(play);
	was_concluded(play, CALL_CANCELLED, "enough");
	close_stage();
}
END_TEST

/* The same when it fails while it is being built: then it has its reason. */
START_TEST(a_box_that_cannot_be_built_is_tried_again)
{
	struct play *play;
	unsigned long first;

	open_stage();
	play = start_ahead();
	first = sv.boxes.started;
	new_call();
	box_fails(play, "prctl: Invalid argument");
	relay_is_done(play);
	while (sv.boxes.started == first)
		event_base_loop(sv.base, EVLOOP_ONCE);
	/* The first one may be forgotten when its launcher is gone. */
	if (_i == 0) {
		succeed(play);
	} else {
		take_requests(play);
		box_fails(play, "prctl: Invalid argument");
		relay_is_done(play);
		wait_until_concluded(play);
		was_concluded(play, CALL_ERROR, "the box cannot be built: "
		    "could not apply the system call filter (prctl: Invalid "
		    "argument); the kernel needs CONFIG_SECCOMP_FILTER");
	}
	ck_assert_uint_eq(sv.boxes.started, first + 1);
	close_stage();
}
END_TEST

/* Once the code was sent, its end is its own. */
START_TEST(code_is_never_run_twice)
{
	union ipc_any start;
	struct play *play;
	unsigned long first;

	open_stage();
	play = wait_ahead();
	first = sv.boxes.started;
	new_call();
	receive(play, ROLE_RELAY, IPC_START, &start);
	ipc_message_close(IPC_START, &start);
	relay_runs(play);
	settle();
	deaths[_i](play);
	wait_until_concluded(play);
	ck_assert_int_eq(play->result.status, CALL_ERROR);
	ck_assert_uint_eq(sv.boxes.started, first);
	close_stage();
}
END_TEST

/* Its end may be heard of before it is heard that it was sent the code. */
START_TEST(code_that_ends_early_has_run)
{
	union ipc_any start;
	struct play *play;
	unsigned long first;

	open_stage();
	play = wait_ahead();
	first = sv.boxes.started;
	new_call();
	receive(play, ROLE_RELAY, IPC_START, &start);
	ipc_message_close(IPC_START, &start);
	code_ends(play, 'x', 3);
	wait_until_gone(play->init);
	ck_assert_uint_eq(play->concluded, 0);
	relay_runs(play);
	settle();
	relay_is_done(play);
	settle();
	was_concluded(play, CALL_ERROR, "Sandbox exited with code 3");
	printed(play, "hi\n", "oops\n");
	ck_assert_uint_eq(sv.boxes.started, first);
	close_stage();
}
END_TEST

/* A call that is ended meanwhile needs no other box. */
START_TEST(a_cancelled_call_replaces_nothing)
{
	struct play *play;
	unsigned long first;

	open_stage();
	play = wait_ahead();
	first = sv.boxes.started;
	new_call();
	call_cancel(play->call, "enough");
	wait_until_gone(play->code);
	relay_is_done(play);
	wait_until_concluded(play);
	was_concluded(play, CALL_CANCELLED, "enough");
	ck_assert_uint_eq(sv.boxes.started, first);
	close_stage();
}
END_TEST

/* Whoever waits is told what becomes of the box; a liar is found out. */
START_TEST(a_box_that_waits_may_fail)
{
	struct play *play;

	open_stage();
	play = wait_ahead();
	changes = 0;
	if (_i == 0)
		relay_runs(play);
	else
		relay_dies(play);
	while (waiting_box->failure == NULL)
		event_base_loop(sv.base, EVLOOP_ONCE);
	ck_assert_str_eq(waiting_box->failure, _i == 0 ?
	    "protocol violation by the relay: code that it was not given runs" :
	    "the relay of this execution died");
	ck_assert_uint_ge(changes, 1);
	wait_until_gone(play->code); /* it was killed */
	ck_assert_int_eq(box_alive(waiting_box), 0);
	box_drop(&waiting_box);
	idles = 1;
	close_stage();
}
END_TEST

/* It may still tell of processes, which must be known to be killed. */
START_TEST(a_box_that_is_dropped_while_it_is_built)
{
	struct play *play;

	open_stage();
	play = start_ahead();
	play->stuck = 1;
	sv.runs.draining = 1;
	box_drop(&waiting_box);
	ck_assert_ptr_null(waiting_box);
	ck_assert_uint_eq(sv.boxes.dropped, 1);
	settle();
	ck_assert_uint_eq(idles, 0);
	if (_i == 0) {
		box_starts(play);
		wait_until_gone(play->code);
		wait_until_gone(play->init);
	} else {
		box_lets_go(play);
	}
	while (sv.boxes.dropped > 0)
		event_base_loop(sv.base, EVLOOP_ONCE);
	ck_assert_uint_eq(idles, 1); /* the program may end now */
	close_stage();
}
END_TEST

/* Nobody waits for ever for a launcher that never lets go. */
START_TEST(a_dropped_box_is_given_up)
{
	struct play *play;

	sv.boxes.times.drain = 1000;
	open_stage();
	play = start_ahead();
	play->stuck = 1;
	box_drop(&waiting_box);
	while (sv.boxes.dropped > 0)
		event_base_loop(sv.base, EVLOOP_ONCE);
	idles = 1;
	close_stage();
}
END_TEST

static void
add_waiting(TCase *tc)
{
	tcase_add_test(tc, a_box_that_waits_is_taken);
	tcase_add_test(tc, a_box_waits_when_all_is_known);
	tcase_add_test(tc, a_template_may_die_before_it_forks);
	tcase_add_loop_test(tc, a_call_without_a_box_can_be_cancelled, 0, 2);
	tcase_add_test(tc, a_box_may_be_taken_while_it_is_built);
	tcase_add_loop_test(
	    tc, a_box_that_had_died_is_replaced, 0, UNIT_COUNT(deaths));
	tcase_add_test(tc, a_call_has_three_boxes_at_most);
	tcase_add_test(tc, a_call_waits_for_room_for_its_box);
	tcase_add_test(tc, a_call_does_not_wait_for_room_for_ever);
	tcase_add_test(tc, a_call_that_waits_for_room_can_be_cancelled);
	tcase_add_loop_test(
	    tc, a_box_that_cannot_be_built_is_tried_again, 0, 2);
	tcase_add_loop_test(
	    tc, code_is_never_run_twice, 0, UNIT_COUNT(deaths));
	tcase_add_test(tc, code_that_ends_early_has_run);
	tcase_add_test(tc, a_cancelled_call_replaces_nothing);
	tcase_add_loop_test(tc, a_box_that_waits_may_fail, 0, 2);
	tcase_add_loop_test(
	    tc, a_box_that_is_dropped_while_it_is_built, 0, 2);
	tcase_add_test(tc, a_dropped_box_is_given_up);
}

/* A sentence about a long path is cut, if at all, between characters. */
START_TEST(sentences_stay_text)
{
	auto_free char *path = mem_alloc(OPTION_PATH_MAX + 1);
	struct play *play;
	size_t n;

	path[0] = '/';
	for (n = 1; n + 1 < OPTION_PATH_MAX; n += 2)
		memcpy(path + n, "\xc3\xa9", 2);
	open_stage();
	sv.options.python = path;
	play = start_call();
	box_stands(play);
	box_lets_go(play);
	settle();
	code_ends(play, 'x', 1);
	relay_is_done(play);
	settle();
	ck_assert_int_eq(play->result.status, CALL_ERROR);
	ck_assert_int_eq(utf8_valid(play->result.error,
	    strlen(play->result.error)), 1);
	close_stage();
}
END_TEST

static void
add_success(TCase *tc)
{
	tcase_add_loop_test(tc, succeeds_in_every_order, 0, 6);
	tcase_add_test(tc, the_code_may_run_before_the_box_is_known);
	tcase_add_test(tc, a_relay_may_leave_when_it_is_done);
	tcase_add_test(tc, what_the_code_leaves_is_killed);
	tcase_add_test(tc, a_box_that_is_left_is_ended_later);
	tcase_add_test(tc, workers_are_joined_by_pipes);
	tcase_add_test(tc, a_group_tells_what_all_of_the_box_used);
	tcase_add_loop_test(tc, without_its_word_the_code_counts, 0, 2);
	tcase_add_loop_test(
	    tc, a_box_out_of_memory_is_told, 0, UNIT_COUNT(shortages));
	tcase_add_test(tc, no_group_no_box);
	tcase_add_loop_test(
	    tc, a_relay_has_a_session, 0, UNIT_COUNT(loads));
	tcase_add_test(tc, without_servers_there_is_nobody);
	tcase_add_test(tc, nothing_of_the_box_is_kept);
	tcase_add_test(tc, what_the_code_used_is_told);
	tcase_add_loop_test(
	    tc, tells_how_the_code_ended, 0, UNIT_COUNT(code_endings));
	tcase_add_loop_test(tc, tells_why_init_ended_the_box, 0,
	    2 * UNIT_COUNT(init_endings));
	tcase_add_test(tc, a_killed_code_waits_for_its_init);
	tcase_add_test(tc, leaves_nothing_behind);
	tcase_add_test(tc, sentences_stay_text);
}

static void
add_failures(TCase *tc)
{
	tcase_add_test(tc, a_box_that_cannot_be_started);
	tcase_add_test(tc, a_relay_that_cannot_be_started);
	tcase_add_test(tc, a_box_that_cannot_be_asked);
	tcase_add_test(tc, a_relay_that_cannot_be_asked);
	tcase_add_test(tc, descriptors_that_run_out);
	tcase_add_test(tc, a_session_that_cannot_be_had);
	tcase_add_test(tc, a_call_may_lose_a_server_while_it_waits);
	tcase_add_loop_test(tc, a_guard_that_ends_as_the_code, 0, 2);
	tcase_add_test(tc, a_guard_that_must_end);
	tcase_add_test(tc, a_box_that_names_a_foreign_guard);
	tcase_add_test(tc, a_box_that_cannot_be_built);
	tcase_add_test(tc, an_interpreter_that_cannot_be_started);
	tcase_add_test(tc, a_box_that_ends_without_a_word);
	tcase_add_test(tc, a_box_that_cannot_be_adopted);
	tcase_add_loop_test(tc, a_box_that_talks_nonsense, 0, 2);
	tcase_add_loop_test(tc, a_box_that_names_strangers, 0, 2);
	tcase_add_test(tc, a_box_that_names_one_process_twice);
	tcase_add_loop_test(tc, a_box_that_is_not_ready_in_time, 0, 2);
	tcase_add_test(tc, a_relay_that_dies_at_once);
	tcase_add_test(tc, a_relay_that_dies_with_a_box);
	tcase_add_test(tc, a_relay_that_dies_while_the_code_runs);
	tcase_add_test(tc, a_relay_that_is_reaped_first);
	tcase_add_test(tc, a_relay_that_dies_with_the_output);
	tcase_add_loop_test(tc, a_relay_that_talks_nonsense, 0, 2);
	tcase_add_test(tc, a_relay_that_lies_about_the_output);
	tcase_add_loop_test(tc, a_box_that_breaks_the_protocol, 0, 2);
	tcase_add_test(tc, the_store_is_handed_over);
	tcase_add_test(tc, a_store_that_cannot_be_had);
	tcase_add_loop_test(tc, a_store_that_is_switched_off, 0, 3);
	tcase_add_test(tc, a_relay_that_never_drains);
	tcase_add_test(tc, a_box_that_never_lets_go);
}

static void
add_tests(TCase *tc)
{
	add_success(tc);
	add_failures(tc);
	add_waiting(tc);
	tcase_add_test(tc, the_deadline_ends_the_code);
	tcase_add_test(tc, the_deadline_ends_a_silent_code);
	tcase_add_test(tc, a_deadline_names_what_was_waited_for);
	tcase_add_loop_test(tc, can_be_cancelled_in_every_state, 0,
	    UNIT_COUNT(cancel_states));
	tcase_add_loop_test(tc, a_box_may_stand_too_late, 0, 2);
	tcase_add_test(tc, the_code_may_run_too_late);
	tcase_add_test(tc, a_failure_is_not_a_cancel);
	tcase_add_test(tc, calls_wait_for_their_turn);
	tcase_add_test(tc, calls_wait_only_so_long);
	tcase_add_test(tc, a_call_may_be_cancelled_while_it_waits);
	tcase_add_test(tc, without_a_queue_nobody_waits);
	tcase_add_test(tc, all_can_be_cancelled);
	tcase_add_test(tc, failed_starts_do_not_stop_the_queue);
}

int
main(void)
{
	worker_init(supervisor_routes());
	return unit_run("call", add_tests);
}
