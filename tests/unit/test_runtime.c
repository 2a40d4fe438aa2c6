/*
 * Tests of supervisor/box/native and runtime: what a native box is asked to be,
 * and that its pipes are handed over and nowhere else. The box is a stand-in,
 * the test is its launcher.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/fd.h"
#include "common/ipc_socket.h"
#include "common/mem.h"
#include "supervisor/box/cgroup.h"
#include "supervisor/box/container_boxes.h"
#include "supervisor/box/language.h"
#include "supervisor/box/native.h"
#include "unit.h"
#include "supervisor/process/process.h"

/* The box */

static struct options options;
static struct native_boxes shared;
static struct boxes boxes = { .options = &options, .shared = &shared };
static struct box a_box = { .boxes = &boxes };
static struct channel *channel; /* to its launcher; NULL: there is none */
static int box = -1;            /* the launcher's end of it */

/* In the place of container.c: no container is started here. */
const struct runtime podman_runtime = { .name = "podman" };
const struct runtime docker_runtime = { .name = "docker" };

/* In the place of native_boxes.c: nothing is looked for. */

int
native_probe(struct boxes *these, int only_refuses, struct err *err)
{
	ck_abort_msg("nothing is probed here");
}

void
native_finish(struct boxes *these)
{
	ck_abort_msg("nothing is swept here");
}

/* A fork of a template: who it is, is not known yet. */
struct channel *
launcher_start(struct boxes *from, const struct channel_ends *ends,
    unsigned long number, const struct python_stamp *stamp,
    const struct group *group, int *pidfd, struct err *err)
{
	ck_assert_ptr_eq(from, &boxes);
	ck_assert_int_eq(ends->peer, ROLE_BOX);
	ck_assert_uint_eq(number, a_box.number);
	ck_assert_ptr_nonnull(stamp);
	ck_assert_int_eq(group != NULL, shared.cgroup != NULL);
	*pidfd = -1;
	if (channel == NULL)
		err_set(err, "no box today");
	return mem_take(&channel);
}

/* Its cgroup, where it has one, is none of the kernel's. */

struct group *
group_new(struct cgroup *cg, unsigned long number, struct err *err)
{
	ck_assert_uint_eq(number, a_box.number);
	return (struct group *)(void *)cg;
}

void
group_free(struct group **group)
{
	*group = NULL;
}

void
group_kill(struct group *group)
{
	ck_abort_msg("nothing is killed");
}

int
group_read(
    const struct group *group, struct group_usage *usage, struct err *err)
{
	ck_abort_msg("nothing ends");
	return -1;
}

int
group_fd(const struct group *group)
{
	return -1;
}

/* A box says nothing here. */
static void
on_closed(void *ctx, const struct err *why)
{
	(void)ctx;
	ck_abort_msg("closed: %s", why == NULL ? "the end" : why->text);
}

static void
open_box(void)
{
	static channel_handler *const routes[IPC_TYPES];
	struct channel_ends ends = { ROLE_SUPERVISOR, ROLE_BOX, routes,
		on_closed, NULL };
	int pair[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0,
	    pair), 0);
	box = pair[1];
	channel = channel_new(boxes.base, &pair[0], &ends);
}

static void
close_box(void)
{
	if (a_box.inside != NULL)
		runtime_find("native")->free(&a_box, 0);
	box_set_built(&a_box);
	channel_free(&channel);
	fd_close(&box);
	event_base_free(boxes.base);
}

/* The processors that we may use: as the kernel says, or as a test does. */

static cpu_set_t usable;
static size_t least; /* bytes that it wants to have for them; 0: it is asked */

int
sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set)
{
	if (least > size) {
		errno = EINVAL;
		return -1;
	}
	memset(set, 0, size);
	if (least > 0)
		memset(set, 0xff, least);
	else if (syscall(SYS_sched_getaffinity, pid, size, set) == -1)
		return -1;
	return 0;
}

