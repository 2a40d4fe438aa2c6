/*
 * Tests of supervisor/peers/store and on_store: the store is started when it is
 * needed and never before, is passed the state directory, is started again
 * when it has exited, and is ended when it sends an answer without a request.
 * The test is the store.
 */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/fd.h"
#include "common/ipc/ipc_socket.h"
#include "common/base/loop.h"
#include "supervisor/supervisor.h"
#include "supervisor/peers/store.h"
#include "tests/unit/supervisor/not_here.h"
#include "worker_play.h"

static struct options options = { .state_max = STATE_MAX_MIN };
static struct store *store;
static int line = -1; /* the store's end of the channel */
static pid_t process;
static unsigned int starts;
static const char *no_state; /* why there is no directory */
static struct buffer told;

/* In the place of the other files of the supervisor */

int
state_dir_open(const struct options *all, char **envp, struct err *err)
{
	ck_assert_ptr_eq(all, &options);
	ck_assert_ptr_null(envp);
	if (no_state != NULL)
		return err_set(err, "%s", no_state);
	return open("/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

int
state_dir_try(const struct options *, char **, struct err *)
{
	return 0;
}

int
state_dir_may_exist(const struct options *all, char **envp)
{
	return 1;
}

int
spawn_worker(enum role role, unsigned long number, unsigned int uid, int group,
    int channel, int *pidfd, struct err *err)
{
	ck_assert_int_eq(role, ROLE_STORE);
	ck_assert_uint_eq(uid, 0);
	ck_assert_int_eq(group, -1);
	ck_assert_uint_eq(number, ++starts);
	process = start_worker(channel, &line, pidfd, 0);
	return 0;
}

static void
open_stage(void)
{
	worker_init(supervisor_routes());
	base = loop_new(0);
	reaper_init(base);
	store = store_new(&(struct peers_setup){ .base = base,
	                      .options = &options }, NULL);
	ck_assert_ptr_nonnull(freopen("/dev/null", "w", stderr));
}

static void
close_stage(void)
{
	store_free(&store);
	store_free(&store); /* NULL is accepted */
	reaper_finish(1000);
	fd_close(&line);
	buffer_reset(&told);
	event_base_free(base);
}

static void
expect_keep(void)
{
	struct stat st, wanted;

	expect(line, IPC_KEEP);
	ck_assert_uint_eq(msg.keep.most, STATE_MAX_MIN);
	ck_assert_int_eq(fstat(msg.keep.folder, &st), 0);
	ck_assert_int_eq(stat("/tmp", &wanted), 0);
	ck_assert_uint_eq(st.st_ino, wanted.st_ino);
	ipc_message_close(IPC_KEEP, &msg);
}

static void
say_shown(const char *payload, const char *reason)
{
	struct ipc_shown shown = { .reason = reason,
		.payload = { (const uint8_t *)payload, strlen(payload), -1 } };

	say(line, IPC_SHOWN, &shown);
}

/* Returns the relay's end. */
static int
connect_well(uint64_t execution)
{
	struct err err;
	int relay = store_connect(store, execution, "", MIB, &err);

	ck_assert_msg(relay != -1, "%s", err.text);
	return relay;
}

UNIT_TEST(it_is_started_when_it_is_needed)
{
	int relay, other;
	char byte;

	open_stage();
	ck_assert_uint_eq(starts, 0);
	relay = connect_well(7);
	expect_keep();
	expect(line, IPC_GRANT_STORE);
	ck_assert_uint_eq(msg.grant_store.execution, 7);
	ck_assert_str_eq(msg.grant_store.scope, "");
	ck_assert_int_eq(send(relay, "x", 1, 0), 1);
	ck_assert_int_eq(recv(msg.grant_store.relay, &byte, 1, 0), 1);
	ipc_message_close(IPC_GRANT_STORE, &msg);
	/* No other process holds the store's end. */
	ck_assert_int_eq(recv(relay, &byte, 1, 0), 0);
	other = connect_well(8);
	expect(line, IPC_GRANT_STORE);
	ck_assert_uint_eq(msg.grant_store.execution, 8);
	ipc_message_close(IPC_GRANT_STORE, &msg);
	ck_assert_uint_eq(starts, 1);
	close(relay);
	close(other);
	close_stage();
}

/* It has died, and that was noticed (0), or not yet (1). */
UNIT_TESTS(it_is_started_again, 2)
{
	open_stage();
	close(connect_well(7));
	kill(process, SIGKILL);
	fd_close(&line);
	if (_i == 0)
		settle();
	close(connect_well(8));
	ck_assert_uint_eq(starts, 2);
	expect_keep();
	expect(line, IPC_GRANT_STORE);
	ck_assert_uint_eq(msg.grant_store.execution, 8);
	ipc_message_close(IPC_GRANT_STORE, &msg);
	close_stage();
}

/* An answer without a request (0), half a message (1): it is restarted. */
UNIT_TESTS(a_violation_ends_it, 2)
{
	char byte;

	open_stage();
	close(connect_well(7));
	expect_keep();
	expect(line, IPC_GRANT_STORE);
	ipc_message_close(IPC_GRANT_STORE, &msg);
	if (_i == 0)
		say_shown("1", "");
	else
		ck_assert_int_eq(send(line, "no", 2, 0), 2);
	settle();
	ck_assert_int_eq(recv(line, &byte, 1, 0), 0);
	close(connect_well(8));
	ck_assert_uint_eq(starts, 2);
	close_stage();
}
