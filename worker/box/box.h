/*
 * The box: what its files share. caisson-box is three processes in turn: the
 * launcher, which the supervisor starts, which makes the namespaces and the
 * view and then ends; the init, process 1 of the box, which only lives and
 * dies; and the code, which gives up everything and becomes the interpreter.
 * main.c lists the steps of each. At the weaker level there are no namespaces:
 * the init is a guard instead, which kills what the code leaves behind.
 */
#ifndef WORKER_BOX_BOX_H
#define WORKER_BOX_BOX_H

#include <sched.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "../../common/box_step.h"
#include "../../common/box_usage.h"
#include "../../common/buffer.h"
#include "../../common/err.h"
#include "../../common/ipc.h"
#include "../../common/limits.h"

/* Descriptors by agreement with spawn, and with the bootstrap. */
#define BOX_CHANNEL_FD 3
#define BOX_CONTROL_IN_FD 3
#define BOX_CONTROL_OUT_FD 4

/* And with a template, which holds the line to its init while it lives. */
#define BOX_PRINTED_FD 4
#define BOX_LIFE_FD 5

/* Where the bootstrap lies in the view; the directory relative to its root. */
#define BOX_DATA_DIR "opt/caisson"
#define BOX_BOOTSTRAP "/" BOX_DATA_DIR "/bootstrap.py"
/* What a template has besides: a path, or the names of modules, in each. */
#define BOX_PRELOAD_FILE BOX_DATA_DIR "/preload"
#define BOX_TREES_FILE BOX_DATA_DIR "/trees"
#define BOX_EMPTY_DIR BOX_DATA_DIR "/empty"

/* Exists everywhere; covered in our own mount namespace only. */
#define BOX_STAGE "/tmp"

/*
 * A part of the host that is shown in the view: a directory through an
 * overlay, a device bound, a file copied.
 */
struct box_tree {
	const char *path; /* absolute, the same outside and inside */
	int fd;     /* a copy of the mount, -1 until it is opened */
	unsigned int directory : 1;
	unsigned int device : 1;
	unsigned int optional : 1;   /* leave it out when it cannot be had */
	unsigned int executable : 1; /* programs in it may be run */
	unsigned int staged : 1;     /* what follows is known */
	unsigned int noexec : 1;     /* none may be, as mounted */
	unsigned int crowded : 1;    /* there are mounts below it */
	unsigned int layered : 1;    /* it is an overlay itself */
	unsigned int closed : 1;     /* the user of the box cannot enter it */
};

/* A symbolic link in the view. */
struct box_link {
	const char *path; /* absolute */
	const char *target;
};

/* A file or directory of the bootstrap, copied into the view. */
struct box_file {
	char *path; /* below BOX_DATA_DIR */
	char *data; /* NULL for a directory */
	size_t len;
	struct timespec mtime; /* so that compiled modules stay valid */
};

/* The places where the code may write. */
#define MEMORY_PLACES 3

/* As many processes has a box whose code has started none. */
#define MEMORY_SEEN 2

/*
 * Processes that are stopped before all are listed, and those of which each
 * thread was stopped: many more than a box has with the usual limit. With more
 * the rest is found by listing, and goes on even if the code had stopped it; a
 * box with more of the second kind cannot be stopped, and ends.
 */
#define MEMORY_KNOWN 1024
#define MEMORY_FORCED 256

/* Processes whose CPU time is kept. */
#define MEMORY_CLOCKS 256

/* What was known of a process when it was looked at last. */
struct memory_clock {
	pid_t pid;
	int looked; /* at its pages: shared holds */
	uint64_t ns; /* CPU time */
	uint64_t rss; /* bytes, without pages of files */
	uint64_t shared; /* of them, with any other process */
};

