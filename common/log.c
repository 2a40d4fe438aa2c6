/*
 * The log: see log.h. Linked into every process; writes to descriptor 2 and
 * nowhere else.
 */
#include <linux/limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "fd.h"
#include "limits.h"
#include "log.h"

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

/* Appends one byte of a message to line, escaped where it is not plain. */
static size_t
log_escape(char *line, size_t used, unsigned char c)
{
	static const char hex[] = "0123456789abcdef";

	if (c >= 0x20 && c < 0x7f) {
		line[used++] = (char)c;
		return used;
	}
	line[used++] = '\\';
	line[used++] = 'x';
	line[used++] = hex[c >> 4];
	line[used++] = hex[c & 15];
	return used;
}

static void __attribute__((format(printf, 2, 0)))
log_line(enum log_level level, const char *fmt, va_list ap)
{
	char text[LOG_TEXT_SIZE];
	char line[LOG_PREFIX_SIZE + 2 + 4 * LOG_TEXT_SIZE + 1];
	struct pollfd log = { .fd = STDERR_FILENO, .events = POLLOUT };
	size_t used;
	const char *p;

	_Static_assert(sizeof(line) <= PIPE_BUF, "a line is one write");
	if (level > log_max)
		return;
	vsnprintf(text, sizeof(text), fmt, ap);
	used = (size_t)snprintf(line, sizeof(line), "%s: ", log_prefix);
	for (p = text; *p != '\0'; p++)
		used = log_escape(line, used, (unsigned char)*p);
	line[used++] = '\n';
	/*
	 * A line that would have to wait for the reader of the log is lost:
	 * nothing here ever waits for that. A pipe that is writable takes
	 * PIPE_BUF bytes at once, and no line is longer.
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
