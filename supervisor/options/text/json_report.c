/* JSON for programs: see json_report.h. */
#include <stdio.h>
#include <string.h>

#include "../../../common/json/json.h"
#include "../../../common/base/shown.h"
#include "../../../common/base/utf8.h"
#include "json_report.h"

/* Adds the comma and the key before a value; the first one begins an object. */
static void
json_report_key(struct buffer *out, const char *key)
{
	if (out->len == 0 && key != NULL)
		buffer_add_text(out, "{");
	else if (out->len > 0 && strchr("{[", out->data[out->len - 1]) == NULL)
		buffer_add_text(out, ", ");
	if (key == NULL)
		return;
	json_add_text(out, key);
	buffer_add_text(out, ": ");
}

void
json_report_text(struct buffer *out, const char *key, const char *text)
{
	auto_buffer struct buffer shown = { 0 };

	json_report_key(out, key);
	if (text == NULL) {
		buffer_add_text(out, "null");
		return;
	}
	if (!utf8_valid(text, strlen(text))) {
		shown_add(&shown, text, strlen(text));
		text = shown.data;
	}
	json_add_text(out, text);
}

void
json_report_number(struct buffer *out, const char *key, uint64_t number)
{
	json_report_key(out, key);
	buffer_printf(out, "%llu", (unsigned long long)number);
}

void
json_report_bool(struct buffer *out, const char *key, int value)
{
	json_report_key(out, key);
	buffer_add_text(out, value ? "true" : "false");
}

void
json_report_raw(
    struct buffer *out, const char *key, const char *json, size_t len)
{
	json_report_key(out, key);
	buffer_add(out, json, len);
}

void
json_report_open(struct buffer *out, const char *key, char bracket)
{
	json_report_key(out, key);
	buffer_add(out, &bracket, 1);
}

void
json_report_close(struct buffer *out, char bracket)
{
	buffer_add(out, &bracket, 1);
}

/* Prints text with all unseen characters escaped that are not to be kept. */
static void
json_report_escape(FILE *out, const char *text, size_t len, const char *keep,
    int python)
{
	unsigned int code;
	size_t size;

	for (; len > 0; text += size, len -= size) {
		size = utf8_unseen(text, len, &code);
		if (size == 0 || (*text != '\0' &&
		        strchr(keep, *text) != NULL)) {
			fputc(*text, out);
			size = 1;
		} else if (code < 0x10000) {
			fprintf(out, "\\u%04x", code);
		} else if (python) {
			fprintf(out, "\\U%08x", code);
		} else {
			fprintf(out, "\\u%04x\\u%04x",
			    0xd800 | (code - 0x10000) >> 10,
			    0xdc00 | ((code - 0x10000) & 0x3ff));
		}
	}
}

void
json_report_put(FILE *out, const char *text, size_t len, int python)
{
	json_report_escape(out, text, len, "\t\n", python);
}

void
json_report_print(struct buffer *out)
{
	json_report_close(out, '}');
	json_report_escape(stdout, out->data, out->len, "\t\r\n", 0);
	putchar('\n');
	fflush(stdout);
}
