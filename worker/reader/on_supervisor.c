/*
 * The messages from and to the supervisor: the complete interface between the
 * two.
 */
#include <errno.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../common/base/buffer.h"
#include "../../common/base/fd.h"
#include "../../common/base/log.h"
#include "../../common/worker/handlers.h"
#include "config.h"

static void
on_supervisor_send(void *ctx, enum ipc_type type, void *msg)
{
	struct worker *reader = ctx;
	struct err err;

	if (channel_send(reader->supervisor, type, msg, &err) == -1)
		fatal("cannot report a part of a file: %s", err.text);
}

/*
 * Reads the whole file, of at most most bytes, into allocated memory of its
 * size. Returns 0, or -1 with err.
 */
static int
on_supervisor_slurp(int fd, size_t most, struct buffer *buffer, struct err *err)
{
	struct stat st;

	if (fstat(fd, &st) == -1)
		return err_sys(err, "the file cannot be examined");
	if (st.st_size > 0 && (uint64_t)st.st_size <= most)
		buffer_reserve(buffer, (size_t)st.st_size + PIPE_CHUNK);
	if (fd_read_all(fd, 0, most, buffer) == 0)
		return 0;
	return errno != EFBIG ? err_sys(err, "the file cannot be read") :
	    err_set(err, "the file is larger than the limit of %zu bytes",
	        most);
}

void
reader_on_read_file(struct worker *reader, struct ipc_read_file *msg)
{
	struct config_sink sink = { on_supervisor_send, reader,
		(int)msg->locations };
	struct config_file file = { (enum config_shape)msg->shape,
		msg->folder };
	struct ipc_end_of_file end = { 0 };
	struct ipc_rejected rejected = { .line = 1, .column = 1, .name = "" };
	auto_buffer struct buffer text = { 0 };
	auto_fd int fd = fd_take(&msg->file);
	struct err err;

	if (on_supervisor_slurp(fd, (size_t)msg->most, &text, &err) == 0) {
		end.parsed = (uint64_t)config_read(
		    text.data, text.len, &file, &sink);
	} else {
		rejected.reason = err.text;
		on_supervisor_send(reader, IPC_REJECTED, &rejected);
	}
	on_supervisor_send(reader, IPC_END_OF_FILE, &end);
}
