/*
 * Tests of worker/box, the sandbox, as the supervisor meets it: a message, two
 * processes, and how they end; and as the code in it meets it: what it can
 * see, reach and use up. The test plays the supervisor and uses a bootstrap of
 * its own. Run as root every test runs twice, as root and as an ordinary user.
 *
 * Usage: test_box PATH/caisson-box
 */
#include "box_play.h"

/* How code ends */

struct end_case {
	const char *code;
	int how; /* CLD_* */
	int status;
};

static const struct end_case end_cases[] = {
	{ "pass", CLD_EXITED, 0 },
	{ "sys.exit(3)", CLD_EXITED, 3 },
	{ "raise ValueError", CLD_EXITED, 1 },
	{ "os._exit(137)", CLD_EXITED, 137 },
	{ "os._exit(255)", CLD_EXITED, 255 },
	{ "os.kill(os.getpid(), 9)", CLD_KILLED, SIGKILL },
	{ "os.kill(os.getpid(), 15)", CLD_KILLED, SIGTERM },
	{ "import signal; signal.alarm(1); signal.pause()", CLD_KILLED,
	    SIGALRM },
	{ "os.abort()", CLD_KILLED, SIGABRT },
	{ "import ctypes; ctypes.string_at(0)", CLD_KILLED, SIGSEGV },
	{ "name(os.kill, 1, 9); name(os.kill, 1, 15); sys.exit(4)", CLD_EXITED,
	    4 },
	{ "os.execv('/bin/sh', ['sh', '-c', 'exit 5'])", CLD_EXITED, 5 },
};

START_TEST(test_end)
{
	const struct end_case *c = &end_cases[_i / turns];
	struct ipc_setup setup;
	auto_run struct run run;
	int fds;

	become(_i);
	setup = usual_setup();
	fds = unit_open_fds();
	run_code(&run, &setup, c->code);
	ck_assert_msg(run.end.si_code == c->how &&
	        run.end.si_status == c->status,
	    "%s: ended by %d with %d, not by %d with %d", c->code,
	    run.end.si_code, run.end.si_status, c->how, c->status);
	ck_assert_int_eq(unit_open_fds(), fds);
}
END_TEST

START_TEST(test_cpu_time)
{
	struct ipc_setup setup;
	auto_run struct run run;

	become(_i);
	setup = usual_setup();
	setup.cpu_seconds = 1;
	run_code(&run, &setup, "while True: pass");
	ck_assert_int_eq(run.end.si_code, CLD_KILLED);
	ck_assert_int_eq(run.end.si_status, SIGXCPU);
}
END_TEST

/* In a cgroup, memory is limited there: threads have their stacks besides. */
START_TEST(test_grouped)
{
	auto_free char *wanted = NULL;
	struct ipc_setup setup;
	auto_run struct run run;

	become(_i);
	setup = usual_setup();
	setup.grouped = 1;
	wanted = mem_printf("(%lu, True)\n", BOX_TEST_MEMORY +
	    BOX_TEST_PROCESSES * BOX_STACK);
	run_code(&run, &setup, "import resource as r\n"
	    "print((r.getrlimit(r.RLIMIT_DATA)[0],"
	    " r.getrlimit(r.RLIMIT_AS)[0] == r.RLIM_INFINITY))");
	ck_assert_uint_eq(run.watchdog, 0);
	ck_assert_str_eq(run.text.data, wanted);
}
END_TEST

/* What code sees, may do and may use up: what it prints */

struct view_case {
	const char *code;
	const char *out;
};

