/*
 * The files that a call asks for: one task of the process that keeps files. It
 * ends before the code starts. Runs in the supervisor.
 */
#include <stdlib.h>

#include "../../common/mem.h"
#include "../../common/shown.h"
#include "../box/box.h"
#include "../peers/files.h"
#include "../process/process.h"
#include "run.h"

struct delivery {
	const struct options *options;
	struct files_task *task; /* NULL: it has ended */
	void (*done)(void *ctx);
	void *ctx;
	char *failure; /* the first failure; NULL: none */
};

static void
delivery_on_left_out(
    void *ctx, const char *name, size_t len, enum file_fault fault)
{
	struct delivery *delivery = ctx;
	auto_free char *why = file_fault_text(fault, delivery->options);
	auto_buffer struct buffer shown = { 0 };

	if (delivery->failure != NULL)
		return;
	shown_add(&shown, name, len);
	delivery->failure = mem_printf(
	    "the file %s cannot be put into the box: %s", shown.data, why);
}

static void
delivery_on_done(void *ctx, const struct files_end *end)
{
	struct delivery *delivery = ctx;

	delivery->task = NULL;
	if (end->why != NULL && delivery->failure == NULL)
		delivery->failure = mem_printf(
		    "files cannot be put into the box: %s", end->why);
	delivery->done(delivery->ctx);
}

struct delivery *
delivery_new(struct files *files, const struct options *options,
    const struct request *request, struct box *box, void (*done)(void *ctx),
    void *ctx, struct err *err)
{
	struct delivery *delivery = mem_alloc(sizeof(*delivery));
	const struct files_user user = { .left_out = delivery_on_left_out,
		.done = delivery_on_done,
		.ctx = delivery };

	delivery->options = options;
	delivery->done = done;
	delivery->ctx = ctx;
	delivery->task = files_deliver(files, request->owner->scope,
	    request->files, request->files_len, &box->workspace,
	    identity_box(box->number), &user, err);
	if (delivery->task == NULL)
		free(mem_take(&delivery));
	return delivery;
}

const char *
delivery_failure(const struct delivery *delivery)
{
	return delivery->failure;
}

void
delivery_free(struct delivery **deliveryp)
{
	struct delivery *delivery = mem_take(deliveryp);

	if (delivery == NULL)
		return;
	files_forget(&delivery->task);
	free(delivery->failure);
	free(delivery);
}
