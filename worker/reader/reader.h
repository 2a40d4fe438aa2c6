/*
 * The reader: a one-shot worker that turns foreign configuration files into
 * checked rows. It reads the descriptors that it is handed, one file at a
 * time, and answers with what they define and what is wrong with them.
 * Everything of this folder runs in that process only. It can do nothing
 * else, knows no path and has no environment: lockdown() sees to it.
 */
#ifndef READER_READER_H
#define READER_READER_H

#include "../../common/channel.h"
#include "../../common/ipc.h"

struct reader {
	struct event_base *base;
	struct channel *supervisor;
};

/* on_supervisor.c: the handler; it takes the file. */
void reader_on_read_file(struct reader *reader, struct ipc_read_file *msg);

#endif
