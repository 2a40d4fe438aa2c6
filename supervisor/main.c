/*
 * caisson, the process: reads the options, opens the log, and runs an action, a
 * command, or the server (serve.c). Runs in the supervisor.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../common/base/fd.h"
#include "../common/base/log.h"
#include "../common/base/loop.h"
#include "../common/base/mem.h"
#include "../common/base/shown.h"
#include "box/box.h"
#include "command/adopt/adopt.h"
#include "command/client/client_config.h"
#include "command/completion.h"
#include "command/shared/command.h"
#include "command/servers_change/servers_change.h"
#include "front/front.h"
#include "front/tools/tool.h"
#include "options/text/colour.h"
#include "options/file_trial.h"
#include "options/text/json_report.h"
#include "options/option_name.h"
#include "peers/audit_file.h"
#include "peers/broker.h"
#include "peers/state_dir.h"
#include "peers/store.h"
#include "process/process.h"
#include "run/pool.h"
#include "run/run.h"
#include "servers/in_force/in_force.h"
#include "servers/servers.h"
#include "door/http/serve_sockets.h"
#include "supervisor.h"

/* Exit statuses: caisson(1). */
#define MAIN_EXIT_USAGE 2

/*
 * Opens missing descriptors 0 to 2, so that no other file gets their numbers.
 */
static void
main_open_standard_fds(void)
{
	int fd;

	do
		fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	while (fd >= 0 && fd <= STDERR_FILENO);
	fd_close(&fd);
}

static int
main_refuse_audit(
    const struct options *options, const struct err *why, struct err *err)
{
	auto_buffer struct buffer name = { 0 };

	options_add_name(&name, options, OPTION_ID_AUDIT_FILE);
	return err_set(err, "%s; name another file in %s, or none", why->text,
	    name.data);
}

static int
main_refuse_log(
    const struct options *options, const struct err *why, struct err *err)
{
	auto_buffer struct buffer name = { 0 };

	options_add_name(&name, options, OPTION_ID_LOG_FILE);
	return err_set(err, "the log file %s cannot be used: %s; name another "
	    "one in %s, or none", options->log_file, why->text, name.data);
}

/*
 * Opens the log of a server; a command logs to standard error. *errors becomes
 * the former standard error, which the caller owns.
 */
static int
main_open_log(const struct options *options, int *errors, struct err *err)
{
	const char *path = options->log_file;
	auto_fd int fd = -1;
	struct err why;

	if (path[0] == '\0' || !options_serves(options))
		return 0;
	fd = file_trial_open(path, &why);
	if (fd == -1)
		return main_refuse_log(options, &why, err);
	*errors = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
	if (dup2(fd, STDERR_FILENO) == -1)
		return err_sys(err, "use the log file %s", path);
	return 0;
}

/*
 * For --check: checks that the files named by options could be opened as at the
 * start. Creates none.
 */
static int
main_check_files(const struct options *options, struct err *err)
{
	struct err why;

	if (options->log_file[0] != '\0' &&
	    file_trial_append(options->log_file, &why) == -1)
		return main_refuse_log(options, &why, err);
	if (audit_file_try(options->audit_file, &why) == -1)
		return main_refuse_audit(options, &why, err);
	return 0;
}

/* --check: the checks of the start, made by the same functions. */
static int
main_check(struct supervisor *sv, struct err *err)
{
	if (main_check_files(&sv->options, err) == -1)
		return -1;
	return supervisor_check(sv, err);
}

/*
 * config set: writes a value that config check does not refuse. What that says
 * about another one may be true in this terminal only, such as without a
 * cgroup: it is a warning. Returns 0, or -1 with err.
 */
