/*
 * The process put together, and taken apart: what main needs for each of its
 * actions, and the one teardown of all of them. Runs in the supervisor.
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../common/clock.h"
#include "../common/fd.h"
#include "../common/log.h"
#include "../common/loop.h"
#include "../common/mem.h"
#include "../common/shown.h"
#include "front/front.h"
#include "peers/broker.h"
#include "peers/files.h"
#include "peers/store.h"
#include "process/process.h"
#include "run/pool.h"
#include "servers/in_force.h"
#include "servers/servers.h"
#include "supervisor.h"

/* epoll cannot wait for regular files; other ways can. */
static int
supervisor_needs_any_file(void)
{
	struct stat in, out;

	if (fstat(STDIN_FILENO, &in) == -1 || fstat(STDOUT_FILENO, &out) == -1)
		return 1;
	return !(S_ISFIFO(in.st_mode) || S_ISSOCK(in.st_mode)) ||
	    !(S_ISFIFO(out.st_mode) || S_ISSOCK(out.st_mode));
}

/* Other servers are in force than before. */
static void
supervisor_on_config(void *ctx)
{
	struct supervisor *sv = ctx;

	broker_reconfigure(sv->broker);
}

/* Who keeps what is to last longer than a call; neither starts yet. */
static void
supervisor_prepare_state(struct supervisor *sv, char **envp)
{
	sv->store = store_new(sv->base, &sv->options, envp);
	sv->files = files_new(sv->base, &sv->options, envp);
}

/* Who knows the servers, and who speaks with them; neither starts yet. */
static void
supervisor_prepare_servers(struct supervisor *sv, char **envp)
{
	static char folder[PATH_MAX];
	struct servers_setup setup = { .base = sv->base,
		.envp = envp,
		.folder = folder,
		.named = sv->options.servers_config,
		.self = "/proc/self/exe",
		.trust_project = (int)sv->options.trust_project_files,
		.allow_self = (int)sv->options.allow_self_server,
		.clock = clock_ms };
	struct broker_policy policy;

	/* In a folder that is gone there are no project files to find. */
	if (getcwd(folder, sizeof(folder)) == NULL)
		folder[0] = '\0';
	sv->config = in_force_new(&setup, supervisor_on_config, sv);
	policy = (struct broker_policy){ sv->options.tool_timeout,
		sv->options.memory_api != 0, sv->audit };
	sv->broker = broker_new(sv->base, sv->config, envp, &policy);
	/* Actions keep nothing; commands such as "memory" are none. */
	if (sv->options.action == OPTION_NONE)
		supervisor_prepare_state(sv, envp);
	broker_use_store(sv->broker, sv->store);
	sv->runs.config = sv->config;
	sv->runs.broker = sv->broker;
	sv->runs.store = sv->store;
	sv->runs.files = sv->files;
}

/* Returns what keeps a path from being an interpreter of Python, or NULL. */
static const char *
supervisor_python_refusal(const char *python)
{
	auto_free char *three = mem_printf("%s/bin/python3", python);
	auto_free char *plain = mem_printf("%s/bin/python", python);
	struct stat st;

	if (stat(python, &st) == -1)
		return errno == ENOENT || errno == ENOTDIR ?
		    "which does not exist" : NULL;
	if (S_ISDIR(st.st_mode))
		return access(three, F_OK) == -1 && errno == ENOENT &&
		        access(plain, F_OK) == -1 && errno == ENOENT ?
		    "a folder without bin/python3" : NULL;
	return S_ISREG(st.st_mode) && (st.st_mode & 0111) != 0 ? NULL :
		"which is not a program";
}

/*
 * Whether the interpreter of run_python is there at all, where clients see that
 * tool: a call finds out the rest.
 */
