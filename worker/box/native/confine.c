/*
 * Landlock and the system call filters of the code and of init: a second layer
 * behind the view, with the same restrictions, enforced by other parts of the
 * kernel. The lists of calls are compiled at build time from *.rules in this
 * folder.
 */
#include <fcntl.h>

#include "native.h"
#include "../../../common/base/fd.h"
#include "../../../common/seccomp/landlock.h"
#include "../../../common/seccomp/landlock_abi.h"
#include "../../../common/seccomp/seccomp.h"

#include "box_filter.h"
#include "guard_filter.h"
#include "init_filter.h"
#include "template_filter.h"
#include "weak_filter.h"
#include "weaker_filter.h"

#define CONFINE_LOAD(filter, err)                                              \
	seccomp_load(filter, sizeof(filter) / sizeof((filter)[0]), err)

/* The ABI from which on landlock also restricts signals. */
#define CONFINE_ABI_SIGNALS 6

#define CONFINE_READ                                                           \
	(LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_READ_DIR)
#define CONFINE_RUN (CONFINE_READ | LANDLOCK_ACCESS_FS_EXECUTE)
#define CONFINE_DEVICE                                                         \
	(LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE |        \
	    LANDLOCK_ACCESS_FS_TRUNCATE)
/*
 * All rights to files, except executing them and creating devices and sockets.
 */
#define CONFINE_WRITE                                                          \
	(CONFINE_READ | LANDLOCK_ACCESS_FS_WRITE_FILE |                        \
	    LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |   \
	    LANDLOCK_ACCESS_FS_MAKE_DIR | LANDLOCK_ACCESS_FS_MAKE_REG |        \
	    LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_SYM |       \
	    LANDLOCK_ACCESS_FS_REFER | LANDLOCK_ACCESS_FS_TRUNCATE)

struct confine_row {
	const char *path;
	uint64_t rights;
};

/* In addition, programs may be executed from the trees that contain them. */
static const struct confine_row confine_rows[] = {
	{ "/", CONFINE_READ },
	{ "/tmp", CONFINE_WRITE },
	{ "/workspace", CONFINE_WRITE },
	{ "/dev/shm", CONFINE_WRITE },
	{ "/dev/null", CONFINE_DEVICE },
	{ "/dev/full", CONFINE_DEVICE },
};

static int
confine_allow(int ruleset, int abi, const char *path, uint64_t rights,
    struct err *err)
{
	auto_fd int fd = open(path, O_PATH | O_CLOEXEC);

	if (fd == -1)
		return err_sys(err, "open %s", path);
	if (landlock_allow(ruleset, abi, fd, rights, err) == -1)
		return err_wrap(err, "%s", path);
	return 0;
}

static int
confine_allow_trees(int ruleset, const struct box *box, struct err *err)
{
	const struct box_tree *tree;

	for (tree = box->trees; tree < box->trees + box->ntrees; tree++)
		if (tree->executable && tree->fd != -1 &&
		    confine_allow(ruleset, box->landlock, tree->path,
		        CONFINE_RUN, err) == -1)
			return -1;
	return 0;
}

int
confine_landlock(struct box *box, struct err *err)
{
	auto_fd int ruleset = -1;
	size_t i;

	if (box->landlock == 0)
		return 0;
	ruleset = landlock_create(box->landlock, 0, err);
	if (ruleset == -1)
		return -1;
	for (i = 0; i < sizeof(confine_rows) / sizeof(confine_rows[0]); i++)
		if (confine_allow(ruleset, box->landlock, confine_rows[i].path,
		        confine_rows[i].rights, err) == -1)
			return -1;
	if (box->setup.data && confine_allow(ruleset, box->landlock,
	        "/" BOX_CONVERSATION_DIR, CONFINE_WRITE, err) == -1)
		return -1;
	if (box->programs && confine_allow(ruleset, box->landlock,
	        "/" BOX_PROGRAMS_DIR, CONFINE_RUN, err) == -1)
		return -1;
	if (confine_allow_trees(ruleset, box, err) == -1)
		return -1;
	return landlock_enforce(ruleset, err);
}

int
confine_seccomp(struct box *, struct err *err)
{
	return CONFINE_LOAD(box_filter, err);
}

/* It stays in force for its boxes, which add further restrictions. */
int
confine_template_seccomp(struct box *, struct err *err)
{
	return CONFINE_LOAD(template_filter, err);
}

/*
 * A process under landlock may inspect only processes under the same rules and
 * more. The watchdog must inspect the code, which has other rules, as must
 * clear.c in a box for a session.
 */
int
confine_init_landlock(struct box *box, struct err *err)
{
	if (box->landlock == 0 || box->watchdog ||
	    box->memory.session != MEMORY_ONE_CALL)
		return 0;
	return landlock_enforce_nothing(box->landlock, err);
}

int
confine_init_seccomp(struct box *, struct err *err)
{
	return CONFINE_LOAD(init_filter, err);
}

/*
 * Reduced isolation: landlock replaces the view and allows the same parts of
 * the host
 */

/* Within the private directory; the bootstrap is read-only. */
static const struct confine_row confine_folder_rows[] = {
	{ BOX_DATA_DIR, CONFINE_READ },
	{ "workspace", CONFINE_WRITE },
	{ "tmp", CONFINE_WRITE },
};

int
confine_weak_demand(struct box *box, struct err *err)
{
	if (box->landlock == 0)
		return err_set(err, "this kernel has no landlock, and "
		    "namespaces are forbidden");
	return 0;
}

/* The parts that a view would contain; a tree can be a single file. */
static int
confine_allow_host(int ruleset, const struct box *box, struct err *err)
{
	const struct box_tree *tree;

	for (tree = box->trees; tree < box->trees + box->ntrees; tree++)
		if (confine_allow(ruleset, box->landlock, tree->path,
		        tree->kind == BOX_TREE_DEVICE ? CONFINE_DEVICE :
		            tree->executable ? CONFINE_RUN : CONFINE_READ,
		        err) == -1 && !tree->optional)
			return -1;
	return 0;
}

/* The working directory is the private directory. */
int
confine_weak_landlock(struct box *box, struct err *err)
{
	auto_fd int ruleset = landlock_create(box->landlock, 0, err);
	const struct confine_row *row = confine_folder_rows;
	const struct confine_row *end = row +
	    sizeof(confine_folder_rows) / sizeof(confine_folder_rows[0]);

	if (ruleset == -1 || confine_allow_host(ruleset, box, err) == -1)
		return -1;
	for (; row < end; row++)
		if (confine_allow(ruleset, box->landlock, row->path,
		        row->rights, err) == -1)
			return -1;
	if (box->programs && confine_allow(ruleset, box->landlock,
	        BOX_PROGRAMS_DIR, CONFINE_RUN, err) == -1)
		return -1;
	return landlock_enforce(ruleset, err);
}

/* The last filter refuses to load another one. */
int
confine_weak_seccomp(struct box *box, struct err *err)
{
	if (box->landlock < CONFINE_ABI_SIGNALS &&
	    CONFINE_LOAD(weaker_filter, err) == -1)
		return -1;
	if (CONFINE_LOAD(weak_filter, err) == -1)
		return -1;
	return CONFINE_LOAD(box_filter, err);
}

int
confine_guard_seccomp(struct box *, struct err *err)
{
	return CONFINE_LOAD(guard_filter, err);
}
