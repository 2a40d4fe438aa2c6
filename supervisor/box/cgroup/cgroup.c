/*
 * Finding and preparing the part of the cgroup tree that is ours: see cgroup.h.
 * The kernel does not let a cgroup with processes limit the groups below it. So
 * we move once, from the cgroup in which we were started to a leaf below it;
 * the groups of boxes are beside that leaf. Runs in the supervisor; writes only
 * to files of cgroups.
 */
#include <errno.h>
#include <event2/event.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "../../../common/base/fd.h"
#include "../../../common/base/log.h"
#include "../../../common/base/loop.h"
#include "../../../common/base/mem.h"
#include "cgroup.h"
#include "../../process/process.h"

/* This directory exists where systemd runs; it marks delegated cgroups. */
#define CGROUP_SYSTEMD "/run/systemd/system"
#define CGROUP_DELEGATED "trusted.delegate"

/* Finding it */

/* Returns the path of our cgroup from /proc/self/cgroup, or NULL. */
static char *
cgroup_find_path(const char *proc)
{
	auto_free char *name = mem_printf("%s/cgroup", proc);
	FILE *file = fopen(name, "re");
	char line[PATH_MAX], *path = NULL;

	while (file != NULL && path == NULL &&
	    fgets(line, sizeof(line), file) != NULL)
		if (strncmp(line, "0::/", 4) == 0) {
			line[strcspn(line, "\n")] = '\0';
			path = mem_strdup(line + 3);
		}
	if (file != NULL)
		fclose(file);
	return path;
}

/*
 * Returns the directory of a path, if this line of mountinfo (see proc(5))
 * mounts a part of the tree that contains it; else NULL.
 */
static char *
cgroup_in_mount(const char *line, const char *path)
{
	char root[PATH_MAX], point[PATH_MAX];
	const char *type = strstr(line, " - ");
	size_t len;

	if (type == NULL || strncmp(type, " - cgroup2 ", 11) != 0 ||
	    sscanf(line, "%*s %*s %*s %4095s %4095s", root, point) != 2)
		return NULL;
	len = strcmp(root, "/") == 0 ? 0 : strlen(root);
	if (strncmp(path, root, len) != 0 ||
	    (path[len] != '/' && path[len] != '\0'))
		return NULL;
	/* The root's path is a slash; all other paths begin with one. */
	return mem_printf("%s%s", point, path[len] != '\0' &&
	        path[len + 1] == '\0' ? "" : path + len);
}

/* Returns the directory of our cgroup, or NULL with err. */
static char *
cgroup_find(const char *proc, struct err *err)
{
	auto_free char *name = mem_printf("%s/mountinfo", proc);
	auto_free char *path = cgroup_find_path(proc);
	FILE *mounts = fopen(name, "re");
	char line[2 * PATH_MAX], *found = NULL;

	while (path != NULL && mounts != NULL && found == NULL &&
	    fgets(line, sizeof(line), mounts) != NULL)
		found = cgroup_in_mount(line, path);
	if (mounts != NULL)
		fclose(mounts);
	if (path == NULL)
		err_set(err, "this system has no cgroups of version 2");
	else if (found == NULL)
		err_set(err, "cgroups of version 2 are not mounted here");
	return found;
}

/* Whether we may use it */

static int
cgroup_has_word(const char *text, const char *word)
{
	size_t len = strlen(word);
	const char *p;

	for (p = text; (p = strstr(p, word)) != NULL; p += len)
		if ((p == text || p[-1] == ' ') &&
		    strchr(" \n", p[len]) != NULL)
			return 1;
	return 0;
}

