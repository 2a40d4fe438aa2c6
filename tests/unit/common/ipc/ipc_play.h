/*
 * What the tests of common/ipc share: values for the fields of any message,
 * the message in its struct and on the wire, and what becomes of it. The wire
 * is built here a second time, field by field, so that the encoder and the
 * decoder do not only agree with each other.
 */
#ifndef TESTS_UNIT_IPC_PLAY_H
#define TESTS_UNIT_IPC_PLAY_H

#include <stdint.h>
#include <string.h>

#include "common/base/fd.h"
#include "common/ipc/ipc.h"
#include "common/base/mem.h"
#include "tests/unit/unit.h"

#include "ipc_descriptors.h"

#define FIELDS_MAX 64

/* Of a long content only this much is a pattern, the rest is zeroes. */
#define PATTERN_MAX 100000

/* Longer ones are only judged: to copy the largest of each field takes long. */
#define COPIED_MAX (1024 * 1024)

/* What a message holds: for each field its number, or its length. */
struct values {
	uint64_t of[FIELDS_MAX];
};

/* Descriptors open before the test: as many must be open after each case. */
static int open_before;

static inline void
count_before(void)
{
	open_before = unit_open_fds();
}

static inline void
assert_no_leak(const char *what)
{
	int now = unit_open_fds();

	ck_assert_msg(now == open_before, "%s: %d descriptors, before %d", what,
	    now, open_before);
}

static inline void
count_after(void)
{
	assert_no_leak("at the end");
}

/* Values */

static inline int
has_length(const struct ipc_field *field)
{
	return field->kind == IPC_KIND_TEXT || field->kind == IPC_KIND_BYTES ||
	    field->kind == IPC_KIND_BLOB;
}

/* Neither at its least nor at its most, where there is room between. */
static inline uint64_t
ordinary(const struct ipc_field *field)
{
	uint64_t aim = has_length(field) ? 7 : field->most / 2;

	if (ipc_kind_is_fd(field->kind))
		return field->most;
	if (aim < field->least)
		aim = field->least;
	return aim > field->most ? field->most : aim;
}

static inline uint64_t
least(const struct ipc_field *field)
{
	return field->least;
}

static inline uint64_t
most(const struct ipc_field *field)
{
	if (field->kind == IPC_KIND_BLOB && field->most > COPIED_MAX)
		return COPIED_MAX;
	return field->most;
}

static inline struct values
values_of(
    const struct ipc_message *row, uint64_t (*choose)(const struct ipc_field *))
{
	struct values values = { { 0 } };
	size_t n;

	ck_assert_uint_lt(row->nfields, FIELDS_MAX);
	for (n = 0; n < row->nfields; n++)
		values.of[n] = choose(&ipc_fields(row)[n]);
	return values;
}

/*
 * The content of a field of this length: text is UTF-8 of more than ASCII. Of
 * what is only judged there is the pattern alone.
 */
static inline char *
content_of(enum ipc_kind kind, size_t len)
{
	size_t n, end = len < PATTERN_MAX ? len : PATTERN_MAX;
	char *content = mem_alloc(
	    (kind == IPC_KIND_BLOB && len > COPIED_MAX ? end : len) + 1);

	if (kind == IPC_KIND_TEXT) {
		memset(content, 't', len);
		if (len >= 3)
			memcpy(content, "\xe2\x82\xac", 3);
		return content;
	}
	for (n = 0; n < end; n++)
		content[n] = (char)(n * 7 + len);
	return content;
}

/* A message in its struct */

struct message {
	const struct ipc_message *row;
	union ipc_any any;
	char *contents[FIELDS_MAX];
};

static inline void *
member(void *any, const struct ipc_field *field)
{
	return (char *)any + field->offset;
}

/* Fills one field; the descriptors are new ones. */
static inline void
fill(struct message *m, size_t n, uint64_t value)
{
	const struct ipc_field *field = &ipc_fields(m->row)[n];
	void *to = member(&m->any, field);

	if (has_length(field))
		m->contents[n] = content_of(field->kind, value);
	switch (field->kind) {
	case IPC_KIND_UINT:
		*(uint64_t *)to = value;
		break;
	case IPC_KIND_TEXT:
		*(const char **)to = m->contents[n];
		break;
	case IPC_KIND_BYTES:
		*(struct ipc_bytes *)to =
		    (struct ipc_bytes){ (uint8_t *)m->contents[n], value };
		break;
	case IPC_KIND_BLOB:
		*(struct ipc_blob *)to =
		    (struct ipc_blob){ (uint8_t *)m->contents[n], value, -1 };
		break;
	default:
		*(int *)to = value > 0 ? ipc_make_kind(field->kind) : -1;
	}
}

