/*
 * Process 1 of a container whose language is an image. It starts the command of
 * the image when there is code to read, and reaps what other processes leave.
 * It kills what the command leaves, and exits as the command does. If the
 * command were process 1, the kernel would not deliver its own signals to it.
 * Runs in the box, as the user of the code; writes only the sentinels of
 * common/process_one.h, by which an exit status of the command differs from one
 * of the engine, and why the command cannot be executed. The last one comes
 * when all other processes have ended, so nothing follows it. It also says
 * whether the kernel has killed a process of the container for lack of memory,
 * as pump.py does.
 *
 * Usage: first [--] COMMAND [ARGUMENT...]
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../common/process_one.h"

/* As shells exit, and as the clients of engines tell of a signal. */
enum {
	FIRST_NOT_EXECUTED = 127,
	FIRST_SIGNALS = 128,
};

/*
 * The files that count processes killed for lack of memory, in both kinds of
 * cgroups, as in pump.py. A line of them is shorter than the next number.
 */
static const char *const first_kills_files[] = {
	"/sys/fs/cgroup/memory.events",
	"/sys/fs/cgroup/memory/memory.oom_control",
};

#define FIRST_KILLS_FILES                                                      \
	(sizeof(first_kills_files) / sizeof(first_kills_files[0]))
#define FIRST_LINE_MAX 128

/* Returns whether the whole text was written to the standard output. */
static int
first_write(const char *sentinel)
{
	ssize_t len = (ssize_t)strlen(sentinel);

	return write(STDOUT_FILENO, sentinel, (size_t)len) == len;
}

/*
 * Reads len bytes, and no more: the rest is the command's to read. Returns 0,
 * or -1 if there are fewer.
 */
static int
first_read(char *data, size_t len)
{
	ssize_t n;

	while (len > 0) {
		n = read(STDIN_FILENO, data, len);
		if (n == 0 || (n == -1 && errno != EINTR))
			return -1;
		data += n == -1 ? 0 : n;
		len -= n == -1 ? 0 : (size_t)n;
	}
	return 0;
}

/*
 * Waits for the code, which comes when the files of the call are there, and
 * takes the variables that precede it. Returns 0, or -1.
 */
static int
first_take_variables(void)
{
	char digits[PROCESS_ONE_INPUT_DIGITS + 1] = "", *variables, *end;
	size_t len;

	if (first_read(digits, PROCESS_ONE_INPUT_DIGITS) == -1)
		return -1;
	len = strtoul(digits, NULL, 16);
	variables = malloc(len + 1); /* becomes part of the environment */
	if (variables == NULL || first_read(variables, len) == -1)
		return -1;
	for (end = variables + len; variables < end;
	     variables += strlen(variables) + 1)
		putenv(variables);
	return 0;
}

/* The last line of the errors is this one. */
static int
first_complain(const char *what, const char *why)
{
	dprintf(STDERR_FILENO, "%s: %s\n", what, why);
	first_write(PROCESS_ONE_FAILED);
	return FIRST_NOT_EXECUTED;
}

/* These pipes end with the code's own copies. */
static void
first_close(void)
{
	close(STDIN_FILENO);
	close(STDERR_FILENO);
}

/* Reaps all until the command has ended. Returns whether its end is known. */
static int
first_reap(pid_t command, int *status)
{
	pid_t pid;

	do
		pid = wait(status);
	while (pid != command && (pid != -1 || errno == EINTR));
	return pid == command;
}

/* Ends all that the command has left, which could still print. */
static void
first_clear(void)
{
	if (getpid() == 1)
		kill(-1, SIGKILL);
	while (wait(NULL) != -1 || errno == EINTR)
		;
}

/* Returns the number in such a file; 0: unknown. */
static unsigned long
first_read_kills(const char *path)
{
	FILE *file = fopen(path, "re");
	char line[FIRST_LINE_MAX];
	unsigned long kills = 0;

	if (file == NULL)
		return 0;
	while (fgets(line, sizeof(line), file) != NULL)
		if (sscanf(line, "oom_kill %lu", &kills) == 1)
			break;
	fclose(file);
	return kills;
}

/*
 * Returns how many processes of this container the kernel has killed for lack
 * of memory; 0: unknown.
 */
static unsigned long
first_kills(void)
{
	unsigned long kills = 0;
	size_t i;

	for (i = 0; i < FIRST_KILLS_FILES && kills == 0; i++)
		kills = first_read_kills(first_kills_files[i]);
	return kills;
}

/* The last bytes of the standard output, as it was before the command. */
static void
first_tell(int status, int memory)
{
	int killed = WIFSIGNALED(status);

	fcntl(STDOUT_FILENO, F_SETFL,
	    fcntl(STDOUT_FILENO, F_GETFL) & ~O_NONBLOCK);
	dprintf(STDOUT_FILENO, "%s%03d\n",
	    !killed    ? PROCESS_ONE_EXIT :
	        memory ? PROCESS_ONE_MEMORY :
	                 PROCESS_ONE_SIGNAL,
	    killed ? WTERMSIG(status) : WEXITSTATUS(status));
}

int
main(int argc, char **argv)
{
	/* podman puts "--" between the path of process 1 and the command. */
	char **command = argv + 1 + (argc > 1 && strcmp(argv[1], "--") == 0);
	unsigned long kills = first_kills();
	pid_t pid;
	int status;

	/* It must precede all output of the command. */
	if (!first_write(PROCESS_ONE_STARTED))
		return FIRST_NOT_EXECUTED;
	if (command[0] == NULL)
		return first_complain("process 1", "there is no command");
	if (first_take_variables() == -1)
		return first_complain("process 1", "no code came");
	pid = fork();
	if (pid == -1)
		return first_complain(PROCESS_ONE_NO_PROCESS, strerror(errno));
	if (pid == 0) {
		execvp(command[0], command);
		return first_complain(command[0], strerror(errno));
	}
	first_close();
	if (!first_reap(pid, &status))
		return FIRST_NOT_EXECUTED;
	first_clear();
	first_tell(status, first_kills() > kills);
	return WIFSIGNALED(status) ? FIRST_SIGNALS + WTERMSIG(status) :
	                             WEXITSTATUS(status);
}
