/* Counts executions and writes the figures: see figures.h. */
#include <stdlib.h>
#include <string.h>

#include "../../common/base/mem.h"
#include "../box/shared/language.h"
#include "../peers/broker.h"
#include "call_parts.h"
#include "figures.h"
#include "pool.h"
#include "session.h"

/* Milliseconds, in rising order; what exceeds the last counts as +Inf. */
static const unsigned int figures_bounds[FIGURES_BOUNDS] = { 1, 2, 5, 10, 25,
	50, 100, 250, 500, 1000, 2500, 5000, 10000, 30000, 60000, 300000 };

/* Counting */

/* Above the bound, new owners share a row for each language. */
static struct figures_calls *
figures_find(struct figures *figures, const char *owner, const char *language)
{
	struct figures_calls *calls;
	size_t i;

	for (i = 0; i < figures->ncalls; i++) {
		calls = &figures->calls[i];
		if (strcmp(calls->owner, owner) == 0 &&
		    strcmp(calls->language, language) == 0)
			return calls;
	}
	if (figures->ncalls >= FIGURES_CALLS_MAX &&
	    strcmp(owner, FIGURES_OTHERS) != 0)
		return figures_find(figures, FIGURES_OTHERS, language);
	figures->calls = mem_resize(figures->calls,
	    (figures->ncalls + 1) * sizeof(*figures->calls));
	calls = &figures->calls[figures->ncalls++];
	*calls = (struct figures_calls){ mem_strdup(owner), language, { 0 } };
	return calls;
}

static void
figures_add_time(struct figures *figures, enum figure_time which,
    const struct timespec *since, const struct timespec *until)
{
	uint64_t us = call_us(since, until);
	size_t i;

	for (i = 0; i < FIGURES_BOUNDS; i++)
		if (us <= figures_bounds[i] * UINT64_C(1000))
			break;
	if (i < FIGURES_BOUNDS)
		figures->times[which].within[i]++;
	figures->times[which].count++;
	figures->times[which].sum_us += us;
}

void
figures_add_call(struct figures *figures, const struct call *call)
{
	const struct call_result *result = &call->result;
	struct timespec now;
	size_t i;

	clock_gettime(CLOCK_MONOTONIC, &now);
	figures_find(figures, call->request.owner->name,
	    call->request.language->name)->ended[result->status]++;
	figures->out_bytes += result->out.len + result->errors.len;
	figures->tool_calls += result->tool_calls;
	figures->files += result->files.count;
	for (i = 0; i < result->files.count; i++)
		figures->file_bytes += result->files.one[i].size;
	if (call->began.tv_sec == 0)
		return;
	figures_add_time(figures, FIGURE_WAIT, &call->asked, &call->began);
	if (call->ran.tv_sec == 0)
		return;
	figures_add_time(figures, FIGURE_START, &call->began, &call->ran);
	figures_add_time(figures, FIGURE_RUN, &call->ran, &now);
}

void
figures_reset(struct figures *figures)
{
	while (figures->ncalls > 0)
		free(figures->calls[--figures->ncalls].owner);
	free(mem_take(&figures->calls));
}

/* Writing */

static void
figures_add_help(struct buffer *text, const char *name, const char *type,
    const char *help)
{
	buffer_printf(text, "# HELP caisson_%s %s\n# TYPE caisson_%s %s\n",
	    name, help, name, type);
}

static void
figures_add(struct buffer *text, const char *name, const char *type,
    uint64_t value, const char *help)
{
	figures_add_help(text, name, type, help);
	buffer_printf(
	    text, "caisson_%s %llu\n", name, (unsigned long long)value);
}

/* Appends name="value" as the format escapes it. */
static void
figures_add_label(struct buffer *text, const char *name, const char *value)
{
	buffer_printf(text, "%s=\"", name);
	for (; *value != '\0'; value++)
		if (*value == '\n')
			buffer_add_text(text, "\\n");
		else
			buffer_printf(text, "%s%c",
			    strchr("\\\"", *value) != NULL ? "\\" : "", *value);
	buffer_add_text(text, "\"");
}

static void
figures_add_calls(struct buffer *text, const struct figures *figures)
{
	const struct figures_calls *calls;
	size_t i, status;

	figures_add_help(text, "calls_total", "counter",
	    "Calls that have ended.");
	for (i = 0; i < figures->ncalls; i++) {
		calls = &figures->calls[i];
		for (status = 0; status < 4; status++) {
			if (calls->ended[status] == 0)
				continue;
			buffer_add_text(text, "caisson_calls_total{");
			figures_add_label(text, "outcome",
			    call_status_word((enum call_status)status));
			figures_add_label(text, ",language", calls->language);
			figures_add_label(text, ",owner", calls->owner);
			buffer_printf(text, "} %llu\n",
			    (unsigned long long)calls->ended[status]);
		}
	}
}

