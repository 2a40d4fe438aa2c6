/*
 * Opens the tokens of "caisson serve": see serve_tokens.h. Runs in the
 * supervisor.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../common/base/fd.h"
#include "../../../common/base/log.h"
#include "../../../common/base/mem.h"
#include "../../options/state_dir.h"
#include "tokens.h"
#include "serve_tokens.h"

/* The name of the first token. */
#define SERVE_TOKENS_FIRST "default"

static int
serve_tokens_make(struct tokens *tokens, int dir, struct err *err)
{
	struct token token = { .name = mem_strdup(SERVE_TOKENS_FIRST) };
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

static int
serve_tokens_first(const struct options *options, char **envp, int dir,
    struct tokens *tokens, struct err *err)
{
	const uint64_t terms = log_terms();
	auto_free char *path = NULL;

	if (tokens_lock(dir, err) == -1 || tokens_read(tokens, dir, err) == -1)
		return -1;
	if (tokens->found && tokens->count == 0)
		return err_set(err, "clients that connect by TCP need a token, "
		    "and all were revoked: make one with 'caisson token add "
		    "NAME'");
	if (tokens->found)
		return 0;
	path = state_dir_path(options, envp, err);
	if (path == NULL || serve_tokens_make(tokens, dir, err) == -1)
		return -1;
	log_init("caisson", terms | LOG_LEVEL_INFO); /* at every level */
	log_info("made a token for clients, in the file %s/" TOKENS_FIRST_FILE,
	    path);
	log_init("caisson", terms);
	return 0;
}

int
serve_tokens_open(const struct options *options, char **envp, int needed,
    struct err *err)
{
	auto_fd int dir = state_dir_open(options, envp, err);
	/* Its lock ends when it is closed, and must not last. */
	auto_fd int locked =
	    dir == -1 ? -1 : state_dir_open(options, envp, err);
	struct tokens tokens = { 0 };
	int status = 0;

	if (needed)
		status = locked == -1 ? -1 : serve_tokens_first(
		    options, envp, locked, &tokens, err);
	else if (dir == -1)
		log_warn("clients that have a token cannot be served: %s",
		    err->text);
	tokens_reset(&tokens);
	return status == -1 ? -1 : fd_take(&dir);
}
