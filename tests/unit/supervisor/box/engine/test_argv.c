/*
 * Tests of supervisor/box/engine/argv: what each engine is asked for, word
 * by word, what each property of a container does to that, and which ones are
 * refused. That podman and docker accept the words is for other tests to see.
 */
#include <string.h>

#include "common/base/buffer.h"
#include "common/limits.h"
#include "common/base/mem.h"
#include "common/base/text_list.h"
#include "supervisor/box/engine/engine.h"
#include "tests/unit/unit.h"

static const char *const command[] = { "python3", "-I",
	CONTAINER_BOOTSTRAP "/bootstrap.py", NULL };

static const struct container plain = {
	.name = "caisson-5-77-3",
	.run = "5-77",
	.number = 3,
	.image = "localhost/python:1",
	.uid = 65534,
	.gid = 65533,
	.profile = "/usr/libexec/caisson/box_profile.json",
	.bootstrap = "/usr/libexec/caisson/python",
	.command = command,
	.memory_bytes = 64 << 20,
	.files_bytes = 16 << 20,
	.processes = 128,
	.threads = { .blas = 3, .omp = 5 },
	.user_processes = 4096,
	.lifetime = 600,
};

/* The words, joined by newlines: each has one before and after it. */
static char *
join(const struct buffer *list)
{
	struct buffer text = { 0 };
	const char *word;

	buffer_add_text(&text, "\n");
	TEXT_LIST_EACH (word, list->data, list->len)
		buffer_printf(&text, "%s\n", word);
	return buffer_take(&text, NULL);
}

static char *
run(enum container_engine engine, const struct container *container)
{
	auto_buffer struct buffer list = { 0 };
	struct err err;

	ck_assert_msg(container_check(container, &err) == 0, "%s", err.text);
	container_argv_run(&list, engine, "/usr/bin/engine", container);
	return join(&list);
}

#define BOTH 2

