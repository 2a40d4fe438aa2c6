/*
 * The tokens of HTTP clients: a file in the state directory. It has a hash of
 * each token and what the token allows, never the token itself. Runs in the
 * supervisor; only our user writes that file.
 */
#ifndef SUPERVISOR_TOKENS_H
#define SUPERVISOR_TOKENS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "../../../common/base/buffer.h"
#include "../../../common/base/err.h"
#include "../../../common/limits.h"

#define TOKENS_FILE "tokens.json"

/* The first token, which a serving program makes: its own file has it. */
#define TOKENS_FIRST_FILE "token"

/* The name of the token that the environment has: MCP_API_TOKEN. */
#define TOKEN_API_NAME "api"

/* What clients with a token may do, as one owner. */
struct token {
	char *name;
	uint8_t digest[TOKEN_DIGEST_SIZE]; /* SHA-256 of the token */
	char *created;            /* time, RFC 3339 */
	bool restricted;           /* only these servers: */
	struct buffer servers;    /* names, a text list */
	unsigned int tools;       /* a set of those of the option; 0: all */
	uint64_t calls;           /* that run at once; 0: no limit of its own */
	uint64_t rate;            /* requests a minute; 0: no limit */
	uint64_t files_max;       /* bytes of its files; 0: as all clients */
	uint64_t memories_max;    /* the same of its memories and tools */
	uint64_t cpu_seconds;     /* a day; 0: no limit */
	const char *limits; /* a word of that option; NULL: those of all */
};

/* The members of a token that are numbers, 0 if it has none: tokens.c. */
enum token_number {
	TOKEN_CALLS,
	TOKEN_RATE,
	TOKEN_FILES_MAX,
	TOKEN_MEMORIES_MAX,
	TOKEN_CPU_SECONDS,
	TOKEN_NUMBERS
};

extern const struct token_number_row {
	const char *key; /* in the file, and in JSON */
	uint64_t most;
	size_t offset; /* in struct token */
} token_numbers[TOKEN_NUMBERS];

/* Returns one of them; borrowed from the token. */
uint64_t *token_number(const struct token *token, size_t number);

/* All zeroes: no file was read. */
struct tokens {
	struct token *one;
	size_t count;
	int found;      /* the file exists */
	struct stat st; /* of the file that was read */
};

/*
 * Reads the tokens from the state directory, an open descriptor. A missing file
 * has none. Returns 0, or -1 with err: a file with a fault, which has no valid
 * tokens. Call tokens_reset in both cases.
 */
int tokens_read(struct tokens *tokens, int dir, struct err *err);

/*
 * Returns whether a directory is no longer the one at this path. Programs that
 * change the tokens open the path, so the file in it would not be theirs.
 */
int tokens_moved(int dir, const char *path);

/*
 * Returns whether the file is not the one that was read; if it cannot be
 * examined, it has changed.
 */
int tokens_changed(const struct tokens *tokens, int dir);

void tokens_reset(struct tokens *tokens);

/* Returns the token of this name, or NULL; borrowed from tokens. */
struct token *tokens_find(const struct tokens *tokens, const char *name);

/*
 * Returns the token that a client has sent, or NULL. The time that this takes
 * does not depend on the bytes that are right.
 */
struct token *tokens_of_secret(
    const struct tokens *tokens, const void *secret, size_t len);

/* Sets what a token is recognized by. */
void token_set_secret(struct token *token, const char *secret, size_t len);

/* Returns whether two tokens have the same secret. */
int token_has_secret_of(const struct token *token, const struct token *other);

/* Returns whether two tokens have the same name, secret and rights. */
int token_is_same(const struct token *token, const struct token *other);

/* Makes one a copy of another. Both are freed by token_reset. */
void token_copy(struct token *token, const struct token *from);
void token_reset(struct token *token);

/* Appends a token, which is taken. */
void tokens_add(struct tokens *tokens, struct token *token);

/* Appends the limits of files to a list for files_limit(). */
void tokens_add_files_limits(const struct tokens *tokens, struct buffer *list);

/* Removes one of its tokens. */
void tokens_remove(struct tokens *tokens, struct token *token);

/* Returns whether a token may have this name. */
int token_is_name(const char *name);

/* tokens_write.c */

/*
 * Makes the secret of a token, with its NUL, and sets its digest and the time
 * of its creation.
 */
void token_make(struct token *token, char secret[TOKEN_SIZE + 1]);

/*
 * Locks the state directory against other changes of its tokens, until the
 * descriptor is closed. Returns 0, or -1 with err.
 */
int tokens_lock(int dir, struct err *err);

/*
 * Replaces the file. At each moment it is the old or the new one. On a full
 * disk, one that is at least as long is written over.
 */
int tokens_write(const struct tokens *tokens, int dir, struct err *err);

/*
 * Makes the first token if there is no file of tokens yet, and prints its place
 * below path, the state directory, which is locked. Returns 0, or -1 with err,
 * also if no token is valid.
 */
int tokens_begin(const char *path, int dir, struct err *err);

/*
 * Removes the file of the first token if that is this one, which was revoked.
 * Returns 0, or -1 with err.
 */
int tokens_remove_first(const struct token *token, int dir, struct err *err);

#endif
