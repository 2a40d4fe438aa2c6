/* The type of a picture by its sides: see type.h. Runs in files. */
#include <string.h>
#include <unistd.h>

#include "../../../common/base/mem.h"
#include "../../../common/picture.h"
#include "type.h"

/* A picture in a file, of which a window was read. */
struct window {
	int file;
	uint64_t size;
	size_t at, len;
	uint8_t bytes[PIPE_CHUNK];
};

/* The copy of a struct picture_source. */
static int
window_copy(void *ctx, size_t at, uint8_t *bytes, size_t count)
{
	struct window *window = ctx;
	ssize_t n;

	if (count > window->size || at > window->size - count)
		return -1;
	if (at < window->at || at + count > window->at + window->len) {
		n = pread(window->file, window->bytes, PIPE_CHUNK,
		    (off_t)(FILE_HEAD_SIZE + at));
		window->at = at;
		window->len = n > 0 ? (size_t)n : 0;
	}
	if (count > window->len)
		return -1;
	memcpy(bytes, window->bytes + (at - window->at), count);
	return 0;
}

const char *
picture_type(const char *type, int file, uint64_t size)
{
	auto_free struct window *window = NULL;
	struct picture_source source = { window_copy, NULL };
	struct picture_sides sides;
	enum picture_kind kind = 0;

	while (strcmp(type, picture_mime(kind)) != 0)
		if (++kind == PICTURE_KINDS)
			return type;
	source.ctx = window = mem_alloc(sizeof(*window));
	window->file = file;
	window->size = size;
	return size <= FILE_READ_MAX &&
	        picture_sides_read(kind, &source, &sides) == 0 &&
	        picture_sides_fit(&sides) ? type : TYPE_BYTES;
}
