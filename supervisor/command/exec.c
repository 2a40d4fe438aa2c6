/*
 * caisson exec: runs one program in a box as the call of a client, and passes
 * on its output and its exit status. Pictures and files go to a folder.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../common/base/base64.h"
#include "../../common/base/fd.h"
#include "../../common/base/mem.h"
#include "../../common/base/shown.h"
#include "../../common/base/text_list.h"
#include "../../common/base/utf8.h"
#include "../../common/json/json.h"
#include "../../common/limits.h"
#include "../../common/picture.h"
#include "../door/door.h"
#include "../front/tools/tool.h"
#include "../peers/broker.h"
#include "../peers/files.h"
#include "../process/process.h"
#include "../box/shared/language.h"
#include "../run/run.h"
#include "../servers/in_force/in_force.h"
#include "../servers/in_force/server_names.h"
#include "shared/command.h"

/* Exit statuses of timeout(1), and of shells for signals. */
#define EXEC_LATE 124
#define EXEC_SIGNAL 128
#define EXEC_REFUSED 2 /* caisson(1) */

struct exec {
	struct runs *runs;
	struct owner owner;
	struct request request;
	struct in_force_waiter waiter;
	const char *folder; /* for files; NULL: none is wanted */
	struct box_streams streams;
	struct pour *pours[2];
	size_t pouring; /* of those */
	struct buffer said; /* what is to be told behind the output */
	struct call_files files; /* to be fetched; names and versions only */
	size_t fetched;          /* of those */
	bool over;  /* no call is left */
	bool stopped; /* by a signal */
	bool unread;  /* the output cannot be written */
	int status; /* to exit with */
};

static void __attribute__((format(printf, 2, 3)))
exec_fail(struct exec *exec, const char *fmt, ...)
{
	auto_free char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	text = mem_vprintf(fmt, ap);
	va_end(ap);
	buffer_add_text(&exec->said, "caisson: ");
	shown_add(&exec->said, text, strlen(text));
	buffer_add_text(&exec->said, "\n");
	if (exec->status == 0)
		exec->status = 1;
}

/* The end */

/* The first signal cancels the call, which is kept; the second ends us. */
static void
exec_on_signal(void *ctx, int signal)
{
	struct exec *exec = ctx;
	struct sigaction inherited;

	/* As under nohup(1): a blocked signal comes although it is ignored. */
	if (sigaction(signal, NULL, &inherited) == 0 &&
	    inherited.sa_handler == SIG_IGN)
		return;
	exec->status = EXEC_SIGNAL + signal;
	if (exec->stopped || exec->over || exec->runs->calls == 0)
		event_base_loopbreak(exec->runs->base);
	exec->stopped = true;
	call_cancel_all(exec->runs, "the program was stopped by a signal");
}

static void
exec_on_servers_ended(void *ctx)
{
	struct exec *exec = ctx;

	/* This also works before the loop has started. */
	event_base_loopexit(exec->runs->base, NULL);
}

/* Ends the servers, and then the loop, once nothing is left to do. */
static void
exec_check(struct exec *exec)
{
	if (exec->over && exec->fetched == exec->files.count &&
	    exec->pouring == 0)
		broker_stop(
		    exec->runs->peers.broker, exec_on_servers_ended, exec);
}

static void
exec_on_idle(void *ctx)
{
	struct exec *exec = ctx;

	exec->over = true;
	exec_check(exec);
}

/* Output */

static void
exec_close_streams(struct exec *exec)
{
	fd_close(&exec->streams.out);
	fd_close(&exec->streams.errors);
}

/* All of a stream is written; or its reader has gone, as 'head' does. */
static void
exec_on_poured(void *ctx, int error)
{
	struct exec *exec = ctx;

	exec->pouring--;
	if (error == EPIPE && exec->status == 0)
		exec->status = EXEC_SIGNAL + SIGPIPE;
	else if (error != 0 && error != EPIPE)
		exec_fail(exec, "the output of the program cannot be written: "
		    "%s", strerror(error));
	exec->unread |= error != 0;
	if (error != 0)
		call_cancel_all(
		    exec->runs, "the output of the program is not read");
	exec_check(exec);
}

