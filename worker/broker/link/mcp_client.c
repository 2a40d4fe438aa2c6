/*
 * The client side of the Model Context Protocol: see link.h. Runs in the
 * broker; parses every byte of a server's standard output.
 */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../common/ask_client.h"
#include "../../../common/json/jsonrpc.h"
#include "../../../common/json/stateless.h"
#include "../../../common/limits.h"
#include "../../../common/base/log.h"
#include "../../../common/base/mem.h"
#include "../../../common/mask.h"
#include "../../../common/base/utf8.h"
#include "link.h"
#include "../state/state.h"

/* All of the line of a call but its parameters has fewer bytes. */
#define MCP_CLIENT_CALL_MAX (300 + sizeof(STATELESS_META))
/* The digits of the largest number, and a NUL. */
#define MCP_CLIENT_ID_SIZE 21
/* "Method not found" and "invalid request", as JSON writes these codes. */
#define MCP_CLIENT_NO_METHOD "-32601"
#define MCP_CLIENT_NO_REQUEST "-32600"
/* "Invalid parameters", and "unsupported version" of the newest version. */
#define MCP_CLIENT_NO_PARAMS "-32602"
#define MCP_CLIENT_NO_VERSION "-32022"
/* The level of the members of a tool in an answer to "tools/list". */
#define MCP_CLIENT_MEMBER_DEPTH 5
/* The longest id that is compared: every digit may be an escape. */
#define MCP_CLIENT_ID_SHOWN (6 * MCP_CLIENT_ID_SIZE)

/* The protocol versions with "initialize"; the newest is offered. */
static const char *const mcp_client_versions[] = { "2025-11-25", "2025-06-18",
	"2025-03-26", "2024-11-05" };

struct mcp_request {
	uint64_t id;
	int call; /* its ctx is passed to progress() */
	mcp_client_answered *answered;
	void *ctx;
};

struct mcp_client {
	char *name;
	const struct buffer *masks; /* what is not shown of the server */
	struct mcp_client_ends ends;
	int unfit;
	uint64_t last_id;
	uint64_t noted;   /* the number of the first request after the last
			   * notification, or 0 */
	uint64_t skipped; /* useless messages */
	uint64_t noise;   /* their bytes, before it was ready */
	bool heard;        /* there was a line */
	bool ready;        /* it has answered "initialize" correctly */
	unsigned int silences; /* time-outs since its last answer */
	unsigned int level; /* from which it was told to log; 0: it was not */
	bool levelling;     /* it has not answered that yet */
	struct mcp_said said;
	/* Requests in flight, in the order of their numbers, which increase. */
	struct mcp_request *requests;
	size_t count;
	size_t size;
};

struct mcp_client *
mcp_client_new(const char *name, const struct buffer *masks,
    const struct mcp_client_ends *ends)
{
	struct mcp_client *client = mem_alloc(sizeof(*client));

	client->name = mem_strdup(name);
	client->masks = masks;
	client->ends = *ends;
	return client;
}

void
mcp_client_free(struct mcp_client **clientp)
{
	struct mcp_client *client = mem_take(clientp);

	if (client == NULL)
		return;
	free(client->name);
	free(client->requests);
	buffer_reset(&client->said.refusal);
	buffer_reset(&client->said.info);
	buffer_reset(&client->said.about);
	buffer_reset(&client->said.instructions);
	buffer_reset(&client->said.banner);
	free(client);
}

const struct mcp_said *
mcp_client_said(const struct mcp_client *client)
{
	return &client->said;
}

const char *
mcp_client_capability(enum mcp_capability which)
{
	static const char *const names[] = { "tools", "resources", "prompts",
		"completions", "logging" };

	return names[which];
}

int
mcp_client_has(const struct mcp_client *client, enum mcp_capability which)
{
	return client->said.has >> which & 1;
}

static void
mcp_client_unfit(struct mcp_client *client, const char *why)
{
	if (client->unfit)
		return;
	client->unfit = 1;
	client->ends.unfit(client->ends.ctx, why);
}

/* Requests in flight */

static int
mcp_client_compare(const void *id, const void *request)
{
	uint64_t a = *(const uint64_t *)id;
	uint64_t b = ((const struct mcp_request *)request)->id;

	return a < b ? -1 : a > b;
}

static struct mcp_request *
mcp_client_find(struct mcp_client *client, uint64_t id)
{
	if (client->count == 0)
		return NULL;
	return bsearch(&id, client->requests, client->count,
	    sizeof(*client->requests), mcp_client_compare);
}

/* Removes a request from those in flight. */
static struct mcp_request
mcp_client_take(struct mcp_client *client, struct mcp_request *request)
{
	struct mcp_request taken = *request;
	size_t at = (size_t)(request - client->requests);

	client->count--;
	memmove(request, request + 1,
	    (client->count - at) * sizeof(*client->requests));
	if (client->count == 0) {
		free(mem_take(&client->requests));
		client->size = 0;
	}
	return taken;
}

