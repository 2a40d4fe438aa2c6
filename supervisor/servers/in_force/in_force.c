/*
 * The current configuration of servers: see in_force.h. The files are not
 * watched but checked before each call: a change saved before a call is in
 * effect for it, and nothing runs between requests.
 */
#include <stdlib.h>
#include <string.h>

#include "../../../common/alias.h"
#include "../../../common/base/log.h"
#include "../../../common/base/mem.h"
#include "../../../common/base/text_list.h"
#include "in_force.h"

struct in_force {
	struct servers_setup setup;
	void (*changed)(void *ctx);
	void (*settled)(void *ctx);
	void *ctx;
	struct server_look *look; /* NULL before the first */
	struct buffer seen; /* state of the files when they were last read */
	bool again; /* but they may have changed unnoticed */
	uint64_t due; /* when to read them again, though unchanged */
	bool shared; /* one check serves all current requests */
	bool looked; /* that check was made */
	bool late;   /* and found files read before they changed */
	struct buffer logged; /* sentences already logged, each + NUL */
	bool reading;
	struct servers *servers; /* current; NULL before the first reading */
	struct servers *next;    /* being read */
	struct server **sorted;  /* the taken ones of servers, by name */
	size_t count;
	TAILQ_HEAD(, in_force_waiter) waiters;
};

/* The current servers */

/* Returns whether a file could not be read for a temporary reason. */
static int
in_force_may_change(const struct servers *servers)
{
	const struct server_file *file;

	TAILQ_FOREACH (file, &servers->files, entry)
		if ((file->state == SERVER_FILE_REFUSED ||
		        file->state == SERVER_FILE_STALE) && file->transient)
			return 1;
	return 0;
}

static int
in_force_compare(const void *a, const void *b)
{
	const struct server *one = *(struct server *const *)a;
	const struct server *other = *(struct server *const *)b;

	return strcmp(one->name, other->name);
}

/* Returns whether a server has that alias. */
static int
in_force_has_alias(const struct in_force *config, const char *alias)
{
	size_t i;

	for (i = 0; i < config->count; i++)
		if (strcmp(config->sorted[i]->alias, alias) == 0)
			return 1;
	return 0;
}

/*
 * In the box mcp_<alias> is a server; mcp_servers is reserved for all of them.
 */
static void
in_force_free_reserved(struct in_force *config)
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
		} while (in_force_has_alias(config, alias));
		free(config->sorted[i]->alias);
		config->sorted[i]->alias = mem_take(&alias);
	}
}

static void
in_force_assign_aliases(struct in_force *config)
{
	char **aliases = mem_alloc((config->count + 1) * sizeof(*aliases));
	const char **names = mem_alloc((config->count + 1) * sizeof(*names));
	size_t i;

	for (i = 0; i < config->count; i++)
		names[i] = config->sorted[i]->name;
	alias_assign(names, config->count, "server", aliases);
	for (i = 0; i < config->count; i++)
		config->sorted[i]->alias = aliases[i];
	in_force_free_reserved(config);
	free(aliases);
	free(names);
}

/* Sorts the taken servers and sets their aliases. */
static void
in_force_sort(struct in_force *config)
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
	    in_force_compare);
	in_force_assign_aliases(config);
}

/*
 * Logs the faults of the files just read, but each only once: some clients
 * rewrite their files all the time.
 */
static void
in_force_log(struct in_force *config)
{
	struct buffer texts = { 0 };
	const char *text;

	server_faults_add_log(&texts, config->servers, config->setup.clock());
	if (texts.len != config->logged.len ||
	    (texts.len > 0 && memcmp(texts.data, config->logged.data,
	        texts.len) != 0))
		TEXT_LIST_EACH (text, texts.data, texts.len)
			log_warn("%s", text);
	buffer_reset(&config->logged);
	config->logged = texts;
}

static void
in_force_free_servers(struct servers **serversp)
{
	struct servers *servers = mem_take(serversp);

	if (servers == NULL)
		return;
	servers_free(servers);
	free(servers);
}

static void in_force_read(
    struct in_force *config, struct buffer *look, int moving);

/* Returns the first request for which the last reading is recent enough. */
static struct in_force_waiter *
in_force_next_waiter(const struct in_force *config)
{
	struct in_force_waiter *waiter;

	TAILQ_FOREACH (waiter, &config->waiters, entry)
		if (!waiter->late)
			return waiter;
	return NULL;
}

static void
in_force_tell_waiters(struct in_force *config)
{
	auto_buffer struct buffer look = { 0 };
	struct in_force_waiter *waiter;
	int moving;

	/* Each may start another check, and wait again. */
	while (!config->reading &&
	    (waiter = in_force_next_waiter(config)) != NULL) {
		TAILQ_REMOVE(&config->waiters, waiter, entry);
		waiter->ready(waiter->ctx);
	}
	if (config->reading || TAILQ_EMPTY(&config->waiters))
		return;
	server_look_add(config->look, &look, &moving);
	in_force_read(config, &look, moving);
}

