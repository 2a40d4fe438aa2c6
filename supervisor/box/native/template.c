/*
 * Starts templates, watches them, and has them fork boxes: see native.h. Runs
 * in the supervisor; reads only their messages.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

#include "../../../common/base/loop.h"
#include "../../../common/base/clock.h"
#include "../../../common/base/fd.h"
#include "../../../common/ipc/ipc_pair.h"
#include "../../../common/base/log.h"
#include "../../../common/base/mem.h"
#include "../cgroup/cgroup.h"
#include "../shared/language.h"
#include "native.h"
#include "../../process/process.h"

/* One template, from its start until no process of it is left. */
struct template {
	LIST_ENTRY(template) entry;
	struct templates *all;
	unsigned long number;
	struct channel *channel; /* NULL: it forks no more boxes */
	struct child *launcher;
	struct child *init;
	struct child *code;
	struct event *timer; /* for its start */
	bool building; /* it may still report processes */
	bool warm;
	unsigned long forks;
	uint64_t born_ms;
	struct python_stamp python; /* at its start */
};

struct templates {
	struct boxes *boxes;
	LIST_HEAD(, template) list;
	struct template *serving; /* the template in use, or NULL */
	struct template *coming;  /* the template being started, or NULL */
	unsigned long starts;
	uint64_t wait_ms;  /* pause after the next failure */
	uint64_t until_ms; /* no start before this time */
	char *reason;      /* for the last failure */
};

/* Ends */

static void
template_set_built(struct template *template)
{
	if (template->building)
		reaper_release();
	template->building = false;
}

/* Frees it if no process of it is left. */
static void
template_check(struct template *template)
{
	if (template->channel != NULL || template->launcher != NULL ||
	    template->init != NULL || template->code != NULL)
		return;
	template_set_built(template);
	loop_event_free(&template->timer);
	LIST_REMOVE(template, entry);
	free(template);
}

/*
 * Retires it: its channel is closed, which ends its interpreter. Its init exits
 * after its last box.
 */
static void
template_retire(struct template *template)
{
	struct templates *all = template->all;

	if (all->serving == template)
		all->serving = NULL;
	if (all->coming == template)
		all->coming = NULL;
	loop_event_free(&template->timer);
	channel_free(&template->channel);
	/* Before it is allowed to run, it is killed with its launcher. */
	if (!template->warm)
		reaper_kill(template->launcher);
	template_set_built(template);
}

/* It has failed: the next one is started later, with growing pauses. */
static void
template_fail(struct template *template, const char *why)
{
	struct templates *all = template->all;

	if (all->reason == NULL || strcmp(all->reason, why) != 0)
		log_warn("template[%lu]: %s: boxes start without one",
		    template->number, why);
	free(all->reason);
	all->reason = mem_strdup(why);
	all->until_ms = clock_ms() + all->wait_ms;
	all->wait_ms = all->wait_ms * 2 < TEMPLATE_PAUSE_MOST_MS ?
	    all->wait_ms * 2 : TEMPLATE_PAUSE_MOST_MS;
	template_retire(template);
	/* It has no boxes that need its init. */
	if (!template->warm)
		reaper_kill(template->init);
	template_check(template);
}

static void
template_on_closed(void *ctx, const struct err *why)
{
	struct template *template = ctx;

	if (why != NULL)
		template_fail(template, why->text);
	else
		template_fail(template, template->warm ? "it has ended" :
		        "it ended before it could fork");
}

static void
template_on_timer(evutil_socket_t, short, void *ctx)
{
	template_fail(ctx, "it was not ready in time");
}

static void
template_on_launcher_ended(void *ctx, const struct child_end *)
{
	struct template *template = ctx;

	template->launcher = NULL;
	template_check(template);
}

static void
template_on_init_ended(void *ctx, const struct child_end *)
{
	struct template *template = ctx;

	template->init = NULL;
	template_check(template);
}

/* Its channel reports that, too. */
static void
template_on_code_ended(void *ctx, const struct child_end *end)
{
	struct template *template = ctx;

	log_debug("template[%lu]: its interpreter ended: %s %d",
	    template->number,
	    end->code == CLD_EXITED ? "status" : "signal", end->status);
	template->code = NULL;
	template_check(template);
}

/* Its messages */

void
template_on_standing(struct template *template, int *init, int *code)
{
	struct event_base *base = template->all->boxes->base;
	struct ipc_stay stay = { 0 };
	struct err err;

	template->init = reaper_watch(
	    base, init, template_on_init_ended, template);
	template->code = reaper_watch(
	    base, code, template_on_code_ended, template);
	reaper_keep_running(template->init);
	reaper_keep_running(template->code);
	template_set_built(template);
	if (channel_send_stay(template->channel, &stay, &err) == -1)
		template_fail(template, err.text);
}

void
template_on_warm(struct template *template)
{
	struct templates *all = template->all;

	if (template->code == NULL) {
		template_fail(template, "protocol violation");
		return;
	}
	log_info("template[%lu] is ready", template->number);
	loop_event_free(&template->timer);
	template->warm = true;
	template->born_ms = clock_ms();
	if (all->serving != NULL)
		template_retire(all->serving);
	all->coming = NULL;
	all->serving = template;
	all->wait_ms = TEMPLATE_PAUSE_FIRST_MS;
	free(mem_take(&all->reason));
	all->boxes->user.warm(all->boxes->user.ctx);
}

