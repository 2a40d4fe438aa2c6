/*
 * What a call comes to: its status and its error, from the end of its box and
 * from why it was ended early. Decides nothing about the course of the call.
 */
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "../../common/base/mem.h"
#include "../box/shared/language.h"
#include "../options/options.h"
#include "../process/process.h"
#include "call_parts.h"

uint64_t
call_us(const struct timespec *since, const struct timespec *until)
{
	return (uint64_t)((until->tv_sec - since->tv_sec) * 1000000 +
	    (until->tv_nsec - since->tv_nsec) / 1000);
}

void
call_set_error(struct call *call, const char *fmt, ...)
{
	va_list ap;

	free(call->result.error);
	va_start(ap, fmt);
	call->result.error = mem_vprintf(fmt, ap);
	va_end(ap);
}

/* How a bootstrap begins the sentence about why it does not run code. */
static const char call_not_run[] = "caisson: " CALL_NOT_RUN;

/*
 * Takes that sentence out of the errors, which are no output of code. Returns
 * it, NULL if there is none; the caller frees it.
 */
static char *
call_judge_refusal(struct call_result *result)
{
	struct call_stream *errors = &result->errors;
	const size_t mark = sizeof(call_not_run) - 1;
	const char *end;
	char *sentence;

	if (errors->len < mark || memcmp(errors->data, call_not_run, mark) != 0)
		return NULL;
	end = memchr(errors->data, '\n', errors->len);
	sentence = mem_printf("%.*s",
	    (int)((end == NULL ? errors->len : (size_t)(end - errors->data)) -
	        mark), errors->data + mark);
	errors->len = 0;
	return sentence;
}

/*
 * The box ended before it had the code, so its status is not that of the code.
 */
static void
call_judge_interpreter(struct call *call)
{
	struct call_result *result = &call->result;
	const struct language *language = call->request.language;
	const char *path = language_interpreter(language, call->runs->options);
	char variable[OPTION_NAME_SIZE];
	auto_free char *refusal = call_judge_refusal(result);

	result->status = CALL_ERROR;
	if (refusal != NULL) {
		call_set_error(call, CALL_NOT_RUN "%s", refusal);
	} else if (result->signal != 0) {
		auto_free char *name = signal_name(result->signal);

		call_set_error(call, "%s was killed by %s before it received "
		    "the code", path, name);
	} else {
		option_variable(
		    option_row(language->interpreter)->key, variable);
		call_set_error(call, "%s ended with code %d before it "
		    "received the code: is it %s (%s)?", path,
		    result->exit_code, language->kind, variable);
	}
}

/* The box could not be built: its bootstrap may have told why. */
static void
call_judge_unbuilt(struct call *call)
{
	auto_free char *refusal = call_judge_refusal(&call->result);

	if (refusal == NULL)
		return;
	call->result.unrunnable = true;
	call_set_error(call, "the code was not run: %s", refusal);
}

static const struct options *
call_limits(const struct call *call)
{
	return call->request.limits != NULL ? call->request.limits :
	                                      call->runs->options;
}

char *
request_memory_fix(const struct request *request)
{
	auto_buffer struct buffer name = { 0 };
	const struct options *own;

	if (request->limits == NULL)
		return mem_strdup("raise CAISSON_MEMORY");
	own = request->owner->options;
	if (own != NULL && own->owner_limits == request->limits)
		return mem_strdup("let the operator make another token with "
		    "larger --limits");
	options_add_name(&name, request->limits, OPTION_ID_LANGUAGE_LIMITS);
	return mem_printf("raise the limits of %s in %s",
	    request->language->name, name.data);
}

/* All processes of the box together exceeded the memory limit. */
static void
call_judge_memory(struct call *call)
{
	auto_free char *fix = request_memory_fix(&call->request);
	uint64_t limit = call_limits(call)->memory;
	int whole = limit % MIB == 0;

	call->result.status = CALL_ERROR;
	call->result.signal = 0; /* we sent it */
	call_set_error(call, "Sandbox ran out of memory (limit %llu %s): "
	    "keep less at a time, or %s",
	    (unsigned long long)(whole ? limit / MIB : limit),
	    whole ? "MiB" : "bytes", fix);
}

