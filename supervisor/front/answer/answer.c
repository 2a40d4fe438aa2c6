/*
 * The result of a call as MCP specifies it: a text for the model, with the
 * pictures where the code displayed them; the structured form, if requested;
 * and _meta for programs, which the model need not read. Output mode "compact"
 * omits fields without information. The other modes have every field; their
 * text is one fenced block.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../common/json/json.h"
#include "../../../common/base/mem.h"
#include "../../../common/base/text_list.h"
#include "answer.h"
#include "../../run/run.h"
#include "../../process/process.h"

struct answer_style
answer_style(const struct options *options)
{
	return (struct answer_style){
		.mode = (enum answer_mode)options->output_mode,
		.word = options_word(options, OPTION_ID_OUTPUT_MODE),
		.max_output = options->max_output,
		.sessions = options_argument(options, ARGUMENT_SESSION),
		.structured = options->structured ||
		    options->output_mode != ANSWER_COMPACT,
	};
}

/* Returns one line about the result, for people; the caller frees it. */
static char *
answer_summary(const struct call_result *result)
{
	if (result->status == CALL_TIMEOUT)
		return mem_printf("Timeout: execution exceeded %us",
		    result->timeout);
	if (result->status != CALL_SUCCESS)
		return mem_printf("Sandbox error: %s", result->error);
	if (result->out.len == 0 && result->errors.len == 0 &&
	    result->response.status == 0)
		return mem_strdup("Success (no output)");
	return mem_strdup("Success");
}

/* The advice for code with too much output. */
#define ANSWER_LESS "select, count or summarise in the code, and print that"

/* Returns how code reads what is kept of a stream; the caller frees it. */
static char *
answer_kept(const struct call_result *result, const struct call_stream *stream)
{
	if (result->kept == CALL_KEPT_NONE)
		return mem_strdup("");
	/* The store keeps it after the answer has left, if it can. */
	return mem_printf("; for up to " LIMIT_TEXT(OUTPUT_KEPT_HOURS)
	    " h, runtime.output(\"%s\"%s) has %s "
	    "or says why not",
	    result->id, stream == &result->errors ? ", \"stderr\"" : "",
	    result->kept == CALL_KEPT_ALL ? "all of it" : "its start");
}

/*
 * Returns the text in place of the dropped part of a stream; the caller frees
 * it. In compact mode, another text at the end says how to read what is kept.
 */
static char *
answer_cut(const struct call_result *result, const struct call_stream *stream,
    const struct answer_style *style)
{
	auto_free char *kept = style->mode == ANSWER_COMPACT ?
	    mem_strdup("") : answer_kept(result, stream);

	return mem_printf("[... %llu bytes cut here, as a stream may have "
	    "%llu: " ANSWER_LESS "%s ...]",
	    (unsigned long long)stream->dropped,
	    (unsigned long long)style->max_output, kept);
}

/* The text of compact mode */

/* Appends bytes, and a newline if the last one is missing. */
static void
answer_add_lines(struct buffer *text, const char *data, size_t len)
{
	buffer_add(text, data, len);
	if (text->len > 0 && text->data[text->len - 1] != '\n')
		buffer_add_text(text, "\n");
}

/*
 * Returns the position in the text where the tail of the stream, after the
 * dropped part, begins.
 */
static size_t
answer_add_stream(struct buffer *text, const struct call_result *result,
    const struct call_stream *stream, const struct answer_style *style)
{
	auto_free char *cut = NULL;
	size_t tail;

	if (stream->dropped == 0) {
		answer_add_lines(text, stream->data, stream->len);
		return text->len;
	}
	cut = answer_cut(result, stream, style);
	answer_add_lines(text, stream->data, stream->head);
	buffer_printf(text, "%s\n", cut);
	tail = text->len;
	answer_add_lines(
	    text, stream->data + stream->head, stream->len - stream->head);
	return tail;
}

/* Adds standard output, and the positions of its pictures in the text. */
static void
answer_add_out(struct buffer *text, const struct call_result *result,
    const struct answer_style *style, size_t *places)
{
	size_t n, at, base = text->len, head = result->out.head;
	size_t tail = answer_add_stream(text, result, &result->out, style);

	for (n = 0; n < result->pictures.count; n++) {
		at = result->pictures.one[n].at;
		places[n] = at <= head ? base + at : tail + (at - head);
	}
}

