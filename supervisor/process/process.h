/*
 * Processes: every fork, exec, kill and wait of the supervisor, and the users
 * of its workers. A security review of these needs only this directory, with
 * one exception: where boxes have cgroups, ../box/cgroup/group.c kills all
 * processes of a box by writing to its file cgroup.kill.
 */
#ifndef SUPERVISOR_PROCESS_H
#define SUPERVISOR_PROCESS_H

#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "../../common/ipc/channel.h"
#include "../../common/base/err.h"
#include "../../common/limits.h"
#include "../../common/role.h"

struct buffer;
struct child;
struct event_base;
struct options;

/* identity.c: the users of workers and boxes when Caisson runs as root. */

/* The file in which processes of root reserve users for their boxes. */
#define IDENTITY_CLAIMS "/run/caisson-users"

/*
 * Chooses a block of the users that exist here, and locks it in the file
 * claims, which is created if it is missing. Returns 0, or -1 with err if
 * Caisson runs as root and there are no other users. Must succeed before the
 * other functions are called.
 */
int identity_init(const char *claims, struct err *err);

/* Returns -1 with err if identity_init would; creates and locks nothing. */
int identity_check(struct err *err);

/*
 * Return the user of all workers that roles.def calls NOBODY, of those that it
 * calls LOGINS, which is the same for every Caisson, and of the box of this
 * number; 0: our own.
 */
unsigned int identity_nobody(void);
unsigned int identity_logins(void);
unsigned int identity_box(unsigned long number);

/* Return the user of templates, and the range of users of all boxes. */
unsigned int identity_template(void);
void identity_boxes(unsigned int *first, unsigned int *count);

/* spawn.c: the only fork and exec. */

/*
 * Finds the workers beside the running program. Returns 0, or -1 with err,
 * which names the missing binary. Must succeed before spawn_worker is called.
 */
int spawn_init(struct err *err);

/*
 * Starts the binary of a role in a session of its own. Its descriptor 3 is
 * channel, which stays blocking or non-blocking; 0 is /dev/null; 1 and 2 are
 * our log; no other is open. Its environment is empty and no_new_privs is set.
 * Its user and group are uid; 0 keeps ours. It starts in the cgroup of the
 * directory descriptor group; -1: in our cgroup. Returns 0 and its pidfd, which
 * the caller owns, or -1 with err. Closes neither channel nor group.
 */
int spawn_worker(enum role role, unsigned long number, unsigned int uid,
    int group, int channel, int *pidfd, struct err *err);

/* Tests whether a child can start in this cgroup: 0, or -1 with err. */
int spawn_try_group(int group, struct err *err);

/*
 * Stores the soft limit that a resource (descriptors, or the size of files) had
 * before we raised ours. Servers start with it. RLIM_INFINITY: not raised.
 */
void spawn_remember_limit(int resource, rlim_t soft);

/*
 * A program below a keeper: a server, the client of a container engine or a
 * command. The descriptors are above 2 and become its 0, 1 and 2; it gets no
 * others.
 */
struct spawn_program {
	const char *path; /* contains a slash */
	char **argv;
	char **envp; /* its environment */
	const char *cwd; /* NULL: ours */
	int in;
	int out;
	int errors;
	/*
	 * For the client of a container engine: the command line that removes
	 * its container, whose first text contains a slash and whose last one
	 * is the name of the container; and how long that may take, in
	 * milliseconds. NULL: there is no container. The same as argv: the
	 * program does nothing but remove a container.
	 */
	char **remove;
	unsigned int remove_ms;
	/*
	 * For an engine that fails to remove a container while it is removing
	 * it: the command line that prints something if the container exists,
	 * and exits with 0. NULL: the engine cannot be asked.
	 */
	char **find;
	/* The container may exist although its client has ended by itself. */
	bool outlives;
};

/* The code of a keeper after the fork; it never returns. */
typedef void spawn_keeper_run(unsigned long number, pid_t supervisor,
    const struct spawn_program *program);

/*
 * Forks a keeper of that number, which calls run with every signal blocked.
 * Returns 0 and its pidfd, which the caller owns, or -1 with err. Closes no
 * descriptor of program; the caller may free program afterwards.
 */
int spawn_keeper(unsigned long number, const struct spawn_program *program,
    spawn_keeper_run *run, int *pidfd, struct err *err);

/*
 * Keeps our own program open, for keepers, which execute it again. Without this
 * they do not.
 */
void spawn_self_open(void);

/* Returns its descriptor, which the caller does not close, or -1. */
int spawn_self_fd(void);

/* For keepers: executes it, with the limits of servers; returns on failure. */
void spawn_self_again(char **argv, char **envp);

