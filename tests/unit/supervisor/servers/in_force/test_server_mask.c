/*
 * Tests of common/mask and supervisor/servers/in_force/server_mask: what a
 * server has written is shown without the values of its variables and headers,
 * its PATH, arguments that may be secrets, and secrets of the environment.
 */
#include <stdio.h>
#include <string.h>

#include "common/base/mem.h"
#include "common/limits.h"
#include "supervisor/servers/in_force/server_mask.h"
#include "tests/unit/unit.h"

#define TEXTS(list) { (char *)(list), sizeof(list) - 1 }

static const struct server server = {
	.run = TEXTS("npx\0-y\0server-name\0--key=s3cret\0--token\0plain\0"
	    "--key=s3cret-and-more\0postgres://joe:Secr3tPassw0rd@db/x:y@z\0"
	    "-c\0cd /tmp && exec python3 ra_srv.py\0--mode=production\0"
	    "@scope/server-x@2025.4.8\0/opt/server2/bin\0db1.example.com\0"
	    "--port\0" "7070\0--url=http://x/hook?id=Zq81xk2v\0"),
	.run_env = TEXTS("KEY=k1234\0SHORT=abc\0EMPTY=\0NODE_ENV=production\0"
	    "PASS=abd\0PIN=7x\0A_KEY=z\0AUTH=on\0USE_KEY=1\0"
	    "LOG_LEVEL=error\0PORT=8080\0"
	    "OPENAPI_MCP_HEADERS={\"Authorization\":\"Bearer ntn_4f8A\","
	    "\"Notion-Version\":\"2022-06-28\"}\0"
	    "OPTIONS={\"region\":\"west\",\"id\":\"q7Zk29xw\",\"db\":{"
	    "\"password\": \"a$b{cd\",\"user\":\"nobody\"},\"max\":[99]}\0"
	    "PROXY=http://joe:p%40ss%2fw@proxy/\0PHRASE=open s3same!\0"
	    "HOSTS=http://a:fir@st1@one,http://t0ken7@two,https://jane@three"
	    "\0"),
	.headers = TEXTS("Authorization\0Bearer b9876\0X\0Bearer q.v\0"),
	.path = (char *)"/opt/bin:/bin",
};

static char *const envp[] = { (char *)"API_TOKEN=t0ken-of-ours",
	(char *)"HOME=/root/4", (char *)"USER=dev1",
	(char *)"DATABASE=mysql://ann:0urs4@db", NULL };

static const struct {
	const char *text, *shown;
} rows[] = {
	{ "", "" },
	{ "npx: server-name -y abc", "npx: server-name -y abc" },
	{ "k1234, k123 and xk1234x", "***, k123 and xk1234x" },
	{ "Bearer b9876 or b9876", "*** or ***" },
	{ "z on 1: abd, 7x, q.v, abc", "z on 1: ***, ***, ***, abc" },
	{ "abdo, 17x, q.vz", "abdo, 17x, q.vz" },
	{ "--key=s3cret, s3cret", "***, ***" },
	{ "s3cret-and-more", "***" },
	{ "the plain one", "the *** one" },
	{ "none in /opt/bin:/bin", "none in ***" },
	{ "joe: password Secr3tPassw0rd at db/x", "joe: password *** at db/x" },
	{ "fir@st1 at one, t0ken7 at two, jane at three",
	    "*** at one, *** at two, jane at three" },
	{ "password 0urs4 of ann", "password *** of ann" },
	{ "error: no production on 80801", "error: no production on 80801" },
	{ "no ra_srv.py for dev1 in /tmp", "no ra_srv.py for dev1 in /tmp" },
	{ "port 8080, (k1234)", "port 8080, (***)" },
	{ "401: Authorization: Bearer ntn_4f8A is invalid",
	    "401: Authorization: Bearer *** is invalid" },
	{ "no Notion-Version", "no Notion-Version" },
	{ "nobody has a$b{cd, q7Zk29xw", "nobody has ***, ***" },
	{ "p%40ss%2fw or p@ss/w", "*** or ***" },
	{ "?q=open%20s3same%21", "?q=***" },
	{ "no @scope/server-x@2025.4.8", "no @scope/server-x@2025.4.8" },
	{ "/opt/server2/bin: db1.example.com:7070",
	    "/opt/server2/bin: db1.example.com:7070" },
	{ "GET /hook?id=Zq81xk2v: 403", "GET /hook?id=***: 403" },
	{ "root in /root/4 has t0ken-of-ours", "root in /root/4 has ***" },
};

UNIT_EACH(values_are_masked, UNIT_COUNT(rows))
{
	auto_buffer struct buffer set = { 0 };
	auto_buffer struct buffer shown = { 0 };

	server_mask_gather(&set, &server, envp);
	mask_text(&shown, &set, rows[_i].text, strlen(rows[_i].text), SIZE_MAX);
	ck_assert_str_eq(shown.data, rows[_i].shown);
	ck_assert_int_eq(mask_has(&set, rows[_i].text, strlen(rows[_i].text)),
	    strcmp(rows[_i].text, rows[_i].shown) != 0);
	ck_assert_ptr_null(memmem(set.data, set.len, "k1234", 5));
}

/* Of a text that ends or begins within a value, no part of that is shown. */
UNIT_TEST(what_is_cut_is_masked_before)
{
	auto_buffer struct buffer set = { 0 };
	auto_buffer struct buffer shown = { 0 };

	mask_begin(&set, (const uint8_t *)"0123456789abcdef");
	mask_add(&set, "s3cret12");
	mask_add(&set, "k123");
	mask_text(&shown, &set, "a s3cret12 k123 b", 17, 3);
	ck_assert_str_eq(shown.data, "a ***");
	buffer_reset(&shown);
	mask_rest(&shown, &set, "3cret12 k123 b", 14);
	ck_assert_str_eq(shown.data, " *** b");
	buffer_reset(&shown);
	mask_rest(&shown, &set, "k123 s3cret12 b", 15);
	ck_assert_str_eq(shown.data, "****** b");
	buffer_reset(&set);
	buffer_reset(&shown);
	mask_rest(&shown, &set, "all of it", 9);
	ck_assert_str_eq(shown.data, "all of it");
}

/* A full set hides everything. */
UNIT_TEST(nothing_is_shown_beside_a_full_set)
{
	auto_buffer struct buffer set = { 0 };
	auto_buffer struct buffer shown = { 0 };
	char value[32];
	int n;

	mask_begin(&set, (const uint8_t *)"0123456789abcdef");
	for (n = 0; n < (int)(MASK_SET_MAX / 12) - 2; n++) {
		snprintf(value, sizeof(value), "value%d", n);
		mask_add(&set, value);
		mask_add(&set, value);
	}
	mask_text(&shown, &set, "a value0", 8, SIZE_MAX);
	ck_assert_str_eq(shown.data, "a ***");
	buffer_reset(&shown);
	mask_add(&set, "one more");
	mask_add(&set, "and another");
	ck_assert_uint_le(set.len, MASK_SET_MAX);
	mask_text(&shown, &set, "a word", 6, SIZE_MAX);
	ck_assert_str_eq(shown.data, "***");
}
