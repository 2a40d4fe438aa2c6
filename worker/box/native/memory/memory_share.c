/*
 * Reuses the share of pages that a process had at an earlier measurement, for
 * the watchdog: examining the pages of a process takes a millisecond, and with
 * many processes that would be all that happens in a box. Runs in init.
 *
 * A process without a page fault since then has no new page, nor has it copied
 * a shared one. If it had faults its pages are examined again. It may have lost
 * pages that others keep, whose shares were noted while it had a part of them,
 * so its earlier part is counted besides. The pages that it had alone can be
 * among these only if a process was started since. So no page is counted less
 * than once, as long as no process or thread of the box has ended meanwhile,
 * whose faults would be unknown. The sum may be too large: above the limit, and
 * twice a second, all pages are examined.
 */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "memory.h"
#include "memory_parts.h"

/* The indexes of the fields of a stat after the name: minor, major faults. */
#define MEMORY_STAT_MINOR 8
#define MEMORY_STAT_MAJOR 10

/* The page faults of all threads of a process, also of ended ones. */
static uint64_t
memory_faults(const struct memory *memory, pid_t pid)
{
	char stat[BOX_MEMORY_TEXT_SIZE];

	if (memory_read(memory, pid, "stat", stat) != 1)
		return UINT64_MAX;
	return memory_field(stat, MEMORY_STAT_MINOR) +
	    memory_field(stat, MEMORY_STAT_MAJOR);
}

/*
 * The number that was given last to a process or thread of the box; 0 if the
 * kernel does not tell.
 */
static uint64_t
memory_last_pid(const struct memory *memory)
{
	int fd = openat(memory->proc, "loadavg", O_RDONLY | O_CLOEXEC);
	char text[BOX_MEMORY_LOAD_SIZE + 1] = "";
	const char *last;

	if (fd == -1)
		return 0;
	if (read(fd, text, BOX_MEMORY_LOAD_SIZE) == -1)
		text[0] = '\0';
	close(fd);
	last = strrchr(text, ' ');
	return last == NULL ? 0 : memory_digits(last);
}

/* Numbers are given in turn: as many as there are more threads than before. */
static int
memory_none_ended(const struct memory *memory, const struct memory_sum *sum)
{
	return sum->threads >= memory->shares.threads &&
	    memory_last_pid(memory) - memory->shares.last_pid ==
	        sum->threads - memory->shares.threads;
}

int
memory_may_reuse(const struct memory *memory, const struct memory_sum *sum)
{
	return !memory->shares.whole && !memory->maps.due &&
	    memory->hold.state != MEMORY_HELD_AT_ONCE &&
	    memory->shares.last_pid != 0 && memory_none_ended(memory, sum);
}

void
memory_begin_shares(struct memory *memory, int partly)
{
	memory->shares.partly = partly;
	memory->shares.whole = 0;
	memory->shares.newest = memory_last_pid(memory);
	if (!partly)
		memory->shares.given = 0;
}

void
memory_end_shares(struct memory *memory, const struct memory_sum *sum)
{
	memory->shares.whole |= sum->busy > 0 || sum->loose > 0 ||
	    (memory->shares.partly && !memory_none_ended(memory, sum));
	memory->shares.last_pid = memory_last_pid(memory);
	memory->shares.threads = sum->threads;
}

/* The part of pages that others may have now. */
static uint64_t
memory_part_given(const struct memory *memory, const struct memory_clock *known)
{
	uint64_t kept =
	    known->newest == memory->shares.newest ? known->private : 0;

	return known->share > kept ? known->share - kept : 0;
}

int
memory_reuse(
    struct memory *memory, pid_t pid, uint64_t rss, struct memory_sum *sum)
{
	struct memory_clock *known = memory_find_clock(memory, pid);

	if (!memory->shares.partly || known == NULL || known->pid != pid ||
	    !known->looked)
		return 0;
	if (memory_faults(memory, pid) != known->faults) {
		memory->shares.given += memory_part_given(memory, known);
		return 0;
	}
	sum->shares += known->share;
	/* The kernel may have made a huge page of its small ones. */
	if (rss > known->looked_rss)
		sum->shares += rss - known->looked_rss;
	return 1;
}

void
memory_note_share(struct memory *memory, pid_t pid, uint64_t rss,
    uint64_t share, uint64_t private)
{
	struct memory_clock *known = memory_find_clock(memory, pid);

	if (known == NULL || known->pid != pid) {
		memory->shares.whole = 1;
		return;
	}
	known->looked = 1;
	known->looked_rss = rss;
	known->share = share;
	known->private = private;
	known->newest = memory->shares.newest;
	known->faults = memory_faults(memory, pid);
}
