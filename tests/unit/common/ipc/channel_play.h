/*
 * What the tests of common/ipc/channel share: a channel, its peer, and
 * samples of every message.
 */
#ifndef TESTS_UNIT_CHANNEL_PLAY_H
#define TESTS_UNIT_CHANNEL_PLAY_H

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/base/buffer.h"
#include "common/ipc/channel.h"
#include "common/base/fd.h"
#include "common/ipc/ipc_socket.h"
#include "common/base/mem.h"
#include "ipc_descriptors.h"
#include "tests/unit/unit.h"

/* More than a packet can take inline, less than the largest fields allow. */
#define BLOB_LARGE (MIB + 1)

/* One end of a channel, and what it was told. */
struct end {
	struct channel *channel;
	unsigned int handled;
	struct buffer log; /* the messages that were handled */
	unsigned int closed;
	int broken; /* closed with a reason: */
	struct err why;
	void (*react)(struct end *end, enum ipc_type type, union ipc_any *msg);
	int free_when_closed;
};

/* A channel and its peer: a bare socket or another channel. */
struct scene {
	int fds; /* open before */
	struct event_base *base;
	struct end near;
	struct end far;
	int raw; /* -1 when far has it */
};

/* Messages as text, so that they can be compared */

static inline void
describe_bytes(struct buffer *log, const void *data, size_t len)
{
	const uint8_t *p = data;
	unsigned int hash = 2166136261U;
	size_t i;

	for (i = 0; i < len; i++)
		hash = (hash ^ p[i]) * 16777619U;
	buffer_printf(log, " %zu:%08x", len, hash);
}

static inline void
describe_field(struct buffer *log, const struct ipc_field *field, void *member)
{
	auto_free char *copy = NULL;
	const struct ipc_blob *blob = member;
	const struct ipc_bytes *bytes = member;
	struct stat st;

	switch (field->kind) {
	case IPC_KIND_UINT:
		buffer_printf(log, " %llu", *(unsigned long long *)member);
		break;
	case IPC_KIND_TEXT:
		buffer_printf(log, " '%s'", *(const char **)member);
		break;
	case IPC_KIND_BYTES:
		describe_bytes(log, bytes->data, bytes->len);
		break;
	case IPC_KIND_BLOB:
		copy = ipc_blob_copy(blob, NULL);
		ck_assert_ptr_nonnull(copy);
		describe_bytes(log, copy, blob->len);
		break;
	default:
		if (fstat(*(int *)member, &st) == -1)
			ck_abort_msg("%s is not open", field->name);
		buffer_printf(log, " %llu/%x",
		    (unsigned long long)st.st_ino,
		    (unsigned int)fcntl(*(int *)member, F_GETFL) & O_ACCMODE);
	}
}

static inline void
describe(struct buffer *log, enum ipc_type type, union ipc_any *msg)
{
	const struct ipc_field *field;

	buffer_add_text(log, ipc_message(type)->name);
	field = ipc_fields(ipc_message(type));
	for (; field->name[0] != '\0'; field++)
		describe_field(log, field, (char *)msg + field->offset);
	buffer_add_text(log, "\n");
}

/* Ends */

static inline void
got(struct end *end, enum ipc_type type, union ipc_any *msg)
{
	end->handled++;
	describe(&end->log, type, msg);
	if (end->react != NULL)
		end->react(end, type, msg);
}

