/*
 * The log: see log.h. Linked into every process; writes only to descriptor 2.
 */
#include <linux/limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../limits.h"
#include "log.h"
#include "utf8.h"

static char log_prefix[LOG_PREFIX_SIZE] = "caisson";
static enum log_level log_max = LOG_LEVEL_WARN;

void
log_init(const char *prefix, enum log_level level)
{
	snprintf(log_prefix, sizeof(log_prefix), "%s", prefix);
	log_max = level;
}

enum log_level
log_level_get(void)
{
	return log_max;
}

/*
 * Appends a message to line with escapes; no byte of it becomes more than four.
 * Returns the new length of line.
 */
static size_t
log_add(char *line, size_t used, const char *text, size_t len)
{
	char shown[UTF8_ESCAPE_SIZE];
	size_t n, shown_len;

	for (n = 0; n < len;) {
		n += utf8_shown(text + n, len - n, shown);
		shown_len = strlen(shown);
		memcpy(line + used, shown, shown_len);
		used += shown_len;
	}
	return used;
}

static void __attribute__((format(printf, 2, 0)))
log_line(enum log_level level, const char *fmt, va_list ap)
{
	char text[LOG_TEXT_SIZE];
	char line[LOG_PREFIX_SIZE + 2 + 4 * LOG_TEXT_SIZE + 1];
	struct pollfd log = { .fd = STDERR_FILENO, .events = POLLOUT };
	size_t used, len;
	int whole;

	_Static_assert(sizeof(line) <= PIPE_BUF, "a line is one write");
	if (level > log_max)
		return;
	whole = vsnprintf(text, sizeof(text), fmt, ap);
	len = strlen(text);
	/* A cut message does not end within a character. */
	if (whole >= (int)sizeof(text))
		len -= utf8_incomplete_tail(text, len);
	used = (size_t)snprintf(line, sizeof(line), "%s: ", log_prefix);
	used = log_add(line, used, text, len);
	line[used++] = '\n';
	/*
	 * If the reader of the log is too slow, the line is lost: the log never
	 * blocks. A pipe that is writable takes PIPE_BUF bytes at once, and no
	 * line is longer.
	 */
	if (poll(&log, 1, 0) == 1 && (log.revents & POLLOUT) != 0)
		(void)!write(STDERR_FILENO, line, used);
}

#define LOG_FUNCTION(name, level)                                              \
	void name(const char *fmt, ...)                                        \
	{                                                                      \
		va_list ap;                                                    \
                                                                               \
		va_start(ap, fmt);                                             \
		log_line(level, fmt, ap);                                      \
		va_end(ap);                                                    \
	}

LOG_FUNCTION(log_error, LOG_LEVEL_ERROR)
LOG_FUNCTION(log_warn, LOG_LEVEL_WARN)
LOG_FUNCTION(log_info, LOG_LEVEL_INFO)
LOG_FUNCTION(log_debug, LOG_LEVEL_DEBUG)

void
fatal(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	log_line(LOG_LEVEL_ERROR, fmt, ap);
	va_end(ap);
	_exit(FATAL_EXIT_STATUS);
}
