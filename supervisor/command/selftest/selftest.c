/*
 * caisson selftest: tests each process and each promise of the box. The program
 * in the box is probe.py of this directory, run as user code of an ordinary
 * call. Only here is the output of a box trusted, since operators test their
 * own machine.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../../common/base/mem.h"
#include "../../../common/role.h"
#include "probe_text.h"
#include "../../peers/broker.h"
#include "../../box/cgroup/cgroup.h"
#include "../../box/container/container.h"
#include "../../box/native/native.h"
#include "../../process/process.h"
#include "../../run/run.h"
#include "../../options/text/colour.h"
#include "../../options/text/json_report.h"
#include "../shared/command.h"
#include "../../box/shared/language.h"
#include "../../front/tools/tool.h"

/* A script that does not end by itself, and its time limit. */
static const char selftest_endless[] = "import time\n"
                                       "while True: time.sleep(600)\n";
#define SELFTEST_ENDLESS_SECONDS 1
#define SELFTEST_PROBE_SECONDS 60

/* Children that use twice the limit together, each of them less than it. */
static const char selftest_greedy[] = "import os, time\n"
                                      "for n in range(8):\n"
                                      "    if os.fork() == 0:\n"
                                      "        b = b'x' * (16 << 20)\n"
                                      "        time.sleep(600)\n"
                                      "time.sleep(600)\n";
#define SELFTEST_GREEDY_MEMORY (64 * MIB)
#define SELFTEST_GREEDY_SECONDS 20

struct selftest {
	struct runs *runs;
	struct owner owner;
	struct options *options; /* of runs, to be changed */
	const struct language *language; /* of the current call */
	bool verbose; /* print every check */
	const char *engine;  /* of containers; NULL: boxes are native */
	struct buffer *json; /* empty at first; NULL: text is printed */
	int passed;
	int failures;
	int weak; /* promises that reduced isolation does not make */
	int seen; /* number of probe lines */
	bool watchdog; /* the memory of the whole box is watched */
	bool unnamed;  /* the box sees the name of the host */
	/* The call that lasts a second, beside the others: how it ended. */
	bool endless; /* as it should */
	char *endless_error; /* NULL: it ended itself */
};

/* The output */

static void
selftest_print(const struct selftest *test, enum colour colour,
    const char *word, const char *name, const char *detail)
{
	if (test->json != NULL) {
		json_report_open(test->json, NULL, '{');
		json_report_text(test->json, "result", word);
		json_report_text(test->json, "name", name);
		json_report_text(test->json, "detail", detail);
		json_report_close(test->json, '}');
		return;
	}
	colour_print(stdout, colour, word, 4);
	printf("  %-28s  %s\n", name, detail);
}

/* Prints the head of a verbose report. */
static void
selftest_print_head(const struct selftest *test)
{
	if (test->json != NULL) {
		json_report_text(test->json, "version", CAISSON_VERSION);
		json_report_open(test->json, "checks", '[');
	} else if (test->verbose) {
		printf("caisson %s, as uid %u\n", CAISSON_VERSION,
		    (unsigned int)geteuid());
	}
}

/* Reports that a check has passed, or why it failed. */
static void
selftest_line(struct selftest *test, int ok, const char *name,
    const char *detail)
{
	test->passed += ok;
	test->failures += !ok;
	if (!ok || test->verbose)
		selftest_print(test, ok ? COLOUR_GOOD : COLOUR_BAD,
		    ok ? "ok" : "FAIL", name, detail);
}

/* Reports a feature that this machine lacks, if no promise depends on it. */
static void
selftest_note(struct selftest *test, const char *name, const char *detail)
{
	selftest_print(test, COLOUR_NOTE, "note", name, detail);
}

/* Reports which of several mechanisms is used. */
static void
selftest_fact(struct selftest *test, const char *name, const char *detail)
{
	if (test->verbose)
		selftest_print(test, COLOUR_NOTE, "note", name, detail);
}

