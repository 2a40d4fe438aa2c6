/*
 * The assembly of the process, and its teardown: the parts that main needs for
 * each action.
 */
#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../common/base/clock.h"
#include "../common/base/fd.h"
#include "../common/base/loop.h"
#include "../common/base/mem.h"
#include "../common/base/shown.h"
#include "box/container/container.h"
#include "box/shared/language.h"
#include "peers/broker.h"
#include "peers/files.h"
#include "options/state_dir.h"
#include "peers/store.h"
#include "process/process.h"
#include "run/pool.h"
#include "run/session.h"
#include "servers/in_force/in_force.h"
#include "servers/servers.h"
#include "supervisor.h"

/* epoll does not support regular files; other methods do. */
static int
supervisor_needs_any_file(void)
{
	struct stat in, out;

	if (fstat(STDIN_FILENO, &in) == -1 || fstat(STDOUT_FILENO, &out) == -1)
		return 1;
	return !(S_ISFIFO(in.st_mode) || S_ISSOCK(in.st_mode)) ||
	    !(S_ISFIFO(out.st_mode) || S_ISSOCK(out.st_mode));
}

/* The configured servers have changed. */
static void
supervisor_on_config(void *ctx)
{
	struct supervisor *sv = ctx;

	broker_reconfigure(sv->runs.peers.broker);
}

/* Its files have been read: this may have delayed the end of the program. */
static void
supervisor_on_settled(void *ctx)
{
	struct supervisor *sv = ctx;

	runs_look_drained(&sv->runs);
}

/* Creates the configuration and the services; no process starts yet. */
static void
supervisor_prepare_servers(struct supervisor *sv, char **envp)
{
	static char folder[PATH_MAX];
	struct servers_setup setup = { .base = sv->base,
		.envp = envp,
		.folder = folder,
		.named = sv->options.servers_config,
		.options = &sv->options,
		.self = "/proc/self/exe",
		.trust_project = (int)sv->options.trust_project_files,
		.allow_self = (int)sv->options.allow_self_server,
		.clock = clock_ms };
	struct peers_setup peers = { .base = sv->base, .options = &sv->options,
		.envp = envp, .audit = sv->audit };

	/* A working directory that was removed has no project files. */
	if (getcwd(folder, sizeof(folder)) == NULL)
		folder[0] = '\0';
	sv->config = in_force_new(
	    &setup, supervisor_on_config, supervisor_on_settled, sv);
	peers.config = sv->config;
#undef PEERS_SERVICE
#define PEERS_SERVICE(name)                                                    \
	sv->runs.peers.name = name##_new(&peers, &sv->runs.peers);
#define ROLE(NAME, name, kind, ...) PEERS_##kind(name)
#include "../common/roles.def"
#undef ROLE
	sv->runs.config = sv->config;
	runs_take_questions(&sv->runs);
}

/* Returns why a path cannot be an interpreter of Python, or NULL. */
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
 * Checks that the interpreter of run_python exists, if clients see that tool.
 * The first call checks the rest.
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

/* Probes the runtime; as a check, without starting anything of it. */
static int
supervisor_probe(struct supervisor *sv, int check, struct err *err)
{
	const struct runtime *runtime = sv->boxes.runtime;

	if (runtime == NULL)
		return err_set(err, "%s is not podman or docker: set --runtime "
		    "to the path of one of them", sv->options.runtime);
	if (runtime->weak != NULL && !sv->options.allow_weak_isolation)
		return err_set(err, "the runtime %s reduces isolation (%s): "
		    "use another one, or allow that: "
		    "CAISSON_ALLOW_WEAK_ISOLATION=on (see caisson-box(7))",
		    runtime->name, runtime->weak);
	if (!runtime->images &&
	    supervisor_probe_python(&sv->options, err) == -1)
		return -1;
	return runtime->shared == NULL ? 0 :
	    runtime->shared->probe(&sv->boxes, check, err);
}

