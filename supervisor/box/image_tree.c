/*
 * The directory tree of an image: see image_tree.h. Every entry is opened
 * relative to its directory and without following links, so a link in the tree
 * cannot lead out of it. Runs in the supervisor.
 */
#include <errno.h>
#include <fcntl.h>
#include <sha2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../common/buffer.h"
#include "../../common/entries.h"
#include "../../common/fd.h"
#include "../../common/limits.h"
#include "../../common/mem.h"
#include "../../common/text_list.h"
#include "image_tree.h"

/* A walk through a tree. */
struct image_tree {
	SHA2_CTX hash;
	uint64_t files;
	uint64_t bytes;
	unsigned int depth;
	dev_t device; /* of what is to be removed */
	struct buffer path; /* of the current directory, from the root */
};

/* Called for each entry of a directory, in the order of their names. */
typedef int image_tree_do(struct image_tree *tree, int folder,
    const char *name, const struct stat *st, struct err *err);

static void
image_tree_add_name(void *ctx, const char *name)
{
	text_list_add(ctx, name);
}

static int
image_tree_compare(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Opens a directory for reading its entries. */
static int
image_tree_open(int folder, const char *name)
{
	return openat(folder, name,
	    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Returns the sorted names of a directory, as in names; NULL with err. */
static const char **
image_tree_names(
    int folder, struct buffer *names, size_t *count, struct err *err)
{
	auto_fd int again = image_tree_open(folder, ".");
	const char **sorted, *name;
	size_t n = 0;

	if (entries_each(&again, image_tree_add_name, names) == -1) {
		err_sys(err, "read a directory of the image");
		return NULL;
	}
	*count = text_list_count(names->data, names->len);
	sorted = mem_alloc((*count + 1) * sizeof(*sorted));
	TEXT_LIST_EACH (name, names->data, names->len)
		sorted[n++] = name;
	qsort(sorted, *count, sizeof(*sorted), image_tree_compare);
	return sorted;
}

/* Counts an entry. Returns -1 with err if there are too many. */
static int
image_tree_count(
    struct image_tree *tree, const struct stat *st, struct err *err)
{
	tree->files++;
	if (S_ISREG(st->st_mode))
		tree->bytes += (uint64_t)st->st_size;
	if (tree->files > IMAGE_FILES_MAX || tree->bytes > IMAGE_BYTES_MAX)
		return err_set(err, "the image is too large: it may have %d "
		    "files and %llu GiB", IMAGE_FILES_MAX,
		    (unsigned long long)(IMAGE_BYTES_MAX / GIB));
	return 0;
}

/* Calls act for the entries of a directory. Returns 0, or -1 with err. */
static int
image_tree_each(struct image_tree *tree, int folder, image_tree_do *act,
    struct err *err)
{
	auto_buffer struct buffer names = { 0 };
	size_t i, count = 0;
	auto_free const char **sorted =
	    image_tree_names(folder, &names, &count, err);
	struct stat st;

	if (sorted == NULL)
		return -1;
	if (++tree->depth > IMAGE_DEPTH_MAX)
		return err_set(err, "the directories of the image are nested "
		    "more than %d deep", IMAGE_DEPTH_MAX);
	for (i = 0; i < count; i++) {
		if (fstatat(folder, sorted[i], &st, AT_SYMLINK_NOFOLLOW) == -1)
			return err_sys(err, "look at %s/%s in the image",
			    tree->path.len > 0 ? tree->path.data : "",
			    sorted[i]);
		if (image_tree_count(tree, &st, err) == -1 ||
		    act(tree, folder, sorted[i], &st, err) == -1)
			return -1;
	}
	tree->depth--;
	return 0;
}

/* The same for the directory of that name. */
static int
image_tree_into(struct image_tree *tree, int folder, const char *name,
    image_tree_do *act, struct err *err)
{
	auto_fd int inner = image_tree_open(folder, name);
	size_t len = tree->path.len;
	int done;

	if (inner == -1)
		return err_sys(err, "open %s/%s in the image",
		    len > 0 ? tree->path.data : "", name);
	buffer_printf(&tree->path, "/%s", name);
	done = image_tree_each(tree, inner, act, err);
	tree->path.len = len;
	tree->path.data[len] = '\0';
	return done;
}

/* Removing */

static int
image_tree_drop(struct image_tree *tree, int folder, const char *name,
    const struct stat *st, struct err *err)
{
	int flags = 0;

	/* The limits are for images, and not for what must be removed. */
	tree->files = tree->bytes = 0;
	tree->depth = 0;
	if (st->st_dev != tree->device)
		return err_set(err, "another file system is mounted at %s/%s: "
		    "unmount it", tree->path.len > 0 ? tree->path.data : "",
		    name);
	if (S_ISDIR(st->st_mode)) {
		/* A directory of ours that we may not write to. */
		if ((st->st_mode & 0700) != 0700 &&
		    fchmodat(folder, name, 0700, 0) == -1)
			return err_sys(err, "change the mode of %s", name);
		if (image_tree_into(
		        tree, folder, name, image_tree_drop, err) == -1)
			return -1;
		flags = AT_REMOVEDIR;
	}
	if (unlinkat(folder, name, flags) == -1)
		return err_sys(err, "remove %s/%s",
		    tree->path.len > 0 ? tree->path.data : "", name);
	return 0;
}

int
image_tree_remove(int parent, const char *name, struct err *err)
{
	struct image_tree tree = { .depth = 0 };
	struct stat st;
	int done;

	if (fstatat(parent, name, &st, AT_SYMLINK_NOFOLLOW) == -1)
		return errno == ENOENT ? 0 : err_sys(err, "look at %s", name);
	tree.device = st.st_dev;
	done = image_tree_drop(&tree, parent, name, &st, err);
	buffer_reset(&tree.path);
	return done;
}

/* Adapting */

/* The mode of an entry for boxes, whose user is another one. */
static mode_t
image_tree_mode(mode_t mode)
{
	mode_t bits = (mode & 0755) | 0444;

	if (S_ISDIR(mode) || (mode & 0111) != 0)
		bits |= 0111;
	return S_ISDIR(mode) ? bits | 0700 : bits;
}

static int
image_tree_adapt_one(struct image_tree *tree, int folder, const char *name,
    const struct stat *st, struct err *err)
{
	mode_t mode = image_tree_mode(st->st_mode);

	if (S_ISLNK(st->st_mode))
		return 0;
	if (!S_ISREG(st->st_mode) && !S_ISDIR(st->st_mode))
		return unlinkat(folder, name, 0) == -1 ?
		    err_sys(err, "remove the device %s", name) : 0;
	/* No other process can put a link in its place: the tree is ours. */
	if (mode != (st->st_mode & 07777) &&
	    fchmodat(folder, name, mode, 0) == -1)
		return err_sys(err, "change the mode of %s/%s",
		    tree->path.len > 0 ? tree->path.data : "", name);
	return S_ISDIR(st->st_mode) ? image_tree_into(tree, folder, name,
	    image_tree_adapt_one, err) : 0;
}

/*
 * Removes what a runtime always mounts over: root can put more there than other
 * users, and the digest must not depend on that.
 */
static int
image_tree_empty_places(int root, struct err *err)
{
	static const char *const places[] = { "dev", "proc", "sys" };
	size_t i;

	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++)
		if (image_tree_remove(root, places[i], err) == -1)
			return -1;
	return 0;
}

/* Makes the directories that a runtime mounts over. */
static int
image_tree_make_places(int root, struct err *err)
{
	static const struct {
		const char *name;
		mode_t mode;
	} places[] = { { "dev", 0755 }, { "proc", 0755 }, { "run", 0755 },
		{ "sys", 0755 }, { "data", 01777 }, { "tmp", 01777 },
		{ "workspace", 01777 } };
	struct stat st;
	size_t i;

	for (i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		if (mkdirat(root, places[i].name, 0755) == -1 &&
		    errno != EEXIST)
			return err_sys(err, "make /%s in the image",
			    places[i].name);
		if (fstatat(root, places[i].name, &st, AT_SYMLINK_NOFOLLOW) ==
		        -1 || !S_ISDIR(st.st_mode))
			return err_set(err, "/%s of the image is not a "
			    "directory", places[i].name);
		if (fchmodat(root, places[i].name, places[i].mode, 0) == -1)
			return err_sys(err, "change the mode of /%s in the "
			    "image", places[i].name);
	}
	return 0;
}

int
image_tree_adapt(int root, struct err *err)
{
	struct image_tree tree = { .depth = 0 };
	int done;

	if (fchmod(root, 0755) == -1)
		return err_sys(err, "change the mode of the image");
	if (image_tree_empty_places(root, err) == -1)
		return -1;
	done = image_tree_each(&tree, root, image_tree_adapt_one, err);
	buffer_reset(&tree.path);
	return done == -1 ? -1 : image_tree_make_places(root, err);
}

/* The digest */

static void
image_tree_hash(struct image_tree *tree, const char *text, size_t len)
{
	SHA256Update(&tree->hash, (const uint8_t *)text, len);
}

static int
image_tree_hash_file(
    struct image_tree *tree, int folder, const char *name, struct err *err)
{
	auto_fd int fd = openat(folder, name,
	    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	auto_free char *chunk = mem_alloc(IMAGE_CHUNK);
	ssize_t n;

	if (fd == -1)
		return err_sys(err, "open %s in the image", name);
	while ((n = read(fd, chunk, IMAGE_CHUNK)) != 0) {
		if (n == -1 && errno == EINTR)
			continue;
		if (n == -1)
			return err_sys(err, "read %s in the image", name);
		image_tree_hash(tree, chunk, (size_t)n);
	}
	return 0;
}

static int
image_tree_hash_link(
    struct image_tree *tree, int folder, const char *name, struct err *err)
{
	char target[OPTION_PATH_MAX + 1];
	ssize_t len = readlinkat(folder, name, target, sizeof(target));

	if (len == -1)
		return err_sys(err, "read the link %s in the image", name);
	image_tree_hash(tree, target, (size_t)len);
	return 0;
}

/*
 * A head with the length of the content precedes each content, so no two trees
 * have the same bytes.
 */
static int
image_tree_hash_one(struct image_tree *tree, int folder, const char *name,
    const struct stat *st, struct err *err)
{
	auto_free char *head = mem_printf("%o %llu %s/%s",
	    (unsigned int)st->st_mode, S_ISDIR(st->st_mode) ? 0ULL :
	    (unsigned long long)st->st_size,
	    tree->path.len > 0 ? tree->path.data : "", name);

	image_tree_hash(tree, head, strlen(head) + 1);
	if (S_ISREG(st->st_mode))
		return image_tree_hash_file(tree, folder, name, err);
	if (S_ISLNK(st->st_mode))
		return image_tree_hash_link(tree, folder, name, err);
	if (S_ISDIR(st->st_mode))
		return image_tree_into(
		    tree, folder, name, image_tree_hash_one, err);
	return err_set(err, "%s in the image is a device", name);
}

int
image_tree_digest(int root, const char *text, char digest[IMAGE_DIGEST_SIZE],
    uint64_t *bytes, struct err *err)
{
	struct image_tree tree = { .depth = 0 };
	uint8_t sum[SHA256_DIGEST_LENGTH];
	size_t i;
	int done;

	SHA256Init(&tree.hash);
	image_tree_hash(&tree, text, strlen(text) + 1);
	done = image_tree_each(&tree, root, image_tree_hash_one, err);
	SHA256Final(sum, &tree.hash);
	buffer_reset(&tree.path);
	*bytes = tree.bytes;
	snprintf(digest, IMAGE_DIGEST_SIZE, IMAGE_ALGORITHM);
	for (i = 0; i < sizeof(sum); i++)
		snprintf(digest + 7 + 2 * i, 3, "%02x", sum[i]);
	return done;
}
