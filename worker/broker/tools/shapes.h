/*
 * The shapes of results (shape.h), by the fingerprint of their server, which
 * differs for each owner, and the name of the tool. They are kept as long as
 * the broker runs, and bounded. Runs in the broker.
 */
#ifndef WORKER_BROKER_SHAPES_H
#define WORKER_BROKER_SHAPES_H

#include <stdint.h>

#include "../../../common/base/buffer.h"
#include "../../../common/json/json_span.h"
#include "../state/definition.h"

struct shapes;

/* None yet. */
struct shapes *shapes_new(void);
void shapes_free(struct shapes **shapes);

/*
 * Returns whether fewer than SHAPES_LOOKS_MAX results of a tool, whose name is
 * a JSON string, were examined.
 */
int shapes_want(const struct shapes *shapes,
    const struct definition *definition, struct json_span tool);

/* Records a result of a tool of the server: the longest shape is kept. */
void shapes_learn(struct shapes *shapes, const struct definition *definition,
    struct json_span tool, struct json_span result);

/* Drops the shapes of all servers of this name, of every owner. */
void shapes_forget(struct shapes *shapes, const char *server);

/*
 * Appends a list of tools made by tools_finish, with an additional member
 * "shapes" if any are known: an object of tool names and texts.
 */
void shapes_add_list(const struct shapes *shapes,
    const struct definition *definition, const char *list, size_t len,
    struct buffer *json);

#endif
