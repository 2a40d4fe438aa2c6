/*
 * The signatures of links to files: see link.h. The secret of the directory is
 * read for each, so that links are revoked by any process at once. Runs in
 * files.
 */
#include <errno.h>
#include <sha2.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "../../../common/base/buffer.h"
#include "../../../common/base/log.h"
#include "../../../common/base/secret.h"
#include "directory.h"
#include "head.h"
#include "link.h"

_Static_assert(2 * SHA256_DIGEST_LENGTH == FILE_SIGNATURE_SIZE, "its digits");

/* RFC 2104, section 2; key: that of the environment may exceed a block. */
static void
link_authenticate(uint8_t digest[SHA256_DIGEST_LENGTH], const void *key,
    size_t len, const struct buffer *text)
{
	uint8_t block[SHA256_BLOCK_LENGTH] = { 0 };
	SHA2_CTX hash;
	size_t i;

	SHA256Init(&hash);
	SHA256Update(&hash, key, len);
	if (len > sizeof(block))
		SHA256Final(block, &hash);
	else
		memcpy(block, key, len);
	for (i = 0; i < sizeof(block); i++)
		block[i] ^= 0x36;
	SHA256Init(&hash);
	SHA256Update(&hash, block, sizeof(block));
	SHA256Update(&hash, (const uint8_t *)text->data, text->len);
	SHA256Final(digest, &hash);
	for (i = 0; i < sizeof(block); i++)
		block[i] ^= 0x36 ^ 0x5c;
	SHA256Init(&hash);
	SHA256Update(&hash, block, sizeof(block));
	SHA256Update(&hash, digest, SHA256_DIGEST_LENGTH);
	SHA256Final(digest, &hash);
	explicit_bzero(block, sizeof(block));
}

enum file_fault
link_sign(const struct files *files, const struct link *link,
    char signature[FILE_SIGNATURE_SIZE + 1])
{
	auto_buffer struct buffer text = { 0 };
	uint8_t secret[DIRECTORY_SECRET_SIZE], digest[SHA256_DIGEST_LENGTH];
	const char *given = files->secret;
	size_t i;

	if (given == NULL && directory_secret(files->folder, secret) == -1) {
		log_warn("the secret of links cannot be read or made: %s",
		    errno == EBADMSG ? "it is cut; 'caisson links revoke' "
		    "makes another one" : strerror(errno));
		return FILE_FAULT_FOLDER;
	}
	buffer_printf(&text, "%s\n%.*s\n%s\n%s\n%llu\n%llu\n", link->method,
	    (int)head_scope(link->owner), link->owner,
	    head_conversation(link->owner), link->name,
	    (unsigned long long)link->version,
	    (unsigned long long)link->expires);
	if (given != NULL)
		link_authenticate(digest, given, strlen(given), &text);
	else
		link_authenticate(digest, secret, sizeof(secret), &text);
	for (i = 0; i < sizeof(digest); i++)
		snprintf(&signature[2 * i], 3, "%02x", digest[i]);
	explicit_bzero(secret, sizeof(secret));
	return FILE_FAULT_NONE;
}

enum file_fault
link_judge(const struct files *files, const struct link *link,
    const char *signature)
{
	char right[FILE_SIGNATURE_SIZE + 1];
	enum file_fault fault = link_sign(files, link, right);

	if (fault != FILE_FAULT_NONE)
		return fault;
	if (strlen(signature) != FILE_SIGNATURE_SIZE)
		return FILE_FAULT_SIGNATURE;
	if (!secret_is(right, signature, FILE_SIGNATURE_SIZE) ||
	    files->link_seconds == 0)
		return FILE_FAULT_SIGNATURE;
	return link->expires < (uint64_t)time(NULL) ? FILE_FAULT_EXPIRED :
	                                              FILE_FAULT_NONE;
}
