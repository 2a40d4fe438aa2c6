/*
 * Servers as processes: see server_process.h. Runs in the supervisor; it reads
 * no output of a server, and does not log arguments or environment.
 */
#include <ctype.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../../common/base/clock.h"
#include "../../../common/base/fd.h"
#include "../../../common/limits.h"
#include "../../../common/base/log.h"
#include "../../../common/base/loop.h"
#include "../../../common/base/mem.h"
#include "../../../common/base/text_list.h"
#include "../../../common/seccomp/landlock.h"
#include "../../options/option_table.h"
#include "../../options/options.h"
#include "server_login.h"
#include "server_process.h"
#include "../../process/process.h"

struct server_process {
	struct event_base *base;
	struct child *keeper; /* or the connector */
	struct channel *channel; /* to the connector; else NULL */
	struct server_login_ends login; /* zeroes: it does not log in */
	struct event *timer; /* NULL: not to be ended yet */
	struct server_process_times times;
	size_t step;
	server_process_ended *ended;
	void *ctx;
};

/* The signals to its keeper that end it, in order. */
static const int server_process_steps[] = { KEEPER_ASK, KEEPER_KILL, SIGKILL };

#define SERVER_PROCESS_STEPS                                                   \
	(sizeof(server_process_steps) / sizeof(server_process_steps[0]))

/* Number of keepers so far, and of the last one. */
static unsigned long server_process_count;

/* Its environment */

/* Returns whether two "NAME=value" have the same name. */
static int
server_process_same_name(const char *one, const char *other)
{
	size_t len = strcspn(one, "=");

	return strncmp(one, other, len) == 0 && other[len] == '=';
}

/* Our own settings are not passed to servers. */
static int
server_process_is_ours(const char *variable)
{
	return strncmp(variable, OPTION_PREFIX, strlen(OPTION_PREFIX)) == 0 ||
	    strncmp(variable, OPTION_FORMER_PREFIX,
	        strlen(OPTION_FORMER_PREFIX)) == 0 ||
	    server_process_same_name("MCP_SERVERS_CONFIG=", variable);
}

/* Adds pointers to all texts to a list; returns how many. */
static size_t
server_process_list_texts(const struct server_texts *texts, char **list)
{
	const char *text;
	size_t n = 0;

	TEXT_LIST_EACH (text, texts->data, texts->len)
		list[n++] = texts->data + (text - texts->data);
	return n;
}

/* Returns whether a variable is among the first n of a list. */
static int
server_process_is_set(char *const *list, size_t n, const char *variable)
{
	while (n-- > 0)
		if (server_process_same_name(list[n], variable))
			return 1;
	return 0;
}

/*
 * Returns its environment: path ("PATH=…"), its own variables, then ours. The
 * caller frees the list, not the texts.
 */
static char **
server_process_environment(const struct server *server, char **envp, char *path)
{
	size_t own = text_list_count(server->run_env.data, server->run_env.len);
	size_t n = 0;
	char **list;
	size_t i;

	while (envp[n] != NULL)
		n++;
	list = mem_alloc((1 + own + n + 1) * sizeof(*list));
	own = server_process_list_texts(&server->run_env, list + 1);
	list[0] = path;
	for (i = n = 1; i <= own; i++)
		if (!server_process_same_name(path, list[i]))
			list[n++] = list[i];
	own = n;
	for (; *envp != NULL; envp++)
		if (!server_process_is_ours(*envp) &&
		    !server_process_is_set(list, own, *envp))
			list[n++] = *envp;
	return list;
}

/* Its end */

/* A keeper ends as its server has ended. */
static void
server_process_on_keeper_ended(void *ctx, const struct child_end *end)
{
	struct server_process *process = ctx;
	server_process_ended *ended = process->ended;
	void *ended_ctx = process->ctx;
	auto_free char *how = signal_or_code(end);

	/* A signal ended its server, or itself: that leaves orphans. */
	if (end->code != CLD_EXITED)
		reaper_kill_orphans();
	loop_event_free(&process->timer);
	channel_free(&process->channel);
	free(process);
	ended(ended_ctx, how);
}

static void
server_process_await(struct server_process *process)
{
	const struct server_process_times *times = &process->times;
	const unsigned int ms[] = { times->eof, times->term, times->kill };

	loop_set_timer(process->timer, ms[process->step]);
}

static void
server_process_on_timer(evutil_socket_t, short, void *ctx)
{
	struct server_process *process = ctx;

	reaper_signal(process->keeper, server_process_steps[process->step]);
	if (++process->step < SERVER_PROCESS_STEPS)
		server_process_await(process);
}

