/*
 * Fuzz target of common/json/json_span: whatever it accepts can be walked to
 * the last value, each part is a value by itself, strings survive decoding and
 * encoding, and splicing the parts gives the same text. What it refuses names a
 * byte that exists.
 */
#include <string.h>

#include "common/base/buffer.h"
#include "common/json/json.h"
#include "common/json/json_span.h"
#include "common/limits.h"
#include "common/base/mem.h"
#include "common/base/utf8.h"
#include "fuzz.h"

static int
same(struct json_span a, struct json_span b)
{
	return a.len == b.len && memcmp(a.p, b.p, a.len) == 0;
}

/* A part of a value is exactly one value, and says so again. */
static void
check_part(struct json_span value)
{
	struct json_span again;

	FUZZ_ASSERT(json_span_parse(value.p, value.len, &again, NULL) == 0);
	FUZZ_ASSERT(again.p == value.p && again.len == value.len);
}

static void
check_number(struct json_span value)
{
	size_t n;

	for (n = 0; n < value.len; n++)
		FUZZ_ASSERT(strchr("-+.eE0123456789", value.p[n]) != NULL);
}

static void
check_string(struct json_span value)
{
	auto_buffer struct buffer encoded = { 0 };
	struct err err = { .text = "" };
	struct json_span again;
	size_t len, again_len;
	auto_free char *text = json_span_string(value, &len, &err);
	auto_free char *decoded = NULL;

	if (text == NULL) {
		FUZZ_ASSERT(strstr(err.text, "U+D") != NULL);
		return;
	}
	FUZZ_ASSERT(utf8_valid(text, len));
	FUZZ_ASSERT(text[len] == '\0');
	FUZZ_ASSERT(json_span_is(value, text) == (strlen(text) == len));
	json_add_string(&encoded, text, len);
	FUZZ_ASSERT(
	    json_span_parse(encoded.data, encoded.len, &again, NULL) == 0);
	FUZZ_ASSERT(json_span_kind(again) == JSON_SPAN_STRING);
	decoded = json_span_string(again, &again_len, NULL);
	FUZZ_ASSERT(decoded != NULL && again_len == len);
	FUZZ_ASSERT(memcmp(decoded, text, len) == 0);
}

/* A member is found by its name, and the last of several is the one. */
static void
check_get(struct json_span object, struct json_span name)
{
	size_t len;
	auto_free char *text = json_span_string(name, &len, NULL);
	struct json_span walked, value, last = { NULL, 0 }, member;
	struct json_span_walk walk = json_span_walk(object);
	int count = 0;

	if (text == NULL || strlen(text) != len)
		return;
	while (json_span_next_member(&walk, &walked, &member))
		if (json_span_is(walked, text)) {
			last = member;
			count++;
		}
	FUZZ_ASSERT(count > 0);
	FUZZ_ASSERT(json_span_get(object, text, &value) == count);
	FUZZ_ASSERT(value.p == last.p && value.len == last.len);
}

static void check_value(struct json_span value, unsigned int depth);

static void
check_object(struct json_span value, unsigned int depth)
{
	struct json_span_walk walk = json_span_walk(value);
	struct json_span name, member;
	size_t n = 0;

	while (json_span_next_member(&walk, &name, &member)) {
		FUZZ_ASSERT(json_span_kind(name) == JSON_SPAN_STRING);
		check_value(name, depth + 1);
		check_value(member, depth + 1);
		/* Quadratic: the first ones will do. */
		if (n++ < 8)
			check_get(value, name);
	}
	FUZZ_ASSERT(walk.rest.len == 0);
	FUZZ_ASSERT(walk.rest.p == value.p + value.len - 1);
}

static void
check_array(struct json_span value, unsigned int depth)
{
	struct json_span_walk walk = json_span_walk(value);
	struct json_span element;

	while (json_span_next_element(&walk, &element))
		check_value(element, depth + 1);
	FUZZ_ASSERT(walk.rest.len == 0);
	FUZZ_ASSERT(walk.rest.p == value.p + value.len - 1);
}

static void
check_value(struct json_span value, unsigned int depth)
{
	FUZZ_ASSERT(depth <= JSON_DEPTH_MAX);
	FUZZ_ASSERT(value.len > 0);
	check_part(value);
	switch (json_span_kind(value)) {
	case JSON_SPAN_OBJECT:
		check_object(value, depth);
		break;
	case JSON_SPAN_ARRAY:
		check_array(value, depth);
		break;
	case JSON_SPAN_STRING:
		check_string(value);
		break;
	case JSON_SPAN_TRUE:
		FUZZ_ASSERT(value.len == 4);
		break;
	case JSON_SPAN_FALSE:
		FUZZ_ASSERT(value.len == 5);
		break;
	case JSON_SPAN_NULL:
		FUZZ_ASSERT(value.len == 4);
		break;
	case JSON_SPAN_NUMBER:
		check_number(value);
		break;
	}
}

/* The text without its white space at the ends is the value, on one line. */
static void
check_line(struct json_span value)
{
	auto_free char *line = mem_alloc(value.len + 1);
	struct json_span copy;
	size_t n;

	json_span_copy_line(value, line);
	FUZZ_ASSERT(line[value.len] == '\0');
	FUZZ_ASSERT(strpbrk(line, "\r\n") == NULL);
	FUZZ_ASSERT(json_span_parse(line, value.len, &copy, NULL) == 0);
	FUZZ_ASSERT(copy.len == value.len);
	for (n = 0; n < value.len; n++)
		FUZZ_ASSERT(line[n] == value.p[n] ||
		    (line[n] == ' ' &&
			(value.p[n] == '\n' || value.p[n] == '\r')));
	FUZZ_ASSERT(same((struct json_span){ line, value.len }, copy));
}

/* The sentence ends in the number of a byte, at most one behind the end. */
static void
check_refusal(const struct err *err, size_t len)
{
	const char *at = strstr(err->text, " at byte ");
	unsigned long byte;

	FUZZ_ASSERT(at != NULL);
	byte = strtoul(at + 9, NULL, 10);
	FUZZ_ASSERT(byte >= 1 && byte <= len + 1);
	FUZZ_ASSERT(utf8_valid(err->text, strlen(err->text)));
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	const char *data = (const char *)bytes;
	struct err err = { .text = "" };
	struct json_span value;

	if (json_span_parse(data, len, &value, &err) == -1) {
		check_refusal(&err, len);
		return 0;
	}
	FUZZ_ASSERT(utf8_valid(data, len));
	FUZZ_ASSERT(value.p >= data && value.len <= len);
	FUZZ_ASSERT(value.p + value.len <= data + len);
	check_value(value, 0);
	check_line(value);
	return 0;
}
