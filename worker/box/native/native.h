/*
 * The sandbox in C: functions of its files for each other and for the programs
 * above, most of them steps of a box_action. Functions with a struct err return
 * 0, or -1 with err, unless the comment says otherwise.
 */
#ifndef WORKER_BOX_NATIVE_NATIVE_H
#define WORKER_BOX_NATIVE_NATIVE_H

#include "sandbox.h"
#include "../../../common/base/buffer.h"
#include "../../../common/base/err.h"

/* data.c: reads the bootstrap beside the binary into box->files. */
int data_read(struct box *box, struct err *err);
/*
 * Writes the files to BOX_DATA_DIR below the working directory, and frees them.
 */
int data_write(struct box *box, struct err *err);

/*
 * view.c: records the parts of the host that the file system of the box shows.
 */
int view_collect(struct box *box, struct err *err);
/* Builds the file system, with the bootstrap in it. */
int view_build(struct box *box, struct err *err);
/* Makes it the root of the process. */
int view_enter(struct box *box, struct err *err);
/* Removes it from the table of mounts that the code can read. */
int view_hide(struct box *box, struct err *err);
/*
 * In the view of a template: all that the box has for itself, except the
 * writable places.
 */
int view_renew(struct box *box, struct err *err);
/*
 * Creates the writable places in the working directory. A forked box does that
 * in its init, after view_renew().
 */
int view_mount_places(struct box *box, struct err *err);
/* Whether path is in a part of the host that is shown. */
int view_covers(const struct box *box, const char *path);
/*
 * Both copy their strings and fail if there is no room for more. A link that
 * exists already, or is part of a tree, is not added again.
 */
int view_add_tree(
    struct box *box, const struct box_tree *tree, struct err *err);
int view_add_link(
    struct box *box, const char *path, const char *target, struct err *err);

/*
 * overlay.c: the directories of the host. Puts the open ones on the stage,
 * which is the working directory.
 */
int overlay_stage(struct box *box, struct err *err);
/*
 * Mounts an overlay at its path below the working directory, the root of the
 * view. Returns 1, or 0 if the tree has none: then it must be bound.
 */
int overlay_mount(struct box *box, const struct box_tree *tree);
/*
 * Writes the data of a tree that boxes of a template need, as a line; and reads
 * such a line (without its end): the caller owns the path.
 */
void overlay_note(const struct box_tree *tree, struct buffer *notes);
struct box_tree overlay_read_note(const char *note);

/*
 * level.c: determines whether full isolation is available, if reduced isolation
 * is allowed.
 */
int level_choose(struct box *box, struct err *err);

/* folder.c: the private directory of reduced isolation. */
/* Removes directories whose guard was killed. */
int folder_sweep(struct box *box, struct err *err);
/* Creates one, enters it, and writes the bootstrap. */
int folder_make(struct box *box, struct err *err);
/* Removes it with its content, if there is one. */
void folder_remove(struct box *box);

/* identity.c, namespaces.c */
int identity_drop(struct box *box, struct err *err);
/* In the user namespace of a template with several users. */
int identity_change(struct box *box, struct err *err);
int namespaces_user(struct box *box, struct err *err);
int namespaces_map(struct box *box, struct err *err);
/* Adds an intermediate namespace, which hides the user outside. */
int namespaces_hide(struct box *box, struct err *err);
int namespaces_rest(struct box *box, struct err *err);
int namespaces_forbid_more(struct box *box, struct err *err);

/*
 * users.c: the users of a template's boxes, which only root can map. The first
 * is called by the launcher while it is root, the second for its new namespace.
 */
int users_prepare(struct box *box, struct err *err);
int users_map(struct box *box, struct err *err);

/* processes.c: clones the two processes of the box. */
int processes_start_init(struct box *box, struct err *err);
int processes_start_code(struct box *box, struct err *err);
/* The part of the first that creates init, and does not wait for its steps. */
int processes_begin_init(struct box *box, struct err *err);
/*
 * Starts the code while init does its steps. The code waits until
 * processes_let_code sends it what init has reported, and exits if the launcher
 * ends without that.
 */
int processes_start_both(struct box *box, struct err *err);
int processes_await_word(struct box *box, struct err *err);
int processes_let_code(struct box *box, struct err *err);
/* Skips a process number, so that the template has none that its boxes have. */
int processes_skip(struct box *box, struct err *err);
/*
 * Like fork, for a child of the supervisor: 0 in the child; in the parent its
 * number, and *pidfd is set; -1 with err.
 */
pid_t processes_clone(int *pidfd, struct err *err);
/*
 * Like fork, for a child of the caller: 0 in the child; 1 in the parent, and
 * *pid is set; -1 with err.
 */
int processes_fork(pid_t *pid, struct err *err);
/* For the code: returns when the launcher has ended. */
int processes_wait_for_launcher(struct box *box, struct err *err);
/* Sends the byte without which init exits when the launcher does. */
int processes_release_init(struct box *box, struct err *err);
/* Kills init, and thus the code, if they run. */
void processes_kill(struct box *box);

/*
 * life.c: has this signal sent to the calling process when the supervisor ends.
 * Fails if it has ended already, which the end of the channel shows.
 */
int life_bind(const struct box *box, int signal, struct err *err);

/* init.c: process 1. Reports on sync, waits there, and never returns. */
void init_main(struct box *box, int sync) __attribute__((noreturn));
/* The launcher's side: waits for that report. */
int init_wait(struct box *box, int sync, struct err *err);

/*
 * guard.c: with reduced isolation, starts the guard, which starts the code and
 * watches it, and ends like the code when no other process is left. Returns
 * when the guard has reported: 0, or -1 with err.
 */
int guard_start(struct box *box, struct err *err);

/* limits.c, capabilities.c, confine.c: dropping rights. */
int limits_set(struct box *box, struct err *err);
/*
 * Limits of one process: all but the number of processes and the CPU time. Of
 * the limit of descriptors only the soft one is lowered.
 */
int limits_set_template(struct box *box, struct err *err);
/*
 * Raises the limit of descriptors again, in a launcher forked by a template.
 * The kernel compares it with the descriptors in flight of all processes of a
 * user, so a launcher with the limit of a box could send none while many boxes
 * are built.
 */
int limits_set_launcher(struct box *box, struct err *err);
int limits_set_processors(struct box *box, struct err *err);
/* Fails where what an interpreter reserves would be above its limits. */
int limits_refuse_reserved(struct box *box, struct err *err);
int capabilities_bound(struct box *box, struct err *err);
int capabilities_drop(struct box *box, struct err *err);
/* A template keeps those with which its boxes become other users. */
int capabilities_keep(struct box *box, struct err *err);
/*
 * If there are none, and no right to drop them from the bounding set: no new
 * ones.
 */
int capabilities_refuse(struct box *box, struct err *err);
int confine_landlock(struct box *box, struct err *err);
int confine_seccomp(struct box *box, struct err *err);
int confine_template_seccomp(struct box *box, struct err *err);
/* The same for init, which needs very few calls. */
int confine_init_landlock(struct box *box, struct err *err);
int confine_init_seccomp(struct box *box, struct err *err);
/* With reduced isolation, which requires landlock. */
int confine_weak_demand(struct box *box, struct err *err);
int confine_weak_landlock(struct box *box, struct err *err);
int confine_weak_seccomp(struct box *box, struct err *err);
int confine_guard_seccomp(struct box *box, struct err *err);

#endif
