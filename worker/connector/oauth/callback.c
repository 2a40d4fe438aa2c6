/* The page of a login: see oauth.h. */
#include <arpa/inet.h>
#include <event2/event.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "../../../common/base/buffer.h"
#include "../../../common/base/fd.h"
#include "../../../common/base/loop.h"
#include "../../../common/base/mem.h"
#include "../../../common/limits.h"
#include "oauth.h"

struct callback {
	struct event_base *base;
	int listener;
	int fd; /* one at a time; -1: none */
	struct event *accepts;
	struct event *reads;
	struct buffer request;
	void (*came)(void *ctx, const char *target);
	void *ctx;
};

static const char callback_page[] = "HTTP/1.1 200 OK\r\n"
    "Content-Type: text/html; charset=utf-8\r\n"
    "Content-Security-Policy: default-src 'none'\r\n"
    "Referrer-Policy: no-referrer\r\nCache-Control: no-store\r\n"
    "Connection: close\r\n\r\n<!DOCTYPE html><title>Caisson</title>"
    "<p>The terminal says whether the login worked. This page can be closed.\n";
static const char callback_other[] =
    "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";

static void
callback_hang_up(struct callback *callback)
{
	loop_event_free(&callback->reads);
	fd_close(&callback->fd);
	callback->request.len = 0;
}

/* Answers a request whose first line is there. */
static void
callback_answer(struct callback *callback)
{
	char *line = callback->request.data;
	const size_t len = sizeof(CALLBACK_PATH "?") - 1;
	auto_free char *target = NULL;
	const char *page = callback_other;

	line[strcspn(line, "\r\n")] = '\0';
	if (strncmp(line, "GET " CALLBACK_PATH "?", 4 + len) == 0) {
		line += 4;
		target = mem_dup(line, strcspn(line, " "));
		page = callback_page;
	}
	/* Who has gone reads no page. */
	if (send(callback->fd, page, strlen(page), MSG_NOSIGNAL) == -1)
		page = NULL;
	callback_hang_up(callback);
	if (target != NULL)
		callback->came(callback->ctx, target);
}

static void
callback_on_readable(evutil_socket_t fd, short what, void *ctx)
{
	struct callback *callback = ctx;
	struct buffer *request = &callback->request;
	ssize_t n = what & EV_TIMEOUT ? 0 :
	    recv(fd, buffer_reserve(request, PIPE_CHUNK), PIPE_CHUNK, 0);

	if (n <= 0) {
		callback_hang_up(callback);
		return;
	}
	request->len += (size_t)n;
	buffer_add_text(request, "");
	if (memmem(request->data, request->len, "\r\n\r\n", 4) != NULL)
		callback_answer(callback);
	else if (request->len > LOGIN_REQUEST_MAX)
		callback_hang_up(callback);
}

static void
callback_on_client(evutil_socket_t listener, short, void *ctx)
{
	const struct timeval patience = { LOGIN_CALLBACK_SECONDS, 0 };
	struct callback *callback = ctx;
	int fd = accept4(listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);

	if (fd == -1)
		return;
	/* Browsers open connections ahead that they do not use. */
	callback_hang_up(callback);
	callback->fd = fd;
	callback->reads = event_new(callback->base, fd,
	    EV_READ | EV_PERSIST, callback_on_readable, callback);
	event_add(callback->reads, &patience);
}

struct callback *
callback_new(struct event_base *base, int *listener,
    void (*came)(void *ctx, const char *target), void *ctx)
{
	struct callback *callback = mem_alloc(sizeof(*callback));

	*callback = (struct callback){ .base = base, .fd = -1,
		.listener = fd_take(listener), .came = came, .ctx = ctx };
	callback->accepts = event_new(base, callback->listener,
	    EV_READ | EV_PERSIST, callback_on_client, callback);
	event_add(callback->accepts, NULL);
	return callback;
}

void
callback_free(struct callback **callbackp)
{
	struct callback *callback = mem_take(callbackp);

	if (callback == NULL)
		return;
	callback_hang_up(callback);
	loop_event_free(&callback->accepts);
	fd_close(&callback->listener);
	if (callback->request.data != NULL)
		explicit_bzero(callback->request.data, callback->request.size);
	buffer_reset(&callback->request);
	free(callback);
}

char *
callback_url(int listener)
{
	struct sockaddr_in address = { 0 };
	socklen_t len = sizeof(address);

	getsockname(listener, (struct sockaddr *)&address, &len);
	return mem_printf("http://127.0.0.1:%d" CALLBACK_PATH,
	    ntohs(address.sin_port));
}
