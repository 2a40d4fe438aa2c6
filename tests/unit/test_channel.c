/*
 * Tests of common/channel, over the catalogue: what is sent arrives as it was,
 * whatever breaks a rule ends the channel once and reaches no handler, a full
 * socket keeps order, and no descriptor is ever lost or left.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/buffer.h"
#include "common/channel.h"
#include "common/fd.h"
#include "common/ipc_socket.h"
#include "common/mem.h"
#include "unit.h"

/* More than a packet can take inline, less than the largest fields allow. */
#define BLOB_LARGE (MIB + 1)

/* One end of a channel, and what it was told. */
struct end {
	struct channel *channel;
	unsigned int handled;
	struct buffer log; /* the messages that were handled */
	unsigned int closed;
	int broken; /* closed with a reason: */
	char why[ERR_TEXT_SIZE];
	void (*react)(struct end *end, enum ipc_type type, union ipc_any *msg);
	int free_when_closed;
};

/* A channel, and what talks to it: a bare socket or another channel. */
struct scene {
	int fds; /* open before */
	struct event_base *base;
	struct end near;
	struct end far;
	int raw; /* -1 when far has it */
};

/* Messages as text, so that they can be compared */

static void
describe_bytes(struct buffer *log, const void *data, size_t len)
{
	const uint8_t *p = data;
	unsigned int hash = 2166136261U;
	size_t i;

	for (i = 0; i < len; i++)
		hash = (hash ^ p[i]) * 16777619U;
	buffer_printf(log, " %zu:%08x", len, hash);
}

