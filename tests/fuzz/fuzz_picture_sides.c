/*
 * Fuzz target of the sides of pictures (common/picture_sides): any bytes of any
 * kind are read to their end, and have sides or none. The input is a kind and
 * the bytes.
 */
#include <string.h>

#include "common/picture.h"
#include "fuzz.h"

struct input {
	const uint8_t *data;
	size_t size;
};

static int
input_read(void *ctx, size_t at, uint8_t *bytes, size_t count)
{
	const struct input *input = ctx;

	if (count > input->size || at > input->size - count)
		return -1;
	memcpy(bytes, input->data + at, count);
	return 0;
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input input = { data + 1, size - 1 };
	const struct picture_source source = { input_read, &input };
	struct picture_sides sides;

	if (size < 2 || size > PICTURE_MAX / 4 * 3)
		return 0;
	if (picture_sides_read((enum picture_kind)(data[0] % PICTURE_KINDS),
	        &source, &sides) == 0)
		FUZZ_ASSERT(sides.width <= UINT32_MAX &&
		    sides.height <= UINT32_MAX);
	return 0;
}
