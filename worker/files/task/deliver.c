/*
 * DELIVER: see task.h. Runs in files.
 *
 * In its first turn the files are opened and passed to the porter. After the
 * porter has ended, a second turn reports those that it could not write into
 * the box.
 */
#include <stdlib.h>
#include <string.h>

#include "../../../common/base/buffer.h"
#include "../../../common/base/fd.h"
#include "../../../common/limits.h"
#include "../../../common/base/log.h"
#include "../../../common/base/mem.h"
#include "../../../common/base/text_list.h"
#include "../stored/index.h"
#include "same.h"
#include "task.h"

/* A file to deliver. */
struct deliver_file {
	struct head head;
	int file;
	enum file_fault fault; /* why the porter did not write it */
};

struct deliver {
	struct task task;
	bool whole;   /* all files of a conversation are requested */
	char *names; /* the requested names, a list */
	size_t names_len;
	struct deliver_file *given; /* the files of these names, once opened */
	size_t count;
	bool told; /* the porter has reported the end */
};

static struct ipc_bytes
deliver_bytes(const char *name)
{
	return (struct ipc_bytes){ (const uint8_t *)name, strlen(name) };
}

/* The messages of the porter */

/*
 * Returns a file of this name that the porter was given; NULL if there is none.
 */
static struct deliver_file *
deliver_gave(struct deliver *deliver, struct ipc_bytes name)
{
	struct deliver_file *given;
	size_t i;

	for (i = 0; i < deliver->count; i++) {
		given = &deliver->given[i];
		if (given->fault == FILE_FAULT_NONE &&
		    strlen(given->head.name) == name.len &&
		    memcmp(given->head.name, name.data, name.len) == 0)
			return given;
	}
	return NULL;
}

/* The faults that a porter can report for a file that it writes. */
static int
deliver_is_its(uint64_t fault)
{
	return fault == FILE_FAULT_TAKEN || fault == FILE_FAULT_ROOM ||
	    fault == FILE_FAULT_UNREADABLE;
}

static const char *
deliver_skip(struct task *task, const struct ipc_skip *skip)
{
	struct deliver_file *given =
	    deliver_gave((struct deliver *)task, skip->name);

	if (!deliver_is_its(skip->fault))
		return "it leaves a file for a reason of another process";
	if (given == NULL)
		return "it leaves a file that it was not given";
	given->fault = (enum file_fault)skip->fault;
	return NULL;
}

static const char *
deliver_carried(struct task *task, const struct ipc_carried *carried)
{
	struct deliver *deliver = (struct deliver *)task;

	if (deliver->given == NULL)
		return "it ends before it is given anything";
	if (carried->more != 0 || (carried->fault != FILE_FAULT_NONE &&
	    !deliver_is_its(carried->fault)))
		return "it ends for a reason of another process";
	task->fault = (enum file_fault)carried->fault;
	deliver->told = true;
	return NULL;
}

static void
deliver_porter_gone(struct task *task)
{
	if (!((struct deliver *)task)->told)
		task->fault = FILE_FAULT_PORTER;
	task_wake(task, 0);
}

/* Handing over */

/*
 * Lists the files of the conversation, but none with the name of a folder in
 * it, which two processes may have left.
 */
static void
deliver_list(struct deliver *deliver)
{
	auto_buffer struct buffer names = { 0 };
	auto_free struct head *heads = NULL;
	size_t i, count;

	heads = index_list(
	    deliver->task.files, deliver->task.owner, 0, 0, &count);
	for (i = 0; i < count; i++)
		if (!index_is_folder(deliver->task.files, deliver->task.owner,
		        heads[i].name))
			text_list_add(&names, heads[i].name);
	free(deliver->names);
	deliver->names = buffer_take(&names, &deliver->names_len);
}

/*
 * Finds a file by its name, or by its version, conversation and name, each on a
 * line. NULL if there is none.
 */
static const struct stored_file *
deliver_find(const struct files *files, const char *owner, const char *text)
{
	const char *id = strchr(text, '\n');
	const char *name = id == NULL ? NULL : strchr(id + 1, '\n');
	auto_free char *whose = NULL;

	if (name == NULL)
		return index_find(files, owner, text, 0);
	whose = mem_printf("%.*s%.*s", (int)head_scope(owner), owner,
	    name == id + 1 ? 0 : (int)(name - id), id);
	return index_find(files, whose, name + 1, strtoull(text, NULL, 10));
}

/* Opens a file, of its newest version. Returns the fault. */
static enum file_fault
deliver_open(const struct files *files, const char *owner, const char *name,
    struct deliver_file *given)
{
	const struct stored_file *stored = deliver_find(files, owner, name);
	enum file_fault fault;