/* Repeats the cut at the end: of a long text, a reader may see only that. */
static void
answer_add_missing(struct buffer *text, const struct call_result *result,
    const struct call_stream *stream, const char *name)
{
	auto_free char *kept = answer_kept(result, stream);

	if (stream->dropped > 0)
		buffer_printf(text, "\n[... %llu bytes of %s were cut above: "
		    ANSWER_LESS "%s ...]",
		    (unsigned long long)stream->dropped, name, kept);
}

/*
 * Returns whether the error only repeats the exit code, which comes before it.
 */
static int
answer_is_exit(const struct call_result *result)
{
	auto_free char *said = mem_printf(CALL_EXITED, result->exit_code);

	return result->exited && strcmp(result->error, said) == 0;
}

/*
 * Returns whether it names the calls of tools: code that failed is often run
 * again, which would make them twice.
 */
static int
answer_has_calls(const struct call_result *result)
{
	return result->status != CALL_SUCCESS && result->calls != NULL;
}

static struct file_link
answer_file_link(const struct call_file *file)
{
	return (struct file_link){ file->name, file->version, file->size,
		file->type, file->conversation, NULL };
}

/*
 * The kept files, for a model whose client does not display links to them. If
 * the client does not support links, the URI is added.
 */
static void
answer_add_file_lines(struct buffer *text, const struct call_files *files,
    const struct answer_style *style)
{
	size_t i;

	for (i = 0; i < files->count; i++) {
		const struct file_link link = answer_file_link(&files->one[i]);

		buffer_add_text(text, "\n");
		file_link_add_line(text, &link, files->scope);
		if (files->one[i].cut)
			buffer_add_text(text, " may be incomplete");
		if (!style->linking) {
			buffer_add_text(text, " ");
			file_link_add_uri(text, &link);
		}
		if (files->one[i].url != NULL)
			buffer_printf(text, " %s", files->one[i].url);
	}
}

void
answer_add_age(struct buffer *text, uint64_t ms)
{
	uint64_t s = ms / 1000;

	if (s < 120)
		buffer_printf(text, "%llu s", (unsigned long long)s);
	else if (s < 7200)
		buffer_printf(text, "%llu min", (unsigned long long)(s / 60));
	else
		buffer_printf(text, "%llu h", (unsigned long long)(s / 3600));
}

/* Adds what has become of the state that a session keeps. */
static void
answer_add_state(struct buffer *text, const struct call_session *session)
{
	if (session->interrupted && session->ended == NULL)
		buffer_add_text(
		    text, "; the code was interrupted, the state is kept");
	if (session->ended != NULL)
		buffer_printf(text, "; it has ended: %s; its state is lost, "
		    "and the next call of this name begins a new one",
		    session->ended);
	if (session->threads == 1)
		buffer_printf(text, "; 1 thread %s", session->threaded ?
		    "still runs" : "is stopped until the next call");
	else if (session->threads > 1)
		buffer_printf(text, "; %llu threads %s",
		    (unsigned long long)session->threads, session->threaded ?
		    "still run" : "are stopped until the next call");
	if (session->late > 0)
		buffer_printf(text, "; output between two calls was dropped "
		    "(%llu %s)", (unsigned long long)session->late,
		    session->late == 1 ? "byte" : "bytes");
}

/* Adds in a few words how old the session is, and what is left of it. */
static void
answer_add_session(struct buffer *text, const struct call_session *session)
{
	if (session->calls == 1 && session->earlier != NULL)
		buffer_printf(text, "new, as the one before has ended: %s",
		    session->earlier);
	else if (session->calls == 1)
		buffer_add_text(text, "new, as there was none of this name "
		    "since Caisson started");
	else
		buffer_printf(text, "call %lu, ", session->calls);
	if (session->calls > 1) {
		if (session->age_ms < 1000)
			buffer_add_text(text, "under 1 s");
		else
			answer_add_age(text, session->age_ms);
		buffer_add_text(text, " old");
	}
	answer_add_state(text, session);
}

