/*
 * Which containers can be described, and the command lines of podman and docker
 * for them: see engine.h. Each option that an engine would otherwise
 * take from its configuration is given, so that a box is the same everywhere.
 * Runs in the supervisor; only composes text.
 */
#include <stdlib.h>
#include <string.h>

#include "../../../common/limits.h"
#include "../../../common/base/mem.h"
#include "../../../common/base/text_list.h"
#include "engine.h"

/*
 * Files that tell of the host, which no code needs, and the place of message
 * queues; ended by NULL. pump.py needs /sys/fs/cgroup.
 */
static const char *const container_hidden[] = { "/dev/mqueue", "/sys/block",
	"/sys/bus", "/sys/class", "/sys/dev", "/sys/devices", "/sys/hypervisor",
	"/sys/kernel", "/sys/module", "/sys/power", "/proc/sys", "/proc/bus",
	"/proc/cmdline", "/proc/config.gz", "/proc/cpuinfo", "/proc/driver",
	"/proc/fs", "/proc/interrupts", "/proc/irq", "/proc/kallsyms",
	"/proc/kmsg", "/proc/meminfo", "/proc/modules", "/proc/pagetypeinfo",
	"/proc/partitions", "/proc/sysvipc", "/proc/version", NULL };

/* Options without a value that depends on the container; ended by NULL. */

static const char *const container_argv_common[] = {
	"--rm", "--interactive",
	/* The name is ours, so a client that is killed need not pass it on. */
	"--sig-proxy=false",
	"--pull", "never",
	/* Output goes to our pipes only, and not to a file of the host. */
	"--log-driver", "none",
	"--no-healthcheck",
	"--network", "none",
	"--ipc", "private",
	"--cgroupns", "private",
	"--hostname", "box",
	"--read-only",
	"--cap-drop", "ALL",
	"--security-opt", "no-new-privileges",
	"--env", "HOME=/workspace",
	"--env", "TMPDIR=/tmp",
	"--env", "LANG=C.UTF-8",
	"--env", "TERM=dumb",
	/* As in a native box: worker/box/interpreter/environment.c. */
	"--env", "XDG_CACHE_HOME=/tmp/.cache",
	"--env", "MPLCONFIGDIR=/tmp/.cache/matplotlib",
	"--env", "MPLBACKEND=Agg",
	"--env", "MALLOC_ARENA_MAX=2",
	/*
	 * A core dump of size 0 is still passed to a program of the host, if
	 * there is one for core dumps; one of size 1 is not.
	 */
	"--ulimit", "core=1:1",
	"--ulimit", "memlock=0:0",
	"--ulimit", "msgqueue=0:0",
	NULL,
};

static const char *const container_argv_podman[] = {
	"--pid", "private",
	"--uts", "private",
	/* Only the directories below are writable. */
	"--read-only-tmpfs=false",
	/* An image cannot have volumes, which would be files on the host. */
	"--image-volume", "ignore",
	/* The addresses of proxies can contain passwords. */
	"--http-proxy=false",
	"--no-hosts",
	"--systemd", "false",
	/* Otherwise certain bytes of the code detach the client. */
	"--detach-keys", "",
	NULL,
};

/* docker sets these where the file of its client names proxies. */
static const char *const container_argv_docker[] = {
	"--env", "HTTP_PROXY=", "--env", "http_proxy=",
	"--env", "HTTPS_PROXY=", "--env", "https_proxy=",
	"--env", "FTP_PROXY=", "--env", "ftp_proxy=",
	"--env", "NO_PROXY=", "--env", "no_proxy=",
	"--env", "ALL_PROXY=", "--env", "all_proxy=",
	NULL,
};

static void
container_argv_add_all(struct buffer *list, const char *const *texts)
{
	for (; *texts != NULL; texts++)
		text_list_add(list, *texts);
}

/* Adds an option and its value. */
static void __attribute__((format(printf, 3, 4)))
container_argv_add(
    struct buffer *list, const char *option, const char *fmt, ...)
{
	auto_free char *value = NULL;
	va_list ap;

	va_start(ap, fmt);
	value = mem_vprintf(fmt, ap);
	va_end(ap);
	text_list_add(list, option);
	text_list_add(list, value);
}

