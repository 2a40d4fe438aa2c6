/*
 * caisson files: lists, shows, saves, adds and removes the files that code has
 * left or can be given, and lists their owners. Names of files are chosen by
 * code, so control characters are escaped for the terminal. Runs in the
 * supervisor, which opens the files that the user names; another process keeps
 * the others.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../../common/base/buffer.h"
#include "../../common/base/fd.h"
#include "../../common/base/file_name.h"
#include "../../common/limits.h"
#include "../../common/base/mem.h"
#include "../../common/base/shown.h"
#include "../../common/base/utf8.h"
#include "../door/http/tokens.h"
#include "../front/answer/answer.h"
#include "../options/text/json_report.h"
#include "../options/option_value.h"
#include "../options/options.h"
#include "../options/state_dir.h"
#include "../peers/files.h"
#include "../run/run.h"
#include "shared/command.h"

/* Where code has the files of its conversation. */
#define STORED_FILES_DATA "/data/"

/* What a command is about. */
enum stored_files_about { STORED_ALL, STORED_ONE, STORED_NEW };

struct stored_files {
	struct event_base *base;
	struct files *files;
	const struct command_setup *setup;
	const struct command *command;
	const char *scope;  /* of whose files */
	uint64_t *link_seconds; /* of the options */
	enum stored_files_about about;
	/* Starts its task. Returns NULL with err. */
	struct files_task *(*begin)(
	    struct stored_files *cmd, const char *owner, struct err *err);
	struct files_user user; /* the callbacks of the task */
	const char *list; /* what --json lists; NULL: it tells a number */
	char *conversation; /* its id; NULL: none, or of a list all */
	char *name; /* name of the file; NULL: none */
	uint64_t version; /* its version; 0: the newest, or all */
	struct buffer *json; /* printed at the end; NULL: text is printed */
	size_t listed;
	size_t owners; /* whose usage was printed */
	bool summed;   /* a list is followed by the usage of its owner */
	int status;
};

static void
stored_files_end(struct stored_files *cmd, int status)
{
	cmd->status = status;
	if (fflush(stdout) == EOF)
		cmd->status = 1;
	event_base_loopexit(cmd->base, NULL);
}

static void __attribute__((format(printf, 2, 3)))
stored_files_fail(struct stored_files *cmd, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	command_complain_list(fmt, ap);
	va_end(ap);
	stored_files_end(cmd, 1);
}

static void
stored_files_print_name(const char *name)
{
	auto_buffer struct buffer shown = { 0 };

	shown_add(&shown, name, strlen(name));
	fputs(shown.data, stdout);
}

/* Ends a line. */
static void
stored_files_print_conversation(const char *id)
{
	if (id[0] != '\0') {
		fputs(" of conversation ", stdout);
		stored_files_print_name(id);
	}
	putchar('\n');
}

/* list */

static void
stored_files_on_listed(void *ctx, const struct file_row *row)
{
	struct stored_files *cmd = ctx;
	time_t since = (time_t)row->since;
	char when[32] = "?";
	struct tm tm;

	if (gmtime_r(&since, &tm) != NULL)
		strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", &tm);
	cmd->listed++;
	if (cmd->json != NULL) {
		json_report_open(cmd->json, NULL, '{');
		json_report_text(cmd->json, "name", row->name);
		if (row->conversation[0] != '\0')
			json_report_text(
			    cmd->json, "conversation", row->conversation);
		json_report_number(cmd->json, "version", row->version);
		json_report_number(cmd->json, "bytes", row->size);
		json_report_text(cmd->json, "type", row->type);
		json_report_text(cmd->json, "saved_at", when);
		json_report_close(cmd->json, '}');
		return;
	}
	if (command_has(&cmd->command->flags, COMMAND_FLAG_NAMES)) {
		stored_files_print_name(row->name);
		putchar('\n');
		return;
	}
	printf("%s %12llu %3llu %s ", when, (unsigned long long)row->size,
	    (unsigned long long)row->version, row->type);
	stored_files_print_name(row->name);
	stored_files_print_conversation(row->conversation);
}

