/*
 * What a container engine enforces, found by trying: see container.h. A
 * rootless engine may ignore limits without an error. Runs in the supervisor,
 * while it starts; reads the exit status of the container, the errors of an
 * engine that could not start it, and whether podman finds annotations.
 */
#include <stdlib.h>
#include <string.h>

#include "../../../common/limits.h"
#include "../../../common/base/mem.h"
#include "../../../common/trial.h"
#include "../../process/process.h"
#include "container.h"
#include "../engine/engine.h"
#include "../shared/language.h"

static const struct container_promise container_promises[TRIAL_PROMISES] = {
	[TRIAL_USER] = { "unprivileged user", "the code is not root",
	    "its code is root", "use another image or engine" },
	[TRIAL_CAPABILITIES] = { "no capabilities", "all sets are empty",
	    "its code has capabilities", "use another engine" },
	[TRIAL_PRIVILEGES] = { "no_new_privs", "set",
	    "its code can gain privileges", "use another engine" },
	[TRIAL_FILTER] = { "seccomp", "a filter is active",
	    "its code may use any system call",
	    "use an engine that supports seccomp profiles" },
	[TRIAL_NETWORK] = { "no network", "no route leads to another machine",
	    "its code has a network", "use another engine" },
	[TRIAL_READ_ONLY] = { "system read-only",
	    "the root directory cannot be written",
	    "its root directory is writable", "use another engine" },
	[TRIAL_NOEXEC] = { "no file is executable",
	    "in /tmp, /workspace, /workspace/out",
	    "its writable directories may hold programs",
	    "use another engine" },
	[TRIAL_ALONE] = { "own processes only",
	    "those of the host are not seen",
	    "its code sees processes of the host", "use another engine" },
	[TRIAL_PROCESSES] = { "limit on processes", "enforced by the engine",
	    "the number of its processes is not limited",
	    "run Caisson as root, or, with version 2 of cgroups, delegate the "
	    "controller pids to your user (see caisson-box(7))" },
	[TRIAL_MEMORY] = { "limit on memory", "enforced by the engine",
	    "its memory is not limited",
	    "run Caisson as root, or, with version 2 of cgroups, delegate the "
	    "controller memory to your user (see caisson-box(7))" },
	[TRIAL_VOLUMES] = { "no writable volumes", "of the image",
	    "its volumes are writable", "use an image without volumes, "
	    "or the runtime podman" },
};

/* Returns the promise that a status names, counted from first, or NULL. */
static const struct container_promise *
container_trial_promise(int status, int first)
{
	return status >= first && status < first + TRIAL_PROMISES ?
	    &container_promises[status - first] : NULL;
}

/* Appends the sentence for a status of common/trial.h, if it is one. */
static void
container_trial_tell(struct buffer *text, const struct container_end *end)
{
	const struct container_promise *broken =
	    container_trial_promise(end->status, TRIAL_FIRST);
	const struct container_promise *untried =
	    container_trial_promise(end->status, TRIAL_UNTRIED);

	if (broken != NULL)
		buffer_printf(text, "%s does not isolate a container here: %s; "
		    "%s", end->program, broken->fails, broken->fix);
	if (untried != NULL) {
		buffer_printf(text, "%s could not be checked for \"%s\"",
		    end->program, untried->name);
		container_fault_quote(text, ": ", end->errors);
		buffer_add_text(text, "; use another engine");
	}
	if (end->status == TRIAL_NO_INTERPRETER)
		buffer_printf(text, "the image %s has no interpreter for the "
		    "code; use an image with python3 in its PATH", end->image);
	if (end->status == TRIAL_INTERPRETER_LATE)
		buffer_printf(text, "python3 of the image %s did not end "
		    "within %d s; use another image", end->image,
		    CONTAINER_INTERPRETER_S);
	if (end->status == TRIAL_INTERPRETER_FAILED) {
		buffer_printf(text, "python3 of the image %s cannot run a box",
		    end->image);
		container_fault_quote(text, ": ", end->errors);
		buffer_add_text(text, "; use another image");
	}
}

