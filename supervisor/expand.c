/*
 * Variables in the texts of configuration files: see servers.h. Runs in the
 * supervisor, because the reader of the files has no environment. Pure.
 */
#include <ctype.h>
#include <string.h>

#include "../common/buffer.h"
#include "../common/limits.h"
#include "../common/mem.h"
#include "servers.h"

/* How much of a name an error shows. */
#define EXPAND_SHOWN 60

/* What stands between ${ and }. */
struct expand_use {
	const char *prefix; /* before the colon: "env", "input"; len 0: none */
	size_t prefix_len;
	const char *name;
	size_t name_len;
	const char *fallback; /* behind :- ; NULL: none */
	size_t fallback_len;
};

const char *
expand_variable(char **envp, const char *name, size_t len)
{
	for (; *envp != NULL; envp++)
		if (strncmp(*envp, name, len) == 0 && (*envp)[len] == '=')
			return *envp + len + 1;
	return NULL;
}

/* Length of the word at p: the letters, digits and _ of a variable. */
static size_t
expand_word(const char *p)
{
	size_t n = 0;

	if (isdigit((unsigned char)*p))
		return 0;
	while (isalnum((unsigned char)p[n]) || p[n] == '_')
		n++;
	return n;
}

/*
 * Reads a use at p, which is behind "${". Returns what is behind its brace, or
 * NULL when it is none of ours: a shell has many more.
 */
static const char *
expand_parse(const char *p, struct expand_use *use)
{
	size_t len = expand_word(p);
	const char *end;

	*use = (struct expand_use){ .name = p, .name_len = len };
	if (len == 0)
		return NULL;
	p += len;
	if (p[0] == ':' && p[1] != '-') {
		use->prefix = use->name;
		use->prefix_len = len;
		use->name = ++p;
		use->name_len = len = strcspn(p, ":}");
		if (len == 0)
			return NULL;
		p += len;
	}
	if (p[0] == ':' && p[1] == '-') {
		use->fallback = p + 2;
		end = strchr(p, '}');
		use->fallback_len = end == NULL ? 0 :
		    (size_t)(end - use->fallback);
		p = end;
	}
	return p == NULL || *p != '}' ? NULL : p + 1;
}

static int
expand_add(struct buffer *out, const struct expand_use *use, char **envp,
    struct err *err)
{
	const char *value;

	if (use->prefix_len > 0 &&
	    (use->prefix_len != 3 || memcmp(use->prefix, "env", 3) != 0))
		return err_set(err, "uses ${%.*s:%.*s}, which only another "
		    "program can fill in: write ${VARIABLE} and set it",
		    EXPAND_SHOWN < (int)use->prefix_len ? EXPAND_SHOWN :
		        (int)use->prefix_len, use->prefix,
		    EXPAND_SHOWN < (int)use->name_len ? EXPAND_SHOWN :
		        (int)use->name_len, use->name);
	value = expand_variable(envp, use->name, use->name_len);
	if (use->fallback != NULL && (value == NULL || *value == '\0')) {
		buffer_add(out, use->fallback, use->fallback_len);
		return 0;
	}
	if (value == NULL)
		return err_set(err, "uses ${%.*s}, which is not set: set it, "
		    "or write ${%.*s:-default}",
		    EXPAND_SHOWN < (int)use->name_len ? EXPAND_SHOWN :
		        (int)use->name_len, use->name,
		    EXPAND_SHOWN < (int)use->name_len ? EXPAND_SHOWN :
		        (int)use->name_len, use->name);
	buffer_add_text(out, value);
	return 0;
}

char *
expand_text(const char *text, char **envp, struct err *err)
{
	auto_buffer struct buffer out = { 0 };
	struct expand_use use;
	const char *dollar, *behind;

	while ((dollar = strstr(text, "${")) != NULL) {
		buffer_add(&out, text, (size_t)(dollar - text));
		behind = expand_parse(dollar + 2, &use);
		text = behind == NULL ? dollar + 2 : behind;
		if (behind == NULL)
			buffer_add_text(&out, "${");
		else if (expand_add(&out, &use, envp, err) == -1)
			return NULL;
		if (out.len > CONFIG_EXPANDED_MAX)
			break;
	}
	buffer_add_text(&out, text);
	if (out.len > CONFIG_EXPANDED_MAX) {
		err_set(err, "has more than %lu bytes when its variables are "
		    "filled in, which no program can be given",
		    CONFIG_EXPANDED_MAX);
		return NULL;
	}
	return buffer_take(&out, NULL);
}
