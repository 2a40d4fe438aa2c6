/*
 * The files that an execution leaves, and those of its conversation: tasks of
 * the process that keeps files. Their answers are stored until the call is
 * concluded. Runs in the supervisor, which only looks whether a directory is
 * empty or full.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "../../common/base/buffer.h"
#include "../../common/base/fd.h"
#include "../../common/base/log.h"
#include "../../common/base/mem.h"
#include "../../common/base/shown.h"
#include "../../common/base/text_list.h"
#include "../peers/files.h"
#include "../process/process.h"
#include "run.h"

#define COLLECTION_OUT "/workspace/out"
#define COLLECTION_DATA "/data"

/* One directory of the box. */
struct collection_part {
	struct collection *collection;
	const char *place;         /* its path in the box */
	const char *conversation;  /* id of that of the files, or NULL */
	struct files_task *task; /* NULL: none, or it has ended */
	struct box_full full;
	struct call_files files;
	size_t skipped;
};

struct collection {
	struct collection_part out; /* the files to keep */
	struct collection_part data; /* those of the conversation */
	struct event *soon; /* reports a failed start later */
	const struct request *request;
	struct buffer *synced; /* of the box of a session; NULL: none */
	void (*done)(void *ctx);
	void *ctx;
	struct buffer notes;
};

/* Returns whether there are files to keep. */
static int
collection_has_output(struct box *box)
{
	char entries[4096] __attribute__((aligned(8)));
	const struct dirent64 *entry;
	ssize_t n, at;

	if (box->files.out_dir == -1)
		return 0;
	/* If it cannot be read, the porter reports the error. */
	if (box->files.looked && lseek(box->files.out_dir, 0, SEEK_SET) == -1)
		return 1;
	box->files.looked = 1;
	n = getdents64(box->files.out_dir, entries, sizeof(entries));
	if (n == -1)
		return 1;
	for (at = 0; at < n; at += entry->d_reclen) {
		entry = (const struct dirent64 *)(entries + at);
		if (strcmp(entry->d_name, ".") != 0 &&
		    strcmp(entry->d_name, "..") != 0)
			return 1;
	}
	return 0;
}

/* Returns whether the files of the conversation are to be kept. */
static int
collection_has_data(const struct box *box, const struct request *request)
{
	return box->files.data != -1 && request->conversation != NULL;
}

int
collection_due(struct box *box, const struct request *request)
{
	return collection_has_output(box) || collection_has_data(box, request);
}

static void
collection_look_at(int folder, const char *place, struct box_full *full)
{
	struct statfs room;

	full->block = folder != -1 && fstatfs(folder, &room) == 0 &&
	    room.f_bavail == 0 ? (uint64_t)room.f_bsize : 0;
	if (full->block == 0 || full->bytes > 0)
		return;
	full->bytes = (uint64_t)room.f_blocks * full->block;
	log_info("%s is full", place);
}

void
collection_look(struct box_files *files)
{
	collection_look_at(files->out_dir, COLLECTION_OUT, &files->out_full);
	collection_look_at(files->data, COLLECTION_DATA, &files->data_full);
}

/* Notes */

static void __attribute__((format(printf, 2, 3)))
collection_note(struct collection *collection, const char *fmt, ...)
{
	va_list ap;
	char *text;

	va_start(ap, fmt);
	text = mem_vprintf(fmt, ap);
	va_end(ap);
	buffer_add(&collection->notes, text, strlen(text) + 1);
	free(text);
}

static void
collection_on_skipped(void *ctx, const char *name, size_t len,
    enum file_fault fault, const char *why)
{
	struct collection_part *part = ctx;
	struct collection *collection = part->collection;
	auto_buffer struct buffer shown = { 0 };

	if (part->skipped++ >= FILES_NAMED_MAX)
		return;
	shown_add(&shown, name, len);
	collection_note(collection, "%s/%s was not %s: %s", part->place,
	    shown.data, fault == FILE_FAULT_STAYS ? "removed" : "kept", why);
}

