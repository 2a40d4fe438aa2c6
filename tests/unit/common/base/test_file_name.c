/*
 * Tests of common/base/file_name: which names a file that is kept can have.
 */
#include <string.h>

#include "common/base/file_name.h"
#include "common/limits.h"
#include "tests/unit/unit.h"

static const char *const good[] = { "a", " ", "...", "..a", ".a", "-", "--x",
	"a b", "\xc3\xa9", "\xc2\xa0", "\xe2\x80\xae", "\xf0\x9f\x98\x80", "\\",
	"C:\\x", "~", "*", "\"'", "%2f", "a/b", ".a/...", "1/2/3/4/5/6/7/8" };

UNIT_TESTS(takes_text, UNIT_COUNT(good))
{
	ck_assert(file_name_valid(good[_i], strlen(good[_i])));
}

static const char *const bad[] = { "", ".", "..", "/", "a/", "/a", "../a",
	"a//b", "a/..", "a/./b", "a/../b", "1/2/3/4/5/6/7/8/9",
	"\x01", "a\n", "\r", "\x1f", "\x7f", "\xc2\x80", "a\xc2\x9fzb",
	"\xc2", "\xff", "\xc0\xaf", "\xc0\x80", "\xed\xa0\x80",
	"\xf4\x90\x80\x80" };

UNIT_TESTS(takes_nothing_else, UNIT_COUNT(bad))
{
	ck_assert(!file_name_valid(bad[_i], strlen(bad[_i])));
}

UNIT_TEST(takes_no_nul_and_nothing_long)
{
	char name[FILE_NAME_MAX + 1];

	ck_assert(!file_name_valid("a\0b", 3));
	ck_assert(!file_name_valid("", 1));
	memset(name, 'x', sizeof(name));
	ck_assert(file_name_valid(name, FILE_NAME_MAX));
	ck_assert(!file_name_valid(name, FILE_NAME_MAX + 1));
}

/* It is no path, but addresses have it between slashes. */
UNIT_TEST(takes_ids_of_conversations)
{
	char id[CONVERSATION_ID_MAX + 1];

	ck_assert(!conversation_id_valid(".", 1));
	ck_assert(!conversation_id_valid("..", 2));
	ck_assert(conversation_id_valid("...", 3));
	ck_assert(conversation_id_valid("/a/ b\xc3\xbc", 7));
	ck_assert(!conversation_id_valid("", 0));
	ck_assert(!conversation_id_valid("a\0b", 3));
	ck_assert(!conversation_id_valid("a\nb", 3));
	ck_assert(!conversation_id_valid("\xff", 1));
	memset(id, 'x', sizeof(id));
	ck_assert(conversation_id_valid(id, CONVERSATION_ID_MAX));
	ck_assert(!conversation_id_valid(id, CONVERSATION_ID_MAX + 1));
}
