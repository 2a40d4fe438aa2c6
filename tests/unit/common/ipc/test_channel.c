/*
 * Tests of common/ipc/channel: every message arrives as it was sent, whatever
 * breaks a rule ends the channel once and reaches no handler, no descriptor is
 * lost or left; the end of a peer is told once, behind what it had sent.
 */
#include <sys/resource.h>

#include "channel_play.h"

static void
check_arrival(enum ipc_type type, int most)
{
	const struct ipc_message *row = ipc_message(type);
	struct buffer sent = { 0 };
	struct scene scene;
	union ipc_any msg;
	struct err err;
	unsigned int before;

	scene_open_both(&scene, row->from, row->to);
	before = send_before(&scene, type);
	settle(&scene);
	scene.far.log.len = 0;
	make(type, most, &msg);
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

UNIT_TESTS(every_message_arrives_as_sent, 2)
{
	uint32_t type;

	for (type = 0; type < IPC_TYPES; type++)
		check_arrival((enum ipc_type)type, _i);
}

/* Who may send what and when, for all messages: test_ipc.c. */
UNIT_TEST(wrong_sender_is_refused)
{
	static const enum role wrong[][2] = { { ROLE_SUPERVISOR, ROLE_STORE },
		{ ROLE_RELAY, ROLE_SUPERVISOR }, { ROLE_RELAY, ROLE_BROKER } };
	struct ipc_packet packet;
	struct scene scene;
	size_t i;

	for (i = 0; i < UNIT_COUNT(wrong); i++) {
		scene_open(&scene, wrong[i][0], wrong[i][1]);
		make_packet(IPC_FAULT, &packet);
		send_raw(&scene, &packet);
		expect_broken(&scene, 0, "the fault of a relay");
		scene_close(&scene);
	}
}

UNIT_TEST(wrong_phase_is_refused)
{
	struct ipc_packet packet;
	struct scene scene;

	scene_open(&scene, ROLE_RELAY, ROLE_SUPERVISOR);
	make_packet(IPC_PREPARE, &packet);
	send_raw(&scene, &packet);
	make_packet(IPC_PREPARE, &packet);
	send_raw(&scene, &packet);
	expect_broken(&scene, 1, "a second box");
	scene_close(&scene);
}

/* The sender's own slip: refused here, and the peer sees nothing of it. */
UNIT_TEST(what_is_wrong_is_not_sent)
{
	struct scene scene;
	union ipc_any msg;
	struct err err = { 0, "" };

	scene_open_both(&scene, ROLE_SUPERVISOR, ROLE_RELAY);
	make(IPC_PREPARE, 0, &msg);
	msg.prepare.output_max = 1023;
	ck_assert_int_eq(
	    channel_send(scene.near.channel, IPC_PREPARE, &msg, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "output_max is 1023, not "));
	make(IPC_PREPARE, 0, &msg);
	ck_assert_int_eq(
	    channel_send(scene.near.channel, IPC_PREPARE, &msg, &err), 0);
	make(IPC_PREPARE, 0, &msg);
	ck_assert_int_eq(
	    channel_send(scene.near.channel, IPC_PREPARE, &msg, &err), -1);
	/* The way back is not the way either. */
	make(IPC_PREPARE, 0, &msg);
	ck_assert_int_eq(
	    channel_send(scene.far.channel, IPC_PREPARE, &msg, &err), -1);
	settle(&scene);
	ck_assert_uint_eq(scene.far.handled, 1);
	ck_assert_uint_eq(
	    scene.near.handled + scene.far.closed + scene.near.closed, 0);
	scene_close(&scene);
}

UNIT_TEST(garbage_is_refused)
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

UNIT_TEST(a_packet_too_large_is_refused)
{
	static char data[IPC_PACKET_MAX + 1];
	uint32_t type = IPC_READY;
	struct scene scene;

	scene_open(&scene, ROLE_SUPERVISOR, ROLE_RELAY);
	memcpy(data, &type, sizeof(type));
	ck_assert_int_eq(send(scene.raw, data, sizeof(data), 0), sizeof(data));
	expect_broken(&scene, 0, "64 KiB and a byte");
	scene_close(&scene);
}

/* More descriptors than a packet of ours can have are not even received. */
UNIT_TEST(many_descriptors_are_refused)
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
		memcpy(CMSG_DATA(c) + i * sizeof(int), &scene.raw, sizeof(int));
	ck_assert_int_eq(sendmsg(scene.raw, &msg, 0), sizeof(type));
	expect_broken(&scene, 0, "nine descriptors");
	scene_close(&scene);
}

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
UNIT_TEST(descriptors_may_find_no_room)
{
	const struct ipc_message *row = ipc_message(IPC_PREPARE);
	struct ipc_packet packet;
	struct rlimit before;
	struct scene scene;
	size_t room, nfds = 1;

	for (room = 0; room < nfds; room++) {
		scene_open(&scene, row->to, row->from);
		make_packet(IPC_PREPARE, &packet);
		nfds = packet.nfds;
		send_raw(&scene, &packet);
		before = allow_descriptors(room);
		settle(&scene);
		ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &before), 0);
		expect_lost(&scene, row->name);
		scene_close(&scene);
	}
}

/* Nothing that follows is handled, and the end is reported once. */
UNIT_TEST(after_a_fault_nothing_is_heard)
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

/* Ends */

/* The ways in which a peer can end. */
static void
end_by_closing(struct scene *scene)
{
	fd_close(&scene->raw);
}

static void
end_by_empty_packet(struct scene *scene)
{
	ck_assert_int_eq(send(scene->raw, "", 0, 0), 0);
}

