/*
 * The sides of a picture, read from its headers: from IHDR and all frames of a
 * PNG, the frame headers of a JPEG, the screen and all frames of a GIF, the
 * canvas and all frames of a WebP. What claims to be small, but contains a
 * larger frame, is as large as that frame; what changes its sides later is
 * damaged. Never decodes a pixel. Runs in relay and files.
 */
#include <string.h>

#include "picture.h"

/* The bytes behind the data of each chunk of a PNG. */
#define PNG_CHECKSUM 4

/* A picture while it is read. */
struct sides_walk {
	const struct picture_source *source;
	size_t at;             /* byte number of the next block */
	size_t frames;
	struct picture_sides *sides;
};

int
picture_sides_fit(const struct picture_sides *sides)
{
	return sides->width >= 1 && sides->width <= PICTURE_SIDE_MAX &&
	    sides->height >= 1 && sides->height <= PICTURE_SIDE_MAX;
}

/* Takes bytes at the current position. Returns 0, or -1 at the end. */
static int
sides_take(struct sides_walk *walk, uint8_t *bytes, size_t count)
{
	if (walk->source->copy(
	        walk->source->ctx, walk->at, bytes, count) == -1)
		return -1;
	walk->at += count;
	return 0;
}

/* Adds the canvas or a frame. A size that does not fit stays. */
static void
sides_add(struct sides_walk *walk, uint64_t width, uint64_t height)
{
	const struct picture_sides added = { width, height };
	struct picture_sides *sides = walk->sides;

	if (walk->frames++ == 0 || !picture_sides_fit(&added)) {
		if (walk->frames == 1 || picture_sides_fit(sides))
			*sides = added;
		return;
	}
	if (picture_sides_fit(sides) && width > sides->width)
		sides->width = width;
	if (picture_sides_fit(sides) && height > sides->height)
		sides->height = height;
}

/* Reads a number of two, three or four bytes. */
static uint64_t
sides_big(const uint8_t *p, size_t count)
{
	uint64_t number = 0;

	while (count-- > 0)
		number = number << 8 | *p++;
	return number;
}

static uint64_t
sides_little(const uint8_t *p, size_t count)
{
	uint64_t number = 0;

	while (count-- > 0)
		number = number << 8 | p[count];
	return number;
}

/* A second IHDR is damage, as readers differ in which one they follow. */
static int
sides_png_read_chunks(struct sides_walk *walk)
{
	uint8_t head[8], p[12];
	size_t start;

	while (sides_take(walk, head, sizeof(head)) == 0 &&
	    memcmp(head + 4, "IEND", 4) != 0) {
		start = walk->at;
		if (memcmp(head + 4, "IHDR", 4) == 0)
			return -1;
		if (memcmp(head + 4, "fcTL", 4) == 0) {
			if (sides_take(walk, p, sizeof(p)) == -1)
				return -1;
			sides_add(walk, sides_big(p + 4, 4),
			    sides_big(p + 8, 4));
		}
		walk->at = start + sides_big(head, 4) + PNG_CHECKSUM;
	}
	return 0;
}

/* A PNG that was cut off behind IHDR is still a picture. */
static int
sides_read_png(struct sides_walk *walk)
{
	uint8_t ihdr[24];

	if (sides_take(walk, ihdr, sizeof(ihdr)) == -1 ||
	    memcmp(ihdr + 8, "\0\0\0\rIHDR", 8) != 0)
		return -1;
	sides_add(walk, sides_big(ihdr + 16, 4), sides_big(ihdr + 20, 4));
	walk->at += 5 + PNG_CHECKSUM;
	return sides_png_read_chunks(walk);
}

/* Takes the code of the next marker of a JPEG. Returns it, or -1. */
static int
sides_jpeg_marker(struct sides_walk *walk)
{
	uint8_t byte;

	if (sides_take(walk, &byte, 1) == -1 || byte != 0xff)
		return -1;
	do {
		if (sides_take(walk, &byte, 1) == -1)
			return -1;
	} while (byte == 0xff);
	return byte;
}

