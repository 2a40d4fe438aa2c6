/*
 * Process 1 of a container whose language is an image, where the engine has
 * none of its own (crun, runc). It starts the command of the image, reaps what
 * other processes leave, and exits as the command does; then the kernel kills
 * what is left. If the command were process 1, the kernel would not deliver its
 * own signals to it. Runs in the box, as the user of the code; writes only why
 * the command cannot be executed.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* As podman and docker exit, and as their clients tell of a signal. */
enum {
	FIRST_ENGINE_FAILED = 125,
	FIRST_SIGNALS = 128,
};

/* See supervisor/box/container_fault.c for this sentence. */
static int
first_complain(const char *command)
{
	dprintf(STDERR_FILENO, "%s: executable file not found or not usable: "
	    "%s\n", command, strerror(errno));
	return FIRST_ENGINE_FAILED;
}

/* The end of the pipes of the code is the end of the code's own copies. */
static void
first_close(void)
{
	close(STDIN_FILENO);
	close(STDOUT_FILENO);
	close(STDERR_FILENO);
}

/* Reaps all until the command has ended. Returns its exit status. */
static int
first_reap(pid_t command)
{
	pid_t pid;
	int status;

	do
		pid = wait(&status);
	while (pid != command && (pid != -1 || errno == EINTR));
	if (pid == -1)
		return FIRST_ENGINE_FAILED;
	return WIFSIGNALED(status) ? FIRST_SIGNALS + WTERMSIG(status) :
	                             WEXITSTATUS(status);
}

int
main(int argc, char **argv)
{
	pid_t command = argc < 2 ? -1 : fork();

	if (command == -1)
		return first_complain("process 1");
	if (command == 0) {
		execvp(argv[1], argv + 1);
		return first_complain(argv[1]);
	}
	first_close();
	return first_reap(command);
}
