/* Values that may be secrets: see server_mask.h. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "../../../common/base/log.h"
#include "../../../common/base/mem.h"
#include "../../../common/base/text_list.h"
#include "server_mask.h"

#define SERVER_MASK_SHOWN_MAX 80 /* longer arguments may be secrets */
#define SERVER_MASK_DIGITS_MAX 5 /* of a port, a year, a version */
/* Shorter words of a value are no secrets, unless something calls them so. */
#define SERVER_MASK_WORD_LEAST 8

/* Without one of these, a text is signs only. */
#define SERVER_MASK_LETTERS                                                    \
	"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

/* Returns whether the value after this flag or name is probably a secret. */
static int
server_mask_is_secretive(const char *text)
{
	static const char *const words[] = { "key", "token", "secret", "pass",
		"auth", "bearer", "cred", "header", "pwd", "cookie" };
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcasestr(text, words[i]) != NULL)
			return 1;
	return 0;
}

/*
 * Returns whether a text is a number of up to five digits, or its words are
 * letters with such a number behind them, and it is a path or has a dot, as
 * versions and the names of files, packages and hosts have.
 */
static int
server_mask_is_name(const char *text)
{
	const char *p = text;
	size_t digits;

	if (text[0] == '\0')
		return 0;
	for (; *p != '\0'; p += digits) {
		while (isalpha((unsigned char)*p))
			p++;
		digits = strspn(p, "0123456789");
		if (digits > SERVER_MASK_DIGITS_MAX ||
		    isalpha((unsigned char)p[digits]) ||
		    (p[digits] != '\0' && strchr("@/._-~+", p[digits]) == NULL))
			return 0;
		digits += p[digits] != '\0';
	}
	return text[strspn(text, "0123456789")] == '\0' || text[0] == '/' ||
	    strncmp(text, "~/", 2) == 0 || strchr(text, '.') != NULL;
}

/*
 * Returns whether a text is clearly not a secret: letters as in names and
 * paths, or a name with numbers. Another digit may be part of a token; a colon
 * and an @ may enclose a password.
 */
static int
server_mask_is_plain(const char *text)
{
	size_t i, len = strlen(text);

	for (i = 0; i < len; i++)
		if (!isalpha((unsigned char)text[i]) &&
		    strchr("@/._-~", text[i]) == NULL)
			break;
	return len <= SERVER_MASK_SHOWN_MAX &&
	    (i == len || server_mask_is_name(text));
}

int
server_mask_hides(const char *argument, const char *before)
{
	return !server_mask_is_plain(argument) || (before != NULL &&
	    before[0] == '-' && server_mask_is_secretive(before));
}

static int
server_mask_is_unreserved(char c)
{
	return isalnum((unsigned char)c) || strchr("-._~", c) != NULL;
}

/* Appends the byte of %XX, or the next one. Returns how many were read. */
static size_t
server_mask_decode(struct buffer *decoded, const char *text)
{
	char digits[3] = { 0 }, byte = text[0];
	size_t len = 1;

	if (text[0] == '%' && isxdigit((unsigned char)text[1]) &&
	    isxdigit((unsigned char)text[2])) {
		memcpy(digits, text + 1, 2);
		byte = (char)strtoul(digits, NULL, 16);
		len = 3;
	}
	buffer_add(decoded, &byte, 1);
	return len;
}

/* What is switched is no secret, even if the name of a variable says so. */
static int
server_mask_is_switch(const char *text)
{
	static const char *const words[] = { "on", "off", "yes", "no", "true",
		"false" };
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strcasecmp(text, words[i]) == 0)
			return 1;
	return 0;
}

/*
 * Adds a secret, as it is and percent-encoded or decoded. origin: where it
 * stands says that it is one, however short.
 */
static void
server_mask_add_secret(struct buffer *set, const char *secret, int origin)
{
	auto_buffer struct buffer encoded = { 0 }, decoded = { 0 };
	const char *p;

	for (p = secret; *p != '\0'; p++)
		if (server_mask_is_unreserved(*p))
			buffer_add(&encoded, p, 1);
		else
			buffer_printf(&encoded, "%%%02X", (unsigned char)*p);
	for (p = secret; *p != '\0';)
		p += server_mask_decode(&decoded, p);
	if (strlen(secret) < (origin ? MASK_ORIGIN_LEAST : MASK_LEAST) ||
	    server_mask_is_switch(secret))
		return;
	mask_add(set, secret);
	mask_add(set, encoded.data);
	mask_add(set, decoded.data);
}

