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
