/*
 * What turns the objects of caisson into caisson-leaks, which LeakSanitizer
 * searches at its exit. The supervisor is a static variable, and what it still
 * points to would pass for memory in use, so it is cleared once it has been
 * freed. With LEAKS_PLANTED in its environment the program leaks: the
 * configuration of servers is not freed.
 */
#include <stdlib.h>
#include <string.h>

#include "supervisor/servers/in_force/in_force.h"
#include "supervisor/supervisor.h"

void __real_supervisor_free(struct supervisor *sv);
void __wrap_supervisor_free(struct supervisor *sv);
void __real_in_force_free(struct in_force **config);
void __wrap_in_force_free(struct in_force **config);

void
__wrap_supervisor_free(struct supervisor *sv)
{
	__real_supervisor_free(sv);
	memset(sv, 0, sizeof(*sv));
}

void
__wrap_in_force_free(struct in_force **config)
{
	if (getenv("LEAKS_PLANTED") == NULL)
		__real_in_force_free(config);
}
