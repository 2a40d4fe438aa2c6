/* Progress notifications of a call: see tool.h. */
#include <stdlib.h>

#include "../../../common/json/json.h"
#include "../../../common/limits.h"
#include "../../../common/base/mem.h"
#include "tool.h"

/* Further ones would have numbers that the code can report. */
#define TOOL_PROGRESS_SHOWN_MAX 998

void
tool_progress_read(struct tool_progress *progress, struct json_span params)
{
	struct json_span meta, token;

	tool_progress_reset(progress);
	if (json_span_get(params, "_meta", &meta) == 1 &&
	    json_span_kind(meta) == JSON_SPAN_OBJECT &&
	    json_span_get(meta, "progressToken", &token) == 1 &&
	    token.len <= CLIENT_ID_MAX &&
	    (json_span_kind(token) == JSON_SPAN_STRING ||
	        json_span_kind(token) == JSON_SPAN_NUMBER))
		progress->token = mem_dup(token.p, token.len);
}

void
tool_progress_reset(struct tool_progress *progress)
{
	free(mem_take(&progress->token));
}

/* Appends a number given in thousandths. */
static void
tool_progress_add_number(struct buffer *json, uint64_t thousandths)
{
	static const uint64_t units[] = { 100, 10, 1 };
	uint64_t rest = thousandths % 1000;
	size_t n;

	buffer_printf(json, "%llu%s", (unsigned long long)thousandths / 1000,
	    rest > 0 ? "." : "");
	for (n = 0; rest > 0; n++) {
		buffer_printf(json, "%llu",
		    (unsigned long long)(rest / units[n]));
		rest %= units[n];
	}
}

/*
 * Appends the number of a report; it must increase. Output so far comes before
 * any number of the code, so that it counts in millionths: less than the code
 * can report.
 */
static void
tool_progress_add_done(struct tool_progress *progress, struct buffer *json,
    const struct box_progress *report)
{
	if (report->done > 0 ||
	    (report->output == NULL && progress->shown == 0))
		tool_progress_add_number(json, report->done);
	else
		buffer_printf(json, "0.%06u", ++progress->shown);
}

/* Appends the message of a report, if there is one. */
static void
tool_progress_add_message(
    struct buffer *json, const struct box_progress *report)
{
	size_t len = report->output_len;

	if (report->output == NULL && report->text[0] == '\0')
		return;
	buffer_add_text(json, ",\"message\":");
	if (report->output == NULL) {
		json_add_text(json, report->text);
		return;
	}
	/* As in the answer, the last newline has no information. */
	if (report->output[len - 1] == '\n')
		len--;
	json_add_string(json, report->output, len);
}

int
tool_progress_add(struct tool_progress *progress,
    const struct box_progress *report, struct buffer *params)
{
	if (report->output != NULL ?
	    progress->shown == TOOL_PROGRESS_SHOWN_MAX :
	    report->done < progress->told)
		return 0;
	if (report->output == NULL)
		progress->told = report->done + 1;
	buffer_printf(params, "{\"progressToken\":%s,\"progress\":",
	    progress->token);
	tool_progress_add_done(progress, params, report);
	if (report->total > 0) {
		buffer_add_text(params, ",\"total\":");
		tool_progress_add_number(params, report->total);
	}
	tool_progress_add_message(params, report);
	buffer_add_text(params, "}");
	return 1;
}
