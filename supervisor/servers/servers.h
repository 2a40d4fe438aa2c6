/*
 * The downstream servers that the user's configuration files define. The
 * supervisor finds and opens the files; the reader parses them; the supervisor
 * judges the entries. The files are read in the order of server_sources.def;
 * the first definition of a name wins. Runs in the supervisor; starts no
 * server.
 */
#ifndef SUPERVISOR_SERVERS_H
#define SUPERVISOR_SERVERS_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/queue.h>
#include <sys/stat.h>

#include "../../common/base/buffer.h"
#include "../../common/ipc/channel.h"
#include "../../common/config_shape.h"
#include "../../common/base/err.h"
#include "../../common/limits.h"
#include "../process/process.h"
#include "expand.h"

struct child;
struct options;

/* An origin of files: a row of server_sources.def. */
struct server_source {
	const char *name; /* in the manual, or the client's name */
	bool project;     /* written by the author of the working directory */
	bool client;      /* a file of another program */
	enum config_shape shape;
	bool named;       /* by a variable, not by its default path */
};

enum server_file_state {
	SERVER_FILE_FOUND, /* not read yet */
	SERVER_FILE_TAKEN,
	SERVER_FILE_MISSING,
	SERVER_FILE_SKIPPED,
	SERVER_FILE_REFUSED,
	SERVER_FILE_STALE, /* unreadable: its former content is used */
};

/* Why a file cannot be used, as far as it matters later. */
enum server_fault {
	SERVER_FAULT_NONE, /* its content, if any, is used */
	SERVER_FAULT_GONE,
	SERVER_FAULT_BROKEN,    /* it cannot be read or parsed */
	SERVER_FAULT_UNTRUSTED, /* its owner, mode, kind or place is wrong */
};

/* A file, or a source without files. */
struct server_file {
	TAILQ_ENTRY(server_file) entry;
	const struct server_source *source;
	enum server_file_state state;
	char *path; /* of file or directory; NULL: the source has none */
	const char *text; /* the content itself, in place of a file; or NULL */
	char *why;  /* why it is not used; else NULL */
	enum server_fault fault;
	uint64_t since; /* start of the fault, if kept: setup.clock */
	dev_t dev;      /* of an opened file */
	ino_t ino;
	off_t size;
	struct timespec changed; /* its st_ctim */
	bool opened;
	bool transient; /* refused for a cause that may be temporary */
	bool retried; /* its reader was killed once */
	struct server_gap *gap; /* server_locations.h; NULL: not reported */
};

TAILQ_HEAD(server_file_list, server_file);

enum server_state {
	SERVER_TAKEN,
	SERVER_SKIPPED,  /* valid, but not used */
	SERVER_REJECTED, /* not valid */
};

/* A list of texts, each + NUL. */
struct server_texts {
	char *data;
	size_t len;
};

/* An entry of a file. */
struct server {
	TAILQ_ENTRY(server) entry;
	const struct server_file *file;
	uint64_t line;
	uint64_t column;
	enum server_state state;
	char *why; /* why, one sentence; not if taken */
	enum config_remote remote;
	bool disabled;
	bool shared; /* as in DEFINE */
	bool unsupported; /* skipped: Caisson does not support it */
	/* As in the file; name is empty if the whole file is rejected. */
	char *name;
	char *command; /* empty for a remote one */
	struct server_texts args;
	struct server_texts env; /* name, value, name, value, … */
	char *url;               /* if remote; else NULL */
	struct server_texts headers; /* as env, and as secret */
	char *cwd;
	char *description;
	/* Which of its tools are allowed; message DEFINE defines the fields. */
	bool narrowed;
	struct server_texts allow;
	struct server_texts deny;
	struct server_texts others; /* the same of resources and prompts */
	unsigned int concurrency;
	/*
	 * If taken, with variables expanded, for its process: the command and
	 * its arguments, and "NAME=value" to add to our environment. If it is
	 * remote: its URL, and "NAME=value" for each of its headers.
	 */
	struct server_texts run;
	struct server_texts run_env;
	char *run_cwd; /* NULL: ours */
	char *path;     /* its PATH */
	char *program;  /* path of the command, or the URL; NULL: not found */
	char *searched; /* in these directories; NULL: it has a slash */
	/* If configured (in_force.h): its name as a Python identifier. */
	char *alias;
	struct server_location
	    *location; /* server_locations.h; NULL: not reported */
};

TAILQ_HEAD(server_list, server);

/* The inputs of the list; all must outlive it. */
struct servers_setup {
	struct event_base *base;
	char **envp;
	const char *folder; /* the working directory: absolute */
	const char *named;  /* the file of an option, or "" */
	const struct options *options; /* how that option was set */
	const char *self;   /* our own program */
	bool trust_project;
	bool allow_self;
	uint64_t (*clock)(void); /* milliseconds, monotonic */
	const char *locations; /* report positions of this source; NULL: none */
};

