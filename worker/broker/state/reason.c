/* The sentences of refusals: see state.h. */
#include <inttypes.h>
#include <string.h>

#include "../../../common/limits.h"
#include "../../../common/mask.h"
#include "../../../common/base/mem.h"
#include "../../../common/base/utf8.h"
#include "state.h"

#define REASON_CUT " [...]"

/*
 * Appends valid UTF-8; kept lists the control characters that are not escaped.
 */
static void
reason_add_plain(
    struct buffer *reason, const char *text, size_t len, const char *kept)
{
	char shown[UTF8_ESCAPE_SIZE];
	size_t n, size;

	for (n = 0; n < len; n += size) {
		size = utf8_shown(text + n, len - n, shown);
		if (text[n] != '\0' && strchr(kept, text[n]) != NULL)
			buffer_add(reason, text + n, 1);
		else if (text[n] != '\r')
			buffer_add_text(reason, shown);
	}
}

static void
reason_add(struct buffer *reason, const char *data, size_t len,
    const char *kept)
{
	auto_free char *repaired = mem_alloc(UTF8_REPAIR_FACTOR * len);

	reason_add_plain(
	    reason, repaired, utf8_repair(data, len, repaired), kept);
}

void
reason_add_text(struct buffer *reason, const char *data, size_t len)
{
	reason_add(reason, data, len, "\n\t");
}

void
reason_add_name(struct buffer *reason, const char *name)
{
	buffer_add_text(reason, "\"");
	reason_add(reason, name, strlen(name), "");
	buffer_add_text(reason, "\"");
}

void
reason_add_stopped(struct buffer *reason, const char *why)
{
	buffer_add_text(reason, "was stopped: ");
	reason_add_text(reason, why, strlen(why));
}

void
reason_add_seconds(struct buffer *reason, uint64_t seconds)
{
	buffer_printf(reason, "%" PRIu64 " %s", seconds,
	    seconds == 1 ? "second" : "seconds");
}

void
reason_add_string(struct buffer *reason, struct json_span string,
    const struct buffer *masks)
{
	static const struct buffer none = { 0 };
	auto_buffer struct buffer shown = { 0 };
	size_t len;
	auto_free char *text = json_span_string(string, &len, NULL);

	if (text == NULL) {
		text = mem_alloc(string.len);
		len = json_span_decode(string, text);
	}
	mask_text(&shown, masks != NULL ? masks : &none, text, len,
	    REFUSED_FOREIGN_MAX);
	reason_add_text(reason, shown.data,
	    utf8_cut(shown.data, shown.len, REFUSED_FOREIGN_MAX));
	if (shown.len > REFUSED_FOREIGN_MAX)
		buffer_add_text(reason, REASON_CUT);
}

void
reason_add_error(struct buffer *reason, struct json_span error,
    const struct buffer *masks)
{
	struct json_span member;

	if (json_span_get(error, "message", &member) > 0 &&
	    json_span_kind(member) == JSON_SPAN_STRING)
		reason_add_string(reason, member, masks);
	else
		buffer_add_text(reason, "an error without a message");
	/* JSON has no limit on the digits of a number. */
	if (json_span_get(error, "code", &member) > 0 &&
	    json_span_kind(member) == JSON_SPAN_NUMBER && member.len <= 20)
		buffer_printf(
		    reason, " (code %.*s)", (int)member.len, member.p);
}

void
reason_fit(struct buffer *reason)
{
	if (reason->len <= REFUSED_REASON_MAX)
		return;
	reason->len = utf8_cut(reason->data, reason->len, REFUSED_REASON_MAX);
	reason->data[reason->len] = '\0';
}
