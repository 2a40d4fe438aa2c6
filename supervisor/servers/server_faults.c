/*
 * Messages for users about configuration files that cannot be used: see
 * servers.h.
 */
#include <string.h>

#include "../../common/limits.h"
#include "../../common/base/utf8.h"
#include "servers.h"

void
server_faults_add_text(struct buffer *text, const char *data)
{
	size_t len = strlen(data);

	text->len += utf8_repair(
	    data, len, buffer_reserve(text, UTF8_REPAIR_FACTOR * len));
	buffer_add_text(text, "");
}

const struct server *
server_faults_row(const struct servers *servers, const struct server_file *file)
{
	const struct server *server;

	TAILQ_FOREACH (server, &servers->list, entry)
		if (server->file == file && server->name[0] == '\0')
			return server;
	return NULL;
}

/*
 * Returns whether an earlier file has the same cause, as for all files of a
 * home.
 */
static int
server_faults_is_said(
    const struct servers *servers, const struct server_file *file)
{
	const struct server_file *other;

	if (server_faults_row(servers, file) != NULL)
		return 0;
	TAILQ_FOREACH (other, &servers->files, entry) {
		if (other == file)
			return 0;
		if (other->state == file->state &&
		    server_judge_is_stranger(servers, other) ==
		        server_judge_is_stranger(servers, file) &&
		    strcmp(other->why, file->why) == 0)
			return 1;
	}
	return 0;
}

/* The former content of the file is used. */
static void
server_faults_add_stale(struct buffer *text, const struct server_file *file)
{
	buffer_add_text(text, "servers of ");
	server_faults_add_text(text, file->path);
	buffer_add_text(text, " are stale: ");
	server_faults_add_text(text, file->why);
	buffer_add_text(text, "; its last valid content is used until it ");
	/* A file that could not be read need not be malformed. */
	buffer_add_text(text,
	    file->transient ? "can be read again" : "is fixed or deleted");
}

static void
server_faults_add_refused(struct buffer *text, const struct servers *servers,
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

/* Returns whether answers should mention a file. */
static int
server_faults_counts(
    const struct servers *servers, const struct server_file *file)
{
	if (file->state == SERVER_FILE_STALE)
		return file->fault == SERVER_FAULT_BROKEN;
	return file->state == SERVER_FILE_REFUSED &&
	    !server_judge_is_stranger(servers, file);
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
		if (file->state == SERVER_FILE_STALE)
			server_faults_add_stale(text, file);
		else
			server_faults_add_refused(text, servers, file);
		shown++;
	}
	if (more > 0)
		buffer_printf(text, "; and %zu more file%s ('caisson "
		    "servers list' lists all)", more, more == 1 ? "" : "s");
}

/* Returns whether a file has been malformed for too long to be temporary. */
static int
server_faults_is_stale(const struct server_file *file, uint64_t now)
{
	return file->state == SERVER_FILE_STALE &&
	    file->fault == SERVER_FAULT_BROKEN &&
	    server_keep_is_over(file, now);
}

void
server_faults_add_notes(
    struct buffer *notes, const struct servers *servers, uint64_t now)
{
	const struct server_file *file;
	size_t shown = 0;

	TAILQ_FOREACH (file, &servers->files, entry) {
		if (!server_faults_is_stale(file, now))
			continue;
		if (shown++ == SERVER_FAULTS_SHOWN) {
			buffer_add_text(notes, "servers of more files are "
			    "stale: the log names them");
			buffer_add(notes, "", 1);
			return;
		}
		server_faults_add_stale(notes, file);
		buffer_add(notes, "", 1);
	}
}

int
server_faults_add_distrust(struct buffer *text, const struct servers *servers,
    const struct server_source *source, const char *path)
{
	const struct server_file *file;

	TAILQ_FOREACH (file, &servers->files, entry)
		if (file->source == source && file->path != NULL &&
		    strcmp(file->path, path) == 0)
			break;
	if (file == NULL || file->fault != SERVER_FAULT_UNTRUSTED)
		return 0;
	buffer_add_text(text, "its configuration file ");
	server_faults_add_text(text, path);
	buffer_add_text(text, " is no longer trusted: it ");
	server_faults_add_text(text, file->why);
	buffer_add_text(text, "; correct the file to use the server again");
	return 1;
}

static void
server_faults_log_file(struct buffer *texts, const struct servers *servers,
    const struct server_file *file, uint64_t now)
{
	if (server_faults_is_stale(file, now)) {
		server_faults_add_stale(texts, file);
		buffer_add(texts, "", 1);
		return;
	}
	if (file->state != SERVER_FILE_REFUSED ||
	    server_faults_is_said(servers, file))
		return;
	buffer_printf(texts, "%s: %s ('caisson servers list' tells more)",
	    file->path, file->why);
	buffer_add(texts, "", 1);
}

void
server_faults_add_log(
    struct buffer *texts, const struct servers *servers, uint64_t now)
{
	const struct server_file *file;
	const struct server *server;
	const char *quote;

	TAILQ_FOREACH (file, &servers->files, entry)
		server_faults_log_file(texts, servers, file, now);
	TAILQ_FOREACH (server, &servers->list, entry) {
		if (server->state != SERVER_REJECTED)
			continue;
		/* A fault of the whole file has no name. */
		quote = server->name[0] == '\0' ? "" : "\"";
		buffer_printf(texts, "%s:%llu:%llu: %s%s%s%s%s",
		    server->file->path, (unsigned long long)server->line,
		    (unsigned long long)server->column, quote, server->name,
		    quote, quote[0] == '\0' ? "" : ": ", server->why);
		buffer_add(texts, "", 1);
	}
}

const char *
server_faults_word(const struct server_file *file)
{
	switch (file->state) {
	case SERVER_FILE_TAKEN:
		return "taken";
	case SERVER_FILE_MISSING:
		return "missing";
	case SERVER_FILE_SKIPPED:
		return "skipped";
	default:
		return "refused";
	}
}
