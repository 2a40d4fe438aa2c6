/*
 * Tests of supervisor/options/option_value: every kind of value, good and bad,
 * its bounds and one beyond, and that what is printed can be read back.
 */

#include "common/limits.h"
#include "supervisor/options/option_value.h"
#include "tests/unit/unit.h"

static const char *const levels[] = { "error", "warn", "info", NULL };

/* Rows of our own, so that the tests do not move with options.def. */
static const struct option_row seconds = { .key = "seconds",
	.kind = OPTION_KIND_SECONDS, .least = 1, .most = 86400 };
static const struct option_row size = { .key = "size",
	.kind = OPTION_KIND_SIZE, .least = KIB, .most = 16 * MIB };
static const struct option_row any_size = { .key = "any_size",
	.kind = OPTION_KIND_SIZE, .least = 0, .most = UINT64_MAX };
static const struct option_row count = { .key = "count",
	.kind = OPTION_KIND_COUNT, .least = 8, .most = 32768 };
static const struct option_row from_zero = { .key = "from_zero",
	.kind = OPTION_KIND_COUNT, .least = 0, .most = 10000 };
static const struct option_row days = { .key = "days",
	.kind = OPTION_KIND_DAYS, .least = 1, .most = 365 };
static const struct option_row automatic = { .key = "automatic",
	.kind = OPTION_KIND_AUTO, .least = 0, .most = 64 };
static const struct option_row share = { .key = "share",
	.kind = OPTION_KIND_SHARE, .least = 0, .most = 102400 };
static const struct option_row choice = { .key = "choice",
	.kind = OPTION_KIND_CHOICE, .words = levels };
static const struct option_row words = { .key = "words",
	.kind = OPTION_KIND_WORDS, .words = levels };
static const struct option_row onoff = { .key = "switch",
	.kind = OPTION_KIND_SWITCH, .most = 1 };
static const struct option_row path = { .key = "path",
	.kind = OPTION_KIND_PATH, .least = 2, .most = 10 };
static const struct option_row sockets = { .key = "sockets",
	.kind = OPTION_KIND_SOCKETS, .most = 40 };
static const struct option_row hosts = { .key = "hosts",
	.kind = OPTION_KIND_HOSTS, .most = 40 };
static const struct option_row limits = { .key = "limits",
	.kind = OPTION_KIND_LIMITS, .most = 40 };
static const struct option_row origins = { .key = "origins",
	.kind = OPTION_KIND_ORIGINS, .most = 40 };
static const struct option_row url = { .key = "url",
	.kind = OPTION_KIND_URL, .most = 40 };
static const struct option_row address = { .key = "address",
	.kind = OPTION_KIND_ADDRESS, .most = 40 };
static const struct option_row maybe_path = { .key = "maybe_path",
	.kind = OPTION_KIND_PATH, .least = 0, .most = 10 };