/* usage */

static void
stored_files_print_used(struct stored_files *cmd, const struct files_usage *row)
{
	if (cmd->owners++ == 0)
		printf("%12s %13s %6s %6s %9s  %s\n", "bytes", "limit",
		    "files", "limit", "versions", "owner");
	printf("%12llu %13llu %6llu %6llu %9llu  %s",
	    (unsigned long long)row->bytes,
	    (unsigned long long)row->bytes_most,
	    (unsigned long long)row->files,
	    (unsigned long long)row->files_most,
	    (unsigned long long)row->versions,
	    row->owner[0] == '\0' ? OWNER_FLAG_USER : row->owner);
	stored_files_print_conversation(row->conversation);
}

/* The same behind a list, of its owner and conversation only. */
static void
stored_files_on_summed(void *ctx, const struct files_usage *row)
{
	struct stored_files *cmd = ctx;

	if (strcmp(row->owner, cmd->scope) == 0 &&
	    (cmd->conversation == NULL || row->conversation[0] == '\0' ||
	        strcmp(row->conversation, cmd->conversation) == 0))
		stored_files_print_used(cmd, row);
}

static void
stored_files_on_used(void *ctx, const struct files_usage *row)
{
	struct stored_files *cmd = ctx;
	const char *owner = row->owner[0] == '\0' ? NULL : row->owner;

	cmd->listed++;
	if (cmd->json == NULL) {
		stored_files_print_used(cmd, row);
		return;
	}
	json_report_open(cmd->json, NULL, '{');
	json_report_text(cmd->json, "owner", owner);
	if (row->conversation[0] != '\0')
		json_report_text(cmd->json, "conversation", row->conversation);
	json_report_number(cmd->json, "bytes", row->bytes);
	json_report_number(cmd->json, "bytes_max", row->bytes_most);
	json_report_number(cmd->json, "files", row->files);
	json_report_number(cmd->json, "files_max", row->files_most);
	json_report_number(cmd->json, "versions", row->versions);
	json_report_close(cmd->json, '}');
}

/* save and show */

static void
stored_files_write(struct stored_files *cmd, int file, uint64_t offset)
{
	struct err err;

	if (command_copy(file, offset, STDOUT_FILENO, &err) == -1)
		stored_files_fail(cmd, "%s: %s", cmd->name, err.text);
}

/*
 * Returns the path to save to: the user's, or in that directory by its own
 * name, without folders.
 */
static char *
stored_files_path(const struct stored_files *cmd)
{
	const char *other = cmd->command->other;
	const char *slash = strrchr(cmd->name, '/');
	const char *name = slash == NULL ? cmd->name : slash + 1;
	struct stat st;

	if (other == NULL)
		return mem_strdup(name);
	if (stat(other, &st) == 0 && S_ISDIR(st.st_mode))
		return mem_printf("%s/%s", other, name);
	return mem_strdup(other);
}

static void
stored_files_make(struct stored_files *cmd, int file, uint64_t offset)
{
	auto_free char *path = stored_files_path(cmd);
	auto_fd int to = open(
	    path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	struct err err;

	if (to == -1 && errno == EEXIST) {
		stored_files_fail(cmd, "%s exists already, and is left as it "
		    "is: name another path, behind the name of the file", path);
		return;
	}
	if (to == -1) {
		stored_files_fail(cmd, "'%s' cannot be made: %s", path,
		    strerror(errno));
		return;
	}
	if (command_copy(file, offset, to, &err) == -1) {
		unlink(path);
		stored_files_fail(cmd, "%s: %s", path, err.text);
	}
}

/* On a terminal only text is displayed, with control characters escaped. */
static void
stored_files_show_terminal(
    struct stored_files *cmd, const char *data, size_t len)
{
	if (utf8_valid(data, len))
		json_report_put(stdout, data, len, 1);
	else
		stored_files_fail(cmd, "%s is not text: 'caisson files save' "
		    "writes it to a file", cmd->name);
}

static void
stored_files_on_shown(void *ctx, int *file, uint64_t offset)
{
	struct stored_files *cmd = ctx;
	struct stat st;
	char *map;

	if (!isatty(STDOUT_FILENO)) {
		stored_files_write(cmd, *file, offset);
		return;
	}
	if (fstat(*file, &st) == -1 || (uint64_t)st.st_size <= offset)
		return;
	map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, *file, 0);
	if (map == MAP_FAILED) {
		stored_files_fail(cmd, "%s: it cannot be read: %s", cmd->name,
		    strerror(errno));
		return;
	}
	stored_files_show_terminal(
	    cmd, map + offset, (size_t)st.st_size - (size_t)offset);
	munmap(map, (size_t)st.st_size);
}

