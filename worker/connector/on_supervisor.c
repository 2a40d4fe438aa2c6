/*
 * The messages from the supervisor: the complete interface between the two. One
 * comes before the lockdown: see main.c.
 */
#include "../../common/base/fd.h"
#include "../../common/base/log.h"
#include "../../common/base/mem.h"
#include "../../common/limits.h"
#include "connector.h"

/* Reads a file of certificates, of which the supervisor has seen the size. */
static void
on_supervisor_read(int file, struct buffer *text)
{
	if (fd_read_all(file, 0, CONNECTOR_TRUSTED_MAX, text) == -1)
		fatal("the certificates cannot be read: %m");
}

/* What both messages say of a server. */
#define ON_SUPERVISOR_REMOTE(remote, message)                                  \
	do {                                                                   \
		log_init("connector", (message)->log_terms);   \
		(remote)->url = mem_strdup((message)->url);                    \
		(remote)->events = (message)->events != 0;                     \
		(remote)->proxy = mem_strdup((message)->proxy);                \
		(remote)->no_proxy = mem_strdup((message)->no_proxy);          \
		(remote)->login = mem_strdup((message)->login);                \
		(remote)->logins = fd_take(&(message)->logins);                \
		buffer_add(&(remote)->headers, (message)->headers.data,        \
		    (message)->headers.len);                                   \
		if ((message)->trusted != -1)                                  \
			on_supervisor_read(                                    \
			    (message)->trusted, &(remote)->trusted);           \
	} while (0)

void
connector_on_connect(struct connector *connector, struct ipc_connect *connect)
{
	ON_SUPERVISOR_REMOTE(&connector->remote, connect);
	connector->in = fd_take(&connect->in);
	connector->out = fd_take(&connect->out);
	connector->errors = fd_take(&connect->errors);
	event_base_loopbreak(connector->base);
}

void
connector_on_log_in(struct connector *connector, struct ipc_log_in *log_in)
{
	ON_SUPERVISOR_REMOTE(&connector->remote, log_in);
	connector->listener = fd_take(&log_in->listener);
	connector->enters = true;
	event_base_loopbreak(connector->base);
}

void
connector_on_paste(struct connector *connector, struct ipc_paste *paste)
{
	if (connector->enter != NULL)
		enter_paste(connector->enter, paste->text);
}