static const struct {
	enum container_engine engine; /* or BOTH */
	const char *words; /* one option, joined by newlines */
} wanted[] = {
	{ BOTH, "/usr/bin/engine\nrun" },
	{ BOTH, "--name\ncaisson-5-77-3" },
	{ BOTH, "--label\ncaisson.run=5-77" },
	{ BOTH, "--label\ncaisson.box=3" },
	{ BOTH, "--rm" },
	{ BOTH, "--interactive" },
	{ BOTH, "--init" },
	{ BOTH, "--sig-proxy=false" },
	{ BOTH, "--pull\nnever" },
	{ BOTH, "--log-driver\nnone" },
	{ BOTH, "--no-healthcheck" },
	{ BOTH, "--network\nnone" },
	{ BOTH, "--ipc\nprivate" },
	{ BOTH, "--cgroupns\nprivate" },
	{ CONTAINER_PODMAN, "--pid\nprivate" },
	{ CONTAINER_PODMAN, "--uts\nprivate" },
	{ BOTH, "--hostname\nbox" },
	{ BOTH, "--read-only" },
	{ CONTAINER_PODMAN, "--read-only-tmpfs=false" },
	{ CONTAINER_PODMAN, "--image-volume\nignore" },
	{ CONTAINER_PODMAN, "--http-proxy=false" },
	{ CONTAINER_PODMAN, "--no-hosts" },
	{ CONTAINER_PODMAN, "--systemd\nfalse" },
	{ CONTAINER_PODMAN, "--detach-keys\n" },
	{ CONTAINER_PODMAN, "--timeout\n600" },
	{ CONTAINER_DOCKER, "--env\nHTTPS_PROXY=" },
	{ CONTAINER_DOCKER, "--env\nall_proxy=" },
	{ BOTH, "--cap-drop\nALL" },
	{ BOTH, "--security-opt\nno-new-privileges" },
	{ BOTH, "--security-opt\n"
	    "seccomp=/usr/libexec/caisson/box_profile.json" },
	{ BOTH, "--user\n65534:65533" },
#define TMPFS(engine, path, owner)                                             \
	{ engine, "--tmpfs\n" path ":rw,noexec,nosuid,nodev,mode=1777,"        \
	    "size=16777216," owner }
	TMPFS(CONTAINER_PODMAN, "/tmp", "U,notmpcopyup"),
	TMPFS(CONTAINER_PODMAN, "/workspace", "U,notmpcopyup"),
	TMPFS(CONTAINER_PODMAN, "/workspace/out", "U,notmpcopyup"),
	TMPFS(CONTAINER_DOCKER, "/tmp", "uid=65534,gid=65533"),
	TMPFS(CONTAINER_DOCKER, "/workspace", "uid=65534,gid=65533"),
	TMPFS(CONTAINER_DOCKER, "/workspace/out", "uid=65534,gid=65533"),
	{ BOTH, "--shm-size\n16777216" },
	{ BOTH, "--mount\ntype=bind,source=/usr/libexec/caisson/python,"
	    "destination=/run/caisson,readonly" },
	{ BOTH, "--memory\n67108864" },
	{ BOTH, "--memory-swap\n67108864" },
	{ BOTH, "--pids-limit\n128" },
	{ BOTH, "--env\nOPENBLAS_NUM_THREADS=3" },
	{ BOTH, "--env\nOMP_NUM_THREADS=5" },
	{ BOTH, "--ulimit\nnofile=256:256" },
	{ BOTH, "--ulimit\nnproc=4096:4096" },
	{ BOTH, "--ulimit\ncore=1:1" },
	{ BOTH, "--ulimit\nmemlock=0:0" },
	{ BOTH, "--ulimit\nmsgqueue=0:0" },
	/* A MiB more than a directory, so that a full one is seen as such. */
	{ BOTH, "--ulimit\nfsize=17825792:17825792" },
	{ BOTH, "--ulimit\nsigpending=1024:1024" },
	{ CONTAINER_PODMAN, "--security-opt\nmask=/dev/mqueue:/sys/block:"
	    "/sys/bus:/sys/class:/sys/dev:/sys/devices:/sys/hypervisor:"
	    "/sys/kernel:/sys/module:/sys/power:/proc/sys:/proc/bus:"
	    "/proc/cmdline:/proc/config.gz:/proc/cpuinfo:/proc/driver:"
	    "/proc/fs:/proc/interrupts:/proc/irq:/proc/kallsyms:/proc/kmsg:"
	    "/proc/meminfo:/proc/modules:/proc/pagetypeinfo:/proc/partitions:"
	    "/proc/sysvipc:/proc/version" },
	{ BOTH, "--entrypoint\npython3\nlocalhost/python:1\n-I\n"
	    "/run/caisson/bootstrap.py" },
};

/* Returns how often the words are among the others, as whole words. */
static size_t
count(const char *all, const char *words)
{
	auto_free char *whole = mem_printf("\n%s\n", words);
	size_t n = 0;

	while ((all = strstr(all, whole)) != NULL) {
		n++;
		all++;
	}
	return n;
}

UNIT_TESTS(each_engine_is_asked_for_it_once, UNIT_COUNT(wanted))
{
	enum container_engine engine;

	for (engine = 0; engine < BOTH; engine++) {
		auto_free char *all = run(engine, &plain);
		int is_wanted = wanted[_i].engine == BOTH ||
		    wanted[_i].engine == engine;

		ck_assert_msg(
		    count(all, wanted[_i].words) == (is_wanted ? 1 : 0),
		    "engine %d: %s in %s", (int)engine, wanted[_i].words, all);
	}
}

/* So that a new option is not forgotten above. */
UNIT_TEST(nothing_else_is_asked_for)
{
	enum container_engine engine;
	size_t i, words, options;
	const char *p;

	for (engine = 0; engine < BOTH; engine++) {
		auto_free char *all = run(engine, &plain);

		/* The directory, and other variables. */
		options = engine == CONTAINER_DOCKER ? 9 + 8 : 9;
		words = 0;
		for (i = 0; i < UNIT_COUNT(wanted); i++)
			options += strncmp(wanted[i].words, "--", 2) == 0 &&
			    count(all, wanted[i].words) == 1;
		for (p = all; (p = strstr(p, "\n--")) != NULL; p++)
			words++;
		ck_assert_uint_eq(words, options);
	}
}

