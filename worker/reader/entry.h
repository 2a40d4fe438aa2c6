/*
 * One server of a configuration file: its members checked one by one, in the
 * ways of the clients that write such files. Nothing is expanded here. Pure;
 * runs in the reader.
 */
#ifndef READER_ENTRY_H
#define READER_ENTRY_H

#include "../../common/buffer.h"
#include "../../common/config_shape.h"
#include "../../common/err.h"
#include "../../common/json_span.h"

/* All zeroes is an empty one. Texts are UTF-8, without NUL, as written. */
struct entry {
	char *name;
	char *command;      /* NULL: none */
	struct buffer args; /* each with a NUL behind it */
	struct buffer env;  /* name, NUL, value, NUL, … */
	char *url;          /* NULL: none */
	struct buffer headers; /* as env */
	char *cwd;          /* NULL: none */
	char *description;  /* NULL: none */
	int narrowed;        /* only tools that allow names may be used */
	struct buffer allow; /* each with a NUL behind it */
	struct buffer deny;
	enum config_remote remote;
	int disabled;
	int shared; /* one process of it serves all owners */
	int foreign;    /* only the program whose file it is can start it */
	const char *at; /* the byte that is wrong, when it is */
	enum config_shape shape; /* of its file */
};

/*
 * Reads the entry that stands at name; shape is set. Members that no server
 * needs are not looked at. Returns 0, or -1 with err and entry->at; name is
 * set when it could be read. entry_reset in both cases.
 */
int entry_read(struct entry *entry, struct json_span name,
    struct json_span value, struct err *err);

void entry_reset(struct entry *entry);

#endif
