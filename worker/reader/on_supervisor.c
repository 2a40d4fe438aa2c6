/*
 * The messages from and to the supervisor: the complete interface between the
 * two. Runs in the reader.
 */
#include <errno.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../common/base/buffer.h"
#include "../../common/base/fd.h"
#include "../../common/base/log.h"
#include "config.h"
#include "reader.h"

static void
on_supervisor_send_server(void *ctx, struct ipc_entry *server)
{
	struct reader *reader = ctx;
	struct err err;

	if (channel_send_entry(reader->supervisor, server, &err) == -1)
		fatal("cannot report a server: %s", err.text);
}

static void
on_supervisor_send_rejected(void *ctx, struct ipc_rejected *rejected)
{
	struct reader *reader = ctx;
	struct err err;

	if (channel_send_rejected(reader->supervisor, rejected, &err) == -1)
		fatal("cannot report a fault: %s", err.text);
}

static void
on_supervisor_send_location(void *ctx, struct ipc_location *location)
{
	struct reader *reader = ctx;
	struct err err;

	if (channel_send_location(reader->supervisor, location, &err) == -1)
		fatal("cannot report the position of a server: %s", err.text);
}

static void
on_supervisor_send_cut(void *ctx, struct ipc_cut *cut)
{
	struct reader *reader = ctx;
	struct err err;

	if (channel_send_cut(reader->supervisor, cut, &err) == -1)
		fatal("cannot report the bytes of a server: %s", err.text);
}

static void
on_supervisor_send_gap(void *ctx, struct ipc_gap *gap)
{
	struct reader *reader = ctx;
	struct err err;

	if (channel_send_gap(reader->supervisor, gap, &err) == -1)
		fatal("cannot report the position for a server: %s", err.text);
}

static void
on_supervisor_send_end(struct reader *reader, int parsed)
{
	struct ipc_end_of_file end = { .parsed = (uint64_t)parsed };
	struct err err;

	if (channel_send_end_of_file(reader->supervisor, &end, &err) == -1)
		fatal("cannot report the end of a file: %s", err.text);
}

/*
 * Reads the whole file, of at most most bytes, into allocated memory of its
 * size. Returns 0, or -1 with err.
 */
static int
on_supervisor_slurp(int fd, size_t most, struct buffer *buffer, struct err *err)
{
	struct stat st;
	ssize_t n;

	if (fstat(fd, &st) == -1)
		return err_sys(err, "the file cannot be examined");
	if (st.st_size > 0 && (uint64_t)st.st_size <= most)
		buffer_reserve(buffer, (size_t)st.st_size + PIPE_CHUNK);
	do {
		n = pread(fd, buffer_reserve(buffer, PIPE_CHUNK), PIPE_CHUNK,
		    (off_t)buffer->len);
		if (n == -1 && errno != EINTR)
			return err_sys(err, "the file cannot be read");
		if (n > 0)
			buffer->len += (size_t)n;
		if (buffer->len > most)
			return err_set(err, "the file is larger than the "
			    "limit of %zu bytes",
			    most);
	} while (n != 0);
	return 0;
}

void
reader_on_read_file(struct reader *reader, struct ipc_read_file *msg)
{
	const struct locator_sink locations = { on_supervisor_send_location,
		on_supervisor_send_cut, on_supervisor_send_gap, reader };
	struct config_sink sink = { on_supervisor_send_server,
		on_supervisor_send_rejected, reader,
		msg->locations ? &locations : NULL };
	struct config_file file = { (enum config_shape)msg->shape,
		msg->folder };
	struct ipc_rejected rejected = { .line = 1, .column = 1, .name = "" };
	auto_buffer struct buffer text = { 0 };
	auto_fd int fd = fd_take(&msg->file);
	struct err err;
	int parsed = 0;

	if (on_supervisor_slurp(fd, (size_t)msg->most, &text, &err) == 0) {
		parsed = config_read(text.data, text.len, &file, &sink);
	} else {
		rejected.reason = err.text;
		on_supervisor_send_rejected(reader, &rejected);
	}
	on_supervisor_send_end(reader, parsed);
}