/* Adds the password of each URL in a value, or what is there for a user. */
static void
server_mask_add_passwords(struct buffer *set, const char *value)
{
	while ((value = strstr(value, "://")) != NULL) {
		auto_free char *place = NULL;
		char *end, *colon;

		value += strlen("://");
		place = mem_printf("%.*s", (int)strcspn(value, "/?# ,"), value);
		end = strrchr(place, '@');
		if (end == NULL)
			continue;
		*end = '\0';
		colon = strchr(place, ':');
		if (colon != NULL)
			server_mask_add_secret(set, colon + 1, 1);
		else if (!server_mask_is_plain(place))
			server_mask_add_secret(set, place, 0);
	}
}

/* A word of a value: it ends at quotes and spaces or, if fine, at signs, too.
 */
struct server_mask_word {
	const char *value;
	const char *p;
	size_t len;
	char *text;
	char *before; /* the previous word, or NULL */
	bool fine;
};

static int
server_mask_ends(const struct server_mask_word *word, char c)
{
	if (word->fine)
		return c == '\0' || (!isalnum((unsigned char)c) &&
		    (c & 0x80) == 0 && strchr("_.+~/%-", c) == NULL);
	return strchr("\"' \t\r\n", c) != NULL;
}

/* Finds the next word. Returns 0 if there is none. */
static int
server_mask_next(struct server_mask_word *word)
{
	const char *end = word->p + word->len;

	do {
		word->p = end;
		while (*word->p != '\0' && server_mask_ends(word, *word->p))
			word->p++;
		for (end = word->p; !server_mask_ends(word, *end); end++)
			;
		word->len = (size_t)(end - word->p);
		free(mem_take(&word->text));
		word->text = mem_dup(word->p, word->len);
	} while (word->len > 0 &&
	    strpbrk(word->text, SERVER_MASK_LETTERS) == NULL);
	return word->len > 0;
}

static int
server_mask_is_scheme(const char *text)
{
	return strcasecmp(text, "bearer") == 0 ||
	    strcasecmp(text, "basic") == 0;
}

/* Whether the word has the value of what the previous one calls secret. */
static int
server_mask_is_called(const struct server_mask_word *word)
{
	const char *sign = word->p;

	if (word->before == NULL)
		return 0;
	if (server_mask_is_scheme(word->before))
		return 1;
	while (sign > word->value && !isalnum((unsigned char)sign[-1]) &&
	    sign[-1] != ':' && sign[-1] != '=')
		sign--;
	return server_mask_is_secretive(word->before) &&
	    (word->before[0] == '-' ||
	        (sign > word->value && !isalnum((unsigned char)sign[-1])));
}

/*
 * Whether a word of a value may be a secret by itself. secretive: the name of
 * the value says so; words that name others do not count then.
 */
static int
server_mask_is_secret(const struct server_mask_word *word, int secretive)
{
	const char *next = word->p + word->len;
	int plain = server_mask_is_plain(word->text);

	if (server_mask_is_scheme(word->text))
		return 0;
	if (server_mask_is_called(word))
		return 1;
	if (strpbrk(next, SERVER_MASK_LETTERS) == NULL)
		return secretive || !plain;
	next += strspn(next, "\"' \t");
	return word->len >= SERVER_MASK_WORD_LEAST &&
	    (!plain || (secretive && *next != ':' && *next != '='));
}

static void
server_mask_add_words(
    struct buffer *set, const char *value, int secretive, int fine)
{
	struct server_mask_word word = { .value = value, .p = value,
		.fine = fine };

	while (server_mask_next(&word)) {
		if (server_mask_is_secret(&word, secretive))
			server_mask_add_secret(
			    set, word.text, server_mask_is_called(&word));
		free(word.before);
		word.before = mem_take(&word.text);
	}
	free(word.before);
	free(word.text);
}

