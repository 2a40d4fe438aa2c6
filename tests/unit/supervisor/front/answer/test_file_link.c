/*
 * Tests of supervisor/front/answer/file_link: the URI of every name can be read
 * back, any other URI is refused, and sizes have units.
 */
#include <stdlib.h>
#include <string.h>

#include "common/base/mem.h"
#include "supervisor/front/answer/answer.h"
#include "tests/unit/unit.h"

#define URI(rest) FILE_LINK_PREFIX rest

static const struct {
	const char *name;
	uint64_t version;
	const char *uri;
	const char *conversation;
} links[] = {
	{ "a.csv", 0, URI("a.csv"), NULL },
	{ "a.csv", 3, URI("a.csv?version=3"), NULL },
	{ "a b.txt", 1, URI("a%20b.txt?version=1"), NULL },
	{ "-x", 1, URI("-x?version=1"), NULL },
	{ "100%?#&=", 2, URI("100%25%3F%23%26%3D?version=2"), NULL },
	{ "\xc3\xbc\xf0\x9f\x93\x88", 1, URI("%C3%BC%F0%9F%93%88?version=1"),
	    NULL },
	{ "~._-", 9, URI("~._-?version=9"), NULL },
	{ "\"\\", 1, URI("%22%5C?version=1"), NULL },
	{ "a b", 2, FILE_LINK_CONVERSATIONS "..%2F%20%3F/a%20b?version=2",
	    "../ ?" },
};

static struct json_span
quoted(const char *text, struct buffer *json)
{
	buffer_printf(json, "\"%s\"", text);
	return (struct json_span){ json->data, json->len };
}

UNIT_EACH(goes_there_and_back, UNIT_COUNT(links))
{
	const struct file_link link = { .name = links[_i].name,
		.version = links[_i].version,
		.conversation = links[_i].conversation };
	auto_buffer struct buffer uri = { 0 };
	auto_buffer struct buffer json = { 0 };
	auto_free char *name = NULL;
	auto_free char *conversation = NULL;
	struct json_span span;
	uint64_t version;

	file_link_add_uri(&uri, &link);
	ck_assert_str_eq(uri.data, links[_i].uri);
	span = quoted(uri.data, &json);
	ck_assert(file_link_is(span));
	name = file_link_read(span, &version, &conversation);
	ck_assert_ptr_nonnull(name);
	ck_assert_str_eq(name, links[_i].name);
	ck_assert_uint_eq(version, links[_i].version);
	ck_assert_pstr_eq(conversation, links[_i].conversation);
}

/* They begin as the URI of a file does. */
static const char *const wrong[] = { URI("a?version=0"), URI("a?version="),
	URI("a?version=-1"), URI("a?version=x"), URI("a?version=1x"),
	URI("a?version=99999999999999999999"), URI("a?v=1"), URI("?version=1"),
	URI("%"), URI("%4"), URI("%zz"), URI("a%00b"), URI("%FF"),
	URI("a\\u0000b"), FILE_LINK_CONVERSATIONS "a",
	FILE_LINK_CONVERSATIONS "/a", FILE_LINK_CONVERSATIONS "a/",
	FILE_LINK_CONVERSATIONS "a%0Ab/c", FILE_LINK_CONVERSATIONS "%zz/c" };

UNIT_EACH(refuses_what_is_none, UNIT_COUNT(wrong))
{
	auto_buffer struct buffer json = { 0 };
	char *conversation;
	uint64_t version;

	ck_assert_ptr_null(file_link_read(
	    quoted(wrong[_i], &json), &version, &conversation));
	ck_assert_ptr_null(conversation);
}

UNIT_TEST(recognises_those_of_files)
{
	auto_buffer struct buffer json = { 0 };
	auto_buffer struct buffer nothing = { 0 };
	auto_buffer struct buffer large = { 0 };
	auto_free char *name = NULL;
	char *conversation;
	uint64_t version;

	ck_assert(!file_link_is(quoted("resource://caisson/capabilities",
	    &json)));
	ck_assert(!file_link_is(quoted(FILE_LINK_PREFIX, &nothing)));
	buffer_add_text(&large, "\"" FILE_LINK_PREFIX);
	while (large.len < strlen(FILE_LINK_PREFIX) + 257)
		buffer_add_text(&large, "x");
	buffer_add_text(&large, "\"");
	name = file_link_read(
	    (struct json_span){ large.data, large.len }, &version,
	    &conversation);
	ck_assert_ptr_null(name);
}

static const struct {
	uint64_t size;
	const char *text;
} sizes[] = {
	{ 0, "0 bytes" },
	{ 1, "1 byte" },
	{ 999, "999 bytes" },
	{ 1000, "1 kB" },
	{ 1499, "1 kB" },
	{ 1500, "2 kB" },
	{ 999499, "999 kB" },
	{ 999500, "1.0 MB" },
	{ 268435456, "268.4 MB" },
};

UNIT_EACH(reports_sizes, UNIT_COUNT(sizes))
{
	auto_buffer struct buffer text = { 0 };

	file_link_add_size(&text, sizes[_i].size);
	ck_assert_str_eq(text.data, sizes[_i].text);
}
