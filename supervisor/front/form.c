/*
 * Writing an object in one of three forms: see form.h. Here is what is between
 * the strings of JSON; TOON is toon.c's. Runs in the supervisor; reads nothing.
 */
#include <string.h>

#include "../../common/json.h"
#include "../../common/limits.h"
#include "form.h"
#include "toon.h"

/* The depth of a member in TOON, where the document is the first object. */
static unsigned int
form_toon_depth(const struct form *form)
{
	return form->depth - 1;
}

static void
form_add_newline(struct form *form)
{
	if (form->kind == FORM_PRETTY)
		buffer_printf(form->buffer, "\n%*s",
		    (int)form->depth * ANSWER_INDENT, "");
}

/* Whether the object or the array that is open has nothing in it yet. */
static int
form_is_empty(const struct form *form)
{
	char last = form->buffer->data[form->buffer->len - 1];

	return last == '{' || last == '[';
}

/* JSON: what stands before a member or an item. */
static void
form_add_comma(struct form *form)
{
	if (!form_is_empty(form))
		buffer_add_text(form->buffer, ",");
	form_add_newline(form);
}

static void
form_add_name(struct form *form, const char *name)
{
	form_add_comma(form);
	json_add_text(form->buffer, name);
	buffer_add_text(form->buffer, form->kind == FORM_PRETTY ? ": " : ":");
}

/* JSON: begins and ends an object or an array. */
static void
form_open(struct form *form, const char *name, const char *bracket)
{
	if (name != NULL)
		form_add_name(form, name);
	buffer_add_text(form->buffer, bracket);
	form->depth++;
}

static void
form_close(struct form *form, const char *bracket)
{
	form->depth--;
	if (!form_is_empty(form))
		form_add_newline(form);
	buffer_add_text(form->buffer, bracket);
}

void
form_open_object(struct form *form, const char *name)
{
	if (form->kind != FORM_TOON) {
		form_open(form, name, "{");
		return;
	}
	if (name != NULL)
		toon_add_object(form->buffer, form_toon_depth(form), name);
	form->depth++;
}

void
form_close_object(struct form *form)
{
	if (form->kind == FORM_TOON)
		form->depth--;
	else
		form_close(form, "}");
}

void
form_add_text(struct form *form, const char *name, const char *text)
{
	if (form->kind == FORM_TOON) {
		toon_add_text(form->buffer, form_toon_depth(form), name, text,
		    strlen(text));
		return;
	}
	form_add_name(form, name);
	json_add_text(form->buffer, text);
}

void
form_add_number(struct form *form, const char *name, long long value)
{
	if (form->kind == FORM_TOON) {
		toon_add_number(
		    form->buffer, form_toon_depth(form), name, value);
		return;
	}
	form_add_name(form, name);
	buffer_printf(form->buffer, "%lld", value);
}

void
form_open_array(struct form *form, const char *name, size_t count)
{
	if (form->kind == FORM_TOON)
		toon_add_array(
		    form->buffer, form_toon_depth(form), name, count);
	else
		form_open(form, name, "[");
}

void
form_add_item(struct form *form, const char *data, size_t len)
{
	if (form->kind == FORM_TOON) {
		toon_add_item(form->buffer, data, len);
		return;
	}
	form_add_comma(form);
	json_add_string(form->buffer, data, len);
}

void
form_close_array(struct form *form)
{
	if (form->kind != FORM_TOON)
		form_close(form, "]");
}