/* Reports the state with reduced isolation in place of a promise. */
static void
selftest_weak(struct selftest *test, const char *name, const char *detail)
{
	test->weak++;
	selftest_print(test, COLOUR_NOTE, "weak", name, detail);
}

static int
selftest_end_json(const struct selftest *test)
{
	json_report_close(test->json, ']');
	json_report_number(test->json, "passed", (uint64_t)test->passed);
	json_report_number(test->json, "failed", (uint64_t)test->failures);
	json_report_number(test->json, "weak", (uint64_t)test->weak);
	json_report_print(test->json);
	return test->failures + test->weak == 0 ? 0 : 1;
}

/* Prints the result. Returns the exit status: 0, or 1. */
static int
selftest_end(const struct selftest *test)
{
	const char *hint = test->verbose ? "" : " (-v lists all checks)";

	if (test->json != NULL)
		return selftest_end_json(test);
	if (test->failures > 0)
		printf("%d check%s failed, %d passed%s.\n", test->failures,
		    test->failures == 1 ? "" : "s", test->passed, hint);
	else if (test->weak > 0)
		printf("%d checks passed%s. This machine supports only reduced "
		    "isolation, which does not make %d of the promises; "
		    "CAISSON_ALLOW_WEAK_ISOLATION allows it.\n",
		    test->passed, hint, test->weak);
	else if (test->engine != NULL)
		printf("%d checks passed%s: containers of %s keep their "
		    "promises. Native boxes keep more: see caisson-box(7).\n",
		    test->passed, hint, test->engine);
	else
		printf("%d checks passed%s: this machine keeps every promise "
		    "of the box.\n", test->passed, hint);
	return test->failures + test->weak == 0 ? 0 : 1;
}

/* The checks */

/*
 * Handles a line of the probe: "ok", "note", "weak" or "FAIL", a name, a
 * detail, separated by tabs.
 */
static void
selftest_probe_line(struct selftest *test, char *line)
{
	char *name = strchr(line, '\t');
	char *detail = name == NULL ? NULL : strchr(name + 1, '\t');

	test->seen++;
	if (detail == NULL) {
		selftest_line(test, 0, "probe", line);
		return;
	}
	*name++ = '\0';
	*detail++ = '\0';
	if (test->weak > 0 && strcmp(line, "weak") == 0)
		selftest_weak(test, name, detail);
	else if (test->unnamed && strcmp(line, "note") == 0)
		selftest_note(test, name, detail);
	else
		selftest_line(test, strcmp(line, "ok") == 0, name, detail);
}

static void
selftest_probe_lines(struct selftest *test, const struct call_stream *out)
{
	auto_free char *text = mem_dup(out->data, out->len);
	char *rest = text;
	char *line;

	while ((line = strsep(&rest, "\n")) != NULL)
		if (line[0] != '\0')
			selftest_probe_line(test, line);
}

/* Reports the mechanism that limits the resources of a box. */
static void
selftest_limits(struct selftest *test, const struct native_facts *facts)
{
	const struct native_boxes *shared = native_boxes(test->runs->boxes);
	char text[ERR_TEXT_SIZE + 256];

	if (shared->cgroup != NULL) {
		snprintf(text, sizeof(text), "%llu MiB and %u processes for a "
		    "box as a whole, in %s",
		    (unsigned long long)(test->options->memory / MIB),
		    test->options->pids, scope_entered() ?
		    "a scope of its own" : "a delegated cgroup");
		selftest_line(test, 1, "cgroup", text);
		return;
	}
	snprintf(text, sizeof(text), "rlimits for each process%s",
	    facts->watchdog ? " and a watchdog over all of them" : "");
	selftest_fact(test, "kind of limits", text);
	test->watchdog = facts->watchdog;
	if (!facts->watchdog)
		selftest_note(test, "memory of the box as a whole", "is not "
		    "limited, as the box has no /proc: each process may use "
		    "its own limit");
	snprintf(text, sizeof(text), "not used: %s; how to get one: start "
	    "Caisson with %s", shared->cgroup_reason, CGROUP_HOW);
	selftest_fact(test, "cgroup", text);
}

