/*
 * The messages exchanged with the supervisor: it receives SETUP and ADOPTED,
 * and sends STARTED, GUARDED or FAILED; a template receives TEMPLATE, STAY and
 * FORK, and sends STANDING, WARM or UNFIT. Run by the launcher; FAILED
 * is also sent by the code until it becomes the interpreter; FORK and WARM are
 * exchanged by the template, when the interpreter runs in it. These processes
 * have no loop: each message is received where it is needed, without a table of
 * handlers. These are the only bytes from outside that a box reads before the
 * code runs.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/pidfd.h>
#include <unistd.h>

#include "box.h"
#include "../../common/base/fd.h"
#include "../../common/ipc/ipc_socket.h"
#include "../../common/base/log.h"
#include "../../common/base/utf8.h"

/*
 * Each message but the first, whose fields a box borrows for as long as it is
 * built. A launcher that a template has forked uses that of the template.
 */
static struct ipc_packet on_supervisor_packet;

/*
 * Waits for the message that is legal now, which packet holds: each phase
 * allows only one.
 */
static int
on_supervisor_receive(struct box *box, struct ipc_packet *packet,
    enum ipc_type *type, union ipc_any *msg, struct err *err)
{
	int n = ipc_socket_receive(box->channel, packet, err);

	if (n == 0)
		return err_set(err, "the supervisor has exited");
	if (n == -1 || ipc_decode(packet, type, msg, err) == -1)
		return -1;
	if (box->phase == IPC_PHASE_NEW)
		box->kind = *type == IPC_TEMPLATE &&
		    box->kind == BOX_EXECUTED ? BOX_TEMPLATE : box->kind;
	return ipc_permit(ROLE_SUPERVISOR,
	    box->kind == BOX_TEMPLATE ? ROLE_TEMPLATE : ROLE_BOX, *type,
	    &box->phase, err);
}

/* A template is a box like those that it forks, without pipes. */
static void
on_supervisor_take_template(
    struct box *box, const struct ipc_template *template)
{
	role_enter(ROLE_TEMPLATE, 0);
	box->template.preload = template->preload;
	box->template.first_uid = template->first_uid;
	box->template.uids = template->uid == 0 ? 0 : template->uids;
	box->setup = (struct ipc_setup){ .uid = template->uid,
		.memory_bytes = template->memory_bytes,
		.processes = template->processes,
		.files_bytes = template->files_bytes,
		.data = template->data,
		.grouped = template->grouped,
		.language = template->language,
		.interpreter = template->interpreter,
		.packages = "", /* no language of templates has any */
		.control_in = -1,
		.control_out = -1,
		.out = -1,
		.errors = -1,
		.usage = -1 };
}

/* Checks the language and its interpreter: only valid ones are started. */
static int
on_supervisor_take_language(struct box *box, struct err *err)
{
	const struct ipc_setup *setup = &box->setup;

	box->language = languages_find(setup->language);
	if (box->language == NULL)
		return err_set(err, "there is no language '%s'",
		    setup->language);
	if ((box->kind == BOX_TEMPLATE || box->kind == BOX_FORKED) &&
	    box->language->start != LANGUAGE_FORKED)
		return err_set(err, "the interpreter of %s cannot be loaded by "
		    "a template", setup->language);
	/* A name was not found: its language says so. */
	if (setup->interpreter[0] != '/' &&
	    strchr(setup->interpreter, '/') != NULL)
		return err_set(err, "the interpreter '%s' is not an absolute "
		    "path", setup->interpreter);
	return 0;
}

int
box_receive_setup(struct box *box, struct err *err)
{
	enum ipc_type type;
	union ipc_any msg;

	/* Closes descriptors that a bug elsewhere has left open. */
	close_range(BOX_CHANNEL_FD + 1, ~0U, 0);
	if (on_supervisor_receive(box, &box->packet, &type, &msg, err) == -1)
		return -1;
	if (type == IPC_TEMPLATE)
		on_supervisor_take_template(box, &msg.template);
	else
		box->setup = msg.setup;
	return on_supervisor_take_language(box, err);
}

/* Cuts a reason to the size of the field; text has room for any. */
static void
on_supervisor_cut_reason(char *text, const char *reason)
{
	size_t len = strlen(reason);

	if (len > FAILED_REASON_MAX)
		len = FAILED_REASON_MAX;
	memcpy(text, reason, len);
	len -= utf8_incomplete_tail(text, len);
	text[len] = '\0';
}

/* Sends msg, whose descriptors the packet takes, and closes those. */
static int
on_supervisor_send(
    struct box *box, enum ipc_type type, void *msg, struct err *err)
{
	struct ipc_packet *packet = &on_supervisor_packet;
	int failed = ipc_encode(type, msg, packet, err);

	if (failed == 0)
		failed = ipc_socket_send(box->channel, packet, err);
	ipc_packet_close(packet);
	return failed;
}

int
box_send_standing(struct box *box, struct err *err)
{
	struct ipc_standing standing = { .init = dup(box->init),
		.code = fd_take(&box->code) };

	if (standing.init == -1)
		return err_sys(err, "copy a descriptor");
	return on_supervisor_send(box, IPC_STANDING, &standing, err);
}

