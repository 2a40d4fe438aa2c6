/*
 * Loads a system call filter: see seccomp.h. Linked into every confined
 * process.
 */
#include <linux/seccomp.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "seccomp.h"

int
seccomp_load(const struct sock_filter *filter, size_t len, struct err *err)
{
	/* The kernel copies the filter; its structure only lacks a const. */
	struct sock_fprog program = { (unsigned short)len,
		(struct sock_filter *)filter };

	if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) == -1)
		return err_sys(err, "load a system call filter of %zu "
		    "instructions", len);
	return 0;
}
