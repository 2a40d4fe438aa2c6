/*
 * caisson service: installs the units of the user's service manager, removes
 * them, and tells how the service does. systemctl does the work; a unit that
 * someone else has written is not touched.
 */
#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../../common/base/mem.h"
#include "../../../common/limits.h"
#include "../../box/engine/engine.h"
#include "../../options/home.h"
#include "../../options/options.h"
#include "../../options/text/json_report.h"
#include "../../process/process.h"
#include "../adopt/adopt_file.h"
#include "../shared/command.h"
#include "caisson_service_text.h"
#include "caisson_socket_text.h"

#define UNITS_SYSTEMCTL "/usr/bin/systemctl"
#define UNITS_SERVICE "caisson.service"
#define UNITS_SOCKET "caisson.socket"
#define UNITS_PROGRAM "@CAISSON@"
#define UNITS_MARK "'caisson service install' writes"
#define UNITS_LINGER "/var/lib/systemd/linger"

/* Runs it for the user. Returns 0 with what it has printed, or -1 with err. */
static int
units_ask(const struct command_setup *setup, char *const *words,
    struct buffer *out, struct err *err)
{
	char *argv[8] = { (char *)UNITS_SYSTEMCTL, (char *)"--user" };
	struct spawn_program program = { .path = UNITS_SYSTEMCTL,
		.argv = argv,
		.envp = setup->envp,
		.cwd = "/" };
	struct container_answer answer = { 0 };
	auto_free char *errors = NULL;
	size_t i;
	int asked;

	for (i = 0; words[i] != NULL; i++)
		argv[i + 2] = words[i];
	asked = container_engine_ask_part(
	    setup->base, &program, UNITS_ASK_MS, &answer, err);
	errors = container_engine_errors(&answer);
	*out = answer.out;
	buffer_add_text(out, "");
	buffer_reset(&answer.errors);
	errors[strcspn(errors, "\n")] = '\0';
	if (asked == -1 || answer.status == 0)
		return asked;
	return err_set(err, "systemctl --user %s: %s; see 'journalctl --user "
	    "-u " UNITS_SERVICE "', and run this in a session of the user that "
	    "systemd has begun", words[0], errors);
}

/* With both units, if there is a flag. */
static int
units_do(const struct command_setup *setup, const char *verb,
    const char *flag, struct err *err)
{
	char *words[] = { (char *)verb, (char *)flag, (char *)UNITS_SOCKET,
		(char *)UNITS_SERVICE, NULL };
	auto_buffer struct buffer out = { 0 };

	return units_ask(setup, words, &out, err);
}

static void __attribute__((format(printf, 2, 3)))
units_say(const struct command_setup *setup, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	if (!options_json(setup->options))
		vprintf(fmt, ap);
	va_end(ap);
}

/* Telling */

/* Tells whether services of the user run on without a session, and the fix. */
static void
units_tell_lingering(const struct command_setup *setup, struct buffer *json)
{
	const struct passwd *row = getpwuid(getuid());
	auto_free char *user = row != NULL ? mem_strdup(row->pw_name) :
	    mem_printf("%u", (unsigned int)getuid());
	auto_free char *path = mem_printf(UNITS_LINGER "/%s", user);
	int lingers = access(path, F_OK) == 0;

	json_report_bool(json, "Linger", lingers);
	if (!lingers)
		units_say(setup, "lingering is off: the service ends with the "
		    "last session of %s, and does not start with the machine; "
		    "to change that: loginctl enable-linger %s\n", user, user);
}

/* Prints the properties of the service, under the names of the manager. */
static int
units_tell(const struct command_setup *setup, struct err *err)
{
	char *words[] = { (char *)"show", (char *)"--property",
		(char *)"ActiveState,SubState,MainPID,NRestarts,StatusText,"
		    "UnitFileState,FragmentPath,TriggeredBy",
		(char *)UNITS_SERVICE, NULL };
	auto_buffer struct buffer out = { 0 }, json = { 0 };
	char *rest, *line, *value;

	if (units_ask(setup, words, &out, err) == -1)
		return -1;
	rest = out.data;
	while ((line = strsep(&rest, "\n")) != NULL) {
		value = strchr(line, '=');
		if (value == NULL)
			continue;
		*value++ = '\0';
		units_say(setup, "%-14s %s\n", line, value);
		json_report_text(&json, line, value);
	}
	units_tell_lingering(setup, &json);
	if (options_json(setup->options))
		json_report_print(&json);
	return 0;
}

/* Files */

/* Returns the text of a unit for this program, or NULL with err. */
static char *
units_fill(const char *text, struct err *err)
{
	const char *at = strstr(text, UNITS_PROGRAM);
	char self[PATH_MAX] = "";

	if (at == NULL)
		return mem_strdup(text);
	if (readlink("/proc/self/exe", self, sizeof(self) - 1) == -1 ||
	    strpbrk(self, "\"\\%$\n") != NULL) {
		err_set(err, "the path of this program cannot be in a unit: "
		    "install Caisson in a folder without quotation marks, "
		    "backslashes, percent and dollar signs");
		return NULL;
	}
	return mem_printf("%.*s%s%s", (int)(at - text), text, self,
	    at + strlen(UNITS_PROGRAM));
}

