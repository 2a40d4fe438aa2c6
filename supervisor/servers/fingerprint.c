/*
 * What a server is started as, in 32 bytes: whoever has two of them can tell
 * whether they are of the same, and nothing else. Runs in the supervisor; looks
 * at files and opens none.
 */
#include <sha2.h>
#include <string.h>
#include <sys/stat.h>

#include "../../common/buffer.h"
#include "../../common/limits.h"
#include "../../common/mem.h"
#include "../../common/text_list.h"
#include "servers.h"

_Static_assert(SHA256_DIGEST_LENGTH == FINGERPRINT_SIZE, "another hash");

/* Appends what changes whenever a file does. Returns 0 when it is no file. */
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
 * The first argument that is a file: with "python3 server.py" that is what
 * changes, not the command. Where it is a file of data, a change of it costs a
 * look at the server.
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

/* Appends a part that cannot run over into the next one. */
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

	/* What an earlier version remembered is no list of this one. */
	buffer_printf(&text, "%d;", TOOL_LISTS_FORM);
	fingerprint_add(&text, program, strlen(program));
	fingerprint_add(&text, server->run.data, server->run.len);
	fingerprint_add(&text, server->run_env.data, server->run_env.len);
	fingerprint_add(&text, cwd, strlen(cwd));
	/* What is remembered are the tools that it may be asked for. */
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