static int
main_set(struct supervisor *sv, struct err *err)
{
	auto_free char *winner = NULL;
	struct err why;
	int wrong;

	sv->options.action = OPTION_CHECK;
	if (config_set_try(&sv->options, &winner, err) == -1)
		return err_wrap(err, "config set");
	wrong = main_check(sv, &why) == -1;
	if (wrong && config_set_is_blamed(&sv->options, &why)) {
		*err = why;
		return err_wrap(err, "config set");
	}
	if (config_set_write(&sv->options, winner, err) == -1)
		return err_wrap(err, "config set");
	if (wrong)
		fprintf(stderr, "caisson: config check: %s\n", why.text);
	return 0;
}

/* Returns how this program was invoked; folder gets the working directory. */
static struct client_config_self
main_self(const char *invoked, char **envp, char folder[PATH_MAX])
{
	const char *search = expand_variable(envp, "PATH", strlen("PATH"));

	return (struct client_config_self){ "/proc/self/exe",
		invoked == NULL ? "" : invoked, search == NULL ? "" : search,
		getcwd(folder, PATH_MAX) == NULL ? "" : folder, envp };
}

/*
 * Prints the lines that register this program, by the path it was invoked as.
 */
static int
main_print_client_config(
    const struct options *options, const char *invoked, char **envp,
    struct err *err)
{
	char folder[PATH_MAX];
	const struct client_config_self self =
	    main_self(invoked, envp, folder);

	return client_config_print(options->argument, &self,
	    options_json(options), stdout, err);
}

/* Changes the configured servers; tests those that moved to Caisson. */
static int
main_change_servers(struct supervisor *sv, const char *invoked, char **envp,
    struct err *err)
{
	char folder[PATH_MAX];
	const struct client_config_self self =
	    main_self(invoked, envp, folder);
	const struct adopt_setup setup = { sv->base, &sv->options, envp,
		&self, sv->config, sv->runs.peers.broker };
	auto_buffer struct buffer moved = { 0 };
	int status;

	switch (sv->options.command.task) {
	case COMMAND_SERVERS_ADD:
		status = servers_add_run(&setup, err);
		break;
	case COMMAND_SERVERS_REMOVE:
		status = servers_remove_run(&setup, err);
		break;
	case COMMAND_SERVERS_IMPORT:
		status = servers_import_run(&setup, err);
		break;
	default:
		status = adopt_run(&setup, &moved, err);
		break;
	}
	if (status == 1)
		fprintf(stderr, "caisson: %s\n", err->text);
	return status == 0 && moved.len > 0 ? servers_try_run(sv->base,
	    sv->config, sv->runs.peers.broker, tools_shown_size(&sv->options),
	    &moved, NULL, 0) : status;
}

static int
main_changes_servers(enum command_task task)
{
	return task == COMMAND_ADOPT || task == COMMAND_SERVERS_ADD ||
	    task == COMMAND_SERVERS_REMOVE || task == COMMAND_SERVERS_IMPORT;
}

static int
main_usage_error(const struct err *err)
{
	fprintf(stderr, "caisson: %s\n", err->text);
	return MAIN_EXIT_USAGE;
}

/* Asks before all is removed. Returns whether to go on, or -1 with err. */
static int
main_consent(const struct command *command, struct err *err)
{
	auto_buffer struct buffer question = { 0 };
	const char *owner =
	    command_value(&command->flags, COMMAND_FLAG_OWNER, 0);
	const char *conversation =
	    command_value(&command->flags, COMMAND_FLAG_CONVERSATION, 0);

	if (command->verb == NULL || strcmp(command->verb, "clear") != 0)
		return 1;
	buffer_printf(&question, "Remove all %s of %s%s",
	    command->task == COMMAND_MEMORY_CLEAR ? "memories" :
	    command->task == COMMAND_TOOLS_CLEAR ? "saved tools" : "files",
	    owner == NULL || strcmp(owner, OWNER_FLAG_USER) == 0 ?
	    "the local user" : owner,
	    conversation == NULL ? "" : ", of conversation ");
	if (conversation != NULL)
		shown_add(&question, conversation, strlen(conversation));
	buffer_add_text(&question, "?");
	return command_consent(command, question.data, err);
}

