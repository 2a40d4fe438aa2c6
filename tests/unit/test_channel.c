/*
 * Tests of common/channel, over the catalogue: what is sent arrives as it was,
 * whatever breaks a rule ends the channel once and reaches no handler, and no
 * descriptor is ever lost or left.
 */
#include <sys/resource.h>

#include "channel_play.h"

START_TEST(every_message_arrives_as_sent)
{
	const struct ipc_message *row = ipc_message((uint32_t)_i / 2);
	enum ipc_type type = (enum ipc_type)(_i / 2);
	struct buffer sent = { 0 };
	struct scene scene;
	union ipc_any msg;
	struct err err;
	unsigned int before;

	scene_open_both(&scene, row->from, row->to);
	before = send_before(&scene, type);
	settle(&scene);
	scene.far.log.len = 0;
	make(type, _i % 2, &msg);
	describe(&sent, type, &msg);
	ck_assert_msg(channel_send(scene.near.channel, type, &msg, &err) == 0,
	    "%s", err.text);
	settle(&scene);
	ck_assert_uint_eq(scene.far.handled, before + 1);
	ck_assert_str_eq(scene.far.log.data, sent.data);
	ck_assert_uint_eq(scene.far.closed + scene.near.closed, 0);
	buffer_reset(&sent);
	scene_close(&scene);
}
END_TEST

/* Every type at every pair of roles that it is not for. */
START_TEST(wrong_sender_is_refused)
{
	enum role self = (enum role)(_i / ROLES);
	enum role peer = (enum role)(_i % ROLES);
	struct ipc_packet packet;
	struct scene scene;
	uint32_t type;

	for (type = 0; type < IPC_TYPES; type++) {
		if (ipc_message(type)->from == peer &&
		    ipc_message(type)->to == self)
			continue;
		scene_open(&scene, self, peer);
		make_packet((enum ipc_type)type, &packet);
		send_raw(&scene, &packet);
		expect_broken(&scene, 0, ipc_message(type)->name);
		scene_close(&scene);
	}
}
END_TEST

/* Whether next may follow first, the first message of all. */
static int
may_follow(const struct ipc_message *first, const struct ipc_message *next)
{
	return (next->phases & (1U << first->next)) != 0;
}

static void
check_pair(enum ipc_type first, enum ipc_type next)
{
	const struct ipc_message *row = ipc_message(first);
	struct ipc_packet packet;
	struct scene scene;
	unsigned int before;

	scene_open(&scene, row->to, row->from);
	before = send_before(&scene, first);
	make_packet(first, &packet);
	send_raw(&scene, &packet);
	make_packet(next, &packet);
	send_raw(&scene, &packet);
	if (may_follow(row, ipc_message(next))) {
		settle(&scene);
		if (scene.near.handled != before + 2 ||
		    scene.near.closed != 0)
			ck_abort_msg("%s is refused after %s: %s",
			    ipc_message(next)->name, row->name,
			    scene.near.why.text);
	} else {
		expect_broken(&scene, before + 1, ipc_message(next)->name);
	}
	scene_close(&scene);
}

START_TEST(wrong_phase_is_refused)
{
	const struct ipc_message *first = ipc_message((uint32_t)_i);
	uint32_t next;

	for (next = 0; next < IPC_TYPES; next++)
		if (ipc_message(next)->from == first->from &&
		    ipc_message(next)->to == first->to)
			check_pair((enum ipc_type)_i, (enum ipc_type)next);
}
END_TEST

/* The sender's own slip: refused here, and the peer sees nothing of it. */
START_TEST(wrong_phase_is_not_sent)
{
	const struct ipc_message *row = ipc_message((uint32_t)_i);
	struct scene scene;
	union ipc_any msg;
	struct err err = { 0, "" };
	unsigned int before;

	scene_open_both(&scene, row->from, row->to);
	before = send_before(&scene, (enum ipc_type)_i);
	make((enum ipc_type)_i, 0, &msg);
	ck_assert_int_eq(channel_send(scene.near.channel, (enum ipc_type)_i,
	    &msg, &err), 0);
	make((enum ipc_type)_i, 0, &msg);
	ck_assert_int_eq(channel_send(scene.near.channel, (enum ipc_type)_i,
	    &msg, &err), may_follow(row, row) ? 0 : -1);
	ck_assert_int_eq(err.text[0] == '\0', may_follow(row, row));
	/* The way back is not the way either. */
	make((enum ipc_type)_i, 0, &msg);
	ck_assert_int_eq(channel_send(scene.far.channel, (enum ipc_type)_i,
	    &msg, &err), -1);
	settle(&scene);
	ck_assert_uint_eq(
	    scene.far.handled, before + (may_follow(row, row) ? 2 : 1));
	ck_assert_uint_eq(scene.near.handled, 0);
	ck_assert_uint_eq(scene.far.closed + scene.near.closed, 0);
	scene_close(&scene);
}
END_TEST

