/*
 * The roles as an enum and their names: an expansion of roles.def. Used by
 * every process.
 */
#ifndef COMMON_ROLE_H
#define COMMON_ROLE_H

enum role {
#define ROLE(NAME, ...) ROLE_##NAME,
#include "roles.def"
#undef ROLE
	ROLES
};

/* The kinds and users of roles.def. */
enum role_kind {
	ROLE_KIND_PROGRAM,
	ROLE_KIND_BOX,
	ROLE_KIND_TASK,
	ROLE_KIND_SERVICE
};
enum role_user {
	ROLE_USER_OURS,
	ROLE_USER_BOX,
	ROLE_USER_NOBODY,
	ROLE_USER_LOGINS
};

struct role_info {
	const char *name;
	enum role_kind kind;
	enum role_user user;
	const char *folder;
	const char *binary;
};

/* Returns the row of a role, static. */
const struct role_info *role_info(enum role role);

/*
 * Makes this process recognisable as "role[number]", or "role" if number is 0:
 * its name in ps and the prefix of its log lines.
 */
void role_enter(enum role role, unsigned long number);

#endif
