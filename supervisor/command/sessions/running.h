/*
 * The running Caissons of our user, as commands ask them, each at its socket.
 * Runs in commands.
 */
#ifndef SUPERVISOR_RUNNING_H
#define SUPERVISOR_RUNNING_H

#include <sys/types.h>

#include "../../../common/base/err.h"

struct buffer;
struct command_setup;
struct ipc_ask_running;
struct options;

/*
 * Asks the Caisson to which fd is connected, of the process (0: unknown).
 * Returns 0, or -1 with err.
 */
typedef int running_asker(
    void *ctx, int fd, const char *socket, pid_t process, struct err *err);

/*
 * Has all of them asked for these, such as "sessions", at the sockets of *dir,
 * which the caller closes; -1: no Caisson ever ran. One that does not answer is
 * reported on standard error. Returns 0, 1 if there was such a one, or -1 with
 * err.
 */
int running_ask_all(const struct options *options, char **envp,
    const char *these, running_asker *ask, void *ctx, int *dir,
    struct err *err);

/*
 * on_supervisor.c: sends a request to the Caisson to which fd is connected, and
 * appends the list that it answers: JSON objects, a comma behind each. Returns
 * 1 if it has ended what was to end, 0, or -1 with err.
 */
int running_ask(int fd, const struct ipc_ask_running *ask, struct buffer *list,
    struct err *err);

/*
 * calls.c: begins a command on calls. Stores the scope that it is about, and
 * appends those that run or wait: an array of JSON. Returns as running_ask_all.
 */
int calls_begin(const struct command_setup *setup, const char **scope,
    struct buffer *running, struct err *err);

#endif
