/*
 * Fuzz target of the media types of files (worker/files/stored/type): of any
 * name and any first bytes there is one, which can be told in a message. The
 * input is a name, a NUL and the bytes.
 */
#include <string.h>

#include "common/limits.h"
#include "common/base/mem.h"
#include "fuzz.h"
#include "worker/files/stored/type.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_free char *name = mem_dup(data, size);
	size_t used = strlen(name) < size ? strlen(name) + 1 : size;
	size_t len = size - used < TYPE_LOOKED ? size - used : TYPE_LOOKED;
	const char *type = type_of(name, data + used, len, len == size - used);

	FUZZ_ASSERT(strchr(type, '/') != NULL);
	FUZZ_ASSERT(strlen(type) <= FILE_TYPE_MAX);
	return 0;
}
