/*
 * Which configuration files there are: see servers.h. Runs in the supervisor;
 * looks at folders and opens files, and reads no byte of them.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../common/fd.h"
#include "../common/limits.h"
#include "../common/mem.h"
#include "servers.h"

/* What a path of the table below begins at. */
enum server_source_base {
	SERVER_SOURCE_VARIABLE, /* the file that a variable names */
	SERVER_SOURCE_HOME,
	SERVER_SOURCE_FOLDER, /* the one we run in */
};

/* In the order in which they are read; caisson(1) tells it to users. */
static const struct server_source_row {
	struct server_source source;
	enum server_source_base base;
	const char *path;
} server_source_rows[] = {
	{ { "MCP_SERVERS_CONFIG", 0 }, SERVER_SOURCE_VARIABLE,
	    "MCP_SERVERS_CONFIG" },
	{ { "~/MCPs/*.json", 0 }, SERVER_SOURCE_HOME, "MCPs" },
	{ { "~/.config/mcp/servers/*.json", 0 }, SERVER_SOURCE_HOME,
	    ".config/mcp/servers" },
	{ { "./mcp-servers/*.json", 1 }, SERVER_SOURCE_FOLDER, "mcp-servers" },
};

#define SERVER_SOURCES                                                         \
	(sizeof(server_source_rows) / sizeof(server_source_rows[0]))

/* Takes path and why. */
static void
server_sources_add(struct server_file_list *files,
    const struct server_source *source, enum server_file_state state,
    char *path, char *why)
{
	struct server_file *file = mem_alloc(sizeof(*file));

	file->source = source;
	file->state = state;
	file->path = path;
	file->why = why;
	TAILQ_INSERT_TAIL(files, file, entry);
}

static int
server_sources_compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Whether *.json would find it: no hidden file. */
static int
server_sources_matches(const char *name)
{
	size_t len = strlen(name);

	return name[0] != '.' && len > 5 &&
	    strcmp(name + len - 5, ".json") == 0;
}

/* The names in a folder; returns how many, one too many at most. */
static size_t
server_sources_list(DIR *dir, char *names[CONFIG_FILES_MAX + 1])
{
	const struct dirent *found;
	size_t n = 0;

	while (n <= CONFIG_FILES_MAX && (found = readdir(dir)) != NULL)
		if (server_sources_matches(found->d_name))
			names[n++] = mem_strdup(found->d_name);
	qsort(names, n, sizeof(*names), server_sources_compare);
	return n;
}

static void
server_sources_add_folder(struct server_file_list *files,
    const struct server_source *source, const char *path, DIR *dir)
{
	char *names[CONFIG_FILES_MAX + 1];
	size_t i, n = server_sources_list(dir, names);

	if (n == 0)
		server_sources_add(files, source, SERVER_FILE_SKIPPED,
		    mem_strdup(path), mem_strdup("has no file *.json"));
	if (n > CONFIG_FILES_MAX)
		server_sources_add(files, source, SERVER_FILE_REFUSED,
		    mem_strdup(path), mem_printf("has more than %d files "
		        "*.json: none of them is read", CONFIG_FILES_MAX));
	for (i = 0; i < n; i++) {
		if (n <= CONFIG_FILES_MAX)
			server_sources_add(files, source, SERVER_FILE_FOUND,
			    mem_printf("%s/%s", path, names[i]), NULL);
		free(names[i]);
	}
}

static void
server_sources_find_folder(struct server_file_list *files,
    const struct server_source *source, const char *base, const char *folder)
{
	auto_free char *path = mem_printf("%s/%s", base, folder);
	DIR *dir = opendir(path);
	struct err err;

	if (dir != NULL) {
		server_sources_add_folder(files, source, path, dir);
		closedir(dir);
	} else if (errno == ENOENT) {
		server_sources_add(files, source, SERVER_FILE_MISSING,
		    mem_take(&path), mem_strdup("there is no such folder"));
	} else {
		err_sys(&err, "cannot be read");
		server_sources_add(files, source, SERVER_FILE_REFUSED,
		    mem_take(&path), mem_strdup(err.text));
	}
}

static void
server_sources_find_row(struct server_file_list *files,
    const struct server_source_row *row, char **envp, const char *folder)
{
	const struct server_source *source = &row->source;
	const char *value;

	switch (row->base) {
	case SERVER_SOURCE_VARIABLE:
		value = expand_variable(envp, row->path, strlen(row->path));
		if (value == NULL || *value == '\0')
			server_sources_add(files, source, SERVER_FILE_MISSING,
			    NULL, mem_strdup("is not set"));
		else
			server_sources_add(files, source, SERVER_FILE_FOUND,
			    mem_strdup(value), NULL);
		return;
	case SERVER_SOURCE_HOME:
		value = expand_variable(envp, "HOME", strlen("HOME"));
		if (value == NULL || value[0] != '/')
			server_sources_add(files, source, SERVER_FILE_MISSING,
			    NULL, mem_strdup("HOME is not set to a folder"));
		else
			server_sources_find_folder(
			    files, source, value, row->path);
		return;
	case SERVER_SOURCE_FOLDER:
		server_sources_find_folder(files, source, folder, row->path);
		return;
	}
}

void
server_sources_find(
    struct server_file_list *files, char **envp, const char *folder)
{
	size_t i;

	for (i = 0; i < SERVER_SOURCES; i++)
		server_sources_find_row(
		    files, &server_source_rows[i], envp, folder);
}

int
server_sources_open(const char *path, struct err *err)
{
	auto_fd int seen = open(path, O_PATH | O_CLOEXEC);
	auto_free char *link = NULL;
	struct stat st;
	int fd;

	if (seen == -1)
		return err_sys(err, "cannot be opened");
	if (fstat(seen, &st) == -1)
		return err_sys(err, "cannot be looked at");
	if (!S_ISREG(st.st_mode))
		return err_set(err, "is not a regular file");
	if (st.st_size > (off_t)CONFIG_FILE_MAX)
		return err_set(err, "is larger than %lu bytes, which no "
		    "configuration of servers is", CONFIG_FILE_MAX);
	/* The very file that was looked at: it cannot be swapped meanwhile. */
	link = mem_printf("/proc/self/fd/%d", seen);
	fd = open(link, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	return fd == -1 ? err_sys(err, "cannot be opened") : fd;
}

void
server_sources_free(struct server_file_list *files)
{
	struct server_file *file;

	while ((file = TAILQ_FIRST(files)) != NULL) {
		TAILQ_REMOVE(files, file, entry);
		free(file->path);
		free(file->why);
		free(file);
	}
}
