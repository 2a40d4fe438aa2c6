/* The parts of the relay, for one execution or one session. */
#ifndef RELAY_STATE_STATE_H
#define RELAY_STATE_STATE_H

#include <stdbool.h>

#include "../../common/base/buffer.h"
#include "../../common/ipc/channel.h"

struct output;
struct frames;
struct outbox;
struct calls;
struct progress;
struct preview;

/* The highest number of a signal on Linux. */
#define RELAY_SIGNAL_MAX 64

/* The end of the code as the box reports it. */
enum relay_end {
	RELAY_END_NONE,
	RELAY_END_EXIT,   /* status is the exit code */
	RELAY_END_SIGNAL, /* status is the number of the signal */
};

struct relay_report {
	enum relay_end end;
	uint64_t status;
	bool memory; /* the kernel killed a process for lack of memory */
	uint64_t cpu_us;   /* that all processes have used; 0: unknown */
	uint64_t peak_kib; /* of memory; 0: unknown */
};

/* Notes of the box about the code. */
struct notes {
	struct buffer texts; /* the first NOTES_MAX, cleaned: see DONE */
	size_t count;        /* all of them */
};

struct relay {
	struct event_base *base;
	channel_handler *const *routes; /* a handler for every message to it */
	struct channel *supervisor;
	struct channel *broker; /* NULL if there is none, or it has ended */
	struct channel *store;  /* NULL if not yet fetched, or ended */
	struct frames *frames;  /* frames from the box; NULL: no bootstrap */
	struct outbox *outbox;  /* frames to the box, or its code */
	struct calls *calls;    /* requests of the code to servers and store */
	struct output *out;     /* standard output of the code */
	struct output *errors;  /* standard error of the code */
	/*
	 * Errors of a box with three descriptors, whose output and whose end
	 * are frames; NULL: the box has pipes for its output.
	 */
	struct output *outer;
	struct relay_report report; /* of such a box, or of sentinels */
	bool finished;           /* no process of such a box is left */
	bool ready;              /* the box has asked for code */
	bool started;            /* it has been given code, which may run */
	bool session;           /* it stays when the code has ended */
	uint64_t late;          /* bytes of output that came before the code */
	size_t open_pipes;      /* pipes of the box that are still open */
	size_t output_max;      /* bytes shown of each stream */
	size_t pictures;        /* number of pictures shown */
	size_t pictures_bytes;  /* bytes of their base64 */
	struct progress *progress; /* reports of the code */
	struct preview *preview; /* its output, until it reports */
	struct notes notes;
};

#endif