static void
answer_add_text(struct buffer *text, const struct call_result *result,
    const struct answer_style *style, size_t *places)
{
	auto_free char *summary = answer_summary(result);
	const char *note;

	if (result->status != CALL_SUCCESS)
		buffer_printf(
		    text, "status: %s\n", call_status_word(result->status));
	if (result->status != CALL_SUCCESS && result->exited)
		buffer_printf(text, "exit: %d\n", result->exit_code);
	answer_add_out(text, result, style, places);
	if (result->errors.len > 0) {
		buffer_add_text(text, "stderr:\n");
		answer_add_stream(text, result, &result->errors, style);
	}
	response_add_text(text, &result->response);
	if (result->error != NULL && !answer_is_exit(result))
		buffer_printf(text, "error: %s\n", result->error);
	if (answer_has_calls(result))
		buffer_printf(text, "calls made: %s\n", result->calls);
	if (text->len == 0)
		buffer_add_text(text, summary);
	/* The last newline has no information. */
	else if (text->data[text->len - 1] == '\n')
		text->len--;
	answer_add_missing(text, result, &result->out, "stdout");
	answer_add_missing(text, result, &result->errors, "stderr");
	answer_add_file_lines(text, &result->files, style);
	if (result->facts.weak != NULL)
		buffer_printf(text, "\nisolation: weak (%s)",
		    result->facts.weak);
	if (result->session.name != NULL) {
		buffer_add_text(text, "\nsession: ");
		answer_add_session(text, &result->session);
	}
	TEXT_LIST_EACH (note, result->notes, result->notes_len)
		buffer_printf(text, "\nnote: %s", note);
}

/* The fields */

/* Takes a line off the start of a text, without its newline. */
static size_t
answer_next_line(const char **data, size_t *len)
{
	const char *newline = memchr(*data, '\n', *len);
	size_t part = newline == NULL ? *len : (size_t)(newline - *data);
	size_t taken = part + (newline != NULL);

	*data += taken;
	*len -= taken;
	return part;
}

static size_t
answer_count_lines(const char *data, size_t len)
{
	size_t count;

	for (count = 0; len > 0; count++)
		answer_next_line(&data, &len);
	return count;
}

/* Appends the lines of a text as strings, split at newlines only. */
static void
answer_add_items(struct answer_form *form, const char *data, size_t len)
{
	const char *line;
	size_t part;

	while (len > 0) {
		line = data;
		part = answer_next_line(&data, &len);
		answer_form_add_item(form, line, part);
	}
}

/* Adds the lines of a stream; the cut, if any, is one of them, at its place. */
static void
answer_add_array(struct answer_form *form, const char *name,
    const struct call_stream *stream, const char *cut)
{
	const char *tail = stream->data + stream->head;
	size_t tail_len = stream->len - stream->head;

	if (stream->len == 0)
		return;
	/* The text before and after the cut was not one line. */
	answer_form_open_array(form, name,
	    answer_count_lines(stream->data, stream->head) +
		(cut != NULL) + answer_count_lines(tail, tail_len));
	answer_add_items(form, stream->data, stream->head);
	if (cut != NULL)
		answer_form_add_item(form, cut, strlen(cut));
	answer_add_items(form, tail, tail_len);
	answer_form_close_array(form);
}

/* Adds texts, each + NUL, as an array if there are any. */
static void
answer_add_texts(
    struct answer_form *form, const char *name, const char *texts, size_t len)
{
	size_t count = text_list_count(texts, len);
	const char *text;

	if (count == 0)
		return;
	answer_form_open_array(form, name, count);
	TEXT_LIST_EACH (text, texts, len)
		answer_form_add_item(form, text, strlen(text));
	answer_form_close_array(form);
}

/* Adds the URIs of kept files, for resources/read, each before its link. */
static void
answer_add_files(struct answer_form *form, const struct call_files *files)
{
	auto_buffer struct buffer uri = { 0 };
	size_t i, links = 0;

	for (i = 0; i < files->count; i++)
		links += files->one[i].url != NULL;
	if (files->count == 0)
		return;
	answer_form_open_array(form, "files", files->count + links);
	for (i = 0; i < files->count; i++) {
		const struct file_link link = answer_file_link(&files->one[i]);
		const char *url = files->one[i].url;

		buffer_reset(&uri);
		file_link_add_uri(&uri, &link);
		answer_form_add_item(form, uri.data, uri.len);
		if (url != NULL)
			answer_form_add_item(form, url, strlen(url));
	}
	answer_form_close_array(form);
}

