/*
 * The program of a box whose language has none of its own. It starts the
 * interpreter (bootstrap.c) and serves the tool calls beside it (serve.c).
 * Under the name mcp it is the command with which code makes these calls (all
 * other files). Both run in the box, with the rights of the code only.
 */
#ifndef WORKER_BOX_SHARED_MCP_H
#define WORKER_BOX_SHARED_MCP_H

#include <stdbool.h>
#include <stddef.h>

#include "../../../common/base/buffer.h"
#include "../../../common/base/err.h"
#include "../../../common/json/schema_type.h"

/* Under this name the program is the bootstrap, and starts the code. */
#define MCP_BOOTSTRAP "caisson-start"

/* The environment variable with the directory of calls, and the FIFO in it. */
#define MCP_FOLDER_VARIABLE "CAISSON_CALLS"
#define MCP_FOLDER_NAME ".caisson"
#define MCP_FOLDER "/tmp/" MCP_FOLDER_NAME
#define MCP_REQUESTS "requests"
/* Suffix of the name of a call: the file of its request. */
#define MCP_REQUEST ".request"
/* Exists after the script has ended and its calls were reported. */
#define MCP_ENDED "ended"

/* The exit statuses of the command. */
enum mcp_status {
	MCP_DONE,
	MCP_FAILED, /* failure of the tool, server or connection */
	MCP_USAGE,  /* wrong words or arguments; no tool was called */
};

/*
 * What a language has done before its code, of *len bytes, is run by the
 * program at interpreter: it may change the code in place. Returns how the code
 * runs then, for a note, or NULL if nothing was changed.
 */
typedef const char *mcp_prepare(
    char *code, size_t *len, const char *interpreter);

/* bootstrap.c: for a language that has nothing done. */
mcp_prepare bootstrap_keep;

/*
 * bootstrap.c: waits for the code of a language, and becomes the interpreter
 * that runs it. Returns only on failure, after reporting it: the exit status.
 */
int bootstrap_main(const char *language, const char *interpreter);

/*
 * serve.c: starts the process that passes calls on to the relay, through the
 * descriptors in and out, which the caller still owns, until the calling
 * process ends. Creates folder for it. Returns 0, or -1 with err.
 */
int serve_start(const char *folder, int in, int out, struct err *err);

/*
 * Makes the frame of a request, with its newline, from the JSON written by a
 * caller, which may be any bytes. Returns 0, or -1 with err: the request must
 * not be sent then.
 */
int serve_make_frame(struct buffer *frame, unsigned long long id,
    const char *data, size_t len, struct err *err);

/* Sets err for arguments that are too long. Returns -1. */
int serve_refuse_size(struct err *err);

/*
 * Whether a name, of len bytes, is valid for a call: two numbers separated by
 * "-".
 */
int serve_is_name(const char *name, size_t len);

/*
 * ask.c: sends a request (JSON) and waits for its answer. Returns 0, with the
 * payload of the answer in *payload, which borrows from *line (freed by the
 * caller); or -1 with err: why it was refused, or that no call can be made. Its
 * code is EINVAL if the arguments of a call do not fit.
 */
int ask_relay(const struct buffer *request, struct buffer *line,
    struct json_span *payload, struct err *err);

/*
 * Like ask_relay, for requests that name a server, or, with NULL, none; how has
 * bits of enum mcp_how.
 */
enum mcp_how { MCP_REMEMBERED = 1, MCP_TYPES = 2 };
int ask_about(const char *type, const char *server, int how,
    struct buffer *line, struct json_span *payload, struct err *err);

/*
 * values.c: makes the arguments of a call, a JSON object, from words:
 * "name=value", with the types of schema (the inputSchema of the tool; empty:
 * unknown), "name:=JSON", or "-" for the object on standard input. Returns 0,
 * or -1 with err.
 */
int values_read(char *const *words, struct json_span schema,
    struct buffer *json, struct err *err);

/*
 * schema.c: returns the types that a part of the schema root allows; 0: any, or
 * unknown. depth is its depth, 0 for the caller.
 */
unsigned int schema_types_of(
    struct json_span root, struct json_span part, int depth);

/*
 * print.c: prints the result of a tool: its text or, if whole is set, all of it
 * as JSON. name is the name that the user gave. Returns an enum mcp_status.
 */
int print_result(struct json_span result, int whole, const char *name);

/*
 * Prints what a server has answered to ASK_SERVER: the texts of a resource or a
 * prompt, or a line for each of a list. Otherwise as print_result.
 */
int print_asked(struct json_span answer, int whole, const char *name);

/* Prints "mcp: TEXT" on standard error. */
void print_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* listed.c: the servers and tools. */
struct listed_server {
	char *name;
	char *alias;
	char *about; /* empty if there is no description */
	bool loaded;
};

struct listed_servers {
	struct listed_server *rows;
	size_t count;
};

/* Requests the servers of this execution. Returns 0, or -1 with err. */
int listed_fetch(struct listed_servers *servers, struct err *err);
void listed_free(struct listed_servers *servers);

/* Returns the row that alias_found() says a name means; else NULL with err. */
const struct listed_server *listed_find(const struct listed_servers *servers,
    const char *name, struct err *err);

/* Prints a line for each. Returns an enum mcp_status. */
int listed_print_servers(void);
/*
 * Prints the tools of a server, or with NULL those of all loaded servers; if
 * tool is not NULL, the description of that tool. whole: as JSON, or, if it is
 * MCP_TYPES, those of a server as TypeScript.
 */
int listed_print_tools(const char *server, const char *tool, int whole);
/* Prints the tools of all servers that match the words of a query best. */
int listed_search(const char *query);

/* Finds a tool of a list like listed_find. Returns 1 with its entry, or 0. */
int listed_find_tool(struct json_span list, const char *name,
    struct json_span *tool);

/*
 * Reports that a list has no tool of this name, with similar names; called is
 * the name that the user gave.
 */
void listed_explain_tool(struct json_span list, const char *called,
    const char *name, const char *server);

/*
 * show.c: makes the request that shows the picture in a file, or on standard
 * input for "-"; title NULL: the file name. Returns 0, or -1 with err.
 */
int show_make_request(struct buffer *request, const char *path,
    const char *title, struct err *err);

/* command.c: executes the words. Returns an enum mcp_status. */
int command_main(int count, char **words);

#endif