static const struct view_case view_cases[] = {
	/* No process and no file of the host. */
	{ "print(*[p for p in ('/etc/shadow', '/root', '/home', '/var', '/run',"
	  " '/sys', '/boot', '/mnt', '/srv', '/media', '/.dockerenv',"
	  " '/dev/mem', '/dev/kmsg', '/dev/tty', '/dev/ptmx', '/dev/pts')"
	  " if os.path.lexists(p)])",
	    "\n" },
	{ "print([p for p in os.listdir('/proc') if p.isdigit()]"
	  " in ([], ['2']))",
	    "True\n" },
	{ "print([name(os.kill, pid, 0) for pid in (3, 100, os.getppid() or 99,"
	  " 4194303)])",
	    "['ESRCH', 'ESRCH', 'ESRCH', 'ESRCH']\n" },
	{ "print(sorted(os.environ))",
	    "['HOME', 'LANG', 'MALLOC_ARENA_MAX', 'MPLBACKEND',"
	    " 'MPLCONFIGDIR', 'OMP_NUM_THREADS', 'OPENBLAS_NUM_THREADS',"
	    " 'PATH', 'TERM', 'TMPDIR', 'XDG_CACHE_HOME']\n" },
	{ "print(os.getcwd(), sys.argv, sys.executable, os.umask(0))",
	    "/workspace ['/opt/caisson/bootstrap.py'] /usr/bin/python3 18\n" },
	{ "print(os.getresuid(), os.getresgid(), os.uname().nodename,"
	  " os.getpid(), os.getsid(0))",
	    "(1000, 1000, 1000) (1000, 1000, 1000) box 2 2\n" },
	{ "import pwd, grp; print(pwd.getpwuid(1000).pw_dir,"
	  " grp.getgrgid(1000).gr_name, len(pwd.getpwall()))",
	    "/workspace box 3\n" },
	{ "print([f for f in range(256) if name(os.fstat, f) == 'ok'],"
	  " os.path.sameopenfile(0, os.open('/dev/null', 0)))",
	    "[0, 1, 2, 3, 4] True\n" },
	{ "import signal; print([s for s in signal.valid_signals() if"
	  " signal.getsignal(s) not in (signal.SIG_DFL, None) and s not in"
	  " (2, 13, 25)], signal.pthread_sigmask(0, []))",
	    "[] set()\n" },

	/* No privilege. */
	{ "import ctypes; libc = ctypes.CDLL(None); print([libc.prctl(*args)"
	  " for args in ((39, 0, 0, 0, 0), (21, 0, 0, 0, 0), (3, 0))],"
	  " sum(libc.prctl(23, cap, 0, 0, 0) == 1 for cap in range(64)))",
	    "[1, 2, 1] 0\n" },
	{ "import ctypes; h = (ctypes.c_uint32 * 2)(0x20080522, 0);"
	  " d = (ctypes.c_uint32 * 6)();"
	  " print(ctypes.CDLL(None).capget(h, d), list(d))",
	    "0 [0, 0, 0, 0, 0, 0]\n" },
	{ "print(name(os.setuid, 0), name(os.chroot, '/tmp'),"
	  " name(os.chown, '/tmp', 0, 0))",
	    "EPERM EPERM EINVAL\n" },

	/* What is read-only, what is not, and what may be run. */
	{ "print(*[name(open, p, 'w') for p in ('/x', '/usr/x', '/etc/x',"
	  " '/etc/passwd', '/opt/caisson/bootstrap.py', '/dev/x',"
	  " os.__file__)])",
	    "EROFS EROFS EROFS EROFS EROFS EROFS EROFS\n" },
	{ "print([name(f, '/opt/caisson/bootstrap.py') for f in (os.remove,"
	  " lambda p: os.chmod(p, 0o777), lambda p: os.rename(p, '/tmp/x'),"
	  " lambda p: os.utime(p))])",
	    "['EROFS', 'EROFS', 'EXDEV', 'EROFS']\n" },
	{ "print([name(open, d + '/x', 'w') for d in ('/tmp', '/workspace',"
	  " '/dev/shm')])",
	    "['ok', 'ok', 'ok']\n" },
	{ "import shutil, subprocess\n"
	  "for d in ('/tmp', '/workspace', '/dev/shm'):\n"
	  "    shutil.copy('/bin/true', d + '/true')\n"
	  "    print(name(subprocess.run, [d + '/true']))",
	    "EACCES\nEACCES\nEACCES\n" },
	{ "import glob, shutil, subprocess\n"
	  "shutil.copy('/bin/true', '/tmp/true')\n"
	  "loader = glob.glob('/lib*/ld-linux*')[0]\n"
	  "print(subprocess.run([loader, '/bin/true']).returncode,"
	  " subprocess.run([loader, '/tmp/true'], stderr=-3).returncode)",
	    "0 127\n" },
	{ "import mmap; f = open('/tmp/x', 'w+b'); f.truncate(4096);"
	  " print(name(lambda: mmap.mmap(f.fileno(), 4096,"
	  " prot=mmap.PROT_READ | mmap.PROT_EXEC)))",
	    "EPERM\n" },
	{ "print(name(os.mkfifo, '/tmp/f'), name(os.mknod, '/tmp/d', 0o20666,"
	  " 0x103), name(os.symlink, '/etc/shadow', '/tmp/s'),"
	  " name(open, '/tmp/s'))",
	    "ok EPERM ok ENOENT\n" },
	{ "os.mkdir('/tmp/a'); os.mkdir('/tmp/b'); open('/tmp/a/x', 'w');"
	  " print(name(os.rename, '/tmp/a/x', '/tmp/b/x'),"
	  " name(os.link, '/tmp/b/x', '/tmp/a/y'))",
	    "ok ok\n" },

	/* No network, of any kind. */
	{ "import socket; print([name(socket.socket, f, t) for f in"
	  " (1, 2, 10, 16, 17, 38, 40) for t in (1, 2, 3)] == ['EPERM'] * 21)",
	    "True\n" },
	{ "import socket; a, b = socket.socketpair(); a.send(b'x');"
	  " print(b.recv(1), name(socket.socketpair, 2),"
	  " name(socket.getaddrinfo, 'example.com', 80),"
	  " name(a.connect, '/tmp/x'), name(a.bind, '\\0x'))",
	    "b'x' EPERM gaierror EPERM EPERM\n" },

	/* Limits. */
	{ "import time\n"
	  "n = 0\n"
	  "while True:\n"
	  "    try:\n"
	  "        if os.fork() == 0: time.sleep(600)\n"
	  "        n += 1\n"
	  "    except BlockingIOError: break\n"
	  "print(29 <= n <= 31)",
	    "True\n" },
	{ "b = bytes(1 << 20)\n"
	  "for d in ('/tmp', '/workspace', '/dev/shm'):\n"
	  "    with open(d + '/x', 'wb', 0) as f:\n"
	  "        print(name(lambda: [f.write(b) for i in range(9)]),"
	  " f.tell() >> 20)",
	    "ENOSPC 4\nENOSPC 4\nENOSPC 4\n" },
	{ "def fill():\n"
	  "    for i in range(20000): open(f'/tmp/{i}', 'w')\n"
	  "print(name(fill), 16000 < len(os.listdir('/tmp')) < 16385)",
	    "ENOSPC True\n" },
	{ "print(name(lambda: [os.dup(0) for i in range(300)]))",
	    "EMFILE\n" },
	{ "print(name(bytearray, 300 << 20), name(bytearray, 100 << 20))",
	    "MemoryError ok\n" },
	{ "import mmap; print(name(mmap.mmap, -1, 2 << 30, mmap.MAP_PRIVATE),"
	  " name(mmap.mmap, -1, 4096))",
	    "ENOMEM EPERM\n" },
	{ "import mmap; f = open('/dev/zero', 'rb'); print(f.read(3),"
	  " name(lambda: mmap.mmap(f.fileno(), 4096, prot=mmap.PROT_READ)))",
	    "b'\\x00\\x00\\x00' ENODEV\n" },
	{ "import threading\n"
	  "stop = threading.Event()\n"
	  "ts = [threading.Thread(target=stop.wait) for i in range(20)]\n"
	  "[t.start() for t in ts]; stop.set(); [t.join() for t in ts]\n"
	  "print(len(ts))",
	    "20\n" },
	{ "import resource as r; print([r.getrlimit(x) for x in (r.RLIMIT_CORE,"
	  " r.RLIMIT_NOFILE, r.RLIMIT_MEMLOCK)], name(r.setrlimit,"
	  " r.RLIMIT_NOFILE, (512, 512)))",
	    "[(1, 1), (256, 256), (0, 0)] ValueError\n" },
	{ "import fcntl, termios; r, w = os.pipe();"
	  " print(name(fcntl.fcntl, w, 1031, 1 << 20), fcntl.fcntl(w, 1032),"
	  " name(fcntl.ioctl, 1, termios.TIOCSTI, b'x'),"
	  " name(os.memfd_create, 'x'))",
	    "EPERM 65536 EPERM EPERM\n" },

	/* What real programs need. */
	{ "import subprocess; print(subprocess.run('echo a; echo $HOME | tr a-z"
	  " A-Z', shell=True, capture_output=True, text=True).stdout.split(),"
	  " os.isatty(0), os.waitstatus_to_exitcode(os.waitpid(os.posix_spawn("
	  "'/bin/false', ['false'], {}), 0)[1]))",
	    "['a', '/WORKSPACE'] False 1\n" },
	{ "import asyncio\n"
	  "async def main():\n"
	  "    p = await asyncio.create_subprocess_exec('cat', stdin=-1,"
	  " stdout=-1)\n"
	  "    out, _ = await p.communicate(b'abc')\n"
	  "    return out, await asyncio.to_thread(sum, [1, 2])\n"
	  "print(asyncio.run(main()))",
	    "(b'abc', 3)\n" },
	{ "import sqlite3, tempfile\n"
	  "with tempfile.TemporaryDirectory() as d:\n"
	  "    c = sqlite3.connect(d + '/x')\n"
	  "    c.execute('pragma journal_mode=wal')\n"
	  "    c.execute('create table t(a)')\n"
	  "    with c: c.executemany('insert into t values(?)', [(1,), (2,)])\n"
	  "    print(c.execute('select sum(a) from t').fetchall())",
	    "[(3,)]\n" },
	{ "import multiprocessing as mp\n"
	  "def f(x): return x * x\n"
	  "with mp.get_context('fork').Pool(2) as p: print(p.map(f, [1, 2]))\n"
	  "q = mp.Queue(); q.put(1); print(q.get())",
	    "[1, 4]\n1\n" },
	{ "import shutil; shutil.copy2('/etc/passwd', '/tmp/p');"
	  " shutil.copytree('/usr/share/doc/bash', '/tmp/t')"
	  " if os.path.isdir('/usr/share/doc/bash') else None;"
	  " print(shutil.disk_usage('/tmp').total)",
	    "4194304\n" },
	{ "import zoneinfo, datetime, time;"
	  " print(time.tzname, zoneinfo.ZoneInfo('UTC'))",
	    "('UTC', 'UTC') UTC\n" },
	{ "import ctypes; f = ctypes.CFUNCTYPE(ctypes.c_int)(lambda: 7);"
	  " print(f())",
	    "7\n" },
};

