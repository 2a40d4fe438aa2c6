/*
 * One file being stored in the directory: see intake.h. Runs in files.
 *
 * It is copied in pieces of FILE_PIECE, between which the loop runs. Only
 * syncing at most FILE_SYNC bytes may take longer. A file that is reported as
 * stored survives a loss of power.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../../../common/base/clock.h"
#include "../../../common/base/log.h"
#include "../../../common/base/mem.h"
#include "intake.h"
#include "../stored/index.h"
#include "../stored/share.h"
#include "../stored/type.h"
#include "same.h"

struct intake {
	struct files *files;
	struct coming coming; /* its head */
	int from;        /* -1 if all was copied at once */
	bool piped;      /* from is a pipe */
	bool starves;    /* which had no more bytes */
	struct stat was; /* its state when it arrived */
	int to;          /* the incomplete file, and its name */
	char temporary[DIRECTORY_TEMPORARY_SIZE]; /* empty if it has none */
	uint64_t copied; /* bytes */
	uint64_t synced; /* of these, the synced ones */
	bool complete;    /* only its head and its name are missing */
	int (*goes)(void *ctx, const struct head *head); /* or NULL */
	void *ctx;
};

/*
 * As share_judge, after versions that give way have been removed: none, if that
 * would not make room. The version before this one is still there, but counts
 * as removed: so a file may shrink in any case.
 */
static enum file_fault
intake_make_room(struct files *files, const char *owner, const char *name,
    uint64_t size, int coming)
{
	const struct share none = { 0 };
	const struct stored_file *before = index_find(files, owner, name, 0);
	struct share going = outdated_share(files, owner, 1);
	enum file_fault fault = share_judge(files, owner, size, coming, none);

	if (before != NULL) {
		going.count++;
		going.bytes += before->head.size;
	}
	if (fault == FILE_FAULT_NONE ||
	    ((before == NULL || size > before->head.size) && share_judge(files,
	        owner, size, coming, going) != FILE_FAULT_NONE))
		return fault;
	while (fault != FILE_FAULT_NONE && outdated_remove(files, owner))
		fault = share_judge(files, owner, size, coming, none);
	return before != NULL ? FILE_FAULT_NONE : fault;
}

/* A file was stored where the version before had to count as removed. */
static void
intake_keep_share(struct files *files, const struct head *head)
{
	const struct share own = { 1, head->size };

	if (index_renew(files) == 0)
		while (share_judge(files, head->owner, head->size, 0, own) !=
		    FILE_FAULT_NONE && outdated_remove(files, head->owner))
			;
}

/* The fault for a failed write, from errno. */
static enum file_fault
intake_disk(const char *what)
{
	log_debug("cannot %s a file: %s", what, strerror(errno));
	return FILE_FAULT_DISK;
}

/* The fault of an operation that fails only if the directory is unusable. */
static enum file_fault
intake_folder(const char *what)
{
	int error = errno;

	log_warn("cannot %s in the directory of files: %s", what,
	    strerror(error));
	return error == ENOSPC || error == EDQUOT || error == EIO ?
	    FILE_FAULT_DISK : FILE_FAULT_FOLDER;
}

/* Returns 0 if all is written, or -1 with errno. */
static int
intake_write(int to, const void *data, size_t len, uint64_t at)
{
	const char *p = data;
	ssize_t n;

	while (len > 0) {
		n = pwrite(to, p, len, (off_t)at);
		if (n == -1 && errno == EINTR)
			continue;
		if (n == -1)
			return -1;
		p += n;
		len -= (size_t)n;
		at += (uint64_t)n;
	}
	return 0;
}

/* Returns an empty intake for a file for which there is room. */
static struct intake *
intake_begin(struct files *files, const char *owner, const char *name,
    uint64_t size, enum file_fault *fault)
{
	struct intake *intake;

	*fault = index_renew(files) == -1 ? FILE_FAULT_FOLDER :
	    intake_make_room(files, owner, name, size, 1);
	if (*fault != FILE_FAULT_NONE)
		return NULL;
	intake = mem_alloc(sizeof(*intake));
	intake->files = files;
	intake->from = -1;
	intake->coming.head.size = size;
	LIST_INSERT_HEAD(&files->coming, &intake->coming, entry);
	memcpy(intake->coming.head.owner, owner, strlen(owner) + 1);
	memcpy(intake->coming.head.name, name, strlen(name) + 1);
	intake->to = directory_make(files->folder, intake->temporary);
	if (intake->to != -1)
		return intake;
	*fault = intake_folder("make a file");
	intake->temporary[0] = '\0';
	intake_free(&intake);
	return NULL;
}

