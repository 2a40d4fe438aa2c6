/*
 * The options in the environment: CAISSON_NAME, and MCP_BRIDGE_NAME, which
 * they were called in earlier versions. Runs in the supervisor; reads
 * variables and changes none.
 */
#ifndef SUPERVISOR_OPTION_ENVIRONMENT_H
#define SUPERVISOR_OPTION_ENVIRONMENT_H

#include "../../common/err.h"
#include "option_table.h"

/* What is done with the value of an option. Returns 0, or -1 with err. */
typedef int option_environment_value(
    void *ctx, enum option_id id, int former, const char *value,
    struct err *err);

/*
 * Calls each for every variable of ours that is set and not empty, those with
 * their former names first. Returns 0, or -1 with err: that of each, or a name
 * that is no option's. Former names that are not even near to one pass.
 */
int option_environment_read(
    char **envp, option_environment_value *each, void *ctx, struct err *err);

/*
 * Warns in the log of variables that are not used: those of other versions,
 * and a former name where the new one says something else.
 */
void option_environment_warn(char **envp);

#endif
