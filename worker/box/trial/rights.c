/* What the user of the code may do: see trial.h. Runs in the box. */
#include <errno.h>
#include <linux/sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "trial.h"

/* As the kernel tells it in /proc/self/status. */
#define RIGHTS_FILTER 2

/* Reads a field of /proc/self/status. Returns 0, or -1 with errno. */
static int
rights_read(const char *name, int base, unsigned long long *value)
{
	FILE *file = fopen("/proc/self/status", "re");
	char *line = NULL;
	size_t size = 0;
	int found = 0;

	if (file == NULL)
		return -1;
	while (!found && getline(&line, &size, file) != -1)
		found = proc_line_field(line, name, base, value);
	free(line);
	fclose(file);
	errno = ENOENT;
	return found ? 0 : -1;
}

int
rights_no_root(void)
{
	return getuid() > 0 && getgid() > 0;
}

int
rights_no_capabilities(void)
{
	static const char *const sets[] = { "CapPrm", "CapEff", "CapBnd",
		"CapAmb" };
	unsigned long long set;
	size_t i;

	for (i = 0; i < sizeof(sets) / sizeof(sets[0]); i++) {
		if (rights_read(sets[i], 16, &set) == -1)
			return -1;
		if (set != 0)
			return 0;
	}
	return 1;
}

int
rights_no_new_privileges(void)
{
	unsigned long long set;

	return rights_read("NoNewPrivs", 10, &set) == -1 ? -1 : set == 1;
}

/*
 * Returns whether a user namespace, which needs no privilege, is refused. The
 * <sched.h> of musl, which has unshare(), and fortify.h exclude each other.
 */
static int
rights_is_refused(void)
{
	return syscall(SYS_unshare, CLONE_NEWUSER) == -1 &&
	    (errno == EPERM || errno == EACCES || errno == ENOSYS);
}

int
rights_filtered(void)
{
	unsigned long long mode;
	pid_t child;
	int status;

	if (rights_read("Seccomp", 10, &mode) == -1)
		return -1;
	child = fork();
	if (child == 0)
		_exit(rights_is_refused() ? EXIT_SUCCESS : EXIT_FAILURE);
	if (child == -1 || waitpid(child, &status, 0) == -1)
		return -1;
	return mode == RIGHTS_FILTER && status == 0;
}
