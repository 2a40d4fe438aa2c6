/*
 * The tool upload_file: keeps a file that the client sends; later calls can
 * request it with the argument files. Runs in the supervisor; another process
 * keeps the file.
 */
#include <stdlib.h>
#include <string.h>

#include "../../../common/base/base64.h"
#include "../../../common/json/json.h"
#include "../../../common/base/mem.h"
#include "../../peers/files.h"
#include "../answer/answer.h"
#include "tool.h"

struct upload {
	struct tool_call *call;
	struct files_task *task; /* NULL: it has ended */
	struct buffer text; /* text of the answer */
	struct buffer link; /* members of a resource link */
};

static void
upload_file_free(void *kept)
{
	struct upload *upload = kept;

	files_forget(&upload->task);
	buffer_reset(&upload->text);
	buffer_reset(&upload->link);
	free(upload);
}

static void
upload_file_describe(struct buffer *json, const struct options *options)
{
	buffer_add_text(json, "{\"name\":\"upload_file\","
	    "\"title\":\"Upload a file\",\"description\":"
	    "\"Keep a file. Code gets it in /workspace/in when a call names "
	    "it in files. A name that exists gets a new version.\","
	    "\"inputSchema\":{\"type\":\"object\",\"properties\":{"
	    "\"name\":{\"type\":\"string\"},"
	    "\"content\":{\"type\":\"string\"},"
	    "\"encoding\":{\"type\":\"string\",\"enum\":[\"utf-8\","
	    "\"base64\"],\"default\":\"utf-8\"}");
	if (options_argument(options, ARGUMENT_CONVERSATION))
		buffer_add_text(json, ",\"conversationId\":{\"type\":"
		    "\"string\",\"description\":\"Whose /data gets it\"}");
	buffer_add_text(json, "},\"required\":[\"name\",\"content\"],"
	    "\"additionalProperties\":false},"
	    "\"annotations\":{\"readOnlyHint\":false,"
	    "\"destructiveHint\":false,\"openWorldHint\":false}}");
}

/* Arguments */

struct upload_arguments {
	char *name;
	char *conversation; /* NULL: none */
	char *content; /* decoded */
	size_t len;
};

static void
upload_file_reset(struct upload_arguments *arguments)
{
	free(arguments->name);
	free(arguments->conversation);
	free(arguments->content);
}

/* The last one as the option arguments allows it. */
static const char *const upload_file_names[] = { "name", "content",
	"encoding", "conversationId" };

#define UPLOAD_NAMES                                                           \
	(sizeof(upload_file_names) / sizeof(upload_file_names[0]))

/* Checks that every member is known. Returns 0, or -1 with err. */
static int
upload_file_check(struct json_span arguments, size_t names, struct err *err)
{
	struct json_span_walk walk;
	struct json_span name, value;
	size_t i;

	if (arguments.len == 0 || json_span_kind(arguments) != JSON_SPAN_OBJECT)
		return err_set(err, "arguments must be an object such as "
		    "{\"name\": \"a.txt\", \"content\": \"text\"}");
	walk = json_span_walk(arguments);
	while (json_span_next_member(&walk, &name, &value)) {
		for (i = 0; i < names; i++)
			if (json_span_is(name, upload_file_names[i]))
				break;
		if (i == names)
			return err_set(err, "unknown argument %.*s: "
			    "upload_file takes name, content and encoding%s",
			    (int)(name.len < OPTION_VALUE_SHOWN ? name.len :
			        OPTION_VALUE_SHOWN), name.p,
			    names < UPLOAD_NAMES ? "" :
			    ", and conversationId");
		if (json_span_get(arguments, upload_file_names[i], &value) > 1)
			return err_set(err, "%s is given more than once",
			    upload_file_names[i]);
	}
	return 0;
}

/* Returns the text of a member, which the caller frees; NULL with err. */
static char *
upload_file_text(struct json_span arguments, const char *member, size_t *len,
    struct err *err)
{
	struct json_span value;
	char *text;

	if (json_span_get(arguments, member, &value) == 0) {
		err_set(err, "%s is missing: upload_file needs name and "
		    "content", member);
		return NULL;
	}
	if (json_span_kind(value) != JSON_SPAN_STRING) {
		err_set(err, "%s must be a string", member);
		return NULL;
	}
	text = json_span_string(value, len, err);
	if (text == NULL)
		err_wrap(err, "%s must be text", member);
	return text;
}