static void
describe_field(struct buffer *log, const struct ipc_field *field, void *member)
{
	auto_free char *copy = NULL;
	const struct ipc_blob *blob = member;
	const struct ipc_bytes *bytes = member;
	struct stat st;

	switch (field->kind) {
	case IPC_KIND_UINT:
		buffer_printf(
		    log, " %llu", *(unsigned long long *)member);
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

static void
describe(struct buffer *log, enum ipc_type type, union ipc_any *msg)
{
	const struct ipc_field *field;

	buffer_add_text(log, ipc_message(type)->name);
	for (field = ipc_message(type)->fields; field->name != NULL; field++)
		describe_field(log, field, (char *)msg + field->offset);
	buffer_add_text(log, "\n");
}

/* Ends */

static void
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

static void
on_closed(void *ctx, const struct err *why)
{
	struct end *end = ctx;

	end->closed++;
	end->broken = why != NULL;
	if (why != NULL)
		memcpy(end->why, why->text, sizeof(end->why));
	if (end->free_when_closed)
		channel_free(&end->channel);
}

static void
end_open(struct end *end, struct event_base *base, int *fd, enum role self,
    enum role peer)
{
	struct channel_ends ends = { self, peer, routes, on_closed, end };

	memset(end, 0, sizeof(*end));
	end->channel = channel_new(base, fd, &ends);
	ck_assert_int_eq(*fd, -1);
}

/* Scenes */

static void
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
static void
scene_open_both(struct scene *scene, enum role self, enum role peer)
{
	scene_open(scene, self, peer);
	end_open(&scene->far, scene->base, &scene->raw, peer, self);
}

/* Ends it: every descriptor there was must be closed now. */
static void
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
static void
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

static int
make_fd(enum ipc_kind kind)
{
	int pair[2];
	int kept = kind == IPC_KIND_PIPE_W;

	if (kind == IPC_KIND_PIDFD)
		return (int)syscall(SYS_pidfd_open, getpid(), 0);
	if (kind == IPC_KIND_FILE_R)
		return open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	if (kind == IPC_KIND_FILE_A)
		return open("/tmp", O_TMPFILE | O_WRONLY | O_APPEND |
		    O_CLOEXEC, 0600);
	if (kind == IPC_KIND_COUNTS)
		return ipc_make_counts(8, &(struct err){ 0 });
	if (kind == IPC_KIND_DIR)
		return open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
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
static const void *
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

static void
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
static void
make(enum ipc_type type, int most, union ipc_any *msg)
{
	const struct ipc_field *field;

	memset(msg, 0, sizeof(*msg));
	for (field = ipc_message(type)->fields; field->name != NULL; field++)
		make_field(field, (char *)msg + field->offset, most);
}

/* The same on the wire. */
static void
make_packet(enum ipc_type type, struct ipc_packet *packet)
{
	union ipc_any msg;
	struct err err;

	make(type, 0, &msg);
	if (ipc_encode(type, &msg, packet, &err) == -1)
		ck_abort_msg("%s", err.text);
}

/* Sends a packet from the bare socket and closes its descriptors here. */
static void
send_raw(struct scene *scene, struct ipc_packet *packet)
{
	struct err err;

	if (ipc_socket_send(scene->raw, packet, &err) == -1)
		ck_abort_msg("%s", err.text);
	ipc_packet_close(packet);
}

/* The near end must have handled so many and then have given up. */
static void
expect_broken(struct scene *scene, unsigned int handled, const char *what)
{
	settle(scene);
	if (scene->near.handled != handled || scene->near.closed != 1 ||
	    !scene->near.broken || strlen(scene->near.why) < 10)
		ck_abort_msg("%s: %u handled, closed %u times, because of "
		    "'%s'", what, scene->near.handled, scene->near.closed,
		    scene->near.why);
}

/* Whether before, sent sooner, leads to where row may be sent. */
static int
leads_to(const struct ipc_message *before, const struct ipc_message *row)
{
	return before->from == row->from && before->to == row->to &&
	    ((before->phases & IPC_IN(NEW)) != 0 ||
	    (before->phases & (1U << before->next)) == 0) &&
	    (row->phases & (1U << before->next)) != 0;
}

/*
 * The message that must have come before this one, the first of all if that
 * will do, or IPC_TYPES when it can be the first.
 */
static enum ipc_type
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
static unsigned int
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

/* Tests */

START_TEST(every_message_arrives_as_sent)
{
	const struct ipc_message *row = ipc_message((uint32_t)_i / 2);
	enum ipc_type type = (enum ipc_type)(_i / 2);
	struct buffer sent = { 0 };
	struct scene scene;
	union ipc_any msg;
	struct err err;
	unsigned int before;

	scene_open_both(&scene, row->from, row->to);
	before = send_before(&scene, type);
	settle(&scene);
	scene.far.log.len = 0;
	make(type, _i % 2, &msg);
	describe(&sent, type, &msg);
	ck_assert_msg(channel_send(scene.near.channel, type, &msg, &err) == 0,
	    "%s", err.text);
	settle(&scene);
	ck_assert_uint_eq(scene.far.handled, before + 1);
	ck_assert_str_eq(scene.far.log.data, sent.data);
	ck_assert_uint_eq(scene.far.closed + scene.near.closed, 0);
	buffer_reset(&sent);
	scene_close(&scene);
}
END_TEST

/* Every type at every pair of roles that it is not for. */
START_TEST(wrong_sender_is_refused)
{
	enum role self = (enum role)(_i / ROLES);
	enum role peer = (enum role)(_i % ROLES);
	struct ipc_packet packet;
	struct scene scene;
	uint32_t type;

	for (type = 0; type < IPC_TYPES; type++) {
		if (ipc_message(type)->from == peer &&
		    ipc_message(type)->to == self)
			continue;
		scene_open(&scene, self, peer);
		make_packet((enum ipc_type)type, &packet);
		send_raw(&scene, &packet);
		expect_broken(&scene, 0, ipc_message(type)->name);
		scene_close(&scene);
	}
}
END_TEST

/* Whether next may follow first, the first message of all. */
static int
may_follow(const struct ipc_message *first, const struct ipc_message *next)
{
	return (next->phases & (1U << first->next)) != 0;
}

static void
check_pair(enum ipc_type first, enum ipc_type next)
{
	const struct ipc_message *row = ipc_message(first);
	struct ipc_packet packet;
	struct scene scene;
	unsigned int before;

	scene_open(&scene, row->to, row->from);
	before = send_before(&scene, first);
	make_packet(first, &packet);
	send_raw(&scene, &packet);
	make_packet(next, &packet);
	send_raw(&scene, &packet);
	if (may_follow(row, ipc_message(next))) {
		settle(&scene);
		if (scene.near.handled != before + 2 ||
		    scene.near.closed != 0)
			ck_abort_msg("%s is refused after %s: %s",
			    ipc_message(next)->name, row->name,
			    scene.near.why);
	} else {
		expect_broken(&scene, before + 1, ipc_message(next)->name);
	}
	scene_close(&scene);
}

START_TEST(wrong_phase_is_refused)
{
	const struct ipc_message *first = ipc_message((uint32_t)_i);
	uint32_t next;

	for (next = 0; next < IPC_TYPES; next++)
		if (ipc_message(next)->from == first->from &&
		    ipc_message(next)->to == first->to)
			check_pair((enum ipc_type)_i, (enum ipc_type)next);
}
END_TEST

/* The sender's own slip: refused here, and the peer sees nothing of it. */
START_TEST(wrong_phase_is_not_sent)
{
	const struct ipc_message *row = ipc_message((uint32_t)_i);
	struct scene scene;
	union ipc_any msg;
	struct err err = { 0, "" };
	unsigned int before;

	scene_open_both(&scene, row->from, row->to);
	before = send_before(&scene, (enum ipc_type)_i);
	make((enum ipc_type)_i, 0, &msg);
	ck_assert_int_eq(channel_send(scene.near.channel, (enum ipc_type)_i,
	    &msg, &err), 0);
	make((enum ipc_type)_i, 0, &msg);
	ck_assert_int_eq(channel_send(scene.near.channel, (enum ipc_type)_i,
	    &msg, &err), may_follow(row, row) ? 0 : -1);
	ck_assert_int_eq(err.text[0] == '\0', may_follow(row, row));
	/* The way back is not the way either. */
	make((enum ipc_type)_i, 0, &msg);
	ck_assert_int_eq(channel_send(scene.far.channel, (enum ipc_type)_i,
	    &msg, &err), -1);
	settle(&scene);
	ck_assert_uint_eq(
	    scene.far.handled, before + (may_follow(row, row) ? 2 : 1));
	ck_assert_uint_eq(scene.near.handled, 0);
	ck_assert_uint_eq(scene.far.closed + scene.near.closed, 0);
	scene_close(&scene);
}
END_TEST

START_TEST(garbage_is_refused)
{
	static const struct {
		uint32_t type;
		size_t len;
	} garbage[] = { { 0, 1 }, { 0, 3 }, { 0, 4 }, { IPC_TYPES, 4 },
		{ UINT32_MAX, 4 }, { IPC_TYPES, 1000 }, { 0, IPC_PACKET_MAX },
		{ IPC_READY, 5 } };
	struct ipc_packet packet = { 0 };
	struct scene scene;
	size_t i;

	for (i = 0; i < UNIT_COUNT(garbage); i++) {
		scene_open(&scene, ROLE_SUPERVISOR, ROLE_RELAY);
		memset(packet.data, 0xa5, sizeof(packet.data));
		memcpy(packet.data, &garbage[i].type, sizeof(uint32_t));
		packet.len = garbage[i].len;
		send_raw(&scene, &packet);
		expect_broken(&scene, 0, "garbage");
		scene_close(&scene);
	}
}
END_TEST

START_TEST(a_packet_too_large_is_refused)
{
	static char data[IPC_PACKET_MAX + 1];
	uint32_t type = IPC_READY;
	struct scene scene;

	scene_open(&scene, ROLE_SUPERVISOR, ROLE_RELAY);
	memcpy(data, &type, sizeof(type));
	ck_assert_int_eq(
	    send(scene.raw, data, sizeof(data), 0), sizeof(data));
	expect_broken(&scene, 0, "64 KiB and a byte");
	scene_close(&scene);
}
END_TEST

START_TEST(a_truncated_packet_is_refused)
{
	const struct ipc_message *row = ipc_message((uint32_t)_i);
	struct ipc_packet packet;
	struct scene scene;
	size_t len, whole = 2;

	for (len = 1; len < whole; len++) {
		scene_open(&scene, row->to, row->from);
		make_packet((enum ipc_type)_i, &packet);
		whole = packet.len;
		packet.len = len;
		send_raw(&scene, &packet);
		expect_broken(&scene, 0, row->name);
		scene_close(&scene);
	}
	ck_assert_uint_ge(whole, sizeof(uint32_t));
}
END_TEST

/* Descriptors: one too many, one too few, one of another kind. */
static void
spoil_descriptors(struct ipc_packet *packet, int fault)
{
	size_t last = packet->nfds - 1;

	if (fault == 0) {
		packet->fds[packet->nfds++] = make_fd(IPC_KIND_PIPE_R);
		return;
	}
	fd_close(&packet->fds[last]);
	if (fault == 1)
		packet->nfds--;
	else
		packet->fds[last] = open("/dev/null", O_RDWR | O_CLOEXEC);
}

START_TEST(wrong_descriptors_are_refused)
{
	const struct ipc_message *row = ipc_message((uint32_t)_i);
	struct ipc_packet packet;
	struct scene scene;
	int fault;

	for (fault = 0; fault < 3; fault++) {
		scene_open(&scene, row->to, row->from);
		make_packet((enum ipc_type)_i, &packet);
		if (fault == 0 || packet.nfds > 0) {
			spoil_descriptors(&packet, fault);
			send_raw(&scene, &packet);
			expect_broken(&scene, 0, row->name);
		}
		scene_close(&scene);
	}
}
END_TEST

/* More descriptors than a packet of ours can have are not even received. */
START_TEST(many_descriptors_are_refused)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE((IPC_FDS_MAX + 1) * sizeof(int))];
	} control = { .bytes = { 0 } };
	uint32_t type = IPC_READY;
	struct iovec iov = { &type, sizeof(type) };
	struct msghdr msg = { .msg_iov = &iov, .msg_iovlen = 1,
		.msg_control = control.bytes,
		.msg_controllen = sizeof(control.bytes) };
	struct cmsghdr *c = CMSG_FIRSTHDR(&msg);
	struct scene scene;
	size_t i;

	scene_open(&scene, ROLE_SUPERVISOR, ROLE_RELAY);
	c->cmsg_level = SOL_SOCKET;
	c->cmsg_type = SCM_RIGHTS;
	c->cmsg_len = CMSG_LEN((IPC_FDS_MAX + 1) * sizeof(int));
	for (i = 0; i <= IPC_FDS_MAX; i++)
		memcpy(CMSG_DATA(c) + i * sizeof(int), &scene.raw,
		    sizeof(int));
	ck_assert_int_eq(sendmsg(scene.raw, &msg, 0), sizeof(type));
	expect_broken(&scene, 0, "nine descriptors");
	scene_close(&scene);
}
END_TEST

