/*
 * Tests of supervisor/box/oci_bundle: config.json is JSON and promises what the
 * command lines of engines promise. What crun and runc make of it is for other
 * tests to see.
 */
#include <jansson.h>
#include <string.h>

#include "common/mem.h"
#include "common/text_list.h"
#include "supervisor/box/oci_bundle.h"
#include "unit.h"

static const char *const command[] = { "python3", "-I", "a \"b\"", NULL };

static const struct container container = {
	.name = "caisson-5-77-3",
	.run = "5-77",
	.number = 3,
	.uid = 65534,
	.gid = 65533,
	.bootstrap = "/usr/lib/a \"b\"",
	.command = command,
	.memory_bytes = 64ULL << 30,
	.files_bytes = 16 << 20,
	.processes = 128,
	.user_processes = 4096,
	.cpus = 150,
	.threads = { .blas = 3, .omp = 5 },
};

static const struct oci_bundle bundle = {
	.container = &container,
	.rootfs = "/var/lib/a \"b\"/rootfs",
	.seccomp = "{\"defaultAction\":\"SCMP_ACT_ERRNO\"}",
	.filter = "BgAAAAEABQA=",
	.cgroup = "/caisson/box-3",
};

static json_t *
config(const struct oci_bundle *of)
{
	auto_buffer struct buffer text = { 0 };
	json_error_t error;
	json_t *json;

	oci_bundle_config(&text, of);
	json = json_loadb(
	    text.data, text.len, JSON_REJECT_DUPLICATES, &error);
	ck_assert_msg(json != NULL, "%s: %s", error.text, text.data);
	return json;
}

/* Returns the value below a path such as "a.b", of keys only. */
static json_t *
at(json_t *json, const char *path)
{
	auto_free char *copy = mem_strdup(path);
	char *rest = copy, *key;

	while ((key = strsep(&rest, ".")) != NULL) {
		json = json_object_get(json, key);
		ck_assert_msg(json != NULL, "%s is missing", path);
	}
	return json;
}

/* The values of single keys, as compact JSON. */
static const struct {
	const char *path, *value;
} wanted[] = {
	{ "ociVersion", "\"1.0.2\"" },
	{ "hostname", "\"box\"" },
	{ "root", "{\"readonly\":true,"
	    "\"path\":\"/var/lib/a \\\"b\\\"/rootfs\"}" },
	{ "process.terminal", "false" },
	{ "process.user", "{\"uid\":65534,\"gid\":65533,\"umask\":18}" },
	{ "process.args", "[\"python3\",\"-I\",\"a \\\"b\\\"\"]" },
	{ "process.cwd", "\"/workspace\"" },
	{ "process.noNewPrivileges", "true" },
	{ "process.capabilities", "{\"bounding\":[],\"effective\":[],"
	    "\"inheritable\":[],\"permitted\":[],\"ambient\":[]}" },
	{ "process.rlimits", "["
	    "{\"type\":\"RLIMIT_NOFILE\",\"hard\":256,\"soft\":256},"
	    "{\"type\":\"RLIMIT_NPROC\",\"hard\":4096,\"soft\":4096},"
	    "{\"type\":\"RLIMIT_FSIZE\",\"hard\":17825792,"
	    "\"soft\":17825792},"
	    "{\"type\":\"RLIMIT_SIGPENDING\",\"hard\":1024,\"soft\":1024},"
	    "{\"type\":\"RLIMIT_CORE\",\"hard\":1,\"soft\":1},"
	    "{\"type\":\"RLIMIT_MEMLOCK\",\"hard\":0,\"soft\":0},"
	    "{\"type\":\"RLIMIT_MSGQUEUE\",\"hard\":0,\"soft\":0}]" },
	{ "annotations", "{\"caisson.run\":\"5-77\",\"caisson.box\":\"3\","
	    "\"run.oci.seccomp_bpf_data\":\"BgAAAAEABQA=\"}" },
	{ "linux.namespaces", "[{\"type\":\"pid\"},{\"type\":\"network\"},"
	    "{\"type\":\"ipc\"},{\"type\":\"uts\"},{\"type\":\"mount\"},"
	    "{\"type\":\"cgroup\"}]" },
	{ "linux.cgroupsPath", "\"/caisson/box-3\"" },
	{ "linux.resources.memory",
	    "{\"limit\":68719476736,\"swap\":68719476736}" },
	{ "linux.resources.pids", "{\"limit\":128}" },
	{ "linux.resources.cpu", "{\"quota\":150000,\"period\":100000}" },
	{ "linux.resources.devices",
	    "[{\"allow\":false,\"access\":\"rwm\"}]" },
	{ "linux.seccomp", "{\"defaultAction\":\"SCMP_ACT_ERRNO\"}" },
	{ "linux.rootfsPropagation", "\"private\"" },
};

