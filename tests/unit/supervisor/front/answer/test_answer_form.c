/*
 * Tests of supervisor/front/answer/answer_form: the same object in its three
 * forms, byte by byte.
 */
#include <jansson.h>
#include <string.h>

#include "supervisor/front/answer/answer.h"
#include "tests/unit/unit.h"

/* Everything an object can have, and what is hard to write. */
static void
add_all(struct answer_form *form)
{
	answer_form_open_object(form, NULL);
	answer_form_add_text(form, "text", "a \"b\"\n{");
	answer_form_add_number(form, "number", -5);
	answer_form_open_array(form, "list", 3);
	answer_form_add_item(form, "[", 1);
	answer_form_add_item(form, "", 0);
	answer_form_add_item(form, "a\0b", 3);
	answer_form_close_array(form);
	answer_form_open_array(form, "none", 0);
	answer_form_close_array(form);
	answer_form_open_object(form, "empty");
	answer_form_close_object(form);
	answer_form_open_object(form, "inner");
	answer_form_add_number(form, "a b", 1);
	answer_form_open_array(form, "one", 1);
	answer_form_add_item(form, "{", 1);
	answer_form_close_array(form);
	answer_form_close_object(form);
	answer_form_add_text(form, "last", "");
	answer_form_close_object(form);
}

static void
add_nothing(struct answer_form *form)
{
	answer_form_open_object(form, NULL);
	answer_form_close_object(form);
}

static const struct {
	void (*add)(struct answer_form *form);
	enum answer_form_kind kind;
	const char *written;
} forms[] = {
	{ add_nothing, FORM_LINE, "{}" },
	{ add_nothing, FORM_PRETTY, "{}" },
	{ add_nothing, FORM_TOON, "" },
	{ add_all, FORM_LINE,
	    "{\"text\":\"a \\\"b\\\"\\n{\",\"number\":-5,"
	    "\"list\":[\"[\",\"\",\"a\\u0000b\"],\"none\":[],\"empty\":{},"
	    "\"inner\":{\"a b\":1,\"one\":[\"{\"]},\"last\":\"\"}" },
	{ add_all, FORM_PRETTY,
	    "{\n"
	    "  \"text\": \"a \\\"b\\\"\\n{\",\n"
	    "  \"number\": -5,\n"
	    "  \"list\": [\n"
	    "    \"[\",\n"
	    "    \"\",\n"
	    "    \"a\\u0000b\"\n"
	    "  ],\n"
	    "  \"none\": [],\n"
	    "  \"empty\": {},\n"
	    "  \"inner\": {\n"
	    "    \"a b\": 1,\n"
	    "    \"one\": [\n"
	    "      \"{\"\n"
	    "    ]\n"
	    "  },\n"
	    "  \"last\": \"\"\n"
	    "}" },
	{ add_all, FORM_TOON,
	    "text: \"a \\\"b\\\"\\n{\"\n"
	    "number: -5\n"
	    "list[3]: \"[\",\"\",\"a\\u0000b\"\n"
	    "none: []\n"
	    "empty:\n"
	    "inner:\n"
	    "  \"a b\": 1\n"
	    "  one[1]: \"{\"\n"
	    "last: \"\"" },
};

UNIT_EACH(writes_an_object, UNIT_COUNT(forms))
{
	auto_buffer struct buffer found = { 0 };
	struct answer_form form = { &found, forms[_i].kind, 0 };

	forms[_i].add(&form);
	ck_assert_uint_eq(form.depth, 0);
	ck_assert_uint_eq(found.len, strlen(forms[_i].written));
	if (found.len > 0)
		ck_assert_str_eq(found.data, forms[_i].written);
}

/* JSON may stand behind something, as it does in an answer. */
UNIT_TEST(writes_behind_what_is_there)
{
	auto_buffer struct buffer found = { 0 };
	struct answer_form form = { &found, FORM_LINE, 0 };

	buffer_add_text(&found, "[");
	add_all(&form);
	buffer_add_text(&found, ",");
	add_nothing(&form);
	buffer_add_text(&found, "]");
	ck_assert_ptr_nonnull(strstr(found.data, "[{\"text\""));
	ck_assert_ptr_nonnull(strstr(found.data, "\"last\":\"\"},{}]"));
}

/* The two forms of JSON are the same value. */
UNIT_TEST(says_the_same_in_json)
{
	auto_buffer struct buffer line = { 0 }, pretty = { 0 };
	struct answer_form forms_of_json[] = { { &line, FORM_LINE, 0 },
		{ &pretty, FORM_PRETTY, 0 } };
	json_t *first, *second;

	add_all(&forms_of_json[0]);
	add_all(&forms_of_json[1]);
	first = json_loads(line.data, JSON_ALLOW_NUL, NULL);
	second = json_loads(pretty.data, JSON_ALLOW_NUL, NULL);
	ck_assert_ptr_nonnull(first);
	ck_assert(json_equal(first, second));
	json_decref(first);
	json_decref(second);
}