START_TEST(test_view)
{
	const struct view_case *c = &view_cases[_i / turns];
	struct ipc_setup setup;
	auto_run struct run run;

	become(_i);
	setup = usual_setup();
	run_code(&run, &setup, c->code);
	if (run.text.data == NULL || strcmp(run.text.data, c->out) != 0)
		ck_abort_msg("%s\nprinted: %sinstead of: %sand: %s", c->code,
		    run.text.data, c->out, run.error_text.data);
}
END_TEST

/* What STARTED says of the second layer, and that it is there. */
START_TEST(test_landlock)
{
	struct ipc_setup setup;
	auto_run struct run run;

	become(_i);
	setup = usual_setup();
	/* Neither the mounts nor the mode of this device forbid it. */
	run_code(&run, &setup, "print(name(open, '/dev/random', 'wb', 0),"
	                       " os.path.exists('/proc/self/status'))");
	ck_assert_uint_eq(run.landlock, (uint64_t)landlock_abi());
	ck_assert_ptr_nonnull(run.text.data);
	ck_assert_str_eq(strtok(run.text.data, " "),
	    run.landlock > 0 ? "EACCES" : "ok");
	ck_assert_str_eq(strtok(NULL, "\n"), run.proc ? "True" : "False");
	ck_assert_uint_eq(run.watchdog, run.proc);
}
END_TEST