struct servers {
	struct servers_setup setup;
	struct server_file_list files;
	struct server_list list;
	size_t count;
	size_t strangers; /* of those: in untrusted files */
	void (*done)(void *ctx);
	void *ctx;
	/* While the files are being read: */
	const struct servers *before; /* the current list until then, or NULL */
	struct server_file *visited;  /* the last one; NULL: none */
	struct server_file *current; /* at the reader; NULL: none */
	size_t current_rows;
	const struct server_source *source; /* the only source of the reader */
	struct channel *reader;
	struct child *process;
	struct event *timer;
};

/*
 * servers.c: finds the files and has them read. done is called once, from the
 * loop or before this returns, when every entry is judged. The content of
 * before (the former list, which must stay valid until then; NULL: none) is
 * used for files that cannot be read. Call servers_free in any case.
 */
void servers_read(struct servers *servers, const struct servers_setup *setup,
    const struct servers *before, void (*done)(void *ctx), void *ctx);
void servers_free(struct servers *servers);

/*
 * The reader has reported the whole current file, and whether it was parsed:
 * continues with the next.
 */
void servers_file_ended(struct servers *servers, int parsed);

/*
 * A protocol violation of the reader: ends it, and discards its reports on the
 * file.
 */
void servers_reader_failed(struct servers *servers, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* server_rows.c: the entries of files. */

/* Creates an entry of a file at the end of the list. */
struct server *server_rows_add(struct servers *servers,
    const struct server_file *file, uint64_t line, uint64_t column,
    const char *name);

/* Removes the entries of a file. */
void server_rows_remove(
    struct servers *servers, const struct server_file *file);

/* Removes and frees an entry. */
void server_rows_free(struct servers *servers, struct server *server);

/* Rejects an entry if there are too many. */
void server_rows_bound(struct servers *servers, struct server *server);

/*
 * Replaces all entries of a file by copies of its former ones, as they were in
 * the file.
 */
void server_rows_copy(struct servers *servers,
    const struct server_file *file, const struct server_file *before);

/* server_keep.c: uses the former content of files that cannot be read. */

/*
 * Adds the files that were read before and are now missing, in their places:
 * the list of a directory contains only existing files.
 */
void server_keep_missing(struct servers *servers);

/*
 * For a file with a fault; why is the sentence about it. Uses its former
 * content and returns 1: for CONFIG_STALE_MS if the file is missing, without a
 * limit if it is malformed. Otherwise returns 0.
 */
int server_keep(
    struct servers *servers, struct server_file *file, const char *why);

/* Returns whether a file has been kept for CONFIG_STALE_MS. */
int server_keep_is_over(const struct server_file *file, uint64_t now);

/* Returns when that will next be so for a file; UINT64_MAX: never. */
uint64_t server_keep_due(const struct servers *servers, uint64_t now);

/* server_sources.c: finds the files. */

/* Appends the files of every source, in order. */
void server_sources_find(
    struct server_file_list *files, const struct servers_setup *setup);

void server_sources_free(struct server_file_list *files);

/* The place of the files of a source. */
struct server_place {
	char *path;  /* of file or directory; NULL: none */
	bool project; /* within the working directory */
	bool folder; /* a directory: each *.json in it */
	const char *home; /* from a variable; NULL: none */
};

/*
 * Sets the place of the n-th source, counted from 0; the caller frees its path.
 * Returns whether there is such a source.
 */
int server_sources_place(size_t n, const struct servers_setup *setup,
    struct server_place *place);

/*
 * Sets the names *.json of a directory, sorted, which the caller frees. Returns
 * how many; CONFIG_FILES_MAX + 1 means too many.
 */
size_t server_sources_list(DIR *dir, char *names[CONFIG_FILES_MAX + 1]);

/* server_look.c: detects changes of the files. */

struct server_look;

/*
 * Finds the possible places of files from values that do not change while the
 * program runs: envp, the working directory, and the file that an option names.
 * All must outlive it. Accesses no file. Freed with server_look_free, which
 * accepts NULL.
 */
struct server_look *server_look_new(const struct servers_setup *setup);
void server_look_free(struct server_look **look);

/*
 * Appends bytes that differ whenever a file of any source has changed or been
 * replaced. Sets *moving if a file has changed so recently that another change
 * might not be visible.
 */
void server_look_add(
    struct server_look *look, struct buffer *bytes, int *moving);

/* server_open.c: opens files that others have written. */

/*
 * Opens a file of the list for reading, and stores its identity. Only regular
 * files are opened, since opening a device or FIFO has effects. A file of a
 * project must be within the folder of setup, and must not belong to another
 * user. Returns it, or -1 with err and file->fault; file->transient: a retry
 * may succeed.
 */
int server_open(struct server_file *file, const struct servers_setup *setup,
    struct err *err);

/*
 * Reads the attributes of a path without opening it; for a link, those of the
 * link itself. If within is not NULL, nothing outside of that directory is
 * accessed, not even to test its existence. Returns 0, or -1 with errno: EXDEV
 * if the path leads out.
 */
int server_open_look(const char *path, const char *within, struct stat *st);

/*
 * Opens a path relative to a directory, dir; links must not lead out of it.
 * Returns it, or -1 with errno: EXDEV if the path leads out.
 */
int server_open_beneath(int dir, const char *path, int flags);

/* Returns the part of a path after the directory that it starts with. */
const char *server_open_relative(const char *path, const char *folder);

/* Returns the maximum size of a file of this source, in bytes. */
size_t server_open_most(const struct server_source *source);

/*
 * Returns the kind of a failure to open, by its errno (0: one of our own checks
 * failed). An I/O error does not make a file untrusted.
 */
enum server_fault server_open_fault(int code);

/*
 * Opens a directory for listing, which must be within another one unless that
 * is NULL. Returns it, or -1 with err, whose code is ENOENT if it is missing.
 */
int server_open_folder(const char *path, const char *within, struct err *err);

/* Returns whether this header, ":…File", is no secret but names its file. */
static inline int
server_is_secret_file(const char *name)
{
	size_t len = strlen(name);

	return name[0] == ':' && len > 4 && strcmp(name + len - 4, "File") == 0;
}

/* server_judge.c: decides which entries are used. */

/* Returns whether a file belongs to a project without the user's consent. */
int server_judge_is_stranger(
    const struct servers *servers, const struct server_file *file);

/* Decides on an entry, after those before it in the list. */
void server_judge(struct servers *servers, struct server *server);

/* Searches for the program of a taken entry: sets server->program. */
void server_judge_program(struct servers *servers, struct server *server);

/* server_faults.c: messages about files that cannot be used. */

/* Appends text that may contain paths: replaces bytes that are not UTF-8. */
void server_faults_add_text(struct buffer *text, const char *data);

/*
 * Returns what became of a file: "taken", "missing", "skipped" or "refused", as
 * a constant text.
 */
const char *server_faults_word(const struct server_file *file);

/* Returns the row with the fault of a refused file, or NULL. */
const struct server *server_faults_row(
    const struct servers *servers, const struct server_file *file);

/*
 * Appends "; FILE is refused: why" for each refused file, and a similar
 * sentence for each malformed and kept one: the first few, each cause once.
 * Files of untrusted projects are left out, because another user may have
 * written them.
 */
void server_faults_add_refusals(
    struct buffer *text, const struct servers *servers);

/*
 * Appends why servers of a file of this source must be ended, if the file is no
 * longer trusted: the end of a sentence, with the cause and the fix. Returns
 * whether that is so.
 */
int server_faults_add_distrust(struct buffer *text,
    const struct servers *servers, const struct server_source *source,
    const char *path);

/* Appends the sentences for the log about files, each + NUL. */
void server_faults_add_log(
    struct buffer *texts, const struct servers *servers, uint64_t now);

/*
 * Appends the notes for each answer, each + NUL: the files that have been
 * malformed for so long that the configuration is stale.
 */
void server_faults_add_notes(
    struct buffer *notes, const struct servers *servers, uint64_t now);

/* server_path.c: the search path for programs. */

/*
 * Returns a PATH: the directories of search (which may be empty), followed by
 * existing directories that a login shell would add. The home is that of envp,
 * unless it belongs to another user. The caller frees it.
 */
char *server_path_extend(const char *search, char **envp);

/* server_program.c: finds the program of a command. */

/*
 * Returns the path of the executable file that exec would find for a command:
 * itself if it has a slash (relative to folder), else in the directories of
 * search. NULL if there is none; the caller frees it.
 */
char *server_program_find(
    const char *command, const char *search, const char *folder);

/* Returns whether two paths lead to the same file. */
int server_program_is_file(const char *path, const char *other);

/* Returns whether a command is this program, by its name or its target. */
int server_program_is_self(
    const char *command, const char *program, const char *self);

/* fingerprint.c: identifies how a server is started. */

/*
 * Sets FINGERPRINT_SIZE bytes that change with the command of a taken server,
 * its arguments, variables, directory, or the file of its program or script.
 * They reveal none of these.
 */
void fingerprint_make(const struct server *server, uint8_t *fingerprint);

/* server_self.c: detects servers that are this program. */

/*
 * Returns whether a command and its arguments, each + NUL, would start this
 * program, directly or through a wrapper such as env, sh -c or npx. search and
 * folder are as in server_program_find.
 */
int server_self_is_started(const struct server_texts *run, const char *search,
    const char *folder, const char *self);

/*
 * Returns whether they start the earlier bridge, whose place Caisson takes: it
 * would start all other servers again.
 */
int server_self_is_bridge(const struct server_texts *run);

#endif
