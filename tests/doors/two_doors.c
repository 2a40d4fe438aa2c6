/*
 * What turns the objects of caisson into caisson-two-doors, which no user has:
 * besides the client on standard input and output it serves another one, on the
 * socket that it finds as descriptor 3. That one is another owner, "guest",
 * with a scope of its own, half of the places, and, where the variable
 * GUEST_MAY is set, the right to the servers named in it, with commas
 * between them.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "common/err.h"
#include "common/fd.h"
#include "supervisor/front/front.h"
#include "supervisor/servers/servers.h"

#define DOORS_SOCKET 3
/* Above all that the start of the program uses. */
#define DOORS_ASIDE 200

struct stdio *__real_stdio_new(struct runs *runs, struct owner *owner, int *in,
    int *out, void (*ended)(void *ctx), void *ctx);
struct stdio *__wrap_stdio_new(struct runs *runs, struct owner *owner, int *in,
    int *out, void (*ended)(void *ctx), void *ctx);
void __real_stdio_free(struct stdio **stdio);
void __wrap_stdio_free(struct stdio **stdio);

static int doors_socket = -1;
static struct stdio *doors_client; /* the second one */
static struct owner doors_guest;
static struct runs *doors_runs;
static struct server_texts doors_allowed;

/* Before the program looks at its descriptors. */
static void __attribute__((constructor))
doors_find(void)
{
	doors_socket = fcntl(DOORS_SOCKET, F_DUPFD_CLOEXEC, DOORS_ASIDE);
	if (doors_socket != -1)
		close(DOORS_SOCKET);
}

static void
doors_on_ended(void *ctx)
{
	(void)ctx;
}

/* Each name ends with a NUL, not with a comma. */
static void
doors_read_allowed(struct owner *owner)
{
	char *names = getenv("GUEST_MAY");
	char *p;

	if (names == NULL)
		return;
	doors_allowed = (struct server_texts){ names, strlen(names) + 1 };
	for (p = names; *p != '\0'; p++)
		if (*p == ',')
			*p = '\0';
	owner->allowed = &doors_allowed;
}

struct stdio *
__wrap_stdio_new(struct runs *runs, struct owner *owner, int *in, int *out,
    void (*ended)(void *ctx), void *ctx)
{
	struct stdio *client =
	    __real_stdio_new(runs, owner, in, out, ended, ctx);
	int guest_in = dup(doors_socket);
	int guest_out = dup(doors_socket);

	doors_guest = (struct owner){ .name = "guest",
		.scope = "guest",
		.most_waiting = owner->most_waiting,
		.most_running = (owner->most_running + 1) / 2 };
	doors_read_allowed(&doors_guest);
	doors_runs = runs;
	owner_open(&doors_guest, runs);
	doors_client = __real_stdio_new(runs, &doors_guest, &guest_in,
	    &guest_out, doors_on_ended, NULL);
	fd_close(&doors_socket);
	return client;
}

void
__wrap_stdio_free(struct stdio **stdio)
{
	__real_stdio_free(stdio);
	__real_stdio_free(&doors_client);
	if (doors_runs != NULL)
		owner_close(&doors_guest, doors_runs);
}
