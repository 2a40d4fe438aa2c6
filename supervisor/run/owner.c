/* The owners of executions, and their order: see run.h. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../../common/limits.h"
#include "../../common/base/log.h"
#include "../../common/base/mem.h"
#include "../../common/base/text_list.h"
#include "../options/options.h"
#include "../servers/servers.h"
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
	free(mem_take(&owner->isolation));
	buffer_reset(&owner->told);
}

int
owner_hears(struct owner *owner, const char *once)
{
	const char *told;

	if (once[0] == '\0')
		return 1;
	TEXT_LIST_EACH (told, owner->told.data, owner->told.len)
		if (strcmp(told, once) == 0)
			return 0;
	if (owner->told.len > OWNER_TOLD_MAX)
		buffer_reset(&owner->told);
	text_list_add(&owner->told, once);
	return 1;
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

void
owner_spend(struct owner *owner, uint64_t cpu_us)
{
	uint64_t day = (uint64_t)time(NULL) / (24 * 60 * 60);

	if (owner->cpu_day != day)
		owner->cpu_used = 0;
	owner->cpu_day = day;
	owner->cpu_used += cpu_us;
}

int
owner_check_cpu(struct owner *owner, struct err *err)
{
	owner_spend(owner, 0);
	if (owner->cpu_most == 0 || owner->cpu_used < owner->cpu_most)
		return 0;
	return err_set(err, "the calls of this client have taken %llu s of "
	    "processor time today, and its token allows %llu s: try again "
	    "after 0:00 UTC, or let the operator make another token with a "
	    "larger --cpu-seconds",
	    (unsigned long long)(owner->cpu_used / 1000000),
	    (unsigned long long)(owner->cpu_most / 1000000));
}

int
owner_may_run(const struct owner *owner, const struct runs *runs)
{
	return runs->nrunning < (size_t)runs->options->max_concurrent &&
	    owner->nrunning < owner->most_running;
}

int
owner_is_due(const struct owner *owner, const struct runs *runs)
{
	const struct owner *other;
	int several = 0;

	TAILQ_FOREACH (other, &runs->owners, entry)
		several |= other->nrunning > 1;
	return several && owner->nrunning == 0;
}

int
owner_places_wanted(const struct runs *runs)
{
	return runs->nwaiting > 0 &&
	    runs->nrunning >= (size_t)runs->options->max_concurrent;
}

int
owner_precedes(const struct owner *owner, const struct owner *other)
{
	return owner->nrunning != other->nrunning ?
	    owner->nrunning < other->nrunning : owner->turn < other->turn;
}
