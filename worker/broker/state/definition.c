/* The definition of a server: see state.h. */
#include <stdlib.h>
#include <string.h>

#include "../../../common/json/json.h"
#include "../../../common/base/mem.h"
#include "state.h"

static void
definition_replace(char **text, const char *new)
{
	free(*text);
	*text = mem_strdup(new);
}

/*
 * The list of one owner's process is not shown to another owner: each owner has
 * lists under a separate fingerprint. The names of owners are not foreign
 * bytes, so 64 bits of FNV-1a are sufficient.
 */
static void
definition_set_fingerprint(
    struct definition *definition, const uint8_t *fingerprint)
{
	const char *owner = definition->owner;
	uint64_t hash = UINT64_C(0xcbf29ce484222325);
	size_t i;

	memcpy(definition->fingerprint, fingerprint, FINGERPRINT_SIZE);
	if (*owner == '\0')
		return;
	for (; *owner != '\0'; owner++)
		hash = (hash ^ (uint8_t)*owner) * UINT64_C(0x100000001b3);
	for (i = 0; i < sizeof(hash); i++)
		definition->fingerprint[i] ^= (uint8_t)(hash >> 8 * i);
}

int
definition_set(struct definition *definition, const struct ipc_define *define)
{
	definition->number = define->definition;
	definition->remote = define->remote != 0;
	definition->shared = define->shared != 0;
	definition_replace(&definition->alias, define->alias);
	definition_replace(&definition->description, define->description);
	definition_set_fingerprint(definition, define->fingerprint.data);
	rules_set_others(&definition->resources, "resources", define);
	rules_set_others(&definition->prompts, "prompts", define);
	rules_set_others(&definition->roots, "roots", define);
	rules_set_others(&definition->sampling, "sampling", define);
	definition->concurrency = define->concurrency;
	return rules_set(&definition->rules, define);
}

void
definition_copy(struct definition *definition, const struct definition *other)
{
	definition->number = other->number;
	definition->remote = other->remote;
	definition->shared = other->shared;
	definition_replace(&definition->alias, other->alias);
	definition_replace(&definition->description, other->description);
	definition_set_fingerprint(definition, other->fingerprint);
	rules_copy(&definition->rules, &other->rules);
	rules_copy(&definition->resources, &other->resources);
	rules_copy(&definition->prompts, &other->prompts);
	rules_copy(&definition->roots, &other->roots);
	rules_copy(&definition->sampling, &other->sampling);
	definition->concurrency = other->concurrency;
}

void
definition_reset(struct definition *definition)
{
	free(definition->name);
	free(definition->owner);
	free(definition->alias);
	free(definition->description);
	rules_reset(&definition->rules);
	rules_reset(&definition->resources);
	rules_reset(&definition->prompts);
	rules_reset(&definition->roots);
	rules_reset(&definition->sampling);
}

void
definition_describe(const struct definition *definition, const char *about,
    struct buffer *json)
{
	buffer_add_text(json, "{\"name\":");
	json_add_text(json, definition->name);
	buffer_add_text(json, ",\"alias\":");
	json_add_text(json, definition->alias);
	buffer_add_text(json, ",\"description\":");
	json_add_text(json, *definition->description != '\0' ?
	        definition->description : about);
}

void
definition_begin_reason(
    const struct definition *definition, struct buffer *reason)
{
	buffer_add_text(reason, "server ");
	reason_add_name(reason, definition->name);
}
