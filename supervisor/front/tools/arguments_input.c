/* The arguments that the box hands to the code: see tool.h. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "../../../common/base/base64.h"
#include "../../../common/base/mem.h"
#include "../../box/shared/language.h"
#include "tool.h"

void
arguments_add_input(struct request *request, const char *name,
    const char *value, size_t len)
{
	buffer_printf(&request->input, "%s\"%s\":",
	    request->input.len == 0 ? "" : ",", name);
	buffer_add(&request->input, value, len);
}

/* Reads {"base64": "…"}. Returns 0, or -1 with err. */
static int
input_read_base64(struct json_span value, struct buffer *data, struct err *err)
{
	auto_free char *text = NULL;
	struct json_span encoded;
	size_t len;

	if (json_span_get(value, "base64", &encoded) != 1 ||
	    json_span_kind(encoded) != JSON_SPAN_STRING)
		return err_set(err, "stdin must be a string, or an object "
		    "such as {\"base64\": \"aGkK\"}");
	text = json_span_string(encoded, &len, err);
	if (text == NULL || base64_read(data, text, len) == -1)
		return err_set(err, "base64 of stdin is not valid base64");
	return 0;
}

int
arguments_read_stdin(struct json_span value, const struct options *,
    struct request *request, struct err *err)
{
	auto_buffer struct buffer data = { 0 }, json = { 0 };
	auto_free char *text = NULL;
	size_t len;

	if (request->language->image != NULL)
		return err_set(err, "code of %s can use no stdin, as its image "
		    "reads the code there: pass the data in environment, or as "
		    "a file with upload_file and conversationId, or files",
		    request->language->name);
	if (json_span_kind(value) == JSON_SPAN_STRING) {
		text = json_span_string(value, &len, err);
		if (text == NULL)
			return err_wrap(err, "stdin must be text");
		buffer_add(&data, text, len);
	} else if (input_read_base64(value, &data, err) == -1)
		return -1;
	if (data.len > STDIN_MAX)
		return err_set(err, "stdin has %zu bytes, more than the %zu "
		    "allowed: keep it as a file with upload_file, and name it "
		    "in files", data.len, (size_t)STDIN_MAX);
	buffer_add_text(&json, "\"");
	base64_add(&json, data.data, data.len);
	buffer_add_text(&json, "\"");
	arguments_add_input(request, "stdin", json.data, json.len);
	return 0;
}

/* Returns whether a name is one that a shell could use, too. */
static int
input_name_valid(const char *name, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (name[i] != '_' && !isalpha((unsigned char)name[i]) &&
		    (i == 0 || !isdigit((unsigned char)name[i])))
			return 0;
	return len > 0 && len <= ENVIRONMENT_NAME_MAX;
}

/*
 * Checks one variable, and adds it as process 1 of an image receives it.
 * Returns 0, or -1 with err.
 */
static int
input_add_variable(struct buffer *plain, struct json_span environment,
    struct json_span key, struct json_span value, struct err *err)
{
	auto_free char *text = NULL;
	struct json_span found;
	size_t len;
	auto_free char *name = json_span_string(key, &len, err);

	if (name == NULL || !input_name_valid(name, len))
		return err_set(err, "a name in environment must have 1 to %d "
		    "letters, digits and underscores, and begin with no digit",
		    ENVIRONMENT_NAME_MAX);
	if (json_span_get(environment, name, &found) > 1)
		return err_set(
		    err, "%s is in environment more than once", name);
	text = json_span_kind(value) != JSON_SPAN_STRING ? NULL :
	    json_span_string(value, &len, err);
	if (text == NULL || strlen(text) != len)
		return err_set(err, "%s in environment must be a string "
		    "without NUL", name);
	buffer_printf(plain, "%s=%s", name, text);
	buffer_add(plain, "", 1);
	return 0;
}

int
arguments_read_environment(struct json_span value,
    const struct options *, struct request *request, struct err *err)
{
	auto_buffer struct buffer json = { 0 }, plain = { 0 };
	struct json_span_walk walk;
	struct json_span name, member;
	size_t n = 0;

	if (json_span_kind(value) != JSON_SPAN_OBJECT)
		return err_set(err, "environment must be an object such as "
		    "{\"LEVEL\": \"3\"}");
	if (value.len > ENVIRONMENT_MAX)
		return err_set(err, "environment has %zu bytes of JSON, more "
		    "than the %d allowed: pass long values in stdin, or as "
		    "files", value.len, ENVIRONMENT_MAX);
	walk = json_span_walk(value);
	while (json_span_next_member(&walk, &name, &member)) {
		if (++n > ENVIRONMENT_VARIABLES_MAX)
			return err_set(err, "environment has more than %d "
			    "variables", ENVIRONMENT_VARIABLES_MAX);
		if (input_add_variable(&plain, value, name, member, err) == -1)
			return -1;
	}
	if (request->language->image != NULL) {
		buffer_add(&request->input, plain.data, plain.len);
		return 0;
	}
	json_span_copy_line(value, buffer_reserve(&json, value.len));
	json.len = value.len;
	arguments_add_input(request, "environment", json.data, json.len);
	return 0;
}

