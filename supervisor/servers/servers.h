/*
 * The downstream servers that the user's configuration files define: found and
 * opened here, read by the reader, and judged here by what that says. The
 * files are read in the order of server_sources.def; the first definition of a
 * name wins. Runs in the supervisor; starts no server.
 */
#ifndef SUPERVISOR_SERVERS_H
#define SUPERVISOR_SERVERS_H

#include <dirent.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/queue.h>
#include <sys/stat.h>

#include "../../common/buffer.h"
#include "../../common/channel.h"
#include "../../common/config_shape.h"
#include "../../common/err.h"
#include "../../common/limits.h"
#include "../process/process.h"
#include "expand.h"

struct child;

/* Where files come from: a row of server_sources.def. */
struct server_source {
	const char *name; /* as the manual calls it, or whose it is */
	int project;      /* written by the author of our working directory */
	int client;       /* a file of another program */
	enum config_shape shape;
	int named;        /* by a variable, not found in its usual place */
};

enum server_file_state {
	SERVER_FILE_FOUND, /* and not read yet */
	SERVER_FILE_TAKEN,
	SERVER_FILE_MISSING,
	SERVER_FILE_SKIPPED,
	SERVER_FILE_REFUSED,
	SERVER_FILE_KEPT, /* it cannot be read: what it said last is in force */
};

/* Why nothing of a file can be taken, as far as it matters later. */
enum server_fault {
	SERVER_FAULT_NONE, /* its content is in force, if there is any */
	SERVER_FAULT_GONE,
	SERVER_FAULT_BROKEN,    /* it cannot be read or parsed */
	SERVER_FAULT_UNTRUSTED, /* its owner, mode, kind or place is wrong */
};

/* A file, or a source that has none. */
struct server_file {
	TAILQ_ENTRY(server_file) entry;
	const struct server_source *source;
	enum server_file_state state;
	char *path; /* of the file or the folder; NULL: the source has none */
	char *why;  /* of what is not taken; NULL otherwise */
	enum server_fault fault;
	uint64_t since; /* when that began, of a kept one: setup.clock */
	dev_t dev;      /* of a file that was opened */
	ino_t ino;
	off_t size;
	struct timespec changed; /* its st_ctim */
	int opened;
	int passing; /* it was refused for a reason that may be gone soon */
	int retried; /* the reader that had it was killed, once */
	struct server_gap *gap; /* server_spots.h; NULL: not told */
};

TAILQ_HEAD(server_file_list, server_file);

enum server_state {
	SERVER_TAKEN,
	SERVER_SKIPPED,  /* right, but not used */
	SERVER_REJECTED, /* wrong */
};

/* A run of texts, each with a NUL behind it. */
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
	char *why; /* one sentence, unless it is taken */
	enum config_remote remote;
	int disabled;
	int shared; /* as in DEFINE */
	int unsupported; /* skipped because Caisson cannot use such an entry */
	/* As written; name is empty where the whole file is rejected. */
	char *name;
	char *command; /* empty for a remote one */
	struct server_texts args;
	struct server_texts env; /* name, value, name, value, … */
	char *url;               /* of a remote one; NULL otherwise */
	struct server_texts headers; /* as env; as secret as it is */
	char *cwd;
	char *description;
	/* Which of its tools may be used: DEFINE says what these mean. */
	int narrowed;
	struct server_texts allow;
	struct server_texts deny;
	/*
	 * Of those taken, expanded, for the process that starts them: the
	 * command and its arguments, and "NAME=value" on top of our
	 * environment.
	 */
	struct server_texts run;
	struct server_texts run_env;
	char *run_cwd; /* NULL: ours */
	char *path;     /* its PATH */
	char *program;  /* the path of the command; NULL: it is nowhere */
	char *searched; /* then: in these folders; NULL: it has a slash */
	/* Of those in force (in_force.h): its name as Python can write it. */
	char *alias;
	struct server_spot *spot; /* server_spots.h; NULL: not told */
};

TAILQ_HEAD(server_list, server);

/* What the list depends on; all of it outlives the list. */
struct servers_setup {
	struct event_base *base;
	char **envp;
	const char *folder; /* the one we run in: absolute */
	const char *named;  /* a file that an option names, or "" */
	const char *self;   /* our own binary */
	int trust_project;
	int allow_self;
	uint64_t (*clock)(void); /* milliseconds; it only moves forward */
	const char *spots; /* whose entries' places to ask for; NULL: none's */
};