static void
stored_files_on_saved(void *ctx, int *file, uint64_t offset)
{
	struct stored_files *cmd = ctx;
	const char *path = cmd->command->other;

	if (path != NULL && strcmp(path, "-") == 0)
		stored_files_write(cmd, *file, offset);
	else
		stored_files_make(cmd, *file, offset);
}

/* add */

/* Returns the bytes of a file of the user, mapped; NULL with err. */
static char *
stored_files_map(const char *path, size_t *len, struct err *err)
{
	auto_fd int file =
	    open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	char *map;

	if (file == -1 || fstat(file, &st) == -1) {
		err_sys(err, "%s cannot be opened", path);
		return NULL;
	}
	if (!S_ISREG(st.st_mode)) {
		err_set(err, "%s is no regular file", path);
		return NULL;
	}
	if ((uint64_t)st.st_size > FILE_ADD_MAX) {
		err_set(err, "%s has %llu bytes, more than the %lu MiB that a "
		    "file may have", path, (unsigned long long)st.st_size,
		    FILE_ADD_MAX / MIB);
		return NULL;
	}
	*len = (size_t)st.st_size;
	/* A mapping cannot be empty. */
	map = mmap(NULL, *len + 1, PROT_READ, MAP_PRIVATE, file, 0);
	if (map == MAP_FAILED) {
		err_sys(err, "%s cannot be read", path);
		return NULL;
	}
	return map;
}

static struct files_task *
stored_files_add(struct stored_files *cmd, const char *owner, struct err *err)
{
	const char *path = cmd->command->operand;
	const char *slash = strrchr(path, '/');
	const char *name = cmd->command->other != NULL ?
	    cmd->command->other : slash == NULL ? path : slash + 1;
	struct files_task *task;
	size_t len;
	char *data;

	if (name[0] == '\0' || strlen(name) > FILE_NAME_MAX) {
		err_set(err, "\"%s\" cannot be the name of a file: it has 1 to "
		    "%d bytes", name, FILE_NAME_MAX);
		return NULL;
	}
	data = stored_files_map(path, &len, err);
	if (data == NULL)
		return NULL;
	task = files_add(cmd->files, owner, name, data, len, &cmd->user, err);
	munmap(data, len + 1);
	return task;
}

/* link and revoke */

static struct files_task *
stored_files_fetch(struct stored_files *cmd, const char *owner, struct err *err)
{
	return files_fetch(cmd->files, owner, cmd->name, cmd->version,
	    NULL, &cmd->user, err);
}

static void
stored_files_on_linked(void *ctx, const struct file_row *row)
{
	if (row->url != NULL)
		printf("%s\n", row->url);
	else
		stored_files_fail(ctx, "no link can be made: the log says why");
}

