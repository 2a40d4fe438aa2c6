/*
 * What a box executes whose language has no bootstrap of its own: reports that
 * it is ready, waits for the code, writes it to a file, and becomes the
 * interpreter that runs that file. The exit status, and the signal that ends
 * it, are therefore those of the interpreter. Run by the code, in the box, with
 * descriptor 0 empty, 1 and 2 the raw pipes of the code, 3 and 4 those of the
 * relay.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "mcp.h"
#include "../../../common/base/base64.h"
#include "../../../common/base/fd.h"
#include "../../../common/limits.h"
#include "../../../common/base/mem.h"

#define BOOTSTRAP_IN 3
#define BOOTSTRAP_OUT 4

/* EX_SOFTWARE, as in every process of Caisson that meets invalid input. */
#define BOOTSTRAP_BROKEN 70

/* The languages that it starts. */
#define LANGUAGE_FUNCTIONS(name)
#define LANGUAGE_PROGRAM(file, usual, instead, prepare)                        \
	mcp_prepare prepare;
#define LANGUAGE(name, title, ALIASES, OPTION, kind, version, fix, use, START, \
    BY, SESSIONS, MEMORY, helpers, programs, COMMAND)                          \
	BY
#include "languages.def"
#undef LANGUAGE_FUNCTIONS
#undef LANGUAGE_PROGRAM
#undef LANGUAGE

static const struct bootstrap_language {
	const char *name;
	const char *file; /* of the code; NULL: it has its own bootstrap */
	mcp_prepare *prepare;
} bootstrap_languages[] = {
#define LANGUAGE_FUNCTIONS(name) NULL, NULL
#define LANGUAGE_PROGRAM(file, usual, instead, prepare) file, prepare
#define LANGUAGE(name, title, ALIASES, OPTION, kind, version, fix, use, START, \
    BY, SESSIONS, MEMORY, helpers, programs, COMMAND)                          \
	{ #name, BY },
#include "languages.def"
};

static const char bootstrap_ready[] = "{\"type\":\"ready\"}\n";

/* Reads the only line that precedes the run of the code. */
static int
bootstrap_receive(struct buffer *frame, struct err *err)
{
	ssize_t n;

	do {
		n = read(BOOTSTRAP_IN, buffer_reserve(frame, PIPE_CHUNK),
		    PIPE_CHUNK);
		if (n == -1 && errno == EINTR)
			continue;
		if (n == -1)
			return err_sys(err, "read the code");
		if (n == 0)
			return err_set(err, "the relay closed its pipe before "
			    "the code came");
		frame->len += (size_t)n;
	} while (n == -1 || frame->data[frame->len - 1] != '\n');
	return 0;
}

/* Returns the code, which the caller frees, or NULL with err. */
static char *
bootstrap_take_code(struct json_span run, size_t *len, struct err *err)
{
	struct json_span member;

	if (json_span_get(run, "type", &member) != 1 ||
	    !json_span_is(member, "run") ||
	    json_span_get(run, "code", &member) != 1) {
		err_set(err, "the relay sent no run frame");
		return NULL;
	}
	return json_span_string(member, len, err);
}

/* Outside of the user's directory. Returns 0, or -1 with err. */
static int
bootstrap_store(const char *path, const char *code, size_t len, struct err *err)
{
	auto_fd int fd = open(
	    path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

	if (fd == -1)
		return err_sys(err, "create %s", path);
	if (fd_write_all(fd, code, len) == -1)
		return err_sys(err, "write the code to %s", path);
	return 0;
}

/*
 * Makes descriptor 0 a file with these bytes, given as base64, that has no name
 * any more. Returns 0, or -1 with err.
 */
static int
bootstrap_set_stdin(
    const char *folder, struct json_span encoded, struct err *err)
{
	auto_free char *path = mem_printf("%s/.stdin", folder);
	auto_buffer struct buffer data = { 0 };
	auto_fd int fd = -1;

	if (base64_read(&data, encoded.p + 1, encoded.len - 2) == -1)
		return err_set(err, "stdin is not base64");
	if (bootstrap_store(path, data.data, data.len, err) == -1)
		return -1;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd == -1 || unlink(path) == -1 || dup2(fd, STDIN_FILENO) == -1)
		return err_sys(err, "open %s", path);
	return 0;
}

