/*
 * Tests of common/picture: base64 in its one form and nothing else, and the
 * first bytes of every kind of picture.
 */
#include <string.h>

#include "common/base/mem.h"
#include "common/picture.h"
#include "tests/unit/unit.h"

static const struct {
	const char *data;
	size_t bytes; /* 0: it is refused */
} texts[] = {
	{ "QUJD", 3 },
	{ "QUI=", 2 },
	{ "QQ==", 1 },
	{ "QUJDRA==", 4 },
	{ "+/+/", 3 },
	{ "zZ09", 3 },
	{ "", 0 },
	{ "Q", 0 },
	{ "QU", 0 },
	{ "QUI", 0 },
	{ "QUJDR", 0 },
	{ "====", 0 },
	{ "Q===", 0 },
	{ "=QUJ", 0 },
	{ "QU=J", 0 },
	{ "QUI=QUJD", 0 },
	{ "QQ==QQ==", 0 },
	/* Bits that stand for nothing. */
	{ "QUJ=", 0 },
	{ "QR==", 0 },
	{ "Q/==", 0 },
	/* Other alphabets, and what some decoders pass over. */
	{ "QU-_", 0 },
	{ "QU J", 0 },
	{ "QUJ\n", 0 },
	{ "QUJD\n", 0 },
	{ "QU\\/", 0 },
	{ "QU\"}", 0 },
	{ "QU\xc3\xa9", 0 },
	{ "QU@J", 0 },
	{ "QU[J", 0 },
	{ "QU`J", 0 },
	{ "QU{J", 0 },
	{ "QU:J", 0 },
	{ "QU.J", 0 },
};

UNIT_TESTS(recognises_base64, UNIT_COUNT(texts))
{
	const char *data = texts[_i].data;
	size_t len = strlen(data);

	ck_assert_msg(picture_is_base64(data, len) == (texts[_i].bytes > 0),
	    "'%s'", data);
	if (texts[_i].bytes > 0)
		ck_assert_uint_eq(picture_bytes(data, len), texts[_i].bytes);
}

/* A NUL is no character of it, wherever it stands. */
UNIT_EACH(finds_every_bad_byte, 256)
{
	static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	    "abcdefghijklmnopqrstuvwxyz0123456789+/";
	char data[] = "QUJDQUJDQUJD", was;
	size_t n;

	for (n = 0; n < sizeof(data) - 1; n++) {
		was = data[n];
		data[n] = (char)_i;
		ck_assert_int_eq(picture_is_base64(data, sizeof(data) - 1),
		    _i != 0 && strchr(alphabet, _i) != NULL);
		data[n] = was;
	}
}

static const struct {
	const char *data;
	int kind; /* -1: none */
} pictures[] = {
	{ "iVBORw0KGgoAAAAN", PICTURE_PNG },
	{ "R0lGODlhgALgAQAA", PICTURE_GIF },
	{ "R0lGODdhgALgAQAA", PICTURE_GIF },
	{ "/9j/4AAAAAAAAAAA", PICTURE_JPEG },
	{ "UklGRiAAAABXRUJQ", PICTURE_WEBP },
	{ "UklGRiAAAABXQVZFZm10IA==", -1 },
	{ "PHN2ZyB4bWxucz0naHR0cDovLz4=", -1 },
	{ "iVBORw0KGgo=", -1 },
	{ "/9j/", -1 },
	{ "", -1 },
	{ "AAAAAAAAAAAAAAAA", -1 },
};

/* Each is one picture at most, however it is named. */
UNIT_TESTS(recognises_how_pictures_begin, UNIT_COUNT(pictures))
{
	const char *data = pictures[_i].data;
	int kind;

	for (kind = 0; kind < PICTURE_KINDS; kind++)
		ck_assert_int_eq(picture_begins((enum picture_kind)kind, data,
		    strlen(data)), kind == pictures[_i].kind);
}