int
container_trial_judge(const struct boxes *boxes,
    const struct container_answer *answer, struct err *err)
{
	auto_free char *errors = NULL, *sentence = NULL;
	auto_buffer struct buffer text = { 0 };
	struct container_end end;
	const struct container_boxes *shared;

	if (answer->status == 0)
		return 0;
	errors = container_engine_errors(answer);
	shared = container_boxes(boxes);
	end = (struct container_end){ .program = shared->program,
		.image = shared->image,
		.status = answer->status,
		.killer = answer->killer,
		.errors = errors };
	container_trial_tell(&text, &end);
	sentence = text.len == 0 ? container_fault(&end) :
	                           buffer_take(&text, NULL);
	return err_set(err, "%s", sentence);
}

/*
 * podman's description tells what could weaken its containers: code that tries
 * would not notice all of that. Whether code can write to docker's volumes is
 * tried.
 */
int
container_trial_ask(const struct boxes *boxes, struct err *err)
{
	const struct container_boxes *shared = container_boxes(boxes);
	const char *name = shared->image;
	auto_buffer struct buffer words = { 0 }, answer = { 0 };
	struct container_image image;
	int done;

	container_image_argv(&words, shared->engine, shared->program, name);
	if (container_engine_tell(shared, &words, name, CONTAINER_LIST_MS,
	        &answer, err) == -1 ||
	    container_image_read(
	        shared->engine, name, &answer, &image, err) == -1)
		return -1;
	done = shared->engine != CONTAINER_PODMAN ? 0 :
	    container_image_judge(shared->engine, name, &image, err);
	container_image_reset(&image);
	return done;
}

const struct container_promise *
container_promise_at(int n)
{
	return n < TRIAL_PROMISES ? &container_promises[n] : NULL;
}

/* Fills in the container that tries. Returns 0, or -1 with err. */
static int
container_trial_fill(struct boxes *boxes, struct container_commands *commands,
    struct spawn_program *program, struct err *err)
{
	/* Behind our program, what the interpreter of the image is tried by. */
	static const char *const command[] = { CONTAINER_BOOTSTRAP "/trial",
		"python3", "-I", "-X", "utf8",
		CONTAINER_BOOTSTRAP "/python/trial.py", NULL };
	const struct container_boxes *shared = container_boxes(boxes);
	auto_free char *name = container_sweep_name(shared->label, 0);
	struct container container;

	container_request_fill(boxes, boxes->options, 0, name,
	    language_default(), &container);
	container.command = command;
	container.memory_bytes = CONTAINER_TRIAL_MEMORY;
	container.files_bytes = MIB;
	container.processes = CONTAINER_TRIAL_PROCESSES;
	if (container_check(&container, err) == -1 ||
	    container_trial_ask(boxes, err) == -1)
		return -1;
	container_commands_fill(shared, &container, commands, program);
	return 0;
}

struct engine_call *
container_trial_begin(struct boxes *boxes,
    void (*done)(void *ctx, struct container_answer *answer), void *ctx,
    struct err *err)
{
	struct container_commands commands = { 0 };
	struct spawn_program program = { 0 };
	struct engine_call *call = NULL;

	if (container_trial_fill(boxes, &commands, &program, err) == 0)
		call = container_engine_begin(boxes->base, &program,
		    CONTAINER_TRIAL_MS, done, ctx, err);
	container_commands_free(&commands);
	return call;
}

int
container_trial(struct boxes *boxes, struct err *err)
{
	struct container_commands commands = { 0 };
	struct container_answer answer = { 0 };
	struct spawn_program program = { 0 };
	int failed =
	    container_trial_fill(boxes, &commands, &program, err) == -1 ||
	    container_engine_ask(boxes->base, &program, CONTAINER_TRIAL_MS,
	        &answer, err) == -1 ||
	    container_trial_judge(boxes, &answer, err) == -1;

	container_commands_free(&commands);
	buffer_reset(&answer.out);
	buffer_reset(&answer.errors);
	return failed ? -1 : 0;
}
