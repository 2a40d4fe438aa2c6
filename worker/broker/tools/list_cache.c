/* The remembered lists of tools: see tools.h. */
#include <search.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "../../../common/limits.h"
#include "../../../common/base/log.h"
#include "../../../common/base/mem.h"
#include "tools.h"

struct cache_entry {
	TAILQ_ENTRY(cache_entry) entry; /* the last used one is the first */
	uint8_t fingerprint[FINGERPRINT_SIZE];
	char *text; /* the list, followed by the info */
	size_t len;
	size_t info_len;
	bool doubted;
	void *index; /* of the reader of the list */
	uint64_t version;
};

struct list_cache {
	TAILQ_HEAD(cache_entries, cache_entry) entries;
	void *by_fingerprint; /* the same, as a tree */
	size_t bytes;
	size_t most;
	uint64_t last; /* version */
};

struct list_cache *
list_cache_new(size_t most)
{
	struct list_cache *cache = mem_alloc(sizeof(*cache));

	TAILQ_INIT(&cache->entries);
	cache->most = most;
	return cache;
}

static int
list_cache_compare(const void *a, const void *b)
{
	const struct cache_entry *x = a, *y = b;

	return memcmp(x->fingerprint, y->fingerprint, FINGERPRINT_SIZE);
}

static size_t
list_cache_size(const struct cache_entry *entry)
{
	return sizeof(*entry) + entry->len + entry->info_len;
}

static void
list_cache_remove(struct list_cache *cache, struct cache_entry *entry)
{
	cache->bytes -= list_cache_size(entry);
	tdelete(entry, &cache->by_fingerprint, list_cache_compare);
	TAILQ_REMOVE(&cache->entries, entry, entry);
	free(entry->index);
	free(entry->text);
	free(entry);
}

void
list_cache_free(struct list_cache **cachep)
{
	struct list_cache *cache = mem_take(cachep);

	if (cache == NULL)
		return;
	while (!TAILQ_EMPTY(&cache->entries))
		list_cache_remove(cache, TAILQ_FIRST(&cache->entries));
	free(cache);
}

/* Returns the entry, which becomes the last used one, or NULL. */
static struct cache_entry *
list_cache_use(struct list_cache *cache, const uint8_t *fingerprint)
{
	struct cache_entry wanted, *entry;
	void *found;

	memcpy(wanted.fingerprint, fingerprint, FINGERPRINT_SIZE);
	found = tfind(&wanted, &cache->by_fingerprint, list_cache_compare);
	if (found == NULL)
		return NULL;
	entry = *(struct cache_entry **)found;
	TAILQ_REMOVE(&cache->entries, entry, entry);
	TAILQ_INSERT_HEAD(&cache->entries, entry, entry);
	return entry;
}

int
list_cache_find(struct list_cache *cache, const uint8_t *fingerprint,
    struct cached_list *list)
{
	struct cache_entry *entry = list_cache_use(cache, fingerprint);

	return entry != NULL && !entry->doubted &&
	    list_cache_find_any(cache, fingerprint, list);
}

int
list_cache_find_any(struct list_cache *cache, const uint8_t *fingerprint,
    struct cached_list *list)
{
	struct cache_entry *entry = list_cache_use(cache, fingerprint);

	if (entry == NULL)
		return 0;
	*list = (struct cached_list){ entry->text, entry->len,
		entry->text + entry->len, entry->info_len, &entry->index,
		entry->version };
	return 1;
}

static int
list_cache_is_info(
    const struct cache_entry *entry, const char *info, size_t info_len)
{
	return entry->info_len == info_len &&
	    (info_len == 0 ||
	        memcmp(entry->text + entry->len, info, info_len) == 0);
}

static struct cache_entry *
list_cache_add(struct list_cache *cache, const uint8_t *fingerprint,
    const struct cached_list *list)
{
	struct cache_entry *entry = mem_alloc(sizeof(*entry));

	memcpy(entry->fingerprint, fingerprint, FINGERPRINT_SIZE);
	entry->len = list->len;
	entry->info_len = list->info_len;
	entry->version = ++cache->last;
	entry->text = mem_alloc(list->len + list->info_len);
	memcpy(entry->text, list->data, list->len);
	if (list->info_len > 0)
		memcpy(entry->text + list->len, list->info, list->info_len);
	if (tsearch(entry, &cache->by_fingerprint, list_cache_compare) == NULL)
		fatal("out of memory");
	TAILQ_INSERT_HEAD(&cache->entries, entry, entry);
	cache->bytes += list_cache_size(entry);
	return entry;
}

int
list_cache_put(struct list_cache *cache, const uint8_t *fingerprint,
    const struct cached_list *list)
{
	struct cache_entry *entry = list_cache_use(cache, fingerprint);
	int doubted;

	if (entry != NULL && entry->len == list->len &&
	    memcmp(entry->text, list->data, list->len) == 0 &&
	    list_cache_is_info(entry, list->info, list->info_len)) {
		doubted = entry->doubted;
		entry->doubted = false;
		return doubted;
	}
	if (entry != NULL)
		list_cache_remove(cache, entry);
	entry = list_cache_add(cache, fingerprint, list);
	while (cache->bytes > cache->most &&
	    TAILQ_LAST(&cache->entries, cache_entries) != entry)
		list_cache_remove(
		    cache, TAILQ_LAST(&cache->entries, cache_entries));
	return 1;
}

void
list_cache_put_old(struct list_cache *cache, const uint8_t *fingerprint,
    const struct cached_list *list)
{
	if (list_cache_use(cache, fingerprint) == NULL)
		list_cache_put(cache, fingerprint, list);
}

int
list_cache_doubt(struct list_cache *cache, const uint8_t *fingerprint)
{
	struct cache_entry *entry = list_cache_use(cache, fingerprint);

	if (entry == NULL || entry->doubted)
		return 0;
	entry->doubted = true;
	return 1;
}

int
list_cache_check(struct list_cache *cache, const uint8_t *fingerprint,
    const char *info, size_t info_len)
{
	struct cache_entry *entry = list_cache_use(cache, fingerprint);

	if (entry == NULL || list_cache_is_info(entry, info, info_len))
		return 0;
	return list_cache_doubt(cache, fingerprint);
}
