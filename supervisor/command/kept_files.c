/*
 * caisson files: lists, shows, saves, adds and removes the files that code has
 * left or can be given, and lists their owners. Names of files are chosen by
 * code, so control characters are escaped for the terminal. Runs in the
 * supervisor, which opens the files that the user names; another process keeps
 * the others.
 */
#include <errno.h>
#include <fcntl.h>
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
#include "../front/answer/file_link.h"
#include "../options/text/json_report.h"
#include "../options/options.h"
#include "../peers/files.h"
#include "../run/run.h"
#include "shared/command.h"

/* Where code has the files of its conversation. */
#define KEPT_FILES_DATA "/data/"

/* What a command is about. */
enum kept_files_about { KEPT_FILES_ALL, KEPT_FILES_ONE, KEPT_FILES_NEW };

struct kept_files {
	struct event_base *base;
	struct files *files;
	const struct command *command;
	const char *scope;  /* of whose files */
	enum kept_files_about about;
	/* Starts its task. Returns NULL with err. */
	struct files_task *(*begin)(
	    struct kept_files *kept, const char *owner, struct err *err);
	struct files_user user; /* the callbacks of the task */
	const char *list; /* what --json lists; NULL: it tells a number */
	char *conversation; /* its id; NULL: none, or of a list all */
	char *name; /* name of the file; NULL: none */
	uint64_t version; /* its version; 0: the newest, or all */
	struct buffer *json; /* printed at the end; NULL: text is printed */
	size_t listed;
	int status;
};

static void
kept_files_end(struct kept_files *kept, int status)
{
	kept->status = status;
	if (fflush(stdout) == EOF)
		kept->status = 1;
	event_base_loopexit(kept->base, NULL);
}

static void __attribute__((format(printf, 2, 3)))
kept_files_fail(struct kept_files *kept, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	command_complain(fmt, ap);
	va_end(ap);
	kept_files_end(kept, 1);
}

static void
kept_files_print_name(const char *name)
{
	auto_buffer struct buffer shown = { 0 };

	shown_add(&shown, name, strlen(name));
	fputs(shown.data, stdout);
}

/* list */

static void
kept_files_on_listed(void *ctx, const struct file_row *row)
{
	struct kept_files *kept = ctx;
	time_t since = (time_t)row->since;
	char when[32] = "?";
	struct tm tm;

	if (gmtime_r(&since, &tm) != NULL)
		strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", &tm);
	kept->listed++;
	if (kept->json != NULL) {
		json_report_open(kept->json, NULL, '{');
		json_report_text(kept->json, "name", row->name);
		if (row->conversation[0] != '\0')
			json_report_text(
			    kept->json, "conversation", row->conversation);
		json_report_number(kept->json, "version", row->version);
		json_report_number(kept->json, "bytes", row->size);
		json_report_text(kept->json, "type", row->type);
		json_report_text(kept->json, "saved_at", when);
		json_report_close(kept->json, '}');
		return;
	}
	if (command_has(&kept->command->flags, COMMAND_FLAG_NAMES)) {
		kept_files_print_name(row->name);
		putchar('\n');
		return;
	}
	printf("%s %12llu %3llu %s ", when, (unsigned long long)row->size,
	    (unsigned long long)row->version, row->type);
	kept_files_print_name(row->name);
	if (row->conversation[0] != '\0') {
		fputs(" of conversation ", stdout);
		kept_files_print_name(row->conversation);
	}
	putchar('\n');
}

/* usage */

static void
kept_files_on_used(void *ctx, const struct files_usage *row)
{
	struct kept_files *kept = ctx;
	const char *owner = row->owner[0] == '\0' ? NULL : row->owner;

	kept->listed++;
	if (kept->json == NULL) {
		printf("%12llu of %llu bytes %4llu of %llu files  %s\n",
		    (unsigned long long)row->bytes,
		    (unsigned long long)row->bytes_most,
		    (unsigned long long)row->files,
		    (unsigned long long)row->files_most,
		    owner == NULL ? OWNER_FLAG_USER : owner);
		return;
	}
	json_report_open(kept->json, NULL, '{');
	json_report_text(kept->json, "owner", owner);
	json_report_number(kept->json, "bytes", row->bytes);
	json_report_number(kept->json, "bytes_max", row->bytes_most);
	json_report_number(kept->json, "files", row->files);
	json_report_number(kept->json, "files_max", row->files_most);
	json_report_close(kept->json, '}');
}

