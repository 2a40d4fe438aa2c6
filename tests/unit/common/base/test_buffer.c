/*
 * Tests of common/base/buffer: bytes stay what they were while it grows,
 * shrinks at its front and is handed over.
 */
#include <stdint.h>
#include <string.h>

#include "common/base/buffer.h"
#include "common/limits.h"
#include "common/base/mem.h"
#include "tests/unit/unit.h"

UNIT_TEST(grows_around_its_sizes)
{
	size_t len, end = 5 * BUFFER_SIZE_FIRST;

	for (len = 0; len < end; len++) {
		auto_buffer struct buffer buffer = { 0 };
		auto_free char *text = mem_alloc(len + 1);

		memset(text, 'x', len);
		buffer_add(&buffer, text, len);
		ck_assert_uint_eq(strlen(buffer.data), len);
		buffer_add(&buffer, text, len);
		ck_assert_uint_eq(strlen(buffer.data), 2 * len);
		buffer_printf(&buffer, "%s", text);
		ck_assert_uint_eq(strlen(buffer.data), 3 * len);
		ck_assert_uint_eq(buffer.len, 3 * len);
	}
}

UNIT_TEST(drops_at_the_front)
{
	auto_buffer struct buffer buffer = { 0 };

	buffer_drop_front(&buffer, 0);
	buffer_add_text(&buffer, "abcdef");
	buffer_drop_front(&buffer, 0);
	ck_assert_str_eq(buffer.data, "abcdef");
	buffer_drop_front(&buffer, 2);
	ck_assert_str_eq(buffer.data, "cdef");
	buffer_drop_front(&buffer, 4);
	ck_assert_uint_eq(buffer.len, 0);
	ck_assert_str_eq(buffer.data, "");
	buffer_add_text(&buffer, "g");
	ck_assert_str_eq(buffer.data, "g");
}

UNIT_EXITS(dropping_too_much_is_fatal, FATAL_EXIT_STATUS, 1)
{
	struct buffer buffer = { 0 };

	buffer_add_text(&buffer, "abc");
	buffer_drop_front(&buffer, 4);
}

UNIT_EXITS(a_length_that_overflows_is_fatal, FATAL_EXIT_STATUS, 1)
{
	struct buffer buffer = { 0 };

	buffer_add_text(&buffer, "abc");
	buffer_reserve(&buffer, SIZE_MAX - 2);
}
