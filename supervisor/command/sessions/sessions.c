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
#include "../../../common/base/mem.h"
#include "../../../common/role.h"
#include "../../../common/base/shown.h"
#include "../../front/answer/answer.h"
#include "../../options/text/json_report.h"
#include "../../options/options.h"
#include "../../process/socket/socket.h"
#include "../shared/command.h"
#include "running.h"
#include "session_rows.h"

struct sessions_asked {
	const struct command *command;
	int dir; /* of the sockets; -1: no Caisson ever had sessions */
	struct session_rows rows;
	bool lacking; /* a Caisson has not answered */
};

static void __attribute__((format(printf, 1, 2)))
sessions_complain(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	command_complain(fmt, ap);
	va_end(ap);
}

/* Asking */

static int
sessions_ask(
    void *ctx, int fd, const char *socket, pid_t process, struct err *err)
{
	return session_rows_ask(fd, socket, process, ctx, err);
}

static int
sessions_order(const void *one, const void *other)
{
	const struct session_row *a = one, *b = other;
	int owner = strcmp(a->owner, b->owner);
	int name = strcmp(a->name, b->name);

	if (a->process != b->process)
		return a->process < b->process ? -1 : 1;
	return owner != 0 ? owner : name;
}

/* Asks all. Returns 0, or -1 with err. */
static int
sessions_ask_all(struct sessions_asked *asked, const struct options *options,
    char **envp, struct err *err)
{
	int lacking = running_ask_all(options, envp, "sessions", sessions_ask,
	    &asked->rows, &asked->dir, err);

	if (lacking == -1)
		return -1;
	asked->lacking = lacking;
	if (asked->rows.count > 0)
		qsort(asked->rows.one, asked->rows.count,
		    sizeof(*asked->rows.one), sessions_order);
	return 0;
}

/* list */

static const char *
sessions_owner(const struct session_row *row)
{
	return row->owner[0] == '\0' ? OWNER_FLAG_USER : row->owner;
}

static void
sessions_print(const struct session_row *row)
{
	auto_buffer struct buffer name = { 0 };
	auto_buffer struct buffer age = { 0 };
	auto_buffer struct buffer idle = { 0 };
	auto_buffer struct buffer size = { 0 };

	shown_add(&name, row->name, strlen(row->name));
	answer_add_age(&age, row->age_ms);
	if (row->busy)
		buffer_add_text(&idle, "busy");
	else
		answer_add_age(&idle, row->idle_ms);
	if (row->bytes > 0)
		file_link_add_size(&size, row->bytes);
	else
		buffer_add_text(&size, "?");
	printf("%7d %-16s %-10s %5llu %8s %8s %10s  %s\n", (int)row->process,
	    sessions_owner(row), row->language, (unsigned long long)row->calls,
	    age.data, idle.data, size.data, name.data);
}

static void
sessions_report(struct buffer *json, const struct session_row *row)
{
	json_report_open(json, NULL, '{');
	json_report_text(json, "name", row->name);
	json_report_text(
	    json, "owner", row->owner[0] == '\0' ? NULL : row->owner);
	json_report_number(json, "process", (uint64_t)row->process);
	json_report_text(json, "language", row->language);
	json_report_bool(json, "busy", row->busy);
	json_report_number(json, "calls", row->calls);
	json_report_number(json, "age_ms", row->age_ms);
	json_report_number(json, "idle_ms", row->idle_ms);
	json_report_number(json, "bytes", row->bytes);
	json_report_close(json, '}');
}

static int
sessions_list(const struct sessions_asked *asked)
{
	const struct session_rows *rows = &asked->rows;
	auto_buffer struct buffer json = { 0 };
	size_t i;

	if (command_has(&asked->command->flags, COMMAND_FLAG_JSON)) {
		json_report_open(&json, "sessions", '[');
		for (i = 0; i < rows->count; i++)
			sessions_report(&json, &rows->one[i]);
		json_report_close(&json, ']');
		json_report_print(&json);
		return asked->lacking;
	}
	if (command_has(&asked->command->flags, COMMAND_FLAG_NAMES)) {
		for (i = 0; i < rows->count; i++)
			printf("%s\n", rows->one[i].name);
		return asked->lacking;
	}
	if (rows->count == 0 && !asked->lacking)
		printf("There are no sessions.\n");
	if (rows->count > 0)
		printf("process owner            language   calls      age     "
		       "idle     memory  name\n");
	for (i = 0; i < rows->count; i++)
		sessions_print(&rows->one[i]);
	return asked->lacking;
}

/* end */

/* Returns whether it is the one that the command names. */
static int
sessions_is_meant(const struct command *command, const struct session_row *row)
{
	const char *owner =
	    command_value(&command->flags, COMMAND_FLAG_OWNER, 0);
	const char *process =
	    command_value(&command->flags, COMMAND_FLAG_PROCESS, 0);
	auto_free char *number = mem_printf("%d", (int)row->process);

	return strcmp(row->name, command->operand) == 0 &&
	    (owner == NULL || strcmp(owner, sessions_owner(row)) == 0) &&
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
static const struct session_row *
sessions_choose(const struct sessions_asked *asked)
{
	auto_buffer struct buffer chosen = { 0 };
	const struct session_row *row, *meant = NULL;
	size_t i, n = 0;

	for (i = 0; i < asked->rows.count; i++) {
		row = &asked->rows.one[i];
		if (!sessions_is_meant(asked->command, row))
			continue;
		meant = row;
		n++;
	}
	if (n == 1)
		return meant;
	sessions_add_chosen(&chosen, asked->command);
	if (n == 0)
		sessions_complain("session %s: there is no such session "
		    "('caisson sessions list' shows all)", chosen.data);
	else
		sessions_complain("session %s: there are %zu: say which with "
		    "--owner or --process ('caisson sessions list' shows all)",
		    chosen.data, n);
	return NULL;
}

static int
sessions_end(const struct sessions_asked *asked)
{
	const struct session_row *row = sessions_choose(asked);
	auto_buffer struct buffer json = { 0 };
	auto_fd int fd = -1;
	pid_t process;
	struct err err;

	if (row == NULL)
		return 1;
	fd = rendezvous_connect(
	    asked->dir, row->socket, OPERATOR_MS, &process, &err);
	if (fd == -1 || session_row_end(fd, row, &err) == -1) {
		sessions_complain("the session was not ended: %s", err.text);
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

int
sessions_run(struct command_setup *setup, struct err *err)
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
		status = options->command.task == COMMAND_SESSIONS_END ?
		    sessions_end(&asked) : sessions_list(&asked);
	session_rows_reset(&asked.rows);
	fd_close(&asked.dir);
	return status;
}
