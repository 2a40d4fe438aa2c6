/*
 * The supervisor: the front process. It speaks MCP with one client, has a box
 * and a relay of its own for every call, and concludes each call once. It
 * alone may exec, open and kill; the only outsider whose bytes it reads is its
 * client, and no descriptor of a box passes through it longer than it takes to
 * hand it over. Everything of this folder runs in that process only.
 */
#ifndef SUPERVISOR_SUPERVISOR_H
#define SUPERVISOR_SUPERVISOR_H

#include <signal.h>
#include <stdint.h>
#include <sys/queue.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "../common/buffer.h"
#include "../common/channel.h"
#include "../common/err.h"
#include "../common/json_span.h"
#include "../common/lines.h"
#include "options/options.h"

struct box;
struct broker;
struct call;
struct cgroup;
struct child;
struct client;
struct config;
struct group;
struct mcp;
struct pool;
struct runtime;
struct store;
struct template;
struct templates;

TAILQ_HEAD(call_list, call);

/* The process: one of it, made by main, passed to the parts that need it. */
struct supervisor {
	struct event_base *base;
	struct options options;
	const struct runtime *runtime;
	struct config *config; /* which servers there are */
	struct broker *broker; /* who speaks with them */
	struct store *store;   /* what is kept between calls, or NULL */
	int audit; /* the file for lines about calls of tools; -1: none */
	struct cgroup *cgroup; /* of all boxes, NULL where there is none */
	char *cgroup_reason;   /* why there is none */
	struct templates *templates; /* that fork boxes; NULL: never any */
	struct call_list waiting; /* admitted, but every place is taken */
	struct call_list running; /* at most options.max_concurrent */
	size_t nwaiting;
	size_t nrunning;
	size_t nstarting; /* of those that run: they have no box yet */
	size_t unready;   /* boxes that cannot be handed code yet */
	unsigned long calls; /* executions so far: the number of the last */
	unsigned long boxes; /* boxes so far: the number of the last */
	size_t dropped;      /* boxes without an owner that still end */
	struct pool *pool;   /* boxes that wait for a call; NULL: never any */
	int draining;        /* no new calls; ends when none is left */
	void (*idle)(void *ctx); /* no call is left */
	void *idle_ctx;
};

/* run_python.c: the arguments of the tool. */

struct run_python {
	char *code;
	size_t code_len;
	unsigned int timeout;
	char *servers; /* the names, each with a NUL; NULL: none */
	size_t servers_len;
};

/*
 * Reads and checks the arguments (len 0: there are none), but for whether the
 * servers exist. Returns 0, or -1 with err, one sentence with what is wrong
 * and what would be right. run_python_reset frees what run holds in both cases.
 */
int run_python_read(struct json_span arguments, const struct options *options,
    struct run_python *run, struct err *err);
void run_python_reset(struct run_python *run);

/* call.c: one execution, from its admission to its one conclusion. */

enum call_status {
	CALL_SUCCESS,
	CALL_ERROR,
	CALL_TIMEOUT,
	CALL_CANCELLED,
};

/* What was kept of a stream: UTF-8; bytes are missing at head if dropped. */
struct call_stream {
	char *data;
	size_t len;
	size_t head;
	uint64_t dropped;
};

struct call_result {
	enum call_status status;
	int exited;    /* exit_code holds */
	int exit_code; /* the interpreter's */
	int signal;    /* that ended the code, 0 for none */
	char *error;   /* one sentence; NULL for success */
	unsigned int timeout; /* seconds */
	struct call_stream out;
	struct call_stream errors;
	const char *servers; /* the names that were asked for, each + NUL */
	size_t servers_len;
	uint64_t tool_calls;
	int boxed; /* a box stood: the facts below hold */
	unsigned int landlock;
	char *bound; /* a directory without an overlay, and why; or NULL */
	int proc;
	int watchdog; /* over the memory of the box as a whole */
	int unnamed;  /* the box had the name of the host */
	int grouped;  /* a cgroup limits the box, and counts all of it */
	char *weak; /* why it was one of the weaker level; NULL: it was not */
	char *notes; /* sentences for the user, each + NUL; NULL: none */
	size_t notes_len;
	uint64_t duration_us; /* from the start of the box to its end */
	uint64_t cpu_us;   /* of all processes, as far as it is known */
	uint64_t peak_kib; /* largest resident set of one process */
};

/* Told once, when the call is concluded; result dies afterwards. */
typedef void call_concluded(void *ctx, const struct call_result *result);