static inline void
message_fill(struct message *m, enum ipc_type type, const struct values *values)
{
	size_t n;

	*m = (struct message){ .row = ipc_message(type) };
	for (n = 0; n < m->row->nfields; n++)
		fill(m, n, values->of[n]);
}

/* Frees the contents. Descriptors are the packet's by then. */
static inline void
message_free(struct message *m)
{
	size_t n;

	for (n = 0; n < m->row->nfields; n++)
		free(m->contents[n]);
}

/* A message on the wire, built by the rules of ipc.h once more */

struct wire {
	const struct ipc_message *row;
	struct ipc_packet packet;
	size_t
	    at[FIELDS_MAX]; /* where each field begins; a descriptor: which */
	size_t count_at[FIELDS_MAX]; /* where an optional one is counted */
	int outgrown; /* it does not fit into a packet */
};

static inline void
put(struct wire *w, const void *data, size_t len)
{
	if (w->outgrown || len > IPC_PACKET_MAX - w->packet.len) {
		w->outgrown = 1;
		return;
	}
	memcpy(w->packet.data + w->packet.len, data, len);
	w->packet.len += len;
}

static inline void
put_number(struct wire *w, uint64_t value, size_t width)
{
	uint32_t narrow = (uint32_t)value;

	if (width == sizeof(narrow))
		put(w, &narrow, width);
	else
		put(w, &value, width);
}

static inline void
put_fd(struct wire *w, int fd)
{
	ck_assert_uint_lt(w->packet.nfds, IPC_FDS_MAX);
	w->packet.fds[w->packet.nfds++] = fd;
}

/* A sealed memfd with this content; what is above the pattern stays a hole. */
static inline int
content_fd(const char *content, size_t len)
{
	int fd = ipc_make_memfd(len, 0);
	size_t end = len < PATTERN_MAX ? len : PATTERN_MAX;

	ck_assert_int_eq(pwrite(fd, content, end, 0), (ssize_t)end);
	ck_assert_int_eq(fcntl(fd, F_ADD_SEALS, IPC_ALL_SEALS), 0);
	return fd;
}

static inline void
put_field(struct wire *w, const struct ipc_field *field, uint64_t value)
{
	auto_free char *content = NULL;

	if (has_length(field))
		content = content_of(field->kind, value);
	switch (field->kind) {
	case IPC_KIND_UINT:
		put_number(w, value, 8);
		break;
	case IPC_KIND_TEXT:
		put_number(w, value, 4);
		put(w, content, value + 1);
		break;
	case IPC_KIND_BYTES:
		put_number(w, value, 4);
		put(w, content, value);
		break;
	case IPC_KIND_BLOB:
		put_number(w, value, 8);
		if (value <= IPC_INLINE_MAX)
			put(w, content, value);
		else
			put_fd(w, content_fd(content, value));
		break;
	default:
		if (field->least == 0)
			put_number(w, value, 4);
		if (value > 0)
			put_fd(w, ipc_make_kind(field->kind));
	}
}

/* Puts any values on the wire, also those that break bounds. */
static inline void
wire_fill(struct wire *w, enum ipc_type type, const struct values *values)
{
	size_t n;

	w->row = ipc_message(type);
	w->packet.len = 0;
	w->packet.nfds = 0;
	w->outgrown = 0;
	put_number(w, type, 4);
	for (n = 0; n < w->row->nfields; n++) {
		w->at[n] = ipc_kind_is_fd(ipc_fields(w->row)[n].kind)
		    ? w->packet.nfds
		    : w->packet.len;
		w->count_at[n] = w->packet.len;
		put_field(w, &ipc_fields(w->row)[n], values->of[n]);
	}
}

/* The message with ordinary values on the wire. */
static inline void
wire_ordinary(struct wire *w, enum ipc_type type)
{
	struct values values = values_of(ipc_message(type), ordinary);

	wire_fill(w, type, &values);
}

