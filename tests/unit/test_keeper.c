/*
 * Tests of supervisor/process/keeper, and of what spawn does for it: a server
 * finds what a program expects and nothing of ours, it ends together with its
 * keeper, and nothing of it is left, whichever ends first.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "common/fd.h"
#include "common/mem.h"
#include "keeper_play.h"
#include "server_trees.h"
#include "supervisor/supervisor.h"

extern char **environ;

static char self[PATH_MAX];

static void
make_pipe(int *ours, int *theirs, int they_read)
{
	int pair[2];

	ck_assert_int_eq(pipe2(pair, O_CLOEXEC), 0);
	*ours = pair[they_read];
	*theirs = pair[!they_read];
}

/* Starts a program with its pipes; the test has no other child. */
static void
start_program(struct held *held, struct spawn_program *program)
{
	struct err err;

	make_pipe(&held->in, &program->in, 1);
	make_pipe(&held->out, &program->out, 0);
	make_pipe(&held->errors, &program->errors, 0);
	ck_assert_msg(keeper_start(7, program, &held->pidfd, &err) == 0,
	    "%s", err.text);
	ck_assert_int_eq(fcntl(held->pidfd, F_GETFD), FD_CLOEXEC);
	close(program->in);
	close(program->out);
	close(program->errors);
	held->keeper = only_child();
}

/* Starts a server of server_trees.h. */
static void
start(struct held *held, const char *name)
{
	char *argv[] = { (char[]){ "server" }, (char *)name, NULL };
	struct spawn_program program = { .path = self, .argv = argv,
		.envp = environ };

	start_program(held, &program);
}

/* Starts a line of a shell. */
static void
start_line(struct held *held, const char *line)
{
	char *argv[] = { (char[]){ "sh" }, (char[]){ "-c" }, (char *)line,
		NULL };
	struct spawn_program program = { .path = "/bin/sh", .argv = argv,
		.envp = environ };

	start_program(held, &program);
}

/* Returns how the keeper ends; nothing of the server is left by then. */
static siginfo_t
end_of(struct held *held)
{
	auto_free char *more = NULL;
	siginfo_t si;

	ck_assert_int_eq(
	    waitid((idtype_t)3 /* P_PIDFD */, (id_t)held->pidfd, &si, WEXITED),
	    0);
	/* Would hang where a process still had it. */
	more = read_all(held->out);
	close(held->in);
	close(held->out);
	close(held->errors);
	close(held->pidfd);
	return si;
}

static void
ends(struct held *held, int code, int status)
{
	siginfo_t si = end_of(held);

	ck_assert_int_eq(si.si_code, code);
	ck_assert_int_eq(si.si_status, status);
}

static void
order(const struct held *held, char what)
{
	ck_assert_int_eq(write(held->in, &what, 1), 1);
}

/* Ends */

static const struct {
	const char *line;
	int code, status;
} lines[] = {
	{ "exit 0", CLD_EXITED, 0 },
	{ "exit 1", CLD_EXITED, 1 },
	{ "exit 137", CLD_EXITED, 137 }, /* not SIGKILL */
	{ "exit 255", CLD_EXITED, 255 },
	{ "kill -KILL $$", CLD_KILLED, SIGKILL },
	{ "kill -TERM $$", CLD_KILLED, SIGTERM },
	{ "kill -USR1 $$", CLD_KILLED, SIGUSR1 },
	{ "kill -SEGV $$", CLD_KILLED, SIGSEGV },
	{ "kill -40 $$", CLD_KILLED, 40 },
};

START_TEST(a_keeper_ends_as_its_server)
{
	const struct rlimit none = { 0, 0 };
	struct held held;
	int fds = unit_open_fds();

	setrlimit(RLIMIT_CORE, &none); /* for the server's sake */
	start_line(&held, lines[_i].line);
	ends(&held, lines[_i].code, lines[_i].status);
	ck_assert_int_eq(unit_open_fds(), fds);
	ck_assert_int_eq(waitpid(-1, NULL, 0), -1);
}
END_TEST

/* What a server has started is gone with it, whatever it has done. */
START_TEST(nothing_is_left_when_it_ends)
{
	struct held held;

	start(&held, trees[_i].name);
	await(&held);
	order(&held, 'e');
	ends(&held, CLD_EXITED, TREES_STATUS);
}
END_TEST

START_TEST(nothing_is_left_when_it_is_killed)
{
	struct held held;

	start(&held, trees[_i].name);
	await(&held);
	order(&held, SIGKILL);
	ends(&held, CLD_KILLED, SIGKILL);
}
END_TEST

