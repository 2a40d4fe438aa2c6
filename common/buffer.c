/*
 * A growing run of bytes: see buffer.h. Linked into every process; does
 * nothing but keep bytes.
 */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "buffer.h"
#include "limits.h"
#include "log.h"
#include "mem.h"

char *
buffer_reserve(struct buffer *buffer, size_t len)
{
	size_t size = buffer->size > 0 ? buffer->size : BUFFER_SIZE_FIRST;

	/* Half of what can be addressed: so that doubling cannot overflow. */
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
buffer_printf(struct buffer *buffer, const char *fmt, ...)
{
	va_list ap;
	int len;

	va_start(ap, fmt);
	len = vsnprintf(NULL, 0, fmt, ap);
	va_end(ap);
	if (len < 0)
		fatal("a text cannot be formatted");
	buffer_reserve(buffer, (size_t)len);
	va_start(ap, fmt);
	vsnprintf(buffer->data + buffer->len, (size_t)len + 1, fmt, ap);
	va_end(ap);
	buffer->len += (size_t)len;
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
