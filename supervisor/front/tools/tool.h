/*
 * Tools of tools/call, their arguments and calls, and questions to the client.
 */
#ifndef SUPERVISOR_TOOL_H
#define SUPERVISOR_TOOL_H

#include <sha2.h>
#include <stdbool.h>

#include "../../../common/base/buffer.h"
#include "../../../common/json/json_span.h"
#include "../../box/shared/runtime.h"
#include "../../options/options.h"
#include "../../run/run.h"
#include "../../servers/in_force/in_force.h"
#include "../rpc/rpc.h"

/*
 * A question to a client: elicitation, sampling or roots, or several of them.
 * In a session its parts are requests of ours. In the era without sessions they
 * are part of a result, and the client repeats its request with the answers.
 */

struct question;

/* All is copied. */
struct question_part {
	const char *key; /* of its answer, without characters to be escaped */
	const char *method;
	const char *params; /* a JSON object of one line */
};

/*
 * Called once, unless the question is freed before: with an object that has the
 * client's answer to each part under its key, or with len 0 and why there is
 * none, one sentence. The question may be freed then.
 */
typedef void question_told(
    void *ctx, struct json_span results, const char *why);

/*
 * Returns a question of count parts, at most QUESTION_PARTS_MAX. It ends
 * unanswered after QUESTION_MS. Freed with question_free.
 */
struct question *question_new(struct mcp *mcp,
    const struct question_part *parts, size_t count, question_told *told,
    void *ctx);

/* Frees it; requests that the client has not answered are cancelled. */
void question_free(struct question **question);

/*
 * Its answer is not needed, but its client has the text by which it will come
 * back. question_renew() then asks it for something else: returns 0, or -1 with
 * err if it was not dropped.
 */
void question_drop(struct question *question);
int question_renew(struct question *question,
    const struct question_part *parts, size_t count, struct err *err);

/* Sends its parts as requests of ours, which belong to that of the client. */
void question_send(struct question *question, struct json_span id);

/* It is that of another session from now on; nothing of it was sent. */
void question_move(struct question *question, struct mcp *mcp);

/* Ends it without an answer. */
void question_give_up(struct question *question, const char *why);

/*
 * For a result: appends the object inputRequests, and returns the unguessable
 * text that the client must send back.
 */
const char *question_add_requests(
    const struct question *question, struct buffer *json);

/* Returns whether a client has sent that text, a JSON value. */
int question_is(const struct question *question, struct json_span state);

/*
 * Reads the answer in the params of a repeated request. Returns 0 if it is not
 * there.
 */
int question_hear(struct question *question, struct json_span params);

/*
 * A tool of tools/call, and an unanswered call of it. A tool is a row of the
 * table in tools.c.
 */

struct box_progress;
struct question_part;
struct tool_call;

struct tool {
	const char *name; /* a word of the option tools */
	const char *alias; /* another accepted name, or NULL */
	const char *executes; /* the code that it runs in a box, or NULL */
	/* Appends its object of tools/list. */
	void (*describe)(struct buffer *json, const struct options *options);
	/* Answers the call, now or later; len 0: there are no arguments. */
	void (*begin)(struct tool_call *call, struct json_span arguments);
};

/*
 * arguments.c: returns a text by which a call names what it continues, of at
 * most so many bytes, which the caller frees; NULL with err.
 */
char *arguments_read_handle(
    struct json_span value, const char *name, size_t most, struct err *err);

/* tools_table.c: every tool, and their number. */
extern const struct tool *const tools_table[];
extern const size_t tools_count;

/* tools.c: appends the result of tools/list with these options. */
void tools_add_list(struct buffer *json, const struct options *options);

/*
 * Returns the size of that list as shown to a model, in bytes: see tool_size().
 */
uint64_t tools_shown_size(const struct options *options);

/* Returns whether clients see this tool with these options. */
int tools_include(const struct options *options, const struct tool *tool);

/* Returns the first tool with these options that runs code, or NULL. */
const struct tool *tools_runner(const struct options *options);

