/*
 * Counts the memory of a box for the watchdog: of its processes, files and
 * sockets. Runs in init.
 */
#include <linux/kcmp.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "memory.h"
#include "memory_parts.h"

/*
 * A file that was just read. The compiler has every page of a large array on
 * the stack written to, and a forked init would copy all of them.
 */
static char memory_text[BOX_MEMORY_TEXT_SIZE];

/* Whether the process exists and reports its memory in status. */
static int
memory_tells(const struct memory *memory, pid_t pid, pid_t tid, char *status)
{
	return tid != pid && memory_read_status(memory, tid, status) == 1 &&
	    memory_find(status, "RssAnon") != NULL;
}

/*
 * Reads the status of the process, if necessary of another thread than its
 * first, whose number is then stored in *pid. Returns like memory_read.
 */
static int
memory_look_at(
    struct memory *memory, pid_t *pid, char *status, struct memory_sum *sum)
{
	int n = memory_read_status(memory, *pid, status);
	pid_t tid;

	if (n == 1)
		sum->threads += memory_number(status, "Threads");
	if (n == 1 && memory->hold.state != MEMORY_RUNS)
		memory_look_at_held(memory, *pid, status, sum);
	if (n != 1 || !memory_is_headless(status))
		return n;
	tid = memory_read_other(memory, *pid, status);
	if (tid == 0 || memory_find(status, "RssAnon") == NULL)
		tid = memory_visit_threads(memory, *pid, memory_tells, status);
	if (tid == 0) {
		sum->missed++;
		return 0;
	}
	memory_note_headless(memory, *pid, tid);
	*pid = tid;
	return 1;
}

/* Kernel memory of a process, even if all its pages are shared. */
static uint64_t
memory_of_kernel(const char *status)
{
	return memory_bytes(status, "VmPTE") +
	    memory_bytes(status, "HugetlbPages");
}

/*
 * The mappings of a process, one per line of its file. The process itself is
 * already counted.
 */
static void
memory_add_maps(const struct memory *memory, pid_t pid, struct memory_sum *sum)
{
	int fd = sum->with_maps ? memory_open_file(memory, pid, "maps") : -1;
	char *text = memory_text;
	/*
	 * One process may have as many as large libraries make, but not all
	 * may.
	 */
	uint64_t allowed = BOX_MAPS_FREE / sum->processes;
	uint64_t lines = 0;
	const char *end;
	ssize_t n;

	if (allowed < BOX_MAPS_LEAST)
		allowed = BOX_MAPS_LEAST;
	if (fd == -1)
		return;
	while ((n = read(fd, text, sizeof(memory_text))) > 0)
		for (end = text; end < text + n; end++)
			lines += *end == '\n';
	close(fd);
	if (lines > allowed)
		sum->maps += lines - allowed;
}

/*
 * The kernel memory for them: a structure each and, in a forked process, a link
 * for each ancestor, of which there can be as many as there are processes.
 */
static uint64_t
memory_of_maps(const struct memory_sum *sum)
{
	return sum->maps *
	    (BOX_MAP_BYTES + sum->processes * BOX_MAP_LINK_BYTES);
}

/*
 * A child between vfork and exec uses the memory of its parent, not a copy, and
 * so does the holder: it would be counted twice. A process that cannot be
 * compared counts as a different one.
 */
static int
memory_is_borrowed(pid_t pid, const char *status)
{
	pid_t parent = (pid_t)memory_number(status, "PPid");

	return parent > 1 && syscall(SYS_kcmp, pid, parent, KCMP_VM, 0, 0) == 0;
}

int
memory_add_quickly(struct memory *memory, pid_t pid, struct memory_sum *sum)
{
	const pid_t process = pid; /* pid becomes that of a thread */
	char *status = memory_text;

	if (sum->processes < BOX_MEMORY_SEEN)
		sum->pids[sum->processes] = pid;
	sum->processes++;
	if (memory_look_at(memory, &pid, status, sum) == -1)
		return -1;
	memory_note_usage(memory, process, status);
	if (memory_is_borrowed(pid, status))
		return 0;
	sum->bytes += memory_of_status(status) + memory_of_kernel(status);
	memory_add_maps(memory, pid, sum);
	return 0;
}

/*
 * Pages that certainly belong to this process alone: the kernel reports those
 * that only it has mapped. They include files in memory, which are counted as
 * such.
 */