/* With a message of ours unread, which the kernel reports as a reset. */
static void
end_by_reset(struct scene *scene)
{
	union ipc_any msg;
	struct err err;

	make(IPC_PREPARE, 0, &msg);
	ck_assert_int_eq(channel_send_prepare(
	    scene->near.channel, &msg.prepare, &err), 0);
	fd_close(&scene->raw);
}

static void (*const ends[])(struct scene *scene) = {
	end_by_closing,
	end_by_empty_packet,
	end_by_reset,
};

UNIT_TESTS(end_of_peer_is_reported, 2 * UNIT_COUNT(ends))
{
	struct ipc_packet packet;
	struct scene scene;

	scene_open(&scene, ROLE_SUPERVISOR, ROLE_RELAY);
	scene.near.free_when_closed = _i % 2;
	make_packet(IPC_READY, &packet);
	send_raw(&scene, &packet);
	settle(&scene);
	ends[_i / 2](&scene);
	settle(&scene);
	ck_assert_uint_eq(scene.near.handled, 1);
	ck_assert_uint_eq(scene.near.closed, 1);
	ck_assert_int_eq(scene.near.broken, 0);
	ck_assert_int_eq(scene.near.channel == NULL, _i % 2);
	scene_close(&scene);
}

/*
 * What was sent before the end is not lost, also where the peer left a message
 * of ours unread: then the kernel reports that before all else.
 */
UNIT_TESTS(messages_before_the_end_arrive, 2)
{
	struct ipc_packet packet;
	union ipc_any prepare;
	struct scene scene;
	struct err err;

	scene_open(&scene, ROLE_SUPERVISOR, ROLE_RELAY);
	if (_i == 1) {
		make(IPC_PREPARE, 0, &prepare);
		ck_assert_int_eq(channel_send_prepare(scene.near.channel,
		    &prepare.prepare, &err), 0);
	}
	make_packet(IPC_READY, &packet);
	send_raw(&scene, &packet);
	make_packet(IPC_DONE, &packet);
	send_raw(&scene, &packet);
	fd_close(&scene.raw);
	settle(&scene);
	ck_assert_uint_eq(scene.near.handled, 2);
	ck_assert_uint_eq(scene.near.closed, 1);
	ck_assert_int_eq(scene.near.broken, 0);
	scene_close(&scene);
}

UNIT_TEST(sending_without_a_peer_fails)
{
	struct ipc_ready ready = { 0 };
	struct scene scene;
	struct err err = { 0, "" };

	scene_open(&scene, ROLE_RELAY, ROLE_SUPERVISOR);
	fd_close(&scene.raw);
	ck_assert_int_eq(
	    channel_send_ready(scene.near.channel, &ready, &err), -1);
	ck_assert_int_eq(err.code, EPIPE);
	ck_assert_str_ne(err.text, "");
	scene_close(&scene);
}

/* Handlers */

static void
react_free(struct end *end, enum ipc_type type, union ipc_any *msg)
{
	channel_free(&end->channel);
}

UNIT_TEST(a_handler_may_free_its_channel)
{
	struct ipc_packet packet;
	struct scene scene;

	scene_open(&scene, ROLE_RELAY, ROLE_SUPERVISOR);
	scene.near.react = react_free;
	make_packet(IPC_PREPARE, &packet); /* its descriptors are closed */
	send_raw(&scene, &packet);
	make_packet(IPC_PREPARE, &packet);
	send_raw(&scene, &packet);
	settle(&scene);
	ck_assert_uint_eq(scene.near.handled, 1);
	ck_assert_uint_eq(scene.near.closed, 0);
	ck_assert_ptr_null(scene.near.channel);
	scene_close(&scene);
}

/* Sends a message that is larger than the one that came, then looks again. */
static void
react_send(struct end *end, enum ipc_type type, union ipc_any *msg)
{
	auto_free char *before = mem_strdup(msg->fault.reason);
	union ipc_any prepare, start;
	struct err err;

	make(IPC_PREPARE, 0, &prepare);
	ck_assert_int_eq(
	    channel_send_prepare(end->channel, &prepare.prepare, &err), 0);
	make(IPC_START, 0, &start);
	start.start.code = (struct ipc_blob){
		make_bytes(IPC_INLINE_MAX), IPC_INLINE_MAX, -1
	};
	ck_assert_int_eq(
	    channel_send_start(end->channel, &start.start, &err), 0);
	ck_assert_str_eq(msg->fault.reason, before);
}

UNIT_TEST(a_handler_may_send)
{
	struct ipc_fault fault = { .reason = "what was borrowed stays" };
	struct scene scene;
	struct err err;

	scene_open_both(&scene, ROLE_SUPERVISOR, ROLE_RELAY);
	scene.near.react = react_send;
	ck_assert_int_eq(
	    channel_send_fault(scene.far.channel, &fault, &err), 0);
	settle(&scene);
	ck_assert_uint_eq(scene.near.handled, 1);
	ck_assert_uint_eq(scene.far.handled, 2);
	ck_assert_ptr_nonnull(strstr(scene.far.log.data, "start 1 0"));
	scene_close(&scene);
}

static int taken_fd;

static void
react_take(struct end *end, enum ipc_type type, union ipc_any *msg)
{
	taken_fd = fd_take(&msg->prepare.out);
}

UNIT_TEST(a_handler_may_take_descriptors)
{
	struct ipc_packet packet;
	struct scene scene;

	scene_open(&scene, ROLE_RELAY, ROLE_SUPERVISOR);
	scene.near.react = react_take;
	make_packet(IPC_PREPARE, &packet);
	send_raw(&scene, &packet);
	settle(&scene);
	ck_assert_int_eq(fcntl(taken_fd, F_GETFD), FD_CLOEXEC);
	fd_close(&taken_fd);
	scene_close(&scene); /* the other three are closed */
}
