/*
 * Tests of common/ipc/ipc: the descriptors of every message, and the blobs that
 * travel in memfds.
 */
#include "ipc_play.h"

UNIT_FIXTURE(count_before, count_after)

/* Descriptors */

UNIT_EACH(missing_descriptors, IPC_TYPES)
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

/* One more of any sort in any place. */
UNIT_EACH(extra_descriptors, IPC_TYPES)
{
	static struct wire w;
	size_t n, i, nfds;

	wire_ordinary(&w, (enum ipc_type)_i);
	nfds = w.packet.nfds;
	ipc_packet_close(&w.packet);
	for (n = 0; n <= nfds && nfds < IPC_FDS_MAX; n++)
		for (i = 0; i < IPC_DESCRIPTORS; i++) {
			wire_ordinary(&w, (enum ipc_type)_i);
			insert_fd(&w, n, ipc_make(i));
			assert_refused(&w, ipc_descriptors[i].name);
		}
}

/* Every sort of descriptor in the place of every one. */
UNIT_EACH(wrong_descriptors, IPC_TYPES)
{
	static struct wire w;
	const struct ipc_message *row = ipc_message((uint32_t)_i);
	const struct ipc_field *field;
	size_t n, i;

	for (n = 0; n < row->nfields; n++) {
		field = &ipc_fields(row)[n];
		if (!ipc_kind_is_fd(field->kind))
			continue;
		for (i = 0; i < IPC_DESCRIPTORS; i++) {
			wire_ordinary(&w, (enum ipc_type)_i);
			replace_fd(&w, w.at[n], ipc_make(i));
			assert_verdict(&w,
			    ipc_descriptors[i].kind == (int)field->kind,
			    ipc_descriptors[i].name);
		}
	}
}

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
		insert_fd(&w, w.at[n], ipc_make(i));
		assert_refused(&w, "a descriptor that is not counted");
	}
}

UNIT_EACH(optional_descriptors, IPC_TYPES)
{
	const struct ipc_message *row = ipc_message((uint32_t)_i);
	size_t n;

	for (n = 0; n < row->nfields; n++)
		if (ipc_kind_is_fd(ipc_fields(row)[n].kind) &&
		    ipc_fields(row)[n].least == 0)
			check_optional((enum ipc_type)_i, n);
}

/* What a handler took stays open, the rest is closed. */
UNIT_EACH(handler_takes_one, IPC_TYPES)
{
	static struct wire w;
	const struct ipc_message *row = ipc_message((uint32_t)_i);
	union ipc_any any;
	enum ipc_type type;
	struct err err;
	size_t n;
	int fd;

	for (n = 0; n < row->nfields; n++) {
		if (!ipc_kind_is_fd(ipc_fields(row)[n].kind))
			continue;
		wire_ordinary(&w, (enum ipc_type)_i);
		ck_assert_int_eq(ipc_decode(&w.packet, &type, &any, &err), 0);
		fd = fd_take(member(&any, &ipc_fields(row)[n]));
		ipc_message_close(type, &any);
		ipc_message_close(type, &any); /* nothing is left */
		ck_assert_int_ne(fcntl(fd, F_GETFD), -1);
		close(fd);
		assert_no_leak("one taken");
	}
}

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
		replace_fd(&w, position, ipc_make(i));
		assert_refused(&w, ipc_descriptors[i].name);
	}
	wire_with(&w, type, n, len);
	remove_fd(&w, position);
	assert_refused(&w, "no memfd");
}

UNIT_EACH(blobs, IPC_TYPES)
{
	const struct ipc_message *row = ipc_message((uint32_t)_i);
	enum ipc_type type = (enum ipc_type)_i;
	size_t n;

	for (n = 0; n < row->nfields; n++) {
		if (ipc_fields(row)[n].kind != IPC_KIND_BLOB ||
		    ipc_fields(row)[n].most <= IPC_INLINE_MAX)
			continue;
		check_blob_inline(type, n);
		check_blob_closed(type, n);
		check_blob_canonical(type, n);
		check_blob_memfd(type, n);
	}
}

/* One that is passed on is the file that came. */
UNIT_TEST(blob_passed_on)
{
	static struct ipc_packet packet;
	size_t len = IPC_INLINE_MAX + 1;
	auto_free char *content = content_of(IPC_KIND_BLOB, len);
	struct ipc_kept kept = { .out = { (uint8_t *)content, len, -1 },
		.errors = { (const uint8_t *)"few", 3, -1 } };
	auto_free char *copy = NULL;
	struct ipc_blob out, errors;
	enum ipc_type type;
	union ipc_any any;
	struct err err;

	ck_assert_int_eq(ipc_encode(IPC_KEPT, &kept, &packet, &err), 0);
	ck_assert_int_eq(ipc_decode(&packet, &type, &any, &err), 0);
	ipc_blob_take(&out, &any.kept.out);
	ipc_blob_take(&errors, &any.kept.errors);
	ipc_message_close(type, &any);
	kept.out = out;
	kept.errors = errors;
	ck_assert_int_eq(ipc_encode(IPC_KEPT, &kept, &packet, &err), 0);
	ipc_blob_reset(&out);
	ipc_blob_reset(&errors);
	ck_assert_int_eq(ipc_decode(&packet, &type, &any, &err), 0);
	copy = ipc_blob_copy(&any.kept.out, &err);
	ck_assert_mem_eq(copy, content, len);
	ck_assert_mem_eq(any.kept.errors.data, "few", 3);
	ipc_message_close(type, &any);
	assert_no_leak("a blob that is passed on");
}

/* A blob is read where it is, not where its sender's offset stands. */
UNIT_TEST(blob_offset_is_not_ours)
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
