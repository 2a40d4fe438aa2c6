/*
 * Tests of supervisor/servers/server_look: whatever happens to a file of any
 * source, and to what it is in, changes how the files look; nothing else does.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/base/buffer.h"
#include "common/base/fd.h"
#include "common/limits.h"
#include "common/base/mem.h"
#include "supervisor/servers/servers.h"
#include "tests/unit/unit_folder.h"

/* The home is the directory of the test; in it is the folder that we run in. */
static char home_variable[sizeof("HOME=") + sizeof(folder)];
static char *envp[] = { home_variable, NULL };
static char work[sizeof(folder) + sizeof("/work")];
static const struct servers_setup setup = { .envp = envp,
	.folder = work,
	.named = "named.json" };
static struct server_look *look;
static struct buffer before;
static int fds;

static void
run(const char *command)
{
	ck_assert_msg(system(command) == 0, "%s", command);
}

static void
enter(void)
{
	snprintf(home_variable, sizeof(home_variable), "HOME=%s", folder);
	snprintf(work, sizeof(work), "%s/work", folder);
	ck_assert_int_eq(mkdir(work, 0700), 0);
	fds = unit_open_fds();
	look = server_look_new(&setup);
}

static void
leave(void)
{
	ck_assert_int_eq(unit_open_fds(), fds);
	server_look_free(&look);
	server_look_free(&look); /* NULL is accepted */
	buffer_reset(&before);
}

/* Whether anything looks as it did not the last time. */
static int
changed(void)
{
	struct buffer now = { 0 };
	int moving, same;

	server_look_add(look, &now, &moving);
	same = now.len == before.len &&
	    (now.len == 0 || memcmp(now.data, before.data, now.len) == 0);
	buffer_reset(&before);
	before = now;
	return !same;
}

/* Makes the file, or a line more of it, and the folders that it is in. */
static void
make_path(const char *path)
{
	auto_free char *folders = mem_strdup(path);
	char *slash = folders;
	auto_fd int fd = -1;

	while ((slash = strchr(slash + 1, '/')) != NULL) {
		*slash = '\0';
		mkdir(folders, 0700);
		*slash = '/';
	}
	fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
	ck_assert_int_eq(write(fd, "\n", 1), 1);
}

/* The path of a source, or of a file of its folder; the caller frees it. */
static char *
path_of(size_t n)
{
	struct server_place place;
	auto_free char *path = NULL;

	if (!server_sources_place(n, &setup, &place))
		return NULL;
	path = place.path;
	/* A variable is no file: it is left out as those of others. */
	if (path == NULL)
		return mem_strdup("/etc/");
	return place.folder ? mem_printf("%s/a.json", path) :
	                      mem_take(&path);
}

/* Each comes, grows and goes, alone and among all others. */
UNIT_TEST(looks_at_every_source)
{
	char *path;
	size_t n;
	int left;

	for (left = 0; left < 2; left++)
		for (n = 0; (path = path_of(n)) != NULL; n++, free(path)) {
			/* What lies outside of the home is not the test's. */
			if (strncmp(path, "/etc/", 5) == 0)
				continue;
			changed();
			make_path(path);
			ck_assert_msg(changed(), "%s came", path);
			ck_assert_int_eq(changed(), 0);
			make_path(path);
			ck_assert_msg(changed(), "%s grew", path);
			if (left == 0 || n % 2 == 0)
				ck_assert_int_eq(unlink(path), 0);
			ck_assert_int_eq(changed(), left == 0 || n % 2 == 0);
		}
	ck_assert_uint_gt(n, 40);
	ck_assert_int_eq(server_sources_place(n, &setup,
	    &(struct server_place){ 0 }), 0);
}

