/*
 * DELIVER: see deliver.h. Runs in files.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../../common/fd.h"
#include "../../common/limits.h"
#include "../../common/log.h"
#include "../../common/mem.h"
#include "../../common/text_list.h"
#include "deliver.h"
#include "kept.h"
#include "task.h"

/* A file that is to be handed over. */
struct deliver_file {
	struct head head;
	int file;
};

struct deliver {
	struct task task;
	struct deliver_file *given; /* those that were asked for */
	size_t count;
	size_t left; /* how many of them are not put there */
	int told;    /* the porter said that it is done */
};

static struct ipc_bytes
deliver_bytes(const char *name)
{
	return (struct ipc_bytes){ (const uint8_t *)name, strlen(name) };
}

/* What the porter says */

static int
deliver_gave(const struct deliver *deliver, struct ipc_bytes name)
{
	const char *given;
	size_t i;

	for (i = 0; i < deliver->count; i++) {
		given = deliver->given[i].head.name;
		if (strlen(given) == name.len &&
		    memcmp(given, name.data, name.len) == 0)
			return 1;
	}
	return 0;
}

/* The faults that a porter can find where it puts files. */
static int
deliver_is_its(uint64_t fault)
{
	return fault == FILE_FAULT_TAKEN || fault == FILE_FAULT_ROOM ||
	    fault == FILE_FAULT_UNREADABLE;
}

static const char *
deliver_leave(struct task *task, const struct ipc_leave *leave)
{
	struct deliver *deliver = (struct deliver *)task;

	if (!deliver_is_its(leave->fault))
		return "it leaves a file for a reason of another process";
	if (deliver->left >= deliver->count ||
	    !deliver_gave(deliver, leave->name))
		return "it leaves a file that it was not given";
	deliver->left++;
	task_tell_left_out(
	    task, leave->name, (enum file_fault)leave->fault);
	return NULL;
}

static const char *
deliver_carried(struct task *task, const struct ipc_carried *carried)
{
	struct deliver *deliver = (struct deliver *)task;

	if (carried->more != 0 || (carried->fault != FILE_FAULT_NONE &&
	    !deliver_is_its(carried->fault)))
		return "it ends for a reason of another process";
	task->fault = (enum file_fault)carried->fault;
	deliver->told = 1;
	return NULL;
}

static void
deliver_left(struct task *task)
{
	if (!((struct deliver *)task)->told)
		task->fault = FILE_FAULT_PORTER;
	task_done(task, 0, TASK_NO_NAME);
}

/* Handing over */

static void
deliver_free_given(struct deliver_file *given, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		fd_close(&given[i].file);
	free(given);
}

static void
deliver_free(struct task *task)
{
	struct deliver *deliver = (struct deliver *)task;

	deliver_free_given(deliver->given, deliver->count);
}

static const struct task_kind deliver_kind = {
	.leave = deliver_leave,
	.carried = deliver_carried,
	.left = deliver_left,
	.free = deliver_free,
};

/* Opens the newest version of a file. Returns the fault. */
static enum file_fault
deliver_open(const struct files *files, const char *owner, const char *name,
    struct deliver_file *given)
{
	const struct kept *kept = kept_find(files, owner, name, 0);

	if (kept == NULL)
		return FILE_FAULT_UNKNOWN;
	given->head = kept->head;
	given->file = kept_open(files, kept);
	if (given->file != -1)
		return FILE_FAULT_NONE;
	return errno == ENOENT ? FILE_FAULT_UNKNOWN : FILE_FAULT_FOLDER;
}

/* Opens them all; *failed is the one where that ends with a fault. */
static enum file_fault
deliver_open_all(struct files *files, const struct ipc_deliver *msg,
    struct deliver_file *given, size_t *count, const char **failed)
{
	const char *names = (const char *)msg->names.data;
	enum file_fault fault;
	const char *name;

	*failed = "";
	if (kept_renew(files) == -1)
		return FILE_FAULT_FOLDER;
	TEXT_LIST_EACH (name, names, msg->names.len) {
		fault = deliver_open(
		    files, msg->owner, name, given + *count);
		if (fault != FILE_FAULT_NONE) {
			*failed = name;
			return fault;
		}
		(*count)++;
	}
	return FILE_FAULT_NONE;
}

/* Returns 0; -1 where the porter is gone. */
static int
deliver_put_all(struct deliver *deliver, struct err *err)
{
	struct task *task = &deliver->task;
	struct ipc_put_all all = { 0 };
	struct ipc_put put = { .offset = FILE_HEAD_SIZE };
	size_t i;

	for (i = 0; i < deliver->count; i++) {
		put.name = deliver->given[i].head.name;
		put.file = fd_take(&deliver->given[i].file);
		if (channel_send_put(task->porter, &put, err) == -1)
			return -1;
		task_tell_filed(
		    task->files, task->number, &deliver->given[i].head);
	}
	return channel_send_put_all(task->porter, &all, err);
}

void
deliver_begin(struct files *files, struct ipc_deliver *msg)
{
	size_t most = text_list_count(
	    (const char *)msg->names.data, msg->names.len);
	struct deliver_file *given = mem_alloc(most * sizeof(given[0]));
	struct deliver *deliver;
	const char *failed;
	size_t count = 0;
	struct err err;
	enum file_fault fault =
	    deliver_open_all(files, msg, given, &count, &failed);

	if (fault != FILE_FAULT_NONE) {
		deliver_free_given(given, count);
		task_tell_done(
		    files, msg->task, 0, fault, deliver_bytes(failed));
		return;
	}
	deliver = (struct deliver *)task_new(files, &deliver_kind,
	    sizeof(*deliver), msg->task, msg->owner, &msg->porter);
	deliver->given = given;
	deliver->count = count;
	if (deliver_put_all(deliver, &err) == -1) {
		log_debug("cannot hand a file over: %s", err.text);
		task_part(&deliver->task, NULL);
	}
}