/* Returns whether there is such a unit, or -1 with err: it is not ours. */
static int
units_read(const char *path, struct adopt_file *file, struct err *err)
{
	if (access(path, F_OK) == -1)
		return 0;
	if (adopt_file_read(file, path, err) == -1)
		return -1;
	buffer_add_text(&file->data, "");
	return strstr(file->data.data, UNITS_MARK) != NULL ? 1 :
	    err_set(err, "%s was not written by 'caisson service install': "
	        "move it away", path);
}

/* Returns whether the file had to be written, or -1 with err. */
static int
units_write(const struct command_setup *setup, const char *folder,
    const char *name, const char *text, struct err *err)
{
	auto_free char *path = mem_printf("%s/%s", folder, name);
	auto_free char *filled = units_fill(text, err);
	struct adopt_file file = { 0 };
	int done = filled == NULL ? -1 : units_read(path, &file, err);

	if (done != -1)
		done = done == 0 || strcmp(file.data.data, filled) != 0;
	adopt_file_reset(&file);
	if (done == 1 &&
	    adopt_file_write(path, filled, strlen(filled), err) == -1)
		return -1;
	if (done == 1)
		units_say(setup, "wrote %s\n", path);
	return done;
}

/* Commands */

/*
 * What runs may be that of former units. Without a manager nothing is written,
 * since only it could undo that.
 */
static int
units_install(
    const struct command_setup *setup, const char *folder, struct err *err)
{
	int socket = units_do(setup, "daemon-reload", NULL, err) == -1 ||
	        adopt_file_make_folder(folder, err) == -1 ? -1 :
	    units_write(setup, folder, UNITS_SOCKET, caisson_socket_text, err);
	int service = socket == -1 ? -1 : units_write(
	    setup, folder, UNITS_SERVICE, caisson_service_text, err);

	if (service == -1 ||
	    units_do(setup, "daemon-reload", NULL, err) == -1 ||
	    units_do(setup, "enable", "--now", err) == -1 ||
	    ((service || socket) &&
	        units_do(setup, "restart", "--", err) == -1))
		return -1;
	units_say(setup, UNITS_SOCKET " and " UNITS_SERVICE " are enabled and "
	    "started\n");
	return units_tell(setup, err);
}

/* Removes the units, and what enabling them has made. The service is last. */
static int
units_unlink(const char *folder, struct err *err)
{
	static const char *const names[] = { "sockets.target.wants/"
		UNITS_SOCKET, "default.target.wants/" UNITS_SERVICE,
		UNITS_SOCKET, UNITS_SERVICE };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		auto_free char *path = mem_printf("%s/%s", folder, names[i]);

		if (unlink(path) == -1 && errno != ENOENT)
			return err_sys(err, "remove %s", path);
	}
	return 0;
}

/* Without a manager the files are removed, too, and what may run is told. */
static int
units_remove(
    const struct command_setup *setup, const char *folder, struct err *err)
{
	auto_free char *service = mem_printf("%s/" UNITS_SERVICE, folder);
	auto_free char *socket = mem_printf("%s/" UNITS_SOCKET, folder);
	struct adopt_file file = { 0 };
	struct err why;
	int found = units_read(socket, &file, err), managed;

	adopt_file_reset(&file);
	if (found != -1)
		found = units_read(service, &file, err);
	adopt_file_reset(&file);
	if (found == -1)
		return -1;
	managed = units_do(setup, "daemon-reload", NULL, &why) == 0;
	if (found == 1 && ((managed &&
	        units_do(setup, "disable", "--now", err) == -1) ||
	        units_unlink(folder, err) == -1))
		return -1;
	units_say(setup, found == 0 ? "there is no %s\n" : "removed %s\n",
	    service);
	if (!managed)
		return err_set(err, "%s%s", found == 0 ? "" : "the service was "
		    "not stopped, if it runs ('caisson status' has its "
		    "process): ", why.text);
	return units_do(setup, "daemon-reload", NULL, err) == -1 ? -1 :
	    units_tell(setup, err);
}

static int
units_run(const struct command_setup *setup,
    int (*run)(const struct command_setup *setup, const char *folder,
        struct err *err))
{
	const char *own = home_folder(setup->envp, "XDG_CONFIG_HOME");
	const char *home = setup->options->home;
	auto_free char *folder = mem_printf("%s%s/systemd/user",
	    own != NULL ? own : home, own != NULL ? "" : "/.config");
	struct err err;

	return command_end(own != NULL || home != NULL ?
	    run(setup, folder, &err) : err_set(&err, "no place for units: HOME "
	    "is not set; set it to your home folder"), &err);
}

int
service_install_run(struct command_setup *setup, struct err *)
{
	return units_run(setup, units_install);
}

int
service_remove_run(struct command_setup *setup, struct err *)
{
	return units_run(setup, units_remove);
}

int
service_status_run(struct command_setup *setup, struct err *)
{
	struct err err;

	return command_end(units_tell(setup, &err), &err);
}
