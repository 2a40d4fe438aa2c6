/* Addresses: see http.h. */
#include <arpa/inet.h>
#include <curl/curl.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>

#include "../../../common/base/mem.h"
#include "http.h"

/* Returns a part of a URL, which the caller frees with curl_free. */
static char *
url_part(CURLU *url, CURLUPart part, unsigned int flags)
{
	char *text = NULL;

	return curl_url_get(url, part, &text, flags) == CURLUE_OK ? text : NULL;
}

static char *
url_copy(CURLU *url, CURLUPart part)
{
	char *text = url_part(url, part, CURLU_DEFAULT_PORT);
	char *copy = mem_strdup(text == NULL ? "" : text);

	curl_free(text);
	return copy;
}

/* Returns whether a host is written as such an address. */
static int
url_is_literal(const char *host)
{
	struct sockaddr_in four = { .sin_family = AF_INET };
	struct sockaddr_in6 six = { .sin6_family = AF_INET6 };
	auto_free char *bare = mem_strdup(host[0] == '[' ? host + 1 : host);

	bare[strcspn(bare, "]%")] = '\0';
	if (inet_pton(AF_INET, bare, &four.sin_addr) == 1)
		return url_is_local((struct sockaddr *)&four);
	return inet_pton(AF_INET6, bare, &six.sin6_addr) == 1 &&
	    url_is_local((struct sockaddr *)&six);
}

void
url_origin_of(const char *text, struct url_origin *origin)
{
	CURLU *url = curl_url();

	curl_url_set(url, CURLUPART_URL, text, 0);
	origin->scheme = url_copy(url, CURLUPART_SCHEME);
	origin->host = url_copy(url, CURLUPART_HOST);
	origin->port = url_copy(url, CURLUPART_PORT);
	origin->local = strcasecmp(origin->host, "localhost") == 0 ||
	    url_is_literal(origin->host);
	curl_url_cleanup(url);
}

void
url_origin_reset(struct url_origin *origin)
{
	free(origin->scheme);
	free(origin->host);
	free(origin->port);
}

/*
 * Returns whether two URLs are of one origin; or, if upwards is set, whether to
 * is the same host by https.
 */
static bool
url_is_same(const char *from, const char *to, bool upwards)
{
	struct url_origin one, other;
	bool same;

	url_origin_of(from, &one);
	url_origin_of(to, &other);
	same = strcasecmp(one.host, other.host) == 0 &&
	    ((strcmp(one.scheme, other.scheme) == 0 &&
	        strcmp(one.port, other.port) == 0) ||
	        (upwards && strcmp(one.scheme, "http") == 0 &&
	            strcmp(other.scheme, "https") == 0 &&
	            strcmp(other.port, "443") == 0));
	url_origin_reset(&one);
	url_origin_reset(&other);
	return same;
}

char *
url_redirect(const char *from, const char *location)
{
	CURLU *url = curl_url();
	char *to = NULL, *copy = NULL;

	/* Setting a relative one resolves it. */
	if (curl_url_set(url, CURLUPART_URL, from, 0) == CURLUE_OK &&
	    curl_url_set(url, CURLUPART_URL, location, 0) == CURLUE_OK)
		to = url_part(url, CURLUPART_URL, 0);
	if (to != NULL && url_is_same(from, to, true))
		copy = mem_strdup(to);
	curl_free(to);
	curl_url_cleanup(url);
	return copy;
}

char *
url_shown(const char *text)
{
	struct url_origin origin;
	char *shown;

	url_origin_of(text, &origin);
	if (origin.host[0] == '\0') {
		/* Of one that is wrong, what is before the path. */
		auto_free char *rough = url_origin(text);
		const char *at = strrchr(rough, '@');

		shown = mem_printf("%.200s", at == NULL ? rough : at + 1);
	} else {
		shown = mem_printf("%s://%s:%s", origin.scheme, origin.host,
		    origin.port);
	}
	url_origin_reset(&origin);
	return shown;
}

char *
url_origin(const char *text)
{
	size_t len = strcspn(text, ":");

	if (strncmp(text + len, "://", 3) == 0)
		len += 3 + strcspn(text + len + 3, "/?#");
	return mem_dup(text, len);
}

bool
url_is_of_here(const char *url)
{
	struct url_origin origin;
	bool local;

	url_origin_of(url, &origin);
	local = origin.local;
	url_origin_reset(&origin);
	return local;
}

bool
url_is_safe(const char *url, bool local)
{
	return strncasecmp(url, "https://", 8) == 0 ||
	    (local && strncasecmp(url, "http://", 7) == 0 &&
	        url_is_of_here(url));
}

/* Returns the path of a URL, without a slash at its end. */
static char *
url_path(const char *text)
{
	auto_free char *origin = url_origin(text);
	const char *path = text + strlen(origin);
	size_t len = strcspn(path, "?#");

	while (len > 0 && path[len - 1] == '/')
		len--;
	return mem_dup(path, len);
}

bool
url_is_within(const char *url, const char *resource)
{
	auto_free char *path = url_path(url);
	auto_free char *of = url_path(resource);
	size_t len = strlen(of);

	return url_is_same(url, resource, false) &&
	    strncmp(path, of, len) == 0 &&
	    (path[len] == '\0' || path[len] == '/');
}

char *
url_well_known(const char *url, const char *name, enum url_place place)
{
	auto_free char *origin = url_origin(url);
	auto_free char *path = url_path(url);

	return mem_printf("%s%s/.well-known/%s%s", origin,
	    place == URL_BEHIND_PATH ? path : "", name,
	    place == URL_BEFORE_PATH ? path : "");
}

static int
url_is_local_four(uint32_t address)
{
	/* 127/8, 169.254/16 and 0/8. */
	return address >> 24 == 127 || address >> 16 == 0xa9fe ||
	    address >> 24 == 0;
}

int
url_is_local(const struct sockaddr *address)
{
	const struct in6_addr *six =
	    &((const struct sockaddr_in6 *)address)->sin6_addr;
	uint32_t four;

	if (address->sa_family == AF_INET)
		return url_is_local_four(ntohl(
		    ((const struct sockaddr_in *)address)->sin_addr.s_addr));
	if (address->sa_family != AF_INET6)
		return 1;
	memcpy(&four, six->s6_addr + 12, sizeof(four));
	if (IN6_IS_ADDR_V4MAPPED(six) || IN6_IS_ADDR_V4COMPAT(six))
		return IN6_IS_ADDR_LOOPBACK(six) ||
		    url_is_local_four(ntohl(four));
	return IN6_IS_ADDR_LOOPBACK(six) || IN6_IS_ADDR_LINKLOCAL(six) ||
	    IN6_IS_ADDR_UNSPECIFIED(six);
}
