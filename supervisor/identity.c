/*
 * Who relays and boxes are when we are root: users that nobody else is, a
 * distinct one for each box. In a container only some users exist; there two
 * serve for all relays and all boxes. Runs in the supervisor; reads the maps of
 * its own user namespace and nothing else.
 */
#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "../common/limits.h"
#include "../common/log.h"
#include "supervisor.h"

/* Users and groups have the same numbers; 0 is "stay who you are". */
static struct identity {
	unsigned int relay;
	unsigned int box_first;
	unsigned int box_count;
	unsigned int template;
} identity = { 0, 0, 1, 0 };

static const struct identity identity_own = { RELAY_UID, BOX_UID_FIRST,
	BOX_UID_COUNT, TEMPLATE_UID };
static const struct identity identity_few = { RELAY_UID_FEW, BOX_UID_FEW, 1,
	BOX_UID_FEW };

/* Whether a map of user_namespaces(7) has all numbers from first to last. */
static int
identity_mapped(
    const char *path, unsigned long first, unsigned long last)
{
	FILE *map = fopen(path, "re");
	unsigned long inside, outside, count;
	int found = 0;

	if (map == NULL)
		return 0;
	while (!found &&
	    fscanf(map, "%lu %lu %lu", &inside, &outside, &count) == 3)
		found = first >= inside && last - inside < count;
	fclose(map);
	return found;
}

static int
identity_exists(const struct identity *id)
{
	unsigned long last = id->template; /* the highest there is */

	return identity_mapped("/proc/self/uid_map", id->relay, last) &&
	    identity_mapped("/proc/self/gid_map", id->relay, last);
}

int
identity_init(struct err *err)
{
	if (geteuid() != 0)
		return 0;
	if (identity_exists(&identity_own)) {
		identity = identity_own;
	} else if (identity_exists(&identity_few)) {
		log_info("few users exist here: all boxes share user %d",
		    BOX_UID_FEW);
		identity = identity_few;
	} else {
		return err_set(err, "root here has no other users to give to "
		    "boxes (/proc/self/uid_map): start Caisson as an ordinary "
		    "user, or map users up to %d", BOX_UID_FEW);
	}
	return 0;
}

unsigned int
identity_relay(void)
{
	return identity.relay;
}

unsigned int
identity_box(unsigned long number)
{
	return identity.box_first +
	    (unsigned int)(number % identity.box_count);
}

unsigned int
identity_template(void)
{
	return identity.template;
}

void
identity_boxes(unsigned int *first, unsigned int *count)
{
	*first = identity.box_first;
	*count = identity.box_count;
}