/* Returns the line of /proc/PID/status that begins with key, static. */
static const char *
status_of(int pidfd, const char *key)
{
	static char line[256];
	char path[64];
	FILE *file;
	int pid = 0;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", pidfd);
	file = fopen(path, "re");
	ck_assert_ptr_nonnull(file);
	while (fgets(line, sizeof(line), file) != NULL)
		sscanf(line, "Pid: %d", &pid);
	fclose(file);
	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	file = fopen(path, "re");
	ck_assert_ptr_nonnull(file);
	while (fgets(line, sizeof(line), file) != NULL)
		if (strncmp(line, key, strlen(key)) == 0)
			break;
	fclose(file);
	line[strcspn(line, "\n")] = '\0';
	return line;
}

/* Process 1 of the box has given up as much as the code has. */
START_TEST(test_init)
{
	struct ipc_setup setup;
	auto_run struct run run;

	become(_i);
	setup = usual_setup();
	run_open(&run, &setup, run_path("caisson-box"));
	run_started(&run);
	ck_assert_str_eq(status_of(run.init, "Name:"), "Name:\tbox-init");
	ck_assert_str_eq(
	    status_of(run.init, "CapPrm:"), "CapPrm:\t0000000000000000");
	ck_assert_str_eq(
	    status_of(run.init, "CapBnd:"), "CapBnd:\t0000000000000000");
	ck_assert_str_eq(
	    status_of(run.init, "NoNewPrivs:"), "NoNewPrivs:\t1");
	ck_assert_str_eq(status_of(run.init, "Seccomp:"), "Seccomp:\t2");
	run_end(&run);
}
END_TEST

