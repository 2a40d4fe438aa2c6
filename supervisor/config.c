/*
 * The configuration of servers that is in force: see config.h. The files are
 * not watched but looked at, before each call: what a user saved before asking
 * is in force then, and nothing runs while nobody asks. Runs in the
 * supervisor.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "../common/alias.h"
#include "../common/limits.h"
#include "../common/log.h"
#include "../common/mem.h"
#include "config.h"

struct config {
	struct servers_setup setup;
	void (*changed)(void *ctx);
	void *ctx;
	char *seen; /* how the files looked when they were last read */
	int again;  /* which does not mean that they are still the same */
	struct buffer logged; /* what was said of them, each with a NUL */
	int reading;
	struct servers *servers; /* in force; NULL before the first reading */
	struct servers *next;    /* being read */
	struct server **sorted;  /* of servers: those taken, by name */
	size_t count;
	TAILQ_HEAD(, config_waiter) waiters;
};

/* Looking at the files */

/* How all files look. */
struct config_look {
	struct buffer text;
	int moving; /* one may be saved again and look the same */
};

/*
 * Whether something may happen to a file that leaves its time as it is: the
 * clock of the file system has ticks.
 */
static int
config_is_moving(const struct stat *st)
{
	struct timespec now;
	long long ns;

	clock_gettime(CLOCK_REALTIME, &now);
	ns = (now.tv_sec - st->st_ctim.tv_sec) * 1000000000LL +
	    (now.tv_nsec - st->st_ctim.tv_nsec);
	return llabs(ns) < CONFIG_TICK_MS * 1000000LL;
}

