/*
 * Pictures shown by the code: checks the kind, the sides and the limits of
 * each.
 */
#include "output.h"

/* The fix for a picture above a limit. */
#define PICTURES_FEWER "show fewer, or several in one"

/* Whether there is room for one more picture. Returns 0, or -1 with err. */
static int
pictures_have_room(const struct relay *relay, size_t len, struct err *err)
{
	if (relay->pictures == PICTURES_MAX)
		return err_set(err, "an answer has at most %d pictures: "
		    PICTURES_FEWER, PICTURES_MAX);
	if (len > PICTURE_MAX)
		return err_set(err, "a picture has at most %lu KiB as base64, "
		    "and this one %zu bytes: make it smaller",
		    PICTURE_MAX / KIB, len);
	if (relay->pictures_bytes + len > PICTURES_BYTES_MAX)
		return err_set(err, "the pictures of an answer have at most "
		    "%lu KiB as base64: " PICTURES_FEWER,
		    PICTURES_BYTES_MAX / KIB);
	return 0;
}

/* The bytes that base64 encodes: the copy of a struct picture_source. */
static int
pictures_read(void *ctx, size_t at, uint8_t *bytes, size_t count)
{
	const struct json_span *data = ctx;

	return picture_read(data->p, data->len, at, bytes, count);
}

/* Fills in the sides of a picture. Returns 0, or -1 with err. */
static int
pictures_measure(const struct request_picture *picture,
    struct ipc_picture *message, struct err *err)
{
	struct json_span data = picture->data;
	const struct picture_source source = { pictures_read, &data };
	struct picture_sides sides;

	if (picture_sides_read(picture->kind, &source, &sides) == -1)
		return err_set(err, "the header of this %s picture is damaged "
		    "or incomplete: save the picture again",
		    picture_word(picture->kind));
	if (!picture_sides_fit(&sides))
		return err_set(err, "a picture has sides of 1 to %d pixels, "
		    "and this one is %llu x %llu: scale it", PICTURE_SIDE_MAX,
		    (unsigned long long)sides.width,
		    (unsigned long long)sides.height);
	message->width = sides.width;
	message->height = sides.height;
	return 0;
}

int
pictures_take(struct relay *relay, const struct request_picture *picture,
    struct ipc_picture *message, struct err *err)
{
	const char *data = picture->data.p;
	size_t len = picture->data.len;

	if (pictures_have_room(relay, len, err) == -1)
		return -1;
	if (!picture_is_base64(data, len))
		return err_set(err, "a picture that is not base64");
	if (!picture_begins(picture->kind, data, len))
		return err_set(err, "the data does not start like a %s picture",
		    picture_word(picture->kind));
	if (pictures_measure(picture, message, err) == -1)
		return -1;
	message->kind = (uint64_t)picture->kind;
	message->title = picture->title;
	message->data = (struct ipc_blob){ (const uint8_t *)data, len, -1 };
	relay->pictures++;
	relay->pictures_bytes += len;
	return 0;
}
