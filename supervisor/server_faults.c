/*
 * What a user is told of configuration files that cannot be used: see
 * servers.h. Runs in the supervisor.
 */
#include <string.h>

#include "../common/limits.h"
#include "../common/utf8.h"
#include "servers.h"

void
server_faults_add_text(struct buffer *text, const char *data)
{
	size_t len = strlen(data);

	text->len += utf8_repair(
	    data, len, buffer_reserve(text, UTF8_REPAIR_FACTOR * len));
	buffer_add_text(text, "");
}

/* The row that says what is wrong with the file itself, or NULL. */
static const struct server *
server_faults_row(
    const struct servers *servers, const struct server_file *file)
{
	const struct server *server;

	TAILQ_FOREACH (server, &servers->list, entry)
		if (server->file == file && server->name[0] == '\0')
			return server;
	return NULL;
}

/* Whether the user should hear of a file: what a stranger wrote is no news. */
static int
server_faults_counts(
    const struct servers *servers, const struct server_file *file)
{
	return file->state == SERVER_FILE_REFUSED &&
	    !server_judge_is_stranger(servers, file);
}

/* Whether a file before this one has the same cause, as all of a home have. */
static int
server_faults_is_said(
    const struct servers *servers, const struct server_file *file)
{
	const struct server_file *other;

	TAILQ_FOREACH (other, &servers->files, entry) {
		if (other == file)
			return 0;
		if (server_faults_counts(servers, other) &&
		    strcmp(other->why, file->why) == 0 &&
		    server_faults_row(servers, file) == NULL)
			return 1;
	}
	return 0;
}

/* "FILE is refused: line 3, column 9: why" */
static void
server_faults_add(struct buffer *text, const struct servers *servers,
    const struct server_file *file)
{
	const struct server *row = server_faults_row(servers, file);

	server_faults_add_text(text, file->path);
	buffer_add_text(text, " is refused: ");
	if (row != NULL)
		buffer_printf(text, "line %llu, column %llu: ",
		    (unsigned long long)row->line,
		    (unsigned long long)row->column);
	server_faults_add_text(text, row != NULL ? row->why : file->why);
}

void
server_faults_add_refusals(struct buffer *text, const struct servers *servers)
{
	const struct server_file *file;
	size_t shown = 0, more = 0;

	TAILQ_FOREACH (file, &servers->files, entry) {
		if (!server_faults_counts(servers, file))
			continue;
		if (shown == SERVER_FAULTS_SHOWN ||
		    server_faults_is_said(servers, file)) {
			more++;
			continue;
		}
		buffer_add_text(text, "; ");
		server_faults_add(text, servers, file);
		shown++;
	}
	if (more > 0)
		buffer_printf(text, "; and %zu more file%s ('caisson "
		    "--print-config' lists all)", more, more == 1 ? "" : "s");
}
