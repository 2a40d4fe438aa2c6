/*
 * Unit tests of what a connector reads and decides without a connection:
 * events, where a redirect may lead, which addresses are of this machine, and
 * documents of logins.
 */
#include <arpa/inet.h>
#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/base/text_list.h"
#include "tests/unit/unit.h"
#include "worker/connector/oauth/oauth.h"
#include "worker/connector/connector.h"
#include "worker/connector/http/http.h"

static void
on_event(void *ctx, const char *type, const char *data, size_t len)
{
	buffer_printf(ctx, "[%s %.*s]", type, (int)len, data);
}

UNIT_TEST(events_are_those_of_the_stream)
{
	static const struct {
		const char *stream;
		const char *events;
	} rows[] = {
		{ "data: a\n\n", "[message a]" },
		{ "\xef\xbb\xbf" "data:a\r\n\r\n", "[message a]" },
		{ "data: a\rdata: b\r\r", "[message a\nb]" },
		{ "event: x\ndata: a\n\ndata: b\n\n", "[x a][message b]" },
		{ ": a\nid: 5\n\nother: 1\ndata\ndata: \n\n", "[message \n]" },
		{ "data: not over", "" },
	};
	size_t n;

	for (n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
		auto_buffer struct buffer seen = { 0 };
		struct sse sse = { 0 };

		buffer_add_text(&seen, "");
		ck_assert_int_eq(sse_feed(&sse, rows[n].stream,
		    strlen(rows[n].stream), 100, on_event, &seen), 0);
		ck_assert_str_eq(
		    seen.len == 0 ? "" : seen.data, rows[n].events);
		sse_reset(&sse);
	}
}

UNIT_TEST(a_line_or_an_event_above_the_bound_is_refused)
{
	struct sse sse = { 0 };
	auto_buffer struct buffer seen = { 0 };
	int n, done = 0;

	for (n = 0; n < 30 && done == 0; n++)
		done = sse_feed(&sse, "data: xxxx\n", 11, 100, on_event, &seen);
	ck_assert_int_eq(done, -1);
	sse_reset(&sse);
	ck_assert_int_eq(sse_feed(&sse, "data: xxxx", 10, 9, on_event, &seen),
	    -1);
	sse_reset(&sse);
}

UNIT_TEST(a_redirect_leads_to_the_same_origin)
{
	static const struct {
		const char *to;
		const char *place; /* NULL: elsewhere */
	} rows[] = {
		{ "/b", "http://a.example:80/b" },
		{ "http://a.example/b?c", "http://a.example/b?c" },
		{ "http://A.example:80/b", "http://A.example:80/b" },
		{ "https://a.example/b", "https://a.example/b" },
		{ "https://a.example:444/b", NULL },
		{ "http://a.example:81/b", NULL },
		{ "http://b.example/", NULL },
		{ "//b.example/", NULL },
		{ "file:///etc/passwd", NULL },
		{ "http://a.example@b.example/", NULL },
	};
	size_t n;

	for (n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
		auto_free char *place =
		    url_redirect("http://a.example:80/a", rows[n].to);

		if (rows[n].place == NULL)
			ck_assert_ptr_null(place);
		else
			ck_assert_str_eq(place, rows[n].place);
	}
	/* Never back to what everybody can read. */
	ck_assert_ptr_null(
	    url_redirect("https://a.example/", "http://a.example/"));
}

UNIT_TEST(local_addresses_are_known)
{
	static const struct {
		const char *address;
		int local;
	} rows[] = { { "127.0.0.1", 1 }, { "127.9.9.9", 1 },
		{ "169.254.169.254", 1 }, { "0.0.0.0", 1 }, { "10.0.0.1", 0 },
		{ "8.8.8.8", 0 }, { "::1", 1 }, { "::", 1 }, { "fe80::1", 1 },
		{ "::ffff:127.0.0.1", 1 }, { "::ffff:8.8.8.8", 0 },
		{ "2001:db8::1", 0 } };
	struct sockaddr_in four = { .sin_family = AF_INET };
	struct sockaddr_in6 six = { .sin6_family = AF_INET6 };
	size_t n;

	for (n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
		if (inet_pton(AF_INET, rows[n].address, &four.sin_addr) == 1)
			ck_assert_int_eq(url_is_local((struct sockaddr *)&four),
			    rows[n].local);
		else if (inet_pton(
		             AF_INET6, rows[n].address, &six.sin6_addr) == 1)
			ck_assert_int_eq(url_is_local((struct sockaddr *)&six),
			    rows[n].local);
		else
			ck_abort();
	}
}