static int
cgroup_check_controllers(struct cgroup *cg, struct err *err)
{
	static const char *const needed[] = { "memory", "pids" };
	char text[GROUP_TEXT_SIZE];
	size_t i;

	if (cgroup_file_read(cg->dir, "cgroup.controllers", text, sizeof(text),
	        err) == -1)
		return -1;
	text[strcspn(text, "\n")] = '\0';
	for (i = 0; i < sizeof(needed) / sizeof(needed[0]); i++)
		if (!cgroup_has_word(text, needed[i]))
			return err_set(err, "the controller %s is not "
			    "enabled in it (%s)", needed[i],
			    text[0] == '\0' ? "none" : text);
	/* It is not essential: see native_boxes.c. */
	cg->cpu = cgroup_has_word(text, "cpu") && (cg->options->cpus > 0 ||
	    cg->options->command.task == COMMAND_SERVE ||
	    (cg->options->limited != NULL &&
	        cg->options->language_limits[0] != '\0'));
	return 0;
}

/*
 * Root may write everywhere, also where systemd assumes to be the only writer
 * and would undo our changes. There, only its mark counts.
 */
static int
cgroup_check_delegated(const struct cgroup *cg, struct err *err)
{
	char mark[8];

	if (geteuid() != 0 || access(CGROUP_SYSTEMD, F_OK) == -1 ||
	    fgetxattr(cg->dir, CGROUP_DELEGATED, mark, sizeof(mark)) > 0)
		return 0;
	return err_set(err, "systemd has not delegated it");
}

struct cgroup_member {
	pid_t pid;
	bool found;
};

static int
cgroup_is_child(void *ctx, pid_t pid)
{
	struct cgroup_member *member = ctx;

	member->found |= pid == member->pid;
	return 1;
}

/*
 * Calls each for every process in our cgroup, or in the one below it with this
 * list; stops at the first failure.
 */
static int
cgroup_each_member(const struct cgroup *cg, const char *list,
    int (*each)(const struct cgroup *cg, pid_t pid, struct err *err),
    struct err *err)
{
	char text[GROUP_TEXT_SIZE], *p, *end;
	long pid;

	if (cgroup_file_read(cg->dir, list, text, sizeof(text), err) == -1)
		return -1;
	for (p = text; (pid = strtol(p, &end, 10)), end != p; p = end)
		if (each(cg, (pid_t)pid, err) == -1)
			return -1;
	return 0;
}

static int
cgroup_check_one(const struct cgroup *, pid_t pid, struct err *err)
{
	struct cgroup_member member = { pid, pid == getpid() };

	/* We may move only ourselves and our children. */
	if (!member.found)
		children_each(cgroup_is_child, &member);
	if (member.found)
		return 0;
	return err_set(err, "there are other processes in it, such as %d",
	    (int)pid);
}

/* Moving */

static int
cgroup_move(const struct cgroup *cg, pid_t pid, struct err *err)
{
	auto_free char *procs = mem_printf("%s/cgroup.procs", cg->leaf);
	auto_free char *text = mem_printf("%d", (int)pid);

	return cgroup_file_write(cg->dir, procs, text, err);
}

/* Moves a process back; it may have ended meanwhile. */
static int
cgroup_move_back(const struct cgroup *cg, pid_t pid, struct err *err)
{
	auto_free char *text = mem_printf("%d", (int)pid);

	if (cgroup_file_write(cg->dir, "cgroup.procs", text, err) == -1)
		log_debug("%s", err->text);
	return 0;
}

/* Restores the former state, as far as possible. */
static void
cgroup_leave(struct cgroup *cg)
{
	auto_free char *procs = mem_printf("%s/cgroup.procs", cg->leaf);
	struct stat owner;
	struct err err;

	if (!cg->entered)
		return;
	cg->entered = false;
	if (identity_template() != 0 && fstat(cg->dir, &owner) == 0)
		(void)!fchownat(
		    cg->dir, "cgroup.procs", owner.st_uid, (gid_t)-1, 0);
	/* This fails if it was never enabled; the move back still works. */
	cgroup_file_write(cg->dir, "cgroup.subtree_control",
	    cg->cpu ? "-memory -pids -cpu" : "-memory -pids",
	    NULL);
	if (cgroup_each_member(cg, procs, cgroup_move_back, &err) == -1)
		log_debug("%s", err.text);
	else if (unlinkat(cg->dir, cg->leaf, AT_REMOVEDIR) == -1)
		log_debug("%s stays: errno %d", cg->leaf, errno);
}

