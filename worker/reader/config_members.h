/*
 * The servers of a configuration file that was converted to JSON: the members
 * that contain them, and each of their entries. Runs in the reader; the bytes
 * are untrusted.
 */
#ifndef READER_CONFIG_MEMBERS_H
#define READER_CONFIG_MEMBERS_H

#include "config_tell.h"

/* Reads the single value of a file, and reports each entry in order. */
void config_read_file(struct config *config, struct json_span file);

#endif
