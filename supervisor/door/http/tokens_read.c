/*
 * Reads the tokens of HTTP clients: see tokens.h. The file is strict JSON: what
 * is not understood could be a limit, so it is a fault.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../../common/base/fd.h"
#include "../../../common/json/json_span.h"
#include "../../../common/base/mem.h"
#include "../../../common/base/shown.h"
#include "../../../common/base/text_list.h"
#include "../../options/options.h"
#include "tokens.h"

/* The members of a token; each returns 0, or -1 if it is wrong. */

static char *
tokens_text(struct json_span value)
{
	auto_free char *text = NULL;
	struct err err;
	size_t len;

	text = json_span_string(value, &len, &err);
	return text == NULL || strlen(text) != len ? NULL : mem_take(&text);
}

static int
tokens_set_name(struct token *token, struct json_span value)
{
	free(token->name);
	token->name = tokens_text(value);
	return token->name != NULL && token_is_name(token->name) ? 0 : -1;
}

static int
tokens_set_created(struct token *token, struct json_span value)
{
	free(token->created);
	token->created = tokens_text(value);
	return token->created == NULL ? -1 : 0;
}

static int
tokens_hex(char c)
{
	const char *digits = "0123456789abcdef";
	const char *found = c == '\0' ? NULL : strchr(digits, c);

	return found == NULL ? -1 : (int)(found - digits);
}

static int
tokens_set_digest(struct token *token, struct json_span value)
{
	size_t i;
	int high, low;

	if (json_span_kind(value) != JSON_SPAN_STRING ||
	    value.len != 2 + 2 * TOKEN_DIGEST_SIZE)
		return -1;
	for (i = 0; i < TOKEN_DIGEST_SIZE; i++) {
		high = tokens_hex(value.p[1 + 2 * i]);
		low = tokens_hex(value.p[2 + 2 * i]);
		if (high == -1 || low == -1)
			return -1;
		token->digest[i] = (uint8_t)(high << 4 | low);
	}
	return 0;
}

static int
tokens_set_servers(struct token *token, struct json_span value)
{
	struct json_span_walk walk = json_span_walk(value);
	struct json_span element;

	if (json_span_kind(value) != JSON_SPAN_ARRAY || token->restricted)
		return -1;
	token->restricted = true;
	while (json_span_next_element(&walk, &element)) {
		auto_free char *name = tokens_text(element);

		if (name == NULL || *name == '\0')
			return -1;
		text_list_add(&token->servers, name);
	}
	return 0;
}

static int
tokens_set_tools(struct token *token, struct json_span value)
{
	const char *const *words = option_row(OPTION_ID_TOOLS)->words;
	struct json_span_walk walk = json_span_walk(value);
	struct json_span element;
	size_t i;

	if (json_span_kind(value) != JSON_SPAN_ARRAY)
		return -1;
	while (json_span_next_element(&walk, &element)) {
		for (i = 0; words[i] != NULL; i++)
			if (json_span_is(element, words[i]))
				break;
		if (words[i] == NULL)
			return -1;
		token->tools |= 1U << i;
	}
	return token->tools == 0 ? -1 : 0;
}

/* A whole number from 1 on. */
static int
tokens_number(struct json_span value, uint64_t most, uint64_t *number)
{
	size_t i;

	*number = 0;
	for (i = 0; i < value.len; i++) {
		if (value.p[i] < '0' || value.p[i] > '9')
			return -1;
		*number = 10 * *number + (uint64_t)(value.p[i] - '0');
		if (*number > most)
			return -1;
	}
	return *number == 0 ? -1 : 0;
}

static int
tokens_set_limits(struct token *token, struct json_span value)
{
	auto_free char *text = tokens_text(value);

	token->limits = text == NULL ? NULL : option_limits_word(text);
	return token->limits == NULL ? -1 : 0;
}

static const struct {
	const char *name;
	int (*set)(struct token *token, struct json_span value);
} tokens_members[] = {
	{ "name", tokens_set_name },
	{ "sha256", tokens_set_digest },
	{ "created", tokens_set_created },
	{ "servers", tokens_set_servers },
	{ "tools", tokens_set_tools },
	{ "limits", tokens_set_limits },
};

#define TOKENS_MEMBERS (sizeof(tokens_members) / sizeof(tokens_members[0]))
/* The first members are in each token. */
#define TOKENS_NEEDED 3U

static int
tokens_set_member(
    struct token *token, struct json_span name, struct json_span value)
{
	size_t i;

	for (i = 0; i < TOKENS_MEMBERS; i++)
		if (json_span_is(name, tokens_members[i].name))
			return tokens_members[i].set(token, value) == -1 ?
			    -1 : (int)i;
	for (i = 0; i < TOKEN_NUMBERS; i++)
		if (json_span_is(name, token_numbers[i].key))
			return tokens_number(value, token_numbers[i].most,
			    token_number(token, i)) == -1 ?
			    -1 : (int)(TOKENS_MEMBERS + i);
	return -1;
}