START_TEST(a_keeper_kills_all)
{
	struct held held;

	start(&held, trees[_i].name);
	await(&held);
	kill(held.keeper, KEEPER_KILL);
	ends(&held, CLD_KILLED, SIGKILL);
}
END_TEST

/* Dies with its keeper; the keeper is the stand-in's, and then ours. */
START_TEST(nothing_is_left_when_the_supervisor_is_killed)
{
	struct held held;
	pid_t keeper, stand_in;
	int told[2];

	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	ck_assert_int_eq(pipe(told), 0);
	stand_in = fork();
	if (stand_in == 0) {
		start(&held, trees[_i].name);
		await(&held);
		close(held.in);
		dup2(held.out, STDIN_FILENO);
		if (write(told[1], "x", 1) == 1)
			trees_wait();
	}
	close(told[1]);
	held.out = told[0];
	await(&held);
	/* Its end of the pipes is open as long as anybody of them lives. */
	kill(stand_in, SIGKILL);
	ck_assert_int_eq(waitpid(stand_in, NULL, 0), stand_in);
	keeper = waitpid(-1, NULL, 0);
	ck_assert_int_gt(keeper, 0);
	ck_assert_int_eq(waitpid(-1, NULL, 0), -1);
}
END_TEST

/* Who uses select() must not get more descriptors than before we raised. */
START_TEST(the_limit_of_descriptors_is_restored)
{
	const struct rlimit raised = { 512, 1024 };
	auto_free char *said = NULL;
	struct held held;

	ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &raised), 0);
	spawn_remember_limit(RLIMIT_NOFILE, 256);
	start_line(&held, "ulimit -S -n; ulimit -H -n");
	spawn_remember_limit(RLIMIT_NOFILE, RLIM_INFINITY);
	said = read_all(held.out);
	ck_assert_str_eq(said, "256\n1024\n");
}
END_TEST

/* The server has the variables of the test; its keeper has none left. */
START_TEST(a_keeper_wipes_its_environment)
{
	auto_free char *path = NULL;
	auto_free char *said = NULL;
	struct held held;
	char bytes[4096];
	ssize_t n, i;
	int fd;

	start_line(&held, "env | grep -c =; exec >&-; read line");
	/* The keeper closes the pipe after that. */
	said = read_all(held.out);
	ck_assert_int_gt(strtol(said, NULL, 10), 1);
	path = mem_printf("/proc/%d/environ", (int)held.keeper);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	ck_assert_int_ne(fd, -1);
	n = read(fd, bytes, sizeof(bytes));
	ck_assert_int_gt(n, 0);
	for (i = 0; i < n; i++)
		ck_assert_int_eq(bytes[i], '\0');
	close(fd);
	kill(held.keeper, KEEPER_KILL);
	ends(&held, CLD_KILLED, SIGKILL);
}
END_TEST

/* It began too late to get the signal for the supervisor's end. */
START_TEST(an_orphan_starts_nothing)
{
	char *argv[] = { (char[]){ "sh" }, (char[]){ "-c" },
		(char[]){ "echo started" }, NULL };
	struct spawn_program program = { .path = "/bin/sh", .argv = argv,
		.envp = environ, .errors = STDERR_FILENO };
	auto_free char *said = NULL;
	int status, ours;
	pid_t pid;

	make_pipe(&ours, &program.out, 0);
	program.in = program.out;
	pid = fork();
	if (pid == 0)
		keeper_run(1, getpid(), &program);
	close(program.out);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	ck_assert_int_eq(WEXITSTATUS(status), FATAL_EXIT_STATUS);
	said = read_all(ours);
	ck_assert_str_eq(said, "");
}
END_TEST

/* Signals */

START_TEST(a_keeper_asks)
{
	struct held held;

	/* The group too: what the shell waits for ends, too. */
	start_line(&held, "trap 'wait; exit 9' TERM; "
	    "sh -c 'trap \"exit 0\" TERM; echo x; while :; do sleep 1; done' & "
	    "wait");
	await(&held);
	kill(held.keeper, KEEPER_ASK);
	ends(&held, CLD_EXITED, 9);
}
END_TEST

START_TEST(a_server_may_be_deaf)
{
	struct held held;

	start(&held, "child");
	await(&held);
	order(&held, 'd');
	await(&held);
	kill(held.keeper, KEEPER_ASK);
	order(&held, 'e');
	ends(&held, CLD_EXITED, TREES_STATUS);
}
END_TEST

