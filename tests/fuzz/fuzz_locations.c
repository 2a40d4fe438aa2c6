/*
 * Fuzz target of what the reader says of places in configuration files, and of
 * the supervisor that cuts by it: whatever the bytes are, a file that could be
 * read can be read again without the entries that were cut out and with the
 * one that was put in, and all others are still there, in their order.
 */

#include "fuzz.h"
#include "tests/unit/supervisor/command/adopt/adopt_play.h"

#define FUZZ_SIZE_MAX 4096
#define FUZZ_NAME "put in here"

/* Which entries go, in their order. */
static const char *const cuts[] = { "+", "-", "-+", "+-", "+--+-", "-+-" };

/* The entry is new: none that is there has its name. */
static int
has_name(const struct adopt_play *play)
{
	size_t i;

	for (i = 0; i < play->count; i++)
		if (strcmp(play->names[i], FUZZ_NAME) == 0)
			return 1;
	return 0;
}

static int
is_kept(const struct adopt_play *play, size_t i, const char *pattern)
{
	size_t len = strlen(pattern);

	return play->locations[i].fixed[0] != '\0' ||
	    pattern[i < len ? i : len - 1] != '-';
}

/* Whether entries were told that are none of the list, or not all were. */
static int
is_odd(const struct adopt_play *play)
{
	size_t i, j;

	for (i = 0; i < play->count; i++) {
		if (!play->located[i] || play->locations[i].fixed[0] != '\0')
			return 1;
		for (j = 0; j < i; j++)
			if (strcmp(play->names[i], play->names[j]) == 0)
				return 1;
	}
	return 0;
}

/* Those that were kept, and the new one somewhere, where there is one. */
static void
check_names(const struct adopt_play *before, const struct adopt_play *after,
    const char *pattern, int put)
{
	size_t i, j, kept = 0, found = 0;

	for (i = 0; i < before->count; i++) {
		if (!is_kept(before, i, pattern))
			continue;
		kept++;
		for (j = 0; j < after->count; j++)
			found += strcmp(before->names[i], after->names[j]) == 0;
	}
	FUZZ_ASSERT(found == kept);
	FUZZ_ASSERT(after->count == kept + (size_t)put);
	FUZZ_ASSERT(has_name(after) == put);
}

static void
check_edit(const struct adopt_play *before, const char *text, size_t len,
    enum config_shape shape, const char *pattern, const char *put)
{
	static struct adopt_play after;
	auto_buffer struct buffer out = { 0 };
	struct err err;

	if (adopt_play_edit(
	        before, text, len, pattern, put, &out, &err) == -1) {
		FUZZ_ASSERT(before->gap.form == CONFIG_GAP_NONE);
		return;
	}
	adopt_play_read(&after, out.data, out.len, shape);
	FUZZ_ASSERT(after.parsed || (put == NULL && !before->parsed) ||
	    shape == CONFIG_SHAPE_CODEX);
	check_names(before, &after, pattern, put != NULL);
	adopt_play_free(&after);
}

static void
check_file(const char *text, size_t len, enum config_shape shape,
    const char *put)
{
	static struct adopt_play play;
	size_t i;

	adopt_play_read(&play, text, len, shape);
	FUZZ_ASSERT(play.gaps <= 1);
	if (play.gaps == 1 && !has_name(&play) && !is_odd(&play))
		for (i = 0; i < sizeof(cuts) / sizeof(cuts[0]); i++) {
			check_edit(&play, text, len, shape, cuts[i], NULL);
			check_edit(&play, text, len, shape, cuts[i], put);
		}
	adopt_play_free(&play);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = size == 0 ? "" : (const char *)data;

	if (size > FUZZ_SIZE_MAX)
		return 0;
	check_file(text, size, CONFIG_SHAPE_CLIENT,
	    "\"" FUZZ_NAME "\": {\"command\": \"x\"}");
	check_file(text, size, CONFIG_SHAPE_CODEX,
	    "[mcp_servers.\"" FUZZ_NAME "\"]\ncommand = \"x\"");
	return 0;
}
