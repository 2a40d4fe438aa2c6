/*
 * Files of an owner and its conversations over HTTP, at /files/NAME and
 * /files/CONVERSATION/NAME, percent-encoded (parsed in front/answer/
 * file_link.c); a slash of a NAME may stay behind a CONVERSATION only. Their
 * bytes go between the gateway and files by descriptors, and never through this
 * process; ranges and ETags are those of the gateway, in worker/gateway/. Those
 * who have a link, which peers/file_url.c reads, need no token: the process
 * files judges its signature.
 */
#include <stdlib.h>
#include <string.h>

#include "../../../common/base/fd.h"
#include "../../../common/base/mem.h"
#include "../../../common/json/json.h"
#include "../../../common/limits.h"
#include "../../front/answer/answer.h"
#include "../../peers/files.h"
#include "http.h"

/* What a request about a file has; freed when the request is over. */
struct http_file {
	struct http_request *request;
	struct files_task *task; /* NULL: ended */
	bool sent; /* its bytes come from the client */
	char *scope; /* whose file it is */
	struct file_linked link; /* of those who have one; or zeroes */
	int fd;    /* of a file that was found; -1: none */
	struct ipc_reply_file reply;
	char *type;
	struct buffer json; /* about a file that was stored */
};

static const struct json_span http_files_no_id = { NULL, 0 };

static void
http_files_refuse(struct http_request *request, int status, const char *why)
{
	http_reply_error(
	    request, status, http_files_no_id, JSONRPC_REFUSED, why);
}

static int
http_files_status(enum file_fault fault)
{
	switch (fault) {
	case FILE_FAULT_SIGNATURE:
	case FILE_FAULT_EXPIRED:
		return 403;
	case FILE_FAULT_UNKNOWN:
		return 404;
	case FILE_FAULT_NAME:
	case FILE_FAULT_CHANGED:
		return 400;
	case FILE_FAULT_CLASH:
		return 409;
	case FILE_FAULT_LARGE:
		return 413;
	case FILE_FAULT_QUOTA:
	case FILE_FAULT_COUNT:
	case FILE_FAULT_CROWDED:
	case FILE_FAULT_SHARE:
	case FILE_FAULT_DISK:
		return 507;
	default:
		return 503;
	}
}

/*
 * Those who have a link are not told which names there are, or how much of the
 * owner. why: cause and fix, for the limit of a single file only.
 */
static void
http_links_refuse(
    struct http_request *request, enum file_fault fault, const char *why)
{
	int status = fault == FILE_FAULT_UNKNOWN ? 403 :
	                                           http_files_status(fault);

	http_files_refuse(request, status,
	    fault == FILE_FAULT_EXPIRED ?
	    "this link has expired: ask for another one" : status == 403 ?
	    "this link is not valid: it was altered, is for another method, "
	    "was revoked, or its file was removed" : status == 503 ?
	    "links do not work now: the log of the server says why" :
	    status == 413 ? why : status == 507 ?
	    "there is no room for the file: the user who made this link can "
	    "remove others" : "the file was not passed on or stored");
}

static void
http_files_forget(struct http_request *request)
{
	struct http_file *file = mem_take(&request->file);

	/* What its client has not been told of is not stored. */
	if (file->task != NULL && file->sent)
		files_give_up(file->task);
	files_forget(&file->task);
	fd_close(&file->fd);
	buffer_reset(&file->json);
	free(file->type);
	free(file->scope);
	free(file);
}

/* The callbacks of tasks */

static void
http_files_on_filed(void *ctx, const struct file_row *row)
{
	struct http_file *file = ctx;
	const struct file_link link = { row->name, row->version, row->size,
		row->type, row->conversation, NULL };

	file->reply.version = row->version;
	file->reply.size = row->size;
	file->type = mem_strdup(row->type);
	buffer_add_text(&file->json, "{");
	file_link_add_members(&file->json, &link);
	buffer_printf(&file->json, ",\"version\":%llu",
	    (unsigned long long)row->version);
	/* A link for sending gives no right to read. */
	if (row->url != NULL && !http_guest_is_of_links(file->request->guest)) {
		buffer_add_text(&file->json, ",\"url\":");
		json_add_text(&file->json, row->url);
	}
	buffer_add_text(&file->json, "}");
}

static void
http_files_on_fetched(void *ctx, int *fd, uint64_t offset)
{
	struct http_file *file = ctx;

	file->fd = fd_take(fd);
	file->reply.offset = offset;
}

static void
http_files_on_awaited(void *ctx, int *sink)
{
	struct http_file *file = ctx;
	struct http_request *request = file->request;
	struct ipc_await_body await = { .request = request->number };

	if (request->guest->guest == NULL)
		return;
	await.sink = fd_take(sink);
	gateway_await_body(request->guest->guest, &await);
}

static void
http_files_give(struct http_request *request)
{
	struct http_file *file = request->file;

	file->reply.request = request->number;
	file->reply.type = file->type;
	file->reply.file = fd_take(&file->fd);
	if (request->guest->guest != NULL)
		gateway_reply_file(request->guest->guest, &file->reply);
	else
		fd_close(&file->reply.file);
	http_request_end(request);
}

