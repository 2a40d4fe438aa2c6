/*
 * Comparing what clients send with a secret. Used by whatever holds tokens or
 * signatures.
 */
#ifndef COMMON_SECRET_H
#define COMMON_SECRET_H

#include <stddef.h>
#include <stdint.h>

/*
 * Returns whether both are the same len bytes. It reads all of them, wherever
 * they differ, so its time does not tell how much of a guess is right.
 */
static inline int
secret_is(const void *one, const void *other, size_t len)
{
	const uint8_t *a = one, *b = other;
	volatile uint8_t different = 0;
	size_t i;

	for (i = 0; i < len; i++)
		different |= (uint8_t)(a[i] ^ b[i]);
	return different == 0;
}

#endif