/* Adds the languages whose images are enabled in the engine. */
static int
supervisor_read_images(struct supervisor *sv, struct err *err)
{
	auto_free char *state = NULL, *changed = NULL;

	if (!sv->boxes.runtime->images)
		return language_check_limits(&sv->options, 0, err);
	state = state_dir_path(&sv->options, environ, err);
	if (state == NULL)
		return -1;
	changed = mem_printf("%s/" STATE_DIR_IMAGES, state);
	return language_images_read(&sv->boxes, changed, err) == -1 ? -1 :
	    language_check_limits(&sv->options, 1, err);
}

/* Prepares the limits and programs of this process, and nothing else. */
static int
supervisor_prepare_process(const struct options *options, struct err *err)
{
	signal(SIGPIPE, SIG_IGN);
	/* A full log file must not end the program. */
	signal(SIGXFSZ, SIG_IGN);
	if (process_limits_raise(options, pool_most(options), err) == -1)
		return -1;
	return spawn_init(err);
}

/* Connects the parts that every action needs, and starts nothing. */
static void
supervisor_assemble(struct supervisor *sv, struct event_base *base)
{
	sv->base = base;
	boxes_init(&sv->boxes, base, &sv->options);
	runs_init(&sv->runs, &sv->boxes);
}

int
supervisor_prepare(struct supervisor *sv, enum command_needs needs,
    char **envp, struct err *err)
{
	supervisor_assemble(sv, loop_new(supervisor_needs_any_file()));
	reaper_init(sv->base);
	worker_init(supervisor_routes());
	supervisor_prepare_servers(sv, envp);
	/* A command needs one box: nothing is prepared for others. */
	if (needs == COMMAND_NEEDS_CODE)
		sv->options.template = 0;
	return supervisor_prepare_process(&sv->options, err) == -1 ||
	        identity_init(IDENTITY_CLAIMS, err) == -1 ||
	        (needs >= COMMAND_NEEDS_BOXES &&
	            supervisor_probe(sv, 0, err) == -1) ||
	        (needs >= COMMAND_NEEDS_CODE &&
	            supervisor_read_images(sv, err) == -1) ? -1 : 0;
}

int
supervisor_check(struct supervisor *sv, struct err *err)
{
	if (supervisor_prepare_process(&sv->options, err) == -1 ||
	    identity_check(err) == -1)
		return -1;
	supervisor_assemble(sv, loop_new(0));
	reaper_init(sv->base);
	/* Which images are enabled is unknown here. */
	return supervisor_probe(sv, 1, err) == -1 ? -1 :
	    sv->boxes.runtime->images ? 0 :
	    language_check_limits(&sv->options, 0, err);
}

/*
 * Parts with processes release them first; the remaining processes are ended
 * and reaped; then the other parts are freed.
 */
void
supervisor_free(struct supervisor *sv)
{
	doors_close(&sv->doors, false);
	pool_free(&sv->runs.pool);
	sessions_free(&sv->runs.sessions);
	figures_reset(&sv->runs.figures);
	boxes_free_dropped(&sv->boxes);
	services_finish();
	if (sv->boxes.shared != NULL)
		sv->boxes.runtime->shared->finish(&sv->boxes);
	else if (sv->base != NULL)
		reaper_finish(SHUTDOWN_REAP_MS);
	/* A client sees the end only now, when no process of ours is left. */
	doors_close(&sv->doors, true);
	if (sv->user.name != NULL)
		owner_close(&sv->user, &sv->runs);
#undef PEERS_SERVICE
#define PEERS_SERVICE(name) name##_free(&sv->runs.peers.name);
#define ROLE(NAME, name, kind, ...) PEERS_##kind(name)
#include "../common/roles.def"
#undef ROLE
	in_force_free(&sv->config);
	if (sv->base != NULL)
		event_base_free(sv->base);
	sv->base = NULL;
	fd_close(&sv->audit);
	options_free(&sv->options);
}
