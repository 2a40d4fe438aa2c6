/*
 * The head of a request: see http.h. Each rule names its section of RFC 9112,
 * where a server may be lenient and this one is not.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "../../common/limits.h"
#include "../../common/base/mem.h"
#include "http.h"
#include "route.h"

/* The names and kinds of the fields in use. */
static const struct {
	const char *name;
	int list;
} http_fields[HTTP_FIELDS] = {
#define HTTP_FIELD(NAME, name, list) { name, list },
#include "http_fields.def"
};

/* What is left of a head. */
struct http_text {
	const char *p;
	const char *end;
};

static int
http_refuse(struct http_fault *fault, int status, const char *reason)
{
	fault->status = status;
	fault->reason = reason;
	return -1;
}

/* RFC 9110, section 5.6.2 */
static int
http_is_token_char(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	    (c >= 'A' && c <= 'Z') ||
	    (c != '\0' && strchr("!#$%&'*+-.^_`|~", c) != NULL);
}

/* Returns the length of the token at p. */
static size_t
http_token(const char *p, const char *end)
{
	const char *at = p;

	while (at < end && http_is_token_char(*at))
		at++;
	return (size_t)(at - p);
}

static int
http_is(const char *p, size_t len, const char *word)
{
	return strlen(word) == len && memcmp(p, word, len) == 0;
}

/*
 * Takes a line. It ends with CR LF; a bare CR or LF, which other servers may
 * take for an end of a line, is refused (section 2.2).
 */
static int
http_line(struct http_text *text, struct http_text *line,
    struct http_fault *fault)
{
	const char *lf = memchr(text->p, '\n', (size_t)(text->end - text->p));
	const char *cr;

	if (lf == NULL || lf == text->p || lf[-1] != '\r')
		return http_refuse(fault, 400,
		    "a line of the request does not end with CR LF");
	line->p = text->p;
	line->end = lf - 1;
	cr = memchr(line->p, '\r', (size_t)(line->end - line->p));
	if (cr != NULL)
		return http_refuse(
		    fault, 400, "a line of the request contains a bare CR");
	text->p = lf + 1;
	return 0;
}

/* The first line */

static int
http_read_version(struct http_head *head, const struct http_text *line,
    struct http_fault *fault)
{
	size_t len = (size_t)(line->end - line->p);

	if (http_is(line->p, len, "HTTP/1.1"))
		head->minor = true;
	else if (!http_is(line->p, len, "HTTP/1.0"))
		return len == 8 && memcmp(line->p, "HTTP/", 5) == 0 ?
		    http_refuse(fault, 505, "only HTTP/1.1 is understood") :
		    http_refuse(
		        fault, 400, "the first line is not one of HTTP");
	return 0;
}

/*
 * Exactly one space separates the three parts (section 3). Of the forms of a
 * target only a path is served: the others are for proxies.
 */
static int
http_read_first(struct http_head *head, struct http_text *line,
    struct http_fault *fault)
{
	size_t len = http_token(line->p, line->end);
	const char *target = line->p + len + 1;
	const char *p = target;

	head->method = mem_dup(line->p, len);
	if (len == 0 || target >= line->end || target[-1] != ' ')
		return http_refuse(
		    fault, 400, "the first line is not one of HTTP");
	while (p < line->end && *p > ' ' && *p < 0x7f)
		p++;
	if (p == target || p == line->end || *p != ' ')
		return http_refuse(
		    fault, 400, "the first line is not one of HTTP");
	if (*target != '/')
		return http_refuse(
		    fault, 400, "the target of the request is not a path");
	head->target = mem_dup(target, (size_t)(p - target));
	line->p = p + 1;
	return http_read_version(head, line, fault);
}

/* Fields */

/* Section 5.5: no control characters but tabs. */
static int
http_is_value(const struct http_text *value)
{
	const char *p;

	for (p = value->p; p < value->end; p++)
		if (((unsigned char)*p < ' ' && *p != '\t') || *p == 0x7f)
			return 0;
	return 1;
}

static void
http_trim(struct http_text *value)
{
	while (value->p < value->end && (*value->p == ' ' || *value->p == '\t'))
		value->p++;
	while (value->end > value->p &&
	    (value->end[-1] == ' ' || value->end[-1] == '\t'))
		value->end--;
}

