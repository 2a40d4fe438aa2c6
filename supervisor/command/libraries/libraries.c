/*
 * caisson libraries: lists the libraries that code finds. libraries.py of this
 * directory runs in a box as an ordinary call. Its output is passed on to the
 * terminal, not parsed.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../common/limits.h"
#include "../../../common/base/mem.h"
#include "../../../common/base/shown.h"
#include "../../box/shared/language.h"
#include "../../options/text/json_report.h"
#include "../../run/run.h"
#include "../shared/command.h"
#include "libraries_text.h"

/* It takes 0.3 s, or longer if a slow disk must be read first. */
#define LIBRARIES_SECONDS 60
/* Enough for all output, even if calls may print very little. */
#define LIBRARIES_OUTPUT (64 * KIB)

struct libraries {
	struct runs *runs;
	struct owner owner;
	int status;
};

static void
libraries_on_result(void *ctx, const struct call_result *result)
{
	struct libraries *libraries = ctx;
	auto_buffer struct buffer said = { 0 };
	size_t len = result->errors.len;

	if (result->status == CALL_SUCCESS) {
		json_report_put(stdout, result->out.data, result->out.len, 1);
		return;
	}
	libraries->status = 1;
	while (len > 0 && result->errors.data[len - 1] == '\n')
		len--;
	shown_add(&said, result->errors.data, len);
	fprintf(stderr, "caisson: the interpreter of the box cannot be asked: "
	    "%s%s%s\n", result->error, said.len > 0 ? ": " : "",
	    said.len > 0 ? said.data : "");
}

static void
libraries_on_idle(void *ctx)
{
	struct libraries *libraries = ctx;

	event_base_loopbreak(libraries->runs->base);
}

/* Replaces the only occurrence of mark by text. */
static void
libraries_fill(struct buffer *code, const char *mark, const char *text)
{
	const char *found = strstr(code->data, mark);
	struct buffer filled = { 0 };

	buffer_add(&filled, code->data, (size_t)(found - code->data));
	buffer_add_text(&filled, text);
	buffer_add_text(&filled, found + strlen(mark));
	buffer_reset(code);
	*code = filled;
}

/* Returns the command that builds an image for boxes; the caller frees it. */
static char *
libraries_build(const struct runtime *runtime)
{
	if (!runtime->images)
		return mem_strdup("");
	return mem_printf(
	    "caisson image build python --engine %s", runtime->name);
}

/* Returns the home folder for a command line: as it is, if that is safe. */
static const char *
libraries_home(void)
{
	const char *home = getenv("HOME");

	return home == NULL || home[0] != '/' ||
	        strspn(home, "/abcdefghijklmnopqrstuvwxyz"
	                     "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") !=
	            strlen(home) ?
	    "~" : home;
}

/* Adds the script for this command; the settings contain no quotes. */
static void
libraries_write(struct buffer *code, const struct runs *runs,
    const struct options *options)
{
	const struct command *command = &options->command;
	auto_free char *build = libraries_build(runs->boxes->runtime);

	buffer_add_text(code, libraries_text);
	libraries_fill(code, "@SET@",
	    command->operand == NULL ? "" : command->operand);
	libraries_fill(code, "@FORM@",
	    command_has(&command->flags, COMMAND_FLAG_JSON) ? "json" : "");
	libraries_fill(code, "@PRELOAD@", options->preload);
	libraries_fill(code, "@BUILD@", build);
	libraries_fill(code, "@HOME@", libraries_home());
}

/* Runs the script. */
static void
libraries_ask(struct libraries *libraries, struct options *options)
{
	struct runs *runs = libraries->runs;
	struct request request = { .owner = &libraries->owner,
		.language = language_find("python"),
		.timeout = LIBRARIES_SECONDS };
	auto_buffer struct buffer code = { 0 };
	struct err err;

	libraries_write(&code, runs, options);
	request.code = buffer_take(&code, &request.code_len);
	options->max_output = LIBRARIES_OUTPUT;
	options->calls_days = 0; /* no call of the user: nothing is kept */
	owner_open_user(&libraries->owner, runs);
	runs->idle = libraries_on_idle;
	runs->idle_ctx = libraries;
	if (call_new(runs, &request, libraries_on_result, libraries, &err) ==
	    NULL) {
		fprintf(stderr, "caisson: %s\n", err.text);
		libraries->status = 1;
	} else {
		event_base_dispatch(runs->base);
	}
	owner_close(&libraries->owner, runs);
}

int
libraries_run(struct command_setup *setup, struct err *)
{
	struct runs *runs = setup->runs;
	struct libraries libraries = { .runs = runs };

	libraries_ask(&libraries, setup->options);
	return libraries.status;
}
