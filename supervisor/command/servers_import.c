/*
 * caisson servers import CLIENT: see servers_change.h. The servers of a client
 * are copied to our file for it, by the rules of caisson adopt. The file of the
 * client is only read. Runs in the supervisor.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../common/fd.h"
#include "../../common/mem.h"
#include "adopt_show.h"
#include "adopt_work.h"
#include "servers_change.h"

static int
servers_import_write(const struct adopt_work *work, struct err *err)
{
	auto_free char *folder = mem_strdup(work->own);
	auto_fd int lock = -1;

	*strrchr(folder, '/') = '\0';
	if (adopt_file_make_folder(folder, err) == -1)
		return -1;
	lock = adopt_file_lock(folder, err);
	return lock == -1 ? -1 : adopt_work_write_own(work, err);
}

static int
servers_import_work(struct adopt_work *work, struct err *err)
{
	const struct adopt_client *client = work->client;
	auto_buffer struct buffer own = { 0 };
	size_t count;

	if (adopt_plan_make(&work->plan, &work->servers, client, work->asked,
	        work->own, 1, err) == -1)
		return -1;
	if (command_has(work->asked, COMMAND_FLAG_JSON)) {
		adopt_show_json(&work->plan, work->own);
		return 0;
	}
	adopt_show_copies(&work->plan, work->own, stdout);
	count = adopt_work_count_new(&work->plan);
	if (count == 0) {
		printf("There is nothing to copy.\n");
		return 0;
	}
	printf("The file of %s stays as it is; 'caisson adopt %s' moves its "
	       "servers.\n", client->source, client->name);
	if (!adopt_work_ask(work->asked)) {
		printf("Nothing was changed.\n");
		return 0;
	}
	if (servers_import_write(work, err) == -1)
		return -1;
	adopt_show_text(&own, work->own);
	printf("Copied %zu server%s to %s.\n", count, count == 1 ? "" : "s",
	    own.data);
	return 0;
}

int
servers_import_run(const struct adopt_setup *setup, struct err *err)
{
	const struct command *command = &setup->options->command;
	struct adopt_work work = { .asked = &command->flags };
	int done = -1;

	work.client = adopt_client_find(command->operand, err);
	if (work.client == NULL)
		return -1;
	if (adopt_work_check_asked(work.asked, err) == -1)
		return -1;
	if (adopt_work_find_places(&work, setup->envp, err) == 0) {
		adopt_work_read_servers(
		    &work.servers, setup, work.client->source, NULL);
		done = servers_import_work(&work, err) == -1 ? 1 : 0;
		fflush(stdout);
		adopt_plan_reset(&work.plan);
		servers_free(&work.servers);
	}
	free(work.own);
	free(work.folder);
	return done;
}
