/* HTTP requests: see http.h. */
#include <ctype.h>
#include <curl/curl.h>
#include <event2/event.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>
#include <unistd.h>

#include "../../../common/base/fd.h"
#include "../../../common/base/log.h"
#include "../../../common/base/loop.h"
#include "../../../common/base/mem.h"
#include "../../../common/base/text_list.h"
#include "../../../common/limits.h"
#include "http.h"

/* X509_V_ERR_*: certificates of an issuer that is not trusted. */
enum { TRANSFER_SELF_SIGNED = 18, TRANSFER_NO_ISSUER = 21 };
/* Bytes of a body that no version of libcurl asks for leave to send. */
enum { TRANSFER_UNASKED = 1024 };

/* A nonce is sent back in a header (RFC 9449, 8.1: its characters). */
#define TRANSFER_NONCE_MAX 2048
#define TRANSFER_NONCE_MARKS                                                   \
	"!#$%&'()*+,-./0123456789:;<=>?@ABCDEFGHIJKLMNOPQRSTUVWXYZ[]^_`"       \
	"abcdefghijklmnopqrstuvwxyz{|}~"

struct transfer {
	LIST_ENTRY(transfer) entry;
	struct transfers *all;
	CURL *curl;
	struct curl_slist *headers;
	struct transfer_head head;
	struct transfer_ends ends;
	char error[CURL_ERROR_SIZE];
	const char *refused; /* why no connection was tried */
	bool again;          /* it may be sent once more */
	bool usual;          /* a POST to our server */
	bool foreign;
	struct buffer came;  /* not passed on yet */
};

struct transfers {
	struct event_base *base;
	const struct remote *remote;
	struct url_origin origin;
	CURLM *multi;
	struct event *timer;
	char *token; /* a header; NULL: none */
	char *nonce; /* for its proofs, that the server gave last */
	transfer_prove *prove; /* NULL: there are none */
	void *prove_ctx;
	bool held;
	LIST_HEAD(, transfer) list;
	struct transfer *spare; /* what a usual one has left; NULL: none */
	struct event *idle; /* of a kept connection, still added; or NULL */
};

void
remote_reset(struct remote *remote)
{
	free(remote->url);
	free(remote->proxy);
	free(remote->no_proxy);
	if (remote->headers.len > 0)
		explicit_bzero(remote->headers.data, remote->headers.len);
	buffer_reset(&remote->headers);
	buffer_reset(&remote->trusted);
	free(remote->login);
	fd_close(&remote->logins);
}

const char *
remote_option(const struct remote *remote, const char *name)
{
	size_t len = strlen(name);
	const char *text;

	TEXT_LIST_EACH (text, remote->headers.data, remote->headers.len)
		if (text[0] == ':' && strncmp(text + 1, name, len) == 0 &&
		    text[1 + len] == '=' && text[2 + len] != '\0')
			return text + 2 + len;
	return NULL;
}

void
transfer_load(void)
{
	if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
		fatal("libcurl cannot be used");
}

/* The head of an answer */

static void
transfer_clear_head(struct transfer_head *head)
{
	free(head->type);
	free(head->session);
	free(head->location);
	free(head->challenge);
	free(head->nonce);
	*head = (struct transfer_head){ 0, mem_strdup(""), mem_strdup(""),
		mem_strdup(""), mem_strdup(""), mem_strdup("") };
}

static void
transfer_keep(char **field, const char *value, size_t len)
{
	while (len > 0 && isspace((unsigned char)*value)) {
		value++;
		len--;
	}
	while (len > 0 && isspace((unsigned char)value[len - 1]))
		len--;
	free(*field);
	*field = mem_dup(value, len);
}

/* Returns the value of a line with this name, or NULL. */
static const char *
transfer_value(const char *line, size_t len, const char *name)
{
	size_t n = strlen(name);

	return len > n && line[n] == ':' && strncasecmp(line, name, n) == 0 ?
	    line + n + 1 : NULL;
}

/*
 * Returns whether a challenge is of more use than one that came before: that of
 * the scheme of our token is most, then those for any token.
 */
static int
transfer_prefers(
    const struct transfers *all, const char *before, const char *challenge)
{
	const char *const schemes[] = { all->token == NULL ? "Bearer" :
	    all->token + strlen("Authorization: "), "Bearer", "DPoP" };
	size_t n, len;

	for (n = 0; n < sizeof(schemes) / sizeof(schemes[0]); n++) {
		len = strcspn(schemes[n], " ");
		if (strncasecmp(before, schemes[n], len) == 0)
			return 0;
		if (strncasecmp(challenge, schemes[n], len) == 0)
			return 1;
	}
	return 1;
}

