/*
 * Versions of removed files: see versions.h. Runs in files.
 *
 * A table is a file of 8-byte numbers, little-endian, with holes. If two
 * processes remove files of one hash at the same moment, the lower number may
 * remain.
 */
#include <endian.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "../../../common/limits.h"
#include "../../../common/base/log.h"
#include "directory.h"
#include "head.h"
#include "versions.h"

/* FNV-1a */
#define VERSIONS_BASIS 0xcbf29ce484222325U
#define VERSIONS_PRIME 0x100000001b3U

/* Hashes the first len bytes of a text; continues from an earlier hash. */
static uint64_t
versions_hash(uint64_t hash, const char *text, size_t len)
{
	size_t i;

	for (i = 0; i < len; i++)
		hash = (hash ^ (uint8_t)text[i]) * VERSIONS_PRIME;
	return hash;
}

/* Opens the table of the scope of an owner, for all its conversations. */
static int
versions_open(int folder, const char *owner, int is_made)
{
	return directory_table(folder,
	    versions_hash(VERSIONS_BASIS, owner, head_scope(owner)), is_made);
}

/*
 * The offset of the number of a name in a table. The rest of the owner begins
 * with a newline, which no name contains.
 */
static off_t
versions_place(const char *owner, const char *name)
{
	const char *rest = owner + head_scope(owner);
	uint64_t hash = versions_hash(VERSIONS_BASIS, name, strlen(name));

	hash = versions_hash(hash, rest, strlen(rest));
	return (off_t)(hash % FILES_VERSIONS * sizeof(uint64_t));
}

static uint64_t
versions_read(int table, const char *owner, const char *name)
{
	uint64_t number;

	if (pread(table, &number, sizeof(number),
	        versions_place(owner, name)) != sizeof(number))
		return 0;
	number = le64toh(number);
	/* No file has such a version: the table is damaged. */
	return number > UINT64_MAX / 4 ? 0 : number;
}

void
versions_note(int folder, const char *owner, const char *name, uint64_t version)
{
	auto_fd int table = versions_open(folder, owner, 1);
	uint64_t number = htole64(version);

	if (table != -1 && versions_read(table, owner, name) >= version)
		return;
	if (table == -1 || pwrite(table, &number, sizeof(number),
	        versions_place(owner, name)) != sizeof(number))
		log_debug("cannot record a removed version: %s",
		    strerror(errno));
}

uint64_t
versions_noted(int folder, const char *owner, const char *name)
{
	auto_fd int table = versions_open(folder, owner, 0);

	return table == -1 ? 0 : versions_read(table, owner, name);
}
