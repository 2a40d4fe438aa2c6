/*
 * COLLECT: see task.h. Runs in files.
 *
 * The porter offers files faster than they are copied. A few offers, which have
 * a descriptor each, wait here, and the others stay with the porter. Offered
 * files are stored even if the porter ends too early or breaks a rule.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../../../common/base/buffer.h"
#include "../../../common/base/fd.h"
#include "../../../common/base/file_name.h"
#include "../../../common/limits.h"
#include "../../../common/base/log.h"
#include "../../../common/base/mem.h"
#include "../../../common/base/text_list.h"
#include "intake.h"
#include "../stored/index.h"
#include "same.h"
#include "task.h"

#define COLLECT_NO_SIZE UINT64_MAX

struct collect_offer {
	STAILQ_ENTRY(collect_offer) entry;
	enum file_fault fault; /* why it is left out, even before it starts */
	bool compared; /* it differs from the version that the box had */
	int file;
	uint64_t changed; /* when: see same.h */
	uint64_t size;    /* bytes; COLLECT_NO_SIZE: there is no file */
	size_t len;
	char name[FILE_NAME_MAX + 1];
};

struct collect {
	struct task task;
	STAILQ_HEAD(, collect_offer) offers; /* the first is in progress */
	struct same *same;     /* the first offer and that version */
	struct intake *intake;
	uint64_t until;       /* for intake_go_on */
	size_t named;         /* by the porter, in total */
	unsigned int waiting; /* of these, in offers */
	bool told; /* the porter has reported the end */
	uint64_t more;
	bool mirrors;         /* the offers are all files of a conversation */
	struct buffer gone;  /* of those that the box was given: names */
	char *synced;        /* what the box was given: names and versions */
	size_t synced_len;
};

/* The messages of the porter */

static const char *
collect_add(struct collect *collect, struct ipc_bytes name, int *file,
    enum file_fault fault)
{
	struct collect_offer *offer;
	struct stat st;

