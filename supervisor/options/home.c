/* The owners of the user's directories: see home.h. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../../common/base/mem.h"
#include "home.h"

const char *
home_variable(char **envp, const char *name)
{
	size_t len = strlen(name);

	for (; *envp != NULL; envp++)
		if (strncmp(*envp, name, len) == 0 && (*envp)[len] == '=')
			return *envp + len + 1;
	return NULL;
}

const char *
home_folder(char **envp, const char *name)
{
	const char *value = home_variable(envp, name);

	return value != NULL && value[0] == '/' ? value : NULL;
}

uid_t
home_owner(const char *folder)
{
	auto_free char *path = mem_strdup(folder);
	struct stat st;
	char *slash;

	while (stat(path, &st) == -1) {
		slash = strrchr(path, '/');
		if ((errno != ENOENT && errno != ENOTDIR) || slash == NULL ||
		    strcmp(path, "/") == 0)
			return geteuid();
		slash[slash == path] = '\0';
	}
	return st.st_uid;
}

/* Returns the fix for the variable; the caller frees it. */
static char *
home_fix(const char *name, uid_t self)
{
	if (self == 0 && strcmp(name, "HOME") == 0)
		return mem_strdup("set HOME=/root (sudo -H)");
	return mem_printf(
	    "set %s to a folder of user %u", name, (unsigned int)self);
}

char *
home_refusal(char **envp, const char *name)
{
	const char *folder = home_folder(envp, name);
	uid_t owner = folder == NULL ? 0 : home_owner(folder);
	uid_t self = geteuid();
	auto_free char *fix = NULL;

	if (owner == self || owner == 0)
		return NULL;
	fix = home_fix(name, self);
	return mem_printf("%s (%s) belongs to user %u, but Caisson runs as "
	    "user %u: %s, or run Caisson as user %u", name, folder,
	    (unsigned int)owner, (unsigned int)self, fix, (unsigned int)owner);
}

const char *
home_servers(char **envp)
{
	const char *json = home_variable(envp, "MCP_BRIDGE_CONFIG");

	return json != NULL && json[strspn(json, " \t\r\n")] == '{' ? json :
	                                                             NULL;
}

char *
home_below(char **envp, const char *variable, const char *otherwise)
{
	const char *folder = home_folder(envp, variable);

	if (folder != NULL)
		return mem_printf("%s/caisson", folder);
	folder = home_folder(envp, "HOME");
	return folder == NULL ? NULL :
	    mem_printf("%s/%s/caisson", folder, otherwise);
}

const char *
home_settings_variable(char **envp)
{
	return home_folder(envp, "XDG_CONFIG_HOME") != NULL
	    ? "XDG_CONFIG_HOME"
	    : "HOME";
}

char *
home_settings(char **envp, struct err *err)
{
	const char *variable = home_settings_variable(envp);
	const char *folder = home_folder(envp, variable);
	auto_free char *refusal = NULL;

	if (folder == NULL) {
		err_set(err, "no place for servers: HOME is not set; set it to "
		    "your home folder");
		return NULL;
	}
	refusal = home_refusal(envp, variable);
	if (refusal != NULL) {
		err_set(err, "%s", refusal);
		return NULL;
	}
	return home_below(envp, "XDG_CONFIG_HOME", ".config");
}

int
home_trusts(const struct stat *st, struct err *err)
{
	if (st->st_uid != geteuid() && st->st_uid != 0)
		return err_set(err, "belongs to another user (number %lu)",
		    (unsigned long)st->st_uid);
	if ((st->st_mode & S_IWOTH) != 0)
		return err_set(err, "can be written by every user of this "
		    "machine; fix: 'chmod o-w'");
	return 0;
}

/* In a directory with the sticky bit, others replace only what is theirs. */
static int
home_is_changeable(const char *path)
{
	struct stat st;

	return lstat(path, &st) == -1 ||
	    (st.st_uid != geteuid() && st.st_uid != 0) ||
	    ((st.st_mode & (S_IWGRP | S_IWOTH)) != 0 &&
	        (st.st_mode & S_ISVTX) == 0);
}

char *
home_changeable(const char *path)
{
	auto_free char *way = mem_strdup(path);
	char *end;

	while (!home_is_changeable(way)) {
		end = strrchr(way, '/');
		if (end == NULL || end[1] == '\0')
			return NULL;
		end[end == way] = '\0';
	}
	return mem_take(&way);
}
