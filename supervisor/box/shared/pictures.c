/*
 * The pictures that the code of one box displays. They are counted and checked
 * again here, because the relay parses bytes of the box, and are put into the
 * output.
 */
#include <stdlib.h>
#include <string.h>

#include "../../../common/base/mem.h"
#include "../../../common/base/utf8.h"
#include "runtime.h"

int
pictures_add(struct call_pictures *pictures,
    const struct ipc_picture *message, struct err *err)
{
	struct call_picture *picture = &pictures->one[pictures->count];
	auto_free char *data = NULL;

	if (pictures->count == PICTURES_MAX || pictures->placed > 0 ||
	    pictures->bytes + message->data.len > PICTURES_BYTES_MAX)
		return err_set(err, "more pictures than it may send");
	data = ipc_blob_copy(&message->data, err);
	if (data == NULL)
		return -1;
	if (!picture_is_base64(data, message->data.len))
		return err_set(err, "a picture that is not base64");
	pictures->count++;
	pictures->bytes += message->data.len;
	*picture = (struct call_picture){
		.kind = (enum picture_kind)message->kind,
		.width = message->width, .height = message->height,
		.title = mem_strdup(message->title), .data = data,
		.len = message->data.len
	};
	data = NULL;
	return 0;
}

int
pictures_place(struct call_pictures *pictures, uint64_t at, struct err *err)
{
	size_t n = pictures->placed;

	if (n == pictures->count)
		return err_set(err, "an unknown place of a picture");
	if (n > 0 && at < pictures->one[n - 1].at)
		return err_set(err, "pictures that are not in order");
	pictures->one[n].at = (size_t)at;
	pictures->placed++;
	return 0;
}

int
pictures_check(const struct call_pictures *pictures,
    const struct call_stream *out, struct err *err)
{
	size_t n, at;

	for (n = 0; n < pictures->placed; n++) {
		at = pictures->one[n].at;
		if (at > out->len ||
		    (at < out->len && (out->data[at] & 0xc0) == 0x80))
			return err_set(err, "a picture outside of the output");
	}
	return 0;
}

/* Adds a title on one line, with every character visible. */
static void
pictures_add_title(struct buffer *line, const char *title)
{
	char out[UTF8_ESCAPE_SIZE];
	size_t len, n;

	if (title[0] == '\0')
		return;
	buffer_add_text(line, ": ");
	for (len = strlen(title); len > 0; title += n, len -= n) {
		n = utf8_shown(title, len, out);
		buffer_add_text(line, *title == '\n' || *title == '\t' ? " " :
		    out);
	}
}

/* Adds the line about a picture, with its number, from 1. */
static void
pictures_add_line(
    struct buffer *line, const struct call_picture *picture, size_t number)
{
	size_t bytes = picture_bytes(picture->data, picture->len);

	buffer_printf(line, "[picture %zu", number);
	pictures_add_title(line, picture->title);
	buffer_printf(line, " (%s, %llu x %llu, ",
	    picture_word(picture->kind), (unsigned long long)picture->width,
	    (unsigned long long)picture->height);
	if (bytes < 1000)
		buffer_printf(line, "%zu bytes)]\n", bytes);
	else
		buffer_printf(line, "%zu kB)]\n", (bytes + 500) / 1000);
}

void
pictures_settle(struct call_pictures *pictures, struct call_stream *out)
{
	struct buffer text = { 0 };
	struct call_picture *picture;
	size_t n, at, from = 0, added = 0, head = out->head;

	if (pictures->count == 0)
		return;
	for (n = 0; n < pictures->count; n++) {
		picture = &pictures->one[n];
		at = n < pictures->placed && picture->at < out->len ?
		    picture->at : out->len;
		if (at > from)
			buffer_add(&text, out->data + from, at - from);
		from = at;
		if (text.len > 0 && text.data[text.len - 1] != '\n')
			buffer_add_text(&text, "\n");
		pictures_add_line(&text, picture, n + 1);
		added = text.len - from;
		picture->at = text.len;
		if (from <= out->head)
			head = out->head + added;
	}
	if (from < out->len)
		buffer_add(&text, out->data + from, out->len - from);
	free(out->data);
	out->data = buffer_take(&text, &out->len);
	out->head = out->dropped == 0 ? out->len : head;
}

void
pictures_reset(struct call_pictures *pictures)
{
	size_t n;

	for (n = 0; n < pictures->count; n++) {
		free(pictures->one[n].title);
		free(pictures->one[n].data);
	}
	memset(pictures, 0, sizeof(*pictures));
}
