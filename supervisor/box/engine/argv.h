/*
 * The description of a container, which is the same for both engines, and the
 * command lines of podman and docker that it becomes. These functions only
 * compose text. No code, no
 * variable of the user and no name of a server is part of it: every user of the
 * host can read a command line. Runs in the supervisor.
 */
#ifndef SUPERVISOR_CONTAINER_ARGV_H
#define SUPERVISOR_CONTAINER_ARGV_H

#include <stdint.h>

#include "../../../common/base/buffer.h"
#include "../../../common/base/err.h"
#include "../../../common/seccomp/library_threads.h"

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
	int data;              /* it has /data, for a conversation */
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

#endif
