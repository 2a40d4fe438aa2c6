/*
 * Tests of worker/box/shared/show: files as requests that show them.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/base/fd.h"
#include "common/limits.h"
#include "common/base/mem.h"
#include "common/picture.h"
#include "tests/unit/unit.h"
#include "worker/box/shared/mcp.h"

static char place[] = "/tmp/caisson-show-XXXXXX";

/* Writes a file that begins so, and has len bytes; returns its path. */
static char *
written(const char *name, const char *begin, size_t begin_len, size_t len)
{
	char *path = mem_printf("%s/%s", place, name);
	auto_free char *data = mem_alloc(len + 1);
	auto_fd int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	memcpy(data, begin, begin_len < len ? begin_len : len);
	ck_assert_int_eq(fd_write_all(fd, data, len), 0);
	return path;
}

static const struct {
	const char *begin;
	size_t begin_len, len;
	const char *name, *title;
	const char *request; /* how it begins, or what is wrong */
	int wrong;
} files[] = {
	{ "GIF89a", 6, 64, "a b", NULL,
	    "{\"type\":\"show\",\"kind\":\"gif\",\"title\":\"a b\","
	    "\"data\":\"R0lGODlhAAAA", 0 },
	{ "\xff\xd8\xff", 3, 64, "a.jpg", "", "{\"type\":\"show\","
	    "\"kind\":\"jpeg\",\"data\":\"/9j/AAAA", 0 },
	{ "RIFF\0\0\0\0WEBPVP8 ", 16, 64, "a", "\"x\"", "{\"type\":\"show\","
	    "\"kind\":\"webp\",\"title\":\"\\\"x\\\"\",\"data\":\"UklGR", 0 },
	{ "\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16, PICTURE_MAX / 4 * 3, "a", "x",
	    "{\"type\":\"show\",\"kind\":\"png\",\"title\":\"x\",", 0 },
	{ "GIF89a", 6, PICTURE_MAX / 4 * 3 + 1, "a", NULL,
	    "a picture has at most 768 KiB: scale it", 1 },
	{ "GIF89", 5, 64, "a", NULL, "it is not a PNG, JPEG, WebP or GIF", 1 },
	{ "", 0, 0, "a", NULL, "it is not a PNG, JPEG, WebP or GIF", 1 },
	{ "<svg>", 5, 64, "a", NULL, "it is not a PNG, JPEG, WebP or GIF", 1 },
	{ "GIF89a", 6, 64, "a", "\xff", "its title is not UTF-8", 1 },
	{ "GIF89a", 6, 64, "\xff", NULL, "its title is not UTF-8", 1 },
};

static void
make_place(void)
{
	if (mkdtemp(place) == NULL)
		abort();
}

static void
remove_place(void)
{
	rmdir(place);
}

UNIT_FIXTURE(make_place, remove_place)

UNIT_TESTS(files_are_shown_or_refused, UNIT_COUNT(files))
{
	auto_buffer struct buffer request = { 0 };
	auto_free char *path = written(files[_i].name, files[_i].begin,
	    files[_i].begin_len, files[_i].len);
	struct err err;
	int failed = show_make_request(&request, path, files[_i].title, &err);
	const char *said;

	ck_assert_int_eq(failed, files[_i].wrong ? -1 : 0);
	buffer_add(&request, "", 1);
	said = failed ? err.text : request.data;
	ck_assert_msg(strncmp(said, files[_i].request,
	    strlen(files[_i].request)) == 0, "%.200s", said);
	if (!failed)
		ck_assert_str_eq(request.data + request.len - 3, "\"}");
	unlink(path);
}

UNIT_TEST(no_file_is_an_error)
{
	auto_buffer struct buffer request = { 0 };
	struct err err;

	ck_assert_int_eq(
	    show_make_request(&request, "/no/file", NULL, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "No such file"));
	ck_assert_int_eq(show_make_request(&request, "/tmp", NULL, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "Is a directory"));
}

UNIT_TEST(standard_input_has_no_name)
{
	auto_buffer struct buffer request = { 0 };
	auto_free char *path = written("in", "GIF87a", 6, 64);
	struct err err;
	int fd = open(path, O_RDONLY);

	ck_assert_int_eq(dup2(fd, STDIN_FILENO), STDIN_FILENO);
	close(fd);
	ck_assert_int_eq(show_make_request(&request, "-", NULL, &err), 0);
	ck_assert_int_eq(strncmp(request.data, "{\"type\":\"show\","
	    "\"kind\":\"gif\",\"data\":\"R0lGODdh", 43), 0);
	unlink(path);
}