/* Nothing that follows is handled, and nobody is told twice. */
START_TEST(after_a_fault_nothing_is_heard)
{
	struct ipc_packet packet;
	struct scene scene;

	scene_open(&scene, ROLE_SUPERVISOR, ROLE_RELAY);
	make_packet(IPC_READY, &packet);
	packet.len++;
	send_raw(&scene, &packet);
	make_packet(IPC_READY, &packet);
	send_raw(&scene, &packet);
	make_packet(IPC_FAULT, &packet);
	send_raw(&scene, &packet);
	expect_broken(&scene, 0, "a byte too many");
	fd_close(&scene.raw);
	expect_broken(&scene, 0, "a byte too many, then the end");
	scene_close(&scene);
}
END_TEST

/* The ways in which a peer can end. */
static void
end_by_closing(struct scene *scene)
{
	fd_close(&scene->raw);
}

static void
end_by_empty_packet(struct scene *scene)
{
	ck_assert_int_eq(send(scene->raw, "", 0, 0), 0);
}

/* With a message of ours unread, which the kernel reports as a reset. */
static void
end_by_reset(struct scene *scene)
{
	union ipc_any msg;
	struct err err;

	make(IPC_PREPARE, 0, &msg);
	ck_assert_int_eq(channel_send_prepare(
	    scene->near.channel, &msg.prepare, &err), 0);
	fd_close(&scene->raw);
}