START_TEST(test_pipes)
{
	struct ipc_setup setup;
	auto_run struct run run;
	struct buffer control auto_buffer = { 0 };

	become(_i);
	setup = usual_setup();
	run_open(&run, &setup, run_path("caisson-box"));
	run_started(&run);
	run_send_code(&run, "os.write(1, b'o'); os.write(2, b'e');"
	                    " os.write(4, b'c' + os.read(3, 4))");
	ck_assert_int_eq(write(run.in, "more", 4), 4);
	run_read(&run, 1);
	while (drain(run.control, &control))
		;
	run_end(&run);
	ck_assert_str_eq(run.text.data, "o");
	ck_assert_str_eq(run.error_text.data, "e");
	ck_assert_str_eq(control.data, "cmore");
}
END_TEST

/* What the code leaves can be reached when nothing of the box is left. */
START_TEST(test_directories)
{
	struct ipc_setup setup;
	auto_run struct run run;
	char text[8] = "";
	auto_fd int workspace = -1;
	auto_fd int left = -1;
	auto_fd int file = -1;

	become(_i);
	setup = usual_setup();
	run_open(&run, &setup, run_path("caisson-box"));
	run_started(&run);
	workspace = openat(run.left, "..", O_RDONLY | O_CLOEXEC);
	ck_assert_int_ge(workspace, 0);
	left = fcntl(run.left, F_DUPFD_CLOEXEC, 3);
	run_send_code(&run, "open('/workspace/out/a', 'w').write('left')\n"
	    "open('b', 'w')\n"
	    "os.write(1, repr(os.listdir('/workspace/out')).encode())\n"
	    "fill = open('/workspace/out/full', 'wb')\n"
	    "try:\n"
	    "    while True: fill.write(bytes(1 << 20))\n"
	    "except OSError as e: os.write(1, e.strerror.encode())\n");
	run_read(&run, 1);
	run_end(&run);
	ck_assert_str_eq(run.text.data, "['a']No space left on device");
	file = openat(left, "a", O_RDONLY);
	ck_assert_int_eq(read(file, text, sizeof(text)), 4);
	ck_assert_str_eq(text, "left");
	ck_assert_int_eq(faccessat(workspace, "b", F_OK, 0), 0);
}
END_TEST