struct intake *
intake_new(struct files *files, const char *owner, const char *name,
    int *from, enum file_fault *fault)
{
	auto_fd int taken = fd_take(from);
	struct intake *intake;
	struct stat st;

	*fault = FILE_FAULT_UNREADABLE;
	if (fstat(taken, &st) == -1)
		return NULL;
	intake = intake_begin(files, owner, name, (uint64_t)st.st_size, fault);
	if (intake == NULL)
		return NULL;
	intake->from = fd_take(&taken);
	intake->was = st;
	return intake;
}

struct intake *
intake_new_bytes(struct files *files, const char *owner, const char *name,
    const struct ipc_bytes *bytes, enum file_fault *fault)
{
	struct intake *intake =
	    intake_begin(files, owner, name, bytes->len, fault);

	if (intake == NULL)
		return NULL;
	if (intake_write(intake->to, bytes->data, bytes->len,
	        FILE_HEAD_SIZE) == -1) {
		*fault = intake_disk("write");
		intake_free(&intake);
	} else {
		intake->copied = bytes->len;
	}
	return intake;
}

struct intake *
intake_new_pipe(struct files *files, const char *owner, const char *name,
    uint64_t size, int *sink, enum file_fault *fault)
{
	struct intake *intake = intake_begin(files, owner, name, size, fault);
	int ends[2];

	if (intake == NULL)
		return NULL;
	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) == -1) {
		*fault = FILE_FAULT_BUSY;
		intake_free(&intake);
		return NULL;
	}
	intake->piped = true;
	intake->from = ends[0];
	*sink = ends[1];
	return intake;
}

/* Whether the file is unchanged since it arrived. */
static int
intake_is_unchanged(const struct intake *intake)
{
	const struct stat *was = &intake->was;
	struct stat st;

	return intake->from == -1 || intake->piped ||
	    (fstat(intake->from, &st) == 0 && st.st_size == was->st_size &&
	    st.st_mtim.tv_sec == was->st_mtim.tv_sec &&
	    st.st_mtim.tv_nsec == was->st_mtim.tv_nsec);
}

/*
 * Whether a piece can be skipped: code can leave a file of many gigabytes of
 * zeroes without any cost. The last piece sets the length of the file.
 */
static int
intake_is_hole(const char *piece, size_t len, int is_last)
{
	return !is_last && piece[0] == '\0' &&
	    memcmp(piece, piece + 1, len - 1) == 0;
}

/* Syncs when this many bytes are not synced yet, so that no sync takes long. */
static enum file_fault
intake_sync(struct intake *intake, uint64_t most)
{
	if (intake->copied - intake->synced < most)
		return FILE_FAULT_NONE;
	intake->synced = intake->copied;
	return fdatasync(intake->to) == -1 ? intake_disk("write") :
	    FILE_FAULT_NONE;
}

static enum file_fault
intake_copy_piece(struct intake *intake)
{
	static char piece[FILE_PIECE];
	uint64_t left = intake->coming.head.size - intake->copied;
	size_t len = left < sizeof(piece) ? (size_t)left : sizeof(piece);
	ssize_t n;

	do
		n = intake->piped ? read(intake->from, piece, len) :
		    pread(intake->from, piece, len, (off_t)intake->copied);
	while (n == -1 && errno == EINTR);
	intake->starves = n == -1 && intake->piped && errno == EAGAIN;
	if (intake->starves)
		return FILE_FAULT_NONE;
	if (n == -1)
		return FILE_FAULT_UNREADABLE;
	if (n == 0)
		return FILE_FAULT_CHANGED;
	if (!intake_is_hole(piece, (size_t)n, (size_t)n == left) &&
	    intake_write(intake->to, piece, (size_t)n,
	        FILE_HEAD_SIZE + intake->copied) == -1)
		return intake_disk("write");
	intake->copied += (uint64_t)n;
	return intake_sync(intake, FILE_SYNC);
}

/* All is copied: determines the type, and syncs unless little is left. */
static enum file_fault
intake_complete(struct intake *intake)
{
	struct head *head = &intake->coming.head;
	uint8_t first[TYPE_LOOKED];
	ssize_t n;

	if (!intake_is_unchanged(intake))
		return FILE_FAULT_CHANGED;
	fd_close(&intake->from);
	n = pread(intake->to, first, sizeof(first), FILE_HEAD_SIZE);
	if (n == -1)
		return intake_disk("finish");
	snprintf(head->type, sizeof(head->type), "%s", picture_type(
	    type_of(head->name, first, (size_t)n, (uint64_t)n == head->size),
	    intake->to, head->size));
	intake->complete = true;
	return intake_sync(intake, FILE_PIECE);
}

