/*
 * A scope of the user's service manager, whose cgroup is ours alone: see
 * cgroup.h. systemd-run moves itself there and becomes this program again, with
 * the same process number, by which the scope is named. If it failed then, we
 * would be gone, so a child tries it first.
 */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "../../../common/base/fd.h"
#include "../../../common/base/log.h"
#include "../../../common/base/mem.h"
#include "../../options/home.h"
#include "../../process/process.h"
#include "cgroup.h"

#define SCOPE_RUN "/usr/bin/systemd-run"
/* The start time tells it from what an earlier process left in its scope. */
#define SCOPE_NAME "caisson-%d-%llu.scope"

static char *
scope_name(const char *before)
{
	return mem_printf("%s" SCOPE_NAME, before, (int)getpid(),
	    group_birth(getpid()));
}

static int
scope_read(char text[GROUP_TEXT_SIZE])
{
	return cgroup_file_read(
	    AT_FDCWD, "/proc/self/cgroup", text, GROUP_TEXT_SIZE, NULL);
}

int
scope_entered(void)
{
	auto_free char *name = scope_name("/");
	char text[GROUP_TEXT_SIZE] = "";

	return scope_read(text) == 0 && strstr(text, name) != NULL;
}

/*
 * Returns the process of our user's manager, or 0. One that sees other numbers
 * of processes than we, as from a container, would take another one for us.
 */
static pid_t
scope_manager(char **envp)
{
	const char *folder = home_folder(envp, "XDG_RUNTIME_DIR");
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct ucred manager = { 0 };
	socklen_t size = sizeof(manager);
	auto_fd int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (folder == NULL || fd == -1 || access(SCOPE_RUN, X_OK) == -1 ||
	    snprintf(address.sun_path, sizeof(address.sun_path),
	        "%s/systemd/private", folder) >=
	        (int)sizeof(address.sun_path) ||
	    connect(fd, (const struct sockaddr *)&address,
	        sizeof(address)) == -1 ||
	    getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &manager, &size) == -1)
		return 0;
	return manager.uid == geteuid() ? manager.pid : 0;
}

/*
 * For the setting auto: returns whether a scope limits boxes, and changes
 * nothing else. The main process of a unit stays in it; a server that is not in
 * the manager's part of the tree may outlive the manager, as under nohup, and
 * one in a service must end with it.
 */
static int
scope_suits(const struct options *options, pid_t manager)
{
	auto_free char *proc = mem_printf("/proc/%d", (int)manager);
	char text[GROUP_TEXT_SIZE] = "";
	pid_t parent = getppid();

	return parent != 1 && parent != manager &&
	    cgroup_offered(proc, options) && scope_read(text) == 0 &&
	    (options->command.task != COMMAND_SERVE ||
	        (strstr(text, "/user@") != NULL &&
	            strstr(text, ".scope\n") != NULL));
}

int
scope_enter(
    const struct options *options, char **argv, char **envp, struct err *err)
{
	const int required = options->cgroup == CGROUP_REQUIRED;
	auto_free char *name = scope_name("--unit=");
	char self[PATH_MAX] = "";
	char *head[] = { (char *)SCOPE_RUN, (char *)"--user",
		(char *)"--scope", (char *)"--quiet", (char *)"--collect",
		(char *)"--no-ask-password",
		(char *)"--property=Delegate=yes", name, (char *)"--", self };
	const size_t heads = sizeof(head) / sizeof(head[0]);
	char *trial[] = { head[0], head[1], head[2], head[3], head[4], head[5],
		head[6], self, (char *)"--version", NULL };
	auto_free char **words = NULL;
	struct err failed;
	pid_t manager;
	size_t n = 0;

	if (options->cgroup == CGROUP_OFF ||
	    strcmp(options->runtime, "native") != 0 ||
	    (manager = scope_manager(envp)) == 0 ||
	    scope_entered() ||
	    cgroup_delegated(options, NULL) == 0 ||
	    (!required && !scope_suits(options, manager)) ||
	    readlink("/proc/self/exe", self, sizeof(self) - 1) == -1)
		return 0;
	if (spawn_try(trial, envp, required ? SCOPE_TRY_MS : SCOPE_AUTO_MS,
	        &failed) == -1) {
		if (required)
			return err_set(err, "a cgroup is required (setting "
			    "cgroup), but the service manager makes no scope: "
			    "%s", failed.text);
		log_warn("the service manager makes no scope, so a watchdog "
		    "limits sandboxes: %s; set cgroup to off if that stays",
		    failed.text);
		return 0;
	}
	while (argv[n] != NULL)
		n++;
	words = mem_alloc((heads + n) * sizeof(*words));
	memcpy(words, head, sizeof(head));
	memcpy(words + heads, argv + 1, n * sizeof(*argv));
	return spawn_instead(words, envp, err);
}
