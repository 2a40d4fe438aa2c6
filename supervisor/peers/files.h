/*
 * The files of owners as the supervisor sees them: a process keeps them
 * (worker/files), started when it is needed and again when it has ended, and
 * one porter for each task carries them out of a box or into it. Runs in the
 * supervisor; of files, it reads nothing but what it is asked to pass on.
 */
#ifndef SUPERVISOR_FILES_H
#define SUPERVISOR_FILES_H

#include "../../common/channel.h"
#include "../../common/file_fault.h"
#include "../options/options.h"

struct files;
struct files_task;

/* A file that is kept; borrowed. */
struct file_row {
	const char *name;
	uint64_t version; /* 1 is the first of its name */
	uint64_t size;    /* bytes */
	uint64_t since;   /* when it was kept: seconds since 1970 */
	const char *type; /* media type */
};

/* How a task has ended; borrowed. */
struct files_end {
	uint64_t count; /* of files removed, or not looked at */
	const char *why; /* one sentence, why it failed; NULL: it did not */
	enum file_fault fault; /* of that; NONE where the process ended */
};

/*
 * Who is told of a task; all are called with ctx, from the loop, never by the
 * functions below. NULL: what it would tell is of no interest.
 */
struct files_user {
	/* One more file that is kept, or given, or there. */
	void (*filed)(void *ctx, const struct file_row *row);
	/* What code left and is not kept, or was to get; its name is bytes. */
	void (*left_out)(
	    void *ctx, const char *name, size_t len, enum file_fault fault);
	/*
	 * The bytes of the file that filed has told of: those of the descriptor
	 * from offset on. It may be taken.
	 */
	void (*fetched)(void *ctx, int *file, uint64_t offset);
	/* The task has ended, and is gone. */
	void (*done)(void *ctx, const struct files_end *end);
	void *ctx;
};

/* Starts nothing yet. All three must last as long as it. */
struct files *files_new(
    struct event_base *base, const struct options *options, char **envp);

/* Ends what runs of it; no task is told. */
void files_free(struct files **files);

/* Whether something may be kept: 0 when there is no directory yet. */
int files_may_hold(const struct files *files);

/*
 * The tasks. Each returns a task that ends by itself, or NULL with err when the
 * process that keeps files is unavailable, or a porter cannot be started, or
 * the catalogue refuses the request. owner: the scope of whose files they are.
 * user is copied; all texts and bytes are borrowed.
 *
 * files_collect keeps what lies in the directory folder of a box, which is
 * taken, and in which nothing is at work any more; the porter is that user.
 */
struct files_task *files_collect(struct files *files, const char *owner,
    int *folder, unsigned int uid, const struct files_user *user,
    struct err *err);

/*
 * Puts the newest versions of these files (each name and a NUL, no doubles)
 * into the directory "in", which is made, of the directory folder, which is
 * taken.
 */
struct files_task *files_deliver(struct files *files, const char *owner,
    const char *names, size_t names_len, int *folder, unsigned int uid,
    const struct files_user *user, struct err *err);

/* Keeps a file; a name that cannot be one is refused by the task. */
struct files_task *files_add(struct files *files, const char *owner,
    const char *name, const char *data, size_t len,
    const struct files_user *user, struct err *err);

/* Tells of all files, by name and then by version; or the newest of each. */
struct files_task *files_list(struct files *files, const char *owner,
    int versions, const struct files_user *user, struct err *err);

/* Hands over a file; version 0: the newest. */
struct files_task *files_fetch(struct files *files, const char *owner,
    const char *name, uint64_t version, const struct files_user *user,
    struct err *err);

/* Removes one version of a file; 0: all of them; no name (NULL): all files. */
struct files_task *files_remove(struct files *files, const char *owner,
    const char *name, uint64_t version, const struct files_user *user,
    struct err *err);

/*
 * Has it end soon, with what is done until then: done is called as always.
 */
void files_give_up(struct files_task *task);

/* Its user is not told any more; it goes on. NULL inside is accepted. */
void files_forget(struct files_task **task);

/*
 * file_fault.c: what is wrong, as the end of a sentence that begins with the
 * name of the file and "was not kept: " or the like; the caller frees it.
 */
char *file_fault_text(enum file_fault fault, const struct options *options);

/* For the handlers: what each message says. */
void files_hear_filed(
    struct files *files, uint64_t task, const struct file_row *row);
void files_hear_left_out(struct files *files, uint64_t task, const char *name,
    size_t len, enum file_fault fault);
void files_hear_fetched(
    struct files *files, uint64_t task, int *file, uint64_t offset);
void files_hear_done(struct files *files, uint64_t task, uint64_t count,
    enum file_fault fault, const char *name, size_t len);

#endif
