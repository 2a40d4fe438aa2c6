/*
 * FETCH_FILE: see fetched.h. Runs in files.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "../../../common/base/file_name.h"
#include "../../../common/base/log.h"
#include "../../../common/base/mem.h"
#include "../../../common/picture.h"
#include "fetched.h"
#include "../stored/index.h"
#include "task.h"
#include "../stored/type.h"

struct fetched {
	struct task task;
	struct task_name name;
	uint64_t version;
};

/* A picture in a file, of which a window was read. */
struct fetched_picture {
	int file;
	uint64_t size;
	size_t at, len; /* of the window */
	uint8_t bytes[PIPE_CHUNK];
};

/* The copy of a struct picture_source. */
static int
fetched_read(void *ctx, size_t at, uint8_t *bytes, size_t count)
{
	struct fetched_picture *picture = ctx;
	ssize_t n;

	if (count > picture->size || at > picture->size - count)
		return -1;
	if (at < picture->at || at + count > picture->at + picture->len) {
		n = pread(picture->file, picture->bytes, PIPE_CHUNK,
		    (off_t)(FILE_HEAD_SIZE + at));
		picture->at = at;
		picture->len = n > 0 ? (size_t)n : 0;
	}
	if (count > picture->len)
		return -1;
	memcpy(bytes, picture->bytes + (at - picture->at), count);
	return 0;
}

/*
 * Whether a file may be passed on as a picture, as PICTURE_SIDE_MAX says; or is
 * text, or none. Larger files are not read by clients.
 */
static int
fetched_fits(int file, const struct head *head)
{
	auto_free struct fetched_picture *picture = NULL;
	struct picture_source source = { fetched_read, NULL };
	struct picture_sides sides;
	enum picture_kind kind = 0;

	if (strncmp(head->type, "image/", strlen("image/")) != 0 ||
	    strcmp(head->type, "image/svg+xml") == 0 ||
	    head->size > FILE_READ_MAX)
		return 1;
	while (strcmp(head->type, picture_mime(kind)) != 0)
		if (++kind == PICTURE_KINDS)
			return 0;
	picture = mem_alloc(sizeof(*picture));
	picture->file = file;
	picture->size = head->size;
	source.ctx = picture;
	return picture_sides_read(kind, &source, &sides) == 0 &&
	    picture_sides_fit(&sides);
}

/* Passes on an existing file. Returns the fault. */
static enum file_fault
fetched_hand_over(struct task *task, const struct stored_file *stored)
{
	struct ipc_file_fetched msg = { .task = task->number,
		.offset = FILE_HEAD_SIZE };
	struct head head = stored->head;
	enum file_fault fault;
	struct err err;

	msg.file = index_open(task->files, stored, &fault);
	if (msg.file == -1)
		return fault;
	if (!fetched_fits(msg.file, &head))
		snprintf(head.type, sizeof(head.type), "%s", TYPE_BYTES);
	task_tell_filed(task, &head);
	if (channel_send_file_fetched(
	        task->files->supervisor, &msg, &err) == 0)
		return FILE_FAULT_NONE;
	log_warn("cannot pass on a file: %s", err.text);
	return FILE_FAULT_BUSY;
}

static enum file_fault
fetched_find(struct fetched *fetched)
{
	struct task *task = &fetched->task;
	const struct task_name *name = &fetched->name;
	const struct stored_file *stored = NULL;

	if (index_renew(task->files) == -1)
		return FILE_FAULT_FOLDER;
	if (file_name_valid(name->text, name->len))
		stored = index_find(task->files, task->owner, name->text,
		    fetched->version);
	return stored == NULL ? FILE_FAULT_UNKNOWN :
	    fetched_hand_over(task, stored);
}

static void
fetched_wake(struct task *task)
{
	struct fetched *fetched = (struct fetched *)task;

	task->fault = fetched_find(fetched);
	task_done(task, 0, task->fault == FILE_FAULT_NONE ? TASK_NO_NAME :
	    task_name_bytes(&fetched->name));
}

static const struct task_kind fetched_kind = {
	.wake = fetched_wake,
	.free = task_has_nothing,
};

void
fetched_begin(struct files *files, const struct ipc_fetch_file *msg)
{
	struct fetched *fetched = (struct fetched *)task_new(files,
	    &fetched_kind, sizeof(*fetched), msg->task, msg->owner, NULL);

	fetched->version = msg->version;
	task_name_set(&fetched->name, msg->name);
	task_wake(&fetched->task, 0);
}
