/*
 * Fuzz target of the reader's TOML: see translation.h; a file is an object.
 */
#include "translation.h"
#include "worker/reader/toml.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum json_span_kind kind;

	if (fuzz_translate(toml_translate, data, size, &kind))
		FUZZ_ASSERT(kind == JSON_SPAN_OBJECT);
	return 0;
}