UNIT_TEST(the_origin_says_whether_it_is_local)
{
	static const struct {
		const char *url;
		const char *shown;
		bool local;
	} rows[] = {
		{ "http://localhost/a", "http://localhost:80", true },
		{ "https://u:p@[::1]:8/x?y", "https://[::1]:8", true },
		{ "https://a.example/", "https://a.example:443", false },
		{ "nonsense", "nonsense", false },
	};
	size_t n;

	for (n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
		auto_free char *shown = url_shown(rows[n].url);
		struct url_origin origin;

		ck_assert_str_eq(shown, rows[n].shown);
		url_origin_of(rows[n].url, &origin);
		ck_assert_int_eq(origin.local, rows[n].local);
		url_origin_reset(&origin);
	}
}

static struct json_span
json_of(const char *text)
{
	struct json_span value;

	ck_assert_int_eq(json_span_parse(text, strlen(text), &value, NULL), 0);
	return value;
}

#define TOOL(name, properties) "{\"name\":\"" name "\",\"inputSchema\":"       \
	"{\"properties\":{" properties "}}}"
#define MARKED(type, mark) "{\"type\":\"" type "\",\"x-mcp-header\":" mark "}"

UNIT_TEST(marked_arguments_go_into_headers)
{
	struct params params = { 0 };
	auto_buffer struct buffer out = { 0 };
	auto_buffer struct buffer headers = { 0 };
	const char *text, *p;

	ck_assert_int_eq(params_learn(&params, json_of("{\"tools\":["
	    TOOL("t", "\"a\":" MARKED("string", "\"A\"") ",\"b\":{"
	        "\"properties\":{\"c\":" MARKED("integer", "\"C\"") "}}")
	    "]}"), &out), 0);
	text = "{\"name\":\"t\",\"arguments\":{\"a\":\"x\",\"b\":{\"c\":5}}}";
	params_add_headers(&params, json_of(text), &headers);
	p = headers.data;
	ck_assert_uint_eq(text_list_count(p, headers.len), 2);
	ck_assert_ptr_nonnull(memmem(p, headers.len, "Mcp-Param-A: x", 15));
	ck_assert_ptr_nonnull(memmem(p, headers.len, "Mcp-Param-C: 5", 15));
	headers.len = 0;
	text = "{\"name\":\"t\",\"arguments\":{\"a\":null}}";
	params_add_headers(&params, json_of(text), &headers);
	ck_assert_uint_eq(headers.len, 0);
	params_reset(&params);
}

UNIT_TEST(tools_with_wrong_marks_are_left_out)
{
	static const char *const wrong[] = {
		TOOL("w", "\"a\":" MARKED("number", "\"A\"")),
		TOOL("w", "\"a\":" MARKED("string", "\"\"")),
		TOOL("w", "\"a\":" MARKED("string", "\"A B\"")),
		TOOL("w", "\"a\":" MARKED("string", "5")),
		TOOL("w", "\"a\":" MARKED("string", "\"A\"") ",\"b\":"
		    MARKED("string", "\"a\"")),
		TOOL("w", "\"a\":{\"items\":" MARKED("string", "\"A\"") "}"),
	};
	size_t n;

	for (n = 0; n < sizeof(wrong) / sizeof(wrong[0]); n++) {
		struct params params = { 0 };
		auto_buffer struct buffer out = { 0 };
		auto_free char *list = mem_printf("{\"tools\":[%s,%s],"
		    "\"nextCursor\":\"c\"}", wrong[n], TOOL("right", ""));

		ck_assert_int_eq(params_learn(&params, json_of(list), &out), 1);
		ck_assert_str_eq(out.data, "{\"nextCursor\":\"c\",\"tools\":["
		    TOOL("right", "") "]}");
		params_reset(&params);
	}
}

UNIT_TEST(a_challenge_says_what_is_wanted)
{
	static const struct {
		const char *header;
		const char *error, *metadata, *scope; /* NULL: absent */
	} rows[] = {
		{ "Bearer", NULL, NULL, NULL },
		{ "Basic realm=\"x\", error=\"y\"", NULL, NULL, NULL },
		{ "bearer scope=\"a b\",error=insufficient_scope",
		    "insufficient_scope", NULL, "a b" },
		{ "Bearer realm=\"q\\\"x, scope=n\" , resource_metadata="
		  "\"https://a/b\", scope=\"c\"", NULL, "https://a/b", "c" },
		{ "Bearer scope=\"open", NULL, NULL, "open" },
	};
	size_t n;

	for (n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
		struct challenge challenge = { 0 };

		challenge_read(rows[n].header, &challenge);
		ck_assert_pstr_eq(challenge.error, rows[n].error);
		ck_assert_pstr_eq(challenge.metadata, rows[n].metadata);
		ck_assert_pstr_eq(challenge.scope, rows[n].scope);
		challenge_reset(&challenge);
	}
}

