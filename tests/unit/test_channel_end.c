/*
 * Tests of common/channel: the end of a peer is told once, behind what it had
 * sent; and what handlers may do to their channel.
 */
#include "channel_play.h"

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

START_TEST(end_of_peer_is_reported)
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
END_TEST

/*
 * What was sent before the end is not lost, also where the peer left a message
 * of ours unread: then the kernel reports that before all else.
 */
START_TEST(messages_before_the_end_arrive)
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
END_TEST

START_TEST(sending_without_a_peer_fails)
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
END_TEST

/* Handlers */

static void
react_free(struct end *end, enum ipc_type type, union ipc_any *msg)
{
	channel_free(&end->channel);
}

START_TEST(a_handler_may_free_its_channel)
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
END_TEST

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

START_TEST(a_handler_may_send)
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
END_TEST

static int taken_fd;

static void
react_take(struct end *end, enum ipc_type type, union ipc_any *msg)
{
	taken_fd = fd_take(&msg->prepare.out);
}

START_TEST(a_handler_may_take_descriptors)
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
END_TEST

static void
add(TCase *tc)
{
	tcase_add_loop_test(
	    tc, end_of_peer_is_reported, 0, 2 * UNIT_COUNT(ends));
	tcase_add_loop_test(tc, messages_before_the_end_arrive, 0, 2);
	tcase_add_test(tc, sending_without_a_peer_fails);
	tcase_add_test(tc, a_handler_may_free_its_channel);
	tcase_add_test(tc, a_handler_may_send);
	tcase_add_test(tc, a_handler_may_take_descriptors);
}

int
main(void)
{
	return unit_run("channel_end", add);
}
