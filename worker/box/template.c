/*
 * The template: an interpreter that has imported all modules, and forks boxes.
 * It runs in its own view, built like that of a box, and reads nothing but
 * requests of the supervisor (on_supervisor.c). Four processes run the code of
 * this file:
 *
 * - the template, which waits for a request;
 * - the launcher of one box. It runs in the memory of the template, which is
 *   suspended meanwhile, and on a separate stack. Its steps are those of the
 *   launcher of main.c: build, report, wait, exit;
 * - the code of that box: a copy of the template, which drops all privileges
 *   and then returns to the caller in the template;
 * - the sample box (ahead.c), a child of the template, which ends before the
 *   first request is read.
 *
 * The others are created by the bare system call; the launcher and the two
 * processes of the box are children of the supervisor.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/rseq.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "box.h"
#include "interpreter/interpreter.h"
#include "native/native.h"
#include "native/template/template.h"
#include "python/python.h"
#include "../../common/base/fd.h"
#include "../../common/seccomp/landlock.h"
#include "../../common/base/mem.h"

/* Size registered by the C library (linux/rseq.h: ORIG_RSEQ_SIZE). */
#define TEMPLATE_RSEQ_SIZE 32
/*
 * The priority of the holder of a box: low, but not the minimum: on a busy
 * machine a process of that waits for a processor for a minute, and the box
 * with its memory stays as long.
 */
#define TEMPLATE_HOLDER_NICE 10

/* The properties of all its boxes. */
static struct box template_preset;
/*
 * The box being built, and the stack of its launcher. Each process copies the
 * pages of these that it writes to, so they begin with a page.
 */
static struct template_state {
	jmp_buf frame; /* the code continues there */
	int group; /* the cgroup of the box, or -1 */
	struct box box;
} template_state __attribute__((aligned(BOX_PAGE_LEAST)));
static char template_stack[BOX_TEMPLATE_STACK]
    __attribute__((aligned(BOX_PAGE_LEAST)));

/* The code */

/*
 * Does what a fork of the C library does: sets the number of the thread, its
 * list of robust locks, and its registration for restartable sequences.
 */
static int
template_renew_thread(struct box *box, struct err *)
{
	*box->thread.tid = (int)syscall(SYS_set_tid_address, box->thread.tid);
	syscall(
	    SYS_set_robust_list, box->thread.robust, box->thread.robust_size);
	if (__rseq_size > 0)
		syscall(SYS_rseq,
		    (char *)__builtin_thread_pointer() + __rseq_offset,
		    TEMPLATE_RSEQ_SIZE, 0, RSEQ_SIG);
	return 0;
}

/* The code has this memory, and may not learn its user outside. */
static int
template_forget(struct box *box, struct err *)
{
	explicit_bzero(&box->setup, sizeof(box->setup));
	explicit_bzero(&box->uid, sizeof(box->uid));
	explicit_bzero(&box->gid, sizeof(box->gid));
	explicit_bzero(box->packet.data, box->packet.len);
	return 0;
}

static const struct box_action template_code_actions[] = {
	{ BOX_STEP_INTERPRETER, ahead_copy },
	{ BOX_STEP_INTERPRETER, template_renew_thread },
	{ BOX_STEP_PROCESSES, processes_await_word },
	{ BOX_STEP_VIEW, view_hide },
	{ BOX_STEP_LIMITS, limits_set },
	{ BOX_STEP_CAPABILITIES, capabilities_drop },
	{ BOX_STEP_LANDLOCK, confine_landlock },
	{ BOX_STEP_INTERPRETER, interpreter_enter },
	{ BOX_STEP_INTERPRETER, interpreter_descriptors },
	{ BOX_STEP_INTERPRETER, template_forget },
	{ BOX_STEP_SECCOMP, confine_seccomp },
	{ BOX_STEPS, NULL },
};

/* What fails before this needs the channel. */
static int
template_close_rest(const struct box *box, struct err *err)
{
	unsigned int view = (unsigned int)box->view_fd;

	if (close_range(BOX_CONTROL_OUT_FD + 1, view - 1, 0) == -1 ||
	    close_range(view + 1, ~0U, 0) == -1)
		return err_sys(err, "close the descriptors of the launcher");
	return 0;
}

/*
 * A launcher in the cgroup of the box must end before code can exceed its
 * limit: the kernel then kills all that have the memory of a process in it, and
 * so would kill the template.
 */