/* The relay of the program writes to a pipe, we to the descriptor. */
static int
exec_open_stream(struct exec *exec, int *stream, int to, struct err *err)
{
	int fds[2];

	if (pipe2(fds, O_CLOEXEC | O_NONBLOCK) == -1)
		return err_sys(err, "make a pipe");
	*stream = fds[1];
	exec->pours[exec->pouring++] = pour_new(
	    exec->runs->base, &fds[0], to, exec_on_poured, exec);
	return 0;
}

/* Files */

/*
 * Makes the folders that lead to a path. Returns 0; or -1 with errno, and the
 * path cut behind the one that cannot be made.
 */
static int
exec_make_folders(char *path)
{
	char *slash = path;

	while ((slash = strchr(slash + 1, '/')) != NULL) {
		*slash = '\0';
		if (mkdir(path, 0777) == -1 && errno != EEXIST)
			return -1;
		*slash = '/';
	}
	return 0;
}

/*
 * Returns a new file in the folder, or in one below it, which is made; or -1.
 * path becomes its path.
 */
static int
exec_create(struct exec *exec, const char *name, char **path)
{
	int fd = -1;

	*path = mem_printf("%s/%s", exec->folder, name);
	if (exec_make_folders(*path) == 0)
		fd = open(*path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	if (fd == -1 && errno == EEXIST)
		exec_fail(exec, "%s exists already, and is left as it is: "
		    "name another folder in --out", *path);
	else if (fd == -1)
		exec_fail(exec, "%s cannot be made: %s; name another folder "
		    "in --out", *path, strerror(errno));
	return fd;
}

/* Tells of a file that was written, or, with why, removes it. */
static void
exec_end_file(struct exec *exec, const char *path, const char *why)
{
	if (why == NULL) {
		buffer_printf(&exec->said, "caisson: wrote %s\n", path);
		return;
	}
	unlink(path);
	exec_fail(exec, "%s: %s", path, why);
}

static void
exec_save_picture(struct exec *exec, const struct call_picture *picture,
    size_t number)
{
	size_t size = picture_bytes(picture->data, picture->len);
	auto_free uint8_t *bytes = mem_alloc(size);
	auto_free char *name = mem_printf(
	    "picture-%zu.%s", number, picture_name(picture->kind));
	auto_free char *path = NULL;
	auto_fd int fd = exec_create(exec, name, &path);
	struct err err = { 0 };

	if (fd == -1)
		return;
	if (picture_read(picture->data, picture->len, 0, bytes, size) == -1 ||
	    fd_write_all(fd, bytes, size) == -1)
		err_sys(&err, "it cannot be written");
	exec_end_file(exec, path, err.text[0] == '\0' ? NULL : err.text);
}

static void
exec_on_fetched(void *ctx, int *file, uint64_t offset)
{
	struct exec *exec = ctx;
	auto_free char *path = NULL;
	auto_fd int fd = exec_create(
	    exec, exec->files.one[exec->fetched].name, &path);
	struct err err;

	if (fd != -1)
		exec_end_file(exec, path,
		    command_copy(*file, offset, fd, &err) == -1 ? err.text :
		                                                  NULL);
}

static void exec_fetch_next(struct exec *exec);

static void
exec_on_fetch_end(void *ctx, const struct files_end *end)
{
	struct exec *exec = ctx;

	if (end->why != NULL)
		exec_fail(exec, "%s was not fetched: %s",
		    exec->files.one[exec->fetched].name, end->why);
	exec->fetched++;
	exec_fetch_next(exec);
}

/* Fetches the next file that the code has left, or ends. */
static void
exec_fetch_next(struct exec *exec)
{
	const struct files_user user = { .fetched = exec_on_fetched,
		.done = exec_on_fetch_end, .ctx = exec };
	const struct call_file *file;
	struct err err;

	for (; exec->fetched < exec->files.count; exec->fetched++) {
		file = &exec->files.one[exec->fetched];
		if (files_fetch(exec->runs->peers.files, exec->owner.scope,
		        file->name, file->version, NULL, &user, &err) != NULL)
			return;
		exec_fail(exec, "%s was not fetched: %s", file->name, err.text);
	}
	exec_check(exec);
}

/* Notes the files for later; the result lasts as long as this call only. */
static void
exec_take_files(struct exec *exec, const struct call_files *files)
{
	size_t i;

	exec->files.one = mem_alloc(
	    (files->count + 1) * sizeof(*exec->files.one));
	for (i = 0; i < files->count; i++) {
		exec->files.one[i].name = mem_strdup(files->one[i].name);
		exec->files.one[i].version = files->one[i].version;
	}
	exec->files.count = files->count;
	exec_fetch_next(exec);
}

/* Says how to get what the code has left. */
static void
exec_tell_files(struct exec *exec, const struct call_result *result)
{
	size_t i;

	for (i = 0; i < result->files.count; i++)
		buffer_printf(&exec->said, "caisson: kept %s: 'caisson files "
		    "save %s' copies it here\n", result->files.one[i].name,
		    result->files.one[i].name);
	if (result->pictures.count > 0)
		buffer_printf(&exec->said, "caisson: %zu picture%s: --out DIR "
		    "writes pictures and files to a folder\n",
		    result->pictures.count,
		    result->pictures.count == 1 ? "" : "s");
}

/* The call */

/* Returns whether the bootstrap refused the code, and said why itself. */
static int
exec_was_refused(const struct call_result *result)
{
	return result->error != NULL &&
	    strncmp(result->error, CALL_NOT_RUN, strlen(CALL_NOT_RUN)) == 0;
}

static int
exec_status(const struct call_result *result)
{
	/* The exit code is that of the bootstrap then. */
	if (exec_was_refused(result))
		return 1;
	if (result->status == CALL_TIMEOUT)
		return EXEC_LATE;
	if (result->signal != 0)
		return EXEC_SIGNAL + result->signal;
	return result->exited ? result->exit_code :
	                        result->status != CALL_SUCCESS;
}

static void
exec_on_result(void *ctx, const struct call_result *result)
{
	struct exec *exec = ctx;
	auto_free char *said = mem_printf(CALL_EXITED, result->exit_code);
	const char *note;
	size_t i;

	exec_close_streams(exec);
	if (exec->status == 0)
		exec->status = exec_status(result);
	TEXT_LIST_EACH (note, result->notes, result->notes_len)
		buffer_printf(&exec->said, "note: %s\n", note);
	/* The exit status of the code says enough, or its standard error. */
	if (result->error != NULL && strcmp(result->error, said) != 0 &&
	    !exec_was_refused(result) && !exec->unread)
		buffer_printf(&exec->said, "caisson: %s\n", result->error);
	if (exec->folder == NULL) {
		exec_tell_files(exec, result);
		return;
	}
	for (i = 0; i < result->pictures.count; i++)
		exec_save_picture(exec, &result->pictures.one[i], i + 1);
	exec_take_files(exec, &result->files);
}

static void
exec_on_configured(void *ctx)
{
	struct exec *exec = ctx;
	struct runs *runs = exec->runs;
	struct request *request = &exec->request;
	struct err err;

	server_names_settle(&request->servers, &request->servers_len,
	    runs->config, NULL);
	if (server_names_check(request->servers, request->servers_len,
	        runs->config, NULL, 1, &err) == -1 ||
	    call_new(runs, request, exec_on_result, exec, &err) == NULL) {
		exec->status = EXEC_REFUSED;
		exec_fail(exec, "%s", err.text);
		exec_close_streams(exec);
		exec_on_idle(exec);
	}
}

/* The program */

/* Returns whether the program is what standard input has. */
static int
exec_is_input(const struct options *options)
{
	const char *name = options->command.operand;

	return name == NULL || strcmp(name, "-") == 0;
}

/* What a module of WebAssembly begins with. */
static const char exec_wasm[] = { '\0', 'a', 's', 'm' };

/* Reads the program, a module as base64. Returns 0, or -1 with err. */
static int
exec_read(const struct options *options, struct buffer *code, struct err *err)
{
	const char *name = options->command.operand;
	int is_input = exec_is_input(options);
	auto_free char *bytes = NULL;
	size_t len;
	auto_fd int fd = is_input ? dup(STDIN_FILENO) :
	    open(name, O_RDONLY | O_CLOEXEC);

	name = is_input ? "standard input" : name;
	if (is_input && isatty(STDIN_FILENO))
		command_tell_wait("the program; Ctrl-D ends it");
	if (fd == -1 ||
	    fd_read_all(fd, FD_READ_ON, options->max_code, code) == -1)
		return errno == EFBIG ?
		    err_set(err, "the program %s has more than the %zu bytes "
		        "allowed (CAISSON_MAX_CODE)", name,
		        (size_t)options->max_code) :
		    err_set(err, "the program %s cannot be read: %s; name a "
		        "file, or - for standard input", name, strerror(errno));
	if (code->len >= sizeof(exec_wasm) &&
	    memcmp(code->data, exec_wasm, sizeof(exec_wasm)) == 0) {
		bytes = buffer_take(code, &len);
		base64_add(code, bytes, len);
	} else if (!utf8_valid(code->data, code->len))
		return err_set(err, "the program %s is not UTF-8: save it as "
		    "UTF-8", name);
	return 0;
}

/* Appends the names of --servers as an array. */
static void
exec_add_servers(struct buffer *json, const struct command_flags *flags)
{
	const char *names, *comma = "";
	size_t i, len;

	for (i = 0; (names = command_value(
	                 flags, COMMAND_FLAG_SERVERS, i)) != NULL; i++)
		for (; *names != '\0'; names += len + (names[len] == ',')) {
			len = strcspn(names, ",");
			buffer_add_text(json, comma);
			json_add_string(json, names, len);
			comma = ",";
		}
}

/*
 * Appends what standard input has for a program that is in a file; a terminal
 * has nothing, and a closed one neither. Returns 0, or -1 with err.
 */
static int
exec_add_input(struct buffer *json, struct options *options, struct err *err)
{
	auto_buffer struct buffer input = { 0 };

	if (exec_is_input(options) || isatty(STDIN_FILENO))
		return 0;
	if (fd_read_all(STDIN_FILENO, FD_READ_ON, STDIN_MAX, &input) == -1 &&
	    errno != EBADF)
		return errno != EFBIG ?
		    err_set(err, "standard input cannot be read: %s; "
		        "'< /dev/null' gives the program none",
		        strerror(errno)) :
		    err_set(err, "standard input has more than the %lu MiB "
		        "that a program is given: '< /dev/null' gives it none",
		        STDIN_MAX / MIB);
	if (input.len == 0)
		return 0;
	options->arguments |= 1U << ARGUMENT_STDIN;
	buffer_add_text(json, ",\"stdin\":{\"base64\":\"");
	base64_add(json, input.data, input.len);
	buffer_add_text(json, "\"}");
	return 0;
}

/* Appends the words of the command line behind the program. */
static void
exec_add_arguments(struct buffer *json, struct options *options)
{
	char *const *word = options->command.rest;
	const char *comma = "";

	if (word == NULL || *word == NULL)
		return;
	options->arguments |= 1U << ARGUMENT_ARGUMENTS;
	buffer_add_text(json, ",\"arguments\":[");
	for (; *word != NULL; word++, comma = ",") {
		buffer_add_text(json, comma);
		json_add_text(json, *word);
	}
	buffer_add_text(json, "]");
}

/* The language of a program: that of which the suffix of its file is a name. */
static const char *
exec_language(const char *file)
{
	const char *dot = file == NULL ? NULL : strrchr(file, '.');
	const struct language *language =
	    dot == NULL ? NULL : language_find(dot + 1);

	return (language != NULL ? language : language_default())->name;
}

/* An image may be a language of containers only. Returns 0, or -1 with err. */
static int
exec_check_language(
    const char *name, const struct options *options, struct err *err)
{
	auto_buffer struct buffer shown = { 0 }, known = { 0 };

	if (strcmp(options->runtime, "native") != 0 ||
	    language_find(name) != NULL)
		return 0;
	shown_add_quoted(&shown, name, OPTION_VALUE_SHOWN);
	language_add_names(&known);
	return err_set(err, "unknown language \"%s\": the languages are %s; a "
	    "language that is an image needs --runtime podman or docker",
	    shown.data, known.data);
}

/* Reads the request as the arguments of a client. Returns 0, or -1 with err. */
static int
exec_request(struct exec *exec, struct options *options, struct err *err)
{
	const struct command_flags *flags = &options->command.flags;
	const char *language = command_value(flags, COMMAND_FLAG_LANGUAGE, 0);
	auto_buffer struct buffer code = { 0 }, json = { 0 };
	struct json_span arguments;

	if (exec_read(options, &code, err) == -1)
		return -1;
	options->arguments |= 1U << ARGUMENT_CODE | 1U << ARGUMENT_SERVERS;
	buffer_add_text(&json, "{\"language\":");
	if (language == NULL)
		language = exec_language(options->command.operand);
	if (exec_check_language(language, options, err) == -1)
		return -1;
	json_add_text(&json, language);
	buffer_add_text(&json, ",\"code\":");
	json_add_string(&json, code.data, code.len);
	buffer_add_text(&json, ",\"servers\":[");
	exec_add_servers(&json, flags);
	buffer_add_text(&json, "]");
	exec_add_arguments(&json, options);
	/* As a client asks for it: limits of the language stand above. */
	if (options->sources[OPTION_ID_TIMEOUT] == OPTIONS_FLAG) {
		options->arguments |= 1U << ARGUMENT_TIMEOUT;
		buffer_printf(&json, ",\"timeout\":%llu",
		    (unsigned long long)options->timeout);
	}
	if (exec_add_input(&json, options, err) == -1)
		return -1;
	buffer_add_text(&json, "}");
	if (json_span_parse(json.data, json.len, &arguments, err) == -1 ||
	    arguments_read(arguments, "exec", NULL, options, &exec->request,
	        err) == -1)
		return -1;
	exec->request.owner = &exec->owner;
	exec->request.streams = &exec->streams;
	return run_code_check(&exec->request, err);
}

static int
exec_make_folder(const struct exec *exec, struct err *err)
{
	auto_free char *path = mem_printf(
	    "%s/.", exec->folder == NULL ? "." : exec->folder);

	/* Of a variable that is not set: not the root. */
	if (exec->folder != NULL && exec->folder[0] == '\0')
		return err_set(err, "--out is \"\", but must be a folder, such "
		    "as . for this one");
	if (exec_make_folders(path) == 0 && access(path, F_OK) == 0)
		return 0;
	return err_set(err, "the folder %s cannot be made: %s; name another "
	    "one in --out", path, strerror(errno));
}

int
exec_run(struct command_setup *setup, struct err *err)
{
	struct runs *runs = setup->runs;
	struct exec exec = { .runs = runs,
		.waiter.ready = exec_on_configured,
		.streams = { -1, -1 },
		.folder = command_value(
		    &setup->options->command.flags, COMMAND_FLAG_OUT, 0) };
	const struct door_setup door = { .runs = runs, .user = &exec.owner,
		.envp = setup->envp };
	struct stop_signals *signals;
	void *operators = NULL;
	int done;

	exec.waiter.ctx = &exec;
	done = exec_make_folder(&exec, err) == -1 ? -1 :
	    exec_request(&exec, setup->options, err) == -1 ? -1 :
	    exec_open_stream(&exec, &exec.streams.out, STDOUT_FILENO, err) ==
	        -1 ? -1 :
	    exec_open_stream(&exec, &exec.streams.errors, STDERR_FILENO, err);
	if (done == 0) {
		owner_open_user(&exec.owner, runs);
		signals = stop_signals_new(runs->base, exec_on_signal, &exec);
		door_operators.open(&operators, &door, err);
		runs->idle = exec_on_idle;
		runs->idle_ctx = &exec;
		in_force_refresh(runs->config, &exec.waiter);
		event_base_dispatch(runs->base);
		door_operators.close(operators);
		stop_signals_free(&signals);
		owner_close(&exec.owner, runs);
	}
	exec_close_streams(&exec);
	pour_free(&exec.pours[0]);
	pour_free(&exec.pours[1]);
	/* Not if a reader keeps us waiting, and a signal has ended that. */
	if (exec.said.len > 0 && exec.pouring == 0)
		fputs(exec.said.data, stderr);
	request_reset(&exec.request);
	call_files_reset(&exec.files);
	buffer_reset(&exec.said);
	return done == -1 ? -1 : exec.status;
}
