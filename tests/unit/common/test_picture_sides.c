/*
 * Tests of common/picture_sides: the sides of every kind of picture, of frames
 * larger than their picture, and headers that are damaged or cut off.
 */
#include <string.h>

#include "common/picture.h"
#include "tests/unit/unit.h"

#define PNG "\x89PNG\r\n\x1a\n\0\0\0\rIHDR"
#define CRC "\1\2\3\4"
#define PIXEL PNG "\0\0\0\1\0\0\0\1\x8\2\0\0\0" CRC
#define IDAT "\0\0\0\1IDATx" CRC
#define FCTL(size) "\0\0\0\x1a" "fcTL\0\0\0\0" size \
	"\0\0\0\0\0\0\0\0\0\1\0\1\0\0" CRC
#define IEND "\0\0\0\0IEND" CRC
#define APP "\xff\xe0\0\5abc"
#define SOF(size) "\xff\xc2\0\x8\x8" size "\0"
#define SOS "\xff\xda"
#define SCAN SOS "\0\3x12\xff\0" "3\xff\xd0" "4"
#define GIF(size) "GIF89a" size "\0\0\0"
#define FRAME(place, size) "," place size "\0\2\1x\0"
#define WEBP "RIFF\0\0\0\0WEBP"
#define VP8(size) "VP8 \xa\0\0\0\0\0\0\x9d\1\x2a" size
#define VP8X(size) "VP8X\xa\0\0\0\0\0\0\0" size
#define ANMF_OF(len, place, size) \
	"ANMF" len "\0\0\0" place size "\0\0\0\0"
#define ANMF(place, size) ANMF_OF("\x10", place, size)
#define BYTES(text) text, sizeof(text) - 1

