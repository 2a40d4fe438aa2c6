/*
 * A keeper is forked from the supervisor, so its memory is a copy that may hold
 * secrets, such as the environment of other servers. Once its server runs, it
 * executes the program caisson, which only goes on as that keeper: the copy is
 * gone. The command line has what the keeper still needs: numbers, paths, and
 * the commands that find and remove the container, none of which is secret.
 * Signals stay blocked and pending, and children stay children. Runs in the
 * keeper.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../common/base/log.h"
#include "../../common/base/mem.h"
#include "keeper_parts.h"

/* The first characters of the command line of a keeper. */
#define KEEPER_TITLE "caisson: keeper["

/*
 * The words of that command line. The command that finds the container follows,
 * an empty word, and the command that removes the container.
 */
enum {
	KEEPER_WORD_TITLE,
	KEEPER_WORD_NUMBERS,
	KEEPER_WORDS,
};

/* Number, supervisor, server, log level, remove_ms, only removes, outlives. */
#define KEEPER_NUMBERS "%lu %d %d %d %u %d %d"

static size_t
keeper_count(char *const *words)
{
	size_t n = 0;

	while (words != NULL && words[n] != NULL)
		n++;
	return n;
}

/* Copies a command to the words from the n-th one on. Returns the next one. */
static size_t
keeper_add(char **words, size_t n, char *const *command)
{
	size_t i, count = keeper_count(command);

	for (i = 0; i < count; i++)
		words[n + i] = command[i];
	return n + count;
}

/*
 * Keeps what the engine needs of the environment of a server, which may have
 * secrets.
 */
static void
keeper_need(char **envp)
{
	static const char *const needed[] = { "PATH=", "HOME=", "TMPDIR=",
		"USER=", "XDG_", "DOCKER_", "CONTAINER" };
	char **kept = envp;
	size_t n;

	for (; *envp != NULL; envp++)
		for (n = 0; n < sizeof(needed) / sizeof(needed[0]); n++)
			if (strncmp(*envp, needed[n], strlen(needed[n])) == 0) {
				*kept++ = *envp;
				break;
			}
	*kept = NULL;
}

void
keeper_start_over(
    const struct keeper *keeper, const struct spawn_program *program)
{
	size_t n = KEEPER_WORDS, count = keeper_count(program->find) + 1 +
	    keeper_count(program->remove);
	auto_free char **words = mem_alloc((n + count + 1) * sizeof(*words));
	auto_free char *title = mem_printf(KEEPER_TITLE "%lu]", keeper->number);
	auto_free char *numbers = mem_printf(KEEPER_NUMBERS, keeper->number,
	    (int)keeper->supervisor, (int)keeper->server, (int)log_terms(),
	    program->remove_ms, program->remove == program->argv,
	    program->outlives);
	char none[] = "", *nothing[] = { NULL };

	words[KEEPER_WORD_TITLE] = title;
	words[KEEPER_WORD_NUMBERS] = numbers;
	n = keeper_add(words, n, program->find);
	words[n++] = none;
	keeper_add(words, n, program->remove);
	if (program->outlives)
		keeper_need(program->envp);
	/* The engine that removes the container gets that environment, too. */
	spawn_self_again(
	    words, program->remove != NULL ? program->envp : nothing);
}

int
keeper_read(int argc, char **argv, struct keeper *keeper,
    struct spawn_program *program)
{
	int supervisor, server, terms, only_removes, outlives, n;

	if (argc < KEEPER_WORDS ||
	    strncmp(argv[KEEPER_WORD_TITLE], KEEPER_TITLE,
	        strlen(KEEPER_TITLE)) != 0 ||
	    sscanf(argv[KEEPER_WORD_NUMBERS], KEEPER_NUMBERS, &keeper->number,
	        &supervisor, &server, &terms, &program->remove_ms,
	        &only_removes, &outlives) != 7)
		return 0;
	program->outlives = outlives != 0;
	log_init("keeper", (uint64_t)terms);
	keeper->supervisor = supervisor;
	keeper->server = server;
	n = KEEPER_WORDS;
	while (n < argc && argv[n][0] != '\0')
		n++;
	program->find = n > KEEPER_WORDS ? argv + KEEPER_WORDS : NULL;
	program->remove = n + 1 < argc ? argv + n + 1 : NULL;
	argv[n] = NULL;
	program->argv = only_removes ? program->remove : NULL;
	program->envp = environ;
	program->cwd = "/";
	return 1;
}
