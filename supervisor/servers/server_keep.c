/*
 * The former content of a file of servers that cannot be read: see servers.h.
 * While a program rewrites a file, it is missing, empty or incomplete for a
 * moment. Runs in the supervisor; opens nothing.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "../../common/limits.h"
#include "../../common/base/mem.h"
#include "servers.h"

/* The files with former content */

static struct server_file *
server_keep_find(
    const struct servers *servers, const struct server_file *wanted)
{
	struct server_file *file;

	TAILQ_FOREACH (file, &servers->files, entry)
		if (file->source == wanted->source && file->path != NULL &&
		    strcmp(file->path, wanted->path) == 0)
			return file;
	return NULL;
}

/* Returns whether content of a file is used; if it is refused, rows say why. */
static int
server_keep_has_content(
    const struct servers *servers, const struct server_file *file)
{
	const struct server *row;

	if (file->state != SERVER_FILE_TAKEN &&
	    file->state != SERVER_FILE_STALE)
		return 0;
	TAILQ_FOREACH (row, &servers->list, entry)
		if (row->file == file)
			return 1;
	return 0;
}

/* Returns the same file in the former list, if that had content. */
static const struct server_file *
server_keep_before(
    const struct servers *servers, const struct server_file *file)
{
	const struct server_file *before;

	if (servers->before == NULL || file->path == NULL)
		return NULL;
	before = server_keep_find(servers->before, file);
	return before != NULL &&
	        server_keep_has_content(servers->before, before) ?
	    before :
	    NULL;
}

/* Files that are missing in their directory */

/* Returns the file that represents a source without files, or NULL. */
static const struct server_file *
server_keep_folder(
    const struct servers *servers, const struct server_source *source)
{
	const struct server_file *file;

	TAILQ_FOREACH (file, &servers->files, entry)
		if (file->source == source && file->state != SERVER_FILE_FOUND)
			return file;
	return NULL;
}

/* Inserts a file in its order: each source has at least one. */
static void
server_keep_insert(struct servers *servers, struct server_file *file)
{
	struct server_file *other, *above = NULL, *below = NULL;

	TAILQ_FOREACH (other, &servers->files, entry) {
		if (other->source != file->source)
			continue;
		if (strcmp(other->path, file->path) < 0)
			above = other;
		else if (below == NULL)
			below = other;
	}
	if (above != NULL)
		TAILQ_INSERT_AFTER(&servers->files, above, file, entry);
	else
		TAILQ_INSERT_BEFORE(below, file, entry);
}

static void
server_keep_add(struct servers *servers, const struct server_file *before)
{
	const struct server_file *folder =
	    server_keep_folder(servers, before->source);
	struct server_file *file = mem_alloc(sizeof(*file));

	file->source = before->source;
	file->path = mem_strdup(before->path);
	file->state = SERVER_FILE_MISSING;
	file->fault = SERVER_FAULT_GONE;
	if (folder != NULL && folder->state == SERVER_FILE_REFUSED) {
		file->fault = folder->fault;
		file->why = mem_strdup(folder->why);
	} else {
		file->why = mem_strdup("there is no such file");
	}
	server_keep_insert(servers, file);
}

void
server_keep_missing(struct servers *servers)
{
	const struct server_file *before;

	if (servers->before == NULL)
		return;
	TAILQ_FOREACH (before, &servers->before->files, entry)
		if (server_keep_has_content(servers->before, before) &&
		    server_keep_find(servers, before) == NULL)
			server_keep_add(servers, before);
}

/* Time limits */

/*
 * Returns the milliseconds since a time of the file system; 0 if in the future.
 */
static uint64_t
server_keep_since(const struct timespec *time)
{
	struct timespec now;
	long long ms;

	clock_gettime(CLOCK_REALTIME, &now);
	ms = (now.tv_sec - time->tv_sec) * 1000LL +
	    (now.tv_nsec - time->tv_nsec) / 1000000;
	return ms < 0 ? 0 : (uint64_t)ms;
}

/*
 * Returns for how long a file has been missing at least: nothing on its path
 * has changed for that time. 0 if the path contains a link, whose target is not
 * checked.
 */
static uint64_t
server_keep_missing_for(const char *whole)
{
	auto_free char *path = mem_strdup(whole);
	uint64_t age, least = UINT64_MAX;
	char *slash = path;
	struct stat st;

	if (path[0] != '/')
		return 0;
	for (; slash != NULL; slash = strchr(slash + 1, '/')) {
		slash[0] = '\0';
		if (lstat(slash == path ? "/" : path, &st) == -1)
			return least;
		slash[0] = '/';
		if (!S_ISDIR(st.st_mode))
			return 0;
		age = server_keep_since(&st.st_ctim);
		least = age < least ? age : least;
	}
	return lstat(path, &st) == -1 ? least : 0;
}

/*
 * Returns the latest possible start of the fault, by the clock of the reading.
 */
static uint64_t
server_keep_began(const struct server_file *file, uint64_t now)
{
	uint64_t age = file->opened ? server_keep_since(&file->changed) : 0;

	if (file->fault == SERVER_FAULT_GONE)
		age = server_keep_missing_for(file->path);
	return age < now ? now - age : 0;
}

int
server_keep_is_over(const struct server_file *file, uint64_t now)
{
	return now - file->since >= CONFIG_STALE_MS;
}

uint64_t
server_keep_due(const struct servers *servers, uint64_t now)
{
	const struct server_file *file;
	uint64_t due = UINT64_MAX;

	TAILQ_FOREACH (file, &servers->files, entry)
		if (file->state == SERVER_FILE_STALE &&
		    !server_keep_is_over(file, now) &&
		    file->since + CONFIG_STALE_MS < due)
			due = file->since + CONFIG_STALE_MS;
	return due;
}

/* Use of the former content */

int
server_keep(struct servers *servers, struct server_file *file, const char *why)
{
	const struct server_file *before = server_keep_before(servers, file);
	uint64_t now = servers->setup.clock();
	char *text;

	if (before == NULL || file->fault == SERVER_FAULT_NONE ||
	    file->fault == SERVER_FAULT_UNTRUSTED ||
	    server_judge_is_stranger(servers, file))
		return 0;
	file->since = before->state == SERVER_FILE_STALE &&
	        before->fault == file->fault ?
	    before->since :
	    server_keep_began(file, now);
	if (file->fault == SERVER_FAULT_GONE && server_keep_is_over(file, now))
		return 0;
	text = mem_strdup(why); /* perhaps the existing one */
	free(file->why);
	file->why = text;
	file->state = SERVER_FILE_STALE;
	server_rows_copy(servers, file, before);
	return 1;
}