/*
 * Runs a command on stored data, in a usable state directory; or -1 with err.
 */
static int
main_kept(struct supervisor *sv, char **envp, struct err *err)
{
	const struct command *command = &sv->options.command;
	const char *scope = owner_flag_scope(command, err);
	int files = command->task >= COMMAND_FILES_LIST &&
	    command->task <= COMMAND_FILES_CLEAR;
	int agreed;

	if (scope == NULL || state_dir_try(&sv->options, envp, err) == -1)
		return -1;
	owner_flag_tell(&sv->options, envp);
	agreed = main_consent(command, err);
	if (agreed < 1)
		return agreed == -1 ? -1 : 1;
	return files ?
	    kept_files_run(sv->base, sv->runs.peers.files, scope, command) :
	    stored_run(sv->base, sv->runs.peers.store, scope, command);
}

/*
 * Runs an action that needs the process: returns its exit status, or -1 with
 * err.
 */
static int
main_act(struct supervisor *sv, const char *invoked, char **envp,
    struct err *err)
{
	const struct options *options = &sv->options;

	switch (options->action) {
	case OPTION_SELFTEST:
		return selftest_run(&sv->runs, &sv->options);
	case OPTION_TRY:
		return servers_try_run(sv->base, sv->config,
		    sv->runs.peers.broker, tools_shown_size(options), NULL,
		    NULL, options_json(options));
	case OPTION_PRINT_CONFIG:
		return print_config_run(sv->base, options, envp, err);
	default:
		if (main_changes_servers(options->command.task))
			return main_change_servers(sv, invoked, envp, err);
		if (options->command.task == COMMAND_LIBRARIES)
			return libraries_run(&sv->runs, &sv->options);
		if (options->command.task >= COMMAND_IMAGE_BUILD &&
		    options->command.task <= COMMAND_IMAGE_REMOVE)
			return image_run(options, envp, err);
		if (options->command.task == COMMAND_SERVE)
			return serve_run_http(sv, envp, err);
		if (options->command.task == COMMAND_TOKEN_ADD)
			return print_config_check_named(sv->base, options,
			           envp, err) == -1 ?
			    -1 : token_run(options, envp, err);
		if (options->command.task != COMMAND_NONE)
			return main_kept(sv, envp, err);
		return serve_run(sv, envp, err);
	}
}

static int
main_prepare(struct supervisor *sv, char **envp, struct err *err)
{
	const struct options *options = &sv->options;
	struct err why;

	/*
	 * The broker writes it, only for calls of a client. If requested,
	 * refuse to start without it.
	 */
	if (options_serves(options) &&
	    audit_file_open(options->audit_file, &sv->audit, &why) == -1)
		return main_refuse_audit(options, &why, err);
	return supervisor_prepare(sv, envp, err);
}

static int
main_run(struct supervisor *sv, const char *invoked, char **envp)
{
	struct options *options = &sv->options;
	auto_fd int errors = -1;
	struct err err;
	int status;

	if (main_open_log(options, &errors, &err) == -1)
		return main_usage_error(&err);
	log_init("caisson", (enum log_level)options->log_level);
	if (main_prepare(sv, envp, &err) == -1) {
		if (errors != -1)
			dprintf(errors, "caisson: %s\n", err.text);
		return main_usage_error(&err);
	}
	fd_close(&errors);
	status = main_act(sv, invoked, envp, &err);
	return status == -1 ? main_usage_error(&err) : status;
}

static const char main_on_terminal[] =
    "caisson: waiting for an MCP client on standard input; run 'caisson "
    "help' for commands\n";

static void
main_print_version(const struct options *options)
{
	auto_buffer struct buffer out = { 0 };

	if (!options_json(options)) {
		printf("caisson %s\n", CAISSON_VERSION);
		return;
	}
	buffer_add_text(&out, "{");
	json_report_text(&out, "version", CAISSON_VERSION);
	json_report_print(&out);
}

