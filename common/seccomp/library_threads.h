/*
 * How many threads libraries may start automatically in a box, native or a
 * container: as many as there are processors, within limits of limits.h. Runs
 * in any process.
 */
#ifndef COMMON_LIBRARY_THREADS_H
#define COMMON_LIBRARY_THREADS_H

#include <stdint.h>

/* The variables that tell libraries so, as formats of printf. */
#define LIBRARY_THREADS_BLAS "OPENBLAS_NUM_THREADS=%u"
#define LIBRARY_THREADS_OMP "OMP_NUM_THREADS=%u"

struct library_threads {
	unsigned int blas; /* of OpenBLAS */
	unsigned int omp;  /* of OpenMP */
};

/* Returns both for a box with such a memory limit in bytes; never 0. */
struct library_threads library_threads(uint64_t memory_bytes);

#endif