static struct files_task *
stored_files_link(struct stored_files *cmd, const char *owner, struct err *err)
{
	const struct command_flags *flags = &cmd->command->flags;
	const struct option_row row = { .kind = OPTION_KIND_SECONDS, .least = 1,
		.most = FILE_LINK_SECONDS_MAX };
	const char *value = command_value(flags, COMMAND_FLAG_EXPIRES, 0);
	uint64_t seconds = FILE_LINK_SECONDS;

	if (value != NULL && option_value_parse(&row, value, &seconds) == -1) {
		err_set(err, "--expires must be a time from 1s to %dh, such as "
		    "30m or 48h", FILE_LINK_SECONDS_MAX / 3600);
		return NULL;
	}
	*cmd->link_seconds = seconds;
	return command_has(flags, COMMAND_FLAG_UPLOAD) ?
	    files_link(cmd->files, owner, cmd->name, &cmd->user, err) :
	    stored_files_fetch(cmd, owner, err);
}

int
links_revoke_run(struct command_setup *setup, struct err *err)
{
	auto_fd int folder = -1;

	if (setup->options->file_secret != NULL)
		return err_set(err, "links are signed by FILE_SECRET: give it "
		    "another value, and start Caisson again");
	folder = state_dir_open_inner(
	    setup->options, setup->envp, STATE_DIR_FILES, err);
	if (folder == -1)
		return -1;
	/* The process that signs the next link makes another one. */
	if (unlinkat(folder, FILE_NAME_SECRET, 0) == -1 && errno != ENOENT)
		return err_sys(err, "the secret of links cannot be removed");
	fsync(folder);
	return 0;
}

/* The end */

static void
stored_files_miss(struct stored_files *cmd)
{
	auto_free char *flag = owner_flag_again(cmd->command);

	stored_files_fail(cmd, "file \"%s\": there is no file of this name%s, "
	    "or not this version of it ('caisson files list%s' shows all)",
	    cmd->command->operand, cmd->conversation == NULL ?
	        " outside conversations (--conversation ID)" : "", flag);
}

static void
stored_files_print_nothing(const struct stored_files *cmd)
{
	auto_buffer struct buffer shown = { 0 };
	auto_free char *place = NULL;
	struct err err;
	/* Others may have left something. */
	int some = cmd->user.filed != NULL && files_may_hold(cmd->files);
	const char *whose = *cmd->scope == '\0' ? "the user" : cmd->scope;

	if (command_has(&cmd->command->flags, COMMAND_FLAG_NAMES))
		return;
	if (cmd->conversation == NULL) {
		place = state_dir_path(
		    cmd->setup->options, cmd->setup->envp, &err);
		printf("No files%s%s are kept%s%s%s.\n",
		    some ? " of " : "", some ? whose : "",
		    place == NULL ? "" : " in ", place == NULL ? "" : place,
		    some ? " ('caisson files usage' lists all owners)" : "");
		return;
	}
	shown_add_quoted(&shown, cmd->conversation, CONVERSATION_ID_MAX);
	printf("Conversation \"%s\" has no files.\n", shown.data);
}

/* Ends what --json prints. */
static void
stored_files_report(struct stored_files *cmd, uint64_t count)
{
	if (cmd->list != NULL)
		json_report_close(cmd->json, ']');
	else
		json_report_number(cmd->json, "removed", count);
	json_report_print(cmd->json);
}

/* Begins to print what follows a list. Returns 0, or -1 with err. */
static int
stored_files_sum(struct stored_files *cmd, struct err *err)
{
	struct files_user user = cmd->user;

	cmd->summed = true;
	user.used = stored_files_on_summed;
	putchar('\n');
	return files_list_usage(cmd->files, &user, err) == NULL ? -1 : 0;
}

static void
stored_files_on_done(void *ctx, const struct files_end *end)
{
	struct stored_files *cmd = ctx;
	struct err err;

	if (cmd->status != 0)
		return; /* reported already */
	if (end->fault == FILE_FAULT_UNKNOWN) {
		stored_files_miss(cmd);
		return;
	}
	if (end->why != NULL) {
		stored_files_fail(cmd, "%s", end->why);
		return;
	}
	if (cmd->about == STORED_ALL && cmd->user.filed != NULL &&
	    cmd->json == NULL &&
	    cmd->listed > 0 && !cmd->summed &&
	    !command_has(&cmd->command->flags, COMMAND_FLAG_NAMES)) {
		if (stored_files_sum(cmd, &err) == -1)
			stored_files_fail(cmd, "%s", err.text);
		return;
	}
	if (cmd->json != NULL)
		stored_files_report(cmd, end->count);
	else if (cmd->list != NULL && cmd->listed == 0)
		stored_files_print_nothing(cmd);
	stored_files_end(cmd, 0);
}

