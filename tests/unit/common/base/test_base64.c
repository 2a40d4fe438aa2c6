/*
 * Tests of common/base/base64: the vectors of RFC 4648, every byte encoded and
 * decoded, and invalid input.
 */
#include <string.h>

#include "common/base/base64.h"
#include "tests/unit/unit.h"

/* RFC 4648, section 10, and two more. */
static const struct {
	const char *bytes, *base64;
} vectors[] = {
	{ "", "" },
	{ "f", "Zg==" },
	{ "fo", "Zm8=" },
	{ "foo", "Zm9v" },
	{ "foob", "Zm9vYg==" },
	{ "fooba", "Zm9vYmE=" },
	{ "foobar", "Zm9vYmFy" },
	/* Both digits that are no letters. */
	{ "\xff\xfe\xfd", "//79" },
	{ "\xfb\xf0", "+/A=" },
};

UNIT_TESTS(has_the_vectors, UNIT_COUNT(vectors))
{
	auto_buffer struct buffer text = { 0 };
	auto_buffer struct buffer bytes = { 0 };

	base64_add(&text, vectors[_i].bytes, strlen(vectors[_i].bytes));
	ck_assert_str_eq(text.data, vectors[_i].base64);
	ck_assert_int_eq(base64_read(&bytes, text.data, text.len), 0);
	ck_assert_str_eq(bytes.data, vectors[_i].bytes);
	ck_assert_uint_eq(bytes.len, strlen(vectors[_i].bytes));
}

/* Three bytes that are all different from those before, many times. */
UNIT_TEST(brings_every_byte_back)
{
	auto_buffer struct buffer text = { 0 };
	auto_buffer struct buffer bytes = { 0 };
	char data[3000];
	size_t i;

	for (i = 0; i < sizeof(data); i++)
		data[i] = (char)(i * 7 + i / 256);
	buffer_add_text(&text, "before ");
	base64_add(&text, data, sizeof(data));
	ck_assert_uint_eq(text.len, 7 + sizeof(data) / 3 * 4);
	buffer_add_text(&bytes, "before ");
	ck_assert_int_eq(base64_read(&bytes, text.data + 7, text.len - 7), 0);
	ck_assert_uint_eq(bytes.len, 7 + sizeof(data));
	ck_assert_mem_eq(bytes.data + 7, data, sizeof(data));
}

UNIT_TEST(skips_white_space)
{
	const char *text = " Zm9v\r\nYg =\t=\n";
	auto_buffer struct buffer bytes = { 0 };

	ck_assert_int_eq(base64_read(&bytes, text, strlen(text)), 0);
	ck_assert_str_eq(bytes.data, "foob");
}

static const char *const wrong[] = { "Z", "Zg", "Zg=", "Zg===", "=", "====",
	"Zg==Zg==", "Zm9v!", "Zm9-", "Zm9_", "Zm9vZ", "Zm9v=" };

UNIT_TESTS(refuses_what_is_none, UNIT_COUNT(wrong))
{
	auto_buffer struct buffer bytes = { 0 };

	ck_assert_int_eq(base64_read(&bytes, wrong[_i], strlen(wrong[_i])), -1);
	ck_assert_int_eq(base64_read(&bytes, "Zm\0v", 4), -1);
}

/* Each byte is a digit with its own value, white space, or an error. */
UNIT_EACH(accepts_all_digits, 256)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	    "abcdefghijklmnopqrstuvwxyz0123456789+/";
	const char text[] = { (char)_i, 'A', 'A', 'A' };
	const char *digit = _i == 0 ? NULL : strchr(digits, _i);
	struct buffer bytes = { 0 };

	if (digit == NULL) {
		ck_assert_int_eq(base64_read(&bytes, text, 4), -1);
	} else {
		ck_assert_int_eq(base64_read(&bytes, text, 4), 0);
		ck_assert_uint_eq(bytes.len, 3);
		ck_assert_int_eq(
		    (unsigned char)bytes.data[0], (int)(digit - digits) << 2);
	}
	buffer_reset(&bytes);
}
