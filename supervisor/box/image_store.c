/*
 * The images of this user: see image_store.h. A new image is made in a
 * directory of another name, which is renamed when the image is complete. Runs
 * in the supervisor.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

#include "../../common/entries.h"
#include "../../common/fd.h"
#include "../../common/limits.h"
#include "../../common/mem.h"
#include "../../common/text_list.h"
#include "image_record.h"
#include "image_store.h"
#include "image_tree.h"

#define IMAGE_STORE_NEW ".new"   /* being made */
#define IMAGE_STORE_OLD ".old"   /* being removed */
#define IMAGE_STORE_TMP ".tmp"   /* files of the programs that make one */
#define IMAGE_STORE_ROOT "root"

/* Reading */

/* What reads all entries of the directory of images. */
struct image_store_scan {
	int folder;
	const char *path;
	struct image_list *list;
	struct buffer enabled; /* digests */
};

/* The name of the directory of an image: its digest with another sign. */
static void
image_store_entry(const char *digest, char name[IMAGE_DIGEST_SIZE])
{
	snprintf(name, IMAGE_DIGEST_SIZE, "%s", digest);
	name[strlen(IMAGE_ALGORITHM) - 1] = '-';
}

/* Reads the image in a directory. Returns 0, or -1 if there is none. */
static int
image_store_read(struct image_store_scan *scan, const char *name,
    struct image *image)
{
	auto_fd int fd = openat(scan->folder, name,
	    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	const char *digest;
	unsigned int n = 0;
	struct err err;

	if (fd == -1 || image_record_read(fd, image, &err) == -1)
		return -1;
	snprintf(image->digest, sizeof(image->digest), "%s%s",
	    IMAGE_ALGORITHM, name + strlen(IMAGE_ALGORITHM));
	if (image->engine[0] == '\0')
		image->root = mem_printf(
		    "%s/%s/" IMAGE_STORE_ROOT, scan->path, name);
	TEXT_LIST_EACH (digest, scan->enabled.data, scan->enabled.len) {
		n++;
		if (strcmp(digest, image->digest) == 0)
			image->enabled = n;
	}
	return 0;
}

static void
image_store_on_entry(void *ctx, const char *name)
{
	struct image_store_scan *scan = ctx;
	struct image_list *list = scan->list;
	struct image *image;

	if (strlen(name) != IMAGE_DIGEST_SIZE - 1 ||
	    strncmp(name, "sha256-", 7) != 0 || !image_is_digest(name + 7) ||
	    list->count == IMAGES_MAX)
		return;
	list->one = mem_resize(
	    list->one, (list->count + 1) * sizeof(*list->one));
	image = &list->one[list->count];
	memset(image, 0, sizeof(*image));
	if (image_store_read(scan, name, image) == 0)
		list->count++;
	else
		image_reset(image);
}

static int
image_store_compare(const void *a, const void *b)
{
	const struct image *one = a, *other = b;
	int by_name = strcmp(one->name, other->name);

	if (by_name != 0)
		return by_name;
	if (one->made != other->made)
		return one->made > other->made ? -1 : 1;
	return strcmp(one->digest, other->digest);
}

/* Another user who can write there could replace a root. */
static int
image_store_check(int folder, const char *path, struct err *err)
{
	struct stat st;

	if (fstat(folder, &st) == -1)
		return err_sys(err, "look at the directory %s", path);
	if (st.st_uid != geteuid() || (st.st_mode & (S_IWGRP | S_IWOTH)) != 0)
		return err_set(err, "the directory of images %s can be "
		    "changed by another user: run 'chmod 700' on it, or name "
		    "another state directory in CAISSON_STATE_DIR", path);
	return 0;
}

/* Notes which images of a sorted list their names stand for. */
static void
image_store_note_newest(struct image_list *list)
{
	size_t i, j;

	for (i = 0; i < list->count; i++) {
		list->one[i].newest = !list->one[i].unnamed;
		for (j = i; j > 0 && list->one[i].newest; j--)
			list->one[i].newest =
			    strcmp(list->one[j - 1].name,
			        list->one[i].name) != 0 ||
			    strcmp(list->one[j - 1].engine,
			        list->one[i].engine) != 0;
	}
}

/* Reads all images in the open directory of that path. Returns 0, or -1. */
static int
image_store_read_all(
    int fd, const char *folder, struct image_list *list, struct err *err)
{
	struct image_store_scan scan = {
		.folder = fd, .path = folder, .list = list
	};
	int entries, done;

	memset(list, 0, sizeof(*list));
	if (image_record_read_enabled(fd, &scan.enabled, err) == -1)
		return -1;
	entries = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	done = entries_each(&entries, image_store_on_entry, &scan);
	buffer_reset(&scan.enabled);
	if (done == -1)
		return err_sys(err, "read the directory of images %s", folder);
	if (list->count > 0)
		qsort(list->one, list->count, sizeof(*list->one),
		    image_store_compare);
	image_store_note_newest(list);
	return 0;
}

int
image_store_list(
    const char *folder, struct image_list *list, struct err *err)
{
	auto_fd int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	memset(list, 0, sizeof(*list));
	if (fd == -1)
		return errno == ENOENT || errno == ENOTDIR ? 0 :
		    err_sys(err, "open the directory of images %s", folder);
	return image_store_check(fd, folder, err) == -1 ? -1 :
	    image_store_read_all(fd, folder, list, err);
}

static int
image_store_is_of(const struct image *image, const char *engine)
{
	return engine == NULL || strcmp(image->engine, engine) == 0;
}

/* Returns the newest image of that name that has lost it or not, or NULL. */
static struct image *
image_store_match_name(const struct image_list *list, const char *engine,
    const char *name, int unnamed)
{
	size_t i;

	for (i = 0; i < list->count; i++)
		if (image_store_is_of(&list->one[i], engine) &&
		    list->one[i].unnamed == unnamed &&
		    strcmp(list->one[i].name, name) == 0)
			return &list->one[i];
	return NULL;
}

/*
 * Returns the image that a name or a digest means, or NULL; *several is set if
 * a short digest means more than one.
 */
static struct image *
image_store_match(const struct image_list *list, const char *engine,
    const char *name, int *several)
{
	struct image *found = image_store_match_name(list, engine, name, 0);
	size_t i, len = strlen(image_digits(name));

	*several = 0;
	if (found != NULL)
		return found;
	for (i = 0; i < list->count && image_is_digest(name); i++) {
		if (!image_store_is_of(&list->one[i], engine) ||
		    strncmp(image_digits(list->one[i].digest),
		        image_digits(name), len) != 0)
			continue;
		*several = found != NULL;
		found = &list->one[i];
	}
	if (found == NULL)
		return image_store_match_name(list, engine, name, 1);
	return *several ? NULL : found;
}

int
image_store_find(const char *folder, const char *engine, const char *name,
    struct image *image, struct err *err)
{
	struct image_list list;
	struct image *found;
	int several;