/* A request has been cancelled: it gets no answer. */
void tools_on_cancelled(struct mcp *mcp, const struct jsonrpc *message);

/* Each in a file of its name. */
#define TOOL(name) extern const struct tool name##_tool;
#include "../../options/tools.def"

/* tool_call.c: a call from its line to its only answer. */

/*
 * Called once, when its execution is concluded; result is valid only during the
 * call.
 */
typedef void tool_call_ran(
    struct tool_call *call, const struct call_result *result);

/*
 * Returns a call of this session, which is also cancelled and freed with the
 * session; context and id are copied. It ends with tool_call_answer or
 * tool_call_refuse.
 */
struct tool_call *tool_call_new(struct mcp *mcp,
    const struct context *context, struct json_span id);

/*
 * Reads params of its request: what must be the same when the client repeats
 * it, and the token for the progress of its code, which is sent if there is
 * one.
 */
void tool_call_watch(struct tool_call *call, struct json_span params);

/* Stores data of the tool until the answer; release is called with it then. */
void tool_call_keep(
    struct tool_call *call, void *kept, void (*release)(void *kept));

/*
 * Has the request executed with the configuration of that moment; takes its
 * fields. ran is called at its end, unless the call was refused or cancelled
 * before.
 */
void tool_call_run(
    struct tool_call *call, struct request *request, tool_call_ran *ran);

/* Answers it with a whole CallToolResult, and frees it. */
void tool_call_answer(struct tool_call *call, struct buffer *result);

/*
 * Answers it with an error, and frees it. status is validation_error, error or
 * cancelled; message says why.
 */
void tool_call_refuse(
    struct tool_call *call, const char *status, const char *message);

/* A tool_call_ran: answers with the result of the execution. */
void tool_call_answer_ran(
    struct tool_call *call, const struct call_result *result);

/*
 * Called once, unless the call ends before: with the results of its client, a
 * JSON object that has for each key an object of any content; or with len 0 and
 * why there is none.
 */
typedef void tool_call_asked(
    struct tool_call *call, struct json_span results, const char *why);

/*
 * Asks its client for count things that it supports at once, at most
 * QUESTION_PARTS_MAX. One question at a time. Returns 0, or -1 with err if the
 * client cannot be reached, or its owner has too many unanswered questions.
 */
int tool_call_ask(struct tool_call *call, const struct question_part *parts,
    size_t count, tool_call_asked *asked, struct err *err);

/*
 * Passes on what a server logs (ASK_CLIENT_LOG), if its level is one that the
 * client wants, or reports of a call, as a line of progress; the code's own
 * reports come first. line has the parameters of the notification.
 */
void tool_call_pass(
    struct tool_call *call, unsigned int kind, const char *line);

/* Sends the client of a call, ctx, progress, if it has asked for that. */
void tool_call_progress(void *ctx, const struct box_progress *progress);

/* Answers it with an error of JSON-RPC, whose data may be NULL; frees it. */
void tool_call_answer_error(struct tool_call *call, int code,
    const char *message, const char *data_json);

/*
 * If this request repeats an earlier one and carries the answer to its
 * question, the call of the earlier request continues. Returns 0 if it is not
 * such a request.
 */
int tool_call_continue(struct mcp *mcp, const struct context *context,
    const struct jsonrpc *message);

/* Returns the call of this id that is not cancelled, or NULL. */
struct tool_call *tool_call_find(struct mcp *mcp, struct json_span id);

/* Cancels it: it gets no answer. */
void tool_call_cancel(struct tool_call *call, const char *why);

/* The same for all calls of a session. */
void tool_call_cancel_all(struct mcp *mcp, const char *why);

/* Ends the questions that cannot be answered: their stream was closed. */
void tool_call_check_asked(struct mcp *mcp);

/*
 * Cancels the calls of this owner that wait for their client to repeat its
 * request: no client can continue them any more.
 */
void tool_call_cancel_asked(const struct owner *owner, const char *why);

