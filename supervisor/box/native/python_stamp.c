/* The identity of the boxes' interpreter on disk: see native.h. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "native.h"

/* Follows all links, since another target is another installation. */
static int
python_stamp_look_at(const char *path, struct python_stamp_file *file)
{
	struct stat st;

	if (stat(path, &st) == -1)
		return -1;
	file->device = st.st_dev;
	file->number = st.st_ino;
	file->written = st.st_mtim;
	file->changed = st.st_ctim;
	return S_ISDIR(st.st_mode);
}

void
python_stamp_look(const char *python, struct python_stamp *interpreter)
{
	struct python_stamp_file *program = &interpreter->files[0];
	struct python_stamp_file *environment = &interpreter->files[1];
	const char *slash = strrchr(python, '/');
	int folder = slash == NULL ? 0 : (int)(slash - python);
	char path[PATH_MAX + sizeof("/../pyvenv.cfg")];

	memset(interpreter, 0, sizeof(*interpreter));
	if (python_stamp_look_at(python, program) == 1) {
		snprintf(path, sizeof(path), "%s/bin/python3", python);
		python_stamp_look_at(path, program);
		snprintf(path, sizeof(path), "%s/pyvenv.cfg", python);
	} else {
		snprintf(path, sizeof(path), "%.*s/../pyvenv.cfg", folder,
		    python);
	}
	python_stamp_look_at(path, environment);
}

static int
python_stamp_same_time(const struct timespec *one, const struct timespec *other)
{
	return one->tv_sec == other->tv_sec && one->tv_nsec == other->tv_nsec;
}

int
python_stamp_same(
    const struct python_stamp *one, const struct python_stamp *other)
{
	const struct python_stamp_file *a = one->files;
	const struct python_stamp_file *b = other->files;
	size_t i;

	for (i = 0; i < PYTHON_STAMP_FILES; i++)
		if (a[i].device != b[i].device || a[i].number != b[i].number ||
		    !python_stamp_same_time(&a[i].written, &b[i].written) ||
		    !python_stamp_same_time(&a[i].changed, &b[i].changed))
			return 0;
	return 1;
}