START_TEST(a_key_has_its_value)
{
	json_t *json = config(&bundle);
	auto_free char *value = json_dumps(
	    at(json, wanted[_i].path), JSON_COMPACT | JSON_ENCODE_ANY);

	ck_assert_str_eq(value, wanted[_i].value);
	json_decref(json);
}
END_TEST

static int
has(json_t *list, const char *text)
{
	json_t *one;
	size_t i;

	json_array_foreach(list, i, one)
		if (strcmp(json_string_value(one), text) == 0)
			return 1;
	return 0;
}

/* No fact of the host stands in it that code does not need. */
START_TEST(the_host_is_hidden)
{
	json_t *json = config(&bundle);
	size_t i;

	for (i = 0; container_hidden[i] != NULL; i++)
		ck_assert_msg(has(at(json, "linux.maskedPaths"),
		    container_hidden[i]), "%s", container_hidden[i]);
	ck_assert(!has(at(json, "linux.maskedPaths"), "/sys/fs/cgroup"));
	json_decref(json);
}
END_TEST

/* Nothing is a device or a program of another user, or is executed. */
START_TEST(mounts_are_confined)
{
	json_t *json = config(&bundle), *mount, *options;
	const char *place;
	size_t i;

	json_array_foreach(at(json, "mounts"), i, mount) {
		place = json_string_value(at(mount, "destination"));
		options = at(mount, "options");
		ck_assert_msg(has(options, "nosuid"), "%s", place);
		ck_assert_msg(has(options, "nodev") ||
		    strcmp(place, "/dev") == 0, "%s", place);
		ck_assert_msg(has(options, "noexec") ||
		    has(options, "ro"), "%s", place);
	}
	json_decref(json);
}
END_TEST

START_TEST(only_these_are_mounted)
{
	static const char *const places[] = { "/proc", "/dev", "/sys",
		"/sys/fs/cgroup", "/run", "/dev/shm", "/tmp", "/workspace",
		"/workspace/out", CONTAINER_BOOTSTRAP };
	json_t *json = config(&bundle), *mount;
	size_t i;

	ck_assert_uint_eq(
	    json_array_size(at(json, "mounts")), UNIT_COUNT(places));
	json_array_foreach(at(json, "mounts"), i, mount)
		ck_assert_str_eq(
		    json_string_value(at(mount, "destination")), places[i]);
	mount = json_array_get(at(json, "mounts"), 7);
	ck_assert(has(at(mount, "options"), "size=16777216"));
	ck_assert(has(at(mount, "options"), "nr_inodes=16384"));
	mount = json_array_get(at(json, "mounts"), 9);
	ck_assert_str_eq(
	    json_string_value(at(mount, "source")), "/usr/lib/a \"b\"");
	json_decref(json);
}
END_TEST

START_TEST(conversations_have_a_directory)
{
	struct container plain = container;
	struct oci_bundle of = bundle;
	auto_free char *options = NULL;
	json_t *json, *mount;

	plain.data = 1;
	of.container = &plain;
	json = config(&of);
	mount = json_array_get(at(json, "mounts"), 9);
	ck_assert_str_eq(
	    json_string_value(at(mount, "destination")), "/data");
	ck_assert_str_eq(json_string_value(at(mount, "type")), "tmpfs");
	options = json_dumps(at(mount, "options"), JSON_COMPACT);
	ck_assert_str_eq(options, "[\"nosuid\",\"noexec\",\"nodev\","
	    "\"mode=1777\",\"size=16777216\",\"nr_inodes=16384\","
	    "\"uid=65534\",\"gid=65533\"]");
	json_decref(json);
}
END_TEST

/* Where the language is an image, which may have no program for it. */
START_TEST(process_1_is_ours)
{
	struct container image = container;
	struct oci_bundle of = bundle;
	auto_free char *args = NULL;
	json_t *json, *mount;

	image.bootstrap = NULL;
	image.first = "/usr/lib/a \"b\"/first";
	of.container = &image;
	json = config(&of);
	args = json_dumps(at(json, "process.args"), JSON_COMPACT);
	ck_assert_str_eq(args, "[\"" CONTAINER_FIRST "\",\"python3\",\"-I\","
	    "\"a \\\"b\\\"\"]");
	ck_assert_uint_eq(json_array_size(at(json, "mounts")), 10);
	mount = json_array_get(at(json, "mounts"), 9);
	ck_assert_str_eq(json_string_value(at(mount, "destination")),
	    CONTAINER_FIRST);
	ck_assert_str_eq(
	    json_string_value(at(mount, "source")), image.first);
	ck_assert(has(at(mount, "options"), "ro"));
	ck_assert(has(at(mount, "options"), "nosuid"));
	json_decref(json);
}
END_TEST

