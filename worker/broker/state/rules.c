/*
 * The tools of a server that may be used: see state.h. Runs in the broker.
 */
#include <stdlib.h>
#include <string.h>

#include "../../../common/base/log.h"
#include "../../../common/base/mem.h"
#include "../../../common/base/text_list.h"
#include "state.h"

#define RULES_DENIED                                                           \
	"may not be used: \"deny\" of \"tools\" in the configuration of the "  \
	"server names it"
#define RULES_NOT_ALLOWED                                                      \
	"may not be used: \"allow\" of \"tools\" in the configuration of the " \
	"server does not name it"
#define RULES_NO_TEXT                                                          \
	"may not be used: the configuration of the server restricts its "      \
	"tools by name, and this name is invalid"

/* Returns whether these names differ from the stored ones. */
static int
rules_replace(struct buffer *names, const struct ipc_bytes *bytes)
{
	if (bytes->len > 0 && bytes->data[bytes->len - 1] != '\0')
		fatal("a name of a tool of a server has no end");
	if (bytes->len == names->len &&
	    (names->len == 0 ||
	        memcmp(bytes->data, names->data, names->len) == 0))
		return 0;
	buffer_reset(names);
	buffer_add(names, (const char *)bytes->data, bytes->len);
	return 1;
}

int
rules_set(struct rules *rules, const struct ipc_define *define)
{
	int changed = rules->narrowed != (int)define->narrowed;

	rules->narrowed = (int)define->narrowed;
	changed |= rules_replace(&rules->allow, &define->allow);
	changed |= rules_replace(&rules->deny, &define->deny);
	return changed;
}

void
rules_copy(struct rules *rules, const struct rules *other)
{
	rules_reset(rules);
	rules->narrowed = other->narrowed;
	buffer_add(&rules->allow, other->allow.data, other->allow.len);
	buffer_add(&rules->deny, other->deny.data, other->deny.len);
}

void
rules_reset(struct rules *rules)
{
	buffer_reset(&rules->allow);
	buffer_reset(&rules->deny);
	rules->narrowed = 0;
}

/*
 * Whether a pattern matches the whole name. Only the last star is backtracked
 * to, because another choice for an earlier star never helps.
 */
static int
rules_match(const char *pattern, const char *name)
{
	const char *star = NULL, *from = NULL;

	while (*name != '\0') {
		if (*pattern == '*') {
			star = pattern++;
			from = name;
		} else if (*pattern == *name) {
			pattern++;
			name++;
		} else if (star != NULL) {
			pattern = star + 1;
			name = ++from;
		} else {
			return 0;
		}
	}
	while (*pattern == '*')
		pattern++;
	return *pattern == '\0';
}

static int
rules_name(const struct buffer *names, const char *name)
{
	const char *p;

	TEXT_LIST_EACH (p, names->data, names->len)
		if (rules_match(p, name))
			return 1;
	return 0;
}

int
rules_bind(const struct rules *rules)
{
	return rules->narrowed || rules->deny.len > 0;
}

const char *
rules_refuse(const struct rules *rules, struct json_span name)
{
	auto_free char *text = NULL;
	size_t len;

	if (!rules_bind(rules))
		return NULL;
	/* How the server interprets such a name is unknown. */
	text = json_span_string(name, &len, NULL);
	if (text == NULL || strlen(text) != len)
		return RULES_NO_TEXT;
	if (rules_name(&rules->deny, text))
		return RULES_DENIED;
	if (rules->narrowed && !rules_name(&rules->allow, text))
		return RULES_NOT_ALLOWED;
	return NULL;
}
