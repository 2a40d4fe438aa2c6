/*
 * caisson servers add: writes an entry to our own file of servers, as a whole
 * or not at all. Before that, a reader checks it by the rules for such files.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "../../../common/base/fd.h"
#include "../../../common/limits.h"
#include "../../../common/base/mem.h"
#include "../../../common/base/shown.h"
#include "../../../common/base/text_list.h"
#include "../../options/home.h"
#include "../../options/options.h"
#include "../adopt/adopt_json.h"
#include "../adopt/adopt_show.h"
#include "../adopt/adopt_work.h"
#include "../client/client_config.h"
#include "../shared/command.h"

/* Variables */

/* Reads a line of standard input; a terminal does not display it. */
static char *
servers_value_line(const char *key)
{
	struct termios before, silent;
	int terminal = tcgetattr(STDIN_FILENO, &before) == 0;
	auto_free char *line = NULL;
	size_t size = 0;
	ssize_t len;

	if (terminal) {
		silent = before;
		silent.c_lflag &= ~(tcflag_t)(ECHO | ISIG);
		fprintf(stderr, "%s: ", key);
		tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent);
	}
	len = getline(&line, &size, stdin);
	if (terminal) {
		tcsetattr(STDIN_FILENO, TCSAFLUSH, &before);
		fputc('\n', stderr);
	}
	/* Ctrl-C is a character while signals are disabled. */
	if (len <= 0 || strchr(line, 3) != NULL)
		return NULL;
	line[strcspn(line, "\r\n")] = '\0';
	return mem_take(&line);
}

static int
servers_value_put(const char *flag, const char *key, const char *value,
    struct buffer *pairs, struct err *err)
{
	if (strlen(value) > CONFIG_ENV_MAX)
		return err_set(err, "%s %s: the value has more than %lu "
		    "bytes", flag, key, CONFIG_ENV_MAX);
	text_list_add(pairs, key);
	text_list_add(pairs, value);
	return 0;
}

/* A copied value must not be expanded later. */
static int
servers_value_copy(const char *flag, const char *key, const char *value,
    const char *where, struct buffer *pairs, struct err *err)
{
	if (strstr(value, "${") != NULL)
		return err_set(err, "%s %s: the value from %s contains "
		    "\"${\", which files of servers fill in: write %s "
		    "'%s=${%s}' to have it filled in at each start", flag,
		    key, where, flag, key, key);
	printf("%s: its value is taken from %s\n", key, where);
	return servers_value_put(flag, key, value, pairs, err);
}

/*
 * Appends the variable of --env to a list of pairs. given is KEY=VALUE, of a
 * header also "KEY: VALUE", as other programs have it; or KEY, whose value is
 * that in the environment, else a line of standard input, which a terminal does
 * not display. A secret can so be passed without the command line, which shells
 * record and other processes can read. Prints which of these it was, no value.
 * Returns 0, or -1 with err.
 */
static int
servers_value_add(const char *flag, const char *given, char **envp,
    struct buffer *pairs, struct err *err)
{
	bool header = strcmp(flag, "--header") == 0;
	size_t len = strcspn(given, header ? "=:" : "=");
	auto_free char *key = mem_dup(given, len);
	auto_buffer struct buffer shown = { 0 };
	auto_free char *line = NULL;
	const char *value;

	shown_add_quoted(&shown, key, CONFIG_NAME_MAX);
	if (len == 0 || strpbrk(key, "\r\n") != NULL)
		return err_set(err, "%s lacks a name: write %s KEY=VALUE, or "
		    "%s KEY", flag, flag, flag);
	if (text_list_value(pairs->data, pairs->len, key) != NULL)
		return err_set(err, "%s %s is given twice: give it once", flag,
		    shown.data);
	if (given[len] != '\0') {
		value = given + len + 1;
		value += header ? strspn(value, " ") : 0;
		return servers_value_put(flag, key, value, pairs, err);
	}
	value = expand_variable(envp, key, len);
	if (value != NULL)
		return servers_value_copy(flag, shown.data, value,
		    "the environment", pairs, err);
	line = servers_value_line(shown.data);
	if (line == NULL)
		return err_set(err, "%s %s: there is no such variable in "
		    "the environment, and no line on standard input: set one "
		    "of them", flag, shown.data);
	return servers_value_copy(
	    flag, shown.data, line, "standard input", pairs, err);
}

