/*
 * The resources that the processes of a box have used, as measured by its
 * process 1: the content of the file of counts that SETUP passes. Its fields
 * are in box_usage.def.
 */
#ifndef COMMON_BOX_USAGE_H
#define COMMON_BOX_USAGE_H

#include <stdint.h>

#define BOX_USAGE(field, doc) uint64_t field;
struct box_usage {
#include "box_usage.def"
};
#undef BOX_USAGE

/* There is no padding between the fields: the file equals the struct. */
#define BOX_USAGE(field, doc) +sizeof(uint64_t)
_Static_assert(sizeof(struct box_usage) == 0
#include "box_usage.def"
    , "a struct box_usage has gaps");
#undef BOX_USAGE

#endif
