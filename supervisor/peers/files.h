/*
 * The files of owners as the supervisor sees them. A process keeps them
 * (worker/files); it is started when it is needed, and restarted after its end.
 * For each task that needs one, a porter moves them out of a box or into it.
 * Runs in the supervisor; of files, it reads only the bytes that it is asked to
 * pass on.
 */
#ifndef SUPERVISOR_FILES_H
#define SUPERVISOR_FILES_H

#include "../../common/base/buffer.h"
#include "../../common/ipc/channel.h"
#include "../../common/ipc/ipc.h"
#include "../../common/file_fault.h"
#include "../options/options.h"
#include "peers.h"

struct files;
struct files_task;

/* A kept file; borrowed. */
struct file_row {
	const char *name;
	uint64_t version; /* 1 is the first of its name */
	uint64_t size;    /* bytes */
	uint64_t since;   /* when it was kept: seconds since 1970 */
	uint64_t changed; /* of a file in a box: see FILED */
	const char *type; /* media type */
	const char *conversation; /* its id; empty: it belongs to none */
	const char *url; /* of a link to it; NULL: there are none */
};

/* The right that a link gives; zeroes: none is needed. */
struct file_linked {
	uint64_t expires; /* seconds since 1970 */
	char signature[FILE_SIGNATURE_SIZE + 1];
};

/* Adds a file that was kept or delivered to the list for files_mirror. */
void file_row_sync(struct buffer *synced, const struct file_row *row);

/* What an owner keeps, and may keep, with all versions; borrowed. */
struct files_usage {
	const char *owner; /* a scope; empty: the local user */
	const char *conversation; /* its id; empty: all of the owner */
	uint64_t versions; /* earlier ones; of a conversation not in files */
	uint64_t files;
	uint64_t bytes;
	uint64_t files_most;
	uint64_t bytes_most;
	uint64_t own; /* limit of its own, in bytes; 0: none */
};

/* The end of a task; borrowed. */
struct files_end {
	uint64_t count; /* of files removed, or skipped */
	const char *why; /* why it failed, one sentence; NULL: success */
	enum file_fault fault; /* of that; NONE if the process ended */
};

/*
 * The callbacks of a task; all are called with ctx, from the loop, never by the
 * functions below. NULL: no notification.
 */
struct files_user {
	/* One more file was kept, delivered or listed. */
	void (*filed)(void *ctx, const struct file_row *row);
	/* One more owner keeps files. */
	void (*used)(void *ctx, const struct files_usage *row);
	/*
	 * A file of the code was not kept, or not delivered; name is bytes, why
	 * the end of a sentence.
	 */
	void (*skipped)(void *ctx, const char *name, size_t len,
	    enum file_fault fault, const char *why);
	/*
	 * The bytes of the last file of filed: those of the descriptor from
	 * offset on. The descriptor may be taken.
	 */
	void (*fetched)(void *ctx, int *file, uint64_t offset);
	/* There is room for the file, which is written to the pipe; it may be
	 * taken. */
	void (*awaited)(void *ctx, int *sink);
	/* The task has ended and is freed. */
	void (*done)(void *ctx, const struct files_end *end);
	void *ctx;
};

/*
 * Sets the limits of owners, with pairs of a scope and bytes in decimal, which
 * are copied; it replaces earlier ones.
 */
void files_limit(struct files *files, const struct buffer *limits);

/* Returns whether kept files may exist: 0 if there is no directory yet. */
int files_may_hold(const struct files *files);

/*
 * The tasks. Each function returns a task that ends by itself, or NULL with err
 * if the process that keeps files is unavailable, if a porter cannot be
 * started, or if the catalogue refuses the request. owner is the scope of the
 * files' owner. user is copied; all texts and bytes are borrowed.
 *
 * files_mirror keeps what is new or changed in the directory folder of a box,
 * which is taken, and which no process uses any more. The porter runs as the
 * user uid. synced lists the files that the box was given, or that were kept of
 * it before, by file_row_sync. In the directory of a conversation it also
 * removes the files that are no longer there.
 */
struct files_task *files_mirror(struct files *files, const char *owner,
    const struct buffer *synced, int *folder, unsigned int uid,
    const struct files_user *user, struct err *err);

