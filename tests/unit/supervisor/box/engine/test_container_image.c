/*
 * Tests of supervisor/box/engine/container_image and image: what is read of the
 * description that an engine gives of an image, which ones are refused, and the
 * tags that enable languages.
 */
#include <string.h>

#include "common/base/buffer.h"
#include "common/base/mem.h"
#include "common/base/text_list.h"
#include "supervisor/box/engine/engine.h"
#include "tests/unit/unit.h"

#define DIGITS                                                                 \
	"0123456789abcdef0123456789abcdef"                                     \
	"0123456789abcdef0123456789abcdef"
#define ANSWER(id, labels, entrypoint, cmd, wants)                             \
	"{\"id\":" id ",\"labels\":" labels ",\"entrypoint\":"                 \
	entrypoint ",\"cmd\":" cmd ",\"wants\":" wants "}\n"
#define LABELS(runner, language)                                               \
	"{\"sandbox.runner\":" runner ",\"sandbox.language\":" language "}"
#define ID "\"" DIGITS "\""
#define NONE "null"

static int
read_answer(enum container_engine engine, const char *text,
    struct container_image *found)
{
	auto_buffer struct buffer answer = { 0 };
	struct err err;

	buffer_add_text(&answer, text);
	return container_image_read(engine, "an/image", &answer, found, &err);
}

static const struct {
	const char *answer;
	const char *language; /* NULL: its labels propose none */
	const char *command; /* its words, each with a newline */
} read[] = {
	{ ANSWER(ID, LABELS("\"true\"", "\"ruby\""), "[\"/usr/bin/ruby\"]",
	    "[\"-W0\",\"a b\"]", NONE), "ruby", "/usr/bin/ruby\n-W0\na b\n" },
	{ ANSWER("\"sha256:" DIGITS "\"", LABELS("\"true\"", "\"c++\""), NONE,
	    "[\"/a\"]", NONE), "c++", "/a\n" },
	{ ANSWER(ID, NONE, NONE, NONE, NONE), NULL, "" },
	{ ANSWER(ID, "{}", "[]", "[]", "{}"), NULL, "" },
	/* A label gives no right, and not every one proposes. */
	{ ANSWER(ID, LABELS("\"yes\"", "\"ruby\""), NONE, NONE, NONE), NULL,
	    "" },
	{ ANSWER(ID, LABELS("\"true\"", "\"Ruby\""), NONE, NONE, NONE), NULL,
	    "" },
	{ ANSWER(ID, LABELS("\"true\"", "\"../x\""), NONE, NONE, NONE), NULL,
	    "" },
	{ ANSWER(ID, LABELS("\"true\"", "7"), NONE, NONE, NONE), NULL, "" },
};

UNIT_TESTS(an_image_is_read, UNIT_COUNT(read))
{
	struct container_image found;
	struct buffer words = { 0 };
	const char *word;

	ck_assert_int_eq(
	    read_answer(CONTAINER_PODMAN, read[_i].answer, &found), 0);
	ck_assert_str_eq(found.digest, "sha256:" DIGITS);
	ck_assert_int_eq(found.language != NULL, read[_i].language != NULL);
	if (found.language != NULL)
		ck_assert_str_eq(found.language, read[_i].language);
	buffer_add_text(&words, "");
	TEXT_LIST_EACH (word, found.command.data, found.command.len)
		buffer_printf(&words, "%s\n", word);
	ck_assert_str_eq(words.data, read[_i].command);
	buffer_reset(&words);
	container_image_reset(&found);
}

/* Only numbers, and never root. */
static const struct {
	const char *user;
	uint32_t uid, gid;
} users[] = { { "\"1000\"", 1000, 1000 }, { "\"1000:7\"", 1000, 7 },
	{ "\"1000:0\"", 1000, 1000 }, { "\"0:7\"", 0, 0 }, { NONE, 0, 0 },
	{ "\"node\"", 0, 0 }, { "\"1000:node\"", 0, 0 }, { "\"1:+2\"", 0, 0 },
	{ "\"4294967296\"", 0, 0 }, { "\"01\"", 0, 0 }, { "7", 0, 0 } };

UNIT_TESTS(its_user_is_read, UNIT_COUNT(users))
{
	auto_free char *answer = mem_printf("{\"id\":" ID ",\"entrypoint\":"
	    "null,\"cmd\":null,\"user\":%s}", users[_i].user);
	struct container_image found;

	ck_assert_int_eq(read_answer(CONTAINER_PODMAN, answer, &found), 0);
	ck_assert_uint_eq(found.uid, users[_i].uid);
	ck_assert_uint_eq(found.gid, users[_i].gid);
	container_image_reset(&found);
}