/* numpy: threads of its own, shared libraries in odd places. */
START_TEST(test_numpy)
{
	struct ipc_setup setup;
	auto_run struct run run;

	become(_i);
	setup = usual_setup();
	run_code(&run, &setup,
	    "try: import numpy as np\n"
	    "except ImportError: print('none')\n"
	    "else: print((np.ones((200, 200)) @ np.ones((200, 200))).sum())");
	if (strcmp(run.text.data, "none\n") == 0)
		unit_skip("/usr/bin/python3 has no numpy");
	else
		ck_assert_str_eq(run.text.data, "8000000.0\n");
}
END_TEST

/* An overlay reads a program for the code, and may not read this one. */
START_TEST(test_unreadable)
{
	struct ipc_setup setup;
	auto_run struct run run;

	become(_i);
	setup = usual_setup();
	setup.interpreter = run_path("venv/bin/python");
	run_code(&run, &setup, "import subprocess\n"
	    "print(name(subprocess.run, [sys.prefix + '/bin/hidden']))");
	ck_assert_str_eq(run.bound, "");
	ck_assert_str_eq(run.text.data, "EACCES\n");
}
END_TEST

/* What is mounted below a directory is seen in it. */
START_TEST(test_mounts_below)
{
	struct ipc_setup setup;
	auto_run struct run run;

	if (!crowd_environment())
		return;
	write_file(run_path("venv/more/inner"), "x", 0644);
	become(_i);
	setup = usual_setup();
	setup.interpreter = run_path("venv/bin/python");
	run_code(&run, &setup, "print(os.listdir(sys.prefix + '/more'), "
	    "name(open, sys.prefix + '/more/inner', 'w'))");
	ck_assert_str_eq(run.text.data, "['inner'] EROFS\n");
}
END_TEST

/*
 * Elsewhere on the machine /proc may be mounted once more, with nothing on it,
 * as for a chroot. Our namespace has a copy of that, by which the kernel would
 * judge us, too. What is below one of them goes with it.
 */
static void
detach_other_procs(void)
{
	FILE *mounts = setmntent("/proc/self/mounts", "r");
	struct mntent *entry;

	ck_assert_ptr_nonnull(mounts);
	while ((entry = getmntent(mounts)) != NULL)
		if (strcmp(entry->mnt_type, "proc") == 0 &&
		    strncmp(entry->mnt_dir, "/proc", strlen("/proc")) != 0)
			umount2(entry->mnt_dir, MNT_DETACH);
	endmntent(mounts);
}

/* As in a container, where parts of /proc are covered. */
START_TEST(test_covered_proc)
{
	struct ipc_setup setup;
	auto_run struct run run;

	if (geteuid() != 0 || unshare(CLONE_NEWNS) == -1 ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == -1 ||
	    mount("tmpfs", "/proc/irq", "tmpfs", 0, NULL) == -1) {
		unit_skip("only root can cover parts of /proc");
		return;
	}
	detach_other_procs();
	become(_i);
	setup = usual_setup();
	run_code(&run, &setup, "print(os.listdir('/proc'))");
	ck_assert_str_eq(run.text.data, "[]\n");
	ck_assert_uint_eq(run.proc, 0);
	ck_assert_uint_eq(run.watchdog, 0);
}
END_TEST

/* Interpreters outside of /usr */

/* An environment may be given by its directory, too. */
static const char *const venv_names[] = { "venv/bin/python", "venv", "venv/" };

