/*
 * What process 1 of a container whose language is an image reports, as the
 * first bytes of its standard output: that the container has been started, and
 * that the command of the image could not be executed. Everything behind these
 * marks is output of the code.
 */
#ifndef COMMON_BEGUN_H
#define COMMON_BEGUN_H

#define BEGUN_MARK "\001caisson: started\n"
/* Behind the other one. */
#define BEGUN_FAILED_MARK "\001caisson: not executed\n"

enum begun {
	BEGUN_NOT,    /* no mark: the container was not started */
	BEGUN_CODE,   /* the command was executed, and read the code */
	BEGUN_FAILED, /* it could not be executed: its errors say why */
};

#define BEGUN_MAX BEGUN_FAILED

#endif
