/*
 * What the languages have in common: finding the program that runs the code,
 * and becoming it. Unless a comment says otherwise, what takes a struct err
 * returns 0, or -1 with it.
 */
#ifndef WORKER_BOX_INTERPRETER_INTERPRETER_H
#define WORKER_BOX_INTERPRETER_INTERPRETER_H

#include "../native/sandbox.h"
#include "../../../common/err.h"

/* find.c, run by the launcher */
/*
 * Follows path, which is absolute, and notes the links which the view must
 * have. real gets the path without links and has room for PATH_MAX bytes.
 */
int interpreter_follow(
    struct box *box, const char *path, char *real, struct err *err);
/* Returns the directory above the "bin" of a program: the caller frees it. */
char *interpreter_prefix(const char *program);
/* Whether path is a file that may be executed. */
int interpreter_is_program(const char *path);
/*
 * Has the view show the installation at path, which has no links in it, unless
 * it does already. Fails for a directory that holds more than that.
 */
int interpreter_add(struct box *box, const char *path, struct err *err);
/*
 * Does all of that for the program at box->setup.interpreter: follows it, and
 * has the view show the installation that it lies in.
 */
int interpreter_show(struct box *box, struct err *err);

/* become.c, run by the code */
/* Puts the pipes where the bootstrap looks for them. */
int interpreter_descriptors(struct box *box, struct err *err);
/* The same for a template: the channel and what stands beside it. */
int interpreter_template_descriptors(struct box *box, struct err *err);
/* Enters the folder that the code begins in. */
int interpreter_enter(struct box *box, struct err *err);
/* Resets what the launcher inherited and must not change what the code sees. */
void interpreter_reset_signals(void);
/* Explains why it could not be executed: errnum. Returns -1 with err. */
int interpreter_explain(const struct box *box, int errnum, struct err *err);

/* environment.c: what execve takes, made once. */
char *const *environment_make(const struct box *box);

#endif
