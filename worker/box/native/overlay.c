/*
 * Parts of the host as the box gets them: each through a read-only overlay that
 * only this box has. To the kernel its files are other inodes with the same
 * pages: a lock that the code takes, or a pipe or socket that it opens there,
 * is neither the host's nor another box's. The boxes of a template share its
 * overlay of /etc, and locks there with each other. Run by the launcher, as a
 * user that owns nothing on the host.
 *
 * An overlay needs its lower tree mounted: the trees are on the stage, a
 * directory in memory beside the root of the view, which disappears with the
 * root of the host. An empty directory is its top, so that the overlay reports
 * the usage of that, not of the disk. If overlays are unavailable (before Linux
 * 5.11, if forbidden, for a tree with mounts below it), the tree is bound
 * directly, and this is reported to the supervisor. overlayfs.rst of the kernel
 * is the source.
 */
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "native.h"
#include "../../../common/base/mem.h"

#define OVERLAY_EMPTY "empty"
#define OVERLAY_LOWER "lower"
#define OVERLAY_PATH_SIZE 64

/* The location of a tree on the stage. */
static void
overlay_lower(const struct box *box, const struct box_tree *tree, char *path)
{
	snprintf(path, OVERLAY_PATH_SIZE, BOX_STAGE "/" OVERLAY_LOWER "/%zu",
	    (size_t)(tree - box->trees));
}

/*
 * The lower directory of an overlay, and the empty directory above it. A forked
 * box covers the template's overlay at the same path with its own.
 */
static char *
overlay_options(const struct box *box, const struct box_tree *tree)
{
	char lower[OVERLAY_PATH_SIZE];

	if (box->kind == BOX_FORKED)
		return mem_printf("lowerdir=/" BOX_EMPTY_DIR ":%s,userxattr",
		    tree->path);
	overlay_lower(box, tree, lower);
	return mem_printf(
	    "lowerdir=" BOX_STAGE "/" OVERLAY_EMPTY ":%s,userxattr", lower);
}

/* Puts a tree there. */
static int
overlay_stage_tree(struct box *box, struct box_tree *tree, struct err *err)
{
	char path[OVERLAY_PATH_SIZE];
	struct statvfs fs;
	struct statfs kind;

	overlay_lower(box, tree, path);
	if (mkdir(path, 0755) == -1)
		return err_sys(err, "create %s", path);
	if (move_mount(tree->fd, "", AT_FDCWD, path,
	        MOVE_MOUNT_F_EMPTY_PATH) == -1)
		return err_sys(err, "take %s to %s", tree->path, path);
	if (statvfs(path, &fs) == -1 || statfs(path, &kind) == -1)
		return err_sys(err, "look at %s", path);
	tree->mount.staged = 1;
	/*
	 * Mounts of the box, or of the host, which an overlay would not
	 * include.
	 */
	tree->mount.noexec = (fs.f_flag & ST_NOEXEC) != 0;
	tree->mount.layered = kind.f_type == OVERLAYFS_SUPER_MAGIC;
	/* Every user may enter the top of an overlay. */
	tree->mount.closed = access(path, R_OK | X_OK) == -1;
	return 0;
}

/*
 * Records which trees have mounts below them: an overlay would show the covered
 * files, or be refused for that.
 */
static int
overlay_find_mounts(struct box *box, struct err *err)
{
	FILE *mounts = fopen("/proc/self/mountinfo", "re");
	char *line = NULL;
	size_t size = 0, index;
	char slash;

	if (mounts == NULL)
		return err_sys(err, "open /proc/self/mountinfo");
	while (getline(&line, &size, mounts) != -1)
		if (sscanf(line, "%*s %*s %*s %*s "
		        BOX_STAGE "/" OVERLAY_LOWER "/%zu%c",
		        &index, &slash) == 2 &&
		    slash == '/' && index < box->ntrees)
			box->trees[index].mount.crowded = 1;
	free(line);
	fclose(mounts);
	return 0;
}

int
overlay_stage(struct box *box, struct err *err)
{
	struct box_tree *tree;

	if (mkdir(OVERLAY_EMPTY, 0755) == -1 ||
	    mkdir(OVERLAY_LOWER, 0755) == -1)
		return err_sys(err, "create the stage");
	for (tree = box->trees; tree < box->trees + box->ntrees; tree++)
		if (tree->kind == BOX_TREE_DIRECTORY && tree->fd != -1 &&
		    overlay_stage_tree(box, tree, err) == -1)
			return -1;
	return overlay_find_mounts(box, err);
}

static int
overlay_try(const struct box *box, const struct box_tree *tree, struct err *err)
{
	auto_free char *options = NULL;
	unsigned long flags = MS_RDONLY | MS_NOSUID | MS_NODEV;

	if (tree->mount.crowded)
		return err_set(err, "there are other mounts below it");
	if (tree->mount.noexec)
		flags |= MS_NOEXEC;
	if (strpbrk(tree->path, "\\:,") != NULL && box->kind == BOX_FORKED)
		return err_set(err, "its path cannot be used for an overlay");
	options = overlay_options(box, tree);
	if (mount("overlay", tree->path + 1, "overlay", flags, options) == -1)
		return err_sys(err, "mount an overlay");
	return 0;
}

int
overlay_mount(struct box *box, const struct box_tree *tree)
{
	struct err err;

	/* The kernel stacks two overlays, but not three. */
	if (!tree->mount.staged ||
	    (box->kind == BOX_TEMPLATE && tree->mount.layered))
		return 0;
	if (overlay_try(box, tree, &err) == 0)
		return 1;
	if (box->bound.text[0] == '\0')
		err_set(&box->bound, "%s: %s", tree->path, err.text);
	return 0;
}

void
overlay_note(const struct box_tree *tree, struct buffer *notes)
{
	buffer_printf(notes, "%c%c%c%c %s\n", tree->executable ? 'x' : '-',
	    tree->mount.staged ? 's' : '-', tree->mount.noexec ? 'n' : '-',
	    tree->mount.crowded ? 'c' : '-', tree->path);
}

struct box_tree
overlay_read_note(const char *note)
{
	return (struct box_tree){ .path = mem_strdup(note + 5),
		.kind = BOX_TREE_DIRECTORY,
		.executable = note[0] == 'x',
		.mount.staged = note[1] == 's',
		.mount.noexec = note[2] == 'n',
		.mount.crowded = note[3] == 'c' };
}
