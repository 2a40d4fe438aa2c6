/* The state shared by all containers of a run: see container.h. */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "../../../common/base/log.h"
#include "../../../common/base/mem.h"
#include "../../../common/base/text_list.h"
#include "../../process/process.h"
#include "container.h"
#include "../engine/engine.h"
#include "../shared/language.h"

/* The files that every container needs, beside our workers. */
static int
container_boxes_find_files(struct container_boxes *shared, struct err *err)
{
	auto_free char *trial = NULL;

	shared->bootstrap = process_beside("box");
	shared->profile = process_beside("box_profile.json");
	if (shared->bootstrap == NULL || shared->profile == NULL)
		return err_set(err, "%s is missing beside the workers of "
		    "Caisson: install it again",
		    shared->bootstrap == NULL ? "the folder box" :
		        "box_profile.json");
	/* Our programs that run in containers. They are only built static. */
	trial = process_beside("box/trial");
	shared->first = process_beside("box/first");
	if (trial != NULL && shared->first != NULL)
		return 0;
	return err_set(err, "the program %s, which containers need, is missing "
	    "in the folder box of Caisson: build Caisson with a static C "
	    "library, and install it again",
	    trial == NULL ? "trial" : "first");
}

/* Says how to get the image, which is lacking. Always returns -1. */
static int
container_boxes_refuse_lack(const struct boxes *boxes, struct err *err)
{
	const struct container_boxes *shared = container_boxes(boxes);

	return err_set(err, "the image %s is not here yet: the first call "
	    "fetches it, or now '%s pull %s'; 'caisson image build python "
	    "--engine %s' makes one without a registry", shared->image,
	    shared->program, shared->image, container_names[shared->engine]);
}

/* Removes a container of a Caisson that has ended, in the background. */
static void
container_boxes_on_stale(void *ctx, const char *name)
{
	struct boxes *boxes = ctx;

	log_info("removing the container %s of a Caisson that has ended", name);
	container_remove(boxes, name);
}

/*
 * Finds those of a list that were left when Caisson and its keepers were
 * killed. Of a list that was cut, the rest is for the next start.
 */
static void
container_boxes_sweep_list(
    struct boxes *boxes, const struct buffer *list, int cut)
{
	const struct container_boxes *shared = container_boxes(boxes);
	const struct container_sweep sweep = { shared->label, shared->locks };
	const char *text = list->data == NULL ? "" : list->data;

	container_sweep_each(
	    &sweep, text, list->len, container_boxes_on_stale, boxes);
	if (cut)
		log_warn("%s lists more containers than are examined at one "
		    "start: the next start removes others of a Caisson that "
		    "has ended", shared->program);
}

static int
container_boxes_sweep(struct boxes *boxes, struct err *err)
{
	const struct container_boxes *shared = container_boxes(boxes);
	struct spawn_program program = { .path = shared->program,
		.envp = shared->envp,
		.cwd = "/" };
	struct container_answer answer = { 0 };
	auto_buffer struct buffer list = { 0 };
	auto_free char **argv = NULL;
	int failed;

	container_argv_list(&list, shared->engine, shared->program);
	argv = text_list_vector(list.data, list.len);
	program.argv = argv;
	failed = container_engine_ask_part(boxes->base, &program,
	    CONTAINER_LIST_MS, &answer, err) == -1;
	/* If it has failed, the trial says why. */
	if (!failed && (answer.status == 0 || answer.cut))
		container_boxes_sweep_list(boxes, &answer.out, answer.cut);
	buffer_reset(&answer.out);
	buffer_reset(&answer.errors);
	return failed ? -1 : 0;
}

/* Warns of an option for interpreters of the host that was set. */
static void
container_boxes_note_option(const struct options *options, enum option_id id)
{
	auto_buffer struct buffer name = { 0 };

	if (options->sources[id] == OPTIONS_DEFAULT)
		return;
	options_add_name(&name, options, id);
	log_warn("%s has no effect in containers: the image has the "
	    "interpreters and their packages", name.data);
}