/* A handler for every message, and one table for every role. */
#define IPC_UINT(name, field, least, most, doc)
#define IPC_TEXT(name, field, least, most, doc)
#define IPC_BYTES(name, field, least, most, doc)
#define IPC_BLOB(name, field, most, doc)
#define IPC_FD(name, field, KIND, doc)
#define IPC_OPTIONAL_FD(name, field, KIND, doc)
#define IPC_END(name)
#define IPC_MESSAGE(NAME, name, FROM, TO, PHASES, NEXT, doc)                   \
	static void got_##name(void *ctx, void *msg)                           \
	{                                                                      \
		got(ctx, IPC_##NAME, msg);                                     \
	}
#include "common/ipc_messages.def"
#undef IPC_MESSAGE
static channel_handler *const routes[IPC_TYPES] = {
#define IPC_MESSAGE(NAME, name, FROM, TO, PHASES, NEXT, doc)                   \
	[IPC_##NAME] = got_##name,
#include "common/ipc_messages.def"
};
#undef IPC_MESSAGE
#undef IPC_UINT
#undef IPC_TEXT
#undef IPC_BYTES
#undef IPC_BLOB
#undef IPC_FD
#undef IPC_OPTIONAL_FD
#undef IPC_END

static inline void
on_closed(void *ctx, const struct err *why)
{
	struct end *end = ctx;

	end->closed++;
	end->broken = why != NULL;
	if (why != NULL)
		end->why = *why;
	if (end->free_when_closed)
		channel_free(&end->channel);
}

static inline void
end_open(struct end *end, struct event_base *base, int *fd, enum role self,
    enum role peer)
{
	struct channel_ends ends = { self, peer, routes, on_closed, end };

	memset(end, 0, sizeof(*end));
	end->channel = channel_new(base, fd, &ends);
	ck_assert_int_eq(*fd, -1);
}

/* Scenes */

static inline void
scene_open(struct scene *scene, enum role self, enum role peer)
{
	int pair[2];

	memset(scene, 0, sizeof(*scene));
	scene->fds = unit_open_fds();
	scene->base = loop_new(0);
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) == -1)
		ck_abort_msg("no socket pair: errno %d", errno);
	scene->raw = pair[1];
	end_open(&scene->near, scene->base, &pair[0], self, peer);
}

/* Makes the other end a channel too. */
static inline void
scene_open_both(struct scene *scene, enum role self, enum role peer)
{
	scene_open(scene, self, peer);
	end_open(&scene->far, scene->base, &scene->raw, peer, self);
}

/* Ends it: every descriptor there was must be closed now. */
static inline void
scene_close(struct scene *scene)
{
	int fds;

	channel_free(&scene->near.channel);
	channel_free(&scene->far.channel);
	channel_free(&scene->far.channel); /* NULL is accepted */
	fd_close(&scene->raw);
	event_base_free(scene->base);
	buffer_reset(&scene->near.log);
	buffer_reset(&scene->far.log);
	fds = unit_open_fds();
	if (fds != scene->fds)
		ck_abort_msg("%d descriptors, not %d", fds, scene->fds);
}

/* Lets both ends do whatever they can. */
static inline void
settle(struct scene *scene)
{
	unsigned int seen, idle = 0;

	while (idle < 3) {
		seen = scene->near.handled + scene->far.handled;
		event_base_loop(scene->base, EVLOOP_NONBLOCK);
		if (seen == scene->near.handled + scene->far.handled)
			idle++;
		else
			idle = 0;
	}
}

/* Samples of messages */

/* Its name is chosen by the kernel. */
static inline int
make_listener(void)
{
	const struct sockaddr nothing = { .sa_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (bind(fd, &nothing, sizeof(nothing.sa_family)) == -1 ||
	    listen(fd, 1) == -1)
		ck_abort_msg("no listening socket: errno %d", errno);
	return fd;
}

static inline int
make_fd(enum ipc_kind kind)
{
	int pair[2];
	int kept = kind == IPC_KIND_PIPE_W;

	if (kind == IPC_KIND_PIDFD)
		return ipc_make_pidfd(0);
	if (kind == IPC_KIND_FILE_R)
		return open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	if (kind == IPC_KIND_FILE_A)
		return open("/tmp", O_TMPFILE | O_WRONLY | O_APPEND |
		    O_CLOEXEC, 0600);
	if (kind == IPC_KIND_USAGE)
		return ipc_make_usage(8, &(struct err){ 0 });
	if (kind == IPC_KIND_DIR)
		return open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (kind == IPC_KIND_LISTENER)
		return make_listener();
	if (kind == IPC_KIND_PEER) {
		if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) == -1)
			ck_abort_msg("no socket pair: errno %d", errno);
	} else if (pipe(pair) == -1) {
		ck_abort_msg("no pipe: errno %d", errno);
	}
	close(pair[!kept]);
	return pair[kept];
}

/* Bytes that differ, and are text. */
static inline const void *
make_bytes(size_t len)
{
	static char *bytes;
	size_t i;

	if (bytes == NULL) {
		bytes = mem_alloc(BLOB_LARGE + 1);
		for (i = 0; i < BLOB_LARGE; i++)
			bytes[i] = (char)('a' + i % 23);
	}
	return bytes + BLOB_LARGE - len;
}

