/*
 * Podman and docker, the engines of containers: what one is told and asked, and
 * what it answers.
 */
#ifndef SUPERVISOR_ENGINE_H
#define SUPERVISOR_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/queue.h>

#include "../../../common/base/buffer.h"
#include "../../../common/base/err.h"
#include "../../../common/seccomp/library_threads.h"

/*
 * Images from which containers are started: their names, and the tags by which
 * the operator enables some as languages. The engine holds the images and the
 * tags; nothing of them is kept here. Runs in the supervisor; pure.
 */

/* "sha256:", 64 digits, and a NUL. */
#define IMAGE_DIGEST_SIZE 72
#define IMAGE_ALGORITHM "sha256:"

/* The digits of a digest, and the fewest that stand for one. */
#define IMAGE_DIGITS 64
#define IMAGE_DIGITS_MIN 12

/*
 * Return whether a text can be the name of an image, of a language, and a
 * digest, whose first digits are enough, with or without "sha256:".
 */
int image_is_name(const char *text);
int image_is_language(const char *text);
int image_is_digest(const char *text);

/* Returns the digits of a digest that is given with or without "sha256:". */
const char *image_digits(const char *digest);

/* The name that Caisson gives to an image of a language that it builds. */
#define IMAGE_BUILT "caisson-"

/*
 * Returns whether a registry may have the image of this name, which podman and
 * docker could then pull: none has one that is named by its digest, that
 * Caisson has built, or that podman has built, "localhost/...".
 */
int image_may_be_pulled(const char *name);

/* The labels by which an image says that it is for code, and of what. */
#define IMAGE_LABEL_RUNNER "sandbox.runner"
#define IMAGE_LABEL_LANGUAGE "sandbox.language"

/*
 * The beginning of the names of enabled images: the language follows, in which
 * "__p" stands for "+" and "__s" for "#", and then ":latest".
 */
#define IMAGE_TAGS "localhost/caisson/"
#define IMAGE_TAG_END ":latest"

/*
 * Append the tag that enables an image for a language, and the name that
 * Caisson gives to an image of it.
 */
void image_add_tag(struct buffer *text, const char *language);
void image_add_built(struct buffer *text, const char *language);

/*
 * Returns the language that a tag enables an image for, which the caller frees;
 * NULL if it is no such tag.
 */
char *image_tag_language(const char *tag);

/*
 * The description of a container, which is the same for both engines, and the
 * command lines of podman and docker that it becomes. These functions only
 * compose text. No code, no variable of the user and no name of a server is
 * part of it: every user of the host can read a command line.
 */

enum container_engine {
	CONTAINER_PODMAN,
	CONTAINER_DOCKER,
	CONTAINER_ENGINES,
};

/* The labels of every container: the Caisson that started it, and its box. */
#define CONTAINER_LABEL_RUN "caisson.run"
#define CONTAINER_LABEL_BOX "caisson.box"

/* The PATH of code, where the image does not say it. */
#define CONTAINER_PATH "/usr/local/bin:/usr/bin:/bin"

/* The digits of the id that an engine gives to a container. */
#define CONTAINER_ENGINE_ID 64

/* Where the bootstrap is mounted in a container, and where process 1 is. */
#define CONTAINER_BOOTSTRAP "/run/caisson"
#define CONTAINER_FIRST "/run/caisson-first"
/* The same, by its name in worker/box/python/language.def and its like. */
#define BOX_FOLDER_THREE CONTAINER_BOOTSTRAP

/* The description of one container. All texts stay the caller's. */
struct container {
	const char *name;      /* of the container, unique on this host */
	const char *run;       /* the label of all containers of this Caisson */
	unsigned long number;  /* of the box */
	const char *image;
	uint32_t uid;          /* of the code in the container; not 0 */
	uint32_t gid;
	const char *profile;   /* the path of the seccomp profile */
	const char *bootstrap; /* a directory of the host; NULL: none */
	/*
	 * The program of the host that is process 1 and starts the command;
	 * NULL: the engine's.
	 */
	const char *first;
	const char *programs; /* the first folder of PATH; NULL: none of ours */
	const char *const *command; /* in it, the last one is NULL */
	uint64_t memory_bytes; /* of all processes and files */
	uint64_t files_bytes;  /* of each writable directory */
	bool data;             /* it has /data */
	unsigned long processes;
	unsigned int cpus;     /* in hundredths; 0: no limit */
	struct library_threads threads;
	/*
	 * The limit of processes of that user on the host, which containers of
	 * one user share; 0: none.
	 */
	unsigned long user_processes;
	unsigned long lifetime; /* in seconds, after which podman ends it */
};