/*
 * For keepers: starts the program as a child, which is killed when the keeper
 * ends. If the program cannot be started, the child writes a line to its
 * standard error and exits with SPAWN_COMPLAINED. Returns its pid, or -1 with
 * errno.
 */
pid_t spawn_program(const struct spawn_program *program);

/*
 * Becomes a program, the absolute path argv[0], with the limits and signals
 * that we had, for a command that is one. Returns -1 with err if that fails.
 */
int spawn_instead(char *const *argv, char **envp, struct err *err);

/*
 * Before anything is started: runs such a program to its end, for which it is
 * waited, unless it prints nothing for this time. Returns 0 if it exits with 0,
 * or -1 with err, which has the first line that it has printed.
 */
int spawn_try(char *const *argv, char **envp, unsigned int ms, struct err *err);

/* For keepers: writes "cannot WHAT PATH: why (errno)" to errors, and exits. */
void spawn_complain(const struct spawn_program *program, const char *what,
    const char *path) __attribute__((noreturn));

/* The exit status of a shell for a command that it cannot run. */
#define SPAWN_COMPLAINED 127

/* beside.c: files that are installed with the workers. */

/* Returns the absolute path of this file, which the caller frees, or NULL. */
char *process_beside(const char *name);

/* worker.c: a worker with a channel to it. */

/*
 * Sets the handlers of all messages to the supervisor, a static table. Must be
 * called before the other functions.
 */
void worker_init(channel_handler *const *routes);

/* As the callback closed of struct channel_ends. */
typedef void worker_closed(void *ctx, const struct err *why);

/*
 * Returns the ends of a channel between the supervisor and such a peer. closed
 * NULL: ctx is the loop, which exits, since only this channel is waited for.
 */
struct channel_ends worker_ends(
    enum role peer, worker_closed *closed, void *ctx);

/*
 * Starts a worker of the role ends->peer by spawn_worker with this number and
 * group, as the user of its row in roles.def; uid is that of a BOX. Returns the
 * channel to it, and its pidfd, both of which the caller owns; or NULL with
 * err.
 */
struct channel *worker_start(struct event_base *base,
    const struct channel_ends *ends, unsigned long number, unsigned int uid,
    int group, int *pidfd, struct err *err);

/*
 * service.c: a worker that runs for long: one row of roles.def. It is started
 * when it is needed; it is ended, and started again, if it exits, violates the
 * protocol or cannot be sent to. A struct service is part of the struct of its
 * owner, which sets the first part. It must not be copied once it was started.
 */
struct service {
	struct event_base *base;
	enum role role;
	void *ctx; /* of the handlers of its messages, and of these functions */
	/*
	 * Starts it by service_start, and sends it its first messages. Returns
	 * 0, or -1 with err.
	 */
	int (*start)(void *ctx, struct err *err);
	/* It has ended: forgets what it was told, without callbacks. */
	void (*forget)(void *ctx);
	/*
	 * Called from the loop after forget, unless its owner has ended it:
	 * tells who waits. why follows "the NAME process", for users.
	 */
	void (*failed)(void *ctx, const char *why);
	unsigned int again_ms; /* it is started again after this time; 0: when
	                        * it is needed */
	bool lingers; /* at the end of the program it exits by itself */
	bool leaving; /* it was told to exit */

	struct channel *channel; /* NULL: not running */
	struct child *process;
	unsigned long starts; /* number of starts, and of the last worker */
	unsigned int early; /* of these, the last that each soon followed */
	uint64_t rests_ms;    /* it is not started before this time */
	struct event *timer;
	const char *why; /* for failed, which is pending; or NULL */
};

/*
 * Whether it may be started at this time: one that was started several times in
 * quick succession rests, twice as long each time. Returns 0, or -1 with err.
 */
int service_may_start(
    struct service *service, uint64_t now_ms, struct err *err);

/*
 * Starts the worker, as the user that its row of roles.def names. Returns 0, or
 * -1 with err.
 */
int service_start(struct service *service, struct err *err);

/* Has it started unless it is running. Returns 0, or -1 with err. */
int service_want(struct service *service, struct err *err);

/* Returns sent. If that is -1, the worker cannot be sent to, and is ended. */
int service_sent(struct service *service, int sent, const struct err *err);

/* It has not answered for too long: ends it. */
void service_hang(struct service *service);

/* By the ctx of the handlers: it has violated the protocol, and is ended. */
void service_violate(void *ctx, const char *what);

/* The same for another channel of it that has closed: why is not NULL. */
void service_closed(void *ctx, const struct err *why);

/* Ends it for its owner, who may want it again, without calling failed. */
void service_stop(struct service *service);

