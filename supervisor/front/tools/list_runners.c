/*
 * The tool list_runners: tests which languages work here, by running code in
 * each that prints its version.
 */
#include <stdlib.h>
#include <string.h>

#include "../../../common/json/json.h"
#include "../../../common/base/mem.h"
#include "../../box/box.h"
#include "../../box/shared/language.h"
#include "../answer/answer.h"
#include "tool.h"

/* The results so far. */
struct runners {
	size_t next; /* the current language */
	struct buffer work; /* JSON, one object per working language */
	struct buffer fail; /* the same for the others */
};

static void
list_runners_free(void *kept)
{
	struct runners *runners = kept;

	buffer_reset(&runners->work);
	buffer_reset(&runners->fail);
	free(runners);
}

static void
list_runners_describe(struct buffer *json, const struct options *)
{
	buffer_add_text(json, "{\"name\":\"list_runners\","
	    "\"title\":\"List languages\",\"description\":"
	    "\"List the languages that run_code takes here, with their "
	    "versions, and what is missing for the others.\","
	    "\"inputSchema\":{\"type\":\"object\",\"properties\":{},"
	    "\"additionalProperties\":false},"
	    "\"annotations\":{\"readOnlyHint\":true,"
	    "\"openWorldHint\":false}}");
}

static void
list_runners_add(struct buffer *json, const char *name, const char *text)
{
	buffer_printf(json, ",\"%s\":", name);
	json_add_text(json, text);
}

/* Adds the result of a language. */
static void
list_runners_note(struct runners *runners, const struct language *language,
    const struct call_result *result, const char *runtime, const char *fix)
{
	int works = result->status == CALL_SUCCESS;
	struct buffer *json = works ? &runners->work : &runners->fail;
	size_t len = result->out.len;

	if (json->len > 0)
		buffer_add_text(json, ",");
	buffer_add_text(json, "{\"language\":");
	json_add_text(json, language->name);
	list_runners_add(json, "runtime", runtime);
	if (works) {
		while (len > 0 && result->out.data[len - 1] == '\n')
			len--;
		buffer_add_text(json, ",\"version\":");
		json_add_string(json, result->out.data, len);
	} else {
		list_runners_add(json, "error", result->error);
		if (fix != NULL)
			list_runners_add(json, "fix", fix);
	}
	buffer_add_text(json, "}");
}

static void
list_runners_note_image(struct runners *runners,
    const struct language *language, const char *runtime)
{
	if (runners->work.len > 0)
		buffer_add_text(&runners->work, ",");
	buffer_add_text(&runners->work, "{\"language\":");
	json_add_text(&runners->work, language->name);
	list_runners_add(&runners->work, "runtime", runtime);
	list_runners_add(&runners->work, "image", language->image_name);
	list_runners_add(&runners->work, "digest", language->digest);
	buffer_add_text(&runners->work, "}");
}

static void
list_runners_answer(struct tool_call *call, const struct runners *runners)
{
	auto_buffer struct buffer fields = { 0 }, result = { 0 };

	buffer_add_text(&fields, "{\"languages\":[");
	buffer_add(&fields, runners->work.data, runners->work.len);
	buffer_add_text(&fields, "]");
	if (runners->fail.len > 0) {
		buffer_add_text(&fields, ",\"missing\":[");
		buffer_add(&fields, runners->fail.data, runners->fail.len);
		buffer_add_text(&fields, "]");
	}
	buffer_add_text(&fields, "}");
	buffer_add_text(&result, "{\"content\":[{\"type\":\"text\",\"text\":");
	json_add_string(&result, fields.data, fields.len);
	buffer_add_text(&result, "}]");
	if (answer_style(mcp_options(call->mcp)).structured) {
		buffer_add_text(&result, ",\"structuredContent\":");
		buffer_add(&result, fields.data, fields.len);
	}
	buffer_add_text(&result, ",\"isError\":false}");
	tool_call_answer(call, &result);
}

static void list_runners_on_ran(
    struct tool_call *call, const struct call_result *result);

/* A list fetches nothing: a language whose image is lacking is not tested. */
static void
list_runners_note_lack(struct runners *runners,
    const struct language *language, const char *runtime, const char *image)
{
	auto_free char *error =
	    mem_printf("the image %s is not here yet", image);
	const struct call_result result = { .status = CALL_ERROR,
		.error = error };

	list_runners_note(runners, language, &result, runtime,
	    "the first call fetches it");
}

/* Tests the next language; answers after the last. */
static void
list_runners_next(struct tool_call *call)
{
	struct runners *runners = call->kept;
	const struct language *language = language_at(runners->next);
	const char *runtime = mcp_options(call->mcp)->runtime;
	const char *lacks = boxes_lack(call->mcp->runs->boxes);
	struct request request = { 0 };

	/* Nothing is known of an image but what the operator has enabled. */
	for (; language != NULL && (language->image != NULL || lacks != NULL);
	     language = language_at(++runners->next))
		if (language->image != NULL)
			list_runners_note_image(runners, language, runtime);
		else
			list_runners_note_lack(
			    runners, language, runtime, lacks);
	if (language == NULL) {
		list_runners_answer(call, runners);
		return;
	}
	request.language = language;
	request.code = mem_strdup(language->version);
	request.code_len = strlen(language->version);
	request.timeout = mcp_options(call->mcp)->timeout;
	tool_call_run(call, &request, list_runners_on_ran);
}

static void
list_runners_on_ran(struct tool_call *call, const struct call_result *result)
{
	struct runners *runners = call->kept;
	const struct language *language = language_at(runners->next);
	const char *fix = call->mcp->runs->boxes->runtime->images ?
	    "use an image that has it (CAISSON_IMAGE)" : language->fix;

	/*
	 * There was no box, for lack of a place or another reason: it may work.
	 */
	if (result->status == CALL_CANCELLED ||
	    (result->status == CALL_ERROR && !result->boxed &&
	        !result->unrunnable)) {
		tool_call_answer_ran(call, result);
		return;
	}
	/* The sentence about a box that was not built has the fix. */
	list_runners_note(runners, language, result,
	    result->boxed ? result->facts.runtime->name :
	        mcp_options(call->mcp)->runtime,
	    result->boxed || (result->error != NULL &&
	        strstr(result->error, fix) != NULL) ? fix : NULL);
	runners->next++;
	list_runners_next(call);
}

static void
list_runners_begin(struct tool_call *call, struct json_span arguments)
{
	struct json_span_walk walk;
	struct json_span name, value;

	if (arguments.len > 0 &&
	    json_span_kind(arguments) == JSON_SPAN_OBJECT) {
		walk = json_span_walk(arguments);
		if (json_span_next_member(&walk, &name, &value)) {
			tool_call_refuse(call, "validation_error",
			    "list_runners takes no arguments: give {}");
			return;
		}
	} else if (arguments.len > 0 &&
	    json_span_kind(arguments) != JSON_SPAN_NULL) {
		tool_call_refuse(call, "validation_error",
		    "arguments must be an object: list_runners takes {}");
		return;
	}
	tool_call_keep(
	    call, mem_alloc(sizeof(struct runners)), list_runners_free);
	language_renew();
	list_runners_next(call);
}

const struct tool list_runners_tool = { "list_runners",
	"sandbox.list_runners", NULL, list_runners_describe,
	list_runners_begin };
