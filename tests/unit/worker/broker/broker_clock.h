/*
 * The time of a broker that runs in a process of its own, below its test. It
 * passes only while the test waits for the broker and the broker has nothing to
 * do, and then to its next timer at once. So nothing is late, however long
 * either of them has no processor, and no test waits for time to pass.
 */
#ifndef TESTS_UNIT_BROKER_CLOCK_H
#define TESTS_UNIT_BROKER_CLOCK_H

/* In the test, before it forks the broker; both have this time from then on. */
void broker_clock_start(void);

/* In the broker: its loop waits for this time. */
void broker_clock_follow(void);

/* In the test: waits until fd can be read, or has ended. */
void broker_clock_await(int fd);

#endif