/* Options as they are by default. */
static void
start(void)
{
	struct err err;

	ck_assert_msg(identity_init("/dev/null", &err) == 0, "%s", err.text);
	boxes.base = loop_new(0);
	options.memory = 512 * MIB;
	options.pids = 128;
	options.python = (char *)"/usr/bin/python3";
	options.max_timeout = 120;
	a_box.number = 7;
	a_box.uid = identity_box(7);
	a_box.language = language_default();
}

/* The four ends of a box; the others are closed. */
static struct box_pipes
make_pipes(void)
{
	struct box_pipes pipes;
	int *const ends[4] = { &pipes.control_in, &pipes.control_out,
		&pipes.out, &pipes.errors };
	int pair[2], n;

	for (n = 0; n < 4; n++) {
		ck_assert_int_eq(pipe2(pair, O_CLOEXEC), 0);
		*ends[n] = pair[n > 0];
		close(pair[n == 0]);
	}
	return pipes;
}

static int
start_native(struct box_pipes *pipes, struct err *err)
{
	return runtime_find("native")->start(&a_box, pipes, err);
}

static void
are_taken(const struct box_pipes *pipes)
{
	ck_assert_int_eq(pipes->control_in, -1);
	ck_assert_int_eq(pipes->control_out, -1);
	ck_assert_int_eq(pipes->out, -1);
	ck_assert_int_eq(pipes->errors, -1);
}

/* Starts a box and receives what it is asked to be. */
static void
ask(struct ipc_setup *setup)
{
	static struct ipc_packet packet;
	struct box_pipes pipes = make_pipes();
	union ipc_any msg;
	enum ipc_type type;
	struct err err;

	ck_assert_msg(start_native(&pipes, &err) == 0, "%s", err.text);
	are_taken(&pipes);
	ck_assert_int_eq(ipc_socket_receive(box, &packet, &err), 1);
	ck_assert_msg(ipc_decode(&packet, &type, &msg, &err) == 0, "%s",
	    err.text);
	ck_assert_int_eq(type, IPC_SETUP);
	*setup = msg.setup;
}

static void
forget(struct ipc_setup *setup)
{
	fd_close(&setup->control_in);
	fd_close(&setup->control_out);
	fd_close(&setup->out);
	fd_close(&setup->errors);
	fd_close(&setup->usage);
}

/* Tests */

START_TEST(asks_for_what_the_options_say)
{
	unsigned long processors;
	struct ipc_setup setup;
	int fds;

	ck_assert_int_eq(sched_getaffinity(0, sizeof(usable), &usable), 0);
	processors = (unsigned long)CPU_COUNT(&usable);
	start();
	open_box();
	fds = unit_open_fds();
	ask(&setup);
	ck_assert_uint_eq(setup.memory_bytes, 512 * MIB);
	ck_assert_uint_eq(setup.files_bytes, 128 * MIB);
	ck_assert_uint_eq(setup.processes, 128);
	ck_assert_uint_eq(setup.cpu_seconds, 120 * processors + 5);
	ck_assert_str_eq(setup.interpreter, "/usr/bin/python3");
	ck_assert_uint_eq(setup.grouped, 0);
	ck_assert_uint_eq(setup.uid, identity_box(7));
	/* Those it was given, and one to read what it has used. */
	ck_assert_int_eq(unit_open_fds(), fds + 6);
	forget(&setup);
	close_box();
}
END_TEST

