/*
 * One output stream of the code: reads it to its end, counts every byte, and
 * keeps its head and its tail. Its memory never exceeds the limit. Runs in the
 * relay; never interprets the bytes.
 *
 * If few bytes arrive at a time, it waits between two reads: being woken for
 * every line would cost the code more time than printing the line.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../../common/base/buffer.h"
#include "../../common/base/loop.h"
#include "../../common/base/fd.h"
#include "../../common/base/log.h"
#include "../../common/base/mem.h"
#include "../../common/base/utf8.h"
#include "output.h"

/* The last line of what is kept of a stream that has more. */
#define OUTPUT_MORE                                                            \
	"\n[... %llu further bytes were not kept: setting output-kept ...]\n"
#define OUTPUT_MORE_SIZE (sizeof(OUTPUT_MORE) + 20)

struct output {
	struct relay *relay;
	void (*ended)(struct relay *relay);
	int fd;
	struct event *readable;
	struct event *rested;
	unsigned int awake; /* number of reads without a pause, for large output
			     */
	size_t much;        /* this much may fill the pipe */
	unsigned long long total; /* bytes received */
	bool dropping;             /* bytes are only counted, in late */
	unsigned long long late;
	size_t head_max;
	size_t tail_max;
	struct buffer head; /* the first head_max bytes */
	char *tail;         /* a ring of the last tail_max bytes after them */
	size_t tail_at;     /* offset of the next byte */
	size_t tail_len;
	unsigned long long marks[PICTURES_MAX]; /* values of total when the
						 * marks were set */
	size_t nmarks;
	struct process_one *one; /* of a box without a bootstrap; or NULL */
	void (*begun)(struct relay *relay); /* of that */
	size_t kept_max;
	struct buffer kept; /* the first kept_max bytes, once bytes are cut */
	struct copy *copy; /* where it is passed on to; or NULL */
	void (*moved)(struct relay *relay); /* of that */
};

/* Keeps bytes of a stream that is cut, from its first one. */
static void
output_add_kept(struct output *output, const char *data, size_t len)
{
	size_t room;

	if (output->kept.len == 0)
		output_copy(output, 0, &output->kept);
	room = output->kept.len < output->kept_max ?
	    output->kept_max - output->kept.len : 0;
	buffer_add(&output->kept, data, len < room ? len : room);
}

static void
output_add_tail(struct output *output, const char *data, size_t len)
{
	size_t part;

	if (len > output->tail_max) {
		data += len - output->tail_max;
		len = output->tail_max;
	}
	if (output->tail == NULL)
		output->tail = mem_alloc(output->tail_max);
	while (len > 0) {
		part = output->tail_max - output->tail_at;
		if (part > len)
			part = len;
		memcpy(output->tail + output->tail_at, data, part);
		output->tail_at = (output->tail_at + part) % output->tail_max;
		output->tail_len += part;
		data += part;
		len -= part;
	}
	if (output->tail_len > output->tail_max)
		output->tail_len = output->tail_max;
}

static void
output_add(struct output *output, const char *data, size_t len)
{
	size_t room = output->head_max - output->head.len;
	size_t part = len < room ? len : room;

	if (output->dropping) {
		output->late += len;
		return;
	}
	if (output->copy != NULL)
		copy_add(output->copy, data, len);
	if (output->kept_max > 0 &&
	    output->total + len > output->head_max + output->tail_max)
		output_add_kept(output, data, len);
	output->total += len;
	buffer_add(&output->head, data, part);
	if (part < len)
		output_add_tail(output, data + part, len - part);
}

/* What was held as an end is output of the code. */
static void
output_add_held(struct output *output)
{
	output_add(output, output->one->held, output->one->nheld);
	output->one->nheld = 0;
}

/* Adds bytes behind the first sentinels, but those that may be the end. */
static void
output_add_between(struct output *output, const char *data, size_t len)
{
	const char *next;
	size_t n;

	/* Only the last bytes of the stream can be an end. */
	if (len > PROCESS_ONE_END_LEN) {
		n = len - PROCESS_ONE_END_LEN;
		output_add_held(output);
		output_add(output, data, n);
		data += n;
		len -= n;
	}
	for (; len > 0; data += n, len -= n) {
		n = 1;
		if (process_one_hold(output->one, data[0]))
			continue;
		output_add_held(output);
		if (process_one_hold(output->one, data[0]))
			continue;
		next = memchr(data, PROCESS_ONE_EXIT[0], len);
		n = next == NULL ? len : (size_t)(next - data);
		output_add(output, data, n);
	}
}

