/*
 * Tests of supervisor/options/option_file: where the configuration file is
 * looked for, what its members become, and one clear sentence for each bad
 * file.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/buffer.h"
#include "common/base/fd.h"
#include "common/limits.h"
#include "common/base/mem.h"
#include "supervisor/options/option_file.h"
#include "tests/unit/unit_folder.h"

static char path[sizeof(folder) + sizeof("/config.json")];

static void
make_folder(void)
{
	snprintf(path, sizeof(path), "%s/config.json", folder);
}

static void
write_file(const char *data, size_t len)
{
	auto_fd int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	ck_assert_int_ne(fd, -1);
	ck_assert_int_eq(fd_write_all(fd, data, len), 0);
}

/* Notes "key=value;" of each member; the member "stop" is an error. */
static int
note(void *ctx, const char *key, const char *value, struct err *err)
{
	if (value == NULL)
		return 0;
	if (strcmp(key, "stop") == 0)
		return err_set(err, "refused %s", value);
	buffer_printf(ctx, "%s=%s;", key, value);
	return 0;
}

static const struct {
	const char *envp[3];
	const char *path;
} places[] = {
	{ { "HOME=/home/u", "X=1" }, "/home/u/.config/caisson/config.json" },
	{ { "HOME=/home/u", "XDG_CONFIG_HOME=/c" }, "/c/caisson/config.json" },
	{ { "XDG_CONFIG_HOME=", "HOME=/home/u" },
	    "/home/u/.config/caisson/config.json" },
	{ { "XDG_CONFIG_HOME=relative", "HOME=/home/u" },
	    "/home/u/.config/caisson/config.json" },
	{ { "HOME=relative" }, NULL },
	{ { "HOME=" }, NULL },
	{ { "HOMER=/x", "XHOME=/y" }, NULL },
	{ { NULL }, NULL },
};

UNIT_TESTS(finds_the_path, UNIT_COUNT(places))
{
	auto_free char *found = option_file_path((char **)places[_i].envp);

	ck_assert_pstr_eq(found, places[_i].path);
}

static const struct {
	const char *text;
	const char *noted;
} good[] = {
	{ "{}", "" },
	{ " { }\n", "" },
	{ "{\"timeout\": 30}", "timeout=30;" },
	{ "{\"timeout\": \"2m\", \"memory\": \"1g\"}",
	    "timeout=2m;memory=1g;" },
	{ "{\"b\": true, \"a\": false}", "b=true;a=false;" },
	{ "{\"a\": -5, \"b\": 1.5, \"c\": 30.0, \"d\": 1e2}",
	    "a=-5;b=1.5;c=30;d=100;" },
	{ "{\"a\": \"\"}", "a=;" },
	{ "{\"a\": [\"b\", \"c\"], \"d\": []}", "a=b,c;d=;" },
	{ "{\"\": \"x\"}", "=x;" },
	{ "{\"a\": \"\\u00e9\\n\"}", "a=\xc3\xa9\n;" },
};

UNIT_TESTS(reads_members, UNIT_COUNT(good))
{
	auto_buffer struct buffer noted = { 0 };
	struct err err;

	buffer_add_text(&noted, "");
	write_file(good[_i].text, strlen(good[_i].text));
	ck_assert_msg(option_file_read(path, note, &noted, &err) == 1, "%s",
	    err.text);
	ck_assert_str_eq(noted.data, good[_i].noted);
}

