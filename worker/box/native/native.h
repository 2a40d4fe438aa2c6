/*
 * The sandbox in C: what its files do for each other and for the programs
 * above, most of it as steps of a box_action. What takes a struct err returns
 * 0, or -1 with it, unless the comment says otherwise.
 */
#ifndef WORKER_BOX_NATIVE_NATIVE_H
#define WORKER_BOX_NATIVE_NATIVE_H

#include "sandbox.h"
#include "../../../common/buffer.h"
#include "../../../common/err.h"

/* data.c: reads the bootstrap from beside the binary, into box->files. */
int data_read(struct box *box, struct err *err);
/* Writes them to BOX_DATA_DIR below the working directory, and frees them. */
int data_write(struct box *box, struct err *err);

/* view.c: notes which parts of the host the file system of the box shows. */
int view_collect(struct box *box, struct err *err);
/* Builds it, with the bootstrap in it. */
int view_build(struct box *box, struct err *err);
/* Makes it the root of the process. */
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
/* Puts one between, which hides the user of the box outside. */
int namespaces_hide(struct box *box, struct err *err);
int namespaces_rest(struct box *box, struct err *err);
int namespaces_forbid_more(struct box *box, struct err *err);

/*
 * users.c: the users of a template's boxes, which only root can map. The first
 * is for the launcher while it is root, the second for its new namespace.
 */
int users_prepare(struct box *box, struct err *err);
int users_map(struct box *box, struct err *err);

/* processes.c: clones the two processes of the box. */
int processes_start_init(struct box *box, struct err *err);
int processes_start_code(struct box *box, struct err *err);
/* Lets one number pass, so that the template is none that its boxes are. */
int processes_skip(struct box *box, struct err *err);
/*
 * As fork, for a child of the supervisor: 0 in the child; in the parent its
 * number, and *pidfd shows the child; -1 with err.
 */
pid_t processes_clone(int *pidfd, struct err *err);
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
 * guard.c: at the weaker level, starts the guard, which starts the code and
 * watches over it, and ends as the code ended, when nothing else is left.
 * Returns when the guard has reported, 0, or -1 with err.
 */
int guard_start(struct box *box, struct err *err);

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
