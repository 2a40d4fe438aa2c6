/*
 * A library that engines are started with (LD_PRELOAD), which starts a holder:
 * the kernel takes as long to free what an engine has mapped as a short program
 * runs. It names no C library, so it fits any that an engine has.
 */
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../native/template/template.h"

/* Run before the engine, which does not use the number of its first thread. */
static void __attribute__((constructor))
hold(void)
{
	static int tid;
	static struct holder holder = { .tid = &tid };

	/* Neither the code nor what it starts has the variable. */
	unsetenv("LD_PRELOAD");
	tid = (int)syscall(SYS_set_tid_address, &tid);
	holder_start(&holder);
}