/* The watchdog of init: what it looks at, and what it has seen. */
struct memory {
	int proc; /* a /proc that shows every process of the box */
	int places[MEMORY_PLACES];
	uint64_t limit; /* above it the box ends */
	uint64_t speed; /* bytes a second that a box can fill */
	uint64_t socket_bytes; /* what one can hold */
	uint64_t look_ms; /* how long the last look has taken */
	int several; /* there are more processes than the code and its holder */
	uint64_t planned_ms; /* when it was to begin, 0 for any time */
	uint64_t cpu_ms; /* our CPU time when that was planned */
	int held; /* all processes were stopped */
	pid_t known[MEMORY_KNOWN]; /* those that there were then */
	size_t nknown;
	pid_t forced[MEMORY_FORCED]; /* those that were stopped one by one */
	size_t nforced;
	uint64_t cpu_ns; /* of all processes that were seen */
	struct box_usage usage;
	int usage_fd; /* where the supervisor reads it */
	struct memory_clock clocks[MEMORY_CLOCKS];
	int crowded; /* it may not run in time when all threads want to */
	int narrow; /* a processor is kept for it */
	cpu_set_t others; /* those that are left to the code then */
	uint64_t maps_ms; /* when the parts of memory are counted again */
	int maps_due; /* in this look */
	pid_t seen[MEMORY_SEEN]; /* in the last look, when there were no more */
	uint64_t used_ns; /* their CPU time before that, 0 for not known */
};

struct box {
	int channel;
	enum ipc_phase phase; /* of what the supervisor sends */
	enum box_step step; /* the step being done */
	struct ipc_setup setup; /* borrows from packet */
	uid_t uid; /* who the box is outside of its user namespace */
	gid_t gid;

	struct box_tree trees[BOX_TREES_MAX];
	size_t ntrees;
	size_t nlinks;
	size_t nfiles;
	size_t files_bytes;

	/* Of a template: modules to import, and users that boxes can be. */
	int template;
	const char *preload;
	uint64_t first_uid;
	uint64_t uids; /* 0: they are who the template is */
	int forked; /* by a template, in whose view it lives */
	int *tid; /* where the C library keeps the number of the thread */
	void *robust; /* its list of locks, and the size that it has */
	size_t robust_size;

	/* What the process of the code is: never returns. */
	void (*become)(struct box *box);

	int landlock; /* ABI in force, 0 for none */
	struct err bound; /* why a directory has no overlay, or empty */
	int proc;     /* whether the box has a /proc */
	int watchdog; /* whether its memory as a whole is watched */
	int unnamed;  /* whether it has the name of the host */
	struct memory memory; /* that of init */
	int net;      /* the network namespace that a template lends, or -1 */
	int init;     /* pidfd of process 1, -1 until it runs */
	pid_t init_pid; /* its number for the launcher, 0 until it runs */
	int code;     /* pidfd of the code */
	int init_sync;     /* the launcher's end of the line to init */
	int launcher_sync; /* the code's: reads as ended when the launcher is */

	int weak; /* the weaker level: what follows is for it alone */
	enum box_step weak_step; /* what could not be done for the full one */
	struct err weak_why;
	char folder[BOX_FOLDER_SIZE]; /* the private one, absolute */
	int folder_fd; /* holds the lock on it; -1: there is none */

	/* Large, and not for boxes that a template forks, but for the last. */
	struct box_link links[BOX_LINKS_MAX];
	struct box_file files[BOX_DATA_FILES_MAX];
	struct ipc_packet packet;
};

/* A step: returns 0, or -1 with err. */
struct box_action {
	enum box_step step;
	int (*run)(struct box *box, struct err *err);
};

/*
 * action.c: runs actions, closed by a row without a function, and keeps
 * box->step.
 * Returns 0, or -1 with err at the first that fails.
 */
int box_run(
    struct box *box, const struct box_action *actions, struct err *err);

/* on_supervisor.c: the whole talk with the supervisor. */
int box_receive_setup(struct box *box, struct err *err);
int box_send_standing(struct box *box, struct err *err);
int box_receive_stay(struct box *box, struct err *err);
int box_send_forked(struct box *box, struct err *err);
int box_send_started(struct box *box, struct err *err);
int box_send_guarded(struct box *box, struct err *err);
int box_receive_adopted(struct box *box, struct err *err);
void box_send_failed(struct box *box, const struct err *reason);