int
box_receive_stay(struct box *box, struct err *err)
{
	return box_receive_adopted(box, err);
}

/*
 * A directory of the box, for the supervisor; -1 is refused when it is sent.
 * The code may already run in a forked box: both directories are mount points,
 * which it can neither rename nor remove.
 */
static int
on_supervisor_open(const char *path)
{
	return open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

int
box_send_started(struct box *box, struct err *err)
{
	char bound[ERR_TEXT_SIZE];
	struct ipc_started started = { .landlock = (uint64_t)box->landlock,
		.bound = bound,
		.proc = (uint64_t)box->proc,
		.watchdog = (uint64_t)box->watchdog,
		.unnamed = (uint64_t)box->unnamed };

	on_supervisor_cut_reason(bound, box->bound.text);
	/* The launcher keeps init, to kill it if anything fails. */
	started.init = dup(box->init);
	started.code = fd_take(&box->code);
	started.out_dir = on_supervisor_open("/" BOX_OUT_DIR);
	started.data = -1;
	started.launcher = -1;
	if (box->setup.data) {
		started.data = on_supervisor_open("/" BOX_CONVERSATION_DIR);
		if (started.data == -1)
			return err_sys(err, "open /" BOX_CONVERSATION_DIR);
	}
	if (started.init == -1)
		return err_sys(err, "copy a descriptor");
	if (box->kind == BOX_FORKED) {
		started.launcher = pidfd_open(getpid(), 0);
		if (started.launcher == -1)
			return err_sys(err, "open a pidfd");
	}
	return on_supervisor_send(box, IPC_STARTED, &started, err);
}

int
box_send_guarded(struct box *box, struct err *err)
{
	char text[ERR_TEXT_SIZE];
	struct ipc_guarded guarded = { .landlock = (uint64_t)box->landlock,
		.step = box->weak.step, .reason = text };

	on_supervisor_cut_reason(text, box->weak.why.text);
	guarded.guard = dup(box->init);
	if (guarded.guard == -1)
		return err_sys(err, "copy a descriptor");
	return on_supervisor_send(box, IPC_GUARDED, &guarded, err);
}

int
box_receive_adopted(struct box *box, struct err *err)
{
	enum ipc_type type;
	union ipc_any msg;

	/*
	 * Without it the supervisor would not end the box, which must therefore
	 * exit.
	 */
	return on_supervisor_receive(box, &on_supervisor_packet, &type, &msg,
	    err);
}

void
box_send_failed(struct box *box, const struct err *reason)
{
	char text[ERR_TEXT_SIZE];
	struct ipc_failed failed = { .step = box->step, .reason = text,
		.transient = reason->code == EAGAIN };
	struct ipc_unfit unfit = { .reason = text };
	struct err err = *reason;

	if (box->kind == BOX_TEMPLATE)
		err_wrap(&err, "could not %s", box_step_info(box->step)->what);
	on_supervisor_cut_reason(text, err.text);
	if (on_supervisor_send(box,
		box->kind == BOX_TEMPLATE ? IPC_UNFIT : IPC_FAILED,
		box->kind == BOX_TEMPLATE ? (void *)&unfit : &failed,
		&err) == -1 &&
	    err.code != EPIPE) /* otherwise it is no longer needed */
		log_error("%s (and the report failed: %s)", text, err.text);
}

/* A template, in which the interpreter runs */

/* The launcher has received the first two messages. */
static enum ipc_phase on_supervisor_phase = IPC_PHASE_OPEN;

static int
on_supervisor_send_template(enum ipc_type type, void *msg, struct err *err)
{
	if (ipc_encode(type, msg, &on_supervisor_packet, err) == -1)
		return -1;
	return ipc_socket_send(BOX_CHANNEL_FD, &on_supervisor_packet, err);
}

int
box_send_warm(struct err *err)
{
	struct ipc_warm warm = { 0 };

	return on_supervisor_send_template(IPC_WARM, &warm, err);
}

void
box_send_unfit(const char *reason)
{
	char text[FAILED_REASON_MAX + 1];
	struct ipc_unfit unfit = { .reason = text };
	struct err err;

	snprintf(text, sizeof(text), "%s", reason);
	text[strlen(text) - utf8_incomplete_tail(text, strlen(text))] = '\0';
	/*
	 * If this fails, the supervisor still notices that the template exits.
	 */
	(void)on_supervisor_send_template(IPC_UNFIT, &unfit, &err);
}

int
box_receive_fork(int *channel, int *group, struct err *err)
{
	enum ipc_type type;
	union ipc_any msg;
	int n = ipc_socket_receive(BOX_CHANNEL_FD, &on_supervisor_packet, err);

	if (n != 1)
		return n;
	if (ipc_decode(&on_supervisor_packet, &type, &msg, err) == -1 ||
	    ipc_permit(ROLE_SUPERVISOR, ROLE_TEMPLATE, type,
	        &on_supervisor_phase, err) == -1)
		return -1;
	*channel = fd_take(&msg.fork.box);
	*group = fd_take(&msg.fork.group);
	return 1;
}
