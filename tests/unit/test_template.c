/*
 * Tests of supervisor/box/template: when a template is started and ended, and
 * which of them forks. The test is every template; its processes are forks
 * that wait for a signal.
 */
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/fd.h"
#include "common/ipc_socket.h"
#include "common/mem.h"
#include "supervisor/box/language.h"
#include "supervisor/box/python_stamp.h"
#include "supervisor/run/pool.h"
#include "supervisor/box/template.h"
#include "supervisor/supervisor.h"
#include "unit.h"
#include "supervisor/process/process.h"
#include "supervisor/box/native.h"

static struct options options;
static void on_ready(void *ctx);
static struct boxes boxes = { .options = &options, .user.warm = on_ready };
static struct templates *all;
static int line = -1; /* the end of the last template that was started */
static int started;
static int broken; /* no process can be started */
static int python; /* which one is on disk */
static pid_t last_child;
/* The processes of the last template that stood. */
static struct {
	pid_t init, code;
} stood;

/* What others do */

/* A child that waits, and has no descriptor. Returns its pidfd. */
static int
start_child(void)
{
	int sync[2];
	char byte;
	pid_t pid;

	ck_assert_int_eq(pipe(sync), 0);
	pid = fork();
	if (pid == 0) {
		close_range(STDERR_FILENO + 1, ~0U, 0);
		for (;;)
			pause();
	}
	ck_assert_int_gt(pid, 0);
	last_child = pid;
	close(sync[1]);
	ck_assert_int_eq(read(sync[0], &byte, 1), 0);
	close(sync[0]);
	return (int)syscall(SYS_pidfd_open, pid, 0);
}

struct channel_ends
worker_ends(enum role peer, worker_closed *closed, void *ctx)
{
	struct channel_ends ends = { ROLE_SUPERVISOR, peer,
		supervisor_routes(), closed, ctx };

	return ends;
}

struct channel *
worker_start(struct event_base *base, const struct channel_ends *ends,
    unsigned long number, unsigned int uid, int group, int *pidfd,
    struct err *err)
{
	int pair[2];

