/*
 * A container as a bundle, which crun and runc run by themselves: the file
 * config.json with the same promises as the command lines of container_argv.h,
 * and the command lines of both programs. These functions only compose text.
 * Runs in the supervisor.
 */
#ifndef SUPERVISOR_OCI_BUNDLE_H
#define SUPERVISOR_OCI_BUNDLE_H

#include "container_argv.h"

/*
 * The description of one bundle. All texts stay the caller's. Of container, the
 * fields image, profile and lifetime are not used.
 */
struct oci_bundle {
	const struct container *container;
	/*
	 * A directory, which is not written to. It has the directories /dev,
	 * /proc, /run, /sys, /tmp and /workspace, and /data if the container
	 * has it.
	 */
	const char *rootfs;
	const char *seccomp; /* the text of the seccomp profile, JSON */
	/*
	 * The same as a BPF program in base64, which crun then need not make:
	 * see crun(1). runc makes its own.
	 */
	const char *filter;
	const char *cgroup;  /* the path of the cgroup of the container */
};

/*
 * Appends the content of config.json for a container that container_check has
 * accepted. All paths are UTF-8.
 */
void oci_bundle_config(struct buffer *json, const struct oci_bundle *bundle);

/*
 * Append the command line that runs the bundle in a directory as a container of
 * that name, and the one that kills and removes the container. program is the
 * path of crun or runc, state the directory where it keeps the states of
 * containers. Lists of texts (text_list.h).
 */
void oci_argv_run(struct buffer *list, const char *program, const char *state,
    const char *directory, const char *name);
void oci_argv_remove(struct buffer *list, const char *program,
    const char *state, const char *name);

#endif
