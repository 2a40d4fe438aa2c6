/*
 * Fuzz target of the broker's comparison of arguments: an array of a schema
 * and the arguments. Whatever they are, either something is said, or what is
 * sent is an object that is not longer and, compared again, is sent as it is.
 * The type of the schema is UTF-8 and bounded.
 */
#include <string.h>

#include "fuzz.h"
#include "common/base/utf8.h"
#include "worker/broker/arguments/arguments.h"

static void
check_sent(struct json_span schema, const struct buffer *sent, size_t most)
{
	auto_buffer struct buffer again = { 0 }, says = { 0 };
	struct json_span object;

	FUZZ_ASSERT(sent->len <= most);
	FUZZ_ASSERT(json_span_parse(sent->data, sent->len, &object, NULL) == 0);
	FUZZ_ASSERT(json_span_kind(object) == JSON_SPAN_OBJECT);
	FUZZ_ASSERT(arguments_settle(schema, object, &again, &says));
	FUZZ_ASSERT(again.len == sent->len &&
	    memcmp(again.data, sent->data, sent->len) == 0);
}

static void
check_type(struct json_span span)
{
	auto_buffer struct buffer text = { 0 };
	struct schema schema = { span, TYPES_WORK_MAX };
	struct type_writer writer = { .schema = &schema, .text = &text,
		.end = TYPES_TOOL_MAX, .prefix = "f" };

	type_add(&writer, span);
	type_add_named(&writer);
	FUZZ_ASSERT(text.len < TYPES_TOOL_MAX + 20 * span.len + 16 * KIB);
	FUZZ_ASSERT(utf8_valid(text.data, text.len));
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_buffer struct buffer sent = { 0 }, says = { 0 };
	struct json_span both, schema, object;
	struct json_span_walk walk;

	if (json_span_parse((const char *)data, size, &both, NULL) == -1 ||
	    json_span_kind(both) != JSON_SPAN_ARRAY)
		return 0;
	walk = json_span_walk(both);
	if (!json_span_next_element(&walk, &schema) ||
	    !json_span_next_element(&walk, &object) ||
	    json_span_kind(object) != JSON_SPAN_OBJECT)
		return 0;
	check_type(schema);
	if (arguments_settle(schema, object, &sent, &says)) {
		FUZZ_ASSERT(says.len == 0);
		check_sent(schema, &sent, object.len);
	} else {
		FUZZ_ASSERT(says.len > 0 && sent.len == 0);
	}
	return 0;
}