/*
 * Takes the lock by which others learn of our end. Without one, only a Caisson
 * that sees our processes removes what we would leave.
 */
static void
container_boxes_lock(struct container_boxes *shared)
{
	struct err err;

	shared->locks = container_lock_folder(&err);
	if (shared->locks != NULL)
		shared->lock = container_lock_take(
		    shared->locks, shared->label, &err);
	if (shared->lock == -1)
		log_info("no lock for containers: %s", err.text);
}

/* Tries the engine. */
static int
container_boxes_try(struct boxes *boxes, int only_refuses, struct err *err)
{
	struct container_boxes *shared = container_boxes(boxes);
	const char *value = boxes->options->runtime;
	const struct language *language;
	size_t i;

	if (container_program_find(shared, value, err) == -1 ||
	    container_fetch_choose(boxes, err) == -1)
		return -1;
	/* A selftest tries the image; the first call would fetch it. */
	if (shared->lacking && (only_refuses ||
		boxes->options->command.task == COMMAND_SELFTEST)) {
		container_boxes_refuse_lack(boxes, err);
		if (!only_refuses)
			return -1;
		log_warn("%s", err->text);
		return 0;
	}
	if (only_refuses)
		return container_trial_ask(boxes, err);
	container_boxes_lock(shared);
	if (container_boxes_sweep(boxes, err) == -1 ||
	    (!shared->lacking && container_trial(boxes, err) == -1))
		return -1;
	for (i = 0; (language = language_at(i)) != NULL; i++)
		if (language->image == NULL)
			container_boxes_note_option(
			    boxes->options, language->interpreter);
	container_boxes_note_option(boxes->options, OPTION_ID_PRELOAD);
	if (options_argument(boxes->options, ARGUMENT_SESSION))
		log_warn("containers have no sessions: calls with the argument "
		    "session are refused; take it out of CAISSON_ARGUMENTS");
	return 0;
}

static int
container_probe(struct boxes *boxes, int only_refuses, struct err *err)
{
	struct container_boxes *shared = mem_alloc(sizeof(*shared));
	const char *value = boxes->options->runtime;
	struct rlimit limit;
	const char *group;

	boxes->shared = shared;
	shared->lock = -1;
	shared->engine = (enum container_engine)container_program_engine(value);
	/*
	 * A limit above our own, or above the one that podman sets for itself,
	 * needs a privilege that an engine may not have.
	 */
	shared->user_processes = CONTAINER_USER_PROCESSES;
	if (getrlimit(RLIMIT_NPROC, &limit) == 0 &&
	    limit.rlim_max < shared->user_processes)
		shared->user_processes = limit.rlim_max;
	/* The option was checked: see option_user_parse. */
	group = strchr(boxes->options->container_user, ':') + 1;
	shared->uid = (uint32_t)strtoul(boxes->options->container_user, NULL,
	    10);
	shared->gid = (uint32_t)strtoul(group, NULL, 10);
	if (container_boxes_find_files(shared, err) == -1)
		return -1;
	shared->label = container_sweep_label(err);
	return shared->label == NULL ? -1 :
	    container_boxes_try(boxes, only_refuses, err);
}

static void
container_finish(struct boxes *boxes)
{
	struct container_boxes *shared = mem_take(&boxes->shared);

	container_fetch_free(&shared->fetch);
	reaper_finish(CONTAINER_FINISH_MS);
	container_removal_end(shared);
	if (shared->locks != NULL)
		container_lock_end(shared->locks, shared->label, &shared->lock);
	free(shared->locks);
	free(shared->program);
	free(shared->image);
	free(shared->label);
	free(shared->bootstrap);
	free(shared->first);
	free(shared->profile);
	free(shared->envp);
	buffer_reset(&shared->environment);
	free(shared);
}

const struct runtime_shared container_shared = {
	.probe = container_probe,
	.finish = container_finish,
	.lacks = container_fetch_lacks,
	.fetch = container_fetch_begin,
};
