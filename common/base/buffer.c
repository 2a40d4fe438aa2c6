/*
 * A growing array of bytes: see buffer.h. Linked into every process; only
 * stores bytes.
 */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buffer.h"
#include "../limits.h"
#include "log.h"
#include "mem.h"

/* The digits of the largest number of 64 bits. */
#define BUFFER_DIGITS_MAX 20

char *
buffer_reserve(struct buffer *buffer, size_t len)
{
	size_t size = buffer->size > 0 ? buffer->size : BUFFER_SIZE_FIRST;

	/* Half of the address space, so that doubling cannot overflow. */
	if (len >= SIZE_MAX / 2 - buffer->len)
		fatal("no memory for %zu bytes", len);
	while (size < buffer->len + len + 1)
		size *= 2;
	if (size != buffer->size) {
		buffer->data = mem_resize(buffer->data, size);
		buffer->size = size;
	}
	buffer->data[buffer->len] = '\0';
	return buffer->data + buffer->len;
}

void
buffer_add(struct buffer *buffer, const void *data, size_t len)
{
	char *room = buffer_reserve(buffer, len);

	if (len > 0)
		memcpy(room, data, len);
	room[len] = '\0';
	buffer->len += len;
}

void
buffer_add_text(struct buffer *buffer, const char *text)
{
	buffer_add(buffer, text, strlen(text));
}

void
buffer_add_number(struct buffer *buffer, uint64_t number)
{
	char digits[BUFFER_DIGITS_MAX];
	size_t first = sizeof(digits);

	do {
		digits[--first] = (char)('0' + number % 10);
		number /= 10;
	} while (number > 0);
	buffer_add(buffer, digits + first, sizeof(digits) - first);
}

/* Like vsnprintf into the free room; returns the length of the whole text. */
static size_t __attribute__((format(printf, 2, 0)))
buffer_format(struct buffer *buffer, const char *fmt, va_list ap)
{
	size_t room = buffer->size - buffer->len;
	int len = vsnprintf(buffer->data + buffer->len, room, fmt, ap);

	if (len < 0)
		fatal("a text cannot be formatted");
	return (size_t)len;
}

void
buffer_printf(struct buffer *buffer, const char *fmt, ...)
{
	va_list ap;
	size_t len;

	/*
	 * Most texts fit at once; otherwise this returns the room that they
	 * need.
	 */
	buffer_reserve(buffer, 0);
	va_start(ap, fmt);
	len = buffer_format(buffer, fmt, ap);
	va_end(ap);
	if (len >= buffer->size - buffer->len) {
		buffer_reserve(buffer, len);
		va_start(ap, fmt);
		buffer_format(buffer, fmt, ap);
		va_end(ap);
	}
	buffer->len += len;
}

void
buffer_drop_front(struct buffer *buffer, size_t len)
{
	if (len > buffer->len)
		fatal(
		    "%zu bytes dropped from a buffer of %zu", len, buffer->len);
	if (len == 0)
		return;
	buffer->len -= len;
	memmove(buffer->data, buffer->data + len, buffer->len);
	buffer->data[buffer->len] = '\0';
}

void
buffer_reset(struct buffer *buffer)
{
	free(buffer->data);
	*buffer = (struct buffer){ 0 };
}

char *
buffer_take(struct buffer *buffer, size_t *len)
{
	char *data;

	buffer_reserve(buffer, 0);
	data = buffer->data;
	if (len != NULL)
		*len = buffer->len;
	*buffer = (struct buffer){ 0 };
	return data;
}
