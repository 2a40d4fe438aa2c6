/* The running Caissons of our user: see running.h. Runs in commands. */
#include <errno.h>

#include "../../../common/base/buffer.h"
#include "../../../common/base/fd.h"
#include "../../../common/limits.h"
#include "../../../common/base/text_list.h"
#include "../../options/state_dir.h"
#include "../../process/socket/socket.h"
#include "../shared/command.h"
#include "running.h"

/* Returns whether it has not answered. */
static int
running_ask_one(int dir, const char *socket, const char *these,
    running_asker *ask, void *ctx)
{
	pid_t process = 0;
	struct err err;
	auto_fd int fd =
	    rendezvous_connect(dir, socket, OPERATOR_MS, &process, &err);

	if (fd == -1 && (err.code == ECONNREFUSED || err.code == ENOENT))
		return 0; /* it has ended */
	if (fd != -1 && ask(ctx, fd, socket, process, &err) == 0)
		return 0;
	if (process > 0)
		command_complain("process %d: its %s are not shown: %s",
		    (int)process, these, err.text);
	else
		command_complain("the %s of a Caisson are not shown: %s",
		    these, err.text);
	return 1;
}

int
running_ask_all(const struct options *options, char **envp,
    const char *these, running_asker *ask, void *ctx, int *dir, struct err *err)
{
	auto_buffer struct buffer names = { 0 };
	const char *name;
	int lacking = 0;

	*dir = -1;
	/* Nothing is created to list it. */
	if (!state_dir_may_hold(options, envp, STATE_DIR_RUNNING))
		return 0;
	*dir = state_dir_open_inner(options, envp, STATE_DIR_RUNNING, err);
	if (*dir == -1)
		return -1;
	rendezvous_sweep(*dir);
	if (rendezvous_names(*dir, &names, err) == -1)
		return -1;
	TEXT_LIST_EACH (name, names.data, names.len)
		lacking |= running_ask_one(*dir, name, these, ask, ctx);
	return lacking;
}
