/*
 * What commands tell and ask a person: errors that name what others have
 * chosen, questions before what cannot be undone, and what is waited for.
 */
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "../../../common/limits.h"
#include "../../../common/base/mem.h"
#include "../../../common/base/shown.h"
#include "../../../common/suggest.h"
#include "../../options/command_line.h"
#include "command.h"

void
command_complain_list(const char *fmt, va_list ap)
{
	auto_buffer struct buffer shown = { 0 };
	auto_free char *text = mem_vprintf(fmt, ap);

	shown_add(&shown, text, strlen(text));
	fprintf(stderr, "caisson: %s\n", shown.data);
}

void
command_complain(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	command_complain_list(fmt, ap);
	va_end(ap);
}

int
command_no_server(
    const char *what, const struct suggest *suggest, struct err *err)
{
	auto_buffer struct buffer text = { 0 };

	buffer_printf(&text, "%s \"", what);
	shown_add_quoted(&text, suggest->word, CONFIG_PATH_MAX);
	buffer_add_text(&text, "\": there is no such server: ");
	if (suggest->best != NULL) {
		buffer_add_text(&text, "did you mean \"");
		shown_add_quoted(&text, suggest->best, CONFIG_PATH_MAX);
		buffer_add_text(&text, "\"? ");
	}
	return err_set(err, "%s'caisson servers list' lists all", text.data);
}

int
command_end(int done, const struct err *err)
{
	fflush(stdout);
	if (done == -1)
		fprintf(stderr, "caisson: %s\n", err->text);
	return done == -1;
}

int
command_ask(const char *question)
{
	char answer[64];

	printf("%s [y/N] ", question);
	fflush(stdout);
	if (fgets(answer, sizeof(answer), stdin) == NULL)
		return 0;
	answer[strcspn(answer, "\r\n")] = '\0';
	return strcasecmp(answer, "y") == 0 || strcasecmp(answer, "yes") == 0;
}

int
command_can_ask(void)
{
	return isatty(STDIN_FILENO) && isatty(STDOUT_FILENO);
}

int
command_consent(
    const struct command *command, const char *question, struct err *err)
{
	if (command_has(&command->flags, COMMAND_FLAG_YES))
		return 1;
	if (command_has(&command->flags, COMMAND_FLAG_JSON) ||
	    !command_can_ask())
		return err_set(err, "'caisson %s %s' removes nothing without "
		    "consent: add --yes", command->word, command->verb);
	return command_ask(question);
}

void
command_tell_wait(const char *what)
{
	if (isatty(STDERR_FILENO))
		fprintf(stderr, "caisson: waiting for %s\n", what);
}
