/*
 * The directory of a login: the file of its tokens, replaced as a whole, and
 * what the server last asked for. Two Caissons may use it. Runs in the
 * connector.
 */
#ifndef WORKER_CONNECTOR_OAUTH_STORE_H
#define WORKER_CONNECTOR_OAUTH_STORE_H

#include "document.h"

/*
 * Reads the login for the server with this URL. Returns 1, or 0 if there is
 * none; what was there is freed. dir may be -1.
 */
int store_read(int dir, const char *url, struct login *login);

/* Replaces it, and waits until the disk has it. Returns 0, or -1 with err. */
int store_write(int dir, const struct login *login, struct err *err);

/* Removes all that is kept. */
void store_remove(int dir);

/*
 * Locks the directory against other connectors; does not wait. Returns whether
 * it is locked. The lock ends with the process.
 */
int store_lock(int dir);
void store_unlock(int dir);

/* The last challenge of the server: a header. Returns it, or NULL. */
char *store_read_challenge(int dir);
void store_write_challenge(int dir, const char *header);

/*
 * How the server with this URL was last spoken to: a word; NULL if that is not
 * known, or was found more than CONNECTOR_MANNER_S ago.
 */
char *store_read_manner(int dir, const char *url);
void store_write_manner(int dir, const char *url, const char *manner);

#endif
