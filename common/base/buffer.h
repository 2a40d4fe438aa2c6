/*
 * A growing array of bytes. After every call below a NUL follows its last byte,
 * so data (once not NULL) is also a string if it contains no NUL. Used by every
 * process.
 */
#ifndef COMMON_BUFFER_H
#define COMMON_BUFFER_H

#include <stddef.h>
#include <stdint.h>

/* All zeroes is an empty buffer. */
struct buffer {
	char *data; /* NULL until something is added */
	size_t len;
	size_t size;
};

/*
 * These append len bytes, a string, the digits of a number, or formatted text.
 * Out of memory is fatal.
 */
void buffer_add(struct buffer *buffer, const void *data, size_t len);
void buffer_add_text(struct buffer *buffer, const char *text);
void buffer_add_number(struct buffer *buffer, uint64_t number);
void buffer_printf(struct buffer *buffer, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/*
 * Makes room for len more bytes and returns their address; the caller adds the
 * number of bytes written to buffer->len. The next call of any of these
 * functions writes the NUL.
 */
char *buffer_reserve(struct buffer *buffer, size_t len);

/* Removes len bytes from the front; more than there are is fatal. */
void buffer_drop_front(struct buffer *buffer, size_t len);

/* Frees the bytes; the buffer is empty and may be used again. */
void buffer_reset(struct buffer *buffer);

/*
 * Returns the bytes, which the caller frees (never NULL, terminated by a NUL),
 * and empties the buffer. Stores the length in *len unless len is NULL.
 */
char *buffer_take(struct buffer *buffer, size_t *len);

#define auto_buffer __attribute__((cleanup(buffer_reset)))

#endif