/*
 * Puts the newest versions of these files (each name + NUL, no doubles) into
 * the directory "in", which is created in the directory folder, which is taken;
 * of a conversation, without names, all files into the directory itself.
 */
struct files_task *files_deliver(struct files *files, const char *owner,
    const char *names, size_t names_len, int *folder, unsigned int uid,
    const struct files_user *user, struct err *err);

/*
 * Returns the owner of the files of a conversation, for the functions here,
 * which the caller frees. owner is a scope; an id of NULL returns a copy of it.
 */
char *files_conversation(const char *owner, const char *id);

/* Keeps a file; the task fails if the name is not valid. */
struct files_task *files_add(struct files *files, const char *owner,
    const char *name, const char *data, size_t len,
    const struct files_user *user, struct err *err);

/*
 * The same for a file of size bytes that is written to the pipe of awaited. The
 * task has no time limit: it fails when the pipe ends too early. The process
 * judges a link before it looks for anything.
 */
struct files_task *files_receive(struct files *files, const char *owner,
    const char *name, uint64_t size, const struct file_linked *link,
    const struct files_user *user, struct err *err);

/*
 * Lists all files, by name and then by version; or the newest of each. With all
 * it lists the conversations of the owner, too.
 */
struct files_task *files_list(struct files *files, const char *owner, int all,
    int versions, const struct files_user *user, struct err *err);

/* Tells how much each owner keeps. */
struct files_task *files_list_usage(
    struct files *files, const struct files_user *user, struct err *err);

/* Passes on a file; version 0: the newest. link: as above, or NULL. */
struct files_task *files_fetch(struct files *files, const char *owner,
    const char *name, uint64_t version, const struct file_linked *link,
    const struct files_user *user, struct err *err);

/* Has filed called with a link for sending a file, as its version 1. */
struct files_task *files_link(struct files *files, const char *owner,
    const char *name, const struct files_user *user, struct err *err);

/*
 * Removes a version of a file; 0: all of them; name NULL: all files, also of
 * the conversations of the owner.
 */
struct files_task *files_remove(struct files *files, const char *owner,
    const char *name, uint64_t version, const struct files_user *user,
    struct err *err);

/* Ends it soon, and keeps the part already done; done is called as always. */
void files_give_up(struct files_task *task);

/* Lets it continue without callbacks. NULL inside is accepted. */
void files_forget(struct files_task **task);

/*
 * file_fault.c: returns the cause and the fix, as the end of a sentence that
 * starts with the name of the file and "was not kept: " or the like. The caller
 * frees it. The owner of used may be one with a conversation; its amounts count
 * for faults of room only.
 */
char *file_fault_text(enum file_fault fault, const struct options *options,
    const struct files_usage *used);

/*
 * file_url.c: returns the address of a link to a file of an owner, or of one of
 * its conversations, which the caller frees; base is the setting public_url.
 */
char *file_url(
    const char *base, const char *owner, const struct ipc_filed *filed);

/*
 * Reads what is behind /files/ in one, in len bytes without a NUL. Returns the
 * name, and the rest; the caller frees both texts. NULL: it is no link.
 */
char *file_url_read(const char *path, size_t len, uint64_t *version,
    char **owner, struct file_linked *link);

/* Percent-encode all but letters, digits and plain; decode, 0 or -1. */
void file_url_encode(struct buffer *text, const char *at, const char *plain);
int file_url_decode(char *text);

/* Two strings: the flag by which commands on files name an owner. */
#define FILES_OWNER_FLAG(scope) *(scope) == '\0' ? "" : " --owner ", (scope)

/* For the handlers of these messages. */
void files_hear_filed(struct files *files, const struct ipc_filed *filed);
void files_hear_used(
    struct files *files, uint64_t task, const struct files_usage *row);
void files_hear_skipped(struct files *files, uint64_t task, const char *name,
    size_t len, enum file_fault fault);
void files_hear_fetched(
    struct files *files, uint64_t task, int *file, uint64_t offset);
void files_hear_awaited(struct files *files, uint64_t task, int *sink);
void files_hear_done(struct files *files, uint64_t task, uint64_t count,
    enum file_fault fault, const char *name, size_t len);

#endif
