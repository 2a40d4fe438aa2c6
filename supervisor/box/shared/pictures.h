/*
 * The pictures that the code of one box displays, from the relay to the answer.
 * Runs in the supervisor; it only checks that their bytes are base64.
 */
#ifndef SUPERVISOR_PICTURES_H
#define SUPERVISOR_PICTURES_H

#include "../../../common/ipc/ipc.h"

struct call_stream;

struct call_picture {
	enum picture_kind kind;
	uint64_t width, height; /* in pixels; 0: unknown */
	char *title;            /* empty: none */
	char *data;             /* base64, of len characters */
	size_t len;
	size_t at; /* position in the standard output */
};

struct call_pictures {
	struct call_picture one[PICTURES_MAX];
	size_t count;
	size_t placed; /* the first so many have at set */
	size_t bytes;  /* of base64 */
};

/*
 * Adds a picture, and copies its title and data. Returns 0, or -1 with err for
 * a protocol violation of the relay: not base64, or too much.
 */
int pictures_add(struct call_pictures *pictures,
    const struct ipc_picture *message, struct err *err);

/*
 * Sets the position of the next picture without one. Returns 0, or -1 with err
 * if there is none, or if at is before the position of another picture.
 */
int pictures_place(struct call_pictures *pictures, uint64_t at,
    struct err *err);

/*
 * Checks that all positions are within the stream, between characters. Returns
 * 0, or -1 with err.
 */
int pictures_check(const struct call_pictures *pictures,
    const struct call_stream *out, struct err *err);

/*
 * Inserts a line about each picture into the stream, and positions the picture
 * after it: "[picture 1: Sales (PNG, 640 x 480, 23 kB)]". A picture without a
 * position comes last; one in the dropped part of the output comes there.
 */
void pictures_settle(
    struct call_pictures *pictures, struct call_stream *out);

/* Frees their data; the set is empty afterwards. */
void pictures_reset(struct call_pictures *pictures);

#endif
