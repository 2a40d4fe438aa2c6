/*
 * Identifies how a server is started, in 32 bytes: two of them only show
 * whether they are of the same start. Runs in the supervisor; reads attributes
 * of files and opens none.
 */
#include <sha2.h>
#include <string.h>
#include <sys/stat.h>

#include "../../common/base/buffer.h"
#include "../../common/limits.h"
#include "../../common/base/mem.h"
#include "../../common/base/text_list.h"
#include "servers.h"

_Static_assert(SHA256_DIGEST_LENGTH == FINGERPRINT_SIZE, "another hash");

/* Appends bytes that change with a file. Returns 0 if it is not a file. */
static int
fingerprint_add_file(struct buffer *text, const char *path)
{
	struct stat st;

	if (stat(path, &st) == -1 || !S_ISREG(st.st_mode))
		return 0;
	buffer_printf(text, "%lld %lld.%09ld", (long long)st.st_size,
	    (long long)st.st_mtim.tv_sec, st.st_mtim.tv_nsec);
	return 1;
}

/*
 * Adds the first argument that is a file: for "python3 server.py" the script
 * changes, not the command. If the file contains data, each change of it only
 * costs another list of the server's tools.
 */
static void
fingerprint_add_script(struct buffer *text, const struct server *server)
{
	const struct server_texts *run = &server->run;
	const char *p = run->data; /* the program; its arguments follow */

	while ((p = text_list_next(run->data, run->len, p)) != NULL) {
		int inside = server->run_cwd != NULL && p[0] != '/';
		auto_free char *path = inside ?
		    mem_printf("%s/%s", server->run_cwd, p) : mem_strdup(p);

		if (p[0] != '-' && fingerprint_add_file(text, path))
			return;
	}
}

/* Appends a part with its length, so that parts cannot be confused. */
static void
fingerprint_add(struct buffer *text, const char *data, size_t len)
{
	buffer_printf(text, "%zu:", len);
	if (len > 0)
		buffer_add(text, data, len);
}

void
fingerprint_make(const struct server *server, uint8_t *fingerprint)
{
	const char *program = server->program != NULL ? server->program : "";
	const char *cwd = server->run_cwd != NULL ? server->run_cwd : "";
	auto_buffer struct buffer text = { 0 };
	SHA2_CTX hash;

	/* A list stored by an earlier version is not used. */
	buffer_printf(&text, "%d;", TOOL_LISTS_FORM);
	fingerprint_add(&text, program, strlen(program));
	fingerprint_add(&text, server->run.data, server->run.len);
	fingerprint_add(&text, server->run_env.data, server->run_env.len);
	fingerprint_add(&text, cwd, strlen(cwd));
	/* The stored lists contain only the allowed tools. */
	fingerprint_add(&text, server->narrowed ? "n" : "", server->narrowed);
	fingerprint_add(&text, server->allow.data, server->allow.len);
	fingerprint_add(&text, server->deny.data, server->deny.len);
	fingerprint_add_file(&text, program);
	buffer_add_text(&text, ";");
	fingerprint_add_script(&text, server);
	SHA256Init(&hash);
	SHA256Update(&hash, (const uint8_t *)text.data, text.len);
	SHA256Final(fingerprint, &hash);
	/* The values of variables may be secrets. */
	explicit_bzero(text.data, text.len);
}
