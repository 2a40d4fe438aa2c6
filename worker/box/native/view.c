/*
 * The view: the file system of the box. It is a small root in memory, which
 * shows parts of the host read-only and contains synthetic files otherwise.
 * Built by the launcher as a user that owns nothing on the host, at a mount
 * point visible only in its own mount namespace.
 *
 * Mounts of the host are taken as detached copies (open_tree), with all that is
 * mounted below them, made read-only there, and then put on the stage or in
 * their place: they are never visible to the box in writable form. overlay.c
 * then mounts the overlays through which the box sees directories.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "native.h"
#include "../../../common/base/buffer.h"
#include "../../../common/base/fd.h"
#include "../../../common/base/mem.h"

/* The new root, on the stage. */
#define VIEW_ROOT "root"

/* Directories at the root that are links into /usr on most systems. */
static const char *const view_system[] = { "/bin", "/sbin", "/lib", "/lib32",
	"/lib64", "/libx32" };

/*
 * Files of /etc that programs need to find libraries and data; no private data.
 */
static const char *const view_etc[] = { "/etc/alternatives", "/etc/fonts",
	"/etc/ld.so.cache", "/etc/matplotlibrc", "/etc/mime.types" };

/* Without /dev/zero, whose mappings are memory that belongs to no file. */
static const char *const view_devices[] = { "/dev/null", "/dev/full",
	"/dev/random", "/dev/urandom" };

struct view_entry {
	const char *path; /* relative to the new root */
	const char *text; /* contents, or target of a link */
};

static const char *const view_directories[] = { "dev", "dev/shm", "etc", "opt",
	BOX_DATA_DIR, BOX_EMPTY_DIR, "proc", "tmp", "usr", "workspace" };

static const struct view_entry view_files[] = {
	{ "etc/passwd",
	    "root:x:0:0:root:/:/usr/sbin/nologin\n"
	    "box:x:1000:1000:box:/workspace:/bin/sh\n"
	    "nobody:x:65534:65534:nobody:/:/usr/sbin/nologin\n" },
	{ "etc/group", "root:x:0:\nbox:x:1000:\nnogroup:x:65534:\n" },
	{ "etc/hostname", "box\n" },
	{ "etc/hosts", "127.0.0.1 localhost box\n::1 localhost\n" },
	{ "etc/nsswitch.conf",
	    "passwd: files\ngroup: files\nshadow: files\nhosts: files\n"
	    "networks: files\nprotocols: files\nservices: files\n" },
};

static const struct view_entry view_links[] = {
	{ "dev/fd", "/proc/self/fd" },
	{ "dev/zero", "full" }, /* reads as zeros, too */
	{ "dev/stdin", "/proc/self/fd/0" },
	{ "dev/stdout", "/proc/self/fd/1" },
	{ "dev/stderr", "/proc/self/fd/2" },
};

/*
 * Writable places: directory and mode. Files in the last two are collected, so
 * they are separate file systems; the first of these is in one that is mounted
 * before.
 */
static const struct view_entry view_memory[] = {
	{ "tmp", "1777" },
	{ "workspace", "0755" },
	{ "dev/shm", "1777" },
	{ BOX_OUT_DIR, "0755" },
	{ BOX_CONVERSATION_DIR, "0755" },
};

#define VIEW_COUNT(table) (sizeof(table) / sizeof((table)[0]))

/* Whether a box has this place: that of a conversation is an exception. */
static int
view_has_place(const struct box *box, const struct view_entry *place)
{
	return box->setup.data ||
	    strcmp(place->path, BOX_CONVERSATION_DIR) != 0;
}

/* Collecting the parts of the host */

static int
view_is_beneath(const char *path, const char *dir)
{
	size_t len = strlen(dir);

	return strncmp(path, dir, len) == 0 &&
	    (path[len] == '/' || path[len] == '\0');
}

int
view_covers(const struct box *box, const char *path)
{
	size_t i;

	for (i = 0; i < box->ntrees; i++)
		if (view_is_beneath(path, box->trees[i].path))
			return 1;
	return 0;
}

/* A single file is copied: an overlay is of a directory. */
static int
view_is_copied(const struct box_tree *tree)
{
	return tree->kind != BOX_TREE_DIRECTORY &&
	    tree->kind != BOX_TREE_DEVICE;
}

