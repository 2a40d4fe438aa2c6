/*
 * The runtimes podman and docker: boxes that are containers. The state that all
 * boxes of a run share, the commands of their engine, and the checks at the
 * start. Runs in the supervisor. Of a container it reads the exit status
 * and what the kernel tells of its processes and cgroup; of an engine lists of
 * containers and images, the place of one, and errors.
 */
#ifndef SUPERVISOR_CONTAINER_BOXES_H
#define SUPERVISOR_CONTAINER_BOXES_H

#include <sys/queue.h>
#include <sys/types.h>

#include "box.h"
#include "container_argv.h"

struct child;
struct child_end;
struct container_left;
struct container_place;
struct engine_call;
struct spawn_program;

/* The state shared by all boxes of one of these runtimes. */
struct container_boxes {
	enum container_engine engine;
	char *program;   /* the absolute path of the engine */
	char *label;     /* container_sweep_label */
	char *locks;     /* container_lock_folder; NULL: none */
	char *kind;      /* of ours in it: container_lock_kind; or NULL */
	int lock;        /* container_lock_take; -1: none */
	char *bootstrap; /* the folder box of this installation */
	char *first;     /* the program in it: process 1 of images */
	char *profile;   /* the path of the seccomp profile */
	struct buffer environment; /* of the engine: a list of texts */
	char **envp;     /* the same, as a vector */
	unsigned long user_processes; /* as in struct container */
	uint32_t uid;
	uint32_t gid;
	int warned; /* that files are lost */
	LIST_HEAD(, container_left) left; /* of container_removal.c */
};

/* Returns the shared state of boxes of these runtimes. */
static inline struct container_boxes *
container_boxes(const struct boxes *boxes)
{
	return boxes->shared;
}

/* container.c: one box. The rows in the table of runtimes. */
extern const struct runtime podman_runtime;
extern const struct runtime docker_runtime;

/* container_boxes.c: as probe and finish of struct runtime. */
int container_probe(struct boxes *boxes, int only_refuses, struct err *err);
void container_finish(struct boxes *boxes);

/*
 * container_request.c: fills in the container of a box of these options.
 * number is its number; name, language and command stay the caller's.
 */
void container_request_fill(const struct boxes *boxes, unsigned long number,
    const char *name, const struct language *language,
    struct container *container);

/*
 * Returns whether boxes in this language have the directory /data, for a
 * conversation.
 */
int container_has_data(
    const struct boxes *boxes, const struct language *language);

/*
 * container_program.c: the engine. Finds the one for a value of the option
 * runtime, and sets program and environment. Returns 0, or -1 with err, which
 * says how to install it.
 */
int container_program_find(
    struct container_boxes *shared, const char *value, struct err *err);

/*
 * Appends what selects the containers that this engine lists, for
 * container_lock_kind: the program and the variables that choose its storage or
 * daemon.
 */
void container_program_key(
    const struct container_boxes *shared, struct buffer *key);

/* The names of engines, as the option runtime and locks have them. */
extern const char *const container_names[CONTAINER_ENGINES];

/* Returns the engine that the base name of a path begins with; -1: none. */
int container_program_engine(const char *path);

/*
 * Returns the path of the program of an engine, which the caller frees: the
 * value itself if it is a path, or else the one that is installed. NULL: there
 * is none.
 */
char *container_program_path(
    enum container_engine engine, const char *value);

/*
 * container_commands.c: the command lines of one container, and the program for
 * its keeper.
 */
struct container_commands {
	struct buffer run;
	struct buffer find; /* of docker */
	struct buffer remove;
	char **argv;
	char **find_argv;
	char **remove_argv;
};

/* Frees its fields. */
void container_commands_free(struct container_commands *commands);

/*
 * Fills in the command lines of a container, and the fields of program but its
 * descriptors. commands must outlive the use of program.
 */
void container_commands_fill(const struct container_boxes *shared,
    const struct container *container, struct container_commands *commands,
    struct spawn_program *program);

/* The same, without the one that runs the container. */
void container_commands_fill_removal(const struct container_boxes *shared,
    const char *name, struct container_commands *commands,
    struct spawn_program *program);

/* container_engine.c: a command of the engine. */

