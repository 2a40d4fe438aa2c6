/*
 * The arguments of a tool that runs code: read from the message, checked one by
 * one, refused with one sentence. Runs in the supervisor; executes nothing.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../../../common/base/file_name.h"
#include "../../../common/base/mem.h"
#include "../../../common/base/text_list.h"
#include "../../box/shared/language.h"
#include "../answer/answer.h"
#include "tool.h"

/* The length to which a name of the client is cut in an error. */
#define ARGUMENTS_NAME 60

/* Returns whether the text is empty or only white space. */
static int
arguments_blank(const char *text, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		if (strchr(" \t\r\n\f\v", text[i]) == NULL || text[i] == '\0')
			return 0;
	return 1;
}

static int
arguments_read_code(struct json_span value, const struct options *options,
    struct request *request, struct err *err)
{
	if (json_span_kind(value) != JSON_SPAN_STRING)
		return err_set(err, "code must be a string of %s source",
		    request->language->title);
	free(request->code);
	request->code = json_span_string(value, &request->code_len, err);
	if (request->code == NULL)
		return err_wrap(err, "code must be text");
	if (request->code_len > options->max_code)
		return err_set(err, "code has %zu bytes, more than the %zu "
		    "allowed (CAISSON_MAX_CODE)",
		    request->code_len, (size_t)options->max_code);
	if (memchr(request->code, '\0', request->code_len) != NULL)
		return err_set(err, "code contains a NUL character, which no "
		    "%s source may", request->language->title);
	if (arguments_blank(request->code, request->code_len))
		return err_set(err, "code is blank: give the %s source "
		    "to run", request->language->title);
	return 0;
}

/* Adds a note to those on other arguments. */
static void
arguments_note(struct request *request, const struct buffer *note)
{
	auto_buffer struct buffer notes = { 0 };

	if (request->notes_len > 0)
		buffer_add(&notes, request->notes, request->notes_len);
	buffer_add(&notes, note->data, note->len);
	buffer_add(&notes, "", 1);
	free(request->notes);
	request->notes = buffer_take(&notes, &request->notes_len);
}

/* Lowers a value above the maximum, and adds a note about that. */
static void
arguments_note_timeout(struct json_span value, const struct options *options,
    struct request *request)
{
	auto_buffer struct buffer note = { 0 };

	buffer_printf(&note, "timeout was lowered from %.*s to %u seconds, "
	    "the most that is allowed", (int)value.len, value.p,
	    (unsigned int)options->max_timeout);
	arguments_note(request, &note);
}

static int
arguments_read_timeout(struct json_span value, const struct options *options,
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
	if (!(seconds >= 1 && isfinite(seconds)) || seconds != floor(seconds))
		return err_set(err, "timeout must be a whole number of seconds "
		    "from 1 to %u", (unsigned int)options->max_timeout);
	if (seconds > options->max_timeout) {
		seconds = options->max_timeout;
		arguments_note_timeout(value, options, request);
	}
	request->timeout = (unsigned int)seconds;
	return 0;
}

/* Decodes a name for an error; never fails. The caller frees it. */
static char *
arguments_name(struct json_span string)
{
	size_t len;
	char *name = json_span_string(string, &len, NULL);

	if (name == NULL)
		return mem_strdup("?");
	if (len > ARGUMENTS_NAME) {
		while (len > 0 && (len >= ARGUMENTS_NAME ||
		                      (name[len] & 0xc0) == 0x80))
			len--;
		name[len] = '\0';
	}
	return name;
}

/* An argument that is a list of names. */
struct arguments_list {
	const char *name;
	const char *one;  /* the noun for one name */
	const char *them; /* the noun for the names */
	size_t longest;   /* most bytes of a name */
	bool links;       /* a name may be the URI of a kept file */
};

/* Returns what DELIVER has for the URI of a kept file; NULL with err. */
static char *
arguments_link(struct json_span uri, struct err *err)
{
	auto_free char *conversation = NULL, *name = NULL;
	uint64_t version;

	name = file_link_read(uri, &version, &conversation);
	if (name != NULL)
		return mem_printf("%llu\n%s\n%s", (unsigned long long)version,
		    conversation == NULL ? "" : conversation, name);
	err_set(err, "no file has the URI %.*s", (int)uri.len, uri.p);
	return NULL;
}