static size_t
transfer_on_header(char *line, size_t size, size_t count, void *ctx)
{
	struct transfer *transfer = ctx;
	struct transfer_head *head = &transfer->head;
	size_t len = size * count, n;
	char *challenge = NULL;
	const struct {
		const char *name;
		char **field;
	} kept[] = { { "Content-Type", &head->type },
		{ "Mcp-Session-Id", &head->session },
		{ "Location", &head->location },
		{ "DPoP-Nonce", &head->nonce },
		{ "WWW-Authenticate", &challenge } };
	const char *value;

	/* Another answer follows one that is not final. */
	if (len > 5 && memcmp(line, "HTTP/", 5) == 0)
		transfer_clear_head(head);
	for (n = 0; n < sizeof(kept) / sizeof(kept[0]); n++) {
		value = transfer_value(line, len, kept[n].name);
		if (value != NULL)
			transfer_keep(kept[n].field, value,
			    len - (size_t)(value - line));
	}
	if (challenge != NULL && transfer_prefers(
	        transfer->all, head->challenge, challenge)) {
		free(head->challenge);
		head->challenge = mem_take(&challenge);
	}
	free(challenge);
	if (head->nonce[strspn(head->nonce, TRANSFER_NONCE_MARKS)] != '\0' ||
	    strlen(head->nonce) > TRANSFER_NONCE_MAX)
		head->nonce[0] = '\0';
	curl_easy_getinfo(
	    transfer->curl, CURLINFO_RESPONSE_CODE, &head->status);
	head->type[strcspn(head->type, "; \t")] = '\0';
	for (n = 0; head->type[n] != '\0'; n++)
		head->type[n] = (char)tolower((unsigned char)head->type[n]);
	return len;
}

/*
 * Passed on when libcurl has returned: it must not be called by who reads this.
 */
static size_t
transfer_on_data(char *data, size_t size, size_t count, void *ctx)
{
	struct transfer *transfer = ctx;

	if (transfer->all->held || transfer->came.len > CONNECTOR_CAME_MAX)
		return CURL_WRITEFUNC_PAUSE;
	buffer_add(&transfer->came, data, size * count);
	return size * count;
}

/*
 * A name that leads to this machine or to its neighbours is refused, unless the
 * entry itself says so: otherwise whoever rules the name could reach what only
 * this machine can.
 */
static curl_socket_t
transfer_on_socket(void *ctx, curlsocktype, struct curl_sockaddr *address)
{
	struct transfer *transfer = ctx;

	if (transfer->all->remote->proxy[0] == '\0' &&
	    !transfer->all->origin.local && url_is_local(&address->addr)) {
		transfer->refused = "its name leads to an address of this "
		    "machine or its neighbours; name that address itself in "
		    "the entry if you mean it";
		return CURL_SOCKET_BAD;
	}
	return socket(address->family,
	    address->socktype | SOCK_CLOEXEC | SOCK_NONBLOCK,
	    address->protocol);
}

/* Forgets the event of this socket, if it is the idle one. Returns that. */
static int
transfers_forget(struct transfers *all, curl_socket_t fd)
{
	if (all->idle == NULL || event_get_fd(all->idle) != fd)
		return 0;
	loop_event_free(&all->idle);
	return 1;
}

static int
transfer_on_close(void *ctx, curl_socket_t fd)
{
	transfers_forget(ctx, fd);
	return close(fd);
}

/* The loop */

static void
transfer_destroy(struct transfer *transfer)
{
	curl_easy_cleanup(transfer->curl);
	free(transfer->head.type);
	free(transfer->head.session);
	free(transfer->head.location);
	free(transfer->head.challenge);
	free(transfer->head.nonce);
	free(transfer);
}

/* A call begins sooner with a handle that has all options of the last one. */
static void
transfer_free(struct transfer **transferp)
{
	struct transfer *transfer = mem_take(transferp);
	struct transfers *all = transfer->all;

	LIST_REMOVE(transfer, entry);
	curl_multi_remove_handle(all->multi, transfer->curl);
	curl_slist_free_all(mem_take(&transfer->headers));
	buffer_reset(&transfer->came);
	if (transfer->usual && all->spare == NULL)
		all->spare = transfer;
	else
		transfer_destroy(transfer);
}

