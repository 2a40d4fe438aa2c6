/*
 * Notes about the code, which stand behind its output. The box wrote them, so
 * their number and size are bounded, and each is one line without control
 * characters.
 */
#include <stdlib.h>

#include "../../common/base/mem.h"
#include "../../common/base/shown.h"
#include "../../common/base/text_list.h"
#include "../../common/base/utf8.h"
#include "calls.h"

/*
 * Appends a text of the box, as one line, cut. Returns 0, or -1 if there is
 * none.
 */
static int
notes_read(
    const struct json_span_member *member, size_t most, struct buffer *line)
{
	auto_buffer struct buffer shown = { 0 };
	auto_free char *text = NULL;
	size_t len = 0, n, kept;

	if (member->count == 1 && member->value.len <= NOTE_FRAME_MAX)
		text = json_span_string(member->value, &len, NULL);
	if (len == 0)
		return -1;
	for (n = 0; n < len; n++)
		if (text[n] == '\n' || text[n] == '\t')
			text[n] = ' ';
	shown_add(&shown, text, len);
	kept = utf8_cut(shown.data, shown.len, most);
	buffer_add(line, shown.data, kept);
	buffer_add_text(line, kept < shown.len ? "..." : "");
	return 0;
}

int
notes_take(struct notes *notes, struct json_span frame, struct err *err)
{
	struct json_span_member members[] = { { .name = "text" },
		{ .name = "once" } };
	auto_buffer struct buffer text = { 0 }, once = { 0 };

	json_span_members(frame, members, 2);
	buffer_add_text(&once, "");
	if (notes_read(&members[0], NOTE_MAX, &text) == -1)
		return err_set(err, "a note without a valid \"text\"");
	if (members[1].count != 0 &&
	    notes_read(&members[1], NOTE_ONCE_MAX, &once) == -1)
		return err_set(err, "a note with an invalid \"once\"");
	if (notes->count++ < NOTES_MAX) {
		text_list_add(&notes->texts, once.data);
		text_list_add(&notes->texts, text.data);
	}
	return 0;
}

struct ipc_bytes
notes_told(struct notes *notes)
{
	if (notes->count > NOTES_MAX) {
		text_list_add(&notes->texts, "");
		buffer_printf(&notes->texts, "%zu further notes are left out",
		    notes->count - NOTES_MAX);
		buffer_add(&notes->texts, "", 1);
		notes->count = 0;
	}
	return (struct ipc_bytes){ (const uint8_t *)notes->texts.data,
		notes->texts.len };
}

void
notes_reset(struct notes *notes)
{
	buffer_reset(&notes->texts);
	notes->count = 0;
}