static void
in_force_on_read(void *ctx)
{
	struct in_force *config = ctx;
	struct servers *before = config->servers;

	config->servers = mem_take(&config->next);
	config->reading = false;
	config->again |= in_force_may_change(config->servers);
	config->due = server_keep_due(config->servers, config->setup.clock());
	in_force_sort(config);
	in_force_log(config);
	in_force_free_servers(&before);
	config->changed(config->ctx);
	in_force_tell_waiters(config);
	if (!config->reading)
		config->settled(config->ctx);
}

/* Has all files read; takes look, their current state. */
static void
in_force_read(struct in_force *config, struct buffer *look, int moving)
{
	struct in_force_waiter *waiter;

	TAILQ_FOREACH (waiter, &config->waiters, entry)
		waiter->late = false;
	buffer_reset(&config->seen);
	config->seen = *look;
	*look = (struct buffer){ 0 };
	config->again = moving;
	config->reading = true;
	config->next = mem_alloc(sizeof(*config->next));
	servers_read(config->next, &config->setup, config->servers,
	    in_force_on_read, config);
}

/*
 * Checks the files, and has them read if necessary. Returns whether they have
 * changed since the start of a reading that is not finished.
 */
static int
in_force_check(struct in_force *config)
{
	auto_buffer struct buffer look = { 0 };
	int moving, same;

	if (config->look == NULL)
		config->look = server_look_new(&config->setup);
	server_look_add(config->look, &look, &moving);
	same = look.len == config->seen.len &&
	    (look.len == 0 ||
	        memcmp(look.data, config->seen.data, look.len) == 0);
	if (config->reading)
		return !same;
	if (!same || config->again || config->setup.clock() >= config->due)
		in_force_read(config, &look, moving);
	return 0;
}

/* Interface */

struct in_force *
in_force_new(const struct servers_setup *setup, void (*changed)(void *ctx),
    void (*settled)(void *ctx), void *ctx)
{
	struct in_force *config = mem_alloc(sizeof(*config));

	config->setup = *setup;
	config->changed = changed;
	config->settled = settled;
	config->ctx = ctx;
	config->again = true; /* and never read yet */
	config->due = UINT64_MAX;
	TAILQ_INIT(&config->waiters);
	return config;
}

void
in_force_free(struct in_force **configp)
{
	struct in_force *config = mem_take(configp);

	if (config == NULL)
		return;
	in_force_free_servers(&config->next);
	in_force_free_servers(&config->servers);
	free(config->sorted);
	server_look_free(&config->look);
	buffer_reset(&config->seen);
	buffer_reset(&config->logged);
	free(config);
}

void
in_force_share(struct in_force *config)
{
	config->shared = 1;
}

void
in_force_forget(struct in_force *config)
{
	config->shared = 0;
	config->looked = false;
}

void
in_force_refresh(struct in_force *config, struct in_force_waiter *waiter)
{
	if (!config->looked)
		config->late = in_force_check(config);
	config->looked = config->shared;
	waiter->late = config->late;
	TAILQ_INSERT_TAIL(&config->waiters, waiter, entry);
	if (!config->reading)
		in_force_tell_waiters(config);
}

void
in_force_cancel(struct in_force *config, struct in_force_waiter *waiter)
{
	TAILQ_REMOVE(&config->waiters, waiter, entry);
}

int
in_force_reading(const struct in_force *config)
{
	return config->reading;
}

size_t
in_force_count(const struct in_force *config)
{
	return config->count;
}

const struct server *
in_force_at(const struct in_force *config, size_t i)
{
	return config->sorted[i];
}

const struct server *
in_force_find(const struct in_force *config, const char *name, size_t len)
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
in_force_distrusts(const struct in_force *config,
    const struct server_source *source, const char *path, struct buffer *why)
{
	return server_faults_add_distrust(why, config->servers, source, path);
}

int
in_force_has_program(struct in_force *config, const struct server *server)
{
	struct server *mine;

	/* The list is ours; others have a read-only view. */
	TAILQ_FOREACH (mine, &config->servers->list, entry)
		if (mine == server && mine->program == NULL)
			server_judge_program(config->servers, mine);
	return server->program != NULL;
}

char *
in_force_notes(const struct in_force *config, size_t *len)
{
	struct buffer notes = { 0 };

	if (config->servers != NULL)
		server_faults_add_notes(
		    &notes, config->servers, config->setup.clock());
	return buffer_take(&notes, len);
}

const struct servers *
in_force_servers(const struct in_force *config)
{
	return config->servers;
}
