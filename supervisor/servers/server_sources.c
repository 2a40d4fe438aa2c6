/*
 * Finds the configuration files: see servers.h. Runs in the supervisor; reads
 * directories and opens no file.
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../../common/base/fd.h"
#include "../../common/limits.h"
#include "../../common/base/mem.h"
#include "../options/home.h"
#include "server_locations.h"
#include "servers.h"

/* The owner of a file. */
#define SERVER_SOURCE_PROJECT 1
#define SERVER_SOURCE_CLIENT 2

/* The base of a path in the table below. */
enum server_source_base {
	SERVER_SOURCE_NAMED, /* the file of an option */
	SERVER_SOURCE_TEXT,  /* no file: the value of a variable */
	SERVER_SOURCE_HOME,
	SERVER_SOURCE_SETTINGS, /* XDG_CONFIG_HOME, or ~/.config */
	SERVER_SOURCE_FOLDER,   /* the working directory */
	SERVER_SOURCE_ROOT,
};

static const struct server_source_row {
	struct server_source source;
	enum server_source_base base;
	const char *variable; /* if set, names the directory instead */
	const char *folder;   /* "": the base itself */
	const char *file;     /* or *.json */
} server_source_rows[] = {
#define SERVER_SOURCE(name, whose, shape, base, variable, folder, file)        \
	{ { name, ((whose) & SERVER_SOURCE_PROJECT) != 0,                      \
		((whose) & SERVER_SOURCE_CLIENT) != 0,                         \
		CONFIG_SHAPE_##shape,                                          \
		SERVER_SOURCE_##base == SERVER_SOURCE_NAMED ||                 \
		    SERVER_SOURCE_##base == SERVER_SOURCE_TEXT },              \
		SERVER_SOURCE_##base, variable, folder, file },
#include "server_sources.def"
};

#define SERVER_SOURCES                                                         \
	(sizeof(server_source_rows) / sizeof(server_source_rows[0]))

/* Adds a file; takes path and why. */
static struct server_file *
server_sources_add(struct server_file_list *files,
    const struct server_source *source, enum server_file_state state,
    char *path, char *why)
{
	struct server_file *file = mem_alloc(sizeof(*file));

	file->source = source;
	file->state = state;
	file->path = path;
	file->why = why;
	if (state == SERVER_FILE_MISSING)
		file->fault = SERVER_FAULT_GONE;
	TAILQ_INSERT_TAIL(files, file, entry);
	return file;
}

/*
 * Adds an existing file that may not be used, or not now. Takes path and why.
 */
static struct server_file *
server_sources_add_refused(struct server_file_list *files,
    const struct server_source *source, enum server_fault fault, char *path,
    char *why)
{
	struct server_file *file = server_sources_add(
	    files, source, SERVER_FILE_REFUSED, path, why);

	file->fault = fault;
	return file;
}

static int
server_sources_compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Returns whether *.json would match it: no hidden file. */
static int
server_sources_matches(const char *name)
{
	size_t len = strlen(name);

	return name[0] != '.' && len > 5 &&
	    strcmp(name + len - 5, ".json") == 0;
}

size_t
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
		server_sources_add_refused(files, source, SERVER_FAULT_BROKEN,
		    mem_strdup(path), mem_printf("has more than %d files "
		        "*.json: none of them is read", CONFIG_FILES_MAX));
	for (i = 0; i < n; i++) {
		if (n <= CONFIG_FILES_MAX)
			server_sources_add(files, source, SERVER_FILE_FOUND,
			    mem_printf("%s/%s", path, names[i]), NULL);
		free(names[i]);
	}
}

/* Adds every *.json of a directory. */
static void
server_sources_find_folder(struct server_file_list *files,
    const struct server_source *source, char *path, const char *within)
{
	struct server_file *file;
	auto_fd int fd = -1;
	struct err err;
	DIR *dir;

	fd = server_open_folder(path, source->project ? within : NULL, &err);
	dir = fd == -1 ? NULL : fdopendir(fd);
	if (dir != NULL) {
		fd_take(&fd);
		server_sources_add_folder(files, source, path, dir);
		closedir(dir);
		free(path);
	} else if (fd == -1 && err.code == ENOENT) {
		server_sources_add(files, source, SERVER_FILE_MISSING, path,
		    mem_strdup("there is no such folder"));
	} else {
		file = server_sources_add_refused(files, source,
		    server_open_fault(err.code), path, mem_strdup(err.text));
		file->transient = file->fault == SERVER_FAULT_BROKEN;
	}
}

/* Adds one file, which is missing if there is not even a link of its name. */
static void
server_sources_find_file(struct server_file_list *files,
    const struct server_source *source, char *path, const char *folder)
{
	const char *within = source->project ? folder : NULL;
	struct stat st;

	if (server_open_look(path, within, &st) == -1 &&
	    (errno == ENOENT || errno == ENOTDIR))
		server_sources_add(files, source, SERVER_FILE_MISSING, path,
		    mem_strdup("there is no such file"));
	else
		server_sources_add(
		    files, source, SERVER_FILE_FOUND, path, NULL);
}

/* Returns the variable that names the directory of a row, or NULL. */
static const char *
server_sources_variable(const struct server_source_row *row, char **envp)
{
	if (row->variable != NULL && home_folder(envp, row->variable) != NULL)
		return row->variable;
	switch (row->base) {
	case SERVER_SOURCE_HOME:
		return "HOME";
	case SERVER_SOURCE_SETTINGS:
		return home_settings_variable(envp);
	default:
		return NULL;
	}
}

/* Returns the directory of a row below that of a variable, or NULL. */
static char *
server_sources_below(const struct server_source_row *row, char **envp,
    const char *variable)
{
	const char *folder = home_folder(envp, variable);
	const char *slash = row->folder[0] == '\0' ? "" : "/";

	if (folder == NULL)
		return NULL;
	if (variable == row->variable)
		return mem_strdup(folder);
	if (row->base == SERVER_SOURCE_SETTINGS &&
	    strcmp(variable, "HOME") == 0)
		return mem_printf("%s/.config/%s", folder, row->folder);
	return mem_printf("%s%s%s", folder, slash, row->folder);
}

/*
 * Returns the directory of a row, NULL if there is none; the caller frees it.
 */
static char *
server_sources_folder(const struct server_source_row *row, char **envp,
    const char *folder)
{
	const char *variable = server_sources_variable(row, envp);
	const char *slash = row->folder[0] == '\0' ? "" : "/";

	if (variable != NULL)
		return server_sources_below(row, envp, variable);
	if (row->base == SERVER_SOURCE_ROOT)
		return mem_printf("/%s", row->folder);
	if (folder[0] == '\0')
		return NULL;
	return mem_printf("%s%s%s", strcmp(folder, "/") == 0 ? "" : folder,
	    slash, row->folder);
}

static int
server_sources_is_folder(const struct server_source_row *row)
{
	return strcmp(row->file, "*.json") == 0;
}

/* Returns the path of a row, NULL if there is none; the caller frees it. */
static char *
server_sources_locate(const struct server_source_row *row,
    const struct servers_setup *setup)
{
	auto_free char *base = NULL;

	if (row->base == SERVER_SOURCE_NAMED)
		return setup->named[0] == '\0' ? NULL :
		                                 mem_strdup(setup->named);
	if (row->base == SERVER_SOURCE_TEXT)
		return home_servers(setup->envp) == NULL ? NULL :
		    mem_strdup(row->file);
	base = server_sources_folder(row, setup->envp, setup->folder);
	if (base == NULL || server_sources_is_folder(row))
		return mem_take(&base);
	return mem_printf("%s/%s", base, row->file);
}

/* Returns why a row has no path. */
static const char *
server_sources_why_none(const struct server_source_row *row)
{
	if (row->source.named)
		return "is not set";
	return row->source.project ? "the working directory is gone" :
	                             "HOME is not set to a folder";
}

/* Returns why a row may not be used, NULL if it may; the caller frees it. */
static char *
server_sources_refusal(const struct server_source_row *row, char **envp)
{
	const char *variable = server_sources_variable(row, envp);
	auto_free char *why =
	    variable == NULL ? NULL : home_refusal(envp, variable);

	return why == NULL ? NULL :
	    mem_printf("%s, or name one file in CAISSON_SERVERS_CONFIG", why);
}

/* Adds the files in another user's directory as refused; opens none. */
static void
server_sources_refuse(struct server_file_list *files,
    const struct server_source *source, char *path, char *why)
{
	struct stat st;

	if (lstat(path, &st) == -1) {
		free(why);
		server_sources_add(files, source, SERVER_FILE_MISSING, path,
		    mem_strdup("there is no such file"));
	} else {
		server_sources_add_refused(
		    files, source, SERVER_FAULT_UNTRUSTED, path, why);
	}
}

static void
server_sources_find_row(struct server_file_list *files,
    const struct server_source_row *row, const struct servers_setup *setup)
{
	const struct server_source *source = &row->source;
	char *path = server_sources_locate(row, setup);
	char *refusal = server_sources_refusal(row, setup->envp);

	/* Nobody is to be told of a variable of the past. */
	if (path == NULL && row->base == SERVER_SOURCE_TEXT)
		return;
	if (path == NULL)
		server_sources_add(files, source, SERVER_FILE_MISSING, NULL,
		    mem_strdup(server_sources_why_none(row)));
	else if (refusal != NULL)
		server_sources_refuse(files, source, path, refusal);
	else if (source->named)
		server_sources_add(
		    files, source, SERVER_FILE_FOUND, path, NULL)->text =
		    row->base == SERVER_SOURCE_NAMED ? NULL :
		    home_servers(setup->envp);
	else if (server_sources_is_folder(row))
		server_sources_find_folder(files, source, path, setup->folder);
	else
		server_sources_find_file(files, source, path, setup->folder);
}

void
server_sources_find(
    struct server_file_list *files, const struct servers_setup *setup)
{
	size_t i;

	for (i = 0; i < SERVER_SOURCES; i++)
		server_sources_find_row(files, &server_source_rows[i], setup);
}

int
server_sources_place(size_t n, const struct servers_setup *setup,
    struct server_place *place)
{
	const struct server_source_row *row;
	const char *variable;

	if (n >= SERVER_SOURCES)
		return 0;
	row = &server_source_rows[n];
	variable = server_sources_variable(row, setup->envp);
	place->home =
	    variable == NULL ? NULL : home_folder(setup->envp, variable);
	/* The environment does not change. */
	place->path = row->base == SERVER_SOURCE_TEXT ? NULL :
	    server_sources_locate(row, setup);
	place->project = row->source.project;
	place->folder = server_sources_is_folder(row);
	return 1;
}

void
server_sources_free(struct server_file_list *files)
{
	struct server_file *file;

	while ((file = TAILQ_FIRST(files)) != NULL) {
		TAILQ_REMOVE(files, file, entry);
		free(file->path);
		free(file->why);
		server_locations_free_gap(&file->gap);
		free(file);
	}
}
