/* The roles and their names: see role.h. Linked into every process. */
#include <stdio.h>
#include <sys/prctl.h>

#include "limits.h"
#include "base/log.h"
#include "role.h"

static const struct role_info role_table[ROLES] = {
#define ROLE(NAME, name, kind, user, folder, binary, ...)                      \
	[ROLE_##NAME] = { #name, ROLE_KIND_##kind, ROLE_USER_##user, folder,   \
		binary },
#include "roles.def"
#undef ROLE
};

const struct role_info *
role_info(enum role role)
{
	return &role_table[role];
}

void
role_enter(enum role role, unsigned long number)
{
	char title[LOG_PREFIX_SIZE];

	if (number > 0)
		snprintf(title, sizeof(title), "%s[%lu]",
		    role_table[role].name, number);
	else
		snprintf(title, sizeof(title), "%s", role_table[role].name);
	prctl(PR_SET_NAME, title);
	log_init(title, log_terms());
}