/* Links that only lead to the interpreter come along, what is beside not. */
START_TEST(test_venv)
{
	auto_free char *code = mem_printf("print(sys.prefix, os.listdir('%s'),"
	    " name(open, sys.prefix + '/x', 'w'), os.get_exec_path()[0])",
	    run_path("links"));
	auto_free char *venv = mem_strdup(run_path("venv"));
	auto_free char *out = mem_printf("%s ['python'] EROFS %s/bin\n",
	    venv, venv);
	struct ipc_setup setup;
	auto_run struct run run;

	become(_i);
	setup = usual_setup();
	setup.interpreter = run_path(venv_names[_i / turns]);
	run_code(&run, &setup, code);
	ck_assert_str_eq(run.text.data, out);
}
END_TEST

/* What libraries start by themselves must leave the code some memory. */
static const struct {
	uint64_t memory;
	long blas; /* on however many processors */
} thread_cases[] = {
	{ 16 * MIB, 1 },
	{ 512 * MIB, 1 },
	{ GIB, 3 },
	{ 64 * GIB, 240 },
};

START_TEST(test_threads_of_libraries)
{
	const long blas = thread_cases[_i / turns].blas;
	long processors;
	cpu_set_t set;
	struct ipc_setup setup;
	auto_run struct run run;
	char out[64];

	become(_i);
	setup = usual_setup();
	setup.memory_bytes = thread_cases[_i / turns].memory;
	ck_assert_int_eq(sched_getaffinity(0, sizeof(set), &set), 0);
	processors = CPU_COUNT(&set);
	snprintf(out, sizeof(out), "%ld %ld\n",
	    blas < processors ? blas : processors,
	    8 < processors ? 8 : processors);
	run_code(&run, &setup,
	    "print(os.environ['OPENBLAS_NUM_THREADS'],"
	    " os.environ['OMP_NUM_THREADS'])");
	ck_assert_str_eq(run.text.data, out);
}
END_TEST

struct failure_case {
	const char *python; /* beneath the scratch directory unless absolute */
	enum box_step step;
	const char *reason; /* part of it */
};

static const struct failure_case failure_cases[] = {
	{ "/usr/bin/no-such-python", BOX_STEP_INTERPRETER, "No such file" },
	{ "/usr/bin", BOX_STEP_INTERPRETER, "no virtual environment" },
	{ "links", BOX_STEP_INTERPRETER, "no virtual environment" },
	{ "/etc/passwd", BOX_STEP_INTERPRETER, "not a program" },
	{ "home/bin/python", BOX_STEP_INTERPRETER, "home/' to the box" },
	{ "home", BOX_STEP_INTERPRETER, "home/' to the box" },
	{ "home/.local", BOX_STEP_INTERPRETER, ".local/' to the box" },
	{ "private", BOX_STEP_INTERPRETER, "/private" },
	{ "loop/python", BOX_STEP_INTERPRETER, "too many links" },
	{ "garbage/bin/python", BOX_STEP_INTERPRETER, "Exec format error" },
};

/* Reads FAILED, checks it, and that nothing is left behind. */
static void
expect_failure(struct run *run, enum box_step step, const char *reason)
{
	union ipc_any msg;
	enum ipc_type type = run_message(run, &msg);

	if (type == IPC_STARTED) {
		run->init = msg.started.init;
		run->code = msg.started.code;
		type = run_message(run, &msg);
	}
	ck_assert_int_eq(type, IPC_FAILED);
	if (msg.failed.step != step ||
	    strstr(msg.failed.reason, reason) == NULL)
		ck_abort_msg("step %d: %s", (int)msg.failed.step,
		    msg.failed.reason);
	ck_assert_int_eq(run_message(run, &msg), IPC_TYPES);
	if (run->init != -1)
		pidfd_send_signal(run->init, SIGKILL, NULL, 0);
	while (waitpid(-1, NULL, 0) > 0)
		;
}

START_TEST(test_failure)
{
	const struct failure_case *c = &failure_cases[_i / turns];
	struct ipc_setup setup;
	auto_run struct run run;

	become(_i);
	setup = usual_setup();
	setup.interpreter =
	    c->python[0] == '/' ? c->python : run_path(c->python);
	run_open(&run, &setup, run_path("caisson-box"));
	expect_failure(&run, c->step, c->reason);
}
END_TEST