static void
stored_files_on_removed(void *ctx, const struct files_end *end)
{
	const struct files_end unknown = { .fault = FILE_FAULT_UNKNOWN };

	stored_files_on_done(
	    ctx, end->why == NULL && end->count == 0 ? &unknown : end);
}

static void
stored_files_on_cleared(void *ctx, const struct files_end *end)
{
	struct stored_files *cmd = ctx;

	if (end->why == NULL && cmd->json == NULL)
		printf("%llu removed\n", (unsigned long long)end->count);
	stored_files_on_done(cmd, end);
}

/*
 * Reads the name of the file, its path in the box of a conversation, or its URI
 * from an answer, which includes the version. Returns 0, or -1 with err.
 */
static int
stored_files_read_name(struct stored_files *cmd, struct err *err)
{
	const char *operand = cmd->command->operand;
	auto_buffer struct buffer shown = { 0 };
	auto_free char *flag = owner_flag_again(cmd->command);
	auto_free char *quoted = mem_printf("\"%s\"", operand);
	size_t folder = strncmp(operand, STORED_FILES_DATA,
	    strlen(STORED_FILES_DATA)) == 0 ? strlen(STORED_FILES_DATA) : 0;
	const struct json_span uri = { quoted, strlen(quoted) };

	if (file_link_is(uri) && strpbrk(operand, "\"\\") == NULL) {
		free(mem_take(&cmd->conversation));
		cmd->name = file_link_read(
		    uri, &cmd->version, &cmd->conversation);
	} else
		cmd->name = mem_strdup(operand + folder);
	if (cmd->name != NULL && cmd->name[0] != '\0' &&
	    strlen(cmd->name) <= FILE_NAME_MAX)
		return 0;
	buffer_add_text(&shown, "file \"");
	shown_add_quoted(&shown, operand, OPTION_VALUE_SHOWN);
	return err_set(err, "%s\": there is no file of this name ('caisson "
	    "files list%s' shows all)", shown.data, flag);
}

/* Without a name, all. */
static struct files_task *
stored_files_remove(
    struct stored_files *cmd, const char *owner, struct err *err)
{
	return files_remove(cmd->files, owner, cmd->name, cmd->version,
	    &cmd->user, err);
}

static struct files_task *
stored_files_list(struct stored_files *cmd, const char *owner, struct err *err)
{
	return files_list(cmd->files, owner, cmd->conversation == NULL, 1,
	    &cmd->user, err);
}

static struct files_task *
stored_files_usage(struct stored_files *cmd, const char *, struct err *err)
{
	return files_list_usage(cmd->files, &cmd->user, err);
}

static struct files_task *
stored_files_begin(struct stored_files *cmd, struct err *err)
{
	auto_free char *owner = NULL;
	auto_buffer struct buffer shown = { 0 };

	if (cmd->conversation != NULL && !conversation_id_valid(
	        cmd->conversation, strlen(cmd->conversation))) {
		buffer_add_text(&shown, "\"");
		shown_add_quoted(&shown, cmd->conversation, OPTION_VALUE_SHOWN);
		err_set(err, "%s\" cannot be the id of a conversation: it has "
		    "1 to %d bytes without control characters, and is not "
		    "\".\" or \"..\"", shown.data, CONVERSATION_ID_MAX);
		return NULL;
	}
	if (cmd->about == STORED_ONE && stored_files_read_name(cmd, err) == -1)
		return NULL;
	owner = files_conversation(cmd->scope, cmd->conversation);
	return cmd->begin(cmd, owner, err);
}

