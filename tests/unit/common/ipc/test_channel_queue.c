/*
 * Tests of common/ipc/channel: a full socket keeps order, stops no reading, and
 * what waits is bounded.
 */
#include "channel_play.h"

/* Sends numbered messages until so many, or until one is refused. */
static unsigned int
send_numbered(struct scene *scene, unsigned int most, struct err *err)
{
	char reason[32];
	struct ipc_fault fault = { .reason = reason };
	unsigned int n;

	for (n = 0; n < most; n++) {
		snprintf(reason, sizeof(reason), "number %u", n);
		if (channel_send_fault(scene->near.channel, &fault, err) == -1)
			break;
	}
	return n;
}

/* A full socket: the rest waits, and comes in order, descriptors too. */
UNIT_TEST(a_full_socket_keeps_order)
{
	const unsigned int most = IPC_QUEUE_PACKETS_MAX;
	struct buffer sent = { 0 };
	struct scene scene;
	union ipc_any done;
	struct err err;
	unsigned int n;

	scene_open_both(&scene, ROLE_RELAY, ROLE_SUPERVISOR);
	ck_assert_uint_eq(send_numbered(&scene, most, &err), most);
	make(IPC_DONE, 1, &done);
	for (n = 0; n < most; n++)
		buffer_printf(&sent, "fault 'number %u'\n", n);
	describe(&sent, IPC_DONE, &done);
	ck_assert_int_eq(
	    channel_send_done(scene.near.channel, &done.done, &err), 0);
	settle(&scene);
	ck_assert_uint_eq(scene.far.handled, most + 1);
	ck_assert_str_eq(scene.far.log.data, sent.data);
	ck_assert_uint_eq(scene.far.closed + scene.near.closed, 0);
	buffer_reset(&sent);
	scene_close(&scene);
}

/* A descriptor that is lent stays ours, whether its message waits or not. */
UNIT_TEST(a_lent_descriptor_is_kept)
{
	const unsigned int most = 400; /* some wait */
	struct ipc_audit audit;
	struct scene scene;
	struct err err;
	unsigned int n;
	int fd;

	scene_open_both(&scene, ROLE_SUPERVISOR, ROLE_BROKER);
	fd = make_fd(IPC_KIND_FILE_A);
	for (n = 0; n < most; n++) {
		audit.file = IPC_LEND(fd);
		ck_assert_int_eq(channel_send_audit(
		    scene.near.channel, &audit, &err), 0);
		ck_assert_int_eq(audit.file, -1);
	}
	ck_assert_uint_gt(channel_unsent(scene.near.channel), 0);
	settle(&scene);
	ck_assert_uint_eq(scene.far.handled, most);
	ck_assert_int_ne(fcntl(fd, F_GETFD), -1);
	fd_close(&fd);
	scene_close(&scene);
}

/* Reading goes on while nothing can be written (law 11). */
UNIT_TEST(a_full_socket_does_not_stop_reading)
{
	struct ipc_packet packet;
	struct scene scene;
	struct err err;

	scene_open(&scene, ROLE_RELAY, ROLE_SUPERVISOR);
	send_numbered(&scene, IPC_QUEUE_PACKETS_MAX, &err);
	make_packet(IPC_PREPARE, &packet);
	send_raw(&scene, &packet);
	settle(&scene);
	ck_assert_uint_eq(scene.near.handled, 1);
	scene_close(&scene);
}

UNIT_TEST(the_queue_is_bounded)
{
	struct scene scene;
	union ipc_any done;
	struct err err = { 0, "" };
	unsigned int sent;

	scene_open(&scene, ROLE_RELAY, ROLE_SUPERVISOR);
	sent = send_numbered(&scene, 10 * IPC_QUEUE_PACKETS_MAX, &err);
	ck_assert_uint_gt(sent, IPC_QUEUE_PACKETS_MAX);
	ck_assert_uint_lt(sent, 10 * IPC_QUEUE_PACKETS_MAX);
	ck_assert_str_eq(err.text, "4096 messages wait for supervisor already");
	/* One with descriptors is refused without a leak. */
	make(IPC_DONE, 1, &done);
	ck_assert_int_eq(
	    channel_send_done(scene.near.channel, &done.done, &err), -1);
	scene_close(&scene);
}

