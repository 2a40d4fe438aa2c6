/* Forms of logins: see oauth.h. */
#include <curl/curl.h>
#include <sha2.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "../../../common/base/base64.h"
#include "../../../common/base/log.h"
#include "../../../common/base/mem.h"
#include "oauth.h"

/* Appends a text, escaped. */
static void
query_add_escaped(struct buffer *form, const char *text)
{
	char *escaped = curl_easy_escape(NULL, text, 0);

	if (escaped == NULL)
		fatal("out of memory");
	buffer_add_text(form, escaped);
	curl_free(escaped);
}

void
query_add(struct buffer *form, const char *name, const char *value)
{
	if (value == NULL)
		return;
	buffer_printf(form, "&%s=", name);
	query_add_escaped(form, value);
}

char *
query_get(const char *url, const char *name)
{
	const char *p = strchr(url, '?');
	size_t len = strlen(name);
	auto_free char *value = NULL;
	char *plain, *copy, *space;

	for (p = p == NULL ? url : p + 1; *p != '\0' && *p != '#';
	     p += strspn(p, "&")) {
		size_t pair = strcspn(p, "&#");

		if (pair > len && p[len] == '=' && strncmp(p, name, len) == 0) {
			value = mem_dup(p + len + 1, pair - len - 1);
			break;
		}
		p += pair;
	}
	if (value == NULL)
		return NULL;
	while ((space = strchr(value, '+')) != NULL)
		*space = ' ';
	plain = curl_easy_unescape(NULL, value, 0, NULL);
	if (plain == NULL)
		return NULL;
	copy = mem_strdup(plain);
	curl_free(plain);
	return copy;
}

void
query_add_bytes(struct buffer *text, const void *data, size_t len)
{
	size_t at = text->len;

	base64_add(text, data, len);
	while (text->data[text->len - 1] == '=')
		text->len--;
	text->data[text->len] = '\0';
	for (; at < text->len; at++) {
		if (text->data[at] == '+')
			text->data[at] = '-';
		else if (text->data[at] == '/')
			text->data[at] = '_';
	}
}

void
query_add_random(struct buffer *text)
{
	unsigned char bytes[32];

	if (getrandom(bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes))
		fatal("there are no random numbers");
	query_add_bytes(text, bytes, sizeof(bytes));
}

void
query_add_challenge(struct buffer *text, const char *verifier)
{
	uint8_t digest[SHA256_DIGEST_LENGTH];
	SHA2_CTX hash;

	SHA256Init(&hash);
	SHA256Update(&hash, (const uint8_t *)verifier, strlen(verifier));
	SHA256Final(digest, &hash);
	query_add_bytes(text, digest, sizeof(digest));
}

void
query_add_basic(struct buffer *header, const char *id, const char *secret)
{
	auto_buffer struct buffer pair = { 0 };

	query_add_escaped(&pair, id);
	buffer_add_text(&pair, ":");
	query_add_escaped(&pair, secret);
	buffer_add_text(header, "Authorization: Basic ");
	base64_add(header, pair.data, pair.len);
}

/* Returns whether scopes have one, of len characters. */
static int
query_has_scope(const struct buffer *scopes, const char *scope, size_t len)
{
	const char *p = scopes->data;

	for (; p != NULL && *p != '\0'; p += strspn(p, " ")) {
		if (strcspn(p, " ") == len && strncmp(p, scope, len) == 0)
			return 1;
		p += strcspn(p, " ");
	}
	return 0;
}

char *
query_join_scopes(const char *one, const char *other)
{
	const char *const both[] = { one, other };
	auto_buffer struct buffer joined = { 0 };
	const char *p;
	size_t n, len;

	for (n = 0; n < 2; n++)
		for (p = both[n]; p != NULL && *(p += strspn(p, " ")) != '\0';
		     p += len) {
			len = strcspn(p, " ");
			if (query_has_scope(&joined, p, len))
				continue;
			buffer_add_text(&joined, joined.len > 0 ? " " : "");
			buffer_add(&joined, p, len);
		}
	return joined.len > 0 ? buffer_take(&joined, NULL) : NULL;
}