/* Returns 0, or -1 if it is not exactly a token, with the reason. */
static int
tokens_set(struct token *token, struct json_span object, struct buffer *why)
{
	struct json_span_walk walk = json_span_walk(object);
	struct json_span name, value;
	unsigned int seen = 0;
	int member;

	buffer_add_text(why, "an object needs name, sha256 and created");
	if (json_span_kind(object) != JSON_SPAN_OBJECT)
		return -1;
	while (json_span_next_member(&walk, &name, &value)) {
		member = tokens_set_member(token, name, value);
		if (member == -1 || (seen & 1U << member) != 0) {
			buffer_reset(why);
			buffer_add_text(why, "its member ");
			shown_add(why, name.p, name.len > OPTION_VALUE_SHOWN ?
			        OPTION_VALUE_SHOWN : name.len);
			return -1;
		}
		seen |= 1U << member;
	}
	return (seen & ((1U << TOKENS_NEEDED) - 1)) ==
	        (1U << TOKENS_NEEDED) - 1 ? 0 : -1;
}

/* The file */

static int
tokens_fault(struct err *err, const char *fault)
{
	return err_set(err, "the file of tokens, " TOKENS_FILE " in the state "
	    "directory, %s: repair it, or move it away and add the tokens "
	    "again ('caisson token add')", fault);
}

static int
tokens_parse_one(
    struct tokens *tokens, struct json_span object, struct err *err)
{
	auto_buffer struct buffer why = { 0 };
	auto_free char *fault = NULL;
	struct token token = { 0 };

	if (tokens->count == TOKENS_MAX)
		return tokens_fault(err, "has too many tokens");
	if (tokens_set(&token, object, &why) == 0 &&
	    tokens_find(tokens, token.name) == NULL) {
		tokens_add(tokens, &token);
		return 0;
	}
	if (token.name != NULL && tokens_find(tokens, token.name) != NULL) {
		buffer_reset(&why);
		buffer_add_text(&why, "another one has its name");
	}
	token_reset(&token);
	fault = mem_printf("has an entry that is not valid, number %zu (%s)",
	    tokens->count + 1, why.data);
	return tokens_fault(err, fault);
}

static int
tokens_count_members(struct json_span object)
{
	struct json_span_walk walk = json_span_walk(object);
	struct json_span name, value;
	int count = 0;

	while (json_span_next_member(&walk, &name, &value))
		count++;
	return count;
}

static int
tokens_parse(struct tokens *tokens, const struct buffer *data, struct err *err)
{
	struct json_span whole, version, list, element;
	struct json_span_walk walk;

	if (json_span_parse(data->data, data->len, &whole, err) == -1)
		return tokens_fault(err, "is not valid JSON");
	if (json_span_get(whole, "version", &version) != 1 ||
	    version.len != 1 || *version.p != '1')
		return tokens_fault(
		    err, "was not written by this version of Caisson");
	if (json_span_get(whole, "tokens", &list) != 1 ||
	    json_span_kind(list) != JSON_SPAN_ARRAY)
		return tokens_fault(err, "has no list of tokens");
	if (tokens_count_members(whole) != 2)
		return tokens_fault(err, "has a member that is not known");
	walk = json_span_walk(list);
	while (json_span_next_element(&walk, &element))
		if (tokens_parse_one(tokens, element, err) == -1)
			return -1;
	return 0;
}

/* Other users could have written it, or could learn the names. */
static int
tokens_check(const struct stat *st, struct err *err)
{
	if (!S_ISREG(st->st_mode))
		return tokens_fault(err, "is not a regular file");
	if (st->st_uid != geteuid())
		return tokens_fault(err, "belongs to another user");
	if ((st->st_mode & (S_IRWXG | S_IRWXO)) != 0)
		return tokens_fault(
		    err, "is open to other users "
		         "(fix: chmod 600 " TOKENS_FILE " there)");
	if ((uint64_t)st->st_size > TOKENS_FILE_MAX)
		return tokens_fault(err, "is too large");
	return 0;
}

int
tokens_read(struct tokens *tokens, int dir, struct err *err)
{
	auto_fd int fd = openat(dir, TOKENS_FILE,
	    O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	auto_buffer struct buffer data = { 0 };

	memset(tokens, 0, sizeof(*tokens));
	if (fd == -1 && errno == ENOENT)
		return 0;
	tokens->found = 1;
	if (fd == -1 || fstat(fd, &tokens->st) == -1)
		return tokens_fault(err, "cannot be opened");
	if (tokens_check(&tokens->st, err) == -1)
		return -1;
	if (fd_read_all(fd, FD_READ_ON, TOKENS_FILE_MAX, &data) == -1)
		return tokens_fault(err, errno == EFBIG ? "is too large" :
		    "cannot be read");
	return tokens_parse(tokens, &data, err);
}

int
tokens_moved(int dir, const char *path)
{
	struct stat ours, there;

	return fstat(dir, &ours) == -1 || stat(path, &there) == -1 ||
	    ours.st_dev != there.st_dev || ours.st_ino != there.st_ino;
}

int
tokens_changed(const struct tokens *tokens, int dir)
{
	const struct stat *old = &tokens->st;
	struct stat st;

	if (fstatat(dir, TOKENS_FILE, &st, AT_SYMLINK_NOFOLLOW) == -1)
		return errno != ENOENT || tokens->found;
	return !tokens->found || st.st_dev != old->st_dev ||
	    st.st_ino != old->st_ino || st.st_size != old->st_size ||
	    st.st_mode != old->st_mode || st.st_uid != old->st_uid ||
	    st.st_mtim.tv_sec != old->st_mtim.tv_sec ||
	    st.st_mtim.tv_nsec != old->st_mtim.tv_nsec ||
	    st.st_ctim.tv_sec != old->st_ctim.tv_sec ||
	    st.st_ctim.tv_nsec != old->st_ctim.tv_nsec;
}