/* With memfds, which weigh little in a packet; and back to nothing. */
UNIT_TEST(what_waits_is_weighed)
{
	struct scene scene;
	union ipc_any done;
	struct err err;
	size_t before;

	scene_open_both(&scene, ROLE_RELAY, ROLE_SUPERVISOR);
	ck_assert_uint_eq(channel_unsent(scene.near.channel), 0);
	send_numbered(&scene, IPC_QUEUE_PACKETS_MAX, &err);
	before = channel_unsent(scene.near.channel);
	ck_assert_uint_gt(before, 0);
	make(IPC_DONE, 1, &done);
	ck_assert_int_eq(
	    channel_send_done(scene.near.channel, &done.done, &err), 0);
	before = channel_unsent(scene.near.channel) - before;
	ck_assert_uint_gt(before, 2 * BLOB_LARGE);
	ck_assert_uint_lt(
	    before, 2 * BLOB_LARGE + START_ERRORS_REPAIRED_MAX +
	        NOTES_BYTES_MAX + DONE_CALLS_MAX + KIB);
	settle(&scene);
	ck_assert_uint_eq(channel_unsent(scene.near.channel), 0);
	scene_close(&scene);
}

UNIT_TEST(a_queue_outlives_a_peer_that_ends)
{
	struct scene scene;
	struct err err;

	scene_open(&scene, ROLE_RELAY, ROLE_SUPERVISOR);
	send_numbered(&scene, IPC_QUEUE_PACKETS_MAX, &err);
	fd_close(&scene.raw);
	settle(&scene);
	ck_assert_uint_eq(scene.near.closed, 1);
	ck_assert_int_eq(scene.near.broken, 0);
	scene_close(&scene);
}

/* Nobody hears of that before the channel is read again; nothing is tried. */
UNIT_TEST(a_queue_of_a_channel_that_pauses_rests_when_the_peer_ends)
{
	struct scene scene;
	struct err err;

	scene_open(&scene, ROLE_RELAY, ROLE_SUPERVISOR);
	channel_pause(scene.near.channel, 1);
	send_numbered(&scene, IPC_QUEUE_PACKETS_MAX, &err);
	fd_close(&scene.raw);
	settle(&scene);
	ck_assert_uint_eq(scene.near.closed, 0);
	ck_assert_int_eq(event_base_get_num_events(scene.base,
	    EVENT_BASE_COUNT_ADDED), 0);
	channel_pause(scene.near.channel, 0);
	settle(&scene);
	ck_assert_uint_eq(scene.near.closed, 1);
	ck_assert_int_eq(scene.near.broken, 0);
	scene_close(&scene);
}

/* What is sent to a channel that pauses waits with the peer, as its end. */
UNIT_TEST(a_pause_loses_nothing)
{
	struct scene scene;
	struct err err;

	scene_open_both(&scene, ROLE_RELAY, ROLE_SUPERVISOR);
	channel_pause(scene.far.channel, 1);
	ck_assert_uint_eq(send_numbered(&scene, 3, &err), 3);
	settle(&scene);
	ck_assert_uint_eq(scene.far.handled, 0);
	channel_pause(scene.far.channel, 0);
	settle(&scene);
	ck_assert_uint_eq(scene.far.handled, 3);
	channel_pause(scene.far.channel, 1);
	channel_pause(scene.far.channel, 1);
	ck_assert_uint_eq(send_numbered(&scene, 3, &err), 3);
	channel_free(&scene.near.channel);
	settle(&scene);
	ck_assert_uint_eq(scene.far.handled, 3);
	ck_assert_uint_eq(scene.far.closed, 0);
	channel_pause(scene.far.channel, 0);
	settle(&scene);
	ck_assert_uint_eq(scene.far.handled, 6);
	ck_assert_uint_eq(scene.far.closed, 1);
	scene_close(&scene);
}

/* A number that is no descriptor: a message with it cannot be sent. */
#define NO_DESCRIPTOR 10000

/* Nor is a message kept for ever that waited and cannot be sent then. */
UNIT_TEST(a_message_that_waited_may_fail)
{
	struct ipc_audit audit;
	struct ipc_packet packet;
	struct scene scene;
	struct err err;
	int fd;

	scene_open(&scene, ROLE_SUPERVISOR, ROLE_BROKER);
	fd = make_fd(IPC_KIND_FILE_A);
	while (channel_unsent(scene.near.channel) == 0) {
		audit.file = IPC_LEND(fd);
		ck_assert_int_eq(channel_send_audit(
		    scene.near.channel, &audit, &err), 0);
	}
	audit.file = NO_DESCRIPTOR;
	ck_assert_int_eq(
	    channel_send_audit(scene.near.channel, &audit, &err), 0);
	while (scene.near.closed == 0) {
		ck_assert_int_eq(
		    ipc_socket_receive_now(scene.raw, &packet, &err), 1);
		ipc_packet_close(&packet);
		settle(&scene);
	}
	ck_assert_int_eq(scene.near.broken, 1);
	ck_assert_str_eq(scene.near.why.text, "a message that waited cannot "
	    "be sent: send a packet: Bad file descriptor");
	/* That is no fault of the peer. */
	ck_assert_str_eq(channel_blame(&scene.near.why), "lost the channel to");
	settle(&scene);
	ck_assert_uint_eq(scene.near.closed, 1);
	fd_close(&fd);
	scene_close(&scene);
}
