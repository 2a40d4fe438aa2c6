/*
 * The queue of frames for the box, which wait until its pipe takes them. Bytes
 * that arrived as a memfd stay in it and are read in pieces, so an unread
 * answer uses no memory of the relay. Runs in the relay; never interprets the
 * bytes.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <unistd.h>

#include "../../common/base/fd.h"
#include "../../common/base/log.h"
#include "../../common/base/mem.h"
#include "calls.h"

struct outbox_entry {
	TAILQ_ENTRY(outbox_entry) entry;
	enum outbox_kind kind;
	struct outbox_frame frame;
	size_t written;
};

struct outbox {
	int fd;                 /* -1: the box has closed its end */
	struct event *writable; /* added only while frames wait */
	TAILQ_HEAD(outbox_queue, outbox_entry) queue;
	size_t answers; /* number of queued answers */
	size_t unread;  /* queued bytes, without the run frame */
	bool finished;   /* the pipe is closed behind the last frame */
};

void
outbox_frame_finish(
    struct outbox_frame *frame, struct ipc_blob *blob, const char *tail)
{
	frame->memfd = fd_take(&blob->fd);
	frame->data = frame->memfd == -1 ? (const char *)blob->data : NULL;
	frame->len = blob->len;
	frame->tail = tail;
}

void
outbox_frame_own(struct outbox_frame *frame)
{
	if (frame->data == NULL)
		return;
	buffer_add(&frame->text, frame->data, frame->len);
	frame->data = NULL;
	frame->len = 0;
}

size_t
outbox_frame_len(const struct outbox_frame *frame)
{
	return frame->text.len + frame->len + strlen(frame->tail);
}

void
outbox_frame_reset(struct outbox_frame *frame)
{
	buffer_reset(&frame->text);
	fd_close(&frame->memfd);
}

/* Removes an entry, even if it is only partly written. */
static void
outbox_drop(struct outbox *outbox, struct outbox_entry *entry)
{
	TAILQ_REMOVE(&outbox->queue, entry, entry);
	if (entry->kind != OUTBOX_RUN)
		outbox->unread -=
		    outbox_frame_len(&entry->frame) - entry->written;
	if (entry->kind == OUTBOX_ANSWER)
		outbox->answers--;
	outbox_frame_reset(&entry->frame);
	free(entry);
}

/* The reader has gone: drops all queued frames and all later ones. */
static void
outbox_break(struct outbox *outbox)
{
	while (!TAILQ_EMPTY(&outbox->queue))
		outbox_drop(outbox, TAILQ_FIRST(&outbox->queue));
	loop_event_free(&outbox->writable);
	fd_close(&outbox->fd);
}

/* The size of the memfd was checked on arrival, and it is sealed. */
static void
outbox_read_memfd(int fd, char *out, size_t len, size_t at)
{
	ssize_t n;

	while (len > 0) {
		n = pread(fd, out, len, (off_t)at);
		if (n == -1 && errno == EINTR)
			continue;
		if (n <= 0)
			fatal("an answer cannot be read: %s", strerror(errno));
		out += n;
		len -= (size_t)n;
		at += (size_t)n;
	}
}

