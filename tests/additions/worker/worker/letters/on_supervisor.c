/*
 * What the supervisor asks letters, and the answer. Runs in letters.
 */
#include "common/base/log.h"
#include "common/worker/handlers.h"

void
letters_on_count(struct worker *letters, struct ipc_count *count)
{
	struct ipc_counted counted = { .letters = strlen(count->text) };
	struct err err;

	if (channel_send_counted(letters->supervisor, &counted, &err) == -1)
		fatal("cannot answer: %s", err.text);
}