/* Where a blob with a memfd has it; descriptors are counted in field order. */
static inline size_t
fd_position(const struct wire *w, const struct values *values, size_t field)
{
	size_t n, position = 0;

	for (n = 0; n < field; n++)
		position += (ipc_kind_is_fd(ipc_fields(w->row)[n].kind) &&
			values->of[n] > 0) ||
		    (ipc_fields(w->row)[n].kind == IPC_KIND_BLOB &&
			values->of[n] > IPC_INLINE_MAX);
	return position;
}

/* Puts another descriptor in the place of one. */
static inline void
replace_fd(struct wire *w, size_t position, int fd)
{
	close(w->packet.fds[position]);
	w->packet.fds[position] = fd;
}

static inline void
remove_fd(struct wire *w, size_t position)
{
	close(w->packet.fds[position]);
	w->packet.nfds--;
	memmove(w->packet.fds + position, w->packet.fds + position + 1,
	    (w->packet.nfds - position) * sizeof(int));
}

static inline void
insert_fd(struct wire *w, size_t position, int fd)
{
	memmove(w->packet.fds + position + 1, w->packet.fds + position,
	    (w->packet.nfds - position) * sizeof(int));
	w->packet.fds[position] = fd;
	w->packet.nfds++;
}

/* Verdicts */

/*
 * The packet must be refused with a sentence, and keep its descriptors open.
 * It is used up.
 */
static inline void
assert_refused(struct wire *w, const char *what)
{
	struct err err = { .text = "" };
	union ipc_any any;
	enum ipc_type type;
	size_t n, nfds = w->packet.nfds;

	ck_assert_msg(ipc_decode(&w->packet, &type, &any, &err) == -1,
	    "message %s, %s: was accepted", w->row->name, what);
	ck_assert_msg(err.text[0] != '\0', "%s: no sentence", what);
	ck_assert_msg(w->packet.nfds == nfds, "%s: took descriptors", what);
	for (n = 0; n < nfds; n++)
		ck_assert_msg(fcntl(w->packet.fds[n], F_GETFD) != -1,
		    "%s: closed a descriptor", what);
	ipc_packet_close(&w->packet);
	assert_no_leak(what);
}

/* Gives a message that was decoded back to the encoder. */
static inline int
encode_again(enum ipc_type type, union ipc_any *any, struct ipc_packet *packet)
{
	const struct ipc_message *row = ipc_message(type);
	char *copies[FIELDS_MAX] = { NULL };
	struct ipc_blob *blob;
	struct err err;
	size_t n;
	int status;

	for (n = 0; n < row->nfields; n++) {
		if (ipc_fields(row)[n].kind != IPC_KIND_BLOB)
			continue;
		blob = member(any, &ipc_fields(row)[n]);
		copies[n] = ipc_blob_copy(blob, &err);
		ck_assert_msg(copies[n] != NULL, "%s", err.text);
		fd_close(&blob->fd);
		blob->data = (uint8_t *)copies[n];
	}
	status = ipc_encode(type, any, packet, &err);
	for (n = 0; n < row->nfields; n++)
		free(copies[n]);
	return status;
}

/* What was accepted becomes the same bytes again. The packet is used up. */
static inline void
assert_canonical(struct wire *w, enum ipc_type type, union ipc_any *any,
    size_t nfds, const char *what)
{
	static struct ipc_packet again;

	ck_assert_msg(encode_again(type, any, &again) == 0,
	    "message %s, %s: accepted, but not encoded", w->row->name, what);
	ck_assert_msg(again.len == w->packet.len &&
		memcmp(again.data, w->packet.data, again.len) == 0,
	    "message %s, %s: other bytes", w->row->name, what);
	ck_assert_uint_eq(again.nfds, nfds);
	ipc_packet_close(&again);
	assert_no_leak(what);
}

static inline int
is_long(enum ipc_type type, void *any)
{
	const struct ipc_field *field = ipc_fields(ipc_message(type));
	const struct ipc_blob *blob;

	for (; field->name[0] != '\0'; field++) {
		blob = member(any, field);
		if (field->kind == IPC_KIND_BLOB && blob->len > COPIED_MAX)
			return 1;
	}
	return 0;
}

static inline void
assert_accepted(struct wire *w, const char *what)
{
	size_t nfds = w->packet.nfds;
	union ipc_any any;
	enum ipc_type type;
	struct err err;

	ck_assert_msg(ipc_decode(&w->packet, &type, &any, &err) == 0,
	    "message %s, %s: %s", w->row->name, what, err.text);
	ck_assert_ptr_eq(ipc_message(type), w->row);
	ck_assert_uint_eq(w->packet.nfds, 0);
	if (is_long(type, &any)) {
		ipc_message_close(type, &any);
		assert_no_leak(what);
	} else {
		assert_canonical(w, type, &any, nfds, what);
	}
}

