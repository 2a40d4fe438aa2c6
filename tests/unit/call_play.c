/*
 * What is around calls in their tests: see call_play.h. The linker takes ours
 * in the place of the functions below (--wrap): what opens grants and
 * connects to the store, starts launchers, has boxes that wait, and knows the
 * servers.
 */
#define broker_grant_servers __wrap_broker_grant_servers
#define launcher_start __wrap_launcher_start
#define store_connect __wrap_store_connect
#define templates_asked __wrap_templates_asked
#define templates_kill __wrap_templates_kill
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

#include "common/clock.h"
#include "common/box_step.h"
#include "common/fd.h"
#include "common/ipc_socket.h"
#include "common/limits.h"
#include "common/loop.h"
#include "common/mem.h"
#include "common/utf8.h"
#include "supervisor/box/cgroup.h"
#include "supervisor/box/counts.h"
#include "supervisor/box/container_boxes.h"
#include "supervisor/box/template.h"
#include "supervisor/handlers.h"
#include "supervisor/peers/broker.h"
#include "supervisor/peers/store.h"
#include "supervisor/run/pool.h"
#include "call_play.h"
#include "supervisor/box/language.h"

struct supervisor sv = {
	.boxes.times = { 100000, 100000, 10, 100000 },
	.runs.times = { 1, 1 },
};
struct play plays[PLAYS_MAX];
struct play *boxes[BOXES_MAX];
enum role unspawnable;
struct server_texts asked;
struct server_texts loaded;
const char *grants_refused;
const char *store_refused;
unsigned int idles;
static int fds_before;

/* Processes */

int
is_gone(pid_t pid)
{
	return kill(pid, 0) == -1 && errno == ESRCH;
}

int
open_pidfd(pid_t pid)
{
	return (int)syscall(SYS_pidfd_open, pid, 0);
}

/* What it does: waits to be killed, or for the way in which to end. */
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
pid_t
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
	play->pids[role] = make_process(-1);
	play->channels[role] = fcntl(channel, F_DUPFD_CLOEXEC, 3);
	*pidfd = open_pidfd(play->pids[role]);
	return 0;
}

static struct native_boxes shared; /* a cgroup or none */

/* In the place of native_boxes.c: nothing is looked for. */

int
native_probe(struct boxes *these, int only_refuses, struct err *err)
{
	ck_abort_msg("nothing is probed here");
}

void
native_finish(struct boxes *these)
{
	ck_abort_msg("nothing is swept here");
}

/*
 * In the place of launcher.c: a template may be asked, which forks a launcher,
 * or has just died. One that waits for a launcher forks no other.
 */

int dying_template;
int forking_template;
int waiting_template;
unsigned int killed_templates;

/* The number of the only template. */
#define TEMPLATE 7

unsigned long
templates_asked(const struct templates *none)
{
	ck_assert_ptr_null(none);
	return TEMPLATE;
}

void
templates_kill(struct templates *none, unsigned long number)
{
	ck_assert_ptr_null(none);
	ck_assert_uint_eq(number, TEMPLATE);
	killed_templates++;
}

