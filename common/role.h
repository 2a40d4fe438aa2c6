/*
 * The roles as an enum and their names: an expansion of roles.def. Used by
 * every process.
 */
#ifndef COMMON_ROLE_H
#define COMMON_ROLE_H

enum role {
#define ROLE(NAME, name, folder, binary, lifetime, may, reads) ROLE_##NAME,
#include "roles.def"
#undef ROLE
	ROLES
};

struct role_info {
	const char *name;
	const char *folder;
	const char *binary;
	const char *lifetime;
	const char *may;
	const char *reads;
};

/* Returns the row of a role, static. */
const struct role_info *role_info(enum role role);

/*
 * Makes this process recognisable as "role[number]", or "role" if number is 0:
 * its name in ps and the prefix of its log lines.
 */
void role_enter(enum role role, unsigned long number);

#endif
