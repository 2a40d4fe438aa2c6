/*
 * What the store tells the broker: the whole surface between the two. Runs in
 * the broker.
 */
#include "archive.h"
#include "broker.h"

void
broker_on_recalled(struct archive *archive, struct ipc_recalled *recalled)
{
	archive_recalled(archive, recalled);
}
