/*
 * Fuzz target of the reader's YAML: see translation.h.
 */
#include "translation.h"
#include "worker/reader/yaml.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	enum json_span_kind kind;

	fuzz_translate(yaml_translate, data, size, &kind);
	return 0;
}