START_TEST(no_other_signal_ends_a_keeper)
{
	struct held held;
	int sig;

	start(&held, "alone");
	await(&held);
	for (sig = 1; sig < NSIG; sig++)
		if (sig != KEEPER_ASK && sig != KEEPER_KILL &&
		    sig != SIGKILL && sig != SIGSTOP &&
		    /* Those that the C library keeps for itself. */
		    (sig <= SIGSYS || sig >= SIGRTMIN))
			kill(held.keeper, sig);
	order(&held, 'e');
	ends(&held, CLD_EXITED, TREES_STATUS);
}
END_TEST

/* What it is */

static int
fds_of(pid_t pid)
{
	auto_free char *path = mem_printf("/proc/%d/fd", (int)pid);
	DIR *dir = opendir(path);
	int n = -2; /* "." and ".." */

	ck_assert_ptr_nonnull(dir);
	while (readdir(dir) != NULL)
		n++;
	closedir(dir);
	return n;
}

START_TEST(a_keeper_holds_the_log_only)
{
	struct stat ours, its;
	auto_free char *path = NULL;
	struct held held;
	char title[32] = "";
	FILE *comm;

	ck_assert_int_eq(dup2(STDIN_FILENO, 500), 500);
	start(&held, "alone");
	await(&held);
	while (fds_of(held.keeper) > 1)
		sched_yield();
	path = mem_printf("/proc/%d/fd/2", (int)held.keeper);
	ck_assert_int_eq(stat(path, &its), 0);
	fstat(STDERR_FILENO, &ours);
	ck_assert_uint_eq(its.st_ino, ours.st_ino);
	ck_assert_int_eq(getsid(held.keeper), held.keeper);
	free(mem_take(&path));
	path = mem_printf("/proc/%d/comm", (int)held.keeper);
	comm = fopen(path, "r");
	ck_assert_ptr_nonnull(fgets(title, sizeof(title), comm));
	fclose(comm);
	ck_assert_str_eq(title, "keeper[7]\n");
	order(&held, 'e');
	ends(&held, CLD_EXITED, TREES_STATUS);
}
END_TEST

/* What a server sees, one line each; it is this program, too. */
static int
report(int argc, char **argv)
{
	sigset_t blocked;
	int n, number = 0;

	for (n = 0; n < argc; n++)
		printf("argument %s\n", argv[n]);
	for (n = 0; environ[n] != NULL; n++)
		printf("variable %s\n", environ[n]);
	printf("fds");
	for (n = 0; n < 1024; n++)
		if (fcntl(n, F_GETFD) != -1)
			printf(" %d%s", n,
			    fcntl(n, F_GETFL) & O_NONBLOCK ? "!" : "");
	printf("\nsignals");
	sigprocmask(SIG_SETMASK, NULL, &blocked);
	for (n = 1; n < NSIG; n++)
		if (sigismember(&blocked, n) == 1 ||
		    signal(n, SIG_DFL) == SIG_IGN)
			printf(" %d", n);
	prctl(PR_GET_PDEATHSIG, &number);
	printf("\nleader %d, no_new_privs %d, dies %d, uid %u\n",
	    getsid(0) == getpid(), prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0),
	    number == SIGKILL, getuid());
	printf("folder %s\n", getcwd(self, sizeof(self)));
	fprintf(stderr, "an error\n");
	return 0;
}

static void
be_untidy(void)
{
	sigset_t all;
	int null = open("/dev/null", O_RDWR);

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	signal(SIGPIPE, SIG_IGN);
	signal(SIGCHLD, SIG_IGN);
	setenv("CAISSON_TEST", "secret", 1);
	dup2(null, 100);
}

START_TEST(a_server_starts_clean)
{
	char *argv[] = { (char[]){ "any name" }, (char[]){ "" },
		(char[]){ "a b" }, (char[]){ "report" }, NULL };
	char *envp[] = { (char[]){ "A=b" }, (char[]){ "A=c" }, NULL };
	struct spawn_program program = { .path = self, .argv = argv,
		.envp = envp, .cwd = _i == 0 ? "/usr" : NULL };
	auto_free char *said = NULL;
	auto_free char *error = NULL;
	auto_free char *wanted = mem_printf("argument any name\nargument \n"
	    "argument a b\nargument report\nvariable A=b\nvariable A=c\n"
	    "fds 0 1 2\nsignals\n"
	    "leader 1, no_new_privs 0, dies 1, uid %u\nfolder %s\n",
	    getuid(), _i == 0 ? "/usr" : "/");
	struct held held;

	be_untidy();
	ck_assert_int_eq(chdir("/"), 0);
	start_program(&held, &program);
	said = read_all(held.out);
	error = read_all(held.errors);
	ck_assert_str_eq(said, wanted);
	ck_assert_str_eq(error, "an error\n");
	signal(SIGCHLD, SIG_DFL);
}
END_TEST

