/*
 * The identity of the boxes' interpreter on disk: a box whose interpreter has
 * been replaced on disk is not used. Runs in the supervisor; reads times and
 * numbers of files, and opens none.
 */
#ifndef SUPERVISOR_PYTHON_STAMP_H
#define SUPERVISOR_PYTHON_STAMP_H

#include <sys/stat.h>

/* The program, and the file that defines its virtual environment. */
#define PYTHON_STAMP_FILES 2

/* The attributes that change with a file; all 0 if there is none. */
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
 * Reads them for the interpreter at this path (the option python), or for that
 * of the virtual environment at this path.
 */
void python_stamp_look(const char *python, struct python_stamp *interpreter);

/* Returns whether both are the same. */
int python_stamp_same(
    const struct python_stamp *one, const struct python_stamp *other);

#endif
