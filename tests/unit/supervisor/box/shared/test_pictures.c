/*
 * Tests of supervisor/box/shared/pictures: what a relay may send, and where
 * pictures and the lines about them stand in the output. Linked with that file
 * alone.
 */
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "supervisor/box/box.h"
#include "tests/unit/unit.h"

static struct call_pictures pictures;
static struct err err;

static int
add(const char *title, const char *data)
{
	struct ipc_picture message = { .kind = PICTURE_GIF, .width = 640,
		.height = 480, .title = title,
		.data = { (const uint8_t *)data, strlen(data), -1 } };

	return pictures_add(&pictures, &message, &err);
}

/* The output, with pictures at places; * is a place, | where it was cut. */
static const struct {
	const char *before, *after;
	uint64_t dropped;
} streams[] = {
	{ "*", "[picture 1: A (GIF, 640 x 480, 3 bytes)]\n*|", 0 },
	{ "a*b", "a\n[picture 1: A (GIF, 640 x 480, 3 bytes)]\n*b|", 0 },
	{ "a\n*b", "a\n[picture 1: A (GIF, 640 x 480, 3 bytes)]\n*b|", 0 },
	{ "**x*", "[picture 1: A (GIF, 640 x 480, 3 bytes)]\n*"
	    "[picture 2 (GIF, 640 x 480, 3 bytes)]\n*x\n"
	    "[picture 3: A (GIF, 640 x 480, 3 bytes)]\n*|", 0 },
	/* Cut: what was there stands in front of the cut. */
	{ "h*|t", "h\n[picture 1: A (GIF, 640 x 480, 3 bytes)]\n*|t", 5 },
	{ "*h|t", "[picture 1: A (GIF, 640 x 480, 3 bytes)]\n*h|t", 5 },
	{ "h|t*u", "h|t\n[picture 1: A (GIF, 640 x 480, 3 bytes)]\n*u", 5 },
	{ "*h|t*", "[picture 1: A (GIF, 640 x 480, 3 bytes)]\n*h|t\n"
	    "[picture 2 (GIF, 640 x 480, 3 bytes)]\n*", 5 },
};

UNIT_EACH(stand_in_the_output, UNIT_COUNT(streams))
{
	auto_buffer struct buffer text = { 0 }, marked = { 0 };
	struct call_stream out = { .dropped = streams[_i].dropped };
	const char *p;
	size_t n, at[PICTURES_MAX], count = 0, head = SIZE_MAX;

	for (p = streams[_i].before; *p != '\0'; p++)
		if (*p == '*')
			at[count++] = text.len;
		else if (*p == '|')
			head = text.len;
		else
			buffer_add(&text, p, 1);
	out.data = buffer_take(&text, &out.len);
	out.head = head == SIZE_MAX ? out.len : head;
	for (n = 0; n < count; n++)
		ck_assert_int_eq(add(n == 1 ? "" : "A", "QUJD"), 0);
	for (n = 0; n < count; n++)
		ck_assert_int_eq(pictures_place(&pictures, at[n], &err), 0);
	ck_assert_int_eq(pictures_check(&pictures, &out, &err), 0);
	pictures_settle(&pictures, &out);
	for (n = 0, count = 0; n <= out.len; n++) {
		if (count < pictures.count && pictures.one[count].at == n) {
			buffer_add_text(&marked, "*");
			count++;
		}
		if (n == out.head)
			buffer_add_text(&marked, "|");
		if (n < out.len)
			buffer_add(&marked, out.data + n, 1);
	}
	ck_assert_str_eq(marked.data, streams[_i].after);
	free(out.data);
	pictures_reset(&pictures);
}

/* The relay has ended before it could say where they stand. */
UNIT_TEST(stand_at_the_end_without_a_place)
{
	struct call_stream out = { 0 };

	ck_assert_int_eq(add("a\nb\x7f", "QUI="), 0);
	pictures_settle(&pictures, &out);
	ck_assert_str_eq(
	    out.data, "[picture 1: a b\\x7f (GIF, 640 x 480, 2 bytes)]\n");
	ck_assert_uint_eq(out.head, out.len);
	ck_assert_uint_eq(pictures.one[0].at, out.len);
	free(out.data);
	pictures_reset(&pictures);
}

/* Without pictures nothing is touched. */
UNIT_TEST(leave_other_output_alone)
{
	char text[] = "a";
	struct call_stream out = { text, 1, 1, 0 };

	pictures_settle(&pictures, &out);
	ck_assert_ptr_eq(out.data, text);
	ck_assert_uint_eq(out.len, 1);
}

UNIT_TEST(are_few)
{
	int n;

	for (n = 0; n < PICTURES_MAX; n++)
		ck_assert_int_eq(add("A", "QUJD"), 0);
	ck_assert_int_eq(add("A", "QUJD"), -1);
	ck_assert_str_eq(err.text, "more pictures than it may send");
	pictures_reset(&pictures);
	ck_assert_uint_eq(pictures.count, 0);
}

UNIT_TEST(are_small_together)
{
	auto_free char *data = mem_alloc(PICTURE_MAX + 1);
	struct ipc_picture message = { .title = "",
		.data = { NULL, PICTURE_MAX, -1 } };
	size_t n;

	memset(data, 'A', PICTURE_MAX);
	message.data.data = (const uint8_t *)data;
	for (n = 0; n < PICTURES_BYTES_MAX / PICTURE_MAX; n++)
		ck_assert_int_eq(pictures_add(&pictures, &message, &err), 0);
	ck_assert_int_eq(add("A", "QUJD"), -1);
	ck_assert_str_eq(err.text, "more pictures than it may send");
	pictures_reset(&pictures);
}

UNIT_TEST(are_base64)
{
	ck_assert_int_eq(add("A", "QUJ\""), -1);
	ck_assert_str_eq(err.text, "a picture that is not base64");
	ck_assert_int_eq(add("A", ""), -1);
	ck_assert_uint_eq(pictures.count, 0);
}

UNIT_EACH(have_places_in_order, 5)
{
	struct call_stream out = { (char *)"a\xc3\xa9", 3, 3, 0 };

	ck_assert_int_eq(pictures_place(&pictures, 0, &err), -1);
	ck_assert_str_eq(err.text, "an unknown place of a picture");
	ck_assert_int_eq(add("A", "QUJD"), 0);
	ck_assert_int_eq(add("A", "QUJD"), 0);
	ck_assert_int_eq(pictures_place(&pictures, (uint64_t)_i, &err), 0);
	ck_assert_int_eq(add("A", "QUJD"), -1);
	ck_assert_int_eq(pictures_check(&pictures, &out, &err),
	    _i == 2 || _i > 3 ? -1 : 0);
	if (_i > 0) {
		ck_assert_int_eq(
		    pictures_place(&pictures, (uint64_t)_i - 1, &err), -1);
		ck_assert_str_eq(err.text, "pictures that are not in order");
	}
	pictures_reset(&pictures);
}
