/*
 * The pictures that the code of one box shows, from the relay to the answer.
 * Runs in the supervisor; looks at no byte of them but to see that they are
 * base64.
 */
#ifndef SUPERVISOR_PICTURES_H
#define SUPERVISOR_PICTURES_H

#include "../../common/ipc.h"

struct call_stream;

struct call_picture {
	enum picture_kind kind;
	uint64_t width, height; /* in pixels; 0: unknown */
	char *title;            /* empty: none */
	char *data;             /* base64, of len characters */
	size_t len;
	size_t at; /* where it stands in the standard output */
};

struct call_pictures {
	struct call_picture one[PICTURES_MAX];
	size_t count;
	size_t placed; /* the first of them, of which at is known */
	size_t bytes;  /* of base64 */
};

/*
 * Adds a picture, whose title and data are copied. Returns 0, or -1 with err
 * when a relay must not send it: it is not base64, or too much.
 */
int pictures_add(struct call_pictures *pictures,
    const struct ipc_picture *message, struct err *err);

/*
 * The next picture without a place stands there. Returns 0, or -1 with err when
 * there is none, or its place is before that of another.
 */
int pictures_place(struct call_pictures *pictures, uint64_t at,
    struct err *err);

/*
 * Whether all places lie within the stream, between characters. Returns 0, or
 * -1 with err.
 */
int pictures_check(const struct call_pictures *pictures,
    const struct call_stream *out, struct err *err);

/*
 * Puts a line about each picture into the stream, and the picture behind it:
 * "[picture 1: Sales (PNG, 640 x 480, 23 kB)]". One without a place comes last;
 * one whose place was cut out stands where the cut is.
 */
void pictures_settle(
    struct call_pictures *pictures, struct call_stream *out);

/* Frees what they hold; there are none afterwards. */
void pictures_reset(struct call_pictures *pictures);

#endif