/* Appends a name and a NUL, unless it is in the list. */
static int
arguments_add_name(struct buffer *names, struct json_span element,
    const struct arguments_list *list, struct err *err)
{
	auto_free char *name = NULL;
	size_t len;

	if (json_span_kind(element) != JSON_SPAN_STRING)
		return err_set(err, "%s must contain only strings, the "
		    "names of %s", list->name, list->them);
	if (list->links && file_link_is(element)) {
		name = arguments_link(element, err);
		if (name != NULL && !text_list_has(names, name))
			text_list_add(names, name);
		return name == NULL ? -1 : 0;
	}
	name = json_span_string(element, &len, err);
	if (name == NULL)
		return err_wrap(err, "%s must contain only names", list->name);
	if (len == 0 || len > list->longest || strlen(name) != len) {
		free(name);
		name = arguments_name(element);
		return err_set(err, "unknown %s \"%s\": a name has from 1 to "
		    "%zu bytes and no NUL", list->one, name, list->longest);
	}
	if (!text_list_has(names, name))
		buffer_add(names, name, len + 1);
	return 0;
}

/* Returns the names, each + NUL, which the caller frees; NULL with err. */
static char *
arguments_read_names(struct json_span value, const struct arguments_list *list,
    size_t most, size_t *len, struct err *err)
{
	auto_buffer struct buffer names = { 0 };
	struct json_span_walk walk;
	struct json_span element;
	size_t n = 0;

	if (json_span_kind(value) != JSON_SPAN_ARRAY &&
	    json_span_kind(value) != JSON_SPAN_STRING) {
		err_set(err, "%s must be an array of names of %s", list->name,
		    list->them);
		return NULL;
	}
	if (json_span_kind(value) == JSON_SPAN_STRING &&
	    arguments_add_name(&names, value, list, err) == -1)
		return NULL; /* "x" means ["x"] */
	walk = json_span_walk(value);
	while (json_span_next_element(&walk, &element)) {
		if (++n > most) {
			err_set(err, "%s has more than %zu names", list->name,
			    most);
			return NULL;
		}
		if (arguments_add_name(&names, element, list, err) == -1)
			return NULL;
	}
	return buffer_take(&names, len);
}

/*
 * The broker starts no more servers than these ahead (worker/broker/grant.c).
 */
static void
arguments_note_servers(struct request *request)
{
	auto_buffer struct buffer note = { 0 };
	size_t n = text_list_count(request->servers, request->servers_len);

	if (n <= GRANT_STARTS_MAX)
		return;
	buffer_printf(&note, "servers has %zu names, and a call starts at most "
	    "%d: each server starts when the code first uses it", n,
	    GRANT_STARTS_MAX);
	arguments_note(request, &note);
}

/* Whether the servers exist is checked later, against the configuration. */
static int
arguments_read_servers(struct json_span value, const struct options *,
    struct request *request, struct err *err)
{
	static const struct arguments_list list = { "servers", "server",
		"servers", CONFIG_NAME_MAX, false };

	free(request->servers);
	request->servers = arguments_read_names(
	    value, &list, CONFIG_SERVERS_MAX, &request->servers_len, err);
	if (request->servers == NULL)
		return -1;
	arguments_note_servers(request);
	return 0;
}

/* Whether they exist is checked later, by the process that keeps files. */
static int
arguments_read_files(struct json_span value, const struct options *,
    struct request *request, struct err *err)
{
	static const struct arguments_list list = { "files", "file",
		"earlier files", FILE_NAME_MAX, true };

	free(request->files);
	request->files = arguments_read_names(
	    value, &list, FILES_GIVEN_MAX, &request->files_len, err);
	return request->files == NULL ? -1 : 0;
}

char *
arguments_read_handle(
    struct json_span value, const char *name, size_t most, struct err *err)
{
	auto_free char *handle = NULL;
	size_t len;