/*
 * The next call of the session finds the file, which is kept again only if it
 * has changed.
 */
static void
collection_remember(struct buffer *synced, const struct file_row *row)
{
	struct buffer list = { 0 };
	const char *name, *version;

	file_row_sync(&list, row);
	TEXT_LIST_PAIRS (name, version, synced->data, synced->len)
		if (strcmp(name, row->name) != 0 &&
		    list.len < FILES_SYNCED_MAX / 2) {
			text_list_add(&list, name);
			text_list_add(&list, version);
		}
	buffer_reset(synced);
	*synced = list;
}

static void
collection_on_filed(void *ctx, const struct file_row *row)
{
	const struct collection_part *part = ctx;
	struct buffer *synced = part->collection->synced;
	struct call_files *files = &((struct collection_part *)ctx)->files;

	if (synced != NULL && part->conversation == NULL)
		collection_remember(synced, row);
	files->one = mem_resize(
	    files->one, (files->count + 1) * sizeof(*files->one));
	files->one[files->count++] = (struct call_file){
		.conversation = mem_strdup(part->conversation),
		.name = mem_strdup(row->name),
		.type = mem_strdup(row->type),
		.url = mem_strdup(row->url),
		.version = row->version,
		.size = row->size,
		/* A file that could not grow ends with a block. */
		.cut = part->full.block > 0 &&
		    row->size % part->full.block == 0 };
}

/* The end */

/* Notes that there were more files than are looked at. */
static void
collection_note_more(
    const struct collection_part *part, unsigned long long more)
{
	collection_note(part->collection, "%llu %sfile%s more in %s %s not "
	    "kept: a %s at most %d; write one archive of them", more,
	    part->conversation == NULL ? "" : "new ", more == 1 ? "" : "s",
	    part->place, more == 1 ? "was" : "were",
	    part->conversation == NULL ? "call can leave" : "conversation has",
	    part->conversation == NULL ? FILES_OUT_MAX : FILES_DATA_MAX);
}

static int
collection_ended(const struct collection *collection)
{
	return collection->out.task == NULL && collection->data.task == NULL;
}

static void
collection_on_done(void *ctx, const struct files_end *end)
{
	struct collection_part *part = ctx;
	struct collection *collection = part->collection;
	auto_free char *fix = request_memory_fix(collection->request);

	part->task = NULL;
	if (part->skipped > FILES_NAMED_MAX)
		collection_note(collection, "%zu more in %s %s not kept for "
		    "such reasons", part->skipped - FILES_NAMED_MAX,
		    part->place, part->skipped - FILES_NAMED_MAX == 1 ?
		    "was" : "were");
	if (end->why != NULL)
		collection_note(collection, "files in %s were not kept: %s",
		    part->place, end->why);
	if (end->count > 0)
		collection_note_more(part, (unsigned long long)end->count);
	if (part->full.bytes > 0 && part->files.count > 0)
		collection_note(collection, "files in %s may be incomplete: "
		    "the directory was full (%llu MiB): write less, or %s",
		    part->place,
		    (unsigned long long)part->full.bytes / MIB, fix);
	if (collection_ended(collection))
		collection->done(collection->ctx);
}

/* No task could be started. */
static void
collection_on_soon(evutil_socket_t, short, void *arg)
{
	struct collection *collection = arg;

	collection->done(collection->ctx);
}

void
collection_give_up(struct collection *collection)
{
	if (collection->out.task != NULL)
		files_give_up(collection->out.task);
	if (collection->data.task != NULL)
		files_give_up(collection->data.task);
}

static void
collection_refuse(struct collection_part *part, const struct err *err)
{
	log_error("%s", err->text);
	collection_note(part->collection, "files in %s were not kept: %s",
	    part->place, err->text);
}

/*
 * The directory of a session's box stays: its next call may leave files, too,
 * and those that were kept before are skipped unless they have changed.
 */
