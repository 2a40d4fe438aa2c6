/*
 * The bundles of crun and runc: see container_bundle.h. Runs in the supervisor;
 * writes below CONTAINER_BUNDLES only, where no other user may write.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../common/base64.h"
#include "../../common/fd.h"
#include "../../common/mem.h"
#include "../../common/utf8.h"
#include "../options/home.h"
#include "../process/process.h"
#include "container_bundle.h"
#include "container_lock.h"
#include "container_sweep.h"
#include "image_store.h"
#include "oci_bundle.h"

/* Made of the same rules as the profile. */
#include "box_profile_filter.h"

/* Where bundles and states are, until the machine is started again. */
#define CONTAINER_BUNDLES "/run/caisson-containers"

/* Reads a file of ours into a text, which the caller frees, or NULL. */
static char *
container_bundle_read(const char *path, struct err *err)
{
	auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct buffer text = { 0 };
	ssize_t n = -1;

	while (fd != -1 && (n = read(fd, buffer_reserve(&text, ENGINE_CHUNK),
	        ENGINE_CHUNK)) > 0)
		text.len += (size_t)n;
	if (fd == -1 || n == -1) {
		err_sys(err, "read %s", path);
		buffer_reset(&text);
		return NULL;
	}
	return buffer_take(&text, NULL);
}

static char *
container_bundle_encode_filter(void)
{
	struct buffer text = { 0 };

	base64_add(&text, box_profile_filter, sizeof(box_profile_filter));
	return buffer_take(&text, NULL);
}

/* Images that an earlier version has made have none. */
static int
container_bundle_check_data(const char *root, struct err *err)
{
	auto_free char *path = mem_printf("%s/data", root);
	struct stat st;

	if (lstat(path, &st) == 0 && S_ISDIR(st.st_mode))
		return 0;
	return err_set(err, "the image has no directory /data, which "
	    "conversations need: build it again with 'caisson image build', or "
	    "'mkdir -m 1777 %s'", path);
}

/*
 * An engine that runs as root mounts on the directories of the image. A user
 * who could replace one meanwhile by a link would choose where it mounts.
 */
static int
container_bundle_check_owner(const char *path, struct err *err)
{
	auto_free char *real = realpath(path, NULL);
	auto_free char *found = real == NULL ? mem_strdup(path) :
	    home_changeable(real);

	return found == NULL ? 0 : err_set(err, "another user can change %s, "
	    "which is part of the image or leads to it: give it to root, and "
	    "run 'chmod go-w' on it", found);
}

/* What is mounted needs a directory in the root, which is read-only. */
static int
container_bundle_check_root(const char *root, struct err *err)
{
	static const char *const wanted[] = { "dev", "proc", "run", "sys",
		"tmp", "workspace" };
	struct stat st;
	size_t i;

	if (!utf8_valid(root, strlen(root)))
		return err_set(err, "the path of the image is not UTF-8");
	if (lstat(root, &st) == -1)
		return err_set(err, "the image %s cannot be used: %s; name "
		    "the root directory of an unpacked image, or an image of "
		    "'caisson image list'", root, strerror(errno));
	for (i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		auto_free char *path = mem_printf("%s/%s", root, wanted[i]);

		if (lstat(path, &st) == -1 || !S_ISDIR(st.st_mode))
			return err_set(err, "%s is not an unpacked image: it "
			    "has no directory /%s", root, wanted[i]);
		if (container_bundle_check_owner(path, err) == -1)
			return -1;
	}
	return 0;
}

/* Adds to err what makes an image of an engine one of Caisson. Returns -1. */
static int
container_bundle_not_found(const char *name, struct err *err)
{
	const struct err why = *err;

	if (why.code != ENOENT)
		return -1;
	return err_set(err, "%s; 'caisson image build python --from-image %s' "
	    "unpacks one that podman or docker holds", why.text, name);
}

