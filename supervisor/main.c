/*
 * caisson, the process: reads its options, moves the client's descriptors out
 * of everybody's way, and runs the loop until the client or a signal ends it.
 * Runs in the supervisor.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../common/clock.h"
#include "../common/fd.h"
#include "../common/log.h"
#include "../common/loop.h"
#include "../common/mem.h"
#include "peers/audit_file.h"
#include "peers/broker.h"
#include "box/cgroup.h"
#include "command/client_config.h"
#include "servers/config.h"
#include "options/file_trial.h"
#include "run/pool.h"
#include "servers/servers.h"
#include "peers/store.h"
#include "supervisor.h"
#include "box/template.h"
#include "process/process.h"
#include "run/run.h"
#include "front/front.h"
#include "command/command.h"
#include "box/box.h"

/* Exit statuses: caisson(1). */
#define MAIN_EXIT_USAGE 2

/* What asks the program to end. */
static const int main_signals[] = { SIGTERM, SIGINT, SIGHUP };

/* The program while it serves one client on standard input and output. */
struct main_serving {
	struct supervisor sv;
	struct client *client;
	struct event *signals[sizeof(main_signals) / sizeof(main_signals[0])];
};

/* Descriptors 0 to 2 exist, so that nothing else is opened in their place. */
static void
main_open_standard_fds(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	while (fd >= 0 && fd <= STDERR_FILENO);
	fd_close(&fd);
}

/*
 * Moves the client's descriptors off 0 and 1: a stray read finds nothing
 * there, and a stray print goes to the log.
 */
static int
main_move_client(int *in, int *out, struct err *err)
{
	auto_fd int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	*in = fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, WORKER_CHANNEL_FD + 1);
	*out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, WORKER_CHANNEL_FD + 1);
	if (null == -1 || *in == -1 || *out == -1 ||
	    dup2(null, STDIN_FILENO) == -1 ||
	    dup2(STDERR_FILENO, STDOUT_FILENO) == -1)
		return err_sys(err, "move the descriptors of the client");
	return 0;
}

static int
main_refuse_log(const char *path, const struct err *why, struct err *err)
{
	return err_set(err, "the log file %s cannot be used "
	    "(MCP_BRIDGE_LOG_FILE): %s", path, why->text);
}

static int
main_open_log(const char *path, struct err *err)
{
	auto_fd int fd = -1;
	struct err why;

	if (path[0] == '\0')
		return 0;
	fd = file_trial_open(path, &why);
	if (fd == -1)
		return main_refuse_log(path, &why, err);
	if (dup2(fd, STDERR_FILENO) == -1)
		return err_sys(err, "use the log file %s", path);
	return 0;
}

/* Always -1: with what would help. */
static int
main_refuse_nofile(const struct options *options, unsigned long long allowed,
    unsigned long long needed, struct err *err)
{
	static const unsigned long least =
	    SUPERVISOR_NOFILE_OWN + SUPERVISOR_NOFILE_CALL;

	err_set(err, "only %llu descriptors are allowed, but Caisson needs "
	    "%llu: raise the hard limit ('ulimit -n %llu' as root, "
	    "LimitNOFILE= in a systemd unit)", allowed, needed, needed);
	/* Below that one call without a pool has too few. */
	if (allowed >= least) {
		struct err why = *err;

		err_set(err, "%s or lower MCP_BRIDGE_MAX_CONCURRENT (%u calls "
		    "at once) and MCP_BRIDGE_POOL (%u boxes that wait), %d "
		    "descriptors for each", why.text, options->max_concurrent,
		    pool_most(options), SUPERVISOR_NOFILE_CALL);
	}
	return -1;
}

/* Each call and each box that waits for one needs about ten descriptors. */
static int
main_raise_nofile(const struct options *options, struct err *err)
{
	unsigned long needed = SUPERVISOR_NOFILE_OWN +
	    SUPERVISOR_NOFILE_CALL * ((unsigned long)options->max_concurrent +
	                                 pool_most(options));
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) == -1)
		return err_sys(err, "read the limit of descriptors");
	if (limit.rlim_cur < SUPERVISOR_NOFILE_AIM) {
		spawn_remember_limit(RLIMIT_NOFILE, limit.rlim_cur);
		limit.rlim_cur = limit.rlim_max < SUPERVISOR_NOFILE_AIM
		    ? limit.rlim_max
		    : SUPERVISOR_NOFILE_AIM;
		if (setrlimit(RLIMIT_NOFILE, &limit) == -1)
			return err_sys(err, "raise the limit of descriptors");
	}
	if (limit.rlim_cur < needed)
		return main_refuse_nofile(
		    options, limit.rlim_cur, needed, err);
	return 0;
}

