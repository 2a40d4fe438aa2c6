/*
 * Tests of supervisor/box/cgroup/cgroup and supervisor/box/cgroup/group, with a
 * plain folder as the part of the tree that may be ours: which part is found,
 * what makes it unusable, what is written where, and that all is gone at the
 * end. The kernel's side is played here: a new folder has the files of a
 * cgroup, and goes with them. The real thing is in tests/guest.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/base/fd.h"
#include "common/base/loop.h"
#include "common/base/mem.h"
#include "supervisor/box/cgroup/cgroup.h"
#include "supervisor/supervisor.h"
#include "tests/unit/unit.h"
#include "supervisor/process/process.h"

static char top[] = "/tmp/caisson-test-cgroup-XXXXXX";
static struct event_base *base;
static struct options options;
static struct err err;
static const char *missing; /* a file that new cgroups do not have */
static int busy;            /* so often a folder cannot be removed */
static int untried;         /* no process can begin in a group */
static unsigned int template_uid; /* where we are root */

static const char *const files[] = { "cgroup.controllers", "cgroup.kill",
	"cgroup.procs", "cgroup.subtree_control", "cpu.max", "cpu.stat",
	"memory.events", "memory.max", "memory.oom.group", "memory.peak",
	"memory.swap.max", "pids.max" };

/* The kernel */

