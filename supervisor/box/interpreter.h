/*
 * How the interpreter of boxes looks on disk: a box that was started with
 * another one than is there now is not handed to anybody. Runs in the
 * supervisor; asks for times and numbers of files, and opens none.
 */
#ifndef SUPERVISOR_INTERPRETER_H
#define SUPERVISOR_INTERPRETER_H

#include <sys/stat.h>

/* The program, and what makes it a virtual environment. */
#define INTERPRETER_FILES 2

/* What of a file changes whenever it does; all 0 where there is none. */
struct interpreter_file {
	dev_t device;
	ino_t number;
	struct timespec written;
	struct timespec changed;
};

struct interpreter {
	struct interpreter_file files[INTERPRETER_FILES];
};

/*
 * Looks at the interpreter, or at that of the virtual environment, which is at
 * this path (the option python).
 */
void interpreter_look(const char *python, struct interpreter *interpreter);

/* Whether two looks saw the same. */
int interpreter_same(
    const struct interpreter *one, const struct interpreter *other);

#endif