	ck_assert_int_eq(ends->self, ROLE_SUPERVISOR);
	ck_assert_int_eq(ends->peer, ROLE_TEMPLATE);
	ck_assert_uint_eq(number, (unsigned long)started + 1);
	ck_assert_uint_eq(uid, 0); /* it must map users before it leaves root */
	ck_assert_int_eq(group, -1);
	if (broken) {
		err_set(err, "no processes today");
		return NULL;
	}
	ck_assert_int_eq(
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	fd_close(&line);
	line = pair[1];
	started++;
	*pidfd = start_child();
	return channel_new(base, &pair[0], ends);
}

static const struct language loaded = { .name = "python",
	.interpreter = OPTION_ID_PYTHON,
	.forked = 1 };

const struct language *
language_default(void)
{
	return &loaded;
}

const char *
options_text(const struct options *asked, enum option_id id)
{
	ck_assert_int_eq(id, OPTION_ID_PYTHON);
	return asked->python;
}

void
native_request_fill(const struct boxes *asking,
    const struct language *language, struct ipc_setup *setup)
{
	ck_assert_ptr_eq(asking, &boxes);
	ck_assert_ptr_eq(language, language_default());
	setup->memory_bytes = 64 * MIB;
	setup->processes = 32;
	setup->files_bytes = 16 * MIB;
	setup->language = "python";
	setup->interpreter = "/usr/bin/python3";
}

unsigned int
identity_template(void)
{
	return 9;
}

void
identity_boxes(unsigned int *first, unsigned int *count)
{
	*first = 10;
	*count = 20;
}

void
python_stamp_look(const char *path, struct python_stamp *interpreter)
{
	ck_assert_str_eq(path, "/usr/bin/python3");
	memset(interpreter, 0, sizeof(*interpreter));
	interpreter->files[0].number = (ino_t)python;
}

int
python_stamp_same(
    const struct python_stamp *one, const struct python_stamp *other)
{
	return one->files[0].number == other->files[0].number;
}

static unsigned int wakes;

static void
on_ready(void *ctx)
{
	(void)ctx;
	wakes++;
}

static void
on_standing(void *ctx, void *msg)
{
	struct ipc_standing *standing = msg;

	template_on_standing(ctx, &standing->init, &standing->code);
}

static void
on_warm(void *ctx, void *msg)
{
	(void)msg;
	template_on_warm(ctx);
}

static void
on_unfit(void *ctx, void *msg)
{
	const struct ipc_unfit *unfit = msg;

	template_on_unfit(ctx, unfit->reason);
}

static channel_handler *const routes[IPC_TYPES] = {
	[IPC_STANDING] = on_standing,
	[IPC_WARM] = on_warm,
	[IPC_UNFIT] = on_unfit,
};

channel_handler *const *
supervisor_routes(void)
{
	return routes;
}

/* Playing the template */

static void
turn(void)
{
	int i;

	/* A message, and what its handler has started. */
	for (i = 0; i < 3; i++)
		event_base_loop(boxes.base, EVLOOP_NONBLOCK);
}

/* Takes what the supervisor has sent; packet holds it. */
static void
receive(enum ipc_type wanted, struct ipc_packet *packet, union ipc_any *msg)
{
	enum ipc_type type;
	struct err err;

	ck_assert_int_eq(ipc_socket_receive(line, packet, &err), 1);
	ck_assert_msg(
	    ipc_decode(packet, &type, msg, &err) == 0, "%s", err.text);
	ck_assert_int_eq(type, wanted);
}

static void
say(enum ipc_type type, void *msg)
{
	static struct ipc_packet packet;
	struct err err;

	ck_assert_int_eq(ipc_encode(type, msg, &packet, &err), 0);
	ck_assert_int_eq(ipc_socket_send(line, &packet, &err), 0);
	ipc_packet_close(&packet);
	turn();
}

static void
stand(void)
{
	static struct ipc_packet packet;
	struct ipc_standing standing = { 0 };
	union ipc_any msg;

	receive(IPC_TEMPLATE, &packet, &msg);
	standing.init = start_child();
	stood.init = last_child;
	standing.code = start_child();
	stood.code = last_child;
	say(IPC_STANDING, &standing);
	receive(IPC_STAY, &packet, &msg);
}

static void
become_warm(void)
{
	struct ipc_warm warm = { 0 };

	stand();
	say(IPC_WARM, &warm);
}

/* Whether the line has ended; there is nothing else on it. */
static int
is_let_go(void)
{
	char byte;

	return recv(line, &byte, 1, MSG_DONTWAIT) == 0;
}

static void
on_box_closed(void *ctx, const struct err *why)
{
	(void)ctx;
	(void)why;
}

/* Asks for a box. Returns whether there is one. */
static int
fork_box(void)
{
	struct channel_ends ends = { ROLE_SUPERVISOR, ROLE_BOX, routes,
		on_box_closed, NULL };
	struct python_stamp stamp;
	struct channel *box;
	int made;

	python_stamp_look("/usr/bin/python3", &stamp);
	box = templates_fork(all, &stamp, &ends);
	made = box != NULL;
	channel_free(&box);
	return made;
}

static void
drain(void)
{
	static struct ipc_packet packet;
	union ipc_any msg;

	receive(IPC_FORK, &packet, &msg);
	ck_assert_int_ge(msg.fork.box, 0);
	ipc_message_close(IPC_FORK, &msg);
}

static const char *
reason(void)
{
	const char *why;

	ck_assert_int_eq(templates_warm(all, &why), 0);
	return why == NULL ? "" : why;
}

static void
setup(void)
{
	boxes.base = loop_new(0);
	options.python = mem_strdup("/usr/bin/python3");
	options.preload = mem_strdup("json,asyncio");
	reaper_init(boxes.base);
	all = templates_new(&boxes);
	started = 0;
	broken = 0;
}

/* Every process of it is gone afterwards. */
static void
teardown(void)
{
	templates_free(&all);
	ck_assert_ptr_null(all);
	reaper_finish(SHUTDOWN_REAP_MS);
	ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1);
	fd_close(&line);
	event_base_free(boxes.base);
	free(options.python);
	free(options.preload);
}

/* The tests */

START_TEST(starts_none_before_one_is_wanted)
{
	turn();
	ck_assert_int_eq(started, 0);
	ck_assert_str_eq(reason(), "");
	templates_want(all);
	templates_want(all);
	ck_assert_int_eq(started, 1);
}
END_TEST

/* The pool waits for it, and is notified when it stands. */
START_TEST(is_awaited_until_it_is_warm)
{
	unsigned int before = wakes;

	ck_assert_int_eq(templates_awaited(NULL), 0);
	ck_assert_int_eq(templates_awaited(all), 0);
	templates_want(all);
	ck_assert_int_eq(templates_awaited(all), 1);
	become_warm();
	turn();
	ck_assert_int_eq(templates_awaited(all), 0);
	ck_assert_uint_eq(wakes, before + 1);
}
END_TEST

