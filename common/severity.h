/*
 * The levels of log messages of MCP. Used by the supervisor, whose clients set
 * one, and the broker.
 */
#ifndef COMMON_SEVERITY_H
#define COMMON_SEVERITY_H

#include "json/json_span.h"

#define SEVERITY_MAX 8

/* Returns the level that MCP calls so, from 1, the least severe; 0: none. */
unsigned int severity_read(struct json_span word);

/* Returns the word of a level from 1 to SEVERITY_MAX; static. */
const char *severity_word(unsigned int level);

#endif
