/*
 * The log: standard error, one write per line, with the role ("relay[7]: ").
 * Foreign bytes are escaped where they could forge lines, control a terminal or
 * be invisible (see shown.h). Used by every process; opens nothing.
 */
#ifndef COMMON_LOG_H
#define COMMON_LOG_H

#include <stdint.h>

enum log_level {
	LOG_LEVEL_ERROR,
	LOG_LEVEL_WARN,
	LOG_LEVEL_INFO,
	LOG_LEVEL_DEBUG,
};

/* The form of a line. */
enum log_format {
	LOG_FORMAT_TEXT,
	LOG_FORMAT_JSON,    /* an object: time, level, process, message */
	LOG_FORMAT_JOURNAL, /* text after a priority, see sd-daemon(3) */
	LOG_FORMATS
};

/* The highest level that is printed, and the form: one number. */
#define LOG_TERMS(level, format) ((uint64_t)(level) + 4 * (uint64_t)(format))

/* Sets the role (copied, without ": "), and the terms. */
void log_init(const char *role, uint64_t terms);

/* Returns the terms in force, to pass them to a worker. */
uint64_t log_terms(void);

void log_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_info(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_debug(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * Logs the message and exits with status 70 (EX_SOFTWARE). Only for missing
 * memory, a bug in Caisson, or a violation by a more trusted peer.
 */
void fatal(const char *fmt, ...)
    __attribute__((format(printf, 1, 2), noreturn));

#endif