static inline void
assert_verdict(struct wire *w, int good, const char *what)
{
	if (good)
		assert_accepted(w, what);
	else
		assert_refused(w, what);
}

/* Whether the encoder takes these values; it takes the descriptors anyhow. */
static inline void
assert_encodes(
    enum ipc_type type, const struct values *values, int good, const char *what)
{
	static struct ipc_packet packet;
	const struct ipc_field *field;
	struct err err = { .text = "" };
	struct message m;

	message_fill(&m, type, values);
	ck_assert_msg((ipc_encode(type, &m.any, &packet, &err) == 0) == good,
	    "message %s, %s: %s", m.row->name, what, err.text);
	ck_assert_int_eq(err.text[0] == '\0', good);
	for (field = ipc_fields(m.row); field->name[0] != '\0'; field++)
		if (ipc_kind_is_fd(field->kind))
			ck_assert_int_eq(*(int *)member(&m.any, field), -1);
	ipc_packet_close(&packet);
	message_free(&m);
	assert_no_leak(what);
}

/* Round trips */

/* Decoded fields say what was put in. */
static inline void
assert_field(const struct ipc_field *field, void *any, uint64_t value,
    const struct ipc_packet *packet)
{
	auto_free char *content =
	    has_length(field) ? content_of(field->kind, value) : NULL;
	const void *from = member(any, field);
	const struct ipc_bytes *bytes = from;
	auto_free char *copy = NULL;
	struct err err;

	switch (field->kind) {
	case IPC_KIND_UINT:
		ck_assert_uint_eq(*(const uint64_t *)from, value);
		break;
	case IPC_KIND_TEXT:
		ck_assert_str_eq(*(const char *const *)from, content);
		/* Borrowed from the packet, not copied. */
		ck_assert(
		    *(const char *const *)from >= (const char *)packet->data &&
		    *(const char *const *)from <
			(const char *)packet->data + packet->len);
		break;
	case IPC_KIND_BYTES:
		ck_assert_uint_eq(bytes->len, value);
		ck_assert(memcmp(bytes->data, content, value) == 0);
		break;
	case IPC_KIND_BLOB:
		copy = ipc_blob_copy(from, &err);
		ck_assert_msg(copy != NULL, "%s", err.text);
		ck_assert_uint_eq(((const struct ipc_blob *)from)->len, value);
		ck_assert(memcmp(copy, content, value + 1) == 0);
		ck_assert_int_eq(((const struct ipc_blob *)from)->fd == -1,
		    value <= IPC_INLINE_MAX);
		break;
	default:
		if (value == 0)
			ck_assert_int_eq(*(const int *)from, -1);
		else
			ck_assert_int_ne(
			    fcntl(*(const int *)from, F_GETFD), -1);
	}
}

static inline void
assert_round_trip(enum ipc_type type, const struct values *values)
{
	static struct wire w, built;
	struct message m;
	enum ipc_type decoded;
	union ipc_any any;
	struct err err;
	size_t n, nfds;

	message_fill(&m, type, values);
	wire_fill(&built, type, values);
	w.row = m.row;
	ck_assert_msg(ipc_encode(type, &m.any, &w.packet, &err) == 0,
	    "message %s: %s", m.row->name, err.text);
	message_free(&m);
	/* As the catalogue says it, and as this file says it. */
	ck_assert_uint_eq(w.packet.len, built.packet.len);
	ck_assert_mem_eq(w.packet.data, built.packet.data, w.packet.len);
	ck_assert_uint_eq(w.packet.nfds, built.packet.nfds);
	ipc_packet_close(&built.packet);

	nfds = w.packet.nfds;
	ck_assert_msg(ipc_decode(&w.packet, &decoded, &any, &err) == 0,
	    "message %s: %s", m.row->name, err.text);
	ck_assert_int_eq(decoded, type);
	for (n = 0; n < m.row->nfields; n++)
		assert_field(&ipc_fields(m.row)[n], &any, values->of[n],
		    &w.packet);
	assert_canonical(&w, type, &any, nfds, "round trip");
}

#endif