static const struct {
	const struct option_row *row;
	const char *text;
	uint64_t number;
} good[] = {
	{ &seconds, "30", 30 },
	{ &seconds, "30s", 30 },
	{ &seconds, "30S", 30 },
	{ &seconds, "2m", 120 },
	{ &seconds, "2M", 120 },
	{ &seconds, "1h", 3600 },
	{ &seconds, "007", 7 },
	{ &seconds, "1", 1 },
	{ &seconds, "86400", 86400 },
	{ &seconds, "24h", 86400 },
	{ &days, "30", 30 },
	{ &days, "30d", 30 },
	{ &size, "65536", 65536 },
	{ &size, "64k", 65536 },
	{ &size, "64K", 65536 },
	{ &size, "1m", MIB },
	{ &size, "1024", 1024 },
	{ &size, "16777216", 16 * MIB },
	{ &size, "16M", 16 * MIB },
	{ &size, "64kB", 65536 },
	{ &size, "64KiB", 65536 },
	{ &size, "1024B", 1024 },
	{ &any_size, "512MB", 512 * MIB },
	{ &any_size, "512mib", 512 * MIB },
	{ &any_size, "1t", 1024 * GIB },
	{ &any_size, "1TiB", 1024 * GIB },
	{ &any_size, "1g", GIB },
	{ &any_size, "512G", 512 * GIB },
	{ &any_size, "0", 0 },
	{ &any_size, "18446744073709551615", UINT64_MAX },
	{ &any_size, "17179869183g", 17179869183UL * GIB },
	{ &count, "8", 8 },
	{ &count, "128", 128 },
	{ &count, "32768", 32768 },
	{ &from_zero, "0", 0 },
	{ &automatic, "auto", OPTION_AUTO },
	{ &automatic, "AUTO", OPTION_AUTO },
	{ &automatic, "0", 0 },
	{ &automatic, "64", 64 },
	{ &share, "0", 0 },
	{ &share, "0.0", 0 },
	{ &share, "2", 200 },
	{ &share, "1.5", 150 },
	{ &share, "1.50", 150 },
	{ &share, "0.05", 5 },
	{ &share, "0.01", 1 },
	{ &share, "1024", 102400 },
	{ &share, "000000001", 100 },
	{ &choice, "error", 0 },
	{ &choice, "warn", 1 },
	{ &choice, "INFO", 2 },
	{ &choice, "Warning", 1 },
	{ &words, "error", 1 },
	{ &words, "info", 4 },
	{ &words, "Warn,ERROR", 3 },
	{ &words, "warn,warn", 2 },
	{ &words, "error,warn,info", 7 },
	{ &onoff, "on", 1 },
	{ &onoff, "true", 1 },
	{ &onoff, "1", 1 },
	{ &onoff, "yes", 1 },
	{ &onoff, "Yes", 1 },
	{ &onoff, "off", 0 },
	{ &onoff, "false", 0 },
	{ &onoff, "0", 0 },
	{ &onoff, "no", 0 },
	{ &path, "/x", 2 },
	{ &path, "/a b/c d", 8 },
	{ &path, "/234567890", 10 },
	{ &path, "/\xc3\xa9", 3 },
	{ &maybe_path, "", 0 },
	{ &maybe_path, "/", 1 },
	{ &sockets, "", 0 },
	{ &sockets, "localhost:0,unix:x,[::1]:65535", 30 },
	{ &hosts, "a.example,b:8080,[::1]:80", 25 },
	{ &limits, "shell:strict,c++:default", 24 },
	{ &limits, "", 0 },
	{ &origins, "null,https://a.example:80,x-y://z", 33 },
	{ &url, "https://a.example:80/b/", 23 },
	{ &url, "http://[::1]", 12 },
	{ &url, "", 0 },
	{ &address, "::1", 3 },
};

UNIT_EACH(reads_good_values, UNIT_COUNT(good))
{
	uint64_t number = 0;

	ck_assert_msg(option_value_parse(good[_i].row, good[_i].text,
	    &number) == 0, "%s: refuses \"%s\"", good[_i].row->key,
	    good[_i].text);
	ck_assert_msg(number == good[_i].number, "%s: \"%s\" becomes %llu",
	    good[_i].row->key, good[_i].text, (unsigned long long)number);
}

