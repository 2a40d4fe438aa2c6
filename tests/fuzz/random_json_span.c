/*
 * Random documents for common/json/json_span and the same scanner without
 * blocks of bytes (json_span_same.h). Each begins as JSON with long strings;
 * then some bytes are changed. Needs no library but that of C, so that
 * json_span_neon.py can run it for another processor.
 *
 *	random_json_span COUNT [SEED]
 */
#include <inttypes.h>

#include "json_span_same.h"

#define TEXT_MAX 512
#define DEPTH_MAX 4

/* A document that is being written; what does not fit is left out. */
struct text {
	char bytes[TEXT_MAX];
	size_t len;
};

/* xorshift64: the same numbers everywhere. */
static uint64_t random_state;

static unsigned int
random_below(unsigned int n)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (unsigned int)(random_state >> 33) % n;
}

static void
add(struct text *text, const char *bytes)
{
	size_t len = strlen(bytes);

	if (text->len + len > TEXT_MAX)
		return;
	memcpy(text->bytes + text->len, bytes, len);
	text->len += len;
}

/* What strings are made of: mostly bytes that need no look. */
static const char *const pieces[] = { "a", "plain text", "~", " ", "\x7f",
	"0123456789abcdef", "\\n", "\\\"", "\\\\", "\\u0041", "\\ud83d\\ude00",
	"\\ud800", "\xc3\xa9", "\xf0\x9f\x98\x80", "[", "}", "\\u0000" };

#define PIECES (sizeof(pieces) / sizeof(pieces[0]))

static void
add_string(struct text *text)
{
	unsigned int n = random_below(3) == 0 ? random_below(40) :
	    random_below(4);

	add(text, "\"");
	while (n-- > 0)
		add(text, pieces[random_below(3) == 0 ?
		    random_below(PIECES) : random_below(2)]);
	add(text, "\"");
}

static void
add_space(struct text *text)
{
	static const char *const spaces[] = { " ", "\n", "\t", "\r\n",
		"                 " };

	if (random_below(4) == 0)
		add(text, spaces[random_below(5)]);
}

static void
add_scalar(struct text *text)
{
	static const char *const scalars[] = { "0", "-1.5e+10", "true",
		"false", "null", "18446744073709551616" };

	if (random_below(2) == 0)
		add_string(text);
	else
		add(text, scalars[random_below(6)]);
}

static void
add_value(struct text *text, unsigned int depth)
{
	int object = random_below(2) == 0;
	unsigned int n = random_below(4);

	add_space(text);
	if (depth == 0 || random_below(3) == 0) {
		add_scalar(text);
		add_space(text);
		return;
	}
	add(text, object ? "{" : "[");
	while (n-- > 0) {
		if (object) {
			add_space(text);
			add_string(text);
			add_space(text);
			add(text, ":");
		}
		add_value(text, depth - 1);
		add(text, n > 0 ? "," : "");
	}
	add(text, object ? "}" : "]");
	add_space(text);
}

/* Every second document has bytes that do not belong there. */
static void
damage(struct text *text)
{
	unsigned int n = random_below(2) * (1 + random_below(3));

	if (text->len > 0 && random_below(8) == 0)
		text->len = random_below((unsigned int)text->len);
	while (text->len > 0 && n-- > 0)
		text->bytes[random_below((unsigned int)text->len)] =
		    (char)random_below(256);
}

/* Compares one document, in memory of just its size. */
static int
try_one(void)
{
	struct text text = { .len = 0 };
	auto_free char *exact = NULL;

	add_value(&text, random_below(DEPTH_MAX));
	damage(&text);
	exact = mem_resize(NULL, text.len);
	memcpy(exact, text.bytes, text.len);
	return json_span_same(exact, text.len);
}

int
main(int argc, char **argv)
{
	unsigned long count = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	unsigned long i, accepted = 0;

	random_state = argc > 2 ? strtoull(argv[2], NULL, 10) : 1;
	for (i = 0; i < count; i++)
		accepted += (unsigned long)try_one();
	printf("%lu documents, %lu of them JSON\n", count, accepted);
	/* Otherwise little is compared. */
	return accepted > count / 10 && accepted < count ? 0 : 1;
}
