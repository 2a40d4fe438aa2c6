/* Reads and writes the small files of cgroups. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../../common/base/fd.h"
#include "cgroup.h"
#include "../../process/process.h"

int
cgroup_file_read(
    int dir, const char *name, char *text, size_t size, struct err *err)
{
	auto_fd int fd = openat(dir, name, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd == -1 ? -1 : read(fd, text, size - 1);

	if (n == -1)
		return err_sys(err, "read %s", name);
	text[n] = '\0';
	return 0;
}

int
cgroup_file_write(int dir, const char *name, const char *text, struct err *err)
{
	auto_fd int fd = openat(dir, name, O_WRONLY | O_CLOEXEC);

	if (fd == -1 || write(fd, text, strlen(text)) == -1)
		return err_sys(err, "write '%s' to %s", text, name);
	return 0;
}

int
cgroup_file_lend(int dir, struct err *err)
{
	uid_t uid = identity_template();

	return uid != 0 &&
	        fchownat(dir, "cgroup.procs", uid, (gid_t)-1, 0) == -1 ?
	    err_sys(err, "let the template start boxes in it") : 0;
}

uint64_t
cgroup_file_number(const char *text, const char *name)
{
	size_t len = strlen(name);
	const char *line;

	for (line = text; line != NULL; line = strchr(line, '\n')) {
		line += line[0] == '\n';
		if (strncmp(line, name, len) == 0 && line[len] == ' ')
			return strtoull(line + len, NULL, 10);
	}
	return 0;
}