/* Gives the code what its call gave it. Returns 0, or -1 with err. */
static int
bootstrap_take_input(const char *folder, struct json_span run, struct err *err)
{
	struct json_span_walk walk;
	struct json_span member, key;
	size_t len;

	if (json_span_get(run, "stdin", &member) == 1 &&
	    bootstrap_set_stdin(folder, member, err) == -1)
		return -1;
	if (json_span_get(run, "directory", &member) == 1) {
		auto_free char *path = json_span_string(member, &len, err);

		if (path == NULL)
			return -1;
		if (chdir(path) == -1)
			return err_sys(err, "enter %s", path);
	}
	if (json_span_get(run, "environment", &member) == 0)
		return 0;
	walk = json_span_walk(member);
	while (json_span_next_member(&walk, &key, &member)) {
		auto_free char *name = json_span_string(key, &len, err);
		auto_free char *value = json_span_string(member, &len, err);

		if (name == NULL || value == NULL)
			return -1;
		if (setenv(name, value, 1) == -1)
			return err_sys(err, "set %s", name);
	}
	return 0;
}

/*
 * Returns the directory for temporary files; those of the user are elsewhere.
 */
static const char *
bootstrap_folder(void)
{
	const char *folder = getenv("TMPDIR");

	return folder == NULL ? "/tmp" : folder;
}

/* Enables scripts to call tools. Returns 0, or -1 with err. */
static int
bootstrap_serve(const char *folder, struct err *err)
{
	auto_free char *calls = mem_printf("%s/" MCP_FOLDER_NAME, folder);

	if (serve_start(calls, BOOTSTRAP_IN, BOOTSTRAP_OUT, err) == -1)
		return -1;
	if (setenv(MCP_FOLDER_VARIABLE, calls, 1) == -1)
		return err_sys(err, "set %s", MCP_FOLDER_VARIABLE);
	return 0;
}

/* Says how the code was changed. Returns 0, or -1 with err. */
static int
bootstrap_note(const char *how, struct err *err)
{
	auto_buffer struct buffer frame = { 0 };

	buffer_printf(&frame,
	    "{\"type\":\"note\",\"text\":\"the code ran %s\"}\n", how);
	if (fd_write_all(BOOTSTRAP_OUT, frame.data, frame.len) == -1)
		return err_sys(err, "tell the relay");
	return 0;
}

/* Returns only on failure, -1 with err. */
static int
bootstrap_run(const struct bootstrap_language *language,
    const char *interpreter, struct err *err)
{
	const char *folder = bootstrap_folder();
	auto_free char *path = mem_printf("%s/%s", folder, language->file);
	const char *const argv[] = { interpreter, path, NULL };
	auto_buffer struct buffer frame = { 0 };
	auto_free char *code = NULL;
	struct json_span run;
	const char *how;
	size_t len;

	if (fd_write_all(BOOTSTRAP_OUT, bootstrap_ready,
	        strlen(bootstrap_ready)) == -1)
		return err_sys(err, "tell the relay");
	if (bootstrap_receive(&frame, err) == -1)
		return -1;
	if (json_span_parse(frame.data, frame.len, &run, err) == -1)
		return -1;
	code = bootstrap_take_code(run, &len, err);
	if (code == NULL)
		return -1;
	how = language->prepare(code, &len, interpreter);
	if (how != NULL && bootstrap_note(how, err) == -1)
		return -1;
	if (bootstrap_store(path, code, len, err) == -1)
		return -1;
	if (bootstrap_serve(folder, err) == -1 ||
	    bootstrap_take_input(folder, run, err) == -1)
		return -1;
	close(BOOTSTRAP_IN);
	close(BOOTSTRAP_OUT);
	execve(interpreter, (char *const *)argv, environ);
	return err_sys(err, "run %s", interpreter);
}

const char *
bootstrap_keep(char *, size_t *, const char *)
{
	return NULL;
}

int
bootstrap_main(const char *name, const char *interpreter)
{
	const struct bootstrap_language *language = bootstrap_languages;
	struct err err;

	/* The launcher and this program are made of the same manifests. */
	while (strcmp(language->name, name) != 0)
		language++;
	bootstrap_run(language, interpreter, &err);
	fprintf(stderr, "caisson: the code was not run: %s\n", err.text);
	return BOOTSTRAP_BROKEN;
}
