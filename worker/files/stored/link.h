/*
 * The signatures of links to files (HMAC-SHA256, RFC 2104): they are made and
 * compared by this process only, which alone makes and reads the secret, but
 * for one that the environment gives. Runs in files.
 */
#ifndef WORKER_FILES_LINK_H
#define WORKER_FILES_LINK_H

#include "../../../common/file_fault.h"
#include "files.h"

/* What a link is for; all texts are borrowed, without newlines. */
struct link {
	const char *method; /* of HTTP: GET, also for HEAD, or PUT */
	const char *owner;  /* a scope, or with a newline and a conversation */
	const char *name;
	uint64_t version;
	uint64_t expires; /* seconds since 1970 */
};

/* Writes its signature. Returns the fault if there is no secret. */
enum file_fault link_sign(const struct files *files, const struct link *link,
    char signature[FILE_SIGNATURE_SIZE + 1]);

/*
 * Returns the fault unless this is its signature and it has not expired, else
 * FILE_FAULT_NONE. Takes as long for a signature that is nearly right as for
 * any other.
 */
enum file_fault link_judge(const struct files *files, const struct link *link,
    const char *signature);

#endif