/* Appends what changes whenever a file does. */
static void
config_add_look(struct config_look *look, const struct server_file *file,
    const char *folder)
{
	const char *within = file->source->project ? folder : NULL;
	struct stat st;

	buffer_printf(&look->text, "%s", file->path);
	/* That it is missing has been seen just now. */
	if (file->state != SERVER_FILE_MISSING &&
	    server_open_look(file->path, within, 1, &st) == 0) {
		buffer_printf(&look->text, " %llu %llu %lld %lld.%ld %lld.%ld",
		    (unsigned long long)st.st_dev,
		    (unsigned long long)st.st_ino, (long long)st.st_size,
		    (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec,
		    (long long)st.st_ctim.tv_sec, st.st_ctim.tv_nsec);
		look->moving |= config_is_moving(&st);
	}
	buffer_add_text(&look->text, "\n");
}

/* Returns how all files look now; the caller frees it. */
static char *
config_look(const struct config *config, int *moving)
{
	struct server_file_list files = TAILQ_HEAD_INITIALIZER(files);
	const struct server_file *file;
	struct config_look look = { 0 };

	server_sources_find(&files, config->setup.envp, config->setup.folder);
	TAILQ_FOREACH (file, &files, entry)
		if (file->path != NULL)
			config_add_look(&look, file, config->setup.folder);
	server_sources_free(&files);
	*moving = look.moving;
	return buffer_take(&look.text, NULL);
}

/* Whether a file could not be read for a reason that may be gone soon. */
static int
config_is_passing(const struct servers *servers)
{
	const struct server_file *file;

	TAILQ_FOREACH (file, &servers->files, entry)
		if (file->state == SERVER_FILE_REFUSED && file->passing)
			return 1;
	return 0;
}

/* What is in force */

static int
config_compare(const void *a, const void *b)
{
	const struct server *one = *(struct server *const *)a;
	const struct server *other = *(struct server *const *)b;

	return strcmp(one->name, other->name);
}

/* Whether a server has that alias. */
static int
config_has_alias(const struct config *config, const char *alias)
{
	size_t i;

	for (i = 0; i < config->count; i++)
		if (strcmp(config->sorted[i]->alias, alias) == 0)
			return 1;
	return 0;
}

/* In the box mcp_<alias> is the server, but mcp_servers is all of them. */
static void
config_free_reserved(struct config *config)
{
	auto_free char *alias = NULL;
	unsigned int number = 1;
	size_t i;

	for (i = 0; i < config->count; i++) {
		if (strcmp(config->sorted[i]->alias, "servers") != 0)
			continue;
		do {
			free(alias);
			alias = mem_printf("servers_%u", ++number);
		} while (config_has_alias(config, alias));
		free(config->sorted[i]->alias);
		config->sorted[i]->alias = mem_take(&alias);
	}
}

static void
config_assign_aliases(struct config *config)
{
	char **aliases = mem_alloc((config->count + 1) * sizeof(*aliases));
	const char **names = mem_alloc((config->count + 1) * sizeof(*names));
	size_t i;

	for (i = 0; i < config->count; i++)
		names[i] = config->sorted[i]->name;
	alias_assign(names, config->count, "server", aliases);
	for (i = 0; i < config->count; i++)
		config->sorted[i]->alias = aliases[i];
	config_free_reserved(config);
	free(aliases);
	free(names);
}

/* Puts those that are taken in order and gives them their aliases. */
static void
config_sort(struct config *config)
{
	struct server *server;

	free(config->sorted);
	config->sorted = mem_alloc(
	    (config->servers->count + 1) * sizeof(*config->sorted));
	config->count = 0;
	TAILQ_FOREACH (server, &config->servers->list, entry)
		if (server->state == SERVER_TAKEN)
			config->sorted[config->count++] = server;
	qsort(config->sorted, config->count, sizeof(*config->sorted),
	    config_compare);
	config_assign_aliases(config);
}

/* Each text, with a NUL behind it, that a user should know. */
static void
config_tell(const struct servers *servers, struct buffer *texts)
{
	const struct server *server;
	const struct server_file *file;

	TAILQ_FOREACH (file, &servers->files, entry) {
		if (file->state != SERVER_FILE_REFUSED)
			continue;
		buffer_printf(texts, "%s: %s ('caisson --print-config' tells "
		    "more)", file->path, file->why);
		buffer_add(texts, "", 1);
	}
	TAILQ_FOREACH (server, &servers->list, entry) {
		if (server->state != SERVER_REJECTED)
			continue;
		buffer_printf(texts, "%s:%llu:%llu: \"%s\": %s",
		    server->file->path, (unsigned long long)server->line,
		    (unsigned long long)server->column, server->name,
		    server->why);
		buffer_add(texts, "", 1);
	}
}

/*
 * Says what is wrong with the files that were just read, but not again and
 * again: some clients write theirs all the time.
 */
static void
config_log(struct config *config)
{
	struct buffer texts = { 0 };
	size_t at;

	config_tell(config->servers, &texts);
	if (texts.len != config->logged.len ||
	    (texts.len > 0 && memcmp(texts.data, config->logged.data,
	        texts.len) != 0))
		for (at = 0; at < texts.len; at += strlen(texts.data + at) + 1)
			log_warn("%s", texts.data + at);
	buffer_reset(&config->logged);
	config->logged = texts;
}

static void
config_free_servers(struct servers **serversp)
{
	struct servers *servers = mem_take(serversp);

	if (servers == NULL)
		return;
	servers_free(servers);
	free(servers);
}

static void config_read(struct config *config, char *look, int moving);

/* The first for whom what was read is not too old. */
static struct config_waiter *
config_next_waiter(const struct config *config)
{
	struct config_waiter *waiter;

	TAILQ_FOREACH (waiter, &config->waiters, entry)
		if (!waiter->late)
			return waiter;
	return NULL;
}

static void
config_tell_waiters(struct config *config)
{
	struct config_waiter *waiter;
	char *look;
	int moving;

	/* Each may look again, and wait again when it does. */
	while (!config->reading &&
	    (waiter = config_next_waiter(config)) != NULL) {
		TAILQ_REMOVE(&config->waiters, waiter, entry);
		waiter->ready(waiter->ctx);
	}
	if (config->reading || TAILQ_EMPTY(&config->waiters))
		return;
	look = config_look(config, &moving);
	config_read(config, look, moving);
}

static void
config_on_read(void *ctx)
{
	struct config *config = ctx;
	struct servers *before = config->servers;

	config->servers = mem_take(&config->next);
	config->reading = 0;
	config->again |= config_is_passing(config->servers);
	config_sort(config);
	config_log(config);
	config_free_servers(&before);
	config->changed(config->ctx);
	config_tell_waiters(config);
}

/* Has all files read; look, how they are now, is taken. */
static void
config_read(struct config *config, char *look, int moving)
{
	struct config_waiter *waiter;

	TAILQ_FOREACH (waiter, &config->waiters, entry)
		waiter->late = 0;
	free(config->seen);
	config->seen = look;
	config->again = moving;
	config->reading = 1;
	config->next = mem_alloc(sizeof(*config->next));
	servers_read(config->next, &config->setup, config_on_read, config);
}

/* Interface */

struct config *
config_new(const struct servers_setup *setup, void (*changed)(void *ctx),
    void *ctx)
{
	struct config *config = mem_alloc(sizeof(*config));

	config->setup = *setup;
	config->changed = changed;
	config->ctx = ctx;
	TAILQ_INIT(&config->waiters);
	return config;
}

void
config_free(struct config **configp)
{
	struct config *config = mem_take(configp);

	if (config == NULL)
		return;
	config_free_servers(&config->next);
	config_free_servers(&config->servers);
	free(config->sorted);
	free(config->seen);
	buffer_reset(&config->logged);
	free(config);
}

void
config_refresh(struct config *config, struct config_waiter *waiter)
{
	int moving;
	auto_free char *look = config_look(config, &moving);
	int same = config->seen != NULL && strcmp(look, config->seen) == 0 &&
	    (config->reading || !config->again);

	/* A file may have been saved since its reading began. */
	waiter->late = config->reading && !same;
	TAILQ_INSERT_TAIL(&config->waiters, waiter, entry);
	if (config->reading)
		return;
	if (same)
		config_tell_waiters(config);
	else
		config_read(config, mem_take(&look), moving);
}

void
config_cancel(struct config *config, struct config_waiter *waiter)
{
	TAILQ_REMOVE(&config->waiters, waiter, entry);
}

int
config_reading(const struct config *config)
{
	return config->reading;
}

size_t
config_count(const struct config *config)
{
	return config->count;
}

const struct server *
config_at(const struct config *config, size_t i)
{
	return config->sorted[i];
}

const struct server *
config_find(const struct config *config, const char *name, size_t len)
{
	size_t low = 0, high = config->count, middle;
	const struct server *server;
	int order;

	while (low < high) {
		middle = low + (high - low) / 2;
		server = config->sorted[middle];
		order = strncmp(name, server->name, len);
		if (order == 0 && strlen(server->name) == len)
			return server;
		if (order > 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

int
config_has_program(struct config *config, const struct server *server)
{
	struct server *mine;

	/* The list is ours; others see it as it is. */
	TAILQ_FOREACH (mine, &config->servers->list, entry)
		if (mine == server && mine->program == NULL)
			server_judge_program(config->servers, mine);
	return server->program != NULL;
}

const struct servers *
config_servers(const struct config *config)
{
	return config->servers;
}