/* Bytes that looked like sentinels are output of the code. */
static void
output_add_rest(struct output *output)
{
	size_t len;
	const char *rest = process_one_rest(output->one, &len);

	output_add_between(output, rest, len);
}

/* Adds what was read, without sentinels. */
static void
output_add_read(struct output *output, const char *data, size_t len)
{
	size_t skipped = 0;
	int begun;

	if (output->one == NULL) {
		output_add(output, data, len);
		return;
	}
	if (!output->one->over) {
		begun = process_one_state(output->one) != BEGUN_NOT;
		skipped = process_one_take(output->one, data, len);
		if (!begun && process_one_state(output->one) != BEGUN_NOT)
			output->begun(output->relay);
		if (output->one->over)
			output_add_rest(output);
	}
	output_add_between(output, data + skipped, len - skipped);
}

/* The stream has ended: what is held is its end, or output of the code. */
static void
output_end_between(struct output *output)
{
	struct relay_report report;

	if (!output->one->over) {
		output->one->over = true;
		output_add_rest(output);
	}
	if (!process_one_end(output->one, &report))
		output_add_held(output);
}

static void
output_end(struct output *output)
{
	if (output->one != NULL)
		output_end_between(output);
	loop_event_free(&output->readable);
	loop_event_free(&output->rested);
	fd_close(&output->fd);
	output->ended(output->relay);
}

void
output_close(struct output *output)
{
	if (output->fd != -1)
		output_end(output);
}

int
output_waits(const struct output *output)
{
	return output->copy != NULL && copy_waits(output->copy);
}

/* Reads once. Returns whether bytes or the end were read. */
static int
output_read(struct output *output)
{
	static char chunk[PIPE_CHUNK];
	ssize_t n;

	if (output_waits(output))
		return 0;
	n = read(output->fd, chunk, sizeof(chunk));
	if (n == -1 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n > 0)
		output_add_read(output, chunk, (size_t)n);
	else
		output_end(output);
	if (n >= (ssize_t)output->much)
		output->awake = OUTPUT_AWAKE;
	else if (output->awake > 0)
		output->awake--;
	return 1;
}

/* Wakes as soon as bytes arrive, or when those before them have gone. */
static void
output_watch(struct output *output)
{
	event_del(output->rested);
	if (output_waits(output))
		event_del(output->readable);
	else
		event_add(output->readable, NULL);
}

void
output_rest(struct output *output)
{
	if (output->fd == -1)
		return;
	if (output->awake > 0 || output_waits(output)) {
		output_watch(output);
		return;
	}
	event_del(output->readable);
	loop_set_timer(output->rested, OUTPUT_REST_MS);
}

static void
output_on_readable(evutil_socket_t, short, void *arg)
{
	struct output *output = arg;

	if (output_read(output))
		output_rest(output);
}

static void
output_on_rested(evutil_socket_t, short, void *arg)
{
	struct output *output = arg;

	if (output_read(output))
		output_rest(output);
	else
		output_watch(output);
}

void
output_look(struct output *output)
{
	unsigned int looks = OUTPUT_AWAKE;

	while (output->fd != -1 && output_read(output) && --looks > 0)
		;
	if (output->fd != -1)
		output_watch(output);
}

/* Returns the capacity of a pipe in bytes. */
static size_t
output_capacity(int fd)
{
	int size = fcntl(fd, F_GETPIPE_SZ);

	return size == -1 ? PIPE_CHUNK : (size_t)size;
}

/* Reads what is in the pipe, however fast more is written to it. */
static void
output_read_all(struct output *output)
{
	unsigned long long before = output->total + output->late;
	size_t most = output->fd != -1 ? output_capacity(output->fd) : 0;

	while (output->fd != -1 &&
	    output->total + output->late - before < most &&
	    output_read(output))
		;
}