/* What cannot be started */

static char folder[] = "/tmp/caisson-test-XXXXXX";

static const struct {
	const char *make; /* in the folder, at @ */
	const char *path, *cwd, *says;
	int status;
} failures[] = {
	{ "true", "@/none", NULL,
	    "caisson: cannot execute @/none: No such file or directory\n",
	    SPAWN_COMPLAINED },
	{ "touch @/file", "@/file", NULL,
	    "caisson: cannot execute @/file: Permission denied\n",
	    SPAWN_COMPLAINED },
	{ "true", "@/", NULL,
	    "caisson: cannot execute @/: Permission denied\n",
	    SPAWN_COMPLAINED },
	{ "echo '#!/none' > @/a && chmod +x @/a", "@/a", NULL,
	    "caisson: cannot execute @/a: the interpreter that it names is "
	    "missing\n", SPAWN_COMPLAINED },
	{ "true", "/bin/sh", "@/none", "caisson: cannot enter the folder "
	    "@/none: No such file or directory\n", SPAWN_COMPLAINED },
	{ "touch @/file", "/bin/sh", "@/file", "caisson: cannot enter the "
	    "folder @/file: Not a directory\n", SPAWN_COMPLAINED },
	/* What a shell would run, runs. */
	{ "echo 'echo \"$0 $*\" >&2; exit 5' > @/a && chmod +x @/a", "@/a",
	    NULL, "@/a an argument\n", 5 },
};

/* @ stands for the folder of the test. */
static char *
fill(const char *text)
{
	struct buffer out = { 0 };

	buffer_add_text(&out, "");
	for (; *text != '\0'; text++)
		if (*text == '@')
			buffer_add_text(&out, folder);
		else
			buffer_add(&out, text, 1);
	return buffer_take(&out, NULL);
}

START_TEST(what_cannot_start_says_why)
{
	char *argv[] = { (char[]){ "name" }, (char[]){ "an argument" }, NULL };
	struct spawn_program program = { .argv = argv, .envp = environ };
	auto_free char *make = NULL;
	auto_free char *path = NULL;
	auto_free char *cwd = NULL;
	auto_free char *wanted = NULL;
	auto_free char *said = NULL;
	struct held held;

	ck_assert_ptr_nonnull(mkdtemp(folder));
	make = fill(failures[_i].make);
	ck_assert_int_eq(system(make), 0);
	program.path = path = fill(failures[_i].path);
	if (failures[_i].cwd != NULL)
		program.cwd = cwd = fill(failures[_i].cwd);
	start_program(&held, &program);
	said = read_all(held.errors);
	wanted = fill(failures[_i].says);
	ck_assert_str_eq(said, wanted);
	ends(&held, CLD_EXITED, failures[_i].status);
	free(mem_take(&make));
	make = fill("rm -r @");
	ck_assert_int_eq(system(make), 0);
}
END_TEST

static void
add_tests(TCase *tc)
{
	tcase_add_loop_test(
	    tc, a_keeper_ends_as_its_server, 0, UNIT_COUNT(lines));
	tcase_add_loop_test(tc, nothing_is_left_when_it_ends, 0, TREES);
	tcase_add_loop_test(tc, nothing_is_left_when_it_is_killed, 0, TREES);
	tcase_add_loop_test(tc, a_keeper_kills_all, 0, TREES);
	tcase_add_loop_test(
	    tc, nothing_is_left_when_the_supervisor_is_killed, 0, TREES);
	tcase_add_test(tc, the_limit_of_descriptors_is_restored);
	tcase_add_test(tc, a_keeper_wipes_its_environment);
	tcase_add_test(tc, an_orphan_starts_nothing);
	tcase_add_test(tc, a_keeper_asks);
	tcase_add_test(tc, a_server_may_be_deaf);
	tcase_add_test(tc, no_other_signal_ends_a_keeper);
	tcase_add_test(tc, a_keeper_holds_the_log_only);
	tcase_add_loop_test(tc, a_server_starts_clean, 0, 2);
	tcase_add_loop_test(
	    tc, what_cannot_start_says_why, 0, UNIT_COUNT(failures));
}

int
main(int argc, char **argv)
{
	if (argc == 4 && strcmp(argv[3], "report") == 0)
		return report(argc, argv);
	if (argc == 2)
		return trees_be(argv[1]);
	if (readlink("/proc/self/exe", self, sizeof(self) - 1) == -1)
		return EXIT_FAILURE;
	return unit_run("keeper", add_tests);
}
