/*
 * caisson sessions: lists the sessions of the Caissons that are running, and
 * ends one. Clients choose their names, so control characters are escaped for
 * the terminal. Runs as a command, which asks each Caisson at its socket; a
 * Caisson that does not answer is left out.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../common/base/buffer.h"
#include "../../../common/base/fd.h"
#include "../../../common/ipc/ipc.h"
#include "../../../common/json/json_span.h"
#include "../../../common/limits.h"
#include "../../../common/base/mem.h"
#include "../../../common/role.h"
#include "../../../common/base/shown.h"
#include "../../../common/stored_kind.h"
#include "../../front/answer/answer.h"
#include "../../options/text/json_report.h"
#include "../../options/options.h"
#include "../../process/socket/socket.h"
#include "../shared/command.h"
#include "running.h"

/* A session of a Caisson, as its JSON says. */
struct sessions_one {
	char socket[RENDEZVOUS_NAME_SIZE + 1]; /* of its Caisson */
	pid_t process;                         /* its Caisson; 0: unknown */
	char *text;
	struct json_span facts; /* of the text */
};

struct sessions_asked {
	const struct command *command;
	int dir; /* of the sockets; -1: no Caisson ever had sessions */
	struct sessions_one *one;
	size_t count;
	bool lacking; /* a Caisson has not answered */
};

/* Asking */

static int
sessions_add(struct sessions_asked *asked, const char *socket, pid_t process,
    struct json_span facts, struct err *err)
{
	struct sessions_one *one;

	asked->one = mem_resize(
	    asked->one, (asked->count + 1) * sizeof(*asked->one));
	one = &asked->one[asked->count++];
	*one = (struct sessions_one){ .process = process,
		.text = mem_dup(facts.p, facts.len) };
	snprintf(one->socket, sizeof(one->socket), "%s", socket);
	return json_span_parse(one->text, facts.len, &one->facts, err);
}

static int
sessions_ask(
    void *ctx, int fd, const char *socket, pid_t process, struct err *err)
{
	const struct ipc_ask_running ask = { .sessions = 1,
		.owner = SCOPE_ALL,
		.end = "" };
	auto_buffer struct buffer list = { 0 };
	struct json_span all, facts;
	struct json_span_walk walk;

	buffer_add_text(&list, "[");
	if (running_ask(fd, &ask, &list, err) == -1)
		return -1;
	/* Without the comma behind the last one. */
	list.len -= list.len > 1;
	buffer_add_text(&list, "]");
	if (json_span_parse(list.data, list.len, &all, err) == -1)
		return -1;
	walk = json_span_walk(all);
	while (json_span_next_element(&walk, &facts))
		if (sessions_add(ctx, socket, process, facts, err) == -1)
			return -1;
	return 0;
}

/* By process, owner and name, with which the text begins. */
static int
sessions_order(const void *one, const void *other)
{
	const struct sessions_one *a = one, *b = other;

	if (a->process != b->process)
		return a->process < b->process ? -1 : 1;
	return strcmp(a->text, b->text);
}

/* Asks all. Returns 0, or -1 with err. */
static int
sessions_ask_all(struct sessions_asked *asked, const struct options *options,
    char **envp, struct err *err)
{
	int lacking = running_ask_all(options, envp, "sessions", sessions_ask,
	    asked, &asked->dir, err);

	if (lacking == -1)
		return -1;
	asked->lacking = lacking;
	if (asked->count > 0)
		qsort(asked->one, asked->count, sizeof(*asked->one),
		    sessions_order);
	return 0;
}

/* list */

static struct json_span
sessions_member(const struct sessions_one *one, const char *name)
{
	struct json_span value = { "null", 4 };

	json_span_get(one->facts, name, &value);
	return value;
}

/* Returns a text, which the caller frees; that of null stands for none. */
static char *
sessions_text(const struct sessions_one *one, const char *name)
{
	struct err err;
	size_t len;
	char *text = json_span_string(sessions_member(one, name), &len, &err);

	return text == NULL ? mem_strdup(OWNER_FLAG_USER) : text;
}