	if (json_span_kind(value) != JSON_SPAN_STRING) {
		err_set(err, "%s must be a string of 1 to %zu bytes", name,
		    most);
		return NULL;
	}
	handle = json_span_string(value, &len, err);
	if (handle == NULL)
		err_wrap(err, "%s must be text", name);
	else if (len == 0 || len > most)
		err_set(err, "%s has %zu bytes; it must have 1 to %zu", name,
		    len, most);
	else if (!conversation_id_valid(handle, len))
		err_set(err, "%s must have no control character, and not be "
		    "\".\" or \"..\"", name);
	else
		return mem_take(&handle);
	return NULL;
}

/* Code of images starts in /data, as that of the earlier service did. */
static int
arguments_read_conversation(struct json_span value,
    const struct options *options, struct request *request, struct err *err)
{
	static const char data[] = "\"/data\"";

	free(request->conversation);
	request->conversation = arguments_read_handle(
	    value, "conversationId", CONVERSATION_ID_MAX, err);
	if (options->compat != 0 && request->language->image == NULL)
		arguments_add_input(
		    request, "directory", data, sizeof(data) - 1);
	return request->conversation == NULL ? -1 : 0;
}

static int
arguments_read_session(struct json_span value, const struct options *,
    struct request *request, struct err *err)
{
	free(request->session);
	request->session =
	    arguments_read_handle(value, "session", SESSION_NAME_MAX, err);
	if (request->session == NULL)
		return -1;
	if (!request->language->stays)
		return err_set(err, "code of %s has no sessions: leave out "
		    "the argument session", request->language->name);
	return 0;
}

static const struct argument {
	const char *name;
	int (*read)(struct json_span value, const struct options *options,
	    struct request *request, struct err *err);
} arguments_table[] = {
#define ARGUMENT(ID, name, word) { word, arguments_read_##name },
#include "../../options/arguments.def"
};

#define ARGUMENTS (sizeof(arguments_table) / sizeof(arguments_table[0]))
#define ARGUMENTS_LANGUAGE "language"

/* The arguments that a tool accepts. */
struct arguments_taken {
	const char *tool;
	int language; /* an argument names the language */
};

/* Returns whether tools have it; the code always. */
static int
arguments_include(const struct options *options, size_t n)
{
	return n == ARGUMENT_CODE ||
	    options_argument(options, (enum options_argument)n);
}

/* Appends the value of the setting arguments, with a comma behind each. */
static void
arguments_add_setting(struct buffer *out, const struct options *options)
{
	size_t i;

	for (i = 0; i < ARGUMENTS; i++)
		if (arguments_include(options, i))
			buffer_printf(out, "%s,", arguments_table[i].name);
}

/* Refuses an unknown argument, and names those that the tool accepts. */
static int
arguments_refuse(struct json_span name, const struct arguments_taken *taken,
    const struct options *options, struct err *err)
{
	auto_free char *text = arguments_name(name);
	auto_buffer struct buffer known = { 0 }, setting = { 0 };
	size_t i, last = 0;
	int off = 0;

	for (i = 0; i < ARGUMENTS; i++) {
		if (arguments_include(options, i))
			last = i;
		else if (json_span_is(name, arguments_table[i].name))
			off = 1;
	}
	if (taken->language)
		buffer_add_text(&known, ARGUMENTS_LANGUAGE ", ");
	for (i = 0; i <= last; i++)
		if (arguments_include(options, i))
			buffer_printf(&known, "%s%s", i == 0 ? "" :
			    i == last ? " and " : ", ",
			    arguments_table[i].name);
	if (!off)
		return err_set(err, "unknown argument \"%s\": %s takes %s",
		    text, taken->tool, known.data);
	arguments_add_setting(&setting, options);
	return err_set(err, "%s is not switched on: %s takes %s; "
	    "CAISSON_ARGUMENTS=%s%s adds it", text, taken->tool, known.data,
	    setting.data, text);
}

static int
arguments_read_member(struct json_span name, struct json_span value,
    const struct arguments_taken *taken, const struct options *options,
    struct request *request, struct err *err)
{
	size_t i;