/* argv.c: all functions below. */

/*
 * Returns 0 if such a container can be described, or -1 with err: a name with
 * other characters than letters, digits and "_.-", an image or a path that an
 * engine would read as something else, or the user root.
 */
int container_check(const struct container *container, struct err *err);

/* The command lines are lists of texts (text_list.h). */

/*
 * Appends the command line that runs a container, which container_check has
 * accepted. program is the path of the engine. The standard input, output and
 * error of the command are those of the container; the container is removed
 * when it ends.
 */
void container_argv_run(struct buffer *list, enum container_engine engine,
    const char *program, const struct container *container);

/* Appends the command line that kills and removes a container by name. */
void container_argv_remove(struct buffer *list, enum container_engine engine,
    const char *program, const char *name);

/*
 * Appends the command line by which docker prints the identifier of a container
 * with this name, and nothing if there is none.
 */
void container_argv_find(
    struct buffer *list, const char *program, const char *name);

/*
 * Appends the command line that prints all containers with our labels, one line
 * each: the label CONTAINER_LABEL_RUN, a space, the name.
 */
void container_argv_list(struct buffer *list, enum container_engine engine,
    const char *program);

/*
 * Appends the command line that prints where a container runs: the number of
 * its process 1 on the host, a space, its id of CONTAINER_ENGINE_ID digits.
 */
void container_argv_inspect(
    struct buffer *list, const char *program, const char *name);

/*
 * Appends the command line that prints a line for each tag of images that a
 * filter has, in that format.
 */
void container_argv_images(struct buffer *list, const char *program,
    const char *filter, const char *format);

/*
 * Whether a Caisson in another namespace of processes still runs, where /proc
 * does not show its process. Each Caisson with boxes in containers holds a lock
 * until it ends. Runs in the supervisor; writes empty files into one directory
 * of its user.
 */

/*
 * Returns the directory of these locks, which the caller frees: of root, or of
 * an ordinary user for whom the system has made a directory for this boot. It
 * is created if it is missing. NULL with err: there is none.
 */
char *container_lock_folder(struct err *err);

/*
 * Takes the lock of this Caisson, which its label names: see
 * container_sweep_label. Returns a descriptor, which the caller owns and which
 * ends the lock, or -1 with err.
 */
int container_lock_take(const char *folder, const char *label, struct err *err);

/*
 * Ends it, and removes its file; that of a Caisson that is killed stays until
 * the next boot. -1 inside is accepted.
 */
void container_lock_end(const char *folder, const char *label, int *lock);

/* Returns whether the Caisson of that label has held a lock, and has ended. */
int container_lock_is_free(const char *folder, const char *label);

/* Why an engine could not run a container, as a sentence with the fix. */

/* How the client of an engine has ended. */
struct container_end {
	const char *program; /* the path of the engine */
	const char *image;   /* the image that was asked for */
	const char *digest;  /* of an image that is a language, or NULL */
	int status;          /* the exit status; -1: killed by a signal */
	int killer;          /* that signal; 0: unknown */
	const char *errors;  /* of its standard error; UTF-8, maybe empty */
};

/*
 * Appends some text and the last line of errors, with control characters
 * escaped; nothing if there is no line.
 */
void container_fault_quote(
    struct buffer *text, const char *before, const char *errors);

/*
 * Returns the sentence for a container that has ended before it was ready for
 * code. The caller frees the sentence.
 */
char *container_fault(const struct container_end *end);

/*
 * Returns the sentence for an image that podman or docker did not describe when
 * it was asked.
 */
char *container_fault_asked(const struct container_end *end);

/*
 * Returns the sentence for an image whose command could not be executed, or
 * whose process 1 could not start a process for it. The last line of errors
 * says why: see worker/box/shared/first.c.
 */
char *container_fault_command(const char *image, const char *errors);