static int
http_keep_field(struct http_head *head, enum http_field field,
    const struct http_text *value, struct http_fault *fault)
{
	auto_free char *now =
	    mem_dup(value->p, (size_t)(value->end - value->p));
	auto_free char *before = mem_take(&head->fields[field]);

	if (before == NULL) {
		head->fields[field] = mem_take(&now);
		return 0;
	}
	if (!http_fields[field].list)
		return http_refuse(fault, 400,
		    "a field that must be unique was sent twice");
	head->fields[field] = mem_printf("%s, %s", before, now);
	return 0;
}

static int
http_keep(struct http_head *head, const char *name, size_t len,
    const struct http_text *value, struct http_fault *fault)
{
	size_t i;

	for (i = 0; i < HTTP_FIELDS; i++)
		if (strlen(http_fields[i].name) == len &&
		    strncasecmp(name, http_fields[i].name, len) == 0)
			return http_keep_field(
			    head, (enum http_field)i, value, fault);
	return 0;
}

/*
 * A name is followed by its colon, without a space (section 5.1). A line that
 * begins with a space, which would continue the last one (section 5.2), has no
 * name.
 */
static int
http_read_field(struct http_head *head, const struct http_text *line,
    struct http_fault *fault)
{
	size_t len = http_token(line->p, line->end);
	struct http_text value = { line->p + len + 1, line->end };

	if (len == 0 || line->p + len == line->end || line->p[len] != ':')
		return http_refuse(
		    fault, 400, "a field has no name before its colon");
	http_trim(&value);
	if (!http_is_value(&value))
		return http_refuse(
		    fault, 400, "a field contains a control character");
	return http_keep(head, line->p, len, &value, fault);
}

static int
http_read_fields(struct http_head *head, struct http_text *text,
    struct http_fault *fault)
{
	struct http_text line;
	size_t n = 0;

	for (;;) {
		if (http_line(text, &line, fault) == -1)
			return -1;
		if (line.p == line.end)
			return 0;
		if (++n > HTTP_FIELDS_MAX)
			return http_refuse(
			    fault, 431, "the request has too many fields");
		if (http_read_field(head, &line, fault) == -1)
			return -1;
	}
}

/* What the fields mean for the connection */

/* Section 6.2: one number, without a sign and without a list. */
static int
http_read_length(struct http_head *head, struct http_fault *fault)
{
	const char *text = head->fields[HTTP_CONTENT_LENGTH];
	size_t len;

	if (text == NULL)
		return 0;
	len = strspn(text, "0123456789");
	if (len == 0 || len > HTTP_LENGTH_DIGITS || text[len] != '\0')
		return http_refuse(
		    fault, 400, "Content-Length is not a number");
	head->length = strtoull(text, NULL, 10);
	return 0;
}

/*
 * Section 6.1: with both fields, two servers may see two bodies. Of the codings
 * only "chunked" is understood, and clients of HTTP/1.0 have none.
 */
static int
http_read_coding(struct http_head *head, struct http_fault *fault)
{
	const char *coding = head->fields[HTTP_TRANSFER_ENCODING];

	if (coding == NULL)
		return 0;
	if (head->fields[HTTP_CONTENT_LENGTH] != NULL)
		return http_refuse(fault, 400, "the request has both "
		    "Content-Length and Transfer-Encoding");
	if (head->minor == 0)
		return http_refuse(
		    fault, 400, "HTTP/1.0 has no Transfer-Encoding");
	if (strcasecmp(coding, "chunked") != 0)
		return http_refuse(fault, 501,
		    "of Transfer-Encoding only chunked is understood");
	head->chunked = true;
	return 0;
}

static int
http_read_expect(struct http_head *head, struct http_fault *fault)
{
	const char *expect = head->fields[HTTP_EXPECT];

	if (expect == NULL || head->minor == 0)
		return 0;
	if (strcasecmp(expect, "100-continue") != 0)
		return http_refuse(
		    fault, 417, "only 100-continue can be expected");
	head->expects = true;
	return 0;
}

