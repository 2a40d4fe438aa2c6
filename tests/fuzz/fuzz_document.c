/*
 * Fuzz target of worker/connector/oauth/document: what a server says of logins
 * is read or refused, and a login that is read is the same when it is kept.
 */
#include <string.h>

#include "fuzz.h"
#include "worker/connector/oauth/oauth.h"

/* Reads tokens and a registration, keeps them, and reads them again. */
static void
keep(const struct buffer *text)
{
	struct login login = { 0 }, again = { 0 };
	struct buffer kept = { 0 }, twice = { 0 };
	struct err err;

	document_read_client(text, &login, &err);
	if (document_read_tokens(text, 1, &login, &err) == 0) {
		login_write_text(&login, &kept);
		FUZZ_ASSERT(login_read_text(&kept, &again, &err) == 0);
		login_write_text(&again, &twice);
		FUZZ_ASSERT(kept.len == twice.len &&
		    memcmp(kept.data, twice.data, kept.len) == 0);
	}
	login_reset(&login);
	login_reset(&again);
	buffer_reset(&kept);
	buffer_reset(&twice);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buffer text = { 0 };
	struct authority authority = { 0 };
	struct challenge challenge = { 0 };
	struct err err;

	buffer_add(&text, data, size);
	if (memchr(data, 0, size) == NULL) {
		challenge_read(text.data, &challenge);
		free(query_get(text.data, "code"));
		free(query_join_scopes(text.data, challenge.scope));
	}
	challenge_reset(&challenge);
	if (document_read_resource(
	        &text, "https://a.example/mcp", &authority, &err) == 0 &&
	    document_read_server(&text, false, true, &authority, &err) ==
	        0)
		FUZZ_ASSERT(strncasecmp(authority.token, "https:", 6) == 0);
	authority_reset(&authority);
	keep(&text);
	free(document_error(&text));
	buffer_reset(&text);
	return 0;
}