/* Shows the folders that defaults stand for, where there are any. */
static void
main_print_options(struct options *options, char **envp)
{
	struct err err;
	char *state = state_dir_path(options, envp, &err);
	char *socket = serve_sockets_path(envp);

	if (state != NULL) {
		free(options->state_dir);
		options->state_dir = state;
	}
	if (options->listen[0] == '\0' && socket != NULL) {
		free(options->listen);
		options->listen = mem_printf(OPTION_UNIX "%s", socket);
	}
	free(socket);
	if (options_json(options))
		options_report(options);
	else
		options_print(options, stdout);
}

/* No action: runs a command, or the server. */
static int
main_command(struct supervisor *sv, const char *invoked, char **envp)
{
	const struct command *command = &sv->options.command;
	struct err err;
	int status;

	switch (command->task) {
	case COMMAND_CONFIG_SHOW:
		main_print_options(&sv->options, envp);
		return 0;
	case COMMAND_CONFIG_SET:
		return main_set(sv, &err) == -1 ? main_usage_error(&err) : 0;
	case COMMAND_COMPLETION:
		completion_print(command->operand, stdout);
		return 0;
	case COMMAND_SESSIONS_LIST:
	case COMMAND_SESSIONS_END:
		status = sessions_run(&sv->options, envp, &err);
		return status == -1 ? main_usage_error(&err) : status;
	case COMMAND_TOKEN_ADD:
		if (command_has(&command->flags, COMMAND_FLAG_SERVER) &&
		    token_check(&sv->options, &err) == 0)
			return main_run(sv, invoked, envp);
		/* FALLTHROUGH */
	case COMMAND_TOKEN_LIST:
	case COMMAND_TOKEN_REVOKE:
		status = token_run(&sv->options, envp, &err);
		return status == -1 ? main_usage_error(&err) : status;
	default:
		if (options_serves(&sv->options) &&
		    command->task == COMMAND_NONE && isatty(STDIN_FILENO))
			fputs(main_on_terminal, stderr);
		return main_run(sv, invoked, envp);
	}
}

/*
 * Returns the status, or 1 if output was lost. If the reader has closed the
 * pipe, there is no message.
 */
static int
main_end_output(int status)
{
	struct pollfd out = { .fd = STDOUT_FILENO, .events = POLLOUT };

	if (fflush(stdout) == 0 && !ferror(stdout))
		return status;
	if (poll(&out, 1, 0) != 1 || (out.revents & POLLERR) == 0)
		fputs("caisson: standard output could not be written: is its "
		      "file system full?\n", stderr);
	return status == 0 ? 1 : status;
}

int
main(int argc, char **argv, char **envp)
{
	static struct supervisor sv = { .audit = -1 };
	struct options *options = &sv.options;
	struct err err;
	int status = 0;

	keeper_resume(argc, argv);
	main_open_standard_fds();
	colour_begin(envp);
	if (options_read(options, argc, argv, envp, &err) == -1)
		return main_usage_error(&err);
	switch (options->action) {
	case OPTION_HELP:
		if (options_help(options->argument, options->more,
		        options->brief, stdout, &err) == -1)
			status = main_usage_error(&err);
		break;
	case OPTION_VERSION:
		main_print_version(options);
		break;
	case OPTION_CHECK:
		if (main_check(&sv, &err) == -1)
			status = main_usage_error(&err);
		else
			main_print_options(options, envp);
		break;
	case OPTION_PRINT_CLIENT_CONFIG:
		if (main_print_client_config(
		        options, argv[0], envp, &err) == -1)
			status = main_usage_error(&err);
		break;
	default:
		status = main_command(&sv, argv[0], envp);
		break;
	}
	supervisor_free(&sv);
	return main_end_output(status);
}
