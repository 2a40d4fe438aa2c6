/*
 * What the processes of a box have used, as its process 1 has seen. It writes
 * this into the file that SETUP brings, and the supervisor reads it there.
 */
#ifndef COMMON_BOX_USAGE_H
#define COMMON_BOX_USAGE_H

#include <stdint.h>

struct box_usage {
	uint64_t cpu_us;   /* of all that were seen, waited for or not */
	uint64_t peak_kib; /* largest resident set of one of them */
};

#endif
