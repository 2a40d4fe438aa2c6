/*
 * The head of a file on the disk: see head.h. Runs in files.
 *
 *	"caisson file", form	16 bytes: a text, and the number of this form
 *	version, since, size	8 bytes each
 *	owner, name, type	2 bytes each: their lengths
 *	                	the three texts, without a NUL
 *	                	zeroes
 */
#include <string.h>

#include "../../../common/base/file_name.h"
#include "../../../common/base/utf8.h"
#include "head.h"

#define HEAD_MAGIC "caisson file"
#define HEAD_MAGIC_SIZE (sizeof(HEAD_MAGIC) - 1)
#define HEAD_FORM 1
#define HEAD_FORM_SIZE 4
#define HEAD_NUMBER_SIZE 8
#define HEAD_LENGTH_SIZE 2

_Static_assert(HEAD_MAGIC_SIZE + HEAD_FORM_SIZE + 3 * HEAD_NUMBER_SIZE +
        3 * HEAD_LENGTH_SIZE + FILES_OWNER_MAX + FILE_NAME_MAX +
        FILE_TYPE_MAX <= FILE_HEAD_SIZE, "a head exceeds its size");

size_t
head_scope(const char *owner)
{
	return strcspn(owner, "\n");
}

int
head_is_of_any(const char *owner, const char *other)
{
	size_t len = head_scope(other);

	return head_scope(owner) == len && memcmp(owner, other, len) == 0;
}

const char *
head_conversation(const char *owner)
{
	const char *end = owner + head_scope(owner);

	return *end == '\0' ? end : end + 1;
}

/* Writes the size lowest bytes of a number; returns the address after them. */
static uint8_t *
head_put(uint8_t *p, uint64_t number, unsigned int size)
{
	unsigned int i;

	for (i = 0; i < size; i++)
		*p++ = (uint8_t)(number >> (8 * i));
	return p;
}

static uint8_t *
head_put_text(uint8_t *p, const char *text)
{
	size_t len = strlen(text);

	memcpy(p, text, len);
	return p + len;
}

void
head_encode(const struct head *head, uint8_t bytes[FILE_HEAD_SIZE])
{
	uint8_t *p = bytes;

	memset(bytes, 0, FILE_HEAD_SIZE);
	p = head_put_text(p, HEAD_MAGIC);
	p = head_put(p, HEAD_FORM, HEAD_FORM_SIZE);
	p = head_put(p, head->version, HEAD_NUMBER_SIZE);
	p = head_put(p, head->since, HEAD_NUMBER_SIZE);
	p = head_put(p, head->size, HEAD_NUMBER_SIZE);
	p = head_put(p, strlen(head->owner), HEAD_LENGTH_SIZE);
	p = head_put(p, strlen(head->name), HEAD_LENGTH_SIZE);
	p = head_put(p, strlen(head->type), HEAD_LENGTH_SIZE);
	p = head_put_text(p, head->owner);
	p = head_put_text(p, head->name);
	head_put_text(p, head->type);
}

/* Reads a number and advances. */
static uint64_t
head_get(const uint8_t **p, unsigned int size)
{
	uint64_t number = 0;
	unsigned int i;

	for (i = 0; i < size; i++)
		number |= (uint64_t)*(*p)++ << (8 * i);
	return number;
}

/* Reads a text and advances. Returns -1 if it is too long or not a text. */
static int
head_get_text(const uint8_t **p, uint64_t len, char *text, size_t most)
{
	if (len > most || !utf8_valid((const char *)*p, len) ||
	    memchr(*p, '\0', len) != NULL)
		return -1;
	memcpy(text, *p, len);
	*p += len;
	return 0;
}

/* The texts, preceded by their lengths. */
static int
head_get_texts(const uint8_t *p, struct head *head)
{
	uint64_t owner = head_get(&p, HEAD_LENGTH_SIZE);
	uint64_t name = head_get(&p, HEAD_LENGTH_SIZE);
	uint64_t type = head_get(&p, HEAD_LENGTH_SIZE);

	if (head_get_text(&p, owner, head->owner, FILES_OWNER_MAX) == -1 ||
	    head_get_text(&p, name, head->name, FILE_NAME_MAX) == -1 ||
	    head_get_text(&p, type, head->type, FILE_TYPE_MAX) == -1)
		return -1;
	return type > 0 && file_name_valid(head->name, name) ? 0 : -1;
}

int
head_decode(const uint8_t bytes[FILE_HEAD_SIZE], struct head *head)
{
	const uint8_t *p = bytes + HEAD_MAGIC_SIZE + HEAD_FORM_SIZE;
	uint8_t again[FILE_HEAD_SIZE];

	memset(head, 0, sizeof(*head));
	head->version = head_get(&p, HEAD_NUMBER_SIZE);
	head->since = head_get(&p, HEAD_NUMBER_SIZE);
	head->size = head_get(&p, HEAD_NUMBER_SIZE);
	if (head->version == 0 || head->version > UINT64_MAX / 2 ||
	    head->since > INT64_MAX ||
	    head->size > INT64_MAX - FILE_HEAD_SIZE ||
	    head_get_texts(p, head) == -1)
		return -1;
	/* Also checks the bytes before and after these. */
	head_encode(head, again);
	return memcmp(again, bytes, FILE_HEAD_SIZE) == 0 ? 0 : -1;
}
