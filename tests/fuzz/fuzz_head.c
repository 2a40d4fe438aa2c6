/*
 * Fuzz target of the heads of files that are kept (worker/files/stored/head):
 * bytes of a disk are a head, which is encoded to the same bytes, or none.
 * Shorter inputs are as if zeroes followed.
 */
#include <string.h>

#include "common/base/file_name.h"
#include "fuzz.h"
#include "worker/files/stored/head.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t bytes[FILE_HEAD_SIZE] = { 0 };
	uint8_t again[FILE_HEAD_SIZE];
	struct head head;

	if (size > 0)
		memcpy(bytes, data,
		    size < sizeof(bytes) ? size : sizeof(bytes));
	if (head_decode(bytes, &head) == -1)
		return 0;
	FUZZ_ASSERT(head.version >= 1 && head.size <= INT64_MAX);
	FUZZ_ASSERT(strlen(head.owner) <= OWNER_NAME_MAX);
	FUZZ_ASSERT(file_name_valid(head.name, strlen(head.name)));
	FUZZ_ASSERT(head.type[0] != '\0' && strlen(head.type) <= FILE_TYPE_MAX);
	head_encode(&head, again);
	FUZZ_ASSERT(memcmp(again, bytes, sizeof(bytes)) == 0);
	return 0;
}
