/* The shapes of results: see tools.h. */
#include <sys/queue.h>
#include <stdlib.h>
#include <string.h>

#include "../../../common/limits.h"
#include "../../../common/base/mem.h"
#include "tools.h"

struct shapes_entry {
	TAILQ_ENTRY(shapes_entry) entry;
	uint8_t fingerprint[FINGERPRINT_SIZE];
	char *server;       /* its name */
	struct buffer tool; /* its name, as JSON */
	struct buffer text;
	unsigned int looks; /* results examined */
};

struct shapes {
	TAILQ_HEAD(shapes_entries, shapes_entry) entries; /* the oldest first */
	size_t count;
};

struct shapes *
shapes_new(void)
{
	struct shapes *shapes = mem_alloc(sizeof(*shapes));

	TAILQ_INIT(&shapes->entries);
	return shapes;
}

static void
shapes_drop(struct shapes *shapes, struct shapes_entry *entry)
{
	TAILQ_REMOVE(&shapes->entries, entry, entry);
	shapes->count--;
	free(entry->server);
	buffer_reset(&entry->tool);
	buffer_reset(&entry->text);
	free(entry);
}

void
shapes_free(struct shapes **shapesp)
{
	struct shapes *shapes = mem_take(shapesp);

	if (shapes == NULL)
		return;
	while (!TAILQ_EMPTY(&shapes->entries))
		shapes_drop(shapes, TAILQ_FIRST(&shapes->entries));
	free(shapes);
}

static int
shapes_is_of(const struct shapes_entry *entry,
    const struct definition *definition)
{
	return memcmp(entry->fingerprint, definition->fingerprint,
	    FINGERPRINT_SIZE) == 0;
}

/* Returns the shape of a tool, or NULL. */
static struct shapes_entry *
shapes_find(const struct shapes *shapes, const struct definition *definition,
    struct json_span tool)
{
	struct shapes_entry *entry;

	TAILQ_FOREACH (entry, &shapes->entries, entry)
		if (shapes_is_of(entry, definition) &&
		    entry->tool.len == tool.len &&
		    memcmp(entry->tool.data, tool.p, tool.len) == 0)
			return entry;
	return NULL;
}

int
shapes_want(const struct shapes *shapes, const struct definition *definition,
    struct json_span tool)
{
	const struct shapes_entry *entry =
	    shapes_find(shapes, definition, tool);

	return entry == NULL || entry->looks < SHAPES_LOOKS_MAX;
}

/*
 * If there is no room, drops the oldest one: of the same server if that has its
 * maximum, so that no server displaces those of others.
 */
static void
shapes_make_room(struct shapes *shapes, const struct definition *definition)
{
	struct shapes_entry *entry, *oldest = NULL;
	size_t n = 0;

	TAILQ_FOREACH_REVERSE (entry, &shapes->entries, shapes_entries, entry)
		if (shapes_is_of(entry, definition)) {
			oldest = entry;
			n++;
		}
	if (n >= SHAPES_SERVER_MAX)
		shapes_drop(shapes, oldest);
	else if (shapes->count >= SHAPES_MAX)
		shapes_drop(shapes, TAILQ_FIRST(&shapes->entries));
}

static struct shapes_entry *
shapes_add(struct shapes *shapes, const struct definition *definition,
    struct json_span tool)
{
	struct shapes_entry *entry;

	shapes_make_room(shapes, definition);
	entry = mem_alloc(sizeof(*entry));
	memcpy(entry->fingerprint, definition->fingerprint, FINGERPRINT_SIZE);
	entry->server = mem_strdup(definition->name);
	buffer_add(&entry->tool, tool.p, tool.len);
	TAILQ_INSERT_TAIL(&shapes->entries, entry, entry);
	shapes->count++;
	return entry;
}

void
shapes_learn(struct shapes *shapes, const struct definition *definition,
    struct json_span tool, struct json_span result)
{
	auto_buffer struct buffer text = { 0 };
	struct shapes_entry *entry;

	if (tool.len > TOOL_NAME_MAX)
		return;
	shape_add(&text, result);
	if (text.len == 0)
		return;
	entry = shapes_find(shapes, definition, tool);
	if (entry == NULL)
		entry = shapes_add(shapes, definition, tool);
	entry->looks++;
	if (text.len <= entry->text.len)
		return;
	buffer_reset(&entry->text);
	buffer_add(&entry->text, text.data, text.len);
}

void
shapes_forget(struct shapes *shapes, const char *server)
{
	struct shapes_entry *entry, *next;

	for (entry = TAILQ_FIRST(&shapes->entries); entry != NULL;
	     entry = next) {
		next = TAILQ_NEXT(entry, entry);
		if (strcmp(entry->server, server) == 0)
			shapes_drop(shapes, entry);
	}
}

void
shapes_add_list(const struct shapes *shapes,
    const struct definition *definition, const char *list, size_t len,
    struct buffer *json)
{
	const struct shapes_entry *entry;
	const char *before = ",\"shapes\":{";
	size_t start;

	buffer_add(json, list, len > 0 ? len - 1 : 0); /* without its brace */
	start = json->len;
	TAILQ_FOREACH (entry, &shapes->entries, entry) {
		if (!shapes_is_of(entry, definition))
			continue;
		buffer_add_text(json, before);
		buffer_add(json, entry->tool.data, entry->tool.len);
		buffer_printf(json, ":\"%s\"", entry->text.data);
		before = ",";
	}
	if (json->len > start)
		buffer_add_text(json, "}");
	buffer_add_text(json, "}");
}
