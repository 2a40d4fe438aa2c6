/*
 * The files that a call asks for, and those of its conversation: tasks of the
 * process that keeps files. They end before the code starts.
 */
#include <fcntl.h>
#include <stdlib.h>

#include "../../common/base/fd.h"
#include "../../common/base/mem.h"
#include "../../common/base/shown.h"
#include "../peers/files.h"
#include "../process/process.h"
#include "run.h"

static void
delivery_on_skipped(void *ctx, const char *name, size_t len,
    enum file_fault fault, const char *why)
{
	struct delivery *delivery = ((struct delivery_part *)ctx)->delivery;
	auto_buffer struct buffer shown = { 0 };
	auto_free char *fix = request_memory_fix(delivery->request);

	if (delivery->failure != NULL)
		return;
	shown_add(&shown, name, len);
	delivery->failure = mem_printf(
	    "the file %s cannot be put into the box: %s%s%s", shown.data, why,
	    fault == FILE_FAULT_ROOM ? ", or " : "",
	    fault == FILE_FAULT_ROOM ? fix : "");
}

/* A file of the conversation is given to the box. */
static void
delivery_on_filed(void *ctx, const struct file_row *row)
{
	file_row_sync(&((struct delivery_part *)ctx)->delivery->synced, row);
}

static void
delivery_on_done(void *ctx, const struct files_end *end)
{
	struct delivery_part *part = ctx;
	struct delivery *delivery = part->delivery;

	part->task = NULL;
	if (end->why != NULL && delivery->failure == NULL)
		delivery->failure = mem_printf(
		    "files cannot be put into the box: %s", end->why);
	if (delivery->asked.task != NULL || delivery->data.task != NULL)
		return;
	delivery->ended = true;
	delivery->done(delivery->ctx);
}

static int
delivery_open_workspace(struct box *box, struct err *err)
{
	int copy;

	if (box->files.workspace == -1)
		return box_open_workspace(box->files.out_dir, err);
	if (!(box->how & BOX_SESSION))
		return fd_take(&box->files.workspace);
	/* In a session the next call may ask for files, too. */
	copy = fcntl(box->files.workspace, F_DUPFD_CLOEXEC, 0);
	return copy == -1 ? err_sys(err, "copy a descriptor") : copy;
}

/* Returns 0, or -1 with err. */
static int
delivery_ask(struct delivery *delivery, struct files *files,
    const struct request *request, struct box *box, struct err *err)
{
	const struct files_user user = { .skipped = delivery_on_skipped,
		.done = delivery_on_done, .ctx = &delivery->asked };
	auto_fd int workspace = -1;

	if (request->files_len == 0)
		return 0;
	workspace = delivery_open_workspace(box, err);
	if (workspace == -1)
		return -1;
	delivery->asked.task = files_deliver(files, request->owner->scope,
	    request->files, request->files_len, &workspace,
	    box->files.uid, &user, err);
	return delivery->asked.task == NULL ? -1 : 0;
}

/* The same; a copy of the descriptor stays for the collection. */
static int
delivery_restore(struct delivery *delivery, struct files *files,
    const struct request *request, struct box *box, struct err *err)
{
	const struct files_user user = { .filed = delivery_on_filed,
		.skipped = delivery_on_skipped,
		.done = delivery_on_done,
		.ctx = &delivery->data };
	auto_free char *owner = NULL;
	auto_fd int data = -1;

	if (request->conversation == NULL)
		return 0;
	data = fcntl(box->files.data, F_DUPFD_CLOEXEC, 0);
	if (data == -1)
		return err_sys(err, "copy a descriptor");
	owner = files_conversation(
	    request->owner->scope, request->conversation);
	delivery->data.task = files_deliver(files, owner, NULL, 0, &data,
	    box->files.uid, &user, err);
	return delivery->data.task == NULL ? -1 : 0;
}

struct delivery *
delivery_new(struct files *files, const struct request *request,
    struct box *box, void (*done)(void *ctx), void *ctx, struct err *err)
{
	struct delivery *delivery = mem_alloc(sizeof(*delivery));

	delivery->done = done;
	delivery->ctx = ctx;
	delivery->request = request;
	delivery->asked.delivery = delivery->data.delivery = delivery;
	if (delivery_ask(delivery, files, request, box, err) == -1 ||
	    delivery_restore(delivery, files, request, box, err) == -1)
		delivery_free(&delivery);
	return delivery;
}

int
delivery_due(const struct request *request)
{
	return request->files_len > 0 || request->conversation != NULL;
}

void
delivery_free(struct delivery **deliveryp)
{
	struct delivery *delivery = mem_take(deliveryp);

	if (delivery == NULL)
		return;
	files_forget(&delivery->asked.task);
	files_forget(&delivery->data.task);
	buffer_reset(&delivery->synced);
	free(delivery->failure);
	free(delivery);
}