/*
 * Takes a copy of the mount, if that is possible already. Root can do it before
 * the change of user, and must, because the new user may have no access to the
 * mount. An ordinary user can do it only in a namespace: this is then called
 * twice.
 */
static int
view_open_tree(struct box_tree *tree, struct err *err)
{
	struct mount_attr attr = {
		.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID,
		.propagation = MS_PRIVATE,
	};

	if (tree->kind != BOX_TREE_DEVICE)
		attr.attr_set |= MOUNT_ATTR_NODEV;
	if (!tree->executable)
		attr.attr_set |= MOUNT_ATTR_NOEXEC;
	tree->fd = open_tree(AT_FDCWD, tree->path,
	    OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);
	if (tree->fd == -1)
		return err_sys(err, "take %s into the box", tree->path);
	if (mount_setattr(tree->fd, "", AT_EMPTY_PATH | AT_RECURSIVE, &attr,
	        sizeof(attr)) == -1)
		return err_sys(err, "make %s read-only", tree->path);
	return 0;
}

int
view_add_tree(struct box *box, const struct box_tree *tree, struct err *err)
{
	struct box_tree *added = &box->trees[box->ntrees];
	struct stat st;

	if (stat(tree->path, &st) == -1)
		return tree->optional ?
		    0 : err_sys(err, "look at %s", tree->path);
	if (box->ntrees == BOX_TREES_MAX)
		return err_set(err, "a box cannot take more than %d parts of "
		    "the host", BOX_TREES_MAX);
	*added = *tree;
	added->path = mem_strdup(tree->path);
	if (S_ISDIR(st.st_mode))
		added->kind = BOX_TREE_DIRECTORY;
	added->fd = -1;
	box->ntrees++;
	/* If it is too early, view_open_trees reports the error. */
	if (geteuid() == 0 && !view_is_copied(added) &&
	    view_open_tree(added, err) == -1)
		fd_close(&added->fd);
	return 0;
}

int
view_add_link(
    struct box *box, const char *path, const char *target, struct err *err)
{
	size_t i;

	if (view_covers(box, path))
		return 0;
	for (i = 0; i < box->nlinks; i++)
		if (strcmp(path, box->links[i].path) == 0)
			return 0;
	if (box->nlinks == BOX_LINKS_MAX)
		return err_set(err, "a box cannot have more than %d links at "
		    "its root", BOX_LINKS_MAX);
	box->links[box->nlinks].path = mem_strdup(path);
	box->links[box->nlinks].target = mem_strdup(target);
	box->nlinks++;
	return 0;
}

/* /bin and others: a link as on the host, otherwise the directory itself. */
static int
view_collect_system(struct box *box, const char *path, struct err *err)
{
	const struct box_tree tree = { .path = path, .optional = 1,
		.executable = 1 };
	char target[PATH_MAX];
	ssize_t n = readlink(path, target, sizeof(target) - 1);

	if (n == -1)
		return view_add_tree(box, &tree, err);
	target[n] = '\0';
	return view_add_link(box, path, target, err);
}

int
view_collect(struct box *box, struct err *err)
{
	struct box_tree tree = { .path = "/usr", .executable = 1 };
	size_t i;

	if (view_add_tree(box, &tree, err) == -1)
		return -1;
	for (i = 0; i < VIEW_COUNT(view_system); i++)
		if (view_collect_system(box, view_system[i], err) == -1)
			return -1;
	tree = (struct box_tree){ .optional = 1 };
	for (i = 0; i < VIEW_COUNT(view_etc); i++) {
		tree.path = view_etc[i];
		if (view_add_tree(box, &tree, err) == -1)
			return -1;
	}
	tree = (struct box_tree){ .kind = BOX_TREE_DEVICE };
	for (i = 0; i < VIEW_COUNT(view_devices); i++) {
		tree.path = view_devices[i];
		if (view_add_tree(box, &tree, err) == -1)
			return -1;
	}
	return 0;
}

/* Building */

static int
view_open_trees(struct box *box, struct err *err)
{
	struct box_tree *tree;

	for (tree = box->trees; tree < box->trees + box->ntrees; tree++) {
		if (tree->fd != -1 || view_is_copied(tree) ||
		    view_open_tree(tree, err) == 0)
			continue;
		if (!tree->optional)
			return -1;
		fd_close(&tree->fd);
	}
	return 0;
}

