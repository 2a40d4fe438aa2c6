/* The stored files: see index.h. Runs in files. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../../../common/base/buffer.h"
#include "../../../common/base/log.h"
#include "../../../common/base/mem.h"
#include "../../../common/base/text_list.h"
#include "index.h"
#include "versions.h"

/* Reading the directory: files by their random names, in order. */

static int
index_compare(const void *a, const void *b)
{
	const struct stored_file *const *x = a;
	const struct stored_file *const *y = b;

	return strcmp((*x)->id, (*y)->id);
}

static struct stored_file *
index_known(const struct files *files, const char *id)
{
	size_t low = 0;
	size_t high = files->stored_count;
	size_t middle;
	int order;

	while (low < high) {
		middle = (low + high) / 2;
		order = strcmp(files->stored[middle]->id, id);
		if (order == 0)
			return files->stored[middle];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

/* Whether it is a complete file of this program; if so, its head is read. */
static int
index_read_head(int fd, struct head *head)
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
index_is_transient(int error)
{
	return error == EMFILE || error == ENFILE || error == ENOMEM;
}

/*
 * Returns the entry of a new file, which the caller owns; NULL if it cannot be
 * opened now, with errno.
 */
static struct stored_file *
index_read(const struct files *files, const char *id)
{
	auto_fd int fd = directory_open(files->folder, id);
	auto_free struct stored_file *stored = NULL;

	if (fd == -1 && (errno == ENOENT || index_is_transient(errno)))
		return NULL;
	stored = mem_alloc(sizeof(*stored));
	memcpy(stored->id, id, strlen(id) + 1);
	stored->sound = fd != -1 && index_read_head(fd, &stored->head);
	if (!stored->sound) {
		memset(&stored->head, 0, sizeof(stored->head));
		log_warn("the directory of files has a damaged file, %s, which "
		    "is left unchanged", id);
	}
	return mem_take(&stored);
}

static void
index_gather(void *ctx, const char *name)
{
	struct buffer *names = ctx;

	if (directory_entry(name) == DIRECTORY_STORED)
		text_list_add(names, name);
}

/* Takes the new list, and frees the entries that only the old one has. */
static void
index_replace(struct files *files, struct stored_file **stored, size_t count)
{
	struct stored_file **old = files->stored;
	size_t was = files->stored_count;
	size_t i;

	qsort(stored, count, sizeof(stored[0]), index_compare);
	files->stored = stored;
	files->stored_count = count;
	for (i = 0; i < was; i++)
		if (index_known(files, old[i]->id) != old[i])
			free(old[i]);
	free(old);
}

/* Removes it from the directory and from memory. */
static int
kept_drop(struct files *files, size_t at)
{
	const struct head *head = &files->stored[at]->head;

	versions_note(files->folder, head->owner, head->name, head->version);
	if (directory_remove(files->folder, files->stored[at]->id) == -1) {
		log_warn("cannot remove a stored file: %s", strerror(errno));
		return -1;
	}
	free(files->stored[at]);
	files->stored_count--;
	memmove(files->stored + at, files->stored + at + 1,
	    (files->stored_count - at) * sizeof(files->stored[0]));
	return 0;
}

/*
 * Returns when a file was used last, in seconds since 1970: that of a
 * conversation with each call, another one when it was stored.
 */
static uint64_t
index_used(const struct files *files, const struct stored_file *stored)
{
	auto_fd int fd = -1;
	struct stat st;

	if (head_conversation(stored->head.owner)[0] == '\0')
		return stored->head.since;
	fd = directory_open(files->folder, stored->id);
	if (fd == -1 || fstat(fd, &st) == -1 ||
	    st.st_mtim.tv_sec < (time_t)stored->head.since)
		return stored->head.since;
	return (uint64_t)st.st_mtim.tv_sec;
}

void
index_use(int file)
{
	if (futimens(file, NULL) == -1)
		log_debug("cannot record the use of a file: %s",
		    strerror(errno));
}

/* Tells the log that a file goes, but of a conversation once, as in told. */
static void
index_tell_expired(
    const struct files *files, const struct head *head, struct buffer *told)
{
	const char *conversation = head_conversation(head->owner);
	size_t scope = head_scope(head->owner);
	auto_buffer struct buffer what = { 0 };

	if (text_list_has(told, head->owner))
		return;
	if (conversation[0] == '\0') {
		buffer_printf(&what, "%s, version %llu", head->name,
		    (unsigned long long)head->version);
	} else {
		text_list_add(told, head->owner);
		buffer_printf(&what, "files of the conversation %s",
		    conversation);
	}
	log_info("removed %s, of %.*s: files-days (%llud) are over", what.data,
	    scope > 0 ? (int)scope : INT_MAX,
	    scope > 0 ? head->owner : "the local user",
	    (unsigned long long)files->lifetime / SECONDS_OF_DAY);
}

static void
index_expire(struct files *files)
{
	uint64_t now = (uint64_t)time(NULL);
	const struct stored_file *stored;
	auto_buffer struct buffer told = { 0 };
	size_t at = files->stored_count;

	while (at-- > 0) {
		stored = files->stored[at];
		if (stored->sound &&
		    stored->head.since + files->lifetime <= now &&
		    index_used(files, stored) + files->lifetime <= now) {
			index_tell_expired(files, &stored->head, &told);
			kept_drop(files, at);
		}
	}
}

/* Fills stored, which has room for all the names. Returns -1 with errno. */
static int
index_look(const struct files *files, const struct buffer *names,
    struct stored_file **stored, size_t *count)
{
	const char *name;

	TEXT_LIST_EACH (name, names->data, names->len) {
		stored[*count] = index_known(files, name);
		if (stored[*count] == NULL)
			stored[*count] = index_read(files, name);
		if (stored[*count] != NULL)
			(*count)++;
		else if (errno != ENOENT)
			return -1;
	}
	return 0;
}

int
index_renew(struct files *files)
{
	auto_buffer struct buffer names = { 0 };
	struct stored_file **stored;
	size_t count = 0;
	int looked = directory_each(files->folder, index_gather, &names);

	stored = mem_alloc((text_list_count(names.data, names.len) + 1) *
	    sizeof(stored[0]));
	if (looked == 0)
		looked = index_look(files, &names, stored, &count);
	if (looked == -1)
		log_warn("the directory of files is unreadable: %s",
		    strerror(errno));
	index_replace(files, stored, count);
	index_expire(files);
	return looked;
}

static void
index_sweep_one(void *ctx, const char *name)
{
	const struct files *files = ctx;

	if (directory_entry(name) == DIRECTORY_TEMPORARY)
		directory_sweep(files->folder, name);
	if (directory_entry(name) == DIRECTORY_FOREIGN)
		log_debug("the directory of files has %s, which is not a file "
		    "of Caisson", name);
}

void
index_sweep(const struct files *files)
{
	directory_each(files->folder, index_sweep_one, (void *)files);
}

void
index_free(struct files *files)
{
	while (files->stored_count > 0)
		free(files->stored[--files->stored_count]);
	free(mem_take(&files->stored));
}

/* Selecting files, of all owners or of one */

static int
index_is_of(const struct stored_file *stored, const char *owner)
{
	return stored->sound && strcmp(stored->head.owner, owner) == 0;
}

int
index_is_of_any(const struct stored_file *stored, const char *owner)
{
	return stored->sound && head_is_of_any(stored->head.owner, owner);
}

/*
 * Whether it is one of the selected files: an empty name and version 0 match
 * any.
 */
static int
index_is_meant(const struct stored_file *stored, const char *owner, int all,
    const char *name, uint64_t version)
{
	return (all ? index_is_of_any : index_is_of)(stored, owner) &&
	    (name[0] == '\0' || strcmp(stored->head.name, name) == 0) &&
	    (version == 0 || stored->head.version == version);
}

const struct stored_file *
index_find(const struct files *files, const char *owner, const char *name,
    uint64_t version)
{
	const struct stored_file *found = NULL, *stored;
	size_t i;

	for (i = 0; i < files->stored_count; i++) {
		stored = files->stored[i];
		if (index_is_meant(stored, owner, 0, name, version) &&
		    (found == NULL ||
		    stored->head.version > found->head.version))
			found = stored;
	}
	return found;
}

/* Returns whether the path of a file leads through this folder. */
static int
index_is_in(const char *name, const char *folder)
{
	size_t len = strlen(folder);

	return strncmp(name, folder, len) == 0 && name[len] == '/';
}

int
index_is_folder(const struct files *files, const char *owner, const char *name)
{
	size_t i;

	for (i = 0; i < files->stored_count; i++)
		if (index_is_of(files->stored[i], owner) &&
		    index_is_in(files->stored[i]->head.name, name))
			return 1;
	return 0;
}

uint64_t
index_next_version(
    const struct files *files, const char *owner, const char *name)
{
	const struct stored_file *newest = index_find(files, owner, name, 0);
	uint64_t noted = versions_noted(files->folder, owner, name);
	uint64_t last = newest == NULL ? 0 : newest->head.version;

	return (last > noted ? last : noted) + 1;
}

static int
index_compare_heads(const void *a, const void *b)
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
index_list(const struct files *files, const char *owner, int all, int versions,
    size_t *count)
{
	struct head *heads =
	    mem_alloc((files->stored_count + 1) * sizeof(heads[0]));
	size_t n = 0, i;

	for (i = 0; i < files->stored_count; i++)
		if (index_is_meant(files->stored[i], owner, all, "", 0))
			heads[n++] = files->stored[i]->head;
	qsort(heads, n, sizeof(heads[0]), index_compare_heads);
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

enum file_fault
index_judge(const struct files *files, const char *owner, const char *name,
    int (*goes)(void *ctx, const struct head *head), void *ctx)
{
	auto_free struct head *heads = NULL;
	size_t i, count, others = 0;
	int known = 0;

	if (head_conversation(owner)[0] == '\0')
		return FILE_FAULT_NONE;
	heads = index_list(files, owner, 0, 0, &count);
	for (i = 0; i < count; i++) {
		if (goes != NULL && goes(ctx, &heads[i]))
			continue;
		if (index_is_in(heads[i].name, name) ||
		    index_is_in(name, heads[i].name))
			return FILE_FAULT_CLASH;
		known |= strcmp(heads[i].name, name) == 0;
		others++;
	}
	return known || others < FILES_DATA_MAX ? FILE_FAULT_NONE :
	                                          FILE_FAULT_CROWDED;
}

int
index_remove(struct files *files, const char *owner, int all, const char *name,
    uint64_t version, uint64_t *count)
{
	size_t at = files->stored_count;
	int removed = 0;

	*count = 0;
	while (at-- > 0) {
		if (!index_is_meant(
		        files->stored[at], owner, all, name, version))
			continue;
		if (kept_drop(files, at) == -1)
			removed = -1;
		else
			(*count)++;
	}
	return removed;
}

int
index_open(const struct files *files, const struct stored_file *stored,
    enum file_fault *fault)
{
	int fd = directory_open(files->folder, stored->id);

	*fault = fd != -1 ? FILE_FAULT_NONE : FILE_FAULT_BUSY;
	if (fd == -1 && errno == ENOENT)
		*fault = FILE_FAULT_UNKNOWN;
	else if (fd == -1)
		log_warn("cannot open a stored file: %s", strerror(errno));
	return fd;
}
