/* Checks whether an owner may use a server. */
#include <string.h>

#include "../../../common/base/text_list.h"
#include "server_names.h"

int
server_allowed(const struct server_texts *allowed, const char *name)
{
	const char *one;

	if (allowed == NULL)
		return 1;
	TEXT_LIST_EACH (one, allowed->data, allowed->len)
		if (strcmp(one, name) == 0)
			return 1;
	return 0;
}
