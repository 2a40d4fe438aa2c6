/*
 * A process that has the memory of the code and does nothing at all, in boxes
 * that a template has forked. The kernel takes memory apart when the last
 * process that has it ends: so the end of the code is known at once, and its
 * thousands of pages go later, when nobody waits for that, as the box is ended.
 *
 * To the code it is a child that no wait() tells of. It is under all that the
 * code is under: what the code can make of it by writing to its stack, which is
 * the code's own memory, is what the code may be anyway. Until then it never
 * uses what the C library keeps for the thread, which is the code's.
 */
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "box.h"

/* For a few calls of the kernel. */
#define HOLDER_STACK 4096

static char holder_stack[HOLDER_STACK] __attribute__((aligned(64)));

/* No call of these fails, or it would set the errno of the code. */
static int
holder_main(void *arg)
{
	static const unsigned long all = ~0UL;

	(void)arg;
	/* What a signal does would be done in the memory of the code. */
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &all, NULL, sizeof(all));
	/* A pipe ends when nobody holds it any more. */
	syscall(SYS_close_range, 0, ~0U, 0);
	syscall(SYS_prctl, PR_SET_NAME, "box-holder", 0, 0, 0);
	for (;;)
		syscall(SYS_ppoll, NULL, 0, NULL, NULL, 0);
	return 0;
}

int
holder_start(struct box *box, struct err *err)
{
	(void)box;
	if (clone(holder_main, holder_stack + sizeof(holder_stack), CLONE_VM,
	        NULL) == -1)
		return err_sys(err, "clone");
	return 0;
}
