/* The messages from the supervisor: the complete interface between the two. */
#include <inttypes.h>

#include "../../common/base/log.h"
#include "tools/tools.h"
#include "state/state.h"
#include "broker.h"
#include "link/link.h"
#include "grant.h"

void
broker_on_define(struct broker *broker, struct ipc_define *define)
{
	server_define(broker, define);
}

void
broker_on_remove(struct broker *broker, struct ipc_remove *remove)
{
	server_remove(broker, remove->name);
}

void
broker_on_revoke(struct broker *broker, struct ipc_revoke *revoke)
{
	server_revoke(broker, revoke->definition, revoke->reason,
	    grant_revoke_all);
}

void
broker_on_grant_servers(struct broker *broker, struct ipc_grant_servers *grant)
{
	log_init("broker", grant->log_terms);
	grant_new(broker, grant);
}

void
broker_on_launched(struct broker *broker, struct ipc_launched *launched)
{
	struct link *link = link_find(broker, launched->process);

	if (link == NULL || link->launched)
		fatal("server process %" PRIu64 " is launched, but is not "
		    "waited for", launched->process);
	link_launched(link, launched);
}

void
broker_on_ended(struct broker *broker, struct ipc_ended *ended)
{
	struct link *link = link_find(broker, ended->process);

	if (link == NULL)
		fatal("server process %" PRIu64 " has ended, but is not known",
		    ended->process);
	link_ended(link, ended->how);
}

void
broker_on_audit(struct broker *broker, struct ipc_audit *audit)
{
	audit_free(&broker->audit);
	broker->audit = audit_new(broker->base, &audit->file);
}

void
broker_on_try(struct broker *broker, struct ipc_try *try)
{
	log_init("broker", try->log_terms);
	try_server(broker, try->name);
}

void
broker_on_lists(struct broker *broker, struct ipc_lists *lists)
{
	list_store_open(broker->list_store, lists);
}

void
broker_on_roots_changed(
    struct broker *broker, struct ipc_roots_changed *changed)
{
	const struct server_hold *hold;
	const struct link *link;

	TAILQ_FOREACH (link, &broker->links, entry)
		LIST_FOREACH (hold, &link->server->holds, entry)
			if (hold->client == changed->client && link->rooted &&
			    link->state == LINK_READY) {
				mcp_client_tell_roots(link->client);
				break;
			}
}

void
broker_on_client_answered(
    struct broker *broker, struct ipc_client_answered *answered)
{
	questions_answered(broker, answered);
}
