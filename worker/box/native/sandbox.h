/*
 * The state of a box, which its files share. caisson-box is three processes in
 * turn. The launcher, started by the supervisor, creates the namespaces and the
 * view and then exits. The init is process 1 of the box, whose exit kills it.
 * The code drops all privileges and becomes the interpreter. main.c lists the
 * steps of each. With reduced isolation there are no namespaces: the init is
 * replaced by a guard, which kills the processes that the code leaves.
 */
#ifndef WORKER_BOX_NATIVE_SANDBOX_H
#define WORKER_BOX_NATIVE_SANDBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include "language.h"
#include "memory/memory.h"
#include "../../../common/box_step.h"
#include "../../../common/base/err.h"
#include "../../../common/ipc/ipc.h"
#include "../../../common/limits.h"

/* Descriptor numbers agreed with spawn and with the bootstrap. */
#define BOX_CHANNEL_FD 3
#define BOX_CONTROL_IN_FD 3
#define BOX_CONTROL_OUT_FD 4

/* And with a template, which holds the line to its init while it runs. */
#define BOX_PRINTED_FD 4
#define BOX_LIFE_FD 5

/* The descriptor of the view is above all others: see template.c. */
#define BOX_VIEW_FD_LEAST 64

/* The bootstrap in the view, relative to its root. */
#define BOX_DATA_DIR "opt/caisson"
/* Programs of the bootstrap, which come first in the PATH of the code. */
#define BOX_PROGRAMS "bin"
#define BOX_PROGRAMS_DIR BOX_DATA_DIR "/" BOX_PROGRAMS
/* Additional files of a template: each contains a path, or names of modules. */
#define BOX_PRELOAD_FILE BOX_DATA_DIR "/preload"
#define BOX_TREES_FILE BOX_DATA_DIR "/trees"
#define BOX_EMPTY_DIR BOX_DATA_DIR "/empty"
/* Where the code leaves files to keep; in its home directory. */
#define BOX_HOME_DIR "workspace"
#define BOX_OUT_DIR BOX_HOME_DIR "/out"
/* The files of a conversation, if the box has them. */
#define BOX_CONVERSATION_DIR "data"

/* Exists everywhere; covered only in the launcher's mount namespace. */
#define BOX_STAGE "/tmp"

enum box_tree_kind {
	BOX_TREE_FILE,
	BOX_TREE_DIRECTORY,
	BOX_TREE_DEVICE,
};

/* What the directory of a tree is on the host. */
struct box_mount {
	bool staged : 1;  /* the following are known */
	bool noexec : 1;  /* mounted noexec */
	bool crowded : 1; /* there are mounts below it */
	bool layered : 1; /* it is an overlay itself */
	bool closed : 1;  /* the user of the box cannot enter it */
};

/*
 * A part of the host shown in the view: a directory through an overlay, a
 * device bound, a file copied.
 */
struct box_tree {
	const char *path; /* absolute; the same outside and inside */
	int fd;     /* a copy of the mount, -1 until it is opened */
	enum box_tree_kind kind : 8;
	bool optional : 1;   /* leave it out if unavailable */
	bool executable : 1; /* programs in it may be executed */
	struct box_mount mount;
};

/* A symbolic link in the view. */
struct box_link {
	const char *path; /* absolute */
	const char *target;
};

/* A file or directory of the bootstrap, copied into the view. */
struct box_file {
	char *path; /* below BOX_DATA_DIR */
	char *data; /* within the bytes of the box; NULL for a directory */
	size_t len;
	bool program; /* it is executable */
	struct timespec mtime; /* so that compiled modules stay valid */
};

/* Room for the size of a file system in memory, and its number of files. */
#define BOX_ROOM_SIZE 64

/* Which of the programs of the box this is, and what it may isolate. */
enum box_kind {
	BOX_EXECUTED, /* a box by itself */
	BOX_TEMPLATE, /* which forks boxes */
	BOX_FORKED, /* by a template, in whose view it is */
	BOX_WEAK, /* with reduced isolation */
};

/* Sockets by which the processes wait for each other. */
struct box_sync {
	int init; /* the launcher's end of the line to init */
	int launcher; /* that of the code: ends when the launcher does */
	int code; /* the launcher's end of it */
};

/* A template: modules to import, and users of its boxes. */
struct box_template {
	const char *preload;
	uint64_t first_uid;
	uint64_t uids; /* 0: they are the user of the template */
};

/* What a forked box takes over from the thread of its template. */
struct box_thread {
	int *tid; /* the C library's copy of the thread number */
	void *robust; /* its list of locks, and its size */
	size_t robust_size;
};

/* Reduced isolation. */
struct box_weak {
	enum box_step step; /* the failed step of full isolation */
	struct err why;
	char folder[BOX_FOLDER_SIZE]; /* the private one, absolute; or empty */
	int fd; /* holds its lock; -1 if there is none */
};

struct box {
	int channel;
	enum ipc_phase phase; /* message of the supervisor */
	enum box_step step; /* the step being done */
	enum box_kind kind;
	struct ipc_setup setup; /* borrows from packet */
	const struct language *language; /* that of the code, static */
	uid_t uid; /* of the box, outside its user namespace */
	gid_t gid;

	struct box_tree trees[BOX_TREES_MAX];
	size_t ntrees;
	size_t nlinks;
	size_t nfiles;
	size_t nbytes;
	char *bytes; /* of the files, until they are in the view */
	bool programs; /* the bootstrap has programs for the code */

	/* The last step of the code's process: never returns. */
	void (*become)(struct box *box);

	int landlock; /* ABI in force, 0 for none */
	char room[BOX_ROOM_SIZE]; /* option of its writable places */
	struct err bound; /* why a directory has no overlay, or empty */
	bool proc;     /* whether the box has a /proc */
	bool watchdog; /* whether its memory as a whole is watched */
	bool unnamed;  /* whether it keeps the host name of the host */
	int net;      /* lent by the template, or -1 */
	int init;     /* pidfd of process 1, -1 until it runs */
	pid_t init_pid; /* its number in the launcher, 0 until it runs */
	int code;     /* pidfd of the code */
	int view_fd; /* of a forked box: the descriptor of its view */
	struct box_sync sync;
	struct box_template template;
	struct box_thread thread;
	struct box_weak weak;

	/*
	 * Large, and not copied for forked boxes, except the last member. What
	 * comes before them fits into one page.
	 */
	struct memory memory; /* that of init */
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
 * action.c: runs actions, ended by a row without a function, and updates
 * box->step. Returns 0, or -1 with err at the first that fails.
 */
int action_run(
    struct box *box, const struct box_action *actions, struct err *err);

#endif