static int
supervisor_probe_python(const struct options *options, struct err *err)
{
	const char *const *tools = option_row(OPTION_ID_TOOLS)->words;
	auto_buffer struct buffer text = { 0 };
	const char *refusal;
	size_t i;

	for (i = 0; strcmp(tools[i], "run_python") != 0; i++)
		;
	if ((options->tools & 1U << i) == 0)
		return 0;
	refusal = supervisor_python_refusal(options->python);
	if (refusal == NULL)
		return 0;
	options_add_name(&text, options, OPTION_ID_PYTHON);
	buffer_add_text(&text, " is ");
	shown_add_quoted(&text, options->python, OPTION_PATH_MAX);
	return err_set(err, "%s, %s: set it to the absolute path of a Python "
	    "3.8 or later, or of a virtual environment", text.data, refusal);
}

/* What there is for boxes, where any will be built, or may be refused. */
static int
supervisor_probe(struct supervisor *sv, struct err *err)
{
	enum option_action action = sv->options.action;
	enum command_task task = sv->options.command.task;

	if (task != COMMAND_LIBRARIES && (task != COMMAND_NONE ||
	        (!options_serves(&sv->options) && action != OPTION_SELFTEST &&
	            action != OPTION_CHECK)))
		return 0;
	if (supervisor_probe_python(&sv->options, err) == -1)
		return -1;
	return sv->boxes.runtime->probe(
	    &sv->boxes, action == OPTION_CHECK, err);
}

/* The limits and the programs of this process, and nothing outside of it. */
int
supervisor_prepare_process(const struct options *options, struct err *err)
{
	signal(SIGPIPE, SIG_IGN);
	/* A log that may not grow is no reason to end. */
	signal(SIGXFSZ, SIG_IGN);
	if (process_limits_raise(options, err) == -1)
		return -1;
	return spawn_init(err);
}

void
supervisor_assemble(struct supervisor *sv, struct event_base *base)
{
	sv->base = base;
	sv->boxes.base = base;
	sv->boxes.options = &sv->options;
	sv->boxes.runtime =
	    runtime_find(options_word(&sv->options, OPTION_ID_RUNTIME));
	sv->boxes.times = (struct box_times){ BOX_START_MS, BOX_DRAIN_MS,
		BOX_LEAVINGS_MS };
	runs_init(&sv->runs, &sv->boxes);
	sv->runs.times =
	    (struct call_times){ CALL_REPLACE_MS, CALL_RETRY_MS };
}

int
supervisor_prepare(struct supervisor *sv, char **envp, struct err *err)
{
	supervisor_assemble(sv, loop_new(supervisor_needs_any_file()));
	reaper_init(sv->base);
	worker_init(supervisor_routes());
	supervisor_prepare_servers(sv, envp);
	return supervisor_prepare_process(&sv->options, err) == -1 ||
	        identity_init(IDENTITY_CLAIMS, err) == -1 ||
	        supervisor_probe(sv, err) == -1 ? -1 : 0;
}

int
supervisor_check(struct supervisor *sv, struct err *err)
{
	if (supervisor_prepare_process(&sv->options, err) == -1 ||
	    identity_check(err) == -1)
		return -1;
	supervisor_assemble(sv, loop_new(0));
	reaper_init(sv->base);
	return supervisor_probe(sv, err);
}

/*
 * What has processes lets go of them first; those that are left are ended and
 * reaped; then what only has memory.
 */
void
supervisor_free(struct supervisor *sv)
{
	pool_free(&sv->runs.pool);
	boxes_free_dropped(&sv->boxes);
	store_finish(sv->store);
	if (sv->boxes.shared != NULL)
		sv->boxes.runtime->sweep(&sv->boxes);
	else if (sv->base != NULL)
		reaper_finish(SHUTDOWN_REAP_MS);
	/* Now the client may see the end: nothing of us is left. */
	if (sv->client != NULL) {
		stdio_free(&sv->client);
		owner_close(&sv->user, &sv->runs);
	}
	files_free(&sv->files);
	store_free(&sv->store);
	broker_free(&sv->broker);
	in_force_free(&sv->config);
	if (sv->base != NULL)
		event_base_free(sv->base);
	sv->base = NULL;
	fd_close(&sv->audit);
	options_free(&sv->options);
}