/*
 * Admits a call, which starts at once or waits for a place. What run holds is
 * taken over in any case. Returns the call, which ends by itself with
 * concluded() (never before this function has returned), or NULL with err when
 * there is no room.
 */
struct call *call_new(struct supervisor *sv, struct run_python *run,
    call_concluded *concluded, void *ctx, struct err *err);

/* Hastens the end: the call concludes as cancelled, with this sentence. */
void call_cancel(struct call *call, const char *why);

/* Cancels every call. */
void call_cancel_all(struct supervisor *sv, const char *why);

/* on_box.c and on_relay.c: the handlers, the whole surface to the workers. */
void supervisor_on_forked(struct box *box, struct ipc_forked *forked);
void supervisor_on_started(struct box *box, struct ipc_started *started);
void supervisor_on_guarded(struct box *box, struct ipc_guarded *guarded);
void supervisor_on_failed(struct box *box, struct ipc_failed *failed);
void supervisor_on_ready(struct box *box, struct ipc_ready *ready);
void supervisor_on_running(struct box *box, struct ipc_running *running);
void supervisor_on_want_store(
    struct box *box, struct ipc_want_store *want_store);
void supervisor_on_fault(struct box *box, struct ipc_fault *fault);
void supervisor_on_done(struct box *box, struct ipc_done *done);

/* on_template.c */
void supervisor_on_standing(
    struct template *template, struct ipc_standing *standing);
void supervisor_on_warm(struct template *template, struct ipc_warm *warm);
void supervisor_on_unfit(struct template *template, struct ipc_unfit *unfit);

/* routes.c: returns the table of all handlers, static. */
channel_handler *const *supervisor_routes(void);

/* cause.c: why a box cannot be built. */

/*
 * Returns the way out when this step of box_steps.def has failed, static: that
 * of the cause, where the switches below proc (/proc) tell it, else that of
 * the step; NULL for a number that is none.
 */
const char *cause_fix(unsigned long step, const char *proc);

/* runtime.c: which sandbox; one row each. */

/* The box's ends of its pipes. */
struct box_pipes {
	int control_in;
	int control_out;
	int out;
	int errors;
};

struct runtime {
	const char *name;
	/*
	 * Starts a box around the pipes, and takes those it hands over.
	 * Returns 0, or -1 with err.
	 */
	int (*start)(
	    struct box *box, struct box_pipes *pipes, struct err *err);
};

/*
 * What every native box of these options is asked to be, without what differs
 * from box to box: its user, its time, its pipes.
 */
void runtime_native_request(
    const struct supervisor *sv, struct ipc_setup *setup);

/* Returns the row of that name, static; NULL when there is none. */
const struct runtime *runtime_find(const char *name);

/* identity.c: who relays and boxes are when we are root. */

/* The file in which processes of root reserve users for their boxes. */
#define IDENTITY_CLAIMS "/run/caisson-users"

/*
 * Chooses a block of the users that exist here, and locks it in the file
 * claims, which is made if it is missing. Returns 0, or -1 with err when we are
 * root and there are no other users. Must succeed before the others are used.
 */
int identity_init(const char *claims, struct err *err);

/* Returns -1 with err where identity_init would; locks and makes nothing. */
int identity_check(struct err *err);

/* The user of every relay, of the box of this number; 0: the one we are. */
unsigned int identity_relay(void);
unsigned int identity_box(unsigned long number);

/* The user of templates, and those of all boxes. */
unsigned int identity_template(void);
void identity_boxes(unsigned int *first, unsigned int *count);

/* spawn.c: the only fork and exec. */

/*
 * Finds the workers beside the running program. Returns 0, or -1 with err
 * naming what is missing. Must succeed before spawn_worker is used.
 */
int spawn_init(struct err *err);

/*
 * Starts the binary of a role: channel (blocking or not, as it is) becomes its
 * descriptor 3, 0 is /dev/null, 1 and 2 are our log, nothing else is open, the
 * environment is empty, no_new_privs is set, it is a session of its own. It
 * gets uid as user and group; 0 keeps ours. It begins in the cgroup whose
 * folder group is; -1: in ours. Returns 0 and its pidfd, which the caller owns,
 * or -1 with err. Neither channel nor group is closed.
 */
int spawn_worker(enum role role, unsigned long number, unsigned int uid,
    int group, int channel, int *pidfd, struct err *err);

/* Tries whether a child can begin in this cgroup: 0, or -1 with err. */
int spawn_try_group(int group, struct err *err);

/* worker.c: a worker with a channel to it. */

/*
 * Starts a worker of the role ends->peer with spawn_worker, whose number, uid
 * and group these are. Returns the channel to it and its pidfd, both of which
 * the caller owns, or NULL with err.
 */