/* The number written in exactly this form; 0 for none. */
static uint64_t
mcp_client_number(const char *text, size_t len)
{
	uint64_t digit, number = 0;
	size_t n;

	if (len == 0 || text[0] == '0')
		return 0;
	for (n = 0; n < len; n++) {
		if (text[n] < '0' || text[n] > '9')
			return 0;
		digit = (uint64_t)(text[n] - '0');
		if (number > (UINT64_MAX - digit) / 10)
			return 0;
		number = number * 10 + digit;
	}
	return number;
}

/* The number that an id stands for without ambiguity: 5 as 5, "5" or 5.0. */
static uint64_t
mcp_client_named(struct json_span id)
{
	auto_free char *text = NULL;
	double number;
	size_t len;

	if (id.len == 0 || id.len > MCP_CLIENT_ID_SHOWN)
		return 0;
	if (json_span_kind(id) == JSON_SPAN_STRING) {
		text = json_span_string(id, &len, NULL);
		return text == NULL ? 0 : mcp_client_number(text, len);
	}
	if (json_span_kind(id) != JSON_SPAN_NUMBER)
		return 0;
	text = mem_dup(id.p, id.len);
	number = strtod(text, NULL);
	if (number < 1 || number > (double)REQUEST_ID_MAX ||
	    number != (double)(uint64_t)number)
		return 0;
	return (uint64_t)number;
}

/*
 * The request whose number was written in exactly this form, or NULL. Some
 * servers return it in quotes.
 */
static struct mcp_request *
mcp_client_match(struct mcp_client *client, struct json_span id)
{
	if (id.len > 2 && id.p[0] == '"') {
		id.p++;
		id.len -= 2;
	}
	return mcp_client_find(client, mcp_client_number(id.p, id.len));
}

/*
 * The request that an object answers with an id in an invalid form, which err
 * describes. NULL if there is none, or more than one.
 */
static struct mcp_request *
mcp_client_meant(
    struct mcp_client *client, struct json_span value, struct err *err)
{
	struct json_span_walk walk = json_span_walk(value);
	struct json_span name, id;
	uint64_t number = 0;
	size_t count = 0;

	while (json_span_next_member(&walk, &name, &id)) {
		if (!json_span_is(name, "id"))
			continue;
		if (count > 0 && mcp_client_named(id) != number)
			return NULL;
		number = mcp_client_named(id);
		if (number == 0)
			return NULL;
		count++;
		err_set(err, "its id is %.*s and should be %" PRIu64,
		    (int)id.len, id.p, number);
	}
	if (count > 1)
		err_set(err, "the member \"id\" is there %zu times", count);
	return mcp_client_find(client, number);
}

/* Writing */

/* Returns like ends.write. */
static int
mcp_client_notify(struct mcp_client *client, const char *line, size_t len)
{
	client->noted = client->last_id + 1;
	return client->ends.write(client->ends.ctx, line, len);
}

void
mcp_client_tell_roots(struct mcp_client *client)
{
	static const char line[] = "{\"jsonrpc\":\"2.0\",\"method\":"
	    "\"notifications/roots/list_changed\"}\n";

	(void)mcp_client_notify(client, line, sizeof(line) - 1);
}

static void
mcp_client_write(struct mcp_client *client, const struct buffer *line)
{
	if (client->ends.write(client->ends.ctx, line->data, line->len) == -1)
		mcp_client_unfit(client, "sent more and more requests "
		    "without reading the answers");
}

void
mcp_client_reply(struct mcp_client *client, const char *id,
    const char *result, const char *why)
{
	const struct json_span span = { id, strlen(id) };
	auto_buffer struct buffer line = { 0 };

	if (result != NULL)
		jsonrpc_add_result(&line, span, result);
	else
		jsonrpc_add_error(
		    &line, span, JSONRPC_INTERNAL_ERROR, why, NULL);
	mcp_client_write(client, &line);
}

static void
mcp_client_begin(
    const struct mcp_client *client, const char *method, struct buffer *line)
{
	buffer_add_text(line, "{\"jsonrpc\":\"2.0\",\"id\":");
	buffer_add_number(line, client->last_id + 1);
	buffer_add_text(line, ",\"method\":\"");
	buffer_add_text(line, method);
	buffer_add_text(line, "\"");
}

/* Sends a request that lacks only its end; returns like mcp_client_ask. */
static uint64_t
mcp_client_send(struct mcp_client *client, struct buffer *line, int call,
    mcp_client_answered *answered, void *ctx)
{
	buffer_add_text(line, "}\n");
	if (call ? !client->ends.offer(client->ends.ctx, line->data, line->len)
	         : client->ends.write(client->ends.ctx, line->data,
	               line->len) == -1)
		return 0;
	client->last_id++;
	if (client->count == client->size) {
		client->size = client->size > 0 ? 2 * client->size : 8;
		client->requests = mem_resize(client->requests,
		    client->size * sizeof(*client->requests));
	}
	client->requests[client->count++] =
	    (struct mcp_request){ client->last_id, call, answered, ctx };
	return client->last_id;
}

