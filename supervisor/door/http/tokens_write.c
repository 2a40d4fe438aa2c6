/* Makes tokens of HTTP clients and writes their file: see tokens.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "../../../common/base/fd.h"
#include "../../../common/json/json.h"
#include "../../../common/base/log.h"
#include "../../../common/base/mem.h"
#include "../../../common/base/text_list.h"
#include "../../options/options.h"
#include "../../process/socket/socket.h"
#include "tokens.h"

/* The name of the first token. */
#define TOKENS_FIRST_NAME "default"

void
token_make(struct token *token, char secret[TOKEN_SIZE + 1])
{
	unsigned char random[TOKEN_RANDOM_SIZE];
	char when[sizeof("9999-12-31T23:59:59Z")];
	time_t now = time(NULL);
	struct tm tm;
	size_t i;

	if (getrandom(random, sizeof(random), 0) != (ssize_t)sizeof(random))
		fatal("no random numbers for a token");
	snprintf(secret, TOKEN_SIZE + 1, "%s", TOKEN_PREFIX);
	for (i = 0; i < sizeof(random); i++)
		snprintf(secret + strlen(TOKEN_PREFIX) + 2 * i, 3, "%02x",
		    random[i]);
	explicit_bzero(random, sizeof(random));
	token_set_secret(token, secret, TOKEN_SIZE);
	if (gmtime_r(&now, &tm) == NULL ||
	    strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", &tm) == 0)
		fatal("no time for a token");
	free(token->created);
	token->created = mem_strdup(when);
}

int
tokens_lock(int dir, struct err *err)
{
	return folder_lock(dir) == 0 ?
	    0 : err_sys(err, "lock the state directory");
}

static void
tokens_add_words(struct buffer *json, const struct token *token)
{
	const char *const *words = option_row(OPTION_ID_TOOLS)->words;
	const char *comma = "", *name;
	size_t i;

	if (token->restricted) {
		buffer_add_text(json, ",\"servers\":[");
		TEXT_LIST_EACH (name, token->servers.data, token->servers.len) {
			buffer_add_text(json, comma);
			json_add_text(json, name);
			comma = ",";
		}
		buffer_add_text(json, "]");
	}
	if (token->tools == 0)
		return;
	comma = "";
	buffer_add_text(json, ",\"tools\":[");
	for (i = 0; words[i] != NULL; i++) {
		if ((token->tools & 1U << i) == 0)
			continue;
		buffer_printf(json, "%s\"%s\"", comma, words[i]);
		comma = ",";
	}
	buffer_add_text(json, "]");
}

static void
tokens_add_one(struct buffer *json, const struct token *token)
{
	size_t i;

	buffer_add_text(json, "{\"name\":");
	json_add_text(json, token->name);
	buffer_add_text(json, ",\"sha256\":\"");
	for (i = 0; i < TOKEN_DIGEST_SIZE; i++)
		buffer_printf(json, "%02x", token->digest[i]);
	buffer_add_text(json, "\",\"created\":");
	json_add_text(json, token->created);
	tokens_add_words(json, token);
	for (i = 0; i < TOKEN_NUMBERS; i++)
		if (*token_number(token, i) != 0)
			buffer_printf(json, ",\"%s\":%llu",
			    token_numbers[i].key,
			    (unsigned long long)*token_number(token, i));
	if (token->limits != NULL)
		buffer_printf(json, ",\"limits\":\"%s\"", token->limits);
	buffer_add_text(json, "}");
}

/*
 * Writes a file of the state directory, readable only by our user, and replaces
 * an existing one. Returns 0, or -1 with err.
 */
static int
tokens_write_file(int dir, const char *name, const char *data, size_t len,
    struct err *err)
{
	auto_free char *beside = mem_printf("%s.new", name);
	auto_fd int fd = -1;

	/* What a program that was killed has left. */
	if (unlinkat(dir, beside, 0) == -1 && errno != ENOENT)
		return err_sys(err, "remove %s in the state directory", beside);
	fd = openat(dir, beside,
	    O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
	    S_IRUSR | S_IWUSR);
	if (fd == -1 || fd_write_all(fd, data, len) == -1 ||
	    fsync(fd) == -1 || renameat(dir, beside, dir, name) == -1 ||
	    (fsync(dir) == -1 && errno != EINVAL)) {
		err_sys(err, "write %s in the state directory", name);
		unlinkat(dir, beside, 0);
		return -1;
	}
	return 0;
}

/* Returns whether a file of the state directory has the secret of a token. */
static int
tokens_file_is(const struct token *token, int dir, const char *name)
{
	auto_fd int fd = openat(
	    dir, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	const struct tokens only = { .one = (struct token *)token, .count = 1 };
	char secret[TOKEN_SIZE];
	int same;

	if (fd == -1 || read(fd, secret, sizeof(secret)) !=
	        (ssize_t)sizeof(secret))
		return 0;
	same = tokens_of_secret(&only, secret, sizeof(secret)) != NULL;
	explicit_bzero(secret, sizeof(secret));
	return same;
}

int
tokens_remove_first(const struct token *token, int dir, struct err *err)
{
	if (!tokens_file_is(token, dir, TOKENS_FIRST_FILE) ||
	    unlinkat(dir, TOKENS_FIRST_FILE, 0) == 0)
		return 0;
	return err_sys(err, "remove %s, which has the revoked token, from the "
	    "state directory", TOKENS_FIRST_FILE);
}

/*
 * Writes over the file, which is at least as long: on most file systems that
 * needs no room on the disk. A reader at any moment finds the new text, behind
 * which are spaces until the file is cut, or a fault. Returns 0 or -1.
 */
static int
tokens_write_over(int dir, struct buffer *json)
{
	auto_fd int fd = openat(dir, TOKENS_FILE,
	    O_WRONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	size_t len = json->len, i;
	struct stat st;

	if (fd == -1 || fstat(fd, &st) == -1 || !S_ISREG(st.st_mode) ||
	    (size_t)st.st_size < len || (uint64_t)st.st_size > TOKENS_FILE_MAX)
		return -1;
	for (i = len; i < (size_t)st.st_size; i++)
		buffer_add_text(json, " ");
	return pwrite(fd, json->data, json->len, 0) == (ssize_t)json->len &&
	        fsync(fd) == 0 && ftruncate(fd, (off_t)len) == 0 ? 0 : -1;
}

int
tokens_write(const struct tokens *tokens, int dir, struct err *err)
{
	auto_buffer struct buffer json = { 0 };
	size_t i;

	buffer_add_text(&json, "{\"version\":1,\"tokens\":[");
	for (i = 0; i < tokens->count; i++) {
		buffer_add_text(&json, i == 0 ? "\n" : ",\n");
		tokens_add_one(&json, &tokens->one[i]);
	}
	buffer_add_text(&json, "\n]}\n");
	if (json.len > TOKENS_FILE_MAX)
		return err_set(err, "the tokens have too many servers");
	if (tokens_write_file(dir, TOKENS_FILE, json.data, json.len, err) == 0)
		return 0;
	/* One that is revoked must not stay valid for want of room. */
	return (err->code == ENOSPC || err->code == EDQUOT) &&
	        tokens_write_over(dir, &json) == 0 ? 0 : -1;
}

static int
tokens_make_first(struct tokens *tokens, int dir, struct err *err)
{
	struct token token = { .name = mem_strdup(TOKENS_FIRST_NAME) };
	char secret[TOKEN_SIZE + 1];
	auto_free char *line = NULL;
	int status;

	token_make(&token, secret);
	tokens_add(tokens, &token);
	line = mem_printf("%s\n", secret);
	status = tokens_write_file(
	    dir, TOKENS_FIRST_FILE, line, strlen(line), err);
	if (status == 0)
		status = tokens_write(tokens, dir, err);
	explicit_bzero(secret, sizeof(secret));
	explicit_bzero(line, strlen(line));
	return status;
}

int
tokens_begin(const char *path, int dir, struct err *err)
{
	const uint64_t terms = log_terms();
	struct tokens tokens = { 0 };
	int status = tokens_lock(dir, err);

	if (status == 0)
		status = tokens_read(&tokens, dir, err);
	if (status == 0 && tokens.found && tokens.count == 0)
		status = err_set(err, "clients that connect by TCP need a "
		    "token, and all were revoked: make one with 'caisson "
		    "token add NAME'");
	if (status == 0 && !tokens.found) {
		status = tokens_make_first(&tokens, dir, err);
		if (status == 0) {
			/* At every level. */
			log_init("caisson", terms | LOG_LEVEL_INFO);
			log_info("made a token for clients, in the file %s/"
			    TOKENS_FIRST_FILE, path);
			log_init("caisson", terms);
		}
	}
	tokens_reset(&tokens);
	return status;
}