/* save and show */

static void
kept_files_write(struct kept_files *kept, int file, uint64_t offset)
{
	struct err err;

	if (command_copy(file, offset, STDOUT_FILENO, &err) == -1)
		kept_files_fail(kept, "%s: %s", kept->name, err.text);
}

/*
 * Returns the path to save to: the user's, or in that directory by its own
 * name.
 */
static char *
kept_files_path(const struct kept_files *kept)
{
	const char *other = kept->command->other;
	struct stat st;

	if (other == NULL)
		return mem_strdup(kept->name);
	if (stat(other, &st) == 0 && S_ISDIR(st.st_mode))
		return mem_printf("%s/%s", other, kept->name);
	return mem_strdup(other);
}

static void
kept_files_make(struct kept_files *kept, int file, uint64_t offset)
{
	auto_free char *path = kept_files_path(kept);
	auto_fd int to = open(
	    path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
	struct err err;

	if (to == -1 && errno == EEXIST) {
		kept_files_fail(kept, "%s exists already, and is left as it "
		    "is: name another path, behind the name of the file", path);
		return;
	}
	if (to == -1) {
		kept_files_fail(kept, "'%s' cannot be made: %s", path,
		    strerror(errno));
		return;
	}
	if (command_copy(file, offset, to, &err) == -1) {
		unlink(path);
		kept_files_fail(kept, "%s: %s", path, err.text);
	}
}

/* On a terminal only text is displayed, with control characters escaped. */
static void
kept_files_show_terminal(struct kept_files *kept, const char *data, size_t len)
{
	if (utf8_valid(data, len))
		json_report_put(stdout, data, len, 1);
	else
		kept_files_fail(kept, "%s is not text: 'caisson files save' "
		    "writes it to a file", kept->name);
}

static void
kept_files_on_shown(void *ctx, int *file, uint64_t offset)
{
	struct kept_files *kept = ctx;
	struct stat st;
	char *map;

	if (!isatty(STDOUT_FILENO)) {
		kept_files_write(kept, *file, offset);
		return;
	}
	if (fstat(*file, &st) == -1 || (uint64_t)st.st_size <= offset)
		return;
	map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, *file, 0);
	if (map == MAP_FAILED) {
		kept_files_fail(kept, "%s: it cannot be read: %s", kept->name,
		    strerror(errno));
		return;
	}
	kept_files_show_terminal(
	    kept, map + offset, (size_t)st.st_size - (size_t)offset);
	munmap(map, (size_t)st.st_size);
}

static void
kept_files_on_saved(void *ctx, int *file, uint64_t offset)
{
	struct kept_files *kept = ctx;
	const char *path = kept->command->other;

	if (path != NULL && strcmp(path, "-") == 0)
		kept_files_write(kept, *file, offset);
	else
		kept_files_make(kept, *file, offset);
}

/* add */

/* Returns the bytes of a file of the user, mapped; NULL with err. */
static char *
kept_files_map(const char *path, size_t *len, struct err *err)
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
kept_files_add(struct kept_files *kept, const char *owner, struct err *err)
{
	const char *path = kept->command->operand;
	const char *slash = strrchr(path, '/');
	const char *name = kept->command->other != NULL ?
	    kept->command->other : slash == NULL ? path : slash + 1;
	struct files_task *task;
	size_t len;
	char *data;

	if (name[0] == '\0' || strlen(name) > FILE_NAME_MAX) {
		err_set(err, "\"%s\" cannot be the name of a file: it has 1 to "
		    "%d bytes", name, FILE_NAME_MAX);
		return NULL;
	}
	data = kept_files_map(path, &len, err);
	if (data == NULL)
		return NULL;
	task = files_add(
	    kept->files, owner, name, data, len, &kept->user, err);
	munmap(data, len + 1);
	return task;
}

/* The end */

static void
kept_files_miss(struct kept_files *kept)
{
	auto_free char *flag = owner_flag_again(kept->command);

	kept_files_fail(kept, "file \"%s\": there is no file of this name%s, "
	    "or not this version of it ('caisson files list%s' shows all)",
	    kept->command->operand, kept->conversation == NULL ?
	        " outside conversations (--conversation ID)" : "", flag);
}