/*
 * What is too large for a message goes from process to process in a file in
 * memory, and the files of a box are such ones, too.
 */
static int
main_raise_fsize(const struct options *options, struct err *err)
{
	uint64_t needed = SERVER_LINE_MAX;
	struct rlimit limit;

	if (needed < options->max_code)
		needed = options->max_code;
	if (needed < options->max_output * OUTPUT_REPAIRED_FACTOR)
		needed = options->max_output * OUTPUT_REPAIRED_FACTOR;
	if (getrlimit(RLIMIT_FSIZE, &limit) == -1)
		return err_sys(err, "read the limit on the size of files");
	if (limit.rlim_max < needed)
		return err_set(err, "files may have only %llu bytes here "
		    "(RLIMIT_FSIZE), but Caisson hands over up to %llu in "
		    "files in memory: 'ulimit -f unlimited'",
		    (unsigned long long)limit.rlim_max,
		    (unsigned long long)needed);
	if (limit.rlim_cur == limit.rlim_max)
		return 0;
	spawn_remember_limit(RLIMIT_FSIZE, limit.rlim_cur);
	limit.rlim_cur = limit.rlim_max;
	if (setrlimit(RLIMIT_FSIZE, &limit) == -1)
		return err_sys(err, "raise the limit on the size of files");
	return 0;
}

/* epoll cannot wait for regular files; other ways can. */
static int
main_needs_any_file(void)
{
	struct stat in, out;

	if (fstat(STDIN_FILENO, &in) == -1 || fstat(STDOUT_FILENO, &out) == -1)
		return 1;
	return !(S_ISFIFO(in.st_mode) || S_ISSOCK(in.st_mode)) ||
	    !(S_ISFIFO(out.st_mode) || S_ISSOCK(out.st_mode));
}

/* Other servers are in force than before. */
static void
main_on_config(void *ctx)
{
	struct supervisor *sv = ctx;

	broker_reconfigure(sv->broker);
}

/* Who knows the servers, and who speaks with them; neither starts yet. */
static void
main_prepare_servers(struct supervisor *sv, char **envp)
{
	static char folder[PATH_MAX];
	struct servers_setup setup = { .base = sv->base,
		.envp = envp,
		.folder = folder,
		.self = "/proc/self/exe",
		.trust_project = (int)sv->options.trust_project_files,
		.allow_self = (int)sv->options.allow_self_server,
		.clock = clock_ms };
	struct broker_policy policy;

	/* In a folder that is gone there are no project files to find. */
	if (getcwd(folder, sizeof(folder)) == NULL)
		folder[0] = '\0';
	sv->config = config_new(&setup, main_on_config, sv);
	policy = (struct broker_policy){ sv->options.tool_timeout, sv->audit };
	sv->broker = broker_new(sv->base, sv->config, envp, &policy);
	/* Other actions keep nothing. */
	if (sv->options.action == OPTION_SERVE)
		sv->store = store_new(sv->base, &sv->options, envp);
	broker_use_store(sv->broker, sv->store);
}

/*
 * Limits of boxes as a whole, where this system lets us set them. Where it
 * does not, boxes have others, unless the user has asked for one that only
 * these can be.
 */
static int
main_prepare_cgroup(struct supervisor *sv, struct err *err)
{
	enum option_action action = sv->options.action;

	/* The others build no box; a check needs to know of refusals only. */
	if ((action != OPTION_SERVE && action != OPTION_SELFTEST &&
	        !(action == OPTION_CHECK && sv->options.cpus > 0)) ||
	    sv->options.command.task != COMMAND_NONE)
		return 0;
	sv->cgroup =
	    cgroup_new(sv->base, "/proc/self", &sv->options, err);
	if (sv->cgroup != NULL)
		return 0;
	if (sv->options.cpus > 0)
		return err_wrap(err, "the limit on processors "
		    "(MCP_BRIDGE_CPUS) needs a delegated cgroup; start "
		    "Caisson with %s, or without the limit", CGROUP_HOW);
	sv->cgroup_reason = mem_strdup(err->text);
	log_debug("boxes get no cgroups: %s", sv->cgroup_reason);
	return 0;
}

/*
 * A box of a template cannot begin in a cgroup of its own: the template may not
 * write there.
 */
static void
main_prepare_templates(struct supervisor *sv)
{
	if (sv->options.template && sv->cgroup == NULL)
		sv->templates = templates_new(sv);
}