static void (*const ends[])(struct scene *scene) = {
	end_by_closing,
	end_by_empty_packet,
	end_by_reset,
};

START_TEST(end_of_peer_is_told)
{
	struct ipc_packet packet;
	struct scene scene;

	scene_open(&scene, ROLE_SUPERVISOR, ROLE_RELAY);
	scene.near.free_when_closed = _i % 2;
	make_packet(IPC_READY, &packet);
	send_raw(&scene, &packet);
	settle(&scene);
	ends[_i / 2](&scene);
	settle(&scene);
	ck_assert_uint_eq(scene.near.handled, 1);
	ck_assert_uint_eq(scene.near.closed, 1);
	ck_assert_int_eq(scene.near.broken, 0);
	ck_assert_int_eq(scene.near.channel == NULL, _i % 2);
	scene_close(&scene);
}
END_TEST

/*
 * What was sent before the end is not lost, also where the peer left a message
 * of ours unread: then the kernel reports that before all else.
 */
START_TEST(messages_before_the_end_arrive)
{
	struct ipc_packet packet;
	union ipc_any prepare;
	struct scene scene;
	struct err err;

	scene_open(&scene, ROLE_SUPERVISOR, ROLE_RELAY);
	if (_i == 1) {
		make(IPC_PREPARE, 0, &prepare);
		ck_assert_int_eq(channel_send_prepare(scene.near.channel,
		    &prepare.prepare, &err), 0);
	}
	make_packet(IPC_READY, &packet);
	send_raw(&scene, &packet);
	make_packet(IPC_DONE, &packet);
	send_raw(&scene, &packet);
	fd_close(&scene.raw);
	settle(&scene);
	ck_assert_uint_eq(scene.near.handled, 2);
	ck_assert_uint_eq(scene.near.closed, 1);
	ck_assert_int_eq(scene.near.broken, 0);
	scene_close(&scene);
}
END_TEST

