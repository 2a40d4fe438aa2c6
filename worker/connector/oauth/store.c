/* The directory of a login: see oauth.h. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../../../common/base/fd.h"
#include "../../../common/base/log.h"
#include "../../../common/base/mem.h"
#include "../../../common/base/text_list.h"
#include "../../../common/limits.h"
#include "oauth.h"

#define STORE_NEW "new"
#define STORE_CHALLENGE "challenge"
#define STORE_MANNER "manner"

/* Reads a whole file. Returns 0, or -1. */
static int
store_load(int dir, const char *name, struct buffer *text)
{
	auto_fd int fd =
	    dir == -1 ? -1 : openat(dir, name, O_RDONLY | O_CLOEXEC);

	return fd_read_all(fd, FD_READ_ON, LOGIN_SIZE_MAX, text);
}

/* Puts a file in the place of another one. The directory is locked. */
static int
store_save(
    int dir, const char *name, const struct buffer *text, struct err *err)
{
	auto_fd int fd = -1;

	/* What is left of a process that was killed. */
	unlinkat(dir, STORE_NEW, 0);
	fd = openat(dir, STORE_NEW, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
	    0600);
	if (fd == -1 || fd_write_all(fd, text->data, text->len) == -1 ||
	    fsync(fd) == -1 ||
	    renameat(dir, STORE_NEW, dir, name) == -1 || fsync(dir) == -1)
		return err_sys(err, "the login cannot be kept in the state "
		    "directory");
	return 0;
}

int
store_read(int dir, const char *url, struct login *login)
{
	auto_buffer struct buffer text = { 0 };
	struct err err;

	login_reset(login);
	if (store_load(dir, LOGIN_FILE, &text) == -1)
		return 0;
	if (login_read_text(&text, login, &err) == -1)
		log_warn("the kept login cannot be read: %s", err.text);
	if (text.len > 0)
		explicit_bzero(text.data, text.len);
	/* Its entry may lead to another server by now. */
	if (login->access_token == NULL || login->url == NULL ||
	    strcmp(login->url, url) != 0)
		login_reset(login);
	return login->access_token != NULL;
}

int
store_write(int dir, const struct login *login, struct err *err)
{
	auto_buffer struct buffer text = { 0 };
	int saved;

	login_write_text(login, &text);
	saved = store_save(dir, LOGIN_FILE, &text, err);
	explicit_bzero(text.data, text.len);
	return saved;
}

void
store_remove(int dir)
{
	unlinkat(dir, LOGIN_FILE, 0);
	unlinkat(dir, STORE_CHALLENGE, 0);
	unlinkat(dir, STORE_MANNER, 0);
}

int
store_lock(int dir)
{
	return flock(dir, LOCK_EX | LOCK_NB) == 0;
}

void
store_unlock(int dir)
{
	flock(dir, LOCK_UN);
}

char *
store_read_challenge(int dir)
{
	auto_buffer struct buffer text = { 0 };

	return store_load(dir, STORE_CHALLENGE, &text) == -1 ? NULL :
	    buffer_take(&text, NULL);
}

/* Keeps what is known of the server, unless another connector does that now. */
static void
store_note(int dir, const char *name, const struct buffer *text)
{
	struct err err;

	if (dir == -1 || !store_lock(dir))
		return;
	if (store_save(dir, name, text, &err) == -1)
		log_warn("%s", err.text);
	store_unlock(dir);
}

void
store_write_challenge(int dir, const char *header)
{
	struct buffer text = { (char *)(uintptr_t)header, strlen(header), 0 };

	store_note(dir, STORE_CHALLENGE, &text);
}

/* The file has the word and the URL, each with a NUL. */
char *
store_read_manner(int dir, const char *url)
{
	auto_buffer struct buffer text = { 0 };
	const char *found;
	struct stat st;

	if (dir == -1 || fstatat(dir, STORE_MANNER, &st, 0) == -1 ||
	    st.st_mtime + CONNECTOR_MANNER_S < time(NULL) ||
	    store_load(dir, STORE_MANNER, &text) == -1)
		return NULL;
	found = text_list_next(text.data, text.len, text.data);
	return found != NULL && strcmp(found, url) == 0 ?
	    mem_strdup(text.data) : NULL;
}

void
store_write_manner(int dir, const char *url, const char *manner)
{
	auto_buffer struct buffer text = { 0 };

	text_list_add(&text, manner);
	text_list_add(&text, url);
	store_note(dir, STORE_MANNER, &text);
}