	if (collect->named >= FILES_OUT_MAX +
	    text_list_count(collect->synced, collect->synced_len))
		return "it names too many files";
	collect->named++;
	offer = mem_alloc(sizeof(*offer));
	offer->fault = fault;
	offer->file = file == NULL ? -1 : fd_take(file);
	offer->size = COLLECT_NO_SIZE;
	if (file != NULL && fstat(offer->file, &st) == 0) {
		offer->changed = same_changed(st.st_mtim);
		offer->size = (uint64_t)st.st_size;
	}
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

/*
 * Returns the version of a file that the box was given, and when that was
 * changed; 0 if there is none.
 */
static uint64_t
collect_synced(
    const struct collect *collect, const char *wanted, uint64_t *changed)
{
	const char *name, *text;
	uint64_t version;
	char *colon;

	TEXT_LIST_PAIRS (name, text, collect->synced, collect->synced_len) {
		if (strcmp(name, wanted) != 0)
			continue;
		version = strtoull(text, &colon, 10);
		*changed = strtoull(colon + 1, NULL, 10);
		return version;
	}
	return 0;
}

/* The porter finds none of this name. Returns how that breaks a rule. */
static const char *
collect_lose(struct collect *collect, struct ipc_bytes bytes)
{
	auto_free char *name = mem_dup((const char *)bytes.data, bytes.len);
	uint64_t changed;

	if (!collect->mirrors ||
	    collect_synced(collect, name, &changed) == 0 ||
	    text_list_has(&collect->gone, name))
		return "it misses a file that the box did not have";
	text_list_add(&collect->gone, name);
	return NULL;
}

static const char *
collect_skip(struct task *task, const struct ipc_skip *skip)
{
	if (skip->fault == FILE_FAULT_UNKNOWN)
		return collect_lose((struct collect *)task, skip->name);
	/* Other faults are not determined by a porter. */
	if (skip->fault > FILE_FAULT_UNREADABLE)
		return "it leaves a file for a reason of another process";
	return collect_add((struct collect *)task, skip->name, NULL,
	    (enum file_fault)skip->fault);
}

static const char *
collect_carried(struct task *task, const struct ipc_carried *carried)
{
	struct collect *collect = (struct collect *)task;

	if (carried->fault != FILE_FAULT_NONE &&
	    carried->fault != FILE_FAULT_UNREADABLE)
		return "it fails for a reason of another process";
	task->fault = (enum file_fault)carried->fault;
	collect->told = true;
	collect->more = carried->more;
	return NULL;
}

/* Whether the box was given this file, and has none of its name any more. */
static int
collect_goes(void *ctx, const struct head *head)
{
	const struct collect *collect = ctx;
	uint64_t changed;

	return head->version <=
	    collect_synced(collect, head->name, &changed) &&
	    text_list_has(&collect->gone, head->name);
}

/*
 * Removes the files of a conversation that the code has removed, but none that
 * another process has changed meanwhile.
 */
static void
collect_remove(struct collect *collect)
{
	struct files *files = collect->task.files;
	const struct stored_file *stored;
	uint64_t count, removed = 0;
	const char *name;

	if (index_renew(files) == -1)
		return;
	TEXT_LIST_EACH (name, collect->gone.data, collect->gone.len) {
		stored = index_find(files, collect->task.owner, name, 0);
		if (stored == NULL || !collect_goes(collect, &stored->head))
			continue;
		index_remove(files, collect->task.owner, 0, name, 0, &count);
		removed += count;
	}
	if (removed > 0 && directory_sync(files->folder) == -1)
		log_warn("cannot finish removing files: %s", strerror(errno));
}

static void
collect_end(struct collect *collect)
{
	/* Otherwise it is unknown what the box has. */
	if (collect->told && collect->task.fault == FILE_FAULT_NONE)
		collect_remove(collect);
	task_done(&collect->task, collect->more, TASK_NO_NAME);
}

/* Continues with the next offer. After the last one the task ends at once. */
static void
collect_next(struct collect *collect)
{
	struct task *task = &collect->task;

	if (!STAILQ_EMPTY(&collect->offers))
		task_wake(task, 0);
	else if (task->porter == NULL)
		collect_end(collect);
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
	same_free(&collect->same);
	intake_free(&collect->intake);
}

/* Continues after the first offer, which is popped. */
static void
collect_after(struct collect *collect)
{
	collect_pop(collect);
	if (collect->task.porter != NULL)
		channel_pause(collect->task.porter, 0);
	collect_next(collect);
}

/*
 * An offer was not stored. If it is a file that the box was given, and that the
 * code has moved, that one stays.
 */
static void
collect_stay(struct collect *collect, const struct collect_offer *offer)
{
	struct buffer gone = collect->gone;
	const struct stored_file *stored;
	const char *name;
	uint64_t given;

	collect->gone = (struct buffer){ 0 };
	TEXT_LIST_EACH (name, gone.data, gone.len) {
		collect_synced(collect, name, &given);
		stored = index_find(
		    collect->task.files, collect->task.owner, name, 0);
		if (stored == NULL || stored->head.size != offer->size ||
		    given != offer->changed)
			text_list_add(&collect->gone, name);
		else
			task_tell_skipped(&collect->task,
			    (struct ipc_bytes){ (const uint8_t *)name,
			        strlen(name) }, FILE_FAULT_STAYS);
	}
	buffer_reset(&gone);
}

/* The first offer is complete: answers it. */
static void
collect_answer(struct collect *collect, enum file_fault fault)
{
	struct collect_offer *offer = STAILQ_FIRST(&collect->offers);
	struct task *task = &collect->task;

	if (fault == FILE_FAULT_NONE) {
		task_tell_filed(task, intake_head(collect->intake),
		    intake_changed(collect->intake));
	} else {
		/* The quota must be updated before this message arrives. */
		intake_free(&collect->intake);
		task_tell_skipped(task,
		    (struct ipc_bytes){ (const uint8_t *)offer->name,
		        offer->len }, fault);
		collect_stay(collect, offer);
	}
	collect_after(collect);
}

/*
 * Starts to compare the first offer with the version that the box was given,
 * unless their sizes differ or there is none. Returns 1 if that version is no
 * longer there and the code has not changed the file: it was removed.
 */
static int
collect_compare(struct collect *collect)
{
	struct collect_offer *offer = STAILQ_FIRST(&collect->offers);
	uint64_t changed, version =
	    collect_synced(collect, offer->name, &changed);
	struct files *files = collect->task.files;
	const struct stored_file *stored = NULL;
	enum file_fault fault;
	auto_fd int file = -1;

	if (version == 0 || offer->fault != FILE_FAULT_NONE ||
	    offer->compared || offer->size == COLLECT_NO_SIZE)
		return 0;
	offer->compared = true;
	if (index_renew(files) == 0)
		stored = index_find(
		    files, collect->task.owner, offer->name, version);
	if (stored == NULL)
		return offer->changed == changed;
	if (stored->head.size != offer->size)
		return 0;
	file = index_open(files, stored, &fault);
	if (file != -1)
		collect->same = same_new(offer->file, &file, FILE_HEAD_SIZE,
		    stored->head.size);
	return 0;
}

/* Returns whether the first offer is still compared, or need not be stored. */
static int
collect_is_same(struct collect *collect)
{
	if (collect->intake == NULL && collect->same == NULL &&
	    collect_compare(collect)) {
		collect_after(collect);
		return 1;
	}
	if (collect->same == NULL)
		return 0;
	switch (same_go_on(collect->same)) {
	case SAME_COMPARES:
		task_wake(&collect->task, 0);
		return 1;
	case SAME_EQUAL:
		collect_after(collect);
		return 1;
	default:
		same_free(&collect->same);
		return 0;
	}
}

/* Starts to store the first offer, unless it already has a fault. */
static void
collect_start(struct collect *collect)
{
	struct collect_offer *offer = STAILQ_FIRST(&collect->offers);

	if (collect->intake != NULL || offer->fault != FILE_FAULT_NONE)
		return;
	collect->intake = intake_new(collect->task.files, collect->task.owner,
	    offer->name, &offer->file, &offer->fault);
	if (collect->intake != NULL)
		offer->fault =
		    intake_judge(collect->intake, collect_goes, collect);
	if (offer->fault != FILE_FAULT_NONE)
		intake_free(&collect->intake);
}

static void
collect_go_on(struct collect *collect)
{
	struct collect_offer *offer = STAILQ_FIRST(&collect->offers);

	if (collect_is_same(collect))
		return;
	collect_start(collect);
	if (collect->intake == NULL) {
		collect_answer(collect, offer->fault);
		return;
	}
	switch (intake_go_on(collect->intake, &collect->until, &offer->fault)) {
	case INTAKE_COPIES:
	case INTAKE_STARVES: /* only a pipe does */
		task_wake(&collect->task, 0);
		break;
	case INTAKE_WAITS:
		task_wake(&collect->task, FILES_LOOK_MS);
		break;
	case INTAKE_STORED:
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
	buffer_reset(&collect->gone);
	free(collect->synced);
}

static const struct task_kind collect_kind = {
	.offer = collect_offer,
	.skip = collect_skip,
	.carried = collect_carried,
	.porter_gone = collect_porter_gone,
	.wake = collect_wake,
	.free = collect_free,
};

void
collect_begin(struct files *files, struct ipc_collect *msg, char **synced)
{
	struct collect *collect = (struct collect *)task_new(files,
	    &collect_kind, sizeof(struct collect), msg->task, msg->owner,
	    &msg->porter);

	STAILQ_INIT(&collect->offers);
	collect->mirrors = head_conversation(msg->owner)[0] != '\0';
	collect->synced = mem_take(synced);
	collect->synced_len = msg->synced.len;
	index_sweep(files);
}
