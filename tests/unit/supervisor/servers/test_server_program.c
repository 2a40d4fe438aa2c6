/*
 * Tests of supervisor/servers/server_program: which file a command is, and
 * whether that is this very program.
 */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/buffer.h"
#include "common/base/fd.h"
#include "common/base/mem.h"
#include "supervisor/servers/servers.h"
#include "tests/unit/unit_folder.h"

static void
make_file(const char *name, mode_t mode)
{
	auto_free char *path = mem_printf("%s/%s", folder, name);
	auto_fd int fd = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, mode);

	ck_assert_int_ne(fd, -1);
}

/* one/tool, two/tool, two/other, two/data (no program), two/link to tool */
static void
make_folder(void)
{
	ck_assert_int_eq(mkdir("one", 0700), 0);
	ck_assert_int_eq(mkdir("two", 0700), 0);
	ck_assert_int_eq(mkdir("one/other", 0700), 0);
	make_file("one/tool", 0700);
	make_file("two/tool", 0700);
	make_file("two/other", 0700);
	make_file("two/data", 0600);
	ck_assert_int_eq(symlink("tool", "two/link"), 0);
}

UNIT_FIXTURE(make_folder, NULL)

/* @ stands for the folder of the test. */
static char *
fill(const char *text)
{
	struct buffer out = { 0 };

	buffer_add_text(&out, "");
	for (; *text != '\0'; text++)
		if (*text == '@')
			buffer_add_text(&out, folder);
		else
			buffer_add(&out, text, 1);
	return buffer_take(&out, NULL);
}

static const struct {
	const char *command, *search, *found;
} commands[] = {
	{ "tool", "@/one:@/two", "@/one/tool" },
	{ "tool", "@/two:@/one", "@/two/tool" },
	{ "tool", "@/none:@/one", "@/one/tool" },
	{ "tool", "one", "@/one/tool" },
	{ "other", "@/one:@/two", "@/two/other" }, /* not the folder */
	{ "data", "@/two", NULL },
	{ "tool", "@", NULL },
	{ "tool", "", NULL },
	{ "one/tool", "@/two", "@/one/tool" },
	{ "./one/tool", "", "@/./one/tool" },
	{ "@/two/link", "", "@/two/link" },
	{ "@/two/none", "@/two", NULL },
	{ "@/one", "", NULL },
	{ "link", "@/two", "@/two/link" },
};

UNIT_TESTS(finds, UNIT_COUNT(commands))
{
	auto_free char *command = NULL;
	auto_free char *search = NULL;
	auto_free char *found = NULL;
	auto_free char *wanted = NULL;

	command = fill(commands[_i].command);
	search = fill(commands[_i].search);
	found = server_program_find(command, search, folder);
	if (commands[_i].found == NULL) {
		ck_assert_ptr_null(found);
	} else {
		wanted = fill(commands[_i].found);
		ck_assert_str_eq(found, wanted);
	}
}

UNIT_TEST(recognises_itself)
{
	ck_assert(server_program_is_self("caisson", NULL, "one/tool"));
	ck_assert(server_program_is_self("/x/caisson", NULL, "one/tool"));
	ck_assert(!server_program_is_self("caisson2", NULL, "one/tool"));
	ck_assert(!server_program_is_self("/caisson/x", NULL, "one/tool"));
	ck_assert(server_program_is_self("tool", "one/tool", "one/tool"));
	ck_assert(server_program_is_self("x", "two/link", "two/tool"));
	ck_assert(!server_program_is_self("tool", "two/tool", "one/tool"));
	ck_assert(!server_program_is_self("tool", "none", "none"));
	/* Under another name too. */
	ck_assert_int_eq(link("one/tool", "one/hard"), 0);
	ck_assert(server_program_is_self("hard", "one/hard", "one/tool"));
}
