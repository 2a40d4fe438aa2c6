/*
 * caisson adopt CLIENT: the servers of a client are moved to Caisson, and one
 * entry for Caisson replaces them. Files are written in an order that keeps
 * every server defined at each moment: the record, our file, the client's file.
 * If a run was killed, the next one completes it. Runs in the supervisor, which
 * copies bytes of these files and parses none.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../../common/base/fd.h"
#include "../../../common/base/mem.h"
#include "../../../common/base/text_list.h"
#include "../../front/tools/tool.h"
#include "../../options/options.h"
#include "adopt_record.h"
#include "adopt_show.h"
#include "adopt_work.h"
#include "../client/client_config.h"
#include "../../run/run.h"
#include "../shared/command.h"

/* Adds the bytes of an entry, for putting it back later. */
static void
adopt_add_entry(const struct adopt_work *work, const struct server *server,
    struct adopt_record *record)
{
	const struct server_location *location = server->location;
	auto_buffer struct buffer text = { 0 };

	buffer_add_text(&text, "");
	buffer_add(&text, work->file.data.data + location->start,
	    location->end - location->start);
	while (text.len > 0 && strchr("\r\n", text.data[text.len - 1]) != NULL)
		text.len--;
	text_list_add(&record->entries, server->name);
	buffer_add(&record->entries, text.data, text.len);
	buffer_add(&record->entries, "", 1);
}

/* Adds our file unparsed, since the user may have added unknown members. */
static int
adopt_add_target(const struct adopt_work *work, struct adopt_record *record,
    struct err *err)
{
	struct adopt_file file = { 0 };
	int done = 0;

	if (work->plan.target != NULL)
		done = adopt_file_read(&file, work->target, err);
	if (file.data.len > 0)
		buffer_add(&record->target, file.data.data, file.data.len);
	adopt_file_reset(&file);
	return done == -1 ? err_wrap(err, "%s", work->target) : 0;
}

static int
adopt_make_record(const struct adopt_work *work, struct adopt_record *record,
    struct err *err)
{
	const struct adopt_plan *plan = &work->plan;
	auto_buffer struct buffer entry = { 0 };
	const char *put;
	size_t i;

	adopt_client_add_entry(&entry, work->client, work->program,
	    plan->file->gap->form == CONFIG_GAP_SECTION ?
	        plan->file->gap->deeper : "\n");
	put = entry.data;
	record->added = !plan->registered;
	buffer_add(&record->before, work->file.data.data, work->file.data.len);
	if (adopt_work_edit(work, 0, &put, plan->registered ? 0 : 1,
	        &record->after, err) == -1)
		return err_wrap(err, "%s", plan->file->path);
	if (adopt_file_check(&work->file, record->after.len, err) == -1 ||
	    adopt_add_target(work, record, err) == -1)
		return -1;
	for (i = 0; i < plan->count; i++)
		if (plan->rows[i].moves)
			adopt_add_entry(work, plan->rows[i].server, record);
	return 0;
}

/* Reuses the same record of a run that was killed. */
static int
adopt_write_record(const struct adopt_work *work, struct adopt_record *record,
    struct err *err)
{
	struct adopt_records records;
	const struct adopt_record *last;
	int same = 0;

	if (adopt_records_read(&records, work->folder, err) == -1) {
		adopt_records_free(&records);
		return -1;
	}
	last = records.count == 0 ? NULL : &records.list[records.count - 1];
	if (last != NULL && last->before.len == record->before.len &&
	    last->after.len == record->after.len)
		same = memcmp(last->before.data, record->before.data,
		           record->before.len) == 0 &&
		    memcmp(last->after.data, record->after.data,
		        record->after.len) == 0;
	adopt_records_free(&records);
	return same ? 0 : adopt_record_write(record, work->folder, err);
}

/* Servers that did not move are not in our file either; it may be too late. */
static void
adopt_restore_target(
    const struct adopt_work *work, const struct adopt_record *record)
{
	struct err why;

	if (record->target.len == 0)
		(void)unlink(work->target);
	else
		(void)adopt_file_write_through(work->target,
		    record->target.data, record->target.len, &why);
}

static int
adopt_do(const struct adopt_work *work, struct adopt_record *record,
    struct err *err)
{
	auto_fd int lock = -1;
	struct err why;

	if (adopt_file_make_folder(work->folder, err) == -1)
		return -1;
	lock = adopt_file_lock(work->folder, err);
	if (lock == -1 || adopt_write_record(work, record, err) == -1)
		return -1;
	if (adopt_work_write_target(work, err) == 0 &&
	    adopt_file_replace(&work->file, record->after.data,
	        record->after.len, err) == 0)
		return 0;
	adopt_restore_target(work, record);
	/* The change was not made, so there is nothing to undo. */
	if (record->path != NULL)
		(void)adopt_record_undone(record, &why);
	return -1;
}