struct channel *worker_start(struct event_base *base,
    const struct channel_ends *ends, unsigned long number, unsigned int uid,
    int group, int *pidfd, struct err *err);

/* worker_try.c */

/*
 * Starts a worker of this role (relay, broker, reader or store) as calls do,
 * without any work, and waits until it has ended, which it does at once. Runs
 * the loop meanwhile. Returns 0, or -1 with err: how it ended and what it said,
 * such as the library that is missing, and the fix.
 */
int worker_try(struct event_base *base, enum role role, struct err *err);

/* launcher.c: who builds a box. */

/*
 * Has a launcher for one box, which takes SETUP next: ends->peer is ROLE_BOX,
 * number that of the execution (or of the place in a pool), group what limits
 * the box, or NULL. With own no template is asked. Returns the channel to it
 * and its pidfd, both of which the caller owns, or NULL with err. The pidfd is
 * -1 where the launcher is not known yet.
 */
struct channel *launcher_start(struct supervisor *sv,
    const struct channel_ends *ends, unsigned long number, int own,
    const struct group *group, int *pidfd, struct err *err);

/*
 * The soft limit of a resource (descriptors, or the size of files) before we
 * raised ours: servers start with it. RLIM_INFINITY: it was not raised.
 */
void spawn_remember_limit(int resource, rlim_t soft);

/*
 * The program of a server, and what it finds when it starts. The descriptors
 * are above 2 and become its 0, 1 and 2; nothing else is open in it.
 */
struct spawn_program {
	const char *path; /* with a slash */
	char **argv;
	char **envp;
	const char *cwd; /* NULL: ours */
	int in;
	int out;
	int errors;
};

/*
 * Starts a keeper of that number, which starts the program as the user that we
 * are, in a session of its own, and ends as it ends. Returns 0 and the pidfd
 * of the keeper, which the caller owns, or -1 with err. No descriptor of
 * program is closed; nothing of it is needed afterwards.
 */
int spawn_server(unsigned long number, const struct spawn_program *program,
    int *pidfd, struct err *err);

/*
 * For keepers: starts the program as a child that dies with us. What cannot be
 * done for it is a line in its errors and SPAWN_COMPLAINED as its end. Returns
 * its pid, or -1 with errno.
 */
pid_t spawn_program(const struct spawn_program *program);

/* For keepers: "cannot WHAT PATH: why (errno)" to the errors, and the end. */
void spawn_complain(const struct spawn_program *program, const char *what,
    const char *path) __attribute__((noreturn));

/* What a shell says of a command that it cannot run. */
#define SPAWN_COMPLAINED 127

/* keeper.c: the process between us and a server. */

/* What it can be told: to ask the server to end; to kill it with all it has. */
#define KEEPER_ASK SIGTERM
#define KEEPER_KILL SIGUSR1

/*
 * Is the keeper, in the child of a fork with every signal blocked, until
 * nothing is left of the program; also when supervisor, our parent, has ended.
 */
void keeper_run(unsigned long number, pid_t supervisor,
    const struct spawn_program *program) __attribute__((noreturn));

/* children.c: the processes whose parent we are. */

/* Told of a child, running or ended. Returns whether it counts. */
typedef int children_found(void *ctx, pid_t pid);

/*
 * Calls found for every child, and returns how many counted. One that is born
 * or reaped meanwhile may be missed, but not the only one there is.
 */
size_t children_each(children_found *found, void *ctx);

/*
 * Kills a child that is not reaped yet, so that its number holds, and all of
 * its process group, unless that is ours: the kernel lets nobody be born into a
 * group that is being killed, so that who forks and ends all the time cannot
 * run away from that. Returns whether the child could be killed.
 */
int children_kill(pid_t pid);

/* reaper.c: children and their ends, by pidfd. */

struct child_end {
	int code;   /* CLD_EXITED, CLD_KILLED or CLD_DUMPED */
	int status; /* exit status or signal; signal 0: not known */
	struct rusage usage;
};

typedef void child_ended(void *ctx, const struct child_end *end);

/*
 * Begins to reap children that nobody watches, those included whose parent was
 * below us; base outlives them all.
 */
void reaper_init(struct event_base *base);

/*
 * While a box is being built its processes are our children, but not watched
 * yet: unwatched children are not reaped between the two calls, which come in
 * pairs.
 */
void reaper_hold(void);
void reaper_release(void);

/*
 * Waits for a child of ours, whose pidfd is taken; ended is called once when
 * it has been reaped, and the child is freed then. Returns NULL with err when
 * the descriptor is no pidfd of a child of ours.
 */