/* Whether a marker has no segment behind it: TEM, RST0 to RST7. */
static int
sides_jpeg_is_bare(int marker)
{
	return marker == 0x01 || (marker >= 0xd0 && marker <= 0xd7);
}

/* Whether a frame header is behind it: SOF0 to SOF15, but DHT, JPG, DAC. */
static int
sides_jpeg_is_frame(int marker)
{
	return marker >= 0xc0 && marker <= 0xcf && marker != 0xc4 &&
	    marker != 0xc8 && marker != 0xcc;
}

/* Takes the code of the next marker behind the data of a scan. */
static int
sides_jpeg_scan_marker(struct sides_walk *walk)
{
	uint8_t byte;

	do {
		if (sides_take(walk, &byte, 1) == -1)
			return -1;
	} while (byte != 0xff);
	walk->at--;
	return sides_jpeg_marker(walk);
}

/*
 * Reads the scans, behind the marker of the first one. A frame header or a
 * number of lines (DNL) there would change the sides, and is damage.
 */
static int
sides_jpeg_read_scans(struct sides_walk *walk)
{
	uint8_t head[2];
	int marker = 0xda;

	do {
		if (sides_jpeg_is_frame(marker) || marker == 0xdc)
			return -1;
		if (marker == 0 || sides_jpeg_is_bare(marker))
			continue;
		if (sides_take(walk, head, 2) == -1)
			return 0;
		if (sides_big(head, 2) < 2)
			return -1;
		walk->at += sides_big(head, 2) - 2;
	} while ((marker = sides_jpeg_scan_marker(walk)) != -1 &&
	    marker != 0xd9);
	return 0;
}

/* A JPEG that was cut off behind the marker of a scan is still a picture. */
static int
sides_read_jpeg(struct sides_walk *walk)
{
	uint8_t head[2], frame[5];
	size_t start;
	int marker;

	walk->at = 2;
	while ((marker = sides_jpeg_marker(walk)) != 0xda) {
		if (marker == -1 || marker == 0xd9)
			return -1;
		if (sides_jpeg_is_bare(marker))
			continue;
		start = walk->at;
		if (sides_take(walk, head, 2) == -1 || sides_big(head, 2) < 2)
			return -1;
		if (sides_jpeg_is_frame(marker)) {
			if (sides_take(walk, frame, 5) == -1)
				return -1;
			sides_add(walk, sides_big(frame + 3, 2),
			    sides_big(frame + 1, 2));
		}
		walk->at = start + sides_big(head, 2);
	}
	return walk->frames > 0 ? sides_jpeg_read_scans(walk) : -1;
}

/* Skips a table of colours of a GIF, if these flags say that there is one. */
static void
sides_gif_skip_colours(struct sides_walk *walk, uint8_t flags)
{
	if (flags & 0x80)
		walk->at += 3 * ((size_t)2 << (flags & 7));
}

/* Skips the blocks of data of a GIF. Returns 0, or -1 at the end. */
static int
sides_gif_skip_data(struct sides_walk *walk)
{
	uint8_t size;

	do {
		if (sides_take(walk, &size, 1) == -1)
			return -1;
		walk->at += size;
	} while (size > 0);
	return 0;
}

/* Reads a frame of a GIF. Returns 0, or -1 at the end. */
static int
sides_gif_read_frame(struct sides_walk *walk)
{
	uint8_t head[9];

	if (sides_take(walk, head, sizeof(head)) == -1)
		return -1;
	if (sides_little(head + 4, 2) == 0 || sides_little(head + 6, 2) == 0)
		sides_add(walk, 0, 0);
	sides_add(walk, sides_little(head, 2) + sides_little(head + 4, 2),
	    sides_little(head + 2, 2) + sides_little(head + 6, 2));
	sides_gif_skip_colours(walk, head[8]);
	walk->at++; /* the size of a code */
	return sides_gif_skip_data(walk);
}

