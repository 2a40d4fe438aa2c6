/*
 * The plan: which entries move; see adopt_plan.h. Runs in the supervisor;
 * sentences never contain the value of a variable or an argument.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "../../../common/base/mem.h"
#include "../../../common/base/text_list.h"
#include "adopt_plan.h"

/* The files */

static int
adopt_plan_is_clients(
    const struct adopt_client *client, const struct server_file *file)
{
	return file->source->client && !file->source->project &&
	    strcmp(file->source->name, client->source) == 0 &&
	    file->path != NULL && strncmp(file->path, "/etc/", 5) != 0;
}

static int
adopt_plan_refuse(const struct adopt_plan *plan,
    const struct server_file *file, struct err *err)
{
	const struct server *row = server_faults_row(plan->servers, file);

	if (file->state == SERVER_FILE_MISSING)
		return err_set(err, "%s has no file of servers yet (%s): start "
		    "it once, or put there what 'caisson client %s' prints",
		    plan->client->source, file->path, plan->client->name);
	if (row != NULL)
		return err_set(err, "%s:%llu:%llu: %s", file->path,
		    (unsigned long long)row->line,
		    (unsigned long long)row->column, row->why);
	return err_set(err, "%s: %s", file->path,
	    file->why == NULL ? "cannot be read" : file->why);
}

/* Finds the first existing file of the client. */
static int
adopt_plan_find(struct adopt_plan *plan, struct err *err)
{
	const struct server_file *file, *first = NULL;

	TAILQ_FOREACH (file, &plan->servers->files, entry) {
		if (!adopt_plan_is_clients(plan->client, file))
			continue;
		if (first == NULL || (first->state == SERVER_FILE_MISSING &&
		        file->state != SERVER_FILE_MISSING))
			first = file;
	}
	if (first == NULL)
		return err_set(err, "HOME is not set to a folder");
	if (first->state != SERVER_FILE_TAKEN)
		return adopt_plan_refuse(plan, first, err);
	if (first->gap == NULL)
		return err_set(err, "%s: the reader did not report the "
		    "positions of its servers", first->path);
	plan->file = first;
	return 0;
}

/* Finds our file, which must be valid, since it is rewritten without loss. */
static int
adopt_plan_find_target(
    struct adopt_plan *plan, const char *target, struct err *err)
{
	const struct server_file *file;
	const struct server *server;

	TAILQ_FOREACH (file, &plan->servers->files, entry)
		if (file->path != NULL && strcmp(file->path, target) == 0)
			plan->target = file;
	if (plan->target == NULL)
		return 0;
	if (plan->target->state != SERVER_FILE_TAKEN)
		return adopt_plan_refuse(plan, plan->target, err);
	TAILQ_FOREACH (server, &plan->servers->list, entry)
		if (server->file == plan->target && server->command == NULL)
			return err_set(err, "%s:%llu:%llu: %s", target,
			    (unsigned long long)server->line,
			    (unsigned long long)server->column, server->why);
	return 0;
}

/* The entries */

/* Returns whether Caisson would expand a text differently from the client. */
static int
adopt_plan_text_differs(const struct adopt_plan *plan, const char *text)
{
	const struct servers_setup *setup = &plan->servers->setup;
	struct expand ours = { .envp = setup->envp, .folder = setup->folder,
		.shape = CONFIG_SHAPE_PLAIN };
	struct expand theirs = ours;
	struct err err;
	auto_free char *one = NULL, *other = NULL;

	if (text == NULL)
		return 0;
	if (!plan->client->expands)
		return strstr(text, "${") != NULL;
	theirs.shape = plan->file->source->shape;
	one = expand_text(&ours, text, &err);
	other = expand_text(&theirs, text, &err);
	return one == NULL || other == NULL || strcmp(one, other) != 0;
}

static int
adopt_plan_differs(const struct adopt_plan *plan, const struct server *server)
{
	const char *text;

	if (adopt_plan_text_differs(plan, server->command) ||
	    adopt_plan_text_differs(plan, server->cwd))
		return 1;
	TEXT_LIST_EACH (text, server->args.data, server->args.len)
		if (adopt_plan_text_differs(plan, text))
			return 1;
	TEXT_LIST_EACH (text, server->env.data, server->env.len)
		if (adopt_plan_text_differs(plan, text))
			return 1;
	return 0;
}

static int
adopt_plan_is_ours(const struct adopt_plan *plan, const struct server *server)
{
	const struct servers_setup *setup = &plan->servers->setup;

	return server->run.data != NULL &&
	    server_self_is_started(&server->run,
	        server->path == NULL ? "" : server->path,
	        server->run_cwd == NULL ? setup->folder : server->run_cwd,
	        setup->self);
}

/* Returns another entry of this name that has priority. */
static const struct server *
adopt_plan_other(const struct adopt_plan *plan, const struct server *server)
{
	const struct server *other;

	TAILQ_FOREACH (other, &plan->servers->list, entry) {
		if (other == server)
			break;
		if (strcmp(other->name, server->name) == 0 &&
		    other->command != NULL)
			return other;
	}
	return NULL;
}

static int
adopt_plan_is_double(const struct adopt_plan *plan, const struct server *server)
{
	const struct server *other;

	TAILQ_FOREACH (other, &plan->servers->list, entry)
		if (other != server && other->file == server->file &&
		    strcmp(other->name, server->name) == 0)
			return 1;
	return 0;
}

