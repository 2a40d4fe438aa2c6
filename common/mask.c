/*
 * Masked values: see mask.h. A set is its key and, for each value, its length
 * (32 bits) and its hash (64 bits) in the byte order of this machine. The hash
 * is SipHash-2-4: it has fewer bits than a token, which therefore cannot be
 * found from it. Linked into all processes; runs in supervisor and broker.
 */
#include <ctype.h>
#include <endian.h>
#include <string.h>

#include "limits.h"
#include "mask.h"

struct mask_value {
	uint32_t len;
	uint64_t hash;
};

/* Ends a set that lacks values: all is masked. */
static const struct mask_value mask_everything = { 0, 0 };

#define MASK_VALUE_SIZE (sizeof(uint32_t) + sizeof(uint64_t))

/* Shorter values are masked as words only, not inside longer ones. */
#define MASK_WORD_LEAST 8

#define MASK_TURN(x, n) ((x) << (n) | (x) >> (64 - (n)))

static void
mask_round(uint64_t v[4], int rounds)
{
	while (rounds-- > 0) {
		v[0] += v[1];
		v[1] = MASK_TURN(v[1], 13) ^ v[0];
		v[0] = MASK_TURN(v[0], 32);
		v[2] += v[3];
		v[3] = MASK_TURN(v[3], 16) ^ v[2];
		v[0] += v[3];
		v[3] = MASK_TURN(v[3], 21) ^ v[0];
		v[2] += v[1];
		v[1] = MASK_TURN(v[1], 17) ^ v[2];
		v[2] = MASK_TURN(v[2], 32);
	}
}

static void
mask_absorb(uint64_t v[4], uint64_t word)
{
	v[3] ^= word;
	mask_round(v, 2);
	v[0] ^= word;
}

/* Returns a little-endian number of up to 8 bytes. */
static uint64_t
mask_word(const char *data, size_t len)
{
	uint64_t word = 0;

	memcpy(&word, data, len);
	return le64toh(word);
}

static uint64_t
mask_hash(const char *key, const char *data, size_t len)
{
	uint64_t k0 = mask_word(key, 8), k1 = mask_word(key + 8, 8);
	uint64_t v[4] = { k0 ^ 0x736f6d6570736575, k1 ^ 0x646f72616e646f6d,
		k0 ^ 0x6c7967656e657261, k1 ^ 0x7465646279746573 };
	size_t i;

	for (i = 0; i + 8 <= len; i += 8)
		mask_absorb(v, mask_word(data + i, 8));
	mask_absorb(v, (uint64_t)len << 56 | mask_word(data + i, len - i));
	v[2] ^= 0xff;
	mask_round(v, 4);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

void
mask_begin(struct buffer *set, const uint8_t *key)
{
	buffer_add(set, key, MASK_KEY_SIZE);
}

/* Reads the value at a place of a set. */
static struct mask_value
mask_value(const char *set, size_t at)
{
	struct mask_value one;

	memcpy(&one.len, set + at, sizeof(one.len));
	memcpy(&one.hash, set + at + sizeof(one.len), sizeof(one.hash));
	return one;
}

/* Inserts a value at a place of a set. */
static void
mask_insert(struct buffer *set, size_t at, const struct mask_value *one)
{
	char *p = buffer_reserve(set, MASK_VALUE_SIZE) - set->len + at;

	memmove(p + MASK_VALUE_SIZE, p, set->len - at);
	memcpy(p, &one->len, sizeof(one->len));
	memcpy(p + sizeof(one->len), &one->hash, sizeof(one->hash));
	set->len += MASK_VALUE_SIZE;
}

/* The values are sorted by length, the longest first. */
void
mask_add(struct buffer *set, const char *value)
{
	struct mask_value one = { .len = (uint32_t)strlen(value) }, known;
	size_t at = MASK_KEY_SIZE;

	if (one.len == 0)
		return;
	one.hash = mask_hash(set->data, value, one.len);
	for (; at < set->len; at += MASK_VALUE_SIZE) {
		known = mask_value(set->data, at);
		if (known.len == one.len && known.hash == one.hash)
			return;
		if (known.len < one.len)
			break;
	}
	if (set->len + 2 * MASK_VALUE_SIZE <= MASK_SET_MAX)
		mask_insert(set, at, &one);
	else if (set->len + MASK_VALUE_SIZE <= MASK_SET_MAX)
		mask_insert(set, set->len, &mask_everything);
}

static int
mask_is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_';
}

/* Whether a part of a text, from begin to end, stands inside a word. */
static int
mask_is_inside(const char *text, size_t len, size_t begin, size_t end)
{
	return (begin > 0 && mask_is_word(text[begin - 1]) &&
	           mask_is_word(text[begin])) ||
	    (end < len && mask_is_word(text[end - 1]) &&
	        mask_is_word(text[end]));
}

/* Returns the length of the longest value at a place of a text, or 0. */
static size_t
mask_find(const struct buffer *set, const char *text, size_t len, size_t place)
{
	struct mask_value one;
	uint64_t hash = 0;
	size_t at, hashed = 0;

	for (at = MASK_KEY_SIZE; at + MASK_VALUE_SIZE <= set->len;
	     at += MASK_VALUE_SIZE) {
		one = mask_value(set->data, at);
		if (one.len == mask_everything.len)
			return len - place;
		if (one.len > len - place)
			continue;
		if (one.len != hashed) {
			hash = mask_hash(set->data, text + place, one.len);
			hashed = one.len;
		}
		if (one.hash == hash && (one.len >= MASK_WORD_LEAST ||
		        !mask_is_inside(
		            text, len, place, place + one.len)))
			return one.len;
	}
	return 0;
}

/* Of the bytes before shown, appends only the masks. */
static void
mask_from(struct buffer *out, const struct buffer *set, const char *text,
    size_t len, size_t shown, size_t most)
{
	size_t at, found;

	buffer_add(out, "", 0);
	for (at = 0; at < len && out->len <= most; at += found) {
		found = mask_find(set, text, len, at);
		if (found > 0)
			buffer_add_text(out, MASK);
		else if (at >= shown)
			buffer_add(out, text + at, 1);
		found += found == 0;
	}
}

void
mask_text(struct buffer *out, const struct buffer *set, const char *text,
    size_t len, size_t most)
{
	mask_from(out, set, text, len, 0, most);
}

void
mask_rest(struct buffer *out, const struct buffer *set, const char *text,
    size_t len)
{
	size_t longest = 1;

	if (set->len > MASK_KEY_SIZE)
		longest = mask_value(set->data, MASK_KEY_SIZE).len;
	mask_from(out, set, text, len, longest - 1, SIZE_MAX);
}

int
mask_has(const struct buffer *set, const char *text, size_t len)
{
	size_t at = 0;

	while (at < len && mask_find(set, text, len, at) == 0)
		at++;
	return at < len;
}
