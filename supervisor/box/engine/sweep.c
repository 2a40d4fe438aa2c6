/*
 * Which containers are left of a Caisson that has ended: see engine.h. A name
 * repeats the label, so that no container of other programs is removed,
 * whatever its label is.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../../common/base/fd.h"
#include "../../../common/base/mem.h"
#include "../cgroup/cgroup.h"
#include "engine.h"

/* Fixed texts of names. */
#define CONTAINER_SWEEP_BOOT "/proc/sys/kernel/random/boot_id"
/* A boot is 36 letters; three numbers follow. */
#define CONTAINER_SWEEP_BOOT_SIZE 36
#define CONTAINER_SWEEP_LABEL_SIZE 128
#define CONTAINER_SWEEP_NAME_SIZE 192

#define CONTAINER_SWEEP_DIGITS "0123456789"

/* Reads the random number of this boot of the host. */
static int
container_sweep_boot(char boot[CONTAINER_SWEEP_BOOT_SIZE + 1], struct err *err)
{
	auto_fd int fd = open(CONTAINER_SWEEP_BOOT, O_RDONLY | O_CLOEXEC);

	if (fd == -1)
		return err_sys(err, "open %s", CONTAINER_SWEEP_BOOT);
	if (read(fd, boot, CONTAINER_SWEEP_BOOT_SIZE) !=
	    CONTAINER_SWEEP_BOOT_SIZE)
		return err_set(err, "%s is too short", CONTAINER_SWEEP_BOOT);
	boot[CONTAINER_SWEEP_BOOT_SIZE] = '\0';
	return 0;
}

char *
container_sweep_label(struct err *err)
{
	char boot[CONTAINER_SWEEP_BOOT_SIZE + 1];
	unsigned long long birth = group_birth(getpid());
	struct stat space;

	if (container_sweep_boot(boot, err) == -1)
		return NULL;
	if (birth == 0 || stat("/proc/self/ns/pid", &space) == -1) {
		err_sys(err, "look at the own process in /proc");
		return NULL;
	}
	return mem_printf("%s.%llu.%d.%llu", boot,
	    (unsigned long long)space.st_ino, (int)getpid(), birth);
}

char *
container_sweep_name(const char *label, unsigned long number)
{
	return mem_printf(CONTAINER_SWEEP_PREFIX "%s.%lu", label, number);
}

/*
 * Returns whether a label is of this boot and of no process. One of another
 * namespace is of none if it is of no lock any more.
 */
static int
container_sweep_is_stale(const struct container_sweep *sweep, const char *label)
{
	const char *rest = label + CONTAINER_SWEEP_BOOT_SIZE;
	unsigned long long space, our_space, birth;
	int pid, end = 0;

	if (strncmp(sweep->label, label, CONTAINER_SWEEP_BOOT_SIZE) != 0 ||
	    rest[strspn(rest, CONTAINER_SWEEP_DIGITS ".")] != '\0' ||
	    sscanf(rest, ".%llu.%d.%llu%n", &space, &pid, &birth, &end) != 3 ||
	    rest[end] != '\0' || pid <= 0 ||
	    sscanf(sweep->label + CONTAINER_SWEEP_BOOT_SIZE, ".%llu",
	        &our_space) != 1)
		return 0;
	if (space == our_space) {
		unsigned long long found = group_birth(pid);

		/*
		 * /proc may hide processes of other users (hidepid), whose
		 * containers an engine lists, too.
		 */
		return found != 0 ? found != birth :
		    getsid(pid) == -1 && errno == ESRCH;
	}
	return sweep->locks != NULL &&
	    container_lock_is_free(sweep->locks, label);
}

/* Returns whether a name is of a box of that label. */
static int
container_sweep_is_name(const char *label, const char *name)
{
	size_t prefix = strlen(CONTAINER_SWEEP_PREFIX), len = strlen(label);

	if (strncmp(name, CONTAINER_SWEEP_PREFIX, prefix) != 0 ||
	    strncmp(name + prefix, label, len) != 0 ||
	    name[prefix + len] != '.')
		return 0;
	name += prefix + len + 1;
	return *name != '\0' && name[strspn(name, CONTAINER_SWEEP_DIGITS)] ==
	    '\0';
}

/* Splits a line into label and name. Returns whether it has that form. */
static int
container_sweep_split(const char *line, size_t len,
    char label[CONTAINER_SWEEP_LABEL_SIZE],
    char name[CONTAINER_SWEEP_NAME_SIZE])
{
	const char *space = memchr(line, ' ', len);
	size_t before = space == NULL ? 0 : (size_t)(space - line);
	size_t after = space == NULL ? 0 : len - before - 1;

	if (space == NULL || before >= CONTAINER_SWEEP_LABEL_SIZE ||
	    after >= CONTAINER_SWEEP_NAME_SIZE ||
	    memchr(line, '\0', len) != NULL)
		return 0;
	memcpy(label, line, before);
	label[before] = '\0';
	memcpy(name, space + 1, after);
	name[after] = '\0';
	return 1;
}

size_t
container_sweep_each(const struct container_sweep *sweep, const char *text,
    size_t len, void (*found)(void *ctx, const char *name), void *ctx)
{
	char label[CONTAINER_SWEEP_LABEL_SIZE], name[CONTAINER_SWEEP_NAME_SIZE];
	const char *end;
	size_t n = 0, line;

	for (; len > 0; text += line, len -= line) {
		end = memchr(text, '\n', len);
		/* A line without its end may have been cut. */
		if (end == NULL)
			break;
		line = (size_t)(end - text) + 1;
		if (container_sweep_split(text, line - 1, label, name) &&
		    container_sweep_is_stale(sweep, label) &&
		    container_sweep_is_name(label, name)) {
			found(ctx, name);
			n++;
		}
	}
	return n;
}
