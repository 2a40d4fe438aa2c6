/*
 * The media type of a file: see type.h. Runs in files.
 *
 * The extension decides, unless the first bytes contradict it: they are those
 * of a kind that it does not name, or not those of the kind that it names. Only
 * kinds with unambiguous first bytes are recognised.
 */
#include <string.h>
#include <strings.h>

#include "../../../common/base/utf8.h"
#include "type.h"

#define TYPE_TEXT "text/plain"

/* Kinds with known first bytes. */
enum type_kind {
	TYPE_UNKNOWN,
	TYPE_PNG,
	TYPE_JPEG,
	TYPE_GIF,
	TYPE_WEBP,
	TYPE_WAV,
	TYPE_PDF,
	TYPE_ZIP,
	TYPE_GZIP,
	TYPE_BZIP2,
	TYPE_XZ,
	TYPE_ZSTD,
	TYPE_SQLITE,
	TYPE_PARQUET,
	TYPE_OLE,
	TYPE_ISO_MEDIA,
	TYPE_MATROSKA,
	TYPE_OGG,
	TYPE_ELF,
	TYPE_HDF5,
	TYPE_NUMPY,
};

static const struct {
	enum type_kind kind;
	size_t at;
	size_t len;
	const char *bytes;
	const char *type; /* if the extension names no kind of these */
} type_magic[] = {
#define MAGIC(kind, at, bytes, type)                                           \
	{ kind, at, sizeof(bytes) - 1, bytes, type }
	MAGIC(TYPE_PNG, 0, "\x89PNG\r\n\x1a\n", "image/png"),
	MAGIC(TYPE_JPEG, 0, "\xff\xd8\xff", "image/jpeg"),
	MAGIC(TYPE_GIF, 0, "GIF87a", "image/gif"),
	MAGIC(TYPE_GIF, 0, "GIF89a", "image/gif"),
	MAGIC(TYPE_WEBP, 8, "WEBPVP8", "image/webp"),
	MAGIC(TYPE_WAV, 8, "WAVEfmt ", "audio/wav"),
	MAGIC(TYPE_PDF, 0, "%PDF-", "application/pdf"),
	MAGIC(TYPE_ZIP, 0, "PK\x03\x04", "application/zip"),
	MAGIC(TYPE_ZIP, 0, "PK\x05\x06", "application/zip"),
	MAGIC(TYPE_GZIP, 0, "\x1f\x8b\x08", "application/gzip"),
	MAGIC(TYPE_BZIP2, 0, "BZh", "application/x-bzip2"),
	MAGIC(TYPE_XZ, 0, "\xfd" "7zXZ\0", "application/x-xz"),
	MAGIC(TYPE_ZSTD, 0, "\x28\xb5\x2f\xfd", "application/zstd"),
	MAGIC(TYPE_SQLITE, 0, "SQLite format 3\0", "application/vnd.sqlite3"),
	MAGIC(TYPE_PARQUET, 0, "PAR1", "application/vnd.apache.parquet"),
	MAGIC(TYPE_OLE, 0, "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
	    "application/x-ole-storage"),
	MAGIC(TYPE_ISO_MEDIA, 4, "ftyp", "video/mp4"),
	MAGIC(TYPE_MATROSKA, 0, "\x1a\x45\xdf\xa3", "video/x-matroska"),
	MAGIC(TYPE_OGG, 0, "OggS\0", "application/ogg"),
	MAGIC(TYPE_ELF, 0, "\x7f" "ELF", "application/x-executable"),
	MAGIC(TYPE_HDF5, 0, "\x89HDF\r\n\x1a\n", "application/x-hdf5"),
	MAGIC(TYPE_NUMPY, 0, "\x93NUMPY", "application/x-npy"),
#undef MAGIC
};

#define TYPE_OFFICE "application/vnd.openxmlformats-officedocument."
#define TYPE_OPEN "application/vnd.oasis.opendocument."

