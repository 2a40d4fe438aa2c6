/*
 * What addresses use: see callers.h. Those that use nothing are remembered for
 * their rate only, while there is room.
 */
#include <stdlib.h>
#include <string.h>

#include "../../common/address.h"
#include "../../common/base/clock.h"
#include "../../common/base/log.h"
#include "../../common/base/mem.h"
#include "callers.h"

static void
caller_free(struct gateway *gateway, struct caller *caller)
{
	LIST_REMOVE(caller, entry);
	gateway->ncallers--;
	free(caller);
}

/* Frees the one that was not seen for longest, unless all are in use. */
static void
callers_make_room(struct gateway *gateway)
{
	struct caller *caller, *oldest = NULL;

	if (gateway->ncallers < HTTP_CALLERS_MAX)
		return;
	LIST_FOREACH(caller, &gateway->callers, entry)
		if (caller->users == 0)
			oldest = caller;
	if (oldest != NULL)
		caller_free(gateway, oldest);
}

struct caller *
caller_of(struct gateway *gateway, const char *address)
{
	char group[HTTP_ADDRESS_MAX + 1];
	struct caller *caller;

	address_group(address, group);
	LIST_FOREACH(caller, &gateway->callers, entry)
		if (strcmp(caller->group, group) == 0)
			break;
	if (caller == NULL) {
		callers_make_room(gateway);
		caller = mem_alloc(sizeof(*caller));
		memcpy(caller->group, group, sizeof(group));
		caller->level = HTTP_CALLER_BURST;
		gateway->ncallers++;
	} else {
		LIST_REMOVE(caller, entry);
	}
	LIST_INSERT_HEAD(&gateway->callers, caller, entry);
	caller->users++;
	return caller;
}

struct caller *
caller_new_guest(void)
{
	struct caller *caller = mem_alloc(sizeof(*caller));

	caller->guest = 1;
	caller->users = 1;
	return caller;
}

struct caller *
caller_share(struct caller *caller)
{
	caller->users++;
	return caller;
}

void
caller_drop(struct caller **callerp)
{
	struct caller *caller = mem_take(callerp);

	if (caller != NULL && --caller->users == 0 && caller->guest)
		free(caller);
}

unsigned int
caller_charge(struct caller *caller, uint64_t now)
{
	caller->level +=
	    (double)(now - caller->refilled) * HTTP_CALLER_RATE / 1000;
	if (caller->level > HTTP_CALLER_BURST)
		caller->level = HTTP_CALLER_BURST;
	caller->refilled = now;
	if (caller->level < 1)
		return 1;
	caller->level -= 1;
	return 0;
}

int
caller_ask(struct caller *caller)
{
	if (caller->nasks >= HTTP_CALLER_ASKS_MAX)
		return -1;
	caller->nasks++;
	return 0;
}

void
caller_warn(struct gateway *gateway, struct caller *caller,
    const char *address, enum warned_kind kind, const char *why)
{
	struct warned *warned =
	    &(caller == NULL ? gateway->warned : caller->warned)[kind];
	uint64_t now = clock_ms();

	if (warned->at != 0 && now - warned->at < HTTP_WARN_MS) {
		warned->more++;
		return;
	}
	if (warned->more > 0)
		log_warn("a connection of %s is closed: %s (and %u more since "
		    "the last such line)", address, why, warned->more);
	else
		log_warn("a connection of %s is closed: %s", address, why);
	*warned = (struct warned){ .at = now };
}

void
callers_free_all(struct gateway *gateway)
{
	while (!LIST_EMPTY(&gateway->callers))
		caller_free(gateway, LIST_FIRST(&gateway->callers));
}
