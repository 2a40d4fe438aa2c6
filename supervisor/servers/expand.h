/*
 * Variables in texts of configuration files. Runs in the supervisor; pure.
 */
#ifndef SUPERVISOR_EXPAND_H
#define SUPERVISOR_EXPAND_H

#include <stddef.h>

#include "../../common/config_shape.h"
#include "../../common/err.h"

/* What texts are filled in from. */
struct expand {
	char **envp;
	const char *folder;      /* the one we run in; "" for none */
	enum config_shape shape; /* clients have ways of their own */
	int foreign; /* set when only the client could fill in a text */
};

/*
 * Returns text with ${VAR}, ${VAR:-default} (for a variable that is not set
 * or empty), ${env:VAR} and ${env:VAR:-default} replaced, and with what
 * editors call ${workspaceFolder}, ${workspaceFolderBasename}, ${userHome} and
 * ${pathSeparator}; in files of Gemini also $VAR, where it is set, in those of
 * opencode {env:VAR}. Other uses of $ stay. The caller frees it. Returns NULL
 * with err: the variable that is not set, or what only a client could fill in
 * (${input:…}). Errors never show a value.
 */
char *expand_text(struct expand *expand, const char *text, struct err *err);

/* Returns the value of a variable, or NULL. */
const char *expand_variable(char **envp, const char *name, size_t len);

#endif