	for (i = 0; i < ARGUMENTS; i++) {
		if (!arguments_include(options, i) ||
		    !json_span_is(name, arguments_table[i].name))
			continue;
		/* Some clients send null for an argument that is not given. */
		if (json_span_kind(value) == JSON_SPAN_NULL)
			return 0;
		return arguments_table[i].read(value, options, request, err);
	}
	if (taken->language && json_span_is(name, ARGUMENTS_LANGUAGE))
		return 0;
	return arguments_refuse(name, taken, options, err);
}

/* Read before all others, since errors about them name the language. */
static int
arguments_read_language(
    struct json_span arguments, struct request *request, struct err *err)
{
	auto_buffer struct buffer known = { 0 };
	auto_free char *name = NULL;
	struct json_span value;
	size_t len;

	language_renew();
	language_add_names(&known);
	if (arguments.len == 0 ||
	    json_span_get(arguments, ARGUMENTS_LANGUAGE, &value) == 0)
		return err_set(err, "language is missing: the languages are "
		    "%s", known.data);
	if (json_span_kind(value) != JSON_SPAN_STRING)
		return err_set(err, "language must be a string: the languages "
		    "are %s", known.data);
	name = json_span_string(value, &len, NULL);
	if (name != NULL && strlen(name) == len)
		request->language = language_find(name);
	if (request->language != NULL)
		return 0;
	free(name);
	name = arguments_name(value);
	return err_set(err, "unknown language \"%s\": the languages are %s",
	    name, known.data);
}

/* JSON parsers differ: some keep the first of two members, others the last. */
static int
arguments_refuse_twice(
    struct json_span arguments, const char *name, struct err *err)
{
	struct json_span value;

	if (json_span_get(arguments, name, &value) > 1)
		return err_set(err, "%s is given more than once", name);
	return 0;
}

/* Checks the arguments as a whole. */
static int
arguments_check(struct json_span arguments,
    const struct arguments_taken *taken, struct err *err)
{
	size_t i;

	if (arguments.len > 0 && json_span_kind(arguments) != JSON_SPAN_OBJECT)
		return err_set(err, "arguments must be an object such as "
		    "{\"code\": \"print(1)\"}");
	for (i = 0; i < ARGUMENTS; i++)
		if (arguments_refuse_twice(
		        arguments, arguments_table[i].name, err) == -1)
			return -1;
	return taken->language ?
	    arguments_refuse_twice(arguments, ARGUMENTS_LANGUAGE, err) : 0;
}

static int
arguments_read_all(struct json_span arguments,
    const struct arguments_taken *taken, const struct options *options,
    struct request *request, struct err *err)
{
	struct json_span_walk walk;
	struct json_span name, value;

	if (arguments_check(arguments, taken, err) == -1 ||
	    (taken->language &&
	        arguments_read_language(arguments, request, err) == -1))
		return -1;
	request->limits = options_limits(
	    options, request->language, language_is);
	if (request->limits != NULL)
		options = request->limits;
	request->timeout = options->timeout;
	if (arguments.len > 0) {
		walk = json_span_walk(arguments);
		while (json_span_next_member(&walk, &name, &value))
			if (arguments_read_member(name, value, taken, options,
			        request, err) == -1)
				return -1;
	}
	if (request->code == NULL)
		return err_set(err, "code is missing: give the %s source to "
		    "run as a string", request->language->title);
	if (request->session != NULL && request->conversation != NULL)
		return err_set(err, "pass either session or conversationId: a "
		    "session keeps variables and files until it ends; a "
		    "conversation keeps only /data, but across restarts");
	return 0;
}

int
arguments_read(struct json_span arguments, const char *tool,
    const struct language *language, const struct options *options,
    struct request *request, struct err *err)
{
	const struct arguments_taken taken = { tool, language == NULL };

	memset(request, 0, sizeof(*request));
	request->language = language;
	if (arguments_read_all(arguments, &taken, options, request, err) == 0)
		return 0;
	request_reset(request);
	return -1;
}
