/* Records of changes: see adopt_record.h. */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../../../common/base/mem.h"
#include "adopt_file.h"
#include "adopt_record.h"

/*
 * The name of a record while it is written, and the suffix once it is undone.
 */
#define ADOPT_RECORD_NEW "new"
#define ADOPT_RECORD_UNDONE ".undone"
/* In an undone record: the client's file, if it had been changed since. */
#define ADOPT_RECORD_EDITED "edited"

void
adopt_record_reset(struct adopt_record *record)
{
	free(mem_take(&record->path));
	buffer_reset(&record->before);
	buffer_reset(&record->after);
	buffer_reset(&record->target);
	buffer_reset(&record->entries);
}

/* Writing */

static int
adopt_record_put(const char *folder, const char *name, const char *data,
    size_t len, struct err *err)
{
	auto_free char *path = mem_printf("%s/%s", folder, name);

	return adopt_file_write(path, data, len, err);
}

static int
adopt_record_fill(
    const struct adopt_record *record, const char *folder, struct err *err)
{
	if (adopt_record_put(folder, "entries", record->entries.data,
	        record->entries.len, err) == -1)
		return -1;
	if (record->target.len > 0 &&
	    adopt_record_put(folder, "servers-before.json", record->target.data,
	        record->target.len, err) == -1)
		return -1;
	if (record->added &&
	    adopt_record_put(folder, "added", "", 0, err) == -1)
		return -1;
	if (adopt_record_put(folder, "after", record->after.data,
	        record->after.len, err) == -1)
		return -1;
	return adopt_record_put(folder, "before", record->before.data,
	    record->before.len, err);
}

/* Removes the rest of a run that was killed. */
static void
adopt_record_clear(const char *folder)
{
	DIR *dir = opendir(folder);
	const struct dirent *found;

	while (dir != NULL && (found = readdir(dir)) != NULL) {
		auto_free char *path =
		    mem_printf("%s/%s", folder, found->d_name);

		unlink(path);
	}
	if (dir != NULL)
		closedir(dir);
}

int
adopt_record_keep_edited(const struct adopt_record *record,
    const struct buffer *data, struct err *err)
{
	return adopt_record_put(
	    record->path, ADOPT_RECORD_EDITED, data->data, data->len, err);
}

char *
adopt_record_edited(const struct adopt_record *record)
{
	return mem_printf("%s" ADOPT_RECORD_UNDONE "/" ADOPT_RECORD_EDITED,
	    record->path);
}

/* Returns an unused name that sorts after the existing ones. */
static char *
adopt_record_name(const char *folder)
{
	time_t now = time(NULL);
	char date[32] = "";
	struct tm tm;
	int n;

	if (gmtime_r(&now, &tm) != NULL)
		strftime(date, sizeof(date), "%Y%m%dT%H%M%SZ", &tm);
	for (n = 0;; n++) {
		auto_free char *path = mem_printf("%s/%s-%03d", folder, date,
		    n);
		auto_free char *undone =
		    mem_printf("%s" ADOPT_RECORD_UNDONE, path);

		if (access(path, F_OK) == -1 && access(undone, F_OK) == -1)
			return mem_take(&path);
	}
}

int
adopt_record_write(
    struct adopt_record *record, const char *folder, struct err *err)
{
	auto_free char *made = mem_printf("%s/" ADOPT_RECORD_NEW, folder);

	if (adopt_file_make_folder(made, err) == -1)
		return -1;
	adopt_record_clear(made);
	if (adopt_record_fill(record, made, err) == -1)
		return -1;
	record->path = adopt_record_name(folder);
	return adopt_file_rename(made, record->path, err);
}

/* Reading */

/* Reads a file of a record. Returns 1, 0 if there is none, or -1 with err. */
static int
adopt_record_get(const char *folder, const char *name, struct buffer *data,
    struct err *err)
{
	auto_free char *path = mem_printf("%s/%s", folder, name);
	struct adopt_file file = { 0 };
	int got;

	if (access(path, F_OK) == -1 && errno == ENOENT)
		return 0;
	got = adopt_file_read(&file, path, err);
	if (got == 0) {
		*data = file.data;
		file.data = (struct buffer){ 0 };
	} else {
		err_wrap(err, "%s", path);
	}
	adopt_file_reset(&file);
	return got == 0 ? 1 : -1;
}

static int
adopt_record_refuse(const struct adopt_record *record, struct err *err)
{
	return err_set(err, "%s is not a whole record of a change: remove it",
	    record->path);
}

static int
adopt_record_read(struct adopt_record *record, struct err *err)
{
	auto_free char *added = mem_printf("%s/added", record->path);

	record->added = access(added, F_OK) == 0;
	if (adopt_record_get(record->path, "before", &record->before, err) !=
	        1 ||
	    adopt_record_get(record->path, "after", &record->after, err) !=
	        1 ||
	    adopt_record_get(record->path, "entries", &record->entries,
	        err) != 1)
		return adopt_record_refuse(record, err);
	return 0;
}

static int
adopt_records_compare(const void *a, const void *b)
{
	const struct adopt_record *one = a, *other = b;

	return strcmp(one->path, other->path);
}

/* Returns whether adopt_record_name() makes such names; others are not ours. */
static int
adopt_records_is_one(const char *name)
{
	static const char form[] = "dddddddd" "T" "dddddd" "Z-" "ddd";
	const char *p;

	for (p = form; *p != '\0'; p++, name++)
		if (*p == 'd' ? !isdigit((unsigned char)*name) : *name != *p)
			return 0;
	return name[strspn(name, "0123456789")] == '\0';
}

static void
adopt_records_list(struct adopt_records *records, const char *folder, DIR *dir)
{
	const struct dirent *found;

	while ((found = readdir(dir)) != NULL) {
		if (!adopt_records_is_one(found->d_name))
			continue;
		records->list = mem_resize(records->list,
		    (records->count + 1) * sizeof(*records->list));
		records->list[records->count++] = (struct adopt_record){
			.path = mem_printf("%s/%s", folder, found->d_name) };
	}
}

int
adopt_records_read(
    struct adopt_records *records, const char *folder, struct err *err)
{
	DIR *dir = opendir(folder);
	size_t i;

	*records = (struct adopt_records){ NULL, 0 };
	if (dir == NULL)
		return errno == ENOENT ? 0 : err_sys(err, "open %s", folder);
	adopt_records_list(records, folder, dir);
	closedir(dir);
	if (records->count > 0)
		qsort(records->list, records->count, sizeof(*records->list),
		    adopt_records_compare);
	for (i = 0; i < records->count; i++)
		if (adopt_record_read(&records->list[i], err) == -1)
			return -1;
	return 0;
}

void
adopt_records_free(struct adopt_records *records)
{
	size_t i;

	for (i = 0; i < records->count; i++)
		adopt_record_reset(&records->list[i]);
	free(mem_take(&records->list));
	records->count = 0;
}

int
adopt_record_undone(const struct adopt_record *record, struct err *err)
{
	auto_free char *undone =
	    mem_printf("%s" ADOPT_RECORD_UNDONE, record->path);

	return adopt_file_rename(record->path, undone, err);
}
