/* The tools of a server that may be used: see state.h. */
#include <ctype.h>
#include <stdio.h>
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

void
rules_set_others(struct rules *rules, const char *what,
    const struct ipc_define *define)
{
	const char *texts = (const char *)define->others.data, *text, *rest;
	size_t len = strlen(what);

	rules_reset(rules);
	TEXT_LIST_EACH (text, texts, define->others.len) {
		rest = strchr(text, ' ');
		if (rest == NULL)
			fatal("a rule of a server has no end");
		if (strncmp(++rest, what, len) != 0 || rest[len] != ' ')
			continue;
		rules->narrowed |= text[0] == 'a';
		text_list_add(text[0] == 'a' ? &rules->allow : &rules->deny,
		    rest + len + 1);
	}
}

/* Whether a byte must be written as this escape, such as "%20". */
static int
rules_is_needed(const char *escape)
{
	unsigned int code;

	if (!isxdigit((unsigned char)escape[1]) ||
	    !isxdigit((unsigned char)escape[2]) ||
	    sscanf(escape + 1, "%2x", &code) != 1)
		return 0;
	return code >= ' ' && code != 0x7f &&
	    (code > 0x7f || (!isalnum((int)code) &&
	        strchr("-._~/\\%", (int)code) == NULL));
}

/* Whether a URI has no other spelling that a server may take for the same. */
static int
rules_is_plain(const char *uri)
{
	const char *start = strstr(uri, "://"), *p;
	size_t dots;

	for (p = start != NULL ? start + 3 : uri; *p != '\0'; p++) {
		if ((unsigned char)*p <= ' ' || *p == '\\' || *p == '#' ||
		    (*p == '%' && !rules_is_needed(p)))
			return 0;
		dots = strspn(p + 1, ".");
		if (*p == '/' && (p[1] == '/' || ((dots == 1 || dots == 2) &&
		        strchr("/?", p[1 + dots]) != NULL)))
			return 0;
	}
	return 1;
}

/* Whether a list to deny names a text, in whatever case. */
static int
rules_deny(const struct rules *rules, const char *text)
{
	auto_free char *small = mem_strdup(text);
	const char *p;
	char *c;

	for (c = small; *c != '\0'; c++)
		*c = (char)tolower((unsigned char)*c);
	TEXT_LIST_EACH (p, rules->deny.data, rules->deny.len) {
		auto_free char *pattern = mem_strdup(p);

		for (c = pattern; *c != '\0'; c++)
			*c = (char)tolower((unsigned char)*c);
		if (rules_match(pattern, small))
			return 1;
	}
	return 0;
}

int
rules_refuse_other(const struct rules *rules, const char *what,
    struct json_span name, bool plain, struct buffer *reason)
{
	auto_free char *text = NULL, *path = NULL;
	const char *rule = NULL;
	size_t len;

	if (!rules_bind(rules))
		return 0;
	text = json_span_string(name, &len, NULL);
	if (text == NULL || strlen(text) != len ||
	    (plain && !rules_is_plain(text))) {
		buffer_printf(reason, " may not be used: the configuration of "
		    "the server restricts its %s by name, and this name may be "
		    "another spelling of one: write it without \"..\", \"//\", "
		    "\"#\" and needless escapes", what);
		return 1;
	}
	/* A query, or a slash at the end, may name the same. */
	path = mem_strdup(text);
	path[strcspn(path, "?")] = '\0';
	for (len = strlen(path); plain && len > 0 && path[len - 1] == '/';)
		path[--len] = '\0';
	if (rules_deny(rules, text) || (plain && rules_deny(rules, path)))
		rule = "deny";
	else if (rules->narrowed && !rules_name(&rules->allow, text))
		rule = "allow";
	if (rule == NULL)
		return 0;
	buffer_printf(reason, " may not be used: \"%s\" of \"%s\" in the "
	    "configuration of the server %s it", rule, what,
	    rule[0] == 'd' ? "names" : "does not name");
	return 1;
}
