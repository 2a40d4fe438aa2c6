/*
 * The service manager that has started us, if any: see socket.h. The protocol
 * of sd_notify(3) is a datagram of lines, so no library is loaded for it.
 */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "../../../common/base/fd.h"
#include "socket.h"

/* Returns the value of a variable, which leaves envp; NULL: it is not set. */
static const char *
notify_take_variable(char **envp, const char *name)
{
	size_t len = strlen(name);
	const char *value;

	while (*envp != NULL &&
	    (strncmp(*envp, name, len) != 0 || (*envp)[len] != '='))
		envp++;
	if (*envp == NULL)
		return NULL;
	value = *envp + len + 1;
	for (; *envp != NULL; envp++)
		envp[0] = envp[1];
	return value;
}

void
notify_take(struct notify *notify, char **envp)
{
	const char *usec = notify_take_variable(envp, "WATCHDOG_USEC");
	const char *pid = notify_take_variable(envp, "WATCHDOG_PID");

	notify->where = notify_take_variable(envp, "NOTIFY_SOCKET");
	notify->watchdog = usec != NULL &&
	    (pid == NULL || strtol(pid, NULL, 10) == (long)getpid());
}

int
notify_send(const struct notify *notify, const char *lines, struct err *err)
{
	struct sockaddr_un to = { .sun_family = AF_UNIX };
	size_t len = notify->where == NULL ? 0 : strlen(notify->where);
	auto_fd int fd = -1;

	if (len == 0)
		return 0;
	if (len >= sizeof(to.sun_path) || strchr("/@", *notify->where) == NULL)
		return err_set(err, "NOTIFY_SOCKET is neither a path nor an "
		    "abstract name of at most %zu bytes",
		    sizeof(to.sun_path) - 1);
	memcpy(to.sun_path, notify->where, len);
	if (to.sun_path[0] == '@')
		to.sun_path[0] = '\0';
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd == -1 ||
	    sendto(fd, lines, strlen(lines), MSG_NOSIGNAL,
	        (const struct sockaddr *)&to,
	        (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len)) ==
	        -1)
		return err_sys(err, "notify the service manager");
	return 0;
}
