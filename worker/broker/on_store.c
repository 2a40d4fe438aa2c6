/* The messages from the store: the complete interface between the two. */
#include "tools/tools.h"
#include "broker.h"

void
broker_on_recalled(struct list_store *store, struct ipc_recalled *recalled)
{
	list_store_recalled(store, recalled);
}
