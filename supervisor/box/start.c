/* The start of a box and its relay: see box.h. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "../../common/base/loop.h"
#include "../../common/base/fd.h"
#include "../../common/base/log.h"
#include "../../common/base/mem.h"
#include "box.h"
#include "shared/language.h"

static void
start_on_timer(evutil_socket_t, short, void *box)
{
	box_report(box, BOX_ON_TIME, NULL);
}

/* The end of its channel is what counts. */
static void
start_on_relay_ended(void *ctx, const struct child_end *)
{
	struct box *box = ctx;

	box->relay.process = NULL;
}

static void
start_on_relay_closed(void *ctx, const struct err *why)
{
	const struct box_told told = { .why = why };

	box_report(ctx, BOX_ON_RELAY_ENDED, &told);
}

/*
 * Makes four pipes, or three: the relay's ends and the box's ends. A box whose
 * language is an image has no frames, and a framed one no output of its own.
 */
static int
start_make_pipes(int framed, int plain, struct box_pipes *relay,
    struct box_pipes *box, struct err *err)
{
	int *const pairs[4][2] = { { &box->control_in, &relay->control_out },
		{ &relay->control_in, &box->control_out },
		{ &relay->out, &box->out },
		{ &relay->errors, &box->errors } };
	int pair[2];
	size_t i;

	for (i = 0; i < 4; i++) {
		if (pairs[i][0] == (plain ? &relay->control_in :
		                       framed ? &relay->out : NULL))
			continue;
		if (pipe2(pair, O_CLOEXEC) == -1)
			return err_sys(err, "make a pipe");
		*pairs[i][0] = pair[0];
		*pairs[i][1] = pair[1];
	}
	/* The relay may not change flags, so its ends get theirs here. */
	return (!plain && fd_begin_nonblock(relay->control_in, err) == -1) ||
	        fd_begin_nonblock(relay->control_out, err) == -1 ||
	        (relay->out != -1 &&
	            fd_begin_nonblock(relay->out, err) == -1) ||
	        fd_begin_nonblock(relay->errors, err) == -1 ? -1 : 0;
}

static void
start_close_pipes(struct box_pipes *pipes)
{
	fd_close(&pipes->control_in);
	fd_close(&pipes->control_out);
	fd_close(&pipes->out);
	fd_close(&pipes->errors);
}

static int
start_relay(struct box *box, struct box_pipes *pipes, struct err *err)
{
	struct boxes *boxes = box->boxes;
	struct channel_ends ends =
	    worker_ends(ROLE_RELAY, start_on_relay_closed, box);
	struct ipc_prepare prepare = { .log_terms = log_terms(),
		.output_max = box->limits->max_output,
		.kept_max = options_output_kept(boxes->options),
		.sentinels = (box->how & BOX_SENTINELS) != 0 };
	auto_fd int pidfd = -1;

	box->relay.channel = worker_start(boxes->base, &ends, box->number,
	    0, -1, &pidfd, err);
	if (box->relay.channel == NULL)
		return -1;
	box->relay.process = reaper_watch_idly(
	    boxes->base, &pidfd, start_on_relay_ended, box);
	reaper_keep_running(box->relay.process);
	prepare.control_in = fd_take(&pipes->control_in);
	prepare.control_out = fd_take(&pipes->control_out);
	prepare.out = fd_take(&pipes->out);
	prepare.errors = fd_take(&pipes->errors);
	/* If it has ended, the closed channel reports that. */
	return channel_send_prepare(box->relay.channel, &prepare, err) == 0 ||
	        err->code == EPIPE ? 0 : -1;
}

/*
 * Starts the box first, as that takes longer. The relay reads from the first
 * byte on.
 */
static int
start_both(struct box *box, struct err *err)
{
	struct box_pipes relay = { -1, -1, -1, -1 };
	struct box_pipes pipes = { -1, -1, -1, -1 };
	int failed = start_make_pipes(box->boxes->runtime->framed,
	    box->language->image != NULL, &relay, &pipes, err) == -1 ||
	    box->boxes->runtime->start(box, &pipes, err) == -1 ||
	    start_relay(box, &relay, err) == -1;

	start_close_pipes(&relay);
	start_close_pipes(&pipes);
	return failed ? -1 : 0;
}

struct box *
box_new(struct boxes *boxes, const struct language *language,
    const struct options *limits, int how, box_changed *changed, void *ctx,
    struct err *err)
{
	struct box *box = mem_alloc(sizeof(*box));

	box->boxes = boxes;
	box->number = ++boxes->started;
	boxes->count++;
	box->files = (struct box_files){ .out_dir = -1, .data = -1,
		.workspace = -1, .uid = identity_box(box->number) };
	boxes->unready++;
	box->language = language;
	box->limits = limits != NULL ? limits : boxes->options;
	box->how = (unsigned int)how;
	box->changed = changed;
	box->ctx = ctx;
	box->timer = evtimer_new(boxes->base, start_on_timer, box);
	loop_set_timer(box->timer, boxes->times.start);
	/*
	 * Processes already started find their channel closed, and are killed.
	 */
	if (start_both(box, err) == -1)
		box_free(&box);
	return box;
}

void
boxes_want(struct boxes *boxes)
{
	if (boxes->runtime->templates != NULL)
		boxes->runtime->templates->want(boxes);
}

int
boxes_awaited(const struct boxes *boxes)
{
	return boxes->runtime->templates != NULL &&
	    boxes->runtime->templates->awaited(boxes);
}

const char *
boxes_lack(const struct boxes *boxes)
{
	const struct runtime_shared *shared = boxes->runtime->shared;

	return shared == NULL || shared->lacks == NULL ? NULL :
	    shared->lacks(boxes);
}

void
boxes_rest(struct boxes *boxes)
{
	if (boxes->runtime->templates != NULL)
		boxes->runtime->templates->rest(boxes);
}
