/* The tokens of HTTP clients in memory: see tokens.h. */
#include <sha2.h>
#include <stdlib.h>
#include <string.h>

#include "../../../common/base/mem.h"
#include "../../../common/base/secret.h"
#include "../../../common/base/text_list.h"
#include "tokens.h"

_Static_assert(SHA256_DIGEST_LENGTH == TOKEN_DIGEST_SIZE, "another hash");

const struct token_number_row token_numbers[TOKEN_NUMBERS] = {
	[TOKEN_CALLS] = { "calls", CONCURRENT_MAX,
	    offsetof(struct token, calls) },
	[TOKEN_RATE] = { "rate", TOKEN_RATE_MAX, offsetof(struct token, rate) },
	[TOKEN_FILES_MAX] = { "files_max", FILES_MAX_MAX,
	    offsetof(struct token, files_max) },
	[TOKEN_MEMORIES_MAX] = { "memories_max", STATE_MAX_MAX,
	    offsetof(struct token, memories_max) },
	[TOKEN_CPU_SECONDS] = { "cpu_seconds", TOKEN_CPU_MAX,
	    offsetof(struct token, cpu_seconds) },
};

uint64_t *
token_number(const struct token *token, size_t number)
{
	return (uint64_t *)((char *)token + token_numbers[number].offset);
}

void
token_reset(struct token *token)
{
	free(token->name);
	free(token->created);
	buffer_reset(&token->servers);
	memset(token, 0, sizeof(*token));
}

void
token_copy(struct token *token, const struct token *from)
{
	*token = *from;
	token->name = mem_strdup(from->name);
	token->created = mem_strdup(from->created);
	token->servers = (struct buffer){ 0 };
	buffer_add(&token->servers, from->servers.data, from->servers.len);
}

static void
token_hash(uint8_t digest[TOKEN_DIGEST_SIZE], const void *secret, size_t len)
{
	SHA2_CTX hash;

	SHA256Init(&hash);
	SHA256Update(&hash, secret, len);
	SHA256Final(digest, &hash);
}

void
token_set_secret(struct token *token, const char *secret, size_t len)
{
	token_hash(token->digest, secret, len);
}

int
token_has_secret_of(const struct token *token, const struct token *other)
{
	return memcmp(token->digest, other->digest, TOKEN_DIGEST_SIZE) == 0;
}

int
token_is_same(const struct token *token, const struct token *other)
{
	size_t i;

	for (i = 0; i < TOKEN_NUMBERS; i++)
		if (*token_number(token, i) != *token_number(other, i))
			return 0;
	return strcmp(token->name, other->name) == 0 &&
	    token_has_secret_of(token, other) &&
	    token->restricted == other->restricted &&
	    token->servers.len == other->servers.len &&
	    (token->servers.len == 0 ||
	        memcmp(token->servers.data, other->servers.data,
	            token->servers.len) == 0) &&
	    token->tools == other->tools && token->limits == other->limits;
}

void
tokens_reset(struct tokens *tokens)
{
	size_t i;

	for (i = 0; i < tokens->count; i++)
		token_reset(&tokens->one[i]);
	free(tokens->one);
	memset(tokens, 0, sizeof(*tokens));
}

/* It is also the name of an owner, in files and messages. */
int
token_is_name(const char *name)
{
	size_t len = strlen(name);

	return len > 0 && len <= TOKEN_NAME_MAX && *name != '-' &&
	    *name != '.' && strspn(name, TOKEN_NAME_CHARS) == len;
}

void
tokens_add(struct tokens *tokens, struct token *token)
{
	tokens->one = mem_resize(
	    tokens->one, (tokens->count + 1) * sizeof(*tokens->one));
	tokens->one[tokens->count++] = *token;
	memset(token, 0, sizeof(*token));
}

void
tokens_add_files_limits(const struct tokens *tokens, struct buffer *list)
{
	const struct token *token;
	size_t i;

	for (i = 0; i < tokens->count; i++) {
		token = &tokens->one[i];
		if (token->files_max == 0)
			continue;
		text_list_add(list, token->name);
		buffer_printf(
		    list, "%llu", (unsigned long long)token->files_max);
		buffer_add(list, "", 1);
	}
}

void
tokens_remove(struct tokens *tokens, struct token *token)
{
	size_t i = (size_t)(token - tokens->one);

	token_reset(token);
	tokens->count--;
	memmove(token, token + 1, (tokens->count - i) * sizeof(*token));
}

/* Finding */

struct token *
tokens_find(const struct tokens *tokens, const char *name)
{
	size_t i;

	for (i = 0; i < tokens->count; i++)
		if (strcmp(tokens->one[i].name, name) == 0)
			return &tokens->one[i];
	return NULL;
}

struct token *
tokens_of_secret(const struct tokens *tokens, const void *secret, size_t len)
{
	uint8_t digest[TOKEN_DIGEST_SIZE];
	struct token *found = NULL;
	size_t i;

	token_hash(digest, secret, len);
	for (i = 0; i < tokens->count; i++)
		if (secret_is(tokens->one[i].digest, digest,
		        sizeof(digest)))
			found = &tokens->one[i];
	return found;
}
