/*
 * Fuzz target of common/base/utf8: what was repaired is valid, what was valid
 * is unchanged, repairing twice is repairing once, and a text that arrives in
 * two parts, the cut character kept back, becomes the same.
 */
#include <string.h>

#include "common/base/mem.h"
#include "common/base/utf8.h"
#include "fuzz.h"

/* Long inputs are not cut at every place: that would be slow. */
#define CUT_MAX 20

/* Repairs data in two parts, as a reader of a pipe does. */
static size_t
repair_cut(const char *data, size_t len, size_t cut, char *out)
{
	size_t tail = utf8_incomplete_tail(data, cut);
	size_t used;

	FUZZ_ASSERT(tail <= 3 && tail <= cut);
	used = utf8_repair(data, cut - tail, out);
	return used +
	    utf8_repair(data + cut - tail, len - cut + tail, out + used);
}

int
LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
	const char *data = (const char *)bytes;
	size_t room = UTF8_REPAIR_FACTOR * len;
	auto_free char *once = mem_resize(NULL, room);
	auto_free char *again = mem_resize(NULL, UTF8_REPAIR_FACTOR * room);
	size_t prefix, used, cut;

	if (len == 0) /* bytes may be NULL then */
		return 0;
	prefix = utf8_valid_prefix(data, len);
	FUZZ_ASSERT(prefix <= len);
	FUZZ_ASSERT(utf8_valid(data, len) == (prefix == len));
	FUZZ_ASSERT(utf8_valid(data, prefix));
	used = utf8_repair(data, len, once);
	FUZZ_ASSERT(used <= room);
	FUZZ_ASSERT(utf8_valid(once, used));
	FUZZ_ASSERT(memcmp(once, data, prefix) == 0);
	FUZZ_ASSERT(
	    (prefix == len) == (used == len && memcmp(once, data, len) == 0));
	FUZZ_ASSERT(utf8_repair(once, used, again) == used);
	FUZZ_ASSERT(memcmp(once, again, used) == 0);
	for (cut = 0; cut <= len && cut <= CUT_MAX; cut++) {
		FUZZ_ASSERT(repair_cut(data, len, cut, again) == used);
		FUZZ_ASSERT(memcmp(once, again, used) == 0);
	}
	return 0;
}