/* Extensions; those with a kind require its first bytes. */
static const struct {
	const char *ending;
	enum type_kind kind;
	const char *type;
} type_endings[] = {
	{ "txt", TYPE_UNKNOWN, TYPE_TEXT },
	{ "log", TYPE_UNKNOWN, TYPE_TEXT },
	{ "md", TYPE_UNKNOWN, "text/markdown" },
	{ "csv", TYPE_UNKNOWN, "text/csv" },
	{ "tsv", TYPE_UNKNOWN, "text/tab-separated-values" },
	{ "html", TYPE_UNKNOWN, "text/html" },
	{ "htm", TYPE_UNKNOWN, "text/html" },
	{ "css", TYPE_UNKNOWN, "text/css" },
	{ "js", TYPE_UNKNOWN, "text/javascript" },
	{ "py", TYPE_UNKNOWN, "text/x-python" },
	{ "sh", TYPE_UNKNOWN, "text/x-shellscript" },
	{ "ics", TYPE_UNKNOWN, "text/calendar" },
	{ "vcf", TYPE_UNKNOWN, "text/vcard" },
	{ "tex", TYPE_UNKNOWN, "text/x-tex" },
	{ "xml", TYPE_UNKNOWN, "application/xml" },
	{ "json", TYPE_UNKNOWN, "application/json" },
	{ "jsonl", TYPE_UNKNOWN, "application/jsonl" },
	{ "geojson", TYPE_UNKNOWN, "application/geo+json" },
	{ "ipynb", TYPE_UNKNOWN, "application/x-ipynb+json" },
	{ "yaml", TYPE_UNKNOWN, "application/yaml" },
	{ "yml", TYPE_UNKNOWN, "application/yaml" },
	{ "toml", TYPE_UNKNOWN, "application/toml" },
	{ "sql", TYPE_UNKNOWN, "application/sql" },
	{ "svg", TYPE_UNKNOWN, "image/svg+xml" },
	{ "png", TYPE_PNG, "image/png" },
	{ "jpg", TYPE_JPEG, "image/jpeg" },
	{ "jpeg", TYPE_JPEG, "image/jpeg" },
	{ "gif", TYPE_GIF, "image/gif" },
	{ "webp", TYPE_WEBP, "image/webp" },
	{ "wav", TYPE_WAV, "audio/wav" },
	{ "mp3", TYPE_UNKNOWN, "audio/mpeg" },
	{ "ogg", TYPE_OGG, "audio/ogg" },
	{ "m4a", TYPE_ISO_MEDIA, "audio/mp4" },
	{ "mp4", TYPE_ISO_MEDIA, "video/mp4" },
	{ "mov", TYPE_ISO_MEDIA, "video/quicktime" },
	{ "webm", TYPE_MATROSKA, "video/webm" },
	{ "mkv", TYPE_MATROSKA, "video/x-matroska" },
	{ "pdf", TYPE_PDF, "application/pdf" },
	{ "zip", TYPE_ZIP, "application/zip" },
	{ "xlsx", TYPE_ZIP, TYPE_OFFICE "spreadsheetml.sheet" },
	{ "docx", TYPE_ZIP, TYPE_OFFICE "wordprocessingml.document" },
	{ "pptx", TYPE_ZIP, TYPE_OFFICE "presentationml.presentation" },
	{ "odt", TYPE_ZIP, TYPE_OPEN "text" },
	{ "ods", TYPE_ZIP, TYPE_OPEN "spreadsheet" },
	{ "odp", TYPE_ZIP, TYPE_OPEN "presentation" },
	{ "epub", TYPE_ZIP, "application/epub+zip" },
	{ "npz", TYPE_ZIP, "application/x-npz" },
	{ "whl", TYPE_ZIP, "application/zip" },
	{ "xls", TYPE_OLE, "application/vnd.ms-excel" },
	{ "doc", TYPE_OLE, "application/msword" },
	{ "ppt", TYPE_OLE, "application/vnd.ms-powerpoint" },
	{ "gz", TYPE_GZIP, "application/gzip" },
	{ "tgz", TYPE_GZIP, "application/gzip" },
	{ "bz2", TYPE_BZIP2, "application/x-bzip2" },
	{ "xz", TYPE_XZ, "application/x-xz" },
	{ "zst", TYPE_ZSTD, "application/zstd" },
	{ "tar", TYPE_UNKNOWN, "application/x-tar" },
	{ "sqlite", TYPE_SQLITE, "application/vnd.sqlite3" },
	{ "sqlite3", TYPE_SQLITE, "application/vnd.sqlite3" },
	{ "db", TYPE_SQLITE, "application/vnd.sqlite3" },
	{ "parquet", TYPE_PARQUET, "application/vnd.apache.parquet" },
	{ "h5", TYPE_HDF5, "application/x-hdf5" },
	{ "npy", TYPE_NUMPY, "application/x-npy" },
	{ "pkl", TYPE_UNKNOWN, TYPE_BYTES },
	{ "bin", TYPE_UNKNOWN, TYPE_BYTES },
};

#define TYPE_COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Returns the entry of type_magic for these first bytes; its end for none. */
static size_t
type_find_magic(const uint8_t *data, size_t len)
{
	size_t i;

	for (i = 0; i < TYPE_COUNT(type_magic); i++)
		if (len >= type_magic[i].at + type_magic[i].len &&
		    memcmp(data + type_magic[i].at, type_magic[i].bytes,
		        type_magic[i].len) == 0)
			break;
	return i;
}

/* Returns the entry of type_endings for a name; its end for none. */
static size_t
type_find_ending(const char *name)
{
	const char *dot = strrchr(name, '.');
	size_t i;

	/* ".csv" is a hidden file without an extension. */
	if (dot == NULL || dot == name)
		return TYPE_COUNT(type_endings);
	for (i = 0; i < TYPE_COUNT(type_endings); i++)
		if (strcasecmp(dot + 1, type_endings[i].ending) == 0)
			break;
	return i;
}

/* Whether the examined bytes are text. */
static int
type_is_text(const uint8_t *data, size_t len, int whole)
{
	const char *text = (const char *)data;

	if (!whole)
		len -= utf8_incomplete_tail(text, len);
	return utf8_valid(text, len) && memchr(text, '\0', len) == NULL;
}

const char *
type_of(const char *name, const uint8_t *data, size_t len, int whole)
{
	size_t magic = type_find_magic(data, len);
	size_t ending = type_find_ending(name);
	enum type_kind kind = magic == TYPE_COUNT(type_magic) ?
	    TYPE_UNKNOWN : type_magic[magic].kind;

	if (ending < TYPE_COUNT(type_endings) &&
	    type_endings[ending].kind == kind)
		return strcmp(type_endings[ending].ending, "svg") != 0 ||
		        svg_fits(data, len) ? type_endings[ending].type :
		    "application/xml";
	if (kind != TYPE_UNKNOWN)
		return type_magic[magic].type;
	return type_is_text(data, len, whole) ? TYPE_TEXT : TYPE_BYTES;
}
