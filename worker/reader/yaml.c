/*
 * Converts YAML to JSON: see yaml.h. Runs in the reader, on hostile bytes; the
 * events of libyaml are written at once and never stored.
 */
#include <stdbool.h>
#include <string.h>
#include <yaml.h>

#include "../../common/json/json.h"
#include "../../common/limits.h"
#include "../../common/base/utf8.h"
#include "yaml.h"

/* An open mapping or sequence. */
struct level {
	int mapping;
	size_t count; /* number of its names and values */
};

struct reading {
	yaml_parser_t parser;
	struct translation *out;
	struct level levels[CONFIG_DEPTH_MAX];
	size_t depth;
	size_t nodes;
	size_t documents;
	bool ended;
	struct err *err;
};

static struct place
yaml_place(const yaml_mark_t *mark)
{
	return (struct place){ mark->line + 1, mark->column + 1 };
}

/* Writes the separator before a value; a name must be a scalar. */
static int
yaml_begin_node(struct reading *r, const yaml_event_t *event)
{
	struct level *level = r->depth == 0 ? NULL : &r->levels[r->depth - 1];
	struct buffer *json = &r->out->json;

	if (++r->nodes > CONFIG_NODES_MAX)
		return err_set(r->err, "too many values: at most %d are "
		    "allowed in a file", CONFIG_NODES_MAX);
	if (level != NULL && level->mapping && level->count % 2 == 0 &&
	    event->type != YAML_SCALAR_EVENT)
		return err_set(r->err, "a name must be a text");
	if (level != NULL && level->mapping && level->count % 2 == 1)
		buffer_add_text(json, ":");
	else if (level != NULL && level->count > 0)
		buffer_add_text(json, ",");
	if (level != NULL)
		level->count++;
	translation_mark(r->out, yaml_place(&event->start_mark));
	return 0;
}

static int
yaml_open(struct reading *r, const yaml_event_t *event, int mapping)
{
	if (yaml_begin_node(r, event) == -1)
		return -1;
	if (r->depth == CONFIG_DEPTH_MAX)
		return err_set(r->err, "nested too deep: at most %d levels "
		    "are allowed", CONFIG_DEPTH_MAX);
	r->levels[r->depth++] = (struct level){ mapping, 0 };
	buffer_add_text(&r->out->json, mapping ? "{" : "[");
	return 0;
}

static int
yaml_close(struct reading *r, int mapping)
{
	r->depth--;
	buffer_add_text(&r->out->json, mapping ? "}" : "]");
	return 0;
}

/* The values of plain words: the core schema of YAML 1.2. */
static const struct {
	const char *word;
	const char *json;
} yaml_words[] = {
	{ "true", "true" },
	{ "True", "true" },
	{ "TRUE", "true" },
	{ "false", "false" },
	{ "False", "false" },
	{ "FALSE", "false" },
	{ "null", "null" },
	{ "Null", "null" },
	{ "NULL", "null" },
	{ "~", "null" },
	{ "", "null" },
};

/* Whether a plain word is probably a number: numbers are not needed exactly. */
static int
yaml_is_number(const char *word, size_t len)
{
	size_t sign = *word == '-' || *word == '+';

	return len > sign && strspn(word + sign, "0123456789.eE+-_") ==
	    len - sign && strpbrk(word, "0123456789") != NULL &&
	    strchr("0123456789.", word[sign]) != NULL;
}

/* Returns the JSON for a plain word, NULL if it is a string. */
static const char *
yaml_word(const char *word, size_t len)
{
	size_t i;

	for (i = 0; i < sizeof(yaml_words) / sizeof(yaml_words[0]); i++)
		if (strlen(yaml_words[i].word) == len &&
		    memcmp(yaml_words[i].word, word, len) == 0)
			return yaml_words[i].json;
	return yaml_is_number(word, len) ? "0" : NULL;
}

