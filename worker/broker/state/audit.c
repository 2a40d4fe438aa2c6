/* The audit file: see state.h. */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../../../common/base/fd.h"
#include "../../../common/json/json.h"
#include "../../../common/base/log.h"
#include "../../../common/base/loop.h"
#include "../../../common/base/mem.h"
#include "state.h"

struct audit {
	int fd;
	struct event *flush; /* activated by the first line of a turn of the
			      * loop */
	struct buffer lines;
	size_t count;  /* of them */
	uint64_t lost; /* lines lost since the last one written */
	bool torn;      /* the file ends with an incomplete line */
};

static const char *const audit_words[] = {
	[AUDIT_CANCELLED] = "cancelled",
	[AUDIT_OK] = "ok",
	[AUDIT_TOOL_ERROR] = "tool_error",
	[AUDIT_ERROR] = "error",
	[AUDIT_TIMEOUT] = "timeout",
	[AUDIT_REFUSED] = "refused",
};

/* Writing */

/* Writes all lines at once, so that no other writer can interleave. */
static void
audit_write(struct audit *audit)
{
	ssize_t n;

	do
		n = write(audit->fd, audit->lines.data, audit->lines.len);
	while (n == -1 && errno == EINTR);
	if (n == (ssize_t)audit->lines.len) {
		audit->torn = false;
		if (audit->lost > 0)
			log_warn("the audit file can be written again; %" PRIu64
			    " lines are lost", audit->lost);
		audit->lost = 0;
	} else {
		audit->torn |= n > 0;
		/* Logged once: every later call would fail in the same way. */
		if (audit->lost == 0)
			log_error("the audit file cannot be written: %s; calls "
			    "continue, and their lines are lost", n == -1 ?
			    strerror(errno) : "it is full");
		audit->lost += audit->count;
	}
	buffer_reset(&audit->lines);
	audit->count = 0;
}

static void
audit_on_flush(evutil_socket_t, short, void *arg)
{
	audit_write(arg);
}

struct audit *
audit_new(struct event_base *base, int *fd)
{
	struct audit *audit = mem_alloc(sizeof(*audit));

	audit->fd = fd_take(fd);
	audit->flush = evtimer_new(base, audit_on_flush, audit);
	return audit;
}

void
audit_free(struct audit **auditp)
{
	struct audit *audit = mem_take(auditp);

	if (audit == NULL)
		return;
	if (audit->count > 0)
		audit_write(audit);
	loop_event_free(&audit->flush);
	fd_close(&audit->fd);
	free(audit);
}

/* Lines */

/*
 * Both names may come from the code: they are bounded, and escaped so that they
 * cannot control a terminal or hide text when the file is shown.
 */
static void
audit_add_name(struct buffer *line, const char *text)
{
	auto_buffer struct buffer name = { 0 };

	reason_add_text(&name, text, strlen(text));
	json_add_string(line, name.data, name.len);
}

void
audit_add(struct audit *audit, const struct audit_call *call)
{
	struct buffer *line = &audit->lines;
	auto_buffer struct buffer name = { 0 };
	struct timespec now;
	struct tm utc;

	if (audit->count == 0) {
		event_active(audit->flush, EV_TIMEOUT, 0);
		if (audit->torn)
			buffer_add_text(line, "\n");
	}
	audit->count++;
	buffer_add_text(line, "{\"time\":");
	/* "2026-01-31T23:59:59.123Z" */
	clock_gettime(CLOCK_REALTIME, &now);
	gmtime_r(&now.tv_sec, &utc);
	buffer_printf(line, "\"%04d-%02d-%02dT%02d:%02d:%02d.%03ldZ\"",
	    utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday, utc.tm_hour,
	    utc.tm_min, utc.tm_sec, now.tv_nsec / 1000000);
	buffer_printf(line, ",\"execution\":\"%016" PRIx64 "\"",
	    call->execution);
	if (call->owner[0] != '\0') {
		buffer_add_text(line, ",\"owner\":");
		audit_add_name(line, call->owner);
	}
	buffer_add_text(line, ",\"server\":");
	audit_add_name(line, call->server);
	buffer_add_text(line, ",\"tool\":");
	reason_add_string(&name, call->tool, NULL);
	json_add_string(line, name.data, name.len);
	buffer_printf(line, ",\"argument_bytes\":%zu,\"result_bytes\":%zu,"
	    "\"milliseconds\":%" PRIu64 ",\"sent\":%s,"
	    "\"outcome\":\"%s\"}\n", call->arguments, call->result,
	    call->ms, call->sent ? "true" : "false",
	    audit_words[call->outcome]);
}
