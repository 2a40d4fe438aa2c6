/* What the code can reach: see trial.h. Runs in the box. */
#include <arpa/inet.h>
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "trial.h"

/* Of the service discard (RFC 863). Any port would do: nothing is sent. */
#define REACH_DISCARD 9

/* More than the box itself has at the start. */
#define REACH_PROCESSES 8

/*
 * Counts the lines of a file for which is_none returns 0: those may be routes
 * to other machines. Returns -1 with errno if the file cannot be read.
 */
static int
reach_routes(const char *path, int (*is_none)(const char *line))
{
	FILE *file = fopen(path, "re");
	char *line = NULL;
	size_t size = 0;
	int n = 0;

	if (file == NULL)
		return -1;
	while (getline(&line, &size, file) != -1)
		n += !is_none(line);
	free(line);
	fclose(file);
	return n;
}

static int
reach_counts(const char *line __attribute__((unused)))
{
	return 0;
}

/* The filter may refuse sockets only, so routes are looked for, too. */
static int
reach_no_routes(void)
{
	/* Its first line is a heading; it has no routes of lo. */
	int four = reach_routes("/proc/net/route", reach_counts);
	int six = reach_routes("/proc/net/ipv6_route", proc_line_is_lonely);

	/* Without the file the kernel has no IPv6. */
	if (six == -1 && errno == ENOENT)
		six = 0;
	return four == -1 || six == -1 ? -1 : four <= 1 && six == 0;
}

/* Returns whether a route leads there. Nothing is sent. */
static int
reach_leads(const struct sockaddr *address, socklen_t len)
{
	int fd = socket(address->sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int leads = fd != -1 && connect(fd, address, len) == 0;

	if (fd != -1)
		close(fd);
	return leads;
}

/* These addresses stand for any other machine: RFC 5737 and RFC 3849. */
int
reach_no_network(void)
{
	struct sockaddr_in four = { .sin_family = AF_INET,
		.sin_port = htons(REACH_DISCARD) };
	struct sockaddr_in6 six = { .sin6_family = AF_INET6,
		.sin6_port = htons(REACH_DISCARD) };
	int none = reach_no_routes();

	if (none != 1)
		return none;
	inet_pton(AF_INET, "192.0.2.1", &four.sin_addr);
	inet_pton(AF_INET6, "2001:db8::1", &six.sin6_addr);
	return !reach_leads((struct sockaddr *)&four, sizeof(four)) &&
	    !reach_leads((struct sockaddr *)&six, sizeof(six));
}

/* Process 1 of the box is this one or its parent, and it has few others. */
int
reach_no_process(void)
{
	const struct dirent *entry;
	DIR *dir = opendir("/proc");
	int n = 0;

	if (dir == NULL)
		return -1;
	while ((entry = readdir(dir)) != NULL)
		n += isdigit((unsigned char)entry->d_name[0]) != 0;
	closedir(dir);
	return (getpid() == 1 || getppid() == 1) && n < REACH_PROCESSES;
}
