/*
 * The configuration file: see option_file.h. jansson parses it: it is small,
 * bounded, and belongs to the user who starts Caisson.
 */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <string.h>
#include <sys/stat.h>

#include "../../common/base/buffer.h"
#include "../../common/base/fd.h"
#include "../../common/limits.h"
#include "../../common/base/mem.h"
#include "../../common/base/shown.h"
#include "home.h"
#include "option_file.h"

static void
option_file_decref(json_t **json)
{
	json_decref(*json);
}

#define auto_json __attribute__((cleanup(option_file_decref)))

char *
option_file_path(char **envp)
{
	auto_free char *folder = home_below(envp, "XDG_CONFIG_HOME", ".config");

	return folder == NULL ? NULL : mem_printf("%s/config.json", folder);
}

/* Opens the file. Returns 1, 0 if there is none, or -1 with err. */
static int
option_file_open(const char *path, int *fd, struct err *err)
{
	struct stat st;

	/* O_NONBLOCK: a FIFO in its place must not hang the start. */
	*fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (*fd == -1 && (errno == ENOENT || errno == ENOTDIR))
		return 0;
	if (*fd == -1)
		return err_sys(err, "cannot be opened");
	if (fstat(*fd, &st) == -1)
		return err_sys(err, "cannot be examined");
	if (!S_ISREG(st.st_mode))
		return err_set(err, "is not a regular file");
	if (home_trusts(&st, err) == -1)
		return -1;
	return 1;
}

/* Returns the object, or NULL with err. */
static json_t *
option_file_decode(const struct buffer *buffer, struct err *err)
{
	auto_buffer struct buffer why = { 0 };
	json_error_t error;
	json_t *object;

	object = json_loadb(buffer->len > 0 ? buffer->data : "", buffer->len,
	    JSON_REJECT_DUPLICATES, &error);
	if (object == NULL) {
		shown_add_quoted(&why, error.text, sizeof(error.text));
		err_set(err, "is not JSON at line %d, column %d: %s",
		    error.line, error.column, why.data);
		return NULL;
	}
	if (!json_is_object(object)) {
		json_decref(object);
		err_set(err, "must be one JSON object, such as "
		    "{\"timeout\": \"30s\"}");
		return NULL;
	}
	return object;
}

/* Returns strings, comma-separated; NULL if there are other values. */
static char *
option_file_list(const json_t *list)
{
	auto_buffer struct buffer text = { 0 };
	const json_t *item;
	size_t i;

	json_array_foreach (list, i, item) {
		if (!json_is_string(item))
			return NULL;
		buffer_printf(&text, "%s%s", i == 0 ? "" : ",",
		    json_string_value(item));
	}
	return mem_strdup(text.len == 0 ? "" : text.data);
}

/* Returns the value as a user would write it in the environment, or NULL. */
static char *
option_file_text(const json_t *value)
{
	switch (json_typeof(value)) {
	case JSON_STRING:
		return mem_strdup(json_string_value(value));
	case JSON_INTEGER:
		return mem_printf("%lld", (long long)json_integer_value(value));
	case JSON_REAL:
		return mem_printf("%.15g", json_real_value(value));
	case JSON_TRUE:
		return mem_strdup("true");
	case JSON_FALSE:
		return mem_strdup("false");
	case JSON_ARRAY:
		return option_file_list(value);
	default:
		return NULL;
	}
}

/* Puts the name of the file before its error. */
static int
option_file_wrap(const char *path, struct err *err)
{
	auto_buffer struct buffer shown = { 0 };

	shown_add_quoted(&shown, path, OPTION_NAME_SHOWN);
	return err_wrap(err, "%s", shown.data);
}

/* Tells the faults of all members, in lines. */
static int
option_file_members(const char *path, json_t *object,
    option_file_member *each, void *ctx, struct err *err)
{
	auto_buffer struct buffer faults = { 0 };
	const char *key;
	json_t *value;

	json_object_foreach (object, key, value) {
		auto_free char *text = option_file_text(value);
		auto_buffer struct buffer shown = { 0 };
		int taken = each(ctx, key, text, err);

		if (taken == 0 && text == NULL) {
			shown_add_quoted(&shown, key, OPTION_VALUE_SHOWN);
			err_set(err, "the value of \"%s\" must be a string, a "
			    "number, true, false or a list of strings",
			    shown.data);
			taken = option_file_wrap(path, err);
		}
		if (taken == -1)
			buffer_printf(&faults, "%s%s",
			    faults.len > 0 ? "\n" : "", err->text);
	}
	return faults.len == 0 ? 1 : err_set(err, "%s", faults.data);
}

int
option_file_read(const char *path, option_file_member *each, void *ctx,
    struct err *err)
{
	auto_buffer struct buffer bytes = { 0 };
	auto_json json_t *object = NULL;
	auto_fd int fd = -1;
	int found;

	found = option_file_open(path, &fd, err);
	if (found == 0)
		return 0;
	if (found == 1 &&
	    fd_read_all(fd, FD_READ_ON, OPTION_FILE_MAX, &bytes) == 0)
		object = option_file_decode(&bytes, err);
	else if (found == 1 && errno != EFBIG)
		err_sys(err, "cannot be read");
	else if (found == 1)
		err_set(err, "is larger than %lu bytes, the limit for this "
		    "file", OPTION_FILE_MAX);
	if (object == NULL)
		return option_file_wrap(path, err);
	return option_file_members(path, object, each, ctx, err);
}