/* Returns the end of a sentence about a failure. */
static char *
transfer_reason(const struct transfer *transfer, CURLcode code)
{
	const char *said = transfer->error[0] != '\0' ? transfer->error :
	    curl_easy_strerror(code);
	long verified = 0;

	if (transfer->refused != NULL)
		return mem_strdup(transfer->refused);
	curl_easy_getinfo(transfer->curl, CURLINFO_SSL_VERIFYRESULT, &verified);
	if (verified >= TRANSFER_SELF_SIGNED && verified <= TRANSFER_NO_ISSUER)
		return mem_printf("%s: CAISSON_CA_FILE names a file of "
		    "certificates to trust", said);
	return code == CURLE_SSL_CONNECT_ERROR ? mem_printf("%s: if it has no "
	    "TLS, its URL begins with http://", said) : mem_strdup(said);
}

/* Returns whether the server may have seen the request. */
static int
transfer_was_sent(const struct transfer *transfer)
{
	long sent = 0;

	curl_easy_getinfo(transfer->curl, CURLINFO_REQUEST_SIZE, &sent);
	return sent > 0;
}

static void
transfer_end(struct transfer *transfer, CURLcode code)
{
	auto_free char *why =
	    code == CURLE_OK ? NULL : transfer_reason(transfer, code);

	if (!transfer->foreign && transfer->head.nonce[0] != '\0') {
		free(transfer->all->nonce);
		transfer->all->nonce = mem_strdup(transfer->head.nonce);
	}
	transfer->ends.ended(
	    transfer->ends.ctx, why, transfer_was_sent(transfer));
	transfer_free(&transfer);
}

/* Passes on what has come for one. Returns whether there was any. */
static int
transfer_pass(struct transfer *transfer)
{
	struct buffer came = transfer->came;
	int given_up;

	if (came.len == 0)
		return 0;
	transfer->came = (struct buffer){ 0 };
	/* It may start or cancel others, but not itself. */
	given_up = transfer->ends.data(transfer->ends.ctx, came.data, came.len);
	buffer_reset(&came);
	if (given_up)
		transfer_end(transfer, CURLE_WRITE_ERROR);
	else if (!transfer->all->held)
		curl_easy_pause(transfer->curl, CURLPAUSE_CONT);
	return 1;
}

static void
transfers_pass(struct transfers *all)
{
	struct transfer *transfer = LIST_FIRST(&all->list);

	while (transfer != NULL)
		transfer = transfer_pass(transfer) ? LIST_FIRST(&all->list) :
		    LIST_NEXT(transfer, entry);
}

static void
transfers_conclude(struct transfers *all)
{
	CURLMsg *message;
	struct transfer *transfer;
	int more;

	while ((message = curl_multi_info_read(all->multi, &more)) != NULL) {
		if (message->msg != CURLMSG_DONE)
			continue;
		curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE,
		    (char **)&transfer);
		transfer_end(transfer, message->data.result);
	}
}

static void
transfers_act(struct transfers *all, curl_socket_t fd, int what)
{
	int running;

	curl_multi_socket_action(all->multi, fd, what, &running);
	transfers_pass(all);
	transfers_conclude(all);
}

/* At an idle connection, libcurl looks when it needs it. */
static void
transfers_on_event(evutil_socket_t fd, short what, void *ctx)
{
	if (!transfers_forget(ctx, fd))
		transfers_act(ctx, fd, (what & EV_READ ? CURL_CSELECT_IN : 0) |
		    (what & EV_WRITE ? CURL_CSELECT_OUT : 0));
}

static void
transfers_on_timer(evutil_socket_t, short, void *ctx)
{
	transfers_act(ctx, CURL_SOCKET_TIMEOUT, 0);
}

/*
 * libcurl says what it waits for at a socket. A call usually waits at that of
 * the call before, so the event of one stays added.
 */
static int
transfers_on_wish(
    CURL *, curl_socket_t fd, int what, void *ctx, void *at_socket)
{
	struct transfers *all = ctx;
	struct event *event = at_socket;
	short wish = (short)((what & CURL_POLL_IN ? EV_READ : 0) |
	    (what & CURL_POLL_OUT ? EV_WRITE : 0));

	if (what == CURL_POLL_REMOVE) {
		loop_event_free(&all->idle);
		all->idle = event;
		return 0;
	}
	if (all->idle != NULL && event_get_fd(all->idle) == fd)
		event = mem_take(&all->idle);
	if (event == NULL || event_get_events(event) != (wish | EV_PERSIST)) {
		loop_event_free(&event);
		event = event_new(all->base, fd, wish | EV_PERSIST,
		    transfers_on_event, all);
		event_add(event, NULL);
	}
	curl_multi_assign(all->multi, fd, event);
	return 0;
}

