/*
 * Tests of worker/files/stored/type: the ending of a name, the first bytes, and
 * which of them is believed.
 */
#include <string.h>

#include "tests/unit/unit.h"
#include "worker/files/stored/type.h"

#define BYTES "application/octet-stream"

static const struct {
	const char *name;
	const char *data;
	size_t len;
	const char *type;
} cases[] = {
#define CASE(name, data, type) { name, data, sizeof(data) - 1, type }
	/* The ending alone. */
	CASE("a.txt", "hello", "text/plain"),
	CASE("a.csv", "1,2\n", "text/csv"),
	CASE("A.CSV", "1,2\n", "text/csv"),
	CASE("a.b.json", "{}", "application/json"),
	CASE("a.csv", "", "text/csv"),
	CASE("latin.csv", "caf\xe9,1\n", "text/csv"),
	CASE("a.mp3", "\xff\xfb\x90\x64", "audio/mpeg"),
	/* Its first bytes agree. */
	CASE("a.png", "\x89PNG\r\n\x1a\n....", "image/png"),
	CASE("a.jpeg", "\xff\xd8\xff\xe0", "image/jpeg"),
	CASE("a.webp", "RIFF....WEBPVP8 ", "image/webp"),
	CASE("a.xlsx", "PK\x03\x04....", "application/vnd.openxmlformats-"
	    "officedocument.spreadsheetml.sheet"),
	CASE("a.zip", "PK\x05\x06....", "application/zip"),
	CASE("a.tar.gz", "\x1f\x8b\x08..", "application/gzip"),
	CASE("a.db", "SQLite format 3\0...", "application/vnd.sqlite3"),
	CASE("a.mp4", "\0\0\0\x18" "ftypmp42", "video/mp4"),
	CASE("a.mov", "\0\0\0\x18" "ftypqt  ", "video/quicktime"),
	CASE("a.xls", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
	    "application/vnd.ms-excel"),
	/* They tell otherwise. */
	CASE("a.txt", "%PDF-1.7", "application/pdf"),
	CASE("a.jpg", "\x89PNG\r\n\x1a\n", "image/png"),
	CASE("a.png", "PK\x03\x04", "application/zip"),
	CASE("a", "GIF89a", "image/gif"),
	CASE("a.html", "\x7f" "ELF\2", "application/x-executable"),
	/* The ending names a kind that they are not of. */
	CASE("a.png", "not a picture", "text/plain"),
	CASE("a.png", "", "text/plain"),
	CASE("a.png", "\x89PNG\r\n", BYTES),
	CASE("a.xlsx", "\0\1\2", BYTES),
	/* There is no ending that is known. */
	CASE("README", "hello", "text/plain"),
	CASE("a.unknown", "gr\xc3\xbc\xc3\x9f" "e", "text/plain"),
	CASE("a.unknown", "a\0b", BYTES),
	CASE("a.unknown", "\xff\xfe", BYTES),
	CASE(".csv", "1,2\n", "text/plain"),
	CASE("csv", "1,2\n", "text/plain"),
	CASE("a.", "x", "text/plain"),
	CASE("x", "", "text/plain"),
#undef CASE
};

UNIT_TESTS(finds_the_type, UNIT_COUNT(cases))
{
	ck_assert_str_eq(type_of(cases[_i].name,
	    (const uint8_t *)cases[_i].data, cases[_i].len, 1),
	    cases[_i].type);
}

/* Of a long text, which may be cut within a character. */
UNIT_TESTS(a_cut_is_no_fault_of_a_text, 3)
{
	static const char *const texts[] = { "ab\xc3", "ab\xe2\x9c",
		"ab\xf0\x9f\x98" };
	const uint8_t *text = (const uint8_t *)texts[_i];

	ck_assert_str_eq(
	    type_of("x", text, strlen(texts[_i]), 0), "text/plain");
	ck_assert_str_eq(type_of("x", text, strlen(texts[_i]), 1), BYTES);
}

static const struct {
	const char *data;
	int fits;
} svgs[] = {
	{ "<svg width='1' height=\"2000\"/>", 1 },
	{ "<?xml version=\"1.0\"?>\n<!DOCTYPE svg PUBLIC \"W3\"\n \"a>b\">"
	  "\n<!-- <svg width='0'> -->\n<svg xmlns:x = \"y\" width=\"460.8pt\" "
	  "height=\"12.7cm\" viewBox=\"0 0 9000 9000\" x='' >", 1 },
	{ "<svg width='2000.1' height='1'>", 0 },
	{ "<svg width='1' height='0'>", 0 },
	{ "<svg width='1' height='-1'>", 0 },
	{ "<svg width='nan' height='1'>", 0 },
	{ "<svg width='' height='1'>", 0 },
	{ "<svg width='6e4' height='1'>", 0 },
	{ "<svg width='0x1' height='1'>", 0 },
	{ "<svg width='1.' height='600in'>", 0 },
	{ "<svg width='9em' height='1'>", 0 },
	{ "<svg width='9' viewBox='0 0 1 60000'>", 0 },
	{ "<svg>", 0 },
	{ "<svg width='1' height='1' style='width:60000px'>", 0 },
	{ "<svg width=60000 height=60000>", 0 },
	{ "<svg id=' width=\"1\" height=\"1\"' width='60000'>", 0 },
	{ "<svg width='1' height='1", 0 },
	{ "<svg width='1' height='1'", 0 },
	{ "<svg width='1'height='1'>", 0 },
	{ "<svg width", 0 },
	{ "<svg:svg width='1' height='1'>", 0 },
	{ "<!DOCTYPE svg SYSTEM \"><svg width='1' height='1'>\"><svg "
	  "width='9999'>", 0 },
	{ "<!DOCTYPE svg [<!ENTITY a '><svg width=\"1\" height=\"1\">'>]>"
	  "<svg width='9999'>", 0 },
	{ "<!-- <svg width='1' height='1'>", 0 },
	{ "<?xml ", 0 },
	{ "", 0 },
};

UNIT_TESTS(an_svg_has_sides_that_fit, UNIT_COUNT(svgs))
{
	ck_assert_str_eq(type_of("a.svg", (const uint8_t *)svgs[_i].data,
	    strlen(svgs[_i].data), 1),
	    svgs[_i].fits ? "image/svg+xml" : "application/xml");
}
