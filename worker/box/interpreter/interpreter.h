/*
 * Functions that the languages share: finding the program that runs the code,
 * and becoming it. Unless a comment says otherwise, functions with a struct err
 * return 0, or -1 with it.
 */
#ifndef WORKER_BOX_INTERPRETER_INTERPRETER_H
#define WORKER_BOX_INTERPRETER_INTERPRETER_H

#include "../native/sandbox.h"
#include "../../../common/base/err.h"

/* find.c, run by the launcher */
/*
 * Resolves path, which is absolute, and records the links that the view must
 * have. real receives the path without links and has room for PATH_MAX bytes.
 */
int interpreter_follow(
    struct box *box, const char *path, char *real, struct err *err);
/* Returns the directory above the "bin" of a program: the caller frees it. */
char *interpreter_prefix(const char *program);
/* Whether path is an executable file. */
int interpreter_is_program(const char *path);
/*
 * Adds the installation at path, which contains no links, to the view, unless
 * it is there already. Fails for a directory with other content.
 */
int interpreter_add(struct box *box, const char *path, struct err *err);
/*
 * Does all of this for the program at box->setup.interpreter: resolves it, and
 * adds its installation to the view.
 */
int interpreter_show(struct box *box, struct err *err);

/* Where engines of JavaScript look for packages. */
#define INTERPRETER_PACKAGES "/node_modules"
/*
 * Shows the packages that the user has for code, if any, and a link to them
 * from there.
 */
int interpreter_show_packages(struct box *box, struct err *err);

/* become.c, run by the code */
/* Moves the pipes to the descriptors that the bootstrap expects. */
int interpreter_descriptors(struct box *box, struct err *err);
/* The same for a template: the channel and its other descriptors. */
int interpreter_template_descriptors(struct box *box, struct err *err);
/* Enters the working directory of the code. */
int interpreter_enter(struct box *box, struct err *err);
/*
 * Does that and executes a program, which is the interpreter or starts it.
 * Returns only on failure: -1 with why the interpreter could not be executed.
 */
int interpreter_become(struct box *box, const char *program,
    const char *const *argv, struct err *err);

/* program.c: both functions of a language without a bootstrap of its own. */
int program_locate(struct box *box, struct err *err);
int program_run(struct box *box, struct err *err);

/* environment.c */
/* The most variables that a language has besides those of all. */
#define ENVIRONMENT_MORE 4
/* Adds one, "NAME=value", which is kept. To be called before the next. */
void environment_add(const char *variable);
/* Returns the environment for execve, made once. */
char *const *environment_make(const struct box *box);

#endif
