/*
 * Whether two open files have the same content, compared in pieces, and when a
 * file was changed. Runs in files.
 */
#ifndef WORKER_FILES_SAME_H
#define WORKER_FILES_SAME_H

#include <stdint.h>
#include <time.h>

struct same;

enum same_state {
	SAME_COMPARES, /* there is more to compare */
	SAME_EQUAL,
	SAME_DIFFERENT /* or one of them cannot be read */
};

/*
 * Starts to compare size bytes of the descriptors a, which is borrowed, and b,
 * which is taken, in b from this offset on. Returns what same_free frees.
 */
struct same *same_new(int a, int *b, uint64_t offset, uint64_t size);

/* Continues by one piece. */
enum same_state same_go_on(struct same *same);

/* Returns the time of a change as FILED.changed has it. */
uint64_t same_changed(struct timespec at);

/* NULL inside is accepted. */
void same_free(struct same **same);

#endif
