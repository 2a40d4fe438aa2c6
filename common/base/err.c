/*
 * Errors as values: see err.h. Linked into every process; formats text into
 * the caller's buffer and never allocates, logs or exits.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "err.h"
#include "utf8.h"

/*
 * The text may become part of JSON or of a message. It is therefore valid
 * UTF-8, whatever bytes it was built from (a path may contain any) and wherever
 * it was cut.
 */
static void
err_tidy(struct err *err)
{
	size_t len = strlen(err->text);
	char *p;

	len -= utf8_incomplete_tail(err->text, len);
	err->text[len] = '\0';
	if (utf8_valid(err->text, len))
		return;
	for (p = err->text; *p != '\0'; p++)
		if ((*p & 0x80) != 0)
			*p = '?';
}

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
	err_tidy(err);
	return -1;
}

/*
 * Always in English, like all other texts, whatever the locale: the init of a
 * forked box has no locale.
 */
static const char *
err_describe(int code)
{
#ifdef __GLIBC__
	const char *text = strerrordesc_np(code);
#else
	const char *text = strerror(code);
#endif

	return text != NULL ? text : "unknown error";
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
	    err_describe(saved));
	err_tidy(err);
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
	err_tidy(err);
	return -1;
}
