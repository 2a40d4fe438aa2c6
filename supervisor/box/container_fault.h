/*
 * Why an engine could not run a container, as a sentence with the fix. Runs in
 * the supervisor.
 */
#ifndef SUPERVISOR_CONTAINER_FAULT_H
#define SUPERVISOR_CONTAINER_FAULT_H

/*
 * Returns the sentence for a container that has ended before it was ready for
 * code. status is the exit status of the engine's client, or of crun or runc;
 * errors the end of its standard error, UTF-8, possibly empty; program the path
 * of the engine; image what was asked for. The caller frees the sentence.
 */
char *container_fault(const char *program, const char *image, int status,
    const char *errors);

#endif
