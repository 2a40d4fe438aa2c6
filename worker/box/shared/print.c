/*
 * The output of the command: results of tools on standard output, everything
 * else on standard error. Run by the command, in the box.
 */
#include <stdarg.h>
#include <stdio.h>

#include "mcp.h"
#include "../../../common/base/mem.h"

void
print_error(const char *fmt, ...)
{
	auto_free char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	text = mem_vprintf(fmt, ap);
	va_end(ap);
	fprintf(stderr, "mcp: %s\n", text);
}

/* Whether a block, or the resource in it, is text, which goes to *text. */
static int
print_is_text(struct json_span block, struct json_span *text)
{
	struct json_span type;

	if (json_span_get(block, "type", &type) == 1) {
		if (json_span_is(type, "resource")) {
			if (json_span_get(block, "resource", &block) != 1)
				return 0;
		} else if (!json_span_is(type, "text")) {
			return 0;
		}
	}
	return json_span_get(block, "text", text) == 1 &&
	    json_span_kind(*text) == JSON_SPAN_STRING;
}

/* Appends all blocks of text; counts the others. Returns 0, or -1 with err. */
static int
print_add_text(struct buffer *text, struct json_span result, size_t *others,
    struct err *err)
{
	struct json_span content, block, string;
	struct json_span_walk walk;
	size_t len, blocks = 0;

	*others = 0;
	if (json_span_get(result, "content", &content) != 1)
		return 0;
	walk = json_span_walk(content);
	while (json_span_next_element(&walk, &block)) {
		auto_free char *bytes = NULL;

		if (!print_is_text(block, &string)) {
			(*others)++;
			continue;
		}
		bytes = json_span_string(string, &len, err);
		if (bytes == NULL)
			return -1;
		if (blocks++ > 0)
			buffer_add_text(text, "\n");
		buffer_add(text, bytes, len);
	}
	return 0;
}

/* Prints on standard output, and ends the line. Returns an enum mcp_status. */
static int
print_line(const char *data, size_t len, const char *name)
{
	int ended = len > 0 && data[len - 1] == '\n';

	if ((len > 0 && fwrite(data, 1, len, stdout) != len) ||
	    (!ended && fputc('\n', stdout) == EOF) || fflush(stdout) == EOF) {
		print_error("%s: its result cannot be written", name);
		return MCP_FAILED;
	}
	return MCP_DONE;
}

static int
print_text(struct json_span result, const char *name)
{
	auto_buffer struct buffer text = { 0 };
	struct json_span structured, failed;
	size_t others;
	struct err err;

	if (print_add_text(&text, result, &others, &err) == -1) {
		print_error("%s: its text cannot be printed: %s; use --json",
		    name, err.text);
		return MCP_FAILED;
	}
	if (json_span_get(result, "isError", &failed) == 1 &&
	    json_span_kind(failed) == JSON_SPAN_TRUE) {
		print_error("%s: %s", name, text.len > 0 ? text.data :
		    "the tool failed and did not say why");
		return MCP_FAILED;
	}
	if (others > 0)
		print_error("%s: parts of the result are not text (%zu): "
		    "--json prints them", name, others);
	if (text.len == 0 &&
	    json_span_get(result, "structuredContent", &structured) == 1)
		return print_line(structured.p, structured.len, name);
	return text.len == 0 && others > 0 ?
	    MCP_DONE : print_line(text.data, text.len, name);
}

int
print_result(struct json_span result, int whole, const char *name)
{
	struct json_span failed;
	int status;

	if (json_span_kind(result) != JSON_SPAN_OBJECT) {
		print_error("%s: the answer is no result of a tool", name);
		return MCP_FAILED;
	}
	if (!whole)
		return print_text(result, name);
	status = print_line(result.p, result.len, name);
	if (json_span_get(result, "isError", &failed) != 1 ||
	    json_span_kind(failed) != JSON_SPAN_TRUE)
		return status;
	print_error("%s: the tool failed (isError)", name);
	return MCP_FAILED;
}

/* Appends a string as text, with what stands before it. */
static int
print_add_string(
    struct buffer *text, struct json_span string, const char *before)
{
	auto_free char *bytes = NULL;
	size_t len;

	if (json_span_kind(string) != JSON_SPAN_STRING)
		return 0;
	bytes = json_span_string(string, &len, NULL);
	if (bytes == NULL)
		return 0;
	buffer_add_text(text, text->len > 0 ? before : "");
	buffer_add(text, bytes, len);
	return 1;
}

/*
 * Appends a value of a completion, the text of a resource or of a message, or
 * what a resource or a prompt is called, and for what it is. Returns whether
 * there is such a text.
 */
static int
print_add_part(struct buffer *text, struct json_span part)
{
	static const char *const names[] = { "text", "uri", "uriTemplate",
		"name" };
	struct json_span value;
	size_t n;

	if (json_span_kind(part) != JSON_SPAN_OBJECT)
		return print_add_string(text, part, "\n");
	if (json_span_get(part, "content", &value) == 1)
		return json_span_kind(value) == JSON_SPAN_OBJECT &&
		    print_is_text(value, &value) &&
		    print_add_string(text, value, "\n");
	if (json_span_get(part, "blob", &value) > 0)
		return 0;
	for (n = 0; n < sizeof(names) / sizeof(names[0]); n++)
		if (json_span_get(part, names[n], &value) == 1 &&
		    print_add_string(text, value, "\n"))
			break;
	if (n > 0 && json_span_get(part, "description", &value) == 1)
		print_add_string(text, value, "  ");
	return n < sizeof(names) / sizeof(names[0]);
}

int
print_asked(struct json_span answer, int whole, const char *name)
{
	auto_buffer struct buffer text = { 0 };
	struct json_span key, value = answer, part, said = answer;
	struct json_span_walk walk;
	size_t others = 0;

	if (whole)
		return print_line(answer.p, answer.len, name);
	if (json_span_get(answer, "completion", &value) == 1 &&
	    json_span_kind(value) == JSON_SPAN_OBJECT)
		said = value;
	walk = json_span_walk(said);
	while (json_span_next_member(&walk, &key, &value) &&
	    json_span_kind(value) != JSON_SPAN_ARRAY)
		;
	if (json_span_kind(value) == JSON_SPAN_ARRAY) {
		walk = json_span_walk(value);
		while (json_span_next_element(&walk, &part))
			others += !print_add_part(&text, part);
	}
	if (json_span_get(answer, "cut", &value) == 1) {
		auto_buffer struct buffer why = { 0 };

		print_add_string(&why, value, "");
		print_error("%s: this is not all: %s", name, why.data);
	}
	if (others > 0)
		print_error("%s: parts of it are not text (%zu): --json prints "
		    "them", name, others);
	return text.len == 0 ? MCP_DONE : print_line(text.data, text.len, name);
}