static void __attribute__((noreturn))
template_become_code(struct box *box)
{
	int grouped = (int)box->setup.grouped;
	/* On the stack of the launcher, which the code leaves for good. */
	struct holder holder = {
		.tid = box->thread.tid, .nice = TEMPLATE_HOLDER_NICE };
	struct err err, ignored;

	setsid();
	if (action_run(box, template_code_actions, &err) == 0 &&
	    (!grouped || processes_wait_for_launcher(box, &err) == 0) &&
	    template_close_rest(box, &err) == 0) {
		/* The holder has a copy, and usually closes it last. */
		holder_start(&holder);
		close(box->view_fd);
		longjmp(template_state.frame, 1);
	}
	/* STARTED must be sent first. */
	processes_wait_for_launcher(box, &ignored);
	box_send_failed(box, &err);
	_exit(1);
}

/* The launcher */

/* Descriptors as in every launcher: the channel and the log. */
static int
template_take_channel(struct box *box, struct err *err)
{
	if (dup2(box->channel, BOX_CHANNEL_FD) == -1)
		return err_sys(err, "take the channel of the box");
	box->channel = BOX_CHANNEL_FD;
	return 0;
}

static const struct box_action template_launcher_actions[] = {
	{ BOX_STEP_REQUEST, template_take_channel },
	{ BOX_STEP_LIMITS, limits_set_launcher },
	/* Before all descriptors except the channel are closed. */
	{ BOX_STEP_NAMESPACES, net_enter },
	{ BOX_STEP_REQUEST, box_receive_setup },
	{ BOX_STEP_LIMITS, limits_set_processors },
	{ BOX_STEP_IDENTITY, identity_change },
	{ BOX_STEP_USER_NAMESPACE, namespaces_user },
	{ BOX_STEP_USER_MAP, namespaces_map },
	{ BOX_STEP_USER_MAP, namespaces_hide },
	{ BOX_STEP_NAMESPACES, namespaces_rest },
	{ BOX_STEP_VIEW, view_renew },
	{ BOX_STEP_CAPABILITIES, capabilities_bound },
	{ BOX_STEP_PROCESSES, spare_leave_out },
	{ BOX_STEP_PROCESSES, processes_begin_init },
	{ BOX_STEP_PROCESSES, spare_take_in },
	{ BOX_STEP_PROCESSES, processes_start_both },
	{ BOX_STEP_PROCESSES, processes_let_code },
	{ BOX_STEP_PROCESSES, box_send_started },
	{ BOX_STEP_PROCESSES, box_receive_adopted },
	{ BOX_STEP_PROCESSES, processes_release_init },
	{ BOX_STEPS, NULL },
};

static int
template_launch(void *arg)
{
	struct box *box = arg;
	struct err err;

	/* Otherwise killing the group of one box would kill the template's. */
	setsid();
	if (action_run(box, template_launcher_actions, &err) == 0)
		_exit(0);
	processes_kill(box);
	box_send_failed(box, &err);
	_exit(1);
}

/* The template */

/* A file in the view names the trees of the host in it. */
static int
template_read_trees(struct box *box, struct err *err)
{
	FILE *file = fopen("/" BOX_TREES_FILE, "re");
	char *line = NULL;
	size_t size = 0;
	ssize_t len;

	if (file == NULL)
		return err_sys(err, "open /" BOX_TREES_FILE);
	while ((len = getline(&line, &size, file)) > 0 &&
	    box->ntrees < BOX_TREES_MAX) {
		line[strcspn(line, "\n")] = '\0';
		box->trees[box->ntrees++] = overlay_read_note(line);
	}
	free(line);
	fclose(file);
	return 0;
}

/*
 * The addresses at which the C library keeps state that a copy of this thread
 * must renew.
 */
static int
template_find_thread(struct box *box, struct err *err)
{
	if (prctl(PR_GET_TID_ADDRESS, &box->thread.tid, 0, 0, 0) == -1 ||
	    box->thread.tid == NULL)
		return err_sys(err, "find the number of the thread "
		    "(the kernel needs CONFIG_CHECKPOINT_RESTORE)");
	if (syscall(SYS_get_robust_list, 0, &box->thread.robust,
	        &box->thread.robust_size) == -1)
		return err_sys(err, "find the locks of the thread");
	return 0;
}