static void
put(int dir, const char *name, const char *text)
{
	int fd = openat(dir, name, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	ck_assert_int_ne(fd, -1);
	ck_assert_int_eq(write(fd, text, strlen(text)), strlen(text));
	close(fd);
}

int
mkdirat(int dir, const char *path, mode_t mode)
{
	int failed = (int)syscall(SYS_mkdirat, dir, path, mode);
	int made = failed ? -1 : openat(dir, path, O_RDONLY | O_DIRECTORY);
	size_t i;

	for (i = 0; made != -1 && i < UNIT_COUNT(files); i++)
		if (missing == NULL || strcmp(missing, files[i]) != 0)
			put(made, files[i], "");
	fd_close(&made);
	return failed;
}

int
unlinkat(int dir, const char *path, int flags)
{
	int there = openat(dir, path, O_RDONLY | O_DIRECTORY);
	size_t i;

	if (there != -1 && busy > 0) {
		busy--;
		close(there);
		errno = EBUSY;
		return -1;
	}
	for (i = 0; there != -1 && i < UNIT_COUNT(files); i++)
		syscall(SYS_unlinkat, there, files[i], 0);
	fd_close(&there);
	return (int)syscall(SYS_unlinkat, dir, path, flags);
}

/* In the place of spawn.c. */
int
spawn_try_group(int group, struct err *error)
{
	ck_assert_int_eq(faccessat(group, "memory.max", F_OK, 0), 0);
	return untried ? err_set(error, "nobody may") : 0;
}

/* In the place of identity.c. */
unsigned int
identity_template(void)
{
	return template_uid;
}

/* The machine: /proc/self in top, and the tree in top/tree */

static void
describe(const char *cgroup, const char *mountinfo)
{
	put(AT_FDCWD, "proc/cgroup", cgroup);
	put(AT_FDCWD, "proc/mountinfo", mountinfo);
}

/* Ours is /ours, with us alone in it. */
static void
setup(void)
{
	auto_free char *mountinfo = NULL;
	char pid[32];

	ck_assert_ptr_nonnull(mkdtemp(top));
	ck_assert_int_eq(chdir(top), 0);
	base = loop_new(0);
	options.memory = 64 * MIB;
	options.pids = 20;
	syscall(SYS_mkdirat, AT_FDCWD, "proc", 0700);
	syscall(SYS_mkdirat, AT_FDCWD, "tree", 0700);
	mkdirat(AT_FDCWD, "tree/ours", 0700);
	mountinfo = mem_printf("30 20 0:5 / %s/tree rw,nosuid shared:4 - "
	    "cgroup2 cgroup2 rw,nsdelegate\n", top);
	describe("4:memory:/x\n0::/ours\n", mountinfo);
	put(AT_FDCWD, "tree/ours/cgroup.controllers", "cpu io memory pids\n");
	snprintf(pid, sizeof(pid), "%d\n", (int)getpid());
	put(AT_FDCWD, "tree/ours/cgroup.procs", pid);
}

/* Nothing but what was there before is there now. */
static void
teardown(void)
{
	ck_assert_int_eq(unlinkat(AT_FDCWD, "tree/ours", AT_REMOVEDIR), 0);
	ck_assert_int_eq(rmdir("tree"), 0);
	unlink("proc/cgroup");
	unlink("proc/mountinfo");
	rmdir("proc");
	rmdir(top);
	event_base_free(base);
}

static struct cgroup *
start(void)
{
	return cgroup_new(base, "proc", &options, &err);
}

static struct cgroup *
started(void)
{
	struct cgroup *cg = start();

	ck_assert_msg(cg != NULL, "%s", err.text);
	return cg;
}

/* Says why not. */
static void
refused(const char *why)
{
	ck_assert_ptr_null(start());
	ck_assert_msg(strstr(err.text, why) != NULL, "%s", err.text);
}

/* The content of a file below the group that is ours; the caller frees it. */
static char *
content(const char *folder, const char *name)
{
	auto_free char *path = mem_printf("tree/ours/%s/%s", folder, name);
	char text[256];

	ck_assert_msg(
	    cgroup_file_read(AT_FDCWD, path, text, sizeof(text), &err) == 0,
	    "%s", err.text);
	return mem_strdup(text);
}

static void
assert_content(const char *folder, const char *name, const char *wanted)
{
	auto_free char *text = content(folder, name);

	ck_assert_str_eq(text, wanted);
}

static int
is_there(const char *name)
{
	auto_free char *path = mem_printf("tree/ours/%s", name);

	return access(path, F_OK) == 0;
}

/* Finding it */

struct place {
	const char *cgroup;
	const char *mountinfo;
	const char *why; /* what the refusal says */
};

#define V2 " - cgroup2 none rw\n"

static const struct place places[] = {
	{ "", "", "no cgroups of version 2" },
	{ "9:memory:/\n1:name=systemd:/x\n", "", "no cgroups of version 2" },
	{ "0::/a\n", "", "are not mounted" },
	{ "0::/a\n", "1 2 0:3 / /m rw - cgroup cgroup rw,memory\n",
	    "are not mounted" },
	{ "0::/a\n", "1 2 0:3 / /none rw" V2, "cgroup /none/a: open it" },
	{ "9:x:/b\n0::/\n", "1 2 0:3 / /none rw" V2, "cgroup /none: open it" },
	{ "0::/a/b c\n", "1 2 0:3 / /x rw - tmpfs x rw\n"
	  "1 2 0:3 / /none rw shared:1 master:2" V2, "cgroup /none/a/b c: " },
	/* a part of the tree, as containers see it */
	{ "0::/d/x/y\n", "1 2 0:3 /d/x /none rw" V2, "cgroup /none/y: " },
	{ "0::/d/x\n", "1 2 0:3 /d/x /none rw" V2, "cgroup /none: " },
	{ "0::/d/xy\n", "1 2 0:3 /d/x /none rw" V2, "are not mounted" },
	{ "0::/../a\n", "1 2 0:3 /.. /none rw" V2, "cgroup /none/a: " },
};

UNIT_TESTS(the_part_is_found, UNIT_COUNT(places))
{
	describe(places[_i].cgroup, places[_i].mountinfo);
	refused(places[_i].why);
}

/* Whether it is for us */

UNIT_TEST(controllers_are_needed)
{
	const char *file = "tree/ours/cgroup.controllers";

	ck_assert(cgroup_offered("proc", &options));
	ck_assert(!cgroup_offered("missing", &options));
	put(AT_FDCWD, file, "\n");
	ck_assert(!cgroup_offered("proc", &options));
	refused("the controller memory is not enabled in it (none)");
	put(AT_FDCWD, file, "memory_x xmemory pids");
	refused("controller memory is not enabled in it (memory_x xmemory");
	put(AT_FDCWD, file, "memory\n");
	refused("the controller pids is not");
	unlink(file);
	refused("read cgroup.controllers: No such file");
	ck_assert(is_there("cgroup.procs"));
}

/* Other means limit the processors, but not memory. */
UNIT_TEST(the_controller_of_processors_is_not)
{
	struct cgroup *cg;

	options.cpus = 50;
	put(AT_FDCWD, "tree/ours/cgroup.controllers", "cpuset memory pids\n");
	cg = started();
	ck_assert(!cg->cpu);
	cgroup_free(&cg);
}

UNIT_TEST(others_in_it_are_left_alone)
{
	auto_free char *pids = mem_printf("%d\n1\n", (int)getpid());

	put(AT_FDCWD, "tree/ours/cgroup.procs", pids);
	refused("there are other processes in it, such as 1");
	assert_content(".", "cgroup.subtree_control", "");
}

/* Ours */

UNIT_TEST(what_cannot_be_used_is_left)
{
	int fds = unit_open_fds();

	untried = 1;
	refused("cgroup /tmp/");
	refused("tree/ours: nobody may");
	missing = "memory.max";
	refused("write '67108864' to memory.max: No such file");
	missing = NULL;
	unlink("tree/ours/cgroup.subtree_control");
	refused("write '+memory +pids' to cgroup.subtree_control");
	ck_assert_int_eq(unit_open_fds(), fds);
}

/* Groups */

static uid_t
owner_of(const char *path)
{
	struct stat st;

	ck_assert_int_eq(stat(path, &st), 0);
	return st.st_uid;
}

/* The template of root is another user, who may start boxes in them. */
UNIT_TEST(root_lends_groups_to_its_template)
{
	auto_free char *procs = NULL;
	struct group *group;
	struct cgroup *cg;

	if (geteuid() != 0)
		return;
	template_uid = 12345;
	cg = started();
	group = group_new(cg, 7, &options, &err);
	procs = mem_printf("tree/ours/box-%d-%llu-7/cgroup.procs",
	    (int)getpid(), cg->birth);
	ck_assert_uint_eq(owner_of(procs), 12345);
	ck_assert_uint_eq(owner_of("tree/ours/cgroup.procs"), 12345);
	group_free(&group);
	cgroup_free(&cg);
	ck_assert_uint_eq(owner_of("tree/ours/cgroup.procs"), 0);
}

UNIT_TESTS(a_group_has_its_limits, 3)
{
	auto_free char *name = NULL;
	struct group *group;
	struct cgroup *cg;

	options.cpus = _i == 2 ? 150 : (unsigned int)_i;
	cg = started();
	group = group_new(cg, 7, &options, &err);
	ck_assert_ptr_nonnull(group);
	ck_assert_int_ne(group_fd(group), -1);
	name = mem_printf("box-%d-%llu-7", (int)getpid(), cg->birth);
	assert_content(name, "memory.max", "67108864");
	assert_content(name, "memory.swap.max", "0");
	assert_content(name, "memory.oom.group", "1");
	assert_content(name, "pids.max", "23");
	assert_content(name, "cpu.max",
	    _i == 0 ? "" : _i == 1 ? "1000 100000" : "150000 100000");
	group_kill(group);
	assert_content(name, "cgroup.kill", "1");
	group_free(&group);
	ck_assert_ptr_null(group);
	ck_assert(!is_there(name));
	cgroup_free(&cg);
}

UNIT_TEST(old_kernels_lack_some_files)
{
	struct cgroup *cg = started();
	struct group_usage usage;
	struct group *group;

	missing = "memory.swap.max";
	group = group_new(cg, 1, &options, &err);
	ck_assert_ptr_nonnull(group);
	unlinkat(group_fd(group), "memory.peak", 0);
	unlinkat(group_fd(group), "cgroup.kill", 0);
	ck_assert_int_eq(group_read(group, &usage, &err), 0);
	ck_assert_uint_eq(usage.peak_kib, 0);
	group_kill(group);
	group_free(&group);
	missing = "pids.max";
	ck_assert_ptr_null(group_new(cg, 2, &options, &err));
	ck_assert_str_eq(err.text,
	    "write '23' to pids.max: No such file or directory");
	missing = NULL;
	cgroup_free(&cg);
}

struct used {
	const char *events;
	int out_of_memory;
};

static const struct used uses[] = {
	{ "low 0\nhigh 0\nmax 9\noom 1\noom_kill 3\noom_group_kill 1\n", 1 },
	{ "low 0\nmax 9\noom 0\noom_kill 1\n", 0 }, /* not for our limit */
	{ "low 0\nmax 9\noom 1\noom_kill 0\n", 0 },
	{ "low 0\nmax 9\noom_kill 2\n", 0 },
	{ "oom 2\noom_kill 2", 1 },
	{ "", 0 },
};

UNIT_TESTS(what_was_used_is_read, UNIT_COUNT(uses))
{
	struct cgroup *cg = started();
	struct group *group = group_new(cg, 1, &options, &err);
	struct group_usage usage;

	put(group_fd(group), "cpu.stat",
	    "xusage_usec 1\nusage_usec 1234567\nuser_usec 3\n");
	put(group_fd(group), "memory.peak", "20971520\n");
	put(group_fd(group), "memory.events", uses[_i].events);
	ck_assert_int_eq(group_read(group, &usage, &err), 0);
	ck_assert_uint_eq(usage.cpu_us, 1234567);
	ck_assert_uint_eq(usage.peak_kib, 20480);
	ck_assert_int_eq(group_ran_out(group, &err), uses[_i].out_of_memory);
	unlinkat(group_fd(group), "cpu.stat", 0);
	ck_assert_int_eq(group_read(group, &usage, &err), -1);
	unlinkat(group_fd(group), "memory.events", 0);
	ck_assert_int_eq(group_ran_out(group, &err), -1);
	group_free(&group);
	cgroup_free(&cg);
}

/* Ends */

UNIT_TEST(a_busy_folder_goes_later)
{
	struct cgroup *cg = started();
	struct group *group = group_new(cg, 1, &options, &err);
	auto_free char *name =
	    mem_printf("box-%d-%llu-1", (int)getpid(), cg->birth);

	busy = 3;
	group_free(&group);
	ck_assert(is_there(name));
	ck_assert(!STAILQ_EMPTY(&cg->ends));
	event_base_dispatch(base); /* until nothing is left to wait for */
	ck_assert(!is_there(name));
	ck_assert(STAILQ_EMPTY(&cg->ends));
	cgroup_free(&cg);
}

UNIT_TEST(the_folders_of_the_dead_are_swept)
{
	unsigned long long birth = group_birth(getpid());
	auto_free char *reborn =
	    mem_printf("tree/ours/box-%d-%llu-3", (int)getpid(), birth + 1);
	auto_free char *living = mem_printf(
	    "tree/ours/caisson-%d-%llu", (int)getppid(),
	    group_birth(getppid()));
	const char *const stay[] = { "tree/ours/box", "tree/ours/box-x-1-1",
		"tree/ours/other-99999999-1-1", living };
	const char *const go[] = { "tree/ours/box-99999999-5-1",
		"tree/ours/caisson-99999999-5", reborn };
	struct cgroup *cg;
	size_t i;

	for (i = 0; i < UNIT_COUNT(stay); i++)
		mkdirat(AT_FDCWD, stay[i], 0700);
	for (i = 0; i < UNIT_COUNT(go); i++)
		mkdirat(AT_FDCWD, go[i], 0700);
	busy = 1;
	cg = started();
	event_base_dispatch(base);
	for (i = 0; i < UNIT_COUNT(go); i++)
		ck_assert_int_eq(access(go[i], F_OK), -1);
	cgroup_free(&cg);
	for (i = 0; i < UNIT_COUNT(stay); i++)
		ck_assert_int_eq(unlinkat(AT_FDCWD, stay[i], AT_REMOVEDIR), 0);
}

UNIT_TEST(births_tell_processes_apart)
{
	ck_assert_uint_gt(group_birth(getpid()), 0);
	ck_assert_uint_le(group_birth(getppid()), group_birth(getpid()));
	ck_assert_uint_eq(group_birth(99999999), 0);
}

UNIT_FIXTURE(setup, teardown)