void
server_process_stop(struct server_process *process)
{
	if (process->timer != NULL)
		return;
	process->timer =
	    evtimer_new(process->base, server_process_on_timer, process);
	server_process_await(process);
}

/* Its start */

/* Makes a pipe: the broker's end is non-blocking, the server's is not. */
static int
server_process_pipe(int *broker, int *server, int server_reads, struct err *err)
{
	int pair[2];

	if (pipe2(pair, O_CLOEXEC) == -1)
		return err_sys(err, "make a pipe");
	*server = pair[server_reads ? 0 : 1];
	*broker = pair[server_reads ? 1 : 0];
	return fd_set_nonblock(*broker, 1, err);
}

/*
 * The words that make, find and remove the container of a server that is a
 * client of an engine: it is found by a label, whatever else its entry says.
 */
struct server_process_container {
	char label[64];
	char filter[sizeof("label=") + 64];
	char *remove[7];
	char *find[7];
	char **argv; /* freed by the caller */
};

/*
 * Returns where the options of "docker run" begin in the command of a server; 0
 * if it is no such command.
 */
static size_t
server_process_runs(char *const *words)
{
	const char *name = strrchr(words[0], '/');
	size_t at = 1;

	name = name == NULL ? words[0] : name + 1;
	if (strcmp(name, "docker") != 0 && strcmp(name, "podman") != 0)
		return 0;
	if (words[at] != NULL && strcmp(words[at], "container") == 0)
		at++;
	return words[at] != NULL && strcmp(words[at], "run") == 0 ? at + 1 : 0;
}

/*
 * Has the container of a server labelled, and removed by its keeper: it goes on
 * when the client of its engine is killed.
 */
static void
server_process_contain(const struct server *server, size_t at,
    struct spawn_program *program, struct server_process_container *container)
{
	static char script[] =
	    "c=$(\"$0\" ps --all --quiet --no-trunc --filter "
	    "\"label=$2\") && { [ -z \"$c\" ] || \"$0\" rm --force $1 $c; }";
	static char sh[] = "/bin/sh", option[] = "-c", docker[] = "",
	    podman[] = "--time 0", ps[] = "ps", all[] = "--all",
	    quiet[] = "--quiet", filter[] = "--filter", label[] = "--label";
	size_t n = 0;

	while (program->argv[n] != NULL)
		n++;
	snprintf(container->label, sizeof(container->label),
	    "caisson.server=%d-%lu-%llx", (int)getpid(),
	    server_process_count + 1, (unsigned long long)clock_ms());
	snprintf(container->filter, sizeof(container->filter), "label=%s",
	    container->label);
	container->argv = mem_alloc((n + 3) * sizeof(*container->argv));
	memcpy(container->argv, program->argv, at * sizeof(char *));
	container->argv[at] = label;
	container->argv[at + 1] = container->label;
	memcpy(container->argv + at + 2, program->argv + at,
	    (n - at + 1) * sizeof(char *));
	program->argv = container->argv;
	memcpy(container->remove, (char *[7]){ sh, option, script,
	    server->program, strstr(server->program, "podman") != NULL ?
	    podman : docker, container->label }, sizeof(container->remove));
	memcpy(container->find, (char *[7]){ server->program, ps, all, quiet,
	    filter, container->filter }, sizeof(container->find));
	program->remove = container->remove;
	program->find = container->find;
	program->remove_ms = CONTAINER_REMOVE_MS;
	program->outlives = true;
}

/* Starts the keeper of a server with the server's ends of its pipes. */
static int
server_process_spawn(const struct server *server, char **envp,
    struct spawn_program *program, int *pidfd, struct err *err)
{
	auto_free char *path = mem_printf("PATH=%s", server->path);
	auto_free char **variables =
	    server_process_environment(server, envp, path);
	auto_free char **arguments =
	    text_list_vector(server->run.data, server->run.len);
	struct server_process_container container = { .argv = NULL };
	size_t at = server_process_runs(arguments);
	int started;

	program->path = server->program;
	program->cwd = server->run_cwd;
	program->argv = arguments;
	program->envp = variables;
	if (at > 0)
		server_process_contain(server, at, program, &container);
	started = keeper_start(++server_process_count, program, pidfd, err);
	free(container.argv);
	return started;
}

