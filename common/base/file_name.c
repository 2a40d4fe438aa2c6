/*
 * The names of stored files: see file_name.h. Linked into every process; opens
 * nothing.
 */
#include <string.h>

#include "file_name.h"
#include "../limits.h"
#include "utf8.h"

/* In UTF-8 a C1 character, U+0080 to U+009F, is C2 and a byte below A0. */
#define FILE_NAME_C1_FIRST 0xc2
#define FILE_NAME_C1_END 0xa0
#define FILE_NAME_DEL 0x7f

/* Whether a control character starts here, in NUL-terminated text. */
static int
file_name_is_control(const unsigned char *p)
{
	return *p < ' ' || *p == FILE_NAME_DEL ||
	    (p[0] == FILE_NAME_C1_FIRST && p[1] < FILE_NAME_C1_END);
}

/* Whether these bytes, at most FILE_NAME_MAX, are text to show on a line. */
static int
file_name_is_shown(const char *name, size_t len)
{
	char text[FILE_NAME_MAX + 1] = "";
	size_t i;

	if (len == 0 || !utf8_valid(name, len))
		return 0;
	memcpy(text, name, len);
	for (i = 0; i < len; i++)
		if (file_name_is_control((const unsigned char *)text + i))
			return 0;
	return 1;
}

/* Whether these bytes can be the name of an entry of a folder. */
static int
file_name_is_entry(const char *name, size_t len)
{
	return len > 0 &&
	    !(name[0] == '.' && (len == 1 || (len == 2 && name[1] == '.')));
}

int
file_name_valid(const char *name, size_t len)
{
	const char *slash, *at = name;
	size_t left = len, depth = 1;

	if (len > FILE_NAME_MAX || !file_name_is_shown(name, len))
		return 0;
	while ((slash = memchr(at, '/', left)) != NULL) {
		if (!file_name_is_entry(at, (size_t)(slash - at)))
			return 0;
		left -= (size_t)(slash - at) + 1;
		at = slash + 1;
		depth++;
	}
	return depth <= FILES_DEPTH_MAX && file_name_is_entry(at, left);
}

int
conversation_id_valid(const char *id, size_t len)
{
	return len <= CONVERSATION_ID_MAX && file_name_is_shown(id, len) &&
	    file_name_is_entry(id, len);
}
