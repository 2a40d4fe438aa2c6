/*
 * The search path for the programs of servers: see servers.h. Desktop
 * environments start programs with a short PATH. A shell, which would have a
 * better one, is not started. Runs in the supervisor; reads directories and
 * opens no file.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../../common/base/buffer.h"
#include "../../common/base/mem.h"
#include "../options/home.h"
#include "servers.h"

/*
 * The usual additions of login shells, common ones first; ~ is HOME, * the
 * newest installed version.
 */
static const char *const server_path_folders[] = {
	"~/.local/bin",
	"~/bin",
	"/usr/local/bin",
	"/usr/bin",
	"/bin",
	"/snap/bin",
	"/opt/homebrew/bin",
	"~/.cargo/bin",
	"~/.bun/bin",
	"~/.deno/bin",
	"~/.volta/bin",
	"~/.local/share/pnpm",
	"~/.npm-global/bin",
	"~/.nvm/versions/node/*/bin",
	"~/.local/share/fnm/aliases/default/bin",
	"~/.asdf/shims",
	"~/.local/share/mise/shims",
	"~/.pyenv/shims",
	"~/.nix-profile/bin",
	"/run/current-system/sw/bin",
};

#define SERVER_PATH_FOLDERS                                                    \
	(sizeof(server_path_folders) / sizeof(server_path_folders[0]))

static int
server_path_is_folder(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

/*
 * Returns the newest version in a directory, NULL if none; the caller frees it.
 */
static char *
server_path_newest(const char *folder)
{
	const struct dirent *found;
	char *newest = NULL;
	DIR *dir = opendir(folder);

	if (dir == NULL)
		return NULL;
	while ((found = readdir(dir)) != NULL) {
		if (found->d_name[0] == '.' ||
		    (newest != NULL && strverscmp(found->d_name, newest) < 0))
			continue;
		free(newest);
		newest = mem_strdup(found->d_name);
	}
	closedir(dir);
	return newest;
}

/* Returns the home, or NULL if its programs may not be started. */
static const char *
server_path_home(char **envp)
{
	const char *home = home_folder(envp, "HOME");
	auto_free char *refusal = home_refusal(envp, "HOME");

	return refusal != NULL || (home != NULL && strchr(home, ':') != NULL)
	    ? NULL
	    : home;
}

/* Returns a row as a path, NULL if it does not exist; the caller frees it. */
static char *
server_path_expand(const char *row, const char *home)
{
	auto_free char *path = NULL, *newest = NULL;
	char *star;

	if (row[0] != '~')
		return mem_strdup(row);
	if (home == NULL)
		return NULL;
	path = mem_printf("%s%s", home, row + 1);
	star = strstr(path, "/*/");
	if (star == NULL)
		return mem_take(&path);
	*star = '\0';
	newest = server_path_newest(path);
	if (newest == NULL || strchr(newest, ':') != NULL)
		return NULL;
	return mem_printf("%s/%s%s", path, newest, star + 2);
}

/* Returns whether a directory is in a list, with or without a final slash. */
static int
server_path_has(const char *search, const char *folder)
{
	size_t n, len = strlen(folder);

	for (;; search += n + 1) {
		n = strcspn(search, ":");
		if (n >= len && strncmp(search, folder, len) == 0 &&
		    strspn(search + len, "/") == n - len)
			return 1;
		if (search[n] == '\0')
			return 0;
	}
}

char *
server_path_extend(const char *search, char **envp)
{
	const char *home = server_path_home(envp);
	auto_buffer struct buffer out = { 0 };
	size_t i;

	buffer_add_text(&out, search);
	for (i = 0; i < SERVER_PATH_FOLDERS; i++) {
		auto_free char *folder =
		    server_path_expand(server_path_folders[i], home);

		if (folder == NULL || server_path_has(out.data, folder) ||
		    !server_path_is_folder(folder))
			continue;
		buffer_printf(&out, "%s%s", out.len > 0 ? ":" : "", folder);
	}
	return buffer_take(&out, NULL);
}
