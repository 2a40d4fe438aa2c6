/*
 * Reads one server of a configuration file: its members are checked one by one,
 * in the formats of the clients that write such files. Variables are not
 * expanded here. Pure; runs in the reader.
 */
#ifndef READER_ENTRY_H
#define READER_ENTRY_H

#include <stdbool.h>

#include "../../common/base/buffer.h"
#include "../../common/config_shape.h"
#include "../../common/base/err.h"
#include "../../common/json/json_span.h"

/* All zeroes is an empty entry. Texts are UTF-8, without NUL, as written. */
struct entry {
	char *name;
	char *command;      /* NULL: none */
	struct buffer args; /* each followed by a NUL */
	struct buffer env;  /* name, NUL, value, NUL, … */
	char *url;          /* NULL: none */
	struct buffer headers; /* as env */
	char *cwd;          /* NULL: none */
	char *description;  /* NULL: none */
	bool narrowed;        /* only tools named in allow may be used */
	struct buffer allow; /* each followed by a NUL */
	struct buffer deny;
	struct buffer others; /* of resources and prompts: as in DEFINE */
	uint64_t concurrency; /* 0: any number of calls */
	enum config_remote remote;
	bool disabled;
	bool shared; /* one process serves all owners */
	bool foreign;    /* only the program that owns the file can start it */
	const char *at; /* the byte of the fault, if there is one */
	enum config_shape shape; /* of its file */
};

/*
 * Reads the entry at name; shape is set. Unknown members are ignored. Returns
 * 0, or -1 with err and entry->at; name is set if it could be read. The caller
 * calls entry_reset in both cases.
 */
int entry_read(struct entry *entry, struct json_span name,
    struct json_span value, struct err *err);

void entry_reset(struct entry *entry);

#endif