static int
http_read_meaning(struct http_head *head, struct http_fault *fault)
{
	const char *host = head->fields[HTTP_HOST];

	/* RFC 9110, section 7.2 */
	if (host == NULL && head->minor == 1)
		return http_refuse(fault, 400, "the request has no Host");
	if (http_read_length(head, fault) == -1 ||
	    http_read_coding(head, fault) == -1 ||
	    http_read_expect(head, fault) == -1)
		return -1;
	if ((head->chunked || head->length > 0) &&
	    !route_has_body(head->method, head->target))
		return http_refuse(
		    fault, 400, route_say(ROUTE_BODIES, head->target));
	/* Where the file is kept, room for it is made ahead. */
	if (head->fields[HTTP_CONTENT_LENGTH] == NULL &&
	    route_streams(head->method, head->target))
		return http_refuse(fault, 411,
		    "a file is sent with Content-Length, not in chunks");
	/* A connection of HTTP/1.0 is kept only on request: never, here. */
	head->last = head->minor == 0 ||
	    http_list_has(head->fields[HTTP_CONNECTION], "close");
	return 0;
}

int
http_head_read(struct http_head *head, const char *bytes, size_t len,
    struct http_fault *fault)
{
	struct http_text text = { bytes, bytes + len };
	struct http_text line;

	*head = (struct http_head){ 0 };
	if (http_line(&text, &line, fault) == -1 ||
	    http_read_first(head, &line, fault) == -1 ||
	    http_read_fields(head, &text, fault) == -1)
		return -1;
	return http_read_meaning(head, fault);
}

void
http_head_free(struct http_head *head)
{
	size_t i;

	free(mem_take(&head->method));
	free(mem_take(&head->target));
	for (i = 0; i < HTTP_FIELDS; i++)
		free(mem_take(&head->fields[i]));
}

/* Reads a number. Returns what follows it; NULL if it is none. */
static const char *
http_range_number(const char *text, uint64_t *number)
{
	size_t len = strspn(text, "0123456789");

	if (len == 0 || len > HTTP_LENGTH_DIGITS)
		return NULL;
	*number = strtoull(text, NULL, 10);
	return text + len;
}

/* RFC 9110, section 14.1.2. A server may ignore what it does not serve. */
int
http_range(const char *range, uint64_t size, uint64_t *from, uint64_t *len)
{
	static const char unit[] = "bytes=";
	uint64_t last = UINT64_MAX;
	const char *rest;

	if (range == NULL || strncasecmp(range, unit, strlen(unit)) != 0)
		return 0;
	range += strlen(unit);
	rest = http_range_number(range + (*range == '-'), from);
	if (rest == NULL)
		return 0;
	if (*range == '-') {
		*len = *from < size ? *from : size;
		*from = size - *len;
		return *rest != '\0' ? 0 : *len > 0 ? 1 : -1;
	}
	if (*rest != '-' || (rest[1] != '\0' &&
	        ((rest = http_range_number(rest + 1, &last)) == NULL ||
	            *rest != '\0' || last < *from)))
		return 0;
	if (*from >= size)
		return -1;
	*len = (last < size ? last + 1 : size) - *from;
	return 1;
}

/* Returns whether these parameters say that the element is not wanted. */
static int
http_is_unwanted(const char *p, const char *end)
{
	struct http_text one;
	const char *next;

	for (; p < end; p = next + 1) {
		next = memchr(p, ';', (size_t)(end - p));
		if (next == NULL)
			next = end;
		one = (struct http_text){ p, next };
		http_trim(&one);
		if (one.end - one.p < 3 || strncasecmp(one.p, "q=0", 3) != 0)
			continue;
		one.p += 3;
		if (one.p < one.end && *one.p == '.')
			one.p++;
		while (one.p < one.end && *one.p == '0')
			one.p++;
		if (one.p == one.end)
			return 1;
	}
	return 0;
}

int
http_list_has(const char *list, const char *element)
{
	struct http_text one;
	const char *end, *next;

	for (; list != NULL; list = next == NULL ? NULL : next + 1) {
		next = strchr(list, ',');
		end = next == NULL ? list + strlen(list) : next;
		one.p = list;
		one.end = memchr(list, ';', (size_t)(end - list));
		if (one.end == NULL)
			one.end = end;
		list = one.end;
		http_trim(&one);
		if ((size_t)(one.end - one.p) == strlen(element) &&
		    strncasecmp(one.p, element, strlen(element)) == 0 &&
		    !http_is_unwanted(list, end))
			return 1;
	}
	return 0;
}