START_TEST(sending_to_nobody_fails)
{
	struct ipc_ready ready = { 0 };
	struct scene scene;
	struct err err = { 0, "" };

	scene_open(&scene, ROLE_RELAY, ROLE_SUPERVISOR);
	fd_close(&scene.raw);
	ck_assert_int_eq(
	    channel_send_ready(scene.near.channel, &ready, &err), -1);
	ck_assert_int_eq(err.code, EPIPE);
	ck_assert_str_ne(err.text, "");
	scene_close(&scene);
}
END_TEST

/* Handlers */

static void
react_free(struct end *end, enum ipc_type type, union ipc_any *msg)
{
	channel_free(&end->channel);
}

START_TEST(a_handler_may_free_its_channel)
{
	struct ipc_packet packet;
	struct scene scene;

	scene_open(&scene, ROLE_RELAY, ROLE_SUPERVISOR);
	scene.near.react = react_free;
	make_packet(IPC_PREPARE, &packet); /* its descriptors are closed */
	send_raw(&scene, &packet);
	make_packet(IPC_PREPARE, &packet);
	send_raw(&scene, &packet);
	settle(&scene);
	ck_assert_uint_eq(scene.near.handled, 1);
	ck_assert_uint_eq(scene.near.closed, 0);
	ck_assert_ptr_null(scene.near.channel);
	scene_close(&scene);
}
END_TEST

/* Sends a message that is larger than the one that came, then looks again. */
static void
react_send(struct end *end, enum ipc_type type, union ipc_any *msg)
{
	auto_free char *before = mem_strdup(msg->fault.reason);
	union ipc_any prepare, start;
	struct err err;

	make(IPC_PREPARE, 0, &prepare);
	ck_assert_int_eq(
	    channel_send_prepare(end->channel, &prepare.prepare, &err), 0);
	make(IPC_START, 0, &start);
	start.start.code = (struct ipc_blob){
		make_bytes(IPC_INLINE_MAX), IPC_INLINE_MAX, -1
	};
	ck_assert_int_eq(
	    channel_send_start(end->channel, &start.start, &err), 0);
	ck_assert_str_eq(msg->fault.reason, before);
}

START_TEST(a_handler_may_send)
{
	struct ipc_fault fault = { .reason = "what was borrowed stays" };
	struct scene scene;
	struct err err;

	scene_open_both(&scene, ROLE_SUPERVISOR, ROLE_RELAY);
	scene.near.react = react_send;
	ck_assert_int_eq(
	    channel_send_fault(scene.far.channel, &fault, &err), 0);
	settle(&scene);
	ck_assert_uint_eq(scene.near.handled, 1);
	ck_assert_uint_eq(scene.far.handled, 2);
	ck_assert_ptr_nonnull(strstr(scene.far.log.data, "start 1 0"));
	scene_close(&scene);
}
END_TEST

static int taken_fd;