/* Tells files the limits of tokens, which a program that serves knows. */
static int
stored_files_limit(const struct command_setup *setup, struct files *files,
    struct err *err)
{
	auto_buffer struct buffer limits = { 0 };
	struct tokens tokens = { 0 };
	auto_fd int dir = state_dir_open(setup->options, setup->envp, err);
	int done = dir == -1 ? -1 : tokens_read(&tokens, dir, err);

	if (done == 0) {
		tokens_add_files_limits(&tokens, &limits);
		files_limit(files, &limits);
	}
	tokens_reset(&tokens);
	return done;
}

/* The commands */

static int
stored_files_run(struct command_setup *setup, struct stored_files *cmd,
    struct err *err)
{
	const struct command *command = &setup->options->command;
	struct files *files = setup->runs->peers.files;
	const struct files_end nothing = { .fault = cmd->about == STORED_ONE ?
		    FILE_FAULT_UNKNOWN : FILE_FAULT_NONE };
	auto_buffer struct buffer json = { 0 };
	int status = owner_flag_begin(setup, "files", &cmd->scope, err);

	if (status != 0)
		return status;
	if (cmd->list != NULL &&
	    (cmd->about == STORED_ALL || *cmd->scope != '\0') &&
	    state_dir_may_exist(setup->options, setup->envp) &&
	    stored_files_limit(setup, files, err) == -1)
		return -1;
	cmd->base = setup->base;
	cmd->setup = setup;
	cmd->files = files;
	cmd->command = command;
	cmd->link_seconds = &setup->options->link_seconds;
	if (cmd->user.done == NULL)
		cmd->user.done = stored_files_on_done;
	cmd->user.ctx = cmd;
	cmd->conversation = mem_strdup(command_value(
	    &command->flags, COMMAND_FLAG_CONVERSATION, 0));
	if (options_json(setup->options))
		cmd->json = &json;
	if (cmd->json != NULL && cmd->list != NULL)
		json_report_open(&json, cmd->list, '[');
	/* If nothing was ever kept, no directory is created. */
	if (cmd->about != STORED_NEW && !files_may_hold(files) &&
	    !command_has(&command->flags, COMMAND_FLAG_UPLOAD))
		cmd->user.done(cmd, &nothing);
	else if (stored_files_begin(cmd, err) == NULL)
		stored_files_fail(cmd, "%s", err->text);
	event_base_dispatch(cmd->base);
	free(cmd->name);
	free(cmd->conversation);
	return cmd->status;
}

#define STORED_FILES_COMMAND(run, ...)                                         \
	COMMAND_DEFINE(run,                                                    \
	    stored_files_run(setup, &(struct stored_files){ __VA_ARGS__ }, err))

STORED_FILES_COMMAND(files_list_run, .begin = stored_files_list,
    .user.filed = stored_files_on_listed, .list = "files")
STORED_FILES_COMMAND(files_usage_run, .begin = stored_files_usage,
    .user.used = stored_files_on_used, .list = "owners")
STORED_FILES_COMMAND(files_show_run, .about = STORED_ONE,
    .begin = stored_files_fetch, .user.fetched = stored_files_on_shown)
STORED_FILES_COMMAND(files_save_run, .about = STORED_ONE,
    .begin = stored_files_fetch, .user.fetched = stored_files_on_saved)
STORED_FILES_COMMAND(files_add_run, .about = STORED_NEW,
    .begin = stored_files_add, .user.filed = stored_files_on_listed,
    .list = "files")
STORED_FILES_COMMAND(files_remove_run, .about = STORED_ONE,
    .begin = stored_files_remove, .user.done = stored_files_on_removed)
STORED_FILES_COMMAND(files_clear_run, .begin = stored_files_remove,
    .user.done = stored_files_on_cleared)
COMMAND_DEFINE(files_link_run, *setup->options->public_url == '\0' ?
    err_set(err, "links need the address of this server: set it by 'caisson "
        "config set public_url https://caisson.example.org'") :
    stored_files_run(setup, &(struct stored_files){ .about = STORED_ONE,
        .begin = stored_files_link,
        .user.filed = stored_files_on_linked }, err))