/* How much a file system in memory can take, as an option of its mount. */
static void
view_write_room(char *room, uint64_t bytes, unsigned long inodes)
{
	snprintf(room, BOX_ROOM_SIZE, ",size=%llu,nr_inodes=%lu",
	    (unsigned long long)bytes, inodes);
}

/* Returns the end of the text, where the next one goes. */
static char *
view_append(char *end, const char *text)
{
	size_t len = strlen(text);

	memcpy(end, text, len + 1);
	return end + len;
}

/* Also for init, which must not use printf(): see spare.c. */
static int
view_mount_memory(const char *path, const char *mode, const char *room,
    unsigned long flags, struct err *err)
{
	char options[sizeof("mode=1777") + BOX_ROOM_SIZE];

	view_append(view_append(view_append(options, "mode="), mode), room);
	if (mount("tmpfs", path, "tmpfs", MS_NOSUID | MS_NODEV | flags,
	        options) == -1)
		return err_sys(err, "mount a tmpfs at %s", path);
	return 0;
}

int
view_mount_places(struct box *box, struct err *err)
{
	const struct view_entry *place = view_memory;

	for (; place < view_memory + VIEW_COUNT(view_memory); place++) {
		if (!view_has_place(box, place))
			continue;
		if (strcmp(place->path, BOX_OUT_DIR) == 0 &&
		    mkdir(place->path, 0755) == -1)
			return err_sys(err, "create %s", place->path);
		if (view_mount_memory(place->path, place->text, box->room,
		        MS_NOEXEC, err) == -1)
			return -1;
	}
	return 0;
}

/*
 * The stage, which becomes the working directory: everything that boxes with
 * the same view of the host could share.
 */
static int
view_build_stage(struct box *box, struct err *err)
{
	char room[BOX_ROOM_SIZE];

	view_write_room(room, BOX_ROOT_BYTES, BOX_ROOT_INODES);
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == -1)
		return err_sys(err, "make the mounts private");
	if (view_open_trees(box, err) == -1)
		return -1;
	if (view_mount_memory(BOX_STAGE, "0755", room, MS_NOEXEC, err) == -1)
		return -1;
	if (chdir(BOX_STAGE) == -1)
		return err_sys(err, "enter %s", BOX_STAGE);
	return overlay_stage(box, err);
}

/* From here on the working directory is the new root. */
static int
view_enter_root(const struct box *box, struct err *err)
{
	/*
	 * A template loads its library from there, and the code of some
	 * languages executes programs of the bootstrap: these files are
	 * read-only.
	 */
	unsigned long flags =
	    box->kind == BOX_TEMPLATE || box->programs ? 0 : MS_NOEXEC;
	char room[BOX_ROOM_SIZE];

	view_write_room(room, BOX_ROOT_BYTES, BOX_ROOT_INODES);
	if (mkdir(VIEW_ROOT, 0755) == -1)
		return err_sys(err, "create %s", VIEW_ROOT);
	if (view_mount_memory(VIEW_ROOT, "0755", room, flags, err) == -1)
		return -1;
	if (chdir(VIEW_ROOT) == -1)
		return err_sys(err, "enter %s", VIEW_ROOT);
	return 0;
}

static int
view_write_file(const struct view_entry *entry, struct err *err)
{
	auto_fd int fd = open(
	    entry->path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);

	if (fd == -1)
		return err_sys(err, "create %s", entry->path);
	if (fd_write_all(fd, entry->text, strlen(entry->text)) == -1)
		return err_sys(err, "write %s", entry->path);
	return 0;
}

static int
view_make_up(struct box *box, struct err *err)
{
	size_t i;

	for (i = 0; i < VIEW_COUNT(view_directories); i++)
		if (mkdir(view_directories[i], 0755) == -1)
			return err_sys(err, "create %s", view_directories[i]);
	if (box->setup.data && mkdir(BOX_CONVERSATION_DIR, 0755) == -1)
		return err_sys(err, "create " BOX_CONVERSATION_DIR);
	for (i = 0; i < VIEW_COUNT(view_files); i++)
		if (view_write_file(&view_files[i], err) == -1)
			return -1;
	for (i = 0; i < VIEW_COUNT(view_links); i++)
		if (symlink(view_links[i].text, view_links[i].path) == -1)
			return err_sys(err, "create %s", view_links[i].path);
	view_write_room(box->room, box->setup.files_bytes, BOX_INODES);
	return view_mount_places(box, err);
}