/*
 * Adds a value, the passwords of URLs in it and those of its words that may be
 * secrets. Secretive is set if what is called so may be a secret, even if it is
 * plain; origin, see server_mask_add_secret().
 */
static void
server_mask_add(
    struct buffer *set, const char *value, int secretive, int origin)
{
	server_mask_add_secret(set, value, origin);
	/* The words of a PEM are those of any other. */
	if (strncmp(value, "-----BEGIN ", strlen("-----BEGIN ")) == 0)
		return;
	server_mask_add_passwords(set, value);
	server_mask_add_words(set, value, secretive, 0);
	server_mask_add_words(set, value, secretive, 1);
}

/* Adds the arguments that may be secrets; the program is none. */
static void
server_mask_add_arguments(struct buffer *set, const struct server *server)
{
	const char *before = NULL, *text;

	TEXT_LIST_EACH (text, server->run.data, server->run.len) {
		int secretive = before != NULL && before[0] == '-' &&
		    server_mask_is_secretive(before);

		if (before != NULL && server_mask_hides(text, before))
			server_mask_add(set, text, secretive, secretive);
		before = text;
	}
}

/* Adds a variable of the entry, unless its name and value are of no secret. */
static void
server_mask_add_variable(struct buffer *set, const char *variable)
{
	size_t len = strcspn(variable, "=");
	auto_free char *name = mem_printf("%.*s", (int)len, variable);
	int secretive = server_mask_is_secretive(name);

	if (variable[len] == '=' && !server_is_secret_file(name) &&
	    (secretive || !server_mask_is_plain(variable + len + 1)))
		server_mask_add(set, variable + len + 1, secretive, 1);
}

/*
 * Adds a variable that the server inherits, if it may be a secret, and the
 * passwords of URLs in it.
 */
static void
server_mask_add_inherited(struct buffer *set, const char *variable)
{
	size_t len = strcspn(variable, "=");
	auto_free char *name = mem_printf("%.*s", (int)len, variable);

	if (variable[len] == '=' && server_mask_is_secretive(name) &&
	    !server_mask_is_plain(variable + len + 1))
		server_mask_add_secret(set, variable + len + 1, 1);
	server_mask_add_passwords(set, variable + len);
}

void
server_mask_gather(
    struct buffer *set, const struct server *server, char *const *envp)
{
	const char *text, *value;
	uint8_t key[MASK_KEY_SIZE];

	if (getrandom(key, sizeof(key), 0) != (ssize_t)sizeof(key))
		fatal("there are no random numbers");
	mask_begin(set, key);
	TEXT_LIST_EACH (text, server->run_env.data, server->run_env.len)
		server_mask_add_variable(set, text);
	TEXT_LIST_PAIRS (text, value, server->headers.data, server->headers.len)
		/* What else begins so says how to log in. */
		if (text[0] != ':' || (server_mask_is_secretive(text) &&
		        !server_is_secret_file(text)))
			server_mask_add(set, value, 1, 1);
	server_mask_add_arguments(set, server);
	if (server->path != NULL)
		mask_add(set, server->path);
	for (; *envp != NULL; envp++)
		server_mask_add_inherited(set, *envp);
}

/* Adds the segments of a path, but for those that may be secret. */
static void
server_mask_add_path(struct buffer *out, const char *path, const char *end)
{
	while (path < end) {
		size_t len = 1 + strcspn(path + 1, "/?#");
		auto_free char *segment = mem_dup(path + 1, len - 1);

		buffer_add_text(out, "/");
		buffer_add_text(
		    out, server_mask_hides(segment, NULL) ? MASK : segment);
		path += len;
	}
}

void
server_mask_url(struct buffer *out, const char *url)
{
	const char *host = strstr(url, "://");
	const char *begin = host == NULL ? url : host + 3;
	const char *path = begin + strcspn(begin, "/?#");
	const char *end = path + strcspn(path, "?#");
	const char *at = path;

	while (at > begin && at[-1] != '@')
		at--;
	buffer_add(out, url, (size_t)(begin - url));
	buffer_add_text(out, at > begin ? MASK "@" : "");
	buffer_add(out, at, (size_t)(path - at));
	server_mask_add_path(out, path, end);
	buffer_add_text(out, *end == '\0' ? "" : "?" MASK);
}
