/*
 * The result of a call as MCP specifies it. Runs in the supervisor.
 */
#ifndef SUPERVISOR_ANSWER_H
#define SUPERVISOR_ANSWER_H

#include <stdbool.h>

#include "../../../common/base/buffer.h"
#include "../../run/run.h"

/* The formats: the words of the option output_mode, in order. */
enum answer_mode {
	ANSWER_COMPACT,
	ANSWER_TOON,
	ANSWER_JSON,
};

struct answer_style {
	enum answer_mode mode;
	const char *word; /* of the mode, static */
	uint64_t max_output; /* limit on the kept bytes of a stream */
	bool structured; /* send structuredContent */
	int sessions; /* calls can name sessions */
	int linking; /* send resource links (2025-06-18) */
	/*
	 * The isolation as last sent, in full: in this session, or without
	 * one to this owner. It is sent again, and stored here, when it has
	 * changed. NULL: always send it.
	 */
	char **isolation;
};

/* Returns the style of the options, without the state of a session. */
struct answer_style answer_style(const struct options *options);

/* Appends the CallToolResult object of a concluded call, on one line. */
void answer_add(struct buffer *buffer, const struct call_result *result,
    const struct answer_style *style);

/* Appends a time in the largest unit that loses little: "12 s". */
void answer_add_age(struct buffer *text, uint64_t ms);

/* Appends the CallToolResult of a call that was refused before it ran. */
void answer_add_refusal(struct buffer *buffer, const char *status,
    const char *message, const struct answer_style *style);

#endif
