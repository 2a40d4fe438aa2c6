/*
 * The arguments that the box hands to the code: its standard input, variables
 * of its environment. Runs in the supervisor; pure functions.
 */
#ifndef SUPERVISOR_ARGUMENTS_INPUT_H
#define SUPERVISOR_ARGUMENTS_INPUT_H

#include "../../../common/json/json_span.h"
#include "../../run/run.h"

/*
 * Each checks the value of an argument and appends it to input of the request.
 * Returns 0, or -1 with err, one sentence that shows no value.
 */
int arguments_read_stdin(struct json_span value, const struct options *options,
    struct request *request, struct err *err);
int arguments_read_environment(struct json_span value,
    const struct options *options, struct request *request, struct err *err);

/* Boxes have no network: returns 0 only if the value asks for none. */
int arguments_read_network(struct json_span value,
    const struct options *options, struct request *request, struct err *err);

#endif