/*
 * At the end of the program, before reaper_finish: closes the channels of all
 * that linger.
 */
void services_finish(void);

/*
 * Calls ask with ctx and question. ask wants the service and sends a request;
 * it returns a descriptor or 0, or -1 with err. If the worker had ended without
 * notice, or ended during its start, ask is called a second time. Returns the
 * result of ask.
 */
int service_ask(struct service *service,
    int (*ask)(void *ctx, void *question, struct err *err), void *question,
    struct err *err);

/* keeper.c: the process between the supervisor and a server. */

/* Its signals: ask the server to end; kill the server and its descendants. */
#define KEEPER_ASK SIGTERM
#define KEEPER_KILL SIGUSR1

/*
 * Exit statuses by which the client of podman or docker may report that the
 * engine failed (125), could not start the container (126), or did not find the
 * command (127). podman also exits with 127 if the monitor of the container was
 * killed. Code can exit with each of them.
 */
enum {
	KEEPER_ENGINE_FAILED = 125,
	KEEPER_ENGINE_NOT_STARTED = 126,
	KEEPER_ENGINE_NOT_FOUND = 127,
};

/*
 * Starts a keeper of that number. The keeper starts the program as our user, in
 * a session of its own. It exits with the status of the program, once no
 * process of the program is left; it also ends the program when we have ended.
 * With program->remove it has the container removed before it exits, unless the
 * exit status of the client says that the engine has done so. If the engine
 * hangs, the keeper exits all the same, after about twice remove_ms. Both
 * signals remove the container. Returns as spawn_keeper.
 */
int keeper_start(unsigned long number, const struct spawn_program *program,
    int *pidfd, struct err *err);

/*
 * Runs the keeper in a forked child with every signal blocked. It runs until no
 * process of the program is left. When supervisor, its parent, ends, it ends
 * the program.
 */
void keeper_run(unsigned long number, pid_t supervisor,
    const struct spawn_program *program) __attribute__((noreturn));

/*
 * For the start of the program caisson. Does not return if the command line is
 * that of a keeper, which has executed the program again. Otherwise keepers
 * that are started from now on do that.
 */
void keeper_resume(int argc, char **argv);

/*
 * process_limits.c: raises the limits of this process for these options and
 * that many boxes that wait. Returns 0, or -1 with err.
 */
int process_limits_raise(
    const struct options *options, unsigned int waiting, struct err *err);

/*
 * stop_signals.c: the signals that end us: SIGINT, SIGTERM, and SIGHUP, which
 * may also have us read the settings again. Nothing in this process may handle
 * a signal in another way while workers are started: a handler could run in a
 * child that still shares our memory.
 */

struct stop_signals;

/* Called from the loop for each such signal, with its number. */
typedef void stop_signals_received(void *ctx, int number);

/*
 * Blocks these signals, and receives them through a descriptor. The caller
 * frees the result with stop_signals_free. Ends the program if there is no
 * descriptor for it. Equal signals that arrive before the loop reads them count
 * as one.
 */
struct stop_signals *stop_signals_new(struct event_base *base,
    stop_signals_received *received, void *ctx);

/*
 * Receives no more. They stay blocked: a signal during the teardown must not
 * kill us. NULL inside is accepted.
 */
void stop_signals_free(struct stop_signals **signals);

/* children.c: the children of the calling process. */

/* Called for a child, running or ended. Returns whether it counts. */
typedef int children_found(void *ctx, pid_t pid);

/*
 * Calls found for every child, and returns how many counted. It can miss a
 * child that starts or is reaped meanwhile, but never an only child.
 */
size_t children_each(children_found *found, void *ctx);

/*
 * Kills a child that is not reaped yet, so that its number is still valid, and
 * its process group, unless that is ours. The kernel lets no process fork into
 * a group that is being killed, so a process that forks and exits repeatedly
 * cannot escape. Returns whether the child could be killed.
 */
int children_kill(pid_t pid);

/* reaper.c: children and their ends, by pidfd. */

struct child_end {
	int code;   /* CLD_EXITED, CLD_KILLED or CLD_DUMPED */
	int status; /* exit status or signal; signal 0: unknown */
	struct rusage usage;
};

typedef void child_ended(void *ctx, const struct child_end *end);

/*
 * Starts to reap unwatched children, including those whose former parent was
 * our descendant. base must outlive all children.
 */
void reaper_init(struct event_base *base);

/*
 * Between these two calls, unwatched children are not reaped. They are called
 * in pairs around the construction of a box, whose processes are already our
 * children but not watched yet.
 */
void reaper_hold(void);
void reaper_release(void);

/*
 * Waits for a child of ours, and takes its pidfd, which spawn.c has opened or a
 * message has brought as one of the kind PIDFD. ended is called once, when the
 * child has been reaped; then the struct is freed.
 */
