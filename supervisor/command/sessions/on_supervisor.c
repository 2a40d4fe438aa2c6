/*
 * The messages of a running Caisson to a command: see running.h. The command
 * sends one request, and receives the answer where it waits for it, without a
 * table of handlers. Runs in commands.
 */
#include <errno.h>
#include <stdlib.h>

#include "../../../common/base/buffer.h"
#include "../../../common/ipc/ipc_socket.h"
#include "../../../common/base/mem.h"
#include "running.h"

static struct ipc_packet on_supervisor_packet;

/* Waits for one message. Returns 0, or -1 with err. */
static int
on_supervisor_receive(
    int fd, enum ipc_type *type, union ipc_any *msg, struct err *err)
{
	enum ipc_phase phase = IPC_PHASE_NEW;
	int n = ipc_socket_receive(fd, &on_supervisor_packet, err);

	if (n == 0)
		return err_set(err, "it has closed the connection: it is "
		    "ending, or busy with other commands; try again");
	if (n == -1 && err->code == EAGAIN)
		return err_set(err, "it does not answer");
	if (n == -1)
		return -1;
	if (ipc_decode(&on_supervisor_packet, type, msg, err) == -1) {
		ipc_packet_close(&on_supervisor_packet);
		return -1;
	}
	return ipc_permit(ROLE_SUPERVISOR, ROLE_OPERATOR, *type, &phase, err);
}

int
running_ask(int fd, const struct ipc_ask_running *ask, struct buffer *list,
    struct err *err)
{
	struct ipc_ask_running request = *ask;
	auto_free char *text = NULL;
	enum ipc_type type;
	union ipc_any msg;

	if (ipc_encode(IPC_ASK_RUNNING, &request, &on_supervisor_packet, err) ==
	    -1 || ipc_socket_send(fd, &on_supervisor_packet, err) == -1 ||
	    on_supervisor_receive(fd, &type, &msg, err) == -1)
		return -1;
	text = ipc_blob_copy(&msg.all_running.list, err);
	ipc_message_close(type, &msg);
	if (text == NULL)
		return -1;
	buffer_add(list, text, msg.all_running.list.len);
	return (int)msg.all_running.ended;
}
