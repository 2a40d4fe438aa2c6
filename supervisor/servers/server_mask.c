/*
 * Values that may be secrets: see server_mask.h. Runs in the supervisor.
 */
#include <ctype.h>
#include <string.h>
#include <sys/random.h>

#include "../../common/base/log.h"
#include "../../common/base/mem.h"
#include "../../common/base/text_list.h"
#include "server_mask.h"

#define SERVER_MASK_SHOWN_MAX 80 /* longer arguments may be secrets */

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
 * Returns whether a text is clearly not a secret: letters as in names and
 * paths. A digit may be part of a token; a colon and an @ may enclose a
 * password.
 */
static int
server_mask_is_plain(const char *text)
{
	size_t i, len = strlen(text);

	for (i = 0; i < len; i++)
		if (!isalpha((unsigned char)text[i]) &&
		    strchr("@/._-~", text[i]) == NULL)
			return 0;
	return len <= SERVER_MASK_SHOWN_MAX;
}

int
server_mask_hides(const char *argument, const char *before)
{
	return !server_mask_is_plain(argument) || (before != NULL &&
	    before[0] == '-' && server_mask_is_secretive(before));
}

/* Adds the password of each URL in a value, or what is there for a user. */
static void
server_mask_add_passwords(struct buffer *set, const char *value)
{
	while ((value = strstr(value, "://")) != NULL) {
		auto_free char *place = NULL;
		char *end, *colon;

		value += strlen("://");
		place = mem_printf(
		    "%.*s", (int)strcspn(value, "/?# ,"), value);
		end = strrchr(place, '@');
		if (end == NULL)
			continue;
		*end = '\0';
		colon = strchr(place, ':');
		if (colon != NULL)
			mask_add(set, colon + 1);
		else if (!server_mask_is_plain(place))
			mask_add(set, place);
	}
}

/* Adds a part of a value; one that is plain only if it may be a secret. */
static void
server_mask_add_part(struct buffer *set, const char *part, int secretive)
{
	if (secretive || !server_mask_is_plain(part))
		mask_add(set, part);
}

/*
 * Adds a value, and parts of it: its end behind a space or "=", such as that
 * of a header, and the passwords of URLs. Secretive is set if what is called
 * so may be a secret, even if it is plain.
 */
static void
server_mask_add(struct buffer *set, const char *value, int secretive)
{
	const char *space = strrchr(value, ' ');
	const char *sign = strchr(value, '=');

	secretive |= server_mask_is_secretive(value);
	mask_add(set, value);
	server_mask_add_passwords(set, value);
	if (space != NULL)
		server_mask_add_part(set, space + 1, secretive);
	if (sign != NULL)
		server_mask_add_part(set, sign + 1, secretive);
}

/* Adds the arguments that may be secrets; the program is none. */
static void
server_mask_add_arguments(struct buffer *set, const struct server *server)
{
	const char *before = NULL;
	const char *text;

	TEXT_LIST_EACH (text, server->run.data, server->run.len) {
		if (before != NULL && server_mask_hides(text, before))
			server_mask_add(set, text, before[0] == '-' &&
			    server_mask_is_secretive(before));
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

	if (variable[len] == '=' &&
	    (secretive || !server_mask_is_plain(variable + len + 1)))
		server_mask_add(set, variable + len + 1, secretive);
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
		mask_add(set, variable + len + 1);
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
	TEXT_LIST_PAIRS (text, value, server->headers.data,
	    server->headers.len)
		server_mask_add(set, value, 1);
	server_mask_add_arguments(set, server);
	if (server->path != NULL)
		mask_add(set, server->path);
	for (; *envp != NULL; envp++)
		server_mask_add_inherited(set, *envp);
}
