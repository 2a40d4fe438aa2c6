/*
 * Fuzz target of the reader's decoder of configuration files: whatever the
 * bytes are, and whosever file it is, every row is one that the catalogue lets
 * through, stands at a place of the file, and there are not too many.
 */
#include <string.h>

#include "common/ipc/ipc.h"
#include "common/limits.h"
#include "common/base/mem.h"
#include "fuzz.h"
#include "worker/reader/config.h"

/* No larger file shows more, and every shape takes its time. */
#define FUZZ_SIZE_MAX 65536

struct seen {
	size_t len; /* of the file */
	size_t rows;
};

/* The message can be sent, and comes out on the other side. */
static void
check_message(enum ipc_type type, void *msg)
{
	static struct ipc_packet packet;
	union ipc_any decoded;
	enum ipc_type found;

	FUZZ_ASSERT(ipc_encode(type, msg, &packet, NULL) == 0);
	FUZZ_ASSERT(ipc_decode(&packet, &found, &decoded, NULL) == 0);
	FUZZ_ASSERT(found == type);
}

static void
check_place(struct seen *seen, uint64_t line, uint64_t column)
{
	FUZZ_ASSERT(line >= 1 && column >= 1);
	FUZZ_ASSERT(line + column <= seen->len + 2);
	seen->rows++;
}

/* Texts with a NUL behind each; returns how many. */
static size_t
check_texts(const struct ipc_bytes *bytes)
{
	size_t i, n = 0;

	for (i = 0; i < bytes->len; i++)
		n += bytes->data[i] == '\0';
	FUZZ_ASSERT(bytes->len == 0 || bytes->data[bytes->len - 1] == '\0');
	return n;
}

static void
check_server(void *ctx, const struct ipc_entry *row)
{
	check_place(ctx, row->line, row->column);
	FUZZ_ASSERT(row->command[0] != '\0');
	check_texts(&row->args);
	check_texts(&row->allow);
	check_texts(&row->deny);
	FUZZ_ASSERT(check_texts(&row->env) % 2 == 0);
}

static void
check(void *ctx, enum ipc_type type, void *msg)
{
	const struct ipc_rejected *rejected = msg;

	if (type == IPC_ENTRY)
		check_server(ctx, msg);
	else
		check_place(ctx, rejected->line, rejected->column);
	check_message(type, msg);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct seen seen = { .len = size };
	struct config_sink sink = { check, &seen, 0 };
	struct config_file file = { .folder = "/work" };

	if (size > FUZZ_SIZE_MAX)
		return 0;
	for (file.shape = 0; file.shape < CONFIG_SHAPES; file.shape++) {
		auto_free char *text = mem_resize(NULL, size);

		if (size > 0)
			memcpy(text, data, size);
		seen.rows = 0;
		config_read(text, size, &file, &sink);
		FUZZ_ASSERT(seen.rows <= IPC_QUEUE_PACKETS_MAX / 2);
	}
	return 0;
}
