/* All doors: see door.h. */
#include "../../common/base/mem.h"
#include "door.h"

static const struct door *const doors_rows[DOORS] = {
#define DOOR(name) &door_##name,
#include "doors.def"
};

/* Each open door that has this function. */
#define DOORS_EACH(i, doors, has)                                              \
	for (i = 0; i < DOORS; i++)                                            \
		if ((doors)->state[i] != NULL && doors_rows[i]->has != NULL)

int
doors_open(struct doors *doors, const struct door_setup *setup, struct err *err)
{
	size_t i;

	for (i = 0; i < DOORS; i++)
		if (doors_rows[i]->open(&doors->state[i], setup, err) == -1)
			return -1;
	DOORS_EACH(i, doors, begin)
		doors_rows[i]->begin(doors->state[i]);
	return 0;
}

void
doors_drain(struct doors *doors)
{
	size_t i;

	DOORS_EACH(i, doors, drain)
		doors_rows[i]->drain(doors->state[i]);
}

int
doors_flushed(const struct doors *doors)
{
	int flushed = 1;
	size_t i;

	DOORS_EACH(i, doors, flushed)
		flushed &= doors_rows[i]->flushed(doors->state[i]);
	return flushed;
}

void
doors_close(struct doors *doors, bool last)
{
	size_t i;

	DOORS_EACH(i, doors, close)
		if (doors_rows[i]->last == last)
			doors_rows[i]->close(mem_take(&doors->state[i]));
}
