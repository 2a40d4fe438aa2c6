/*
 * Finds the line of a server's standard error that states the error: see
 * link.h.
 */
#include <ctype.h>
#include <stdbool.h>
#include <string.h>

#include "../../../common/limits.h"
#include "../../../common/base/log.h"
#include "../../../common/base/text_list.h"
#include "../../../common/base/utf8.h"
#include "link.h"
#include "../state/state.h"

/* The prefixes of npm's lines, before version 10 and since. */
static const char *const diagnosis_npm[] = { "npm error ", "npm ERR! " };

/* Lines of npm that are useless without the others. */
static const char *const diagnosis_npm_details[] = { "code ", "errno ",
	"syscall ", "path ", "A complete log " };

/* Words of lines that state an error, in any case. */
static const char *const diagnosis_words[] = { "error:", "error [",
	"exception:", "fatal:", "panic:", "panicked at", "[error]",
	"error response", "level=error", "level=fatal" };

/* Last lines that state nothing. */
static const char *const diagnosis_ends[] = { "Node.js v", "npm ", "note: ",
	"See '", "}" };

/* Lines of our own, each before a path; and without it, as a box has them. */
static const struct diagnosis_path {
	const char *with, *without;
} diagnosis_paths[] = {
	{ "caisson: cannot execute ", "caisson: cannot execute its command" },
	{ "caisson: cannot enter the folder ",
	    "caisson: cannot enter its folder" },
};

struct diagnosis {
	const char *error; /* the last line that states an error */
	const char *npm;   /* the first one of npm that does */
	const char *last;  /* the last one without indentation */
	const char *any;   /* the last one */
	bool traceback;     /* the exception of a traceback will follow */
};

/* Returns what follows the prefix of a line, or NULL. */
static const char *
diagnosis_after(const char *line, const char *const *prefixes, size_t count)
{
	size_t i;

	for (i = 0; i < count; i++)
		if (strncmp(line, prefixes[i], strlen(prefixes[i])) == 0)
			return line + strlen(prefixes[i]);
	return NULL;
}

#define DIAGNOSIS_AFTER(line, prefixes)                                        \
	diagnosis_after(                                                       \
	    line, prefixes, sizeof(prefixes) / sizeof((prefixes)[0]))

/*
 * Returns the end of an escape sequence that colours text (ECMA-48, CSI), or p.
 */
static const char *
diagnosis_skip_colour(const char *p, const char *end)
{
	const char *from = p;

	if (end - p < 2 || p[0] != '\033' || p[1] != '[')
		return p;
	for (p += 2; p < end; p++)
		if (!isdigit((unsigned char)*p) && *p != ';')
			return *p == 'm' ? p + 1 : from;
	return from;
}

/* Appends the lines as text, each ended by a NUL, without colours. */
static void
diagnosis_split(struct buffer *lines, const struct buffer *errors)
{
	auto_buffer struct buffer plain = { 0 };
	const char *p = errors->data, *end = p + errors->len, *next;
	char *newline;

	for (; p < end; p = next) {
		next = diagnosis_skip_colour(p, end);
		if (next == p)
			buffer_add(&plain, next++, 1);
	}
	if (plain.len > 0)
		reason_add_text(lines, plain.data, plain.len);
	buffer_add(lines, "", 1);
	for (newline = lines->data;
	     (newline = strchr(newline, '\n')) != NULL;)
		*newline++ = '\0';
}

/* Skips the bars that Python draws beside a group of exceptions. */
static const char *
diagnosis_inside(const char *line)
{
	const char *p = line + strspn(line, " ");

	return p[0] == '|' && p[1] == ' ' ? p + 2 : line;
}

static int
diagnosis_has_word(const char *line)
{
	size_t i;

	for (i = 0; i < sizeof(diagnosis_words) / sizeof(*diagnosis_words);
	     i++)
		if (strcasestr(line, diagnosis_words[i]) != NULL)
			return 1;
	/* The level of a log is a separate word in this spelling. */
	return strstr(line, "ERROR ") != NULL || strstr(line, "FATAL ") != NULL;
}

