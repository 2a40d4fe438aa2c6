/*
 * The request for an execution, as a value. Runs in the supervisor.
 */
#include <stdlib.h>
#include <string.h>

#include "run.h"

void
request_reset(struct request *request)
{
	free(request->code);
	free(request->servers);
	free(request->files);
	free(request->conversation);
	free(request->session);
	buffer_reset(&request->input);
	free(request->notes);
	memset(request, 0, sizeof(*request));
}
