/*
 * The catalogue in C: see ipc.h. One table, one encoder, one decoder, over the
 * rows of ipc_messages.def. Linked into every process; reads and writes no
 * socket.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../base/fd.h"
#include "file_kind.h"
#include "ipc.h"
#include "../base/mem.h"
#include "../base/utf8.h"

/* waitid(2) on a pidfd: Linux 5.4; the libc headers may be older. */
#ifndef P_PIDFD
#define P_PIDFD 3
#endif

#define IPC_USAGE_SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL)
#define IPC_SEALS (F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL)

/* The maximum size of each kind on the wire, for the assertions below. */
#define IPC_WIRE_HEADER sizeof(uint32_t)
#define IPC_WIRE_UINT sizeof(uint64_t)
#define IPC_WIRE_TEXT(most) (sizeof(uint32_t) + (most) + 1)
#define IPC_WIRE_BYTES(most) (sizeof(uint32_t) + (most))
#define IPC_WIRE_BLOB(most)                                                    \
	(sizeof(uint64_t) + ((most) < IPC_INLINE_MAX ? (most) : IPC_INLINE_MAX))

#define IPC_WIRE_OPTIONAL_FD sizeof(uint32_t)

/* No message can exceed a packet or carry too many descriptors. */
#define IPC_MESSAGE(NAME, name, FROM, TO, PHASES, NEXT, doc)                   \
	_Static_assert(IPC_WIRE_HEADER
#define IPC_UINT(name, field, least, most, doc) +IPC_WIRE_UINT
#define IPC_TEXT(name, field, least, most, doc) +IPC_WIRE_TEXT(most)
#define IPC_BYTES(name, field, least, most, doc) +IPC_WIRE_BYTES(most)
#define IPC_BLOB(name, field, most, doc) +IPC_WIRE_BLOB(most)
#define IPC_OPTIONAL_FD(name, field, KIND, doc) +IPC_WIRE_OPTIONAL_FD
#define IPC_END(name) <= IPC_PACKET_MAX, "message " #name " outgrows a packet");
#include "../ipc_messages.def"

#define IPC_MESSAGE(NAME, name, FROM, TO, PHASES, NEXT, doc) _Static_assert(0
#define IPC_BLOB(name, field, most, doc) +1
#define IPC_FD(name, field, KIND, doc) +1
#define IPC_OPTIONAL_FD(name, field, KIND, doc) +1
#define IPC_END(name) <= IPC_FDS_MAX, "message " #name " has many descriptors");
#include "../ipc_messages.def"

/* A row has room for its name. */
#define IPC_NAMED(name)                                                        \
	_Static_assert(sizeof(#name) <= IPC_NAME_SIZE, #name " is too long");
#define IPC_MESSAGE(NAME, name, FROM, TO, PHASES, NEXT, doc) IPC_NAMED(name)
#define IPC_UINT(name, field, least, most, doc) IPC_NAMED(field)
#define IPC_TEXT(name, field, least, most, doc) IPC_NAMED(field)
#define IPC_BYTES(name, field, least, most, doc) IPC_NAMED(field)
#define IPC_BLOB(name, field, most, doc) IPC_NAMED(field)
#define IPC_FD(name, field, KIND, doc) IPC_NAMED(field)
#define IPC_OPTIONAL_FD(name, field, KIND, doc) IPC_NAMED(field)
#include "../ipc_messages.def"

/* Where the fields of every message begin and end in the array of all. */
enum {
#define IPC_MESSAGE(NAME, name, FROM, TO, PHASES, NEXT, doc)                   \
	IPC_FIRST_##name, IPC_BEFORE_##name = IPC_FIRST_##name - 1,
#define IPC_UINT(name, field, least, most, doc) IPC_AT_##name##_##field,
#define IPC_TEXT(name, field, least, most, doc) IPC_AT_##name##_##field,
#define IPC_BYTES(name, field, least, most, doc) IPC_AT_##name##_##field,
#define IPC_BLOB(name, field, most, doc) IPC_AT_##name##_##field,
#define IPC_FD(name, field, KIND, doc) IPC_AT_##name##_##field,
#define IPC_OPTIONAL_FD(name, field, KIND, doc) IPC_AT_##name##_##field,
#define IPC_END(name) IPC_LAST_##name,
#include "../ipc_messages.def"
};

/* The fields of every message, each closed by a row without name. */
static const struct ipc_field ipc_all_fields[] = {
#define IPC_ROW(name, field, kind, least, most, doc)                           \
	{ #field, kind, offsetof(struct ipc_##name, field), least, most },
#define IPC_UINT(name, field, least, most, doc)                                \
	IPC_ROW(name, field, IPC_KIND_UINT, least, most, doc)
#define IPC_TEXT(name, field, least, most, doc)                                \
	IPC_ROW(name, field, IPC_KIND_TEXT, least, most, doc)
#define IPC_BYTES(name, field, least, most, doc)                               \
	IPC_ROW(name, field, IPC_KIND_BYTES, least, most, doc)
#define IPC_BLOB(name, field, most, doc)                                       \
	IPC_ROW(name, field, IPC_KIND_BLOB, 0, most, doc)
#define IPC_FD(name, field, KIND, doc)                                         \
	IPC_ROW(name, field, IPC_KIND_##KIND, 1, 1, doc)
#define IPC_OPTIONAL_FD(name, field, KIND, doc)                                \
	IPC_ROW(name, field, IPC_KIND_##KIND, 0, 1, doc)
#define IPC_END(name) { "", IPC_KIND_UINT, 0, 0, 0 },
#include "../ipc_messages.def"
};

static const struct ipc_message ipc_messages[IPC_TYPES] = {
#define IPC_MESSAGE(NAME, name, FROM, TO, PHASES, NEXT, doc)                   \
	[IPC_##NAME] = { #name, ROLE_##FROM, ROLE_##TO, PHASES,                \
		IPC_PHASE_##NEXT, IPC_FIRST_##name,                            \
		IPC_LAST_##name - IPC_FIRST_##name, sizeof(struct ipc_##name) },
#include "../ipc_messages.def"
};

const struct ipc_message *
ipc_message(uint32_t type)
{
	return type < IPC_TYPES ? &ipc_messages[type] : NULL;
}

const struct ipc_field *
ipc_fields(const struct ipc_message *row)
{
	return &ipc_all_fields[row->first];
}

int
ipc_kind_is_fd(enum ipc_kind kind)
{
	return kind >= IPC_KIND_PIPE_R;
}

/* Bounds: the same sentence for a bug of the sender and a violation. */
static int
ipc_bounded(const struct ipc_message *row, const struct ipc_field *field,
    uint64_t value, struct err *err)
{
	if (value >= field->least && value <= field->most)
		return 0;
	return err_set(err, "message %s: %s is %llu, not %llu to %llu",
	    row->name, field->name, (unsigned long long)value,
	    (unsigned long long)field->least, (unsigned long long)field->most);
}

/* Encoding */

/* The bounds are checked before, so every message fits (asserted above). */
static void
ipc_put(struct ipc_packet *packet, const void *data, size_t len)
{
	if (len > 0)
		memcpy(packet->data + packet->len, data, len);
	packet->len += len;
}

static void
ipc_put_u32(struct ipc_packet *packet, size_t value)
{
	uint32_t wire = (uint32_t)value;

	ipc_put(packet, &wire, sizeof(wire));
}

/*
 * Seals a memfd. The kernel refuses that while it holds one of the pages, as
 * when it moves them, and waits for 150 ms each time. Returns 0, or -1.
 */
static int
ipc_seal_memfd(int fd)
{
	int n, tries = 0;

	do
		n = fcntl(fd, F_ADD_SEALS, IPC_SEALS);
	while (n == -1 && errno == EBUSY && ++tries < IPC_SEAL_TRIES);
	return n;
}

/* Returns a sealed memfd with the bytes, or -1 with err. */
static int
ipc_seal(const uint8_t *data, size_t len, struct err *err)
{
	auto_fd int fd = memfd_create("blob", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd == -1)
		return err_sys(err, "create a memfd");
	if (fd_write_all(fd, data, len) == -1)
		return err_sys(err, "write a memfd of %zu bytes", len);
	if (ipc_seal_memfd(fd) == -1)
		return err_sys(err, "seal a memfd");
	return fd_take(&fd);
}

int
ipc_make_usage(size_t size, struct err *err)
{
	auto_fd int fd = memfd_create("usage", MFD_CLOEXEC | MFD_ALLOW_SEALING);

	if (fd == -1)
		return err_sys(err, "make a memfd");
	if (ftruncate(fd, (off_t)size) == -1 ||
	    fcntl(fd, F_ADD_SEALS, IPC_USAGE_SEALS) == -1)
		return err_sys(err, "prepare a memfd of %zu bytes", size);
	return fd_take(&fd);
}

static int
ipc_put_blob(
    struct ipc_packet *packet, const struct ipc_blob *blob, struct err *err)
{
	uint64_t wire = blob->len;
	int fd;

	ipc_put(packet, &wire, sizeof(wire));
	if (blob->len <= IPC_INLINE_MAX) {
		ipc_put(packet, blob->data, blob->len);
		return 0;
	}
	if (blob->data != NULL)
		fd = ipc_seal(blob->data, blob->len, err);
	else if ((fd = fcntl(blob->fd, F_DUPFD_CLOEXEC, 0)) == -1)
		err_sys(err, "duplicate a memfd");
	if (fd == -1)
		return -1;
	packet->fds[packet->nfds++] = fd;
	return 0;
}

static int
ipc_put_text(struct ipc_packet *packet, const struct ipc_message *row,
    const struct ipc_field *field, const char *text, struct err *err)
{
	size_t len = strlen(text);

	if (ipc_bounded(row, field, len, err) == -1)
		return -1;
	if (!utf8_valid(text, len))
		return err_set(err, "message %s: %s is not UTF-8", row->name,
		    field->name);
	ipc_put_u32(packet, len);
	ipc_put(packet, text, len + 1);
	return 0;
}

/* An optional descriptor is preceded by its number: 0 or 1. */
static int
ipc_put_fd(struct ipc_packet *packet, const struct ipc_message *row,
    const struct ipc_field *field, int *member, struct err *err)
{
	int fd = fd_take(member);

	if (fd < -1) {
		fd = IPC_LEND(fd);
		packet->lent |= 1U << packet->nfds;
	}
	if (field->least == 0)
		ipc_put_u32(packet, fd >= 0);
	else if (fd < 0)
		return err_set(
		    err, "message %s: %s is missing", row->name, field->name);
	if (fd >= 0)
		packet->fds[packet->nfds++] = fd;
	return 0;
}

static int
ipc_put_field(struct ipc_packet *packet, const struct ipc_message *row,
    const struct ipc_field *field, void *member, struct err *err)
{
	const struct ipc_bytes *bytes;
	const struct ipc_blob *blob;

	switch (field->kind) {
	case IPC_KIND_UINT:
		ipc_put(packet, member, sizeof(uint64_t));
		return ipc_bounded(row, field, *(uint64_t *)member, err);
	case IPC_KIND_TEXT:
		return ipc_put_text(
		    packet, row, field, *(const char **)member, err);
	case IPC_KIND_BYTES:
		bytes = member;
		if (ipc_bounded(row, field, bytes->len, err) == -1)
			return -1;
		ipc_put_u32(packet, bytes->len);
		ipc_put(packet, bytes->data, bytes->len);
		return 0;
	case IPC_KIND_BLOB:
		blob = member;
		if (ipc_bounded(row, field, blob->len, err) == -1)
			return -1;
		return ipc_put_blob(packet, blob, err);
	default:
		return ipc_put_fd(packet, row, field, member, err);
	}
}

int
ipc_encode(
    enum ipc_type type, void *msg, struct ipc_packet *packet, struct err *err)
{
	const struct ipc_message *row = &ipc_messages[type];
	const struct ipc_field *field;
	int failed = 0;

	packet->len = 0;
	packet->nfds = 0;
	packet->lent = 0;
	ipc_put_u32(packet, type);
	for (field = ipc_fields(row); field->name[0] != '\0'; field++) {
		/*
		 * After a failure the loop continues only to take the
		 * descriptors.
		 */
		if (failed && !ipc_kind_is_fd(field->kind))
			continue;
		if (ipc_put_field(packet, row, field,
		        (char *)msg + field->offset,
		        failed ? NULL : err) == -1)
			failed = 1;
	}
	return failed ? -1 : 0;
}

/* Decoding */

struct ipc_reader {
	const struct ipc_message *row;
	struct ipc_packet *packet;
	size_t pos; /* offset in the bytes */
	size_t fd;  /* index of the next descriptor */
};

/* Returns the next len bytes, or NULL with err when there are fewer. */
static const uint8_t *
ipc_get(struct ipc_reader *r, const char *what, size_t len, struct err *err)
{
	const uint8_t *p = r->packet->data + r->pos;

	if (len > r->packet->len - r->pos) {
		err_set(err, "message %s: cut short in %s", r->row->name, what);
		return NULL;
	}
	r->pos += len;
	return p;
}

static int
ipc_get_number(struct ipc_reader *r, const struct ipc_field *field,
    size_t width, uint64_t *value, struct err *err)
{
	const uint8_t *p = ipc_get(r, field->name, width, err);

	if (p == NULL)
		return -1;
	*value = 0;
	memcpy(value, p, width); /* on one machine, so in host byte order */
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	*value >>= 8 * (sizeof(*value) - width);
#endif
	return ipc_bounded(r->row, field, *value, err);
}

static int
ipc_get_text(struct ipc_reader *r, const struct ipc_field *field,
    const char **text, struct err *err)
{
	uint64_t len;

	if (ipc_get_number(r, field, sizeof(uint32_t), &len, err) == -1)
		return -1;
	*text = (const char *)ipc_get(r, field->name, len + 1, err);
	if (*text == NULL)
		return -1;
	if ((*text)[len] != '\0' || memchr(*text, '\0', len) != NULL ||
	    !utf8_valid(*text, len))
		return err_set(err, "message %s: %s is not a text",
		    r->row->name, field->name);
	return 0;
}

static int
ipc_get_bytes(struct ipc_reader *r, const struct ipc_field *field,
    struct ipc_bytes *bytes, struct err *err)
{
	uint64_t len;

	if (ipc_get_number(r, field, sizeof(uint32_t), &len, err) == -1)
		return -1;
	bytes->len = len;
	bytes->data = ipc_get(r, field->name, len, err);
	return bytes->data == NULL ? -1 : 0;
}

/* Descriptors are checked on arrival to be of the declared kind. */

static int
ipc_is_pipe(int fd, int access)
{
	/*
	 * Only a pipe has a pipe size. This is not fstat(), which is
	 * newfstatat() in the C library: a process that may call that could
	 * search for files. O_PATH has the access mode of reading, but cannot
	 * read.
	 */
	return fcntl(fd, F_GETPIPE_SZ) > 0 &&
	    (fcntl(fd, F_GETFL) & (O_ACCMODE | O_PATH)) == access;
}

static int
ipc_is_peer(int fd)
{
	int type = 0;
	socklen_t len = sizeof(type);

	return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len) == 0 &&
	    type == SOCK_SEQPACKET;
}

static int
ipc_is_sealed(int fd)
{
	int seals = fcntl(fd, F_GET_SEALS);

	return seals != -1 && (seals & IPC_SEALS) == IPC_SEALS;
}

/* Neither its size can be changed, nor its writability. */
static int
ipc_is_usage(int fd)
{
	int seals = fcntl(fd, F_GET_SEALS);

	return seals != -1 && (seals & IPC_SEALS) == IPC_USAGE_SEALS &&
	    (fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDWR;
}

/* Whether a memfd has exactly this size, which is not 0. */
static int
ipc_has_size(int fd, uint64_t len)
{
	char byte;

	return pread(fd, &byte, 1, (off_t)(len - 1)) == 1 &&
	    pread(fd, &byte, 1, (off_t)len) == 0;
}

/* A pidfd of a child of ours. */
static int
ipc_is_pidfd(int fd)
{
	siginfo_t si;

	/*
	 * ECHILD: the pidfd of another process's child; EBADF, EINVAL: no
	 * pidfd.
	 */
	return waitid((idtype_t)P_PIDFD, (id_t)fd, &si,
	    WEXITED | WNOHANG | WNOWAIT) == 0;
}

static int
ipc_is_file(int fd)
{
	/* As with pipes, O_PATH only appears to be readable. */
	return file_kind_is_regular(fd) &&
	    (fcntl(fd, F_GETFL) & (O_ACCMODE | O_PATH)) == O_RDONLY;
}

/* A file that can only be appended to. */
static int
ipc_is_growing(int fd)
{
	return file_kind_is_regular(fd) &&
	    (fcntl(fd, F_GETFL) & (O_ACCMODE | O_PATH | O_APPEND)) ==
	    (O_WRONLY | O_APPEND);
}

/*
 * The kernel has opened it as a directory, which takes one call to see. A file
 * of O_TMPFILE has that flag, too, but cannot be open for reading only.
 */
static int
ipc_is_directory(int fd)
{
	return (fcntl(fd, F_GETFL) & (O_ACCMODE | O_PATH | O_DIRECTORY)) ==
	    (O_RDONLY | O_DIRECTORY);
}

static int
ipc_is_listener(int fd)
{
	int listens = 0, type = 0;
	socklen_t len = sizeof(type);

	return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len) == 0 &&
	    type == SOCK_STREAM &&
	    getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &len) == 0 &&
	    listens;
}

static int
ipc_is_kind(enum ipc_kind kind, int fd)
{
	switch (kind) {
	case IPC_KIND_PIPE_R:
		return ipc_is_pipe(fd, O_RDONLY);
	case IPC_KIND_PIPE_W:
		return ipc_is_pipe(fd, O_WRONLY);
	case IPC_KIND_PEER:
		return ipc_is_peer(fd);
	case IPC_KIND_MEMFD:
		return ipc_is_sealed(fd);
	case IPC_KIND_USAGE:
		return ipc_is_usage(fd);
	case IPC_KIND_PIDFD:
		return ipc_is_pidfd(fd);
	case IPC_KIND_FILE_R:
		return ipc_is_file(fd);
	case IPC_KIND_FILE_A:
		return ipc_is_growing(fd);
	case IPC_KIND_DIR:
		return ipc_is_directory(fd);
	case IPC_KIND_LISTENER:
		return ipc_is_listener(fd);
	default:
		return 0;
	}
}

static int
ipc_get_fd(struct ipc_reader *r, const struct ipc_field *field,
    enum ipc_kind kind, int *fd, struct err *err)
{
	if (r->fd >= r->packet->nfds)
		return err_set(err, "message %s: no descriptor for %s",
		    r->row->name, field->name);
	*fd = r->packet->fds[r->fd++];
	if (!ipc_is_kind(kind, *fd))
		return err_set(err, "message %s: %s is a descriptor of "
		    "another kind", r->row->name, field->name);
	return 0;
}

static int
ipc_get_optional_fd(struct ipc_reader *r, const struct ipc_field *field,
    int *fd, struct err *err)
{
	uint64_t count;

	*fd = -1;
	if (ipc_get_number(r, field, sizeof(uint32_t), &count, err) == -1)
		return -1;
	return count == 0 ? 0 : ipc_get_fd(r, field, field->kind, fd, err);
}

static int
ipc_get_blob(struct ipc_reader *r, const struct ipc_field *field,
    struct ipc_blob *blob, struct err *err)
{
	uint64_t len;

	blob->fd = -1;
	if (ipc_get_number(r, field, sizeof(uint64_t), &len, err) == -1)
		return -1;
	blob->len = len;
	if (len <= IPC_INLINE_MAX) {
		blob->data = ipc_get(r, field->name, len, err);
		return blob->data == NULL ? -1 : 0;
	}
	blob->data = NULL;
	if (ipc_get_fd(r, field, IPC_KIND_MEMFD, &blob->fd, err) == -1)
		return -1;
	if (!ipc_has_size(blob->fd, len))
		return err_set(err, "message %s: %s has another size than "
		    "it says", r->row->name, field->name);
	return 0;
}

static int
ipc_get_field(struct ipc_reader *r, const struct ipc_field *field,
    void *member, struct err *err)
{
	switch (field->kind) {
	case IPC_KIND_UINT:
		return ipc_get_number(r, field, sizeof(uint64_t), member, err);
	case IPC_KIND_TEXT:
		return ipc_get_text(r, field, member, err);
	case IPC_KIND_BYTES:
		return ipc_get_bytes(r, field, member, err);
	case IPC_KIND_BLOB:
		return ipc_get_blob(r, field, member, err);
	default:
		if (field->least == 0)
			return ipc_get_optional_fd(r, field, member, err);
		return ipc_get_fd(r, field, field->kind, member, err);
	}
}

int
ipc_decode(struct ipc_packet *packet, enum ipc_type *type,
    union ipc_any *msg, struct err *err)
{
	struct ipc_reader r = { .packet = packet };
	const struct ipc_field *field;
	uint32_t number;

	if (packet->len < sizeof(number))
		return err_set(err, "a packet of %zu bytes", packet->len);
	memcpy(&number, packet->data, sizeof(number));
	r.pos = sizeof(number);
	r.row = ipc_message(number);
	if (r.row == NULL)
		return err_set(err, "message number %u is unknown", number);
	for (field = ipc_fields(r.row); field->name[0] != '\0'; field++)
		if (ipc_get_field(&r, field, (char *)msg + field->offset,
		        err) == -1)
			return -1;
	if (r.pos != packet->len)
		return err_set(err, "message %s: %zu bytes too many",
		    r.row->name, packet->len - r.pos);
	if (r.fd != packet->nfds)
		return err_set(err, "message %s: %zu descriptors too many",
		    r.row->name, packet->nfds - r.fd);
	packet->nfds = 0; /* they belong to the message now */
	*type = number;
	return 0;
}

int
ipc_permit(enum role from, enum role to, enum ipc_type type,
    enum ipc_phase *phase, struct err *err)
{
	const struct ipc_message *row = &ipc_messages[type];

	if (row->from != from || row->to != to)
		return err_set(err, "message %s is not for %s to send to %s",
		    row->name, role_info(from)->name, role_info(to)->name);
	if ((row->phases & (1U << *phase)) == 0)
		return err_set(err, "message %s comes at the wrong time",
		    row->name);
	*phase = row->next;
	return 0;
}

void
ipc_packet_close(struct ipc_packet *packet)
{
	while (packet->nfds > 0) {
		packet->nfds--;
		if ((packet->lent & 1U << packet->nfds) == 0)
			fd_close(&packet->fds[packet->nfds]);
	}
}

void
ipc_message_close(enum ipc_type type, union ipc_any *msg)
{
	const struct ipc_field *field;
	char *member;

	field = ipc_fields(&ipc_messages[type]);
	for (; field->name[0] != '\0'; field++) {
		member = (char *)msg + field->offset;
		if (ipc_kind_is_fd(field->kind))
			fd_close((int *)(void *)member);
		else if (field->kind == IPC_KIND_BLOB)
			fd_close(&((struct ipc_blob *)(void *)member)->fd);
	}
}

char *
ipc_blob_copy(const struct ipc_blob *blob, struct err *err)
{
	auto_free char *copy = NULL;
	size_t done = 0;
	ssize_t n;

	if (blob->fd == -1)
		return mem_dup(blob->data, blob->len);
	copy = mem_alloc(blob->len + 1);
	while (done < blob->len) {
		/* pread: the offset is shared with the sender. */
		n = pread(blob->fd, copy + done, blob->len - done, (off_t)done);
		if (n == -1 && errno == EINTR)
			continue;
		if (n <= 0) {
			err_sys(err, "read a memfd of %zu bytes", blob->len);
			return NULL;
		}
		done += (size_t)n;
	}
	return mem_take(&copy);
}

void
ipc_blob_take(struct ipc_blob *to, struct ipc_blob *from)
{
	*to = *from;
	if (from->fd == -1)
		to->data = mem_dup(from->data, from->len);
	from->fd = -1;
}

void
ipc_blob_reset(struct ipc_blob *blob)
{
	free((void *)blob->data);
	fd_close(&blob->fd);
	*blob = (struct ipc_blob){ .fd = -1 };
}
