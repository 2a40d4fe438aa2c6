/*
 * Decides when the watchdog measures a box, and on which processor: the time
 * limit of a measurement, and the processor reserved for it in a crowded box.
 * Runs in init.
 */
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "memory.h"
#include "memory_parts.h"
#include "../../../../common/box_step.h"

uint64_t
memory_ns(clockid_t clock)
{
	struct timespec now;

	if (clock_gettime(clock, &now) == -1)
		return 0;
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

uint64_t
memory_ms(clockid_t clock)
{
	return memory_ns(clock) / 1000000;
}

int
memory_await(const struct timespec *time)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, BOX_CLEAR);
	return sigtimedwait(&set, NULL, time) == BOX_CLEAR;
}

int
memory_sleep(struct memory *memory, unsigned int ms)
{
	const struct timespec time = { ms / 1000, ms % 1000 * 1000000L };

	memory->pace.planned_ms = memory_ms(CLOCK_MONOTONIC) + ms;
	memory->pace.cpu_ms = memory_ms(CLOCK_PROCESS_CPUTIME_ID);
	if (memory->session != MEMORY_ONE_CALL)
		return memory_await(&time);
	poll(NULL, 0, (int)ms);
	return 0;
}

/* Others were scheduled, not this process: what it did itself took no time. */
int
memory_is_late(const struct memory *memory)
{
	return memory->hold.state == MEMORY_RUNS &&
	    memory->pace.planned_ms != 0 &&
	    memory_ms(CLOCK_MONOTONIC) > memory->pace.planned_ms +
	        memory_ms(CLOCK_PROCESS_CPUTIME_ID) - memory->pace.cpu_ms +
	        BOX_MEMORY_LATE_MS;
}

int
memory_is_crowded(const struct memory *memory, const struct memory_sum *sum)
{
	uint64_t grown = memory->pace.narrow ?
	    memory->pace.look_ms * (memory->pace.speed / 1000) :
	    sum->threads * BOX_MEMORY_TURN;

	return sum->processes > BOX_MEMORY_SEEN &&
	    sum->threads > BOX_MEMORY_FEW &&
	    sum->bytes + grown > memory->limit;
}

/*
 * The rate of one processor is lower only where it is emulated, with the
 * kernel: that has to write each new page, of any size, and is at most twice as
 * fast as this process in a page that it has. The best of some attempts was not
 * interrupted.
 */
static uint64_t
memory_speed_of_one(void)
{
	char page[BOX_MEMORY_SAMPLE];
	uint64_t best = 0, ns, speed;
	int i;

	for (i = 0; i < BOX_MEMORY_SAMPLES && best < BOX_MEMORY_SPEED; i++) {
		ns = memory_ns(CLOCK_MONOTONIC);
		explicit_bzero(page, sizeof(page));
		ns = memory_ns(CLOCK_MONOTONIC) - ns;
		speed = ns == 0 ? BOX_MEMORY_SPEED :
		                  2 * sizeof(page) * 1000000000 / ns;
		if (speed > best)
			best = speed;
	}
	return best < BOX_MEMORY_SPEED ? best : BOX_MEMORY_SPEED;
}

uint64_t
memory_speed(const cpu_set_t *set)
{
	uint64_t speed = (uint64_t)CPU_COUNT(set) * memory_speed_of_one();

	return speed < BOX_MEMORY_SPEED_MOST ? speed : BOX_MEMORY_SPEED_MOST;
}

void
memory_keep_processor(struct memory *memory)
{
	cpu_set_t own;
	int cpu = 0;

	if (memory->pace.narrow ||
	    sched_getaffinity(
		0, sizeof(memory->pace.others), &memory->pace.others) == -1 ||
	    CPU_COUNT(&memory->pace.others) < 2)
		return;
	while (!CPU_ISSET(cpu, &memory->pace.others))
		cpu++;
	CPU_ZERO(&own);
	CPU_SET(cpu, &own);
	CPU_CLR(cpu, &memory->pace.others);
	memory->pace.narrow = sched_setaffinity(0, sizeof(own), &own) == 0;
	if (memory->pace.narrow)
		memory->pace.speed = memory_speed(&memory->pace.others);
}

unsigned int
memory_wait(const struct memory *memory, uint64_t bytes)
{
	uint64_t left = memory->limit > bytes ? memory->limit - bytes : 0;
	uint64_t ms = left / (memory->pace.speed / 1000);
	unsigned int least = memory->pace.narrow ?
	    BOX_MEMORY_WAIT_NARROW_MS : BOX_MEMORY_WAIT_LEAST_MS;

	/* With many threads, neighbours delay it by as much again. */
	if (memory->pace.narrow)
		ms /= 2;
	if (ms < least)
		return least;
	if (ms > BOX_MEMORY_WAIT_MOST_MS)
		return BOX_MEMORY_WAIT_MOST_MS;
	return (unsigned int)ms;
}

/* As in the kernel (sched_setattr(2)); the C library does not define it. */
struct memory_schedule {
	uint32_t size;
	uint32_t policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime;
	uint64_t deadline;
	uint64_t period;
};

void
memory_run_soon(void)
{
	const struct memory_schedule schedule = { .size = sizeof(schedule),
		.policy = SCHED_OTHER,
		.nice = getpriority(PRIO_PROCESS, 0),
		.runtime = BOX_MEMORY_SLICE_NS };

	(void)syscall(SYS_sched_setattr, 0, &schedule, 0);
}