static void
kept_files_print_nothing(const struct kept_files *kept)
{
	auto_buffer struct buffer shown = { 0 };

	if (command_has(&kept->command->flags, COMMAND_FLAG_NAMES))
		return;
	if (kept->conversation == NULL) {
		printf("Nothing is kept.\n");
		return;
	}
	shown_add_quoted(&shown, kept->conversation, CONVERSATION_ID_MAX);
	printf("Conversation \"%s\" has no files.\n", shown.data);
}

/* Ends what --json prints. */
static void
kept_files_report(struct kept_files *kept, uint64_t count)
{
	if (kept->list != NULL)
		json_report_close(kept->json, ']');
	else
		json_report_number(kept->json, "removed", count);
	json_report_print(kept->json);
}

static void
kept_files_on_done(void *ctx, const struct files_end *end)
{
	struct kept_files *kept = ctx;

	if (kept->status != 0)
		return; /* reported already */
	if (end->fault == FILE_FAULT_UNKNOWN) {
		kept_files_miss(kept);
		return;
	}
	if (end->why != NULL) {
		kept_files_fail(kept, "%s", end->why);
		return;
	}
	if (kept->json != NULL)
		kept_files_report(kept, end->count);
	else if (kept->list != NULL && kept->listed == 0)
		kept_files_print_nothing(kept);
	kept_files_end(kept, 0);
}

static void
kept_files_on_removed(void *ctx, const struct files_end *end)
{
	const struct files_end unknown = { .fault = FILE_FAULT_UNKNOWN };

	kept_files_on_done(
	    ctx, end->why == NULL && end->count == 0 ? &unknown : end);
}

static void
kept_files_on_cleared(void *ctx, const struct files_end *end)
{
	struct kept_files *kept = ctx;

	if (end->why == NULL && kept->json == NULL)
		printf("%llu removed\n", (unsigned long long)end->count);
	kept_files_on_done(kept, end);
}

/*
 * Reads the name of the file, its path in the box of a conversation, or its URI
 * from an answer, which includes the version. Returns 0, or -1 with err.
 */
static int
kept_files_read_name(struct kept_files *kept, struct err *err)
{
	const char *operand = kept->command->operand;
	auto_buffer struct buffer shown = { 0 };
	auto_free char *flag = owner_flag_again(kept->command);
	auto_free char *quoted = mem_printf("\"%s\"", operand);
	size_t folder = strncmp(operand, KEPT_FILES_DATA,
	    strlen(KEPT_FILES_DATA)) == 0 ? strlen(KEPT_FILES_DATA) : 0;
	const struct json_span uri = { quoted, strlen(quoted) };

	if (file_link_is(uri) && strpbrk(operand, "\"\\") == NULL) {
		free(mem_take(&kept->conversation));
		kept->name = file_link_read(
		    uri, &kept->version, &kept->conversation);
	} else
		kept->name = mem_strdup(operand + folder);
	if (kept->name != NULL && kept->name[0] != '\0' &&
	    strlen(kept->name) <= FILE_NAME_MAX)
		return 0;
	buffer_add_text(&shown, "file \"");
	shown_add_quoted(&shown, operand, OPTION_VALUE_SHOWN);
	return err_set(err, "%s\": there is no file of this name ('caisson "
	    "files list%s' shows all)", shown.data, flag);
}

static struct files_task *
kept_files_fetch(struct kept_files *kept, const char *owner, struct err *err)
{
	return files_fetch(kept->files, owner, kept->name, kept->version,
	    &kept->user, err);
}

/* Without a name, all. */
static struct files_task *
kept_files_remove(struct kept_files *kept, const char *owner, struct err *err)
{
	return files_remove(kept->files, owner, kept->name, kept->version,
	    &kept->user, err);
}

static struct files_task *
kept_files_list(struct kept_files *kept, const char *owner, struct err *err)
{
	return files_list(kept->files, owner, kept->conversation == NULL, 1,
	    &kept->user, err);
}

static struct files_task *
kept_files_usage(struct kept_files *kept, const char *owner, struct err *err)
{
	(void)owner;
	return files_list_usage(kept->files, &kept->user, err);
}