/* The entry */

struct servers_add {
	const struct command_setup *setup;
	const struct command *command;
	char *folder;    /* ~/.config/caisson/servers */
	char *path;      /* caisson.json in it */
	char *program;   /* the command, as a path if it has one */
	char *cwd;       /* NULL: none */
	struct buffer args;
	struct buffer env;
	struct server server; /* the entry; borrows the fields above */
	struct servers servers; /* the entries of all files */
	const struct server_file *target; /* NULL: no such file yet */
	bool there; /* the same entry exists already */
};

/* Returns a path relative to the user's directory as an absolute one. */
static char *
servers_add_path(const struct servers_add *add, const char *path)
{
	const char *folder = add->setup->self->folder;

	if (path[0] == '/' || folder[0] == '\0')
		return mem_strdup(path);
	while (strncmp(path, "./", 2) == 0)
		path += 2;
	return mem_printf("%s/%s", strcmp(folder, "/") == 0 ? "" : folder,
	    path);
}

static int
servers_add_cwd(struct servers_add *add, struct err *err)
{
	const char *given =
	    command_value(&add->command->flags, COMMAND_FLAG_CWD, 0);
	auto_buffer struct buffer shown = { 0 };
	struct stat st;

	if (given == NULL)
		return 0;
	add->cwd = servers_add_path(add, given);
	if (stat(add->cwd, &st) == 0 && S_ISDIR(st.st_mode))
		return 0;
	shown_add_quoted(&shown, add->cwd, CONFIG_PATH_MAX);
	return err_set(err, "--cwd %s: there is no such directory", shown.data);
}

/* Adds what is given by a flag with a name and perhaps a value. */
static int
servers_add_pairs(struct servers_add *add, enum command_flag flag,
    const char *name, struct err *err)
{
	const char *given;
	size_t i;

	for (i = 0; (given = command_value(
	                 &add->command->flags, flag, i)) != NULL; i++)
		if (servers_value_add(name, given, add->setup->envp,
		        &add->env, err) == -1)
			return -1;
	return 0;
}

/* Makes the entry of a remote server: its one word is a URL. */
static int
servers_add_make_remote(struct servers_add *add, struct err *err)
{
	const struct command *command = add->command;

	if (command->rest[1] != NULL || add->cwd != NULL ||
	    command_value(&command->flags, COMMAND_FLAG_ENV, 0) != NULL)
		return err_set(err, "a server that is reached by a URL has "
		    "headers (--header), but no arguments, variables or "
		    "directory");
	if (servers_add_pairs(add, COMMAND_FLAG_HEADER, "--header", err) == -1)
		return -1;
	add->program = mem_strdup(command->rest[0]);
	add->server = (struct server){ .name = (char *)command->operand,
		.command = "",
		.remote = CONFIG_HTTP,
		.url = add->program,
		.headers = { add->env.data, add->env.len } };
	return 0;
}

/* Makes the entry from the command line. */
static int
servers_add_make(struct servers_add *add, struct err *err)
{
	const struct command *command = add->command;
	char **word;

	if (servers_add_cwd(add, err) == -1)
		return -1;
	if (strncasecmp(command->rest[0], "https://", 8) == 0 ||
	    strncasecmp(command->rest[0], "http://", 7) == 0)
		return servers_add_make_remote(add, err);
	if (command_value(&command->flags, COMMAND_FLAG_HEADER, 0) != NULL)
		return err_set(err, "--header is for a server that is reached "
		    "by a URL; --env sets a variable of a program");
	if (servers_add_pairs(add, COMMAND_FLAG_ENV, "--env", err) == -1)
		return -1;
	for (word = command->rest + 1; *word != NULL; word++)
		text_list_add(&add->args, *word);
	/* It must name the same program from every directory. */
	add->program = strchr(command->rest[0], '/') != NULL &&
	        add->cwd == NULL ?
	    servers_add_path(add, command->rest[0]) :
	    mem_strdup(command->rest[0]);
	add->server = (struct server){ .name = (char *)command->operand,
		.command = add->program,
		.args = { add->args.data, add->args.len },
		.env = { add->env.data, add->env.len },
		.cwd = add->cwd };
	return 0;
}

