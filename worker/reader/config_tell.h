/*
 * The state of a configuration file while it is read, and the reports about it:
 * positions, entries as messages, and faults. Runs in the reader; pure except
 * for the sink.
 */
#ifndef READER_CONFIG_TELL_H
#define READER_CONFIG_TELL_H

#include "../../common/json/json_span.h"
#include "config.h"
#include "entry.h"
#include "place.h"
#include "locator.h"

#define CONFIG_KEYS 6

/* The properties of a file format. */
struct config_row {
	int (*translate)(const char *text, size_t len,
	    struct translation *translation, struct place *place,
	    struct err *err); /* NULL for JSON */
	const char *keys[CONFIG_KEYS]; /* the object whose members are servers
				        */
	int other; /* a client's file: the list may be absent */
};

struct config {
	const struct config_file *file;
	const struct config_row *row;
	const char *text; /* JSON */
	size_t len;
	struct place_walk walk; /* position in the text, if the file is JSON */
	struct translation translation;
	struct json_span description; /* of all its servers, if p is set */
	struct json_span excluded; /* names of disabled servers, if p is set */
	struct json_span allowed;  /* names of the only enabled ones, if p is
				    * set */
	size_t entries;
	struct locations locations; /* if positions are requested */
	const char *unfit;  /* why no entry can be added, if so */
	const struct config_sink *sink;
};

/* Returns line and column of a byte of the text. */
struct place config_place(struct config *config, const char *at);

/* Reports why an entry, or the file (NULL), is rejected, with its position. */
void config_reject_at(const struct config *config, struct place place,
    const struct entry *entry, const struct err *err);

/*
 * The same for a fault that starts at this byte of the text and is not in an
 * entry.
 */
void config_reject(
    struct config *config, const char *at, const struct err *err);

/* Converts an entry to a message, which points into the entry. */
struct ipc_entry config_message(const struct entry *entry, struct place place);

#endif