/* Whether a line only points at a place in the line above. */
static int
diagnosis_points(const char *line)
{
	size_t len = strspn(line, " \t");

	return line[len] == '^' && line[len + strspn(line + len, "^")] == '\0';
}

static void
diagnosis_look(struct diagnosis *found, const char *whole)
{
	const char *line = diagnosis_inside(whole);
	const char *npm = DIAGNOSIS_AFTER(line, diagnosis_npm);

	if (line[strspn(line, " \t")] == '\0')
		return;
	found->any = line;
	if (npm != NULL) {
		/* A sentence that contains only "404" says too little. */
		if (found->npm == NULL && strchr(npm, ' ') != NULL &&
		    !DIAGNOSIS_AFTER(npm, diagnosis_npm_details))
			found->npm = line;
	} else if (strstr(line, "Traceback (most recent call last)") != NULL) {
		found->traceback = true;
	} else if (diagnosis_points(line)) {
		/* The line above was source code, whatever its words. */
		if (!found->traceback)
			found->error = NULL;
	} else if (line[0] != ' ' && line[0] != '\t') {
		if (found->traceback || diagnosis_has_word(line))
			found->error = line;
		found->traceback = false;
		if (!DIAGNOSIS_AFTER(line, diagnosis_ends))
			found->last = line;
	}
}

static const char *
diagnosis_best(const struct diagnosis *found)
{
	if (found->error != NULL)
		return found->error;
	if (found->npm != NULL)
		return found->npm;
	return found->last != NULL ? found->last : found->any;
}

/* Appends a line. If it is one of ours, whole is needed for its path. */
static void
diagnosis_add_line(struct buffer *text, const char *line, int whole)
{
	const struct diagnosis_path *path;
	const char *why = strrchr(line, ':');
	size_t i, n = sizeof(diagnosis_paths) / sizeof(*diagnosis_paths);

	for (i = 0; i < n && !whole; i++) {
		path = &diagnosis_paths[i];
		if (strncmp(line, path->with, strlen(path->with)) == 0) {
			buffer_add_text(text, path->without);
			line = why < line + strlen(path->with) ? "" : why;
		}
	}
	buffer_add_text(text, line);
}

/* Appends a line, and the next one if it ends with a colon. */
static void
diagnosis_tell(
    struct buffer *reason, const char *line, const char *end, int whole)
{
	auto_buffer struct buffer text = { 0 };
	const char *next = line + strlen(line) + 1;
	size_t len;

	diagnosis_add_line(&text, line, whole);
	while (text.len > 0 && strchr(" \t", text.data[text.len - 1]))
		text.len--;
	while (next < end && *next == '\0')
		next++;
	if (text.data[text.len - 1] == ':' && next < end &&
	    strncmp(next + strspn(next, " \t"), "at ", 3) != 0) {
		buffer_add_text(&text, " ");
		buffer_add_text(&text, next + strspn(next, " \t"));
	}
	len = utf8_cut(text.data, text.len, REFUSED_FOREIGN_MAX);
	buffer_add_text(reason, "; its standard error says: ");
	buffer_add(reason, text.data, len);
}

void
diagnosis_add(
    struct buffer *reason, const struct buffer *errors, int cut, int whole)
{
	auto_buffer struct buffer lines = { 0 };
	struct diagnosis found = { 0 };
	const char *line = NULL, *best;

	diagnosis_split(&lines, errors);
	/* An incomplete first line is used only if there is no other. */
	if (cut && text_list_count(lines.data, lines.len) > 1)
		line = lines.data;
	while ((line = text_list_next(lines.data, lines.len, line)) != NULL)
		diagnosis_look(&found, line);
	best = diagnosis_best(&found);
	if (best != NULL)
		diagnosis_tell(reason, best, lines.data + lines.len, whole);
}

void
diagnosis_log(const char *server, const struct buffer *errors)
{
	auto_buffer struct buffer lines = { 0 };
	const char *line;

	diagnosis_split(&lines, errors);
	TEXT_LIST_EACH (line, lines.data, lines.len)
		if (line[strspn(line, " \t")] != '\0')
			log_debug("server \"%s\" wrote: %s", server, line);
}