/* Prints the effects for the user. */
static void
adopt_tell(const struct adopt_work *work)
{
	const struct adopt_client *client = work->client;
	auto_buffer struct buffer command = { 0 };

	printf("Entries of projects stay. A copy of the file stays in %s; "
	       "'caisson adopt %s --undo' restores it.\n", work->folder,
	    client->name);
	if (work->plan.moves > 0)
		printf("%s will ask once for each run_python, no longer for "
		       "each tool.\n", client->source);
	if (client->command == NULL)
		return;
	adopt_client_add_command(&command, client, work->program);
	printf("To register without moving anything, %s has a command of its "
	       "own: %s\n", client->source, command.data);
}

/*
 * Only a running server reports its destructive tools. So either all moving
 * servers start, or none of them moves.
 */
static int
adopt_deny(struct adopt_work *work, const struct command_setup *setup,
    const struct buffer *moves, struct err *err)
{
	const char *name, *tool;

	if (servers_try_run(setup->base, setup->config,
	        setup->runs->peers.broker, tools_shown_size(setup->options),
	        moves, &work->denied, 0) != 0)
		return err_set(err, "nothing was moved: only a server that "
		    "starts tells which of its tools are destructive; leave "
		    "the others with --keep");
	TEXT_LIST_PAIRS (name, tool, work->denied.data, work->denied.len) {
		auto_buffer struct buffer shown = { 0 };

		adopt_show_text(&shown, name);
		buffer_add_text(&shown, ": ");
		adopt_show_text(&shown, tool);
		printf("denied   %s\n", shown.data);
	}
	return 0;
}

static int
adopt_forward(struct adopt_work *work, const struct command_setup *setup,
    struct adopt_record *record, struct buffer *moved, struct err *err)
{
	const struct adopt_plan *plan = &work->plan;
	auto_buffer struct buffer moves = { 0 };
	size_t i;

	if (command_has(work->asked, COMMAND_FLAG_JSON)) {
		adopt_show_json(plan, work->target);
		return 0;
	}
	adopt_show(plan, work->program, work->target);
	if (plan->registered && plan->moves == 0) {
		printf("There is nothing to change.\n");
		return 0;
	}
	if (adopt_make_record(work, record, err) == -1)
		return -1;
	adopt_tell(work);
	if (!adopt_work_ask(work->asked)) {
		printf("Nothing was changed.\n");
		return 0;
	}
	for (i = 0; i < plan->count; i++)
		if (plan->rows[i].moves)
			text_list_add(&moves, plan->rows[i].server->name);
	if (moves.len > 0 &&
	    command_has(work->asked, COMMAND_FLAG_DENY_DESTRUCTIVE) &&
	    adopt_deny(work, setup, &moves, err) == -1)
		return -1;
	if (adopt_do(work, record, err) == -1)
		return -1;
	printf("Done: restart %s.\n", work->client->source);
	/* Servers that were tested before are not tested again. */
	if (!command_has(work->asked, COMMAND_FLAG_DENY_DESTRUCTIVE))
		buffer_add(moved, moves.data, moves.len);
	return 0;
}

static int
adopt_work(struct adopt_work *work, const struct command_setup *setup,
    struct buffer *moved, struct err *err)
{
	struct adopt_record record = { 0 };
	int done, undone = 0;

	if (adopt_plan_make(&work->plan, &work->servers, work->client,
	        work->asked, work->target, 0, err) == -1 ||
	    adopt_work_read(work, err) == -1)
		return -1;
	if (command_has(work->asked, COMMAND_FLAG_UNDO)) {
		done = adopt_undo(work, &undone, err);
		if (done == 0 && undone)
			printf("Done: restart %s.\n", work->client->source);
		return done;
	}
	done = adopt_forward(work, setup, &record, moved, err);
	adopt_record_reset(&record);
	return done;
}

/* Appends the names of servers that were moved to Caisson, each + NUL. */
static int
adopt_client(
    const struct command_setup *setup, struct buffer *moved, struct err *err)
{
	const struct command *command = &setup->options->command;
	struct adopt_work work = { 0 };
	int done = -1;

	if (adopt_work_begin(&work, command, err) == -1)
		return -1;
	if (adopt_work_find_places(&work, setup->envp, err) == 0)
		work.program = client_config_path(setup->self, err);
	if (work.program != NULL) {
		adopt_work_read_servers(
		    &work.servers, setup, work.client->source, NULL);
		done = command_end(adopt_work(&work, setup, moved, err), err);
		adopt_plan_reset(&work.plan);
		servers_free(&work.servers);
		adopt_file_reset(&work.file);
		buffer_reset(&work.denied);
	}
	free(work.program);
	free(work.target);
	free(work.folder);
	return done;
}

int
adopt_run(struct command_setup *setup, struct err *err)
{
	auto_buffer struct buffer moved = { 0 };
	int status = adopt_client(setup, &moved, err);

	return status == 0 && moved.len > 0 ? servers_try_run(setup->base,
	    setup->config, setup->runs->peers.broker,
	    tools_shown_size(setup->options), &moved, NULL, 0) : status;
}
