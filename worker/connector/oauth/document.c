/* Documents of logins: see oauth.h. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "../../../common/base/mem.h"
#include "../../../common/base/utf8.h"
#include "../../../common/json/json.h"
#include "../../../common/json/json_span.h"
#include "../../../common/limits.h"
#include "oauth.h"

/* Members of a document, and the fields of a struct that keep them. */
struct document_field {
	const char *name;
	size_t offset;
};

#define DOCUMENT_COUNT(fields) (sizeof(fields) / sizeof((fields)[0]))
#define LOGIN_FIELD(name, field) { name, offsetof(struct login, field) }
#define AUTHORITY_FIELD(name, field) { name, offsetof(struct authority, field) }

static const struct document_field login_fields[] = {
	LOGIN_FIELD("url", url), LOGIN_FIELD("resource", resource),
	LOGIN_FIELD("issuer", issuer), LOGIN_FIELD("token", token),
	LOGIN_FIELD("revocation", revocation),
	LOGIN_FIELD("client_id", client_id),
	LOGIN_FIELD("client_secret", client_secret),
	LOGIN_FIELD("method", method), LOGIN_FIELD("scope", scope),
	LOGIN_FIELD("access_token", access_token),
	LOGIN_FIELD("refresh_token", refresh_token),
	LOGIN_FIELD("token_type", token_type), LOGIN_FIELD("key", key),
};

static const struct document_field authority_fields[] = {
	AUTHORITY_FIELD("resource", resource),
	AUTHORITY_FIELD("issuer", issuer),
	AUTHORITY_FIELD("authorization_endpoint", authorization),
	AUTHORITY_FIELD("token_endpoint", token),
	AUTHORITY_FIELD("registration_endpoint", registration),
	AUTHORITY_FIELD("revocation_endpoint", revocation),
	AUTHORITY_FIELD("scope", scope),
};

#define DOCUMENT_ENDPOINTS 2    /* in authority_fields: the first, */
#define DOCUMENT_ENDPOINTS_N 4  /* and how many there are */

static char **
document_at(void *base, const struct document_field *field)
{
	return (char **)(void *)((char *)base + field->offset);
}

static void
document_reset(void *base, const struct document_field *fields, size_t count)
{
	char **text;
	size_t n;

	for (n = 0; n < count; n++) {
		text = document_at(base, &fields[n]);
		if (*text != NULL)
			explicit_bzero(*text, strlen(*text));
		free(mem_take(text));
	}
}

void
login_reset(struct login *login)
{
	document_reset(login, login_fields, DOCUMENT_COUNT(login_fields));
	login->until = 0;
}

bool
login_is_bound(const struct login *login)
{
	return login->key != NULL && login->token_type != NULL &&
	    strcasecmp(login->token_type, "DPoP") == 0;
}

void
authority_reset(struct authority *authority)
{
	document_reset(
	    authority, authority_fields, DOCUMENT_COUNT(authority_fields));
}

/* Members */

/* Parses an object. */
static int
document_parse(
    const struct buffer *text, struct json_span *object, struct err *err)
{
	if (text->len == 0 ||
	    json_span_parse(text->data, text->len, object, err) == -1 ||
	    json_span_kind(*object) != JSON_SPAN_OBJECT)
		return err_set(err, "it is no JSON object");
	return 0;
}

/* Returns a text of printable characters, which the caller frees, or NULL. */
static char *
document_decode(struct json_span value)
{
	size_t len, n;
	char *text = json_span_string(value, &len, NULL);

	for (n = 0; text != NULL && n < len; n++)
		if (iscntrl((unsigned char)text[n])) {
			free(text);
			return NULL;
		}
	return text;
}

static char *
document_text(struct json_span object, const char *name)
{
	struct json_span value;

	return json_span_get(object, name, &value) > 0 &&
	    json_span_kind(value) == JSON_SPAN_STRING ?
	    document_decode(value) : NULL;
}

