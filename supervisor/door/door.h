/*
 * The MCP client on standard input and output. Runs in the supervisor.
 */
#ifndef SUPERVISOR_DOOR_H
#define SUPERVISOR_DOOR_H

#include "../run/run.h"

struct stdio;

/*
 * Takes both descriptors. The owner of the client's calls must be opened before
 * and closed after it. ended is called once, when the client has disconnected
 * (end of input, or no reader of the output).
 */
struct stdio *stdio_new(struct runs *runs, struct owner *owner, int *in,
    int *out, void (*ended)(void *ctx), void *ctx);
void stdio_free(struct stdio **stdio);

/* Tells the client, if it is still there, that the program is ending. */
void stdio_drain(struct stdio *stdio);

/* Returns whether all output has been written. */
int stdio_flushed(const struct stdio *stdio);

#endif