struct channel *
launcher_start(struct boxes *owner, const struct channel_ends *ends,
    unsigned long number, const struct python_stamp *stamp,
    const struct group *group, int *pidfd, struct err *err)
{
	int pair[2];

	if (stamp == NULL || (!dying_template && !forking_template))
		return worker_start(owner->base, ends, number, 0,
		    group_fd(group), pidfd, err);
	ck_assert_int_eq(
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	if (forking_template) {
		if (!waiting_template)
			play_of(number)->pids[ROLE_BOX] = make_process(-1);
		play_of(number)->channels[ROLE_BOX] = fd_take(&pair[1]);
	}
	fd_close(&pair[1]);
	*pidfd = -1;
	return channel_new(owner->base, &pair[0], ends);
}

/* In the place of group.c: what groups were asked for, and what they tell. */

struct group {
	struct play *play;
};

struct group_usage usage;
int ungroupable, unreadable;
unsigned int group_kills, group_frees;

/* In the place of container.c: no container is started here. */
const struct runtime podman_runtime = { .name = "podman" };
const struct runtime docker_runtime = { .name = "docker" };
const struct runtime oci_runtime = { .name = "oci" };
const struct runtime auto_runtime = { .name = "auto" };

struct group *
group_new(struct cgroup *cg, unsigned long number, struct err *err)
{
	struct group *group;

	ck_assert_ptr_eq(cg, shared.cgroup);
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

/* In the place of broker.c: the other end of a grant is ours. */
int
broker_grant_servers(struct broker *broker,
    const struct broker_grant *wanted, struct err *err)
{
	const struct server_texts *names = &wanted->loaded;
	int pair[2];

	ck_assert_ptr_null(broker);
	ck_assert_ptr_eq(wanted->allowed, asking->allowed);
	ck_assert_ptr_eq(wanted->owner, asking->name);
	if (grants_refused != NULL)
		return err_set(err, "%s", grants_refused);
	ck_assert_int_eq(socketpair(AF_UNIX,
	    SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair), 0);
	free(loaded.data);
	loaded = (struct server_texts){ mem_dup(names->data, names->len),
		names->len };
	plays[wanted->execution].channels[ROLE_BROKER] = pair[0];
	return pair[1];
}

/* In the place of store.c: the other end of the channel is ours. */
int
store_connect(struct store *store, uint64_t execution, const char *scope,
    struct err *err)
{
	int pair[2];

	ck_assert_ptr_eq(scope, asking->scope);
	ck_assert_ptr_eq(store, (struct store *)(void *)&sv);
	if (store_refused != NULL)
		return err_set(err, "%s", store_refused);
	ck_assert_int_eq(socketpair(AF_UNIX,
	    SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair), 0);
	plays[execution].channels[ROLE_STORE] = pair[0];
	return pair[1];
}

/* In the place of pool.c: one box, and when it is asked to look for more. */

struct box *waiting_box;
unsigned int wakes;

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
void
settle(void)
{
	int n;

	for (n = 0; n < 8; n++) {
		event_base_loop(sv.base, EVLOOP_NONBLOCK);
		tend();
	}
}

void
wait_until_concluded(const struct play *play)
{
	while (play->concluded == 0) {
		event_base_loop(sv.base, EVLOOP_ONCE);
		tend();
	}
	settle();
}

void
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
size_t noffered;
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

void
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

void
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
	sv.boxes.shared = &shared;
	runs_init(&sv.runs, &sv.boxes);
	owner_open(&an_owner, &sv.runs);
	reaper_init(sv.base);
	TAILQ_INIT(&no_files.list);
	TAILQ_INIT(&no_files.files);
	sv.boxes.runtime = runtime_find("native");
	sv.runs.idle = on_idle;
	sv.runs.idle_ctx = &idles;
	sv.options.max_concurrent = 4;
	sv.options.queue = 4;
	sv.options.queue_timeout = 10;
	sv.options.max_timeout = 3;
	sv.options.max_output = 65536;
	sv.options.memory = 512 * MIB;
	sv.options.pids = 128;
	sv.options.python = (char *)"/usr/bin/python3";
}

void
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

/* Nothing may be left: no call, no child, no event, no descriptor. */
void
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
	reaper_finish(1); /* no child is left */
	counts_finish();
	ck_assert_int_eq(
	    event_base_get_num_events(sv.base, EVENT_BASE_COUNT_ADDED), 0);
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
	if (native_facts(&result->facts) != NULL)
		play->facts = *native_facts(&result->facts);
	play->weak = play->facts.weak != NULL;
	play->bound = play->facts.bound != NULL;
	play->result.error = mem_strdup(result->error);
	play->result.out = copy_stream(&result->out);
	play->result.errors = copy_stream(&result->errors);
	play->servers = mem_dup(result->servers, result->servers_len);
	play->call = NULL;
}

struct owner an_owner = { .name = "", .scope = "" };
struct owner *asking = &an_owner;
const struct language *spoken; /* NULL: the first */

call_progressed *watching;
const char *talk;

/* Returns the play of a new call, NULL with err when it is refused. */
struct play *
try_call(unsigned int timeout, struct err *err)
{
	struct play *play = &plays[sv.runs.calls + 1];
	struct request run = { .owner = asking,
		.language = spoken != NULL ? spoken : language_at(0),
		.code = mem_strdup("print('hi')"),
		.code_len = 11,
		.timeout = timeout,
		.progressed = watching,
		.conversation = mem_strdup(talk),
		.servers = mem_dup(asked.data, asked.len),
		.servers_len = asked.len };

	an_owner.most_waiting = sv.options.queue;
	an_owner.most_running = sv.options.max_concurrent;
	play->call = call_new(&sv.runs, &run, on_concluded, play, err);
	ck_assert_ptr_null(run.code);
	ck_assert_ptr_null(run.servers);
	ck_assert_uint_eq(play->concluded, 0); /* never before */
	return play->call == NULL ? NULL : play;
}

struct play *
new_call(void)
{
	struct play *play;
	struct err err = { 0, "" };

	play = try_call(CALL_SECONDS, &err);
	ck_assert_msg(play != NULL, "%s", err.text);
	return play;
}

void
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

void
printed(const struct play *play, const char *out, const char *errors)
{
	ck_assert_str_eq(play->result.out.data, out);
	ck_assert_str_eq(play->result.errors.data, errors);
}

/* The workers' side */

struct ipc_packet packet;

/* What a worker was sent; its descriptors belong to msg. */
void
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

void
send_as(struct play *play, enum role role, enum ipc_type type, void *msg)
{
	struct err err;

	if (ipc_encode(type, msg, &packet, &err) == -1 ||
	    ipc_socket_send(play->channels[role], &packet, &err) == -1)
		ck_abort_msg("%s", err.text);
	ipc_packet_close(&packet);
}

