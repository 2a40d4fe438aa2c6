/*
 * The resources that the processes of a box have used, for the watchdog: their
 * CPU time, and the state of each at the last measurement. Runs in init.
 */

#include "memory.h"
#include "memory_parts.h"

/*
 * include/linux/posix-timers.h of the kernel: the CPU time of a process, all
 * threads.
 */
#define MEMORY_CPU_CLOCK(pid) ((clockid_t)(~(unsigned int)(pid) << 3 | 2))

uint64_t
memory_cpu_ns(pid_t pid)
{
	return memory_ns(MEMORY_CPU_CLOCK(pid));
}

struct memory_clock *
memory_find_clock(struct memory *memory, pid_t pid)
{
	struct memory_clock *ended = NULL, *clock;
	pid_t i;

	for (i = 0; i < BOX_MEMORY_CLOCKS; i++) {
		clock = &memory->clocks[(pid + i) % BOX_MEMORY_CLOCKS];
		if (clock->pid == pid)
			return clock;
		if (clock->pid == 0)
			return ended != NULL ? ended : clock;
		if (ended == NULL && memory_cpu_ns(clock->pid) == 0)
			ended = clock;
	}
	return ended;
}

void
memory_note_usage(struct memory *memory, pid_t pid, const char *status)
{
	uint64_t peak_kib = memory_number(status, "VmHWM");
	struct memory_clock *last = memory_find_clock(memory, pid);
	uint64_t ns = memory_cpu_ns(pid);

	if (peak_kib > memory->usage.peak_kib)
		memory->usage.peak_kib = peak_kib;
	if (last == NULL)
		return;
	/* A number can be reused for another process. */
	if (last->pid != pid || last->ns == 0 || last->ns > ns)
		*last = (struct memory_clock){ .pid = pid };
	memory->cpu_ns += ns - last->ns;
	last->ns = ns;
	last->rss = memory_of_status(status);
}

uint64_t
memory_known_shared(
    struct memory *memory, pid_t pid, const char *status, uint64_t rss)
{
	pid_t parent = (pid_t)memory_number(status, "PPid");
	const struct memory_clock *own = memory_find_clock(memory, pid);
	const struct memory_clock *before = memory_find_clock(memory, parent);
	uint64_t shared = parent == 0 ? 0 : rss;

	if (own != NULL && own->pid == pid && own->looked)
		shared = own->looked_rss - own->private;
	else if (parent > 1 && before != NULL && before->pid == parent)
		shared = before->rss;
	return shared < rss ? shared : rss;
}

int
memory_is_idle(struct memory *memory)
{
	const uint64_t before = memory->used_ns;
	uint64_t of_one = 0;
	size_t i;

	memory->used_ns = 0;
	for (i = 0; i < BOX_MEMORY_SEEN && memory->seen[i] != 0; i++) {
		of_one = memory_cpu_ns(memory->seen[i]);
		memory->used_ns += of_one;
		if (of_one == 0)
			break;
	}
	if (of_one == 0)
		memory->used_ns = 0;
	return of_one != 0 && memory->used_ns == before;
}