START_TEST(garbage_is_refused)
{
	static const struct {
		uint32_t type;
		size_t len;
	} garbage[] = { { 0, 1 }, { 0, 3 }, { 0, 4 }, { IPC_TYPES, 4 },
		{ UINT32_MAX, 4 }, { IPC_TYPES, 1000 }, { 0, IPC_PACKET_MAX },
		{ IPC_READY, 5 } };
	struct ipc_packet packet = { 0 };
	struct scene scene;
	size_t i;

	for (i = 0; i < UNIT_COUNT(garbage); i++) {
		scene_open(&scene, ROLE_SUPERVISOR, ROLE_RELAY);
		memset(packet.data, 0xa5, sizeof(packet.data));
		memcpy(packet.data, &garbage[i].type, sizeof(uint32_t));
		packet.len = garbage[i].len;
		send_raw(&scene, &packet);
		expect_broken(&scene, 0, "garbage");
		scene_close(&scene);
	}
}
END_TEST

START_TEST(a_packet_too_large_is_refused)
{
	static char data[IPC_PACKET_MAX + 1];
	uint32_t type = IPC_READY;
	struct scene scene;

	scene_open(&scene, ROLE_SUPERVISOR, ROLE_RELAY);
	memcpy(data, &type, sizeof(type));
	ck_assert_int_eq(
	    send(scene.raw, data, sizeof(data), 0), sizeof(data));
	expect_broken(&scene, 0, "64 KiB and a byte");
	scene_close(&scene);
}
END_TEST

START_TEST(a_truncated_packet_is_refused)
{
	const struct ipc_message *row = ipc_message((uint32_t)_i);
	struct ipc_packet packet;
	struct scene scene;
	size_t len, whole = 2;

	for (len = 1; len < whole; len++) {
		scene_open(&scene, row->to, row->from);
		make_packet((enum ipc_type)_i, &packet);
		whole = packet.len;
		packet.len = len;
		send_raw(&scene, &packet);
		expect_broken(&scene, 0, row->name);
		scene_close(&scene);
	}
	ck_assert_uint_ge(whole, sizeof(uint32_t));
}
END_TEST

/* Descriptors: one too many, one too few, one of another kind. */
static void
spoil_descriptors(struct ipc_packet *packet, int fault)
{
	size_t last = packet->nfds - 1;

	if (fault == 0) {
		packet->fds[packet->nfds++] = make_fd(IPC_KIND_PIPE_R);
		return;
	}
	fd_close(&packet->fds[last]);
	if (fault == 1)
		packet->nfds--;
	else
		packet->fds[last] = open("/dev/null", O_RDWR | O_CLOEXEC);
}

START_TEST(wrong_descriptors_are_refused)
{
	const struct ipc_message *row = ipc_message((uint32_t)_i);
	struct ipc_packet packet;
	struct scene scene;
	int fault;

	for (fault = 0; fault < 3; fault++) {
		scene_open(&scene, row->to, row->from);
		make_packet((enum ipc_type)_i, &packet);
		if (fault == 0 || packet.nfds > 0) {
			spoil_descriptors(&packet, fault);
			send_raw(&scene, &packet);
			expect_broken(&scene, 0, row->name);
		}
		scene_close(&scene);
	}
}
END_TEST