static int
container_bundle_find_root(const struct boxes *boxes, struct err *err)
{
	struct container_boxes *shared = container_boxes(boxes);
	const char *name = boxes->options->image;
	struct image image = { 0 };

	if (name[0] == '/')
		shared->root = mem_strdup(name);
	else if (boxes->images == NULL)
		return err_set(err, "there is no directory of images");
	else if (image_store_find(boxes->images, "", name, &image, err) == -1)
		return container_bundle_not_found(name, err);
	shared->root = image.root != NULL ? mem_take(&image.root) :
	                                    shared->root;
	shared->variables = image.variables;
	image.variables = (struct buffer){ 0 };
	image_reset(&image);
	if (shared->root == NULL)
		return err_set(err, "the image %s has no unpacked root", name);
	if (options_argument(boxes->options, OPTIONS_CONVERSATION) &&
	    container_bundle_check_data(shared->root, err) == -1)
		return -1;
	return container_bundle_check_root(shared->root, err);
}

int
container_bundle_open(struct boxes *boxes, int only_looks, struct err *err)
{
	struct container_boxes *shared = container_boxes(boxes);
	const char *base = strrchr(shared->program, '/') + 1;

	if (geteuid() != 0)
		return err_set(err, "the runtime oci must run as root to "
		    "enforce limits: start Caisson as root, or use podman");
	if (shared->root == NULL &&
	    container_bundle_find_root(boxes, err) == -1)
		return -1;
	if (shared->seccomp == NULL)
		shared->seccomp = container_bundle_read(shared->profile, err);
	if (shared->seccomp == NULL)
		return -1;
	if (shared->filter == NULL)
		shared->filter = container_bundle_encode_filter();
	free(shared->state);
	shared->state = mem_printf(CONTAINER_BUNDLES "/state-%s", base);
	if (only_looks)
		return 0;
	return container_lock_make_folder(CONTAINER_BUNDLES, err) == -1 ||
	        container_lock_make_folder(shared->state, err) == -1 ? -1 : 0;
}

char *
container_bundle_write(const struct container_boxes *shared,
    const struct container *container, struct err *err)
{
	auto_free char *folder =
	    mem_printf(CONTAINER_BUNDLES "/%s", container->name);
	auto_free char *path = mem_printf("%s/" KEEPER_BUNDLE_FILE, folder);
	auto_free char *cgroup = mem_printf("/%s", container->name);
	struct oci_bundle bundle = { .container = container,
		/* A language that is an image has a root of its own. */
		.rootfs = container->bootstrap != NULL ? shared->root :
		    container->image,
		.seccomp = shared->seccomp,
		.filter = shared->filter,
		.cgroup = cgroup };
	auto_buffer struct buffer json = { 0 };
	auto_fd int fd = -1;

	oci_bundle_config(&json, &bundle);
	if (container_lock_make_folder(folder, err) == -1)
		return NULL;
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd == -1 || write(fd, json.data, json.len) != (ssize_t)json.len) {
		err_sys(err, "write %s", path);
		container_bundle_remove(folder);
		return NULL;
	}
	return mem_take(&folder);
}

void
container_bundle_remove(const char *folder)
{
	auto_free char *path = mem_printf("%s/" KEEPER_BUNDLE_FILE, folder);

	unlink(path);
	rmdir(folder);
}

/* Appends a line for each entry that is named like a container. */
static void
container_bundle_list_in(struct buffer *lines, const char *folder)
{
	const struct dirent *entry;
	DIR *dir = opendir(folder);
	const char *label, *end;

	if (dir == NULL)
		return;
	while ((entry = readdir(dir)) != NULL) {
		label = entry->d_name + strlen(CONTAINER_SWEEP_PREFIX);
		if (strncmp(entry->d_name, CONTAINER_SWEEP_PREFIX,
		        strlen(CONTAINER_SWEEP_PREFIX)) != 0)
			continue;
		end = strrchr(label, '.');
		if (end != NULL)
			buffer_printf(lines, "%.*s %s\n", (int)(end - label),
			    label, entry->d_name);
	}
	closedir(dir);
}

void
container_bundle_list(
    const struct container_boxes *shared, struct buffer *lines)
{
	container_bundle_list_in(lines, CONTAINER_BUNDLES);
	container_bundle_list_in(lines, shared->state);
}

void
container_bundle_remove_named(const char *name)
{
	auto_free char *folder = mem_printf(CONTAINER_BUNDLES "/%s", name);

	container_bundle_remove(folder);
}
