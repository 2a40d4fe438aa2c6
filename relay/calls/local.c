/*
 * The requests that the relay itself answers: an echo, a question about the
 * output, a picture, and progress. Reads their members, and calls the callback.
 * Runs in the relay.
 */
#include <string.h>

#include "../../common/base/mem.h"
#include "../../common/base/utf8.h"
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

local_request *
local_find(struct json_span type)
{
	static const struct {
		const char *name;
		local_request *answer;
	} rows[] = { { "echo", local_echo }, { "printed", local_printed },
		{ "show", local_show }, { "progress", local_progress } };
	size_t n;

	for (n = 0; n < sizeof(rows) / sizeof(rows[0]); n++)
		if (json_span_is(type, rows[n].name))
			return rows[n].answer;
	return NULL;
}
