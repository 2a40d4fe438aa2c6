/*
 * Tests of supervisor/box/engine/sweep: containers of a Caisson that has ended
 * are found, and none of a living one, of another host or of another program.
 */
#include <dirent.h>
#include <grp.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/buffer.h"
#include "common/base/mem.h"
#include "supervisor/box/engine/engine.h"
#include "tests/unit/unit.h"

static char *own; /* our label */
static char locks[] = "/tmp/caisson-test-XXXXXX";
static struct container_sweep sweep = { NULL, locks };

static void
set_up(void)
{
	struct err err;

	ck_assert_ptr_nonnull(mkdtemp(locks));
	own = container_sweep_label(&err);
	ck_assert_msg(own != NULL, "%s", err.text);
}

static void
tear_down(void)
{
	ck_assert_int_eq(rmdir(locks), 0);
	free(own);
}

UNIT_FIXTURE(set_up, tear_down)

/* Returns the label with another process; the caller frees it. */
static char *
label_of(int pid, unsigned long long birth)
{
	const char *process = strchr(strchr(own, '.') + 1, '.');

	return mem_printf(
	    "%.*s.%d.%llu", (int)(process - own), own, pid, birth);
}

static void
on_found(void *ctx, const char *name)
{
	buffer_printf(ctx, "%s;", name);
}

/* Returns the names that are found in a list, each with a semicolon. */
static char *
find(const char *text)
{
	struct buffer names = { 0 };

	buffer_add_text(&names, "");
	sweep.label = own;
	container_sweep_each(&sweep, text, strlen(text), on_found, &names);
	return buffer_take(&names, NULL);
}

/* An engine accepts both. */
UNIT_TEST(labels_and_names_are_names)
{
	static const char *const command[] = { "true", NULL };
	auto_free char *name = container_sweep_name(own, 17);
	struct container container = { .name = name, .run = own,
		.image = "a", .uid = 1, .gid = 1, .bootstrap = "/a",
		.command = command };
	struct err err;

	ck_assert_msg(container_check(&container, &err) == 0, "%s", err.text);
}

UNIT_TEST(an_ended_process_has_left_them)
{
	auto_free char *text = NULL;
	auto_free char *names = NULL;
	auto_free char *wanted = NULL;
	auto_free char *label = NULL;
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
	label = label_of((int)pid, 1);
	text = mem_printf("%s caisson-%s.1\n%s caisson-%s.22\n", label, label,
	    label, label);
	wanted = mem_printf("caisson-%s.1;caisson-%s.22;", label, label);
	names = find(text);
	ck_assert_str_eq(names, wanted);
}

/* Its number was given to another process since. */
UNIT_TEST(another_process_has_its_number)
{
	auto_free char *label = label_of((int)getpid(), 1);
	auto_free char *text = mem_printf("%s caisson-%s.1\n", label, label);
	auto_free char *wanted = mem_printf("caisson-%s.1;", label);
	auto_free char *names = find(text);

	ck_assert_str_eq(names, wanted);
}

UNIT_TEST(a_living_one_keeps_its_own)
{
	auto_free char *name = container_sweep_name(own, 1);
	auto_free char *text = mem_printf("%s %s\n", own, name);
	auto_free char *names = find(text);

	ck_assert_str_eq(names, "");
}

/* An ordinary user to whom /proc does not show our processes. */
#define STRANGER 65534

/* In a child: exits with 0 if nothing is found in the text. */
static void __attribute__((noreturn))
find_as_stranger(const char *text)
{
	auto_free char *names = NULL;

	if (unshare(CLONE_NEWNS) == -1 ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == -1 ||
	    mount("proc", "/proc", "proc", 0, "hidepid=2") == -1 ||
	    setgroups(0, NULL) == -1 || setgid(STRANGER) == -1 ||
	    setuid(STRANGER) == -1)
		_exit(2);
	names = find(text);
	_exit(names[0] != '\0');
}

UNIT_TEST(a_hidden_process_keeps_its_own)
{
	auto_free char *name = container_sweep_name(own, 1);
	auto_free char *text = mem_printf("%s %s\n", own, name);
	pid_t pid;
	int status;

	if (geteuid() != 0)
		return;
	pid = fork();
	if (pid == 0)
		find_as_stranger(text);
	ck_assert_int_eq(waitpid(pid, &status, 0), pid);
	/* 2: mounts are forbidden here. */
	ck_assert(status == W_EXITCODE(0, 0) || status == W_EXITCODE(2, 0));
}

#define FORGED "caisson-00000000-0000-0000-0000-000000000000.1.7.1.1"

