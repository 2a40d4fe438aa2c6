/*
 * The processor time that tokens have taken today, kept across a restart: see
 * http.h. A file has a line "DAY MICROSECONDS NAME" for each token that has a
 * limit; what it cannot tell counts as nothing.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "../../../common/base/fd.h"
#include "../../../common/base/log.h"
#include "http.h"

#define SPENT_FILE "spent"
#define SPENT_NEW "spent.new"
#define SPENT_LINE "%" SCNu64 " %" SCNu64 " %64s"

/* A line of the file. */
struct spent {
	uint64_t day;
	uint64_t used;
	char name[TOKEN_NAME_MAX + 1];
};

static FILE *
http_spent_open(const struct http *http)
{
	int fd = http->dir == -1 ? -1 : openat(http->dir, SPENT_FILE,
	    O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	return fd == -1 ? NULL : fdopen(fd, "r");
}

/* Reads a line: 1, or 0 at the end of the file, or of what is believed. */
static int
http_spent_next(FILE *file, struct spent *spent)
{
	return file != NULL && fscanf(file, SPENT_LINE, &spent->day,
	    &spent->used, spent->name) == 3;
}

void
http_spent_recall(struct http_guest *guest)
{
	FILE *file = http_spent_open(guest->http);
	struct owner *owner = guest->owner;
	struct spent spent;

	while (http_spent_next(file, &spent))
		if (strcmp(spent.name, owner->name) == 0) {
			owner->cpu_day = spent.day;
			owner->cpu_used = guest->spent = spent.used;
		}
	if (file != NULL)
		fclose(file);
}

static const struct http_guest *
http_spent_guest(const struct http *http, const char *name)
{
	const struct http_guest *guest;

	LIST_FOREACH (guest, &http->guests, entry)
		if (strcmp(guest->owner->name, name) == 0)
			break;
	return guest;
}

/* Adds the lines of today of tokens that no client has sent since the start. */
static void
http_spent_add_others(
    const struct http *http, uint64_t today, struct buffer *lines)
{
	FILE *file = http_spent_open(http);
	struct spent spent;

	while (http_spent_next(file, &spent) && lines->len < TOKENS_FILE_MAX)
		if (spent.day == today &&
		    http_spent_guest(http, spent.name) == NULL)
			buffer_printf(lines, "%" PRIu64 " %" PRIu64 " %s\n",
			    spent.day, spent.used, spent.name);
	if (file != NULL)
		fclose(file);
}

/* No fsync: the machine would have to crash for seconds to be lost. */
static void
http_spent_write(const struct http *http, const struct buffer *lines)
{
	auto_fd int fd = openat(http->dir, SPENT_NEW,
	    O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);

	if (fd == -1 || fd_write_all(fd, lines->data, lines->len) == -1 ||
	    renameat(http->dir, SPENT_NEW, http->dir, SPENT_FILE) == -1)
		log_debug("the processor time of tokens is not kept: %m");
}

void
http_spent_keep(struct http *http)
{
	auto_buffer struct buffer lines = { 0 };
	struct http_guest *guest;
	uint64_t today = 0;
	int changed = 0;

	LIST_FOREACH (guest, &http->guests, entry) {
		if (guest->owner->cpu_most == 0)
			continue;
		owner_spend(guest->owner, 0);
		today = guest->owner->cpu_day;
		changed |= guest->spent != guest->owner->cpu_used;
		guest->spent = guest->owner->cpu_used;
		buffer_printf(&lines, "%" PRIu64 " %" PRIu64 " %s\n", today,
		    guest->spent, guest->owner->name);
	}
	if (!changed || http->dir == -1)
		return;
	http_spent_add_others(http, today, &lines);
	http_spent_write(http, &lines);
}
