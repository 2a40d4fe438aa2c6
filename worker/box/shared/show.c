/*
 * The word show of the command: a picture from a file is sent to the relay as
 * base64, which adds it to the answer. Run by the command, in the box.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "mcp.h"
#include "../../../common/base/base64.h"
#include "../../../common/base/fd.h"
#include "../../../common/json/json.h"
#include "../../../common/limits.h"
#include "../../../common/picture.h"
#include "../../../common/base/utf8.h"

/* The bytes that result in PICTURE_MAX bytes of base64. */
#define SHOW_MAX (PICTURE_MAX / 4 * 3)

/* Reads a file, or standard input for "-". Returns 0, or -1 with err. */
static int
show_read(const char *path, struct buffer *data, struct err *err)
{
	auto_fd int opened = -1;
	int fd = STDIN_FILENO;

	if (strcmp(path, "-") != 0)
		fd = opened = open(path, O_RDONLY | O_CLOEXEC);
	if (fd == -1)
		return err_sys(err, "open it");
	if (fd_read_all(fd, FD_READ_ON, SHOW_MAX, data) == 0)
		return 0;
	return errno != EFBIG ? err_sys(err, "read it") :
	    err_set(err, "a picture has at most %lu KiB: scale it",
	        SHOW_MAX / KIB);
}

/* Returns the name of the kind of picture that this base64 is, or NULL. */
static const char *
show_kind(const struct buffer *base64)
{
	int kind;

	for (kind = 0; kind < PICTURE_KINDS; kind++)
		if (picture_begins((enum picture_kind)kind, base64->data,
		        base64->len))
			return picture_name((enum picture_kind)kind);
	return NULL;
}

/* Returns the title of a picture that was given none. */
static const char *
show_title(const char *path)
{
	const char *slash = strrchr(path, '/');

	if (strcmp(path, "-") == 0)
		return "";
	return slash == NULL ? path : slash + 1;
}

int
show_make_request(struct buffer *request, const char *path,
    const char *title, struct err *err)
{
	auto_buffer struct buffer data = { 0 }, base64 = { 0 };
	const char *kind;

	if (title == NULL)
		title = show_title(path);
	if (!utf8_valid(title, strlen(title)))
		return err_set(err, "its title is not UTF-8");
	if (show_read(path, &data, err) == -1)
		return -1;
	base64_add(&base64, data.data, data.len);
	kind = show_kind(&base64);
	if (kind == NULL)
		return err_set(err, "it is not a PNG, JPEG, WebP or GIF: save "
		    "the picture in one of these formats");
	buffer_printf(request, "{\"type\":\"show\",\"kind\":\"%s\"", kind);
	if (title[0] != '\0') {
		buffer_add_text(request, ",\"title\":");
		json_add_text(request, title);
	}
	buffer_add_text(request, ",\"data\":\"");
	buffer_add(request, base64.data, base64.len);
	buffer_add_text(request, "\"}");
	return 0;
}