/* @ stands for the label of a process that has ended. */
static const char *const others[] = {
	"",
	"\n",
	"@",
	"@\n",
	"@ \n",
	"@ caisson-@.1", /* cut */
	"@ caisson-@\n",
	"@ caisson-@.\n",
	"@ caisson-@.x\n",
	"@ caisson-@.1 more\n",
	"@ --all\n",
	"@ other\n",
	" caisson-@.1\n",
	"x@ caisson-@.1\n",
	"@.1 caisson-@.1.1\n",
	"@x caisson-@x.1\n",
	"other caisson-other.1\n",
	/* Of another boot, and of another namespace. */
	"00000000-0000-0000-0000-000000000000.1.7.1 " FORGED "\n",
};

UNIT_TESTS(others_are_left_alone, UNIT_COUNT(others))
{
	auto_free char *label = label_of((int)getpid(), 1);
	struct buffer text = { 0 };
	auto_free char *names = NULL;
	const char *p;

	buffer_add_text(&text, "");
	for (p = others[_i]; *p != '\0'; p++)
		if (*p == '@')
			buffer_add_text(&text, label);
		else
			buffer_add(&text, p, 1);
	names = find(text.data);
	ck_assert_msg(names[0] == '\0', "%s", names);
	buffer_reset(&text);
}

/* Another namespace of processes */

#define ELSEWHERE_PROCESS 7

/* Returns the label of a process elsewhere; the caller frees it. */
static char *
label_elsewhere(int process)
{
	int boot = (int)(strchr(own, '.') - own);

	return mem_printf("%.*s.1.%d.1", boot, own, process);
}

static size_t
count_locks(void)
{
	const struct dirent *entry;
	DIR *dir = opendir(locks);
	size_t n = 0;

	while ((entry = readdir(dir)) != NULL)
		n += entry->d_name[0] != '.';
	closedir(dir);
	return n;
}

/* Leaves a lock as a Caisson does that is killed. */
static void
leave_lock(const char *label)
{
	struct err err;
	int fd = container_lock_take(locks, label, &err);

	ck_assert_msg(fd != -1, "%s", err.text);
	close(fd);
}

/* Removes the file of a lock that is left. */
static void
remove_lock(const char *label)
{
	struct err err;
	int lock = container_lock_take(locks, label, &err);

	container_lock_end(locks, label, &lock);
	ck_assert_int_eq(lock, -1);
	container_lock_end(locks, label, &lock);
}

UNIT_TEST(a_lock_shows_that_it_lives)
{
	auto_free char *label = label_elsewhere(ELSEWHERE_PROCESS);
	auto_free char *text = mem_printf("%s caisson-%s.1\n", label, label);
	auto_free char *wanted = mem_printf("caisson-%s.1;", label);
	auto_free char *unknown = find(text);
	auto_free char *living = NULL, *left = NULL;
	struct err err;
	int lock = container_lock_take(locks, label, &err);

	ck_assert_msg(lock != -1, "%s", err.text);
	/* Without a lock it may live; with one that is held, it does. */
	ck_assert_str_eq(unknown, "");
	living = find(text);
	ck_assert_str_eq(living, "");
	close(lock);
	left = find(text);
	ck_assert_str_eq(left, wanted);
	ck_assert_uint_eq(count_locks(), 1);
	remove_lock(label);
	ck_assert_uint_eq(count_locks(), 0);
}

/* Nor is one of another boot, or of another form. */
UNIT_TEST(another_lock_shows_nothing)
{
	static const char *const forms[] = { "../", "/../../etc/passwd", ".x" };
	static const char another[] =
	    "00000000-0000-0000-0000-000000000000.1.7.1";
	auto_free char *text = mem_printf(
	    "%s caisson-%s.1\n", &FORGED[strlen("caisson-")], FORGED);
	auto_free char *names = NULL;
	size_t i;

	leave_lock(another);
	names = find(text);
	ck_assert_str_eq(names, "");
	for (i = 0; i < UNIT_COUNT(forms); i++)
		ck_assert(!container_lock_is_free(locks, forms[i]));
	remove_lock(another);
}

/* A long line is skipped, and the next one is read. */
UNIT_TEST(lines_may_have_any_length)
{
	auto_free char *label = label_of((int)getpid(), 1);
	auto_free char *wanted = mem_printf("caisson-%s.1;", label);
	auto_free char *names = NULL;
	struct buffer text = { 0 };
	int i;

	for (i = 0; i < 10000; i++)
		buffer_add_text(&text, "x");
	buffer_printf(&text, " x\n%s caisson-%s.1\n", label, label);
	names = find(text.data);
	ck_assert_str_eq(names, wanted);
	buffer_reset(&text);
}
