/*
 * Reads the files of /proc about the processes of a box, for the watchdog. Runs
 * in init, which allocates nothing. proc(5) is the source.
 *
 * The functions of the C library for reading and writing numbers use its locale
 * and handlers added to printf(), which a forked init does not have: see
 * spare.c.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "memory.h"
#include "memory_parts.h"

uint64_t
memory_digits(const char *text)
{
	uint64_t number = 0;

	text += strspn(text, " \t");
	for (; *text >= '0' && *text <= '9'; text++)
		number = number * 10 + (uint64_t)(*text - '0');
	return number;
}

/* Writes a number that is not negative, and returns the address after it. */
static char *
memory_put_number(char *to, int number)
{
	char digits[16];
	size_t n = 0;

	do {
		digits[n++] = (char)('0' + number % 10);
		number /= 10;
	} while (number > 0);
	while (n > 0)
		*to++ = digits[--n];
	*to = '\0';
	return to;
}

int
memory_open_file(const struct memory *memory, pid_t pid, const char *name)
{
	char path[64];
	char *end = memory_put_number(path, pid);
	int fd;

	*end++ = '/';
	memcpy(end, name, strlen(name) + 1);
	fd = openat(memory->proc, path, O_RDONLY | O_CLOEXEC);
	if (fd == -1 && (errno == ENOENT || errno == ESRCH))
		errno = 0;
	return fd;
}

int
memory_read(const struct memory *memory, pid_t pid, const char *name,
    char *text)
{
	int fd = memory_open_file(memory, pid, name);
	size_t len = 0;
	ssize_t n = 1;

	text[0] = '\0';
	if (fd == -1)
		return errno == 0 ? 0 : -1;
	while (n > 0 && len < BOX_MEMORY_TEXT_SIZE - 1) {
		n = read(fd, text + len, BOX_MEMORY_TEXT_SIZE - 1 - len);
		if (n > 0)
			len += (size_t)n;
	}
	close(fd);
	text[len] = '\0';
	if (n == -1)
		return errno == ESRCH ? 0 : -1;
	return 1;
}

uint64_t
memory_field(const char *stat, int n)
{
	/* A process may have any name, with brackets and spaces. */
	const char *field = strrchr(stat, ')');

	while (field != NULL && n-- > 0)
		field = strchr(field + 1, ' ');
	return field == NULL ? 0 : memory_digits(field);
}

int
memory_next(struct memory_list *list)
{
	const struct dirent64 *entry;

	for (;;) {
		if (list->at == list->len) {
			list->at = 0;
			list->len = getdents64(list->fd, list->entries,
			    sizeof(list->entries));
			if (list->len <= 0)
				break;
		}
		entry = (const struct dirent64 *)(list->entries + list->at);
		list->at += entry->d_reclen;
		if (entry->d_name[0] >= '0' && entry->d_name[0] <= '9')
			return (int)memory_digits(entry->d_name);
	}
	return list->len == 0 ? MEMORY_END : MEMORY_ERROR;
}

const char *
memory_find(const char *text, const char *key)
{
	size_t len = strlen(key);
	const char *line;

	for (line = text; line != NULL; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, len) == 0 && line[len] == ':')
			return line + len + 1;
	}
	return NULL;
}

uint64_t
memory_number(const char *text, const char *key)
{
	const char *found = memory_find(text, key);

	return found == NULL ? 0 : memory_digits(found);
}

uint64_t
memory_bytes(const char *text, const char *key)
{
	return memory_number(text, key) * KIB;
}

uint64_t
memory_signals(const char *status, const char *key)
{
	const char *digit = memory_find(status, key);
	uint64_t bits = 0;

	if (digit == NULL)
		return 0;
	for (digit += strspn(digit, " \t"); (*digit >= '0' && *digit <= '9') ||
	    (*digit >= 'a' && *digit <= 'f'); digit++)
		bits = bits << 4 | (uint64_t)(*digit <= '9' ?
		        *digit - '0' : *digit - 'a' + 10);
	return bits;
}

char
memory_state(const char *status)
{
	const char *found = memory_find(status, "State");

	return found == NULL ? '?' : found[strspn(found, " \t")];
}

uint64_t
memory_of_status(const char *status)
{
	return memory_bytes(status, "RssAnon") + memory_bytes(status, "VmSwap");
}

int
memory_read_status(const struct memory *memory, pid_t pid, char *status)
{
	int n = memory_read(memory, pid, "status", status);

	if (n != 1 || status[0] == '\0')
		return n;
	return memory_find(status, "Threads") == NULL ? -1 : 1;
}

int
memory_is_headless(const char *status)
{
	return memory_find(status, "RssAnon") == NULL &&
	    memory_number(status, "Threads") > 1;
}

pid_t
memory_visit_threads(const struct memory *memory, pid_t pid,
    memory_visit *visit, char *status)
{
	struct memory_list tasks = {
		.fd = memory_open_file(memory, pid, "task")
	};
	pid_t found = 0;
	int tid;

	if (tasks.fd == -1)
		return 0;
	while (found == 0 && (tid = memory_next(&tasks)) >= 0)
		if (visit(memory, pid, tid, status))
			found = tid;
	close(tasks.fd);
	return found;
}

int
memory_add_processes(
    struct memory *memory, memory_add *add, struct memory_sum *sum)
{
	struct memory_list list = { .fd = memory->proc };
	int pid;

	if (lseek(memory->proc, 0, SEEK_SET) == -1)
		return -1;
	while ((pid = memory_next(&list)) >= 0) {
		if (pid > 1 && add(memory, pid, sum) == -1)
			return -1;
		sum->late |= memory_is_late(memory);
		if (sum->late || sum->loose)
			return 0;
	}
	return pid == MEMORY_END ? 0 : -1;
}
