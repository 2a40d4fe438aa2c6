/*
 * The levels of log messages of MCP: see severity.h. Used by the supervisor,
 * whose clients set one, and the broker.
 */
#include "severity.h"

static const char *const severity_words[] = { "debug", "info", "notice",
	"warning", "error", "critical", "alert", "emergency" };

#define SEVERITIES \
	(sizeof(severity_words) / sizeof(severity_words[0]))

unsigned int
severity_read(struct json_span word)
{
	unsigned int i;

	for (i = 0; i < SEVERITIES; i++)
		if (json_span_is(word, severity_words[i]))
			return i + 1;
	return 0;
}

const char *
severity_word(unsigned int level)
{
	return severity_words[level - 1];
}
