/*
 * Which tools of a server may be used: names to allow and names to deny, as
 * the user's configuration has them. Runs in the broker; pure functions over
 * bytes.
 */
#ifndef WORKER_BROKER_RULES_H
#define WORKER_BROKER_RULES_H

#include "../../common/buffer.h"
#include "../../common/ipc.h"
#include "../../common/json_span.h"

/* All zeroes is no rule: every tool may be used. */
struct rules {
	int narrowed;        /* only those of allow may be used */
	struct buffer allow; /* each name with a NUL; * in it is any text */
	struct buffer deny;  /* those may not be used, whatever allow says */
};

/*
 * Takes the rules of a definition over those that were there. Returns whether
 * they are other ones. Fatal when they are no names: their sender is trusted.
 */
int rules_set(struct rules *rules, const struct ipc_define *define);
void rules_copy(struct rules *rules, const struct rules *other);
void rules_reset(struct rules *rules);

/*
 * Says why the tool of this name, a JSON string, may not be used: static, the
 * end of a sentence that begins with the tool. NULL when it may be.
 */
const char *rules_refuse(const struct rules *rules, struct json_span name);

/*
 * Whether there are any: then a server is asked for nothing that it has not
 * listed, as it might take another spelling for a name that may not be used.
 */
int rules_bind(const struct rules *rules);

#endif
