/*
 * The program that runs the code of a language, where its option may be the
 * name of one: see language.h. Runs in the supervisor; reads attributes of
 * files and opens none.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../../common/base/mem.h"
#include "../../options/option_table.h"
#include "../../servers/servers.h"
#include "language.h"

/*
 * Returns the program of this name, or of the first of the others in the list
 * where it is the first of the list; NULL if none is found. The caller frees
 * it.
 */
static char *
interpreter_search(const char *const *words, const char *name)
{
	const char *path = getenv("PATH");
	auto_free char *search =
	    server_path_extend(path == NULL ? "" : path, environ);
	char *found = NULL;

	if (strcmp(name, words[0]) != 0)
		return server_program_find(name, search, "/");
	while (found == NULL && *++words != NULL)
		found = server_program_find(*words, search, "/");
	return found;
}

const char *
language_interpreter(
    const struct language *language, const struct options *options)
{
	/* What was found last, for the name. */
	static char *found, *found_for;
	const struct option_row *row = option_row(language->interpreter);
	const char *value = options_text(options, language->interpreter);

	if (row->kind != OPTION_KIND_PROGRAM || value[0] == '/')
		return value;
	if (found == NULL || strcmp(found_for, value) != 0 ||
	    access(found, X_OK) == -1) {
		free(found);
		free(found_for);
		found = interpreter_search(row->words, value);
		found_for = mem_strdup(value);
	}
	return found == NULL ? value : found;
}