static void
answer_add_truncated(struct answer_form *form, const char *name,
    const struct call_result *result)
{
	if (result->out.dropped == 0 && result->errors.dropped == 0)
		return;
	answer_form_open_object(form, name);
	if (result->out.dropped > 0)
		answer_form_add_number(
		    form, "stdout", (long long)result->out.dropped);
	if (result->errors.dropped > 0)
		answer_form_add_number(
		    form, "stderr", (long long)result->errors.dropped);
	answer_form_close_object(form);
}

static void
answer_add_signal(struct answer_form *form, const char *name,
    const struct call_result *result)
{
	auto_free char *word = NULL;

	if (result->signal == 0)
		return;
	word = signal_name(result->signal);
	answer_form_add_text(form, name, word);
}

/* Adds how it ended; compact: only if other fields do not show that. */
static void
answer_add_end(struct answer_form *form, const struct call_result *result,
    int compact)
{
	auto_free char *summary = answer_summary(result);
	int said = compact && result->status == CALL_SUCCESS;

	if (!said)
		answer_form_add_text(
		    form, "status", call_status_word(result->status));
	if (!said || (result->out.len == 0 && result->errors.len == 0))
		answer_form_add_text(form, "summary", summary);
	if (!said && result->exited)
		answer_form_add_number(form, "exitCode", result->exit_code);
	answer_add_signal(form, "signal", result);
}

/* Adds the streams, with their cuts if the reader has no other source. */
static void
answer_add_streams(struct answer_form *form, const struct call_result *result,
    const struct answer_style *style, int cuts)
{
	auto_free char *out = NULL, *errors = NULL;

	if (cuts && result->out.dropped > 0)
		out = answer_cut(result, &result->out, style);
	if (cuts && result->errors.dropped > 0)
		errors = answer_cut(result, &result->errors, style);
	answer_add_array(form, "stdout", &result->out, out);
	answer_add_array(form, "stderr", &result->errors, errors);
}

/*
 * A field of an answer has a line here, in answer_add_text (compact) and in
 * tool_schema_output; a figure has one in answer_add_costs, under _meta.
 */
static void
answer_add_fields(struct answer_form *form, const struct call_result *result,
    const struct answer_style *style, int cuts)
{
	int compact = style->mode == ANSWER_COMPACT;
	auto_buffer struct buffer session = { 0 };

	answer_form_open_object(form, NULL);
	answer_add_end(form, result, compact);
	/* The names in the request. */
	answer_add_texts(form, "servers", result->servers, result->servers_len);
	answer_add_streams(form, result, style, cuts);
	response_add_fields(form, &result->response);
	if (result->error != NULL)
		answer_form_add_text(form, "error", result->error);
	if (answer_has_calls(result))
		answer_form_add_text(form, "calls", result->calls);
	if (result->status == CALL_TIMEOUT)
		answer_form_add_number(form, "timeoutSeconds", result->timeout);
	answer_add_truncated(form, "truncated", result);
	answer_add_files(form, &result->files);
	if (result->facts.weak != NULL)
		answer_form_add_text(form, "isolation", "weak");
	if (result->session.name != NULL) {
		answer_add_session(&session, &result->session);
		answer_form_add_text(form, "session", session.data);
	}
	answer_add_texts(form, "notes", result->notes, result->notes_len);
	answer_form_close_object(form);
}

/* The text of the other modes: the fields in a fenced block */

static enum answer_form_kind
answer_form(const struct answer_style *style)
{
	return style->mode == ANSWER_TOON ? FORM_TOON : FORM_PRETTY;
}

/* Returns the length of a fence that does not occur in the block. */
static size_t
answer_fence(const struct buffer *block)
{
	size_t i, run = 0, longest = ANSWER_FENCE_MIN - 1;

	for (i = 0; i < block->len; i++) {
		run = block->data[i] == '`' ? run + 1 : 0;
		if (run > longest)
			longest = run;
	}
	return longest + 1;
}

static void
answer_add_block(struct buffer *text, const struct buffer *block,
    const struct answer_style *style)
{
	size_t len = answer_fence(block);
	auto_free char *fence = mem_alloc(len + 1);

	memset(fence, '`', len);
	fence[len] = '\0';
	buffer_printf(text, "%s%s\n", fence, style->word);
	buffer_add(text, block->data, block->len);
	buffer_printf(text, "\n%s", fence);
}

/* For programs: _meta */

