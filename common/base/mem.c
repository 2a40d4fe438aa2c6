/* Memory with automatic release: see mem.h. Linked into every process. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "log.h"
#include "mem.h"

void *
mem_alloc(size_t size)
{
	void *p = calloc(1, size > 0 ? size : 1);

	if (p == NULL)
		fatal("no memory for %zu bytes", size);
	return p;
}

void *
mem_resize(void *p, size_t size)
{
	void *resized = realloc(p, size > 0 ? size : 1);

	if (resized == NULL)
		fatal("no memory for %zu bytes", size);
	return resized;
}

void *
mem_dup(const void *data, size_t len)
{
	char *copy = malloc(len + 1);

	if (copy == NULL)
		fatal("no memory for %zu bytes", len);
	if (len > 0)
		memcpy(copy, data, len);
	copy[len] = '\0';
	return copy;
}

char *
mem_strdup(const char *s)
{
	return s == NULL ? NULL : mem_dup(s, strlen(s));
}

char *
mem_vprintf(const char *fmt, va_list ap)
{
	char *text = NULL;

	if (vasprintf(&text, fmt, ap) == -1)
		fatal("no memory for a formatted text");
	return text;
}

char *
mem_printf(const char *fmt, ...)
{
	char *text;
	va_list ap;

	va_start(ap, fmt);
	text = mem_vprintf(fmt, ap);
	va_end(ap);
	return text;
}

void
mem_auto_free(void *p)
{
	free(*(void **)p);
}
