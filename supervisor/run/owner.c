/*
 * The owners of executions, and their order: see run.h. Runs in the supervisor.
 */
#include <string.h>

#include "../../common/limits.h"
#include "../../common/log.h"
#include "../options/options.h"
#include "run.h"

void
owner_open(struct owner *owner, struct runs *runs)
{
	if (strlen(owner->name) > OWNER_NAME_MAX ||
	    strlen(owner->scope) > STORE_SCOPE_MAX)
		fatal("an owner with a name or scope that is too long");
	/* Both are empty for our user, who may use everything. */
	if ((owner->name[0] == '\0') != (owner->scope[0] == '\0'))
		fatal("an owner with a name or a scope, but not both");
	TAILQ_INSERT_TAIL(&runs->owners, owner, entry);
}

void
owner_close(struct owner *owner, struct runs *runs)
{
	TAILQ_REMOVE(&runs->owners, owner, entry);
}

void
owner_open_user(struct owner *owner, struct runs *runs)
{
	*owner = (struct owner){ .name = "",
		.scope = "",
		.most_waiting = (size_t)runs->options->queue,
		.most_running = (size_t)runs->options->max_concurrent };
	owner_open(owner, runs);
}

int
owner_is_user(const struct owner *owner)
{
	return owner->name[0] == '\0';
}

const struct options *
owner_options(const struct owner *owner, const struct runs *runs)
{
	return owner->options != NULL ? owner->options : runs->options;
}

/*
 * Returns how many places are reserved for owners that have none: one for each,
 * but few, because most of them are idle.
 */
static size_t
owner_left_places(const struct owner *owner, const struct runs *runs)
{
	const struct owner *other;
	size_t most, n = 0;

	TAILQ_FOREACH (other, &runs->owners, entry)
		n += other != owner && other->nrunning == 0;
	most = (size_t)runs->options->max_concurrent / OWNER_RESERVE_SHARE;
	most = most == 0 ? 1 : most;
	return n < most ? n : most;
}

int
owner_may_run(const struct owner *owner, const struct runs *runs)
{
	size_t most = (size_t)runs->options->max_concurrent;

	if (runs->nrunning >= most || owner->nrunning >= owner->most_running)
		return 0;
	return owner->nrunning == 0 ||
	    most - runs->nrunning > owner_left_places(owner, runs);
}

size_t
owner_places_kept(const struct owner *owner, const struct runs *runs)
{
	size_t most = (size_t)runs->options->max_concurrent;
	size_t unused = runs->nrunning < most ? most - runs->nrunning : 0;

	return owner->nrunning >= owner->most_running || owner->nrunning == 0 ?
	    0 : unused;
}

int
owner_places_wanted(const struct runs *runs)
{
	return runs->nwaiting > 0 &&
	    runs->nrunning >= (size_t)runs->options->max_concurrent;
}

int
owner_may_wait(const struct owner *owner)
{
	return owner->nwaiting < owner->most_waiting;
}

int
owner_precedes(const struct owner *owner, const struct owner *other)
{
	return owner->nrunning != other->nrunning ?
	    owner->nrunning < other->nrunning : owner->turn < other->turn;
}
