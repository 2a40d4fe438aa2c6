/*
 * Fuzz target of the sides of pictures (relay/picture_sides): any bytes of any
 * kind are read to their end, and have sides or none. The input is a kind and
 * the bytes.
 */
#include "common/base64.h"
#include "fuzz.h"
#include "relay/relay.h"

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	auto_buffer struct buffer base64 = { 0 };
	struct picture_sides sides;
	enum picture_kind kind;

	if (size < 2 || size > PICTURE_MAX / 4 * 3)
		return 0;
	kind = (enum picture_kind)(data[0] % PICTURE_KINDS);
	base64_add(&base64, data + 1, size - 1);
	FUZZ_ASSERT(picture_is_base64(base64.data, base64.len));
	if (picture_sides_read(kind,
	        (struct json_span){ base64.data, base64.len }, &sides) == -1)
		return 0;
	FUZZ_ASSERT(sides.width <= UINT32_MAX && sides.height <= UINT32_MAX);
	return 0;
}
