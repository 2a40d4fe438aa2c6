/*
 * Prints the entry for Caisson in the configuration of a client: see
 * client_config.h.
 */
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "../../../common/base/mem.h"
#include "../../../common/base/shown.h"
#include "../../../common/base/utf8.h"
#include "../../options/home.h"
#include "../../options/text/json_report.h"
#include "../../options/options.h"
#include "../../servers/servers.h"
#include "../shared/command.h"
#include "adopt_client.h"
#include "client_config.h"

/* Appends the lines that register a program with a client. */
static void
client_config_fill(struct buffer *out, const struct adopt_client *client,
    const char *path)
{
	if (strcmp(client->where, ADOPT_CLIENT_COMMAND) == 0) {
		adopt_client_add_command(out, client, path);
	} else if (client->list == NULL) {
		adopt_client_add_entry(out, client, path, "\n");
	} else {
		buffer_printf(out, "{\n    %s: {\n        ", client->list);
		adopt_client_add_entry(out, client, path, "\n");
		buffer_add_text(out, "\n    }\n}");
	}
	buffer_add_text(out, "\n");
}

static int
client_config_list(FILE *out, int json)
{
	auto_buffer struct buffer report = { 0 };
	size_t i;

	json_report_open(&report, "clients", '[');
	for (i = 0; adopt_client_at(i) != NULL; i++)
		json_report_text(&report, NULL, adopt_client_at(i)->name);
	json_report_close(&report, ']');
	if (json) {
		json_report_print(&report);
		return 0;
	}
	for (i = 0; adopt_client_at(i) != NULL; i++)
		fprintf(out, "%s\n", adopt_client_at(i)->name);
	return 0;
}

/*
 * Removes leading ".." and "." from a relative path, and the parents from the
 * directory it is relative to, which contains no links.
 */
static const char *
client_config_climb(const char *path, char *folder)
{
	char *slash;

	for (;;)
		if (strncmp(path, "./", 2) == 0) {
			path += 2;
		} else if (strncmp(path, "../", 3) == 0 &&
		    (slash = strrchr(folder, '/')) != NULL) {
			*slash = '\0';
			path += 3;
		} else {
			return path;
		}
}

/*
 * Returns the path that the program was invoked by, or NULL; the caller frees
 * it.
 */
static char *
client_config_asked(const struct client_config_self *self)
{
	auto_free char *folder = mem_strdup(self->folder);
	auto_free char *path = NULL;
	const char *command = self->invoked;

	/* Only a path with a slash is relative to the directory. */
	if (strchr(command, '/') != NULL && self->folder[0] != '\0')
		command = client_config_climb(command, folder);
	if (command != self->invoked && strchr(command, '/') == NULL)
		path = server_program_find(command, folder, folder);
	else
		path = server_program_find(command, self->search, folder);
	if (path == NULL || path[0] != '/' ||
	    !server_program_is_file(path, self->exe))
		return NULL;
	return mem_take(&path);
}

/* Returns the path of its file, or NULL with err; the caller frees it. */
static char *
client_config_file(const char *exe, struct err *err)
{
	char path[PATH_MAX];
	ssize_t len = readlink(exe, path, sizeof(path) - 1);

	if (len == -1) {
		err_sys(err, "find the path of this program");
		return NULL;
	}
	path[len] = '\0';
	return mem_strdup(path);
}

char *
client_config_path(const struct client_config_self *self, struct err *err)
{
	auto_free char *path = client_config_asked(self);

	if (path == NULL)
		path = client_config_file(self->exe, err);
	if (path != NULL && !utf8_valid(path, strlen(path))) {
		err_set(err, "the path of this program is not UTF-8: no "
		    "client can be configured with it");
		return NULL;
	}
	return mem_take(&path);
}

/*
 * Returns where the lines belong, with the user's folders in place of ~ and
 * ~/.config, where they are known; the caller frees it.
 */
static char *
client_config_where(const struct adopt_client *client, char **envp)
{
	static const char settings[] = "~/.config";
	const char *config = home_folder(envp, "XDG_CONFIG_HOME");
	const char *home = home_folder(envp, "HOME");
	struct buffer out = { 0 };
	const char *p;

	for (p = client->where; *p != '\0'; p++)
		if (config != NULL &&
		    strncmp(p, settings, strlen(settings)) == 0) {
			shown_add(&out, config, strlen(config));
			p += strlen(settings) - 1;
		} else if (*p == '~' && home != NULL) {
			shown_add(&out, home, strlen(home));
		} else {
			buffer_add(&out, p, 1);
		}
	return buffer_take(&out, NULL);
}

static void
client_config_report(const struct adopt_client *client, const char *where,
    const char *lines, const char *path)
{
	auto_buffer struct buffer report = { 0 };

	json_report_text(&report, "client", client->name);
	json_report_text(&report, "where", where);
	json_report_text(&report, "program", path);
	json_report_text(&report, "lines", lines);
	json_report_print(&report);
}

int
client_config_print(const char *name, const struct client_config_self *self,
    int json, FILE *out, struct err *err)
{
	const struct adopt_client *client;
	auto_buffer struct buffer text = { 0 };
	auto_free char *path = NULL, *where = NULL;

	if (name == NULL)
		return client_config_list(out, json);
	client = adopt_client_find(name, err);
	if (client == NULL)
		return -1;
	path = client_config_path(self, err);
	if (path == NULL)
		return -1;
	client_config_fill(&text, client, path);
	where = client_config_where(client, self->envp);
	if (json) {
		client_config_report(client, where, text.data, path);
		return 0;
	}
	fputs(text.data, out);
	fflush(out);
	fprintf(stderr, "caisson: these lines belong %s\n", where);
	return 0;
}

int
client_run(struct command_setup *setup, struct err *err)
{
	return client_config_print(setup->options->command.operand, setup->self,
	    options_json(setup->options), stdout, err);
}
