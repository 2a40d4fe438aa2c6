/*
 * Wrong tokens: see guesses.h. Tokens are too long to be guessed; this tells a
 * program that tries to slow down, and bounds its lines in the log.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../../../common/address.h"
#include "../../../common/limits.h"
#include "../../../common/base/mem.h"
#include "guesses.h"

struct guesser {
	char address[HTTP_ADDRESS_MAX + 1]; /* or a network; empty: unused */
	unsigned int count;
	uint64_t last;  /* of its guesses */
	uint64_t until; /* it waits */
};

struct guesses {
	struct guesser all[GUESSES_MAX];
};

struct guesses *
guesses_new(void)
{
	return mem_alloc(sizeof(struct guesses));
}

void
guesses_free(struct guesses **guesses)
{
	free(mem_take(guesses));
}

static int
guesses_is_over(const struct guesser *guesser, uint64_t now)
{
	return now - guesser->last > GUESSES_FORGET_MS;
}

unsigned int
guesses_wait(const struct guesses *guesses, const char *address, uint64_t now)
{
	char key[HTTP_ADDRESS_MAX + 1];
	size_t i;

	address_group(address, key);
	for (i = 0; i < GUESSES_MAX; i++)
		if (strcmp(guesses->all[i].address, key) == 0 &&
		    guesses->all[i].until > now)
			return (unsigned int)(
			    (guesses->all[i].until - now + 999) / 1000);
	return 0;
}

/* Returns the row of this address, or the one that was not used for longest. */
static struct guesser *
guesses_find(struct guesses *guesses, const char *key)
{
	struct guesser *oldest = &guesses->all[0];
	size_t i;

	for (i = 0; i < GUESSES_MAX; i++) {
		if (strcmp(guesses->all[i].address, key) == 0)
			return &guesses->all[i];
		if (guesses->all[i].last < oldest->last)
			oldest = &guesses->all[i];
	}
	memset(oldest, 0, sizeof(*oldest));
	snprintf(oldest->address, sizeof(oldest->address), "%s", key);
	return oldest;
}

unsigned int
guesses_note(struct guesses *guesses, const char *address, uint64_t now)
{
	char key[HTTP_ADDRESS_MAX + 1];
	struct guesser *guesser;
	unsigned int above;

	address_group(address, key);
	guesser = guesses_find(guesses, key);
	if (guesser->count > 0 && guesses_is_over(guesser, now))
		guesser->count = 0;
	guesser->count++;
	guesser->last = now;
	if (guesser->count < GUESSES_FREE)
		return guesser->count;
	above = guesser->count - GUESSES_FREE;
	guesser->until = now + (above < GUESSES_DOUBLINGS ?
	    GUESSES_PAUSE_MS << above : GUESSES_PAUSE_MAX_MS);
	return guesser->count;
}
