/*
 * Tests of worker/store/store_grant and on_relay: what a relay sends is judged
 * once more by the store, and costs its sender the channel; an honest one is
 * answered.
 */
#include "common/base/fd.h"
#include "common/ipc/ipc_pair.h"
#include "common/ipc/ipc_socket.h"
#include "worker/store/store_grant.h"
#include "common/ipc/ipc_route.h"

#include "store_folder.h"

#define BYTES(text) { (const uint8_t *)(text), strlen(text) }

static struct store store;
static int relay = -1; /* its end */

static void
enter_store(void)
{
	struct ipc_grant_store msg = { .execution = 1, .scope = "" };

	enter();
	store = (struct store){ .routes = ipc_routes,
		.base = loop_new(0), .database = database };
	TAILQ_INIT(&store.grants);
	ck_assert_int_eq(ipc_pair(&relay, &msg.relay, 0, &err), 0);
	store_grant_new(&store, &msg);
}

static void
leave_store(void)
{
	store_grant_free_all(&store);
	fd_close(&relay);
	event_base_free(store.base);
	leave();
}

/* Returns the type of the answer, or IPC_TYPES if the channel is closed. */
static enum ipc_type
answer_to(enum ipc_type type, void *msg)
{
	static struct ipc_packet packet;
	union ipc_any any;
	int n;

	ck_assert_int_eq(ipc_encode(type, msg, &packet, &err), 0);
	ck_assert_int_eq(ipc_socket_send(relay, &packet, &err), 0);
	ipc_packet_close(&packet);
	for (n = 0; n < 4; n++)
		event_base_loop(store.base, EVLOOP_NONBLOCK);
	if (ipc_socket_receive(relay, &packet, &err) != 1)
		return IPC_TYPES;
	ck_assert_int_eq(ipc_decode(&packet, &type, &any, &err), 0);
	ipc_message_close(type, &any);
	return type;
}

static const struct {
	const char *key, *value, *metadata;
	enum ipc_type answer;
} memories[] = {
	{ "k", "{\"a\":1}", "", IPC_ANSWER },
	{ "k", "1", "{}", IPC_ANSWER },
	{ "\xff", "1", "", IPC_TYPES },
	{ "k", "nonsense", "", IPC_TYPES },
	{ "k", "[1,\n2]", "", IPC_TYPES },
	{ "k", "1", "[]", IPC_DENIED },
	{ "k", "1", "{\"a\":1", IPC_DENIED },
};

UNIT_FIXTURE(enter_store, leave_store)

UNIT_TESTS(memories_are_judged, UNIT_COUNT(memories))
{
	struct ipc_save_memory save = { .id = 1,
		.key = BYTES(memories[_i].key),
		.value = { (const uint8_t *)memories[_i].value,
		    strlen(memories[_i].value), -1 },
		.metadata = BYTES(memories[_i].metadata) };

	ck_assert_int_eq(
	    answer_to(IPC_SAVE_MEMORY, &save), memories[_i].answer);
	ck_assert_int_eq(TAILQ_EMPTY(&store.grants),
	    memories[_i].answer == IPC_TYPES);
}

UNIT_TESTS(sources_are_judged, 2)
{
	struct ipc_save_tool save = { .id = 1, .name = "f", .about = "",
		.source = { (const uint8_t *)(_i == 0 ? "x" : "\xff"), 1,
		    -1 } };

	ck_assert_int_eq(answer_to(IPC_SAVE_TOOL, &save),
	    _i == 0 ? IPC_ANSWER : IPC_TYPES);
}

/* One execution leaves places for tools of others; it may change its own. */
UNIT_TEST(new_tools_are_bounded)
{
	struct ipc_save_tool save = { .id = 1, .about = "",
		.source = { (const uint8_t *)"x", 1, -1 } };
	char name[16] = "";
	int n;

	save.name = name;
	for (n = 0; n <= SAVED_TOOLS_NEW_MAX; n++) {
		snprintf(name, sizeof(name), "f%d", n);
		ck_assert_int_eq(answer_to(IPC_SAVE_TOOL, &save),
		    n < SAVED_TOOLS_NEW_MAX ? IPC_ANSWER : IPC_DENIED);
	}
	strcpy(name, "f0");
	ck_assert_int_eq(answer_to(IPC_SAVE_TOOL, &save), IPC_ANSWER);
}
