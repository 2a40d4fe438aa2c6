/*
 * Errors as values. A function that can fail returns 0 or -1 and fills a struct
 * err of its caller, usually on the stack. The text is one plain sentence
 * without a full stop, always UTF-8. It may be shown to the user, so it never
 * contains secrets. Used by every process.
 */
#ifndef COMMON_ERR_H
#define COMMON_ERR_H

#define ERR_TEXT_SIZE 1024

struct err {
	int code; /* errno of the failure; 0 if there is none */
	char text[ERR_TEXT_SIZE];
};

/* Sets the text and sets code to 0. A NULL err is accepted. Returns -1. */
int err_set(struct err *err, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Like err_set, then appends ": " and the text of errno. Returns -1. */
int err_sys(struct err *err, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* Puts context and ": " before the existing text; keeps code. Returns -1. */
int err_wrap(struct err *err, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#endif
