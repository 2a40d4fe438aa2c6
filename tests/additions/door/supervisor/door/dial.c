/*
 * A door to one client that listens at a Unix socket. Runs in the supervisor.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "common/base/fd.h"
#include "supervisor/door/door.h"

static int
dial_open(void **state, const struct door_setup *setup, struct err *err)
{
	struct sockaddr_un client = { .sun_family = AF_UNIX };
	const char *path = setup->runs->options->dial;
	auto_fd int in = -1, out = -1;

	if (path[0] == '\0')
		return 0;
	strncpy(client.sun_path, path, sizeof(client.sun_path) - 1);
	in = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	out = fcntl(in, F_DUPFD_CLOEXEC, 0);
	if (out == -1 ||
	    connect(in, (struct sockaddr *)&client, sizeof(client)) == -1)
		return err_sys(err, "connect to a client at %s", path);
	*state = stdio_new(setup, &in, &out);
	return 0;
}

static void
dial_drain(void *state)
{
	door_stdio.drain(state);
}

static int
dial_flushed(const void *state)
{
	return door_stdio.flushed(state);
}

static void
dial_close(void *state)
{
	door_stdio.close(state);
}

const struct door door_dial = { .open = dial_open, .drain = dial_drain,
	.flushed = dial_flushed, .close = dial_close, .last = true };