/* A GIF that was cut off behind a frame is still a picture. */
static int
sides_read_gif(struct sides_walk *walk)
{
	uint8_t head[13], block;
	int more = 0;

	if (sides_take(walk, head, sizeof(head)) == -1)
		return -1;
	sides_add(walk, sides_little(head + 6, 2), sides_little(head + 8, 2));
	sides_gif_skip_colours(walk, head[10]);
	while (more == 0 && sides_take(walk, &block, 1) == 0 && block != ';') {
		if (block == ',')
			more = sides_gif_read_frame(walk);
		else if (block != '!')
			return -1;
		else {
			walk->at++; /* the label of an extension */
			more = sides_gif_skip_data(walk);
		}
	}
	return walk->frames > 1 ? 0 : -1;
}

/*
 * Takes the head of a chunk of a WebP: its name and size. Returns where the
 * next chunk is, or 0 at the end.
 */
static size_t
sides_webp_take(struct sides_walk *walk, uint8_t head[8])
{
	uint64_t size;

	if (sides_take(walk, head, 8) == -1)
		return 0;
	size = sides_little(head + 4, 4);
	return walk->at + size + size % 2;
}

/* Reads a chunk, if it has a size. Returns 0, or -1 if damaged. */
static int
sides_webp_read(struct sides_walk *walk, const uint8_t *name)
{
	uint8_t p[10];

	if (memcmp(name, "VP8L", 4) == 0) {
		if (sides_take(walk, p, 5) == -1 || p[0] != 0x2f)
			return -1;
		sides_add(walk, (sides_little(p + 1, 4) & 0x3fff) + 1,
		    (sides_little(p + 1, 4) >> 14 & 0x3fff) + 1);
	} else if (memcmp(name, "VP8X", 4) == 0) {
		if (sides_take(walk, p, 10) == -1)
			return -1;
		sides_add(walk, sides_little(p + 4, 3) + 1,
		    sides_little(p + 7, 3) + 1);
	} else if (memcmp(name, "VP8 ", 4) == 0) {
		if (sides_take(walk, p, 10) == -1 ||
		    memcmp(p + 3, "\x9d\x01\x2a", 3) != 0)
			return -1;
		sides_add(walk, sides_little(p + 6, 2) & 0x3fff,
		    sides_little(p + 8, 2) & 0x3fff);
	}
	return 0;
}

/*
 * Reads a frame of an animated WebP, and the chunks in it up to its end: its
 * offset is counted in pairs.
 */
static int
sides_webp_read_frame(struct sides_walk *walk, size_t end)
{
	uint8_t p[16], head[8];
	size_t next;

	if (sides_take(walk, p, sizeof(p)) == -1)
		return -1;
	sides_add(walk, 2 * sides_little(p, 3) + sides_little(p + 6, 3) + 1,
	    2 * sides_little(p + 3, 3) + sides_little(p + 9, 3) + 1);
	while (walk->at < end && (next = sides_webp_take(walk, head)) != 0) {
		if (sides_webp_read(walk, head) == -1)
			return -1;
		walk->at = next;
	}
	return 0;
}

/* The first chunk has the size of the picture. */
static int
sides_read_webp(struct sides_walk *walk)
{
	uint8_t head[8];
	size_t next;
	int read;

	walk->at = 12;
	while ((next = sides_webp_take(walk, head)) != 0) {
		read = memcmp(head, "ANMF", 4) == 0 ?
		    sides_webp_read_frame(walk, next) :
		    sides_webp_read(walk, head);
		if (read == -1 || walk->frames == 0)
			return -1;
		walk->at = next;
	}
	return walk->frames > 0 ? 0 : -1;
}

int
picture_sides_read(enum picture_kind kind, const struct picture_source *source,
    struct picture_sides *sides)
{
	static int (*const readers[PICTURE_KINDS])(struct sides_walk *walk) = {
		[PICTURE_PNG] = sides_read_png,
		[PICTURE_JPEG] = sides_read_jpeg,
		[PICTURE_WEBP] = sides_read_webp,
		[PICTURE_GIF] = sides_read_gif,
	};
	struct sides_walk walk = { .source = source, .sides = sides };

	*sides = (struct picture_sides){ 0, 0 };
	return readers[kind](&walk);
}
