/*
 * What is around calls in their tests: the test is the relay, the box and its
 * processes, the broker, the store, the pool and the client. Whatever happens
 * in whatever order, a call is concluded once, with the right words, and leaves
 * nothing behind: every test counts descriptors and children. Times are long,
 * or short where that is the matter of a test.
 */
#ifndef TESTS_UNIT_CALL_PLAY_H
#define TESTS_UNIT_CALL_PLAY_H

#include <sys/types.h>

#include "supervisor/box/native.h"
#include "supervisor/process/process.h"
#include "supervisor/run/run.h"
#include "supervisor/servers/in_force.h"
#include "supervisor/supervisor.h"
#include "common/ipc_socket.h"
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
	pid_t init, code;
	int code_line; /* a byte through it ends the code */
	int init_line; /* the same for init */
	int group;     /* of the box: stands for a descriptor; 0: none */
	/* What was concluded. */
	unsigned int concluded;
	struct call_result result;
	struct native_facts facts; /* without their texts */
	char *servers; /* of the result */
	int bound; /* the result said why */
	int weak;      /* as the result was */
};

extern struct supervisor sv;
extern struct play plays[PLAYS_MAX]; /* by number, from 1 */
/* The play that has this box, by its number. */
extern struct play *boxes[BOXES_MAX];
extern enum role unspawnable; /* ROLES: each can start */
extern struct owner an_owner;
extern struct owner *asking; /* the owner of the next calls: that one */
extern const struct language *spoken; /* by the next calls; NULL: the first */
extern struct server_texts asked; /* the servers of the next calls */
extern call_progressed *watching; /* the next calls; NULL: none */
extern const char *talk; /* the conversation of the next calls, or NULL */
extern struct server_texts loaded; /* those of the last grant */
extern const char *grants_refused; /* why there are none */
extern const char *store_refused; /* the same */
extern unsigned int idles;
/* The template that is asked next has just died. */
extern int dying_template;
extern int forking_template;
extern const char *left; /* what the next boxes have for files to keep */
extern int waiting_template; /* it is asked, but waits for a launcher */
extern unsigned int killed_templates;
/* What groups are asked for, and what they tell. */
extern struct group_usage usage;
extern int ungroupable, unreadable; /* no group can be made; be read */
extern unsigned int group_kills, group_frees;
/* The one box of the pool, and how often the pool was woken. */
extern struct box *waiting_box;
extern unsigned int wakes;
extern size_t noffered; /* so many servers are there */
extern struct ipc_packet packet; /* the last one that was received */

int is_gone(pid_t pid);
int open_pidfd(pid_t pid);

/* Returns when it has none of our descriptors any more. */
pid_t make_process(int line);

/* Lets everything happen that can happen at once. */
void settle(void);
void wait_until_concluded(const struct play *play);
void wait_until_gone(pid_t pid);
void offer_servers(void);
void open_stage(void);
void forget_play(struct play *play);

/* Nothing may be left: no call, no child, no event, no descriptor. */
void close_stage(void);

/* Returns the play of a new call, NULL with err when it is refused. */
struct play *try_call(unsigned int timeout, struct err *err);
struct play *new_call(void);
void was_concluded(const struct play *play, enum call_status status,
    const char *error);
void printed(const struct play *play, const char *out, const char *errors);

/* What a worker was sent; its descriptors belong to msg. */
void receive(struct play *play, enum role role, enum ipc_type wanted,
    union ipc_any *msg);
void send_as(struct play *play, enum role role, enum ipc_type type, void *msg);

/* A relay that has been prepared gets code. */
void receive_start(struct play *play, union ipc_any *msg);

/* Both workers take what they were sent. */
void take_requests(struct play *play);

/* A call whose workers have what they need. */
struct play *start_call(void);

/* Says who the processes of the box are. */
void box_starts(struct play *play);

/* The same with reduced isolation: the guard ends as the code does. */
void guard_stands(struct play *play);

/* The box stands: its processes were adopted. */
void box_stands(struct play *play);

/* The interpreter runs: the channel of the box is closed there. */
void box_lets_go(struct play *play);
void box_fails(struct play *play, const char *reason);
void relay_runs(struct play *play);
void relay_faults(struct play *play);
void relay_is_done(struct play *play);

/* The box cannot be built, as there were only too many processes. */
void box_fails_for_now(struct play *play);
void relay_dies(struct play *play);

/* The code ends by itself; waits until that was seen. */
void code_ends(struct play *play, char how, int number);

/* The box stands and its code runs. */
void run_box(struct play *play);

/* A call whose code runs. */
struct play *run_call(void);

/* After a kill: the pipes of the box are closed, so the relay concludes. */
void box_was_killed(struct play *play);
void send_garbage(struct play *play, enum role role);
uint64_t now_ms(void);
void code_exits(struct play *play);

/* The code ends by itself, and all is said. */
void end_well(struct play *play);
void open_stage_with_cgroup(void);

/* Ends a process; the supervisor does not hear of it yet. */
void end_unheard(pid_t pid, int line, char how, int number);

#endif
