/*
 * The file config.json of a bundle, and the command lines of crun and runc: see
 * oci_bundle.h. The format is that of the OCI runtime specification, version
 * 1.0.2. What is not named there, the code does not get: no capability, no
 * device, no file system but these. Runs in the supervisor; only composes text.
 */
#include <string.h>

#include "../../common/json.h"
#include "../../common/limits.h"
#include "../../common/mem.h"
#include "../../common/text_list.h"
#include "oci_bundle.h"

/* crun(1): the filter, compiled, for which crun ignores the profile. */
#define OCI_FILTER "run.oci.seccomp_bpf_data"

/* Adds the texts of a list that ends with NULL, and what ends an array. */
static void
oci_add_more_texts(
    struct buffer *json, const char *before, const char *const *texts)
{
	for (; *texts != NULL; texts++) {
		buffer_add_text(json, before);
		json_add_text(json, *texts);
		before = ",";
	}
	buffer_add_text(json, "]");
}

/* Adds the texts of a list that ends with NULL, as a JSON array. */
static void
oci_add_texts(struct buffer *json, const char *const *texts)
{
	oci_add_more_texts(json, "[", texts);
}

/* The command, below process 1 where that is ours. */
static void
oci_add_command(struct buffer *json, const struct container *container)
{
	if (container->first != NULL)
		buffer_add_text(json, "[\"" CONTAINER_FIRST "\"");
	oci_add_more_texts(
	    json, container->first != NULL ? "," : "[", container->command);
}

/*
 * The variables of a box, which an image cannot change; behind them come the
 * numbers of threads.
 */
static const char *const oci_variables[] = { "HOME=/workspace", "TMPDIR=/tmp",
	"LANG=C.UTF-8", "TERM=dumb", "XDG_CACHE_HOME=/tmp/.cache",
	"MPLCONFIGDIR=/tmp/.cache/matplotlib", "MPLBACKEND=Agg",
	"MALLOC_ARENA_MAX=2", NULL };

/* Returns whether both texts NAME=VALUE have this name, whose length it is. */
static int
oci_is_same(const char *one, const char *other, size_t len)
{
	return strncmp(one, other, len + 1) == 0;
}

/* Returns whether it is one of ours, or PATH. */
static int
oci_is_ours(const char *variable)
{
	size_t len = strcspn(variable, "="), i;
	int is = oci_is_same("PATH=", variable, len) |
	    oci_is_same(LIBRARY_THREADS_BLAS, variable, len) |
	    oci_is_same(LIBRARY_THREADS_OMP, variable, len);

	for (i = 0; oci_variables[i] != NULL; i++)
		is |= oci_is_same(oci_variables[i], variable, len);
	return is;
}

/* Adds the variables: those of the image, then ours. */
static void
oci_add_variables(struct buffer *json, const struct container *container)
{
	static const struct buffer none;
	const struct buffer *list =
	    container->variables == NULL ? &none : container->variables;
	const char *text, *path = "PATH=" CONTAINER_PATH;
	auto_free char *whole = NULL;
	size_t i;

	TEXT_LIST_EACH (text, list->data, list->len)
		if (strncmp(text, "PATH=", 5) == 0)
			path = text;
	whole = mem_printf("PATH=%s%s%s",
	    container->programs == NULL ? "" : container->programs,
	    container->programs == NULL ? "" : ":", path + strlen("PATH="));
	buffer_add_text(json, ",\"env\":[");
	json_add_text(json, whole);
	TEXT_LIST_EACH (text, list->data, list->len) {
		if (oci_is_ours(text))
			continue;
		buffer_add_text(json, ",");
		json_add_text(json, text);
	}
	for (i = 0; oci_variables[i] != NULL; i++)
		buffer_printf(json, ",\"%s\"", oci_variables[i]);
	buffer_printf(json,
	    ",\"" LIBRARY_THREADS_BLAS "\",\"" LIBRARY_THREADS_OMP "\"]",
	    container->threads.blas, container->threads.omp);
}

