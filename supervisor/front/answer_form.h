/*
 * Writing an object in one of three forms: as JSON on one line, as JSON to be
 * read by people, as TOON. The fields of the object are listed once.
 */
#ifndef SUPERVISOR_ANSWER_FORM_H
#define SUPERVISOR_ANSWER_FORM_H

#include "../../common/buffer.h"

enum answer_form_kind {
	FORM_LINE,   /* JSON without white space */
	FORM_PRETTY, /* JSON, two spaces a level */
	FORM_TOON,
};

struct answer_form {
	struct buffer *buffer; /* TOON: empty when the object begins */
	enum answer_form_kind kind;
	unsigned int depth; /* objects (JSON: and arrays) that are open */
};

/*
 * Begins and ends an object: name is NULL for the first one, which holds the
 * others. Texts are valid UTF-8.
 */
void answer_form_open_object(struct answer_form *form, const char *name);
void answer_form_close_object(struct answer_form *form);

/* Appends a member to the object that is open. */
void answer_form_add_text(
    struct answer_form *form, const char *name, const char *text);
void answer_form_add_number(
    struct answer_form *form, const char *name, long long value);

/* An array of count strings: as many items, then its end. */
void answer_form_open_array(
    struct answer_form *form, const char *name, size_t count);
void answer_form_add_item(
    struct answer_form *form, const char *data, size_t len);
void answer_form_close_array(struct answer_form *form);

#endif
