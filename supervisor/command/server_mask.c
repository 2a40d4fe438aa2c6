/*
 * Values that may be secrets: see server_mask.h. Runs in the supervisor.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "../../common/buffer.h"
#include "../../common/mem.h"
#include "../../common/text_list.h"
#include "server_mask.h"

#define SERVER_MASK_SHOWN_MAX 80 /* longer arguments may be secrets */
/* Shorter values are no secrets, and parts of ordinary words. */
#define SERVER_MASK_LEAST 4

/* Returns whether the value after this flag or name is probably a secret. */
static int
server_mask_is_secretive(const char *text)
{
	static const char *const words[] = { "key", "token", "secret", "pass",
		"auth", "bearer", "cred", "header", "pwd", "cookie", "user" };
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

/* Adds a value, and its end behind a space or "=", such as that of a header. */
static void
server_mask_add(struct buffer *values, const char *value)
{
	const char *space = strrchr(value, ' ');
	const char *sign = strchr(value, '=');

	if (strlen(value) >= SERVER_MASK_LEAST)
		text_list_add(values, value);
	if (space != NULL && strlen(space + 1) >= SERVER_MASK_LEAST)
		text_list_add(values, space + 1);
	if (sign != NULL && strlen(sign + 1) >= SERVER_MASK_LEAST)
		text_list_add(values, sign + 1);
}

/* Adds all values of a server that are not shown. */
static void
server_mask_gather(const struct server *server, struct buffer *values)
{
	const char *before = NULL;
	const char *text, *value;

	TEXT_LIST_EACH (text, server->run_env.data, server->run_env.len)
		server_mask_add(values, text + strcspn(text, "=") + 1);
	TEXT_LIST_PAIRS (text, value, server->headers.data,
	    server->headers.len)
		server_mask_add(values, value);
	TEXT_LIST_EACH (text, server->run.data, server->run.len) {
		if (before != NULL && server_mask_hides(text, before))
			server_mask_add(values, text);
		before = text;
	}
}

/* Returns the longest value at the start of a text; NULL: there is none. */
static const char *
server_mask_find(const struct buffer *values, const char *text)
{
	const char *value, *found = NULL;

	TEXT_LIST_EACH (value, values->data, values->len)
		if (strncmp(text, value, strlen(value)) == 0 &&
		    (found == NULL || strlen(value) > strlen(found)))
			found = value;
	return found;
}

char *
server_mask(const struct server *server, const char *text)
{
	auto_buffer struct buffer values = { 0 };
	auto_buffer struct buffer out = { 0 };
	const char *value;

	server_mask_gather(server, &values);
	buffer_add_text(&out, "");
	while (*text != '\0') {
		value = server_mask_find(&values, text);
		buffer_add(&out, value != NULL ? SERVER_MASK : text,
		    value != NULL ? strlen(SERVER_MASK) : 1);
		text += value != NULL ? strlen(value) : 1;
	}
	return buffer_take(&out, NULL);
}
