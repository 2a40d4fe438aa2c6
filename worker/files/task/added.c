/* ADD_FILE and RECEIVE_FILE: see task.h. Runs in files. */

#include "../../../common/base/fd.h"
#include "../../../common/base/file_name.h"
#include "../../../common/base/log.h"
#include "../../../common/base/loop.h"
#include "../../../common/limits.h"
#include "intake.h"
#include "../stored/link.h"
#include "task.h"

struct added {
	struct task task;
	struct intake *intake;
	uint64_t until; /* for intake_go_on */
	struct task_name name;
	int sink; /* of a RECEIVE_FILE, until FILE_AWAITED is sent; or -1 */
	struct event *readable; /* the pipe, or NULL */
};

static void
added_fail(struct added *added, enum file_fault fault)
{
	added->task.fault = fault;
	task_done(&added->task, 0, task_name_bytes(&added->name));
}

/* The pipe can be read. */
static void
added_on_readable(evutil_socket_t, short, void *arg)
{
	task_wake(arg, 0);
}

/* Tells where the file is to be written. */
static void
added_await(struct added *added)
{
	struct task *task = &added->task;
	struct ipc_file_awaited awaited = { .task = task->number,
		.sink = fd_take(&added->sink) };
	struct err err;

	added->readable = event_new(task->files->base,
	    intake_source(added->intake), EV_READ, added_on_readable, task);
	if (channel_send_file_awaited(
	        task->files->supervisor, &awaited, &err) == -1)
		log_warn("cannot pass on a pipe: %s", err.text);
}

static void
added_wake(struct task *task)
{
	struct added *added = (struct added *)task;
	enum file_fault fault;

	if (added->sink != -1)
		added_await(added);
	switch (intake_go_on(added->intake, &added->until, &fault)) {
	case INTAKE_COPIES:
		task_wake(task, 0);
		break;
	case INTAKE_STARVES:
		event_add(added->readable, NULL);
		break;
	case INTAKE_WAITS:
		task_wake(task, FILES_LOOK_MS);
		break;
	case INTAKE_STORED:
		task_tell_filed(task, intake_head(added->intake), 0);
		task_done(task, 0, TASK_NO_NAME);
		break;
	case INTAKE_FAILED:
		added_fail(added, fault);
		break;
	}
}

static void
added_free(struct task *task)
{
	struct added *added = (struct added *)task;

	loop_event_free(&added->readable);
	fd_close(&added->sink);
	intake_free(&added->intake);
}

static const struct task_kind added_kind = {
	.wake = added_wake,
	.free = added_free,
};

static struct added *
added_new(struct files *files, uint64_t task, const char *owner,
    struct ipc_bytes name)
{
	struct added *added = (struct added *)task_new(
	    files, &added_kind, sizeof(*added), task, owner, NULL);

	added->sink = -1;
	task_name_set(&added->name, name);
	return added;
}

/* fault: why there is no intake, which has read the directory otherwise. */
static void
added_start(struct added *added, enum file_fault fault)
{
	/* Known before the file is sent, and looked at again after that. */
	if (added->intake != NULL)
		fault = intake_judge(added->intake, NULL, NULL);
	if (fault == FILE_FAULT_NONE)
		task_wake(&added->task, 0);
	else
		added_fail(added, fault);
}

/* Returns NULL with the fault. */
static struct intake *
added_intake(struct files *files, struct ipc_add_file *add, const char *name,
    enum file_fault *fault)
{
	struct ipc_bytes bytes = { add->content.data, add->content.len };

	*fault = FILE_FAULT_NAME;
	if (!file_name_valid(name, add->name.len))
		return NULL;
	if (add->content.fd == -1)
		return intake_new_bytes(files, add->owner, name, &bytes, fault);
	return intake_new(files, add->owner, name, &add->content.fd, fault);
}

void
added_begin(struct files *files, struct ipc_add_file *add)
{
	struct added *added =
	    added_new(files, add->task, add->owner, add->name);
	enum file_fault fault;

	added->intake = added_intake(files, add, added->name.text, &fault);
	added_start(added, fault);
}

void
received_begin(struct files *files, const struct ipc_receive_file *receive)
{
	struct added *added =
	    added_new(files, receive->task, receive->owner, receive->name);
	const struct link link = { "PUT", receive->owner, added->name.text, 1,
		receive->expires };
	enum file_fault fault = receive->expires == 0 ? FILE_FAULT_NONE :
	    link_judge(files, &link, receive->signature);

	if (fault == FILE_FAULT_NONE)
		fault = FILE_FAULT_NAME;
	if (fault == FILE_FAULT_NAME &&
	    file_name_valid(added->name.text, added->name.len))
		added->intake = intake_new_pipe(files, receive->owner,
		    added->name.text, receive->size, &added->sink, &fault);
	added_start(added, fault);
}