struct child *reaper_watch(
    struct event_base *base, int *pidfd, child_ended *ended, void *ctx);

/*
 * As reaper_watch, for a child whose end nothing waits for: it is reaped with
 * others, about REAPER_SWEEP_MS after its end. This takes fewer system calls.
 */
struct child *reaper_watch_idly(
    struct event_base *base, int *pidfd, child_ended *ended, void *ctx);

/*
 * Says that nothing of ours stops this child, and that others wait for it: if a
 * signal has stopped it for WORKER_STOPPED_MS, it is killed.
 */
void reaper_keep_running(struct child *child);

/* From now on its end is reported at once. NULL is accepted. */
void reaper_hurry(struct child *child);

/*
 * As reaper_hurry; but if a child of reaper_watch_idly has ended already, its
 * end is reported before this returns 1. Otherwise returns 0. Not to be called
 * where an end is being reported, because the reaper may still hold this child.
 */
int reaper_look(struct child *child);

/* Returns the number of a child that is not reaped yet; 0: unknown. */
pid_t reaper_pid(struct child *child);

/* Returns whether it is still running. NULL is accepted: 0. */
int reaper_alive(const struct child *child);

/* Returns whether all of n children are, at most REAPER_ALIVE_MAX. */
int reaper_all_alive(const struct child *const *children, size_t n);

/* Kills it (SIGKILL); ended is called as usual. NULL is accepted. */
void reaper_kill(struct child *child);

/* Sends it a signal unless it has ended. NULL is accepted. */
void reaper_signal(struct child *child, int sig);

/*
 * Returns the CPU time of a child with all its threads, in microseconds; 0 if
 * it is unknown. NULL is accepted.
 */
uint64_t reaper_cpu_us(struct child *child);

/*
 * Sets the signal that ends the child in reaper_end, reaper_forget,
 * reaper_leave, reaper_let_end and at the end of the program. Default: SIGKILL.
 */
void reaper_finish_with(struct child *child, int sig);

/* Sends it that signal; ended is called as usual. NULL is accepted. */
void reaper_end(struct child *child);

/*
 * Sends it that signal and reaps it in the background, without a call of ended.
 * NULL is accepted; *child becomes NULL.
 */
void reaper_forget(struct child **child);

/*
 * As reaper_forget, for a child that is idle: it gets its signal a moment
 * later, together with other such children, when the processors are less busy.
 */
void reaper_leave(struct child **child);

/*
 * As reaper_leave, for a child that is about to exit: usually it is reaped
 * before it would get the signal.
 */
void reaper_leave_ending(struct child **child);

/*
 * For a child that is about to end by itself: from now on its end is reported
 * to ended, with ctx. It gets its signal if it still runs after ms
 * milliseconds.
 */
void reaper_let_end(
    struct child *child, unsigned int ms, child_ended *ended, void *ctx);

/*
 * Kills unwatched children and their descendants, which are left when a process
 * that had children was killed. Acts at once, or when no box is being built.
 * Children from before we were executed are spared; but if they leave children
 * of their own, those look like orphans and are killed. The process group of an
 * orphan is killed with it, unless a watched child is in that group.
 */
void reaper_kill_orphans(void);

/*
 * Ends and reaps all children, watched or not, except those from before we were
 * executed. Takes at most ms milliseconds; children still running after half of
 * that time are killed.
 */
void reaper_finish(unsigned int ms);

/*
 * keeper.c: starts a keeper, and watches it as reaper_watch does. KEEPER_KILL
 * ends it. Returns NULL with err.
 */
struct child *keeper_watch(struct event_base *base, unsigned long number,
    const struct spawn_program *program, child_ended *ended, void *ctx,
    struct err *err);

/* foreign.c: the end of a process that is not our child. */

struct foreign;

/*
 * Watches a process. ended is called once and may free it; its parent may not
 * have waited for it yet. If pid is not the number of a child, it may be that
 * of another process by now: the caller must look again. Returns NULL with err
 * if there is no such process.
 */
struct foreign *foreign_watch(struct event_base *base, pid_t pid,
    void (*ended)(void *ctx), void *ctx, struct err *err);

/* Returns whether it has not ended. */
int foreign_alive(const struct foreign *foreign);

/* Stops watching it. NULL inside is accepted; *foreign becomes NULL. */
void foreign_free(struct foreign **foreign);

/* signal_name.c */

/* Returns the name of a signal, such as SIGKILL; the caller frees it. */
char *signal_name(int number);

/* Returns how a child has ended, such as "exited with code 1"; likewise. */
char *signal_or_code(const struct child_end *end);

#endif
