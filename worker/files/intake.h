/*
 * One file on its way into the directory: copied, then given its version and
 * its name while no other process can add one. Until then it is nothing that is
 * kept, and it leaves nothing behind where it is not finished. Runs in files.
 */
#ifndef WORKER_FILES_INTAKE_H
#define WORKER_FILES_INTAKE_H

#include "files.h"
#include "head.h"

struct intake;

enum intake_state {
	INTAKE_COPIES, /* there is more to do now */
	INTAKE_WAITS,  /* another process adds a file: go on in FILES_LOOK_MS */
	INTAKE_KEPT,
	INTAKE_FAILED
};

/*
 * Begins to take a file in: what stands in from, a descriptor of a regular file
 * that is taken. The name must be valid. Returns what intake_free frees, or
 * NULL with the fault.
 */
struct intake *intake_new(struct files *files, const char *owner,
    const char *name, int *from, enum file_fault *fault);

/* The same, where the bytes, which are borrowed, are in memory. */
struct intake *intake_new_bytes(struct files *files, const char *owner,
    const char *name, const struct ipc_bytes *bytes, enum file_fault *fault);

/*
 * Goes on by one piece. After INTAKE_KEPT the file is on the disk for good, and
 * its head can be asked for; after INTAKE_FAILED *fault says why. *until is the
 * time at which other processes have had the directory for too long, one for
 * all files of a task; 0 where they have not been waited for.
 */
enum intake_state intake_go_on(
    struct intake *intake, uint64_t *until, enum file_fault *fault);

const struct head *intake_head(const struct intake *intake);

/* NULL inside is accepted. */
void intake_free(struct intake **intake);

#endif