static int
transfers_on_patience(CURLM *, long ms, void *ctx)
{
	struct transfers *all = ctx;

	if (ms < 0)
		event_del(all->timer);
	else if (ms == 0)
		event_active(all->timer, EV_TIMEOUT, 0);
	else
		loop_set_timer(all->timer, (uint64_t)ms);
	return 0;
}

struct transfers *
transfers_new(struct event_base *base, const struct remote *remote)
{
	struct transfers *all = mem_alloc(sizeof(*all));

	all->base = base;
	all->remote = remote;
	url_origin_of(remote->url, &all->origin);
	LIST_INIT(&all->list);
	all->multi = curl_multi_init();
	if (all->multi == NULL)
		fatal("out of memory");
	all->timer = evtimer_new(base, transfers_on_timer, all);
	curl_multi_setopt(
	    all->multi, CURLMOPT_SOCKETFUNCTION, transfers_on_wish);
	curl_multi_setopt(all->multi, CURLMOPT_SOCKETDATA, all);
	curl_multi_setopt(
	    all->multi, CURLMOPT_TIMERFUNCTION, transfers_on_patience);
	curl_multi_setopt(all->multi, CURLMOPT_TIMERDATA, all);
	return all;
}

void
transfers_free(struct transfers **allp)
{
	struct transfers *all = mem_take(allp);
	struct transfer *transfer;

	if (all == NULL)
		return;
	while ((transfer = LIST_FIRST(&all->list)) != NULL)
		transfer_free(&transfer);
	if (all->spare != NULL)
		transfer_destroy(all->spare);
	curl_multi_cleanup(all->multi);
	loop_event_free(&all->idle);
	transfers_authorize(all, "", NULL);
	free(all->nonce);
	loop_event_free(&all->timer);
	url_origin_reset(&all->origin);
	free(all);
}

void
transfers_authorize(
    struct transfers *all, const char *scheme, const char *token)
{
	if (all->token != NULL)
		explicit_bzero(all->token, strlen(all->token));
	free(all->token);
	all->token = token == NULL ? NULL :
	    mem_printf("Authorization: %s %s", scheme, token);
}

void
transfers_prove(struct transfers *all, transfer_prove *prove, void *ctx)
{
	all->prove = prove;
	all->prove_ctx = ctx;
}

int
transfers_have_credentials(const struct transfers *all)
{
	const struct buffer *own = &all->remote->headers;
	const char *text;

	TEXT_LIST_EACH (text, own->data, own->len)
		if (strncasecmp(text, "Authorization=", 14) == 0)
			return 1;
	return 0;
}

void
transfers_hold(struct transfers *all, int held)
{
	struct transfer *transfer, *next;

	all->held = held != 0;
	if (held)
		return;
	for (transfer = LIST_FIRST(&all->list); transfer != NULL;
	     transfer = next) {
		next = LIST_NEXT(transfer, entry);
		curl_easy_pause(transfer->curl, CURLPAUSE_CONT);
	}
}

/* A request */

static void
transfer_add_headers(
    struct transfer *transfer, const struct transfer_wanted *wanted)
{
	const struct transfers *all = transfer->all;
	const struct buffer *own = &all->remote->headers;
	size_t own_len = wanted->foreign ? 0 : own->len;
	const char *text;

	TEXT_LIST_EACH (text, wanted->headers->data, wanted->headers->len)
		transfer->headers = curl_slist_append(transfer->headers, text);
	TEXT_LIST_EACH (text, own->data, own_len) {
		int len = (int)strcspn(text, "=");
		auto_free char *line =
		    mem_printf("%.*s: %s", len, text, text + len + 1);

		if (text[0] != ':')
			transfer->headers =
			    curl_slist_append(transfer->headers, line);
	}
	if (!wanted->foreign && all->token != NULL) {
		auto_free char *proof = all->prove == NULL ? NULL : all->prove(
		    all->prove_ctx, wanted->method, wanted->url, all->nonce);

		transfer->headers =
		    curl_slist_append(transfer->headers, all->token);
		if (proof != NULL)
			transfer->headers =
			    curl_slist_append(transfer->headers, proof);
	}
	/* A server may take long to say that it wants a large body. */
	if (wanted->len > TRANSFER_UNASKED)
		transfer->headers =
		    curl_slist_append(transfer->headers, "Expect:");
	curl_easy_setopt(transfer->curl, CURLOPT_HTTPHEADER, transfer->headers);
}

static void
transfer_set_body(CURL *curl, const struct transfer_wanted *wanted)
{
	if (strcmp(wanted->method, "POST") != 0) {
		curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, wanted->method);
		return;
	}
	curl_easy_setopt(curl, CURLOPT_POST, 1L);
	curl_easy_setopt(curl, CURLOPT_POSTFIELDS, wanted->body);
	curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE,
	    (curl_off_t)wanted->len);
}