/* Reports missing overlays, which required root before Linux 5.11. */
static void
selftest_bound(struct selftest *test, const char *why)
{
	char text[ERR_TEXT_SIZE + 128];

	snprintf(text, sizeof(text), "on files of the host are shared with the "
	    "host, so boxes can signal each other: no overlay (%s)", why);
	selftest_note(test, "locks on files", text);
}

/* Reports the optional features that the kernel provides or lacks. */
static void
selftest_facts(struct selftest *test, const struct native_facts *facts)
{
	char text[128];

	if (facts->landlock > 0) {
		snprintf(text, sizeof(text), "ABI %u is active",
		    facts->landlock);
		selftest_line(test, 1, "landlock", text);
	} else {
		selftest_note(test, "landlock", "absent in this kernel, "
		    "so only namespaces and seccomp isolate the box, and "
		    "remote servers are refused; if the kernel supports it, "
		    "add landlock to its lsm= list");
	}
	if (facts->weak != NULL)
		selftest_weak(test, "locks on files", "on files of the host "
		    "are shared with the host: boxes can signal each other");
	else if (facts->bound == NULL)
		selftest_line(test, 1, "locks on files", "stay in the box: it "
		    "sees directories of the host through overlays");
	else
		selftest_bound(test, facts->bound);
	if (facts->weak != NULL)
		selftest_weak(test, "/proc", "the host's; nothing in it "
		    "can be opened");
	else if (facts->proc)
		selftest_line(test, 1, "/proc", "the box has its own");
	else
		selftest_note(test, "/proc", "cannot be mounted where the "
		    "outer one is masked (in containers): boxes run without "
		    "it; to unmask it: podman run --security-opt unmask=ALL, "
		    "docker run --security-opt systempaths=unconfined");
	selftest_limits(test, facts);
}

static void
selftest_on_probe(void *ctx, const struct call_result *result)
{
	const struct native_facts *facts = native_facts(&result->facts);
	struct selftest *test = ctx;

	if (facts != NULL && facts->weak != NULL)
		selftest_weak(test, "box", facts->weak);
	else if (result->boxed)
		selftest_line(test, 1, "box", "can be built");
	else
		selftest_line(test, 0, "box", result->error);
	if (facts != NULL) {
		selftest_facts(test, facts);
		test->unnamed = facts->unnamed;
	}
	selftest_probe_lines(test, &result->out);
	if (result->boxed && result->status != CALL_SUCCESS) {
		selftest_line(test, 0, "probe", result->error);
		fwrite(result->errors.data, 1, result->errors.len,
		    test->json == NULL ? stdout : stderr);
	} else if (result->boxed && test->seen == 0) {
		selftest_line(test, 0, "probe", "it printed nothing");
	}
}

static void
selftest_on_endless(void *ctx, const struct call_result *result)
{
	struct selftest *test = ctx;

	test->endless = result->status == CALL_TIMEOUT;
	if (result->error != NULL)
		test->endless_error = mem_strdup(result->error);
}

/* Reports on that call, which must have been concluded. */
static void
selftest_time(struct selftest *test)
{
	if (test->endless)
		selftest_line(test, 1, "limit on time",
		    "an endless loop was ended at its deadline");
	else
		selftest_line(test, 0, "limit on time",
		    test->endless_error != NULL ? test->endless_error :
		                                  "it ended itself");
}

static void
selftest_on_greedy(void *ctx, const struct call_result *result)
{
	struct selftest *test = ctx;
	int ended = result->status == CALL_ERROR &&
	    strstr(result->error, "ran out of memory") != NULL;

	selftest_line(test, ended, "memory of the box as a whole",
	    ended ? "children that took too much together were ended" :
	    result->error != NULL ? result->error :
	                            "the box ran on above its limit");
}

