/*
 * Tests of supervisor/door/http/tokens: what is written is read again; a secret
 * finds its token and no other one; a file with a fault, or that others could
 * have written, is an error and never a file without tokens.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/fd.h"
#include "common/base/mem.h"
#include "common/base/text_list.h"
#include "supervisor/door/http/tokens.h"
#include "supervisor/options/option_table.h"
#include "tests/unit/unit_folder.h"

static struct tokens tokens;
static struct err err;
static int dir = -1;

static void
enter(void)
{
	dir = open(".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ck_assert_int_ne(dir, -1);
	umask(0);
}

static void
leave(void)
{
	tokens_reset(&tokens);
	fd_close(&dir);
}

static void
add(const char *name, char secret[TOKEN_SIZE + 1])
{
	struct token token = { .name = mem_strdup(name) };

	token_make(&token, secret);
	tokens_add(&tokens, &token);
}

static void
write_again(void)
{
	ck_assert_msg(tokens_write(&tokens, dir, &err) == 0, "%s", err.text);
	tokens_reset(&tokens);
	ck_assert_msg(tokens_read(&tokens, dir, &err) == 0, "%s", err.text);
}

UNIT_TEST(a_missing_file_has_none)
{
	ck_assert_int_eq(tokens_read(&tokens, dir, &err), 0);
	ck_assert_uint_eq(tokens.count, 0);
	ck_assert_int_eq(tokens.found, 0);
	ck_assert_int_eq(tokens_changed(&tokens, dir), 0);
}

UNIT_TEST(what_is_written_is_read_again)
{
	char one[TOKEN_SIZE + 1], other[TOKEN_SIZE + 1];
	struct token limited = { 0 };
	struct stat st;

	add("one", one);
	add("other", other);
	ck_assert_str_ne(one, other);
	tokens.one[1].restricted = true;
	text_list_add(&tokens.one[1].servers, "gh");
	text_list_add(&tokens.one[1].servers, "a \"b\"");
	tokens.one[1].tools = 2;
	tokens.one[1].calls = 3;
	tokens.one[1].rate = 60;
	tokens.one[1].files_max = MIB;
	tokens.one[1].memories_max = 1;
	tokens.one[1].cpu_seconds = 9;
	tokens.one[1].limits = option_limits_word("strict");
	token_copy(&limited, &tokens.one[1]);
	write_again();
	ck_assert_uint_eq(tokens.count, 2);
	ck_assert_int_eq(tokens_changed(&tokens, dir), 0);
	ck_assert(token_is_same(tokens_find(&tokens, "other"), &limited));
	ck_assert(!token_is_same(tokens_find(&tokens, "one"), &limited));
	ck_assert_str_eq(
	    tokens_of_secret(&tokens, one, TOKEN_SIZE)->name, "one");
	ck_assert_str_eq(
	    tokens_of_secret(&tokens, other, TOKEN_SIZE)->name, "other");
	ck_assert_int_eq(stat(TOKENS_FILE, &st), 0);
	ck_assert_uint_eq(st.st_mode & 0777, 0600);
	token_reset(&limited);
}

UNIT_TEST(other_secrets_find_nothing)
{
	char one[TOKEN_SIZE + 1];

	add("one", one);
	ck_assert_ptr_null(tokens_of_secret(&tokens, one, TOKEN_SIZE - 1));
	ck_assert_ptr_null(tokens_of_secret(&tokens, "", 0));
	one[TOKEN_SIZE - 1] ^= 1;
	ck_assert_ptr_null(tokens_of_secret(&tokens, one, TOKEN_SIZE));
}

UNIT_TEST(the_secret_is_not_in_the_file)
{
	auto_free char *command = NULL;
	char one[TOKEN_SIZE + 1];

	add("one", one);
	write_again();
	command = mem_printf("grep -q -r '%s' .", one + strlen(TOKEN_PREFIX));
	ck_assert_int_ne(system(command), 0);
}

UNIT_TEST(a_change_is_noticed)
{
	char secret[TOKEN_SIZE + 1];

	add("one", secret);
	write_again();
	add("two", secret);
	ck_assert_int_eq(tokens_write(&tokens, dir, &err), 0);
	ck_assert_int_eq(tokens_changed(&tokens, dir), 1);
	tokens_remove(&tokens, tokens_find(&tokens, "one"));
	write_again();
	ck_assert_uint_eq(tokens.count, 1);
	ck_assert_str_eq(tokens.one[0].name, "two");
	ck_assert_int_eq(unlink(TOKENS_FILE), 0);
	ck_assert_int_eq(tokens_changed(&tokens, dir), 1);
}

#define DIGEST                                                                 \
	"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define FILE_OF(more)                                                          \
	"{\"version\":1,\"tokens\":[{\"name\":\"a\",\"sha256\":\"" DIGEST      \
	"\",\"created\":\"2026-01-01T00:00:00Z\"" more "}]}"

static const struct {
	const char *text;
	const char *says;
} bad[] = {
	{ "", "is not valid JSON" },
	{ "{\"version\":1,\"tokens\":[", "is not valid JSON" },
	{ "{}", "not written by this version" },
	{ "{\"version\":2,\"tokens\":[]}", "not written by this version" },
	{ "{\"version\":1}", "has no list of tokens" },
	{ "{\"version\":1,\"tokens\":[],\"x\":1}",
	    "has a member that is not known" },
	{ "[]", "not written by this version" },
	{ "{\"version\":1,\"tokens\":[{}]}",
	    "number 1 (an object needs name, sha256 and created)" },
	{ FILE_OF(",\"more\":1"),
	    "an entry that is not valid, number 1 (its member \"more\")" },
	{ FILE_OF(",\"name\":\"a\""),
	    "number 1 (its member \"name\")" },
	{ FILE_OF(",\"servers\":\"gh\""),
	    "an entry that is not valid, number 1 (its member \"servers\")" },
	{ FILE_OF(",\"servers\":[1]"),
	    "an entry that is not valid, number 1 (its member \"servers\")" },
	{ FILE_OF(",\"tools\":[]"),
	    "an entry that is not valid, number 1 (its member \"tools\")" },
	{ FILE_OF(",\"tools\":[\"nope\"]"),
	    "an entry that is not valid, number 1 (its member \"tools\")" },
	{ FILE_OF(",\"calls\":0"),
	    "an entry that is not valid, number 1 (its member \"calls\")" },
	{ FILE_OF(",\"calls\":-1"),
	    "an entry that is not valid, number 1 (its member \"calls\")" },
	{ FILE_OF(",\"limits\":\"loose\""),
	    "an entry that is not valid, number 1 (its member \"limits\")" },
	{ FILE_OF(",\"rate\":1e9"),
	    "an entry that is not valid, number 1 (its member \"rate\")" },
	{ FILE_OF("},{\"name\":\"a\",\"sha256\":\"" DIGEST
	          "\",\"created\":\"\""),
	    "number 2 (another one has its name)" },
	{ FILE_OF("},{\"name\":\"../b\",\"sha256\":\"" DIGEST
	          "\",\"created\":\"\""), "number 2 (its member \"name\")" },
};

static void
write_text(const char *text, mode_t mode)
{
	auto_fd int fd = open(TOKENS_FILE, O_WRONLY | O_CREAT | O_TRUNC, mode);

	ck_assert_int_eq(fd_write_all(fd, text, strlen(text)), 0);
}

UNIT_TESTS(a_fault_is_an_error, UNIT_COUNT(bad))
{
	write_text(bad[_i].text, 0600);
	ck_assert_int_eq(tokens_read(&tokens, dir, &err), -1);
	ck_assert_msg(strstr(err.text, bad[_i].says) != NULL, "%s", err.text);
}

UNIT_TEST(an_open_file_is_refused)
{
	write_text(FILE_OF(""), 0640);
	ck_assert_int_eq(tokens_read(&tokens, dir, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "chmod 600"));
	ck_assert_int_eq(unlink(TOKENS_FILE), 0);
	ck_assert_int_eq(symlink("/dev/null", TOKENS_FILE), 0);
	ck_assert_int_eq(tokens_read(&tokens, dir, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, "cannot be opened"));
}

UNIT_TEST(names_are_safe)
{
	ck_assert(token_is_name("a"));
	ck_assert(token_is_name("Laptop-2.home_x"));
	ck_assert(!token_is_name(""));
	ck_assert(!token_is_name("."));
	ck_assert(!token_is_name("-x"));
	ck_assert(!token_is_name("a/b"));
	ck_assert(!token_is_name("a b"));
	ck_assert(!token_is_name("0123456789012345678901234567890123456789"
	                         "0123456789012345678901234"));
}

UNIT_FIXTURE(enter, leave)
