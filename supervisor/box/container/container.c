/*
 * One container as a box: see container.h. A keeper runs the client of the
 * engine, whose standard streams are the pipes of the box, and sees to it that
 * the container is removed, also if we end.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../common/base/fd.h"
#include "../../../common/base/log.h"
#include "../../../common/base/mem.h"
#include "../../process/process.h"
#include "container.h"
#include "../engine/engine.h"
#include "../shared/language.h"

/* What a box of these runtimes is, inside. */
struct contained {
	struct child *keeper; /* NULL: it has ended */
	pid_t pid;            /* of the keeper */
	struct foreign *init; /* process 1 of it; NULL: unknown */
	int status; /* of the client that has ended; -1: by a signal */
	int killer; /* that signal, or the one that ended its keeper; or 0 */
	char *name;           /* of the container */
	struct container_place *place; /* asks for its place; or NULL */
};

/* All that a keeper does at an end, in stages with a limit each. */
_Static_assert(ENGINE_END_MS >= 2 * CONTAINER_REMOVE_MS + KEEPER_CLIENT_MS +
    2 * KEEPER_REST_MS, "a box is given up before its keeper has ended");
_Static_assert(CONTAINER_FINISH_MS > ENGINE_END_MS,
    "the program ends before its keepers");

/* Engines tell of a signal by an exit status of this and its number. */
#define CONTAINER_SIGNALS 128

/* Its end */

/* A container that has ended is removed by its client once its output came. */
static void
container_kill(struct box *box)
{
	const unsigned int ended = BOX_INIT_IS_GONE | BOX_IS_DRAINED;
	struct contained *contained = box->inside;

	if ((box->known & ended) != ended)
		reaper_end(contained->keeper);
}

static int
container_alive(const struct box *box)
{
	const struct contained *contained = box->inside;

	return reaper_alive(contained->keeper) &&
	    (contained->init == NULL || foreign_alive(contained->init));
}

static void
container_free(struct box *box, int /* lingers */)
{
	struct contained *contained = mem_take(&box->inside);

	container_place_free(&contained->place);
	foreign_free(&contained->init);
	if (box_knows(box, BOX_INIT_IS_GONE) && box_knows(box, BOX_HAS_STATUS))
		container_removal_watch(box->boxes, &contained->keeper,
		    &contained->name);
	reaper_forget(&contained->keeper);
	free(contained->name);
	free(contained);
}

static const char *
container_image(const struct box *box)
{
	return box->language->image != NULL ?
	    box->language->image_name : container_boxes(box->boxes)->image;
}

/* Without a bootstrap, the engine shares the errors of the code. */
static char *
container_errors(const struct box *box)
{
	const struct call_stream *errors = &box->output.errors;

	return box->language->image != NULL ?
	    mem_dup(errors->data == NULL ? "" : errors->data, errors->len) :
	    mem_strdup(box->claim.errors == NULL ? "" : box->claim.errors);
}

/*
 * Returns whether the code was not executed, so that the exit status is not its
 * own. A container that we have ended need not have been started.
 */
static int
container_has_failed(const struct box *box)
{
	if (!box_knows(box, BOX_IS_BUILT))
		return 1;
	return (box->how & BOX_SENTINELS) && !box_knows(box, BOX_IS_KILLED) &&
	    box->claim.begun != BEGUN_CODE;
}

/* How the container has ended, for sentences; the errors stay the caller's. */
static struct container_end
container_end(const struct box *box, const char *errors)
{
	const struct contained *contained = box->inside;
	const struct container_boxes *shared = container_boxes(box->boxes);

	return (struct container_end){
		.program = shared->program,
		.image = container_image(box),
		.digest = box->language->digest,
		.status = contained->status,
		.killer = contained->killer,
		.errors = errors };
}

/* The container was not started: fails the box with the reason. */
static void
container_refuse(struct box *box)
{
	auto_free char *why = NULL;
	auto_free char *errors = container_errors(box);
	const struct container_end end = container_end(box, errors);

	why = box->claim.begun == BEGUN_FAILED ?
	    container_fault_command(end.image, errors) : container_fault(&end);
	box->known |= BOX_HAS_STATUS;
	box_fail(box, "the box cannot be built: %s", why);
}

/*
 * Returns whether its end is known. Code can forge the report of process 1, as
 * it can choose how it ends. Without one only the client tells, unless we have
 * ended the container.
 */