static void
react_take(struct end *end, enum ipc_type type, union ipc_any *msg)
{
	taken_fd = fd_take(&msg->prepare.out);
}

START_TEST(a_handler_may_take_descriptors)
{
	struct ipc_packet packet;
	struct scene scene;

	scene_open(&scene, ROLE_RELAY, ROLE_SUPERVISOR);
	scene.near.react = react_take;
	make_packet(IPC_PREPARE, &packet);
	send_raw(&scene, &packet);
	settle(&scene);
	ck_assert_int_eq(fcntl(taken_fd, F_GETFD), FD_CLOEXEC);
	fd_close(&taken_fd);
	scene_close(&scene); /* the other three are closed */
}
END_TEST

/* Back-pressure */

/* Sends numbered messages until so many, or until one is refused. */
static unsigned int
send_numbered(struct scene *scene, unsigned int most, struct err *err)
{
	char reason[32];
	struct ipc_fault fault = { .reason = reason };
	unsigned int n;

	for (n = 0; n < most; n++) {
		snprintf(reason, sizeof(reason), "number %u", n);
		if (channel_send_fault(scene->near.channel, &fault, err) ==
		    -1)
			break;
	}
	return n;
}

/* A full socket: the rest waits, and comes in order, descriptors too. */
START_TEST(a_full_socket_keeps_order)
{
	const unsigned int most = IPC_QUEUE_PACKETS_MAX;
	struct buffer sent = { 0 };
	struct scene scene;
	union ipc_any done;
	struct err err;
	unsigned int n;

	scene_open_both(&scene, ROLE_RELAY, ROLE_SUPERVISOR);
	ck_assert_uint_eq(send_numbered(&scene, most, &err), most);
	make(IPC_DONE, 1, &done);
	for (n = 0; n < most; n++)
		buffer_printf(&sent, "fault 'number %u'\n", n);
	describe(&sent, IPC_DONE, &done);
	ck_assert_int_eq(
	    channel_send_done(scene.near.channel, &done.done, &err), 0);
	settle(&scene);
	ck_assert_uint_eq(scene.far.handled, most + 1);
	ck_assert_str_eq(scene.far.log.data, sent.data);
	ck_assert_uint_eq(scene.far.closed + scene.near.closed, 0);
	buffer_reset(&sent);
	scene_close(&scene);
}
END_TEST

/* Room in the socket is for those who wait already. */
START_TEST(nothing_overtakes_the_queue)
{
	struct ipc_fault last = { .reason = "the last" };
	struct ipc_packet packet;
	struct scene scene;
	struct err err;
	unsigned int n;

	scene_open(&scene, ROLE_RELAY, ROLE_SUPERVISOR);
	send_numbered(&scene, IPC_QUEUE_PACKETS_MAX, &err);
	for (n = 0; n < 100; n++)
		ck_assert_int_eq(
		    ipc_socket_receive(scene.raw, &packet, &err), 1);
	ck_assert_int_eq(
	    channel_send_fault(scene.near.channel, &last, &err), 0);
	end_open(&scene.far, scene.base, &scene.raw, ROLE_SUPERVISOR,
	    ROLE_RELAY);
	settle(&scene);
	ck_assert_uint_eq(
	    scene.far.handled, IPC_QUEUE_PACKETS_MAX - 100 + 1);
	ck_assert_str_eq(scene.far.log.data + scene.far.log.len -
	        strlen("fault 'the last'\n"), "fault 'the last'\n");
	scene_close(&scene);
}
END_TEST

/* Reading goes on while nothing can be written (law 11). */
START_TEST(a_full_socket_does_not_stop_reading)
{
	struct ipc_packet packet;
	struct scene scene;
	struct err err;

	scene_open(&scene, ROLE_RELAY, ROLE_SUPERVISOR);
	send_numbered(&scene, IPC_QUEUE_PACKETS_MAX, &err);
	make_packet(IPC_PREPARE, &packet);
	send_raw(&scene, &packet);
	settle(&scene);
	ck_assert_uint_eq(scene.near.handled, 1);
	scene_close(&scene);
}
END_TEST

