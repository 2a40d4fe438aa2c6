/*
 * caisson-box: builds one box and becomes the code in it. This page is the
 * table of contents: the steps of the launcher and of the code, in order. The
 * launcher has no descriptors but the channel and the log. It reads one message
 * of the supervisor, and no byte of the code.
 */
#include <sys/stat.h>
#include <unistd.h>

#include "box.h"
#include "interpreter/interpreter.h"
#include "native/native.h"
#include "../../common/base/asan_main.h"
#include "../../common/seccomp/landlock.h"
#include "../../common/role.h"

/* Up to IDENTITY it may still be root and access directories of root. */
static const struct box_action launcher_actions[] = {
	{ BOX_STEP_REQUEST, box_receive_setup },
	{ BOX_STEP_LIMITS, limits_set_processors },
	{ BOX_STEP_BOOTSTRAP, data_read },
	{ BOX_STEP_VIEW, view_collect },
	{ BOX_STEP_PACKAGES, interpreter_show_packages },
	{ BOX_STEP_INTERPRETER, languages_locate },
	{ BOX_STEP_FOLDER, folder_sweep },
	{ BOX_STEP_USER_MAP, users_prepare },
	{ BOX_STEP_IDENTITY, identity_drop },
	{ BOX_STEP_USER_NAMESPACE, level_choose },
	{ BOX_STEPS, NULL },
};

static const struct box_action full_actions[] = {
	{ BOX_STEP_USER_NAMESPACE, namespaces_user },
	{ BOX_STEP_USER_MAP, namespaces_map },
	{ BOX_STEP_USER_MAP, namespaces_hide },
	{ BOX_STEP_NAMESPACES, namespaces_rest },
	{ BOX_STEP_VIEW, view_build },
	{ BOX_STEP_NAMESPACES, namespaces_forbid_more },
	{ BOX_STEP_CAPABILITIES, capabilities_bound },
	{ BOX_STEP_PROCESSES, processes_start_init },
	{ BOX_STEP_PIVOT, view_enter },
	{ BOX_STEP_PIVOT, view_hide },
	{ BOX_STEP_PROCESSES, processes_start_code },
	{ BOX_STEP_PROCESSES, box_send_started },
	{ BOX_STEP_PROCESSES, box_receive_adopted },
	{ BOX_STEP_PROCESSES, processes_release_init },
	{ BOX_STEPS, NULL },
};

/* Without namespaces, if the operator allows reduced isolation. */
static const struct box_action weak_actions[] = {
	{ BOX_STEP_LANDLOCK, confine_weak_demand },
	{ BOX_STEP_RESERVED, limits_refuse_reserved },
	{ BOX_STEP_FOLDER, folder_make },
	{ BOX_STEP_CAPABILITIES, capabilities_refuse },
	{ BOX_STEP_PROCESSES, guard_start },
	{ BOX_STEP_PROCESSES, box_send_guarded },
	{ BOX_STEP_PROCESSES, box_receive_adopted },
	{ BOX_STEP_PROCESSES, processes_release_init },
	{ BOX_STEPS, NULL },
};

/* The same for a template, with other messages and another last step. */
static const struct box_action template_actions[] = {
	{ BOX_STEP_USER_NAMESPACE, namespaces_user },
	{ BOX_STEP_USER_MAP, namespaces_map },
	{ BOX_STEP_NAMESPACES, namespaces_rest },
	{ BOX_STEP_VIEW, view_build },
	{ BOX_STEP_CAPABILITIES, capabilities_bound },
	{ BOX_STEP_PROCESSES, processes_start_init },
	{ BOX_STEP_PIVOT, view_enter },
	{ BOX_STEP_PROCESSES, processes_skip },
	{ BOX_STEP_PROCESSES, processes_start_code },
	{ BOX_STEP_PROCESSES, box_send_standing },
	{ BOX_STEP_PROCESSES, box_receive_stay },
	{ BOX_STEP_PROCESSES, processes_release_init },
	{ BOX_STEPS, NULL },
};

static const struct box_action code_actions[] = {
	{ BOX_STEP_LIMITS, limits_set },
	{ BOX_STEP_CAPABILITIES, capabilities_drop },
	{ BOX_STEP_LANDLOCK, confine_landlock },
	{ BOX_STEP_INTERPRETER, interpreter_descriptors },
	{ BOX_STEP_SECCOMP, confine_seccomp },
	{ BOX_STEP_INTERPRETER, languages_run },
	{ BOX_STEPS, NULL },
};

/* Until a box is requested the template keeps the rights to build one. */
static const struct box_action template_code_actions[] = {
	{ BOX_STEP_PROCESSES, processes_wait_for_launcher },
	{ BOX_STEP_LIMITS, limits_set_template },
	{ BOX_STEP_CAPABILITIES, capabilities_keep },
	{ BOX_STEP_INTERPRETER, interpreter_template_descriptors },
	{ BOX_STEP_SECCOMP, confine_template_seccomp },
	{ BOX_STEP_INTERPRETER, languages_run },
	{ BOX_STEPS, NULL },
};

static const struct box_action weak_code_actions[] = {
	{ BOX_STEP_LIMITS, limits_set },
	{ BOX_STEP_CAPABILITIES, capabilities_drop },
	{ BOX_STEP_LANDLOCK, confine_weak_landlock },
	{ BOX_STEP_INTERPRETER, interpreter_descriptors },
	{ BOX_STEP_SECCOMP, confine_weak_seccomp },
	{ BOX_STEP_INTERPRETER, languages_run },
	{ BOX_STEPS, NULL },
};

static const struct box_action *
main_code_actions(const struct box *box)
{
	if (box->kind == BOX_TEMPLATE)
		return template_code_actions;
	return box->kind == BOX_WEAK ? weak_code_actions : code_actions;
}

static void __attribute__((noreturn))
main_become_code(struct box *box)
{
	struct err err, ignored;

	setsid();
	action_run(box, main_code_actions(box), &err);
	/* STARTED must be sent first. */
	processes_wait_for_launcher(box, &ignored);
	box_send_failed(box, &err);
	_exit(1);
}

static const struct box_action *
main_actions(const struct box *box)
{
	if (box->kind == BOX_TEMPLATE)
		return template_actions;
	return box->kind == BOX_WEAK ? weak_actions : full_actions;
}

int
main(void)
{
	static struct box box = { .channel = BOX_CHANNEL_FD,
		.init = -1,
		.code = -1,
		.sync.init = -1,
		.sync.launcher = -1,
		.weak.fd = -1,
		.become = main_become_code };
	struct err err;

	role_enter(ROLE_BOX, 0);
	umask(S_IWGRP | S_IWOTH);
	box.landlock = landlock_abi();
	if (action_run(&box, launcher_actions, &err) == 0 &&
	    action_run(&box, main_actions(&box), &err) == 0)
		return 0;
	processes_kill(&box);
	box_send_failed(&box, &err);
	return 1;
}
