/*
 * What process 1 of a container whose language is an image reports around the
 * standard output of the code, by sentinels: the first bytes say that the
 * container has been started, and, if so, that the command could not be
 * executed; the last bytes how the command has ended. All between is output of
 * the code. An engine that fails later ends the output, and exits with a status
 * that code may have, but it writes no such end.
 */
#ifndef COMMON_PROCESS_ONE_H
#define COMMON_PROCESS_ONE_H

/*
 * What it reads before the code: so many hexadecimal digits, the number of
 * bytes that follow; and these, the variables of the code: NAME=VALUE and NUL
 * each.
 */
#define PROCESS_ONE_INPUT_DIGITS 8

#define PROCESS_ONE_STARTED "\001caisson: started\n"
/* Behind the other one. */
#define PROCESS_ONE_FAILED "\001caisson: not executed\n"

/* How the last line of the errors begins if no process could be started. */
#define PROCESS_ONE_NO_PROCESS "process 1: cannot start a process"

/*
 * The last bytes: one of these, three digits of the status, and a newline. The
 * third one: a signal, and the kernel has killed a process of the container for
 * lack of memory. All have the same length.
 */
#define PROCESS_ONE_EXIT "\001caisson: exit "
#define PROCESS_ONE_SIGNAL "\001caisson: kill "
#define PROCESS_ONE_MEMORY "\001caisson: oom: "
#define PROCESS_ONE_DIGITS 3

/* The length of each of these words, and of the whole end. */
#define PROCESS_ONE_END_WORD (sizeof(PROCESS_ONE_EXIT) - 1)
#define PROCESS_ONE_END_LEN (PROCESS_ONE_END_WORD + PROCESS_ONE_DIGITS + 1)

enum begun {
	/* No sentinel: the container was not started. */
	BEGUN_NOT,
	/*
	 * The container was started, and no sentinel says that the command
	 * could not be executed.
	 */
	BEGUN_CODE,
	/* The command could not be executed: the errors say why. */
	BEGUN_FAILED,
};

#define BEGUN_MAX BEGUN_FAILED

#endif