/*
 * libcurl sends a request again where a connection that it had used before ends
 * without an answer: the server may have done what it asks for.
 */
static int
transfer_on_connected(void *ctx, char *, char *, int, int)
{
	struct transfer *transfer = ctx;

	if (!transfer_was_sent(transfer))
		return CURL_PREREQFUNC_OK;
	if (transfer->again) {
		transfer->again = false;
		return CURL_PREREQFUNC_OK;
	}
	transfer->refused = "it had the request, which is not sent again";
	return CURL_PREREQFUNC_ABORT;
}

static void
transfer_set_ends(struct transfer *transfer)
{
	CURL *curl = transfer->curl;

	curl_easy_setopt(curl, CURLOPT_PRIVATE, transfer);
	curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, transfer->error);
	curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, transfer_on_header);
	curl_easy_setopt(curl, CURLOPT_HEADERDATA, transfer);
	curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, transfer_on_data);
	curl_easy_setopt(curl, CURLOPT_WRITEDATA, transfer);
	curl_easy_setopt(curl, CURLOPT_OPENSOCKETFUNCTION, transfer_on_socket);
	curl_easy_setopt(curl, CURLOPT_OPENSOCKETDATA, transfer);
	curl_easy_setopt(curl, CURLOPT_CLOSESOCKETFUNCTION, transfer_on_close);
	curl_easy_setopt(curl, CURLOPT_CLOSESOCKETDATA, transfer->all);
	curl_easy_setopt(curl, CURLOPT_PREREQFUNCTION, transfer_on_connected);
	curl_easy_setopt(curl, CURLOPT_PREREQDATA, transfer);
}

/* What holds for each request. Redirects are followed by exchange.c. */
static void
transfer_set_rules(CURL *curl, const struct remote *remote)
{
	struct curl_blob trusted = { remote->trusted.data, remote->trusted.len,
		CURL_BLOB_NOCOPY };

	curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
	curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(curl, CURLOPT_USERAGENT, "caisson/" CAISSON_VERSION);
	curl_easy_setopt(curl, CURLOPT_ACCEPT_ENCODING, "gzip");
	curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT_MS,
	    (long)CONNECTOR_CONNECT_MS);
	curl_easy_setopt(curl, CURLOPT_PROXY, remote->proxy);
	curl_easy_setopt(curl, CURLOPT_NOPROXY, remote->no_proxy);
	if (trusted.len > 0)
		curl_easy_setopt(curl, CURLOPT_CAINFO_BLOB, &trusted);
	/*
	 * The folder of the system would be trusted besides, and have libcurl
	 * read 140 certificates again for each connection, which takes 40 ms.
	 */
	if (trusted.len > 0 || curl_version_info(CURLVERSION_NOW)->cainfo)
		curl_easy_setopt(curl, CURLOPT_CAPATH, NULL);
}

static struct transfer *
transfer_new(struct transfers *all)
{
	struct transfer *transfer = mem_alloc(sizeof(*transfer));

	transfer->all = all;
	transfer->curl = curl_easy_init();
	if (transfer->curl == NULL)
		fatal("out of memory");
	transfer_set_rules(transfer->curl, all->remote);
	transfer_set_ends(transfer);
	return transfer;
}

struct transfer *
transfer_start(struct transfers *all, const struct transfer_wanted *wanted,
    const struct transfer_ends *ends)
{
	bool usual = !wanted->foreign && strcmp(wanted->method, "POST") == 0;
	struct transfer *transfer = usual && all->spare != NULL ?
	    mem_take(&all->spare) : transfer_new(all);

	transfer->ends = *ends;
	transfer->again = wanted->again;
	transfer->usual = usual;
	transfer->foreign = wanted->foreign;
	transfer->refused = NULL;
	transfer->error[0] = '\0';
	transfer_clear_head(&transfer->head);
	curl_easy_setopt(transfer->curl, CURLOPT_URL, wanted->url);
	transfer_set_body(transfer->curl, wanted);
	transfer_add_headers(transfer, wanted);
	LIST_INSERT_HEAD(&all->list, transfer, entry);
	curl_multi_add_handle(all->multi, transfer->curl);
	return transfer;
}

void
transfer_cancel(struct transfer **transfer)
{
	if (*transfer != NULL)
		transfer_free(transfer);
}

const struct transfer_head *
transfer_head(const struct transfer *transfer)
{
	return &transfer->head;
}
