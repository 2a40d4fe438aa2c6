/*
 * A scope of the user's service manager, whose cgroup is ours alone: see
 * cgroup.h. systemd-run moves itself there and becomes this program again, with
 * the same process number, by which the scope is named. If it failed then, we
 * would be gone, so a child tries it first. Runs in the supervisor.
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
#define SCOPE_NAME "caisson-%d.scope"

int
scope_entered(void)
{
	auto_free char *name =
	    mem_printf("/" SCOPE_NAME, (int)getpid());
	char text[GROUP_TEXT_SIZE] = "";

	return cgroup_file_read(AT_FDCWD, "/proc/self/cgroup", text,
	           sizeof(text), NULL) == 0 && strstr(text, name) != NULL;
}

static int
scope_manager_answers(char **envp)
{
	const char *folder = home_folder(envp, "XDG_RUNTIME_DIR");
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	auto_fd int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	return folder != NULL && fd != -1 && access(SCOPE_RUN, X_OK) == 0 &&
	    snprintf(address.sun_path, sizeof(address.sun_path),
	        "%s/systemd/private", folder) <
	        (int)sizeof(address.sun_path) &&
	    connect(fd, (const struct sockaddr *)&address,
	        sizeof(address)) == 0;
}

int
scope_enter(
    const struct options *options, char **argv, char **envp, struct err *err)
{
	auto_free char *name =
	    mem_printf("--unit=" SCOPE_NAME, (int)getpid());
	char self[PATH_MAX] = "";
	char *head[] = { (char *)SCOPE_RUN, (char *)"--user",
		(char *)"--scope", (char *)"--quiet", (char *)"--collect",
		(char *)"--property=Delegate=yes", name, (char *)"--", self };
	const size_t heads = sizeof(head) / sizeof(head[0]);
	char *trial[] = { head[0], head[1], head[2], head[3], head[4], head[5],
		self, (char *)"--version", NULL };
	auto_free char **words = NULL;
	struct err failed;
	size_t n = 0;

	if (options->cgroup == CGROUP_OFF ||
	    strcmp(options->runtime, "native") != 0 ||
	    scope_entered() ||
	    cgroup_delegated(options, NULL) == 0 ||
	    !scope_manager_answers(envp) ||
	    readlink("/proc/self/exe", self, sizeof(self) - 1) == -1)
		return 0;
	if (spawn_try(trial, envp, SCOPE_TRY_MS, &failed) == -1) {
		if (options->cgroup == CGROUP_REQUIRED)
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