static int
adopt_plan_is_kept(const struct command_flags *asked, const char *name)
{
	const char *kept;
	size_t i;

	for (i = 0;
	     (kept = command_value(asked, COMMAND_FLAG_KEEP, i)) != NULL; i++)
		if (strcmp(kept, name) == 0)
			return 1;
	return 0;
}

/*
 * Returns why an entry that cannot be used here stays; NULL if it can be used.
 */
static char *
adopt_plan_unusable(const struct adopt_plan *plan, const struct server *server)
{
	const struct server *other = adopt_plan_other(plan, server);

	if (server->state == SERVER_TAKEN && server->program == NULL)
		return mem_strdup("its command is not found");
	if (server->state == SERVER_TAKEN)
		return NULL;
	if (server->disabled || server->command == NULL || other == NULL)
		return mem_strdup(server->why);
	/* It was moved before, or is in another client's file, too. */
	if (adopt_json_is_same(server, other))
		return NULL;
	return mem_printf("its name has another definition in %s, which would "
	    "be used in its place: rename one of them", other->file->path);
}

/* Returns why an entry stays; NULL if it moves. */
static char *
adopt_plan_reason(const struct adopt_plan *plan, const struct server *server,
    const struct command_flags *asked)
{
	char *why;

	if (server->name[0] == '\0')
		return mem_strdup(server->why);
	if (adopt_plan_is_kept(asked, server->name))
		return mem_strdup("--keep names it");
	if (adopt_plan_is_double(plan, server))
		return mem_strdup("its name is in the file more than once");
	why = adopt_plan_unusable(plan, server);
	if (why != NULL)
		return why;
	if (server->location->fixed[0] != '\0')
		return mem_strdup(server->location->fixed);
	if (server->location->tied[0] != '\0')
		return mem_printf("only %s can honour its \"%s\"",
		    plan->client->source, server->location->tied);
	if (adopt_plan_differs(plan, server))
		return mem_printf("%s and Caisson would fill in its variables "
		    "differently: write the values, or ${NAME} in a file of "
		    "%.*s", plan->client->source,
		    (int)(strrchr(plan->path, '/') - plan->path), plan->path);
	return NULL;
}

static int
adopt_plan_add(struct adopt_plan *plan, const struct server *server,
    const struct command_flags *asked, struct err *err)
{
	struct adopt_row *row = &plan->rows[plan->count++];

	row->server = server;
	row->ours = adopt_plan_is_ours(plan, server) ||
	    (command_has(asked, COMMAND_FLAG_UNDO) &&
	        strcmp(server->name, "caisson") == 0);
	if (row->ours) {
		plan->registered = true;
		return 0;
	}
	if (strcmp(server->name, "caisson") == 0 && plan->copies) {
		row->why = mem_strdup("\"caisson\" is the name of the entry "
		    "that starts this program");
		return 0;
	}
	if (strcmp(server->name, "caisson") == 0)
		return err_set(err, "%s:%llu:%llu: \"caisson\" is the name of "
		    "another entry, which does not start this program: rename "
		    "or remove it", plan->file->path,
		    (unsigned long long)server->line,
		    (unsigned long long)server->column);
	row->why = adopt_plan_reason(plan, server, asked);
	row->moves = row->why == NULL;
	plan->moves += (size_t)row->moves;
	return 0;
}

static int
adopt_plan_check_keep(const struct adopt_plan *plan,
    const struct command_flags *asked, struct err *err)
{
	const char *kept;
	size_t i, j;

	for (i = 0;
	     (kept = command_value(asked, COMMAND_FLAG_KEEP, i)) != NULL;
	     i++) {
		for (j = 0; j < plan->count; j++)
			if (strcmp(kept, plan->rows[j].server->name) == 0)
				break;
		if (j == plan->count)
			return err_set(err, "--keep %s: %s has no such "
			    "server", kept, plan->file->path);
	}
	return 0;
}

int
adopt_plan_make(struct adopt_plan *plan, const struct servers *servers,
    const struct adopt_client *client, const struct command_flags *asked,
    const char *target, int copies, struct err *err)
{
	const struct server *server;

	*plan = (struct adopt_plan){ .client = client, .servers = servers,
		.path = target, .copies = copies };
	if (adopt_plan_find(plan, err) == -1 ||
	    adopt_plan_find_target(plan, target, err) == -1)
		return -1;
	plan->rows = mem_alloc((servers->count + 1) * sizeof(*plan->rows));
	TAILQ_FOREACH (server, &servers->list, entry)
		if (server->file == plan->file && server->location != NULL &&
		    adopt_plan_add(plan, server, asked, err) == -1)
			return -1;
	return adopt_plan_check_keep(plan, asked, err);
}

void
adopt_plan_reset(struct adopt_plan *plan)
{
	size_t i;

	for (i = 0; i < plan->count; i++)
		free(plan->rows[i].why);
	free(mem_take(&plan->rows));
	plan->count = 0;
}

/* Our file */

int
adopt_plan_owns(const struct adopt_plan *plan, const char *name)
{
	const struct server *server;

	TAILQ_FOREACH (server, &plan->servers->list, entry)
		if (plan->target != NULL && server->file == plan->target &&
		    strcmp(server->name, name) == 0)
			return 1;
	return 0;
}

json_t *
adopt_plan_content(const struct adopt_plan *plan, const struct buffer *denied)
{
	json_t *file = adopt_json_new();
	const struct server *server;

	TAILQ_FOREACH (server, &plan->servers->list, entry)
		if (plan->target != NULL && server->file == plan->target)
			adopt_json_add(file, server, denied);
	return file;
}
