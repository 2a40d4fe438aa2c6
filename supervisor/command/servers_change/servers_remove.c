/*
 * caisson servers remove: only entries written by "servers add" and "servers
 * import" are removed; for others, the error names their file.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../common/base/fd.h"
#include "../../../common/base/mem.h"
#include "../../../common/suggest.h"
#include "../../options/home.h"
#include "../../options/options.h"
#include "../adopt/adopt_record.h"
#include "../adopt/adopt_show.h"
#include "../adopt/adopt_work.h"
#include "../shared/command.h"

struct servers_remove {
	const char *name;
	char *settings; /* ~/.config/caisson */
	char *folder;   /* its directory of servers */
	struct servers servers;
	const struct server *ours;  /* removable, or NULL */
	const struct server *other; /* not removable, or NULL */
};

/*
 * Returns the name of a file in our directory without its suffix, which the
 * caller frees; NULL for other files.
 */
static char *
servers_remove_stem(const struct servers_remove *remove, const char *path)
{
	size_t len = strlen(remove->folder);
	const char *name = path + len + 1;
	const char *dot = strrchr(path, '.');

	if (strncmp(path, remove->folder, len) != 0 || path[len] != '/' ||
	    strchr(name, '/') != NULL || dot == NULL)
		return NULL;
	return mem_dup(name, (size_t)(dot - name));
}

/*
 * Returns whether "caisson adopt" has moved servers into the file of a client.
 */
static int
servers_remove_is_adopted(
    const struct servers_remove *remove, const char *client)
{
	auto_free char *folder =
	    mem_printf("%s/adopted/%s", remove->settings, client);
	struct adopt_records records;
	struct err err;
	int some = adopt_records_read(&records, folder, &err) == -1 ||
	    records.count > 0;

	adopt_records_free(&records);
	return some;
}

/* Returns whether we have written a file, and may change it. */
static int
servers_remove_is_ours(
    const struct servers_remove *remove, const struct server_file *file)
{
	auto_free char *stem = servers_remove_stem(remove, file->path);
	struct err err;

	if (stem == NULL || file->state != SERVER_FILE_TAKEN)
		return 0;
	return strcmp(stem, "caisson") == 0 ||
	    (adopt_client_find_edited(stem, &err) != NULL &&
	        !servers_remove_is_adopted(remove, stem));
}

static void
servers_remove_find(struct servers_remove *remove)
{
	const struct server *server;

	TAILQ_FOREACH (server, &remove->servers.list, entry) {
		if (strcmp(server->name, remove->name) != 0)
			continue;
		if (remove->ours == NULL &&
		    servers_remove_is_ours(remove, server->file))
			remove->ours = server;
		else if (remove->other == NULL &&
		    (remove->ours == NULL ||
		        server->file != remove->ours->file))
			remove->other = server;
	}
}

static int
servers_remove_unknown(const struct servers_remove *remove, struct err *err)
{
	struct suggest suggest = suggest_start(remove->name);
	const struct server *server;

	TAILQ_FOREACH (server, &remove->servers.list, entry)
		if (server->name[0] != '\0')
			suggest_try(&suggest, server->name);
	return command_no_server("server", &suggest, err);
}

/* The error for an entry in another file, with the way to remove it. */
static int
servers_remove_refuse(const struct servers_remove *remove, struct err *err)
{
	const struct server_file *file = remove->other->file;
	auto_free char *stem = servers_remove_stem(remove, file->path);
	auto_buffer struct buffer name = { 0 }, path = { 0 };

	adopt_show_text(&name, remove->name);
	adopt_show_text(&path, file->path);
	if (stem != NULL && servers_remove_is_adopted(remove, stem))
		return err_set(err, "\"%s\" is in %s, where 'caisson adopt "
		    "%s' has moved it: 'caisson adopt %s --undo' moves all of "
		    "them back", name.data, path.data, stem, stem);
	if (file->source->client)
		return err_set(err, "\"%s\" is in %s: remove it in %s",
		    name.data, path.data, file->source->name);
	return err_set(err, "\"%s\" is in %s, which Caisson does not change: "
	    "remove it there with an editor", name.data, path.data);
}

/* Makes the file without the entry of this name. */
static int
servers_remove_cut(const struct servers_remove *remove,
    const struct adopt_file *file, struct buffer *after, struct err *err)
{
	const char *path = remove->ours->file->path;
	json_t *json = adopt_json_read(&file->data, path, err);

	if (json == NULL)
		return -1;
	if (adopt_json_remove(json, remove->name) == 0)
		return adopt_json_write(json, after, err);
	json_decref(json);
	return err_set(err, "%s has it in another list than \"mcpServers\": "
	    "remove it with an editor", path);
}

static int
servers_remove_do(const struct servers_remove *remove, struct err *err)
{
	auto_fd int lock = adopt_file_lock(remove->folder, err);
	auto_buffer struct buffer after = { 0 };
	struct adopt_file file = { 0 };
	int done;

	if (lock == -1)
		return -1;
	done = adopt_work_read_file(&file, remove->ours->file,
	    "the program that uses it", err);
	if (done == 0)
		done = servers_remove_cut(remove, &file, &after, err);
	if (done == 0)
		done = adopt_file_replace(&file, after.data, after.len, err);
	adopt_file_reset(&file);
	return done;
}

static int
servers_remove_work(struct servers_remove *remove, struct err *err)
{
	auto_buffer struct buffer name = { 0 }, path = { 0 }, other = { 0 };

	servers_remove_find(remove);
	if (remove->ours == NULL)
		return remove->other == NULL ?
		    servers_remove_unknown(remove, err) :
		    servers_remove_refuse(remove, err);
	if (servers_remove_do(remove, err) == -1)
		return -1;
	adopt_show_text(&name, remove->name);
	adopt_show_text(&path, remove->ours->file->path);
	printf("Removed \"%s\" from %s.\n", name.data, path.data);
	if (remove->other == NULL)
		return 0;
	adopt_show_text(&other, remove->other->file->path);
	printf("\"%s\" is now as %s defines it.\n", name.data, other.data);
	return 0;
}

int
servers_remove_run(struct command_setup *setup, struct err *err)
{
	struct servers_remove remove = { .name =
		setup->options->command.operand };
	const struct server *server;
	struct err none;
	int done;

	remove.settings = home_settings(setup->envp, err);
	if (remove.settings == NULL)
		return -1;
	remove.folder = mem_printf("%s/servers", remove.settings);
	adopt_work_read_servers(&remove.servers, setup, NULL, NULL);
	server = servers_login_find(setup, remove.name, &none);
	done = command_end(servers_remove_work(&remove, err), err);
	if (done == 0)
		servers_login_drop(setup, remove.name, server);
	servers_free(&remove.servers);
	free(remove.settings);
	free(remove.folder);
	return done;
}