/*
 * Gives the file the next version of its name, and writes its head and its name
 * to the disk.
 */
static enum file_fault
intake_name(struct intake *intake)
{
	struct files *files = intake->files;
	struct head *head = &intake->coming.head;
	uint8_t bytes[FILE_HEAD_SIZE];
	char id[DIRECTORY_NAME_SIZE];
	enum file_fault fault;

	head->version = index_next_version(files, head->owner, head->name);
	head->since = (uint64_t)time(NULL);
	head_encode(head, bytes);
	if (intake_write(intake->to, bytes, sizeof(bytes), 0) == -1 ||
	    fdatasync(intake->to) == -1)
		return intake_disk("finish");
	if (directory_keep(files->folder, intake->temporary, id) == -1)
		return intake_folder("rename a file");
	intake->temporary[0] = '\0';
	if (directory_sync(files->folder) == 0)
		return FILE_FAULT_NONE;
	fault = intake_folder("finish a file");
	directory_remove(files->folder, id);
	return fault;
}

/* Whether to wait longer for another process that has locked the directory. */
static int
intake_may_wait(uint64_t *until)
{
	if (*until == 0)
		*until = clock_ms() + FILES_BUSY_MS;
	return clock_ms() < *until;
}

enum file_fault
intake_judge(struct intake *intake,
    int (*goes)(void *ctx, const struct head *head), void *ctx)
{
	const struct head *head = &intake->coming.head;

	intake->goes = goes;
	intake->ctx = ctx;
	return index_judge(intake->files, head->owner, head->name, goes, ctx);
}

/* Holds the lock of the directory, which ends with this function. */
static enum intake_state
intake_file(struct intake *intake, uint64_t *until, enum file_fault *fault)
{
	struct files *files = intake->files;
	const struct head *head = &intake->coming.head;
	const struct share none = { 0 };
	auto_fd int lock = directory_lock(files->folder);
	int full;

	if (lock == -1 && errno == EWOULDBLOCK && intake_may_wait(until))
		return INTAKE_WAITS;
	if (lock != -1)
		*until = 0;
	if (lock == -1)
		*fault = intake_folder("lock");
	else if (index_renew(files) == -1)
		*fault = FILE_FAULT_FOLDER;
	else
		*fault = intake_judge(intake, intake->goes, intake->ctx);
	if (*fault == FILE_FAULT_NONE)
		*fault = intake_make_room(
		    files, head->owner, head->name, head->size, 0);
	if (*fault == FILE_FAULT_NONE) {
		full = share_judge(files, head->owner, head->size, 0, none) !=
		    FILE_FAULT_NONE;
		*fault = intake_name(intake);
		if (*fault == FILE_FAULT_NONE && full)
			intake_keep_share(files, head);
	}
	return *fault == FILE_FAULT_NONE ? INTAKE_STORED : INTAKE_FAILED;
}

enum intake_state
intake_go_on(struct intake *intake, uint64_t *until, enum file_fault *fault)
{
	*fault = FILE_FAULT_NONE;
	if (intake->complete)
		return intake_file(intake, until, fault);
	if (intake->copied < intake->coming.head.size)
		*fault = intake_copy_piece(intake);
	if (*fault == FILE_FAULT_NONE &&
	    intake->copied == intake->coming.head.size)
		*fault = intake_complete(intake);
	return *fault != FILE_FAULT_NONE ? INTAKE_FAILED :
	    intake->starves ? INTAKE_STARVES : INTAKE_COPIES;
}

int
intake_source(const struct intake *intake)
{
	return intake->from;
}

const struct head *
intake_head(const struct intake *intake)
{
	return &intake->coming.head;
}

uint64_t
intake_changed(const struct intake *intake)
{
	return same_changed(intake->was.st_mtim);
}

void
intake_free(struct intake **intakep)
{
	struct intake *intake = mem_take(intakep);

	if (intake == NULL)
		return;
	LIST_REMOVE(&intake->coming, entry);
	if (intake->temporary[0] != '\0')
		directory_remove(intake->files->folder, intake->temporary);
	fd_close(&intake->to);
	fd_close(&intake->from);
	free(intake);
}