/* Adds it in full with a first answer, and after a change. */
static void
answer_add_isolation(struct buffer *json, const struct box_facts *facts,
    const struct answer_style *style)
{
	auto_buffer struct buffer whole = { 0 };

	buffer_add_text(json, ",\"caisson/isolation\":");
	box_facts_add(&whole, facts);
	if (style->isolation != NULL && *style->isolation != NULL &&
	    strcmp(*style->isolation, whole.data) == 0) {
		box_facts_add_short(json, facts);
		return;
	}
	buffer_add(json, whole.data, whole.len);
	if (style->isolation == NULL)
		return;
	free(*style->isolation);
	*style->isolation = mem_strdup(whole.data);
}

/* Adds the limits and the resources used, as further members. */
static void
answer_add_costs(struct buffer *json, const struct call_result *result,
    const struct answer_style *style)
{
	answer_add_isolation(json, &result->facts, style);
	buffer_printf(json, ",\"caisson/durationMs\":%.3f",
	    (double)result->duration_us / 1000);
	buffer_printf(json, ",\"caisson/cpuMs\":%.3f",
	    (double)result->cpu_us / 1000);
	/* That of one call of a session is unknown while its box stays. */
	if (result->session.name == NULL || result->peak_kib > 0)
		buffer_printf(json, ",\"caisson/peakMemoryKiB\":%llu",
		    (unsigned long long)result->peak_kib);
	buffer_printf(json, ",\"caisson/toolCalls\":%llu",
	    (unsigned long long)result->tool_calls);
}

/*
 * Adds whether the box was fresh, and the session that keeps it. Where calls
 * cannot name sessions, each box is fresh, and nothing is added.
 */
static void
answer_add_session_meta(struct buffer *json, const struct call_result *result,
    const struct answer_style *style)
{
	const struct call_session *session = &result->session;

	if (session->name == NULL) {
		if (style->sessions && result->boxed)
			buffer_add_text(
			    json, ",\"caisson/session\":{\"fresh\":true}");
		return;
	}
	buffer_add_text(json, ",\"caisson/session\":{\"name\":");
	json_add_text(json, session->name);
	buffer_printf(json, ",\"fresh\":%s,\"call\":%lu,\"ageMs\":%llu,"
	    "\"threads\":%llu,\"lateBytes\":%llu,\"kept\":%s}",
	    session->calls == 1 ? "true" : "false", session->calls,
	    (unsigned long long)session->age_ms,
	    (unsigned long long)session->threads,
	    (unsigned long long)session->late,
	    session->ended == NULL ? "true" : "false");
}

static void
answer_add_meta(struct buffer *json, const struct call_result *result,
    const struct answer_style *style)
{
	struct answer_form form = { json, FORM_LINE, 0 };

	answer_form_open_object(&form, NULL);
	answer_form_add_text(
	    &form, "caisson/status", call_status_word(result->status));
	if (result->id != NULL)
		answer_form_add_text(&form, "caisson/execution", result->id);
	if (result->exited)
		answer_form_add_number(
		    &form, "caisson/exitCode", result->exit_code);
	answer_add_signal(&form, "caisson/signal", result);
	if (result->status == CALL_TIMEOUT)
		answer_form_add_number(
		    &form, "caisson/timeoutSeconds", result->timeout);
	answer_add_texts(&form, "caisson/servers", result->servers,
	    result->servers_len);
	answer_add_truncated(&form, "caisson/truncated", result);
	if (result->boxed)
		answer_add_costs(json, result, style);
	answer_add_session_meta(json, result, style);
	answer_form_close_object(&form);
}

/*
 * Adds the text, in the configured mode, and sets the positions of the
 * pictures: after the text if that is one block.
 */
static void
answer_add_result_text(struct buffer *text, const struct call_result *result,
    const struct answer_style *style, size_t *places)
{
	auto_buffer struct buffer block = { 0 };
	struct answer_form form = { &block, answer_form(style), 0 };
	size_t n;

	if (style->mode == ANSWER_COMPACT) {
		answer_add_text(text, result, style, places);
		return;
	}
	answer_add_fields(&form, result, style, 1);
	answer_add_block(text, &block, style);
	for (n = 0; n < result->pictures.count; n++)
		places[n] = text->len;
}

/* The content: text and pictures in order */

static void
answer_add_text_part(struct buffer *json, const char *data, size_t len)
{
	buffer_add_text(json, "{\"type\":\"text\",\"text\":");
	json_add_string(json, data, len);
	buffer_add_text(json, "}");
}