static int
cgroup_enter(struct cgroup *cg, struct err *err)
{
	group_name(cg, 0, cg->leaf);
	if (mkdirat(cg->dir, cg->leaf, 0755) == -1)
		return err_sys(err, "make a folder in it");
	cg->entered = true;
	if (cgroup_file_lend(cg->dir, err) == -1 ||
	    cgroup_each_member(cg, "cgroup.procs", cgroup_move, err) == -1)
		return -1;
	return cgroup_file_write(cg->dir, "cgroup.subtree_control",
	    cg->cpu ? "+memory +pids +cpu" : "+memory +pids",
	    err);
}

static int
cgroup_examine(struct cgroup *cg, const char *path, struct err *err)
{
	cg->dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (cg->dir == -1 || faccessat(cg->dir, "cgroup.procs", W_OK, 0) == -1)
		return err_sys(err, "open it");
	return cgroup_check_controllers(cg, err) == -1 ||
	        cgroup_check_delegated(cg, err) == -1 ||
	        cgroup_each_member(
	            cg, "cgroup.procs", cgroup_check_one, err) == -1 ? -1 : 0;
}

int
cgroup_delegated(const struct options *options, struct err *err)
{
	auto_free char *path = cgroup_find("/proc/self", err);
	struct cgroup cg = { .dir = -1, .options = options };
	int done = path == NULL ? -1 : cgroup_examine(&cg, path, err);

	fd_close(&cg.dir);
	return done;
}

int
cgroup_offered(const char *proc, const struct options *options)
{
	auto_free char *path = cgroup_find(proc, NULL);
	struct cgroup cg = { .dir = -1, .options = options };
	int offered = 0;

	if (path != NULL)
		cg.dir = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (cg.dir != -1)
		offered = cgroup_check_controllers(&cg, NULL) == 0;
	fd_close(&cg.dir);
	return offered;
}

static int
cgroup_prepare(struct cgroup *cg, const char *path, struct err *err)
{
	struct group *group;
	int failed;

	if (cgroup_examine(cg, path, err) == -1)
		return -1;
	group_sweep(cg);
	if (cgroup_enter(cg, err) == -1)
		return -1;
	/* Tests with a group and a process whether boxes can have groups. */
	group = group_new(cg, ULONG_MAX, cg->options, err);
	failed = group == NULL ? -1 : spawn_try_group(group_fd(group), err);
	group_free(&group);
	return failed;
}

/* Tries again, at growing intervals, while directories must be removed. */
static void
cgroup_on_timer(evutil_socket_t, short, void *arg)
{
	group_remove_ended(arg);
}

struct cgroup *
cgroup_new(struct event_base *base, const char *proc,
    const struct options *options, struct err *err)
{
	auto_free char *path = cgroup_find(proc, err);
	struct cgroup *cg;

	if (path == NULL)
		return NULL;
	cg = mem_alloc(sizeof(*cg));
	cg->dir = -1;
	cg->options = options;
	cg->birth = group_birth(getpid());
	STAILQ_INIT(&cg->ends);
	cg->timer = evtimer_new(base, cgroup_on_timer, cg);
	if (cgroup_prepare(cg, path, err) == 0) {
		log_debug("boxes get cgroups in %s", path);
		return cg;
	}
	err_wrap(err, "cgroup %s", path);
	cgroup_free(&cg);
	return NULL;
}

void
cgroup_free(struct cgroup **cgp)
{
	struct cgroup *cg = mem_take(cgp);
	struct group_end *end;

	if (cg == NULL)
		return;
	group_remove_ended(cg);
	cgroup_leave(cg);
	while ((end = STAILQ_FIRST(&cg->ends)) != NULL) {
		log_warn("the cgroup %s could not be removed", end->name);
		STAILQ_REMOVE_HEAD(&cg->ends, entry);
		free(end);
	}
	loop_event_free(&cg->timer);
	fd_close(&cg->dir);
	free(cg);
}