/* It is not needed: it is let go, and the next box needs another one. */
START_TEST(rests_on_request)
{
	templates_rest(NULL);
	templates_rest(all);
	templates_want(all);
	become_warm();
	turn();
	templates_rest(all);
	ck_assert_int_eq(is_let_go(), 1);
	ck_assert_int_eq(started, 1);
	ck_assert_int_eq(fork_box(), 0);
	ck_assert_int_eq(started, 2);
}
END_TEST

START_TEST(asks_for_what_boxes_are)
{
	static struct ipc_packet packet;
	union ipc_any msg;

	templates_want(all);
	receive(IPC_TEMPLATE, &packet, &msg);
	ck_assert_uint_eq(msg.template.uid, 9);
	ck_assert_uint_eq(msg.template.first_uid, 10);
	ck_assert_uint_eq(msg.template.uids, 20);
	ck_assert_uint_eq(msg.template.memory_bytes, 64 * MIB);
	ck_assert_uint_eq(msg.template.processes, 32);
	ck_assert_uint_eq(msg.template.files_bytes, 16 * MIB);
	ck_assert_str_eq(msg.template.interpreter, "/usr/bin/python3");
	ck_assert_str_eq(msg.template.preload, "json,asyncio");
}
END_TEST

START_TEST(forks_when_it_is_warm_and_not_before)
{
	struct ipc_warm warm = { 0 };
	const char *why;

	ck_assert_int_eq(fork_box(), 0);
	stand();
	ck_assert_int_eq(fork_box(), 0);
	say(IPC_WARM, &warm);
	ck_assert_int_eq(templates_warm(all, &why), 1);
	ck_assert_ptr_null(why);
	ck_assert_int_eq(fork_box(), 1);
	drain();
	ck_assert_int_eq(started, 1);
}
END_TEST

/* Its interpreter is killed; the init, on which its boxes depend, is not. */
START_TEST(is_killed_by_its_number)
{
	struct ipc_warm warm = { 0 };

	templates_kill(NULL, 1);
	ck_assert_uint_eq(templates_asked(NULL), 0);
	ck_assert_uint_eq(templates_asked(all), 0);
	templates_want(all);
	stand();
	ck_assert_uint_eq(templates_asked(all), 0);
	say(IPC_WARM, &warm);
	ck_assert_int_eq(fork_box(), 1);
	drain();
	ck_assert_uint_eq(templates_asked(all), 1);
	templates_kill(all, 2);
	turn();
	ck_assert_int_eq(kill(stood.code, 0), 0);
	templates_kill(all, 1);
	while (kill(stood.code, 0) == 0)
		event_base_loop(boxes.base, EVLOOP_ONCE);
	ck_assert_int_eq(kill(stood.init, 0), 0);
}
END_TEST

/* The other end of what the caller gets is what the template gets. */
START_TEST(hands_over_the_channel_of_the_box)
{
	struct channel_ends ends = { ROLE_SUPERVISOR, ROLE_BOX, routes,
		on_box_closed, NULL };
	static struct ipc_packet packet;
	struct ipc_adopted adopted = { 0 };
	struct python_stamp stamp;
	struct channel *box;
	union ipc_any msg;
	char byte;

	templates_want(all);
	become_warm();
	python_stamp_look("/usr/bin/python3", &stamp);
	box = templates_fork(all, &stamp, &ends);
	ck_assert_ptr_nonnull(box);
	receive(IPC_FORK, &packet, &msg);
	ck_assert_int_eq(recv(msg.fork.box, &byte, 1, MSG_DONTWAIT), -1);
	/* Its first message must say what it is to be. */
	ck_assert_int_eq(
	    channel_send_adopted(box, &adopted, &(struct err){ 0 }), -1);
	channel_free(&box);
	ck_assert_int_eq(recv(msg.fork.box, &byte, 1, 0), 0);
	ipc_message_close(IPC_FORK, &msg);
}
END_TEST

