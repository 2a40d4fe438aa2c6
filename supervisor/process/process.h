/*
 * Processes: every fork, exec, kill and wait of the supervisor, and the users
 * of its workers. A security review of these can begin and end in this folder,
 * with one exception: where boxes have cgroups, group.c in the folder box kills
 * all processes of one by writing to its file cgroup.kill.
 */
#ifndef SUPERVISOR_PROCESS_H
#define SUPERVISOR_PROCESS_H

#include <signal.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "../../common/channel.h"
#include "../../common/err.h"
#include "../../common/role.h"

struct child;
struct event_base;

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

/* What a keeper does from the fork on; it never returns. */
typedef void spawn_keeper_run(unsigned long number, pid_t supervisor,
    const struct spawn_program *program);

/*
 * Forks a keeper of that number, which runs run with every signal blocked.
 * Returns 0 and its pidfd, which the caller owns, or -1 with err. No
 * descriptor of program is closed; nothing of it is needed afterwards.
 */
int spawn_keeper(unsigned long number, const struct spawn_program *program,
    spawn_keeper_run *run, int *pidfd, struct err *err);

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

/* worker.c: a worker with a channel to it. */

/*
 * Sets the handlers of all messages to the supervisor, static. Must be called
 * before the others are used.
 */
void worker_init(channel_handler *const *routes);

/* As closed of struct channel_ends. */
typedef void worker_closed(void *ctx, const struct err *why);

/* Returns the ends of a channel between the supervisor and such a peer. */
struct channel_ends worker_ends(
    enum role peer, worker_closed *closed, void *ctx);

/*
 * Starts a worker of the role ends->peer with spawn_worker, whose number, uid
 * and group these are. Returns the channel to it and its pidfd, both of which
 * the caller owns, or NULL with err.
 */
struct channel *worker_start(struct event_base *base,
    const struct channel_ends *ends, unsigned long number, unsigned int uid,
    int group, int *pidfd, struct err *err);

/*
 * service.c: a worker that serves for long, started when it is needed, and
 * again when it has died. Part of what it belongs to, which sets the first
 * four; never copied once it was started.
 */
struct service {
	struct event_base *base;
	enum role role;
	worker_closed *closed; /* the channel is at its end: service_end */
	void *ctx;             /* of closed, and of the handlers */
	struct channel *channel; /* NULL: it does not run */
	struct child *process;
	unsigned long starts; /* so far: the number of the last */
};

/*
 * Starts it as that user (0: as we are), when it does not run. Returns 0, or -1
 * with err: then service_end is due.
 */
int service_start(struct service *service, unsigned int uid, struct err *err);

/* Whether it has ended, which its channel is yet to tell. */
int service_has_died(const struct service *service);

/* Ends it, if it runs. */
void service_end(struct service *service);

/*
 * Calls ask with ctx and question, which starts the service if need be, sends
 * something, and returns a descriptor or 0, or -1 with err after it has ended
 * the service. If it had died unnoticed, or died while it was started, ask is
 * called once more. Returns what ask does.
 */
int service_ask(struct service *service,
    int (*ask)(void *ctx, void *question, struct err *err), void *question,
    struct err *err);

/* keeper.c: the process between us and a server. */

/* What it can be told: to ask the server to end; to kill it with all it has. */
#define KEEPER_ASK SIGTERM
#define KEEPER_KILL SIGUSR1

/*
 * Starts a keeper of that number, which starts the program as the user that we
 * are, in a session of its own, and ends as it ends, when nothing is left of
 * it; also when we have ended. Returns as spawn_keeper.
 */
int keeper_start(unsigned long number, const struct spawn_program *program,
    int *pidfd, struct err *err);

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
 * Begins to reap children that are not watched, those included whose parent was
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
 * Kills the children that are not watched, and theirs: they are left when a
 * process that had children was killed. Now, or when no box is being built. Who
 * executed us may have had children: those are let alone, but what they leave
 * behind when they end cannot be told from the rest, and is killed. A process
 * group is killed with an orphan, unless a child that is watched is in it.
 */
void reaper_kill_orphans(void);

/*
 * Ends every child there is, watched or not, but for those from before we were
 * executed, and reaps them all, for at most ms; children that run on after half
 * of it are killed.
 */
void reaper_finish(unsigned int ms);

/* signal_name.c */

/* Returns the name of a signal, such as SIGKILL; the caller frees it. */
char *signal_name(int number);

#endif
