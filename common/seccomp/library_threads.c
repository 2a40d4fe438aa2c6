/*
 * The number of threads that libraries may start in a box: see
 * library_threads.h. Runs in any process; only asks for its processors.
 */
#include <sched.h>

#include "library_threads.h"
#include "../limits.h"

/* The number of processors that this process, and so a box, may use. */
static uint64_t
library_processors(void)
{
	cpu_set_t set;

	/* More than a set can hold: then the limits below decide. */
	if (sched_getaffinity(0, sizeof(set), &set) == -1)
		return CPU_SETSIZE;
	return (uint64_t)CPU_COUNT(&set);
}

/* As many threads as processors, within the limit. */
static unsigned int
library_threads_within(uint64_t most)
{
	uint64_t n = library_processors();

	if (n > most)
		n = most;
	return n > 0 ? (unsigned int)n : 1;
}

struct library_threads
library_threads(uint64_t memory_bytes)
{
	return (struct library_threads){
		.blas = library_threads_within(
		    memory_bytes / BOX_BLAS_SHARE / BOX_BLAS_THREAD_BYTES),
		.omp = library_threads_within(BOX_OMP_THREADS_MAX) };
}
