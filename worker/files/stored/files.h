/*
 * Files: stores the files that executions leave and users add, for their
 * owners, each file with all its versions, in one directory, the only place of
 * the file system that this process can access. The bytes are copied; the first
 * bytes of each file are examined for its media type (type.h). All files of
 * worker/files/ run in that process only.
 *
 * Other processes of the same user may use the same directory at the same time,
 * so its content is read again for each task (index.h).
 *
 * The order of the files: main → routes → on_supervisor, on_porter → added,
 * collect, deliver, fetched, listed, removed, usage → task, intake, same →
 * outdated, share → index → versions, link → directory, head, type.
 */
#ifndef WORKER_FILES_FILES_H
#define WORKER_FILES_FILES_H

#include <sys/queue.h>

#include "../../../common/ipc/channel.h"
#include "../../../common/ipc/ipc.h"

#define SECONDS_OF_DAY (24 * 60 * 60)

struct stored_file;
struct task;

struct files {
	struct event_base *base;
	channel_handler *const *routes; /* a handler for every message to it */
	struct channel *supervisor;
	int folder;        /* -1 until KEEP_FILES arrives */
	uint64_t most;     /* limit of the bytes of all files */
	uint64_t lifetime; /* maximum age of a file in seconds */
	uint64_t link_seconds; /* how long a link is valid; 0: there are none */
	char *secret; /* of links; NULL: that in the directory */
	char *limits; /* of owners: as in LIMIT_FILES; NULL: there are none */
	size_t limits_len;
	LIST_HEAD(, coming) coming; /* files being stored: share.h */
	struct stored_file **stored;
	size_t stored_count;
	TAILQ_HEAD(files_tasks, task) tasks;
	TAILQ_HEAD(files_turns, task) turns; /* of these, those with a turn in
					      * progress */
	struct event *turn; /* of the first of them */
};

#endif