static int
container_is_known(const struct box *box)
{
	const struct contained *contained = box->inside;

	return contained->keeper == NULL ||
	    (box_knows(box, BOX_INIT_IS_GONE) &&
	        (box_knows(box, BOX_IS_KILLED) ||
	            box->claim.end != BOX_CLAIM_NONE));
}

/*
 * Returns whether the engine, or code that has ended process 1, ended the call.
 * A signal that killed the whole container is told as one.
 */
static int
container_was_lost(const struct box *box)
{
	const struct contained *contained = box->inside;

	return box->claim.end == BOX_CLAIM_NONE &&
	    !box_knows(box, BOX_IS_KILLED) &&
	    contained->status < CONTAINER_SIGNALS;
}

/*
 * Fails the box because the engine has failed. If the exit status of the client
 * is not that of a failure, the code may have ended process 1 instead, which
 * then reports nothing.
 */
static void
container_lose(struct box *box)
{
	const struct contained *contained = box->inside;
	const struct container_boxes *shared = container_boxes(box->boxes);
	const char *when =
	    box_knows(box, BOX_HAS_RUN) ? " while the code ran" : "";
	auto_free char *killer = signal_name(contained->killer);

	box->known |= BOX_HAS_STATUS;
	if (contained->killer != 0)
		box_fail(box, "%s, or its keeper, was killed by %s%s",
		    shared->program, killer, when);
	else if (contained->status != KEEPER_ENGINE_FAILED)
		box_fail(box, "the container ended with status %d%s, and its "
		    "process 1 did not report how the code ended: either the "
		    "code ended process 1, or %s failed; check it with '%s ps'",
		    contained->status, when, shared->program, shared->program);
	else
		box_fail(box, "%s has failed%s, and exited with status %d: "
		    "check it with '%s ps'", shared->program, when,
		    contained->status, shared->program);
}

static int
container_settle(struct box *box)
{
	const struct contained *contained = box->inside;
	struct box_end end = { .cause = BOX_CAUSE_CODE };
	const struct box_told told = { .end = &end };
	const struct box_told gone = { .cause = BOX_CAUSE_CODE,
		.untold = true };

	if (box_knows(box, BOX_HAS_STATUS) || !container_is_known(box))
		return 0;
	box_report(box, BOX_ON_GONE, &gone);
	if (container_has_failed(box)) {
		container_refuse(box);
		return 1;
	}
	if (container_was_lost(box)) {
		container_lose(box);
		return 1;
	}
	end.cpu_us = box->claim.cpu_us;
	end.peak_kib = box->claim.peak_kib;
	if (box_knows(box, BOX_IS_KILLED)) {
		/* What looked like a sentinel is output of the code. */
		end.signal = SIGKILL;
		if (box->how & BOX_SENTINELS)
			box_claim_show(&box->claim, &box->output.out);
	} else
		box_claim_settle(&box->claim, contained->status, &end);
	box_report(box, BOX_ON_STATUS, &told);
	return 1;
}

static void
container_on_ended(void *ctx, const struct child_end *end)
{
	struct box *box = ctx;
	struct contained *contained = box->inside;

	contained->keeper = NULL;
	contained->status = end->code == CLD_EXITED ? end->status : -1;
	contained->killer = end->code == CLD_EXITED ? 0 : end->status;
	/* A keeper that was killed has removed nothing. */
	if (end->code != CLD_EXITED) {
		reaper_kill_orphans();
		container_remove(box->boxes, contained->name);
	}
	if (box_knows(box, BOX_IS_DRAINED) && container_settle(box))
		return;
	/* Its pipes have closed: the relay ends soon. */
	box_report(box, BOX_ON_DYING, NULL);
}

/*
 * Process 1 has ended, and the kernel has ended all others first. The end of
 * the client, which removes the container first, need not be awaited.
 */
static void
container_on_init_ended(void *ctx)
{
	struct box *box = ctx;
	struct contained *contained = box->inside;

	if (contained->keeper != NULL)
		box_report(box, BOX_ON_INIT_GONE, NULL);
}

/* Its start */

static void
container_warn(struct box *box)
{
	struct container_boxes *shared = container_boxes(box->boxes);

	if (shared->warned)
		return;
	shared->warned = true;
	log_warn("containers of %s keep no files: what code writes to "
	    "/workspace/out is lost; start Caisson as root on the machine "
	    "where the engine runs, or use another runtime", shared->program);
}

