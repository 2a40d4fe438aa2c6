/*
 * The interpreter: what of the host it needs, and becoming it. The launcher
 * looks for it as Python would; the code runs it. A virtual environment is
 * bound into the view at its own path, as is the installation it is based on.
 */
#include <linux/limits.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "python.h"
#include "../interpreter/interpreter.h"
#include "../../../common/base/mem.h"

/* What venv writes into its configuration: a few lines. */
#define VENV_FILE "pyvenv.cfg"
#define VENV_LINE_MAX (PATH_MAX + 64)

/* What the interpreter runs, in the view. */
#define INTERPRETER_BOOTSTRAP "/" BOX_DATA_DIR "/bootstrap.py"

/* Finding */

/* Reads "home = DIR" into home, or leaves it empty. Returns 1 for a file. */
static int
interpreter_read_venv(const char *prefix, char *home)
{
	auto_free char *path = mem_printf("%s/" VENV_FILE, prefix);
	FILE *file = fopen(path, "re");
	char line[VENV_LINE_MAX], key[8], value[PATH_MAX];

	home[0] = '\0';
	if (file == NULL)
		return 0;
	while (fgets(line, sizeof(line), file) != NULL)
		if (sscanf(line, " %7[^ =] = %4095[^\n]", key, value) == 2 &&
		    strcasecmp(key, "home") == 0 && value[0] == '/')
			snprintf(home, PATH_MAX, "%s", value);
	fclose(file);
	return 1;
}

/*
 * Python looks for its library beside home/NAME: the links that lead from
 * there to the base must be in the view. Names that do not exist do not matter.
 */
static void
interpreter_follow_home(struct box *box, const char *home)
{
	static const char *const names[] = { "python3", "python" };
	char real[PATH_MAX];
	struct err err;
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		auto_free char *path = mem_printf("%s/%s", home, names[i]);

		if (access(path, F_OK) == 0)
			interpreter_follow(box, path, real, &err);
	}
}

/* A directory stands for the interpreter in it. Never freed: runs once. */
static int
interpreter_choose(struct box *box, struct err *err)
{
	static const char *const names[] = { "bin/python3", "bin/python" };
	const char *python = box->setup.interpreter;
	int len = (int)strlen(python);
	struct stat st;
	size_t i;

	if (stat(python, &st) == -1 || !S_ISDIR(st.st_mode))
		return 0;
	if (access(python, X_OK) == -1)
		return err_sys(err, "look into %s", python);
	while (len > 0 && python[len - 1] == '/')
		len--;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		box->setup.interpreter =
		    mem_printf("%.*s/%s", len, python, names[i]);
		if (interpreter_is_program(box->setup.interpreter))
			return 0;
	}
	return err_set(err, "%s is a directory, but no virtual environment: "
	    "there is no bin/python3 in it", python);
}

/* The environment first: links within it come with it. */
static int
interpreter_add_venv(struct box *box, char *home, struct err *err)
{
	auto_free char *prefix = interpreter_prefix(box->setup.interpreter);
	char real[PATH_MAX];

	if (!interpreter_read_venv(prefix, home))
		return 0;
	if (interpreter_follow(box, prefix, real, err) == -1)
		return -1;
	return interpreter_add(box, real, err);
}

int
python_locate(struct box *box, struct err *err)
{
	char home[PATH_MAX];

	if (interpreter_choose(box, err) == -1 ||
	    interpreter_add_venv(box, home, err) == -1 ||
	    interpreter_show(box, err) == -1)
		return -1;
	if (home[0] != '\0')
		interpreter_follow_home(box, home);
	return 0;
}

/* Becoming it */

int
python_run(struct box *box, struct err *err)
{
	/* At the weaker level the box is a folder of the host. */
	auto_free char *bootstrap =
	    mem_printf("%s" INTERPRETER_BOOTSTRAP, box->weak.folder);
	/* -I: no PYTHON* variables, no user site, no script directory. */
	const char *python = box->setup.interpreter;
	const char *const argv[] = { python, "-I", "-X", "utf8", bootstrap,
		NULL };

	return interpreter_become(box, python, argv, err);
}
