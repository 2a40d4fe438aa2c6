/*
 * The messages from the supervisor: the complete interface between the two. One
 * of them comes, before the lockdown: see main.c. Runs in the connector.
 */
#include <unistd.h>

#include "../../common/base/fd.h"
#include "../../common/base/log.h"
#include "../../common/base/mem.h"
#include "../../common/limits.h"
#include "connector.h"

/* Reads a file of certificates, as far as it may go. */
static void
on_supervisor_read(int file, struct buffer *text)
{
	ssize_t n = 1;

	while (n > 0 && text->len < CONNECTOR_TRUSTED_MAX) {
		n = pread(file, buffer_reserve(text, PIPE_CHUNK), PIPE_CHUNK,
		    (off_t)text->len);
		text->len += n > 0 ? (size_t)n : 0;
	}
}

void
connector_on_connect(
    struct connector *connector, struct ipc_connect *connect)
{
	struct remote *remote = &connector->remote;

	log_init("connector", (enum log_level)connect->log_level);
	remote->url = mem_strdup(connect->url);
	remote->events = connect->events != 0;
	remote->proxy = mem_strdup(connect->proxy);
	remote->no_proxy = mem_strdup(connect->no_proxy);
	buffer_add(&remote->headers, connect->headers.data,
	    connect->headers.len);
	if (connect->trusted != -1)
		on_supervisor_read(connect->trusted, &remote->trusted);
	connector->in = fd_take(&connect->in);
	connector->out = fd_take(&connect->out);
	connector->errors = fd_take(&connect->errors);
	event_base_loopbreak(connector->base);
}
