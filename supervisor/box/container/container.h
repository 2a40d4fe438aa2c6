/* The runtimes podman and docker: boxes that are containers. */
#ifndef SUPERVISOR_CONTAINER_H
#define SUPERVISOR_CONTAINER_H

#include <sys/types.h>

#include "../../../common/base/err.h"
#include "../engine/engine.h"
#include "../shared/runtime.h"

/*
 * The directories of a container, as a native box passes them by STARTED: the
 * working directory of the code, the directory of files to keep, and that of a
 * conversation. The porter carries files into and out of them. Runs in the
 * supervisor, which opens them and reads nothing in them.
 */

/*
 * Opens /workspace and /workspace/out of the container in which this process
 * runs, and /data if data is not NULL; each must be a tmpfs of its own, as the
 * command line of its engine mounts them. They stay readable after the
 * container has been removed. To be called before the container receives code.
 * The caller must know afterwards that the container still runs: otherwise the
 * number of the process may have been that of another. Returns 0 and the
 * descriptors, which the caller owns, or -1 with err.
 */
int container_folders_open(
    pid_t pid, int *workspace, int *out_dir, int *data, struct err *err);

/*
 * The runtimes podman and docker: boxes that are containers. The state that all
 * boxes of a run share, the commands of their engine, and the checks at the
 * start. Of a container it reads the exit status and what the kernel tells of
 * its processes; of an engine lists of containers and images, the place of one,
 * and errors.
 */

struct child;
struct container_place;

/* Returns the shared state of boxes of these runtimes. */
static inline struct container_boxes *
container_boxes(const struct boxes *boxes)
{
	return boxes->shared;
}

/* container_boxes.c: what the runtimes do for all boxes. */
extern const struct runtime_shared container_shared;

/*
 * request.c: fills in the container of a box with the limits of these options.
 * number is its number; name, language and command stay the caller's.
 */
void container_request_fill(const struct boxes *boxes,
    const struct options *options, unsigned long number, const char *name,
    const struct language *language, struct container *container);

/*
 * Returns whether boxes in this language have the directory /data: for a
 * conversation, or as working directory where the language is an image.
 */
int container_has_data(
    const struct boxes *boxes, const struct language *language);

/* trial.c: what the engine enforces. */

/*
 * Runs one container, which tries to do what no box may. Returns 0, or -1 with
 * err: the promise that is not kept, and the fix.
 */
int container_trial(struct boxes *boxes, struct err *err);

/*
 * The same in two parts: starts it, and calls done once, from the loop; judges
 * the answer. The first returns NULL with err if it cannot be started.
 */
struct engine_call *container_trial_begin(struct boxes *boxes,
    void (*done)(void *ctx, struct container_answer *answer), void *ctx,
    struct err *err);
int container_trial_judge(const struct boxes *boxes,
    const struct container_answer *answer, struct err *err);

/*
 * Its first part, which starts no container: asks podman or docker about the
 * image. Returns 0, or -1 with err.
 */
int container_trial_ask(const struct boxes *boxes, struct err *err);

/* fetch.c: the image, where none is set. */

/*
 * Sets the image: that of the setting, one of this machine, or one that is
 * lacking and will be fetched. Returns 0, or -1 with err.
 */
int container_fetch_choose(struct boxes *boxes, struct err *err);

/* Ends a fetch; done is not called. NULL inside is accepted. */
void container_fetch_free(struct container_fetch **fetch);

/* As lacks and fetch of struct runtime_shared. */
const char *container_fetch_lacks(const struct boxes *boxes);
int container_fetch_begin(struct boxes *boxes,
    void (*done)(void *ctx, const char *why), void *ctx, struct err *err);

/* What it tries: all of it holds where it has succeeded. */
struct container_promise {
	const char *name;
	const char *holds;
	const char *fails; /* in a sentence about the engine */
	const char *fix;
};

/* Returns the n-th one, from 0, or NULL behind the last one. */
const struct container_promise *container_promise_at(int n);

/* process.c: the processes of a container, from outside. */

/*
 * Returns a process 1 of another namespace below this process, which is its
 * ancestor: that of a container below its keeper. 0: there is none.
 */
pid_t container_process_below(pid_t ancestor);

/*
 * Returns whether the process is in another namespace of processes, and in the
 * cgroup of the container with this id, a text that no other cgroup contains.
 */
int container_process_is_of(pid_t pid, const char *id);

/* container_facts.c: what holds for a box that is a container. */

/* Returns the facts of a box of a runtime, one block; name is static. */
void *container_facts_new(const char *image, const char *name, int keeps_files);

/* Appends them as a JSON object. */
void container_facts_add(struct buffer *json, const void *detail);

/*
 * Returns the n-th promise of the native box that containers do not keep, from
 * 0, static; NULL behind the last one.
 */
const char *container_missing_promise(size_t n);

/* removal.c: the removal of containers. */

/* Has a container removed by the engine, in the background. */
void container_remove(const struct boxes *boxes, const char *name);

/*
 * The container has ended, and its client removes it: takes its keeper and its
 * name. If that takes long, the keeper removes it. NULL inside keeper is
 * accepted.
 */
void container_removal_watch(
    const struct boxes *boxes, struct child **keeper, char **name);

/* At the end of the program: no keeper is noticed any more. */
void container_removal_end(struct container_boxes *shared);

/* place.c: where a daemon runs a container. */

/*
 * Asks the engine, at READY, for process 1 of the container of a box. Calls
 * found once: with 0 if that process cannot be reached from here; found may
 * free the question. Returns the question, or NULL with err.
 */
struct container_place *container_place_ask(struct event_base *base,
    const struct container_boxes *shared, const char *name,
    void (*found)(void *ctx, pid_t pid), void *ctx, struct err *err);

/* Returns whether that process, which was found, is still of the container. */
int container_place_is_of(const struct container_place *place, pid_t pid);

/* Ends the question; NULL: there is none. */
void container_place_free(struct container_place **place_ptr);

/*
 * The languages that images add to those of the program: one for each image
 * that the operator has enabled, by a tag in the engine.
 */

struct container_boxes;

/*
 * Returns 0, or -1 with err if an image, which messages name as shown, may not
 * be this language: that is built in, or the image has no command, or would
 * weaken its containers.
 */
int language_image_judge(enum container_engine engine, const char *shown,
    const char *language, const struct container_image *image, struct err *err);

/*
 * Asks an engine about the image of a tag, and judges it. Returns 0 with found,
 * or -1 with err; the caller resets found.
 */
int language_image_ask(const struct container_boxes *engine, const char *tag,
    const char *language, struct container_image *found, struct err *err);

/*
 * Asks the engine of these boxes, which are containers, for the tags and adds a
 * language for each. Its name with "@" and the first digits of the digest is
 * another name of it. An image that is refused (language_image_judge) is left
 * out, which is logged. From now on language_renew does the same, and replaces
 * them, whenever the file changes that changed names and that commands write
 * to, which may be missing; if the engine does not answer then, it logs that,
 * and there are none. Returns 0, or -1 with err if the engine does not answer.
 */
int language_images_read(
    const struct boxes *boxes, const char *changed, struct err *err);

#endif
