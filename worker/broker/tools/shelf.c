/*
 * The remembered lists of tools: see shelf.h. Runs in the broker.
 */
#include <search.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "../../../common/limits.h"
#include "../../../common/base/log.h"
#include "../../../common/base/mem.h"
#include "shelf.h"

struct shelf_entry {
	TAILQ_ENTRY(shelf_entry) entry; /* the last used one is the first */
	uint8_t fingerprint[FINGERPRINT_SIZE];
	char *text; /* the list, followed by the info */
	size_t len;
	size_t info_len;
	bool doubted;
	void *index; /* of the reader of the list */
	uint64_t version;
};

struct shelf {
	TAILQ_HEAD(shelf_entries, shelf_entry) entries;
	void *by_fingerprint; /* the same, as a tree */
	size_t bytes;
	size_t most;
	uint64_t last; /* version */
};

struct shelf *
shelf_new(size_t most)
{
	struct shelf *shelf = mem_alloc(sizeof(*shelf));

	TAILQ_INIT(&shelf->entries);
	shelf->most = most;
	return shelf;
}

static int
shelf_compare(const void *a, const void *b)
{
	const struct shelf_entry *x = a, *y = b;

	return memcmp(x->fingerprint, y->fingerprint, FINGERPRINT_SIZE);
}

static size_t
shelf_size(const struct shelf_entry *entry)
{
	return sizeof(*entry) + entry->len + entry->info_len;
}

static void
shelf_remove(struct shelf *shelf, struct shelf_entry *entry)
{
	shelf->bytes -= shelf_size(entry);
	tdelete(entry, &shelf->by_fingerprint, shelf_compare);
	TAILQ_REMOVE(&shelf->entries, entry, entry);
	free(entry->index);
	free(entry->text);
	free(entry);
}

void
shelf_free(struct shelf **shelfp)
{
	struct shelf *shelf = mem_take(shelfp);

	if (shelf == NULL)
		return;
	while (!TAILQ_EMPTY(&shelf->entries))
		shelf_remove(shelf, TAILQ_FIRST(&shelf->entries));
	free(shelf);
}

/* Returns the entry, which becomes the last used one, or NULL. */
static struct shelf_entry *
shelf_use(struct shelf *shelf, const uint8_t *fingerprint)
{
	struct shelf_entry wanted, *entry;
	void *found;

	memcpy(wanted.fingerprint, fingerprint, FINGERPRINT_SIZE);
	found = tfind(&wanted, &shelf->by_fingerprint, shelf_compare);
	if (found == NULL)
		return NULL;
	entry = *(struct shelf_entry **)found;
	TAILQ_REMOVE(&shelf->entries, entry, entry);
	TAILQ_INSERT_HEAD(&shelf->entries, entry, entry);
	return entry;
}

int
shelf_find(struct shelf *shelf, const uint8_t *fingerprint,
    struct shelf_list *list)
{
	struct shelf_entry *entry = shelf_use(shelf, fingerprint);

	return entry != NULL && !entry->doubted &&
	    shelf_find_any(shelf, fingerprint, list);
}

int
shelf_find_any(struct shelf *shelf, const uint8_t *fingerprint,
    struct shelf_list *list)
{
	struct shelf_entry *entry = shelf_use(shelf, fingerprint);

	if (entry == NULL)
		return 0;
	*list = (struct shelf_list){ entry->text, entry->len,
		entry->text + entry->len, entry->info_len, &entry->index,
		entry->version };
	return 1;
}

static int
shelf_is_info(
    const struct shelf_entry *entry, const char *info, size_t info_len)
{
	return entry->info_len == info_len &&
	    (info_len == 0 ||
	        memcmp(entry->text + entry->len, info, info_len) == 0);
}

static struct shelf_entry *
shelf_add(struct shelf *shelf, const uint8_t *fingerprint,
    const struct shelf_list *list)
{
	struct shelf_entry *entry = mem_alloc(sizeof(*entry));

	memcpy(entry->fingerprint, fingerprint, FINGERPRINT_SIZE);
	entry->len = list->len;
	entry->info_len = list->info_len;
	entry->version = ++shelf->last;
	entry->text = mem_alloc(list->len + list->info_len);
	memcpy(entry->text, list->data, list->len);
	if (list->info_len > 0)
		memcpy(entry->text + list->len, list->info, list->info_len);
	if (tsearch(entry, &shelf->by_fingerprint, shelf_compare) == NULL)
		fatal("out of memory");
	TAILQ_INSERT_HEAD(&shelf->entries, entry, entry);
	shelf->bytes += shelf_size(entry);
	return entry;
}

int
shelf_put(struct shelf *shelf, const uint8_t *fingerprint,
    const struct shelf_list *list)
{
	struct shelf_entry *entry = shelf_use(shelf, fingerprint);
	int doubted;

	if (entry != NULL && entry->len == list->len &&
	    memcmp(entry->text, list->data, list->len) == 0 &&
	    shelf_is_info(entry, list->info, list->info_len)) {
		doubted = entry->doubted;
		entry->doubted = false;
		return doubted;
	}
	if (entry != NULL)
		shelf_remove(shelf, entry);
	entry = shelf_add(shelf, fingerprint, list);
	while (shelf->bytes > shelf->most &&
	    TAILQ_LAST(&shelf->entries, shelf_entries) != entry)
		shelf_remove(
		    shelf, TAILQ_LAST(&shelf->entries, shelf_entries));
	return 1;
}

void
shelf_put_old(struct shelf *shelf, const uint8_t *fingerprint,
    const struct shelf_list *list)
{
	if (shelf_use(shelf, fingerprint) == NULL)
		shelf_put(shelf, fingerprint, list);
}

int
shelf_doubt(struct shelf *shelf, const uint8_t *fingerprint)
{
	struct shelf_entry *entry = shelf_use(shelf, fingerprint);

	if (entry == NULL || entry->doubted)
		return 0;
	entry->doubted = true;
	return 1;
}

int
shelf_check(struct shelf *shelf, const uint8_t *fingerprint, const char *info,
    size_t info_len)
{
	struct shelf_entry *entry = shelf_use(shelf, fingerprint);

	if (entry == NULL || shelf_is_info(entry, info, info_len))
		return 0;
	return shelf_doubt(shelf, fingerprint);
}
