/*
 * How much the code can use: see trial.h. Runs in the box, which has small
 * limits; a child tries to use more memory than those, and some children are
 * more than it may have.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../../../common/limits.h"
#include "trial.h"

/* More than the container may have. */
#define AMOUNTS_PROCESSES (2 * CONTAINER_TRIAL_PROCESSES)
#define AMOUNTS_MEMORY (CONTAINER_TRIAL_MEMORY + CONTAINER_TRIAL_MEMORY / 2)
#define AMOUNTS_PAGE 4096

/* A child that lives until the other end of the pipe is closed. */
static void
amounts_wait(const int pipe[2])
{
	char byte;

	close(pipe[1]);
	_exit(read(pipe[0], &byte, 1) == 0 ? EXIT_SUCCESS : EXIT_FAILURE);
}

int
amounts_processes(void)
{
	pid_t made[AMOUNTS_PROCESSES];
	int pipe[2], n, i;

	if (pipe2(pipe, O_CLOEXEC) == -1)
		return -1;
	for (n = 0; n < AMOUNTS_PROCESSES; n++) {
		made[n] = fork();
		if (made[n] == 0)
			amounts_wait(pipe);
		if (made[n] == -1)
			break;
	}
	close(pipe[0]);
	close(pipe[1]);
	for (i = 0; i < n; i++)
		waitpid(made[i], NULL, 0);
	return n < AMOUNTS_PROCESSES;
}

/* Has the kernel kill this process, not its parent. */
static void
amounts_go_first(void)
{
	int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

	/* Without /proc the kernel chooses. */
	if (fd != -1 && write(fd, "1000", 4) == 4)
		close(fd);
}

/*
 * A child. The filter refuses shared memory, whatever the limit is. Exits with
 * errno if there is no memory to be tried.
 */
static void
amounts_use(void)
{
	volatile char *memory = mmap(NULL, AMOUNTS_MEMORY,
	    PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	size_t at;

	if (memory == MAP_FAILED)
		_exit(errno);
	for (at = 0; at < AMOUNTS_MEMORY; at += AMOUNTS_PAGE)
		memory[at] = 1;
	_exit(EXIT_SUCCESS);
}

int
amounts_memory(void)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		amounts_go_first();
		amounts_use();
	}
	if (child == -1 || waitpid(child, &status, 0) == -1)
		return -1;
	if (WIFEXITED(status) && WEXITSTATUS(status) != EXIT_SUCCESS) {
		errno = WEXITSTATUS(status);
		return -1;
	}
	return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}