struct child *reaper_watch(struct event_base *base, int *pidfd,
    child_ended *ended, void *ctx, struct err *err);

/* Whether it still runs. NULL is accepted: it does not. */
int reaper_alive(const struct child *child);

/* Kills it (SIGKILL); its end is told as usual. NULL is accepted. */
void reaper_kill(struct child *child);

/* Sends it a signal, unless it has ended. NULL is accepted. */
void reaper_signal(struct child *child, int sig);

/*
 * With what it is ended when it is forgotten, and at the end of the program:
 * SIGKILL, where nothing is said.
 */
void reaper_finish_with(struct child *child, int sig);

/* Ends it with that; its end is told as usual. NULL is accepted. */
void reaper_end(struct child *child);

/*
 * Ends it and forgets it: it is reaped in the background, without notice.
 * NULL is accepted; *child becomes NULL.
 */
void reaper_forget(struct child **child);

/*
 * The same for a child that does nothing any more: it is ended in a moment,
 * with all others that were left meanwhile, when fewer wait for the processors.
 */
void reaper_leave(struct child **child);

/*
 * Kills the children that nobody watches, and theirs: what is left when
 * somebody was killed who had children. Now, or when no box is being built.
 */
void reaper_kill_orphans(void);

/*
 * Ends every child there is, watched or not, and reaps them all, for at most
 * ms; children that run on after half of it are killed.
 */
void reaper_finish(unsigned int ms);

/* answer.c: the result of a call as MCP wants it. */

/* How it is written: the words of the option output_mode, in their order. */
enum answer_mode {
	ANSWER_COMPACT,
	ANSWER_TOON,
	ANSWER_JSON,
};

/* Returns the name of a signal, such as SIGKILL; the caller frees it. */
char *answer_signal(int number);

/* Appends the CallToolResult object of a concluded call, one line. */
void answer_add(struct buffer *buffer, const struct call_result *result,
    const struct options *options);

/* Appends the CallToolResult of a call that was refused before it ran. */
void answer_add_refusal(struct buffer *buffer, const char *status,
    const char *message, const struct options *options);

/* mcp.c: one MCP session: the methods. */

struct mcp *mcp_new(struct supervisor *sv, struct client *client);

/* Handles the lines that are there; answers go to the client, now or later. */
void mcp_on_lines(struct mcp *mcp, struct lines *lines);

/* The client is gone: every call of the session is cancelled, unanswered. */
void mcp_on_end(struct mcp *mcp);

/* Forgets the session; none of its calls may still conclude. */
void mcp_free(struct mcp **mcp);

/* texts.c: what we say about ourselves. */

/* Appends the result of initialize, of tools/list, of resources/…. */
void texts_add_initialize(struct buffer *buffer, const char *version);
void texts_add_tools(struct buffer *buffer, const struct options *options);
void texts_add_resources(struct buffer *buffer);
void texts_add_capabilities(
    struct buffer *buffer, const struct options *options);

#define TEXTS_CAPABILITIES_URI "resource://caisson/capabilities"
#define TEXTS_TOOL "run_python"

/* client.c: the MCP client on stdin and stdout. */

/*
 * Takes over both descriptors. ended is called once, when the client is gone
 * (end of input, or an output without a reader).
 */
struct client *client_new(struct supervisor *sv, int *in, int *out,
    void (*ended)(void *ctx), void *ctx);
void client_free(struct client **client);

/* Sends whole lines; the buffer is emptied. */
void client_send(struct client *client, struct buffer *lines);

/* Whether so much is unsent that no new work should be accepted. */
int client_busy(const struct client *client);

/* Whether everything has been handed to the system. */
int client_flushed(const struct client *client);

/* print_config.c */

/*
 * Reads the configuration of servers and prints to stdout what it says, and
 * frees the loop. Returns 0, or -1 with err.
 */
int print_config_run(struct supervisor *sv, char **envp, struct err *err);

/* servers_try.c */

/*
 * Starts each server that is configured, prints its tools or its error to
 * stdout, and frees the loop. Returns the exit status: 0, or 1 when one of
 * them failed.
 */
int servers_try_run(struct supervisor *sv);

/* kept.c */

/*
 * Does what options.command says about what is kept, prints that to stdout, and
 * frees the loop. Returns the exit status: 0, or 1 when it could not be done.
 */
int kept_run(struct supervisor *sv);

/* selftest.c */

/*
 * Tries every promise of the box by doing; prints one line each to stdout.
 * Returns the exit status: 0, or 1 when one does not hold.
 */
int selftest_run(struct supervisor *sv);

#endif