static void
http_files_on_done(void *ctx, const struct files_end *end)
{
	struct http_file *file = ctx;
	struct http_request *request = file->request;

	file->task = NULL;
	if (end->why != NULL && http_guest_is_of_links(request->guest))
		http_links_refuse(request, end->fault, end->why);
	else if (end->why != NULL)
		http_files_refuse(
		    request, http_files_status(end->fault), end->why);
	else if (file->fd != -1)
		http_files_give(request);
	else if (file->json.len > 0)
		http_reply(request, 201, file->json.data, file->json.len);
	else
		http_reply(request, 204, NULL, 0);
}

/* Beginning */

/*
 * Fills *user. Returns the name in the target, with *version, and with *owner
 * whose file it is; the caller frees both. NULL if the request was answered.
 */
static char *
http_files_begin(struct http_request *request, const struct ipc_ask *ask,
    struct files_user *user, uint64_t *version, char **owner)
{
	auto_free char *conversation = NULL;
	const char *path = (const char *)ask->rest.data;
	struct file_linked link = { 0 };
	int links = http_guest_is_of_links(request->guest);
	char *name = links ?
	    file_url_read(path, ask->rest.len, version, owner, &link) :
	    file_link_read_path(path, ask->rest.len, version, &conversation);

	if (name == NULL && links) {
		http_links_refuse(request, FILE_FAULT_SIGNATURE, NULL);
		return NULL;
	}
	if (name == NULL) {
		http_files_refuse(request, 404,
		    "the path of a file is /files/CONVERSATION/NAME, or "
		    "/files/NAME, each percent-encoded and not too long (255 "
		    "bytes); behind it may stand ?version=N");
		return NULL;
	}
	if (!links)
		*owner = files_conversation(
		    request->guest->owner->scope, conversation);
	request->file = mem_alloc(sizeof(*request->file));
	request->file->request = request;
	request->file->fd = -1;
	request->file->link = link;
	request->file->scope = mem_dup(*owner, strcspn(*owner, "\n"));
	request->forget = http_files_forget;
	*user = (struct files_user){ .filed = http_files_on_filed,
		.fetched = http_files_on_fetched,
		.awaited = http_files_on_awaited,
		.done = http_files_on_done,
		.ctx = request->file };
	return name;
}

static void
http_files_started(struct http_request *request, struct files_task *task,
    const struct err *err)
{
	request->file->task = task;
	if (task == NULL)
		http_files_refuse(request, 503, err->text);
}

static struct files *
http_files(const struct http_request *request)
{
	return request->guest->http->runs->peers.files;
}

void
http_files_on_get(struct http_request *request, struct ipc_ask *ask)
{
	struct files_user user;
	uint64_t version;
	auto_free char *owner = NULL;
	auto_free char *name =
	    http_files_begin(request, ask, &user, &version, &owner);
	struct err err;

	if (name != NULL)
		http_files_started(request, files_fetch(http_files(request),
		    owner, name, version, &request->file->link, &user, &err),
		    &err);
}

void
http_files_on_delete(struct http_request *request, struct ipc_ask *ask)
{
	struct files_user user;
	uint64_t version;
	auto_free char *owner = NULL;
	auto_free char *name =
	    http_files_begin(request, ask, &user, &version, &owner);
	struct err err;

	if (name != NULL)
		http_files_started(request, files_remove(http_files(request),
		    owner, name, version, &user, &err), &err);
}

/*
 * Returns how many files of the same owner its guest is sending: links of all
 * owners have one guest.
 */
static size_t
http_files_sent(const struct http_request *request)
{
	const struct http_request *other;
	size_t count = 0;

	LIST_FOREACH (other, &request->guest->requests, entry)
		count += other->file != NULL && other->file->sent &&
		    strcmp(other->file->scope, request->file->scope) == 0;
	return count;
}

void
http_files_on_put(struct http_request *request, struct ipc_ask *ask)
{
	struct files_user user;
	uint64_t version;
	auto_free char *owner = NULL;
	auto_free char *name =
	    http_files_begin(request, ask, &user, &version, &owner);
	struct err err;

	if (name == NULL)
		return;
	if (version > 1 && http_guest_is_of_links(request->guest)) {
		http_links_refuse(request, FILE_FAULT_SIGNATURE, NULL);
		return;
	}
	if (version > 0 && !http_guest_is_of_links(request->guest)) {
		http_files_refuse(request, 400, "a file that is sent becomes "
		    "its next version: leave ?version away");
		return;
	}
	if (http_files_sent(request) >= HTTP_UPLOADS_MAX) {
		request->wait = 1;
		http_files_refuse(request, 429,
		    "too many files of this owner are being sent");
		return;
	}
	request->file->sent = true;
	http_files_started(request, files_receive(http_files(request), owner,
	    name, ask->length, &request->file->link, &user, &err), &err);
}