static const struct {
	const char *first, *then;
	int change;
} changes[] = {
	{ "true", "true", 0 },
	/* Other files, and folders without files */
	{ "true", "echo > other.json", 0 },
	{ "true", "mkdir -p .config/zed .kiro work/.vscode", 0 },
	{ "mkdir MCPs", "echo > MCPs/.hidden.json; echo > MCPs/x", 0 },
	{ "true", "mkdir MCPs", 1 },
	{ "mkdir MCPs", "rmdir MCPs", 1 },
	{ "true", "mkdir work/mcp-servers", 1 },
	/* Folders */
	{ "mkdir -p .config/zed; echo > .config/zed/settings.json",
	    "mv .config elsewhere", 1 },
	{ "mkdir -p .config/zed; echo > .config/zed/settings.json",
	    "mv .config elsewhere; ln -s elsewhere .config", 0 },
	{ "mkdir work/.vscode; echo > work/.vscode/mcp.json",
	    "mv work/.vscode work/x", 1 },
	{ "mkdir work/.vscode; echo > work/.vscode/mcp.json",
	    "mv work/.vscode work/x; ln -s x work/.vscode", 0 },
	{ "echo > work/.mcp.json", "mv work away", 1 },
	{ "mkdir MCPs; echo > MCPs/a.json", "mv MCPs/a.json MCPs/b.json", 1 },
	{ "mkdir MCPs; echo > MCPs/a.json", "echo > MCPs/b.json", 1 },
	{ "mkdir MCPs", "rmdir MCPs; echo > MCPs", 1 },
	/* Links, of the user and of the folder that we run in */
	{ "ln -s target .claude.json", "echo > target", 1 },
	{ "ln -s target .claude.json; echo > target", "echo >> target", 1 },
	{ "mkdir MCPs; ln -s ../t MCPs/a.json; echo > t", "echo >> t", 1 },
	{ "ln -s t work/.mcp.json; echo > work/t", "echo >> work/t", 1 },
	{ "mkdir work/mcp-servers; ln -s ../t work/mcp-servers/a.json;"
	  "echo > work/t", "echo >> work/t", 1 },
	{ "mkdir work/.cursor; ln -s ../t work/.cursor/mcp.json;"
	  "echo > work/t", "echo >> work/t", 1 },
	/* What links lead to out of that folder is not looked at. */
	{ "ln -s ../t work/.mcp.json; echo > t", "echo >> t", 0 },
	{ "ln -s ../t work/.mcp.json; echo > t", "rm t", 0 },
	{ "ln -s ../t work/.cursor; mkdir t; echo > t/mcp.json",
	    "echo >> t/mcp.json", 0 },
	{ "ln -s ../t work/.cursor; mkdir t; echo > t/mcp.json",
	    "rm t/mcp.json", 0 },
	{ "ln -s ../t work/mcp-servers; mkdir t", "echo > t/a.json", 0 },
	{ "true", "ln -s ../t work/.mcp.json", 1 },
	{ "true", "ln -s /etc work/.cursor", 1 },
	/* Who may read and write it */
	{ "echo > work/.mcp.json", "chmod o+w work/.mcp.json", 1 },
	{ "echo > .claude.json", "chmod a= .claude.json", 1 },
	/* In folders that were there before, and behind links to nothing */
	{ "mkdir .cursor", "echo > .cursor/mcp.json", 1 },
	{ "mkdir .config", "mkdir .config/zed;"
	  "echo > .config/zed/settings.json", 1 },
	{ "mkdir work/.cursor", "echo > work/.cursor/mcp.json", 1 },
	{ "ln -s there .cursor", "mkdir there; echo > there/mcp.json", 1 },
	{ "ln -s there .config", "mkdir -p there/zed;"
	  "echo > there/zed/settings.json", 1 },
	{ "mkdir work/.cursor; echo > work/.cursor/other",
	    "echo > work/.cursor/mcp.json", 1 },
	{ "mkdir work/.cursor; echo > work/.cursor/other",
	    "echo > work/.cursor/more", 0 },
	{ "mkdir work/.cursor; ln -s ../t work/.cursor/mcp.json",
	    "echo > work/t", 1 },
	{ "mkdir work/x; ln -s x work/.cursor", "echo > work/x/mcp.json", 1 },
	{ "mkdir work/.cursor; mkdir other; echo > other/mcp.json",
	    "rmdir work/.cursor; mv other work/.cursor", 1 },
	{ "mkdir work/.cursor; mkdir work/x; echo > work/x/mcp.json",
	    "rmdir work/.cursor; ln -s x work/.cursor", 1 },
	{ "ln -s t work/.mcp.json", "echo > work/t", 1 },
	{ "ln -s t work/mcp-servers", "mkdir work/t", 1 },
	/* A folder in the place of another one */
	{ "mkdir other; echo > other/.mcp.json",
	    "mv work away; mv other work", 1 },
	{ "mkdir .config; mkdir -p other/zed; echo > other/zed/settings.json",
	    "mv .config away; mv other .config", 1 },
};

static void
make_and_judge_change(size_t i)
{
	changed();
	ck_assert_int_eq(changed(), 0);
	run(changes[i].then);
	ck_assert_int_eq(changed(), changes[i].change);
	ck_assert_int_eq(changed(), 0);
}

UNIT_TESTS(sees_what_changes, UNIT_COUNT(changes))
{
	run(changes[_i].first);
	make_and_judge_change((size_t)_i);
}

/* Waits until a further change of a folder gives it another time. */
static void
settle(void)
{
	struct timespec start, now;
	long long ns;

	clock_gettime(CLOCK_REALTIME, &start);
	do {
		clock_gettime(CLOCK_REALTIME, &now);
		ns = (now.tv_sec - start.tv_sec) * 1000000000LL +
		    (now.tv_nsec - start.tv_nsec);
	} while (ns <= CONFIG_TICK_MS * 1000000LL);
}

/* Also when it is remembered what folders lack. */
UNIT_TESTS(sees_what_changes_in_old_folders, UNIT_COUNT(changes))
{
	run(changes[_i].first);
	settle();
	make_and_judge_change((size_t)_i);
}

/* A home that is given to another user must not be used any more. */
UNIT_TEST(sees_whose_the_home_is)
{
	if (geteuid() != 0) {
		unit_skip("only root can give a home away");
		return;
	}
	changed();
	ck_assert_int_eq(chown(folder, 65534, 65534), 0);
	ck_assert_int_eq(changed(), 1);
	ck_assert_int_eq(changed(), 0);
	ck_assert_int_eq(chown(folder, 0, 0), 0);
	ck_assert_int_eq(changed(), 1);
}

/* As many as can be read are looked at, and no more. */
UNIT_TESTS(too_many_files_are_as_good_as_none, 2)
{
	auto_free char *command = mem_printf(
	    "mkdir MCPs; for i in $(seq %d); do echo > MCPs/$i.json; done",
	    CONFIG_FILES_MAX + _i);

	run(command);
	changed();
	run("echo >> MCPs/7.json");
	ck_assert_int_eq(changed(), _i == 0);
	run("rm MCPs/7.json");
	ck_assert_int_eq(changed(), 1);
}

UNIT_FIXTURE(enter, leave)
