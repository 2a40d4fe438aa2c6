/*
 * Writes an object in one of three forms: JSON on one line, indented JSON, or
 * TOON.
 */
#ifndef SUPERVISOR_ANSWER_FORM_H
#define SUPERVISOR_ANSWER_FORM_H

#include "../../../common/base/buffer.h"

enum answer_form_kind {
	FORM_LINE,   /* JSON without white space */
	FORM_PRETTY, /* JSON, indented by two spaces a level */
	FORM_TOON,
};

struct answer_form {
	struct buffer *buffer; /* TOON: empty when the first object begins */
	enum answer_form_kind kind;
	unsigned int depth; /* open objects (JSON: and arrays) */
};

/*
 * Begin and end an object. name is NULL for the first one, which contains the
 * others. Texts are valid UTF-8.
 */
void answer_form_open_object(struct answer_form *form, const char *name);
void answer_form_close_object(struct answer_form *form);

/* Append a member to the open object. */
void answer_form_add_text(
    struct answer_form *form, const char *name, const char *text);
void answer_form_add_number(
    struct answer_form *form, const char *name, long long value);

/* Write an array of count strings: open it, add count items, close it. */
void answer_form_open_array(
    struct answer_form *form, const char *name, size_t count);
void answer_form_add_item(
    struct answer_form *form, const char *data, size_t len);
void answer_form_close_array(struct answer_form *form);

#endif
