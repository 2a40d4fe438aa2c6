/*
 * The programs that the commands of images start: mmdebstrap, cp, tar and the
 * engines podman and docker. They run as our user, one after the other, below
 * keepers, and are ended with everything they have started when a signal
 * arrives. What foreign bytes an image contains, they parse and not we. Runs in
 * the supervisor.
 */
#ifndef SUPERVISOR_IMAGE_WORK_H
#define SUPERVISOR_IMAGE_WORK_H

#include "../../common/buffer.h"
#include "../../common/err.h"

struct event;
struct event_base;

/* The signals that interrupt a command. */
#define IMAGE_WORK_SIGNALS 3

struct image_work {
	struct event_base *base;
	char **envp;
	const char *tmp; /* TMPDIR of the programs; NULL: as in envp */
	int quiet; /* the errors of programs go nowhere */
	int interrupted;
	int unstarted; /* the last program was not executed */
	int cut; /* the last output was longer than what was kept of it */
	struct event *signals[IMAGE_WORK_SIGNALS];
	void *running; /* private: the programs */
};

/* Begin and end to receive the signals. base and envp are set. */
void image_work_begin(struct image_work *work);
void image_work_end(struct image_work *work);

/*
 * Returns the path of a program in PATH, which the caller frees; NULL if there
 * is none.
 */
char *image_work_find(const struct image_work *work, const char *name);

/*
 * Runs a program, whose first word (text_list.h) is its path, until it ends;
 * its errors are ours, unless quiet is set. Its input is empty, or the output
 * of the program of feed. Its output goes to output, at most the first
 * IMAGE_ANSWER_MAX bytes, or, if that is NULL, to its errors. Returns 0, or -1
 * with err: it could not be started, was interrupted, or one of both has
 * failed.
 */
int image_work_run(struct image_work *work, const struct buffer *words,
    const struct buffer *feed, struct buffer *output, struct err *err);

#endif
