/*
 * A configuration file while it is read, and what is told of it: places,
 * entries as messages, and what is refused. Runs in the reader; pure but for
 * the sink.
 */
#ifndef READER_CONFIG_TELL_H
#define READER_CONFIG_TELL_H

#include "../../common/json_span.h"
#include "config.h"
#include "entry.h"
#include "place.h"
#include "spots.h"
#include "translation.h"

#define CONFIG_KEYS 6

/* What the files of a shape have. */
struct config_row {
	int (*translate)(const char *text, size_t len,
	    struct translation *translation, struct place *place,
	    struct err *err); /* NULL: it is JSON */
	const char *keys[CONFIG_KEYS]; /* whose members are servers */
	int other; /* a client's file: it may have none of these yet */
};

struct config {
	const struct config_file *file;
	const struct config_row *row;
	const char *text; /* JSON */
	size_t len;
	struct place_walk walk; /* through the text, where that is the file */
	struct translation translation;
	struct json_span excluded; /* names that are disabled, if p is set */
	struct json_span allowed;  /* the only ones that are not, if so */
	size_t entries;
	struct spots spots; /* if they are asked for */
	const char *unfit;  /* why no entry can be put into the file, if so */
	const struct config_sink *sink;
};

/* Returns line and column of a byte of the text. */
struct place config_place(struct config *config, const char *at);

/* Tells why something is refused: at a place, of an entry or NULL. */
void config_reject_at(const struct config *config, struct place place,
    const struct entry *entry, const struct err *err);

/* The same, of what begins at this byte of the text, and is no entry. */
void config_reject(
    struct config *config, const char *at, const struct err *err);

/* What an entry has become, as a message; it points into the entry. */
struct ipc_entry config_message(const struct entry *entry, struct place place);

#endif
