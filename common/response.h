/*
 * The answer of a worker in JavaScript to the request of a call, on its way
 * from the box to the client. Used by relay and supervisor; pure functions.
 */
#ifndef COMMON_RESPONSE_H
#define COMMON_RESPONSE_H

#include <stddef.h>

/* What is sent as its body. */
enum response_form {
	RESPONSE_TEXT,   /* UTF-8 */
	RESPONSE_BASE64, /* bytes, in base64 */
	RESPONSE_FILE,   /* the name of a file in /workspace/out */
	RESPONSE_FORMS
};

/* The name of a form in the box protocol ("text"), static. */
const char *response_form_name(enum response_form form);

/* Whether these bytes can be a body in this form. */
int response_body_valid(enum response_form form, const char *body, size_t len);

/*
 * The head of a response: a line "name: value" for each header, in the order of
 * their names, in which only values of the same name follow each other.
 */
int response_head_valid(const char *head);

struct response_header {
	const char *name, *value; /* in the head */
	size_t name_len, value_len;
};

/*
 * Reads the header at *head, and sets *head to the next one. Returns 1, 0 at
 * the end, or -1 for a line that is no header.
 */
int response_next(const char **head, struct response_header *header);

/* Whether both are values of the same header. */
int response_same(
    const struct response_header *one, const struct response_header *other);

#endif
