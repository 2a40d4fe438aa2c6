/*
 * The tokens of "caisson serve": where they are, and the first one. Runs in the
 * supervisor.
 */
#ifndef SUPERVISOR_SERVE_TOKENS_H
#define SUPERVISOR_SERVE_TOKENS_H

#include "../../options/options.h"

/*
 * Returns the state directory, where the tokens are, a descriptor that the
 * caller owns. If they are needed (needed is set), they must be valid: where
 * there is no file of tokens yet, the first one is made, and its place is
 * printed. Returns -1 with err if they are needed and missing; else -1 if there
 * is no state directory.
 */
int serve_tokens_open(const struct options *options, char **envp, int needed,
    struct err *err);

#endif