static void
selftest_on_idle(void *ctx)
{
	struct selftest *test = ctx;

	event_base_loopbreak(test->runs->base);
}

/* Starts a call. Returns whether it will be concluded. */
static int
selftest_begin(struct selftest *test, const char *text, unsigned int timeout,
    call_concluded *concluded)
{
	struct request request = { .owner = &test->owner,
		.language = test->language,
		.code = mem_strdup(text),
		.code_len = strlen(text),
		.timeout = timeout };
	struct err err;

	if (call_new(test->runs, &request, concluded, test, &err) == NULL) {
		selftest_line(test, 0, "call", err.text);
		return 0;
	}
	return 1;
}

/* Runs one call, and all others, until they are concluded. */
static void
selftest_call(struct selftest *test, const char *text, unsigned int timeout,
    call_concluded *concluded)
{
	if (selftest_begin(test, text, timeout, concluded))
		event_base_dispatch(test->runs->base);
}

/* The box and its launcher are tested by the probe. */
static void
selftest_worker(struct selftest *test, enum role role)
{
	auto_free char *name = mem_printf("process %s", role_info(role)->name);
	struct err err;
	int ok = worker_try(test->runs->base, role, &err) == 0;

	selftest_line(test, ok, name,
	    ok ? "starts, locks itself down, and ends" : err.text);
}

static void
selftest_workers(struct selftest *test)
{
	enum role role;

	for (role = 0; role < ROLES; role++)
		if (worker_try_can(role))
			selftest_worker(test, role);
}

/* Uses a limit of its own; the configured one may be most of the memory. */
static void
selftest_memory(struct selftest *test)
{
	struct options *options = test->options;
	uint64_t memory = options->memory;

	options->memory = SELFTEST_GREEDY_MEMORY;
	selftest_call(test, selftest_greedy, SELFTEST_GREEDY_SECONDS,
	    selftest_on_greedy);
	options->memory = memory;
}

/* Replaces every mark in the probe's text by number. */
static char *
selftest_replace(const char *text, const char *mark, unsigned long long number)
{
	struct buffer replaced = { 0 };
	const char *found;

	while ((found = strstr(text, mark)) != NULL) {
		buffer_add(&replaced, text, (size_t)(found - text));
		buffer_printf(&replaced, "%llu", number);
		text = found + strlen(mark);
	}
	buffer_add_text(&replaced, text);
	return buffer_take(&replaced, NULL);
}

static void
selftest_on_forked(void *ctx, const struct call_result *result)
{
	struct selftest *test = ctx;
	int works = result->status == CALL_SUCCESS;

	selftest_line(test, works, "template",
	    works ? "boxes are forked from one" : result->error);
}

/* Boxes without a template are equally isolated, so that is not a failure. */
static void
selftest_template(struct selftest *test)
{
	struct templates *templates =
	    native_boxes(test->runs->boxes)->templates;
	const char *reason = NULL;

	while (templates != NULL &&
	    !templates_warm(templates, &reason) && reason == NULL)
		event_base_loop(test->runs->base, EVLOOP_ONCE);
	if (reason == NULL && templates != NULL)
		selftest_call(test, "pass\n", SELFTEST_PROBE_SECONDS,
		    selftest_on_forked);
	else if (reason != NULL)
		selftest_note(test, "template", reason);
	else
		selftest_fact(test, "template", "none: every box starts its "
		    "own interpreter (CAISSON_TEMPLATE)");
}

static void
selftest_on_language(void *ctx, const struct call_result *result)
{
	struct selftest *test = ctx;
	int works = result->status == CALL_SUCCESS;
	auto_free char *name = mem_printf("language %s", test->language->name);
	auto_buffer struct buffer version = { 0 };

	/* It ends with a newline. */
	if (works && result->out.len > 0)
		buffer_add(&version, result->out.data, result->out.len - 1);
	buffer_add_text(&version, "");
	/* Without a setting for it, no promise depends on the language. */
	if (!works && test->options->sources[test->language->interpreter] ==
	        OPTIONS_DEFAULT)
		selftest_note(test, name, result->error);
	else
		selftest_line(test, works, name,
		    works ? version.data : result->error);
}