START_TEST(the_queue_is_bounded)
{
	struct scene scene;
	union ipc_any done;
	struct err err = { 0, "" };
	unsigned int sent;

	scene_open(&scene, ROLE_RELAY, ROLE_SUPERVISOR);
	sent = send_numbered(&scene, 10 * IPC_QUEUE_PACKETS_MAX, &err);
	ck_assert_uint_gt(sent, IPC_QUEUE_PACKETS_MAX);
	ck_assert_uint_lt(sent, 10 * IPC_QUEUE_PACKETS_MAX);
	ck_assert_str_eq(
	    err.text, "4096 messages wait for supervisor already");
	/* One with descriptors is refused without a leak. */
	make(IPC_DONE, 1, &done);
	ck_assert_int_eq(
	    channel_send_done(scene.near.channel, &done.done, &err), -1);
	scene_close(&scene);
}
END_TEST

/* With memfds, which weigh little in a packet; and back to nothing. */
START_TEST(what_waits_is_weighed)
{
	struct scene scene;
	union ipc_any done;
	struct err err;
	size_t before;

	scene_open_both(&scene, ROLE_RELAY, ROLE_SUPERVISOR);
	ck_assert_uint_eq(channel_unsent(scene.near.channel), 0);
	send_numbered(&scene, IPC_QUEUE_PACKETS_MAX, &err);
	before = channel_unsent(scene.near.channel);
	ck_assert_uint_gt(before, 0);
	make(IPC_DONE, 1, &done);
	ck_assert_int_eq(
	    channel_send_done(scene.near.channel, &done.done, &err), 0);
	before = channel_unsent(scene.near.channel) - before;
	ck_assert_uint_gt(before, 2 * BLOB_LARGE);
	ck_assert_uint_lt(before, 2 * BLOB_LARGE + KIB);
	settle(&scene);
	ck_assert_uint_eq(channel_unsent(scene.near.channel), 0);
	scene_close(&scene);
}
END_TEST

/* What still waits is dropped with its descriptors. */
START_TEST(a_queue_can_be_freed)
{
	struct scene scene;
	union ipc_any done;
	struct err err;

	scene_open(&scene, ROLE_RELAY, ROLE_SUPERVISOR);
	send_numbered(&scene, IPC_QUEUE_PACKETS_MAX, &err);
	make(IPC_DONE, 1, &done);
	ck_assert_int_eq(
	    channel_send_done(scene.near.channel, &done.done, &err), 0);
	scene_close(&scene);
}
END_TEST

START_TEST(a_queue_outlives_a_peer_that_ends)
{
	struct scene scene;
	struct err err;

	scene_open(&scene, ROLE_RELAY, ROLE_SUPERVISOR);
	send_numbered(&scene, IPC_QUEUE_PACKETS_MAX, &err);
	fd_close(&scene.raw);
	settle(&scene);
	ck_assert_uint_eq(scene.near.closed, 1);
	ck_assert_int_eq(scene.near.broken, 0);
	scene_close(&scene);
}
END_TEST

/* The typed senders */

static const struct {
	uint64_t execution, log_level;
	size_t code;
	const char *error;
} bad_starts[] = {
	{ 0, 0, 0, "execution is 0, not 1 to 9223372036854775807" },
	{ 1, 4, 0, "log_level is 4, not 0 to 3" },
	{ 1, 0, CODE_MAX + 1, "code is 16777217, not 0 to 16777216" },
};

static const struct {
	uint64_t output_max;
	const char *error;
} bad_prepares[] = {
	{ 1023, "output_max is 1023, not 1024 to 16777216" },
	{ OUTPUT_MAX + 1, "output_max is 16777217, not 1024 to 16777216" },
};

START_TEST(senders_check_bounds_beside_descriptors)
{
	struct scene scene;
	union ipc_any msg;
	struct err err = { 0, "" };

	scene_open_both(&scene, ROLE_SUPERVISOR, ROLE_RELAY);
	make(IPC_PREPARE, 0, &msg);
	msg.prepare.output_max = bad_prepares[_i].output_max;
	ck_assert_int_eq(channel_send_prepare(
	    scene.near.channel, &msg.prepare, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, bad_prepares[_i].error));
	settle(&scene);
	ck_assert_uint_eq(scene.far.handled + scene.far.closed, 0);
	scene_close(&scene); /* its descriptors were taken all the same */
}
END_TEST

