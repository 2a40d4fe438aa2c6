/*
 * Texts of servers, for tests that write them as one.
 */
#ifndef TESTS_UNIT_TEXTS_H
#define TESTS_UNIT_TEXTS_H

#include <string.h>

#include "common/base/mem.h"
#include "supervisor/servers/servers.h"

/* A text in which '|' stands where a NUL is. */
static inline struct server_texts
texts_of(const char *text)
{
	struct server_texts texts = { mem_strdup(text), strlen(text) };
	char *p = texts.data;

	while ((p = strchr(p, '|')) != NULL)
		*p++ = '\0';
	return texts;
}

#endif
