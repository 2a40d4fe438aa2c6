/*
 * What a server complained about when it failed: the one line of its standard
 * error that says why, as runtimes write it; the others go to the log. Runs in
 * the broker; pure functions over bytes, but for the log.
 */
#ifndef WORKER_BROKER_COMPLAINT_H
#define WORKER_BROKER_COMPLAINT_H

#include "../../common/buffer.h"

/*
 * Appends "; its standard error says: " and that line, at most
 * REFUSED_FOREIGN_MAX bytes of it, to the reason of a refusal; nothing when
 * errors, the end of a server's standard error, has no line. The first line of
 * errors may lack its beginning when cut is set. The line is the exception of
 * a traceback, what node, npm and others call an error, or the last line.
 */
void complaint_add(
    struct buffer *reason, const struct buffer *errors, int cut);

/* Writes all lines of errors to the log, at level debug. */
void complaint_log(const char *server, const struct buffer *errors);

#endif