/* A relay that has been prepared gets code. */
void
receive_start(struct play *play, union ipc_any *msg)
{
	receive(play, ROLE_RELAY, IPC_START, msg);
	ck_assert_int_eq(
	    msg->start.broker != -1, noffered > 0);
}

/* Both workers take what they were sent. */
void
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
struct play *
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

const char *left = "/tmp";

/* Says who the processes of the box are. */
void
box_starts(struct play *play)
{
	struct ipc_started started = { .landlock = 6,
		.bound = "/usr: no",
		.proc = 1,
		.watchdog = 1,
		.unnamed = 1,
		.left = open(left, O_RDONLY | O_DIRECTORY | O_CLOEXEC),
		.data = -1,
		.launcher = -1 };

	play->init = make_ending_process(&play->init_line);
	play->code = make_ending_process(&play->code_line);
	started.init = open_pidfd(play->init);
	started.code = open_pidfd(play->code);
	if (forking_template)
		started.launcher = open_pidfd(play->pids[ROLE_BOX]);
	send_as(play, ROLE_BOX, IPC_STARTED, &started);
}

/* The same with reduced isolation: the guard ends as the code does. */
void
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
void
box_stands(struct play *play)
{
	union ipc_any msg;

	box_starts(play);
	settle();
	receive(play, ROLE_BOX, IPC_ADOPTED, &msg);
}

/* The interpreter runs: the channel of the box is closed there. */
void
box_lets_go(struct play *play)
{
	fd_close(&play->channels[ROLE_BOX]);
	/* The launcher ends by itself. */
	if (!is_gone(play->pids[ROLE_BOX]))
		kill(play->pids[ROLE_BOX], SIGKILL);
}

void
box_fails(struct play *play, const char *reason)
{
	struct ipc_failed failed = { .step = BOX_STEP_SECCOMP,
		.reason = reason };

	send_as(play, ROLE_BOX, IPC_FAILED, &failed);
}

void
relay_runs(struct play *play)
{
	struct ipc_running running = { 0 };

	send_as(play, ROLE_RELAY, IPC_RUNNING, &running);
}

void
relay_faults(struct play *play)
{
	struct ipc_fault fault = { .reason = "a frame without a type" };

	send_as(play, ROLE_RELAY, IPC_FAULT, &fault);
}

void
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
void
box_fails_for_now(struct play *play)
{
	struct ipc_failed failed = { .step = BOX_STEP_PROCESSES,
		.reason = "fork: no room",
		.passing = 1 };

	send_as(play, ROLE_BOX, IPC_FAILED, &failed);
	settle();
	relay_is_done(play);
}

void
relay_dies(struct play *play)
{
	fd_close(&play->channels[ROLE_RELAY]);
	kill(play->pids[ROLE_RELAY], SIGKILL);
}

/* The code ends by itself; waits until that was seen. */
void
code_ends(struct play *play, char how, int number)
{
	const char end[2] = { how, (char)number };

	ck_assert_int_eq(write(play->code_line, end, 2), 2);
	wait_until_gone(play->code);
	settle();
}

/* The box stands and its code runs. */
void
run_box(struct play *play)
{
	box_stands(play);
	box_lets_go(play);
	relay_runs(play);
	settle();
}

/* A call whose code runs. */
struct play *
run_call(void)
{
	struct play *play = start_call();

	run_box(play);
	return play;
}

/* After a kill: the pipes of the box are closed, so the relay concludes. */
void
box_was_killed(struct play *play)
{
	wait_until_gone(play->code);
	wait_until_gone(play->init);
	ck_assert_uint_eq(play->concluded, 0); /* the output is missing */
	relay_is_done(play);
	wait_until_concluded(play);
}

void
send_garbage(struct play *play, enum role role)
{
	packet.len = 3;
	packet.nfds = 0;
	ck_assert_int_eq(
	    ipc_socket_send(play->channels[role], &packet, NULL), 0);
}

uint64_t
now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

void
code_exits(struct play *play)
{
	code_ends(play, 'x', 0);
}

/* The code ends by itself, and all is said. */
void
end_well(struct play *play)
{
	code_exits(play);
	relay_is_done(play);
	settle();
	was_concluded(play, CALL_SUCCESS, NULL);
}

void
open_stage_with_cgroup(void)
{
	open_stage();
	shared.cgroup = (struct cgroup *)(void *)&idles;
}

/* Ends a process; the supervisor does not hear of it yet. */
void
end_unheard(pid_t pid, int line, char how, int number)
{
	const char end[2] = { how, (char)number };
	siginfo_t si;

	ck_assert_int_eq(write(line, end, 2), 2);
	ck_assert_int_eq(
	    waitid(P_PID, (id_t)pid, &si, WEXITED | WNOWAIT), 0);
}