/* Adds the entry to a file, which is freed, and appends that. */
static int
servers_add_to(const struct servers_add *add, json_t *file,
    struct buffer *text, struct err *err)
{
	const struct buffer none = { 0 };

	adopt_json_add(file, &add->server, &none);
	return adopt_json_write(file, text, err);
}

/* Makes a file in memory with only this entry. */
static int
servers_add_draft(const struct servers_add *add, struct err *err)
{
	auto_buffer struct buffer text = { 0 };
	auto_fd int fd = memfd_create("caisson-servers", MFD_CLOEXEC);

	if (servers_add_to(add, adopt_json_new(), &text, err) == -1)
		return err_wrap(err, "the server cannot be added");
	if (fd == -1 || fchmod(fd, 0600) == -1 ||
	    fd_write_all(fd, text.data, text.len) == -1)
		return err_sys(err, "make a file in memory");
	return fd_take(&fd);
}

/* Judges the entry as read from the draft. */
static int
servers_add_judge(const struct servers_add *add,
    const struct servers *servers, const char *path, struct err *err)
{
	const char *why = NULL;
	auto_buffer struct buffer shown = { 0 };
	const struct server *server;
	const struct server_file *file;

	shown_add_quoted(&shown, add->server.name, CONFIG_NAME_MAX);
	TAILQ_FOREACH (server, &servers->list, entry) {
		if (strcmp(server->file->path, path) != 0)
			continue;
		if (server->state == SERVER_TAKEN && server->program == NULL)
			fprintf(stderr, "caisson: server \"%s\": its "
			    "command is not found: install it before the "
			    "server is used\n", shown.data);
		if (server->state == SERVER_TAKEN)
			return 0;
		why = server->why;
	}
	TAILQ_FOREACH (file, &servers->files, entry)
		if (file->path != NULL && strcmp(file->path, path) == 0 &&
		    why == NULL)
			why = file->why;
	return err_set(err, "server \"%s\" cannot be added: %s", shown.data,
	    why == NULL ? "it cannot be read" : why);
}

static int
servers_add_check(const struct servers_add *add, struct err *err)
{
	auto_fd int draft = servers_add_draft(add, err);
	auto_free char *path = mem_printf("/proc/self/fd/%d", draft);
	struct servers servers;
	int done;

	if (draft == -1)
		return -1;
	adopt_work_read_servers(&servers, add->setup, NULL, path);
	done = servers_add_judge(add, &servers, path, err);
	servers_free(&servers);
	return done;
}

/* There is another entry of this name. */
static int
servers_add_taken(struct servers_add *add, const struct server *other,
    struct err *err)
{
	auto_buffer struct buffer name = { 0 }, path = { 0 };

	if (other->file == add->target &&
	    adopt_json_is_same(other, &add->server)) {
		add->there = true;
		return 0;
	}
	adopt_show_text(&name, other->name);
	adopt_show_text(&path, other->file->path);
	if (other->file == add->target)
		return err_set(err, "\"%s\" is in %s already, with another "
		    "definition: 'caisson servers remove %s' removes it",
		    name.data, path.data, name.data);
	return err_set(err, "\"%s\" is defined in %s%s%s%s: choose another "
	    "name, or remove it there", name.data, path.data,
	    other->file->source->client ? " (" : "",
	    other->file->source->client ? other->file->source->name : "",
	    other->file->source->client ? ")" : "");
}

