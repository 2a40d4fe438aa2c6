/*
 * What doing and undoing share: see adopt_work.h. Runs in the supervisor.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "../../common/mem.h"
#include "adopt_work.h"

int
adopt_work_read(struct adopt_work *work, struct err *err)
{
	const struct server_file *file = work->plan.file;

	if (adopt_file_read(&work->file, file->path, err) == -1)
		return err_wrap(err, "%s", file->path);
	if (work->file.st.st_dev == file->dev &&
	    work->file.st.st_ino == file->ino &&
	    work->file.st.st_size == file->size &&
	    work->file.st.st_ctim.tv_sec == file->changed.tv_sec &&
	    work->file.st.st_ctim.tv_nsec == file->changed.tv_nsec)
		return 0;
	return err_set(err, "%s was changed meanwhile: close %s and try again",
	    file->path, work->client->source);
}

int
adopt_work_edit(const struct adopt_work *work, int take,
    const char *const *puts, size_t count, struct buffer *out,
    struct err *err)
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
		entries[i].spot = plan->rows[i].server->spot;
		entries[i].cut = command_has(work->asked, COMMAND_FLAG_UNDO) ?
		    plan->rows[i].ours && take : plan->rows[i].moves;
	}
	return adopt_edit(&edit, out, err);
}

int
adopt_work_can_ask(const struct command_flags *asked)
{
	return command_has(asked, COMMAND_FLAG_YES) ||
	    command_has(asked, COMMAND_FLAG_DRY_RUN) ||
	    (isatty(STDIN_FILENO) && isatty(STDOUT_FILENO));
}

int
adopt_work_ask(const struct command_flags *asked)
{
	char answer[64];

	if (command_has(asked, COMMAND_FLAG_DRY_RUN))
		return 0;
	if (command_has(asked, COMMAND_FLAG_YES))
		return 1;
	printf("Do this? [y/N] ");
	fflush(stdout);
	if (fgets(answer, sizeof(answer), stdin) == NULL)
		return 0;
	answer[strcspn(answer, "\r\n")] = '\0';
	return strcasecmp(answer, "y") == 0 || strcasecmp(answer, "yes") == 0;
}