static struct files_task *
collection_start_out(struct files *files, const struct request *request,
    struct box *box, const struct files_user *user, struct err *err)
{
	auto_fd int out_dir = box->how & BOX_SESSION ?
	    fcntl(box->files.out_dir, F_DUPFD_CLOEXEC, 0) :
	    fd_take(&box->files.out_dir);

	if (out_dir == -1) {
		err_sys(err, "copy a descriptor");
		return NULL;
	}
	return files_mirror(files, request->owner->scope, &box->files.synced,
	    &out_dir, box->files.uid, user, err);
}

static void
collection_start(struct collection *collection, struct files *files,
    const struct request *request, struct box *box,
    const struct delivery *delivery)
{
	struct files_user user = { .filed = collection_on_filed,
		.skipped = collection_on_skipped,
		.done = collection_on_done,
		.ctx = &collection->out };
	auto_free char *owner = files_conversation(
	    request->owner->scope, request->conversation);
	struct err err;

	if (collection_has_output(box)) {
		collection->out.task = collection_start_out(
		    files, request, box, &user, &err);
		if (collection->out.task == NULL)
			collection_refuse(&collection->out, &err);
	}
	user.ctx = &collection->data;
	if (collection_has_data(box, request)) {
		collection->data.task = files_mirror(files, owner,
		    &delivery->synced, &box->files.data, box->files.uid,
		    &user, &err);
		if (collection->data.task == NULL)
			collection_refuse(&collection->data, &err);
	}
}

struct collection *
collection_new(struct files *files, const struct request *request,
    struct box *box, const struct delivery *delivery, void (*done)(void *ctx),
    void *ctx)
{
	struct collection *collection = mem_alloc(sizeof(*collection));
	const struct timeval now = { 0, 0 };

	collection_look(&box->files);
	collection->synced = box->how & BOX_SESSION ? &box->files.synced : NULL;
	collection->done = done;
	collection->ctx = ctx;
	collection->request = request;
	collection->out = (struct collection_part){ .collection = collection,
		.place = COLLECTION_OUT, .full = box->files.out_full };
	collection->data = (struct collection_part){ .collection = collection,
		.place = COLLECTION_DATA,
		.full = box->files.data_full,
		.conversation = request->conversation };
	collection_start(collection, files, request, box, delivery);
	if (!collection_ended(collection))
		return collection;
	collection->soon =
	    evtimer_new(box->boxes->base, collection_on_soon, collection);
	event_add(collection->soon, &now);
	return collection;
}

/* Moves the files of a directory behind those of others. */
static void
collection_move(struct collection_part *part, struct call_files *files)
{
	if (part->files.count == 0)
		return;
	files->one = mem_resize(files->one,
	    (files->count + part->files.count) * sizeof(*files->one));
	memcpy(files->one + files->count, part->files.one,
	    part->files.count * sizeof(*files->one));
	files->count += part->files.count;
	free(mem_take(&part->files.one));
	part->files.count = 0;
}

void
collection_take(struct collection *collection, struct call_files *files,
    struct buffer *notes)
{
	collection_move(&collection->out, files);
	collection_move(&collection->data, files);
	if (collection->notes.len > 0)
		buffer_add(
		    notes, collection->notes.data, collection->notes.len);
}

void
call_files_reset(struct call_files *files)
{
	size_t i;

	for (i = 0; i < files->count; i++) {
		free(files->one[i].conversation);
		free(files->one[i].name);
		free(files->one[i].type);
		free(files->one[i].url);
	}
	free(mem_take(&files->one));
	files->count = 0;
}

void
collection_free(struct collection **collectionp)
{
	struct collection *collection = mem_take(collectionp);

	if (collection == NULL)
		return;
	files_forget(&collection->out.task);
	files_forget(&collection->data.task);
	loop_event_free(&collection->soon);
	call_files_reset(&collection->out.files);
	call_files_reset(&collection->data.files);
	buffer_reset(&collection->notes);
	free(collection);
}
