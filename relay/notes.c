/*
 * Notes about the code, which stand behind its output. The box wrote them, so
 * their number and size are bounded, and each is one line without control
 * characters. Runs in the relay.
 */
#include <stdlib.h>

#include "../common/mem.h"
#include "../common/shown.h"
#include "relay.h"

/* Appends a note: its lines become one, and it is cut at NOTE_MAX. */
static void
notes_add(struct buffer *notes, char *text, size_t len)
{
	auto_buffer struct buffer shown = { 0 };
	size_t n, kept;

	for (n = 0; n < len; n++)
		if (text[n] == '\n' || text[n] == '\t')
			text[n] = ' ';
	shown_add(&shown, text, len);
	kept = utf8_cut(shown.data, shown.len, NOTE_MAX);
	buffer_add(notes, shown.data, kept);
	buffer_add_text(notes, kept < shown.len ? "..." : "");
	buffer_add(notes, "", 1);
}

int
notes_take(struct notes *notes, struct json_span frame, struct err *err)
{
	struct member text = { .name = "text" };
	auto_free char *decoded = NULL;
	size_t len = 0;

	member_find(frame, &text, 1);
	if (text.count == 1 && text.value.len <= NOTE_FRAME_MAX)
		decoded = json_span_string(text.value, &len, NULL);
	if (len == 0)
		return err_set(err, "a note without a valid \"text\"");
	if (notes->count++ < NOTES_MAX)
		notes_add(&notes->texts, decoded, len);
	return 0;
}

struct ipc_bytes
notes_told(struct notes *notes)
{
	if (notes->count > NOTES_MAX) {
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