/* docker has no such option. */
static void
container_argv_add_hidden(struct buffer *list)
{
	auto_buffer struct buffer value = { 0 };
	size_t i;

	for (i = 0; container_hidden[i] != NULL; i++)
		buffer_printf(&value, "%s%s", i == 0 ? "mask=" : ":",
		    container_hidden[i]);
	text_list_add(list, "--security-opt");
	text_list_add(list, value.data);
}

/*
 * The owner of a writable directory, which begins empty: runc gives it the mode
 * of that directory in the image, so only the owner may be sure to write there.
 */
static char *
container_argv_owner(
    enum container_engine engine, const struct container *container)
{
	/* podman would copy what the image has there, and has no numbers. */
	return engine == CONTAINER_PODMAN ? mem_strdup("U,notmpcopyup") :
	    mem_printf("uid=%lu,gid=%lu", (unsigned long)container->uid,
	        (unsigned long)container->gid);
}

/* Mounts a file or folder of ours, at a path in the container. */
static void
container_argv_add_ours(
    struct buffer *list, const char *source, const char *destination)
{
	container_argv_add(list, "--mount",
	    "type=bind,source=%s,destination=%s,readonly", source, destination);
}

/* The writable directories (container.h), /dev/shm, and programs. */
static void
container_argv_add_files(struct buffer *list, enum container_engine engine,
    const struct container *container)
{
	static const char *const folders[] = { "/tmp", "/workspace",
		"/workspace/out", "/data" };
	auto_free char *owner = container_argv_owner(engine, container);
	unsigned long long size = container->files_bytes;
	size_t i, n = sizeof(folders) / sizeof(folders[0]);

	for (i = 0; i < n - !container->data; i++)
		container_argv_add(list, "--tmpfs",
		    "%s:rw,noexec,nosuid,nodev,mode=1777,size=%llu,%s",
		    folders[i], size, owner);
	container_argv_add(list, "--shm-size", "%llu", size);
	if (container->bootstrap != NULL)
		container_argv_add_ours(
		    list, container->bootstrap, CONTAINER_BOOTSTRAP);
	if (container->first != NULL)
		container_argv_add_ours(
		    list, container->first, CONTAINER_FIRST);
}

/*
 * The engine's process 1, or ours with the command behind it. The entry point
 * replaces that of the image, and with it the image's command.
 */
static void
container_argv_add_command(
    struct buffer *list, const struct container *container)
{
	const char *const *command = container->command;

	if (container->first == NULL)
		text_list_add(list, "--init");
	container_argv_add(list, "--entrypoint", "%s",
	    container->first != NULL ? CONTAINER_FIRST : command[0]);
	text_list_add(list, container->image);
	if (container->first != NULL)
		text_list_add(list, "--");
	container_argv_add_all(list, command + (container->first == NULL));
}

static void
container_argv_add_limits(
    struct buffer *list, const struct container *container)
{
	unsigned long long memory = container->memory_bytes;
	unsigned long long file = container->files_bytes + BOX_FILE_EXTRA;
	unsigned long processes = container->user_processes;

	container_argv_add(list, "--memory", "%llu", memory);
	/* The sum of memory and swap: no swap. */
	container_argv_add(list, "--memory-swap", "%llu", memory);
	container_argv_add(list, "--pids-limit", "%lu", container->processes);
	if (container->cpus > 0)
		container_argv_add(list, "--cpus", "%u.%02u",
		    container->cpus / 100, container->cpus % 100);
	container_argv_add(
	    list, "--ulimit", "nofile=%d:%d", BOX_NOFILE, BOX_NOFILE);
	container_argv_add(list, "--ulimit", "fsize=%llu:%llu", file, file);
	container_argv_add(list, "--ulimit", "sigpending=%d:%d",
	    BOX_SIGPENDING, BOX_SIGPENDING);
	if (processes > 0)
		container_argv_add(
		    list, "--ulimit", "nproc=%lu:%lu", processes, processes);
}