START_TEST(test_no_bootstrap)
{
	struct ipc_setup setup;
	auto_run struct run run;

	become(_i);
	setup = usual_setup();
	run_open(&run, &setup, run_path("home/caisson-box"));
	expect_failure(&run, BOX_STEP_BOOTSTRAP, "home/box");
}
END_TEST

START_TEST(test_relative_interpreter)
{
	struct ipc_setup setup;
	auto_run struct run run;

	become(_i);
	setup = usual_setup();
	setup.interpreter = "python3";
	run_open(&run, &setup, run_path("caisson-box"));
	expect_failure(&run, BOX_STEP_REQUEST, "absolute path");
}
END_TEST

START_TEST(test_unknown_language)
{
	struct ipc_setup setup;
	auto_run struct run run;

	become(_i);
	setup = usual_setup();
	setup.language = "pytho";
	run_open(&run, &setup, run_path("caisson-box"));
	expect_failure(&run, BOX_STEP_REQUEST, "no language 'pytho'");
}
END_TEST

/* No box stays root; an ordinary user stays the same user. */
START_TEST(test_identity)
{
	struct ipc_setup setup;
	auto_run struct run run;

	become(_i);
	setup = usual_setup();
	setup.uid = geteuid() == 0 ? 0 : geteuid() + 1;
	run_open(&run, &setup, run_path("caisson-box"));
	expect_failure(&run, BOX_STEP_IDENTITY,
	    geteuid() == 0 ? "still root" : "not permitted");
}
END_TEST

START_TEST(test_garbage_request)
{
	static struct ipc_packet packet = { .len = 5, .data = "abcd" };
	int channel[2];
	struct run run = { .init = -1, .code = -1 };
	struct err err;

	become(_i);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, channel) ==
	    -1)
		ck_abort_msg("no descriptors");
	run.channel = channel[0];
	run.launcher = launch(run_path("caisson-box"), channel[1]);
	close(channel[1]);
	ck_assert_int_eq(ipc_socket_send(run.channel, &packet, &err), 0);
	expect_failure(&run, BOX_STEP_REQUEST, "unknown");
}
END_TEST

static void
add_tests(TCase *tc)
{
	tcase_add_loop_test(tc, test_end, 0, turns * UNIT_COUNT(end_cases));
	tcase_add_loop_test(tc, test_view, 0, turns * UNIT_COUNT(view_cases));
	tcase_add_loop_test(tc, test_cpu_time, 0, turns);
	tcase_add_loop_test(tc, test_unreadable, 0, turns);
	tcase_add_loop_test(tc, test_mounts_below, 0, turns);
	tcase_add_loop_test(tc, test_covered_proc, 0, turns);
	tcase_add_loop_test(tc, test_grouped, 0, turns);
	tcase_add_loop_test(tc, test_landlock, 0, turns);
	tcase_add_loop_test(tc, test_init, 0, turns);
	tcase_add_loop_test(tc, test_pipes, 0, turns);
	tcase_add_loop_test(tc, test_directories, 0, turns);
	tcase_add_loop_test(tc, test_numpy, 0, turns);
	tcase_add_loop_test(
	    tc, test_venv, 0, turns * UNIT_COUNT(venv_names));
	tcase_add_loop_test(tc, test_threads_of_libraries, 0,
	    turns * UNIT_COUNT(thread_cases));
	tcase_add_loop_test(
	    tc, test_failure, 0, turns * UNIT_COUNT(failure_cases));
	tcase_add_loop_test(tc, test_no_bootstrap, 0, turns);
	tcase_add_loop_test(tc, test_unknown_language, 0, turns);
	tcase_add_loop_test(tc, test_relative_interpreter, 0, turns);
	tcase_add_loop_test(tc, test_identity, 0, turns);
	tcase_add_loop_test(tc, test_garbage_request, 0, turns);
}

int
main(int argc, char **argv)
{
	return box_play(argc, argv, "box", add_tests);
}
