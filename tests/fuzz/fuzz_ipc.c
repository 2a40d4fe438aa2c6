/*
 * Fuzz target of common/ipc: a packet that is accepted becomes the same bytes
 * again, and no packet, accepted or not, leaves a descriptor open. The first
 * byte says how many descriptors come with it, the bytes behind it which.
 */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "common/base/fd.h"
#include "common/ipc/ipc.h"
#include "common/base/mem.h"
#include "fuzz.h"
#include "tests/unit/common/ipc/ipc_descriptors.h"

/* Sealed memfds of the smallest sizes that a blob has one for. */
#define BLOB_SIZES 8

#define SORTS (IPC_DESCRIPTORS + BLOB_SIZES)

/* One descriptor of every sort, made once: inputs get copies. */
static int
sort_of(uint8_t byte)
{
	static int made[SORTS];
	size_t n = byte % SORTS;

	if (made[n] != 0)
		return made[n];
	if (n < IPC_DESCRIPTORS)
		made[n] = ipc_make(n);
	else
		made[n] = ipc_make_memfd(
		    IPC_INLINE_MAX + n - IPC_DESCRIPTORS, IPC_ALL_SEALS);
	return made[n];
}

/* The lowest free number: the same before and after, unless one is left. */
static int
lowest_free(void)
{
	int fd = ipc_made(fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0));

	close(fd);
	return fd;
}

/* Reads the descriptors off the front; returns how many bytes that took. */
static size_t
take_fds(struct ipc_packet *packet, const uint8_t *data, size_t size)
{
	size_t n, nfds = data[0] % (IPC_FDS_MAX + 1);

	if (nfds > size - 1)
		nfds = size - 1;
	/* All are made before any is copied: numbers stay comparable. */
	for (n = 0; n < nfds; n++)
		sort_of(data[1 + n]);
	packet->nfds = nfds;
	return 1 + nfds;
}

static void
copy_fds(struct ipc_packet *packet, const uint8_t *sorts)
{
	size_t n;

	for (n = 0; n < packet->nfds; n++)
		packet->fds[n] =
		    ipc_made(fcntl(sort_of(sorts[n]), F_DUPFD_CLOEXEC, 0));
}

/* Makes the blobs of a decoded message fit for the encoder. */
static void
take_blobs(const struct ipc_message *row, union ipc_any *msg, char **copies)
{
	struct ipc_blob *blob;
	size_t n;

	for (n = 0; n < row->nfields; n++) {
		if (ipc_fields(row)[n].kind != IPC_KIND_BLOB)
			continue;
		blob = (void *)((char *)msg + ipc_fields(row)[n].offset);
		copies[n] = ipc_blob_copy(blob, NULL);
		FUZZ_ASSERT(copies[n] != NULL);
		fd_close(&blob->fd);
		blob->data = (uint8_t *)copies[n];
	}
}

static void
check_accepted(const struct ipc_packet *packet, size_t nfds, enum ipc_type type,
    union ipc_any *msg)
{
	static struct ipc_packet again;
	const struct ipc_message *row = ipc_message(type);
	char **copies = mem_alloc(row->nfields * sizeof(*copies));
	size_t n;

	take_blobs(row, msg, copies);
	FUZZ_ASSERT(ipc_encode(type, msg, &again, NULL) == 0);
	FUZZ_ASSERT(again.len == packet->len);
	FUZZ_ASSERT(memcmp(again.data, packet->data, again.len) == 0);
	FUZZ_ASSERT(again.nfds == nfds);
	ipc_packet_close(&again);
	for (n = 0; n < row->nfields; n++)
		free(copies[n]);
	free(copies);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct ipc_packet packet;
	struct err err = { .text = "" };
	union ipc_any msg;
	enum ipc_type type;
	size_t taken, nfds;
	int free_before;

	if (size == 0)
		return 0;
	taken = take_fds(&packet, data, size);
	packet.len = size - taken;
	if (packet.len > IPC_PACKET_MAX)
		return 0;
	memcpy(packet.data, data + taken, packet.len);
	free_before = lowest_free();
	nfds = packet.nfds;
	copy_fds(&packet, data + 1);
	if (ipc_decode(&packet, &type, &msg, &err) == 0) {
		FUZZ_ASSERT(packet.nfds == 0);
		check_accepted(&packet, nfds, type, &msg);
	} else {
		FUZZ_ASSERT(packet.nfds == nfds && err.text[0] != '\0');
		ipc_packet_close(&packet);
	}
	FUZZ_ASSERT(lowest_free() == free_before);
	return 0;
}
