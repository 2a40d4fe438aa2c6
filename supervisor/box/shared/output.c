/*
 * What the relay of a box has passed on: see runtime.h. Runs in the supervisor.
 */
#include <stdlib.h>

#include "../../../common/base/mem.h"
#include "runtime.h"

void
box_whole_reset(struct box_whole *whole)
{
	free(mem_take(&whole->out));
	free(mem_take(&whole->errors));
	*whole = (struct box_whole){ 0 };
}

void
box_calls_reset(struct box_calls *calls)
{
	free(mem_take(&calls->waiting));
	free(mem_take(&calls->told));
}

void
box_output_reset(struct box_output *output)
{
	free(output->out.data);
	free(output->errors.data);
	output->out = output->errors = (struct call_stream){ 0 };
	pictures_reset(&output->pictures);
	box_whole_reset(&output->whole);
	box_calls_reset(&output->calls);
	buffer_reset(&output->notes);
}
