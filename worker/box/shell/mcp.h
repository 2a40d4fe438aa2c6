/*
 * The program of a box of the shell: it starts the shell (bootstrap.c) and
 * serves the calls of tools beside it (serve.c); and by the name mcp it is the
 * command by which scripts make those (all other files). Both run in the box,
 * with no rights but those of the code.
 */
#ifndef WORKER_BOX_SHELL_MCP_H
#define WORKER_BOX_SHELL_MCP_H

#include <stddef.h>

#include "../../../common/buffer.h"
#include "../../../common/err.h"
#include "../../../common/json_span.h"

/* By this name the program is the bootstrap, and starts the code. */
#define MCP_BOOTSTRAP "caisson-shell"

/* Where the calls lie: the variable that has the folder, and its FIFO. */
#define MCP_FOLDER_VARIABLE "CAISSON_CALLS"
#define MCP_FOLDER_NAME ".caisson"
#define MCP_FOLDER "/tmp/" MCP_FOLDER_NAME
#define MCP_REQUESTS "requests"
/* Behind the name of a call: the file of its request. */
#define MCP_REQUEST ".request"
/* There once the script has ended, and its calls have been told of. */
#define MCP_ENDED "ended"

/* How the command ends. */
enum mcp_status {
	MCP_DONE,
	MCP_FAILED, /* the tool, the server or the connection */
	MCP_USAGE,  /* wrong words or arguments; no tool was called */
};

/*
 * bootstrap.c: waits for the code and becomes shell, which runs it. Returns
 * only on failure: the exit status, having said why.
 */
int bootstrap_main(const char *shell);

/*
 * repair.c: takes line ends CRLF, where all are, and a Markdown fence around
 * the whole from code, of *len bytes, in place. Returns how it runs then, or
 * NULL where nothing was changed.
 */
const char *repair_code(char *code, size_t *len);

/*
 * serve.c: starts the process that passes calls on to the relay, through the
 * descriptors in and out, which the caller still owns, until the calling
 * process ends. folder is made for it. Returns 0, or -1 with err.
 */
int serve_start(const char *folder, int in, int out, struct err *err);

/*
 * Makes the frame of a request, with its newline, of the JSON that a caller has
 * written, which may be anything. Returns 0, or -1 with err: nothing is to be
 * sent then.
 */
int serve_make_frame(struct buffer *frame, unsigned long long id,
    const char *data, size_t len, struct err *err);

/*
 * Whether a name, of len bytes, can be that of a call: two numbers with a "-"
 * between them.
 */
int serve_is_name(const char *name, size_t len);

/*
 * ask.c: sends a request (JSON) and waits for its answer. Returns 0, with the
 * payload of the answer in *payload, which borrows from *line (freed by the
 * caller); or -1 with err: why it was refused, or that no call can be made.
 */
int ask_relay(const struct buffer *request, struct buffer *line,
    struct json_span *payload, struct err *err);

/* As ask_relay, for the requests that name a server, or, with NULL, none. */
int ask_about(const char *type, const char *server, int remembered,
    struct buffer *line, struct json_span *payload, struct err *err);

/*
 * values.c: makes the arguments of a call, a JSON object, of the words that
 * give them: "name=value", of the types that schema (the inputSchema of the
 * tool; empty: unknown) has, "name:=JSON", or "-" for the object that stands on
 * standard input. Returns 0, or -1 with err.
 */
int values_read(char *const *words, struct json_span schema,
    struct buffer *json, struct err *err);

/* Makes one value, as JSON, of its text. Returns 0, or -1 with err. */
int values_add(struct buffer *json, const char *name, const char *text,
    struct json_span schema, struct json_span property, struct err *err);

/* schema.c: types of JSON Schema, as bits. */
enum schema_type {
	SCHEMA_STRING = 1,
	SCHEMA_NUMBER = 2,
	SCHEMA_BOOLEAN = 4,
	SCHEMA_OBJECT = 8,
	SCHEMA_ARRAY = 16,
	SCHEMA_NULL = 32,
	SCHEMA_INTEGER = 64,
};