void
output_settle(struct output *output)
{
	output_read_all(output);
	if (output->fd != -1)
		output_watch(output);
}

void
output_drop(struct output *output)
{
	buffer_reset(&output->head);
	buffer_reset(&output->kept);
	free(mem_take(&output->tail));
	output->total = 0;
	output->tail_at = output->tail_len = 0;
	output->nmarks = 0;
	output->dropping = true;
	output->late = 0;
}

unsigned long long
output_resume(struct output *output)
{
	if (!output->dropping)
		return 0;
	output_settle(output);
	output->dropping = false;
	return output->late;
}

static void
output_on_moved(void *ctx)
{
	struct output *output = ctx;

	if (output->fd != -1)
		output_watch(output);
	output->moved(output->relay);
}

void
output_pass_on(struct output *output, struct relay *relay, int *fd,
    void (*moved)(struct relay *relay))
{
	auto_buffer struct buffer before = { 0 };

	output->relay = relay;
	output->moved = moved;
	output->copy = copy_new(relay->base, fd, output_on_moved, output);
	output_copy(output, 0, &before);
	copy_add(output->copy, before.data, before.len);
}

int
output_is_empty(const struct output *output)
{
	return output->total == 0;
}

void
output_put(struct output *output, const char *data, size_t len)
{
	output_add(output, data, len);
}

void
output_mark(struct output *output)
{
	output->marks[output->nmarks++] = output->total;
}

/*
 * The minimum content of a full pipe: consecutive writes share a page unless
 * they are longer than one, so a full pipe may be half empty.
 */
static size_t
output_much(int fd)
{
	size_t size = output_capacity(fd);

	return (size < PIPE_CHUNK ? size : PIPE_CHUNK) / 2;
}

void
output_expect_process_one(
    struct output *output, void (*begun)(struct relay *relay))
{
	output->one = mem_alloc(sizeof(*output->one));
	output->begun = begun;
}

enum begun
output_begun(const struct output *output)
{
	return output->one == NULL ? BEGUN_NOT : process_one_state(output->one);
}

void
output_report(const struct output *output, struct relay_report *report)
{
	if (output->one != NULL)
		process_one_end(output->one, report);
}

struct output *
output_new_put(size_t max)
{
	struct output *output = mem_alloc(sizeof(*output));

	output->fd = -1;
	output->head_max = max / 2;
	output->tail_max = max - max / 2;
	return output;
}

struct output *
output_new_tail(struct relay *relay, int *fd, size_t max,
    void (*ended)(struct relay *relay))
{
	struct output *output = output_new(relay, fd, max, ended);

	output->head_max = 0;
	output->tail_max = max;
	return output;
}

struct output *
output_new(struct relay *relay, int *fd, size_t max,
    void (*ended)(struct relay *relay))
{
	struct output *output = output_new_put(max);
	struct err err;

	output->relay = relay;
	output->ended = ended;
	output->fd = fd_take(fd);
	output->much = output_much(output->fd);
	if (fd_set_nonblock(output->fd, 1, &err) == -1)
		fatal("%s", err.text);
	output->readable = event_new(relay->base, output->fd,
	    EV_READ | EV_PERSIST, output_on_readable, output);
	output->rested = evtimer_new(relay->base, output_on_rested, output);
	event_add(output->readable, NULL);
	return output;
}

void
output_free(struct output **outputp)
{
	struct output *output = mem_take(outputp);

	if (output == NULL)
		return;
	loop_event_free(&output->readable);
	loop_event_free(&output->rested);
	fd_close(&output->fd);
	buffer_reset(&output->head);
	buffer_reset(&output->kept);
	copy_free(&output->copy);
	free(output->tail);
	free(output->one);
	free(output);
}

/* Returns the ring in order, as a string. */
static void
output_unroll_tail(struct output *output, struct buffer *tail)
{
	size_t start = (output->tail_at + output->tail_max -
	                   output->tail_len) % output->tail_max;
	size_t first = output->tail_max - start;

	if (first > output->tail_len)
		first = output->tail_len;
	if (output->tail_len > 0) {
		buffer_add(tail, output->tail + start, first);
		buffer_add(tail, output->tail, output->tail_len - first);
	}
}

