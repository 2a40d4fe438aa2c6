/*
 * What a server may ask the client of an execution: a bit each, as the client
 * supports it. Used by broker and supervisor.
 */
#ifndef COMMON_ASK_CLIENT_H
#define COMMON_ASK_CLIENT_H

#include "severity.h"

enum client_asked {
	ASK_CLIENT_FORM = 1 << 0,     /* elicitation/create, a form */
	ASK_CLIENT_URL = 1 << 1,      /* elicitation/create, an address */
	ASK_CLIENT_SAMPLING = 1 << 2, /* sampling/createMessage */
	ASK_CLIENT_ROOTS = 1 << 3,    /* roots/list */
	ASK_CLIENT_LOG = 1 << 4,      /* notifications/message: no answer */
	ASK_CLIENT_PROGRESS = 1 << 5, /* of a call of a tool: no answer */
};

#define ASK_CLIENT_TELLS (ASK_CLIENT_LOG | ASK_CLIENT_PROGRESS)

/* Beside ASK_CLIENT_LOG is from which level, as of severity_read(). */
#define ASK_CLIENT_LEVEL_SHIFT 6
#define ASK_CLIENT_ALL ((SEVERITY_MAX << ASK_CLIENT_LEVEL_SHIFT) | 63)

#endif
