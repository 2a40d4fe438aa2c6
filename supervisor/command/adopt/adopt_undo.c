/*
 * caisson adopt CLIENT --undo: restores the client's file byte for byte if
 * nothing else has changed it. Otherwise our entry is cut out and the moved
 * entries are put back. The client's file is written first, and each later step
 * can be repeated.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../common/base/fd.h"
#include "../../../common/base/mem.h"
#include "../../../common/base/text_list.h"
#include "adopt_record.h"
#include "adopt_show.h"
#include "adopt_work.h"

struct adopt_undoing {
	struct adopt_work *work;
	struct adopt_records records;
	struct buffer names; /* of all moved entries */
	struct buffer back;  /* of entries to put back */
	struct buffer after; /* the client's file */
	bool whole; /* restored byte for byte */
};

static int
adopt_undo_is_same(const struct buffer *one, const struct buffer *other)
{
	return one->len == other->len &&
	    (one->len == 0 || memcmp(one->data, other->data, one->len) == 0);
}

/*
 * Follows the records back while the file is the one that each has left.
 * Returns whether that leads to the first record. Records of changes that were
 * not made, or are undone already, are skipped.
 */
static int
adopt_undo_chain(struct adopt_undoing *undoing)
{
	const struct adopt_record *record;
	const struct buffer *now = &undoing->work->file.data;
	size_t i;

	for (i = undoing->records.count; i-- > 0;) {
		record = &undoing->records.list[i];
		if (adopt_undo_is_same(now, &record->after))
			now = &record->before;
		else if (!adopt_undo_is_same(now, &record->before))
			return 0;
	}
	buffer_add(&undoing->after, now->data, now->len);
	return 1;
}

static int
adopt_undo_has(const struct adopt_plan *plan, const char *name)
{
	size_t i;

	for (i = 0; i < plan->count; i++)
		if (strcmp(plan->rows[i].server->name, name) == 0)
			return 1;
	return 0;
}

/* Puts back missing entries; removes our entry if we have added it. */
static int
adopt_undo_edit(struct adopt_undoing *undoing, struct err *err)
{
	const struct adopt_records *records = &undoing->records;
	auto_free const char **puts = NULL;
	size_t i, count = 0;
	int added = 0;

	for (i = 0; i < records->count; i++) {
		const struct adopt_record *record = &records->list[i];
		const char *name, *text;

		added |= record->added;
		TEXT_LIST_PAIRS (name, text, record->entries.data,
		    record->entries.len) {
			if (adopt_undo_has(&undoing->work->plan, name) ||
			    text_list_has(&undoing->back, name))
				continue;
			text_list_add(&undoing->back, name);
			puts = mem_resize(puts, (count + 1) * sizeof(*puts));
			puts[count++] = text;
		}
	}
	return adopt_work_edit(undoing->work, added, (const char *const *)puts,
	    count, &undoing->after, err);
}

static int
adopt_undo_prepare(struct adopt_undoing *undoing, struct err *err)
{
	struct adopt_work *work = undoing->work;
	const char *name, *text;
	size_t i;

	if (adopt_records_read(&undoing->records, work->folder, err) == -1)
		return -1;
	for (i = 0; i < undoing->records.count; i++) {
		const struct buffer *entries =
		    &undoing->records.list[i].entries;

		TEXT_LIST_PAIRS (name, text, entries->data, entries->len)
			text_list_add(&undoing->names, name);
	}
	undoing->whole = adopt_undo_chain(undoing);
	return undoing->whole ? 0 : adopt_undo_edit(undoing, err);
}

static void
adopt_undo_show(const struct adopt_undoing *undoing)
{
	auto_buffer struct buffer text = { 0 };
	const char *separator = " ";
	const char *name;

	adopt_show_text(&text, undoing->work->plan.file->path);
	if (undoing->whole) {
		buffer_add_text(&text, ": as it was before\n");
	} else {
		buffer_add_text(&text, ": it was changed since, so \"caisson\" "
		    "is taken out and these are put back:");
		TEXT_LIST_EACH (name, undoing->back.data, undoing->back.len) {
			buffer_add_text(&text, separator);
			adopt_show_text(&text, name);
			separator = ", ";
		}
		buffer_add_text(&text,
		    undoing->back.len == 0 ? " none\n" : "\n");
	}
	fputs(text.data, stdout);
}

/*
 * Removes the moved entries from our file, and the file after its last entry.
 */
static int
adopt_undo_target(const struct adopt_undoing *undoing, struct err *err)
{
	const struct adopt_work *work = undoing->work;
	const struct adopt_records *records = &undoing->records;
	const struct buffer none = { 0 };
	auto_buffer struct buffer rest = { 0 };
	auto_free char *kept = NULL;
	const char *name;
	json_t *file;
	size_t count;

	if (work->plan.target == NULL)
		return 0;
	file = adopt_plan_content(&work->plan, &none);
	TEXT_LIST_EACH (name, undoing->names.data, undoing->names.len)
		adopt_json_remove(file, name);
	count = adopt_json_count(file);
	if (adopt_json_write(file, &rest, err) == -1)
		return -1;
	if (count > 0)
		return adopt_file_write_through(
		    work->target, rest.data, rest.len, err);
	kept = mem_printf("%s/servers.json",
	    records->list[records->count - 1].path);
	return adopt_file_rename(work->target, kept, err);
}

/* Stores the client's file, since the user may have changed it. */
static int
adopt_undo_keep(const struct adopt_undoing *undoing, struct err *err)
{
	const struct adopt_records *records = &undoing->records;
	const struct adopt_record *last = &records->list[records->count - 1];
	auto_buffer struct buffer text = { 0 };
	auto_free char *place = NULL;

	if (undoing->whole)
		return 0;
	if (adopt_record_keep_edited(last, &undoing->work->file.data, err) ==
	    -1)
		return -1;
	place = adopt_record_edited(last);
	adopt_show_text(&text, place);
	printf("A copy of it as it is now stays in %s.\n", text.data);
	return 0;
}

static int
adopt_undo_do(struct adopt_undoing *undoing, struct err *err)
{
	const struct adopt_work *work = undoing->work;
	auto_fd int lock = adopt_file_lock(work->folder, err);
	size_t i;

	if (lock == -1 || adopt_undo_keep(undoing, err) == -1)
		return -1;
	if (!adopt_undo_is_same(&undoing->after, &work->file.data) &&
	    adopt_file_replace(&work->file, undoing->after.data,
	        undoing->after.len, err) == -1)
		return -1;
	if (adopt_undo_target(undoing, err) == -1)
		return -1;
	for (i = undoing->records.count; i-- > 0;)
		if (adopt_record_undone(&undoing->records.list[i], err) == -1)
			return -1;
	return 0;
}

static int
adopt_undo_run(struct adopt_undoing *undoing, int *changed, struct err *err)
{
	if (adopt_undo_prepare(undoing, err) == -1)
		return -1;
	if (undoing->records.count == 0) {
		printf("There is nothing to undo.\n");
		return 0;
	}
	adopt_undo_show(undoing);
	if (!adopt_work_ask(undoing->work->asked))
		return 0;
	*changed = 1;
	return adopt_undo_do(undoing, err);
}

int
adopt_undo(struct adopt_work *work, int *changed, struct err *err)
{
	struct adopt_undoing undoing = { .work = work };
	int done = adopt_undo_run(&undoing, changed, err);

	adopt_records_free(&undoing.records);
	buffer_reset(&undoing.names);
	buffer_reset(&undoing.back);
	buffer_reset(&undoing.after);
	return done;
}
