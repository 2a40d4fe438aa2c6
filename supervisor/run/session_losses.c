/*
 * Why sessions ended, for the next call that names them. They are remembered
 * apart from the table, whose room they do not take. Runs in the supervisor.
 */
#include <stdlib.h>
#include <string.h>

#include "../../common/limits.h"
#include "../../common/base/mem.h"
#include "session_table.h"

/* A session that has ended, and that no call has named since. */
struct session_loss {
	TAILQ_ENTRY(session_loss) entry; /* the oldest first */
	char *scope; /* of its owner */
	char *name;
	const char *why; /* static */
};

static void
losses_remove(struct session_losses *losses, struct session_loss *loss)
{
	TAILQ_REMOVE(&losses->list, loss, entry);
	losses->count--;
	free(loss->scope);
	free(loss->name);
	free(loss);
}

static struct session_loss *
losses_find(
    const struct session_losses *losses, const char *scope, const char *name)
{
	struct session_loss *loss;

	TAILQ_FOREACH (loss, &losses->list, entry)
		if (strcmp(loss->scope, scope) == 0 &&
		    strcmp(loss->name, name) == 0)
			return loss;
	return NULL;
}

/* Returns how many are those of the owner with this scope. */
static size_t
losses_of(const struct session_losses *losses, const char *scope)
{
	const struct session_loss *loss;
	size_t n = 0;

	TAILQ_FOREACH (loss, &losses->list, entry)
		n += strcmp(loss->scope, scope) == 0;
	return n;
}

/* Returns the oldest one of the owner with most of them, or NULL. */
static struct session_loss *
losses_find_spare(const struct session_losses *losses)
{
	struct session_loss *loss, *spare = NULL;
	size_t most = 0, has;

	TAILQ_FOREACH (loss, &losses->list, entry) {
		has = losses_of(losses, loss->scope);
		if (has > most) {
			spare = loss;
			most = has;
		}
	}
	return spare;
}

void
losses_init(struct session_losses *losses)
{
	TAILQ_INIT(&losses->list);
	losses->count = 0;
}

void
losses_add(struct session_losses *losses, const char *scope, const char *name,
    const char *why)
{
	struct session_loss *loss = losses_find(losses, scope, name);

	if (loss != NULL)
		losses_remove(losses, loss);
	loss = mem_alloc(sizeof(*loss));
	loss->scope = mem_strdup(scope);
	loss->name = mem_strdup(name);
	loss->why = why;
	TAILQ_INSERT_TAIL(&losses->list, loss, entry);
	if (++losses->count > SESSION_LOSSES_MAX)
		losses_remove(losses, losses_find_spare(losses));
}

const char *
losses_take(
    struct session_losses *losses, const char *scope, const char *name)
{
	struct session_loss *loss = losses_find(losses, scope, name);
	const char *why;

	if (loss == NULL)
		return NULL;
	why = loss->why;
	losses_remove(losses, loss);
	return why;
}

void
losses_forget(struct session_losses *losses, const char *scope)
{
	struct session_loss *loss, *next;

	for (loss = TAILQ_FIRST(&losses->list); loss != NULL; loss = next) {
		next = TAILQ_NEXT(loss, entry);
		if (scope == NULL || strcmp(loss->scope, scope) == 0)
			losses_remove(losses, loss);
	}
}
