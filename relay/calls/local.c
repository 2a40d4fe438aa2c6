/*
 * The requests that the relay itself answers: an echo, a question about the
 * output, a picture, progress, and the response of a worker. Reads their
 * members, and calls the callback.
 */
#include <string.h>

#include "../../common/base/mem.h"
#include "../../common/base/utf8.h"
#include "../../common/response.h"
#include "calls.h"

/*
 * Reads a text of this name, which may be absent, and cuts it at most bytes.
 * One that is not UTF-8, or has a NUL, is refused. Returns 0, or -1 with err.
 */
static int
local_read_cut(const struct json_span_member *member, const char *words,
    size_t most, char *text, struct local_answer *answer, struct err *err)
{
	auto_free char *whole = NULL;
	size_t len = 0;

	if (member->count == 0)
		return 0;
	if (member_require(member, JSON_SPAN_STRING, err) == -1)
		return -1;
	if (member->value.len <= CLIENT_LINE_FACTOR * CODE_MAX)
		whole = json_span_string(member->value, &len, NULL);
	if (whole != NULL && strlen(whole) == len)
		memcpy(text, whole, utf8_cut(whole, len, most));
	else
		err_set(&answer->refusal, "%s must be text without NUL", words);
	return 0;
}

/* The text of an echo, or of a question about the output, which is freed. */
static int
local_read_text(const struct json_span_member *member, char **text, size_t *len,
    struct local_answer *answer, struct err *err)
{
	if (member_require(member, JSON_SPAN_STRING, err) == -1)
		return -1;
	if (member->value.len <= CLIENT_LINE_FACTOR * ECHO_MAX + 2)
		*text = json_span_string(member->value, len, NULL);
	if (*text == NULL || *len > ECHO_MAX)
		err_set(&answer->refusal, "the text of an echo has at most "
		    "%d bytes of UTF-8", (int)ECHO_MAX);
	return 0;
}

/* The answer is whether the code has printed nothing; its text is optional. */
static int
local_echo(struct relay *relay, const struct local_ends *ends,
    struct json_span payload, struct local_answer *answer, struct err *err)
{
	struct json_span_member member = { .name = "text" };
	auto_free char *text = NULL;
	size_t len = 0;

	json_span_members(payload, &member, 1);
	if (member.count != 0 &&
	    local_read_text(&member, &text, &len, answer, err) == -1)
		return -1;
	if (answer->refusal.text[0] == '\0')
		answer->value =
		    ends->echo(relay, text != NULL ? text : "", len);
	return 0;
}

static int
local_printed(struct relay *relay, const struct local_ends *ends,
    struct json_span payload, struct local_answer *answer, struct err *err)
{
	struct json_span_member member = { .name = "text" };
	auto_free char *text = NULL;
	size_t len = 0;

	json_span_members(payload, &member, 1);
	if (local_read_text(&member, &text, &len, answer, err) == -1)
		return -1;
	if (answer->refusal.text[0] == '\0')
		answer->value = ends->printed(relay, text, len);
	return 0;
}

static int
local_read_kind(const struct json_span_member *member, enum picture_kind *found,
    struct err *err)
{
	int kind;

	if (member_require(member, JSON_SPAN_STRING, err) == -1)
		return -1;
	for (kind = 0; kind < PICTURE_KINDS; kind++) {
		*found = (enum picture_kind)kind;
		if (json_span_is(member->value, picture_name(*found)))
			return 0;
	}
	return err_set(err, "a picture of an unknown kind");
}

/* A picture, of which only the members are checked here. */
static int
local_show(struct relay *relay, const struct local_ends *ends,
    struct json_span payload, struct local_answer *answer, struct err *err)
{
	struct json_span_member members[] = { { .name = "kind" },
		{ .name = "title" }, { .name = "data" } };
	struct request_picture picture = { 0 };