	memset(image, 0, sizeof(*image));
	if (image_store_list(folder, &list, err) == -1)
		return -1;
	found = image_store_match(&list, engine, name, &several);
	if (found != NULL) {
		*image = *found;
		memset(found, 0, sizeof(*found));
	} else if (several) {
		err_set(err, "image \"%s\": several begin with these digits: "
		    "give more ('caisson image list' shows all)", name);
	} else {
		err_set(err, "image \"%s\": there is no such image in %s: run "
		    "'caisson image build python' to build one, or 'caisson "
		    "image list' to see all", name, folder);
		err->code = ENOENT;
	}
	image_list_reset(&list);
	return found == NULL ? -1 : 0;
}

/* Writing */

static int
image_store_open_lock(const char *folder, struct err *err)
{
	auto_fd int fd = -1;

	if (mkdir(folder, 0700) == -1 && errno != EEXIST)
		return err_sys(
		    err, "make the directory of images %s", folder);
	fd = open(folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd == -1)
		return err_sys(
		    err, "open the directory of images %s", folder);
	return image_store_check(fd, folder, err) == -1 ? -1 : fd_take(&fd);
}

/*
 * The lock is that of the directory itself, which has the same life as what it
 * protects.
 */
int
image_store_lock(const char *folder, struct err *err)
{
	auto_fd int fd = image_store_open_lock(folder, err);

	if (fd == -1)
		return -1;
	if (flock(fd, LOCK_EX | LOCK_NB) == -1)
		return errno == EWOULDBLOCK ?
		    err_set(err, "another 'caisson image' command is at work "
		        "in %s: wait until it ends", folder) :
		    err_sys(err, "lock the directory of images %s", folder);
	if (image_tree_remove(fd, IMAGE_STORE_NEW, err) == -1 ||
	    image_tree_remove(fd, IMAGE_STORE_OLD, err) == -1 ||
	    image_tree_remove(fd, IMAGE_STORE_TMP, err) == -1)
		return -1;
	return fd_take(&fd);
}

char *
image_store_tmp(const char *folder)
{
	return mem_printf("%s/" IMAGE_STORE_TMP, folder);
}

char *
image_store_begin(int lock, const char *folder, struct err *err)
{
	if (mkdirat(lock, IMAGE_STORE_TMP, 0700) == -1 ||
	    mkdirat(lock, IMAGE_STORE_NEW, 0700) == -1 ||
	    mkdirat(lock, IMAGE_STORE_NEW "/" IMAGE_STORE_ROOT, 0755) == -1) {
		err_sys(err, "make a directory in %s", folder);
		return NULL;
	}
	return mem_printf(
	    "%s/" IMAGE_STORE_NEW "/" IMAGE_STORE_ROOT, folder);
}

void
image_store_drop(int lock)
{
	struct err err;

	(void)image_tree_remove(lock, IMAGE_STORE_NEW, &err);
	(void)image_tree_remove(lock, IMAGE_STORE_TMP, &err);
}

/*
 * Computes the digest of an image, which includes all of its record but when it
 * was made, and how large it is.
 */
static int
image_store_digest(const struct image *image, int root,
    char digest[IMAGE_DIGEST_SIZE], uint64_t *bytes, struct err *err)
{
	auto_buffer struct buffer about = { 0 };
	struct image described = *image;

	described.made = described.bytes = 0;
	image_record_write(&about, &described);
	return image_tree_digest(root, about.data, digest, bytes, err);
}

/* Adapts the root that was begun, and computes its digest. */
static int
image_store_finish_root(int folder, struct image *image, struct err *err)
{
	auto_fd int root = openat(folder, IMAGE_STORE_ROOT,
	    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (root == -1)
		return err_sys(err, "open the root of the image");
	return image_tree_adapt(root, err) == -1 ? -1 :
	    image_store_digest(
	        image, root, image->digest, &image->bytes, err);
}

int
image_store_verify(const struct image *image, struct err *err)
{
	auto_fd int root = -1;
	char digest[IMAGE_DIGEST_SIZE];
	uint64_t bytes;

	if (image->root == NULL)
		return 0;
	root = open(image->root,
	    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (root == -1)
		return err_sys(err, "open the root of the image");
	if (image_store_digest(image, root, digest, &bytes, err) == -1)
		return -1;
	if (strcmp(digest, image->digest) != 0)
		return err_set(err, "the files of the image %s have changed "
		    "since it was built: remove it with 'caisson image remove "
		    "%.12s', and build it again", image->name,
		    image_digits(image->digest));
	return 0;
}

/*
 * Moves what was begun to its place. If the same image is there already, boxes
 * may be using its files: it gets only the record, which has a later time.
 */
static int
image_store_settle(int lock, const char *entry, struct err *err)
{
	auto_free char *record = mem_printf("%s/" IMAGE_RECORD, entry);

	if (renameat(lock, IMAGE_STORE_NEW, lock, entry) == 0) {
		image_store_drop(lock);
		return 0;
	}
	if ((errno != EEXIST && errno != ENOTEMPTY) ||
	    renameat(lock, IMAGE_STORE_NEW "/" IMAGE_RECORD, lock, record) ==
	        -1)
		return err_sys(err, "keep the image");
	image_store_drop(lock);
	return 0;
}

int
image_store_put(
    int lock, const char *folder, struct image *image, struct err *err)
{
	auto_buffer struct buffer record = { 0 };
	char entry[IMAGE_DIGEST_SIZE];
	struct timeval now;
	auto_fd int fd = -1;

	if (image->engine[0] != '\0' &&
	    mkdirat(lock, IMAGE_STORE_NEW, 0700) == -1)
		return err_sys(err, "make a directory in %s", folder);
	fd = openat(lock, IMAGE_STORE_NEW,
	    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd == -1)
		return err_sys(err, "open the new image in %s", folder);
	if (image->engine[0] == '\0' &&
	    image_store_finish_root(fd, image, err) == -1)
		return -1;
	gettimeofday(&now, NULL);
	if (image->made == 0)
		image->made = (uint64_t)now.tv_sec * 1000000 +
		    (uint64_t)now.tv_usec;
	image_record_write(&record, image);
	image_store_entry(image->digest, entry);
	if (image_record_replace(fd, IMAGE_RECORD, &record, err) == -1 ||
	    image_store_settle(lock, entry, err) == -1)
		return -1;
	free(image->root);
	image->root = image->engine[0] != '\0' ? NULL :
	    mem_printf("%s/%s/" IMAGE_STORE_ROOT, folder, entry);
	return 0;
}

int
image_store_enable(int lock, const struct image *image, int on, struct err *err)
{
	auto_buffer struct buffer digests = { 0 }, lines = { 0 };
	const char *digest;
	int was = 0;

	if (image_record_read_enabled(lock, &digests, err) == -1)
		return -1;
	TEXT_LIST_EACH (digest, digests.data, digests.len) {
		int is = strcmp(digest, image->digest) == 0;

		was |= is;
		if (on || !is)
			buffer_printf(&lines, "%s\n", digest);
	}
	if (on == was)
		return 0;
	if (on)
		buffer_printf(&lines, "%s\n", image->digest);
	return image_record_replace(lock, IMAGE_ENABLED, &lines, err);
}

/* Notes that an image does not get its name back. Returns 0, or -1. */
static int
image_store_unname(int lock, struct image *image, struct err *err)
{
	auto_buffer struct buffer record = { 0 };
	char entry[IMAGE_DIGEST_SIZE];
	auto_fd int fd = -1;

	image_store_entry(image->digest, entry);
	fd = openat(
	    lock, entry, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd == -1)
		return err_sys(err, "open the image %s", image->digest);
	image->unnamed = 1;
	image_record_write(&record, image);
	return image_record_replace(fd, IMAGE_RECORD, &record, err);
}

/* The same for all images of its name and engine that are older. */
static int
image_store_unname_older(int lock, const struct image *image, struct err *err)
{
	struct image_list list;
	int done = image_store_read_all(lock, "", &list, err);
	size_t i;

	for (i = 0; i < list.count && done == 0; i++) {
		struct image *one = &list.one[i];

		if (strcmp(one->name, image->name) == 0 &&
		    strcmp(one->engine, image->engine) == 0 &&
		    one->made < image->made && !one->unnamed)
			done = image_store_unname(lock, one, err);
	}
	image_list_reset(&list);
	return done;
}

int
image_store_remove(int lock, const struct image *image, struct err *err)
{
	char entry[IMAGE_DIGEST_SIZE];

	if (image_store_enable(lock, image, 0, err) == -1 ||
	    (image->engine[0] != '\0' &&
	        image_store_unname_older(lock, image, err) == -1))
		return -1;
	image_store_entry(image->digest, entry);
	if (renameat(lock, entry, lock, IMAGE_STORE_OLD) == -1)
		return err_sys(err, "remove the image %s", image->digest);
	return image_tree_remove(lock, IMAGE_STORE_OLD, err);
}
