/*
 * The users of a template's boxes, if the supervisor is root: each box gets its
 * own user, so the user namespace of the template contains them all. Only root
 * outside the namespace may map more than one: a child that the launcher forks
 * while it is root does that, and exits. user_namespaces(7) is the source.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "native.h"
#include "../../../common/base/fd.h"
#include "../../../common/base/mem.h"

/* The child that will map them, and the line whose end is the signal for it. */
static pid_t users_mapper = -1;
static int users_line = -1;

static int
users_write(pid_t pid, const char *name, const char *text)
{
	auto_free char *path = mem_printf("/proc/%d/%s", (int)pid, name);
	auto_fd int fd = open(path, O_WRONLY | O_CLOEXEC);

	return fd == -1 || write(fd, text, strlen(text)) == -1 ? -1 : 0;
}

/*
 * The template's own first, if it is not among the others. IDs are the same as
 * outside, because messages name boxes by them.
 */
static char *
users_make_map(const struct box *box)
{
	unsigned long long own = box->setup.uid;
	unsigned long long first = box->template.first_uid;
	unsigned long long n = box->template.uids;

	if (own >= first && own - first < n)
		return mem_printf("%llu %llu %llu\n", first, first, n);
	return mem_printf("%llu %llu 1\n%llu %llu %llu\n", own, own, first,
	    first, n);
}

/* In the child, which is still root. Exits with errno. */
static void __attribute__((noreturn))
users_map_for(const struct box *box, pid_t launcher, int line)
{
	auto_free char *map = users_make_map(box);
	char go;

	/* End of file instead of a byte: the launcher failed. */
	if (read(line, &go, 1) != 1)
		_exit(0);
	/* Then no process can change its groups. */
	if (users_write(launcher, "setgroups", "deny") == -1 ||
	    users_write(launcher, "uid_map", map) == -1 ||
	    users_write(launcher, "gid_map", map) == -1)
		_exit(errno);
	_exit(0);
}

int
users_prepare(struct box *box, struct err *err)
{
	pid_t launcher = getpid();
	int line[2];

	if (box->kind != BOX_TEMPLATE || box->template.uids == 0)
		return 0;
	if (pipe2(line, O_CLOEXEC) == -1)
		return err_sys(err, "make a pipe");
	users_mapper = fork();
	if (users_mapper == 0) {
		close(line[1]);
		users_map_for(box, launcher, line[0]);
	}
	close(line[0]);
	users_line = line[1];
	if (users_mapper == -1)
		return err_sys(err, "start a process");
	return 0;
}

int
users_map(struct box *, struct err *err)
{
	int status = 0;

	if (write(users_line, "", 1) == -1)
		return err_sys(err, "wait for the mapping of users");
	fd_close(&users_line);
	if (waitpid(users_mapper, &status, 0) == -1 || !WIFEXITED(status))
		return err_set(err, "the users could not be mapped");
	errno = WEXITSTATUS(status);
	if (errno != 0)
		return err_sys(err, "map the users of its boxes");
	return 0;
}
