/*
 * COLLECT: see collect.h. Runs in files.
 *
 * The porter offers files faster than they are copied. A few offers, which have
 * a descriptor each, wait here, and the others stay with the porter. Offered
 * files are stored even if the porter ends too early or breaks a rule.
 */
#include <stdlib.h>
#include <string.h>

#include "../../common/fd.h"
#include "../../common/file_name.h"
#include "../../common/limits.h"
#include "../../common/mem.h"
#include "collect.h"
#include "intake.h"
#include "kept.h"
#include "task.h"

struct collect_offer {
	STAILQ_ENTRY(collect_offer) entry;
	enum file_fault fault; /* why it is left out, even before it starts */
	int file;
	size_t len;
	char name[FILE_NAME_MAX + 1];
};

struct collect {
	struct task task;
	STAILQ_HEAD(, collect_offer) offers; /* the first is in progress */
	struct intake *intake;
	uint64_t until;       /* for intake_go_on */
	unsigned int named;   /* by the porter, in total */
	unsigned int waiting; /* of these, in offers */
	int told; /* the porter has reported the end */
	uint64_t more;
};

/* The messages of the porter */

static const char *
collect_add(struct collect *collect, struct ipc_bytes name, int *file,
    enum file_fault fault)
{
	struct collect_offer *offer;

	if (collect->named >= FILES_LEFT_MAX)
		return "it names too many files";
	collect->named++;
	offer = mem_alloc(sizeof(*offer));
	offer->fault = fault;
	offer->file = file == NULL ? -1 : fd_take(file);
	offer->len = name.len;
	memcpy(offer->name, name.data, name.len);
	STAILQ_INSERT_TAIL(&collect->offers, offer, entry);
	collect->waiting++;
	if (collect->waiting == FILES_WAITING_MAX)
		channel_pause(collect->task.porter, 1);
	task_wake(&collect->task, 0);
	return NULL;
}

static const char *
collect_offer(struct task *task, struct ipc_offer *offer)
{
	enum file_fault fault =
	    file_name_valid((const char *)offer->name.data, offer->name.len) ?
	    FILE_FAULT_NONE : FILE_FAULT_NAME;

	return collect_add(
	    (struct collect *)task, offer->name, &offer->file, fault);
}

static const char *
collect_leave(struct task *task, const struct ipc_leave *leave)
{
	/* Other faults are not determined by a porter. */
	if (leave->fault > FILE_FAULT_UNREADABLE)
		return "it leaves a file for a reason of another process";
	return collect_add((struct collect *)task, leave->name, NULL,
	    (enum file_fault)leave->fault);
}

static const char *
collect_carried(struct task *task, const struct ipc_carried *carried)
{
	struct collect *collect = (struct collect *)task;

	if (carried->fault != FILE_FAULT_NONE &&
	    carried->fault != FILE_FAULT_UNREADABLE)
		return "it fails for a reason of another process";
	task->fault = (enum file_fault)carried->fault;
	collect->told = 1;
	collect->more = carried->more;
	return NULL;
}

/* Continues with the next offer. After the last one the task ends at once. */
static void
collect_next(struct collect *collect)
{
	struct task *task = &collect->task;

	if (!STAILQ_EMPTY(&collect->offers))
		task_wake(task, 0);
	else if (task->porter == NULL)
		task_done(task, collect->more, TASK_NO_NAME);
}

static void
collect_porter_gone(struct task *task)
{
	struct collect *collect = (struct collect *)task;

	if (!collect->told)
		task->fault = FILE_FAULT_PORTER;
	collect_next(collect);
}

/* Handling an offer */

static void
collect_pop(struct collect *collect)
{
	struct collect_offer *offer = STAILQ_FIRST(&collect->offers);

	STAILQ_REMOVE_HEAD(&collect->offers, entry);
	collect->waiting--;
	fd_close(&offer->file);
	free(offer);
	intake_free(&collect->intake);
}

/* The first offer is complete: answers it. */
static void
collect_answer(struct collect *collect, enum file_fault fault)
{
	struct collect_offer *offer = STAILQ_FIRST(&collect->offers);
	struct task *task = &collect->task;

	if (fault == FILE_FAULT_NONE) {
		task_tell_filed(task, intake_head(collect->intake));
	} else {
		/* The quota must be updated before this message arrives. */
		intake_free(&collect->intake);
		task_tell_left_out(task,
		    (struct ipc_bytes){ (const uint8_t *)offer->name,
		        offer->len }, fault);
	}
	collect_pop(collect);
	if (task->porter != NULL)
		channel_pause(task->porter, 0);
	collect_next(collect);
}

/* Starts to store the first offer, unless it already has a fault. */
static void
collect_start(struct collect *collect)
{
	struct collect_offer *offer = STAILQ_FIRST(&collect->offers);

	if (collect->intake == NULL && offer->fault == FILE_FAULT_NONE)
		collect->intake = intake_new(collect->task.files,
		    collect->task.owner, offer->name, &offer->file,
		    &offer->fault);
}

static void
collect_go_on(struct collect *collect)
{
	struct collect_offer *offer = STAILQ_FIRST(&collect->offers);

	collect_start(collect);
	if (collect->intake == NULL) {
		collect_answer(collect, offer->fault);
		return;
	}
	switch (intake_go_on(
	    collect->intake, &collect->until, &offer->fault)) {
	case INTAKE_COPIES:
		task_wake(&collect->task, 0);
		break;
	case INTAKE_WAITS:
		task_wake(&collect->task, FILES_LOOK_MS);
		break;
	case INTAKE_KEPT:
	case INTAKE_FAILED:
		collect_answer(collect, offer->fault);
		break;
	}
}

static void
collect_wake(struct task *task)
{
	collect_go_on((struct collect *)task);
}

static void
collect_free(struct task *task)
{
	struct collect *collect = (struct collect *)task;

	while (!STAILQ_EMPTY(&collect->offers))
		collect_pop(collect);
}

static const struct task_kind collect_kind = {
	.offer = collect_offer,
	.leave = collect_leave,
	.carried = collect_carried,
	.porter_gone = collect_porter_gone,
	.wake = collect_wake,
	.free = collect_free,
};

void
collect_begin(struct files *files, struct ipc_collect *msg)
{
	struct task *task = task_new(files, &collect_kind,
	    sizeof(struct collect), msg->task, msg->owner, &msg->porter);

	STAILQ_INIT(&((struct collect *)task)->offers);
	kept_sweep(files);
}