/* A language that comes as an image: its command, below process 1 of ours. */
UNIT_TESTS(process_1_can_be_ours, 2)
{
	struct container container = plain;
	auto_free char *words = NULL;

	container.bootstrap = NULL;
	container.first = "/usr/libexec/caisson/box/first";
	words = run(CONTAINER_PODMAN + _i, &container);
	ck_assert_uint_eq(count(words, "--mount\ntype=bind,"
	    "source=/usr/libexec/caisson/box/first,"
	    "destination=/run/caisson-first,readonly"), 1);
	ck_assert_uint_eq(count(words, "--entrypoint\n/run/caisson-first\n"
	    "localhost/python:1\n--\npython3\n-I\n"
	    "/run/caisson/bootstrap.py"), 1);
	ck_assert_ptr_null(strstr(words, "--init"));
	ck_assert_uint_eq(count(words, "--mount"), 1);
}

UNIT_TEST(processors_are_limited_on_request)
{
	struct container container = plain;
	auto_free char *without = run(CONTAINER_PODMAN, &container);
	auto_free char *with = NULL;

	container.cpus = 105;
	with = run(CONTAINER_PODMAN, &container);
	ck_assert_uint_eq(count(without, "--cpus"), 0);
	ck_assert_uint_eq(count(with, "--cpus\n1.05"), 1);
}

UNIT_TESTS(conversations_have_a_directory, 2)
{
	enum container_engine engine = CONTAINER_PODMAN + _i;
	auto_free char *words = mem_printf("--tmpfs\n/data:rw,noexec,nosuid,"
	    "nodev,mode=1777,size=16777216,%s", engine == CONTAINER_PODMAN ?
	    "U,notmpcopyup" : "uid=65534,gid=65533");
	struct container container = plain;
	auto_free char *without = run(engine, &container);
	auto_free char *with = NULL;

	container.data = 1;
	with = run(engine, &container);
	ck_assert_uint_eq(count(with, words), 1);
	ck_assert_ptr_null(strstr(without, "/data"));
}

UNIT_TEST(a_user_may_have_any_number_of_processes)
{
	struct container container = plain;
	auto_free char *all = NULL;

	container.user_processes = 0;
	all = run(CONTAINER_DOCKER, &container);
	ck_assert_ptr_null(strstr(all, "nproc"));
}

/* Large numbers are not cut. */
UNIT_TEST(numbers_are_whole)
{
	struct container container = plain;
	auto_free char *all = NULL;

	container.memory_bytes = 64ULL << 30;
	container.files_bytes = 16ULL << 30;
	container.uid = container.gid = CONTAINER_ID_MAX;
	all = run(CONTAINER_PODMAN, &container);
	ck_assert_uint_eq(count(all, "--memory\n68719476736"), 1);
	ck_assert_uint_eq(count(all, "--shm-size\n17179869184"), 1);
	ck_assert_uint_eq(count(all, "--user\n4294967294:4294967294"), 1);
}

UNIT_TEST(a_container_is_removed_by_name)
{
	static const char *const lines[] = {
		"\n/bin/e\nrm\n--force\n--volumes\n--time\n0\na\n",
		"\n/bin/e\nrm\n--force\n--volumes\na\n",
	};
	enum container_engine engine;

	for (engine = 0; engine < BOTH; engine++) {
		auto_buffer struct buffer list = { 0 };
		auto_free char *all = NULL;

		container_argv_remove(&list, engine, "/bin/e", "a");
		all = join(&list);
		ck_assert_str_eq(all, lines[engine]);
	}
}