static void
figures_add_times(struct buffer *text, const struct figures *figures)
{
	static const struct {
		const char *name, *help;
	} rows[FIGURE_TIMES] = {
		[FIGURE_WAIT] = { "call_wait_seconds",
		    "Time for which calls waited for a place." },
		[FIGURE_START] = { "call_start_seconds",
		    "Time from a place until the code ran." },
		[FIGURE_RUN] = { "call_run_seconds",
		    "Time from then until the answer." },
	};
	uint64_t sum;
	size_t i, n;

	for (i = 0; i < FIGURE_TIMES; i++) {
		figures_add_help(text, rows[i].name, "histogram", rows[i].help);
		for (n = 0, sum = 0; n < FIGURES_BOUNDS; n++) {
			sum += figures->times[i].within[n];
			buffer_printf(text, "caisson_%s_bucket{le=\"%g\"} "
			    "%llu\n", rows[i].name, figures_bounds[n] / 1000.0,
			    (unsigned long long)sum);
		}
		buffer_printf(text,
		    "caisson_%s_bucket{le=\"+Inf\"} %llu\n"
		    "caisson_%s_sum %.6f\ncaisson_%s_count %llu\n",
		    rows[i].name, (unsigned long long)figures->times[i].count,
		    rows[i].name, (double)figures->times[i].sum_us / 1e6,
		    rows[i].name, (unsigned long long)figures->times[i].count);
	}
}

static void
figures_add_refusals(struct buffer *text, const struct figures *figures)
{
	static const char *const words[] = { [FIGURE_QUEUE] = "queue",
		[FIGURE_RATE] = "rate",
		[FIGURE_TOKEN] = "token" };
	size_t i;

	figures_add_help(text, "refusals_total", "counter",
	    "Requests refused because the queue was full, a token had sent too "
	    "many or used up its processor time, or it was none.");
	for (i = 0; i < FIGURE_REFUSALS; i++)
		buffer_printf(text,
		    "caisson_refusals_total{reason=\"%s\"} %llu\n", words[i],
		    (unsigned long long)figures->refused[i]);
}

static void
figures_add_server(void *ctx, const char *name, uint64_t starts)
{
	struct buffer *text = ctx;

	buffer_add_text(text, "caisson_server_starts_total{");
	figures_add_label(text, "server", name);
	buffer_printf(text, "} %llu\n", (unsigned long long)starts);
}

void
figures_add_text(struct buffer *text, const struct runs *runs)
{
	const struct figures *figures = &runs->figures;

	figures_add_calls(text, figures);
	figures_add_times(text, figures);
	figures_add_refusals(text, figures);
	figures_add(text, "calls_running", "gauge", runs->nrunning,
	    "Calls that have a place.");
	figures_add(text, "calls_waiting", "gauge", runs->nwaiting,
	    "Calls that wait for a place.");
	figures_add(text, "places", "gauge", runs->options->max_concurrent,
	    "Calls that may run at once.");
	figures_add(text, "boxes", "gauge", runs->boxes->count,
	    "Boxes, those that start or end included.");
	figures_add(text, "boxes_ready", "gauge", pool_ready(runs->pool),
	    "Boxes that wait for a call.");
	figures_add(text, "boxes_started_total", "counter",
	    runs->boxes->started, "Boxes started.");
	figures_add(text, "sessions", "gauge", runs->sessions == NULL ? 0 :
	    sessions_of(&runs->sessions->list, NULL),
	    "Sessions whose state is kept.");
	figures_add(text, "clients", "gauge", runs->clients,
	    "Clients with a session over HTTP.");
	figures_add(text, "output_bytes_total", "counter", figures->out_bytes,
	    "Bytes of output shown to clients.");
	figures_add(text, "tool_calls_total", "counter", figures->tool_calls,
	    "Calls of tools by code.");
	figures_add(text, "files_total", "counter", figures->files,
	    "Files that code has left.");
	figures_add(text, "file_bytes_total", "counter", figures->file_bytes,
	    "Bytes of these files.");
	figures_add_help(text, "server_starts_total", "counter",
	    "Starts of MCP servers.");
	if (runs->peers.broker != NULL)
		broker_each_server(
		    runs->peers.broker, figures_add_server, text);
}

const char *
figures_unready(const struct runs *runs)
{
	static struct err why;
	const char *lacks = boxes_lack(runs->boxes);
	int tried = runs->draining || lacks != NULL || pool_try(runs->pool);
	const char *fault = pool_fault(runs->pool);

	if (runs->draining)
		err_set(&why, "Caisson is ending");
	else if (lacks != NULL)
		err_set(&why, "%s is missing here: the next call fetches it",
		    lacks);
	else if (fault != NULL)
		err_set(&why, "the last box failed: %s", fault);
	else if (runs->nwaiting >= (size_t)runs->options->queue &&
	    runs->nrunning >= (size_t)runs->options->max_concurrent)
		err_set(&why, "every place is taken, and %zu calls wait",
		    runs->nwaiting);
	else if (!tried)
		err_set(&why, "the first box starts: none was tried before");
	else
		return NULL;
	return why.text;
}