/* Returns whether the content is base64: 0 or 1, or -1 with err. */
static int
upload_file_encoding(struct json_span arguments, struct err *err)
{
	struct json_span value;

	if (json_span_get(arguments, "encoding", &value) == 0 ||
	    json_span_kind(value) == JSON_SPAN_NULL ||
	    json_span_is(value, "utf-8"))
		return 0;
	if (json_span_is(value, "base64"))
		return 1;
	return err_set(err, "encoding must be \"utf-8\" or \"base64\"");
}

/* Reads the id of a conversation, if any. Returns 0, or -1 with err. */
static int
upload_file_conversation(struct json_span arguments, char **id, struct err *err)
{
	struct json_span value;

	if (json_span_get(arguments, "conversationId", &value) == 0 ||
	    json_span_kind(value) == JSON_SPAN_NULL)
		return 0;
	*id = arguments_read_handle(
	    value, "conversationId", CONVERSATION_ID_MAX, err);
	return *id == NULL ? -1 : 0;
}

static int
upload_file_read(struct json_span arguments, struct upload_arguments *read,
    size_t names, struct err *err)
{
	auto_buffer struct buffer bytes = { 0 };
	size_t len;
	int encoded;

	if (upload_file_check(arguments, names, err) == -1 ||
	    upload_file_conversation(
	        arguments, &read->conversation, err) == -1)
		return -1;
	read->name = upload_file_text(arguments, "name", &len, err);
	if (read->name == NULL)
		return -1;
	if (len == 0 || len > FILE_NAME_MAX || strlen(read->name) != len)
		return err_set(err, "name must have from 1 to %d bytes and no "
		    "NUL", FILE_NAME_MAX);
	encoded = upload_file_encoding(arguments, err);
	read->content = encoded == -1 ? NULL :
	    upload_file_text(arguments, "content", &read->len, err);
	if (read->content == NULL)
		return -1;
	if (!encoded)
		return 0;
	if (base64_read(&bytes, read->content, read->len) == -1)
		return err_set(err, "content is not base64 (RFC 4648)");
	free(read->content);
	read->content = buffer_take(&bytes, &read->len);
	return 0;
}

/* The answer */

static void
upload_file_on_filed(void *ctx, const struct file_row *row)
{
	struct upload *upload = ctx;
	const struct file_link link = { row->name, row->version, row->size,
		row->type, row->conversation, row->url };

	file_link_add_line(&upload->text, &link,
	    upload->call->context.owner->scope);
	if (row->url != NULL)
		buffer_printf(&upload->text, " %s", row->url);
	file_link_add_members(&upload->link, &link);
}

static void
upload_file_on_done(void *ctx, const struct files_end *end)
{
	struct upload *upload = ctx;
	struct buffer result = { 0 };

	upload->task = NULL;
	if (end->why != NULL) {
		tool_call_refuse(upload->call, "error", end->why);
		return;
	}
	buffer_add_text(&result, "{\"content\":[{\"type\":\"text\",\"text\":");
	json_add_string(&result, upload->text.data, upload->text.len);
	buffer_add_text(&result, "}");
	if (context_links(&upload->call->context))
		buffer_printf(&result, ",{\"type\":\"resource_link\",%s}",
		    upload->link.data);
	buffer_add_text(&result, "],\"isError\":false}");
	listen_on_files(upload->call->mcp);
	tool_call_answer(upload->call, &result);
}

static void
upload_file_begin(struct tool_call *call, struct json_span arguments)
{
	struct upload_arguments read = { 0 };
	struct runs *runs = call->mcp->runs;
	struct files *files = runs->peers.files;
	const struct owner *from = call->context.owner;
	const struct options *options = owner_options(from, runs);
	auto_free char *owner = NULL;
	struct upload *upload;
	struct files_user user = { .filed = upload_file_on_filed,
		.done = upload_file_on_done };
	struct err err;

	if (upload_file_read(arguments, &read, UPLOAD_NAMES -
	            !options_argument(options, ARGUMENT_CONVERSATION),
	        &err) == -1) {
		tool_call_refuse(call, "validation_error", err.text);
		upload_file_reset(&read);
		return;
	}
	upload = mem_alloc(sizeof(*upload));
	upload->call = call;
	tool_call_keep(call, upload, upload_file_free);
	user.ctx = upload;
	owner = files_conversation(from->scope, read.conversation);
	upload->task = files_add(files, owner, read.name, read.content,
	    read.len, &user, &err);
	if (upload->task == NULL)
		tool_call_refuse(call, "error", err.text);
	upload_file_reset(&read);
}

const struct tool upload_file_tool = { "upload_file", NULL, NULL,
	upload_file_describe, upload_file_begin };
