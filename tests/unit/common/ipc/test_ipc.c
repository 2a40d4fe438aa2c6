/*
 * Tests of common/ipc/ipc, made from the catalogue: whatever message is added
 * to ipc_messages.def is tested here by its row, with no line written for it.
 */
#include "common/ipc/ipc_doc.h"
#include "ipc_play.h"

/* Rows */

static int
is_sentence(const char *doc)
{
	size_t len = strlen(doc);

	/* Of a number that is 0 or 1 it begins "1 if". */
	return len > 1 && doc[len - 1] == '.' &&
	    ((doc[0] >= 'A' && doc[0] <= 'Z') || doc[0] == '1');
}

UNIT_FIXTURE(count_before, count_after)

UNIT_EACH(row_is_sound, IPC_TYPES)
{
	const struct ipc_message *row = ipc_message((uint32_t)_i);
	const struct ipc_doc *doc = &ipc_docs[_i];
	const struct ipc_field *field;
	const char *sentence;
	int n;

	ck_assert_ptr_nonnull(row);
	ck_assert(is_sentence(doc->message));
	ck_assert_int_ne(row->from, row->to);
	ck_assert_uint_ne(row->phases, 0);
	ck_assert_uint_eq(row->phases >> IPC_PHASES, 0);
	ck_assert_int_lt(row->next, IPC_PHASES);
	ck_assert_uint_le(row->size, sizeof(union ipc_any));
	ck_assert_str_eq(ipc_fields(row)[row->nfields].name, "");
	for (field = ipc_fields(row); field->name[0] != '\0'; field++) {
		sentence = doc->fields[field - ipc_fields(row)];
		ck_assert_msg(is_sentence(sentence), "%s.%s: %s", row->name,
		    field->name, sentence);
		ck_assert_uint_le(field->least, field->most);
		ck_assert_uint_lt(field->offset, row->size);
	}
	for (n = 0; n < _i; n++)
		ck_assert_str_ne(ipc_message((uint32_t)n)->name, row->name);
}

/* In every direction something opens the stream: the phases can be reached. */
UNIT_EACH(phases_are_reached, IPC_TYPES)
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

UNIT_TEST(unknown_numbers)
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

/* Round trips */

static uint64_t (*const choices[])(
    const struct ipc_field *) = { ordinary, least, most };

UNIT_EACH(round_trip, IPC_TYPES)
{
	struct values values;
	size_t n;

	for (n = 0; n < UNIT_COUNT(choices); n++) {
		values = values_of(ipc_message((uint32_t)_i), choices[n]);
		assert_round_trip((enum ipc_type)_i, &values);
	}
}

/* Bounds: one below, at, and one above, of every number and every length */

static void
check_bound(enum ipc_type type, size_t n, uint64_t value, int good)
{
	static struct wire w;
	const struct ipc_message *row = ipc_message(type);
	struct values values = values_of(row, ordinary);
	char what[128];

	snprintf(what, sizeof(what), "%s of %llu", ipc_fields(row)[n].name,
	    (unsigned long long)value);
	values.of[n] = value;
	if (!good || ipc_fields(row)[n].kind != IPC_KIND_BLOB ||
	    value <= COPIED_MAX)
		assert_encodes(type, &values, good, what);
	wire_fill(&w, type, &values);
	/* What does not fit into a packet cannot arrive in one. */
	if (w.outgrown)
		ipc_packet_close(&w.packet);
	else
		assert_verdict(&w, good, what);
}

UNIT_EACH(bounds, IPC_TYPES)
{
	const struct ipc_message *row = ipc_message((uint32_t)_i);
	enum ipc_type type = (enum ipc_type)_i;
	const struct ipc_field *field;
	size_t n;

	for (n = 0; n < row->nfields; n++) {
		field = &ipc_fields(row)[n];
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

/* A length on the wire that is not the length of what follows. */
UNIT_EACH(lengths_that_lie, IPC_TYPES)
{
	static const uint64_t lies[] = { 1, 2, 255, 65536, INT32_MAX,
		UINT32_MAX, INT64_MAX, UINT64_MAX };
	static struct wire w;
	const struct ipc_message *row = ipc_message((uint32_t)_i);
	struct values values = values_of(row, ordinary);
	uint64_t lie;
	size_t n, i;

	for (n = 0; n < row->nfields; n++) {
		if (!has_length(&ipc_fields(row)[n]))
			continue;
		for (i = 0; i < 2 * UNIT_COUNT(lies); i++) {
			lie = values.of[n];
			lie += i % 2 ? lies[i / 2] : -lies[i / 2];
			wire_ordinary(&w, (enum ipc_type)_i);
			memcpy(w.packet.data + w.at[n], &lie,
			    ipc_fields(row)[n].kind == IPC_KIND_BLOB ? 8 : 4);
			/* Four bytes of a lie can be the truth. */
			if (ipc_fields(row)[n].kind != IPC_KIND_BLOB &&
			    (uint32_t)lie == (uint32_t)values.of[n])
				ipc_packet_close(&w.packet);
			else
				assert_refused(&w, ipc_fields(row)[n].name);
		}
	}
}

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
	const struct ipc_field *field = &ipc_fields(ipc_message(type))[n];
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

UNIT_EACH(texts, IPC_TYPES)
{
	const struct ipc_message *row = ipc_message((uint32_t)_i);
	size_t n;

	for (n = 0; n < row->nfields; n++)
		if (ipc_fields(row)[n].kind == IPC_KIND_TEXT)
			check_texts((enum ipc_type)_i, n);
}

/* Exactness */

/* The packet as it is but shorter; it keeps what it holds. */
static void
check_cut(struct wire *w, size_t len)
{
	struct err err = { .text = "" };
	size_t full = w->packet.len, nfds = w->packet.nfds;
	union ipc_any any;
	enum ipc_type type;

	w->packet.len = len;
	ck_assert_msg(ipc_decode(&w->packet, &type, &any, &err) == -1,
	    "message %s, cut to %zu bytes: was accepted", w->row->name, len);
	ck_assert_str_ne(err.text, "");
	ck_assert_uint_eq(w->packet.nfds, nfds);
	w->packet.len = full;
}

/* Every length near the ends; in the midst of long contents some of them. */
UNIT_EACH(truncations, IPC_TYPES)
{
	static struct wire w;
	size_t len, n;

	for (n = 0; n < UNIT_COUNT(choices); n++) {
		struct values values =
		    values_of(ipc_message((uint32_t)_i), choices[n]);

		wire_fill(&w, (enum ipc_type)_i, &values);
		for (len = 0; len < w.packet.len;
		     len += len > 200 && len + 300 < w.packet.len ? 251 : 1)
			check_cut(&w, len);
		ipc_packet_close(&w.packet);
	}
}

UNIT_EACH(extra_bytes, IPC_TYPES)
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

/*
 * Every byte of the message made another: whatever is still accepted must
 * have exactly one encoding.
 */
UNIT_EACH(every_byte_changed, IPC_TYPES)
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

UNIT_EACH(directions_and_phases, IPC_TYPES)
{
	int from, to;

	for (from = 0; from < ROLES; from++)
		for (to = 0; to < ROLES; to++)
			check_permission(
			    (enum ipc_type)_i, (enum role)from, (enum role)to);
}
