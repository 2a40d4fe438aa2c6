/* The steps that a change and its undoing have in common: see adopt_work.h. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../common/base/clock.h"
#include "../../../common/base/mem.h"
#include "../../options/home.h"
#include "../../options/options.h"
#include "adopt_work.h"
#include "../client/client_config.h"
#include "../shared/command.h"

int
adopt_work_find_places(struct adopt_work *work, char **envp, struct err *err)
{
	auto_free char *settings = home_settings(envp, err);

	if (settings == NULL)
		return -1;
	work->target =
	    mem_printf("%s/servers/%s.json", settings, work->client->name);
	work->folder =
	    mem_printf("%s/adopted/%s", settings, work->client->name);
	return 0;
}

static void
adopt_work_on_read(void *ctx)
{
	event_base_loopexit(ctx, NULL);
}

void
adopt_work_read_servers(struct servers *servers,
    const struct command_setup *setup, const char *locations, const char *named)
{
	struct servers_setup how = { .base = setup->base,
		.envp = setup->envp,
		.folder = "",
		.named = named != NULL ? named :
		                         setup->options->servers_config,
		.options = setup->options,
		.self = setup->self->exe,
		.allow_self = (int)setup->options->allow_self_server,
		.clock = clock_ms,
		.locations = locations };

	servers_read(servers, &how, NULL, adopt_work_on_read, setup->base);
	event_base_dispatch(setup->base);
}

size_t
adopt_work_count_new(const struct adopt_plan *plan)
{
	size_t i, n = 0;

	for (i = 0; i < plan->count; i++)
		n += plan->rows[i].moves &&
		    !adopt_plan_owns(plan, plan->rows[i].server->name);
	return n;
}

int
adopt_work_write_target(const struct adopt_work *work, struct err *err)
{
	auto_free char *folder = mem_strdup(work->target);
	const struct adopt_plan *plan = &work->plan;
	auto_buffer struct buffer text = { 0 };
	json_t *file;
	size_t i;

	if (adopt_work_count_new(plan) == 0 && work->denied.len == 0)
		return 0;
	*strrchr(folder, '/') = '\0';
	if (adopt_file_make_folder(folder, err) == -1)
		return -1;
	file = adopt_plan_content(plan, &work->denied);
	for (i = 0; i < plan->count; i++)
		if (plan->rows[i].moves &&
		    !adopt_plan_owns(plan, plan->rows[i].server->name))
			adopt_json_add(
			    file, plan->rows[i].server, &work->denied);
	return adopt_json_write(file, &text, err) == -1 ? -1 :
	    adopt_file_write_through(
	        work->target, text.data, text.len, err);
}

int
adopt_work_read_file(struct adopt_file *read, const struct server_file *file,
    const char *owner, struct err *err)
{
	if (adopt_file_read(read, file->path, err) == -1)
		return err_wrap(err, "%s", file->path);
	if (read->st.st_dev == file->dev && read->st.st_ino == file->ino &&
	    read->st.st_size == file->size &&
	    read->st.st_ctim.tv_sec == file->changed.tv_sec &&
	    read->st.st_ctim.tv_nsec == file->changed.tv_nsec)
		return 0;
	return err_set(err, "%s was changed meanwhile: close %s and try again",
	    file->path, owner);
}

int
adopt_work_read(struct adopt_work *work, struct err *err)
{
	return adopt_work_read_file(
	    &work->file, work->plan.file, work->client->source, err);
}

int
adopt_work_edit(const struct adopt_work *work, int take,
    const char *const *puts, size_t count, struct buffer *out, struct err *err)
{
	const struct adopt_plan *plan = &work->plan;
	struct adopt_edit edit = { .data = work->file.data.data,
		.len = work->file.data.len, .gap = plan->file->gap,
		.puts = puts, .put_count = count,
		.list = work->client->list };
	auto_free struct adopt_entry *entries =
	    mem_alloc((plan->count + 1) * sizeof(*entries));
	size_t i;

	edit.entries = entries;
	edit.count = plan->count;
	for (i = 0; i < plan->count; i++) {
		entries[i].location = plan->rows[i].server->location;
		entries[i].cut = command_has(work->asked, COMMAND_FLAG_UNDO) ?
		    plan->rows[i].ours && take : plan->rows[i].moves;
	}
	return adopt_edit(&edit, out, err);
}

static int
adopt_work_check_asked(const struct command *command, struct err *err)
{
	const struct command_flags *asked = &command->flags;

	if (command_has(asked, COMMAND_FLAG_JSON) &&
	    !command_has(asked, COMMAND_FLAG_DRY_RUN))
		return err_set(err, "--json shows what would change: add "
		    "--dry-run");
	if (command_has(asked, COMMAND_FLAG_JSON) &&
	    command_has(asked, COMMAND_FLAG_UNDO))
		return err_set(err, "--json and --undo exclude each other: "
		    "give one of them");
	if (!command_has(asked, COMMAND_FLAG_YES) &&
	    !command_has(asked, COMMAND_FLAG_DRY_RUN) && !command_can_ask())
		return err_set(err, "'caisson %s%s%s' changes nothing without "
		    "consent: add --yes, or --dry-run to look only",
		    command->word, command->verb == NULL ? "" : " ",
		    command->verb == NULL ? "" : command->verb);
	return 0;
}

int
adopt_work_begin(struct adopt_work *work, const struct command *command,
    struct err *err)
{
	work->asked = &command->flags;
	work->client = adopt_client_find_edited(command->operand, err);
	return work->client == NULL ? -1 :
	    adopt_work_check_asked(command, err);
}

int
adopt_work_ask(const struct command_flags *asked)
{
	if (command_has(asked, COMMAND_FLAG_DRY_RUN))
		return 0;
	if (command_has(asked, COMMAND_FLAG_YES))
		return 1;
	return command_ask("Do this?");
}
