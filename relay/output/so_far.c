/*
 * The output of running code for a client that watches: its first and its last
 * bytes, each time that there is more. Reports of the code itself take its
 * place. Runs in the relay.
 */
#include <stdlib.h>

#include "../../common/base/clock.h"
#include "../../common/base/loop.h"
#include "../../common/base/mem.h"
#include "../../common/base/utf8.h"
#include "output.h"

struct so_far {
	struct relay *relay;
	void (*send)(struct relay *relay, struct ipc_so_far *message);
	struct event *timer;
	uint64_t told; /* bytes of the output when it was sent last */
};

/* Appends bytes as valid UTF-8. */
static void
so_far_add(struct buffer *text, const char *data, size_t len)
{
	if (len > 0)
		text->len += utf8_repair(data, len,
		    buffer_reserve(text, UTF8_REPAIR_FACTOR * len));
}

/* Appends the start and the end of an output of which kept are the bytes. */
static void
so_far_cut(struct buffer *text, const struct buffer *kept, uint64_t total,
    size_t kept_head)
{
	size_t head = kept_head < SO_FAR_HEAD ? kept_head : SO_FAR_HEAD;
	size_t tail = kept->len - head;
	const char *end = kept->data + kept->len;

	if (tail > SO_FAR_TAIL)
		tail = SO_FAR_TAIL;
	/* No character is split at the cut. */
	head -= utf8_incomplete_tail(kept->data, head);
	while (tail > 0 && ((unsigned char)end[-(long)tail] & 0xc0) == 0x80)
		tail--;
	so_far_add(text, kept->data, head);
	buffer_printf(text, "\n[%llu bytes not shown]\n",
	    (unsigned long long)(total - head - tail));
	so_far_add(text, end - tail, tail);
}

/* Appends the output so far. */
static void
so_far_show(const struct so_far *so_far, struct buffer *text, uint64_t total)
{
	auto_buffer struct buffer kept = { 0 };

	output_copy(so_far->relay->out, 0, &kept);
	if (total == kept.len && total <= SO_FAR_HEAD + SO_FAR_TAIL)
		so_far_add(text, kept.data,
		    kept.len - utf8_incomplete_tail(kept.data, kept.len));
	else
		so_far_cut(text, &kept, total, so_far->relay->output_max / 2);
}

static void
so_far_on_timer(evutil_socket_t fd, short what, void *arg)
{
	struct so_far *so_far = arg;
	auto_buffer struct buffer text = { 0 };
	uint64_t total = output_total(so_far->relay->out);
	struct ipc_so_far message;

	(void)fd;
	(void)what;
	if (total == so_far->told)
		return;
	so_far->told = total;
	so_far_show(so_far, &text, total);
	if (text.len == 0)
		return;
	message.text = (struct ipc_bytes){
		(const uint8_t *)text.data, text.len
	};
	so_far->send(so_far->relay, &message);
}

void
so_far_begin(struct so_far *so_far)
{
	const struct timeval tv = clock_timeval(SO_FAR_MS);

	event_add(so_far->timer, &tv);
}

void
so_far_end(struct so_far *so_far)
{
	event_del(so_far->timer);
}

struct so_far *
so_far_new(struct relay *relay,
    void (*send)(struct relay *relay, struct ipc_so_far *message))
{
	struct so_far *so_far = mem_alloc(sizeof(*so_far));

	so_far->relay = relay;
	so_far->send = send;
	so_far->timer = event_new(
	    relay->base, -1, EV_PERSIST, so_far_on_timer, so_far);
	return so_far;
}

void
so_far_free(struct so_far **so_farp)
{
	struct so_far *so_far = mem_take(so_farp);

	if (so_far == NULL)
		return;
	loop_event_free(&so_far->timer);
	free(so_far);
}
