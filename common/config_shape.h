/*
 * The formats of configuration files of servers. The supervisor knows which
 * program owns a file, and the reader parses the file; both use this list of
 * names. Contains nothing else.
 */
#ifndef COMMON_CONFIG_SHAPE_H
#define COMMON_CONFIG_SHAPE_H

enum config_shape {
	CONFIG_SHAPE_PLAIN,    /* JSON: nothing but servers */
	CONFIG_SHAPE_PLAIN_TOML, /* the same as TOML */
	CONFIG_SHAPE_CLIENT,   /* the same, and the object may be absent */
	CONFIG_SHAPE_CLAUDE,   /* "mcpServers", also below "projects" */
	CONFIG_SHAPE_GEMINI,   /* "mcpServers", selected by "mcp" */
	CONFIG_SHAPE_ZED,      /* "context_servers" among other settings */
	CONFIG_SHAPE_MCP,      /* "mcp", or "servers" below it */
	CONFIG_SHAPE_CODEX,    /* TOML: the table "mcp_servers" */
	CONFIG_SHAPE_GOOSE,    /* YAML: "extensions" */
	CONFIG_SHAPE_CONTINUE, /* YAML: "mcpServers", a list with names */
	CONFIG_SHAPES
};

/* How a server is reached: the field "remote" of ENTRY. */
enum config_remote {
	CONFIG_STDIO, /* started here */
	CONFIG_HTTP,
	CONFIG_SSE,
	CONFIG_REMOTES
};

/* The form of an added entry: the field "form" of GAP. */
enum config_gap {
	CONFIG_GAP_NONE,    /* it cannot be added */
	CONFIG_GAP_MEMBER,  /* a member of the object of servers */
	CONFIG_GAP_LIST,    /* that object does not exist yet */
	CONFIG_GAP_SECTION, /* a section of TOML */
	CONFIG_GAP_WHOLE,   /* the file is empty */
	CONFIG_GAPS
};

#endif
