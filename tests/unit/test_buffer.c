/*
 * Tests of common/buffer: bytes stay what they were while it grows, shrinks
 * at its front and is handed over.
 */
#include <stdint.h>
#include <string.h>

#include "common/buffer.h"
#include "common/limits.h"
#include "common/mem.h"
#include "unit.h"

START_TEST(begins_empty)
{
	auto_buffer struct buffer buffer = { 0 };

	ck_assert_ptr_null(buffer.data);
	buffer_add(&buffer, NULL, 0);
	ck_assert_uint_eq(buffer.len, 0);
	ck_assert_str_eq(buffer.data, "");
}
END_TEST

START_TEST(adds_text_bytes_and_formats)
{
	auto_buffer struct buffer buffer = { 0 };

	buffer_add_text(&buffer, "one ");
	buffer_add(&buffer, "two\0three", 9);
	buffer_printf(&buffer, " %d %s", 4, "five");
	buffer_printf(&buffer, "%s", "");
	ck_assert_uint_eq(buffer.len, 20);
	ck_assert_mem_eq(buffer.data, "one two\0three 4 five", 21);
}
END_TEST

/* Sizes around every doubling, with the NUL behind the end each time. */
START_TEST(adds_the_digits_of_numbers)
{
	static const uint64_t numbers[] = { 0, 9, 10, 4294967296, UINT64_MAX };
	auto_buffer struct buffer buffer = { 0 };
	size_t n;

	for (n = 0; n < sizeof(numbers) / sizeof(numbers[0]); n++) {
		buffer_add_number(&buffer, numbers[n]);
		buffer_add_text(&buffer, " ");
	}
	ck_assert_str_eq(
	    buffer.data, "0 9 10 4294967296 18446744073709551615 ");
}
END_TEST

START_TEST(grows_around_its_sizes)
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
END_TEST

START_TEST(keeps_bytes_while_growing)
{
	auto_buffer struct buffer buffer = { 0 };
	uint32_t n, value, count = 100000;

	for (n = 0; n < count; n++)
		buffer_add(&buffer, &n, sizeof(n));
	ck_assert_uint_eq(buffer.len, count * sizeof(n));
	for (n = 0; n < count; n++) {
		memcpy(&value, buffer.data + n * sizeof(n), sizeof(n));
		if (value != n)
			break;
	}
	ck_assert_uint_eq(n, count);
}
END_TEST

START_TEST(reserves_room)
{
	auto_buffer struct buffer buffer = { 0 };
	char *room;

	buffer_add_text(&buffer, "ab");
	room = buffer_reserve(&buffer, 100000);
	ck_assert_ptr_eq(room, buffer.data + 2);
	memset(room, 'c', 100000);
	ck_assert_uint_eq(buffer.len, 2);
	buffer.len += 3; /* as after a read of three bytes */
	buffer_add_text(&buffer, "d");
	ck_assert_str_eq(buffer.data, "abcccd");
	room = buffer_reserve(&buffer, 0);
	ck_assert_int_eq(*room, '\0');
}
END_TEST

START_TEST(drops_at_the_front)
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
END_TEST

START_TEST(dropping_too_much_is_fatal)
{
	struct buffer buffer = { 0 };

	buffer_add_text(&buffer, "abc");
	buffer_drop_front(&buffer, 4);
}
END_TEST

START_TEST(a_length_that_overflows_is_fatal)
{
	struct buffer buffer = { 0 };

	buffer_add_text(&buffer, "abc");
	buffer_reserve(&buffer, SIZE_MAX - 2);
}
END_TEST

START_TEST(hands_over)
{
	struct buffer buffer = { 0 };
	auto_free char *text = NULL, *empty = NULL, *reserved = NULL;
	size_t len = 99;

	empty = buffer_take(&buffer, &len);
	ck_assert_uint_eq(len, 0);
	ck_assert_str_eq(empty, "");

	buffer_add_text(&buffer, "text");
	text = buffer_take(&buffer, &len);
	ck_assert_uint_eq(len, 4);
	ck_assert_str_eq(text, "text");
	ck_assert_ptr_null(buffer.data);
	ck_assert_uint_eq(buffer.len, 0);
	ck_assert_uint_eq(buffer.size, 0);

	/* What was written into a room gets its NUL as well. */
	memset(buffer_reserve(&buffer, 1000), 'x', 1000);
	buffer.len += 3;
	reserved = buffer_take(&buffer, NULL);
	ck_assert_str_eq(reserved, "xxx");
}
END_TEST

START_TEST(is_used_again_after_reset)
{
	auto_buffer struct buffer buffer = { 0 };

	buffer_reset(&buffer);
	buffer_add_text(&buffer, "first");
	buffer_reset(&buffer);
	ck_assert_ptr_null(buffer.data);
	ck_assert_uint_eq(buffer.len, 0);
	buffer_add_text(&buffer, "second");
	ck_assert_str_eq(buffer.data, "second");
}
END_TEST

static void
add(TCase *tc)
{
	tcase_add_test(tc, begins_empty);
	tcase_add_test(tc, adds_text_bytes_and_formats);
	tcase_add_test(tc, adds_the_digits_of_numbers);
	tcase_add_test(tc, grows_around_its_sizes);
	tcase_add_test(tc, keeps_bytes_while_growing);
	tcase_add_test(tc, reserves_room);
	tcase_add_test(tc, drops_at_the_front);
	tcase_add_exit_test(tc, dropping_too_much_is_fatal, FATAL_EXIT_STATUS);
	tcase_add_exit_test(
	    tc, a_length_that_overflows_is_fatal, FATAL_EXIT_STATUS);
	tcase_add_test(tc, hands_over);
	tcase_add_test(tc, is_used_again_after_reset);
}

int
main(void)
{
	return unit_run("buffer", add);
}