/* Base64 contains no character that JSON must escape. */
static void
answer_add_image(struct buffer *json, const struct call_picture *picture)
{
	buffer_add_text(json, "{\"type\":\"image\",\"data\":\"");
	buffer_add(json, picture->data, picture->len);
	buffer_printf(json, "\",\"mimeType\":\"%s\"}",
	    picture_mime(picture->kind));
}

/* The newline at the end of a part of the text is omitted. */
static void
answer_add_content(struct buffer *json, const struct buffer *text,
    const struct call_pictures *pictures, const size_t *places)
{
	size_t n, to, from = 0;

	for (n = 0; n < pictures->count; n++) {
		to = places[n] < text->len ? places[n] : text->len;
		if (to > from) {
			answer_add_text_part(json, text->data + from,
			    to - from - (text->data[to - 1] == '\n'));
			buffer_add_text(json, ",");
		}
		answer_add_image(json, &pictures->one[n]);
		from = to;
		if (n + 1 < pictures->count || from < text->len)
			buffer_add_text(json, ",");
	}
	if (from < text->len || pictures->count == 0)
		answer_add_text_part(json, text->data + from, text->len - from);
}

void
answer_add(struct buffer *buffer, const struct call_result *result,
    const struct answer_style *style)
{
	auto_buffer struct buffer text = { 0 };
	struct answer_form form = { buffer, FORM_LINE, 0 };
	size_t places[PICTURES_MAX];

	answer_add_result_text(&text, result, style, places);
	buffer_add_text(buffer, "{\"content\":[");
	answer_add_content(buffer, &text, &result->pictures, places);
	if (style->linking) {
		size_t i;

		/* Added after all other content. */
		for (i = 0; i < result->files.count; i++) {
			const struct file_link link =
			    answer_file_link(&result->files.one[i]);

			buffer_add_text(
			    buffer, ",{\"type\":\"resource_link\",");
			file_link_add_members(buffer, &link);
			buffer_add_text(buffer, "}");
		}
	}
	buffer_add_text(buffer, "]");
	if (style->structured) {
		buffer_add_text(buffer, ",\"structuredContent\":");
		answer_add_fields(&form, result, style, 0);
	}
	buffer_printf(buffer, ",\"isError\":%s,\"_meta\":",
	    result->status == CALL_SUCCESS ? "false" : "true");
	answer_add_meta(buffer, result, style);
	buffer_add_text(buffer, "}");
}

/* A call that was refused before it ran */

static void
answer_add_refusal_fields(
    struct answer_form *form, const char *status, const char *message)
{
	auto_free char *summary = NULL;

	if (strcmp(status, "validation_error") == 0)
		summary = mem_strdup(message);
	else
		summary = mem_printf("Sandbox error: %s", message);
	answer_form_open_object(form, NULL);
	answer_form_add_text(form, "status", status);
	answer_form_add_text(form, "summary", summary);
	answer_form_add_text(form, "error", message);
	answer_form_close_object(form);
}

static void
answer_add_refusal_text(struct buffer *text, const char *status,
    const char *message, const struct answer_style *style)
{
	auto_buffer struct buffer block = { 0 };
	struct answer_form form = { &block, answer_form(style), 0 };

	if (style->mode == ANSWER_COMPACT) {
		buffer_printf(text, "status: %s\nerror: %s", status, message);
		return;
	}
	answer_add_refusal_fields(&form, status, message);
	answer_add_block(text, &block, style);
}

void
answer_add_refusal(struct buffer *buffer, const char *status,
    const char *message, const struct answer_style *style)
{
	auto_buffer struct buffer text = { 0 };
	struct answer_form form = { buffer, FORM_LINE, 0 };

	answer_add_refusal_text(&text, status, message, style);
	buffer_add_text(buffer, "{\"content\":[{\"type\":\"text\",\"text\":");
	json_add_string(buffer, text.data, text.len);
	buffer_add_text(buffer, "}]");
	if (style->structured) {
		buffer_add_text(buffer, ",\"structuredContent\":");
		answer_add_refusal_fields(&form, status, message);
	}
	buffer_printf(buffer, ",\"isError\":true,"
	    "\"_meta\":{\"caisson/status\":\"%s\"}}", status);
}
