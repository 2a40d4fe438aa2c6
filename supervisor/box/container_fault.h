/*
 * Why an engine could not run a container, as a sentence with the fix. Runs in
 * the supervisor.
 */
#ifndef SUPERVISOR_CONTAINER_FAULT_H
#define SUPERVISOR_CONTAINER_FAULT_H

/*
 * Returns the sentence for a container that has ended before it was ready for
 * code, or, with docker, may have. status is the exit status of the engine's
 * client, or of crun or runc; errors the end of its standard error, UTF-8,
 * possibly empty; program the path of the engine; image what was asked for. The
 * caller frees the sentence.
 */
char *container_fault(const char *program, const char *image, int status,
    const char *errors);

/*
 * Returns the sentence, without the fix, for an exit status that is either that
 * of a failed engine or that of the code. The parameters are those of
 * container_fault().
 */
char *container_fault_doubt(const char *program, const char *image, int status,
    const char *errors);

/*
 * Returns the sentence for an image that the engine did not describe when it
 * was asked. errors, program and image are those of container_fault().
 */
char *container_fault_asked(
    const char *program, const char *image, const char *errors);

/*
 * Returns the sentence for an image whose command could not be executed, or
 * whose process 1 could not start a process for it. The last line of errors
 * says why: see worker/box/first.
 */
char *container_fault_command(const char *image, const char *errors);

/*
 * Returns whether this status and these errors may be those of the engine, not
 * of the code: where process 1 is the engine's, it is not told. An engine that
 * cannot start a container says so; one that fails later may say nothing.
 */
int container_fault_may_be(int status, const char *errors);

#endif
