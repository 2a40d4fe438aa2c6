/*
 * The services of the supervisor: see peers.h. Runs in the supervisor.
 */
#include "peers.h"

void
peers_new(struct peers *peers, const struct peers_setup *setup)
{
#undef PEERS_SERVICE
#define PEERS_SERVICE(name) peers->name = name##_new(setup, peers);
#define ROLE(NAME, name, kind, ...) PEERS_##kind(name)
#include "../../common/roles.def"
#undef ROLE
}

void
peers_free(struct peers *peers)
{
#undef PEERS_SERVICE
#define PEERS_SERVICE(name) name##_free(&peers->name);
#define ROLE(NAME, name, kind, ...) PEERS_##kind(name)
#include "../../common/roles.def"
#undef ROLE
}
