/*
 * The log: standard error, one write per line, prefixed with the role
 * ("relay[7]: "). Foreign bytes are escaped where they could forge lines,
 * control a terminal or be invisible (see shown.h). Used by every process;
 * opens nothing.
 */
#ifndef COMMON_LOG_H
#define COMMON_LOG_H

enum log_level {
	LOG_LEVEL_ERROR,
	LOG_LEVEL_WARN,
	LOG_LEVEL_INFO,
	LOG_LEVEL_DEBUG,
};

/* Sets the prefix (copied, without ": ") and the highest level printed. */
void log_init(const char *prefix, enum log_level level);

/* Returns the level in force, to pass it to a worker. */
enum log_level log_level_get(void);

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