/* Tests the languages of clients, except that of the probe. */
static void
selftest_languages(struct selftest *test)
{
	const struct language *probed = test->language;
	size_t n;

	if (!tools_include(test->options, &run_code_tool))
		return;
	for (n = 0; (test->language = language_at(n)) != NULL; n++)
		if (test->language != probed && test->language->image == NULL)
			selftest_call(test, test->language->version,
			    SELFTEST_PROBE_SECONDS, selftest_on_language);
	test->language = probed;
}

/* The promises are tested in boxes without a template. */
static void
selftest_native(struct selftest *test)
{
	struct native_boxes *shared = native_boxes(test->runs->boxes);
	struct templates *templates = mem_take(&shared->templates);
	auto_free char *sized =
	    selftest_replace(probe_text, "@MEMORY@", test->options->memory);
	auto_free char *probe =
	    selftest_replace(sized, "@PROCESSES@", test->options->pids);

	templates_want(templates); /* while the others run */
	selftest_begin(test, selftest_endless, SELFTEST_ENDLESS_SECONDS,
	    selftest_on_endless);
	selftest_workers(test);
	selftest_call(test, probe, SELFTEST_PROBE_SECONDS, selftest_on_probe);
	if (test->failures == 0)
		selftest_time(test);
	if (test->failures == 0 && (test->watchdog || shared->cgroup != NULL))
		selftest_memory(test);
	selftest_languages(test);
	shared->templates = templates;
	if (test->failures + test->weak == 0)
		selftest_template(test);
}

/* Lists what containers do not keep. */
static void
selftest_kept(struct selftest *test)
{
	const char *promise;
	size_t n;

	for (n = 0; (promise = container_missing_promise(n)) != NULL; n++)
		selftest_fact(test, "native boxes only", promise);
}

/* Containers were tried before (trial.c): a failure has ended us. */
static void
selftest_promises(struct selftest *test)
{
	const struct container_promise *promise;
	int n;

	for (n = 0; (promise = container_promise_at(n)) != NULL; n++)
		selftest_line(test, 1, promise->name, promise->holds);
}

static void
selftest_other(struct selftest *test, const struct runtime *runtime)
{
	selftest_workers(test);
	if (runtime->weak != NULL)
		selftest_weak(test, "box", runtime->weak);
	if (runtime->images)
		selftest_promises(test);
	selftest_call(test, selftest_endless, SELFTEST_ENDLESS_SECONDS,
	    selftest_on_endless);
	selftest_time(test);
	selftest_languages(test);
	if (runtime->images)
		selftest_kept(test);
}

int
selftest_run(struct command_setup *setup, struct err *)
{
	struct options *options = setup->options;
	struct runs *runs = setup->runs;
	const struct runtime *runtime = runs->boxes->runtime;
	auto_buffer struct buffer json = { 0 };
	struct selftest test = { .runs = runs,
		.options = options,
		.verbose = options_json(options) || command_has(
		    &options->command.flags, COMMAND_FLAG_VERBOSE),
		.engine = runtime->images ? runtime->name : NULL,
		.json = options_json(options) ? &json : NULL,
		.language = language_find("python") };

	owner_open_user(&test.owner, runs);
	runs->idle = selftest_on_idle;
	runs->idle_ctx = &test;
	command_tell_wait("the tests of this machine, a few seconds");
	selftest_print_head(&test);
	if (runtime == &native_runtime)
		selftest_native(&test);
	else
		selftest_other(&test, runtime);
	owner_close(&test.owner, runs);
	free(test.endless_error);
	return selftest_end(&test);
}
