/*
 * The arguments of a call, judged by the schema of its tool, once for the code
 * of all languages: names, types, choices and nested values, all errors at
 * once. A schema comes from a server and may be any JSON: a rule that is not
 * understood allows everything, because the server judges, too. Arguments that
 * fit are passed on as the bytes that the code wrote, without those of null for
 * what is optional, and of the quotes around a numeral where an integer is
 * asked for. Runs in the broker; pure, bounded functions over bytes.
 */
#ifndef WORKER_BROKER_ARGUMENTS_H
#define WORKER_BROKER_ARGUMENTS_H

#include <stdbool.h>

#include "../../../common/base/buffer.h"
#include "../../../common/limits.h"
#include "../schema/schema.h"

/*
 * Judges arguments, an object, by an inputSchema. Returns 1 and appends what is
 * sent to settled, or 0 and appends to says what is wrong, one sentence.
 */
int arguments_settle(struct json_span schema, struct json_span object,
    struct buffer *settled, struct buffer *says);

/*
 * question.c: returns the bit of enum client_asked for a request of a server;
 * 0: none.
 */
unsigned int question_kind(struct json_span method, struct json_span params);

/*
 * Appends the parameters for the client: checked, masked, the message with the
 * name of the server. params may be of length 0. Returns 0, or -1 with err.
 */
int question_settle(unsigned int kind, struct json_span params,
    const char *server, const struct buffer *masks, struct buffer *out,
    struct err *err);

/*
 * The same of "notifications/message", whose logger is the server then, and of
 * "notifications/progress", which becomes a line in "message".
 */
int question_settle_told(unsigned int kind, struct json_span params,
    const char *server, const struct buffer *masks, struct buffer *out,
    struct err *err);

/*
 * Appends what the server gets of an answer, an object; schema: of a form, or
 * of length 0. Returns 0, or -1 with err, which shows no value.
 */
int question_check(unsigned int kind, struct json_span schema,
    struct json_span result, struct buffer *out, struct err *err);

/* alike.c: a name that is unknown, and those that come close to it. */
struct alike_name {
	char text[SUGGEST_WORD_MAX + 1];
	size_t score;
};

struct alike {
	char name[SUGGEST_WORD_MAX + 1];
	bool parameters; /* names that mean the same are near, too */
	size_t nmeant, nparts, nspelled;
	struct alike_name meant, part; /* the first: several say nothing */
	struct alike_name
	    spelled[ARGUMENTS_SIMILAR_MAX]; /* the closest first */
};

/*
 * Starts with an unknown name. parameters: whether it is one of a parameter, or
 * else a value.
 */
void alike_begin(struct alike *alike, const char *name, int parameters);

/* Compares a known name with it, for the work of a schema. */
void alike_try(struct alike *alike, struct schema *schema, const char *known);

/* Returns the nth name that comes close, or NULL. */
const char *alike_name(const struct alike *alike, size_t n);

/* conform.c: one comparison of a value with a schema. */
struct conform {
	struct schema *schema;
	size_t *values;        /* values that may still be compared */
	struct buffer *says;   /* the errors, separated by "; " */
	size_t wrong;          /* their number */
	size_t most;           /* that are told */
	struct conform_cut *cuts; /* bytes that are not sent */
	size_t ncuts;
	bool exact; /* values are taken as they are */
};

struct conform_cut {
	const char *p;
	size_t len;
};

/* The way to a value from the arguments: a member or an element of up. */
struct conform_place {
	const struct conform_place *up; /* NULL: an argument */
	struct json_span name;          /* of length 0: an element */
	size_t index;
};

/*
 * Compares a value with a schema and reports the errors. optional: it is null
 * and may be left out.
 */
void conform_value(struct conform *conform, const struct conform_place *place,
    struct json_span value, struct json_span from, int depth, int optional);

/* Whether a schema allows a value as it is. */
int conform_fits(
    struct conform *conform, struct json_span value, struct json_span from);

/* Appends bytes of a value to those that are not sent. */
void conform_cut(struct conform *conform, const char *p, size_t len);

/*
 * sentence.c: starts a part of the sentence about all errors; returns 0 if
 * there are enough of them.
 */
int sentence_begin(struct conform *conform);

/* Appends the beginning of a name without quotes, or of a value as JSON. */
void sentence_add_name(struct buffer *says, struct json_span name);
void sentence_add_json(struct buffer *says, struct json_span value);

/* Appends a value; of an array or an object only what it is. */
void sentence_add_value(struct buffer *says, struct json_span value);

/* Appends the way to a value, in quotes. */
void sentence_add_place(struct buffer *says, const struct conform_place *place);

/* names.c: a name of an object, with what the parts say of it. */
struct names_entry {
	char *text;
	size_t times; /* that it is given */
	size_t first; /* of the properties found, from 1; 0: none */
	size_t last;  /* the same */
	bool required;
};

/* The property of a name in a part. */
struct names_found {
	size_t part;
	struct json_span property;
	size_t next; /* of the same name in a later part, from 1; 0: none */
};

/* The names of an object that can be compared, sorted, each once. */
struct names_given {
	struct names_entry *list;
	size_t count;
	struct names_found *found;
	size_t nfound;
};

/*
 * Collects the names of an object, and looks at each part once for all of them.
 * names_release() frees them. The values of the object, which may be large,
 * take no work.
 */
void names_collect(struct schema *schema, struct json_span object,
    const struct schema_parts *parts, struct names_given *given);
void names_release(struct names_given *given);

/* Returns the entry of a name, or NULL: it is not given, or work is spent. */
struct names_entry *names_find(struct schema *schema,
    const struct names_given *given, const char *name);

/*
 * Finds the schema of a given name, or of one of the others, beginning at the
 * part *n; *at is 0 first. Returns 1 and sets both behind the part that has it,
 * or 0.
 */
int names_property(const struct schema *schema,
    const struct schema_parts *parts, const struct names_given *given,
    const struct names_entry *entry, size_t *n, size_t *at,
    struct json_span *property);

/*
 * Reports the unknown and the missing names of an object; closed: whether names
 * that no part has are errors. place is NULL for the arguments themselves.
 */
void names_check(struct conform *conform, const struct conform_place *place,
    struct json_span object, const struct schema_parts *parts,
    const struct names_given *given, int closed);

/*
 * Appends all names that there may be, with their types: "; the tool takes
 * path: string, head?: integer".
 */
void names_add_all(struct schema *schema, const struct schema_parts *parts,
    const char *taker, struct buffer *says);

/* Returns a name without escapes, which the caller frees, or NULL. */
char *names_decode(struct json_span name);

#endif