/* Checks a member of a request: which, and of what kind. */
static int
input_check_member(
    struct json_span request, struct json_span name, struct err *err)
{
	static const char *const texts[] = { "method", "url", "body" };
	enum json_span_kind kind;
	struct json_span value;
	size_t i;

	if (json_span_is(name, "headers"))
		return json_span_get(request, "headers", &value) == 1 &&
		        json_span_kind(value) == JSON_SPAN_OBJECT ? 0 :
		    err_set(err, "headers of request must be one object such "
		        "as {\"accept\": \"text/html\"}");
	for (i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		if (!json_span_is(name, texts[i]))
			continue;
		if (json_span_get(request, texts[i], &value) != 1)
			return err_set(err, "%s is in request more than once",
			    texts[i]);
		kind = json_span_kind(value);
		return kind == JSON_SPAN_STRING || (strcmp(texts[i], "body") ==
		        0 && kind == JSON_SPAN_OBJECT) ? 0 :
		    err_set(err, "%s of request must be a string%s", texts[i],
		        strcmp(texts[i], "body") == 0 ? ", or an object such "
		        "as {\"base64\": \"aGkK\"}" : "");
	}
	return err_set(err, "request has a member that is unknown: it has "
	    "method, url, headers and body");
}

/* What the values of its members mean is for the code's engine to say. */
int
arguments_read_request(struct json_span value, const struct options *,
    struct request *request, struct err *err)
{
	auto_buffer struct buffer json = { 0 };
	struct json_span_walk walk;
	struct json_span name, member;

	if (!language_is(request->language, "javascript"))
		return err_set(err, "code of %s answers no request: leave out "
		    "the argument request, or use javascript, whose default "
		    "export has fetch()", request->language->name);
	if (json_span_kind(value) != JSON_SPAN_OBJECT)
		return err_set(err, "request must be an object such as "
		    "{\"method\": \"GET\", \"url\": \"/\"}");
	if (value.len > REQUEST_MAX)
		return err_set(err, "request has %zu bytes of JSON, more than "
		    "the %zu allowed: pass long data as a file", value.len,
		    (size_t)REQUEST_MAX);
	walk = json_span_walk(value);
	while (json_span_next_member(&walk, &name, &member))
		if (input_check_member(value, name, err) == -1)
			return -1;
	json_span_copy_line(value, buffer_reserve(&json, value.len));
	json.len = value.len;
	arguments_add_input(request, "request", json.data, json.len);
	request->responds = true;
	return 0;
}

/* The words of a command line, which only modules of WebAssembly have. */
int
arguments_read_arguments(struct json_span value, const struct options *,
    struct request *request, struct err *err)
{
	auto_buffer struct buffer json = { 0 };
	struct json_span_walk walk;
	struct json_span word;
	size_t n, len;

	if (!language_is(request->language, "wasm"))
		return err_set(err, "code of %s takes no arguments: leave them "
		    "out, and pass data in stdin or environment",
		    request->language->name);
	if (json_span_kind(value) != JSON_SPAN_ARRAY)
		return err_set(err, "arguments must be an array of strings");
	if (value.len > ARGUMENTS_MAX)
		return err_set(err, "arguments has %zu bytes of JSON, more "
		    "than the %d allowed: pass long values in stdin, or as "
		    "files", value.len, ARGUMENTS_MAX);
	walk = json_span_walk(value);
	for (n = 0; json_span_next_element(&walk, &word); n++) {
		auto_free char *text =
		    json_span_kind(word) != JSON_SPAN_STRING ? NULL :
		    json_span_string(word, &len, err);

		if (text == NULL || strlen(text) != len)
			return err_set(err, "arguments[%zu] must be a string "
			    "without NUL", n);
	}
	json_span_copy_line(value, buffer_reserve(&json, value.len));
	json.len = value.len;
	arguments_add_input(request, "arguments", json.data, json.len);
	return 0;
}

int
arguments_read_network(struct json_span value, const struct options *,
    struct request *, struct err *err)
{
	struct json_span_walk walk = json_span_walk(value);
	struct json_span host;

	if (json_span_kind(value) == JSON_SPAN_FALSE ||
	    json_span_is(value, "none") ||
	    (json_span_kind(value) == JSON_SPAN_ARRAY &&
	        !json_span_next_element(&walk, &host)))
		return 0;
	return err_set(err, "boxes have no network: leave out the argument "
	    "network; code reaches other hosts through MCP servers");
}
