/*
 * Variables in the texts of configuration files: see expand.h. Runs in the
 * supervisor, because the reader of the files has no environment. Pure.
 */
#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "../../common/base/buffer.h"
#include "../../common/limits.h"
#include "expand.h"

/* How much of a name an error contains. */
#define EXPAND_SHOWN 60

/* The parts between ${ and }. */
struct expand_use {
	const char *prefix; /* before the colon: "env", "input"; len 0: none */
	size_t prefix_len;
	const char *name;
	size_t name_len;
	const char *fallback; /* after ":-"; NULL: none */
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

/* Returns the length of the word at p: letters, digits and _ of a variable. */
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
 * Parses a use at p, which follows "${". Returns the position after its brace,
 * or NULL for other syntax, such as that of shells.
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

/* Returns how many bytes of a name a sentence contains. */
static int
expand_shown(size_t len)
{
	return len < EXPAND_SHOWN ? (int)len : EXPAND_SHOWN;
}

/* Returns whether len bytes are a word. */
static int
expand_is(const char *text, size_t len, const char *word)
{
	return strlen(word) == len && memcmp(text, word, len) == 0;
}

/* Returns the value of an editor's variable; NULL for other names. */
static const char *
expand_editor(const struct expand *expand, const char *name, size_t len)
{
	const char *slash;

	if (expand_is(name, len, "userHome"))
		return expand_variable(expand->envp, "HOME", strlen("HOME"));
	if (expand_is(name, len, "pathSeparator"))
		return "/";
	if (expand->folder == NULL || expand->folder[0] == '\0')
		return NULL;
	if (expand_is(name, len, "workspaceFolder"))
		return expand->folder;
	if (!expand_is(name, len, "workspaceFolderBasename"))
		return NULL;
	slash = strrchr(expand->folder, '/');
	return slash == NULL ? expand->folder : slash + 1;
}

static const char *
expand_value(const struct expand *expand, const struct expand_use *use)
{
	const char *value =
	    expand_variable(expand->envp, use->name, use->name_len);

	if (value == NULL && use->prefix_len == 0)
		value = expand_editor(expand, use->name, use->name_len);
	return value;
}

static int
expand_add(struct buffer *out, const struct expand_use *use,
    struct expand *expand, struct err *err)
{
	const char *value;
	int shown = expand_shown(use->name_len);

	if (use->prefix_len > 0 &&
	    !expand_is(use->prefix, use->prefix_len, "env")) {
		expand->foreign = true;
		return err_set(err, "uses ${%.*s:%.*s}, which only another "
		    "program can fill in: write ${VARIABLE} and set it",
		    expand_shown(use->prefix_len), use->prefix, shown,
		    use->name);
	}
	value = expand_value(expand, use);
	if (use->fallback != NULL && (value == NULL || *value == '\0')) {
		buffer_add(out, use->fallback, use->fallback_len);
		return 0;
	}
	if (value == NULL)
		return err_set(err, "uses ${%.*s}, which is not set: set it, "
		    "or write ${%.*s:-default}", shown, use->name, shown,
		    use->name);
	buffer_add_text(out, value);
	return 0;
}

/* Syntax of some clients only */

/* Parses {env:NAME} at p. Returns the position after it, or NULL. */
static const char *
expand_parse_braces(const char *p, struct expand_use *use)
{
	if (strncmp(p, "{env:", strlen("{env:")) != 0)
		return NULL;
	p += strlen("{env:");
	*use = (struct expand_use){ .name = p, .name_len = expand_word(p) };
	p += use->name_len;
	return use->name_len == 0 || *p != '}' ? NULL : p + 1;
}

/*
 * Parses $NAME at p, if the variable is set. Returns the position after it, or
 * NULL.
 */
static const char *
expand_parse_bare(
    const struct expand *expand, const char *p, struct expand_use *use)
{
	size_t len = *p == '$' ? expand_word(p + 1) : 0;

	*use = (struct expand_use){ .name = p + 1, .name_len = len };
	return len == 0 ||
	    expand_variable(expand->envp, p + 1, len) == NULL ? NULL :
	    p + 1 + len;
}

/*
 * Parses the use that starts at p. Returns the position after it, or NULL if
 * none that we expand starts there.
 */
static const char *
expand_parse_at(
    const struct expand *expand, const char *p, struct expand_use *use)
{
	const char *behind = NULL;

	if (p[0] == '$' && p[1] == '{')
		behind = expand_parse(p + 2, use);
	else if (expand->shape == CONFIG_SHAPE_MCP)
		behind = expand_parse_braces(p, use);
	else if (expand->shape == CONFIG_SHAPE_GEMINI)
		behind = expand_parse_bare(expand, p, use);
	return behind;
}

char *
expand_text(struct expand *expand, const char *text, struct err *err)
{
	auto_buffer struct buffer out = { 0 };
	struct expand_use use;
	const char *behind;
	size_t plain;

	buffer_add_text(&out, "");
	while (*text != '\0' && out.len <= CONFIG_EXPANDED_MAX) {
		plain = strcspn(text, "${");
		buffer_add(&out, text, plain);
		text += plain;
		if (*text == '\0')
			break;
		behind = expand_parse_at(expand, text, &use);
		if (behind == NULL)
			buffer_add(&out, text++, 1);
		else if (expand_add(&out, &use, expand, err) == -1)
			return NULL;
		else
			text = behind;
	}
	if (out.len > CONFIG_EXPANDED_MAX) {
		err_set(err, "has more than %lu bytes when its variables are "
		    "filled in, more than can be passed to a program",
		    CONFIG_EXPANDED_MAX);
		return NULL;
	}
	return buffer_take(&out, NULL);
}
