/*
 * Base64: see base64.h.
 */
#include <stdint.h>
#include <string.h>

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

/* Returns the six bits of a digit, or -1. */
static int
base64_value(char c)
{
	const char *at = c == '\0' ? NULL : strchr(base64_digits, c);

	return at == NULL ? -1 : (int)(at - base64_digits);
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
