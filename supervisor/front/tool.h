/*
 * A tool of tools/call, and a call of it that is not answered yet. A tool is a
 * row of the table in tools.c. Runs in the supervisor.
 */
#ifndef SUPERVISOR_TOOL_H
#define SUPERVISOR_TOOL_H

#include "../../common/buffer.h"
#include "../../common/json_span.h"
#include "mcp.h"

struct tool_call;

struct tool {
	const char *name; /* a word of the option tools */
	const char *alias; /* that it is called by too, or NULL */
	const char *executes; /* what it runs in a box, or NULL */
	/* Appends its object of tools/list. */
	void (*describe)(struct buffer *json, const struct options *options);
	/* Answers the call, now or later; len 0: there are no arguments. */
	void (*begin)(struct tool_call *call, struct json_span arguments);
};

/* tools.c: appends the result of tools/list with these options. */
void tools_add_list(struct buffer *json, const struct options *options);

/* The size of that as a model is shown it, in bytes: see tool_size(). */
uint64_t tools_shown_size(const struct options *options);

/* Whether clients see this tool with these options. */
int tools_include(const struct options *options, const struct tool *tool);

/*
 * Returns the first tool with these options that runs what the model writes,
 * or NULL.
 */
const struct tool *tools_runner(const struct options *options);

/* run_python.c, run_code.c, list_runners.c */
extern const struct tool run_python_tool;
extern const struct tool run_code_tool;
extern const struct tool list_runners_tool;
extern const struct tool upload_file_tool; /* upload_file.c */

/* tool_call.c: a call from its line to its one answer. */

/* Told once, when what it ran is concluded; result dies afterwards. */
typedef void tool_call_ran(
    struct tool_call *call, const struct call_result *result);

/*
 * Returns a call of this session, which is also cancelled and forgotten with
 * it; context and id are copied. It ends with tool_call_answer or
 * tool_call_refuse.
 */
struct tool_call *tool_call_new(struct mcp *mcp,
    const struct context *context, struct json_span id);

/*
 * Its client is told how far its code is, where params of its request have a
 * token for that.
 */
void tool_call_watch(struct tool_call *call, struct json_span params);

/* The options that are in force for it; all executions; its own context. */
const struct options *tool_call_options(const struct tool_call *call);
struct runs *tool_call_runs(const struct tool_call *call);
const struct context *tool_call_context(const struct tool_call *call);

/* Keeps what the tool needs until the answer, and is released then. */
void tool_call_keep(
    struct tool_call *call, void *kept, void (*release)(void *kept));
void *tool_call_kept(const struct tool_call *call);

/*
 * Has the request executed, with the configuration that is in force then; what
 * it holds is taken over. ran is told of its end, unless the call is answered
 * before: refused, or not wanted any more.
 */
void tool_call_run(
    struct tool_call *call, struct request *request, tool_call_ran *ran);

/* Answers it with a whole CallToolResult, and forgets it. */
void tool_call_answer(struct tool_call *call, struct buffer *result);

/* The same with an error: validation_error, error or cancelled, and why. */
void tool_call_refuse(
    struct tool_call *call, const char *status, const char *message);

/* A tool_call_ran: answers with what came of the execution. */
void tool_call_answer_ran(
    struct tool_call *call, const struct call_result *result);

/* Returns the call of this id that is not cancelled, or NULL. */
struct tool_call *tool_call_find(struct mcp *mcp, struct json_span id);

/* It is not wanted any more: it gets no answer. */
void tool_call_cancel(struct tool_call *call, const char *why);

/* The same for all of a session; forgets all: none may still conclude. */
void tool_call_cancel_all(struct mcp *mcp, const char *why);
void tool_call_forget_all(struct mcp *mcp);

/* arguments.c: what a call says. */

/*
 * Reads and checks the arguments of a tool that runs code (len 0: there are
 * none), but for whether the servers exist. language is that of the code, or
 * NULL: then an argument names it. Returns 0, or -1 with err, one sentence with
 * what is wrong and what would be right. request_reset frees what request holds
 * in both cases.
 */
int arguments_read(struct json_span arguments, const char *tool,
    const struct language *language, const struct options *options,
    struct request *request, struct err *err);

#endif
