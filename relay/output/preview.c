/*
 * The output of running code for a client that watches: its first and its last
 * bytes, each time that there is more. Reports of the code itself take its
 * place.
 */
#include <stdlib.h>

#include "../../common/base/loop.h"
#include "../../common/base/mem.h"
#include "../../common/base/utf8.h"
#include "output.h"

struct preview {
	struct relay *relay;
	void (*send)(struct relay *relay, struct ipc_preview *message);
	struct event *timer;
	uint64_t told; /* bytes of the output when it was sent last */
};

/* Appends bytes as valid UTF-8. */
static void
preview_add(struct buffer *text, const char *data, size_t len)
{
	if (len > 0)
		text->len += utf8_repair(data, len,
		    buffer_reserve(text, UTF8_REPAIR_FACTOR * len));
}

/* Appends the start and the end of an output of which shown are the bytes. */
static void
preview_cut(struct buffer *text, const struct buffer *shown, uint64_t total,
    size_t shown_head)
{
	size_t head = shown_head < PREVIEW_HEAD ? shown_head : PREVIEW_HEAD;
	size_t tail = shown->len - head;
	const char *end = shown->data + shown->len;

	if (tail > PREVIEW_TAIL)
		tail = PREVIEW_TAIL;
	/* No character is split at the cut. */
	head -= utf8_incomplete_tail(shown->data, head);
	while (tail > 0 && ((unsigned char)end[-(long)tail] & 0xc0) == 0x80)
		tail--;
	preview_add(text, shown->data, head);
	buffer_printf(text, "\n[%llu bytes not shown]\n",
	    (unsigned long long)(total - head - tail));
	preview_add(text, end - tail, tail);
}

/* Appends a stream so far. */
static void
preview_show(
    const struct preview *preview, struct output *stream, struct buffer *text)
{
	auto_buffer struct buffer shown = { 0 };
	uint64_t total = output_total(stream);

	output_copy(stream, 0, &shown);
	if (total != shown.len || total > PREVIEW_HEAD + PREVIEW_TAIL)
		preview_cut(
		    text, &shown, total, preview->relay->output_max / 2);
	else
		preview_add(text, shown.data,
		    shown.len - utf8_incomplete_tail(shown.data, shown.len));
}

static void
preview_on_timer(evutil_socket_t, short, void *arg)
{
	struct preview *preview = arg;
	auto_buffer struct buffer text = { 0 };
	struct output *out = preview->relay->out;
	struct output *errors = preview->relay->errors;
	uint64_t total = output_total(out) + output_total(errors);
	struct ipc_preview message;

	if (total == preview->told)
		return;
	preview->told = total;
	preview_show(preview, out, &text);
	if (output_total(errors) > 0) { /* as in the answer */
		buffer_add_text(&text, text.len == 0 ||
		    text.data[text.len - 1] == '\n' ? "stderr:\n" :
		    "\nstderr:\n");
		preview_show(preview, errors, &text);
	}
	if (text.len == 0)
		return;
	message.text = (struct ipc_bytes){
		(const uint8_t *)text.data, text.len
	};
	preview->send(preview->relay, &message);
}

void
preview_begin(struct preview *preview)
{
	loop_set_timer(preview->timer, PREVIEW_MS);
}

void
preview_end(struct preview *preview)
{
	event_del(preview->timer);
}

struct preview *
preview_new(struct relay *relay,
    void (*send)(struct relay *relay, struct ipc_preview *message))
{
	struct preview *preview = mem_alloc(sizeof(*preview));

	preview->relay = relay;
	preview->send = send;
	preview->timer = event_new(
	    relay->base, -1, EV_PERSIST, preview_on_timer, preview);
	return preview;
}

void
preview_free(struct preview **previewp)
{
	struct preview *preview = mem_take(previewp);

	if (preview == NULL)
		return;
	loop_event_free(&preview->timer);
	free(preview);
}
