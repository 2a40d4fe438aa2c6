/*
 * Tests of the real box: nothing of it is left when its first process or its
 * supervisor dies, at whatever moment.
 */
#include "box_play.h"

/* Death */

/* A daemon that holds the output does not outlive init. */
START_TEST(test_daemon)
{
	struct ipc_setup setup;
	auto_run struct run run;

	become(_i);
	setup = usual_setup();
	run_open(&run, &setup, run_path("caisson-box"));
	run_started(&run);
	run_send_code(&run,
	    "import time, signal\n"
	    "if os.fork() == 0:\n"
	    "    os.setsid()\n"
	    "    for s in range(1, 32): name(signal.signal, s, 1)\n"
	    "    if os.fork() == 0:\n"
	    "        os.write(4, b'!')\n"
	    "        time.sleep(600)\n"
	    "    os._exit(0)\n"
	    "print('main')");
	await(run.control, "sign of the daemon");
	run_read(&run, 1);
	run_end(&run);
	ck_assert_str_eq(run.text.data, "main\n");
	ck_assert_int_eq(run.end.si_status, 0);
}
END_TEST

/* Who did not get STARTED cannot end the box: then it must not live. */
START_TEST(test_not_adopted)
{
	struct ipc_setup setup;
	auto_run struct run run;
	union ipc_any msg;
	siginfo_t end;

	become(_i);
	setup = usual_setup();
	run_open(&run, &setup, run_path("caisson-box"));
	run.disowned = 1;
	ck_assert_int_eq(run_message(&run, &msg), IPC_STARTED);
	fd_close(&run.channel);
	await(msg.started.code, "end of the code");
	ck_assert_int_eq(waitid((idtype_t)P_PIDFD, (id_t)msg.started.code,
	    &end, WEXITED), 0);
	ck_assert_int_eq(end.si_code, CLD_KILLED);
	await(msg.started.init, "end of the init");
	fd_close(&msg.started.init);
	fd_close(&msg.started.code);
	while (waitpid(-1, NULL, 0) > 0)
		;
}
END_TEST

enum death { DEATH_BEFORE_SETUP, DEATH_AFTER_SETUP, DEATH_LATER, DEATHS };

/* Builds a box and ends: at once, or by SIGKILL. */
static void
die_as_supervisor(enum death when, int out, int ready)
{
	struct ipc_setup setup = usual_setup();
	struct run run;

	if (when == DEATH_BEFORE_SETUP) {
		int channel[2];

		if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0,
		        channel) == -1)
			_exit(1);
		dup2(out, 2); /* the launcher's log shows that it lives */
		launch(run_path("caisson-box"), channel[1]);
		_exit(0);
	}
	dup2(out, 2);
	run_open(&run, &setup, run_path("caisson-box"));
	if (when == DEATH_AFTER_SETUP)
		_exit(0);
	run_started(&run);
	run_send_code(&run,
	    "import signal\n"
	    "for s in range(1, 32): name(signal.signal, s, 1)\n"
	    "os.fork(); os.fork()\n"
	    "os.write(4, b'!')\n"
	    "while True: pass");
	await(run.control, "sign of the code");
	ck_assert_int_eq(write(ready, "!", 1), 1);
	for (;;)
		pause();
}

/*
 * However the supervisor dies, every process of the box does: out is held by
 * all of them (as the log of the launcher and init's parents, and through the
 * code's pipes), so its end shows that no process is left.
 */
START_TEST(test_supervisor_death)
{
	enum death when = (enum death)(_i / turns % DEATHS);
	int out[2], ready[2];
	char byte;
	pid_t pid;

	become(_i);
	if (pipe2(out, O_CLOEXEC) == -1 || pipe2(ready, O_CLOEXEC) == -1)
		ck_abort_msg("no descriptors");
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	pid = fork();
	if (pid == 0)
		die_as_supervisor(when, out[1], ready[1]);
	close(out[1]);
	close(ready[1]);
	if (when == DEATH_LATER) {
		await(ready[0], "sign of a running box");
		kill(pid, SIGKILL);
	}
	await(out[0], "end of all processes");
	while (read(out[0], &byte, 1) > 0)
		;
	/* As subreaper this process gets the orphans: all must end. */
	alarm(BOX_TEST_SECONDS);
	while (wait(NULL) > 0)
		;
	ck_assert_int_eq(errno, ECHILD);
}
END_TEST

static void
add_tests(TCase *tc)
{
	tcase_add_loop_test(tc, test_daemon, 0, turns);
	tcase_add_loop_test(tc, test_not_adopted, 0, turns);
	/* Where in the building the death falls is chance: ten times each. */
	tcase_add_loop_test(tc, test_supervisor_death, 0, turns * DEATHS * 10);
}

int
main(int argc, char **argv)
{
	return box_play(argc, argv, "box_death", add_tests);
}