static const struct {
	enum picture_kind kind;
	const char *data;
	size_t len;
	int width, height; /* -1: they cannot be read */
} cases[] = {
	{ PICTURE_PNG, BYTES(PNG "\0\0\0\3\0\0\0\2"), 3, 2 },
	{ PICTURE_PNG, BYTES(PNG "\0\0\xea\x60\0\0\0\2"), 60000, 2 },
	{ PICTURE_PNG, BYTES(PNG "\0\0\0\3\x7f\xff\xff\xff"), 3, 0x7fffffff },
	{ PICTURE_PNG, BYTES(PNG "\0\0\0\0\0\0\0\2"), 0, 2 },
	{ PICTURE_PNG, BYTES(PNG "\0\0\0\3\0\0\0"), -1, -1 },
	{ PICTURE_PNG, BYTES("\x89PNG\r\n\x1a\n\0\0\0\4CgBI\0\0\0\3\0\0\0\2"),
	    -1, -1 },
	{ PICTURE_PNG, BYTES(PIXEL IDAT IEND "\0\0\0\rIHDR"), 1, 1 },
	{ PICTURE_PNG, BYTES(PIXEL IDAT
	    "\0\0\0\rIHDR\0\0\xea\x60\0\0\xea\x60"), -1, -1 },
	{ PICTURE_PNG, BYTES(PIXEL "\0\0\0\x8tEXtxxxxIHDR" CRC IEND), 1, 1 },
	{ PICTURE_PNG, BYTES(PIXEL FCTL("\0\0\0\1\0\0\7\xd1") IDAT IEND),
	    1, 2001 },
	{ PICTURE_PNG, BYTES(PIXEL "\0\0\0\x1a" "fcTL\0\0\0"), -1, -1 },

	{ PICTURE_JPEG, BYTES("\xff\xd8" APP SOF("\0\2\0\3") SOS), 3, 2 },
	{ PICTURE_JPEG, BYTES("\xff\xd8\xff\1\xff\xff\xc4\0\2"
	    SOF("\7\xd1\0\3") SOS), 3, 2001 },
	{ PICTURE_JPEG, BYTES("\xff\xd8" SOF("\0\2\0\3")
	    SOF("\xea\x60\0\1") SOS), 1, 60000 },
	{ PICTURE_JPEG, BYTES("\xff\xd8" SOF("\0\0\0\3") SOS), 3, 0 },
	{ PICTURE_JPEG, BYTES("\xff\xd8" SOF("\0\5\0\5") SCAN
	    "\xff\xc4\0\4\xff\xc0" SCAN "\xff\xd9" SOF("\xea\x60\0\1")),
	    5, 5 },
	{ PICTURE_JPEG, BYTES("\xff\xd8" SOF("\0\5\0\5") SCAN APP SCAN
	    "\xff" SOF("\xea\x60\0\1")), -1, -1 },
	{ PICTURE_JPEG, BYTES("\xff\xd8" SOF("\0\5\0\5") SCAN
	    "\xff\xdc\0\4\xea\x60"), -1, -1 },
	{ PICTURE_JPEG, BYTES("\xff\xd8" SOF("\0\5\0\5") SCAN APP
	    "\xff\xc4\0\1"), -1, -1 },
	{ PICTURE_JPEG, BYTES("\xff\xd8" SOF("\0\2\0\3") "\xff\xd9"), -1, -1 },
	{ PICTURE_JPEG, BYTES("\xff\xd8" APP SOS), -1, -1 },
	{ PICTURE_JPEG, BYTES("\xff\xd8" APP), -1, -1 },
	{ PICTURE_JPEG, BYTES("\xff\xd8\xff\xe0\0\1\xff\xff\xda"), -1, -1 },
	{ PICTURE_JPEG, BYTES("\xff\xd8\xff\xe0\0\x9\xff"), -1, -1 },
	{ PICTURE_JPEG, BYTES("\xff\xd8\xff\xc0\0\x8\x8\0\2\0"), -1, -1 },
	{ PICTURE_JPEG, BYTES("\xff\xd8\xff\xff\xff"), -1, -1 },

	{ PICTURE_GIF, BYTES(GIF("\3\0\2\0") FRAME("\0\0\0\0", "\3\0\2\0")
	    ";"), 3, 2 },
	{ PICTURE_GIF, BYTES("GIF87a\3\0\2\0\x80\0\0abcdef!\1\1x\0"
	    ",\0\0\0\0\3\0\2\0\x81" "abcdefghijkl\2\0;more"), 3, 2 },
	{ PICTURE_GIF, BYTES(GIF("\3\0\2\0") FRAME("\0\0\0\0", "\3\0\2\0")
	    FRAME("\1\0\1\0", "\xd0\7\2\0")), 2001, 3 },
	{ PICTURE_GIF, BYTES(GIF("\3\0\2\0") FRAME("\0\0\0\0", "\3\0\0\0")
	    FRAME("\0\0\0\0", "\3\0\2\0") ";"), 0, 0 },
	{ PICTURE_GIF, BYTES(GIF("\3\0\2\0") ",\0\0\0\0\3\0\2\0\0\2\5x"),
	    3, 2 },
	{ PICTURE_GIF, BYTES(GIF("\0\0\2\0") FRAME("\0\0\0\0", "\3\0\2\0")
	    ";"), 0, 2 },
	{ PICTURE_GIF, BYTES(GIF("\3\0\2\0") ";"), -1, -1 },
	{ PICTURE_GIF, BYTES(GIF("\3\0\2\0") ",\0\0\0\0\3\0\2\0"), -1, -1 },
	{ PICTURE_GIF, BYTES(GIF("\3\0\2\0") FRAME("\0\0\0\0", "\3\0\2\0")
	    "x"), -1, -1 },
	{ PICTURE_GIF, BYTES("GIF89a\3\0\2\0\0"), -1, -1 },

	{ PICTURE_WEBP, BYTES(WEBP VP8("\3\0\2\0")), 3, 2 },
	{ PICTURE_WEBP, BYTES(WEBP VP8("\xd1\x47\2\x80")), 2001, 2 },
	{ PICTURE_WEBP, BYTES(WEBP VP8("\0\0\2\0")), 0, 2 },
	{ PICTURE_WEBP, BYTES(WEBP "VP8L\5\0\0\0\x2f\2\x40\0\0"), 3, 2 },
	{ PICTURE_WEBP, BYTES(WEBP "VP8L\5\0\0\0\x2f\xd0\x47\0\x10"), 2001, 2 },
	{ PICTURE_WEBP, BYTES(WEBP VP8X("\2\0\0\1\0\0") "ALPH\1\0\0\0xx"
	    VP8("\3\0\2\0")), 3, 2 },
	{ PICTURE_WEBP, BYTES(WEBP VP8X("\2\0\0\1\0\0") VP8("\xd1\7\2\0")),
	    2001, 2 },
	{ PICTURE_WEBP, BYTES(WEBP VP8X("\xff\xff\xff\1\0\0")), 0x1000000, 2 },
	{ PICTURE_WEBP, BYTES(WEBP VP8X("\2\0\0\1\0\0")
	    ANMF("\1\0\0\0\0\0", "\xcf\7\0\1\0\0")), 2002, 2 },
	{ PICTURE_WEBP, BYTES(WEBP VP8X("\0\0\0\0\0\0")
	    ANMF_OF("\x2c", "\0\0\0\0\0\0", "\0\0\0\0\0\0")
	    "ALPH\1\0\0\0xx" VP8("\x80\x3e\x80\x3e")), 16000, 16000 },
	{ PICTURE_WEBP, BYTES(WEBP VP8X("\0\0\0\0\0\0")
	    ANMF_OF("\x18", "\0\0\0\0\0\0", "\0\0\0\0\0\0")
	    "ALPH\xff\0\0\0" VP8("\x80\x3e\1\0")), 16000, 1 },
	{ PICTURE_WEBP, BYTES(WEBP "ALPH\1\0\0\0xx" VP8("\3\0\2\0")), -1, -1 },
	{ PICTURE_WEBP, BYTES(WEBP "VP8 \xa\0\0\0\0\0\0\x9d\1\x2b\3\0\2\0"),
	    -1, -1 },
	{ PICTURE_WEBP, BYTES(WEBP "VP8L\5\0\0\0\x2e\2\x40\0\0"), -1, -1 },
	{ PICTURE_WEBP, BYTES(WEBP "VP8 \xa\0\0\0\0\0\0\x9d\1\x2a\3\0\2"),
	    -1, -1 },
	{ PICTURE_WEBP, BYTES(WEBP VP8X("\2\0\0\1\0\0") "ANMF\x10\0\0\0\1"),
	    -1, -1 },
	{ PICTURE_WEBP, BYTES(WEBP "VP8"), -1, -1 },
};

