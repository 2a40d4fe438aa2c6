/*
 * Wrong tokens, by the address that has sent them: each one makes the next
 * wrong token of that address wait longer. Valid tokens never wait, because
 * clients of several owners may share an address. Runs in the supervisor; pure,
 * except that the caller tells the time.
 */
#ifndef SUPERVISOR_GUESSES_H
#define SUPERVISOR_GUESSES_H

#include <stdint.h>

struct guesses;

struct guesses *guesses_new(void);
void guesses_free(struct guesses **guesses);

/*
 * Returns after how many seconds this address may send another wrong token; 0:
 * now. now is in milliseconds.
 */
unsigned int guesses_wait(
    const struct guesses *guesses, const char *address, uint64_t now);

/*
 * Notes a wrong token. Returns how many of them the address has sent, until it
 * has sent none for GUESSES_FORGET_MS.
 */
unsigned int guesses_note(
    struct guesses *guesses, const char *address, uint64_t now);

#endif