/* Frees all calls of a session: none may conclude later. */
void tool_call_forget_all(struct mcp *mcp);

/* arguments.c: the arguments of a call. */

/*
 * Reads and checks the arguments of a tool that runs code (len 0: none), but
 * not whether the servers exist. language is that of the code; NULL: an
 * argument names it. Returns 0, or -1 with err, one sentence with the mistake
 * and the correct form. request_reset frees the fields of request in both
 * cases.
 */
int arguments_read(struct json_span arguments, const char *tool,
    const struct language *language, const struct options *options,
    struct request *request, struct err *err);

/*
 * run_code.c: returns 0, or -1 with err if the language of a request is an
 * image, which cannot use servers.
 */
int run_code_check(const struct request *request, struct err *err);

/*
 * The arguments that the box hands to the code: its standard input, variables
 * of its environment, a request. Runs in the supervisor; pure functions.
 */

/* Appends a member to input of a request: its value is JSON of one line. */
void arguments_add_input(struct request *request, const char *name,
    const char *value, size_t len);

/*
 * Each checks the value of an argument and appends it to input of the request.
 * Returns 0, or -1 with err, one sentence that shows no value.
 */
int arguments_read_stdin(struct json_span value, const struct options *options,
    struct request *request, struct err *err);
int arguments_read_environment(struct json_span value,
    const struct options *options, struct request *request, struct err *err);

int arguments_read_request(struct json_span value,
    const struct options *options, struct request *request, struct err *err);

int arguments_read_arguments(struct json_span value,
    const struct options *options, struct request *request, struct err *err);

/* Boxes have no network: returns 0 only if the value asks for none. */
int arguments_read_network(struct json_span value,
    const struct options *options, struct request *request, struct err *err);

/* Progress notifications of a call, whose numbers increase. */

/* All zeroes: the client did not ask for progress. */
struct tool_progress {
	char *token; /* as received; NULL: no progress */
	uint64_t told; /* the last progress sent, and 1 */
	unsigned int shown; /* how often the output so far was sent */
};

/* A call. Others than tool_call.c only read it. */
struct tool_call {
	LIST_ENTRY(tool_call) entry; /* in mcp->calls */
	LIST_ENTRY(tool_call) all;   /* in tool_call_all */
	struct mcp *mcp;
	struct context context; /* of its request */
	struct rpc_batch *batch; /* its batch, or NULL */
	char *id; /* as received */
	size_t id_len; /* 0: the client has been asked for input */
	struct tool_progress progress;
	struct trace trace; /* as in its request */
	struct request request; /* until its execution begins */
	tool_call_ran *ran;
	void *kept;
	void (*release)(void *kept);
	struct in_force_waiter waiter;
	bool waits; /* for the configuration to be read */
	struct call *call; /* its execution; NULL: none now */
	bool silent; /* cancelled by its client: no answer */
	struct question *ask; /* a question to its client, or NULL */
	tool_call_asked *asked;
	uint8_t digest[SHA256_DIGEST_LENGTH]; /* of its request */
	struct buffer held; /* its answer, until the client repeats it */
};

/* Reads the token of a request, if it has one. */
void tool_progress_read(
    struct tool_progress *progress, struct json_span params);

/* Frees its fields. */
void tool_progress_reset(struct tool_progress *progress);

/*
 * Appends the params of the notification for a report. Returns whether there is
 * one.
 */
int tool_progress_add(struct tool_progress *progress,
    const struct box_progress *report, struct buffer *params);

/*
 * The parts of the descriptions of tools that run code which are the same for
 * all of them: arguments and results.
 */

/*
 * Returns what a description adds to "no earlier state": the arguments by which
 * a call can have it, or "" without them.
 */
const char *tool_schema_except(const struct options *options);

/*
 * Appends the members after code of the properties, as the option arguments
 * says.
 */
void tool_schema_add_common(struct buffer *json, const struct options *options);

/* Appends outputSchema and annotations, with a leading comma. */
void tool_schema_add_rest(struct buffer *json, const struct options *options);

#endif