/* Returns the type of a value; a number may be an integer. */
unsigned int schema_type_of(struct json_span value);

/*
 * Follows a reference into the same schema: "#/$defs/NAME". Returns 1 with the
 * part, or 0.
 */
int schema_resolve(struct json_span root, struct json_span reference,
    struct json_span *part);

/* Whether a part has a name of its own, which references in it mean. */
int schema_is_apart(struct json_span part, struct json_span root);

/* Returns the types that "type" names; 0: any, or one that is unknown. */
unsigned int schema_types_named(struct json_span part);

/*
 * Returns the types that a part of the schema root allows; 0: any, or unknown.
 * depth is how deep it lies, 0 for the caller.
 */
unsigned int schema_types_of(
    struct json_span root, struct json_span part, int depth);

/* Appends what types are called: "a number or null". */
void schema_add_types(struct buffer *said, unsigned int types);

/*
 * check.c: compares arguments, an object, with the schema of the tool. Returns
 * 0, or -1 with err: all that is wrong.
 */
int check_arguments(
    struct json_span schema, struct json_span object, struct err *err);

/* names.c: whether names are the same but for case, "-" and "_". */
int names_same(const char *one, const char *other);

/* Whether one may be the other, with a typing error. */
int names_close(const char *one, const char *other);

/*
 * print.c: prints the result of a tool: its text, or with whole all of it as
 * JSON. name is what the user calls the tool. Returns an enum mcp_status.
 */
int print_result(struct json_span result, int whole, const char *name);

/* Prints "mcp: TEXT" on standard error. */
void print_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* listed.c: which servers and tools there are. */
struct listed_server {
	char *name;
	char *alias;
	char *about; /* empty where there is no description */
	int loaded;
};

struct listed_servers {
	struct listed_server *rows;
	size_t count;
};

/* Asks for the servers of this execution. Returns 0, or -1 with err. */
int listed_fetch(struct listed_servers *servers, struct err *err);
void listed_free(struct listed_servers *servers);

/*
 * Returns the row of this name, or else alias, or else the only one that is the
 * same but for case, "-" and "_"; NULL with err where none is.
 */
const struct listed_server *listed_find(const struct listed_servers *servers,
    const char *name, struct err *err);

/* Prints a line for each. Returns an enum mcp_status. */
int listed_print_servers(void);
/*
 * Prints the tools of a server, or with NULL those of all that are loaded; and
 * with tool, not NULL, what there is about that. whole: as JSON.
 */
int listed_print_tools(const char *server, const char *tool, int whole);
/* Prints the tools that fit the words best, of all servers. */
int listed_search(char *const *words);

/*
 * Finds a tool of a list by its name, or else its alias, which may come without
 * its server, or else as listed_find does. Returns 1 with its entry, or 0.
 */
int listed_find_tool(struct json_span list, const char *name,
    struct json_span *tool);

/*
 * Says that a list has no tool of this name, and which ones come close; called
 * is what the user calls it.
 */
void listed_explain_tool(struct json_span list, const char *called,
    const char *name, const char *server);

/*
 * Appends a tool as it is called: "server.tool(path: string, [limit: number])".
 */
void listed_add_tool(struct buffer *text, const char *server,
    struct json_span tool);

/* Appends the first line of a string, at most most bytes of it. */
void listed_add_text(
    struct buffer *text, struct json_span string, size_t most);

/*
 * show.c: makes the request that shows the picture in a file, or for "-" on
 * standard input; title NULL: its name. Returns 0, or -1 with err.
 */
int show_make_request(struct buffer *request, const char *path,
    const char *title, struct err *err);

/* command.c: does what the words say. Returns an enum mcp_status. */
int command_main(int count, char **words);

#endif
