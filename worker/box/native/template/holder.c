/*
 * A process that shares the memory of the code and does nothing, in boxes
 * forked by a template and beside an engine of JavaScript. The kernel frees
 * memory when the last process that has it ends. With the holder, the end of
 * the code is known at once, and its thousands of pages are freed later, when
 * no process waits for that.
 *
 * If the code executes another program, its memory must be freed at once,
 * because that program needs the room. So the holder waits on a futex: when the
 * code exits or executes another program, the kernel writes 0 to the address of
 * its thread number, and wakes who waits there.
 *
 * In a forked box it also has a copy of the descriptor of the view of the code,
 * and usually closes it last: then it is the holder that waits while the kernel
 * waits for all processors. The view is what the code has as its root anyway.
 *
 * For the code it is a child that no wait() reports. It has all restrictions of
 * the code: if the code manipulates it by writing to its stack, which is in the
 * code's own memory, it can do nothing that the code may not do itself. It does
 * not use the thread data of the C library, which belong to the code.
 */
#include <linux/futex.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "template.h"

/*
 * None of these calls fails while the code exists, or it would set the errno of
 * the code.
 */
static int
holder_main(void *arg)
{
	/*
	 * Time for the code to be reaped before its memory is freed. The kernel
	 * writes to it.
	 */
	struct timespec rest = { 0, BOX_HOLDER_REST_MS * 1000000 };
	const struct holder *holder = arg;
	const int *tid = holder->tid;
	int code;

	/* A pipe ends when no process holds it any more. */
	syscall(SYS_close_range, 0, ~0U, 0);
	syscall(SYS_prctl, PR_SET_NAME, "box-holder", 0, 0, 0);
	/* Freeing the memory has low priority, where it takes little time. */
	if (holder->nice != 0)
		syscall(SYS_setpriority, PRIO_PROCESS, 0, holder->nice);
	while ((code = __atomic_load_n(tid, __ATOMIC_ACQUIRE)) != 0)
		syscall(SYS_futex, tid, FUTEX_WAIT, code, NULL, NULL, 0);
	syscall(SYS_ppoll, NULL, 0, &rest, NULL, 0);
	syscall(SYS_exit_group, 0);
	return 0;
}

void
holder_start(struct holder *holder)
{
	static const unsigned long all = ~0UL;
	unsigned long mask;

	/*
	 * A signal handler would run in the memory of the code; and the code
	 * may run long before its holder does.
	 */
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, &mask, sizeof(all));
	/*
	 * Without a holder the end of the code is known later, which is
	 * acceptable.
	 */
	(void)clone(holder_main, holder->stack + sizeof(holder->stack),
	    CLONE_VM, holder);
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &mask, NULL, sizeof(mask));
}
