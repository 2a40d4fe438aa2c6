/*
 * Tests of supervisor/box/container/usage: the counts of a container are found
 * in cgroups of both versions, and only in those that are not ours; the last
 * ones that could be read remain. The cgroups are folders of the test.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/fd.h"
#include "common/base/mem.h"
#include "supervisor/box/container/container.h"
#include "tests/unit/unit_folder.h"

#define PID 42

/* Writes a file below the folder, with its folders. */
static void
put(const char *name, const char *text)
{
	auto_free char *path = mem_printf("%s/%s", folder, name);
	auto_fd int fd = -1;
	char *slash = path + strlen(folder);

	while ((slash = strchr(slash + 1, '/')) != NULL) {
		*slash = '\0';
		mkdir(path, 0700);
		*slash = '/';
	}
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	ck_assert_int_ne(fd, -1);
	ck_assert_int_eq(fd_write_all(fd, text, strlen(text)), 0);
}

static struct container_usage *
open_usage(void)
{
	auto_free char *proc = mem_printf("%s/proc", folder);
	auto_free char *root = mem_printf("%s/cgroup", folder);

	return container_usage_open(proc, root, PID);
}

/* The cgroups of the container and ours, and the files of its counts. */
static const struct {
	const char *theirs, *own, *cpu, *memory;
	int in_nanoseconds;
} found[] = {
	{ "0::/box\n", "0::/\n", "cgroup/box/cpu.stat",
	    "cgroup/box/memory.peak", 0 },
	{ "0::/a/box", "0::/a\n", "cgroup/a/box/cpu.stat",
	    "cgroup/a/box/memory.peak", 0 },
	{ "9:name=systemd:/box\n5:memory:/m\n4:cpuacct:/c\n0::/\n",
	    "9:name=systemd:/\n5:memory:/\n4:cpuacct:/\n0::/\n",
	    "cgroup/cpuacct/c/cpuacct.usage",
	    "cgroup/memory/m/memory.max_usage_in_bytes", 1 },
	{ "4:cpu,cpuacct:/box\n5:memory:/box\n", "",
	    "cgroup/cpu,cpuacct/box/cpuacct.usage",
	    "cgroup/memory/box/memory.max_usage_in_bytes", 1 },
	/* Both versions: memory is of the first. */
	{ "5:memory:/box\n0::/box\n", "5:memory:/\n0::/\n",
	    "cgroup/box/cpu.stat",
	    "cgroup/memory/box/memory.max_usage_in_bytes", 0 },
};

static void
put_counts(int i, unsigned int cpu_us, unsigned int kib)
{
	auto_free char *memory = mem_printf("%u\n", kib * 1024);
	auto_free char *cpu = found[i].in_nanoseconds ?
	    mem_printf("%u999\n", cpu_us) :
	    mem_printf("user_usec 1\nusage_usec %u\nsystem_usec 1\n", cpu_us);

	put(found[i].cpu, cpu);
	put(found[i].memory, memory);
}

static void
has(const struct container_usage *usage, uint64_t cpu_us, uint64_t peak_kib)
{
	ck_assert_uint_eq(container_usage_cpu_us(usage), cpu_us);
	ck_assert_uint_eq(container_usage_peak_kib(usage), peak_kib);
}

UNIT_TESTS(reads_counts, UNIT_COUNT(found))
{
	struct container_usage *usage;
	int fds = unit_open_fds();

	put("proc/42/cgroup", found[_i].theirs);
	put("proc/self/cgroup", found[_i].own);
	put_counts(_i, 5000, 100);
	usage = open_usage();
	ck_assert_ptr_nonnull(usage);
	has(usage, 0, 100);
	put_counts(_i, 7000, 300);
	container_usage_read(usage);
	has(usage, 2000, 300);
	/* The cgroup is removed. */
	put(found[_i].cpu, "");
	put(found[_i].memory, "");
	container_usage_read(usage);
	has(usage, 2000, 300);
	container_usage_raise(usage, 6000, 299);
	has(usage, 2000, 300);
	container_usage_raise(usage, 8000, 301);
	has(usage, 3000, 301);
	container_usage_free(&usage);
	ck_assert_ptr_null(usage);
	ck_assert_int_eq(unit_open_fds(), fds);
}

/* What others have used, or nothing. */
static const struct {
	const char *theirs, *own;
} strange[] = {
	{ "0::/box\n", "0::/box\n" },
	{ "5:memory:/box\n0::/box\n", "0::/box\n5:memory:/box" },
	{ "0::/other\n", "" },
	{ "0::\n", "" },
	{ "0\n", "" },
	{ "", "" },
	{ "3:memory2,cpuacct2:/box\n", "" },
};

UNIT_TESTS(reads_nothing_of_others, UNIT_COUNT(strange))
{
	struct container_usage *usage;

	put("proc/42/cgroup", strange[_i].theirs);
	put("proc/self/cgroup", strange[_i].own);
	put("cgroup/box/cpu.stat", "usage_usec 7\n");
	put("cgroup/memory/box/memory.max_usage_in_bytes", "7");
	put("cgroup/memory2,cpuacct2/box/cpuacct.usage", "7");
	usage = open_usage();
	ck_assert_ptr_null(usage);
	container_usage_read(usage);
	container_usage_raise(usage, 1, 1);
	has(usage, 0, 0);
	container_usage_free(&usage);
}

/* Its process has ended. */
UNIT_TEST(needs_the_process)
{
	put("proc/self/cgroup", "0::/\n");
	ck_assert_ptr_null(open_usage());
}