static int
read_case(void *ctx, size_t at, uint8_t *bytes, size_t count)
{
	const int *i = ctx;

	if (count > cases[*i].len || at > cases[*i].len - count)
		return -1;
	memcpy(bytes, cases[*i].data + at, count);
	return 0;
}

UNIT_TESTS(are_read_from_the_bytes, UNIT_COUNT(cases))
{
	const struct picture_source source = { read_case, &_i };
	struct picture_sides sides;
	int read = picture_sides_read(cases[_i].kind, &source, &sides);

	ck_assert_int_eq(read, cases[_i].width == -1 ? -1 : 0);
	if (read == -1)
		return;
	ck_assert_uint_eq(sides.width, cases[_i].width);
	ck_assert_uint_eq(sides.height, cases[_i].height);
}

UNIT_TESTS(fit_from_one_to_the_limit, 5)
{
	static const uint64_t lengths[] = { 0, 1, PICTURE_SIDE_MAX,
		PICTURE_SIDE_MAX + 1, UINT64_MAX };
	const struct picture_sides wide = { lengths[_i], 1 };
	const struct picture_sides high = { 1, lengths[_i] };

	ck_assert_int_eq(picture_sides_fit(&wide), _i == 1 || _i == 2);
	ck_assert_int_eq(picture_sides_fit(&high), _i == 1 || _i == 2);
}
