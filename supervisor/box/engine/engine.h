/*
 * Podman and docker: the engines of containers, and what one is asked for. The
 * state of one engine, its program, and its commands. Runs in the supervisor.
 * Of an engine it reads lists of containers and images, and errors.
 */
#ifndef SUPERVISOR_ENGINE_H
#define SUPERVISOR_ENGINE_H

#include <stdbool.h>
#include <sys/queue.h>
#include <sys/types.h>

#include "argv.h"

struct child;
struct child_end;
struct container_fetch;
struct container_removal;
struct engine_call;
struct event_base;
struct spawn_program;

/* The state shared by all boxes of one of these runtimes. */
struct container_boxes {
	enum container_engine engine;
	char *program;   /* the absolute path of the engine */
	char *image;     /* of containers */
	bool lacking;    /* it must be fetched first: fetch.c */
	struct container_fetch *fetch; /* under way; NULL: none */
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
	LIST_HEAD(, container_removal) removals; /* of removal.c */
};

/*
 * program.c: the engine. Finds the one for a value of the option
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
 * commands.c: the command lines of one container, and the program for
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

/* engine.c: a command of the engine. */

struct container_answer {
	int status;         /* the exit status; -1: a signal, late or cut */
	int killer;         /* that signal; 0: none */
	int late;           /* it was ended, as it took too long */
	int cut;            /* it has printed more than out */
	struct buffer out;  /* the first ENGINE_OUT_MAX bytes */
	struct buffer errors; /* the first ENGINE_ERRORS_MAX bytes */
};

/*
 * Starts a command of the engine, a list of words, below a keeper. Calls done
 * once, when it has ended and its streams are closed, or, with the status -1,
 * after ms milliseconds: then its keeper ends it. done may free the call, with
 * which the answer ends. Returns the call, which the caller frees, or NULL with
 * err.
 */
struct engine_call *container_engine_query(struct event_base *base,
    const struct container_boxes *shared, const struct buffer *words,
    unsigned int ms, void (*done)(void *ctx, struct container_answer *answer),
    void *ctx, struct err *err);

/* The same for a program, which is borrowed until it has started. */
struct engine_call *container_engine_begin(struct event_base *base,
    struct spawn_program *program, unsigned int ms,
    void (*done)(void *ctx, struct container_answer *answer), void *ctx,
    struct err *err);

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

#endif