/* What the client can be asked, bits of enum client_asked, as MCP says it. */
static void
mcp_client_add_asks(unsigned int asks, struct buffer *json)
{
	static const char *const elicitation[] = { "",
		",\"elicitation\":{\"form\":{}}",
		",\"elicitation\":{\"url\":{}}",
		",\"elicitation\":{\"form\":{},\"url\":{}}" };
	auto_free char *log = (asks & ASK_CLIENT_LOG) == 0 ? mem_strdup("") :
	    mem_printf(",\"" STATELESS_KEY "logLevel\":\"%s\"",
	        severity_word(asks >> ASK_CLIENT_LEVEL_SHIFT));
	auto_free char *all = mem_printf("%s%s%s",
	    elicitation[asks & (ASK_CLIENT_FORM | ASK_CLIENT_URL)],
	    (asks & ASK_CLIENT_SAMPLING) != 0 ? ",\"sampling\":{}" : "",
	    (asks & ASK_CLIENT_ROOTS) != 0 ? ",\"roots\":{}" : "");

	buffer_printf(
	    json, STATELESS_META_OF("{%s}") "%s", all + (*all == ','), log);
}

/* Adds parameters, with what _meta has besides that of the version. */
static void
mcp_client_add_params(const struct mcp_client *client, struct json_span params,
    const char *meta, unsigned int asks, struct buffer *line)
{
	int own = client->said.stateless;

	buffer_add_text(line, ",\"params\":");
	if (params.len == 0)
		params = (struct json_span){ "{}", 2 };
	buffer_add(line, params.p, params.len - 1);
	if (*meta == '\0' && !own) {
		buffer_add_text(line, "}");
		return;
	}
	if (line->data[line->len - 1] != '{')
		buffer_add_text(line, ",");
	buffer_add_text(line, "\"_meta\":{");
	buffer_add_text(line, meta);
	buffer_add_text(line, *meta != '\0' && own ? "," : "");
	if (own)
		mcp_client_add_asks(asks, line);
	buffer_add_text(line, "}}");
}

uint64_t
mcp_client_ask(struct mcp_client *client, const char *method,
    struct json_span params, mcp_client_answered *answered, void *ctx)
{
	auto_buffer struct buffer line = { 0 };

	mcp_client_begin(client, method, &line);
	if (client->said.stateless || params.len > 0)
		mcp_client_add_params(client, params, "", 0, &line);
	return mcp_client_send(client, &line, 0, answered, ctx);
}

static void
mcp_client_on_level(void *ctx, const struct mcp_answer *)
{
	struct mcp_client *client = ctx;

	client->levelling = false;
}

/*
 * A server with sessions logs only what it was told to: for the client that
 * asks for most. Its answer is awaited, as it may handle requests in any order.
 */
static void
mcp_client_tell_level(struct mcp_client *client, unsigned int asks)
{
	unsigned int level = asks >> ASK_CLIENT_LEVEL_SHIFT;
	auto_free char *params = NULL;

	if (level == 0 || client->said.stateless ||
	    !mcp_client_has(client, MCP_LOGGING) ||
	    (client->level > 0 && client->level <= level))
		return;
	params = mem_printf("{\"level\":\"%s\"}", severity_word(level));
	client->level = level;
	client->levelling = mcp_client_ask(client, "logging/setLevel",
	    (struct json_span){ params, strlen(params) }, mcp_client_on_level,
	    client) > 0;
}

uint64_t
mcp_client_call(struct mcp_client *client, const char *method,
    struct json_span params, unsigned int asks, mcp_client_answered *answered,
    void *ctx)
{
	char token[sizeof("\"progressToken\":") + MCP_CLIENT_ID_SIZE];
	auto_buffer struct buffer line = { 0 };

	if (!client->levelling)
		mcp_client_tell_level(client, asks);
	if (client->levelling)
		return 0;
	buffer_reserve(&line, MCP_CLIENT_CALL_MAX + params.len);
	mcp_client_begin(client, method, &line);
	snprintf(token, sizeof(token), "\"progressToken\":%" PRIu64,
	    client->last_id + 1);
	mcp_client_add_params(client, params, token, asks, &line);
	return mcp_client_send(client, &line, 1, answered, ctx);
}

void
mcp_client_cancel(struct mcp_client *client, uint64_t id, const char *why)
{
	struct mcp_request *request = mcp_client_find(client, id);
	auto_buffer struct buffer line = { 0 };

	if (request == NULL)
		return;
	mcp_client_take(client, request);
	buffer_printf(&line, "{\"jsonrpc\":\"2.0\",\"method\":"
	    "\"notifications/cancelled\",\"params\":{\"requestId\":%" PRIu64
	    ",\"reason\":\"%s\"}}\n", id, why);
	/*
	 * A server that does not read its input cannot be sent the cancel: it
	 * may continue.
	 */
	(void)mcp_client_notify(client, line.data, line.len);
}