/* data.c: the bootstrap, from beside the binary into the view. */
int data_read(struct box *box, struct err *err);
int data_write(struct box *box, struct err *err);

/* interpreter.c */
/* Notes what of the host the interpreter needs outside of /usr. */
int interpreter_locate(struct box *box, struct err *err);
/* Puts the pipes where the bootstrap looks for them. */
int interpreter_descriptors(struct box *box, struct err *err);
/* The same for a template: the channel and what stands beside it. */
int interpreter_template_descriptors(struct box *box, struct err *err);
/* Enters the folder that the code begins in. */
int interpreter_enter(struct box *box, struct err *err);
/* Becomes the interpreter: returns only on failure. */
int interpreter_run(struct box *box, struct err *err);

/* environment.c: what execve takes, made once. */
char *const *environment_make(const struct box *box);

/* view.c: the file system of the box. */
int view_collect(struct box *box, struct err *err);
int view_build(struct box *box, struct err *err);
int view_enter(struct box *box, struct err *err);
/* Takes it out of the table of mounts that the code can read. */
int view_hide(struct box *box, struct err *err);
/* In the view of a template: places to write that are the box's own. */
int view_renew(struct box *box, struct err *err);
/* Whether path lies in a part of the host that is shown. */
int view_covers(const struct box *box, const char *path);
/*
 * Both copy their strings and fail when there is no room for more. A link that
 * is there already, or comes with a tree, is not added again.
 */
int view_add_tree(
    struct box *box, const struct box_tree *tree, struct err *err);
int view_add_link(
    struct box *box, const char *path, const char *target, struct err *err);

/*
 * overlay.c: the directories of the host. Puts those that are open on the
 * stage, which is the working directory.
 */
int overlay_stage(struct box *box, struct err *err);
/*
 * Mounts an overlay at its path below the working directory, the root of the
 * view. Returns 1, or 0 when the tree has none: then it must be bound.
 */
int overlay_mount(struct box *box, const struct box_tree *tree);
/*
 * What the boxes of a template must know of a tree, as a line, and the tree
 * that such a line (without its end) is: its path belongs to the caller.
 */
void overlay_note(const struct box_tree *tree, struct buffer *notes);
struct box_tree overlay_read_note(const char *note);

/* level.c: finds out whether the full level can be had, if less will do. */
int level_choose(struct box *box, struct err *err);

/* folder.c: the private folder of the weaker level. */
/* Removes those whose guard was killed. */
int folder_sweep(struct box *box, struct err *err);
/* Makes one, enters it, and writes the bootstrap. */
int folder_make(struct box *box, struct err *err);
/* Removes it with all that is in it, if there is one. */
void folder_remove(struct box *box);
/* Empties a directory; gives up after having looked at most entries. */
void folder_empty(int dir, unsigned long most);

/* identity.c, namespaces.c */
int identity_drop(struct box *box, struct err *err);
/* In the user namespace of a template that has more users than itself. */
int identity_change(struct box *box, struct err *err);
int namespaces_user(struct box *box, struct err *err);
int namespaces_map(struct box *box, struct err *err);
/* Puts one between, in which who the box is outside cannot be read. */
int namespaces_hide(struct box *box, struct err *err);
int namespaces_rest(struct box *box, struct err *err);
int namespaces_forbid_more(struct box *box, struct err *err);

/*
 * users.c: the users of a template's boxes, whom only root can map. The first
 * is for the launcher while it is root, the second for its new namespace.
 */
int users_prepare(struct box *box, struct err *err);
int users_map(struct box *box, struct err *err);

/* processes.c: clones the two processes of the box. */
int processes_start_init(struct box *box, struct err *err);
int processes_start_code(struct box *box, struct err *err);
/* Lets one number pass, so that the template is none that its boxes are. */
int processes_skip(struct box *box, struct err *err);
/* At the weaker level: the guard, which starts the code. */
int processes_start_guard(struct box *box, struct err *err);
/* For the guard: as fork, but of its own child. */
int processes_fork(pid_t *pid, struct err *err);
/* For the code: returns when the launcher has ended. */
int processes_wait_for_launcher(struct box *box, struct err *err);
/* Lets init live on when the launcher ends. */
int processes_release_init(struct box *box, struct err *err);
/* Ends init, and with it the code, if they run. */
void processes_kill(struct box *box);

