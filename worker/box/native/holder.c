/*
 * A process that has the memory of the code and does nothing at all, in boxes
 * that a template has forked. The kernel takes memory apart when the last
 * process that has it ends: so the end of the code is known at once, and its
 * thousands of pages are freed later, when no process waits for that.
 *
 * Where the code becomes another program, the memory must go at once, as that
 * program needs the room. So the holder waits for what the kernel does in both
 * cases at the end of a thread: it clears the number of the thread and wakes
 * the waiting process.
 *
 * To the code it is a child that no wait() tells of. It is under all that the
 * code is under: what the code can make of it by writing to its stack, which is
 * the code's own memory, is what the code may be anyway. Until then it never
 * uses what the C library keeps for the thread, which is the code's.
 */
#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "native.h"

/* For a few calls of the kernel. */
#define HOLDER_STACK 4096
/* The least there is. */
#define HOLDER_NICE 19

static char holder_stack[HOLDER_STACK] __attribute__((aligned(64)));

/* A moment for the code to be ended before its memory is taken apart. */
static const struct timespec holder_rest = { 0, BOX_HOLDER_REST_MS * 1000000 };

/*
 * No call of these fails while the code is there, or it would set the errno of
 * the code.
 */
static int
holder_main(void *arg)
{
	const int *tid = arg;
	int code;

	/* A pipe ends when no process holds it any more. */
	syscall(SYS_close_range, 0, ~0U, 0);
	syscall(SYS_prctl, PR_SET_NAME, "box-holder", 0, 0, 0);
	/* What it does in the end is in no hurry. */
	syscall(SYS_setpriority, PRIO_PROCESS, 0, HOLDER_NICE);
	while ((code = __atomic_load_n(tid, __ATOMIC_ACQUIRE)) != 0)
		syscall(SYS_futex, tid, FUTEX_WAIT, code, NULL, NULL, 0);
	syscall(SYS_ppoll, NULL, 0, &holder_rest, NULL, 0);
	syscall(SYS_exit_group, 0);
	return 0;
}

void
holder_start(const struct box *box)
{
	static const unsigned long all = ~0UL;
	unsigned long mask;

	/*
	 * What a signal does would be done in the memory of the code; and the
	 * code may run long before its holder does.
	 */
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &mask, sizeof(all));
	/* Without it the end of the code is known later: so be it. */
	(void)clone(holder_main, holder_stack + sizeof(holder_stack), CLONE_VM,
	    box->tid);
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, sizeof(mask));
}
