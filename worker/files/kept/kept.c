/*
 * The stored files: see kept.h. Runs in files.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../../../common/base/buffer.h"
#include "../../../common/base/log.h"
#include "../../../common/base/mem.h"
#include "../../../common/base/text_list.h"
#include "kept.h"
#include "versions.h"

/* Reading the directory: files by their random names, in order. */

static int
kept_compare(const void *a, const void *b)
{
	const struct kept *const *x = a;
	const struct kept *const *y = b;

	return strcmp((*x)->id, (*y)->id);
}

static struct kept *
kept_known(const struct files *files, const char *id)
{
	size_t low = 0;
	size_t high = files->kept_count;
	size_t middle;
	int order;

	while (low < high) {
		middle = (low + high) / 2;
		order = strcmp(files->kept[middle]->id, id);
		if (order == 0)
			return files->kept[middle];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* Whether it is a complete file of this program; if so, its head is read. */
static int
kept_read_head(int fd, struct head *head)
{
	uint8_t bytes[FILE_HEAD_SIZE];
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	    pread(fd, bytes, sizeof(bytes), 0) == sizeof(bytes) &&
	    head_decode(bytes, head) == 0 &&
	    (uint64_t)st.st_size == FILE_HEAD_SIZE + head->size;
}

/* Whether a file could not be opened for a temporary lack of resources. */
static int
kept_is_passing(int error)
{
	return error == EMFILE || error == ENFILE || error == ENOMEM;
}

/*
 * Returns the entry of a new file, which the caller owns; NULL if it cannot be
 * opened now, with errno.
 */
static struct kept *
kept_read(const struct files *files, const char *id)
{
	auto_fd int fd = directory_open(files->folder, id);
	auto_free struct kept *kept = NULL;

	if (fd == -1 && (errno == ENOENT || kept_is_passing(errno)))
		return NULL;
	kept = mem_alloc(sizeof(*kept));
	memcpy(kept->id, id, strlen(id) + 1);
	kept->sound = fd != -1 && kept_read_head(fd, &kept->head);
	if (!kept->sound) {
		memset(&kept->head, 0, sizeof(kept->head));
		log_warn("the directory of files has a damaged file, %s, which "
		    "is left unchanged", id);
	}
	return mem_take(&kept);
}

static void
kept_gather(void *ctx, const char *name)
{
	struct buffer *names = ctx;

	if (directory_entry(name) == DIRECTORY_KEPT)
		text_list_add(names, name);
}

/* Reads the names into a list. Returns 0, or -1 with errno. */
static int
kept_names(const struct files *files, struct buffer *names)
{
	return directory_each(files->folder, kept_gather, names);
}

/* Takes the new list, and frees the entries that only the old one has. */
static void
kept_replace(struct files *files, struct kept **kept, size_t count)
{
	struct kept **old = files->kept;
	size_t was = files->kept_count;
	size_t i;

	qsort(kept, count, sizeof(kept[0]), kept_compare);
	files->kept = kept;
	files->kept_count = count;
	for (i = 0; i < was; i++)
		if (kept_known(files, old[i]->id) != old[i])
			free(old[i]);
	free(old);
}

/* Removes it from the directory and from memory. */
static int
kept_drop(struct files *files, size_t at)
{
	const struct head *head = &files->kept[at]->head;

	versions_note(files->folder, head->owner, head->name, head->version);
	if (directory_remove(files->folder, files->kept[at]->id) == -1) {
		log_warn("cannot remove a stored file: %s",
		    strerror(errno));
		return -1;
	}
	free(files->kept[at]);
	files->kept_count--;
	memmove(files->kept + at, files->kept + at + 1,
	    (files->kept_count - at) * sizeof(files->kept[0]));
	return 0;
}

/*
 * Returns when a file was used last, in seconds since 1970: that of a
 * conversation with each call, another one when it was stored.
 */
static uint64_t
kept_used(const struct files *files, const struct kept *kept)
{
	auto_fd int fd = -1;
	struct stat st;

	if (head_conversation(kept->head.owner)[0] == '\0')
		return kept->head.since;
	fd = directory_open(files->folder, kept->id);
	if (fd == -1 || fstat(fd, &st) == -1 ||
	    st.st_mtim.tv_sec < (time_t)kept->head.since)
		return kept->head.since;
	return (uint64_t)st.st_mtim.tv_sec;
}

void
kept_use(int file)
{
	if (futimens(file, NULL) == -1)
		log_debug("cannot record the use of a file: %s",
		    strerror(errno));
}

static void
kept_expire(struct files *files)
{
	uint64_t now = (uint64_t)time(NULL);
	const struct kept *kept;
	size_t at = files->kept_count;

	while (at-- > 0) {
		kept = files->kept[at];
		if (kept->sound && kept->head.since + files->lifetime <= now &&
		    kept_used(files, kept) + files->lifetime <= now)
			kept_drop(files, at);
	}
}

/* Fills kept, which has room for all the names. Returns -1 with errno. */
static int
kept_look(const struct files *files, const struct buffer *names,
    struct kept **kept, size_t *count)
{
	const char *name;

	TEXT_LIST_EACH (name, names->data, names->len) {
		kept[*count] = kept_known(files, name);
		if (kept[*count] == NULL)
			kept[*count] = kept_read(files, name);
		if (kept[*count] != NULL)
			(*count)++;
		else if (errno != ENOENT)
			return -1;
	}
	return 0;
}

int
kept_renew(struct files *files)
{
	auto_buffer struct buffer names = { 0 };
	struct kept **kept;
	size_t count = 0;
	int looked = kept_names(files, &names);

	kept = mem_alloc((text_list_count(names.data, names.len) + 1) *
	    sizeof(kept[0]));
	if (looked == 0)
		looked = kept_look(files, &names, kept, &count);
	if (looked == -1)
		log_warn("the directory of files is unreadable: %s",
		    strerror(errno));
	kept_replace(files, kept, count);
	kept_expire(files);
	return looked;
}

static void
kept_sweep_one(void *ctx, const char *name)
{
	const struct files *files = ctx;

	if (directory_entry(name) == DIRECTORY_TEMPORARY)
		directory_sweep(files->folder, name);
	if (directory_entry(name) == DIRECTORY_FOREIGN)
		log_debug("the directory of files has %s, which is not a file "
		    "of Caisson", name);
}

void
kept_sweep(const struct files *files)
{
	directory_each(files->folder, kept_sweep_one, (void *)files);
}

void
kept_free(struct files *files)
{
	while (files->kept_count > 0)
		free(files->kept[--files->kept_count]);
	free(mem_take(&files->kept));
}

/* Selecting files, of all owners or of one */

static int
kept_is_of(const struct kept *kept, const char *owner)
{
	return kept->sound && strcmp(kept->head.owner, owner) == 0;
}

int
kept_is_of_any(const struct kept *kept, const char *owner)
{
	size_t len = head_scope(owner);

	return kept->sound && head_scope(kept->head.owner) == len &&
	    memcmp(kept->head.owner, owner, len) == 0;
}

/*
 * Whether it is one of the selected files: an empty name and version 0 match
 * any.
 */
static int
kept_is_meant(const struct kept *kept, const char *owner, int all,
    const char *name, uint64_t version)
{
	return (all ? kept_is_of_any : kept_is_of)(kept, owner) &&
	    (name[0] == '\0' || strcmp(kept->head.name, name) == 0) &&
	    (version == 0 || kept->head.version == version);
}

const struct kept *
kept_find(const struct files *files, const char *owner, const char *name,
    uint64_t version)
{
	const struct kept *found = NULL;
	const struct kept *kept;
	size_t i;

	for (i = 0; i < files->kept_count; i++) {
		kept = files->kept[i];
		if (kept_is_meant(kept, owner, 0, name, version) &&
		    (found == NULL ||
		    kept->head.version > found->head.version))
			found = kept;
	}
	return found;
}

uint64_t
kept_next_version(
    const struct files *files, const char *owner, const char *name)
{
	const struct kept *newest = kept_find(files, owner, name, 0);
	uint64_t noted = versions_noted(files->folder, owner, name);
	uint64_t last = newest == NULL ? 0 : newest->head.version;

	return (last > noted ? last : noted) + 1;
}

static int
kept_compare_heads(const void *a, const void *b)
{
	const struct head *x = a;
	const struct head *y = b;
	int order = strcmp(x->owner, y->owner);

	if (order == 0)
		order = strcmp(x->name, y->name);
	if (order != 0)
		return order;
	return (x->version > y->version) - (x->version < y->version);
}

struct head *
kept_list(const struct files *files, const char *owner, int all, int versions,
    size_t *count)
{
	struct head *heads =
	    mem_alloc((files->kept_count + 1) * sizeof(heads[0]));
	size_t n = 0;
	size_t i;

	for (i = 0; i < files->kept_count; i++)
		if (kept_is_meant(files->kept[i], owner, all, "", 0))
			heads[n++] = files->kept[i]->head;
	qsort(heads, n, sizeof(heads[0]), kept_compare_heads);
	*count = 0;
	for (i = 0; i < n; i++) {
		/* The newest version is the last one of its name. */
		if (versions || i + 1 == n ||
		    strcmp(heads[i].owner, heads[i + 1].owner) != 0 ||
		    strcmp(heads[i].name, heads[i + 1].name) != 0)
			heads[(*count)++] = heads[i];
	}
	return heads;
}

int
kept_remove(struct files *files, const char *owner, int all, const char *name,
    uint64_t version, uint64_t *count)
{
	size_t at = files->kept_count;
	int removed = 0;

	*count = 0;
	while (at-- > 0) {
		if (!kept_is_meant(
		        files->kept[at], owner, all, name, version))
			continue;
		if (kept_drop(files, at) == -1)
			removed = -1;
		else
			(*count)++;
	}
	return removed;
}

int
kept_open(const struct files *files, const struct kept *kept,
    enum file_fault *fault)
{
	int fd = directory_open(files->folder, kept->id);

	*fault = fd != -1 ? FILE_FAULT_NONE : FILE_FAULT_BUSY;
	if (fd == -1 && errno == ENOENT)
		*fault = FILE_FAULT_UNKNOWN;
	else if (fd == -1)
		log_warn("cannot open a stored file: %s",
		    strerror(errno));
	return fd;
}
