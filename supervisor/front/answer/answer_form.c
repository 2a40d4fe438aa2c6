/*
 * Writes an object in one of three forms: see answer.h. This file adds the
 * punctuation of JSON; toon.c writes TOON. Runs in the supervisor; reads
 * nothing.
 */
#include <string.h>

#include "../../../common/json/json.h"
#include "../../../common/limits.h"
#include "answer.h"

/* The depth of a member in TOON, where the first object is the document. */
static unsigned int
answer_form_toon_depth(const struct answer_form *form)
{
	return form->depth - 1;
}

static void
answer_form_add_newline(struct answer_form *form)
{
	if (form->kind == FORM_PRETTY)
		buffer_printf(form->buffer, "\n%*s",
		    (int)form->depth * ANSWER_INDENT, "");
}

/* Returns whether the open object or array is empty. */
static int
answer_form_is_empty(const struct answer_form *form)
{
	char last = form->buffer->data[form->buffer->len - 1];

	return last == '{' || last == '[';
}

/* JSON: adds the comma and white space before a member or an item. */
static void
answer_form_add_comma(struct answer_form *form)
{
	if (!answer_form_is_empty(form))
		buffer_add_text(form->buffer, ",");
	answer_form_add_newline(form);
}

static void
answer_form_add_name(struct answer_form *form, const char *name)
{
	answer_form_add_comma(form);
	json_add_text(form->buffer, name);
	buffer_add_text(form->buffer, form->kind == FORM_PRETTY ? ": " : ":");
}

/* JSON: begin and end an object or an array. */
static void
answer_form_open(
    struct answer_form *form, const char *name, const char *bracket)
{
	if (name != NULL)
		answer_form_add_name(form, name);
	buffer_add_text(form->buffer, bracket);
	form->depth++;
}

static void
answer_form_close(struct answer_form *form, const char *bracket)
{
	form->depth--;
	if (!answer_form_is_empty(form))
		answer_form_add_newline(form);
	buffer_add_text(form->buffer, bracket);
}

void
answer_form_open_object(struct answer_form *form, const char *name)
{
	if (form->kind != FORM_TOON) {
		answer_form_open(form, name, "{");
		return;
	}
	if (name != NULL)
		toon_add_object(
		    form->buffer, answer_form_toon_depth(form), name);
	form->depth++;
}

void
answer_form_close_object(struct answer_form *form)
{
	if (form->kind == FORM_TOON)
		form->depth--;
	else
		answer_form_close(form, "}");
}

void
answer_form_add_text(
    struct answer_form *form, const char *name, const char *text)
{
	if (form->kind == FORM_TOON) {
		toon_add_text(form->buffer, answer_form_toon_depth(form), name,
		    text, strlen(text));
		return;
	}
	answer_form_add_name(form, name);
	json_add_text(form->buffer, text);
}

void
answer_form_add_number(
    struct answer_form *form, const char *name, long long value)
{
	if (form->kind == FORM_TOON) {
		toon_add_number(
		    form->buffer, answer_form_toon_depth(form), name, value);
		return;
	}
	answer_form_add_name(form, name);
	buffer_printf(form->buffer, "%lld", value);
}

void
answer_form_open_array(struct answer_form *form, const char *name, size_t count)
{
	if (form->kind == FORM_TOON)
		toon_add_array(
		    form->buffer, answer_form_toon_depth(form), name, count);
	else
		answer_form_open(form, name, "[");
}

void
answer_form_add_item(struct answer_form *form, const char *data, size_t len)
{
	if (form->kind == FORM_TOON) {
		toon_add_item(form->buffer, data, len);
		return;
	}
	answer_form_add_comma(form);
	json_add_string(form->buffer, data, len);
}

void
answer_form_close_array(struct answer_form *form)
{
	if (form->kind != FORM_TOON)
		answer_form_close(form, "]");
}
