/*
 * A growing run of bytes. Has a NUL behind its end after every call below, so
 * that data (once not NULL) can be read as a string when no NUL was put in.
 * Used by every process.
 */
#ifndef COMMON_BUFFER_H
#define COMMON_BUFFER_H

#include <stddef.h>

/* All zeroes is an empty buffer. */
struct buffer {
	char *data; /* NULL while nothing was ever added */
	size_t len;
	size_t size;
};

/* Appends len bytes, a string, formatted text. Out of memory is fatal. */
void buffer_add(struct buffer *buffer, const void *data, size_t len);
void buffer_add_text(struct buffer *buffer, const char *text);
void buffer_printf(struct buffer *buffer, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Makes room for len more bytes and returns where they go; the caller adds
 * what it wrote there to buffer->len. The next call of any of these functions
 * puts the NUL behind it.
 */
char *buffer_reserve(struct buffer *buffer, size_t len);

/* Removes len bytes at the front (more than there are: fatal). */
void buffer_drop_front(struct buffer *buffer, size_t len);

/* Frees the bytes; the buffer is empty and may be used again. */
void buffer_reset(struct buffer *buffer);

/*
 * Returns the bytes, which the caller frees (never NULL, NUL behind the end);
 * the buffer is empty. The length goes to *len unless len is NULL.
 */
char *buffer_take(struct buffer *buffer, size_t *len);

#define auto_buffer __attribute__((cleanup(buffer_reset)))

#endif