/* The limits and the programs of this process, and nothing outside of it. */
static int
main_prepare_process(const struct options *options, struct err *err)
{
	signal(SIGPIPE, SIG_IGN);
	/* A log that may not grow is no reason to end. */
	signal(SIGXFSZ, SIG_IGN);
	/* What needs /proc first: the others take the lack for their own. */
	if (main_raise_nofile(options, err) == -1 ||
	    main_raise_fsize(options, err) == -1)
		return -1;
	return spawn_init(err);
}

/* What serving and the selftest both need. */
static int
main_prepare(struct supervisor *sv, char **envp, struct err *err)
{
	TAILQ_INIT(&sv->waiting);
	TAILQ_INIT(&sv->running);
	sv->runtime =
	    runtime_find(options_word(&sv->options, OPTION_ID_RUNTIME));
	sv->base = loop_new(main_needs_any_file());
	reaper_init(sv->base);
	worker_init(supervisor_routes());
	main_prepare_servers(sv, envp);
	if (main_prepare_process(&sv->options, err) == -1 ||
	    identity_init(IDENTITY_CLAIMS, err) == -1 ||
	    main_prepare_cgroup(sv, err) == -1)
		return -1;
	main_prepare_templates(sv);
	return 0;
}

/* Serving */

/* Every server has ended. */
static void
main_on_servers_ended(void *ctx)
{
	struct main_serving *serving = ctx;

	event_base_loopexit(serving->sv.base, NULL);
}

/*
 * No call runs or waits. When none is to come either, the servers are ended,
 * and then the program.
 */
static void
main_on_idle(void *ctx)
{
	struct main_serving *serving = ctx;
	struct supervisor *sv = &serving->sv;

	if (sv->draining && sv->nrunning == 0 && sv->nwaiting == 0 &&
	    sv->dropped == 0 && !config_reading(sv->config))
		broker_stop(sv->broker, main_on_servers_ended, serving);
}

/* Every call is being ended: goes on when the last one is. */
static void
main_drain(struct main_serving *serving)
{
	serving->sv.draining = 1;
	pool_stop(serving->sv.pool);
	main_on_idle(serving);
}

/*
 * The client has closed its end: every call ends at once, unanswered, but in
 * the way of every end, since a box that is being built is not ours to kill
 * before we are told of it.
 */
static void
main_on_client_ended(void *ctx)
{
	main_drain(ctx);
}

/* The first signal ends every call with an answer, the second at once. */
static void
main_on_signal(evutil_socket_t sig, short what, void *ctx)
{
	struct main_serving *serving = ctx;
	struct supervisor *sv = &serving->sv;

	(void)sig;
	(void)what;
	if (sv->draining) {
		event_base_loopbreak(sv->base);
		return;
	}
	log_info("ending after a signal");
	call_cancel_all(sv, "Caisson is shutting down");
	main_drain(serving);
}

/* Waits for the signals, or no longer. */
static void
main_watch_signals(struct main_serving *serving)
{
	size_t i;

	for (i = 0; i < sizeof(main_signals) / sizeof(main_signals[0]); i++) {
		serving->signals[i] = evsignal_new(serving->sv.base,
		    main_signals[i], main_on_signal, serving);
		event_add(serving->signals[i], NULL);
	}
}

static void
main_unwatch_signals(struct main_serving *serving)
{
	size_t i;

	for (i = 0; i < sizeof(main_signals) / sizeof(main_signals[0]); i++)
		loop_event_free(&serving->signals[i]);
}

/* Answers that were given are worth a last moment of waiting. */
static void
main_flush(struct main_serving *serving)
{
	struct timeval patience = { 1, 0 };

	event_base_loopexit(serving->sv.base, &patience);
	while (!client_flushed(serving->client) &&
	    event_base_loop(serving->sv.base, EVLOOP_ONCE) == 0 &&
	    !event_base_got_exit(serving->sv.base))
		;
}

static int
main_serve(struct main_serving *serving, struct err *err)
{
	struct supervisor *sv = &serving->sv;
	int in, out;

	if (main_move_client(&in, &out, err) == -1)
		return -1;
	sv->idle = main_on_idle;
	sv->idle_ctx = serving;
	sv->pool = pool_new(sv);
	main_watch_signals(serving);
	serving->client =
	    client_new(sv, &in, &out, main_on_client_ended, serving);
	event_base_dispatch(sv->base);
	sv->draining = 1;
	pool_free(&sv->pool);
	main_flush(serving);
	templates_free(&sv->templates);
	reaper_finish(SHUTDOWN_REAP_MS);
	cgroup_free(&sv->cgroup);
	client_free(&serving->client);
	main_unwatch_signals(serving);
	store_free(&sv->store);
	broker_free(&sv->broker);
	config_free(&sv->config);
	event_base_free(sv->base);
	return 0;
}

