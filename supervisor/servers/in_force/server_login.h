/*
 * Where logins at remote servers are kept: a directory for each owner and
 * server, which a connector is given. Runs in the supervisor; it reads no token
 * of them.
 */
#ifndef SUPERVISOR_SERVER_LOGIN_H
#define SUPERVISOR_SERVER_LOGIN_H

#include "../../../common/base/buffer.h"
#include "../../../common/base/err.h"

struct options;

/*
 * Opens the directory of an owner ("": the local user) for a server, and
 * creates it (mode 0700). Returns a descriptor that the caller owns, or -1 with
 * err.
 */
int server_login_open(const struct options *options, char **envp,
    const char *owner, const char *name, struct err *err);

/*
 * Appends the logins for a server: pairs of texts, the owner ("": the local
 * user) and when the login ends, "" if it is renewed when it is used. Creates
 * no login.
 */
void server_login_list(const struct options *options, char **envp,
    const char *name, struct buffer *logins);

/* Removes all that is kept for a server, of every owner; logs what stays. */
void server_login_remove(
    const struct options *options, char **envp, const char *name);

/* Returns the command that logs in, which the caller frees. */
char *server_login_command(const char *name, const char *owner);

#endif
