/*
 * The results of testing servers, for programs: see servers_try_json.h. Runs in
 * the supervisor.
 */
#include "../../../common/base/text_list.h"
#include "../../options/text/json_report.h"
#include "servers_try_json.h"

void
servers_try_json_answer(
    struct buffer *text, const struct broker_answer *answer)
{
	int works = answer->reason[0] == '\0';
	const char *tool;

	json_report_open(text, NULL, '{');
	json_report_text(text, "name", answer->name);
	json_report_text(text, "state", works ? "ok" : "failed");
	json_report_text(text, "reason", works ? NULL : answer->reason);
	json_report_number(text, "count", answer->count);
	json_report_number(text, "bytes", answer->bytes);
	json_report_open(text, "tools", '[');
	TEXT_LIST_EACH (tool, answer->tools, answer->tools_len)
		json_report_text(text, NULL, tool);
	json_report_close(text, ']');
	json_report_close(text, '}');
}

void
servers_try_json_left(struct buffer *text, const char *state,
    const char *name, const char *path, const char *why)
{
	json_report_open(text, NULL, '{');
	json_report_text(text, "name", name);
	json_report_text(text, "state", state);
	json_report_text(text, "path", path);
	json_report_text(text, "reason", why);
	json_report_close(text, '}');
}