/* Replaces the fields that a document has. */
static void
document_take(void *base, const struct document_field *fields, size_t count,
    struct json_span object)
{
	char *text;
	size_t n;

	for (n = 0; n < count; n++) {
		text = document_text(object, fields[n].name);
		if (text == NULL)
			continue;
		free(*document_at(base, &fields[n]));
		*document_at(base, &fields[n]) = text;
	}
}

/* Returns whether a list of texts has one; absent: what no list says. */
static bool
document_lists(struct json_span object, const char *name, const char *text,
    bool absent)
{
	struct json_span list, each;
	struct json_span_walk walk;

	if (json_span_get(object, name, &list) == 0)
		return absent;
	walk = json_span_walk(list);
	while (json_span_kind(list) == JSON_SPAN_ARRAY &&
	    json_span_next_element(&walk, &each))
		if (json_span_is(each, text))
			return true;
	return false;
}

/* Returns the texts of a list, by spaces, which the caller frees; or NULL. */
static char *
document_join(struct json_span object, const char *name)
{
	auto_buffer struct buffer joined = { 0 };
	struct json_span list, each;
	struct json_span_walk walk;

	if (json_span_get(object, name, &list) == 0 ||
	    json_span_kind(list) != JSON_SPAN_ARRAY)
		return NULL;
	walk = json_span_walk(list);
	while (json_span_next_element(&walk, &each)) {
		auto_free char *text = json_span_kind(each) ==
		    JSON_SPAN_STRING ? document_decode(each) : NULL;

		if (text == NULL)
			continue;
		buffer_add_text(&joined, joined.len > 0 ? " " : "");
		buffer_add_text(&joined, text);
	}
	return joined.len > 0 ? buffer_take(&joined, NULL) : NULL;
}

/* The challenge */

