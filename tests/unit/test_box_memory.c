/*
 * Tests of the real box: what becomes of a box that takes more memory than it
 * may have, all of its processes together.
 */
#include "box_play.h"

/* The memory of a box as a whole */

/* What takes too much never ends by itself; what does not prints "ok". */
#define MEMORY_FOREVER "    time.sleep(600)\n"
#define MEMORY_FORK(n) "for i in range(" #n "):\n  if os.fork() == 0:\n"

/*
 * A program without read permission hides its behaviour from the code where it
 * can be run: in a directory that is bound, as it has mounts below it.
 */
#define MEMORY_HIDDEN                                                          \
	"hidden = [subprocess.Popen([sys.prefix + '/bin/hidden', '-c',"        \
	" 'import time; b = bytearray(%d << 20); print(1, flush=True);"       \
	" time.sleep(600)' % n], stdout=-1) for n in (60, 60, 60)]\n"

static const struct {
	const char *code;
	int ended;
} memory_cases[] = {
	/* One process meets its own limit first. */
	{ "b = []\n"
	  "def fill():\n"
	  "    while True: b.append(bytearray(1 << 20))\n"
	  "if name(fill) == 'MemoryError': print('ok')",
	    0 },
	{ MEMORY_FORK(6) "    b = bytearray(60 << 20)\n" MEMORY_FOREVER
	  "time.sleep(600)",
	    1 },
	{ MEMORY_FORK(24) "    b = bytearray(10 << 20)\n" MEMORY_FOREVER
	  "time.sleep(600)",
	    1 },
	/* Grandchildren whose parents are gone. */
	{ MEMORY_FORK(6) "    if os.fork(): os._exit(0)\n"
	  "    os.setsid(); b = bytearray(60 << 20)\n" MEMORY_FOREVER
	  "time.sleep(600)",
	    1 },
	/* Files that have no name any more, and a heap. */
	{ "for d in ('/tmp', '/workspace', '/dev/shm'):\n"
	  "    f = os.open(d + '/x', os.O_CREAT | os.O_RDWR)\n"
	  "    os.write(f, bytes(30 << 20)); os.remove(d + '/x')\n"
	  "b = bytearray(80 << 20); time.sleep(600)",
	    1 },
	{ MEMORY_HIDDEN "time.sleep(600)", 1 },
	/* Unread bytes. */
	{ "def fill():\n"
	  "    while True:\n"
	  "        keep.extend(socket.socketpair())\n"
	  "        keep[-1].setblocking(False)\n"
	  "        try: keep[-1].send(bytes(1 << 20))\n"
	  "        except BlockingIOError: pass\n"
	  "keep = []\n"
	  MEMORY_FORK(8) "    name(fill)\n" MEMORY_FOREVER
	  "time.sleep(600)",
	    1 },
	/* Memory that has been copied on paper only. */
	{ "b = bytearray(80 << 20)\n"
	  MEMORY_FORK(4) "    b.count(1); time.sleep(0.3); os._exit(0)\n"
	  "for i in range(4): os.wait()\n"
	  "print('ok')",
	    0 },
	/* Files that are mapped by many. */
	{ "ms = []\n"
	  "for d in ('/tmp', '/workspace', '/dev/shm'):\n"
	  "    f = open(d + '/x', 'w+b'); f.truncate(30 << 20)\n"
	  "    ms.append(mmap.mmap(f.fileno(), 0))\n"
	  "    ms[-1].write(bytes(30 << 20))\n"
	  MEMORY_FORK(3)
	  "    [sum(m[::4096]) for m in ms]; time.sleep(0.3); os._exit(0)\n"
	  "for i in range(3): os.wait()\n"
	  "print('ok')",
	    0 },
	/* A child between vfork and exec has the memory of its parent. */
	{ "b = bytearray(100 << 20)\n"
	  "for i in range(100): subprocess.run(['/bin/true'])\n"
	  "print('ok')",
	    0 },
};

