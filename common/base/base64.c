/* Base64: see base64.h. */
#include <stdint.h>

#include "base64.h"

static const char base64_digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    "abcdefghijklmnopqrstuvwxyz0123456789+/";

void
base64_add(struct buffer *buffer, const void *data, size_t len)
{
	const uint8_t *in = data;
	char *out = buffer_reserve(buffer, (len + 2) / 3 * 4);
	char *at = out;
	uint32_t three;
	size_t i, n;

	for (i = 0; i < len; i += n) {
		n = len - i < 3 ? len - i : 3;
		three = (uint32_t)in[i] << 16;
		if (n > 1)
			three |= (uint32_t)in[i + 1] << 8;
		if (n > 2)
			three |= in[i + 2];
		*at++ = base64_digits[three >> 18 & 63];
		*at++ = base64_digits[three >> 12 & 63];
		*at++ = n > 1 ? base64_digits[three >> 6 & 63] : '=';
		*at++ = n > 2 ? base64_digits[three & 63] : '=';
	}
	buffer->len += (size_t)(at - out);
	/* Terminates the text with a NUL. */
	buffer_add(buffer, "", 0);
}

/* The values of the characters from '+' to 'z'; -1: not a digit. */
static const signed char base64_values[] = {
	62, -1, -1, -1, 63, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, -1, -1, -1,
	-1, -1, -1, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15,
	16, 17, 18, 19, 20, 21, 22, 23, 24, 25, -1, -1, -1, -1, -1, -1, 26, 27,
	28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43, 44, 45,
	46, 47, 48, 49, 50, 51,
};

/* Returns the six bits of a digit, or -1. */
static int
base64_value(char c)
{
	return c < '+' || c > 'z' ? -1 : base64_values[c - '+'];
}

static int
base64_is_space(char c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

int
base64_read(struct buffer *buffer, const char *text, size_t len)
{
	char *out = buffer_reserve(buffer, len / 4 * 3 + 3);
	char *at = out;
	uint32_t bits = 0;
	int digits = 0, padding = 0, value;
	size_t i;

	for (i = 0; i < len; i++) {
		if (base64_is_space(text[i]))
			continue;
		if (text[i] == '=') {
			padding++;
			continue;
		}
		value = base64_value(text[i]);
		if (value == -1 || padding > 0)
			return -1;
		bits = bits << 6 | (uint32_t)value;
		if (++digits % 4 == 0) {
			*at++ = (char)(bits >> 16);
			*at++ = (char)(bits >> 8);
			*at++ = (char)bits;
			bits = 0;
		}
	}
	/* A last group of one digit is invalid; others are padded to four. */
	if (digits % 4 == 1 || (digits + padding) % 4 != 0 || padding > 2)
		return -1;
	if (digits % 4 == 2)
		*at++ = (char)(bits >> 4);
	if (digits % 4 == 3) {
		*at++ = (char)(bits >> 10);
		*at++ = (char)(bits >> 2);
	}
	buffer->len += (size_t)(at - out);
	buffer_add(buffer, "", 0);
	return 0;
}
