/*
 * caisson, the process: reads the options, opens the log, and runs an action, a
 * command, or the server (serve.c).
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../common/base/buffer.h"
#include "../common/base/fd.h"
#include "../common/base/log.h"
#include "box/cgroup/cgroup.h"
#include "command/client/client_config.h"
#include "command/shared/command.h"
#include "options/audit_file.h"
#include "options/text/colour.h"
#include "options/file_trial.h"
#include "process/process.h"
#include "run/run.h"
#include "servers/servers.h"
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

	if (path[0] == '\0')
		return 0;
	fd = file_trial_open(path, &why);
	if (fd == -1)
		return main_refuse_log(options, &why, err);
	*errors = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
	if (dup2(fd, STDERR_FILENO) == -1)
		return err_sys(err, "use the log file %s", path);
	return 0;
}

/* A file of servers that does not exist is a warning only at the start. */
static int
main_check_servers(const struct options *options, struct err *err)
{
	auto_buffer struct buffer name = { 0 };

	if (options->servers_config[0] == '\0' ||
	    access(options->servers_config, F_OK) == 0 ||
	    (errno != ENOENT && errno != ENOTDIR))
		return 0;
	options_add_name(&name, options, OPTION_ID_SERVERS_CONFIG);
	return err_set(err, "the file of servers %s does not exist: create it, "
	    "or correct %s", options->servers_config, name.data);
}

/* Boxes of root have users of their own, who must be able to read them. */
static int
main_check_packages(const struct options *options, struct err *err)
{
	const char *path = options->javascript_packages;
	auto_buffer struct buffer name = { 0 };
	const char *why = NULL;
	struct stat st;

	if (path[0] == '\0')
		return 0;
	if (stat(path, &st) == -1)
		why = strerror(errno);
	else if (!S_ISDIR(st.st_mode))
		why = "it is no directory";
	else if (geteuid() == 0 ? (st.st_mode & 5) != 5 :
	                          access(path, R_OK | X_OK) == -1)
		why = "the user of the box cannot read it";
	if (why == NULL)
		return 0;
	options_add_name(&name, options, OPTION_ID_JAVASCRIPT_PACKAGES);
	return err_set(err, "the packages for JavaScript %s cannot be used: "
	    "%s; install them there with npm, or correct %s", path, why,
	    name.data);
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
	if (main_check_packages(options, err) == -1)
		return -1;
	return main_check_servers(options, err);
}

/* The checks of the start, made by the same functions. */
static int
main_check(const struct command_setup *setup, struct err *err)
{
	if (main_check_files(setup->options, err) == -1)
		return -1;
	return supervisor_check(setup->sv, err);
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

static int
main_usage_error(const struct err *err)
{
	const char *line = err->text;
	int len;

	do {
		len = (int)strcspn(line, "\n");
		fprintf(stderr, "caisson: %.*s\n", len, line);
		line += len;
	} while (*line++ != '\0');
	return MAIN_EXIT_USAGE;
}

static const char main_on_terminal[] =
    "caisson: waiting for an MCP client on standard input; run 'caisson "
    "help' for commands\n";

/* Prepares the process after its log, and that may not be standard error. */
static int
main_prepare_for(
    struct command_setup *setup, enum command_needs needs, struct err *err)
{
	const struct options *options = setup->options;
	struct supervisor *sv = setup->sv;
	auto_fd int errors = -1;
	struct err why;
	int done;

	if (needs == COMMAND_NEEDS_CLIENT && isatty(STDIN_FILENO))
		fputs(main_on_terminal, stderr);
	if (needs >= COMMAND_NEEDS_CLIENT &&
	    main_open_log(options, &errors, err) == -1)
		return -1;
	log_init("caisson", LOG_TERMS(options->log_level, options->log_format));
	/*
	 * The broker writes it, only for calls of a client. If requested,
	 * refuse to start without it.
	 */
	if (needs >= COMMAND_NEEDS_CODE &&
	    audit_file_open(options->audit_file, &sv->audit, &why) == -1)
		done = main_refuse_audit(options, &why, err);
	else
		done = supervisor_prepare(sv, needs, setup->envp, err);
	if (done == -1 && errors != -1)
		dprintf(errors, "caisson: %s\n", err->text);
	setup->base = sv->base;
	setup->config = sv->config;
	setup->runs = &sv->runs;
	return done;
}

static int
main_prepare(struct command_setup *setup, struct err *err)
{
	return main_prepare_for(setup, COMMAND_NEEDS_PROCESS, err);
}

/* In the order of command_row(). */
static int (*const main_commands[])(
    struct command_setup *setup, struct err *err) = {
#define COMMAND(TASK, NEEDS, run, word, verb, operands, FLAGS, doc) run,
#include "options/commands.def"
};

/* Runs the command, or serves. Returns its status, or -1. */
static int
main_run(struct command_setup *setup, struct err *err)
{
	const struct options *options = setup->options;
	enum command_task task = options->command.task == COMMAND_NONE ?
	    COMMAND_RUN : options->command.task;
	const struct command_row *row = command_row(task - 1);

	/*
	 * Before anything is started, which would stay where we were. One
	 * execution is over sooner than a scope pays.
	 */
	if (row->needs >= COMMAND_NEEDS_BOXES &&
	    (row->needs != COMMAND_NEEDS_CODE ||
	        options->cgroup == CGROUP_REQUIRED) &&
	    scope_enter(options, setup->argv, setup->envp, err) == -1)
		return -1;
	if (row->needs >= COMMAND_NEEDS_PROCESS &&
	    main_prepare_for(setup, row->needs, err) == -1)
		return -1;
	return main_commands[task - 1](setup, err);
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
	char folder[PATH_MAX];
	struct client_config_self self;
	struct command_setup setup = { .options = &sv.options,
		.argc = argc,
		.argv = argv,
		.envp = envp,
		.self = &self,
		.sv = &sv,
		.prepare = main_prepare,
		.check = main_check };
	struct err err;
	int status;

	keeper_resume(argc, argv);
	main_open_standard_fds();
	notify_take(&sv.notify, envp);
	colour_begin();
	if (options_read(&sv.options, argc, argv, envp, &err) == -1)
		return main_usage_error(&err);
	self = main_self(argv[0], envp, folder);
	status = main_run(&setup, &err);
	if (status == -1)
		status = main_usage_error(&err);
	supervisor_free(&sv);
	return main_end_output(status);
}
