/*
 * Owners of files, and addresses of links: /files/OWNER/CONVERSATION/NAME below
 * the setting public_url, where a dash stands for the local user and for no
 * conversation. Runs in the supervisor; pure functions.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../common/base/file_name.h"
#include "../../common/base/mem.h"
#include "files.h"

/* An id that begins with a dash has one more before it. */
#define FILE_URL_NONE "-"

void
file_url_encode(struct buffer *text, const char *at, const char *plain)
{
	for (; *at != '\0'; at++) {
		if ((*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') ||
		    (*at >= '0' && *at <= '9') || strchr(plain, *at) != NULL)
			buffer_add(text, at, 1);
		else
			buffer_printf(text, "%%%02X", (unsigned char)*at);
	}
}

static int
file_url_hex(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	c |= 0x20;
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

int
file_url_decode(char *text)
{
	char *to = text;
	int high, low;

	for (; *text != '\0'; text++) {
		if (*text != '%') {
			*to++ = *text;
			continue;
		}
		high = file_url_hex(text[1]);
		low = high == -1 ? -1 : file_url_hex(text[2]);
		if (low == -1 || (high == 0 && low == 0))
			return -1;
		*to++ = (char)(high << 4 | low);
		text += 2;
	}
	*to = '\0';
	return 0;
}

static void
file_url_add_part(struct buffer *url, const char *part)
{
	buffer_add_text(url, "/");
	if (*part == '\0' || *part == *FILE_URL_NONE)
		buffer_add_text(url, FILE_URL_NONE);
	file_url_encode(url, part, "-._~");
}

static char *
file_url_query(unsigned long long version, unsigned long long expires,
    const char *signature)
{
	return mem_printf("?v=%llu&exp=%llu&sig=%s", version, expires,
	    signature);
}

char *
file_url(const char *base, const char *owner, const struct ipc_filed *filed)
{
	struct buffer url = { 0 };
	auto_free char *scope = mem_dup(owner, strcspn(owner, "\n"));
	auto_free char *query = file_url_query(
	    filed->version, filed->expires, filed->signature);

	buffer_printf(&url, "%.*s/files",
	    (int)strlen(base) - (base[strlen(base) - 1] == '/'), base);
	file_url_add_part(&url, scope);
	file_url_add_part(&url, filed->conversation);
	buffer_add_text(&url, "/");
	file_url_encode(&url, filed->name, "-._~/");
	buffer_add_text(&url, query);
	return url.data;
}

char *
files_conversation(const char *owner, const char *id)
{
	return id == NULL ? mem_strdup(owner) : mem_printf("%s\n%s", owner, id);
}

/*
 * Cuts the part before the next slash off, decoded; empty for a dash. Returns
 * NULL if it is not valid.
 */
static const char *
file_url_cut_part(char **text)
{
	char *part = *text;
	char *slash = strchr(part, '/');

	if (slash == NULL)
		return NULL;
	*slash = '\0';
	*text = slash + 1;
	if (file_url_decode(part) == -1)
		return NULL;
	if (*part == *FILE_URL_NONE && *++part == '\0')
		return part;
	return conversation_id_valid(part, strlen(part)) ? part : NULL;
}

char *
file_url_read(const char *path, size_t len, uint64_t *version, char **owner,
    struct file_linked *link)
{
	auto_free char *text = mem_dup(path, len);
	char *query = strchr(text, '?'), *name = text;
	unsigned long long number, expires;
	const char *scope, *id;
	auto_free char *same = NULL;

	if (query == NULL ||
	    sscanf(query, "?v=%18llu&exp=%18llu&sig=%64[0-9a-f]", &number,
	        &expires, link->signature) != 3 ||
	    number - 1 >= INT64_MAX || expires - 1 >= INT64_MAX)
		return NULL;
	/* A link has one spelling: no signs, blanks or leading zeroes. */
	same = file_url_query(number, expires, link->signature);
	if (strcmp(query, same) != 0)
		return NULL;
	*query = '\0';
	scope = file_url_cut_part(&name);
	id = scope == NULL ? NULL : file_url_cut_part(&name);
	if (id == NULL || strlen(scope) > OWNER_NAME_MAX ||
	    file_url_decode(name) == -1 || !file_name_valid(name, strlen(name)))
		return NULL;
	*version = number;
	link->expires = expires;
	*owner = files_conversation(scope, *id == '\0' ? NULL : id);
	return mem_strdup(name);
}