	if (stored == NULL)
		return FILE_FAULT_UNKNOWN;
	given->head = stored->head;
	given->file = index_open(files, stored, &fault);
	return fault;
}

/* Opens them all; *failed is the one that could not be opened. */
static enum file_fault
deliver_open_all(struct deliver *deliver, const char **failed)
{
	struct files *files = deliver->task.files;
	enum file_fault fault = index_renew(files) == -1 ? FILE_FAULT_FOLDER :
	                                                   FILE_FAULT_NONE;
	const char *name;

	*failed = "";
	if (deliver->whole)
		deliver_list(deliver);
	/* One more: it also tells that they were opened. */
	deliver->given = mem_alloc(
	    (text_list_count(deliver->names, deliver->names_len) + 1) *
	    sizeof(deliver->given[0]));
	if (fault != FILE_FAULT_NONE)
		return fault;
	TEXT_LIST_EACH (name, deliver->names, deliver->names_len) {
		fault = deliver_open(files, deliver->task.owner, name,
		    &deliver->given[deliver->count]);
		if (fault == FILE_FAULT_NONE &&
		    deliver_gave(deliver, deliver_bytes(
		        deliver->given[deliver->count].head.name)) != NULL)
			fault = FILE_FAULT_TAKEN;
		if (fault != FILE_FAULT_NONE) {
			fd_close(&deliver->given[deliver->count].file);
			*failed = strrchr(name, '\n');
			*failed = *failed == NULL ? name : *failed + 1;
			return fault;
		}
		if (deliver->whole)
			index_use(deliver->given[deliver->count].file);
		deliver->count++;
	}
	return FILE_FAULT_NONE;
}

/* Returns 0; -1 if the porter has ended. */
static int
deliver_put_all(struct deliver *deliver, struct err *err)
{
	struct channel *porter = deliver->task.porter;
	struct ipc_put_all all = { 0 };
	struct ipc_put put = { .offset = FILE_HEAD_SIZE };
	size_t i;

	for (i = 0; i < deliver->count; i++) {
		put.name = deliver->given[i].head.name;
		put.since = deliver->given[i].head.since;
		put.file = fd_take(&deliver->given[i].file);
		if (channel_send_put(porter, &put, err) == -1)
			return -1;
	}
	return channel_send_put_all(porter, &all, err);
}

/* The first turn. */
static void
deliver_hand_over(struct deliver *deliver)
{
	struct task *task = &deliver->task;
	const char *failed;
	struct err err;
	enum file_fault fault = deliver_open_all(deliver, &failed);
	size_t i;

	if (fault != FILE_FAULT_NONE) {
		task->fault = fault;
		task_done(task, 0, deliver_bytes(failed));
		return;
	}
	for (i = 0; i < deliver->count; i++)
		task_tell_filed(task, &deliver->given[i].head,
		    same_changed((struct timespec){
		        .tv_sec = (time_t)deliver->given[i].head.since }));
	if (task->porter == NULL) {
		task_wake(task, 0);
	} else if (deliver_put_all(deliver, &err) == -1) {
		log_debug("cannot pass on a file: %s", err.text);
		task_part(task, NULL);
	}
}

/* The second turn: the porter has ended. */
static void
deliver_end(struct deliver *deliver)
{
	const struct deliver_file *given;
	size_t i;

	for (i = 0; i < deliver->count; i++) {
		given = &deliver->given[i];
		if (given->fault != FILE_FAULT_NONE)
			task_tell_skipped(&deliver->task,
			    deliver_bytes(given->head.name), given->fault);
	}
	task_done(&deliver->task, 0, TASK_NO_NAME);
}

static void
deliver_wake(struct task *task)
{
	struct deliver *deliver = (struct deliver *)task;

	if (deliver->given == NULL)
		deliver_hand_over(deliver);
	else
		deliver_end(deliver);
}

static void
deliver_free(struct task *task)
{
	struct deliver *deliver = (struct deliver *)task;
	size_t i;

	for (i = 0; i < deliver->count; i++)
		fd_close(&deliver->given[i].file);
	free(deliver->given);
	free(deliver->names);
}

static const struct task_kind deliver_kind = {
	.skip = deliver_skip,
	.carried = deliver_carried,
	.porter_gone = deliver_porter_gone,
	.wake = deliver_wake,
	.free = deliver_free,
};

void
deliver_begin(struct files *files, struct ipc_deliver *msg)
{
	struct deliver *deliver = (struct deliver *)task_new(files,
	    &deliver_kind, sizeof(*deliver), msg->task, msg->owner,
	    &msg->porter);

	deliver->whole = msg->names.len == 0;
	deliver->names = mem_dup((const char *)msg->names.data, msg->names.len);
	deliver->names_len = msg->names.len;
	task_wake(&deliver->task, 0);
}
