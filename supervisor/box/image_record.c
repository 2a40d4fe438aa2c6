/*
 * The files that describe images: see image_record.h. Runs in the supervisor.
 */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../common/fd.h"
#include "../../common/json.h"
#include "../../common/limits.h"
#include "../../common/mem.h"
#include "../../common/text_list.h"
#include "image_record.h"

static void
image_record_decref(json_t **json)
{
	json_decref(*json);
}

#define auto_json __attribute__((cleanup(image_record_decref)))

/* Reads a file. Returns 1, 0 if there is none, or -1 with err. */
static int
image_record_slurp(
    int folder, const char *name, struct buffer *data, struct err *err)
{
	auto_fd int fd = openat(folder, name,
	    O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	struct stat st;
	ssize_t n;

	if (fd == -1)
		return errno == ENOENT ? 0 : err_sys(err, "open %s", name);
	if (fstat(fd, &st) == -1 || !S_ISREG(st.st_mode) ||
	    st.st_size > (off_t)IMAGE_RECORD_MAX)
		return err_set(err, "%s is not a file of at most %lu bytes",
		    name, IMAGE_RECORD_MAX);
	do {
		n = read(fd, buffer_reserve(data, IMAGE_RECORD_MAX),
		    IMAGE_RECORD_MAX);
		if (n == -1 && errno != EINTR)
			return err_sys(err, "read %s", name);
		if (n > 0)
			data->len += (size_t)n;
	} while (n != 0 && data->len <= IMAGE_RECORD_MAX);
	buffer_add_text(data, "");
	return 1;
}

static int
image_record_fill(
    int folder, const char *name, const struct buffer *data, struct err *err)
{
	auto_fd int fd = openat(folder, name,
	    O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd == -1 ||
	    fd_write_all(fd, data->len > 0 ? data->data : "", data->len) ==
	        -1 ||
	    fsync(fd) == -1)
		return err_sys(err, "write %s", name);
	return 0;
}

int
image_record_replace(
    int folder, const char *name, const struct buffer *data, struct err *err)
{
	auto_free char *fresh = mem_printf(".%s", name);

	if (image_record_fill(folder, fresh, data, err) == -1)
		return -1;
	if (renameat(folder, fresh, folder, name) == -1)
		return err_sys(err, "replace %s", name);
	return 0;
}

/* The record of one image */

/* Appends a list of texts as an array. */
static void
image_record_write_list(struct buffer *json, const struct buffer *list)
{
	const char *text, *before = "";

	buffer_add_text(json, "[");
	TEXT_LIST_EACH (text, list->data, list->len) {
		buffer_add_text(json, before);
		json_add_text(json, text);
		before = ",";
	}
	buffer_add_text(json, "]");
}

void
image_record_write(struct buffer *json, const struct image *image)
{
	buffer_add_text(json, "{\"name\":");
	json_add_text(json, image->name);
	buffer_add_text(json, ",\"language\":");
	json_add_text(json, image->language);
	buffer_add_text(json, ",\"engine\":");
	json_add_text(json, image->engine);
	buffer_add_text(json, ",\"command\":");
	image_record_write_list(json, &image->command);
	/* Those of earlier versions have none, and keep their digests. */
	if (image->variables.len > 0) {
		buffer_add_text(json, ",\"variables\":");
		image_record_write_list(json, &image->variables);
	}
	/* Part of no digest: only images of engines have these. */
	if (image->checked)
		buffer_add_text(json, ",\"checked\":true");
	if (image->unnamed)
		buffer_add_text(json, ",\"unnamed\":true");
	buffer_printf(json, ",\"bytes\":%llu,\"made\":%llu}\n",
	    (unsigned long long)image->bytes, (unsigned long long)image->made);
}

/* Reads an array as a list of texts. Returns 0, or -1. */
static int
image_record_read_list(const json_t *array, size_t most, struct buffer *list)
{
	const json_t *text;
	size_t i;

	if (!json_is_array(array) || json_array_size(array) > most)
		return -1;
	json_array_foreach (array, i, text) {
		if (!json_is_string(text))
			return -1;
		text_list_add(list, json_string_value(text));
	}
	return 0;
}

static int
image_record_read_variables(const json_t *array, struct buffer *list)
{
	const char *text;

	if (array == NULL)
		return 0;
	if (image_record_read_list(array, IMAGE_VARIABLES_MAX, list) == -1)
		return -1;
	TEXT_LIST_EACH (text, list->data, list->len)
		if (!image_is_variable(text))
			return -1;
	return 0;
}

/* Returns the text of a member, or "" if it is another value. */
static const char *
image_record_text(const json_t *record, const char *name)
{
	const char *text = json_string_value(json_object_get(record, name));

	return text == NULL ? "" : text;
}

/* Returns a number that is not negative, or 0. */
static uint64_t
image_record_number(const json_t *record, const char *name)
{
	json_int_t n = json_integer_value(json_object_get(record, name));

	return n < 0 ? 0 : (uint64_t)n;
}

int
image_record_read(int folder, struct image *image, struct err *err)
{
	auto_buffer struct buffer data = { 0 };
	auto_json json_t *record = NULL;
	json_error_t error;

	if (image_record_slurp(folder, IMAGE_RECORD, &data, err) == 1)
		record = json_loadb(
		    data.data, data.len, JSON_REJECT_DUPLICATES, &error);
	if (!image_is_name(image_record_text(record, "name")) ||
	    !image_is_language(image_record_text(record, "language")) ||
	    image_record_read_list(json_object_get(record, "command"),
	        IMAGE_WORDS_MAX, &image->command) == -1 ||
	    image_record_read_variables(json_object_get(record, "variables"),
	        &image->variables) == -1)
		return err_set(err, "the record of the image is damaged");
	image->name = mem_strdup(image_record_text(record, "name"));
	image->language = mem_strdup(image_record_text(record, "language"));
	image->engine = mem_strdup(image_record_text(record, "engine"));
	image->checked = json_is_true(json_object_get(record, "checked"));
	image->unnamed = json_is_true(json_object_get(record, "unnamed"));
	image->bytes = image_record_number(record, "bytes");
	image->made = image_record_number(record, "made");
	return 0;
}

/* The list of those that are enabled */

int
image_record_read_enabled(
    int folder, struct buffer *digests, struct err *err)
{
	auto_buffer struct buffer data = { 0 };
	char *line, *end;
	int some = image_record_slurp(folder, IMAGE_ENABLED, &data, err);

	for (line = data.data; some == 1 && *line != '\0'; line = end + 1) {
		end = strchr(line, '\n');
		if (end == NULL)
			break;
		*end = '\0';
		if (strlen(line) == IMAGE_DIGEST_SIZE - 1 &&
		    image_is_digest(line))
			text_list_add(digests, line);
	}
	return some == -1 ? -1 : 0;
}
