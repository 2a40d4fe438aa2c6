/*
 * Which connection gives way where all together use too much: see conn_parts.h.
 * Only compares.
 */
#include <sys/time.h>

#include "../../common/limits.h"
#include "callers.h"
#include "conn.h"
#include "conn_parts.h"

size_t
conn_use_unsent(const struct conn *conn)
{
	return conn->counted;
}

size_t
conn_use_body(const struct conn *conn)
{
	return conn->state == CONN_READING ? conn->held : 0;
}

/* Also while its body is awaited: a proxy has no address that would count. */
static size_t
conn_use_place(const struct conn *conn)
{
	return conn->payer != NULL;
}

struct conn *
conn_heaviest(
    const struct gateway *gateway, size_t (*use)(const struct conn *conn))
{
	struct conn *conn, *most = NULL;
	size_t sum, most_sum = 0;

	LIST_FOREACH(conn, &gateway->conns, entry)
		if (conn->payer != NULL)
			conn->payer->sum = 0;
	LIST_FOREACH(conn, &gateway->conns, entry)
		if (conn->payer != NULL)
			conn->payer->sum += use(conn);
	LIST_FOREACH(conn, &gateway->conns, entry) {
		sum = conn->payer == NULL ? use(conn) : conn->payer->sum;
		if (sum < most_sum || use(conn) == 0 ||
		    (sum == most_sum && use(conn) <= use(most)))
			continue;
		most = conn;
		most_sum = sum;
	}
	return most;
}

struct conn *
conn_first_due(const struct gateway *gateway, const struct caller *caller)
{
	struct conn *conn, *first = NULL;
	struct timeval until, least;

	LIST_FOREACH(conn, &gateway->conns, entry)
		if (conn->caller == caller && conn->bare &&
		    event_pending(conn->timer, EV_TIMEOUT, &until) &&
		    (first == NULL || timercmp(&until, &least, <))) {
			first = conn;
			least = until;
		}
	return first;
}

struct conn *
conn_most_idle(const struct gateway *gateway, size_t own)
{
	struct conn *conn, *most = NULL;

	LIST_FOREACH(conn, &gateway->conns, entry)
		if (conn->caller != NULL && conn->state == CONN_READING &&
		    conn->caller->nconns > own + 1 &&
		    (most == NULL ||
		        conn->caller->nconns >= most->caller->nconns))
			most = conn;
	return most;
}

struct conn *
conn_most_busy(const struct gateway *gateway, size_t own)
{
	struct conn *most = conn_heaviest(gateway, conn_use_place);

	return most != NULL && most->payer->sum > HTTP_CONNECTIONS_KEPT &&
	        most->payer->sum > own + 1 ?
	    most : NULL;
}

void
conn_cut_files(struct gateway *gateway, const struct caller *guest)
{
	struct conn *conn;

	LIST_FOREACH(conn, &gateway->conns, entry)
		if (conn->payer == guest && conn->state == CONN_SENDING)
			conn_break(conn);
}