/* Nothing but its arrival matters. */
static void
mcp_client_on_pong(void *, const struct mcp_answer *)
{
}

void
mcp_client_time_out(struct mcp_client *client, uint64_t id)
{
	if (id != 0)
		mcp_client_cancel(client, id, "it takes too long");
	/* Calls no longer wait for an answer about levels that never came. */
	if (id == 0)
		client->levelling = false;
	if (++client->silences != SERVER_SILENCES_MAX)
		return;
	/* A server that cannot even be sent a ping counts as silent, too. */
	(void)mcp_client_ask(client,
	    client->said.stateless ? "server/discover" : "ping",
	    (struct json_span){ NULL, 0 }, mcp_client_on_pong, client);
	client->ends.silent(client->ends.ctx);
}

int
mcp_client_is_silent(const struct mcp_client *client)
{
	return client->silences >= SERVER_SILENCES_MAX;
}

/*
 * Initialization. A server of the version without sessions refuses
 * "initialize", and is asked again in that version.
 */

static int
mcp_client_version_known(struct json_span version)
{
	size_t n;

	for (n = 0; n < sizeof(mcp_client_versions) /
	         sizeof(mcp_client_versions[0]); n++)
		if (json_span_is(version, mcp_client_versions[n]))
			return 1;
	return 0;
}

/* Returns why the answer to "initialize" is invalid; NULL if it is valid. */
static void
mcp_client_judge(const struct mcp_client *client,
    const struct mcp_answer *answer, struct buffer *why)
{
	struct json_span version;

	if (answer->outcome == MCP_ERROR) {
		buffer_add_text(why, "refused \"initialize\": ");
		reason_add_error(why, answer->value, client->masks);
	} else if (answer->outcome == MCP_BROKEN) {
		buffer_printf(why, "answered \"initialize\" with an invalid "
		    "message: %s", answer->why);
	} else if (json_span_get(answer->value, "protocolVersion", &version) ==
	        0 || json_span_kind(version) != JSON_SPAN_STRING) {
		buffer_add_text(why, "did not report its version of the "
		    "protocol");
	} else if (!mcp_client_version_known(version) &&
	    !json_span_is(version, STATELESS_VERSION)) {
		buffer_add_text(why, "speaks version \"");
		reason_add_string(why, version, client->masks);
		buffer_printf(why, "\" of the protocol, which is not one of "
		    "2024-11-05 to %s", mcp_client_versions[0]);
	}
}

/* Finds its serverInfo, which the newest version has in _meta. */
static int
mcp_client_find_info(struct json_span result, struct json_span *info)
{
	struct json_span meta;

	return (json_span_get(result, "_meta", &meta) > 0 &&
	           json_span_get(meta, STATELESS_INFO, info) > 0) ||
	    json_span_get(result, "serverInfo", info) > 0;
}

/* Stores its serverInfo, which is only compared with an earlier one. */
static void
mcp_client_keep_info(struct mcp_client *client, struct json_span result)
{
	static const char *const names[] = { "name", "version" };
	struct json_span info, value;
	size_t n;

	if (!mcp_client_find_info(result, &info) ||
	    json_span_kind(info) != JSON_SPAN_OBJECT)
		return;
	for (n = 0; n < sizeof(names) / sizeof(names[0]); n++)
		if (json_span_get(info, names[n], &value) > 0)
			buffer_add(&client->said.info, value.p,
			    value.len < SERVER_INFO_MAX / 2 ?
			        value.len : SERVER_INFO_MAX / 2);
}

/*
 * Returns the start of the first line that is not a heading of Markdown, or the
 * words of the heading if there is no other line.
 */
static const char *
mcp_client_first_line(const char *text)
{
	const char *line = text + strspn(text, " \t\r\n"), *next = line;

	while (*next == '#') {
		next += strcspn(next, "\n");
		next += strspn(next, " \t\r\n");
	}
	return *next != '\0' ? next : line + strspn(line, "# \t");
}

/* Stores the first paragraph of a text, on one line. Returns whether it did. */
static int
mcp_client_keep_text(struct mcp_client *client, struct json_span string)
{
	auto_free char *text = NULL;
	const char *first;
	struct err err;
	size_t len, n;

	if (json_span_kind(string) != JSON_SPAN_STRING)
		return 0;
	text = json_span_string(string, &len, &err);
	if (text == NULL)
		return 0;
	first = mcp_client_first_line(text);
	len = utf8_cut(first, strcspn(first, "\r\n"), SERVER_ABOUT_MAX);
	buffer_add(&client->said.about, first, len);
	for (n = 0; n < len; n++)
		if ((unsigned char)client->said.about.data[n] < ' ')
			client->said.about.data[n] = ' ';
	return len > 0;
}