/*
 * spare.c: looks for memory of the template that init need not have. Returns 0,
 * or -1 with err. The launcher leaves it out of what it copies, and takes it in
 * again; should it end in between, the next one does.
 */
int spare_find(struct err *err);
int spare_leave_out(struct box *box, struct err *err);
int spare_take_in(struct box *box, struct err *err);

/*
 * holder.c: run by the code, in whose box it lives, once it has no descriptor
 * that the code is not to have. Waits for tid of the box to become 0.
 */
void holder_start(const struct box *box);

/*
 * net.c: the network namespaces that a template lends to its boxes. Makes what
 * they belong to. Returns 0, or -1 with err.
 */
int net_open(struct err *err);
/* Chooses one that no box has, for the one that is about to be launched. */
void net_choose(struct box *box);
/*
 * It was launched: the one that was chosen is that of the box whose process 1
 * has the number init, until that ends; 0: there is no such process.
 */
void net_lend(pid_t init);
/* In the launcher: enters it, or one of its own where there is none. */
int net_enter(struct box *box, struct err *err);

/* init.c: process 1. Reports on sync, waits there, and never returns. */
void init_main(struct box *box, int sync) __attribute__((noreturn));
/* The launcher's side: waits for that report. */
int init_wait(struct box *box, int sync, struct err *err);

/*
 * memory.c: the watchdog in init. Notes what it needs, with the working
 * directory at the root of the view; proc is a directory that shows every
 * process, line any socket of the box, limit is in bytes. The descriptors stay
 * open. Returns 0, or -1 with err.
 */
int memory_open(struct memory *memory, int proc, int line, uint64_t limit,
    struct err *err);
/* Looks again and again, and ends as BOX_EXIT_* when it must. */
void memory_watch(struct memory *memory) __attribute__((noreturn));

/*
 * guard.c: starts the code and watches over it. Reports on sync, waits there,
 * and never returns: it ends as the code ended, when nothing else is left.
 */
void guard_main(struct box *box, int sync) __attribute__((noreturn));
/* The launcher's side: waits for that report. */
int guard_wait(struct box *box, int sync, struct err *err);

/* limits.c, capabilities.c, confine.c: what is given up. */
int limits_set(struct box *box, struct err *err);
/*
 * Those of one process: all but the number of processes and its time. Of the
 * limit of descriptors only the soft one is lowered.
 */
int limits_set_template(struct box *box, struct err *err);
/*
 * Raises the limit of descriptors again, in a launcher that a template has
 * forked: the kernel compares it with the descriptors in flight of all
 * processes of a user, so a launcher with the limit of a box could send none
 * when many boxes are built at once.
 */
int limits_set_launcher(struct box *box, struct err *err);
int capabilities_bound(struct box *box, struct err *err);
int capabilities_drop(struct box *box, struct err *err);
/* A template keeps those by which its boxes become other users. */
int capabilities_keep(struct box *box, struct err *err);
/* Where there are none, and no right to bound them: no new ones. */
int capabilities_refuse(struct box *box, struct err *err);
int confine_landlock(struct box *box, struct err *err);
int confine_seccomp(struct box *box, struct err *err);
int confine_forked_seccomp(struct box *box, struct err *err);
int confine_template_seccomp(struct box *box, struct err *err);
/* The same for init, which needs next to nothing. */
int confine_init_landlock(struct box *box, struct err *err);
int confine_init_seccomp(struct box *box, struct err *err);
/* At the weaker level, which cannot be had without landlock. */
int confine_weak_demand(struct box *box, struct err *err);
int confine_weak_landlock(struct box *box, struct err *err);
int confine_weak_seccomp(struct box *box, struct err *err);
int confine_guard_seccomp(struct box *box, struct err *err);

#endif
