/*
 * What is not shown of a server to people, in logs and in boxes: values that
 * may be secrets.
 */
#ifndef SUPERVISOR_SERVERS_SERVER_MASK_H
#define SUPERVISOR_SERVERS_SERVER_MASK_H

#include "../../../common/mask.h"
#include "../servers.h"

/*
 * Returns whether an argument may be a secret; before is the previous one, or
 * NULL.
 */
int server_mask_hides(const char *argument, const char *before);

/*
 * Makes the set of values that are masked in what a server has written: those
 * of its variables and arguments that may be secrets, its headers, its PATH,
 * and of its environment, envp, values that the names call secrets; and the
 * passwords of URLs in all of these.
 */
void server_mask_gather(
    struct buffer *set, const struct server *server, char *const *envp);

/*
 * Appends a URL without what may be secret in it: the user and password, such
 * segments of its path, and what follows "?" or "#".
 */
void server_mask_url(struct buffer *out, const char *url);

#endif