/*
 * Podman and docker: the engines of containers, and what one is asked for. The
 * state of one engine, its program, and its commands. Of an engine it reads
 * lists of containers and images, and errors.
 */

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
	int lock;        /* container_lock_take; -1: none */
	char *bootstrap; /* the folder box of this installation */
	char *first;     /* the program in it: process 1 of images */
	char *profile;   /* the path of the seccomp profile */
	struct buffer environment; /* of the engine: a list of texts */
	char **envp;     /* the same, as a vector */
	unsigned long user_processes; /* as in struct container */
	uint32_t uid;
	uint32_t gid;
	bool warned; /* that files are lost */
	LIST_HEAD(, container_removal) removals; /* of removal.c */
};

/*
 * program.c: the engine. Finds the one for a value of the option
 * runtime, and sets program and environment. Returns 0, or -1 with err, which
 * says how to install it.
 */
int container_program_find(
    struct container_boxes *shared, const char *value, struct err *err);

/* The names of engines, as the option runtime has them. */
extern const char *const container_names[CONTAINER_ENGINES];

/* Returns the engine that the base name of a path begins with; -1: none. */
int container_program_engine(const char *path);

/*
 * Returns the path of the program of an engine, which the caller frees: the
 * value itself if it is a path, or else the one that is installed. NULL: there
 * is none.
 */
char *container_program_path(enum container_engine engine, const char *value);

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
	bool late;          /* it was ended, as it took too long */
	bool cut;           /* it has printed more than out */
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

/*
 * What an engine tells of an image: its digest, its command, the language that
 * its labels propose, and what it would have its engine do, beside providing
 * files. An image is asked for this before a container of it runs code. Runs in
 * the supervisor; composes text, and parses the answer as JSON, of which the
 * image has written parts.
 */

/* An image, as its engine describes it. All zeroes: none. */
struct container_image {
	char digest[IMAGE_DIGEST_SIZE]; /* with "sha256:" */
	char *language; /* that its labels propose; NULL: none */
	struct buffer command; /* ENTRYPOINT and CMD, a list of texts */
	uint32_t uid; /* its own user, by a number; 0: none, or root */
	uint32_t gid;
	char *wants; /* shown: a volume or annotation to refuse; NULL: none */
};

/*
 * Appends the command line (text_list.h) that describes an image. program is
 * the path of the engine.
 */
void container_image_argv(struct buffer *list, enum container_engine engine,
    const char *program, const char *image);

/*
 * Reads the answer. shown is the image as messages name it. Returns 0 with
 * found, which the caller resets, or -1 with err: the engine has answered
 * something else.
 */
int container_image_read(enum container_engine engine, const char *shown,
    const struct buffer *answer, struct container_image *found,
    struct err *err);

/* Frees its fields. */
void container_image_reset(struct container_image *image);

/*
 * Returns 0, or -1 with err if the image has a volume that docker would make on
 * the host, or an annotation that podman would pass on to its runtime: what it
 * would do, and the fix.
 */
int container_image_judge(enum container_engine engine, const char *shown,
    const struct container_image *image, struct err *err);

/*
 * Finds the containers of a Caisson that has ended. The label and the name of a
 * container identify the Caisson that started it. Runs in the supervisor; reads
 * /proc, and a list that an engine has printed.
 */

/* The beginning of the names of all containers. */
#define CONTAINER_SWEEP_PREFIX "caisson-"

/*
 * Returns the label of all containers of this Caisson (CONTAINER_LABEL_RUN),
 * which the caller frees: the boot of the host, the namespace of processes, the
 * process, and its start time. Returns NULL with err if /proc does not tell.
 */
char *container_sweep_label(struct err *err);

/* Returns the name of the container of a box, which the caller frees. */
char *container_sweep_name(const char *label, unsigned long number);

/* The Caisson that looks for them. */
struct container_sweep {
	const char *label;  /* of its containers */
	const char *locks;  /* container_lock_folder; NULL: none */
};

/*
 * Calls found with the name of each container of a list that is of a Caisson
 * that has ended. text, of len bytes, is what the command of
 * container_argv_list has printed. Containers of another boot are left alone,
 * since an engine can serve several hosts; those of other namespaces of
 * processes, which are not seen from here, unless their Caisson has held a lock
 * (engine.h). Lines of any other form are skipped. Returns how many were found.
 */
size_t container_sweep_each(const struct container_sweep *sweep,
    const char *text, size_t len, void (*found)(void *ctx, const char *name),
    void *ctx);

#endif