START_TEST(says_why_there_is_none_and_waits)
{
	static struct ipc_packet packet;
	struct ipc_unfit unfit = { .reason = "no module named x" };
	union ipc_any msg;

	templates_want(all);
	receive(IPC_TEMPLATE, &packet, &msg);
	say(IPC_UNFIT, &unfit);
	ck_assert_str_eq(reason(), "no module named x");
	ck_assert_int_eq(is_let_go(), 1);
	ck_assert_int_eq(fork_box(), 0);
	ck_assert_int_eq(started, 1);
}
END_TEST

START_TEST(says_that_one_cannot_be_started)
{
	broken = 1;
	ck_assert_int_eq(fork_box(), 0);
	ck_assert_str_eq(reason(), "no processes today");
	broken = 0;
	ck_assert_int_eq(fork_box(), 0);
	ck_assert_int_eq(started, 0);
}
END_TEST

START_TEST(notices_that_one_ends)
{
	templates_want(all);
	if (_i == 1)
		stand();
	else if (_i == 2)
		become_warm();
	fd_close(&line);
	turn();
	ck_assert_str_eq(reason(), _i == 2 ? "it has ended" :
	        "it ended before it could fork");
	ck_assert_int_eq(fork_box(), 0);
}
END_TEST

/* A process that is not ours to watch, or a word out of its turn. */
START_TEST(ends_one_that_breaks_the_protocol)
{
	static struct ipc_packet packet;
	struct ipc_standing standing = {
		.init = (int)syscall(SYS_pidfd_open, getpid(), 0),
		.code = start_child()
	};
	struct ipc_warm warm = { 0 };
	union ipc_any msg;

	templates_want(all);
	receive(IPC_TEMPLATE, &packet, &msg);
	if (_i == 0) {
		say(IPC_STANDING, &standing);
		ck_assert_str_eq(reason(), "message standing: init is a "
		    "descriptor of another kind");
	} else {
		say(IPC_WARM, &warm);
		ck_assert_str_ne(reason(), "");
		fd_close(&standing.init);
		fd_close(&standing.code);
	}
	ck_assert_int_eq(is_let_go(), 1);
}
END_TEST

START_TEST(takes_another_one_for_another_interpreter)
{
	templates_want(all);
	become_warm();
	python++;
	ck_assert_int_eq(fork_box(), 0);
	ck_assert_int_eq(started, 2);
	become_warm();
	ck_assert_int_eq(fork_box(), 1);
	drain();
}
END_TEST

/* The old one forks until the new one can. */
START_TEST(takes_another_one_after_many_boxes)
{
	auto_fd int old = -1;
	int i;

	templates_want(all);
	become_warm();
	for (i = 0; i < TEMPLATE_FORKS_MAX; i++) {
		ck_assert_int_eq(fork_box(), 1);
		drain();
	}
	ck_assert_int_eq(started, 1);
	old = dup(line);
	ck_assert_int_eq(fork_box(), 1);
	ck_assert_int_eq(started, 2);
	become_warm();
	ck_assert_int_eq(fork_box(), 1);
	drain();
	ck_assert_int_eq(started, 2);
	fd_close(&line);
	line = fd_take(&old);
	drain();
	ck_assert_int_eq(is_let_go(), 1);
}
END_TEST

START_TEST(does_without_any)
{
	struct templates *none = NULL;
	const char *why;

	templates_want(NULL);
	ck_assert_ptr_null(templates_fork(NULL, NULL, NULL));
	ck_assert_int_eq(templates_warm(NULL, &why), 0);
	ck_assert_ptr_null(why);
	templates_free(&none);
}
END_TEST

static void
add_tests(TCase *tc)
{
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, starts_none_before_one_is_wanted);
	tcase_add_test(tc, is_awaited_until_it_is_warm);
	tcase_add_test(tc, rests_on_request);
	tcase_add_test(tc, asks_for_what_boxes_are);
	tcase_add_test(tc, forks_when_it_is_warm_and_not_before);
	tcase_add_test(tc, is_killed_by_its_number);
	tcase_add_test(tc, hands_over_the_channel_of_the_box);
	tcase_add_test(tc, says_why_there_is_none_and_waits);
	tcase_add_test(tc, says_that_one_cannot_be_started);
	tcase_add_loop_test(tc, notices_that_one_ends, 0, 3);
	tcase_add_loop_test(tc, ends_one_that_breaks_the_protocol, 0, 2);
	tcase_add_test(tc, takes_another_one_for_another_interpreter);
	tcase_add_test(tc, takes_another_one_after_many_boxes);
	tcase_add_test(tc, does_without_any);
}

int
main(void)
{
	return unit_run("template", add_tests);
}