static const char challenge_marks[] = " !#$%&'()*+,-./0123456789:;<=>?@"
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_`abcdefghijklmnopqrstuvwxyz{|}~";

/* Returns a value, which may be quoted, and moves behind it. */
static char *
challenge_value(const char **p)
{
	auto_buffer struct buffer value = { 0 };
	size_t len = strcspn(*p, ", \t");

	if (**p != '"') {
		buffer_add(&value, *p, len);
		*p += len;
		return buffer_take(&value, NULL);
	}
	for (++*p; **p != '\0' && **p != '"'; ++*p) {
		if (**p == '\\' && (*p)[1] != '\0')
			++*p;
		buffer_add(&value, *p, 1);
	}
	*p += **p == '"';
	return buffer_take(&value, NULL);
}

void
challenge_read(const char *header, struct challenge *challenge)
{
	const struct {
		const char *name;
		char **field;
	} known[] = { { "error", &challenge->error },
		{ "resource_metadata", &challenge->metadata },
		{ "scope", &challenge->scope } };
	const char *p = header;
	size_t len, n;

	challenge->bound = strncasecmp(p, "DPoP", 4) == 0;
	if (!challenge->bound && strncasecmp(p, "Bearer", 6) != 0)
		return;
	for (p += strcspn(p, " "); *p != '\0';) {
		p += strspn(p, ", \t");
		len = strcspn(p, "=, \t");
		if (p[len] != '=') {
			p += len;
			continue;
		}
		const char *name = p;
		auto_free char *value = NULL;

		p += len + 1;
		value = challenge_value(&p);
		/* All that is of use is of ASCII. */
		if (value[strspn(value, challenge_marks)] != '\0')
			continue;
		for (n = 0; n < DOCUMENT_COUNT(known); n++)
			if (strlen(known[n].name) == len &&
			    strncasecmp(known[n].name, name, len) == 0 &&
			    *known[n].field == NULL)
				*known[n].field = mem_take(&value);
	}
}

void
challenge_reset(struct challenge *challenge)
{
	free(mem_take(&challenge->error));
	free(mem_take(&challenge->metadata));
	free(mem_take(&challenge->scope));
}

/* Metadata */

int
document_read_resource(const struct buffer *text, const char *url,
    struct authority *authority, struct err *err)
{
	struct json_span object, list, first;
	struct json_span_walk walk;

	if (document_parse(text, &object, err) == -1)
		return -1;
	if (json_span_get(
	        object, "dpop_bound_access_tokens_required", &first) > 0 &&
	    json_span_kind(first) == JSON_SPAN_TRUE)
		authority->bound = 1;
	authority->resource = document_text(object, "resource");
	authority->scope = document_join(object, "scopes_supported");
	if (authority->resource == NULL ||
	    !url_is_within(url, authority->resource))
		return err_set(err, "it is for another resource%s%.200s",
		    authority->resource == NULL ? "" : ", ",
		    authority->resource == NULL ? "" : authority->resource);
	if (json_span_get(object, "authorization_servers", &list) > 0) {
		walk = json_span_walk(list);
		if (json_span_kind(list) == JSON_SPAN_ARRAY &&
		    json_span_next_element(&walk, &first) &&
		    json_span_kind(first) == JSON_SPAN_STRING)
			authority->issuer = document_decode(first);
	}
	return authority->issuer != NULL ? 0 :
	    err_set(err, "it names no authorization server");
}

int
document_read_server(const struct buffer *text, bool local, bool user,
    struct authority *authority, struct err *err)
{
	const char methods[] = "token_endpoint_auth_methods_supported";
	const struct document_field *field;
	struct json_span object, value;
	const char *url;
	size_t n;

	if (document_parse(text, &object, err) == -1)
		return -1;
	auto_free char *issuer = document_text(object, "issuer");

	if (issuer == NULL || strcmp(issuer, authority->issuer) != 0)
		return err_set(err, "it is that of another issuer, %.200s",
		    issuer == NULL ? "which it does not name" : issuer);
	document_take(authority, authority_fields + DOCUMENT_ENDPOINTS,
	    DOCUMENT_ENDPOINTS_N, object);
	if (authority->token == NULL ||
	    (user && authority->authorization == NULL))
		return err_set(err, "it lacks an endpoint");
	for (n = 0; n < DOCUMENT_ENDPOINTS_N; n++) {
		field = &authority_fields[DOCUMENT_ENDPOINTS + n];
		url = *document_at(authority, field);
		if (url != NULL && !url_is_safe(url, local))
			return err_set(err, "its %s is not https: %.200s",
			    field->name, url);
	}
	if (user && !document_lists(object,
	        "code_challenge_methods_supported", "S256", false))
		return err_set(err, "it does not have PKCE with S256");
	authority->offline = document_lists(
	    object, "scopes_supported", "offline_access", false);
	authority->iss = json_span_get(object,
	    "authorization_response_iss_parameter_supported", &value) > 0 &&
	    json_span_kind(value) == JSON_SPAN_TRUE;
	authority->basic =
	    document_lists(object, methods, "client_secret_basic", true);
	authority->post =
	    document_lists(object, methods, "client_secret_post", false);
	authority->none = document_lists(object, methods, "none", true);
	/* Other tokens would be of no use there, or stolen ones would be. */
	if (authority->bound && !document_lists(object,
	        "dpop_signing_alg_values_supported", "ES256", false))
		return err_set(err, "it does not have DPoP with ES256, which "
		    "the server wants");
	return 0;
}

/* Registrations and tokens */

int
document_read_client(
    const struct buffer *text, struct login *login, struct err *err)
{
	static const struct document_field fields[] = {
		LOGIN_FIELD("client_id", client_id),
		LOGIN_FIELD("client_secret", client_secret),
		LOGIN_FIELD("token_endpoint_auth_method", method)
	};
	struct json_span object;

	if (document_parse(text, &object, err) == -1)
		return -1;
	document_take(login, fields, DOCUMENT_COUNT(fields), object);
	return login->client_id != NULL ? 0 :
	    err_set(err, "it has no client_id");
}

/* Returns seconds, which may be written as a text; 0 if there are none. */
static uint64_t
document_seconds(struct json_span object, const char *name)
{
	struct json_span value;
	char digits[16];

	if (json_span_get(object, name, &value) == 0)
		return 0;
	if (json_span_kind(value) == JSON_SPAN_STRING)
		value = (struct json_span){ value.p + 1, value.len - 2 };
	if (value.len == 0 || value.len >= sizeof(digits))
		return 0;
	memcpy(digits, value.p, value.len);
	digits[value.len] = '\0';
	return isdigit((unsigned char)digits[0]) ? strtoull(digits, NULL, 10) :
	    0;
}

int
document_read_tokens(const struct buffer *text, uint64_t now,
    struct login *login, struct err *err)
{
	static const struct document_field fields[] = {
		LOGIN_FIELD("access_token", access_token),
		LOGIN_FIELD("refresh_token", refresh_token),
		LOGIN_FIELD("scope", scope),
		LOGIN_FIELD("token_type", token_type)
	};
	const char *wanted = login->key == NULL ? "Bearer" : "DPoP";
	struct json_span object;
	uint64_t seconds;

	if (document_parse(text, &object, err) == -1)
		return -1;
	auto_free char *type = document_text(object, "token_type");
	auto_free char *access = document_text(object, "access_token");

	if (access == NULL || access[0] == '\0')
		return err_set(err, "it has no access_token");
	/* A token that is not bound to the key is not what was asked for. */
	if (type == NULL || strcasecmp(type, wanted) != 0)
		return err_set(err, "its token_type is not %s", wanted);
	document_take(login, fields, DOCUMENT_COUNT(fields), object);
	seconds = document_seconds(object, "expires_in");
	login->until = seconds == 0 ? 0 : now + seconds;
	return 0;
}

char *
document_read_exchanged(const struct buffer *text, const char *type)
{
	struct json_span object, value;
	struct err err;

	return document_parse(text, &object, &err) == 0 &&
	    json_span_get(object, "issued_token_type", &value) > 0 &&
	    json_span_is(value, type) ?
	    document_text(object, "access_token") : NULL;
}

char *
document_error(const struct buffer *text)
{
	struct json_span object;
	struct err err;

	if (document_parse(text, &object, &err) == -1)
		return NULL;
	auto_free char *error = document_text(object, "error");
	auto_free char *why = document_text(object, "error_description");

	if (error == NULL)
		return NULL;
	return why == NULL ? mem_printf("%.100s", error) :
	    mem_printf("%.100s: %.*s", error,
	        (int)utf8_cut(why, strlen(why), 300), why);
}

char *
document_shown(const char *sentence)
{
	size_t len = strlen(sentence);
	char *shown = mem_alloc(3 * len + 1);

	len = utf8_repair(sentence, len, shown);
	shown[utf8_cut(shown, len, LOGIN_SENTENCE_MAX)] = '\0';
	return shown;
}

/* Kept logins */

void
login_write_text(const struct login *login, struct buffer *text)
{
	/* One that renews itself lasts. */
	unsigned long long until =
	    login->refresh_token != NULL ? 0 : login->until;
	struct login copy = *login;
	const char *value;
	size_t n;

	buffer_printf(text, "%020llu\n{\"until\":%llu", until,
	    (unsigned long long)login->until);
	for (n = 0; n < DOCUMENT_COUNT(login_fields); n++) {
		value = *document_at(&copy, &login_fields[n]);
		if (value == NULL)
			continue;
		buffer_printf(text, ",\"%s\":", login_fields[n].name);
		json_add_text(text, value);
	}
	buffer_add_text(text, "}\n");
}

int
login_read_text(const struct buffer *text, struct login *login, struct err *err)
{
	size_t head = LOGIN_HEAD_SIZE;
	struct buffer rest = { text->data + head,
		text->len < head ? 0 : text->len - head, 0 };
	struct json_span object;

	if (document_parse(&rest, &object, err) == -1)
		return -1;
	document_take(login, login_fields, DOCUMENT_COUNT(login_fields),
	    object);
	login->until = document_seconds(object, "until");
	return 0;
}
