/*
 * caisson servers import CLIENT: the servers of a client are copied to our file
 * for it, by the rules of caisson adopt. The file of the client is only read.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../common/base/fd.h"
#include "../../../common/base/mem.h"
#include "../../options/options.h"
#include "../adopt/adopt_show.h"
#include "../adopt/adopt_work.h"
#include "../shared/command.h"

static int
servers_import_write(const struct adopt_work *work, struct err *err)
{
	auto_free char *folder = mem_strdup(work->target);
	auto_fd int lock = -1;

	*strrchr(folder, '/') = '\0';
	if (adopt_file_make_folder(folder, err) == -1)
		return -1;
	lock = adopt_file_lock(folder, err);
	return lock == -1 ? -1 : adopt_work_write_target(work, err);
}

/*
 * Our file is written anew from what was read of it: what a user has added to
 * it, such as a comment, would be lost. Returns 0, or -1 with err.
 */
static int
servers_import_check_target(const struct adopt_work *work, struct err *err)
{
	const struct buffer none = { 0 };
	struct adopt_file file = { 0 };
	json_t *ours, *now;
	int done, same;

	if (work->plan.target == NULL)
		return 0;
	done = adopt_file_read(&file, work->target, err);
	if (done == -1) {
		adopt_file_reset(&file);
		return err_wrap(err, "%s", work->target);
	}
	ours = adopt_plan_content(&work->plan, &none);
	now = adopt_json_read(&file.data, work->target, err);
	same = now != NULL && json_equal(now, ours);
	json_decref(ours);
	json_decref(now);
	adopt_file_reset(&file);
	return same ? 0 : err_set(err, "%s was edited, which would be lost: "
	    "add the servers there, or use 'caisson servers add'",
	    work->target);
}

static int
servers_import_work(struct adopt_work *work, struct err *err)
{
	const struct adopt_client *client = work->client;
	auto_buffer struct buffer target = { 0 };
	size_t count;

	if (adopt_plan_make(&work->plan, &work->servers, client, work->asked,
	        work->target, 1, err) == -1)
		return -1;
	if (command_has(work->asked, COMMAND_FLAG_JSON)) {
		adopt_show_json(&work->plan, work->target);
		return 0;
	}
	adopt_show(&work->plan, NULL, work->target);
	count = adopt_work_count_new(&work->plan);
	if (count == 0) {
		printf("There is nothing to copy.\n");
		return 0;
	}
	if (servers_import_check_target(work, err) == -1)
		return -1;
	printf("The file of %s stays as it is; 'caisson adopt %s' moves its "
	       "servers.\n", client->source, client->name);
	if (!adopt_work_ask(work->asked)) {
		printf("Nothing was changed.\n");
		return 0;
	}
	if (servers_import_write(work, err) == -1)
		return -1;
	adopt_show_text(&target, work->target);
	printf("Copied %zu server%s to %s.\n", count, count == 1 ? "" : "s",
	    target.data);
	return 0;
}

int
servers_import_run(struct command_setup *setup, struct err *err)
{
	const struct command *command = &setup->options->command;
	struct adopt_work work = { 0 };
	int done = -1;

	if (adopt_work_begin(&work, command, err) == -1)
		return -1;
	if (adopt_work_find_places(&work, setup->envp, err) == 0) {
		adopt_work_read_servers(
		    &work.servers, setup, work.client->source, NULL);
		done = command_end(servers_import_work(&work, err), err);
		adopt_plan_reset(&work.plan);
		servers_free(&work.servers);
	}
	free(work.target);
	free(work.folder);
	return done;
}