static int
template_open(struct err *err)
{
	template_preset = (struct box){ .kind = BOX_FORKED,
		.init = -1,
		.code = -1,
		.sync.init = -1,
		.sync.launcher = -1,
		.weak.fd = -1,
		.landlock = landlock_abi(),
		.become = template_become_code };
	if (template_read_trees(&template_preset, err) == -1 ||
	    template_find_thread(&template_preset, err) == -1 ||
	    spare_find(err) == -1)
		return -1;
	return net_open(err);
}

/*
 * The sample box is a child of the template and has its rights. It runs no code
 * but ours.
 */
static int
template_sample(const void *frame, size_t size)
{
	struct err ignored;

	if (ahead_sample(frame, size) == 0)
		return 0;
	template_renew_thread(&template_preset, &ignored);
	return 1;
}

static int
template_wait(struct err *err)
{
	struct box *box = &template_state.box;
	int channel;
	int n = box_receive_fork(&channel, &template_state.group, err);

	if (n != 1)
		return n;
	/*
	 * The other members are empty in both, or received anew (the packet).
	 */
	memcpy(box, &template_preset, offsetof(struct box, memory));
	box->channel = channel;
	return 1;
}

/*
 * As clone() of the C library, which has no function for clone3: the child
 * calls run on the stack of args, and never returns.
 */
static pid_t
template_clone3(struct clone_args *args, int (*run)(void *), void *arg)
{
#if defined(__x86_64__)
	long pid = SYS_clone3;

	__asm__ volatile("syscall\n\t"
	    "test %%rax, %%rax\n\t"
	    "jnz 1f\n\t"
	    "xor %%ebp, %%ebp\n\t"
	    "mov %4, %%rdi\n\t"
	    "call *%3\n"
	    "1:"
	    : "+a"(pid)
	    : "D"(args), "S"(sizeof(*args)), "r"(run), "r"(arg)
	    : "rcx", "r11", "cc", "memory");
#elif defined(__aarch64__)
	register long number __asm__("x8") = SYS_clone3;
	register long pid __asm__("x0") = (long)args;
	register long size __asm__("x1") = sizeof(*args);

	__asm__ volatile("svc 0\n\t"
	    "cbnz x0, 1f\n\t"
	    "mov x29, xzr\n\t"
	    "mov x0, %4\n\t"
	    "blr %3\n"
	    "1:"
	    : "+r"(pid)
	    : "r"(number), "r"(size), "r"(run), "r"(arg)
	    : "cc", "memory");
#else
	long pid = -ENOSYS;
#endif
	if (pid >= 0)
		return (pid_t)pid;
	errno = (int)-pid;
	return -1;
}

/* Containers may refuse clone3, but have no cgroups then. */
static pid_t
template_clone(struct box *box)
{
	struct clone_args args = { .flags = CLONE_VM | CLONE_VFORK |
		    CLONE_PARENT | CLONE_INTO_CGROUP,
		.stack = (uint64_t)(uintptr_t)template_stack,
		.stack_size = sizeof(template_stack),
		.cgroup = (uint64_t)template_state.group };

	if (template_state.group != -1)
		return template_clone3(&args, template_launch, box);
	return clone(template_launch, template_stack + sizeof(template_stack),
	    CLONE_VM | CLONE_VFORK | CLONE_PARENT | SIGCHLD, box);
}

/* If it may not start them in cgroups, boxes have launchers of their own. */
static void
template_tell_failed(struct box *box)
{
	struct err err;

	box->step = BOX_STEP_PROCESSES;
	err_sys(&err, "clone");
	if (template_state.group == -1 || err.code == EAGAIN ||
	    err.code == ENOMEM) {
		box_send_failed(box, &err);
		return;
	}
	err_wrap(&err, "could not start a box in its cgroup");
	box_send_unfit(err.text);
}

/* The launcher changes the box, because they share memory. */
static int
template_fork(void)
{
	struct box *box = &template_state.box;
	int channel = box->channel;

	net_choose(box);
	if (setjmp(template_state.frame) != 0)
		return 1;
	if (template_clone(box) == -1)
		template_tell_failed(box);
	net_lend(box->init_pid);
	close(channel);
	fd_close(&template_state.group);
	return 0;
}

static const struct module_template template_module = {
	.open = template_open,
	.sample = template_sample,
	.tell = ahead_tell,
	.begin = box_send_warm,
	.wait = template_wait,
	.fork = template_fork,
	.refuse = box_send_unfit,
};

/* The interpreter looks for this name when it loads the library. */
__attribute__((visibility("default"))) void *PyInit_caisson_template(void);

void *
PyInit_caisson_template(void)
{
	return module_make(&template_module);
}
