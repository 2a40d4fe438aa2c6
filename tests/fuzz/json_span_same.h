/*
 * Compares the scanner of JSON with the same one without blocks of bytes
 * (json_span_plain.c): both accept the same, tell the same faults, and find the
 * same parts.
 */
#ifndef TESTS_FUZZ_JSON_SPAN_SAME_H
#define TESTS_FUZZ_JSON_SPAN_SAME_H

#include <string.h>

#include "common/json/json_span.h"
#include "common/base/mem.h"
#include "fuzz.h"

int plain_json_span_parse(
    const char *data, size_t len, struct json_span *value, struct err *err);
struct json_span_walk plain_json_span_walk(struct json_span value);
int plain_json_span_next_member(struct json_span_walk *walk,
    struct json_span *name, struct json_span *value);
int plain_json_span_next_element(
    struct json_span_walk *walk, struct json_span *value);
int plain_json_span_get(
    struct json_span object, const char *name, struct json_span *value);
char *plain_json_span_string(
    struct json_span value, size_t *len, struct err *err);
void plain_json_span_copy_line(struct json_span value, char *out);

/* The parts themselves, not only their bytes, are the same. */
static inline void
same_span(struct json_span a, struct json_span b)
{
	FUZZ_ASSERT(a.p == b.p && a.len == b.len);
}

static inline void
same_string(struct json_span value)
{
	struct err err = { .text = "" }, plain_err = { .text = "" };
	size_t len = 0, plain_len = 0;
	auto_free char *text = json_span_string(value, &len, &err);
	auto_free char *plain =
	    plain_json_span_string(value, &plain_len, &plain_err);

	FUZZ_ASSERT((text == NULL) == (plain == NULL));
	FUZZ_ASSERT(strcmp(err.text, plain_err.text) == 0);
	FUZZ_ASSERT(text == NULL ||
	    (len == plain_len && memcmp(text, plain, len) == 0));
}

/* A name is found by both, or by none. */
static inline void
same_member(struct json_span object, struct json_span name)
{
	struct json_span value = { NULL, 0 }, plain = { NULL, 0 };
	size_t len;
	auto_free char *text = json_span_string(name, &len, NULL);

	if (text == NULL)
		return;
	FUZZ_ASSERT(json_span_get(object, text, &value) ==
	    plain_json_span_get(object, text, &plain));
	same_span(value, plain);
}

static inline void
same_parts(struct json_span value)
{
	struct json_span_walk walk = json_span_walk(value);
	struct json_span_walk plain_walk = plain_json_span_walk(value);
	struct json_span name, part, plain_name, plain_part;
	int object = json_span_kind(value) == JSON_SPAN_OBJECT;
	int more;

	for (;;) {
		more = object ?
		    json_span_next_member(&walk, &name, &part) :
		    json_span_next_element(&walk, &part);
		FUZZ_ASSERT(more == (object ?
		    plain_json_span_next_member(
		        &plain_walk, &plain_name, &plain_part) :
		    plain_json_span_next_element(&plain_walk, &plain_part)));
		if (!more)
			return;
		same_span(part, plain_part);
		same_string(part);
		if (!object)
			continue;
		same_span(name, plain_name);
		same_string(name);
		same_member(value, name);
	}
}

static inline void
same_line(struct json_span value)
{
	auto_free char *line = mem_alloc(value.len);
	auto_free char *plain = mem_alloc(value.len);

	json_span_copy_line(value, line);
	plain_json_span_copy_line(value, plain);
	FUZZ_ASSERT(memcmp(line, plain, value.len) == 0);
}

/* Returns whether the text is JSON, for both. */
static inline int
json_span_same(const char *data, size_t len)
{
	struct json_span value = { NULL, 0 }, plain = { NULL, 0 };
	struct err err = { .text = "" }, plain_err = { .text = "" };
	int failed = json_span_parse(data, len, &value, &err);

	FUZZ_ASSERT(
	    plain_json_span_parse(data, len, &plain, &plain_err) == failed);
	FUZZ_ASSERT(strcmp(err.text, plain_err.text) == 0);
	if (failed)
		return 0;
	same_span(value, plain);
	same_string(value);
	same_parts(value);
	same_line(value);
	return 1;
}

#endif