static uint64_t
memory_of_itself(const char *pages, uint64_t rss)
{
	uint64_t private = memory_bytes(pages, "Private_Dirty");
	uint64_t files = memory_bytes(pages, "Pss_Shmem");

	private = private > files ? private - files : 0;
	return private < rss ? private : rss;
}

/* In its faults it may have changed pages of its parent. */
static void
memory_add_borrowed(struct memory *memory, pid_t pid, struct memory_sum *sum)
{
	if (memory_reuse(memory, pid, 0, sum))
		return;
	memory->shares.whole |= memory->shares.partly;
	memory_note_share(memory, pid, 0, 0, 0);
}

int
memory_add_exactly(struct memory *memory, pid_t pid, struct memory_sum *sum)
{
	const pid_t process = pid; /* pid becomes that of a thread */
	char status[BOX_MEMORY_TEXT_SIZE], pages[BOX_MEMORY_TEXT_SIZE];
	uint64_t rss, own, private;
	int first;

	sum->processes++;
	if (memory_look_at(memory, &pid, status, sum) == -1)
		return -1;
	if (memory_is_borrowed(pid, status)) {
		memory_add_borrowed(memory, process, sum);
		return 0;
	}
	rss = memory_of_status(status);
	/* The parent of the code is outside the box. */
	first = memory_number(status, "PPid") == 0;
	sum->bytes += memory_of_kernel(status);
	if (memory_reuse(memory, process, rss, sum)) {
		sum->busy += memory_moves(status) != 0;
		return 0;
	}
	if (memory->hold.state != MEMORY_RUNS &&
	    !memory_is_parked(memory, process)) {
		sum->busy++;
		sum->owned += first ? rss : rss -
		        memory_known_shared(memory, process, status, rss);
		return 0;
	}
	memory_add_maps(memory, pid, sum);
	own = private = rss;
	if (memory_read(memory, pid, "smaps_rollup", pages) == 1 &&
	    memory_find(pages, "Pss_Anon") != NULL) {
		own = memory_bytes(pages, "Pss_Anon") +
		    memory_bytes(pages, "SwapPss");
		private = memory_of_itself(pages, rss);
	}
	sum->shares += own;
	sum->owned += first ? rss : private;
	memory_note_share(memory, process, rss, own, private);
	return 0;
}

/*
 * Files, mapped or not, deleted or not; and their inodes, which also use
 * memory.
 */
static int
memory_add_files(const struct memory *memory, struct memory_sum *sum)
{
	struct statfs fs;
	size_t i;

	for (i = 0; i < memory->nplaces; i++) {
		if (fstatfs(memory->places[i], &fs) == -1)
			return -1;
		sum->bytes +=
		    (uint64_t)(fs.f_blocks - fs.f_bfree) *
		        (uint64_t)fs.f_bsize +
		    (uint64_t)(fs.f_files - fs.f_ffree) * BOX_INODE_BYTES;
	}
	return 0;
}

/*
 * Unread data in sockets cannot be measured. Above a number of sockets that
 * programs do not use, each counts with its capacity. The kernel counts the
 * sockets of the box's own network namespace, with any holder: also those
 * without a descriptor, for example in a system call that was started before.
 */
static int
memory_add_sockets(const struct memory *memory, struct memory_sum *sum)
{
	char *text = memory_text;
	const char *found;
	uint64_t sockets;

	if (memory_read(memory, 1, "net/sockstat", text) == -1)
		return -1;
	found = strstr(text, "sockets: used ");
	if (found == NULL)
		return 0;
	sockets = memory_digits(found + strlen("sockets: used "));
	if (sockets > BOX_SOCKETS_FREE)
		sum->bytes +=
		    (sockets - BOX_SOCKETS_FREE) * memory->socket_bytes;
	return 0;
}

int
memory_count(struct memory *memory, memory_add *add, struct memory_sum *sum)
{
	int exactly = add == memory_add_exactly;

	memset(sum, 0, sizeof(*sum));
	sum->with_maps = (exactly && !memory->shares.partly) ||
	    (memory->maps.due && memory->hold.state == MEMORY_RUNS);
	if (memory_add_files(memory, sum) == -1 ||
	    memory_add_sockets(memory, sum) == -1 ||
	    memory_add_processes(memory, add, sum) == -1)
		return -1;
	if (exactly && !memory->shares.partly)
		memory->maps.bytes = memory_of_maps(sum);
	sum->bytes += exactly ? memory->shares.given + memory->maps.bytes :
	                        memory_of_maps(sum);
	sum->bytes += sum->busy && sum->owned > sum->shares ?
	    sum->owned : sum->shares;
	return 0;
}
