/*
 * The errors of commands that name what others have chosen. Runs in the
 * supervisor.
 */
#include <stdio.h>
#include <string.h>

#include "../../common/mem.h"
#include "../../common/shown.h"
#include "command.h"

void
command_complain(const char *fmt, va_list ap)
{
	auto_buffer struct buffer shown = { 0 };
	auto_free char *text = mem_vprintf(fmt, ap);

	shown_add(&shown, text, strlen(text));
	fprintf(stderr, "caisson: %s\n", shown.data);
}
