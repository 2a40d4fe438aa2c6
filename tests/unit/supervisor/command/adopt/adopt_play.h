/*
 * A configuration file with its entries cut out and others put in, as the
 * reader and the supervisor do it together: for tests, without a process.
 */
#ifndef TESTS_UNIT_ADOPT_PLAY_H
#define TESTS_UNIT_ADOPT_PLAY_H

#include <stdlib.h>
#include <string.h>

#include "common/limits.h"
#include "common/base/mem.h"
#include "supervisor/command/adopt/adopt_edit.h"
#include "worker/reader/config.h"

#define ADOPT_PLAY_MAX (2 * CONFIG_ENTRIES_MAX)

/* What the reader says of a file. */
struct adopt_play {
	char *names[ADOPT_PLAY_MAX];
	struct server_location locations[ADOPT_PLAY_MAX];
	int located[ADOPT_PLAY_MAX];
	size_t count;
	struct server_gap gap;
	size_t gaps;
	int parsed;
};

static inline void
adopt_play_location(struct adopt_play *play, const struct ipc_location *row)
{
	struct server_location *location = &play->locations[play->count - 1];

	play->located[play->count - 1] = 1;
	location->start = row->start;
	location->end = row->end;
	location->comma = row->comma;
	location->cut_start = row->cut_start;
	location->cut_end = row->cut_end;
	location->tied = mem_strdup(row->tied);
	location->fixed = mem_strdup(row->fixed);
}

static inline void
adopt_play_gap(struct adopt_play *play, const struct ipc_gap *row)
{
	play->gaps++;
	play->gap.form = (enum config_gap)row->form;
	play->gap.at = row->at;
	play->gap.more = row->more != 0;
	play->gap.line = mem_strdup(row->line);
	play->gap.deeper = mem_strdup(row->deeper);
	play->gap.behind = mem_strdup(row->behind);
	play->gap.why = mem_strdup(row->why);
}

static inline void
adopt_play_tell(void *ctx, enum ipc_type type, void *msg)
{
	struct adopt_play *play = ctx;
	const struct ipc_entry *entry = msg;
	const struct ipc_rejected *rejected = msg;

	if (type == IPC_LOCATION)
		adopt_play_location(play, msg);
	else if (type == IPC_GAP)
		adopt_play_gap(play, msg);
	else
		play->names[play->count++] = mem_strdup(
		    type == IPC_ENTRY ? entry->name : rejected->name);
}

/* Has the text read, which stays as it is; adopt_play_free in any case. */
static inline void
adopt_play_read(struct adopt_play *play, const char *text, size_t len,
    enum config_shape shape)
{
	const struct config_sink sink = { adopt_play_tell, play, 1 };
	const struct config_file file = { shape, "" };
	auto_free char *copy = mem_resize(NULL, len);

	memset(play, 0, sizeof(*play));
	if (len > 0)
		memcpy(copy, text, len);
	play->parsed = config_read(copy, len, &file, &sink);
}

static inline void
adopt_play_free(struct adopt_play *play)
{
	size_t i;

	for (i = 0; i < play->count; i++) {
		free(play->names[i]);
		free(play->locations[i].tied);
		free(play->locations[i].fixed);
	}
	free(play->gap.line);
	free(play->gap.deeper);
	free(play->gap.behind);
	free(play->gap.why);
}

/*
 * Appends the file without the entries that cuts says so of, in their order
 * ("-": goes, anything else: stays; the last one holds for the rest), and with
 * one more unless put is NULL.
 */
static inline int
adopt_play_edit(const struct adopt_play *play, const char *text, size_t len,
    const char *cuts, const char *put, struct buffer *out, struct err *err)
{
	struct adopt_entry entries[ADOPT_PLAY_MAX];
	struct adopt_edit edit = { .data = text, .len = len,
		.entries = entries, .gap = &play->gap, .puts = &put,
		.put_count = put != NULL,
		.list = put == NULL || put[0] != '"' ? NULL :
		    "\"mcpServers\"" };
	size_t i;

	for (i = 0; i < play->count; i++) {
		if (!play->located[i])
			continue;
		entries[edit.count].location = &play->locations[i];
		entries[edit.count++].cut = *cuts == '-';
		cuts += cuts[1] != '\0';
	}
	return adopt_edit(&edit, out, err);
}

#endif
