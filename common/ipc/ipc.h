/*
 * The catalogue in C: enum, structs, encoder, decoder and permission check, all
 * expanded from ipc_messages.def. Pure functions over bytes and descriptors: no
 * loop, no socket (those are ipc_socket and channel). Used by every process.
 */
#ifndef COMMON_IPC_H
#define COMMON_IPC_H

#include <stddef.h>
#include <stdint.h>

#include "../ask_client.h"
#include "../config_shape.h"
#include "../base/err.h"
#include "../file_fault.h"
#include "../http_route.h"
#include "../limits.h"
#include "../picture.h"
#include "../process_one.h"
#include "../response.h"
#include "../role.h"
#include "../stored_kind.h"

enum ipc_phase {
	IPC_PHASE_NEW,
	IPC_PHASE_READY,
	IPC_PHASE_OPEN,
	IPC_PHASE_OVER,
	IPC_PHASES
};

#define IPC_IN(PHASE) (1U << IPC_PHASE_##PHASE)

/* In any phase but the last of a direction. */
#define IPC_ANY (IPC_IN(NEW) | IPC_IN(READY) | IPC_IN(OPEN))

enum ipc_kind {
	IPC_KIND_UINT,
	IPC_KIND_TEXT,
	IPC_KIND_BYTES,
	IPC_KIND_BLOB,
	IPC_KIND_PIPE_R, /* the kinds from here on are descriptors */
	IPC_KIND_PIPE_W,
	IPC_KIND_PEER,
	IPC_KIND_MEMFD,
	IPC_KIND_USAGE, /* a writable memfd of fixed size */
	IPC_KIND_PIDFD,
	IPC_KIND_FILE_R,
	IPC_KIND_FILE_A,
	IPC_KIND_DIR,
	IPC_KIND_LISTENER, /* a socket that accepts connections */
};

/* Borrowed bytes: valid only during the handler. */
struct ipc_bytes {
	const uint8_t *data;
	size_t len;
};

/*
 * Up to IPC_INLINE_MAX bytes are at data, borrowed, and fd is -1. More are in
 * fd, a sealed memfd that belongs to the message. ipc_blob_copy reads both. One
 * that is sent has all at data, or was received and is passed on as it is.
 */
struct ipc_blob {
	const uint8_t *data;
	size_t len;
	int fd;
};

enum ipc_type {
#define IPC_MESSAGE(NAME, name, FROM, TO, PHASES, NEXT, doc) IPC_##NAME,
#include "../ipc_messages.def"
	IPC_TYPES
};

#define IPC_MESSAGE(NAME, name, FROM, TO, PHASES, NEXT, doc)                   \
	struct ipc_##name {
#define IPC_UINT(name, field, least, most, doc) uint64_t field;
#define IPC_TEXT(name, field, least, most, doc) const char *field;
#define IPC_BYTES(name, field, least, most, doc) struct ipc_bytes field;
#define IPC_BLOB(name, field, most, doc) struct ipc_blob field;
#define IPC_FD(name, field, KIND, doc) int field;
#define IPC_OPTIONAL_FD(name, field, KIND, doc) int field;
#define IPC_END(name)                                                          \
	uint8_t ipc_end_;                                                      \
	}                                                                      \
	;
#include "../ipc_messages.def"

/* Room for any message. */
union ipc_any {
#define IPC_MESSAGE(NAME, name, FROM, TO, PHASES, NEXT, doc)                   \
	struct ipc_##name name;
#include "../ipc_messages.def"
};

/*
 * The rows hold their names, and have no sentences (see ipc_doc.h): a pointer
 * would have to be relocated whenever a process starts, and its page copied.
 */
struct ipc_field {
	char name[IPC_NAME_SIZE]; /* empty in the row that closes an array */
	enum ipc_kind kind;
	size_t offset; /* offset in the struct of the message */
	uint64_t least; /* number of descriptors; 0 for an optional one */
	uint64_t most;
};

struct ipc_message {
	char name[IPC_NAME_SIZE]; /* lower case, as in struct ipc_NAME */
	enum role from;
	enum role to;
	unsigned int phases; /* IPC_IN bits of the phases in which it is legal
			      */
	enum ipc_phase next;
	size_t first; /* where its fields begin, for ipc_fields() */
	size_t nfields;
	size_t size; /* size of the struct */
};

/* An encoded message: its bytes, and the descriptors sent with them. */
struct ipc_packet {
	size_t len;
	size_t nfds;
	unsigned int lent; /* a bit for each of fds that the sender keeps */
	int fds[IPC_FDS_MAX];
	uint8_t data[IPC_PACKET_MAX];
};

/*
 * Instead of a descriptor in a message that is sent: the sender keeps it, and
 * the receiver gets a copy.
 */
#define IPC_LEND(fd) (-2 - (fd))

/* Returns the row of a type, static; NULL if the number is invalid. */
const struct ipc_message *ipc_message(uint32_t type);

/* Returns the fields of a message, static, closed by a row without name. */
const struct ipc_field *ipc_fields(const struct ipc_message *row);

/* Whether fields of this kind are descriptors. */
int ipc_kind_is_fd(enum ipc_kind kind);

/*
 * Encodes msg (the struct of its type) into packet. The descriptors of msg are
 * moved into the packet (their fields become -1), also on failure; the caller
 * closes them with ipc_packet_close, but not those of IPC_LEND. A BLOB is given
 * as data and len with fd -1; -1 stands for an absent optional descriptor.
 * Returns 0, or -1 with err if a field exceeds its bounds.
 */
int ipc_encode(
    enum ipc_type type, void *msg, struct ipc_packet *packet, struct err *err);

/*
 * Decodes packet into msg. Decoding is exact (no bytes left over), bounded and
 * canonical; every descriptor is checked to be of its kind. Descriptors move
 * from the packet into msg; the handler takes them with fd_take, and
 * ipc_message_close closes the others. On failure the packet keeps them all.
 * Bytes are borrowed from packet. Returns 0, or -1 with err.
 */
int ipc_decode(struct ipc_packet *packet, enum ipc_type *type,
    union ipc_any *msg, struct err *err);

/*
 * Whether a message from peer to self is legal now. phase is the phase of the
 * stream and is updated. Returns 0, or -1 with err.
 */
int ipc_permit(enum role from, enum role to, enum ipc_type type,
    enum ipc_phase *phase, struct err *err);

/* Closes the descriptors that a packet still holds. */
void ipc_packet_close(struct ipc_packet *packet);

/* Closes the descriptors that a message still holds. */
void ipc_message_close(enum ipc_type type, union ipc_any *msg);

/*
 * Returns a copy of the blob, terminated by a NUL, that the caller frees; NULL
 * with err if its memfd cannot be read.
 */
char *ipc_blob_copy(const struct ipc_blob *blob, struct err *err);

/*
 * Takes a blob from a message that was received: it is to's until
 * ipc_blob_reset. What is large is not copied.
 */
void ipc_blob_take(struct ipc_blob *to, struct ipc_blob *from);
void ipc_blob_reset(struct ipc_blob *blob);

/*
 * Returns a file of the kind USAGE with this size, filled with zeroes, that
 * the caller owns; -1 with err on failure.
 */
int ipc_make_usage(size_t size, struct err *err);

#endif
