/*
 * The calls of tools, counted by name, so that the answer of code that failed
 * names what was done. Runs in the relay; never sees arguments or results.
 */
#include <stdio.h>
#include <string.h>

#include "../../common/json/json.h"
#include "calls.h"

/* The characters of a name that cannot be taken for several. */
#define TALLY_PLAIN                                                           \
	"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_./-"

const char *
tally_shown(const char *name, struct buffer *quoted)
{
	if (name[strspn(name, TALLY_PLAIN)] == '\0')
		return name;
	json_add_text(quoted, name);
	return quoted->len > WAITING_NAME_MAX ? NULL : quoted->data;
}

/*
 * Returns the counter of a tool, or that of all others: also of one whose name
 * is too long in quotes.
 */
static struct tally_tool *
tally_find(struct tally *tally, const char *name)
{
	auto_buffer struct buffer quoted = { 0 };
	size_t n;

	name = tally_shown(name, &quoted);
	if (name == NULL)
		return &tally->tools[TALLY_TOOLS_MAX];
	for (n = 0; n < tally->count; n++)
		if (strcmp(tally->tools[n].name, name) == 0)
			return &tally->tools[n];
	if (n == TALLY_TOOLS_MAX)
		return &tally->tools[n];
	tally->count++;
	snprintf(tally->tools[n].name, sizeof(tally->tools[n].name), "%s",
	    name);
	return &tally->tools[n];
}

void
tally_add(struct tally *tally, const char *name, int answered)
{
	struct tally_tool *tool = tally_find(tally, name);

	if (answered)
		tool->answered++;
	else
		tool->open++;
}

/* Appends the calls of one kind. Returns whether there are any. */
static int
tally_write_kind(const struct tally *tally, int answered, struct buffer *text)
{
	const struct tally_tool *tool;
	size_t n, shown = 0;

	for (n = 0; n <= TALLY_TOOLS_MAX; n++) {
		uint64_t times;

		tool = &tally->tools[n];
		times = answered ? tool->answered : tool->open;
		if (times == 0)
			continue;
		if (shown++ > 0)
			buffer_add_text(text, ", ");
		buffer_add_text(text,
		    n < TALLY_TOOLS_MAX ? tool->name : "other tools");
		if (times > 1)
			buffer_printf(
			    text, " \xc3\x97%llu", (unsigned long long)times);
	}
	return shown > 0;
}

void
tally_write(const struct tally *tally, struct buffer *text)
{
	size_t before = text->len;
	struct buffer open = { 0 };

	tally_write_kind(tally, 1, text);
	if (tally_write_kind(tally, 0, &open))
		buffer_printf(text, "%s%s without an answer",
		    text->len > before ? "; " : "", open.data);
	buffer_reset(&open);
}