static inline void
make_field(const struct ipc_field *field, void *member, int most)
{
	uint64_t size = most ? field->most : field->least;
	uint64_t bytes = size < BLOB_LARGE ? size : BLOB_LARGE;

	switch (field->kind) {
	case IPC_KIND_UINT:
		*(uint64_t *)member = size;
		break;
	case IPC_KIND_TEXT:
		*(const char **)member = make_bytes(bytes);
		break;
	case IPC_KIND_BYTES:
		*(struct ipc_bytes *)member =
		    (struct ipc_bytes){ make_bytes(bytes), bytes };
		break;
	case IPC_KIND_BLOB:
		*(struct ipc_blob *)member =
		    (struct ipc_blob){ make_bytes(bytes), bytes, -1 };
		break;
	default:
		*(int *)member = make_fd(field->kind);
	}
}

/* A message with every field at its least, or at its most. */
static inline void
make(enum ipc_type type, int most, union ipc_any *msg)
{
	const struct ipc_field *field;

	memset(msg, 0, sizeof(*msg));
	field = ipc_fields(ipc_message(type));
	for (; field->name[0] != '\0'; field++)
		make_field(field, (char *)msg + field->offset, most);
}

/* The same on the wire. */
static inline void
make_packet(enum ipc_type type, struct ipc_packet *packet)
{
	union ipc_any msg;
	struct err err;

	make(type, 0, &msg);
	if (ipc_encode(type, &msg, packet, &err) == -1)
		ck_abort_msg("%s", err.text);
}

/* Sends a packet from the bare socket and closes its descriptors here. */
static inline void
send_raw(struct scene *scene, struct ipc_packet *packet)
{
	struct err err;

	if (ipc_socket_send(scene->raw, packet, &err) == -1)
		ck_abort_msg("%s", err.text);
	ipc_packet_close(packet);
}

/* The near end must have handled so many and then have given up. */
static inline void
expect_broken(struct scene *scene, unsigned int handled, const char *what)
{
	settle(scene);
	if (scene->near.handled != handled || scene->near.closed != 1 ||
	    !scene->near.broken || strlen(scene->near.why.text) < 10 ||
	    strcmp(channel_blame(&scene->near.why),
	        "protocol violation by") != 0)
		ck_abort_msg("%s: %u handled, closed %u times, because of "
		    "'%s'", what, scene->near.handled, scene->near.closed,
		    scene->near.why.text);
}

/* Whether before, sent sooner, leads to where row may be sent. */
static inline int
leads_to(const struct ipc_message *before, const struct ipc_message *row)
{
	return before->from == row->from && before->to == row->to &&
	    ((before->phases & IPC_IN(NEW)) != 0 ||
	    (before->phases & ~(1U << before->next)) != 0) &&
	    (row->phases & (1U << before->next)) != 0;
}

/*
 * The message that must have come before this one, the first of all if that
 * will do, or IPC_TYPES when it can be the first.
 */
static inline enum ipc_type
message_before(enum ipc_type type)
{
	const struct ipc_message *row = ipc_message(type);
	enum ipc_type found = IPC_TYPES;
	uint32_t n;

	if ((row->phases & IPC_IN(NEW)) != 0)
		return IPC_TYPES;
	for (n = 0; n < IPC_TYPES; n++) {
		if (!leads_to(ipc_message(n), row))
			continue;
		if ((ipc_message(n)->phases & IPC_IN(NEW)) != 0)
			return (enum ipc_type)n;
		found = (enum ipc_type)n;
	}
	if (found == IPC_TYPES)
		ck_abort_msg("%s can never be sent", row->name);
	return found;
}

/* Sends what must have come before. Returns how many messages that were. */
static inline unsigned int
send_before(struct scene *scene, enum ipc_type type)
{
	enum ipc_type before = message_before(type);
	struct ipc_packet packet;
	unsigned int count;
	union ipc_any msg;
	struct err err;

	if (before == IPC_TYPES)
		return 0;
	count = send_before(scene, before) + 1;
	if (scene->raw != -1) {
		make_packet(before, &packet);
		send_raw(scene, &packet);
		return count;
	}
	make(before, 0, &msg);
	if (channel_send(scene->near.channel, before, &msg, &err) == -1)
		ck_abort_msg("%s", err.text);
	return count;
}

#endif
