/*
 * The options in the environment: CAISSON_NAME, and MCP_BRIDGE_NAME, their name
 * in earlier versions. Runs in the supervisor; reads variables and changes
 * none.
 */
#ifndef SUPERVISOR_OPTION_ENVIRONMENT_H
#define SUPERVISOR_OPTION_ENVIRONMENT_H

#include "../../common/base/err.h"
#include "option_table.h"

/* Called with the value of an option. Returns 0, or -1 with err. */
typedef int option_environment_value(void *ctx, enum option_id id, int former,
    const char *value, struct err *err);

/*
 * Calls each for every variable of ours that is set and not empty, those with
 * former names first. Returns 0, or -1 with err: from each, or for an unknown
 * option. Unknown former names are accepted unless they are similar to an
 * option.
 */
int option_environment_read(
    char **envp, option_environment_value *each, void *ctx, struct err *err);

/*
 * Logs a warning for variables that are not used: those of other versions, and
 * a former name whose value differs from that of the current name.
 */
void option_environment_warn(char **envp);

/* Returns the variable of an option that has one. */
const char *option_compat_name(enum option_id id);

/* Sets an option. Returns 0, or -1 with err. */
typedef int option_compat_set(
    void *ctx, enum option_id id, const char *value, struct err *err);

/*
 * Takes the variables of the service that the option compat names, each also as
 * NAME_FILE, from the environment: calls set with each option, and stores the
 * token and the secret of links, which the caller frees. Returns 0, or -1 with
 * err, which never has these.
 */
int option_compat_read(char **envp, option_compat_set *set, void *ctx,
    char **token, char **file_secret, struct err *err);

#endif
