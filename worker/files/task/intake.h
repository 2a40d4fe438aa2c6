/*
 * One file being stored in the directory: it is copied, then given its version
 * and its name while no other process can add one. Before that it is not a
 * stored file, and it leaves nothing behind if it is not completed. Runs in
 * files.
 */
#ifndef WORKER_FILES_INTAKE_H
#define WORKER_FILES_INTAKE_H

#include "../stored/files.h"
#include "../stored/head.h"

struct intake;

enum intake_state {
	INTAKE_COPIES, /* there is more to do now */
	INTAKE_WAITS,  /* another process adds a file: continue in FILES_LOOK_MS
		        */
	INTAKE_STARVES, /* continue when its source is readable */
	INTAKE_STORED,
	INTAKE_FAILED
};

/*
 * Starts to store a file: the content of from, a descriptor of a regular file,
 * which is taken. The name must be valid. Returns an intake, which intake_free
 * frees, or NULL with the fault.
 */
struct intake *intake_new(struct files *files, const char *owner,
    const char *name, int *from, enum file_fault *fault);

/* The same for bytes in memory, which are borrowed. */
struct intake *intake_new_bytes(struct files *files, const char *owner,
    const char *name, const struct ipc_bytes *bytes, enum file_fault *fault);

/*
 * The same for size bytes that will be written to *sink, a pipe that the caller
 * owns then. If it ends earlier, the file is not stored.
 */
struct intake *intake_new_pipe(struct files *files, const char *owner,
    const char *name, uint64_t size, int *sink, enum file_fault *fault);

/*
 * Returns whether a conversation has room for the file: see index_judge. The
 * same is asked again when it is complete.
 */
enum file_fault intake_judge(struct intake *intake,
    int (*goes)(void *ctx, const struct head *head), void *ctx);

/* Returns the descriptor that the file is read from; -1: none, any more. */
int intake_source(const struct intake *intake);

/*
 * Continues by one piece. After INTAKE_STORED the file is stored permanently,
 * and its head can be read; after INTAKE_FAILED *fault is the cause. *until is
 * the time limit for waiting for other processes, one for all files of a task;
 * 0 if none has been waited for.
 */
enum intake_state intake_go_on(
    struct intake *intake, uint64_t *until, enum file_fault *fault);

const struct head *intake_head(const struct intake *intake);

/* Returns when the file that is copied was changed: see same_changed. */
uint64_t intake_changed(const struct intake *intake);

/* NULL inside is accepted. */
void intake_free(struct intake **intake);

#endif