START_TEST(test_memory)
{
	auto_free char *code = mem_printf("import mmap, socket, subprocess, "
	    "time\n%s", memory_cases[_i / turns].code);
	struct ipc_setup setup;
	auto_run struct run run;

	if (strstr(code, "/bin/hidden") != NULL && !crowd_environment())
		return;
	become(_i);
	setup = usual_setup();
	setup.memory_bytes = 128 * MIB;
	setup.files_bytes = 32 * MIB;
	setup.interpreter = run_path("venv/bin/python");
	run_open(&run, &setup, run_path("caisson-box"));
	run_started(&run);
	if (!run.watchdog && memory_cases[_i / turns].ended) {
		unit_skip("no /proc in the box, so no watchdog");
		run_end(&run);
		return;
	}
	run_send_code(&run, code);
	run_read(&run, 1);
	if (!memory_cases[_i / turns].ended) {
		run_end(&run);
		ck_assert_msg(run.text.data != NULL &&
		    strcmp(run.text.data, "ok\n") == 0, "%s\nended by %d: %s",
		    code, run.end.si_status, run.error_text.data);
		return;
	}
	run_over(&run);
	ck_assert_msg(run.init_end.si_code == CLD_EXITED &&
	    run.init_end.si_status == BOX_EXIT_MEMORY &&
	    run.end.si_status == SIGKILL, "%s\nended by %d", code,
	    run.end.si_status);
}
END_TEST

/* The code runs while its launcher waits, which may take long. */
START_TEST(test_memory_of_a_box_that_is_not_adopted)
{
	struct ipc_setup setup;
	auto_run struct run run;
	union ipc_any msg;

	become(_i);
	setup = usual_setup();
	setup.memory_bytes = 128 * MIB;
	run_open(&run, &setup, run_path("caisson-box"));
	run.disowned = 1;
	run_known(&run);
	if (!run.watchdog) {
		unit_skip("no /proc in the box, so no watchdog");
		run_adopt(&run);
		run_end(&run);
		return;
	}
	run_send_code(&run, "import time\n"
	    MEMORY_FORK(6) "    b = bytearray(60 << 20)\n" MEMORY_FOREVER
	    "time.sleep(600)");
	await(run.code, "end of the box");
	/* The launcher has nothing to report: the end of init tells it. */
	run_adopt(&run);
	ck_assert_int_eq(run_message(&run, &msg), IPC_TYPES);
	run_over(&run);
	ck_assert_int_eq(run.init_end.si_code, CLD_EXITED);
	ck_assert_int_eq(run.init_end.si_status, BOX_EXIT_MEMORY);
	ck_assert_int_eq(run.end.si_status, SIGKILL);
}
END_TEST

/* What the watchdog must see although the code itself cannot. */
START_TEST(test_hidden)
{
	struct ipc_setup setup;
	auto_run struct run run;

	if (!crowd_environment())
		return;
	become(_i);
	setup = usual_setup();
	setup.interpreter = run_path("venv/bin/python");
	run_code(&run, &setup, "import subprocess\n" MEMORY_HIDDEN
	    "p = hidden[0]; p.stdout.read(1)\n"
	    "print(name(os.stat, '/proc/%d' % p.pid), os.listdir('/proc')"
	    ".count('1'), p.poll())");
	ck_assert_str_eq(run.text.data, "ENOENT 0 None\n");
	ck_assert_ptr_nonnull(
	    strstr(run.bound, "/venv: there are other mounts below it"));
}
END_TEST

static void
add_tests(TCase *tc)
{
	tcase_add_loop_test(
	    tc, test_memory, 0, turns * UNIT_COUNT(memory_cases));
	tcase_add_loop_test(
	    tc, test_memory_of_a_box_that_is_not_adopted, 0, turns);
	tcase_add_loop_test(tc, test_hidden, 0, turns);
}

int
main(int argc, char **argv)
{
	return box_play(argc, argv, "box_memory", add_tests);
}