/* The status of a call that was not ended early: from the end of the code. */
static void
call_judge_code(struct call *call, const struct box *box)
{
	struct call_result *result = &call->result;
	auto_free char *fix = request_memory_fix(&call->request);

	result->status = CALL_ERROR;
	if (result->signal == SIGKILL && box->end.cause == BOX_CAUSE_MEMORY) {
		call_judge_memory(call);
	} else if (result->signal == SIGKILL &&
	    box->end.cause == BOX_CAUSE_UNTOLD) {
		/* Process 1, which would have told, was killed itself. */
		call_set_error(call, "Sandbox was killed by SIGKILL, and "
		    "nothing tells why: it may have run out of memory (limit "
		    "%llu MiB: keep less at a time, or %s), or it was killed "
		    "from outside",
		    (unsigned long long)(call_limits(call)->memory / MIB), fix);
	} else if (result->signal == SIGKILL &&
	    box->end.cause != BOX_CAUSE_CODE) {
		result->signal = 0; /* the box sent it */
		call_set_error(call, "Sandbox was killed: its memory could "
		    "not be measured%s", box->end.cause == BOX_CAUSE_LOOSE ?
		    ", because its processes could not be stopped: do not "
		    "keep sending SIGCONT" : "");
	} else if (!box_knows(box, BOX_HAS_RUN)) {
		call_judge_interpreter(call);
	} else if (result->signal != 0) {
		auto_free char *name = signal_name(result->signal);

		call_set_error(call, "Sandbox was killed by %s", name);
	} else if (result->exit_code != 0) {
		call_set_error(call, CALL_EXITED, result->exit_code);
	} else {
		result->status = CALL_SUCCESS;
	}
}

void
call_take_result(struct call *call, struct box *box)
{
	struct call_result *result = &call->result;

	result->boxed = box_knows(box, BOX_IS_BUILT);
	result->unrunnable = box->fault == BOX_FAULT_INTERPRETER;
	result->facts = box->facts;
	box->facts = (struct box_facts){ 0 };
	result->exited = box->end.exited;
	result->exit_code = box->end.exit_code;
	result->signal = box->end.signal;
	if (box->end.at.tv_sec != 0)
		result->duration_us = call_us(&call->began, &box->end.at);
	if (result->session.interrupted)
		result->exited = 0; /* we ended it */
	result->cpu_us = box->end.cpu_us;
	result->peak_kib = box->end.peak_kib;
	result->out = box->output.out;
	result->errors = box->output.errors;
	box->output.out = box->output.errors = (struct call_stream){ 0 };
	result->pictures = box->output.pictures;
	box->output.pictures = (struct call_pictures){ 0 };
	if (call->request.responds) {
		result->response = box->output.response;
		box->output.response = (struct box_response){ 0 };
	}
	result->tool_calls = box->output.calls.tool_calls;
	result->calls = mem_take(&box->output.calls.told);
	result->waiting = mem_take(&box->output.calls.waiting);
	if (call->cause == CALL_BY_ITSELF)
		call_judge_code(call, box);
	else if (call->cause == CALL_BY_FAILURE && !box_knows(box, BOX_HAS_RUN))
		call_judge_unbuilt(call);
}

/* The deadline has passed. */
static void
call_set_timed_out(struct call *call)
{
	const char *waiting = call->result.waiting;
	const struct options *options = call_limits(call);
	unsigned int most = (unsigned int)options->max_timeout;
	auto_free char *fix = call->request.timeout < most ?
	    mem_printf("%s, up to %u, for longer work",
	        options->command.task == COMMAND_EXEC ? "set --timeout" :
	                                                "pass timeout", most) :
	    mem_strdup("that is the most: split the work into several calls");

	call_set_error(call, "Execution timed out after %us%s%s; %s",
	    call->request.timeout, waiting != NULL ? "; it waited for " : "",
	    waiting != NULL ? waiting : "", fix);
}

void
call_judge(struct call *call)
{
	if (call->cause == CALL_BY_DEADLINE)
		call_set_timed_out(call);
	if (call->cause != CALL_BY_ITSELF)
		call->result.status =
		    call->cause == CALL_BY_DEADLINE ? CALL_TIMEOUT :
		    call->cause == CALL_BY_CANCEL ? CALL_CANCELLED : CALL_ERROR;
}
