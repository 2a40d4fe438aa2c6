/*
 * Tests of common/ipc, made from the catalogue: whatever message is added to
 * ipc_messages.def is tested here by its row, with no line written for it.
 * The wire is built here a second time, field by field, so that the encoder
 * and the decoder do not only agree with each other.
 */
#include <stdint.h>
#include <string.h>

#include "common/fd.h"
#include "common/ipc.h"
#include "common/mem.h"
#include "unit.h"

#include "ipc_descriptors.h"

#define FIELDS_MAX 64

/* Of a long content only this much is a pattern, the rest is zeroes. */
#define PATTERN_MAX 100000

/* What a message holds: for each field its number, or its length. */
struct values {
	uint64_t of[FIELDS_MAX];
};

/* Descriptors open before the test: as many must be open after each case. */
static int open_before;

static void
count_before(void)
{
	open_before = unit_open_fds();
}

static void
assert_no_leak(const char *what)
{
	int now = unit_open_fds();

	ck_assert_msg(now == open_before, "%s: %d descriptors, before %d", what,
	    now, open_before);
}

static void
count_after(void)
{
	assert_no_leak("at the end");
}

/* Values */

static int
has_length(const struct ipc_field *field)
{
	return field->kind == IPC_KIND_TEXT || field->kind == IPC_KIND_BYTES ||
	    field->kind == IPC_KIND_BLOB;
}

/* Neither at its least nor at its most, where there is room between. */
static uint64_t
ordinary(const struct ipc_field *field)
{
	uint64_t aim = has_length(field) ? 7 : field->most / 2;

	if (ipc_kind_is_fd(field->kind))
		return field->most;
	if (aim < field->least)
		aim = field->least;
	return aim > field->most ? field->most : aim;
}

static uint64_t
least(const struct ipc_field *field)
{
	return field->least;
}

static uint64_t
most(const struct ipc_field *field)
{
	return field->most;
}

static uint64_t (*const choices[])(
    const struct ipc_field *) = { ordinary, least, most };

static struct values
values_of(
    const struct ipc_message *row, uint64_t (*choose)(const struct ipc_field *))
{
	struct values values = { { 0 } };
	size_t n;

	ck_assert_uint_lt(row->nfields, FIELDS_MAX);
	for (n = 0; n < row->nfields; n++)
		values.of[n] = choose(&row->fields[n]);
	return values;
}

