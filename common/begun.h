/*
 * What process 1 of a container whose language is an image reports around the
 * standard output of the code. Its first bytes say that the container has been
 * started, or that the command of the image could not be executed; its last
 * bytes how the command has ended. All between is output of the code. An engine
 * that fails later ends the output, and exits with a status that code may have,
 * but it writes no such end.
 */
#ifndef COMMON_BEGUN_H
#define COMMON_BEGUN_H

#define BEGUN_MARK "\001caisson: started\n"
/* Behind the other one. */
#define BEGUN_FAILED_MARK "\001caisson: not executed\n"

/* The last bytes: one of these, three digits of the status, and a newline. */
#define BEGUN_EXIT "\001caisson: exit "
#define BEGUN_SIGNAL "\001caisson: kill "
#define BEGUN_DIGITS 3

/* The length of each of these words, and of the whole end. */
#define BEGUN_END_WORD (sizeof(BEGUN_EXIT) - 1)
#define BEGUN_END_LEN (BEGUN_END_WORD + BEGUN_DIGITS + 1)

enum begun {
	BEGUN_NOT,    /* no mark: the container was not started */
	BEGUN_CODE,   /* the command was executed, and read the code */
	BEGUN_FAILED, /* it could not be executed: its errors say why */
};

#define BEGUN_MAX BEGUN_FAILED

#endif