static int
yaml_scalar(struct reading *r, const yaml_event_t *event)
{
	const char *text = (const char *)event->data.scalar.value;
	size_t len = event->data.scalar.length;
	const struct level *level;
	const char *word = NULL;

	if (!utf8_valid(text, len))
		return err_set(r->err, "bytes that are not UTF-8");
	if (yaml_begin_node(r, event) == -1)
		return -1;
	level = r->depth == 0 ? NULL : &r->levels[r->depth - 1];
	/* A name is always a text. */
	if (event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
	    !(level != NULL && level->mapping && level->count % 2 == 1))
		word = yaml_word(text, len);
	if (word != NULL)
		buffer_add_text(&r->out->json, word);
	else
		json_add_string(&r->out->json, text, len);
	return 0;
}

/* Anchors and tags are not supported in a list of servers. */
static int
yaml_check(struct reading *r, const void *anchor, const void *tag)
{
	if (anchor != NULL)
		return err_set(r->err, "anchors (&name) are not read: write "
		    "out what they stand for");
	if (tag != NULL)
		return err_set(r->err, "tags (!name) are not read: write the "
		    "value without one");
	return 0;
}

static int
yaml_start_document(struct reading *r)
{
	if (++r->documents > 1)
		return err_set(r->err, "a second document: only one can be "
		    "read");
	return 0;
}

static int
yaml_take(struct reading *r, const yaml_event_t *event)
{
	switch (event->type) {
	case YAML_DOCUMENT_START_EVENT:
		return yaml_start_document(r);
	case YAML_STREAM_END_EVENT:
		r->ended = true;
		return 0;
	case YAML_ALIAS_EVENT:
		return err_set(r->err, "aliases (*name) are not read: write "
		    "out what they stand for");
	case YAML_SCALAR_EVENT:
		return yaml_check(r, event->data.scalar.anchor,
		    event->data.scalar.tag) == -1 ? -1 :
		    yaml_scalar(r, event);
	case YAML_MAPPING_START_EVENT:
		return yaml_check(r, event->data.mapping_start.anchor,
		    event->data.mapping_start.tag) == -1 ? -1 :
		    yaml_open(r, event, 1);
	case YAML_SEQUENCE_START_EVENT:
		return yaml_check(r, event->data.sequence_start.anchor,
		    event->data.sequence_start.tag) == -1 ? -1 :
		    yaml_open(r, event, 0);
	case YAML_MAPPING_END_EVENT:
		return yaml_close(r, 1);
	case YAML_SEQUENCE_END_EVENT:
		return yaml_close(r, 0);
	default:
		return 0;
	}
}

/* The fault that libyaml reports, and its position. Always returns -1. */
static int
yaml_failed(struct reading *r, const char *text, size_t len,
    struct place *place)
{
	const yaml_parser_t *parser = &r->parser;
	struct place_walk walk = place_walk(text, len);

	if (parser->error == YAML_READER_ERROR) {
		*place = place_find(&walk, parser->problem_offset);
		return err_set(r->err, "bytes that are not UTF-8, or a "
		    "control character");
	}
	*place = yaml_place(&parser->problem_mark);
	return err_set(r->err, "%s", parser->problem != NULL ?
	        parser->problem : "this is not valid YAML");
}

static int
yaml_read(struct reading *r, const char *text, size_t len, struct place *place)
{
	yaml_event_t event;
	int taken = 0;

	while (taken == 0 && !r->ended) {
		if (yaml_parser_parse(&r->parser, &event) == 0)
			return yaml_failed(r, text, len, place);
		taken = yaml_take(r, &event);
		if (taken == -1)
			*place = yaml_place(&event.start_mark);
		yaml_event_delete(&event);
	}
	return taken;
}

int
yaml_translate(const char *text, size_t len, struct translation *translation,
    struct place *place, struct err *err)
{
	struct reading r = { .out = translation, .err = err };
	int read;

	*place = (struct place){ 1, 1 };
	if (yaml_parser_initialize(&r.parser) == 0)
		return err_set(err, "not enough memory to read it");
	yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(
	    &r.parser, (const unsigned char *)text, len);
	read = yaml_read(&r, text, len, place);
	yaml_parser_delete(&r.parser);
	/* A file that contains only comments. */
	if (read == 0 && translation->json.len == 0)
		buffer_add_text(&translation->json, "null");
	return read;
}