struct servers {
	struct servers_setup setup;
	struct server_file_list files;
	struct server_list list;
	size_t count;
	size_t strangers; /* of those: entries of files that are not trusted */
	void (*done)(void *ctx);
	void *ctx;
	/* While the files are being read: */
	const struct servers *before; /* in force until then, or NULL */
	struct server_file *visited;  /* the last one; NULL: none */
	struct server_file *current; /* the reader has it; NULL: none */
	size_t current_rows;
	const struct server_source *source; /* the reader's, of one only */
	struct channel *reader;
	struct child *process;
	struct event *timer;
};

/*
 * servers.c: finds the files and has them read; done is called once, from the
 * loop or before this returns, when every entry is judged. What files said
 * before (NULL where nothing has been read; it must last until then) may be
 * kept, where they cannot be read. servers_free in any case.
 */
void servers_read(struct servers *servers, const struct servers_setup *setup,
    const struct servers *before, void (*done)(void *ctx), void *ctx);
void servers_free(struct servers *servers);

/*
 * The reader has told all of the current file, and whether it could be parsed:
 * goes on with the next.
 */
void servers_file_ended(struct servers *servers, int parsed);

/*
 * The reader violated the protocol: it ends, and so does what it said of the
 * file.
 */
void servers_reader_failed(struct servers *servers, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* server_rows.c: the entries of files. */

/* Makes an entry of a file and puts it at the end of the list. */
struct server *server_rows_add(struct servers *servers,
    const struct server_file *file, uint64_t line, uint64_t column,
    const char *name);

/* Removes what was said of a file. */
void server_rows_remove(
    struct servers *servers, const struct server_file *file);

/* Removes one entry, and frees it. */
void server_rows_free(struct servers *servers, struct server *server);

/* Rejects an entry when there are too many of them. */
void server_rows_bound(struct servers *servers, struct server *server);

/*
 * In the place of all entries of a file, copies those that it had before, as
 * they were written.
 */
void server_rows_copy(struct servers *servers,
    const struct server_file *file, const struct server_file *before);

/* server_keep.c: what a file said last, while it cannot be read. */

/*
 * Adds the files that were read before and are not found any more, in their
 * places: a folder tells only of what is in it.
 */
void server_keep_missing(struct servers *servers);

/*
 * A file cannot be taken, because of its fault; why is the sentence about it.
 * Puts what it said before in force and returns 1: for CONFIG_KEPT_MS when it
 * is gone, for ever when it is broken. Otherwise returns 0.
 */
int server_keep(
    struct servers *servers, struct server_file *file, const char *why);

/* Whether a kept file has been so for CONFIG_KEPT_MS. */
int server_keep_is_over(const struct server_file *file, uint64_t now);

/* Returns when this will next be so of a file; UINT64_MAX: never. */
uint64_t server_keep_due(const struct servers *servers, uint64_t now);

/* server_sources.c: which files there are. */

/* Appends the files of every source, in their order. */
void server_sources_find(
    struct server_file_list *files, const struct servers_setup *setup);

void server_sources_free(struct server_file_list *files);

/* Where the files of a source would be. */
struct server_place {
	char *path;  /* of the file, or of the folder; NULL: there is none */
	int project; /* it is within the folder that we run in */
	int folder;  /* every *.json in it is a file */
	const char *home; /* the folder that a variable names; NULL: none */
};

/*
 * Sets the place of the n-th source, counted from 0, whose path the caller
 * frees. Returns whether there is one of that number.
 */
int server_sources_place(size_t n, const struct servers_setup *setup,
    struct server_place *place);

/*
 * The names *.json of a folder, in order, which the caller frees. Returns how
 * many: CONFIG_FILES_MAX + 1 mean that there are too many.
 */
size_t server_sources_list(DIR *dir, char *names[CONFIG_FILES_MAX + 1]);

/* server_look.c: how the files look. */

struct server_look;

/*
 * Finds out where files may be, with what lasts as long as the program does:
 * envp, the folder that we run in and the file that an option names, which must
 * outlive it. Looks at nothing.
 * Freed with server_look_free; NULL is accepted there.
 */
struct server_look *server_look_new(const struct servers_setup *setup);
void server_look_free(struct server_look **look);

/*
 * Appends bytes that are others whenever a file of any source is another one,
 * or has changed. Sets *moving when one has changed so recently that it may
 * change again and look the same.
 */
void server_look_add(
    const struct server_look *look, struct buffer *bytes, int *moving);

/* server_open.c: opening files that others have written. */

/*
 * Opens a file of the list to be read, and notes which file it is; nothing but
 * a regular file is ever opened, so that no device or pipe sees it. A file of
 * a project must be within folder, and nobody else's. Returns it, or -1 with
 * err and file->fault; file->passing says whether it is worth trying again.
 */
int server_open(
    struct server_file *file, const char *folder, struct err *err);

/*
 * Looks at a path without opening it, where it is a link at the link itself.
 * Where within is not NULL, nothing outside of that folder is looked at, not
 * even to see whether it is there. Returns 0, or -1 with errno: EXDEV for what
 * leads out.
 */
int server_open_look(
    const char *path, const char *within, struct stat *st);

/*
 * Opens a path that is seen from a folder, dir, and that no link must lead out
 * of it. Returns it, or -1 with errno: EXDEV for what leads out.
 */
int server_open_beneath(int dir, const char *path, int flags);

/* The part of a path that is behind a folder which it begins with. */
const char *server_open_relative(const char *path, const char *folder);

/* How many bytes a file of this source may have. */
size_t server_open_most(const struct server_source *source);

/*
 * What kind of fault it is when something cannot be opened, by its errno (0: it
 * failed one of our own checks). A file system that fails is no loss of trust.
 */
enum server_fault server_open_fault(int code);

/*
 * Opens a folder to be listed, which must lie within another one unless that
 * is NULL. Returns it, or -1 with err, whose code is ENOENT when there is none.
 */
int server_open_folder(
    const char *path, const char *within, struct err *err);

/* server_judge.c: which entries are taken. */

/* Whether a file is one of a project that the user has not consented to. */
int server_judge_is_stranger(
    const struct servers *servers, const struct server_file *file);

/* Decides on an entry; those before it in the list are decided. */
void server_judge(struct servers *servers, struct server *server);

/* Looks for the program of an entry that is taken: sets server->program. */
void server_judge_program(struct servers *servers, struct server *server);

/* server_faults.c: what a user is told of files that cannot be used. */

/* Appends text in which paths may be: bytes that are not UTF-8 are replaced. */
void server_faults_add_text(struct buffer *text, const char *data);

/* Returns the row that says what is wrong with a refused file, or NULL. */
const struct server *server_faults_row(
    const struct servers *servers, const struct server_file *file);

/*
 * Appends "; FILE is refused: why" for each refused file, and a like sentence
 * for each one that is broken and kept: the first few, each cause once. Files
 * of a project that is not trusted are left out: a stranger may have written
 * what is wrong with them.
 */
void server_faults_add_refusals(
    struct buffer *text, const struct servers *servers);

/*
 * Appends why what a file of a source defined must end, when the file is not
 * trusted any more: the end of a sentence, with the cause and the fix. Returns
 * whether that is so.
 */
int server_faults_add_distrust(struct buffer *text,
    const struct servers *servers, const struct server_source *source,
    const char *path);

/* Appends what the log says of files, each sentence with a NUL behind it. */
void server_faults_add_log(
    struct buffer *texts, const struct servers *servers, uint64_t now);

/*
 * Appends, each with a NUL behind it, what each answer says: which files have
 * been broken for so long that what is in force is stale.
 */
void server_faults_add_notes(
    struct buffer *notes, const struct servers *servers, uint64_t now);

/* server_path.c: where programs are looked for. */

/*
 * Returns the folders of search (which may be empty), and behind them those
 * that a login would add and that there are, for the home of envp unless that
 * is another user's: a PATH. The caller frees it.
 */
char *server_path_extend(const char *search, char **envp);

/* server_program.c: which program a command is. */

/*
 * Returns the path of the executable file that exec would find for a command:
 * itself where it has a slash (seen from folder), else in the folders of
 * search. NULL when there is none; the caller frees it.
 */
char *server_program_find(
    const char *command, const char *search, const char *folder);

/* Whether two paths lead to the same file. */
int server_program_is_file(const char *path, const char *other);

/* Whether a command is this program, by its name or by what it leads to. */
int server_program_is_self(
    const char *command, const char *program, const char *self);

/* fingerprint.c: what a server is started as. */

/*
 * Sets FINGERPRINT_SIZE bytes that change, and from which nothing can be
 * learnt, whenever the command of a server that is taken does, its arguments,
 * its variables, its folder, the file of its program or of its script.
 */
void fingerprint_make(const struct server *server, uint8_t *fingerprint);

/* server_self.c: what a command starts in the end. */

/*
 * Whether a command and its arguments, each with a NUL behind it, would start
 * this program, itself or through a wrapper such as env, sh -c or npx; search
 * and folder are as in server_program_find.
 */
int server_self_is_started(const struct server_texts *run, const char *search,
    const char *folder, const char *self);

#endif
