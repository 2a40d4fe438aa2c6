/*
 * The log: see log.h. Linked into every process; writes only to descriptor 2.
 */
#include <linux/limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../limits.h"
#include "log.h"
#include "utf8.h"

static char log_role[LOG_PREFIX_SIZE] = "caisson";
static uint64_t log_terms_now = LOG_TERMS(LOG_LEVEL_WARN, LOG_FORMAT_TEXT);

/* A line in the making; what is too much for one write is left out. */
struct log_writing {
	char line[PIPE_BUF];
	size_t used;
};

void
log_init(const char *role, uint64_t terms)
{
	snprintf(log_role, sizeof(log_role), "%s", role);
	log_terms_now = terms;
}

uint64_t
log_terms(void)
{
	return log_terms_now;
}

static void __attribute__((format(printf, 2, 3)))
log_put(struct log_writing *out, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	out->used += (size_t)vsnprintf(out->line + out->used,
	    sizeof(out->line) - out->used, fmt, ap);
	va_end(ap);
}

/*
 * Appends a message with escapes; no byte of it becomes more than eight, as in
 * JSON a backslash is two.
 */
static void
log_add(struct log_writing *out, const char *text, size_t len, int json)
{
	char shown[UTF8_ESCAPE_SIZE];
	const char *p;
	size_t n;

	for (n = 0; n < len &&
	     out->used + 2 * UTF8_ESCAPE_SIZE + 4 < sizeof(out->line);) {
		n += utf8_shown(text + n, len - n, shown);
		for (p = shown; *p != '\0'; p++) {
			if (json && (*p == '"' || *p == '\\'))
				out->line[out->used++] = '\\';
			out->line[out->used++] = *p;
		}
	}
}

/* Begins a line; the message follows. */
static void
log_begin(struct log_writing *out, enum log_level level, uint64_t format)
{
	static const char *const words[] = { "error", "warn", "info", "debug" };
	static const int priorities[] = { 3, 4, 6, 7 }; /* syslog(3) */
	char when[sizeof("2026-01-31T12:00:00")] = "";
	struct timespec now;
	struct tm utc;

	if (format == LOG_FORMAT_JOURNAL)
		log_put(out, "<%d>", priorities[level]);
	if (format != LOG_FORMAT_JSON) {
		log_put(out, "%s: ", log_role);
		return;
	}
	clock_gettime(CLOCK_REALTIME, &now);
	gmtime_r(&now.tv_sec, &utc);
	strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%S", &utc);
	log_put(out, "{\"time\":\"%s.%03ldZ\",\"level\":\"%s\","
	    "\"process\":\"%s\",\"message\":\"", when,
	    now.tv_nsec / 1000000, words[level], log_role);
}

static void __attribute__((format(printf, 2, 0)))
log_line(enum log_level level, const char *fmt, va_list ap)
{
	uint64_t format = log_terms_now / 4;
	char text[LOG_TEXT_SIZE];
	struct log_writing out = { .used = 0 };
	struct pollfd log = { .fd = STDERR_FILENO, .events = POLLOUT };
	size_t len;
	int whole;

	_Static_assert(sizeof(out.line) > 4 * LOG_TEXT_SIZE + LOG_PREFIX_SIZE +
	        2 * UTF8_ESCAPE_SIZE + 8,
	    "a line of text is one write, and whole");
	_Static_assert(LOG_TERMS_MAX == 4 * LOG_FORMATS - 1, "all terms");
	if (level > log_terms_now % 4)
		return;
	whole = vsnprintf(text, sizeof(text), fmt, ap);
	len = strlen(text);
	/* A cut message does not end within a character. */
	if (whole >= (int)sizeof(text))
		len -= utf8_incomplete_tail(text, len);
	log_begin(&out, level, format);
	log_add(&out, text, len, format == LOG_FORMAT_JSON);
	log_put(&out, format == LOG_FORMAT_JSON ? "\"}\n" : "\n");
	/*
	 * If the reader of the log is too slow, the line is lost: the log never
	 * blocks. A pipe that is writable takes PIPE_BUF bytes at once, and no
	 * line is longer.
	 */
	if (poll(&log, 1, 0) == 1 && (log.revents & POLLOUT) != 0)
		(void)!write(STDERR_FILENO, out.line, out.used);
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