static void
server_process_watch(struct server_process *process, struct event_base *base,
    const struct server_process_times *times, int *pidfd,
    server_process_ended *ended, void *ctx)
{
	process->base = base;
	process->times = *times;
	process->ended = ended;
	process->ctx = ctx;
	process->keeper = reaper_watch(
	    base, pidfd, server_process_on_keeper_ended, process);
	reaper_finish_with(process->keeper, KEEPER_KILL);
}

/* Their ends of its pipes. */
struct server_process_theirs {
	int in;
	int out;
	int errors;
};

static void
server_process_close(struct server_process_theirs *theirs)
{
	fd_close(&theirs->in);
	fd_close(&theirs->out);
	fd_close(&theirs->errors);
}

static void
server_process_drop(struct server_process_pipes *pipes)
{
	fd_close(&pipes->in);
	fd_close(&pipes->out);
	fd_close(&pipes->errors);
}

/* Makes its pipes. Returns 0, or -1 with err. */
static int
server_process_pipes(struct server_process_pipes *pipes,
    struct server_process_theirs *theirs, struct err *err)
{
	*pipes = (struct server_process_pipes){ -1, -1, -1 };
	*theirs = (struct server_process_theirs){ -1, -1, -1 };
	if (server_process_pipe(&pipes->in, &theirs->in, 1, err) == 0 &&
	    server_process_pipe(&pipes->out, &theirs->out, 0, err) == 0 &&
	    server_process_pipe(&pipes->errors, &theirs->errors, 0, err) == 0)
		return 0;
	server_process_close(theirs);
	server_process_drop(pipes);
	return -1;
}

/* Remote servers */

/* It has exited, or is about to. */
static void
server_process_on_closed(void *ctx, const struct err *why)
{
	struct server_process *process = ctx;

	if (why == NULL)
		return;
	log_error("%s a connector: %s", channel_blame(why), why->text);
	reaper_signal(process->keeper, SIGKILL);
}

/* Returns the value of the first of two variables that is set, or "". */
static const char *
server_process_either(char **envp, const char *one, const char *other)
{
	const char *value = expand_variable(envp, one, strlen(one));

	if (value == NULL || value[0] == '\0')
		value = expand_variable(envp, other, strlen(other));
	return value == NULL ? "" : value;
}

/* Returns the proxy for a URL, or "": http_proxy is not taken in capitals. */
static const char *
server_process_proxy(const char *url, char **envp)
{
	const char *proxy = strncasecmp(url, "https:", 6) == 0 ?
	    server_process_either(envp, "https_proxy", "HTTPS_PROXY") :
	    server_process_either(envp, "http_proxy", "http_proxy");

	return proxy[0] != '\0' ? proxy :
	    server_process_either(envp, "all_proxy", "ALL_PROXY");
}

/* What both messages say of a server. Its descriptors are -1. */
#define SERVER_PROCESS_REMOTE(server, setup, command)                          \
	.log_terms = log_terms(), .url = (server)->run.data,               \
	.events = (server)->remote == CONFIG_SSE,                              \
	.proxy = server_process_proxy((server)->run.data, (setup)->envp),      \
	.no_proxy =                                                            \
	    server_process_either((setup)->envp, "no_proxy", "NO_PROXY"),      \
	.login = (command), .trusted = -1, .logins = -1

/* Opens the certificates that an option names. Returns 0, or -1 with err. */
static int
server_process_open_trusted(
    const struct server_process_setup *setup, int *trusted, struct err *err)
{
	const char *file = setup->options->ca_file;
	auto_fd int fd = -1;
	struct stat st;

	if (file[0] == '\0')
		return 0;
	fd = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd == -1 || fstat(fd, &st) == -1)
		return err_sys(err, "open the certificates %s", file);
	if (!S_ISREG(st.st_mode) ||
	    (uint64_t)st.st_size > CONNECTOR_TRUSTED_MAX)
		return err_set(err, "the certificates %s are no regular file "
		    "of at most %lu MiB", file, CONNECTOR_TRUSTED_MAX / MIB);
	*trusted = fd_take(&fd);
	return 0;
}

/*
 * Opens a file of a login. A key of ours is for us alone, as ssh wants it, too;
 * tokens of workloads are often mounted where all may read them.
 */
