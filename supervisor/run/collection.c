/*
 * The files that an execution leaves: one task of the process that keeps files.
 * Its answers are stored until the call is concluded. Runs in the supervisor,
 * which only looks whether the directory is empty.
 */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../common/buffer.h"
#include "../../common/fd.h"
#include "../../common/log.h"
#include "../../common/mem.h"
#include "../../common/shown.h"
#include "../box/box.h"
#include "../peers/files.h"
#include "../process/process.h"
#include "run.h"

struct collection {
	const struct options *options;
	struct files_task *task; /* NULL: it has ended */
	struct event *soon;      /* reports a failed start later */
	void (*done)(void *ctx);
	void *ctx;
	struct call_files files;
	struct buffer notes;
	size_t left_out;
};

int
collection_due(const struct box *box)
{
	char entries[4096] __attribute__((aligned(8)));
	const struct dirent64 *entry;
	ssize_t n, at;

	if (box->left == -1)
		return 0;
	/* If it cannot be read, the porter reports the error. */
	if (lseek(box->left, 0, SEEK_SET) == -1)
		return 1;
	n = getdents64(box->left, entries, sizeof(entries));
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
collection_on_left_out(
    void *ctx, const char *name, size_t len, enum file_fault fault)
{
	struct collection *collection = ctx;
	auto_free char *why = file_fault_text(fault, collection->options);
	auto_buffer struct buffer shown = { 0 };

	if (collection->left_out++ >= FILES_NAMED_MAX)
		return;
	shown_add(&shown, name, len);
	collection_note(collection, "/workspace/out/%s was not kept: %s",
	    shown.data, why);
}

static void
collection_on_filed(void *ctx, const struct file_row *row)
{
	struct call_files *files = &((struct collection *)ctx)->files;

	files->one = mem_resize(
	    files->one, (files->count + 1) * sizeof(*files->one));
	files->one[files->count++] = (struct call_file){
		.name = mem_strdup(row->name),
		.type = mem_strdup(row->type),
		.version = row->version,
		.size = row->size };
}

/* The end */

static void
collection_on_done(void *ctx, const struct files_end *end)
{
	struct collection *collection = ctx;

	collection->task = NULL;
	if (collection->left_out > FILES_NAMED_MAX)
		collection_note(collection, "%zu more in /workspace/out %s not "
		    "kept for such reasons",
		    collection->left_out - FILES_NAMED_MAX,
		    collection->left_out - FILES_NAMED_MAX == 1 ? "was" :
		    "were");
	if (end->why != NULL)
		collection_note(collection, "files in /workspace/out were not "
		    "kept: %s", end->why);
	if (end->count > 0)
		collection_note(collection, "%llu file%s more in "
		    "/workspace/out %s not kept: a call can leave %d; write "
		    "one archive of them", (unsigned long long)end->count,
		    end->count == 1 ? "" : "s",
		    end->count == 1 ? "was" : "were", FILES_LEFT_MAX);
	collection->done(collection->ctx);
}

/* The task could not be started. */
static void
collection_on_soon(evutil_socket_t fd, short what, void *arg)
{
	struct collection *collection = arg;

	(void)fd;
	(void)what;
	collection->done(collection->ctx);
}

int
collection_ended(const struct collection *collection)
{
	return collection->task == NULL;
}

void
collection_give_up(struct collection *collection)
{
	if (collection->task != NULL)
		files_give_up(collection->task);
}

struct collection *
collection_new(struct files *files, const struct options *options,
    const struct owner *owner, struct box *box, void (*done)(void *ctx),
    void *ctx)
{
	struct collection *collection = mem_alloc(sizeof(*collection));
	const struct files_user user = { .filed = collection_on_filed,
		.left_out = collection_on_left_out,
		.done = collection_on_done,
		.ctx = collection };
	const struct timeval now = { 0, 0 };
	struct err err;

	collection->options = options;
	collection->done = done;
	collection->ctx = ctx;
	collection->task = files_collect(files, owner->scope, &box->left,
	    identity_box(box->number), &user, &err);
	if (collection->task != NULL)
		return collection;
	log_error("%s", err.text);
	collection_note(collection, "files in /workspace/out were not kept: %s",
	    err.text);
	collection->soon =
	    evtimer_new(box->boxes->base, collection_on_soon, collection);
	event_add(collection->soon, &now);
	return collection;
}

void
collection_take(struct collection *collection, struct call_files *files,
    struct buffer *notes)
{
	*files = collection->files;
	collection->files = (struct call_files){ 0 };
	if (collection->notes.len > 0)
		buffer_add(
		    notes, collection->notes.data, collection->notes.len);
}

void
call_files_reset(struct call_files *files)
{
	size_t i;

	for (i = 0; i < files->count; i++) {
		free(files->one[i].name);
		free(files->one[i].type);
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
	files_forget(&collection->task);
	loop_event_free(&collection->soon);
	call_files_reset(&collection->files);
	buffer_reset(&collection->notes);
	free(collection);
}