struct container_answer {
	int status;         /* the exit status; -1: a signal, late or cut */
	int killer;         /* that signal; 0: none */
	int late;           /* it was ended, as it took too long */
	int cut;            /* it has printed more than out */
	struct buffer out;  /* the first ENGINE_OUT_MAX bytes */
	struct buffer errors; /* the first ENGINE_ERRORS_MAX bytes */
};

/*
 * Starts the program below a keeper. Calls done once, when it has ended and its
 * streams are closed, or, with the status -1, after ms milliseconds: then its
 * keeper ends it. done may free the call, with which the answer ends. Returns
 * the call, which the caller frees, or NULL with err.
 */
struct engine_call *container_engine_begin(struct event_base *base,
    struct spawn_program *program, unsigned int ms,
    void (*done)(void *ctx, struct container_answer *answer), void *ctx,
    struct err *err);

/* The same for a command of the engine, a list of words. */
struct engine_call *container_engine_query(struct event_base *base,
    const struct container_boxes *shared, const struct buffer *words,
    unsigned int ms, void (*done)(void *ctx, struct container_answer *answer),
    void *ctx, struct err *err);

/* Ends a call; NULL: there is none. */
void container_engine_free(struct engine_call **call_ptr);

/*
 * The same while nothing else happens, at the start of the supervisor.
 * Runs the program below a keeper, and the loop until it has ended. Sets the
 * answer, whose buffers the caller frees. Returns 0, or -1 with err if it
 * cannot be started, prints too much, or does not end within ms milliseconds:
 * then its keeper ends it.
 */
int container_engine_ask(struct event_base *base, struct spawn_program *program,
    unsigned int ms, struct container_answer *answer, struct err *err);

/* The same, but an answer may be cut. */
int container_engine_ask_part(struct event_base *base,
    struct spawn_program *program, unsigned int ms,
    struct container_answer *answer, struct err *err);

/*
 * Asks it a question about an image, which shown names, on a loop of its own,
 * so that nothing else happens meanwhile. Returns 0 and what it has printed,
 * which the caller frees, or -1 with err: it has failed, or not answered within
 * ms milliseconds.
 */
int container_engine_tell(const struct container_boxes *shared,
    const struct buffer *words, const char *shown, unsigned int ms,
    struct buffer *out, struct err *err);

/* Returns the errors of an answer as text, which the caller frees. */
char *container_engine_errors(const struct container_answer *answer);

/*
 * Starts program->remove, and nothing else, below a keeper, and returns at
 * once: nothing is read of it. The end of the keeper is reported to ended.
 * Returns the keeper, or NULL if it cannot be started, which is logged.
 */
struct child *container_engine_send(struct event_base *base,
    struct spawn_program *program,
    void (*ended)(void *ctx, const struct child_end *end), void *ctx);

/* container_trial.c: what the engine enforces. */

/*
 * Runs one container, which tries to do what no box may. Returns 0, or -1 with
 * err: the promise that is not kept, and the fix.
 */
int container_trial(struct boxes *boxes, struct err *err);

/*
 * Its first part, which starts no container: asks podman or docker about the
 * image. Returns 0, or -1 with err.
 */
int container_trial_ask(const struct boxes *boxes, struct err *err);

/* What it tries: all of it holds where it has succeeded. */
struct container_promise {
	const char *name;
	const char *holds;
	const char *fails; /* in a sentence about the engine */
	const char *fix;
};

/* Returns the n-th one, from 0, or NULL behind the last one. */
const struct container_promise *container_promise_at(int n);

/* container_process.c: the processes of a container, from outside. */

/* Returns the pid of the process of a pidfd; 0: unknown. */
pid_t container_process_pid(int pidfd);

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

/* Returns the facts of a box of a runtime, whose name is static. */
void *container_facts_new(
    const char *image, const char *name, int keeps_files);

/* Appends them as a JSON object. */
void container_facts_add(struct buffer *json, const void *own);

void container_facts_free(void *own);

/*
 * Returns the n-th promise of the native box that containers do not keep, from
 * 0, static; NULL behind the last one.
 */
const char *container_unkept_at(size_t n);

/* container_removal.c: the removal of containers. */

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

/* container_place.c: where a daemon runs a container. */

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

#endif
