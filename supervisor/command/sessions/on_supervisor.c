/*
 * The messages of a running Caisson to a command: see session_rows.h and
 * running.h. The command sends one request, and receives the answers where it
 * waits for them, without a table of handlers. Runs in commands.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../common/base/buffer.h"
#include "../../../common/ipc/ipc_socket.h"
#include "../../../common/base/mem.h"
#include "running.h"
#include "session_rows.h"

static struct ipc_packet on_supervisor_packet;

static int
on_supervisor_send(int fd, enum ipc_type type, void *msg, struct err *err)
{
	if (ipc_encode(type, msg, &on_supervisor_packet, err) == -1)
		return -1;
	return ipc_socket_send(fd, &on_supervisor_packet, err);
}

/* Waits for one message. Returns 0, or -1 with err. */
static int
on_supervisor_receive(int fd, enum ipc_phase *phase, enum ipc_type *type,
    union ipc_any *msg, struct err *err)
{
	int n = ipc_socket_receive(fd, &on_supervisor_packet, err);

	if (n == 0)
		return err_set(err,
		    "it has closed the connection: it is "
		    "ending, or busy with other commands; try again");
	if (n == -1 && err->code == EAGAIN)
		return err_set(err, "it does not answer");
	if (n == -1)
		return -1;
	if (ipc_decode(&on_supervisor_packet, type, msg, err) == -1) {
		ipc_packet_close(&on_supervisor_packet);
		return -1;
	}
	return ipc_permit(ROLE_SUPERVISOR, ROLE_OPERATOR, *type, phase, err);
}

/* Lists */

static void
on_supervisor_add(struct session_rows *rows, const char *socket, pid_t process,
    const struct ipc_session_facts *facts)
{
	struct session_row *row;

	rows->one =
	    mem_resize(rows->one, (rows->count + 1) * sizeof(*rows->one));
	row = &rows->one[rows->count++];
	*row = (struct session_row){ .process = process,
		.owner = mem_strdup(facts->owner),
		.name = mem_strdup(facts->name),
		.language = mem_strdup(facts->language),
		.busy = (int)facts->busy,
		.calls = facts->calls,
		.age_ms = facts->age_ms,
		.idle_ms = facts->idle_ms,
		.bytes = facts->bytes };
	snprintf(row->socket, sizeof(row->socket), "%s", socket);
}

int
session_rows_ask(int fd, const char *socket, pid_t process,
    struct session_rows *rows, struct err *err)
{
	struct ipc_list_sessions list = { 0 };
	enum ipc_phase phase = IPC_PHASE_NEW;
	enum ipc_type type;
	union ipc_any msg;
	int n;

	if (on_supervisor_send(fd, IPC_LIST_SESSIONS, &list, err) == -1)
		return -1;
	for (n = 0; n <= SESSIONS_MAX; n++) {
		if (on_supervisor_receive(fd, &phase, &type, &msg, err) == -1)
			return -1;
		if (type == IPC_SESSIONS_DONE)
			return 0;
		on_supervisor_add(rows, socket, process, &msg.session_facts);
	}
	return err_set(err, "it has more sessions than there can be");
}

int
session_row_end(int fd, const struct session_row *row, struct err *err)
{
	struct ipc_end_session end = { .owner = row->owner, .name = row->name };
	enum ipc_phase phase = IPC_PHASE_NEW;
	enum ipc_type type;
	union ipc_any msg;

	if (on_supervisor_send(fd, IPC_END_SESSION, &end, err) == -1 ||
	    on_supervisor_receive(fd, &phase, &type, &msg, err) == -1)
		return -1;
	if (type != IPC_SESSIONS_DONE)
		return err_set(err,
		    "it lists sessions that were not asked "
		    "for");
	return msg.sessions_done.count > 0 ?
	    0 :
	    err_set(err, "the session has ended meanwhile");
}

void
session_rows_reset(struct session_rows *rows)
{
	size_t i;

	for (i = 0; i < rows->count; i++) {
		free(rows->one[i].owner);
		free(rows->one[i].name);
		free(rows->one[i].language);
	}
	free(rows->one);
	*rows = (struct session_rows){ .one = NULL };
}

/* Calls */

int
running_ask_calls(int fd, const char *scope, const char *cancel,
    struct buffer *list, struct err *err)
{
	struct ipc_ask_executions ask = { .owner = scope, .cancel = cancel };
	enum ipc_phase phase = IPC_PHASE_NEW;
	auto_free char *text = NULL;
	enum ipc_type type;
	union ipc_any msg;

	if (on_supervisor_send(fd, IPC_ASK_EXECUTIONS, &ask, err) == -1 ||
	    on_supervisor_receive(fd, &phase, &type, &msg, err) == -1)
		return -1;
	if (type != IPC_EXECUTIONS) {
		ipc_message_close(type, &msg);
		return err_set(err, "it has answered another question");
	}
	text = ipc_blob_copy(&msg.executions.list, err);
	ipc_message_close(type, &msg);
	if (text == NULL)
		return -1;
	buffer_add(list, text, msg.executions.list.len);
	return (int)msg.executions.cancelled;
}
