/*
 * The tools of a server that may be used: names to allow and to deny, from the
 * user's configuration. Runs in the broker; pure functions over bytes.
 */
#ifndef WORKER_BROKER_RULES_H
#define WORKER_BROKER_RULES_H

#include <stdbool.h>

#include "../../../common/base/buffer.h"
#include "../../../common/ipc/ipc.h"
#include "../../../common/json/json_span.h"

/* All zeroes is no restriction: every tool may be used. */
struct rules {
	bool narrowed;        /* only the tools in allow may be used */
	struct buffer allow; /* each name with a NUL; * stands for any text */
	struct buffer deny;  /* may not be used, even if allow names them */
};

/*
 * Stores the rules of a definition in place of the existing ones. Returns
 * whether they have changed. Fatal if they are malformed, because their sender
 * is trusted.
 */
int rules_set(struct rules *rules, const struct ipc_define *define);
void rules_copy(struct rules *rules, const struct rules *other);
void rules_reset(struct rules *rules);

/*
 * Returns why the tool of this name, a JSON string, may not be used: static,
 * the end of a sentence that starts with the tool. NULL if it may be used.
 */
const char *rules_refuse(const struct rules *rules, struct json_span name);

/*
 * Whether there are any rules. If so, only listed tools are called, because the
 * server might accept another spelling of a forbidden name.
 */
int rules_bind(const struct rules *rules);

#endif