static const struct {
	const struct option_row *row;
	const char *text;
} bad[] = {
	{ &words, "" },
	{ &words, "," },
	{ &sockets, "8080" },
	{ &sockets, "::1:80" },
	{ &sockets, "x:65536" },
	{ &sockets, "unix:" },
	{ &sockets, "unix:a,,unix:b" },
	{ &hosts, "a," },
	{ &hosts, "a/b" },
	{ &hosts, "*.example" },
	{ &hosts, "a:123456" },
	{ &limits, "shell" },
	{ &limits, "shell:loose" },
	{ &limits, ":strict" },
	{ &limits, "shell:strict, c:default" },
	{ &origins, "a.example" },
	{ &url, "a.example" },
	{ &url, "ftp://a" },
	{ &url, "http://" },
	{ &url, "http://a,b" },
	{ &url, "http://a?b" },
	{ &url, "http://a/\n" },
	{ &origins, "https://a/" },
	{ &address, "localhost" },
	{ &address, "127.0.0.1,::1" },
	{ &words, "error," },
	{ &words, ",error" },
	{ &words, "error,,warn" },
	{ &words, "error, warn" },
	{ &words, "err" },
	{ &words, "errors" },
	{ &words, "7" },
	{ &seconds, "" },
	{ &seconds, "0" },
	{ &seconds, "86401" },
	{ &seconds, "86401s" },
	{ &seconds, "25h" },
	{ &seconds, "1441m" },
	{ &seconds, "-1" },
	{ &seconds, "-30" },
	{ &seconds, "+30" },
	{ &seconds, " 30" },
	{ &seconds, "30 " },
	{ &seconds, "30 s" },
	{ &seconds, "30\n" },
	{ &seconds, "1.5" },
	{ &seconds, "1e3" },
	{ &seconds, "0x10" },
	{ &seconds, "s" },
	{ &seconds, "30sec" },
	{ &seconds, "1h30m" },
	{ &seconds, "2m30" },
	{ &seconds, "30ms" },
	{ &seconds, "30k" },
	{ &seconds, "1d" },
	{ &seconds, "abc" },
	{ &seconds, "\xd9\xa3" },
	{ &seconds, "18446744073709551616" },
	{ &seconds, "99999999999999999999999h" },
	{ &size, "1023" },
	{ &size, "16777217" },
	{ &size, "17m" },
	{ &size, "64kk" },
	{ &size, "64kib " },
	{ &size, "64i" },
	{ &size, "b" },
	{ &seconds, "30sb" },
	{ &size, "64s" },
	{ &size, "-64k" },
	{ &size, "0.5m" },
	{ &size, "99999999999g" },
	{ &any_size, "17179869184g" },
	{ &any_size, "18446744073709551616" },
	{ &any_size, "18446744073709551615k" },
	{ &count, "7" },
	{ &count, "32769" },
	{ &count, "128k" },
	{ &count, "1s" },
	{ &count, "-8" },
	{ &count, "" },
	{ &from_zero, "-0" },
	{ &from_zero, "10001" },
	{ &share, "" },
	{ &share, "-1" },
	{ &share, ".5" },
	{ &share, "1." },
	{ &share, "1.234" },
	{ &share, "1.5.1" },
	{ &share, "1,5" },
	{ &share, "1.5k" },
	{ &share, "1e2" },
	{ &share, " 1" },
	{ &share, "1.x" },
	{ &automatic, "" },
	{ &automatic, "65" },
	{ &automatic, "-1" },
	{ &automatic, "4294967295" }, /* what stands for auto */
	{ &automatic, "automatic" },
	{ &automatic, "auto " },
	{ &count, "auto" },
	{ &share, "1024.01" },
	{ &share, "9999999999" },
	{ &choice, "" },
	{ &choice, "warnings" },
	{ &choice, "war" },
	{ &choice, "0" },
	{ &choice, "warn " },
	{ &onoff, "" },
	{ &onoff, "2" },
	{ &onoff, "enable" },
	{ &path, "" },
	{ &path, "/" },
	{ &path, "x" },
	{ &path, "~/x" },
	{ &path, "./x" },
	{ &path, "/2345678901" },
	{ &path, "/\xff" },
	{ &maybe_path, "x" },
};

UNIT_EACH(refuses_bad_values, UNIT_COUNT(bad))
{
	uint64_t number;

	ck_assert_msg(option_value_parse(bad[_i].row, bad[_i].text,
	    &number) == -1, "%s: takes \"%s\"", bad[_i].row->key,
	    bad[_i].text);
}

static const struct {
	const struct option_row *row;
	uint64_t number;
	const char *text;
} shown[] = {
	{ &seconds, 30, "30s" },
	{ &seconds, 90, "90s" },
	{ &seconds, 120, "2m" },
	{ &seconds, 86400, "24h" },
	{ &size, 65536, "64k" },
	{ &size, 65537, "65537" },
	{ &size, 3 * MIB, "3m" },
	{ &any_size, 2 * GIB, "2g" },
	{ &any_size, 0, "0" },
	{ &any_size, UINT64_MAX, "18446744073709551615" },
	{ &count, 1024, "1024" },
	{ &automatic, OPTION_AUTO, "auto" },
	{ &automatic, 7, "7" },
	{ &share, 0, "0" },
	{ &share, 1, "0.01" },
	{ &share, 150, "1.5" },
	{ &share, 205, "2.05" },
	{ &share, 102400, "1024" },
	{ &choice, 2, "info" },
	{ &onoff, 1, "on" },
	{ &onoff, 0, "off" },
};

UNIT_EACH(shows_what_it_reads, UNIT_COUNT(shown))
{
	auto_buffer struct buffer text = { 0 };
	uint64_t number;

	option_value_add(&text, shown[_i].row, shown[_i].number);
	ck_assert_str_eq(text.data, shown[_i].text);
	ck_assert_int_eq(
	    option_value_parse(shown[_i].row, text.data, &number), 0);
	ck_assert_uint_eq(number, shown[_i].number);
}
