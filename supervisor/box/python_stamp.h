/*
 * How the interpreter of boxes looks on disk: a box that was started with
 * another one than is there now is not handed to anybody. Runs in the
 * supervisor; asks for times and numbers of files, and opens none.
 */
#ifndef SUPERVISOR_PYTHON_STAMP_H
#define SUPERVISOR_PYTHON_STAMP_H

#include <sys/stat.h>

/* The program, and what makes it a virtual environment. */
#define PYTHON_STAMP_FILES 2

/* What of a file changes whenever it does; all 0 where there is none. */
struct python_stamp_file {
	dev_t device;
	ino_t number;
	struct timespec written;
	struct timespec changed;
};

struct python_stamp {
	struct python_stamp_file files[PYTHON_STAMP_FILES];
};

/*
 * Looks at the interpreter, or at that of the virtual environment, which is at
 * this path (the option python).
 */
void python_stamp_look(const char *python, struct python_stamp *interpreter);

/* Whether two looks saw the same. */
int python_stamp_same(
    const struct python_stamp *one, const struct python_stamp *other);

#endif