static int
server_process_open_secret(
    const char *option, const char *path, struct err *err)
{
	/* One that is no file could be waited for without end. */
	auto_fd int fd = open(
	    path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;

	if (fd == -1 || fstat(fd, &st) == -1)
		return err_sys(err, "its oauth: read %s %s", option, path);
	if (!S_ISREG(st.st_mode))
		return err_set(err, "its oauth: %s %s is no regular file",
		    option, path);
	if (strcmp(option, "privateKeyFile") == 0 && st.st_uid == geteuid() &&
	    (st.st_mode & (S_IRWXG | S_IRWXO)) != 0)
		return err_set(err, "its oauth: %s %s is open to other users "
		    "(fix: chmod 600 %s)", option, path, path);
	return fd_take(&fd);
}

/* Appends what is in a file of a login, without the newline at its end. */
static int
server_process_add_secret(struct buffer *headers, const char *option,
    const char *path, struct err *err)
{
	auto_buffer struct buffer text = { 0 };
	auto_fd int fd = server_process_open_secret(option + 1, path, err);

	if (fd == -1)
		return -1;
	if (fd_read_all(fd, FD_READ_ON, CONFIG_ENV_MAX, &text) == -1)
		return err_sys(err, "its oauth: read %s %s", option + 1, path);
	while (text.len > 0 && isspace((unsigned char)text.data[text.len - 1]))
		text.len--;
	if (text.len == 0 || memchr(text.data, '\0', text.len) != NULL ||
	    headers->len + text.len + strlen(option) > CONFIG_ENV_MAX)
		return err_set(err, "its oauth: %s %s is empty, too large or "
		    "no text", option + 1, path);
	buffer_printf(headers, "%.*s=",
	    (int)(strlen(option) - strlen("File")), option);
	buffer_add(headers, text.data, text.len);
	buffer_add(headers, "", 1);
	explicit_bzero(text.data, text.len);
	return 0;
}

/*
 * Sets the headers for a connector, which cannot open files: those of a login
 * are read here, each time that it starts.
 */
static int
server_process_add_headers(
    const struct server *server, struct buffer *headers, struct err *err)
{
	const char *text;

	TEXT_LIST_EACH (text, server->run_env.data, server->run_env.len) {
		size_t len = strcspn(text, "=");
		auto_free char *name = mem_dup(text, len);

		if (!server_is_secret_file(name))
			text_list_add(headers, text);
		else if (server_process_add_secret(
		             headers, name, text + len + 1, err) == -1)
			return -1;
	}
	return 0;
}

/* Takes the descriptors of theirs. */
static int
server_process_send(struct channel *channel, const struct server *server,
    const struct server_process_setup *setup,
    struct server_process_theirs *theirs, struct err *err)
{
	auto_free char *command =
	    server_login_command(server->name, setup->owner);
	struct ipc_connect connect = { SERVER_PROCESS_REMOTE(
	    server, setup, command) };
	auto_buffer struct buffer headers = { 0 };
	struct err none;

	if (server_process_add_headers(server, &headers, err) == -1 ||
	    server_process_open_trusted(setup, &connect.trusted, err) == -1)
		return -1;
	connect.headers.data = (const uint8_t *)headers.data;
	connect.headers.len = headers.len;
	connect.logins = server_login_open(
	    setup->options, setup->envp, setup->owner, server->name, &none);
	if (connect.logins == -1)
		log_debug("no logins at \"%s\": %s", server->name, none.text);
	connect.in = fd_take(&theirs->in);
	connect.out = fd_take(&theirs->out);
	connect.errors = fd_take(&theirs->errors);
	return channel_send_connect(channel, &connect, err);
}

/* Returns a process with a connector that has no server yet, or NULL. */
static struct server_process *
server_process_new_connector(
    struct event_base *base, int *pidfd, struct err *err)
{
	struct server_process *process = mem_alloc(sizeof(*process));
	const struct channel_ends ends =
	    worker_ends(ROLE_CONNECTOR, server_process_on_closed, process);

	if (landlock_abi() == 0)
		err_set(err, "remote servers need landlock, which this kernel "
		    "does not have: if it supports it, add landlock to its "
		    "lsm= list");
	else
		process->channel = worker_start(base, &ends,
		    ++server_process_count, 0, -1, pidfd, err);
	if (process->channel == NULL)
		free(mem_take(&process));
	return process;
}

static struct server_process *
server_process_connect(struct event_base *base, const struct server *server,
    const struct server_process_setup *setup,
    const struct server_process_times *times,
    struct server_process_pipes *pipes, server_process_ended *ended, void *ctx,
    struct err *err)
{
	struct server_process_theirs theirs;
	struct server_process *process;
	auto_fd int pidfd = -1;

	if (server_process_pipes(pipes, &theirs, err) == -1)
		return NULL;
	process = server_process_new_connector(base, &pidfd, err);
	if (process == NULL || server_process_send(process->channel,
	        server, setup, &theirs, err) == -1) {
		if (process != NULL)
			channel_free(&process->channel);
		server_process_close(&theirs);
		server_process_drop(pipes);
		free(process);
		return NULL;
	}
	log_debug("connector[%lu] connects the server \"%s\"",
	    server_process_count, server->name);
	server_process_watch(process, base, times, &pidfd, ended, ctx);
	return process;
}

/* Logins */

/* A message of a connector that does not log in. */
static void
server_process_violate(struct server_process *process)
{
	log_error("protocol violation by a connector: it does not log in");
	reaper_signal(process->keeper, SIGKILL);
}

void
server_process_hear_visit(struct server_process *process, const char *url)
{
	if (process->login.visit == NULL)
		server_process_violate(process);
	else
		process->login.visit(process->login.ctx, url);
}

void
server_process_hear_over(
    struct server_process *process, const char *reason, const char *scope)
{
	if (process->login.over == NULL) {
		server_process_violate(process);
		return;
	}
	process->login.over(process->login.ctx, reason, scope);
	/* It exits now. */
	channel_free(&process->channel);
}

void
server_process_paste(struct server_process *process, const char *text)
{
	struct ipc_paste paste = { .text = text };
	struct err err;

	if (process->channel != NULL &&
	    channel_send_paste(process->channel, &paste, &err) == -1)
		log_error("%s", err.text);
}

/* Takes the listener. */
static int
server_process_send_login(struct channel *channel, const struct server *server,
    const struct server_process_setup *setup, int *listener, struct err *err)
{
	auto_free char *command =
	    server_login_command(server->name, setup->owner);
	struct ipc_log_in log_in = { SERVER_PROCESS_REMOTE(
	    server, setup, command), .listener = -1 };
	auto_buffer struct buffer headers = { 0 };

	if (server_process_add_headers(server, &headers, err) == -1) {
		if (*listener != -1)
			return -1;
		/* A login ends without its files, too. */
		log_warn("its tokens may not be revoked: %s", err->text);
	}
	if (server_process_open_trusted(setup, &log_in.trusted, err) == -1)
		return -1;
	log_in.headers.data = (const uint8_t *)headers.data;
	log_in.headers.len = headers.len;
	log_in.logins = server_login_open(
	    setup->options, setup->envp, setup->owner, server->name, err);
	if (log_in.logins == -1) {
		fd_close(&log_in.trusted);
		return -1;
	}
	log_in.listener = fd_take(listener);
	return channel_send_log_in(channel, &log_in, err);
}

struct server_process *
server_process_log_in(struct event_base *base, const struct server *server,
    const struct server_process_setup *setup, int *listener,
    const struct server_login_ends *login, server_process_ended *ended,
    void *ctx, struct err *err)
{
	const struct server_process_times times = { 0 };
	auto_fd int pidfd = -1;
	struct server_process *process =
	    server_process_new_connector(base, &pidfd, err);

	if (process == NULL)
		return NULL;
	if (server_process_send_login(
	        process->channel, server, setup, listener, err) == -1) {
		channel_free(&process->channel);
		free(process);
		return NULL;
	}
	process->login = *login;
	server_process_watch(process, base, &times, &pidfd, ended, ctx);
	return process;
}

/* All of them */

struct server_process *
server_process_start(struct event_base *base, const struct server *server,
    const struct server_process_setup *setup,
    const struct server_process_times *times,
    struct server_process_pipes *pipes, server_process_ended *ended, void *ctx,
    struct err *err)
{
	struct server_process_theirs theirs;
	auto_fd int pidfd = -1;
	struct spawn_program program = { 0 };
	struct server_process *process;
	int started;

	if (server->remote)
		return server_process_connect(base, server, setup, times,
		    pipes, ended, ctx, err);
	if (server->program == NULL) {
		err_set(err, "there is no such program");
		return NULL;
	}
	if (server_process_pipes(pipes, &theirs, err) == -1)
		return NULL;
	program.in = theirs.in;
	program.out = theirs.out;
	program.errors = theirs.errors;
	started = server_process_spawn(
	    server, setup->envp, &program, &pidfd, err);
	server_process_close(&theirs);
	if (started == -1) {
		server_process_drop(pipes);
		return NULL;
	}
	log_debug("keeper[%lu] keeps the server \"%s\"", server_process_count,
	    server->name);
	process = mem_alloc(sizeof(*process));
	server_process_watch(process, base, times, &pidfd, ended, ctx);
	if (program.outlives)
		process->times.kill = ENGINE_END_MS;
	return process;
}