static void
oci_add_process(struct buffer *json, const struct container *container)
{
	unsigned long processes = container->user_processes;
	unsigned long long file = container->files_bytes + BOX_FILE_EXTRA;

	buffer_printf(json, "\"process\":{\"terminal\":false,"
	    "\"user\":{\"uid\":%lu,\"gid\":%lu,\"umask\":18},\"args\":",
	    (unsigned long)container->uid, (unsigned long)container->gid);
	oci_add_command(json, container);
	oci_add_variables(json, container);
	buffer_add_text(json, ",\"cwd\":\"/workspace\","
	    "\"noNewPrivileges\":true,\"capabilities\":{\"bounding\":[],"
	    "\"effective\":[],\"inheritable\":[],\"permitted\":[],"
	    "\"ambient\":[]},\"rlimits\":[");
	buffer_printf(json, "{\"type\":\"RLIMIT_NOFILE\",\"hard\":%d,"
	    "\"soft\":%d},", BOX_NOFILE, BOX_NOFILE);
	if (processes > 0)
		buffer_printf(json, "{\"type\":\"RLIMIT_NPROC\",\"hard\":%lu,"
		    "\"soft\":%lu},", processes, processes);
	buffer_printf(json, "{\"type\":\"RLIMIT_FSIZE\",\"hard\":%llu,"
	    "\"soft\":%llu},{\"type\":\"RLIMIT_SIGPENDING\",\"hard\":%d,"
	    "\"soft\":%d},", file, file, BOX_SIGPENDING, BOX_SIGPENDING);
	/* 1, not 0: see container_argv.c. */
	buffer_add_text(json, "{\"type\":\"RLIMIT_CORE\",\"hard\":1,"
	    "\"soft\":1},{\"type\":\"RLIMIT_MEMLOCK\",\"hard\":0,"
	    "\"soft\":0},{\"type\":\"RLIMIT_MSGQUEUE\",\"hard\":0,"
	    "\"soft\":0}]}");
}

/*
 * Adds a comma and a writable directory of the code, which owns it: see
 * container_argv.c.
 */
static void
oci_add_folder(
    struct buffer *json, const char *path, const struct container *container)
{
	buffer_printf(json, ",{\"destination\":\"%s\",\"type\":\"tmpfs\","
	    "\"source\":\"tmpfs\",\"options\":[\"nosuid\",\"noexec\","
	    "\"nodev\",\"mode=1777\",\"size=%llu\",\"nr_inodes=%d\","
	    "\"uid=%lu\",\"gid=%lu\"]}", path,
	    (unsigned long long)container->files_bytes, BOX_INODES,
	    (unsigned long)container->uid, (unsigned long)container->gid);
}

/* Adds a comma and a file or folder of ours, at a path in the container. */
static void
oci_add_ours(struct buffer *json, const char *path, const char *source)
{
	buffer_printf(json, ",{\"destination\":\"%s\",\"type\":\"bind\","
	    "\"source\":", path);
	json_add_text(json, source);
	buffer_add_text(json, ",\"options\":[\"bind\",\"ro\",\"nosuid\","
	    "\"nodev\"]}");
}

/* In this order: some are mounted in others. */
static void
oci_add_mounts(struct buffer *json, const struct container *container)
{
	buffer_add_text(json, "\"mounts\":["
	    "{\"destination\":\"/proc\",\"type\":\"proc\",\"source\":\"proc\","
	    "\"options\":[\"nosuid\",\"noexec\",\"nodev\"]},"
	    "{\"destination\":\"/dev\",\"type\":\"tmpfs\","
	    "\"source\":\"tmpfs\",\"options\":[\"nosuid\",\"noexec\","
	    "\"mode=755\",\"size=65536\"]},"
	    /* For the count of processes killed for lack of memory. */
	    "{\"destination\":\"/sys\",\"type\":\"sysfs\","
	    "\"source\":\"sysfs\",\"options\":[\"nosuid\",\"noexec\","
	    "\"nodev\",\"ro\"]},"
	    "{\"destination\":\"/sys/fs/cgroup\",\"type\":\"cgroup\","
	    "\"source\":\"cgroup\",\"options\":[\"nosuid\",\"noexec\","
	    "\"nodev\",\"ro\"]},"
	    /* The place of the bootstrap need not be in the image. */
	    "{\"destination\":\"/run\",\"type\":\"tmpfs\","
	    "\"source\":\"tmpfs\",\"options\":[\"nosuid\",\"noexec\","
	    "\"nodev\",\"mode=755\",\"size=65536\"]}");
	oci_add_folder(json, "/dev/shm", container);
	oci_add_folder(json, "/tmp", container);
	oci_add_folder(json, "/workspace", container);
	oci_add_folder(json, "/workspace/out", container);
	if (container->data)
		oci_add_folder(json, "/data", container);
	if (container->bootstrap != NULL)
		oci_add_ours(json, CONTAINER_BOOTSTRAP, container->bootstrap);
	if (container->first != NULL)
		oci_add_ours(json, CONTAINER_FIRST, container->first);
	buffer_add_text(json, "]");
}