/*
 * Stores its purpose: returned to code if the configuration has no description.
 */
static void
mcp_client_keep_about(struct mcp_client *client, struct json_span result)
{
	static const char *const names[] = { "description", "title", "name" };
	struct json_span info, value;
	size_t n;

	if (json_span_get(result, "instructions", &value) > 0 &&
	    mcp_client_keep_text(client, value))
		return;
	if (!mcp_client_find_info(result, &info))
		return;
	for (n = 0; n < sizeof(names) / sizeof(names[0]); n++)
		if (json_span_get(info, names[n], &value) > 0 &&
		    mcp_client_keep_text(client, value))
			return;
}

/* Stores its instructions: of characters that are not shown, lines only. */
static void
mcp_client_keep_instructions(struct mcp_client *client, struct json_span result)
{
	auto_free char *text = NULL;
	struct json_span value;
	unsigned int code;
	size_t len = 0, n, unseen;

	if (json_span_get(result, "instructions", &value) == 1 &&
	    json_span_kind(value) == JSON_SPAN_STRING)
		text = json_span_string(value, &len, NULL);
	len = text == NULL ? 0 : utf8_cut(text, len, SERVER_INSTRUCTIONS_MAX);
	for (n = 0; n < len; n += unseen > 0 ? unseen : 1) {
		unseen = text[n] == '\n' || text[n] == '\t' ? 0 :
		    utf8_unseen(text + n, len - n, &code);
		if (unseen == 0)
			buffer_add(&client->said.instructions, text + n, 1);
	}
}

static void
mcp_client_keep_has(struct mcp_client *client, struct json_span result)
{
	struct json_span all, one;
	unsigned int n;

	if (json_span_get(result, "capabilities", &all) == 0)
		return;
	for (n = 0; n < MCP_CAPABILITIES; n++)
		if (json_span_get(all, mcp_client_capability(n), &one) > 0)
			client->said.has |= 1U << n;
}

/* The server has said what it has: it can be used. */
static void
mcp_client_welcome(struct mcp_client *client, struct json_span result)
{
	mcp_client_keep_has(client, result);
	mcp_client_keep_info(client, result);
	mcp_client_keep_about(client, result);
	mcp_client_keep_instructions(client, result);
	client->ready = 1;
	client->ends.ready(client->ends.ctx);
}

/* Requests to be told of changes, as long as the server runs. */
static void
mcp_client_listen(struct mcp_client *client, struct json_span result)
{
	static const char params[] =
	    "{\"notifications\":{\"toolsListChanged\":true}}";
	struct json_span value;

	if (json_span_get(result, "capabilities", &value) > 0 &&
	    json_span_get(value, "tools", &value) > 0 &&
	    json_span_get(value, "listChanged", &value) > 0 &&
	    json_span_kind(value) == JSON_SPAN_TRUE)
		(void)mcp_client_ask(client, "subscriptions/listen",
		    (struct json_span){ params, sizeof(params) - 1 },
		    mcp_client_on_pong, client);
}

/* The answer to "server/discover", after "initialize" was refused. */
static void
mcp_client_on_discovered(void *ctx, const struct mcp_answer *answer)
{
	struct mcp_client *client = ctx;
	struct json_span versions, version;
	struct json_span_walk walk;

	if (answer->outcome == MCP_RESULT && json_span_get(answer->value,
	        "supportedVersions", &versions) > 0) {
		walk = json_span_walk(versions);
		while (json_span_next_element(&walk, &version))
			if (json_span_is(version, STATELESS_VERSION)) {
				mcp_client_listen(client, answer->value);
				mcp_client_welcome(client, answer->value);
				return;
			}
	}
	mcp_client_unfit(client, client->said.refusal.data);
}

/*
 * Whether a server may have refused "initialize" because it knows only versions
 * without it, not because of who asks.
 */
static int
mcp_client_may_discover(const struct mcp_answer *answer)
{
	static const char *const codes[] = { MCP_CLIENT_NO_VERSION,
		MCP_CLIENT_NO_METHOD, MCP_CLIENT_NO_PARAMS,
		MCP_CLIENT_NO_REQUEST };
	struct json_span code;
	size_t n;

	if (answer->outcome != MCP_ERROR ||
	    json_span_get(answer->value, "code", &code) != 1)
		return 0;
	for (n = 0; n < sizeof(codes) / sizeof(codes[0]); n++)
		if (code.len == strlen(codes[n]) &&
		    memcmp(code.p, codes[n], code.len) == 0)
			return 1;
	return 0;
}