static uint64_t
sessions_number(const struct sessions_one *one, const char *name)
{
	return strtoull(sessions_member(one, name).p, NULL, 10);
}

static void
sessions_print(const struct sessions_one *one)
{
	auto_free char *owner = sessions_text(one, "owner");
	auto_free char *language = sessions_text(one, "language");
	auto_free char *own = sessions_text(one, "name");
	uint64_t bytes = sessions_number(one, "bytes");
	auto_buffer struct buffer name = { 0 }, age = { 0 }, idle = { 0 };
	auto_buffer struct buffer size = { 0 };

	shown_add(&name, own, strlen(own));
	answer_add_age(&age, sessions_number(one, "age_ms"));
	if (json_span_kind(sessions_member(one, "busy")) == JSON_SPAN_TRUE)
		buffer_add_text(&idle, "busy");
	else
		answer_add_age(&idle, sessions_number(one, "idle_ms"));
	if (bytes > 0)
		file_link_add_size(&size, bytes);
	else
		buffer_add_text(&size, "?");
	printf("%7d %-16s %-10s %5llu %8s %8s %10s  %s\n", (int)one->process,
	    owner, language, (unsigned long long)sessions_number(one, "calls"),
	    age.data, idle.data, size.data, name.data);
}

static void
sessions_report(struct buffer *json, const struct sessions_one *one)
{
	json_report_open(json, NULL, '{');
	json_report_number(json, "process", (uint64_t)one->process);
	/* All but the brackets. */
	buffer_printf(json, ", %.*s", (int)one->facts.len - 2,
	    one->facts.p + 1);
	json_report_close(json, '}');
}

static int
sessions_list(const struct sessions_asked *asked)
{
	auto_buffer struct buffer json = { 0 };
	size_t i;

	if (command_has(&asked->command->flags, COMMAND_FLAG_JSON)) {
		json_report_open(&json, "sessions", '[');
		for (i = 0; i < asked->count; i++)
			sessions_report(&json, &asked->one[i]);
		json_report_close(&json, ']');
		json_report_print(&json);
		return asked->lacking;
	}
	if (command_has(&asked->command->flags, COMMAND_FLAG_NAMES)) {
		for (i = 0; i < asked->count; i++) {
			auto_free char *name =
			    sessions_text(&asked->one[i], "name");

			puts(name);
		}
		return asked->lacking;
	}
	if (asked->count == 0 && !asked->lacking)
		printf("There are no sessions.\n");
	if (asked->count > 0)
		printf("process owner            language   calls      age     "
		       "idle     memory  name\n");
	for (i = 0; i < asked->count; i++)
		sessions_print(&asked->one[i]);
	return asked->lacking;
}

/* end */

/* Returns whether it is the one that the command names. */
static int
sessions_is_meant(const struct command *command, const struct sessions_one *one)
{
	const char *owner =
	    command_value(&command->flags, COMMAND_FLAG_OWNER, 0);
	const char *process =
	    command_value(&command->flags, COMMAND_FLAG_PROCESS, 0);
	auto_free char *number = mem_printf("%d", (int)one->process);
	auto_free char *whose = sessions_text(one, "owner");

	return json_span_is(sessions_member(one, "name"), command->operand) &&
	    (owner == NULL || strcmp(owner, whose) == 0) &&
	    (process == NULL || strcmp(process, number) == 0);
}

/* Appends the options by which the command has chosen. */
static void
sessions_add_chosen(struct buffer *out, const struct command *command)
{
	const char *owner =
	    command_value(&command->flags, COMMAND_FLAG_OWNER, 0);
	const char *process =
	    command_value(&command->flags, COMMAND_FLAG_PROCESS, 0);

	buffer_printf(out, "\"%s\"", command->operand);
	if (owner != NULL)
		buffer_printf(out, " of owner %s", owner);
	if (process != NULL)
		buffer_printf(out, " of process %s", process);
}

