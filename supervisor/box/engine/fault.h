/*
 * Why an engine could not run a container, as a sentence with the fix. Runs in
 * the supervisor.
 */
#ifndef SUPERVISOR_CONTAINER_FAULT_H
#define SUPERVISOR_CONTAINER_FAULT_H

#include "argv.h"

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
 * says why: see worker/box/first.
 */
char *container_fault_command(const char *image, const char *errors);

#endif