/* More descriptors than a packet of ours can have are not even received. */
START_TEST(many_descriptors_are_refused)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE((IPC_FDS_MAX + 1) * sizeof(int))];
	} control = { .bytes = { 0 } };
	uint32_t type = IPC_READY;
	struct iovec iov = { &type, sizeof(type) };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof(control.bytes) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
	struct scene scene;
	size_t i;

	scene_open(&scene, ROLE_SUPERVISOR, ROLE_RELAY);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN((IPC_FDS_MAX + 1) * sizeof(int));
	for (i = 0; i <= IPC_FDS_MAX; i++)
		memcpy(CMSG_DATA(c) + i * sizeof(int), &scene.raw,
		    sizeof(int));
	ck_assert_int_eq(sendmsg(scene.raw, &msg, 0), sizeof(type));
	expect_broken(&scene, 0, "nine descriptors");
	scene_close(&scene);
}
END_TEST

/* The near end must have given up for want of descriptors of its own. */
static void
expect_lost(const struct scene *scene, const char *what)
{
	const struct err *why = &scene->near.why;

	ck_assert_msg(scene->near.handled == 0 && scene->near.closed == 1 &&
	    scene->near.broken, "%s", what);
	ck_assert_int_eq(why->code, EMFILE);
	ck_assert_str_eq(channel_blame(why), "lost the channel to");
	ck_assert_str_eq(why->text, "receive a packet: this process may open "
	    "no more files, see 'ulimit -n'");
}

/* This process may have so many descriptors more. Returns the old limit. */
static struct rlimit
allow_descriptors(rlim_t more)
{
	struct rlimit before, now;
	int next = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);

	ck_assert_int_ne(next, -1);
	close(next);
	ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
	now = before;
	now.rlim_cur = (rlim_t)next + more;
	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &now), 0);
	return before;
}

/* That this process may have no more open files is no fault of the peer. */
START_TEST(descriptors_may_find_no_room)
{
	const struct ipc_message *row = ipc_message((uint32_t)_i);
	struct ipc_packet packet;
	struct rlimit before;
	struct scene scene;
	size_t room, nfds = 1;

	for (room = 0; room < nfds; room++) {
		scene_open(&scene, row->to, row->from);
		make_packet((enum ipc_type)_i, &packet);
		nfds = packet.nfds;
		send_raw(&scene, &packet);
		before = allow_descriptors(room);
		if (nfds > 0)
			settle(&scene);
		ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &before), 0);
		if (nfds > 0)
			expect_lost(&scene, row->name);
		scene_close(&scene);
	}
}
END_TEST

/* Nothing that follows is handled, and the end is reported once. */
START_TEST(after_a_fault_nothing_is_heard)
{
	struct ipc_packet packet;
	struct scene scene;

	scene_open(&scene, ROLE_SUPERVISOR, ROLE_RELAY);
	make_packet(IPC_READY, &packet);
	packet.len++;
	send_raw(&scene, &packet);
	make_packet(IPC_READY, &packet);
	send_raw(&scene, &packet);
	make_packet(IPC_FAULT, &packet);
	send_raw(&scene, &packet);
	expect_broken(&scene, 0, "a byte too many");
	fd_close(&scene.raw);
	expect_broken(&scene, 0, "a byte too many, then the end");
	scene_close(&scene);
}
END_TEST

static void
add(TCase *tc)
{
	tcase_add_loop_test(
	    tc, every_message_arrives_as_sent, 0, 2 * IPC_TYPES);
	tcase_add_loop_test(tc, wrong_sender_is_refused, 0, ROLES * ROLES);
	tcase_add_loop_test(tc, wrong_phase_is_refused, 0, IPC_TYPES);
	tcase_add_loop_test(tc, wrong_phase_is_not_sent, 0, IPC_TYPES);
	tcase_add_test(tc, garbage_is_refused);
	tcase_add_test(tc, a_packet_too_large_is_refused);
	tcase_add_loop_test(tc, a_truncated_packet_is_refused, 0, IPC_TYPES);
	tcase_add_loop_test(tc, wrong_descriptors_are_refused, 0, IPC_TYPES);
	tcase_add_test(tc, many_descriptors_are_refused);
	tcase_add_loop_test(tc, descriptors_may_find_no_room, 0, IPC_TYPES);
	tcase_add_test(tc, after_a_fault_nothing_is_heard);
}

int
main(void)
{
	return unit_run("channel", add);
}
