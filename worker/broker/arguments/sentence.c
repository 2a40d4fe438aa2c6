/* The sentence about arguments that do not fit: see arguments.h. */
#include "../../../common/base/utf8.h"
#include "arguments.h"

int
sentence_begin(struct conform *conform)
{
	if (conform->wrong++ >= conform->most) {
		if (conform->wrong == conform->most + 1 && !conform->exact)
			buffer_add_text(conform->says, "; ...");
		return 0;
	}
	if (conform->says->len > 0)
		buffer_add_text(conform->says, "; ");
	return 1;
}

void
sentence_add_name(struct buffer *says, struct json_span name)
{
	size_t len = name.len - 2;
	size_t kept = utf8_cut(name.p + 1, len, ARGUMENTS_SHOWN_MAX);

	buffer_add(says, name.p + 1, kept);
	buffer_add_text(says, kept < len ? "..." : "");
}

static void
sentence_add_steps(struct buffer *says, const struct conform_place *place)
{
	if (place->up != NULL) {
		sentence_add_steps(says, place->up);
		if (place->name.len > 0)
			buffer_add_text(says, ".");
	}
	if (place->name.len > 0)
		sentence_add_name(says, place->name);
	else
		buffer_printf(says, "[%zu]", place->index);
}

void
sentence_add_place(struct buffer *says, const struct conform_place *place)
{
	buffer_add_text(says, "\"");
	sentence_add_steps(says, place);
	buffer_add_text(says, "\"");
}

void
sentence_add_json(struct buffer *says, struct json_span value)
{
	size_t kept = utf8_cut(value.p, value.len, ARGUMENTS_SHOWN_MAX);

	buffer_add(says, value.p, kept);
	buffer_add_text(says, kept < value.len ? "..." : "");
}

void
sentence_add_value(struct buffer *says, struct json_span value)
{
	unsigned int type = schema_type_of(value);

	if (type == SCHEMA_ARRAY || type == SCHEMA_OBJECT)
		schema_add_types(says, type);
	else
		sentence_add_json(says, value);
}
