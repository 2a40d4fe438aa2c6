/*
 * Servers that start processes in every possible way, for tests of what ends
 * them: the test program itself, executed with the name of a row. Everything
 * that it starts holds its standard output, so a reader of that sees its end
 * when, and only when, none of these processes is left.
 */
#ifndef TESTS_UNIT_SERVER_TREES_H
#define TESTS_UNIT_SERVER_TREES_H

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

/*
 * How many processes run away in all. A process that is not reaped keeps its
 * number: while a keeper is stopped or has no time, they would use up all
 * numbers of the machine, and no other test could start a process.
 */
#define TREES_FLED_MOST 10000

/* How many a swarm has at any time. */
#define TREES_SWARM 50

/* How many processes a bomb makes in all, and when that is reported. */
#define TREES_BOMB_MOST 1500
#define TREES_BOMB_TOLD 100

/* How many were made so far by those that count, in all of the server. */
static int *trees_made;

static inline void __attribute__((noreturn))
trees_wait(void)
{
	for (;;)
		pause();
}

/* It is started: a byte for the reader. */
static inline void
trees_tell(void)
{
	if (write(STDOUT_FILENO, "x", 1) != 1)
		_exit(1);
}

static inline void
trees_alone(void)
{
	trees_tell();
}

static inline void
trees_child(void)
{
	if (fork() == 0)
		trees_wait();
	trees_tell();
}

/* In a session of its own, and deaf. */
static inline void
trees_session(void)
{
	int sig;

	if (fork() == 0) {
		setsid();
		for (sig = 1; sig < NSIG; sig++)
			signal(sig, SIG_IGN);
		trees_tell();
		trees_wait();
	}
}

/* As a daemon does it. */
static inline void
trees_daemon(void)
{
	if (fork() != 0)
		return;
	setsid();
	if (fork() != 0)
		_exit(0);
	trees_tell();
	trees_wait();
}

static inline void
trees_stopped(void)
{
	if (fork() == 0) {
		trees_tell();
		raise(SIGSTOP);
		trees_wait();
	}
}

/* Each the child of the one before. */
static inline void
trees_chain(void)
{
	int n;

	for (n = 0; n < 100; n++) {
		if (fork() != 0) {
			if (n == 0)
				return;
			trees_wait();
		}
		setsid();
	}
	trees_tell();
	trees_wait();
}

/* It inherits what is below it, as a keeper does. */
static inline void
trees_subreaper(void)
{
	if (fork() != 0)
		return;
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	trees_daemon();
	trees_wait();
}

static inline void *
trees_thread(void *unused)
{
	(void)unused;
	trees_child();
	trees_wait();
}

/* Its first thread has ended: it looks dead, and is not. */
static inline void
trees_headless(void)
{
	pthread_t thread;

	if (fork() != 0)
		return;
	pthread_create(&thread, NULL, trees_thread, NULL);
	pthread_exit(NULL);
}

/* Returns the number of the process that is made next, from 1. */
static inline int
trees_count(void)
{
	return __atomic_add_fetch(trees_made, 1, __ATOMIC_RELAXED);
}

/*
 * Runs away, perhaps into a new session each time; at last it stays where it
 * is, and is there to be killed.
 */
static inline void __attribute__((noreturn))
trees_flee(int far)
{
	while (trees_count() < TREES_FLED_MOST) {
		if (far)
			setsid();
		if (fork() > 0)
			_exit(0);
	}
	trees_wait();
}

/* Each lives just until there is the next. */
static inline void
trees_comet(void)
{
	int n;

	for (n = 0; n < 3; n++)
		if (fork() == 0) {
			setsid();
			trees_flee(0);
		}
	trees_tell();
}

/* Has children as fast as it can, and so have they. */
static inline void
trees_bomb(void)
{
	int n;

	if (fork() != 0)
		return;
	while ((n = trees_count()) < TREES_BOMB_MOST) {
		if (n == TREES_BOMB_TOLD)
			trees_tell();
		if (fork() == 0)
			setsid();
	}
	trees_wait();
}

/* Many that run away, half of them far. */
static inline void
trees_swarm(void)
{
	int start[2];
	int n;
	char c;

	if (pipe(start) == -1)
		_exit(1);
	for (n = 0; n < TREES_SWARM; n++) {
		if (fork() != 0)
			continue;
		close(start[1]);
		if (read(start[0], &c, 1) == -1)
			_exit(1);
		trees_flee(n % 2 == 0);
	}
	/* Not before all are there: they leave little time to others. */
	close(start[0]);
	close(start[1]);
	trees_tell();
}

static const struct {
	const char *name;
	void (*grow)(void);
} trees[] = {
	{ "alone", trees_alone },
	{ "child", trees_child },
	{ "session", trees_session },
	{ "daemon", trees_daemon },
	{ "stopped", trees_stopped },
	{ "chain", trees_chain },
	{ "subreaper", trees_subreaper },
	{ "headless", trees_headless },
	{ "comet", trees_comet },
	{ "bomb", trees_bomb },
	{ "swarm", trees_swarm },
};

#define TREES (sizeof(trees) / sizeof(trees[0]))

/* The exit status of a server that has read 'e' or 'i'. */
#define TREES_STATUS 42

/* Obeys standard input, a byte each; end of file ends it. */
static inline int
trees_obey(void)
{
	char c;

	while (read(STDIN_FILENO, &c, 1) == 1)
		switch (c) {
		case 'e':
			return TREES_STATUS;
		case 'i': /* ignores the end of its input */
			trees_wait();
		case 'd': /* is deaf to what asks it to end */
			signal(SIGTERM, SIG_IGN);
			trees_tell();
			break;
		default: /* is killed */
			signal(c, SIG_DFL);
			raise(c);
		}
	return 0;
}

/* Is the server of that name. Returns its status. */
static inline int
trees_be(const char *name)
{
	size_t i;

	trees_made = mmap(NULL, sizeof(*trees_made), PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (trees_made == MAP_FAILED)
		return EXIT_FAILURE;
	for (i = 0; i < TREES; i++)
		if (strcmp(trees[i].name, name) == 0)
			trees[i].grow();
	return trees_obey();
}

#endif
