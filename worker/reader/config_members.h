/*
 * The servers of a configuration file, once it is JSON: which members hold
 * them, and each entry of those. Runs in the reader; the bytes are those of
 * others.
 */
#ifndef READER_CONFIG_MEMBERS_H
#define READER_CONFIG_MEMBERS_H

#include "config_tell.h"

/* Reads the one value of a file, and tells of each entry in its order. */
void config_read_file(struct config *config, struct json_span file);

#endif