/* Time for each processor that may be used, also of more than fit at first. */
START_TEST(counts_processors)
{
	static const struct {
		size_t bytes;
		unsigned long count;
	} counts[] = {
		{ 0, 1 }, /* the one that is left to us */
		{ 8, 64 },
		{ sizeof(cpu_set_t), 1024 },
		{ sizeof(cpu_set_t) + 8, 1088 },
		{ PROCESSORS_MAX / 8, PROCESSORS_MAX },
		/* Nothing that there is. */
		{ PROCESSORS_MAX / 8 + 8, 1 },
	};
	cpu_set_t one;
	struct ipc_setup setup;
	int first = sched_getcpu();

	CPU_ZERO(&one);
	CPU_SET(first, &one);
	ck_assert_int_eq(sched_setaffinity(0, sizeof(one), &one), 0);
	start();
	open_box();
	least = counts[_i].bytes;
	ask(&setup);
	ck_assert_uint_eq(setup.cpu_seconds, 120 * counts[_i].count + 5);
	forget(&setup);
	close_box();
}
END_TEST

START_TEST(reports_a_cgroup)
{
	struct ipc_setup setup;

	start();
	shared.cgroup = (struct cgroup *)(void *)&box;
	open_box();
	ask(&setup);
	ck_assert_uint_eq(setup.grouped, 1);
	forget(&setup);
	close_box();
}
END_TEST

/* Every value that an option may have is one that a box can be asked for. */
START_TEST(asks_within_the_catalogue)
{
	struct ipc_setup setup;

	start();
	options.memory = _i == 0 ? MEMORY_MIN : MEMORY_MAX;
	options.pids = _i == 0 ? PIDS_MIN : PIDS_MAX;
	options.max_timeout = _i == 0 ? 1 : TIMEOUT_SECONDS_MAX;
	open_box();
	ask(&setup);
	ck_assert_uint_eq(setup.memory_bytes, options.memory);
	forget(&setup);
	close_box();
}
END_TEST

START_TEST(reports_that_a_box_cannot_start)
{
	struct box_pipes pipes = make_pipes();
	struct err err = { 0, "" };

	start();
	ck_assert_int_eq(start_native(&pipes, &err), -1);
	ck_assert_str_eq(err.text, "no box today");
	ck_assert_int_ge(pipes.control_in, 0); /* still the caller's */
	close_box();
}
END_TEST

START_TEST(reports_that_a_box_cannot_be_asked)
{
	struct box_pipes pipes;
	struct err err = { 0, "" };
	int fds;

	start();
	options.python = (char *)"/usr/bin/python\xff";
	open_box();
	fds = unit_open_fds();
	pipes = make_pipes();
	ck_assert_int_eq(start_native(&pipes, &err), -1);
	ck_assert_str_eq(err.text, "message setup: interpreter is not UTF-8");
	are_taken(&pipes);
	ck_assert_int_eq(unit_open_fds(), fds + 1);
	close_box();
}
END_TEST

START_TEST(finds_a_runtime_by_its_name)
{
	ck_assert_str_eq(runtime_find("native")->name, "native");
	ck_assert_ptr_eq(runtime_find("podman"), &podman_runtime);
	ck_assert_ptr_eq(runtime_find("/opt/bin/podman"), &podman_runtime);
	ck_assert_ptr_eq(runtime_find("/opt/podman/docker"), &docker_runtime);
	ck_assert_ptr_null(runtime_find("/opt/bin/crun"));
	ck_assert_ptr_null(runtime_find("/opt/bin/oci"));
	ck_assert_ptr_null(runtime_find("/usr/bin/env"));
	ck_assert_ptr_null(runtime_find("nerdctl"));
	ck_assert_ptr_null(runtime_find(""));
}
END_TEST

static void
add_tests(TCase *tc)
{
	tcase_add_test(tc, asks_for_what_the_options_say);
	tcase_add_loop_test(tc, counts_processors, 0, 6);
	tcase_add_test(tc, reports_a_cgroup);
	tcase_add_loop_test(tc, asks_within_the_catalogue, 0, 2);
	tcase_add_test(tc, reports_that_a_box_cannot_start);
	tcase_add_test(tc, reports_that_a_box_cannot_be_asked);
	tcase_add_test(tc, finds_a_runtime_by_its_name);
}

int
main(void)
{
	return unit_run("runtime", add_tests);
}