static struct files_task *
kept_files_begin(struct kept_files *kept, struct err *err)
{
	auto_free char *owner = NULL;
	auto_buffer struct buffer shown = { 0 };

	if (kept->conversation != NULL && !conversation_id_valid(
	        kept->conversation, strlen(kept->conversation))) {
		buffer_add_text(&shown, "\"");
		shown_add_quoted(
		    &shown, kept->conversation, OPTION_VALUE_SHOWN);
		err_set(err, "%s\" cannot be the id of a conversation: it has "
		    "1 to %d bytes without control characters", shown.data,
		    CONVERSATION_ID_MAX);
		return NULL;
	}
	if (kept->about == KEPT_FILES_ONE &&
	    kept_files_read_name(kept, err) == -1)
		return NULL;
	owner = files_conversation(kept->scope, kept->conversation);
	return kept->begin(kept, owner, err);
}

static int
kept_files_run(struct kept_files *kept, const struct command_setup *setup,
    struct err *err)
{
	const struct command *command = &setup->options->command;
	struct files *files = setup->runs->peers.files;
	const struct files_end nothing = { .fault = kept->about ==
		KEPT_FILES_ONE ? FILE_FAULT_UNKNOWN : FILE_FAULT_NONE };
	auto_buffer struct buffer json = { 0 };
	int status = owner_flag_begin(setup, "files", &kept->scope, err);

	if (status != 0)
		return status;
	kept->base = setup->base;
	kept->files = files;
	kept->command = command;
	if (kept->user.done == NULL)
		kept->user.done = kept_files_on_done;
	kept->user.ctx = kept;
	kept->conversation = mem_strdup(command_value(
	    &command->flags, COMMAND_FLAG_CONVERSATION, 0));
	if (options_json(setup->options))
		kept->json = &json;
	if (kept->json != NULL && kept->list != NULL)
		json_report_open(&json, kept->list, '[');
	/* If nothing was ever kept, no directory is created. */
	if (kept->about != KEPT_FILES_NEW && !files_may_hold(files))
		kept->user.done(kept, &nothing);
	else if (kept_files_begin(kept, err) == NULL)
		kept_files_fail(kept, "%s", err->text);
	event_base_dispatch(kept->base);
	free(kept->name);
	free(kept->conversation);
	return kept->status;
}

/* The commands */

int
files_list_run(struct command_setup *setup, struct err *err)
{
	struct kept_files kept = { .begin = kept_files_list,
		.user.filed = kept_files_on_listed,
		.list = "files" };

	return kept_files_run(&kept, setup, err);
}

int
files_usage_run(struct command_setup *setup, struct err *err)
{
	struct kept_files kept = { .begin = kept_files_usage,
		.user.used = kept_files_on_used,
		.list = "owners" };

	return kept_files_run(&kept, setup, err);
}

int
files_show_run(struct command_setup *setup, struct err *err)
{
	struct kept_files kept = { .about = KEPT_FILES_ONE,
		.begin = kept_files_fetch,
		.user.fetched = kept_files_on_shown };

	return kept_files_run(&kept, setup, err);
}

int
files_save_run(struct command_setup *setup, struct err *err)
{
	struct kept_files kept = { .about = KEPT_FILES_ONE,
		.begin = kept_files_fetch,
		.user.fetched = kept_files_on_saved };

	return kept_files_run(&kept, setup, err);
}

int
files_add_run(struct command_setup *setup, struct err *err)
{
	struct kept_files kept = { .about = KEPT_FILES_NEW,
		.begin = kept_files_add,
		.user.filed = kept_files_on_listed,
		.list = "files" };

	return kept_files_run(&kept, setup, err);
}

int
files_remove_run(struct command_setup *setup, struct err *err)
{
	struct kept_files kept = { .about = KEPT_FILES_ONE,
		.begin = kept_files_remove,
		.user.done = kept_files_on_removed };

	return kept_files_run(&kept, setup, err);
}

int
files_clear_run(struct command_setup *setup, struct err *err)
{
	struct kept_files kept = { .begin = kept_files_remove,
		.user.done = kept_files_on_cleared };

	return kept_files_run(&kept, setup, err);
}
