/*
 * caisson servers test --json: one object for each server, entry or file in the
 * output of servers_try.c. Runs in the supervisor; pure.
 */
#ifndef SUPERVISOR_SERVERS_TRY_JSON_H
#define SUPERVISOR_SERVERS_TRY_JSON_H

#include "../../../common/base/buffer.h"
#include "../../peers/broker.h"

/* Appends the answer of a server. */
void servers_try_json_answer(
    struct buffer *text, const struct broker_answer *answer);

/* Appends why an entry or a file was not asked, and the path of the file. */
void servers_try_json_left(struct buffer *text, const char *state,
    const char *name, const char *path, const char *why);

#endif
