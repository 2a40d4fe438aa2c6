/*
 * Tests of common/channel: the typed senders refuse what breaks the bounds of
 * the catalogue, and take descriptors all the same.
 */
#include "channel_play.h"

static const struct {
	uint64_t execution, log_level;
	size_t code;
	const char *error;
} bad_starts[] = {
	{ 0, 0, 0, "execution is 0, not 1 to 9223372036854775807" },
	{ 1, 4, 0, "log_level is 4, not 0 to 3" },
	{ 1, 0, CODE_MAX + 1, "code is 16777217, not 0 to 16777216" },
};

static const struct {
	uint64_t output_max;
	const char *error;
} bad_prepares[] = {
	{ 1023, "output_max is 1023, not 1024 to 16777216" },
	{ OUTPUT_MAX + 1, "output_max is 16777217, not 1024 to 16777216" },
};

START_TEST(senders_check_bounds_beside_descriptors)
{
	struct scene scene;
	union ipc_any msg;
	struct err err = { 0, "" };

	scene_open_both(&scene, ROLE_SUPERVISOR, ROLE_RELAY);
	make(IPC_PREPARE, 0, &msg);
	msg.prepare.output_max = bad_prepares[_i].output_max;
	ck_assert_int_eq(channel_send_prepare(
	    scene.near.channel, &msg.prepare, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, bad_prepares[_i].error));
	settle(&scene);
	ck_assert_uint_eq(scene.far.handled + scene.far.closed, 0);
	scene_close(&scene); /* its descriptors were taken all the same */
}
END_TEST

START_TEST(senders_check_bounds)
{
	struct scene scene;
	union ipc_any msg;
	struct err err = { 0, "" };

	scene_open_both(&scene, ROLE_SUPERVISOR, ROLE_RELAY);
	make(IPC_START, 0, &msg);
	msg.start.execution = bad_starts[_i].execution;
	msg.start.log_level = bad_starts[_i].log_level;
	msg.start.code.len = bad_starts[_i].code;
	ck_assert_int_eq(
	    channel_send_start(scene.near.channel, &msg.start, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, bad_starts[_i].error));
	settle(&scene);
	ck_assert_uint_eq(scene.far.handled + scene.far.closed, 0);
	scene_close(&scene);
}
END_TEST

START_TEST(senders_check_texts)
{
	static const char *const reasons[] = { "", "\xff", "caf\xc3" };
	struct ipc_fault fault;
	struct scene scene;
	struct err err;
	size_t i;

	for (i = 0; i < UNIT_COUNT(reasons); i++) {
		scene_open_both(&scene, ROLE_RELAY, ROLE_SUPERVISOR);
		fault.reason = reasons[i];
		ck_assert_int_eq(channel_send_fault(
		    scene.near.channel, &fault, &err), -1);
		settle(&scene);
		ck_assert_uint_eq(scene.far.handled + scene.far.closed, 0);
		scene_close(&scene);
	}
}
END_TEST

START_TEST(senders_want_descriptors)
{
	struct scene scene;
	union ipc_any msg;
	struct err err = { 0, "" };

	scene_open_both(&scene, ROLE_SUPERVISOR, ROLE_RELAY);
	make(IPC_PREPARE, 0, &msg);
	fd_close(&msg.prepare.control_out);
	ck_assert_int_eq(channel_send_prepare(
	    scene.near.channel, &msg.prepare, &err), -1);
	ck_assert_str_eq(err.text, "message prepare: control_out is missing");
	scene_close(&scene);
}
END_TEST

static void
add(TCase *tc)
{
	tcase_add_loop_test(
	    tc, senders_check_bounds, 0, UNIT_COUNT(bad_starts));
	tcase_add_loop_test(tc, senders_check_bounds_beside_descriptors, 0,
	    UNIT_COUNT(bad_prepares));
	tcase_add_test(tc, senders_check_texts);
	tcase_add_test(tc, senders_want_descriptors);
}

int
main(void)
{
	return unit_run("channel_senders", add);
}