void
container_argv_run(struct buffer *list, enum container_engine engine,
    const char *program, const struct container *container)
{
	text_list_add(list, program);
	text_list_add(list, "run");
	container_argv_add(list, "--name", "%s", container->name);
	container_argv_add(
	    list, "--label", CONTAINER_LABEL_RUN "=%s", container->run);
	container_argv_add(
	    list, "--label", CONTAINER_LABEL_BOX "=%lu", container->number);
	container_argv_add_all(list, container_argv_common);
	if (engine == CONTAINER_PODMAN) {
		container_argv_add_all(list, container_argv_podman);
		container_argv_add_hidden(list);
		container_argv_add(
		    list, "--timeout", "%lu", container->lifetime);
	} else {
		container_argv_add_all(list, container_argv_docker);
	}
	container_argv_add(list, "--workdir", "%s",
	    container->first == NULL ? "/workspace" : "/data");
	container_argv_add_files(list, engine, container);
	container_argv_add_limits(list, container);
	container_argv_add(
	    list, "--env", LIBRARY_THREADS_BLAS, container->threads.blas);
	container_argv_add(
	    list, "--env", LIBRARY_THREADS_OMP, container->threads.omp);
	if (container->programs != NULL)
		container_argv_add(list, "--env", "PATH=%s:" CONTAINER_PATH,
		    container->programs);
	container_argv_add(list, "--user", "%lu:%lu",
	    (unsigned long)container->uid, (unsigned long)container->gid);
	container_argv_add(
	    list, "--security-opt", "seccomp=%s", container->profile);
	container_argv_add_command(list, container);
}

void
container_argv_remove(struct buffer *list, enum container_engine engine,
    const char *program, const char *name)
{
	container_argv_add_all(list, (const char *const[]){ program, "rm",
	    "--force", "--volumes", NULL });
	/* podman would wait ten seconds for the code to end by itself. */
	if (engine == CONTAINER_PODMAN)
		container_argv_add(list, "--time", "0");
	text_list_add(list, name);
}

void
container_argv_find(struct buffer *list, const char *program, const char *name)
{
	container_argv_add_all(list, (const char *const[]){ program, "ps",
	    "--all", "--quiet", NULL });
	/* An expression; a dot in the name stands for itself, too. */
	container_argv_add(list, "--filter", "name=^/%s$", name);
}

void
container_argv_list(
    struct buffer *list, enum container_engine engine, const char *program)
{
	container_argv_add_all(list, (const char *const[]){ program, "ps",
	    "--all", "--filter", "label=" CONTAINER_LABEL_RUN, NULL });
	container_argv_add(list, "--format", "%s %s",
	    engine == CONTAINER_PODMAN ?
	        "{{index .Labels \"" CONTAINER_LABEL_RUN "\"}}" :
	        "{{.Label \"" CONTAINER_LABEL_RUN "\"}}",
	    "{{.Names}}");
}

void
container_argv_inspect(
    struct buffer *list, const char *program, const char *name)
{
	container_argv_add_all(list, (const char *const[]){ program, "inspect",
	    "--type", "container", "--format", "{{.State.Pid}} {{.Id}}", name,
	    NULL });
}

void
container_argv_images(struct buffer *list, const char *program,
    const char *filter, const char *format)
{
	container_argv_add_all(list, (const char *const[]){ program, "image",
	    "ls", "--no-trunc", "--filter", filter, "--format", format,
	    NULL });
}

/* What can be described */

#define CONTAINER_NAME_CHARS                                                   \
	"0123456789_.-abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

/* A name must begin with a letter or digit, as engines require. */
static int
container_is_name(const char *text)
{
	return text[0] != '\0' && strchr("_.-", text[0]) == NULL &&
	    text[strspn(text, CONTAINER_NAME_CHARS)] == '\0';
}

/* The option --mount is a list with commas; a quote has a meaning in it. */
static int
container_check_ours(const char *path, struct err *err)
{
	if (path == NULL || (path[0] == '/' && strpbrk(path, ",\"\n") == NULL))
		return 0;
	return err_set(err, "%s cannot be mounted in a container: "
	    "its path has a comma, a quote or a newline, or does not begin "
	    "with a slash; install Caisson in another folder", path);
}

int
container_check(const struct container *container, struct err *err)
{
	const char *image = container->image;

	if (!container_is_name(container->name) ||
	    !container_is_name(container->run))
		return err_set(err, "%s is no name of a container",
		    container->name);
	if (image[0] == '\0' || image[0] == '-' ||
	    strpbrk(image, " \t\n") != NULL)
		return err_set(err, "'%s' is not the name of an image", image);
	if (container->uid == 0 || container->gid == 0 ||
	    container->uid > CONTAINER_ID_MAX ||
	    container->gid > CONTAINER_ID_MAX)
		return err_set(err, "the code in a container cannot run as "
		    "root: name another user and group, such as 65534:65534");
	return container_check_ours(container->bootstrap, err) == -1 ? -1 :
	    container_check_ours(container->first, err);
}