void
template_on_unfit(struct template *template, const char *reason)
{
	template_fail(template, reason);
}

/* Starting one */

static int
template_send(struct template *template, struct err *err)
{
	const struct boxes *boxes = template->all->boxes;
	struct ipc_setup setup = { 0 };
	struct ipc_template request = { .uid = identity_template(),
		.preload = boxes->options->preload };
	unsigned int first, count;

	native_request_fill(boxes, boxes->options, language_default(), &setup);
	identity_boxes(&first, &count);
	request.first_uid = first;
	request.uids = count;
	request.memory_bytes = setup.memory_bytes;
	request.processes = setup.processes;
	request.files_bytes = setup.files_bytes;
	request.data = setup.data;
	request.grouped = setup.grouped;
	request.language = setup.language;
	request.interpreter = setup.interpreter;
	/* If it has ended, the closed channel reports that. */
	return channel_send_template(template->channel, &request, err) == 0 ||
	        err->code == EPIPE ? 0 : -1;
}

static int
template_start(struct template *template, struct err *err)
{
	struct event_base *base = template->all->boxes->base;
	struct channel_ends ends =
	    worker_ends(ROLE_TEMPLATE, template_on_closed, template);
	auto_fd int pidfd = -1;

	template->channel = worker_start(
	    base, &ends, template->number, 0, -1, &pidfd, err);
	if (template->channel == NULL)
		return -1;
	template->launcher = reaper_watch(
	    base, &pidfd, template_on_launcher_ended, template);
	reaper_keep_running(template->launcher);
	reaper_hold();
	template->building = true;
	template->timer = evtimer_new(base, template_on_timer, template);
	loop_set_timer(template->timer, TEMPLATE_START_MS);
	return template_send(template, err);
}

static void
templates_start(struct templates *all)
{
	struct template *template;
	struct err err;

	if (all->coming != NULL || clock_ms() < all->until_ms)
		return;
	template = mem_alloc(sizeof(*template));
	template->all = all;
	template->number = ++all->starts;
	python_stamp_look(options_text(all->boxes->options,
	    language_default()->interpreter), &template->python);
	LIST_INSERT_HEAD(&all->list, template, entry);
	all->coming = template;
	if (template_start(template, &err) == -1)
		template_fail(template, err.text);
}

/* All templates */

struct templates *
templates_new(struct boxes *boxes)
{
	struct templates *all = mem_alloc(sizeof(*all));

	all->boxes = boxes;
	all->wait_ms = TEMPLATE_PAUSE_FIRST_MS;
	LIST_INIT(&all->list);
	return all;
}

void
templates_free(struct templates **templates)
{
	struct templates *all = mem_take(templates);
	struct template *template, *next;

	if (all == NULL)
		return;
	for (template = LIST_FIRST(&all->list); template != NULL;
	     template = next) {
		next = LIST_NEXT(template, entry);
		template_retire(template);
		reaper_forget(&template->launcher);
		reaper_forget(&template->code);
		reaper_forget(&template->init);
		template_check(template);
	}
	free(all->reason);
	free(all);
}

void
templates_want(struct templates *all)
{
	if (all != NULL && all->serving == NULL)
		templates_start(all);
}

int
templates_awaited(const struct boxes *boxes)
{
	const struct templates *all = native_boxes(boxes)->templates;

	return all != NULL && all->serving == NULL && all->coming != NULL;
}

void
templates_rest(struct boxes *boxes)
{
	const struct templates *all = native_boxes(boxes)->templates;

	if (all != NULL && all->serving != NULL)
		template_retire(all->serving);
}

/* Retires a template whose interpreter is not on disk any more. */
static void
templates_check_python(struct templates *all, const struct python_stamp *python)
{
	if (python_stamp_same(python, &all->serving->python))
		return;
	log_info("template[%lu]: the interpreter has changed",
	    all->serving->number);
	template_retire(all->serving);
}

struct channel *
templates_fork(struct templates *all, const struct python_stamp *python,
    const struct channel_ends *ends, const struct group *group)
{
	struct template *template;
	struct ipc_fork request = { .box = -1,
		.group = group == NULL ? -1 : IPC_LEND(group_fd(group)) };
	struct err err;
	auto_fd int ours = -1;

	if (all != NULL && all->serving != NULL)
		templates_check_python(all, python);
	templates_want(all);
	if (all == NULL || all->serving == NULL)
		return NULL;
	template = all->serving;
	if (template->forks >= TEMPLATE_FORKS_MAX ||
	    clock_ms() - template->born_ms >= TEMPLATE_AGE_MS)
		templates_start(all);
	if (ipc_pair(&ours, &request.box, 1, NULL) == -1)
		return NULL;
	if (channel_send_fork(template->channel, &request, &err) == -1) {
		template_fail(template, err.text);
		return NULL;
	}
	template->forks++;
	return channel_new(all->boxes->base, &ours, ends);
}

unsigned long
templates_asked(const struct templates *all)
{
	return all == NULL || all->serving == NULL ? 0 : all->serving->number;
}

void
templates_kill(struct templates *all, unsigned long number)
{
	struct template *template;

	if (all == NULL)
		return;
	LIST_FOREACH (template, &all->list, entry)
		if (template->number == number)
			reaper_kill(template->code);
}

int
templates_warm(const struct templates *all, const char **reason)
{
	*reason = all == NULL ? NULL : all->reason;
	return all != NULL && all->serving != NULL;
}