static void
oci_add_limits(struct buffer *json, const struct container *container)
{
	unsigned long long memory = container->memory_bytes;

	/* The second number is the sum of memory and swap: no swap. */
	buffer_printf(json, "\"resources\":{\"devices\":[{\"allow\":false,"
	    "\"access\":\"rwm\"}],\"memory\":{\"limit\":%llu,\"swap\":%llu},"
	    "\"pids\":{\"limit\":%lu}", memory, memory, container->processes);
	if (container->cpus > 0)
		buffer_printf(json, ",\"cpu\":{\"quota\":%lu,"
		    "\"period\":100000}", container->cpus * 1000UL);
	buffer_add_text(json, "}");
}

/* Files of /proc that tell of the host or change it, as engines have them. */
static void
oci_add_hidden(struct buffer *json)
{
	static const char *const masked[] = { "/proc/acpi", "/proc/asound",
		"/proc/kcore", "/proc/keys",
		"/proc/latency_stats", "/proc/sched_debug", "/proc/scsi",
		"/proc/timer_list", "/proc/timer_stats", "/sys/firmware",
		"/sys/devices/virtual/powercap", NULL };
	static const char *const fixed[] = { "/proc/bus", "/proc/fs",
		"/proc/irq", "/proc/sys", "/proc/sysrq-trigger", NULL };
	size_t i;

	buffer_add_text(json, "\"maskedPaths\":[");
	for (i = 0; masked[i] != NULL; i++)
		buffer_printf(json, "\"%s\",", masked[i]);
	for (i = 0; container_hidden[i] != NULL; i++)
		buffer_printf(json, "%s\"%s\"", i == 0 ? "" : ",",
		    container_hidden[i]);
	buffer_add_text(json, "],\"readonlyPaths\":");
	oci_add_texts(json, fixed);
}

void
oci_bundle_config(struct buffer *json, const struct oci_bundle *bundle)
{
	const struct container *container = bundle->container;

	buffer_add_text(json, "{\"ociVersion\":\"1.0.2\",");
	oci_add_process(json, container);
	buffer_add_text(json, ",\"root\":{\"readonly\":true,\"path\":");
	json_add_text(json, bundle->rootfs);
	buffer_add_text(json, "},\"hostname\":\"box\",");
	oci_add_mounts(json, container);
	buffer_add_text(json, ",\"annotations\":{\"" CONTAINER_LABEL_RUN "\":");
	json_add_text(json, container->run);
	buffer_printf(json, ",\"" CONTAINER_LABEL_BOX "\":\"%lu\",\""
	    OCI_FILTER "\":\"%s\"},\"linux\":{", container->number,
	    bundle->filter);
	/* No user namespace, since only root can start the bundle. */
	buffer_add_text(json, "\"namespaces\":[{\"type\":\"pid\"},"
	    "{\"type\":\"network\"},{\"type\":\"ipc\"},{\"type\":\"uts\"},"
	    "{\"type\":\"mount\"},{\"type\":\"cgroup\"}],"
	    "\"cgroupsPath\":");
	json_add_text(json, bundle->cgroup);
	buffer_add_text(json, ",\"rootfsPropagation\":\"private\",");
	oci_add_limits(json, container);
	buffer_add_text(json, ",");
	oci_add_hidden(json);
	buffer_printf(json, ",\"seccomp\":%s}}\n", bundle->seccomp);
}

void
oci_argv_run(struct buffer *list, const char *program, const char *state,
    const char *directory, const char *name)
{
	text_list_add(list, program);
	text_list_add(list, "--root");
	text_list_add(list, state);
	text_list_add(list, "run");
	text_list_add(list, "--bundle");
	text_list_add(list, directory);
	text_list_add(list, name);
}

void
oci_argv_remove(struct buffer *list, const char *program, const char *state,
    const char *name)
{
	text_list_add(list, program);
	text_list_add(list, "--root");
	text_list_add(list, state);
	text_list_add(list, "delete");
	text_list_add(list, "--force");
	text_list_add(list, name);
}