static void
mcp_client_on_greeted(void *ctx, const struct mcp_answer *answer)
{
	static const char initialized[] = "{\"jsonrpc\":\"2.0\",\"method\":"
	    "\"notifications/initialized\"}\n";
	struct mcp_client *client = ctx;
	struct json_span version;

	mcp_client_judge(client, answer, &client->said.refusal);
	if (client->said.refusal.len > 0) {
		client->said.stateless = mcp_client_may_discover(answer);
		if (!client->said.stateless || mcp_client_ask(client,
		        "server/discover", (struct json_span){ NULL, 0 },
		        mcp_client_on_discovered, client) == 0)
			mcp_client_unfit(client, client->said.refusal.data);
		return;
	}
	/* As a connector says it, which has asked for the versions. */
	client->said.stateless =
	    json_span_get(answer->value, "protocolVersion", &version) > 0 &&
	    json_span_is(version, STATELESS_VERSION);
	if (mcp_client_notify(client, initialized, sizeof(initialized) - 1) ==
	    -1)
		mcp_client_unfit(client, "does not read its standard input");
	else
		mcp_client_welcome(client, answer->value);
}

void
mcp_client_greet(struct mcp_client *client, int samples)
{
	auto_free char *params = mem_printf("{\"protocolVersion\":"
	    "\"2025-11-25\",\"capabilities\":{\"roots\":{\"listChanged\":"
	    "true},\"elicitation\":{\"form\":{},\"url\":{}}%s},\"clientInfo\":"
	    "{\"name\":\"caisson\",\"version\":\"" CAISSON_VERSION "\"}}",
	    samples ? ",\"sampling\":{}" : "");
	struct json_span span = { params, strlen(params) };

	if (mcp_client_ask(client, "initialize", span, mcp_client_on_greeted,
	        client) == 0)
		mcp_client_unfit(client, "does not read its standard input");
}

/* Reading */

/* Answers a request, which is removed before its callback is called. */
static void
mcp_client_answer(struct mcp_client *client, struct mcp_request *request,
    const struct mcp_answer *answer)
{
	struct mcp_request taken = mcp_client_take(client, request);

	client->silences = 0;
	if (answer->outcome != MCP_BROKEN &&
	    taken.answered != mcp_client_on_greeted &&
	    taken.answered != mcp_client_on_discovered &&
	    taken.answered != mcp_client_on_level &&
	    taken.answered != mcp_client_on_pong)
		client->said.answered = 1;
	/*
	 * It arrived after the notification, which has therefore been handled.
	 */
	if (taken.id >= client->noted)
		client->noted = 0;
	taken.answered(taken.ctx, answer);
}

/* Skips a message of this size, or fails the request that it answers. */
static void
mcp_client_bad(struct mcp_client *client, size_t len,
    struct mcp_request *request, const char *why)
{
	struct mcp_answer broken = { .outcome = MCP_BROKEN, .why = why };
	struct err err;

	client->skipped++;
	if (!client->ready)
		client->noise += len;
	/* Its content is not logged, because a server may print its secrets. */
	log_debug("server %s: %zu useless bytes (%" PRIu64 " times so far): "
	    "%s", client->name, len, client->skipped, why);
	if (request != NULL)
		mcp_client_answer(client, request, &broken);
	if (!client->ready && (client->noise > SERVER_NOISE_MAX ||
	        client->skipped > SERVER_NOISE_LINES)) {
		err_set(&err, "wrote more than %d lines or %lu MiB before it "
		    "was ready", SERVER_NOISE_LINES, SERVER_NOISE_MAX / MIB);
		mcp_client_unfit(client, err.text);
	}
}

/* Stores the first such line that is not blank, for the reason of a failure. */
static void
mcp_client_keep_banner(struct mcp_client *client, const struct line *line)
{
	struct buffer *banner = &client->said.banner;
	size_t len = line->len;

	while (len > 0 && strchr(" \t\r", line->data[len - 1]) != NULL)
		len--;
	if (banner->len > 0 || len == 0)
		return;
	mask_text(banner, client->masks, line->data, len, REFUSED_BANNER_MAX);
	if (banner->len > REFUSED_BANNER_MAX)
		banner->len = utf8_cut(
		    banner->data, banner->len, REFUSED_BANNER_MAX);
	banner->data[banner->len] = '\0';
}

/* A line that cannot be parsed, but may contain the id of a request. */
static void
mcp_client_unreadable(
    struct mcp_client *client, const struct line *line, const char *why)
{
	struct json_span id = { NULL, 0 };
	struct mcp_request *request;

	if (line->oversized)
		jsonrpc_glimpse_answered(
		    line->data, line->len, line->tail, line->tail_len, &id);
	else
		jsonrpc_glimpse_answered(
		    line->data, line->len, line->data, line->len, &id);
	request = mcp_client_find(client, mcp_client_named(id));
	if (request == NULL)
		mcp_client_keep_banner(client, line);
	mcp_client_bad(client, line->total, request, why);
}