static const struct {
	const char *text;
	const char *says; /* behind the file's name; jansson adds its word */
} bad[] = {
	{ "", ": is not JSON at line 1, column 0: " },
	{ "{\n  \"timeout\": 30\n  \"memory\": 1\n}",
	    ": is not JSON at line 3, column 10: '}' expected" },
	{ "{\"a\": 1, \"a\": 2}",
	    ": is not JSON at line 1, column 12: duplicate object key" },
	{ "{\"a\": 99999999999999999999}",
	    ": is not JSON at line 1, column 26: too big integer" },
	{ "{\"a\": 1e999}", ": is not JSON at line 1, column 11: " },
	{ "{\"a\": \"\\u0000\"}", ": is not JSON at line 1, column 14: " },
	{ "{\"a\": 1} x", ": is not JSON at line 1, column 10: " },
	{ "{\"a\": 1,}", ": is not JSON at line 1, column 9: " },
	{ "30", ": is not JSON at line 1, column 2: " },
	{ "[1]",
	    ": must be one JSON object, such as {\"timeout\": \"30s\"}" },
	{ "{\"a\": null}", ": the value of \"a\" must be a string, a "
	    "number, true, false or a list of strings" },
	{ "{\"a\": [1]}", ": the value of \"a\" must be a string, a "
	    "number, true, false or a list of strings" },
	{ "{\"a\\n\": {}}", ": the value of \"a\\x0a\" must be a string, a "
	    "number, true, false or a list of strings" },
};

UNIT_TESTS(refuses_bad_files, UNIT_COUNT(bad))
{
	auto_buffer struct buffer noted = { 0 };
	const char *says = bad[_i].says;
	struct err err;

	write_file(bad[_i].text, strlen(bad[_i].text));
	ck_assert_int_eq(option_file_read(path, note, &noted, &err), -1);
	ck_assert_msg(strncmp(err.text, path, strlen(path)) == 0 &&
	    strncmp(err.text + strlen(path), says, strlen(says)) == 0,
	    "not %s but %s", says, err.text);
}

UNIT_TEST(tells_all_faults_at_once)
{
	static const char text[] = "{\"stop\": 1, \"a\": 2, \"b\": null}";
	auto_buffer struct buffer noted = { 0 };
	struct err err;
	const char *line;

	write_file(text, sizeof(text) - 1);
	ck_assert_int_eq(option_file_read(path, note, &noted, &err), -1);
	ck_assert_str_eq(noted.data, "a=2;");
	line = strchr(err.text, '\n');
	ck_assert_int_eq(strncmp(err.text, "refused 1\n", 10), 0);
	ck_assert_ptr_nonnull(strstr(line, ": the value of \"b\" must be"));
}

UNIT_TEST(the_size_is_bounded)
{
	auto_buffer struct buffer text = { 0 };
	auto_buffer struct buffer noted = { 0 };
	struct err err;

	buffer_add_text(&text, "{}");
	while (text.len < OPTION_FILE_MAX)
		buffer_add_text(&text, " ");
	write_file(text.data, text.len);
	ck_assert_int_eq(option_file_read(path, note, &noted, &err), 1);
	buffer_add_text(&text, " ");
	write_file(text.data, text.len);
	ck_assert_int_eq(option_file_read(path, note, &noted, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "is larger than 1048576 bytes"));
}

/* Neither may hang or be read: the open would wait for a writer. */
UNIT_TEST(only_regular_files_are_read)
{
	auto_buffer struct buffer noted = { 0 };
	struct err err;

	ck_assert_int_eq(mkfifo(path, 0600), 0);
	ck_assert_int_eq(option_file_read(path, note, &noted, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, ": is not a regular file"));
	ck_assert_int_eq(unlink(path), 0);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	ck_assert_int_eq(option_file_read(path, note, &noted, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, ": is not a regular file"));
}

UNIT_TEST(others_cannot_have_written_it)
{
	auto_buffer struct buffer noted = { 0 };
	struct err err;

	write_file("{}", 2);
	ck_assert_int_eq(chmod(path, 0606), 0);
	ck_assert_int_eq(option_file_read(path, note, &noted, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, ": can be written by every user "
	    "of this machine; fix: 'chmod o-w'"));
	ck_assert_int_eq(chmod(path, 0664), 0);
	ck_assert_int_eq(option_file_read(path, note, &noted, &err), 1);
	if (geteuid() != 0) {
		unit_skip("only root can give files away");
		return;
	}
	ck_assert_int_eq(chown(path, 12345, 12345), 0);
	ck_assert_int_eq(option_file_read(path, note, &noted, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, ": belongs to another user"));
}

UNIT_FIXTURE(make_folder, NULL)