void
output_keep(struct output *output, size_t max)
{
	size_t shown = output->head_max + output->tail_max;

	output->kept_max = max > 0 && max < shown ? shown : max;
}

/* Ends the start of a stream with how much is missing. */
static void
output_end_kept(struct output *output, uint64_t *missing)
{
	struct buffer *kept = &output->kept;

	kept->len = output->kept_max - OUTPUT_MORE_SIZE;
	kept->len -= utf8_incomplete_tail(kept->data, kept->len);
	*missing += output->total - kept->len;
	buffer_printf(kept, OUTPUT_MORE, output->total - kept->len);
}

struct ipc_blob
output_kept(struct output *output, uint64_t *missing)
{
	struct buffer *kept = &output->kept;

	if (kept->len > 0 && output->total > output->kept_max)
		output_end_kept(output, missing);
	return (struct ipc_blob){ (const uint8_t *)kept->data, kept->len,
		-1 };
}

struct ipc_blob
output_kept_uncut(struct output *output)
{
	struct buffer *kept = &output->kept;

	output_copy(output, 0, kept);
	return (struct ipc_blob){ (const uint8_t *)kept->data, kept->len,
		-1 };
}

unsigned long long
output_total(const struct output *output)
{
	return output->total;
}

void
output_copy(struct output *output, int parted, struct buffer *shown)
{
	buffer_add(shown, output->head.data, output->head.len);
	if (parted && output->total > output->head.len + output->tail_len)
		buffer_add(shown, "", 1);
	output_unroll_tail(output, shown);
}

/* Bytes at the front of a character whose start was cut off. */
static size_t
output_cut_start(const struct buffer *tail)
{
	size_t n = 0;

	while (n < tail->len && n < 3 &&
	    ((unsigned char)tail->data[n] & 0xc0) == 0x80)
		n++;
	return n;
}

/* Appends data to shown as valid UTF-8. */
static void
output_repair(struct buffer *shown, const char *data, size_t len)
{
	if (len == 0)
		return;
	shown->len += utf8_repair(
	    data, len, buffer_reserve(shown, UTF8_REPAIR_FACTOR * len));
}

/*
 * The same for a part of the stream that starts with byte number first. Updates
 * the marks from *next on that lie in it, or before it in a cut. A mark within
 * a character is moved before it.
 */
static void
output_repair_marked(struct output *output, struct output_text *shown,
    struct buffer *text, const struct buffer *part, unsigned long long first,
    size_t *next)
{
	unsigned long long mark;
	size_t to, from = 0;

	for (; *next < output->nmarks; (*next)++) {
		mark = output->marks[*next];
		if (mark > first + part->len)
			break;
		to = mark < first ? 0 : (size_t)(mark - first);
		to -= utf8_incomplete_tail(part->data, to);
		if (to > from) {
			output_repair(text, part->data + from, to - from);
			from = to;
		}
		shown->marks[*next] = text->len;
	}
	output_repair(text, part->data + from, part->len - from);
}

void
output_take(struct output *output, struct output_text *shown)
{
	auto_buffer struct buffer tail = { 0 };
	struct buffer text = { 0 };
	struct buffer *head = &output->head;
	size_t cut, next = 0;

	output_unroll_tail(output, &tail);
	shown->dropped = output->total - head->len - tail.len;
	if (shown->dropped == 0) {
		buffer_add(head, tail.data, tail.len);
		output_repair_marked(output, shown, &text, head, 0, &next);
		shown->head = text.len;
	} else {
		/* No character is split at the cut. */
		cut = utf8_incomplete_tail(head->data, head->len);
		head->len -= cut;
		shown->dropped += cut;
		output_repair_marked(output, shown, &text, head, 0, &next);
		shown->head = text.len;
		cut = output_cut_start(&tail);
		shown->dropped += cut;
		buffer_drop_front(&tail, cut);
		output_repair_marked(output, shown, &text, &tail,
		    output->total - tail.len, &next);
	}
	shown->data = buffer_take(&text, &shown->len);
	buffer_reset(head);
}
