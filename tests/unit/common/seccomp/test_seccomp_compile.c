/*
 * Tests of common/seccomp/seccomp_compile, the build-time tool: a mistake in a
 * list stops the build with a sentence that names file and line, instead of
 * becoming a filter that means something else.
 *
 * Usage: test_seccomp_compile PATH/seccomp_compile
 */
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/base/buffer.h"
#include "tests/unit/unit.h"

#define HEAD "default errno ENOSYS\nbadarch kill\n"

struct compile_case {
	const char *list;
	const char *complaint; /* NULL where there is none */
};

static const struct compile_case cases[] = {
	{ HEAD "allow read write # and why\n\n", NULL },
	{ HEAD "allow ?no_such_call read\n", NULL },
	{ HEAD "allow ioctl if arg1 == 1, 0x2,TCGETS\nrefuse ioctl\n", NULL },
	{ HEAD "allow mknodat if arg2 & S_IFMT == S_IFIFO and arg0 & 1 == 0\n",
	    NULL },
	{ HEAD "ignore read\nallow write\n", NULL },
	{ HEAD "lack read\ndecline write\n", NULL },
	{ "default allow\nbadarch kill\nrefuse read\n", NULL },
	{ "default\nbadarch kill\n",
	    ":1: expected 'errno' or 'allow', found 'the end of the line'" },
	{ HEAD "allow no_such_call\n", ":3: 'no_such_call' is no system call" },
	{ HEAD "allow read\nrefuse read\n",
	    ":4: 'read' is already decided in line 3" },
	{ HEAD "allow read\nallow read if arg0 & 1 == 1\n",
	    ":4: 'read' is already decided in line 3" },
	{ HEAD "allow\n", ":3: no system call is named" },
	{ HEAD "permit read\n", ":3: 'permit' is not default" },
	{ HEAD "allow read if arg6 & 1 == 1\n", ":3: a condition begins" },
	{ HEAD "allow read if arg0 = 1\n",
	    ":3: expected '&' or '==', found '='" },
	{ HEAD "allow read if arg0 & 1\n",
	    ":3: expected '==', found 'the end of the line'" },
	{ HEAD "allow read if arg0 & 1 ==\n", ":3: a value is missing" },
	{ HEAD "allow read if arg0 & 1 == 2\n",
	    ":3: the value 0x2 has bits outside of the mask 0x1" },
	{ HEAD "allow read if arg0 & 1 == 1 or 0\n",
	    ":3: expected ',' or 'and', found 'or'" },
	{ HEAD "allow read if arg0 & NO_SUCH == 0\n",
	    ":3: 'NO_SUCH' is no known constant" },
	{ HEAD "allow read if arg0 & 0x100000000 == 0\n",
	    ":3: '0x100000000' is no known constant and no 32-bit number" },
	{ "badarch kill\nallow read\n", "'default errno" },
	{ "default errno EPERM\nallow read\n", "'badarch kill' is missing" },
	{ "default refuse\n",
	    ":1: expected 'errno' or 'allow', found 'refuse'" },
	{ "default errno EINVAL\n", ":1: the default is errno ENOSYS or" },
	{ "badarch allow\n", ":1: expected 'kill', found 'allow'" },
};

/* Runs the compiler over path; returns its status, and what it said. */
static int
compile(const char *path, struct buffer *said)
{
	auto_buffer struct buffer command = { 0 };
	FILE *output;
	size_t n;

	buffer_printf(&command, "'%s' list '%s' 2>&1", unit_argv[1], path);
	output = popen(command.data, "r");
	ck_assert_ptr_nonnull(output);
	do {
		n = fread(buffer_reserve(said, 4096), 1, 4096, output);
		said->len += n;
	} while (n > 0);
	buffer_add_text(said, "");
	return pclose(output);
}

UNIT_TESTS(test_list, UNIT_COUNT(cases))
{
	const struct compile_case *c = &cases[_i];
	auto_buffer struct buffer said = { 0 };
	char path[] = "/tmp/caisson-test-list-XXXXXX";
	int fd = mkstemp(path);
	int status;

	if (fd == -1 || write(fd, c->list, strlen(c->list)) == -1)
		ck_abort_msg("cannot write %s", path);
	close(fd);
	status = compile(path, &said);
	unlink(path);
	if (c->complaint == NULL) {
		ck_assert_msg(status == 0, "%s", said.data);
		ck_assert_ptr_nonnull(strstr(said.data,
		    "static const struct sock_filter list[] = {"));
		return;
	}
	ck_assert_msg(WIFEXITED(status) && WEXITSTATUS(status) == 1,
	    "%s: accepted", c->list);
	ck_assert_msg(strstr(said.data, path) == said.data &&
	        strstr(said.data, c->complaint) != NULL,
	    "%s: %s", c->list, said.data);
}