static size_t
outbox_least(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* A frame is a sequence of three byte strings. */
enum outbox_part { OUTBOX_TEXT, OUTBOX_BLOB, OUTBOX_TAIL, OUTBOX_PARTS };

static size_t
outbox_part_len(const struct outbox_frame *frame, enum outbox_part part)
{
	if (part == OUTBOX_TEXT)
		return frame->text.len;
	return part == OUTBOX_BLOB ? frame->len : strlen(frame->tail);
}

static void
outbox_copy(const struct outbox_frame *frame, enum outbox_part part, size_t at,
    char *out, size_t len)
{
	if (part == OUTBOX_TEXT)
		memcpy(out, frame->text.data + at, len);
	else if (part == OUTBOX_TAIL)
		memcpy(out, frame->tail + at, len);
	else if (frame->data != NULL)
		memcpy(out, frame->data + at, len);
	else
		outbox_read_memfd(frame->memfd, out, len, at);
}

/* Copies the next bytes of a frame, as many as fit. */
static size_t
outbox_gather(
    const struct outbox_frame *frame, size_t at, char *out, size_t room)
{
	enum outbox_part part;
	size_t n, part_len, len = 0;

	for (part = OUTBOX_TEXT; part < OUTBOX_PARTS; part++) {
		part_len = outbox_part_len(frame, part);
		if (at >= part_len) {
			at -= part_len;
			continue;
		}
		n = outbox_least(part_len - at, room - len);
		outbox_copy(frame, part, at, out + len, n);
		len += n;
		at = 0;
	}
	return len;
}

/*
 * Writes once: at most a chunk of a frame, from this byte on. Returns how many
 * bytes were written, or -1 if the reader has gone.
 */
static ssize_t
outbox_push(struct outbox *outbox, const struct outbox_frame *frame, size_t at)
{
	static char chunk[PIPE_CHUNK];
	size_t len = outbox_gather(frame, at, chunk, sizeof(chunk));
	ssize_t n = write(outbox->fd, chunk, len);

	if (n == -1 && (errno == EAGAIN || errno == EINTR))
		return 0;
	return n;
}

/* Writes once, from the first frame. */
static void
outbox_write(struct outbox *outbox)
{
	struct outbox_entry *entry = TAILQ_FIRST(&outbox->queue);
	ssize_t n = outbox_push(outbox, &entry->frame, entry->written);

	if (n == -1) {
		outbox_break(outbox);
		return;
	}
	entry->written += (size_t)n;
	if (entry->kind != OUTBOX_RUN)
		outbox->unread -= (size_t)n;
	if (entry->written == outbox_frame_len(&entry->frame))
		outbox_drop(outbox, entry);
	if (outbox->finished && TAILQ_EMPTY(&outbox->queue))
		outbox_break(outbox);
}

static void
outbox_on_writable(evutil_socket_t, short, void *arg)
{
	struct outbox *outbox = arg;

	outbox_write(outbox);
	if (outbox->writable != NULL && TAILQ_EMPTY(&outbox->queue))
		event_del(outbox->writable);
}

struct outbox *
outbox_new(struct event_base *base, int *fd)
{
	struct outbox *outbox = mem_alloc(sizeof(*outbox));
	struct err err;

	outbox->fd = fd_take(fd);
	TAILQ_INIT(&outbox->queue);
	if (fd_set_nonblock(outbox->fd, 1, &err) == -1)
		fatal("%s", err.text);
	outbox->writable = event_new(base, outbox->fd, EV_WRITE | EV_PERSIST,
	    outbox_on_writable, outbox);
	return outbox;
}

void
outbox_free(struct outbox **outboxp)
{
	struct outbox *outbox = mem_take(outboxp);

	if (outbox == NULL)
		return;
	outbox_break(outbox);
	free(outbox);
}

/*
 * Appends a refusal to one that is queued, so that each costs only its bytes.
 * Returns 1, or 0 if no refusal is queued.
 */
static int
outbox_join(struct outbox *outbox, const struct outbox_frame *frame)
{
	struct outbox_entry *last = TAILQ_LAST(&outbox->queue, outbox_queue);

	if (last == NULL || last->kind != OUTBOX_REFUSAL ||
	    last->frame.text.len > PIPE_CHUNK)
		return 0;
	buffer_add(&last->frame.text, frame->text.data, frame->text.len);
	outbox->unread += frame->text.len;
	return 1;
}

/* Queues a frame of which a part may be written. */
static void
outbox_append(struct outbox *outbox, enum outbox_kind kind,
    struct outbox_frame *frame, size_t written)
{
	struct outbox_entry *entry = mem_alloc(sizeof(*entry));

	if (kind != OUTBOX_RUN)
		outbox->unread += outbox_frame_len(frame) - written;
	if (kind == OUTBOX_ANSWER)
		outbox->answers++;
	entry->kind = kind;
	outbox_frame_own(frame);
	entry->frame = *frame;
	entry->written = written;
	*frame = (struct outbox_frame){ .memfd = -1, .tail = "" };
	TAILQ_INSERT_TAIL(&outbox->queue, entry, entry);
}

/* Usually the pipe has room for the frame at once, which is never queued. */
static void
outbox_begin(
    struct outbox *outbox, enum outbox_kind kind, struct outbox_frame *frame)
{
	ssize_t n = outbox_push(outbox, frame, 0);

	if (n == -1) {
		outbox_break(outbox);
	} else if ((size_t)n < outbox_frame_len(frame)) {
		outbox_append(outbox, kind, frame, (size_t)n);
		event_add(outbox->writable, NULL);
	}
}

void
outbox_add(
    struct outbox *outbox, enum outbox_kind kind, struct outbox_frame *frame)
{
	if (outbox->fd != -1 && TAILQ_EMPTY(&outbox->queue))
		outbox_begin(outbox, kind, frame);
	else if (outbox->fd != -1 &&
	    (kind != OUTBOX_REFUSAL || !outbox_join(outbox, frame)))
		outbox_append(outbox, kind, frame, 0);
	outbox_frame_reset(frame);
}

void
outbox_finish(struct outbox *outbox)
{
	outbox->finished = true;
	if (TAILQ_EMPTY(&outbox->queue))
		outbox_break(outbox);
}

void
outbox_forget(struct outbox *outbox)
{
	struct outbox_entry *entry = TAILQ_FIRST(&outbox->queue), *next;

	if (entry != NULL && entry->written > 0)
		entry = TAILQ_NEXT(entry, entry);
	for (; entry != NULL; entry = next) {
		next = TAILQ_NEXT(entry, entry);
		outbox_drop(outbox, entry);
	}
	if (outbox->writable != NULL && TAILQ_EMPTY(&outbox->queue))
		event_del(outbox->writable);
}

size_t
outbox_answers(const struct outbox *outbox)
{
	return outbox->answers;
}

size_t
outbox_unread(const struct outbox *outbox)
{
	return outbox->unread;
}