static const char *const strange[] = { "", "no such image", "[]",
	ANSWER("\"0123\"", NONE, NONE, NONE, NONE),
	ANSWER("7", NONE, NONE, NONE, NONE), "{\"id\":" ID "}",
	ANSWER(ID, NONE, "[7]", NONE, NONE),
	ANSWER(ID, NONE, NONE, "[\"a\\u0000b\"]", NONE) };

UNIT_TESTS(anything_else_is_refused, UNIT_COUNT(strange))
{
	struct container_image found;

	ck_assert_int_eq(
	    read_answer(CONTAINER_DOCKER, strange[_i], &found), -1);
}

static const struct {
	enum container_engine engine;
	const char *wants;
	const char *refused; /* NULL: it is not */
} rights[] = {
	{ CONTAINER_PODMAN, "{}", NULL },
	{ CONTAINER_PODMAN, "{\"org.opencontainers.image.title\":\"x\","
	                    "\"com.docker.official\":\"x\"}", NULL },
	{ CONTAINER_PODMAN, "{\"org.opencontainers.image.title\":\"x\","
	                    "\"run.oci.seccomp_bpf_data\":\"x\"}",
	    "the annotation \"run.oci.seccomp_bpf_data\"" },
	{ CONTAINER_PODMAN, "{\"org.opencontainers.images\":\"x\"}",
	    "the annotation \"org.opencontainers.images\"" },
	{ CONTAINER_PODMAN, "{\"a\\u0000b\":\"x\"}", "the annotation \"?\"" },
	{ CONTAINER_PODMAN, "{\"\\u001b[31m\":\"x\"}",
	    "the annotation \"\\x1b[31m\"" },
	{ CONTAINER_DOCKER, "{\"/volume\":{}}", "the volume \"/volume\"" },
	{ CONTAINER_DOCKER, "{\"com.docker.x\":{}}",
	    "the volume \"com.docker.x\"" },
	{ CONTAINER_DOCKER, NONE, NULL },
};

UNIT_TESTS(what_weakens_is_refused, UNIT_COUNT(rights))
{
	auto_free char *answer = mem_printf("{\"id\":" ID ",\"labels\":null,"
	    "\"entrypoint\":null,\"cmd\":null,\"wants\":%s}",
	    rights[_i].wants);
	struct container_image found;
	struct err err;
	int judged;

	ck_assert_int_eq(read_answer(rights[_i].engine, answer, &found), 0);
	judged = container_image_judge(
	    rights[_i].engine, "an/image", &found, &err);
	ck_assert_int_eq(judged, rights[_i].refused == NULL ? 0 : -1);
	if (judged == -1)
		ck_assert_msg(strstr(err.text, rights[_i].refused) != NULL,
		    "%s", err.text);
	container_image_reset(&found);
}

static const struct {
	const char *language;
	const char *tag; /* NULL: it cannot be one */
} tags[] = {
	{ "ruby", "localhost/caisson/ruby:latest" },
	{ "c++", "localhost/caisson/c__p__p:latest" },
	{ "c#", "localhost/caisson/c__s:latest" },
	{ "lua-5.4", "localhost/caisson/lua-5.4:latest" },
	{ "a__p", NULL },
	{ "a-", NULL },
	{ "a.-b", NULL },
	{ "-a", NULL },
	{ "A", NULL },
	{ "", NULL },
};

UNIT_TESTS(a_language_has_a_tag, UNIT_COUNT(tags))
{
	const char *language = tags[_i].language;
	auto_buffer struct buffer text = { 0 };
	auto_free char *found = NULL;

	ck_assert_int_eq(image_is_language(language), tags[_i].tag != NULL);
	image_add_tag(&text, language);
	if (tags[_i].tag == NULL)
		return;
	ck_assert_str_eq(text.data, tags[_i].tag);
	found = image_tag_language(text.data);
	ck_assert_str_eq(found, language);
}

static const char *const others[] = { "", "localhost/caisson/",
	"localhost/caisson/:latest", "localhost/caisson/ruby",
	"localhost/caisson/ruby:3", "localhost/caisson-ruby:latest",
	"localhost/caisson/a/b:latest", "docker.io/caisson/ruby:latest",
	"localhost/caisson/Ruby:latest" };

UNIT_TESTS(no_other_name_is_such_a_tag, UNIT_COUNT(others))
{
	ck_assert_ptr_null(image_tag_language(others[_i]));
}
