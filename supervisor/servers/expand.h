/* Variables in texts of configuration files. Runs in the supervisor; pure. */
#ifndef SUPERVISOR_EXPAND_H
#define SUPERVISOR_EXPAND_H

#include <stdbool.h>
#include <stddef.h>

#include "../../common/config_shape.h"
#include "../../common/base/err.h"

/* The sources of the values of variables. */
struct expand {
	char **envp;
	const char *folder;      /* the working directory; "" for none */
	enum config_shape shape; /* some clients have their own syntax */
	bool foreign; /* set when only the client could expand a text */
};

/*
 * Returns text with ${VAR}, ${VAR:-default} (for a variable that is not set or
 * empty), ${env:VAR} and ${env:VAR:-default} replaced, and with the editors'
 * ${workspaceFolder}, ${workspaceFolderBasename}, ${userHome} and
 * ${pathSeparator}. In files of Gemini, $VAR is replaced too if it is set; in
 * those of opencode, {env:VAR}. Other uses of $ are not changed. The caller
 * frees it. Returns NULL with err, which names the variable that is not set, or
 * that only a client could expand (${input:…}). Errors never contain a value.
 */
char *expand_text(struct expand *expand, const char *text, struct err *err);

/* Returns the value of a variable, or NULL. */
const char *expand_variable(char **envp, const char *name, size_t len);

#endif