START_TEST(senders_check_bounds)
{
	struct scene scene;
	union ipc_any msg;
	struct err err = { 0, "" };

	scene_open_both(&scene, ROLE_SUPERVISOR, ROLE_RELAY);
	make(IPC_START, 0, &msg);
	msg.start.execution = bad_starts[_i].execution;
	msg.start.log_level = bad_starts[_i].log_level;
	msg.start.code.len = bad_starts[_i].code;
	ck_assert_int_eq(
	    channel_send_start(scene.near.channel, &msg.start, &err), -1);
	ck_assert_ptr_nonnull(strstr(err.text, bad_starts[_i].error));
	settle(&scene);
	ck_assert_uint_eq(scene.far.handled + scene.far.closed, 0);
	scene_close(&scene);
}
END_TEST

START_TEST(senders_check_texts)
{
	static const char *const reasons[] = { "", "\xff", "caf\xc3" };
	struct ipc_fault fault;
	struct scene scene;
	struct err err;
	size_t i;

	for (i = 0; i < UNIT_COUNT(reasons); i++) {
		scene_open_both(&scene, ROLE_RELAY, ROLE_SUPERVISOR);
		fault.reason = reasons[i];
		ck_assert_int_eq(channel_send_fault(
		    scene.near.channel, &fault, &err), -1);
		settle(&scene);
		ck_assert_uint_eq(scene.far.handled + scene.far.closed, 0);
		scene_close(&scene);
	}
}
END_TEST

START_TEST(senders_want_descriptors)
{
	struct scene scene;
	union ipc_any msg;
	struct err err = { 0, "" };

	scene_open_both(&scene, ROLE_SUPERVISOR, ROLE_RELAY);
	make(IPC_PREPARE, 0, &msg);
	fd_close(&msg.prepare.control_out);
	ck_assert_int_eq(channel_send_prepare(
	    scene.near.channel, &msg.prepare, &err), -1);
	ck_assert_str_eq(err.text, "message prepare: control_out is missing");
	scene_close(&scene);
}
END_TEST

static void
add_tests(TCase *tc)
{
	tcase_add_loop_test(
	    tc, every_message_arrives_as_sent, 0, 2 * IPC_TYPES);
	tcase_add_loop_test(tc, wrong_sender_is_refused, 0, ROLES * ROLES);
	tcase_add_loop_test(tc, wrong_phase_is_refused, 0, IPC_TYPES);
	tcase_add_loop_test(tc, wrong_phase_is_not_sent, 0, IPC_TYPES);
	tcase_add_test(tc, garbage_is_refused);
	tcase_add_test(tc, a_packet_too_large_is_refused);
	tcase_add_loop_test(tc, a_truncated_packet_is_refused, 0, IPC_TYPES);
	tcase_add_loop_test(tc, wrong_descriptors_are_refused, 0, IPC_TYPES);
	tcase_add_test(tc, many_descriptors_are_refused);
	tcase_add_test(tc, after_a_fault_nothing_is_heard);
	tcase_add_loop_test(tc, end_of_peer_is_told, 0, 2 * UNIT_COUNT(ends));
	tcase_add_loop_test(tc, messages_before_the_end_arrive, 0, 2);
	tcase_add_test(tc, sending_to_nobody_fails);
	tcase_add_test(tc, a_handler_may_free_its_channel);
	tcase_add_test(tc, a_handler_may_send);
	tcase_add_test(tc, a_handler_may_take_descriptors);
	tcase_add_test(tc, a_full_socket_keeps_order);
	tcase_add_test(tc, nothing_overtakes_the_queue);
	tcase_add_test(tc, a_full_socket_does_not_stop_reading);
	tcase_add_test(tc, the_queue_is_bounded);
	tcase_add_test(tc, what_waits_is_weighed);
	tcase_add_test(tc, a_queue_can_be_freed);
	tcase_add_test(tc, a_queue_outlives_a_peer_that_ends);
	tcase_add_loop_test(
	    tc, senders_check_bounds, 0, UNIT_COUNT(bad_starts));
	tcase_add_loop_test(tc, senders_check_bounds_beside_descriptors, 0,
	    UNIT_COUNT(bad_prepares));
	tcase_add_test(tc, senders_check_texts);
	tcase_add_test(tc, senders_want_descriptors);
}

int
main(void)
{
	return unit_run("channel", add_tests);
}
