/*
 * The event loop of a process: see loop.h. Run by every process that has a
 * loop.
 */
#include "log.h"
#include "loop.h"

struct event_base *
loop_new(int any_file)
{
	struct event_config *config = event_config_new();
	struct event_base *base = NULL;

	/*
	 * Each process has one thread, so no locks. The environment is ignored.
	 */
	if (config != NULL) {
		event_config_set_flag(config,
		    EVENT_BASE_FLAG_NOLOCK | EVENT_BASE_FLAG_IGNORE_ENV);
		if (any_file)
			event_config_require_features(config, EV_FEATURE_FDS);
		base = event_base_new_with_config(config);
		event_config_free(config);
	}
	if (base == NULL)
		fatal("cannot make an event loop");
	return base;
}