/* Returns why a response is invalid; NULL, and *answer, if it is valid. */
static const char *
mcp_client_read(const struct jsonrpc *message, struct mcp_answer *answer)
{
	struct json_span result = message->result.value;
	struct json_span error = message->error.value;
	int results = message->result.count;
	int errors = message->error.count;

	/* Older libraries write the other member, too, as null. */
	if (results == 1 && errors == 1) {
		errors = json_span_kind(error) != JSON_SPAN_NULL;
		results = json_span_kind(result) != JSON_SPAN_NULL;
	}
	if (results + errors != 1)
		return results + errors == 0
		    ? "it has neither a result nor an error"
		    : "it has more than one result or error";
	answer->outcome = results == 1 ? MCP_RESULT : MCP_ERROR;
	answer->value = results == 1 ? result : error;
	if (json_span_kind(answer->value) != JSON_SPAN_OBJECT)
		return results == 1 ? "its result is not an object"
		                    : "its error is not an object";
	return NULL;
}

/*
 * Whether a server may send this error for a notification, although it should
 * not.
 */
static int
mcp_client_of_notification(struct json_span error)
{
	struct json_span code;

	return json_span_get(error, "code", &code) == 1 && code.len == 6 &&
	    (memcmp(code.p, MCP_CLIENT_NO_METHOD, 6) == 0 ||
	        memcmp(code.p, MCP_CLIENT_NO_REQUEST, 6) == 0);
}

/*
 * Returns the request that an error without an id belongs to, because the
 * server could not read its id. That is certain if only one is in flight,
 * unless simple servers send such an error for the notification before it.
 */
static struct mcp_request *
mcp_client_unread(struct mcp_client *client, struct json_span value,
    const struct mcp_answer *answer)
{
	struct json_span id;

	if (answer->outcome != MCP_ERROR ||
	    (json_span_get(value, "id", &id) > 0 &&
	        json_span_kind(id) != JSON_SPAN_NULL))
		return NULL;
	if (client->noted != 0 && mcp_client_of_notification(answer->value)) {
		client->noted = 0;
		return NULL;
	}
	return client->count == 1 ? client->requests : NULL;
}

static void
mcp_client_response(struct mcp_client *client, struct json_span value,
    const struct jsonrpc *message)
{
	struct mcp_request *request = mcp_client_match(client, message->id);
	struct mcp_answer answer = { .outcome = MCP_BROKEN };
	const char *why = mcp_client_read(message, &answer);
	struct err err;

	/* Also if it comes too late: then the server is only slow. */
	client->silences = 0;
	if (request == NULL)
		request = mcp_client_unread(client, value, &answer);
	if (request == NULL) {
		request = mcp_client_meant(client, value, &err);
		why = request != NULL ? err.text : "no request has this id";
	}
	if (why != NULL)
		mcp_client_bad(client, value.len, request, why);
	else
		mcp_client_answer(client, request, &answer);
}

/* Neither a request nor a response. */
static void
mcp_client_invalid(
    struct mcp_client *client, struct json_span value, const char *why)
{
	struct mcp_request *request = NULL;
	auto_buffer struct buffer line = { 0 };
	struct json_span method, id;
	struct err err;

	/* Its question would wait for ever. */
	if (client->ready && json_span_get(value, "method", &method) > 0 &&
	    json_span_get(value, "id", &id) > 0) {
		jsonrpc_add_error(&line, (struct json_span){ NULL, 0 },
		    JSONRPC_INVALID_REQUEST, why, NULL);
		mcp_client_write(client, &line);
	}
	/* A message with a method has an id chosen by the server. */
	if (json_span_kind(value) == JSON_SPAN_OBJECT &&
	    json_span_get(value, "method", &method) == 0)
		request = mcp_client_meant(client, value, &err);
	if (request != NULL)
		why = "it has neither a result nor an error";
	mcp_client_bad(client, value.len, request, why);
}

/* The token of a call is its number, which some write as a string. */
static void
mcp_client_progress(struct mcp_client *client, struct json_span params)
{
	struct mcp_request *request;
	struct json_span token;

	if (params.len == 0 || json_span_kind(params) != JSON_SPAN_OBJECT ||
	    json_span_get(params, "progressToken", &token) != 1)
		return;
	request = mcp_client_find(client, mcp_client_named(token));
	if (request == NULL || !request->call)
		return;
	client->silences = 0;
	client->ends.progress(client->ends.ctx, request->ctx, params);
}

static void
mcp_client_told(
    struct mcp_client *client, const struct jsonrpc *message, void *call)
{
	if (json_span_is(message->method, "notifications/tools/list_changed"))
		client->ends.changed(client->ends.ctx);
	else if (json_span_is(message->method, "notifications/progress"))
		mcp_client_progress(client, message->params);
	else if (client->ready &&
	    json_span_is(message->method, "notifications/message"))
		(void)client->ends.asked(client->ends.ctx, message, call);
}