START_TEST(the_variables_are_ours)
{
	json_t *json = config(&bundle);

	ck_assert_uint_eq(json_array_size(at(json, "process.env")), 11);
	ck_assert(has(at(json, "process.env"), "HOME=/workspace"));
	json_decref(json);
}
END_TEST

/* Those of the image, but ours; the folder of programs stays the first one. */
START_TEST(the_image_has_variables_too)
{
	auto_buffer struct buffer variables = { 0 };
	struct container own = container;
	struct oci_bundle of = bundle;
	auto_free char *value = NULL;
	json_t *json;

	text_list_add(&variables, "GEM_HOME=/gems \"a\"");
	text_list_add(&variables, "PATH=/gems/bin:/usr/bin");
	text_list_add(&variables, "HOME=/root");
	text_list_add(&variables, "LANG2=x");
	text_list_add(&variables, "MALLOC_ARENA_MAX=9");
	text_list_add(&variables, "OMP_NUM_THREADS=99");
	text_list_add(&variables, "OPENBLAS_NUM_THREADS=99");
	own.variables = &variables;
	own.programs = _i == 0 ? NULL : "/run/caisson/shell";
	of.container = &own;
	json = config(&of);
	value = json_dumps(at(json, "process.env"), JSON_COMPACT);
	ck_assert_str_eq(strstr(value, "/gems/bin"),
	    "/gems/bin:/usr/bin\",\"GEM_HOME=/gems \\\"a\\\"\",\"LANG2=x\","
	    "\"HOME=/workspace\",\"TMPDIR=/tmp\",\"LANG=C.UTF-8\","
	    "\"TERM=dumb\",\"XDG_CACHE_HOME=/tmp/.cache\","
	    "\"MPLCONFIGDIR=/tmp/.cache/matplotlib\",\"MPLBACKEND=Agg\","
	    "\"MALLOC_ARENA_MAX=2\",\"OPENBLAS_NUM_THREADS=3\","
	    "\"OMP_NUM_THREADS=5\"]");
	ck_assert(has(at(json, "process.env"), _i == 0 ?
	    "PATH=/gems/bin:/usr/bin" :
	    "PATH=/run/caisson/shell:/gems/bin:/usr/bin"));
	json_decref(json);
}
END_TEST

START_TEST(limits_may_be_missing)
{
	struct container plain = container;
	struct oci_bundle of = bundle;
	json_t *json;

	plain.cpus = 0;
	plain.user_processes = 0;
	of.container = &plain;
	json = config(&of);
	ck_assert_ptr_null(json_object_get(at(json, "linux.resources"), "cpu"));
	ck_assert_uint_eq(json_array_size(at(json, "process.rlimits")), 6);
	json_decref(json);
}
END_TEST

START_TEST(command_lines_name_the_container)
{
	static const char run[] = "/bin/crun\0--root\0/run/c\0run\0--bundle\0"
	    "/b\0caisson-1";
	static const char remove[] =
	    "/bin/crun\0--root\0/run/c\0delete\0--force\0caisson-1";
	auto_buffer struct buffer list = { 0 };

	oci_argv_run(&list, "/bin/crun", "/run/c", "/b", "caisson-1");
	ck_assert_mem_eq(list.data, run, sizeof(run));
	ck_assert_uint_eq(list.len, sizeof(run));
	buffer_reset(&list);
	oci_argv_remove(&list, "/bin/crun", "/run/c", "caisson-1");
	ck_assert_mem_eq(list.data, remove, sizeof(remove));
	ck_assert_uint_eq(list.len, sizeof(remove));
}
END_TEST

static void
add_tests(TCase *tc)
{
	tcase_add_loop_test(tc, a_key_has_its_value, 0, UNIT_COUNT(wanted));
	tcase_add_test(tc, mounts_are_confined);
	tcase_add_test(tc, the_host_is_hidden);
	tcase_add_test(tc, only_these_are_mounted);
	tcase_add_test(tc, conversations_have_a_directory);
	tcase_add_test(tc, process_1_is_ours);
	tcase_add_test(tc, the_variables_are_ours);
	tcase_add_loop_test(tc, the_image_has_variables_too, 0, 2);
	tcase_add_test(tc, limits_may_be_missing);
	tcase_add_test(tc, command_lines_name_the_container);
}

int
main(void)
{
	return unit_run("oci_bundle", add_tests);
}
