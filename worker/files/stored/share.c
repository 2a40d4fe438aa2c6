/* The room of each owner: see share.h. Runs in files. */
#include <stdlib.h>

#include "../../../common/base/mem.h"
#include "../../../common/base/text_list.h"
#include "../../../common/limits.h"
#include "index.h"
#include "share.h"

struct share
share_of(const struct files *files, const char *owner)
{
	struct share share = { 0 };
	size_t i;

	for (i = 0; i < files->stored_count; i++)
		if (owner == NULL || index_is_of_any(files->stored[i], owner)) {
			share.count++;
			share.bytes += files->stored[i]->head.size;
		}
	return share;
}

/* Returns the part of most that is left by others. */
static uint64_t
share_left(const char *owner, uint64_t most, uint64_t others)
{
	uint64_t left = others < most ? most - others : 0;

	return head_scope(owner) == 0 ? left : left / 2;
}

/* Returns the bytes that an owner may have by its own limit, or by none. */
static uint64_t
share_limit(const struct files *files, const char *owner)
{
	auto_free char *scope = mem_dup(owner, head_scope(owner));
	const char *limit =
	    text_list_value(files->limits, files->limits_len, scope);

	return limit == NULL ? files->most : strtoull(limit, NULL, 10);
}

struct share
share_most(const struct files *files, const char *owner)
{
	struct share all = share_of(files, NULL);
	struct share own = share_of(files, owner);
	uint64_t count =
	    share_left(owner, FILES_ALL_MAX, all.count - own.count);
	uint64_t bytes = share_left(owner, files->most, all.bytes - own.bytes);
	uint64_t limit = share_limit(files, owner);

	return (struct share){
		count < FILES_COUNT_MAX ? count : FILES_COUNT_MAX,
		bytes < limit ? bytes : limit
	};
}

/* Returns the bytes of an owner that are being stored; NULL: of all owners. */
static uint64_t
share_coming(const struct files *files, const char *owner)
{
	const struct coming *coming;
	uint64_t bytes = 0;

	LIST_FOREACH (coming, &files->coming, entry)
		if (owner == NULL || head_is_of_any(coming->head.owner, owner))
			bytes += coming->head.size;
	return bytes;
}

enum file_fault
share_judge(const struct files *files, const char *owner, uint64_t size,
    int coming, struct share going)
{
	struct share all = share_of(files, NULL);
	struct share own = share_of(files, owner);
	struct share most = share_most(files, owner);

	own.count -= going.count;
	own.bytes -= going.bytes;
	all.bytes -= going.bytes;
	if (coming) {
		own.bytes += share_coming(files, owner);
		all.bytes += share_coming(files, NULL);
	}
	/* No removal of files of its owner would make room. */
	if (size > most.bytes)
		return FILE_FAULT_LARGE;
	if (all.bytes + size > files->most)
		return FILE_FAULT_QUOTA;
	if (own.count >= FILES_COUNT_MAX)
		return FILE_FAULT_COUNT;
	return own.count >= most.count ||
	        (size > 0 && own.bytes + size > most.bytes) ?
	    FILE_FAULT_SHARE : FILE_FAULT_NONE;
}