UNIT_TEST(containers_are_listed_by_label)
{
	static const char *const formats[] = {
		"{{index .Labels \"caisson.run\"}} {{.Names}}",
		"{{.Label \"caisson.run\"}} {{.Names}}",
	};
	enum container_engine engine;

	for (engine = 0; engine < BOTH; engine++) {
		auto_buffer struct buffer list = { 0 };
		auto_free char *all = NULL;
		auto_free char *line = mem_printf("\n/bin/e\nps\n--all\n"
		    "--filter\nlabel=caisson.run\n--format\n%s\n",
		    formats[engine]);

		container_argv_list(&list, engine, "/bin/e");
		all = join(&list);
		ck_assert_str_eq(all, line);
	}
}

UNIT_TEST(asks_whether_a_container_exists)
{
	auto_buffer struct buffer list = { 0 };
	auto_free char *all = NULL;

	container_argv_find(&list, "/bin/e", "a");
	all = join(&list);
	ck_assert_str_eq(all,
	    "\n/bin/e\nps\n--all\n--quiet\n--filter\nname=^/a$\n");
}

UNIT_TEST(asks_where_a_container_runs)
{
	auto_buffer struct buffer list = { 0 };
	auto_free char *all = NULL;

	container_argv_inspect(&list, "/bin/e", "a");
	all = join(&list);
	ck_assert_str_eq(all, "\n/bin/e\ninspect\n--type\ncontainer\n"
	    "--format\n{{.State.Pid}} {{.Id}}\na\n");
}

static const struct {
	struct container with; /* its fields that are set */
	const char *says; /* NULL: it is accepted */
} checks[] = {
	{ { 0 }, NULL },
	{ { .image = "docker.io/library/python@sha256:0123" }, NULL },
	{ { .name = "--privileged" }, "is no name" },
	{ { .name = "" }, "is no name" },
	{ { .name = "a b" }, "is no name" },
	{ { .name = ".." }, "is no name" },
	{ { .run = "a=b" }, "is no name" },
	{ { .image = "" }, "'' is not the name of an image" },
	{ { .image = "--privileged" },
	    "'--privileged' is not the name of an image" },
	{ { .image = "a b" }, "'a b' is not the name of an image" },
	{ { .bootstrap = "/a,source=/etc" }, "a comma, a quote" },
	{ { .bootstrap = "/a\"b" }, "a comma, a quote" },
	{ { .bootstrap = "python" }, "does not begin with a slash" },
};

UNIT_TESTS(what_an_engine_would_misread_is_refused, UNIT_COUNT(checks))
{
	struct container container = plain;
	struct err err = { 0 };
	int result;

	if (checks[_i].with.name != NULL)
		container.name = checks[_i].with.name;
	if (checks[_i].with.run != NULL)
		container.run = checks[_i].with.run;
	if (checks[_i].with.image != NULL)
		container.image = checks[_i].with.image;
	if (checks[_i].with.bootstrap != NULL)
		container.bootstrap = checks[_i].with.bootstrap;
	result = container_check(&container, &err);
	ck_assert_int_eq(result, checks[_i].says == NULL ? 0 : -1);
	if (result == -1)
		ck_assert_ptr_nonnull(strstr(err.text, checks[_i].says));
}

UNIT_TESTS(root_is_refused, 5)
{
	static const struct {
		uint32_t uid, gid;
	} users[] = { { 0, 0 }, { 1000, 0 }, { 0, 1000 },
		{ UINT32_MAX, 1000 }, { 1000, UINT32_MAX } };
	struct container container = plain;
	struct err err = { 0 };

	container.uid = users[_i].uid;
	container.gid = users[_i].gid;
	ck_assert_int_eq(container_check(&container, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "cannot run as root"));
}

UNIT_TEST(asks_for_images)
{
	auto_buffer struct buffer list = { 0 };
	auto_free char *all = NULL;

	container_argv_images(&list, "/bin/e", "a=b", "{{.ID}}");
	all = join(&list);
	ck_assert_str_eq(all, "\n/bin/e\nimage\nls\n--no-trunc\n"
	    "--filter\na=b\n--format\n{{.ID}}\n");
}
