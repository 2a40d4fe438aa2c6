/* The launcher of a box: a fork of the template, or a new process. */
#include "../cgroup/cgroup.h"
#include "native.h"
#include "../../process/process.h"

struct channel *
launcher_start(struct boxes *boxes, const struct channel_ends *ends,
    unsigned long number, const struct python_stamp *python,
    const struct group *group, int *pidfd, struct err *err)
{
	struct channel *channel = python == NULL ? NULL : templates_fork(
	    native_boxes(boxes)->templates, python, ends, group);

	*pidfd = -1;
	if (channel != NULL)
		return channel;
	return worker_start(
	    boxes->base, ends, number, 0, group_fd(group), pidfd, err);
}