	json_span_members(payload, members, 3);
	if (local_read_kind(&members[0], &picture.kind, err) == -1 ||
	    local_read_cut(&members[1], "the title of a picture",
	        PICTURE_TITLE_MAX, picture.title, answer, err) == -1 ||
	    member_require(&members[2], JSON_SPAN_STRING, err) == -1)
		return -1;
	/* Accepted base64 has no escapes: it equals the text in the quotes. */
	picture.data = (struct json_span){ members[2].value.p + 1,
		members[2].value.len - 2 };
	answer->value = 1;
	if (answer->refusal.text[0] == '\0')
		ends->show(relay, &picture, &answer->refusal);
	return 0;
}

static int
local_read_amount(
    const struct json_span_member *member, uint64_t *amount, struct err *err)
{
	if (member_number(member, amount, err) == -1)
		return -1;
	return *amount <= PROGRESS_MAX ? 0 :
	    err_set(err, "a request with an invalid %s", member->name);
}

/* Progress has no result. */
static int
local_progress(struct relay *relay, const struct local_ends *ends,
    struct json_span payload, struct local_answer *answer, struct err *err)
{
	struct json_span_member members[] = { { .name = "done" },
		{ .name = "total" }, { .name = "text" } };
	struct request_progress progress = { 0 };

	json_span_members(payload, members, 3);
	if (local_read_amount(&members[0], &progress.done, err) == -1 ||
	    (members[1].count != 0 &&
	        local_read_amount(&members[1], &progress.total, err) == -1) ||
	    local_read_cut(&members[2], "the text of progress",
	        PROGRESS_TEXT_MAX, progress.text, answer, err) == -1)
		return -1;
	answer->value = 1;
	if (answer->refusal.text[0] == '\0')
		ends->tell(relay, &progress);
	return 0;
}

/* Finds the form of a response, and checks its body. */
static int
local_read_body(struct json_span form, struct ipc_response *message,
    struct err *err)
{
	const char *body = (const char *)message->body.data;
	enum response_form n;

	for (n = 0; n < RESPONSE_FORMS; n++)
		if (json_span_is(form, response_form_name(n)) &&
		    response_body_valid(n, body, message->body.len)) {
			message->form = n;
			return 0;
		}
	return err_set(err, "a response with an invalid body");
}

/* The answer is false for a response that is too large to be passed on. */
static int
local_response(struct relay *relay, const struct local_ends *ends,
    struct json_span payload, struct local_answer *answer, struct err *err)
{
	struct json_span_member members[] = { { .name = "status" },
		{ .name = "head" }, { .name = "form" }, { .name = "body" } };
	struct ipc_response message = { 0 };
	auto_free char *head = NULL, *body = NULL;
	size_t head_len = 0, len = 0;

	json_span_members(payload, members, 4);
	if (member_number(&members[0], &message.status, err) == -1 ||
	    member_require(&members[1], JSON_SPAN_STRING, err) == -1 ||
	    member_require(&members[2], JSON_SPAN_STRING, err) == -1 ||
	    member_require(&members[3], JSON_SPAN_STRING, err) == -1)
		return -1;
	head = json_span_string(members[1].value, &head_len, NULL);
	body = json_span_string(members[3].value, &len, NULL);
	if (message.status < RESPONSE_STATUS_LEAST ||
	    message.status > RESPONSE_STATUS_MAX || head == NULL ||
	    head_len > RESPONSE_HEAD_MAX || strlen(head) != head_len ||
	    !response_head_valid(head) || body == NULL)
		return err_set(err, "a response with an invalid head or body");
	message.head = head;
	message.body = (struct ipc_blob){ (const uint8_t *)body, len, -1 };
	if (local_read_body(members[2].value, &message, err) == -1)
		return -1;
	answer->value = ends->respond(relay, &message);
	return 0;
}

local_request *
local_find(struct json_span type)
{
	static const struct {
		const char *name;
		local_request *answer;
	} rows[] = { { "echo", local_echo }, { "printed", local_printed },
		{ "show", local_show }, { "progress", local_progress },
		{ "response", local_response } };
	size_t n;

	for (n = 0; n < sizeof(rows) / sizeof(rows[0]); n++)
		if (json_span_is(type, rows[n].name))
			return rows[n].answer;
	return NULL;
}
