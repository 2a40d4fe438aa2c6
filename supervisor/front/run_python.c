/*
 * The arguments of the tool run_python: read where they lie, checked one by
 * one, refused with one sentence. Runs in the supervisor; executes nothing.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../common/mem.h"
#include "../../common/text_list.h"
#include "../run/run.h"
#include "front.h"

/* A name from the client, cut for a sentence. */
#define RUN_PYTHON_NAME 60

/* Whether the text is nothing but white space. */
static int
run_python_blank(const char *text, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (strchr(" \t\r\n\f\v", text[i]) == NULL || text[i] == '\0')
			return 0;
	return 1;
}

static int
run_python_read_code(struct json_span value, const struct options *options,
    struct request *request, struct err *err)
{
	if (json_span_kind(value) != JSON_SPAN_STRING)
		return err_set(err, "code must be a string of Python source");
	free(request->code);
	request->code = json_span_string(value, &request->code_len, err);
	if (request->code == NULL)
		return err_wrap(err, "code must be text");
	if (request->code_len > options->max_code)
		return err_set(err, "code has %zu bytes, more than the %zu "
		    "allowed (MCP_BRIDGE_MAX_CODE)",
		    request->code_len, (size_t)options->max_code);
	if (memchr(request->code, '\0', request->code_len) != NULL)
		return err_set(err, "code contains a NUL character, which no "
		    "Python source may");
	if (run_python_blank(request->code, request->code_len))
		return err_set(err, "code is blank: give the Python source "
		    "to run");
	return 0;
}

static int
run_python_read_timeout(struct json_span value, const struct options *options,
    struct request *request, struct err *err)
{
	char text[64] = "";
	double seconds = 0;

	if (json_span_kind(value) == JSON_SPAN_NUMBER &&
	    value.len < sizeof(text)) {
		memcpy(text, value.p, value.len);
		seconds = strtod(text, NULL);
	}
	/* 30 and 30.0 and 3e1 are whole seconds; 0.5 is not. */
	if (!(seconds >= 1 && seconds <= options->max_timeout) ||
	    seconds != floor(seconds))
		return err_set(err, "timeout must be a whole number of "
		    "seconds from 1 to %u",
		    (unsigned int)options->max_timeout);
	request->timeout = (unsigned int)seconds;
	return 0;
}

/* Decodes a name for a sentence; never fails. The caller frees it. */
static char *
run_python_name(struct json_span string)
{
	size_t len;
	char *name = json_span_string(string, &len, NULL);

	if (name == NULL)
		return mem_strdup("?");
	if (len > RUN_PYTHON_NAME) {
		while (len > 0 && (len >= RUN_PYTHON_NAME ||
		                      (name[len] & 0xc0) == 0x80))
			len--;
		name[len] = '\0';
	}
	return name;
}

/* Whether a name is among those taken already. */
static int
run_python_has_server(const struct buffer *names, const char *name)
{
	const char *taken;

	TEXT_LIST_EACH (taken, names->data, names->len)
		if (strcmp(taken, name) == 0)
			return 1;
	return 0;
}

/* Appends a name and a NUL, unless it is there. */
static int
run_python_add_server(
    struct buffer *names, struct json_span element, struct err *err)
{
	auto_free char *name = NULL;
	size_t len;

	if (json_span_kind(element) != JSON_SPAN_STRING)
		return err_set(err, "servers must contain only strings, the "
		    "names of servers");
	name = json_span_string(element, &len, err);
	if (name == NULL)
		return err_wrap(err, "servers must contain only names");
	if (len == 0 || len > CONFIG_NAME_MAX || strlen(name) != len) {
		free(name);
		name = run_python_name(element);
		return err_set(err, "unknown server \"%s\": a name has from "
		    "1 to %d bytes and no NUL", name, CONFIG_NAME_MAX);
	}
	if (!run_python_has_server(names, name))
		buffer_add(names, name, len + 1);
	return 0;
}

/* Whether the servers exist is for the configuration to say, later. */
static int
run_python_read_servers(struct json_span value, const struct options *options,
    struct request *request, struct err *err)
{
	auto_buffer struct buffer names = { 0 };
	struct json_span_walk walk;
	struct json_span element;
	size_t n = 0;

	(void)options;
	if (json_span_kind(value) != JSON_SPAN_ARRAY)
		return err_set(
		    err, "servers must be an array of server names");
	walk = json_span_walk(value);
	while (json_span_next_element(&walk, &element)) {
		if (++n > CONFIG_SERVERS_MAX)
			return err_set(err, "servers has more than %d names",
			    CONFIG_SERVERS_MAX);
		if (run_python_add_server(&names, element, err) == -1)
			return -1;
	}
	free(request->servers);
	request->servers = buffer_take(&names, &request->servers_len);
	return 0;
}

static const struct run_python_argument {
	const char *name;
	int (*read)(struct json_span value, const struct options *options,
	    struct request *request, struct err *err);
} run_python_arguments[] = {
	{ "code", run_python_read_code },
	{ "timeout", run_python_read_timeout },
	{ "servers", run_python_read_servers },
};

#define RUN_PYTHON_ARGUMENTS                                                   \
	(sizeof(run_python_arguments) / sizeof(run_python_arguments[0]))

static int
run_python_read_member(struct json_span name, struct json_span value,
    const struct options *options, struct request *request, struct err *err)
{
	auto_free char *text = NULL;
	size_t i;

	for (i = 0; i < RUN_PYTHON_ARGUMENTS; i++) {
		if (!json_span_is(name, run_python_arguments[i].name))
			continue;
		/* Some clients write null for an argument not given. */
		if (json_span_kind(value) == JSON_SPAN_NULL)
			return 0;
		return run_python_arguments[i].read(
		    value, options, request, err);
	}
	text = run_python_name(name);
	return err_set(err, "unknown argument \"%s\": run_python takes code, "
	    "servers and timeout", text);
}

static int
run_python_read_all(struct json_span arguments, const struct options *options,
    struct request *request, struct err *err)
{
	struct json_span_walk walk;
	struct json_span name, value;
	size_t i;

	if (arguments.len > 0 &&
	    json_span_kind(arguments) != JSON_SPAN_OBJECT)
		return err_set(err, "arguments must be an object such as "
		    "{\"code\": \"print(1)\"}");
	for (i = 0; i < RUN_PYTHON_ARGUMENTS; i++)
		if (json_span_get(arguments, run_python_arguments[i].name,
		        &value) > 1)
			return err_set(err, "%s is given more than once",
			    run_python_arguments[i].name);
	if (arguments.len > 0) {
		walk = json_span_walk(arguments);
		while (json_span_next_member(&walk, &name, &value))
			if (run_python_read_member(
			        name, value, options, request, err) == -1)
				return -1;
	}
	if (request->code == NULL)
		return err_set(err, "code is missing: give the Python source "
		    "to run as a string");
	return 0;
}

int
run_python_read(struct json_span arguments, const struct options *options,
    struct request *request, struct err *err)
{
	memset(request, 0, sizeof(*request));
	request->timeout = options->timeout;
	if (run_python_read_all(arguments, options, request, err) == 0)
		return 0;
	request_reset(request);
	return -1;
}
