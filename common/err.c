/*
 * Errors as values: see err.h. Linked into every process; formats text into
 * the caller's buffer and never allocates, logs or exits.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "err.h"

int
err_set(struct err *err, const char *fmt, ...)
{
	va_list ap;

	if (err == NULL)
		return -1;
	err->code = 0;
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	return -1;
}

int
err_sys(struct err *err, const char *fmt, ...)
{
	int saved = errno;
	size_t used;
	va_list ap;

	if (err == NULL)
		return -1;
	err->code = saved;
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	used = strlen(err->text);
	snprintf(err->text + used, sizeof(err->text) - used, ": %s",
	    strerror(saved));
	return -1;
}

int
err_wrap(struct err *err, const char *fmt, ...)
{
	char inner[ERR_TEXT_SIZE];
	size_t used;
	va_list ap;

	if (err == NULL)
		return -1;
	memcpy(inner, err->text, sizeof(inner));
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	used = strlen(err->text);
	snprintf(err->text + used, sizeof(err->text) - used, ": %s", inner);
	return -1;
}