/* Makes the parent directories of path, which is absolute. */
static int
view_make_parents(const char *path, struct err *err)
{
	auto_free char *copy = mem_strdup(path + 1);
	char *slash;

	for (slash = strchr(copy, '/'); slash != NULL;
	     slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		if (mkdir(copy, 0755) == -1 && errno != EEXIST)
			return err_sys(err, "create %s", copy);
		*slash = '/';
	}
	return 0;
}

static int
view_make_mount_point(const struct box_tree *tree, struct err *err)
{
	const char *path = tree->path + 1;
	auto_fd int fd = -1;

	if (view_make_parents(tree->path, err) == -1)
		return -1;
	if (tree->kind == BOX_TREE_DIRECTORY) {
		if (mkdir(path, 0755) == -1 && errno != EEXIST)
			return err_sys(err, "create %s", path);
		return 0;
	}
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0444);
	if (fd == -1)
		return err_sys(err, "create %s", path);
	return 0;
}

/*
 * Copies a file of the host, as the user of the box: a file that is unreadable
 * for it, or of an unexpected kind, is left out.
 */
static int
view_copy_file(const struct box_tree *tree, struct err *err)
{
	auto_fd int from =
	    open(tree->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	auto_fd int to = -1;
	struct stat st;

	if (from == -1 || fstat(from, &st) == -1 || !S_ISREG(st.st_mode) ||
	    st.st_size > (off_t)BOX_COPY_MAX)
		return 0;
	if (view_make_parents(tree->path, err) == -1)
		return -1;
	to = open(tree->path + 1, O_WRONLY | O_CREAT | O_CLOEXEC, 0444);
	if (to == -1)
		return err_sys(err, "create %s", tree->path);
	if (sendfile(to, from, NULL, (size_t)st.st_size) == -1)
		return err_sys(err, "copy %s", tree->path);
	return 0;
}

static int
view_place_tree(struct box *box, const struct box_tree *tree, struct err *err)
{
	if (view_is_copied(tree))
		return view_copy_file(tree, err);
	if (tree->fd == -1)
		return 0;
	if (view_make_mount_point(tree, err) == -1)
		return -1;
	if (overlay_mount(box, tree))
		return 0;
	if (move_mount(tree->fd, "", AT_FDCWD, tree->path + 1,
	        MOVE_MOUNT_F_EMPTY_PATH) == -1)
		return err_sys(err, "mount %s", tree->path);
	return 0;
}

static int
view_place_trees(struct box *box, struct err *err)
{
	const struct box_tree *tree;

	for (tree = box->trees; tree < box->trees + box->ntrees; tree++)
		if (view_place_tree(box, tree, err) == -1)
			return -1;
	return 0;
}

static int
view_place_links(struct box *box, struct err *err)
{
	const struct box_link *link;

	for (link = box->links; link < box->links + box->nlinks; link++) {
		/* A tree that was added after the link contains it. */
		if (view_covers(box, link->path))
			continue;
		if (view_make_parents(link->path, err) == -1)
			return -1;
		if (symlink(link->target, link->path + 1) == -1)
			return err_sys(err, "create %s", link->path);
	}
	return 0;
}

/* Each box has its own writable places, which cover those of the template. */
static int
view_check_place(const struct box *box, const char *path, struct err *err)
{
	size_t i;

	if (strchr(path, '\n') != NULL)
		return err_set(err, "an interpreter whose path has a line end "
		    "in it cannot be shared by boxes");
	for (i = 0; i < VIEW_COUNT(view_memory); i++)
		if (view_has_place(box, &view_memory[i]) &&
		    view_is_beneath(path + 1, view_memory[i].path))
			return err_set(err, "an interpreter that lies in "
			    "/%s, as %s does, cannot be shared by boxes",
			    view_memory[i].path, path);
	return 0;
}

/*
 * Whether the boxes of a template can share its view of a tree, like the rest
 * of its /etc: settings, not programs or data of the host.
 */
static int
view_is_shared(const struct box *box, const struct box_tree *tree)
{
	return !tree->executable && tree->mount.staged &&
	    !tree->mount.layered && box->bound.text[0] == '\0';
}

/*
 * Data for the template, which starts like any interpreter: the modules to
 * import, and the trees for which its boxes mount their own overlays.
 */
static int
view_note_template(struct box *box, struct err *err)
{
	const struct view_entry preload = { BOX_PRELOAD_FILE,
		box->template.preload };
	auto_buffer struct buffer trees = { 0 };
	struct view_entry programs = { BOX_TREES_FILE, NULL };
	const struct box_tree *tree;
	const struct box_link *link;

	for (tree = box->trees; tree < box->trees + box->ntrees; tree++) {
		if (view_check_place(box, tree->path, err) == -1)
			return -1;
		if (tree->kind == BOX_TREE_DIRECTORY && tree->fd != -1 &&
		    !view_is_shared(box, tree))
			overlay_note(tree, &trees);
	}
	for (link = box->links; link < box->links + box->nlinks; link++)
		if (view_check_place(box, link->path, err) == -1)
			return -1;
	programs.text = trees.data;
	if (view_write_file(&preload, err) == -1)
		return -1;
	return view_write_file(&programs, err);
}

/* The parts that each box must have for itself. */
static int
view_build_root(struct box *box, struct err *err)
{
	if (view_enter_root(box, err) == -1 || view_make_up(box, err) == -1 ||
	    data_write(box, err) == -1 || view_place_trees(box, err) == -1)
		return -1;
	if (box->kind == BOX_TEMPLATE && view_note_template(box, err) == -1)
		return -1;
	return view_place_links(box, err);
}

int
view_build(struct box *box, struct err *err)
{
	if (view_build_stage(box, err) == -1)
		return -1;
	return view_build_root(box, err);
}

int
view_enter(struct box *, struct err *err)
{
	struct mount_attr attr = { .attr_set = MOUNT_ATTR_RDONLY };

	/* Puts the old root on top of the new one, which needs no directory. */
	if (syscall(SYS_pivot_root, ".", ".") == -1)
		return err_sys(err, "pivot_root");
	if (umount2(".", MNT_DETACH) == -1)
		return err_sys(err, "detach the old root");
	if (chdir("/") == -1)
		return err_sys(err, "enter the new root");
	if (mount_setattr(AT_FDCWD, "/", 0, &attr, sizeof(attr)) == -1)
		return err_sys(err, "make the new root read-only");
	return 0;
}

/*
 * The mount options visible to the code reveal the user outside, and the disk
 * of bound files. So the code gets a detached copy of the view, which is in no
 * table and exists as long as a process is in it. The kernel waits for all
 * processors when the last descriptor of the copy is closed: a forked box
 * leaves that to its holder.
 */
int
view_hide(struct box *box, struct err *err)
{
	auto_fd int fd = open_tree(AT_FDCWD, "/",
	    OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);

	if (fd == -1)
		return err_sys(err, "copy the view");
	if (fchdir(fd) == -1 || chroot(".") == -1)
		return err_sys(err, "enter the copy of the view");
	if (box->kind != BOX_FORKED)
		return 0;
	box->view_fd = fcntl(fd, F_DUPFD_CLOEXEC, BOX_VIEW_FD_LEAST);
	return box->view_fd == -1 ? err_sys(err, "copy a descriptor") : 0;
}

int
view_renew(struct box *box, struct err *err)
{
	/*
	 * The template has loaded its library from it, which was the last use.
	 */
	struct mount_attr attr = { .attr_set = MOUNT_ATTR_NOEXEC };
	const struct box_tree *tree;

	if (chdir("/") == -1)
		return err_sys(err, "enter the root");
	if (mount_setattr(AT_FDCWD, "/", 0, &attr, sizeof(attr)) == -1)
		return err_sys(err, "forbid to execute what is at the root");
	for (tree = box->trees; tree < box->trees + box->ntrees; tree++)
		(void)overlay_mount(box, tree);
	view_write_room(box->room, box->setup.files_bytes, BOX_INODES);
	return 0;
}