/* Watches process 1. The number is still its own if it is found again. */
static int
container_watch(struct box *box, pid_t pid, struct err *err)
{
	struct contained *contained = box->inside;
	int again;

	/* The end of one without a bootstrap is that of the client. */
	if (box->language->image == NULL) {
		contained->init = foreign_watch(box->boxes->base, pid,
		    container_on_init_ended, box, err);
		if (contained->init == NULL)
			return -1;
	}
	again = contained->place != NULL ?
	    container_place_is_of(contained->place, pid) :
	    container_process_below(contained->pid) == pid;
	if (!again)
		return err_set(err, "process 1 of the container has ended");
	return 0;
}

/*
 * It can have code. pid is its process 1; 0: that cannot be reached, and the
 * box keeps no files. Returns 0, or -1 with err.
 */
static int
container_stand(struct box *box, pid_t pid, struct err *err)
{
	auto_fd int workspace = -1, out_dir = -1, data = -1;
	struct box_told told = { .out_dir = &out_dir, .data = &data };
	int *has_data =
	    container_has_data(box->boxes, box->language) ? &data : NULL;

	if (pid != 0 &&
	    (container_folders_open(
	         pid, &workspace, &out_dir, has_data, err) == -1 ||
	        container_watch(box, pid, err) == -1))
		return err_wrap(err, "the box cannot be used");
	told.detail = container_facts_new(container_image(box),
	    box->boxes->runtime->name, pid != 0);
	if (pid == 0)
		container_warn(box);
	box_report(box, BOX_ON_BUILT, &told);
	box->files.workspace = fd_take(&workspace);
	return 0;
}

static void
container_on_found(void *ctx, pid_t pid)
{
	struct box *box = ctx;
	struct contained *contained = box->inside;
	struct err err;
	int failed;

	if (contained->keeper == NULL)
		return;
	failed = container_stand(box, pid, &err) == -1;
	container_place_free(&contained->place);
	if (failed)
		box_fail(box, "%s", err.text);
	else
		box_report(box, BOX_ON_TOLD, NULL);
}

static int
container_hear(struct box *box, enum box_event event, struct err *err)
{
	struct contained *contained = box->inside;

	if (event == BOX_ON_ASKED && !box_has_ended(box)) {
		const struct container_boxes *shared =
		    container_boxes(box->boxes);

		/* Only root may look into the containers of a daemon. */
		if (shared->engine != CONTAINER_DOCKER || geteuid() != 0)
			return container_stand(
			    box, container_process_below(contained->pid), err);
		contained->place = container_place_ask(box->boxes->base, shared,
		    contained->name, container_on_found, box, err);
		return contained->place == NULL ? -1 : 0;
	}
	if (event == BOX_ON_DRAINED)
		return container_settle(box);
	if (event == BOX_ON_TIME) {
		container_place_free(&contained->place);
		foreign_free(&contained->init);
		reaper_forget(&contained->keeper);
	}
	return 0;
}

static int
container_start(struct box *box, struct box_pipes *pipes, struct err *err)
{
	const struct container_boxes *shared = container_boxes(box->boxes);
	struct contained *contained = mem_alloc(sizeof(*contained));
	struct container_commands commands = { 0 };
	struct container container;
	struct spawn_program program = { .in = pipes->control_in,
		.out = box->language->image != NULL ? pipes->out :
		    pipes->control_out,
		.errors = pipes->errors };

	box->inside = contained;
	if (box->language->image != NULL)
		box->how |= BOX_SENTINELS;
	contained->name = container_sweep_name(shared->label, box->number);
	container_request_fill(box->boxes, box->limits, box->number,
	    contained->name, box->language, &container);
	/* Only root can be another user, who has no number of its own there. */
	if (geteuid() == 0)
		box->files.uid = container.uid;
	if (container_check(&container, err) == -1)
		return -1;
	container_commands_fill(shared, &container, &commands, &program);
	contained->keeper = keeper_watch(box->boxes->base, box->number,
	    &program, container_on_ended, box, err);
	container_commands_free(&commands);
	if (contained->keeper == NULL)
		return -1;
	contained->pid = reaper_pid(contained->keeper);
	return 0;
}

#define CONTAINER_RUNTIME(name_)                                               \
	{                                                                      \
		.name = name_, .framed = true, .images = true,                 \
		.end_ms = ENGINE_END_MS,                                       \
		.start = container_start, .hear = container_hear,              \
		.kill = container_kill, .alive = container_alive,              \
		.free = container_free, .add_facts = container_facts_add,      \
		.shared = &container_shared                                    \
	}

const struct runtime podman_runtime = CONTAINER_RUNTIME("podman");
const struct runtime docker_runtime = CONTAINER_RUNTIME("docker");