static void
mcp_client_message(struct mcp_client *client, struct json_span value)
{
	const struct mcp_request *related = NULL;
	struct jsonrpc message;
	struct json_span id;
	struct err err;
	auto_buffer struct buffer line = { 0 };
	void *call;

	jsonrpc_sort(value, &message, &err);
	/* A connector says which call it is for: that of its stream. */
	if (message.method.len > 0 &&
	    json_span_get(value, "relatedRequestId", &id) == 1)
		related = mcp_client_find(client, mcp_client_named(id));
	call = related != NULL && related->call ? related->ctx : NULL;
	switch (message.kind) {
	case JSONRPC_RESPONSE:
		mcp_client_response(client, value, &message);
		break;
	case JSONRPC_REQUEST:
		if (json_span_is(message.method, "ping"))
			jsonrpc_add_result(&line, message.id, "{}");
		else if (client->ready &&
		    client->ends.asked(client->ends.ctx, &message, call))
			break;
		else
			jsonrpc_add_error(&line, message.id,
			    JSONRPC_METHOD_NOT_FOUND,
			    "this client does not support this method", NULL);
		mcp_client_write(client, &line);
		break;
	case JSONRPC_NOTIFICATION:
		mcp_client_told(client, &message, call);
		break;
	case JSONRPC_INVALID:
		mcp_client_invalid(client, value, err.text);
		break;
	}
}

/* Several messages at once, which version 2025-03-26 allows. */
static void
mcp_client_batch(struct mcp_client *client, struct json_span batch)
{
	struct json_span_walk walk = json_span_walk(batch);
	struct json_span value;
	int n = 0;

	while (!client->unfit && json_span_next_element(&walk, &value)) {
		if (n++ == SERVER_BATCH_MAX) {
			mcp_client_bad(client, batch.len, NULL,
			    "it has too many messages in one array");
			return;
		}
		mcp_client_message(client, value);
	}
}

/*
 * Replaces the members of tools that are nested too deeply by an empty string,
 * which is no schema, so that the other tools of the list can be read.
 */
static void
mcp_client_prune(char *data, size_t len)
{
	size_t n, from = 0, depth = 0, deepest = 0;
	int quoted = 0;

	for (n = 0; n < len; n++) {
		if (quoted && data[n] == '\\') {
			n++;
		} else if (data[n] == '"') {
			quoted = !quoted;
		} else if (quoted) {
			continue;
		} else if (data[n] == '{' || data[n] == '[') {
			if (++depth == MCP_CLIENT_MEMBER_DEPTH)
				from = n;
			deepest = depth <= MCP_CLIENT_MEMBER_DEPTH ||
			        depth > deepest ? depth : deepest;
		} else if ((data[n] == '}' || data[n] == ']') && depth > 0 &&
		    depth-- == MCP_CLIENT_MEMBER_DEPTH &&
		    deepest > JSON_DEPTH_MAX) {
			memset(data + from, ' ', n + 1 - from);
			memset(data + from, '"', 2);
		}
	}
}

/*
 * Handles a line that cannot be parsed, if it is a list of which a part can.
 * Returns whether it was. The result of a call is never changed.
 */
static int
mcp_client_pruned(struct mcp_client *client, const struct line *line)
{
	struct json_span id = { NULL, 0 }, value;
	const struct mcp_request *request;
	auto_free char *data = NULL;
	struct err err;

	jsonrpc_glimpse_answered(
	    line->data, line->len, line->data, line->len, &id);
	request = mcp_client_find(client, mcp_client_named(id));
	if (request == NULL || request->call)
		return 0;
	data = mem_dup(line->data, line->len);
	mcp_client_prune(data, line->len);
	if (json_span_parse(data, line->len, &value, &err) == -1)
		return 0;
	mcp_client_message(client, value);
	return 1;
}

/* A byte order mark at the start, which some systems write, is ignored. */
static void
mcp_client_skip_mark(struct mcp_client *client, struct line *line)
{
	static const char mark[] = "\xef\xbb\xbf";
	size_t len = sizeof(mark) - 1;

	if (!client->heard && line->len >= len &&
	    memcmp(line->data, mark, len) == 0) {
		line->data += len;
		line->len -= len;
		line->total -= len;
	}
	client->heard = true;
}

void
mcp_client_line(struct mcp_client *client, const struct line *said)
{
	struct line line = *said;
	struct json_span value;
	struct err err;

	if (client->unfit)
		return;
	mcp_client_skip_mark(client, &line);
	if (line.oversized) {
		err_set(&err, "it has %zu bytes, above the limit of %lu MiB",
		    line.total, RESULT_MAX / MIB);
		mcp_client_unreadable(client, &line, err.text);
	} else if (json_span_parse(line.data, line.len, &value, &err) == -1) {
		if (!mcp_client_pruned(client, &line))
			mcp_client_unreadable(client, &line, err.text);
	} else if (json_span_kind(value) == JSON_SPAN_ARRAY) {
		mcp_client_batch(client, value);
	} else {
		mcp_client_message(client, value);
	}
}
