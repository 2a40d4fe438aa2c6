/*
 * The talk with the supervisor: SETUP and ADOPTED in; STARTED, GUARDED or
 * FAILED out. Run by the launcher; FAILED also by the code until it has become
 * the interpreter. Of all that reaches a box from outside, only these two are
 * read here.
 */
#include <string.h>
#include <unistd.h>

#include "box.h"
#include "../../common/fd.h"
#include "../../common/ipc_socket.h"
#include "../../common/log.h"
#include "../../common/utf8.h"

/*
 * Waits for the message that may come now, which packet holds: the phases
 * leave one at a time.
 */
static int
box_receive(struct box *box, struct ipc_packet *packet, union ipc_any *msg,
    struct err *err)
{
	enum ipc_type type;
	int n = ipc_socket_receive(box->channel, packet, err);

	if (n == 0)
		return err_set(err, "the supervisor is gone");
	if (n == -1 || ipc_decode(packet, &type, msg, err) == -1)
		return -1;
	return ipc_permit(
	    ROLE_SUPERVISOR, ROLE_BOX, type, &box->phase, err);
}

int
box_receive_setup(struct box *box, struct err *err)
{
	union ipc_any msg;

	/* Whatever else was left open by a bug elsewhere is not for a box. */
	close_range(BOX_CHANNEL_FD + 1, ~0U, 0);
	if (box_receive(box, &box->packet, &msg, err) == -1)
		return -1;
	box->setup = msg.setup;
	if (box->setup.python[0] != '/')
		return err_set(err, "the interpreter '%s' is not given by its "
		    "absolute path", box->setup.python);
	return 0;
}

/* Cuts a reason to what a message takes; text has room for any. */
static void
box_cut_reason(char *text, const char *reason)
{
	size_t len = strlen(reason);

	if (len > FAILED_REASON_MAX)
		len = FAILED_REASON_MAX;
	memcpy(text, reason, len);
	len -= utf8_incomplete_tail(text, len);
	text[len] = '\0';
}

/* Sends msg, of which the packet takes the descriptors, and closes those. */
static int
box_send(struct box *box, enum ipc_type type, void *msg, struct err *err)
{
	static struct ipc_packet packet;
	int failed = ipc_encode(type, msg, &packet, err);

	if (failed == 0)
		failed = ipc_socket_send(box->channel, &packet, err);
	ipc_packet_close(&packet);
	return failed;
}

int
box_send_started(struct box *box, struct err *err)
{
	char bound[ERR_TEXT_SIZE];
	struct ipc_started started = { .landlock = (uint64_t)box->landlock,
		.bound = bound,
		.proc = (uint64_t)box->proc,
		.watchdog = (uint64_t)box->watchdog };

	box_cut_reason(bound, box->bound.text);
	/* init stays ours too: it is killed by it if anything fails. */
	started.init = dup(box->init);
	started.code = fd_take(&box->code);
	if (started.init == -1)
		return err_sys(err, "copy a descriptor");
	return box_send(box, IPC_STARTED, &started, err);
}

int
box_send_guarded(struct box *box, struct err *err)
{
	char text[ERR_TEXT_SIZE];
	struct ipc_guarded guarded = { .landlock = (uint64_t)box->landlock,
		.step = box->weak_step,
		.reason = text };

	box_cut_reason(text, box->weak_why.text);
	guarded.guard = dup(box->init);
	if (guarded.guard == -1)
		return err_sys(err, "copy a descriptor");
	return box_send(box, IPC_GUARDED, &guarded, err);
}

int
box_receive_adopted(struct box *box, struct err *err)
{
	static struct ipc_packet packet;
	union ipc_any msg;

	/* Without it nobody would end the box: then it must not live. */
	return box_receive(box, &packet, &msg, err);
}

void
box_send_failed(struct box *box, const struct err *reason)
{
	char text[ERR_TEXT_SIZE];
	struct ipc_failed failed = { .step = box->step, .reason = text };
	struct err err;

	box_cut_reason(text, reason->text);
	if (box_send(box, IPC_FAILED, &failed, &err) == -1)
		log_error("%s (and nobody to tell: %s)", text, err.text);
}