/* Checks that the name is free, and that our file can have one more entry. */
static int
servers_add_look(struct servers_add *add, struct err *err)
{
	const struct server_file *file;
	const struct server *server;

	TAILQ_FOREACH (file, &add->servers.files, entry)
		if (file->path != NULL && strcmp(file->path, add->path) == 0)
			add->target = file;
	if (add->target != NULL && add->target->state != SERVER_FILE_TAKEN) {
		const struct server *row =
		    server_faults_row(&add->servers, add->target);

		return err_set(err, "%s cannot be changed: %s", add->path,
		    row != NULL ? row->why :
		    add->target->why != NULL ? add->target->why :
		    "it is not read");
	}
	TAILQ_FOREACH (server, &add->servers.list, entry)
		if (strcmp(server->name, add->server.name) == 0 &&
		    servers_add_taken(add, server, err) == -1)
			return -1;
	return 0;
}

/* Adds the entry to the existing file. */
static int
servers_add_put(const struct servers_add *add, struct err *err)
{
	auto_buffer struct buffer after = { 0 };
	struct adopt_file file = { 0 };
	json_t *json = NULL;
	int done = adopt_work_read_file(
	    &file, add->target, "the program that uses it", err);

	if (done == 0)
		json = adopt_json_read(&file.data, add->path, err);
	/* Values may be secrets. */
	file.st.st_mode &= ~(mode_t)077;
	done = json == NULL ? -1 : servers_add_to(add, json, &after, err);
	if (done == 0)
		done = adopt_file_replace(&file, after.data, after.len, err);
	adopt_file_reset(&file);
	return done;
}

static int
servers_add_write(const struct servers_add *add, struct err *err)
{
	auto_buffer struct buffer text = { 0 };
	auto_fd int lock = -1;

	if (adopt_file_make_folder(add->folder, err) == -1)
		return -1;
	lock = adopt_file_lock(add->folder, err);
	if (lock == -1)
		return -1;
	if (add->target != NULL)
		return servers_add_put(add, err);
	if (access(add->path, F_OK) == 0)
		return err_set(err, "%s was made meanwhile: try again",
		    add->path);
	if (servers_add_to(add, adopt_json_new(), &text, err) == -1)
		return -1;
	return adopt_file_write(add->path, text.data, text.len, err);
}

static int
servers_add_do(struct servers_add *add, struct err *err)
{
	auto_buffer struct buffer shown = { 0 };

	if (servers_add_look(add, err) == -1)
		return -1;
	adopt_show_text(&shown, add->server.name);
	buffer_add_text(&shown, "\": ");
	adopt_show_server(&shown, &add->server);
	if (add->there) {
		printf("There is nothing to change: \"%s\n", shown.data);
		return 0;
	}
	if (servers_add_write(add, err) == -1)
		return -1;
	buffer_add_text(&shown, "\nIt is in ");
	adopt_show_text(&shown, add->path);
	printf("Added \"%s; 'caisson servers test' tries it.\n", shown.data);
	return 0;
}

static int
servers_add_all(struct servers_add *add, struct err *err)
{
	auto_free char *settings = home_settings(add->setup->envp, err);
	int done;

	if (settings == NULL)
		return -1;
	add->folder = mem_printf("%s/servers", settings);
	add->path = mem_printf("%s/caisson.json", add->folder);
	if (servers_add_make(add, err) == -1 ||
	    servers_add_check(add, err) == -1)
		return -1;
	adopt_work_read_servers(&add->servers, add->setup, NULL, NULL);
	done = command_end(servers_add_do(add, err), err);
	servers_free(&add->servers);
	return done;
}

int
servers_add_run(struct command_setup *setup, struct err *err)
{
	struct servers_add add = { .setup = setup,
		.command = &setup->options->command };
	int done = servers_add_all(&add, err);

	free(add.folder);
	free(add.path);
	free(add.program);
	free(add.cwd);
	buffer_reset(&add.args);
	buffer_reset(&add.env);
	return done;
}
