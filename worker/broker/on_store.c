/*
 * The messages from the store: the complete interface between the two. Runs in
 * the broker.
 */
#include "tools/archive.h"
#include "broker.h"

void
broker_on_recalled(struct archive *archive, struct ipc_recalled *recalled)
{
	archive_recalled(archive, recalled);
}