/*
 * What --check finds beyond the options themselves: the files that they name
 * could be opened as the start opens them. None is made.
 */
static int
main_check_files(const struct options *options, struct err *err)
{
	struct err why;

	if (options->log_file[0] != '\0' &&
	    file_trial_append(options->log_file, &why) == -1)
		return main_refuse_log(options->log_file, &why, err);
	return audit_file_try(options->audit_file, err);
}

/* Whether boxes can have the limits that only cgroups give: then undone. */
static int
main_check_cgroup(struct supervisor *sv, struct err *err)
{
	int failed;

	sv->base = loop_new(0);
	reaper_init(sv->base);
	failed = main_prepare_cgroup(sv, err);
	reaper_finish(SHUTDOWN_REAP_MS);
	cgroup_free(&sv->cgroup);
	event_base_free(sv->base);
	return failed;
}

/* --check: what the start would refuse, found as the start finds it. */
static int
main_check(struct supervisor *sv, struct err *err)
{
	if (main_check_files(&sv->options, err) == -1 ||
	    main_prepare_process(&sv->options, err) == -1 ||
	    identity_check(err) == -1)
		return -1;
	return main_check_cgroup(sv, err);
}

/* The lines that register this program, by the path it was asked for. */
static int
main_print_client_config(
    const char *client, const char *invoked, char **envp, struct err *err)
{
	const char *search = expand_variable(envp, "PATH", strlen("PATH"));
	char folder[PATH_MAX];
	const struct client_config_self self = { "/proc/self/exe",
		invoked == NULL ? "" : invoked, search == NULL ? "" : search,
		getcwd(folder, sizeof(folder)) == NULL ? "" : folder };

	return client_config_print(client, &self, stdout, err);
}

static int
main_usage_error(const struct err *err)
{
	fprintf(stderr, "caisson: %s\n", err->text);
	return MAIN_EXIT_USAGE;
}

/* Other actions call no tool of a server, and write nothing of it. */
static int
main_has_calls(const struct options *options)
{
	return options->action == OPTION_SERVE &&
	    options->command.task == COMMAND_NONE;
}

static int
main_run(struct main_serving *serving, char **envp)
{
	struct options *options = &serving->sv.options;
	struct err err;

	if (main_open_log(options->log_file, &err) == -1)
		return main_usage_error(&err);
	log_init("caisson", (enum log_level)options->log_level);
	/* The broker writes it. If requested, refuse to start without it. */
	if (main_has_calls(options) &&
	    audit_file_open(options->audit_file, &serving->sv.audit, &err) ==
	        -1)
		return main_usage_error(&err);
	if (main_prepare(&serving->sv, envp, &err) == -1)
		return main_usage_error(&err);
	if (options->action == OPTION_SERVE &&
	    options->command.task != COMMAND_NONE)
		return kept_run(&serving->sv);
	if (options->action == OPTION_SELFTEST)
		return selftest_run(&serving->sv);
	if (options->action == OPTION_TRY)
		return servers_try_run(&serving->sv);
	if (options->action == OPTION_PRINT_CONFIG)
		return print_config_run(&serving->sv, envp, &err) == -1
		    ? main_usage_error(&err)
		    : 0;
	return main_serve(serving, &err) == -1 ? main_usage_error(&err) : 0;
}

int
main(int argc, char **argv, char **envp)
{
	static struct main_serving serving = { .sv.audit = -1 };
	struct options *options = &serving.sv.options;
	struct err err;
	int status = 0;

	main_open_standard_fds();
	if (options_read(options, argc, argv, envp, &err) == -1)
		return main_usage_error(&err);
	switch (options->action) {
	case OPTION_HELP:
		options_help(stdout);
		break;
	case OPTION_VERSION:
		printf("caisson %s\n", CAISSON_VERSION);
		break;
	case OPTION_CHECK:
		if (main_check(&serving.sv, &err) == -1)
			status = main_usage_error(&err);
		else
			options_print(options, stdout);
		break;
	case OPTION_PRINT_CLIENT_CONFIG:
		if (main_print_client_config(
		        options->argument, argv[0], envp, &err) == -1)
			status = main_usage_error(&err);
		break;
	default:
		status = main_run(&serving, envp);
		break;
	}
	fd_close(&serving.sv.audit);
	free(serving.sv.cgroup_reason);
	options_free(options);
	return status;
}
