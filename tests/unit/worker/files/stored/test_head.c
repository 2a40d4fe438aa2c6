/*
 * Tests of worker/files/stored/head: what is written is read, and nothing that
 * differs from it by a byte.
 */
#include <string.h>

#include "common/base/mem.h"
#include "tests/unit/unit.h"
#include "worker/files/stored/head.h"

#define LETTERS_85                                                             \
	"abcdefghijklmnopqrstuvwxyz1abcdefghijklmnopqrstuvwxyz2"               \
	"abcdefghijklmnopqrstuvwxyz1abcd"

static const struct head heads[] = {
	{ 1, 0, 0, "", "a", "x" },
	{ 7, 1700000000, 12345678, "owner", "a name.txt", "text/plain" },
	{ UINT64_MAX / 2, INT64_MAX, INT64_MAX - FILE_HEAD_SIZE, "o",
	    LETTERS_85 LETTERS_85 LETTERS_85, LETTERS_85 },
};

static int
is_equal(const struct head *a, const struct head *b)
{
	return a->version == b->version && a->since == b->since &&
	    a->size == b->size && strcmp(a->owner, b->owner) == 0 &&
	    strcmp(a->name, b->name) == 0 && strcmp(a->type, b->type) == 0;
}

UNIT_TESTS(what_is_written_is_read, UNIT_COUNT(heads))
{
	uint8_t bytes[FILE_HEAD_SIZE];
	struct head head;

	head_encode(&heads[_i], bytes);
	ck_assert_int_eq(head_decode(bytes, &head), 0);
	ck_assert(is_equal(&head, &heads[_i]));
}

/* Any other byte: another head, or none; never the same. */
UNIT_TESTS(every_byte_counts, UNIT_COUNT(heads))
{
	uint8_t bytes[FILE_HEAD_SIZE], again[FILE_HEAD_SIZE];
	unsigned int at, bit;
	struct head head;

	head_encode(&heads[_i], bytes);
	for (at = 0; at < sizeof(bytes); at++)
		for (bit = 0; bit < 8; bit++) {
			bytes[at] ^= (uint8_t)(1 << bit);
			if (head_decode(bytes, &head) == 0) {
				ck_assert(!is_equal(&head, &heads[_i]));
				head_encode(&head, again);
				ck_assert_mem_eq(again, bytes, sizeof(bytes));
			}
			bytes[at] ^= (uint8_t)(1 << bit);
		}
}

/* The form on the disk does not change by itself. */
UNIT_TEST(has_this_form)
{
	static const char wanted[] = "caisson file\1\0\0\0"
	                             "\2\0\0\0\0\0\0\0"
	                             "\0\x2f\x68\x59\0\0\0\0"
	                             "\3\1\0\0\0\0\0\0"
	                             "\2\0\3\0\4\0"
	                             "mea.btype";
	struct head head = { 2, 0x59682f00, 259, "me", "a.b", "type" };
	uint8_t bytes[FILE_HEAD_SIZE];
	size_t i;

	head_encode(&head, bytes);
	ck_assert_mem_eq(bytes, wanted, sizeof(wanted) - 1);
	for (i = sizeof(wanted) - 1; i < sizeof(bytes); i++)
		ck_assert_uint_eq(bytes[i], 0);
}

/* What a head must not say: where a byte is changed, and to what. */
static const struct {
	size_t at;
	const char *bytes;
	size_t len;
} wrong[] = {
	{ 0, "C", 1 },                                 /* not ours */
	{ 12, "\2", 1 },                               /* a later form */
	{ 16, "\0\0\0\0\0\0\0\0", 8 },                 /* no version */
	{ 16, "\xff\xff\xff\xff\xff\xff\xff\xff", 8 }, /* too large a one */
	{ 24, "\0\0\0\0\0\0\0\x80", 8 },               /* since */
	{ 32, "\0\xfc\xff\xff\xff\xff\xff\x7f", 8 },   /* size */
	{ 40, "\x81\0", 2 },                           /* of the owner */
	{ 42, "\0\0", 2 },                             /* of the name */
	{ 42, "\0\1", 2 }, { 44, "\0\0", 2 },          /* of the type */
	{ 44, "\x80\0", 2 }, { 46, "\0", 1 },          /* a NUL in the owner */
	{ 48, "/", 1 }, { 48, "\n", 1 }, { 48, "\xff", 1 },
	{ 51, "\0", 1 },                               /* in the type */
	{ 55, "x", 1 }, { FILE_HEAD_SIZE - 1, "x", 1 },
};

UNIT_TESTS(what_is_wrong_is_none, UNIT_COUNT(wrong))
{
	struct head head = { 2, 3, 4, "me", "a.b", "type" };
	uint8_t bytes[FILE_HEAD_SIZE];

	head_encode(&head, bytes);
	memcpy(bytes + wrong[_i].at, wrong[_i].bytes, wrong[_i].len);
	ck_assert_int_eq(head_decode(bytes, &head), -1);
}