/* The content of a field of this length: text is UTF-8 of more than ASCII. */
static char *
content_of(enum ipc_kind kind, size_t len)
{
	char *content = mem_alloc(len + 1);
	size_t n, end = len < PATTERN_MAX ? len : PATTERN_MAX;

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

static void *
member(void *any, const struct ipc_field *field)
{
	return (char *)any + field->offset;
}

/* Fills one field; the descriptors are new ones. */
static void
fill(struct message *m, size_t n, uint64_t value)
{
	const struct ipc_field *field = &m->row->fields[n];
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

static void
message_fill(struct message *m, enum ipc_type type, const struct values *values)
{
	size_t n;

	*m = (struct message){ .row = ipc_message(type) };
	for (n = 0; n < m->row->nfields; n++)
		fill(m, n, values->of[n]);
}

/* Frees the contents. Descriptors are the packet's by then. */
static void
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

static void
put(struct wire *w, const void *data, size_t len)
{
	if (w->outgrown || len > IPC_PACKET_MAX - w->packet.len) {
		w->outgrown = 1;
		return;
	}
	memcpy(w->packet.data + w->packet.len, data, len);
	w->packet.len += len;
}

static void
put_number(struct wire *w, uint64_t value, size_t width)
{
	uint32_t narrow = (uint32_t)value;

	if (width == sizeof(narrow))
		put(w, &narrow, width);
	else
		put(w, &value, width);
}

static void
put_fd(struct wire *w, int fd)
{
	ck_assert_uint_lt(w->packet.nfds, IPC_FDS_MAX);
	w->packet.fds[w->packet.nfds++] = fd;
}

/* A sealed memfd with this content; what is above the pattern stays a hole. */
static int
content_fd(const char *content, size_t len)
{
	int fd = ipc_make_memfd(len, 0);
	size_t end = len < PATTERN_MAX ? len : PATTERN_MAX;

	ck_assert_int_eq(pwrite(fd, content, end, 0), (ssize_t)end);
	ck_assert_int_eq(fcntl(fd, F_ADD_SEALS, IPC_ALL_SEALS), 0);
	return fd;
}

static void
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
static void
wire_fill(struct wire *w, enum ipc_type type, const struct values *values)
{
	size_t n;

	w->row = ipc_message(type);
	w->packet.len = 0;
	w->packet.nfds = 0;
	w->outgrown = 0;
	put_number(w, type, 4);
	for (n = 0; n < w->row->nfields; n++) {
		w->at[n] = ipc_kind_is_fd(w->row->fields[n].kind)
		    ? w->packet.nfds
		    : w->packet.len;
		w->count_at[n] = w->packet.len;
		put_field(w, &w->row->fields[n], values->of[n]);
	}
}

/* The message with ordinary values on the wire. */
static void
wire_ordinary(struct wire *w, enum ipc_type type)
{
	struct values values = values_of(ipc_message(type), ordinary);

	wire_fill(w, type, &values);
}

/* Where a blob with a memfd has it; descriptors are counted in field order. */
static size_t
fd_position(const struct wire *w, const struct values *values, size_t field)
{
	size_t n, position = 0;

	for (n = 0; n < field; n++)
		position += (ipc_kind_is_fd(w->row->fields[n].kind) &&
			values->of[n] > 0) ||
		    (w->row->fields[n].kind == IPC_KIND_BLOB &&
			values->of[n] > IPC_INLINE_MAX);
	return position;
}

/* Puts another descriptor in the place of one. */
static void
replace_fd(struct wire *w, size_t position, int fd)
{
	close(w->packet.fds[position]);
	w->packet.fds[position] = fd;
}

static void
remove_fd(struct wire *w, size_t position)
{
	close(w->packet.fds[position]);
	w->packet.nfds--;
	memmove(w->packet.fds + position, w->packet.fds + position + 1,
	    (w->packet.nfds - position) * sizeof(int));
}

static void
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
static void
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
static int
encode_again(enum ipc_type type, union ipc_any *any, struct ipc_packet *packet)
{
	const struct ipc_message *row = ipc_message(type);
	char *copies[FIELDS_MAX] = { NULL };
	struct ipc_blob *blob;
	struct err err;
	size_t n;
	int status;

	for (n = 0; n < row->nfields; n++) {
		if (row->fields[n].kind != IPC_KIND_BLOB)
			continue;
		blob = member(any, &row->fields[n]);
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
static void
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

static void
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
	assert_canonical(w, type, &any, nfds, what);
}

static void
assert_verdict(struct wire *w, int good, const char *what)
{
	if (good)
		assert_accepted(w, what);
	else
		assert_refused(w, what);
}

/* Whether the encoder takes these values; it takes the descriptors anyhow. */
static void
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
	for (field = m.row->fields; field->name != NULL; field++)
		if (ipc_kind_is_fd(field->kind))
			ck_assert_int_eq(*(int *)member(&m.any, field), -1);
	ipc_packet_close(&packet);
	message_free(&m);
	assert_no_leak(what);
}

/* Rows */

static int
is_sentence(const char *doc)
{
	size_t len = strlen(doc);

	return len > 1 && doc[0] >= 'A' && doc[0] <= 'Z' && doc[len - 1] == '.';
}

START_TEST(row_is_sound)
{
	const struct ipc_message *row = ipc_message((uint32_t)_i);
	const struct ipc_field *field;
	int n;

	ck_assert_ptr_nonnull(row);
	ck_assert(is_sentence(row->doc));
	ck_assert_int_ne(row->from, row->to);
	ck_assert_uint_ne(row->phases, 0);
	ck_assert_uint_eq(row->phases >> IPC_PHASES, 0);
	ck_assert_int_lt(row->next, IPC_PHASES);
	ck_assert_uint_le(row->size, sizeof(union ipc_any));
	ck_assert_ptr_null(row->fields[row->nfields].name);
	for (field = row->fields; field->name != NULL; field++) {
		ck_assert_msg(is_sentence(field->doc), "%s.%s: %s", row->name,
		    field->name, field->doc);
		ck_assert_uint_le(field->least, field->most);
		ck_assert_uint_lt(field->offset, row->size);
	}
	for (n = 0; n < _i; n++)
		ck_assert_str_ne(ipc_message((uint32_t)n)->name, row->name);
}
END_TEST

/* In every direction something opens the stream: the phases can be reached. */
START_TEST(phases_are_reached)
{
	const struct ipc_message *row = ipc_message((uint32_t)_i), *other;
	unsigned int reached = IPC_IN(NEW), before;
	uint32_t n;

	do {
		before = reached;
		for (n = 0; n < IPC_TYPES; n++) {
			other = ipc_message(n);
			if (other->from == row->from && other->to == row->to &&
			    (other->phases & reached) != 0)
				reached |= 1U << other->next;
		}
	} while (reached != before);
	ck_assert_msg((row->phases & reached) != 0,
	    "message %s can never be sent", row->name);
}
END_TEST

START_TEST(unknown_numbers)
{
	static struct wire w;
	static const uint32_t numbers[] = { IPC_TYPES, IPC_TYPES + 1, 255, 256,
		65536, INT32_MAX, (uint32_t)INT32_MAX + 1, UINT32_MAX };
	size_t n;

	for (n = 0; n < UNIT_COUNT(numbers); n++) {
		if (numbers[n] < IPC_TYPES)
			continue;
		ck_assert_ptr_null(ipc_message(numbers[n]));
		wire_ordinary(&w, 0);
		memcpy(w.packet.data, &numbers[n], sizeof(numbers[n]));
		assert_refused(&w, "an unknown number");
	}
}
END_TEST

/* Round trips */

/* Decoded fields say what was put in. */
static void
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

static void
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
		assert_field(&m.row->fields[n], &any, values->of[n], &w.packet);
	assert_canonical(&w, type, &any, nfds, "round trip");
}

START_TEST(round_trip)
{
	struct values values;
	size_t n;

	for (n = 0; n < UNIT_COUNT(choices); n++) {
		values = values_of(ipc_message((uint32_t)_i), choices[n]);
		assert_round_trip((enum ipc_type)_i, &values);
	}
}
END_TEST

/* Bounds: one below, at, and one above, of every number and every length */

static void
check_bound(enum ipc_type type, size_t n, uint64_t value, int good)
{
	static struct wire w;
	const struct ipc_message *row = ipc_message(type);
	struct values values = values_of(row, ordinary);
	char what[128];

	snprintf(what, sizeof(what), "%s of %llu", row->fields[n].name,
	    (unsigned long long)value);
	values.of[n] = value;
	assert_encodes(type, &values, good, what);
	wire_fill(&w, type, &values);
	/* What does not fit into a packet cannot arrive in one. */
	if (w.outgrown)
		ipc_packet_close(&w.packet);
	else
		assert_verdict(&w, good, what);
}

START_TEST(bounds)
{
	const struct ipc_message *row = ipc_message((uint32_t)_i);
	enum ipc_type type = (enum ipc_type)_i;
	const struct ipc_field *field;
	size_t n;

	for (n = 0; n < row->nfields; n++) {
		field = &row->fields[n];
		if (ipc_kind_is_fd(field->kind))
			continue;
		check_bound(type, n, field->least, 1);
		check_bound(type, n, field->most, 1);
		if (field->least > 0)
			check_bound(type, n, field->least - 1, 0);
		if (field->most < UINT64_MAX)
			check_bound(type, n, field->most + 1, 0);
		if (field->least < field->most) {
			check_bound(type, n, field->least + 1, 1);
			check_bound(type, n, field->most - 1, 1);
		}
	}
}
END_TEST

/* A length on the wire that is not the length of what follows. */
START_TEST(lengths_that_lie)
{
	static const uint64_t lies[] = { 1, 2, 255, 65536, INT32_MAX,
		UINT32_MAX, INT64_MAX, UINT64_MAX };
	static struct wire w;
	const struct ipc_message *row = ipc_message((uint32_t)_i);
	struct values values = values_of(row, ordinary);
	uint64_t lie;
	size_t n, i;

	for (n = 0; n < row->nfields; n++) {
		if (!has_length(&row->fields[n]))
			continue;
		for (i = 0; i < 2 * UNIT_COUNT(lies); i++) {
			lie = values.of[n];
			lie += i % 2 ? lies[i / 2] : -lies[i / 2];
			wire_ordinary(&w, (enum ipc_type)_i);
			memcpy(w.packet.data + w.at[n], &lie,
			    row->fields[n].kind == IPC_KIND_BLOB ? 8 : 4);
			/* Four bytes of a lie can be the truth. */
			if (row->fields[n].kind != IPC_KIND_BLOB &&
			    (uint32_t)lie == (uint32_t)values.of[n])
				ipc_packet_close(&w.packet);
			else
				assert_refused(&w, row->fields[n].name);
		}
	}
}
END_TEST

/* Texts */

/* Bytes put over the end of a text, and what that is. */
static const struct {
	const char *bytes;
	size_t len;
	const char *what;
} bad_texts[] = {
	{ "\0", 1, "a NUL at its end" },
	{ "\0x", 2, "a NUL inside" },
	{ "\xff", 1, "a byte that is not UTF-8" },
	{ "\x80", 1, "a continuation byte alone" },
	{ "\xc3", 1, "a character cut short" },
	{ "\xc0\x80", 2, "an overlong NUL" },
	{ "\xed\xa0\x80", 3, "a surrogate" },
	{ "\xf4\x90\x80\x80", 4, "more than U+10FFFF" },
};

static void
check_texts(enum ipc_type type, size_t n)
{
	static struct wire w;
	const struct ipc_field *field = &ipc_message(type)->fields[n];
	uint64_t len = ordinary(field);
	uint8_t *text;
	size_t i;

	for (i = 0; i < UNIT_COUNT(bad_texts); i++) {
		if (bad_texts[i].len > len)
			continue;
		wire_ordinary(&w, type);
		text = w.packet.data + w.at[n] + 4;
		memcpy(text + len - bad_texts[i].len, bad_texts[i].bytes,
		    bad_texts[i].len);
		assert_refused(&w, bad_texts[i].what);
		wire_ordinary(&w, type);
		memcpy(text, bad_texts[i].bytes, bad_texts[i].len);
		assert_refused(&w, bad_texts[i].what);
	}
	wire_ordinary(&w, type);
	w.packet.data[w.at[n] + 4 + len] = 'x';
	assert_refused(&w, "no terminator");
}

START_TEST(texts)
{
	const struct ipc_message *row = ipc_message((uint32_t)_i);
	size_t n;

	for (n = 0; n < row->nfields; n++)
		if (row->fields[n].kind == IPC_KIND_TEXT)
			check_texts((enum ipc_type)_i, n);
}
END_TEST

/* The sender checks, too. */
START_TEST(texts_at_the_sender)
{
	static struct ipc_packet packet;
	const struct ipc_message *row = ipc_message((uint32_t)_i);
	struct values values = values_of(row, ordinary);
	struct message m;
	struct err err;
	size_t n;

	for (n = 0; n < row->nfields; n++) {
		if (row->fields[n].kind != IPC_KIND_TEXT || values.of[n] == 0)
			continue;
		message_fill(&m, (enum ipc_type)_i, &values);
		m.contents[n][values.of[n] - 1] = '\xff';
		ck_assert_int_eq(
		    ipc_encode((enum ipc_type)_i, &m.any, &packet, &err), -1);
		ck_assert_ptr_nonnull(strstr(err.text, "not UTF-8"));
		ipc_packet_close(&packet);
		message_free(&m);
		assert_no_leak("not UTF-8");
	}
}
END_TEST

/* Exactness */

START_TEST(every_truncation)
{
	static struct wire w;
	size_t len, full, n;

	for (n = 0; n < 2; n++) {
		struct values values =
		    values_of(ipc_message((uint32_t)_i), choices[n]);

		wire_fill(&w, (enum ipc_type)_i, &values);
		full = w.packet.len;
		ipc_packet_close(&w.packet);
		for (len = 0; len < full; len++) {
			wire_fill(&w, (enum ipc_type)_i, &values);
			w.packet.len = len;
			assert_refused(&w, "cut short");
		}
	}
}
END_TEST

START_TEST(extra_bytes)
{
	static struct wire w;
	static const char extra[] = { '\0', '\1', ' ', 'x', '\xff' };
	size_t n, len;

	for (n = 0; n < UNIT_COUNT(extra); n++) {
		wire_ordinary(&w, (enum ipc_type)_i);
		put(&w, &extra[n], 1);
		assert_refused(&w, "one byte more");
		wire_ordinary(&w, (enum ipc_type)_i);
		for (len = 0; len < 64; len++)
			put(&w, &extra[n], 1);
		assert_refused(&w, "64 bytes more");
	}
	/* The message twice in one packet. */
	wire_ordinary(&w, (enum ipc_type)_i);
	put(&w, w.packet.data, w.packet.len);
	ck_assert_int_eq(w.outgrown, 0);
	assert_refused(&w, "two of them");
}
END_TEST

/*
 * Every byte of the message made another: whatever is still accepted must
 * have exactly one encoding.
 */
START_TEST(every_byte_changed)
{
	static struct wire w;
	static const uint8_t masks[] = { 0x01, 0x02, 0x40, 0x80, 0xff };
	union ipc_any any;
	enum ipc_type type;
	struct err err;
	size_t n, i, nfds, len = 1;

	for (n = 0; n < len; n++)
		for (i = 0; i < UNIT_COUNT(masks); i++) {
			wire_ordinary(&w, (enum ipc_type)_i);
			len = w.packet.len;
			nfds = w.packet.nfds;
			w.packet.data[n] ^= masks[i];
			if (ipc_decode(&w.packet, &type, &any, &err) == -1)
				ipc_packet_close(&w.packet);
			else
				assert_canonical(
				    &w, type, &any, nfds, "a byte changed");
			assert_no_leak("a byte changed");
		}
}
END_TEST

/* Descriptors */

START_TEST(missing_descriptors)
{
	static struct wire w;
	size_t n, nfds;

	wire_ordinary(&w, (enum ipc_type)_i);
	nfds = w.packet.nfds;
	ipc_packet_close(&w.packet);
	for (n = 0; n < nfds; n++) {
		wire_ordinary(&w, (enum ipc_type)_i);
		remove_fd(&w, n);
		assert_refused(&w, "a descriptor missing");
	}
	if (nfds > 0) {
		wire_ordinary(&w, (enum ipc_type)_i);
		ipc_packet_close(&w.packet);
		assert_refused(&w, "no descriptors");
	}
}
END_TEST

/* A good descriptor that an earlier packet left behind does not count. */
START_TEST(descriptors_left_behind)
{
	static struct wire w;
	int fds[IPC_FDS_MAX];
	size_t nfds;

	wire_ordinary(&w, (enum ipc_type)_i);
	nfds = w.packet.nfds;
	memcpy(fds, w.packet.fds, sizeof(fds));
	if (nfds == 0)
		return;
	w.packet.nfds--;
	open_before++;
	assert_refused(&w, "a descriptor left behind");
	open_before--;
	close(fds[nfds - 1]);
}
END_TEST

/* One more of any sort in any place. */
START_TEST(extra_descriptors)
{
	static struct wire w;
	size_t n, i, nfds;

	wire_ordinary(&w, (enum ipc_type)_i);
	nfds = w.packet.nfds;
	ipc_packet_close(&w.packet);
	for (n = 0; n <= nfds && nfds < IPC_FDS_MAX; n++)
		for (i = 0; i < IPC_DESCRIPTORS; i++) {
			wire_ordinary(&w, (enum ipc_type)_i);
			insert_fd(&w, n, ipc_descriptors[i].make());
			assert_refused(&w, ipc_descriptors[i].name);
		}
}
END_TEST

/* Every sort of descriptor in the place of every one. */
START_TEST(wrong_descriptors)
{
	static struct wire w;
	const struct ipc_message *row = ipc_message((uint32_t)_i);
	const struct ipc_field *field;
	size_t n, i;

	for (n = 0; n < row->nfields; n++) {
		field = &row->fields[n];
		if (!ipc_kind_is_fd(field->kind))
			continue;
		for (i = 0; i < IPC_DESCRIPTORS; i++) {
			wire_ordinary(&w, (enum ipc_type)_i);
			replace_fd(&w, w.at[n], ipc_descriptors[i].make());
			assert_verdict(&w,
			    ipc_descriptors[i].kind == (int)field->kind,
			    ipc_descriptors[i].name);
		}
	}
}
END_TEST

/* What is counted must be there, and nothing else. */
static void
check_optional(enum ipc_type type, size_t n)
{
	static const uint32_t counts[] = { 0, 2, 255, UINT32_MAX };
	static struct wire w;
	struct values values = values_of(ipc_message(type), ordinary);
	uint32_t one = 1;
	size_t i;

	for (i = 0; i < UNIT_COUNT(counts); i++) {
		wire_fill(&w, type, &values);
		memcpy(w.packet.data + w.count_at[n], &counts[i], 4);
		assert_refused(&w, "a wrong count of descriptors");
	}
	values.of[n] = 0;
	assert_round_trip(type, &values);
	wire_fill(&w, type, &values);
	memcpy(w.packet.data + w.count_at[n], &one, 4);
	assert_refused(&w, "a descriptor that is only counted");
	for (i = 0; i < IPC_DESCRIPTORS; i++) {
		wire_fill(&w, type, &values);
		insert_fd(&w, w.at[n], ipc_descriptors[i].make());
		assert_refused(&w, "a descriptor that is not counted");
	}
}

START_TEST(optional_descriptors)
{
	const struct ipc_message *row = ipc_message((uint32_t)_i);
	size_t n;

	for (n = 0; n < row->nfields; n++)
		if (ipc_kind_is_fd(row->fields[n].kind) &&
		    row->fields[n].least == 0)
			check_optional((enum ipc_type)_i, n);
}
END_TEST

/* A sender that lacks a descriptor: refused, and the others are taken. */
START_TEST(missing_at_the_sender)
{
	static struct ipc_packet packet;
	const struct ipc_message *row = ipc_message((uint32_t)_i);
	struct values values = values_of(row, ordinary);
	struct message m;
	struct err err;
	size_t n;

	for (n = 0; n < row->nfields; n++) {
		if (!ipc_kind_is_fd(row->fields[n].kind) ||
		    row->fields[n].least == 0)
			continue;
		message_fill(&m, (enum ipc_type)_i, &values);
		fd_close(member(&m.any, &row->fields[n]));
		ck_assert_int_eq(
		    ipc_encode((enum ipc_type)_i, &m.any, &packet, &err), -1);
		ck_assert_ptr_nonnull(strstr(err.text, "is missing"));
		ipc_packet_close(&packet);
		message_free(&m);
		assert_no_leak("a descriptor missing");
	}
}
END_TEST

/* What a handler took stays open, the rest is closed. */
START_TEST(handler_takes_one)
{
	static struct wire w;
	const struct ipc_message *row = ipc_message((uint32_t)_i);
	union ipc_any any;
	enum ipc_type type;
	struct err err;
	size_t n;
	int fd;

	for (n = 0; n < row->nfields; n++) {
		if (!ipc_kind_is_fd(row->fields[n].kind))
			continue;
		wire_ordinary(&w, (enum ipc_type)_i);
		ck_assert_int_eq(ipc_decode(&w.packet, &type, &any, &err), 0);
		fd = fd_take(member(&any, &row->fields[n]));
		ipc_message_close(type, &any);
		ipc_message_close(type, &any); /* nothing is left */
		ck_assert_int_ne(fcntl(fd, F_GETFD), -1);
		close(fd);
		assert_no_leak("one taken");
	}
}
END_TEST

/* Blobs */

/* The message with ordinary values but for this one. */
static struct values
wire_with(struct wire *w, enum ipc_type type, size_t n, uint64_t value)
{
	struct values values = values_of(ipc_message(type), ordinary);

	values.of[n] = value;
	wire_fill(w, type, &values);
	return values;
}

/* Both sides of the size where a blob leaves the packet. */
static void
check_blob_inline(enum ipc_type type, size_t n)
{
	static struct wire w;
	struct values values;
	size_t nfds;

	values = wire_with(&w, type, n, IPC_INLINE_MAX);
	nfds = w.packet.nfds;
	assert_accepted(&w, "a blob as large as is inline");
	assert_round_trip(type, &values);
	values = wire_with(&w, type, n, IPC_INLINE_MAX + 1);
	ck_assert_uint_eq(w.packet.nfds, nfds + 1);
	assert_accepted(&w, "a blob as small as a memfd's");
	assert_round_trip(type, &values);
}

/* A blob that no handler read closes its memfd with its message. */
static void
check_blob_closed(enum ipc_type type, size_t n)
{
	static struct wire w;
	union ipc_any any;
	enum ipc_type decoded;
	struct err err;

	wire_with(&w, type, n, IPC_INLINE_MAX + 1);
	ck_assert_int_eq(ipc_decode(&w.packet, &decoded, &any, &err), 0);
	ipc_message_close(decoded, &any);
	assert_no_leak("a blob that was not read");
}

/* Takes the last len bytes off field n, which is what a blob has inline. */
static void
cut_inline(struct wire *w, size_t n, size_t len)
{
	size_t from = w->at[n] + 8;

	memmove(w->packet.data + from, w->packet.data + from + len,
	    w->packet.len - from - len);
	w->packet.len -= len;
}

/* A small one in a memfd and a large one inline: never both ways. */
static void
check_blob_canonical(enum ipc_type type, size_t n)
{
	static struct wire w;
	struct values values;
	uint64_t len;
	size_t position;

	values = wire_with(&w, type, n, 100);
	position = fd_position(&w, &values, n);
	cut_inline(&w, n, 100);
	insert_fd(&w, position, ipc_make_memfd(100, IPC_ALL_SEALS));
	assert_refused(&w, "a small blob in a memfd");

	values = wire_with(&w, type, n, 100);
	insert_fd(&w, position, ipc_make_memfd(100, IPC_ALL_SEALS));
	assert_refused(&w, "a small blob inline and in a memfd");

	wire_with(&w, type, n, IPC_INLINE_MAX);
	len = IPC_INLINE_MAX + 1;
	memcpy(w.packet.data + w.at[n], &len, sizeof(len));
	assert_refused(&w, "a large blob inline");
}

/* The memfd of a blob: its size, its seals, its sort. */
static void
check_blob_memfd(enum ipc_type type, size_t n)
{
	const uint64_t len = IPC_INLINE_MAX + 1;
	const uint64_t sizes[] = { 0, len - 1, len, len + 1, 2 * len };
	static struct wire w;
	struct values values;
	size_t i, position;

	for (i = 0; i < UNIT_COUNT(sizes); i++) {
		values = wire_with(&w, type, n, len);
		position = fd_position(&w, &values, n);
		replace_fd(
		    &w, position, ipc_make_memfd(sizes[i], IPC_ALL_SEALS));
		assert_verdict(&w, sizes[i] == len, "a memfd of some size");
		wire_with(&w, type, n, len);
		replace_fd(&w, position, ipc_make_memfd(sizes[i], 0));
		assert_refused(&w, "a memfd without seals");
	}
	/* None of these has the right size. */
	for (i = 0; i < IPC_DESCRIPTORS; i++) {
		wire_with(&w, type, n, len);
		replace_fd(&w, position, ipc_descriptors[i].make());
		assert_refused(&w, ipc_descriptors[i].name);
	}
	wire_with(&w, type, n, len);
	remove_fd(&w, position);
	assert_refused(&w, "no memfd");
}

START_TEST(blobs)
{
	const struct ipc_message *row = ipc_message((uint32_t)_i);
	enum ipc_type type = (enum ipc_type)_i;
	size_t n;

	for (n = 0; n < row->nfields; n++) {
		if (row->fields[n].kind != IPC_KIND_BLOB ||
		    row->fields[n].most <= IPC_INLINE_MAX)
			continue;
		check_blob_inline(type, n);
		check_blob_closed(type, n);
		check_blob_canonical(type, n);
		check_blob_memfd(type, n);
	}
}
END_TEST

/* A blob is read where it is, not where its sender's offset stands. */
START_TEST(blob_offset_is_not_ours)
{
	size_t len = IPC_INLINE_MAX + 1;
	auto_free char *content = content_of(IPC_KIND_BLOB, len);
	struct ipc_blob blob = { NULL, len, content_fd(content, len) };
	auto_free char *copy = NULL;
	struct err err;

	ck_assert_int_eq(lseek(blob.fd, 0, SEEK_END), (off_t)len);
	copy = ipc_blob_copy(&blob, &err);
	ck_assert_ptr_nonnull(copy);
	ck_assert(memcmp(copy, content, len + 1) == 0);
	ck_assert_int_eq(lseek(blob.fd, 0, SEEK_CUR), (off_t)len);
	fd_close(&blob.fd);
}
END_TEST

START_TEST(blob_that_cannot_be_read)
{
	struct ipc_blob blob = { NULL, 100, ipc_make_pipe_w() };
	struct err err;

	ck_assert_ptr_null(ipc_blob_copy(&blob, &err));
	ck_assert_str_ne(err.text, "");
	fd_close(&blob.fd);
}
END_TEST

/* Who may send what, and when */

static void
check_permission(enum ipc_type type, enum role from, enum role to)
{
	const struct ipc_message *row = ipc_message(type);
	enum ipc_phase phase, now;
	struct err err;
	int good;

	for (now = IPC_PHASE_NEW; now < IPC_PHASES; now++) {
		phase = now;
		err.text[0] = '\0';
		good = row->from == from && row->to == to &&
		    (row->phases >> now & 1);
		ck_assert_msg(
		    (ipc_permit(from, to, type, &phase, &err) == 0) == good,
		    "%s from %s to %s in phase %d", row->name,
		    role_info(from)->name, role_info(to)->name, (int)now);
		ck_assert_int_eq(err.text[0] == '\0', good);
		/* What is refused moves nothing. */
		ck_assert_int_eq(phase, good ? row->next : now);
	}
}

START_TEST(directions_and_phases)
{
	int from, to;

	for (from = 0; from < ROLES; from++)
		for (to = 0; to < ROLES; to++)
			check_permission(
			    (enum ipc_type)_i, (enum role)from, (enum role)to);
}
END_TEST

static void
add(TCase *tc)
{
	tcase_add_checked_fixture(tc, count_before, count_after);
	tcase_add_loop_test(tc, row_is_sound, 0, IPC_TYPES);
	tcase_add_loop_test(tc, phases_are_reached, 0, IPC_TYPES);
	tcase_add_test(tc, unknown_numbers);
	tcase_add_loop_test(tc, round_trip, 0, IPC_TYPES);
	tcase_add_loop_test(tc, bounds, 0, IPC_TYPES);
	tcase_add_loop_test(tc, lengths_that_lie, 0, IPC_TYPES);
	tcase_add_loop_test(tc, texts, 0, IPC_TYPES);
	tcase_add_loop_test(tc, texts_at_the_sender, 0, IPC_TYPES);
	tcase_add_loop_test(tc, every_truncation, 0, IPC_TYPES);
	tcase_add_loop_test(tc, extra_bytes, 0, IPC_TYPES);
	tcase_add_loop_test(tc, every_byte_changed, 0, IPC_TYPES);
	tcase_add_loop_test(tc, missing_descriptors, 0, IPC_TYPES);
	tcase_add_loop_test(tc, descriptors_left_behind, 0, IPC_TYPES);
	tcase_add_loop_test(tc, extra_descriptors, 0, IPC_TYPES);
	tcase_add_loop_test(tc, wrong_descriptors, 0, IPC_TYPES);
	tcase_add_loop_test(tc, optional_descriptors, 0, IPC_TYPES);
	tcase_add_loop_test(tc, missing_at_the_sender, 0, IPC_TYPES);
	tcase_add_loop_test(tc, handler_takes_one, 0, IPC_TYPES);
	tcase_add_loop_test(tc, blobs, 0, IPC_TYPES);
	tcase_add_test(tc, blob_offset_is_not_ours);
	tcase_add_test(tc, blob_that_cannot_be_read);
	tcase_add_loop_test(tc, directions_and_phases, 0, IPC_TYPES);
}

int
main(void)
{
	return unit_run("ipc", add);
}
