/*
 * Calls that run: their list for 'caisson calls', whose other part is kept in
 * the store (stored.c), and 'caisson calls cancel'. Runs in commands, which ask
 * each running Caisson at its socket.
 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "../../../common/base/fd.h"
#include "../../../common/base/shown.h"
#include "../../../common/ipc/ipc.h"
#include "../../../common/role.h"
#include "../../../common/stored_kind.h"
#include "../../options/options.h"
#include "../../options/text/json_report.h"
#include "../shared/command.h"
#include "running.h"

struct calls_asked {
	const char *scope;
	const char *cancel; /* an id; empty: they are listed */
	struct buffer *list;
	bool cancelled;
};

static int
calls_ask(void *ctx, int fd, const char *, pid_t, struct err *err)
{
	struct calls_asked *asked = ctx;
	const struct ipc_ask_running ask = { .owner = asked->scope,
		.end = asked->cancel };
	int done = running_ask(fd, &ask, asked->list, err);

	asked->cancelled |= done == 1;
	return done == -1 ? -1 : 0;
}

static int
calls_check(const struct command *command, struct err *err)
{
	const char *id = command->operand;
	auto_buffer struct buffer shown = { 0 };

	if (id == NULL || (strlen(id) == EXECUTION_ID_MAX &&
	        strspn(id, "0123456789abcdef") == EXECUTION_ID_MAX))
		return 0;
	shown_add_quoted(&shown, id, OPTION_VALUE_SHOWN);
	return err_set(err, "\"%s\" cannot be the id of a call: it has %d "
	    "hexadecimal digits ('caisson calls list' shows it)", shown.data,
	    EXECUTION_ID_MAX);
}

/* Asks all. Returns 0, 1 if one has not answered, or -1 with err. */
static int
calls_ask_all(const struct command_setup *setup, struct calls_asked *asked,
    struct err *err)
{
	const struct command *command = &setup->options->command;
	auto_fd int dir = -1;

	if (calls_check(command, err) == -1 ||
	    owner_flag_begin(setup, "calls", &asked->scope, err) == -1)
		return -1;
	if (command_value(&command->flags, COMMAND_FLAG_OWNER, 0) == NULL)
		asked->scope = SCOPE_ALL;
	return running_ask_all(setup->options, setup->envp, "calls", calls_ask,
	    asked, &dir, err);
}

int
calls_begin(const struct command_setup *setup, const char **scope,
    struct buffer *running, struct err *err)
{
	struct calls_asked asked = { .cancel = "", .list = running };
	int status;

	buffer_add_text(running, "[");
	status = calls_ask_all(setup, &asked, err);
	/* Without the comma behind the last one. */
	if (running->len > 1)
		running->len--;
	buffer_add_text(running, "]");
	*scope = asked.scope;
	return status;
}

int
calls_cancel_run(struct command_setup *setup, struct err *err)
{
	auto_buffer struct buffer none = { 0 }, json = { 0 };
	struct calls_asked asked = {
		.cancel = setup->options->command.operand, .list = &none };
	int status;

	role_enter(ROLE_OPERATOR, 0);
	status = calls_ask_all(setup, &asked, err);
	if (status == -1)
		return -1;
	if (!asked.cancelled) {
		command_complain("call %s: no running Caisson has this call: "
		    "it has ended, or never was ('caisson calls list' shows "
		    "all)", asked.cancel);
		return 1;
	}
	if (options_json(setup->options)) {
		json_report_number(&json, "cancelled", 1);
		json_report_print(&json);
	} else
		printf("1 cancelled\n");
	return 0;
}
