/*
 * Finds the one line of a failed server's standard error that states the error,
 * as runtimes write it; the other lines go to the log. Runs in the broker; pure
 * functions over bytes, except for logging.
 */
#ifndef WORKER_BROKER_DIAGNOSIS_H
#define WORKER_BROKER_DIAGNOSIS_H

#include "../../../common/base/buffer.h"

/*
 * Appends "; its standard error says: " and that line, at most
 * REFUSED_FOREIGN_MAX bytes of it, to the reason of a refusal; nothing if
 * errors, the end of the standard error, has no line. The first line of errors
 * may be incomplete if cut is set. The line is the exception of a traceback, an
 * error line of node, npm and others, or the last line. Unless whole is set, as
 * for the operator, a line of our own about a program or folder that cannot be
 * used has not its path.
 */
void diagnosis_add(
    struct buffer *reason, const struct buffer *errors, int cut, int whole);

/* Writes all lines of errors to the log, at level debug. */
void diagnosis_log(const char *server, const struct buffer *errors);

#endif