/* Returns the session that is meant, or NULL if that is none or not clear. */
static const struct sessions_one *
sessions_choose(const struct sessions_asked *asked)
{
	auto_buffer struct buffer chosen = { 0 };
	const struct sessions_one *one, *meant = NULL;
	size_t i, n = 0;

	for (i = 0; i < asked->count; i++) {
		one = &asked->one[i];
		if (!sessions_is_meant(asked->command, one))
			continue;
		meant = one;
		n++;
	}
	if (n == 1)
		return meant;
	sessions_add_chosen(&chosen, asked->command);
	if (n == 0)
		command_complain("session %s: there is no such session "
		    "('caisson sessions list' shows all)", chosen.data);
	else
		command_complain("session %s: there are %zu: say which with "
		    "--owner or --process ('caisson sessions list' shows all)",
		    chosen.data, n);
	return NULL;
}

/* Has the Caisson of this session end it. Returns 0, or -1 with err. */
static int
sessions_end_one(int dir, const struct sessions_one *one, struct err *err)
{
	auto_free char *owner = sessions_text(one, "owner");
	auto_free char *name = sessions_text(one, "name");
	const struct ipc_ask_running ask = { .sessions = 1,
		.owner = strcmp(owner, OWNER_FLAG_USER) == 0 ? "" : owner,
		.end = name };
	auto_buffer struct buffer none = { 0 };
	pid_t process;
	auto_fd int fd = rendezvous_connect(
	    dir, one->socket, OPERATOR_MS, &process, err);
	int ended = fd == -1 ? -1 : running_ask(fd, &ask, &none, err);

	return ended != 0 ? -(ended == -1) :
	    err_set(err, "the session has ended meanwhile");
}

static int
sessions_end(const struct sessions_asked *asked)
{
	const struct sessions_one *one = sessions_choose(asked);
	auto_buffer struct buffer json = { 0 };
	struct err err;

	if (one == NULL)
		return 1;
	if (sessions_end_one(asked->dir, one, &err) == -1) {
		command_complain("the session was not ended: %s", err.text);
		return 1;
	}
	if (command_has(&asked->command->flags, COMMAND_FLAG_JSON)) {
		json_report_number(&json, "ended", 1);
		json_report_print(&json);
	} else
		printf("1 ended\n");
	return 0;
}

/* Checks what the command line names. Returns 0, or -1 with err. */
static int
sessions_check(const struct command *command, struct err *err)
{
	auto_buffer struct buffer shown = { 0 };
	const char *process =
	    command_value(&command->flags, COMMAND_FLAG_PROCESS, 0);

	if (command->operand != NULL && command->operand[0] == '\0')
		return err_set(err, "\"\" cannot be the name of a session: it "
		    "has 1 to %d bytes", SESSION_NAME_MAX);
	if (process == NULL ||
	    (process[0] >= '1' && process[0] <= '9' &&
	        strspn(process, "0123456789") == strlen(process)))
		return 0;
	shown_add_quoted(&shown, process, OPTION_VALUE_SHOWN);
	return err_set(err, "--process \"%s\" is no process id: 'caisson "
	    "sessions list' shows it, such as 4711", shown.data);
}

static int
sessions_run(const struct command_setup *setup,
    int (*run)(const struct sessions_asked *asked), struct err *err)
{
	const struct options *options = setup->options;
	struct sessions_asked asked = { .command = &options->command,
		.dir = -1 };
	int status;

	if (sessions_check(&options->command, err) == -1)
		return -1;
	role_enter(ROLE_OPERATOR, 0);
	status = sessions_ask_all(&asked, options, setup->envp, err);
	if (status == 0)
		status = run(&asked);
	while (asked.count > 0)
		free(asked.one[--asked.count].text);
	free(asked.one);
	fd_close(&asked.dir);
	return status;
}

COMMAND_DEFINE(sessions_list_run, sessions_run(setup, sessions_list, err))
COMMAND_DEFINE(sessions_end_run, sessions_run(setup, sessions_end, err))
