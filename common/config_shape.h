/*
 * The shapes that configuration files of servers have: which supervisor and
 * reader must agree on, the one because it knows whose file it is, the other
 * because it reads it. Used by these two; a list of names, nothing else.
 */
#ifndef COMMON_CONFIG_SHAPE_H
#define COMMON_CONFIG_SHAPE_H

enum config_shape {
	CONFIG_SHAPE_OWN,      /* JSON: servers and nothing else */
	CONFIG_SHAPE_CLIENT,   /* the same, and there may be none yet */
	CONFIG_SHAPE_CLAUDE,   /* "mcpServers", also below "projects" */
	CONFIG_SHAPE_GEMINI,   /* "mcpServers", and "mcp" says which of them */
	CONFIG_SHAPE_ZED,      /* "context_servers" among other settings */
	CONFIG_SHAPE_MCP,      /* "mcp", or "servers" below it */
	CONFIG_SHAPE_CODEX,    /* TOML: the table "mcp_servers" */
	CONFIG_SHAPE_GOOSE,    /* YAML: "extensions" */
	CONFIG_SHAPE_CONTINUE, /* YAML: "mcpServers", a list with names */
	CONFIG_SHAPES
};

/* How a server is reached: what "remote" of an ENTRY says. */
enum config_remote {
	CONFIG_STDIO, /* started here */
	CONFIG_HTTP,
	CONFIG_SSE,
	CONFIG_REMOTES
};

/* What one more entry is in its file: "form" of a GAP. */
enum config_gap {
	CONFIG_GAP_NONE,    /* it cannot be put there */
	CONFIG_GAP_MEMBER,  /* a member of the object of servers */
	CONFIG_GAP_LIST,    /* that object is not there yet */
	CONFIG_GAP_SECTION, /* a section of TOML */
	CONFIG_GAP_WHOLE,   /* there is nothing in the file */
	CONFIG_GAPS
};

#endif
