/*
 * What the fuzz targets share: the entry point that libFuzzer and replay call,
 * and an assertion that also holds in builds without assert().
 */
#ifndef TESTS_FUZZ_FUZZ_H
#define TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* An invariant: breaking it is a find, reported like a crash. */
#define FUZZ_ASSERT(condition)                                                 \
	do {                                                                   \
		if (!(condition)) {                                            \
			fprintf(stderr, "%s:%d: not so: %s\n", __FILE__,       \
			    __LINE__, #condition);                             \
			abort();                                               \
		}                                                              \
	} while (0)

#endif
