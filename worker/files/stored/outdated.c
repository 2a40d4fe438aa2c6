/* Versions that give way: see share.h. Runs in files. */
#include <string.h>

#include "../../../common/base/mem.h"
#include "index.h"
#include "share.h"

/* Whether a head is followed by a newer one of its file. */
static int
outdated_is(const struct head *head, const struct head *next)
{
	return strcmp(head->owner, next->owner) == 0 &&
	    strcmp(head->name, next->name) == 0;
}

struct share
outdated_share(const struct files *files, const char *owner, int all)
{
	auto_free struct head *heads = NULL;
	struct share share = { 0 };
	size_t i, count;

	heads = index_list(files, owner, all, 1, &count);
	for (i = 0; i + 1 < count; i++)
		if (outdated_is(&heads[i], &heads[i + 1])) {
			share.count++;
			share.bytes += heads[i].size;
		}
	return share;
}

int
outdated_remove(struct files *files, const char *owner)
{
	auto_free struct head *heads = NULL;
	const struct head *oldest = NULL;
	uint64_t removed = 0;
	size_t i, count;

	heads = index_list(files, owner, 1, 1, &count);
	for (i = 0; i + 1 < count; i++)
		if (outdated_is(&heads[i], &heads[i + 1]) &&
		    (oldest == NULL || heads[i].since < oldest->since))
			oldest = &heads[i];
	if (oldest != NULL)
		index_remove(files, oldest->owner, 0, oldest->name,
		    oldest->version, &removed);
	return removed > 0;
}