UNIT_TEST(metadata_is_where_the_path_says)
{
	static const struct {
		const char *url;
		enum url_place place;
		const char *found;
	} rows[] = {
		{ "https://a/t/mcp?x", URL_BEFORE_PATH,
		    "https://a/.well-known/n/t/mcp" },
		{ "https://a:5/t/", URL_BEHIND_PATH,
		    "https://a:5/t/.well-known/n" },
		{ "https://a/t", URL_AT_ROOT, "https://a/.well-known/n" },
		{ "https://a", URL_BEFORE_PATH, "https://a/.well-known/n" },
	};
	size_t n;

	for (n = 0; n < sizeof(rows) / sizeof(rows[0]); n++) {
		auto_free char *found =
		    url_well_known(rows[n].url, "n", rows[n].place);

		ck_assert_str_eq(found, rows[n].found);
	}
	ck_assert(url_is_within("https://A/mcp/x", "https://a:443/mcp"));
	ck_assert(url_is_within("https://a/mcp", "https://a"));
	ck_assert(!url_is_within("https://a/mcpx", "https://a/mcp"));
	ck_assert(!url_is_within("https://a.b/mcp", "https://a/mcp"));
	ck_assert(!url_is_within("http://a/mcp", "https://a/mcp"));
	ck_assert(url_is_safe("http://127.0.0.1:1/", true));
	ck_assert(!url_is_safe("http://127.0.0.1:1/", false));
	ck_assert(!url_is_safe("http://a/", true));
	ck_assert(!url_is_safe("ftp://localhost/", true));
}

UNIT_TEST(a_login_is_kept_as_it_is)
{
	struct buffer answer = { 0 };
	auto_buffer struct buffer text = { 0 };
	struct login login = { 0 }, again = { 0 };
	struct err err;

	buffer_add_text(&answer, "{\"access_token\":\"a\\u00e9\","
	    "\"token_type\":\"bearer\",\"expires_in\":\"60\"}");
	ck_assert_int_eq(document_read_tokens(&answer, 1000, &login, &err), 0);
	login.scope = mem_strdup("x y");
	login_write_text(&login, &text);
	ck_assert_int_eq(strncmp(text.data, "00000000000000001060\n{", 22), 0);
	ck_assert_int_eq(login_read_text(&text, &again, &err), 0);
	ck_assert_str_eq(again.access_token, "a\xc3\xa9");
	ck_assert_str_eq(again.scope, "x y");
	ck_assert_ptr_null(again.refresh_token);
	ck_assert_uint_eq(again.until, 1060);
	text.len = 3;
	ck_assert_int_eq(login_read_text(&text, &again, &err), -1);
	login_reset(&login);
	login_reset(&again);
	buffer_reset(&answer);
}

/* The example of RFC 7636, appendix B. */
UNIT_TEST(forms_and_proofs)
{
	auto_buffer struct buffer text = { 0 };
	auto_free char *scopes = query_join_scopes("a b", " b  cb a");
	auto_free char *code = query_get("/c?state=x&code=a%2Bb+c&d", "code");
	auto_free char *none = query_get("code=1", "ode");

	query_add_challenge(
	    &text, "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk");
	query_add(&text, "n", "a&b é");
	query_add(&text, "m", NULL);
	ck_assert_str_eq(text.data, "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-"
	    "cM&n=a%26b%20%C3%A9");
	ck_assert_str_eq(scopes, "a b cb");
	ck_assert_str_eq(code, "a+b c");
	ck_assert_ptr_null(none);
}

/* Appends a new key, as PEM. */
static void
add_key(struct buffer *pem, EVP_PKEY *key)
{
	BIO *text = BIO_new(BIO_s_mem());
	char *data;
	long len;

	ck_assert_int_eq(PEM_write_bio_PrivateKey(
	    text, key, NULL, NULL, 0, NULL, NULL), 1);
	len = BIO_get_mem_data(text, &data);
	buffer_add(pem, data, (size_t)len);
	BIO_free(text);
	EVP_PKEY_free(key);
}

/* A signature is checked by tests of logins. */
UNIT_TEST(keys_that_cannot_sign)
{
	static const char unread[] = "its privateKey cannot be read: it must "
	    "be the PEM of one key, with its line ends (\"-----BEGIN PRIVATE "
	    "KEY-----\\n…\") and without a passphrase";
	static const char other[] = "its privateKey is of another kind than "
	    "RSA of 2048 to 8192 bits (RS256) and EC with the curve P-256 "
	    "(ES256)";
	const char *const whys[] = { unread, unread, other, other };
	struct buffer pems[4] = { { 0 } };
	size_t n;

	buffer_add_text(&pems[0], "MHcC");
	add_key(&pems[1], EVP_EC_gen("P-256"));
	add_key(&pems[1], EVP_EC_gen("P-256"));
	add_key(&pems[2], EVP_PKEY_Q_keygen(NULL, NULL, "ED25519"));
	add_key(&pems[3], EVP_RSA_gen(1024));
	for (n = 0; n < 4; n++) {
		const struct jwt_client client = { "us", pems[n].data, NULL };
		auto_buffer struct buffer text = { 0 };
		struct err err;

		ck_assert_int_eq(
		    jwt_add_assertion(&text, &client, "them", &err), -1);
		ck_assert_str_eq(err.text, whys[n]);
		buffer_reset(&pems[n]);
	}
}
