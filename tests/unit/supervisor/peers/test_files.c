/*
 * Tests of supervisor/peers/files and on_files: the process that keeps files is
 * started when it is needed, and again when it has died; what it says goes to
 * the user of the task; a porter begins with each task that needs one. The test
 * is both processes.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "common/base/fd.h"
#include "common/ipc/ipc_socket.h"
#include "common/base/loop.h"
#include "common/base/mem.h"
#include "supervisor/supervisor.h"
#include "supervisor/peers/files.h"
#include "tests/unit/supervisor/not_here.h"
#include "worker_play.h"

static struct options options = { .files_max = 5 * MIB, .files_days = 7,
	.public_url = (char *)"" };
static struct files *files;
static int line = -1; /* the end of the channel that the keeper has */
static int porter = -1; /* and the one that a porter has */
static pid_t process;
static int is_deaf; /* to being asked to end */
static unsigned int starts;
static const char *no_state; /* why there is no directory */
static struct buffer told;
static int fetched = -1;

/* In the place of the other files of the supervisor */

int
state_dir_open_inner(const struct options *all, char **envp, const char *name,
    struct err *err)
{
	ck_assert_ptr_eq(all, &options);
	ck_assert_ptr_null(envp);
	ck_assert_str_eq(name, STATE_DIR_FILES);
	if (no_state != NULL)
		return err_set(err, "%s", no_state);
	return open("/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

int
state_dir_may_hold(const struct options *all, char **envp, const char *name)
{
	return no_state == NULL;
}

int
spawn_worker(enum role role, unsigned long number, unsigned int uid, int group,
    int channel, int *pidfd, struct err *err)
{
	int *end = role == ROLE_FILES ? &line : &porter;

	ck_assert_int_eq(group, -1);
	if (role == ROLE_FILES) {
		ck_assert_uint_eq(uid, 0);
		ck_assert_uint_eq(number, ++starts);
	} else {
		ck_assert_int_eq(role, ROLE_PORTER);
		ck_assert_uint_eq(uid, 77);
	}
	process = start_worker(channel, end, pidfd, is_deaf);
	return 0;
}

/* The user of tasks */

static void
on_filed(void *ctx, const struct file_row *row)
{
	ck_assert_ptr_eq(ctx, &told);
	buffer_printf(&told, "filed %s %d %d %d %s\n", row->name,
	    (int)row->version, (int)row->size, (int)row->since, row->type);
}

static void
on_skipped(void *ctx, const char *name, size_t len, enum file_fault fault,
    const char *why)
{
	ck_assert_ptr_eq(ctx, &told);
	buffer_printf(&told, "left out %.*s %d\n", (int)len, name, (int)fault);
}

static void
on_fetched(void *ctx, int *file, uint64_t offset)
{
	ck_assert_ptr_eq(ctx, &told);
	buffer_printf(&told, "fetched at %d\n", (int)offset);
	fetched = fd_take(file);
}

static void
on_done(void *ctx, const struct files_end *end)
{
	ck_assert_ptr_eq(ctx, &told);
	buffer_printf(&told, "done %d %s\n", (int)end->count,
	    end->why == NULL ? "well" : end->why);
}

static void
on_used(void *ctx, const struct files_usage *row)
{
	ck_assert_ptr_eq(ctx, &told);
	buffer_printf(&told, "used \"%s\" %d %d\n", row->owner,
	    (int)row->bytes, (int)row->bytes_most);
}

static const struct files_user user = { .filed = on_filed,
	.used = on_used,
	.skipped = on_skipped,
	.fetched = on_fetched,
	.done = on_done,
	.ctx = &told };

static void
open_stage(void)
{
	worker_init(supervisor_routes());
	base = loop_new(0);
	reaper_init(base);
	files = files_new(&(struct peers_setup){ .base = base,
	                      .options = &options }, NULL);
	buffer_add_text(&told, "");
	ck_assert_ptr_nonnull(freopen("/dev/null", "w", stderr));
}

static void
close_stage(void)
{
	files_free(&files);
	files_free(&files); /* NULL is accepted */
	reaper_finish(1000);
	fd_close(&line);
	fd_close(&porter);
	fd_close(&fetched);
	buffer_reset(&told);
	event_base_free(base);
}

static void
expect_keep(void)
{
	struct stat st, wanted;

	expect(line, IPC_KEEP_FILES);
	ck_assert_uint_eq(msg.keep_files.most, 5 * MIB);
	ck_assert_uint_eq(msg.keep_files.days, 7);
	ck_assert_int_eq(fstat(msg.keep_files.folder, &st), 0);
	ck_assert_int_eq(stat("/tmp", &wanted), 0);
	ck_assert_uint_eq(st.st_ino, wanted.st_ino);
	ipc_message_close(IPC_KEEP_FILES, &msg);
}

static void
say_done(uint64_t task, enum file_fault fault, const char *name)
{
	struct ipc_task_done done = { .task = task,
		.count = 3,
		.fault = fault,
		.name = { (const uint8_t *)name, strlen(name) } };

	say(line, IPC_TASK_DONE, &done);
}

/* Begins a list, which is the task with this number. */
static void
list_well(uint64_t number)
{
	struct err err;

	ck_assert_msg(files_list(files, "me", 0, 1, &user, &err) != NULL, "%s",
	    err.text);
	if (number == 1)
		expect_keep();
	expect(line, IPC_LIST_FILES);
	ck_assert_uint_eq(msg.list_files.task, number);
	ck_assert_str_eq(msg.list_files.owner, "me");
	ck_assert_uint_eq(msg.list_files.versions, 1);
}

static void
say_filed(uint64_t task)
{
	struct ipc_filed filed = { .task = task,
		.name = "a",
		.version = 2,
		.size = 3,
		.since = 4,
		.conversation = "",
		.signature = "",
		.type = "text/csv" };

	say(line, IPC_FILED, &filed);
}

static void
say_fetched(uint64_t task)
{
	struct ipc_file_fetched fetch = { .task = task,
		.offset = 5,
		.file = open("/etc/passwd", O_RDONLY | O_CLOEXEC) };

	say(line, IPC_FILE_FETCHED, &fetch);
}

static void
say_skipped(uint64_t task)
{
	struct ipc_skipped skipped = { .task = task,
		.name = { (const uint8_t *)"b", 1 },
		.fault = FILE_FAULT_FIFO };

	say(line, IPC_SKIPPED, &skipped);
}

/* Begins the fetch of a file, which is the first task. */
static void
fetch_well(void)
{
	struct err err;

	ck_assert_ptr_nonnull(
	    files_fetch(files, "me", "a", 7, NULL, &user, &err));
	expect_keep();
	expect(line, IPC_FETCH_FILE);
	ck_assert_uint_eq(msg.fetch_file.version, 7);
}

UNIT_TEST(answers_go_to_the_user_of_the_task)
{
	open_stage();
	ck_assert_uint_eq(starts, 0);
	fetch_well();
	say_filed(1);
	say_fetched(1);
	say_done(1, FILE_FAULT_NONE, "");
	ck_assert_str_eq(told.data, "filed a 2 3 4 text/csv\nfetched at 5\n"
	    "done 3 well\n");
	ck_assert_int_ne(fetched, -1);
	list_well(2);
	say_filed(2);
	say_filed(2);
	ck_assert_uint_eq(starts, 1);
	close_stage();
}

/* What does not belong to a task ends the process, and every task. */
UNIT_TESTS(answers_fit_their_tasks, 5)
{
	open_stage();
	if (_i < 4)
		fetch_well();
	else
		list_well(1);
	if (_i < 2)
		say_filed(1);
	switch (_i) {
	case 0:
		say_filed(1);
		break;
	case 1:
		say_done(1, FILE_FAULT_NONE, "");
		break;
	case 2:
		say_fetched(1);
		break;
	case 3:
		say_skipped(1);
		break;
	default:
		say_fetched(1);
		break;
	}
	settle();
	ck_assert_int_eq(recv(line, &(char){ 0 }, 1, 0), 0);
	ck_assert_ptr_nonnull(strstr(told.data, "done 0 the files process "
	    "violated the protocol"));
	close_stage();
}

UNIT_TEST(faults_become_sentences)
{
	open_stage();
	list_well(1);
	say_done(1, FILE_FAULT_LARGE, "\x1b.txt");
	ck_assert_str_eq(told.data, "done 3 \\x1b.txt: it is larger than all "
	    "files of this owner may be beside those of others (0.0 of 5 MiB): "
	    "raise CAISSON_FILES_MAX\n");
	close_stage();
}

/* Each fault has a sentence of its own. */
UNIT_TESTS(every_fault_has_its_sentence, FILE_FAULTS - 1)
{
	const struct files_usage used = { .owner = "one\ntalk",
		.files = 2,
		.bytes = 3 * MIB / 2,
		.files_most = 7,
		.bytes_most = MIB };
	auto_free char *text =
	    file_fault_text((enum file_fault)(_i + 1), &options, &used);
	auto_free char *next = file_fault_text(
	    (enum file_fault)((_i + 1) % (FILE_FAULTS - 1) + 1), &options,
	    &used);

	ck_assert_uint_gt(strlen(text), 10);
	ck_assert_str_ne(text, next);
	/* What an owner with a token keeps is reached by its name. */
	ck_assert(strstr(text, "caisson files remove") == NULL ||
	    strstr(text, "caisson files remove --owner one'") != NULL);
	if (_i + 1 == FILE_FAULT_SHARE)
		ck_assert_msg(strncmp(text, "this owner keeps 2 files of "
		    "1.5 MiB, and may keep 7 of 1.0 MiB beside others: remove",
		    70) == 0, "%s", text);
}

/* Of a task that there is not (0), half a message (1): it is killed. */
UNIT_TESTS(a_violation_ends_it, 2)
{
	is_deaf = 1;
	open_stage();
	list_well(1);
	if (_i == 0)
		say_done(9, FILE_FAULT_NONE, "");
	else
		ck_assert_int_eq(send(line, "no", 2, 0), 2);
	settle();
	ck_assert_int_eq(recv(line, &(char){ 0 }, 1, 0), 0);
	ck_assert_str_eq(told.data, "done 0 the files process violated the "
	    "protocol: if the programs of Caisson are of one build, this is a "
	    "bug; please report it\n");
	while (kill(process, 0) == 0)
		event_base_loop(base, EVLOOP_ONCE);
	close_stage();
}
