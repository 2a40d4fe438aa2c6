/*
 * Tests of relay/calls and on_store, and of how relay/relay meets and loses the
 * store: what the code asks of the store waits until it is there, reaches it
 * once and is answered; and a store that ends costs what it must and no more.
 * The test is the box and the store.
 */
#include "calls_play.h"

/* The store is there: what has waited goes to it. */
static void
meet_store(void)
{
	int pair[2];

	ck_assert_int_eq(socketpair(AF_UNIX,
	    SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair), 0);
	store = pair[0];
	relay_meet_store(&relay, &pair[1]);
	calls_go_on(relay.calls);
}

static void
lose_store(void)
{
	fd_close(&store);
	settle();
	ck_assert_ptr_null(relay.store);
}

/* The next message to the store, which must be there and of this type. */
static void
expect_stored(enum ipc_type type)
{
	int other = broker;

	broker = store;
	expect(type);
	broker = other;
}

static void
store_sends(enum ipc_type type, void *message)
{
	int other = broker;

	broker = store;
	send_message(type, message);
	broker = other;
}

static void
store_answers(uint64_t id, const char *payload, size_t len)
{
	struct ipc_answer message = { .id = id,
		.payload = { (const uint8_t *)payload, len, -1 } };

	store_sends(IPC_ANSWER, &message);
}

#define SAVE(key, value)                                                       \
	"{\"type\":\"save_memory\",\"key\":\"" key "\",\"value\":" value "}"
#define LIST_MEMORIES "{\"type\":\"list_memories\"}"

/* It is asked for once, and what comes before it waits, in its order. */
START_TEST(the_store_is_fetched_when_it_is_needed)
{
	struct ipc_denied denied = { .id = 2, .reason = "full" };

	open_calls();
	ask(5, LIST_SERVERS);
	ck_assert_int_eq(store_wanted, 0);
	ask(1, SAVE("a", "1"));
	ask(2, SAVE("\\u0000", "{\"x\":1e400}"));
	ask(3, LIST_MEMORIES);
	ck_assert_int_eq(store_wanted, 1);
	meet_store();
	expect_stored(IPC_SAVE_MEMORY);
	ck_assert(msg.save_memory.id == 1);
	expect_stored(IPC_SAVE_MEMORY);
	ck_assert(msg.save_memory.id == 2);
	ck_assert_uint_eq(msg.save_memory.key.len, 1);
	ck_assert_int_eq(msg.save_memory.key.data[0], 0);
	ck_assert_mem_eq(msg.save_memory.value.data, "{\"x\":1e400}", 11);
	expect_stored(IPC_LIST_MEMORIES);
	expect(IPC_LIST_SERVERS);
	expect_nothing();
	ask(4, SAVE("b", "2"));
	expect_stored(IPC_SAVE_MEMORY);
	store_answers(4, "{}", 2);
	box_reads("{\"type\":\"rpc_response\",\"id\":4,\"success\":true,"
	    "\"payload\":{}}\n");
	store_sends(IPC_DENIED, &denied);
	box_reads_last(REFUSED_FRAME("2", "full"));
	/* Only calls of tools are counted. */
	ck_assert(calls_made(relay.calls) == 0);
	lose_store();
	box_reads(REFUSED_FRAME("3", CALLS_STORE_LOST));
	box_reads_last(REFUSED_FRAME("1", CALLS_STORE_LOST));
	ck_assert_int_eq(store_wanted, 1);
	/* Servers are asked as before. */
	ask(6, LIST_SERVERS);
	expect(IPC_LIST_SERVERS);
	close_calls();
}
END_TEST

/* What had not been sent to the one that ended goes to the next one. */
START_TEST(the_store_is_fetched_again)
{
	open_calls();
	ask(1, LIST_MEMORIES);
	meet_store();
	expect_stored(IPC_LIST_MEMORIES);
	lose_store();
	box_reads_last(REFUSED_FRAME("1", CALLS_STORE_LOST));
	ask(1, SAVE("a", "1"));
	ck_assert_int_eq(store_wanted, 2);
	meet_store();
	expect_stored(IPC_SAVE_MEMORY);
	/* It ends, which is noticed when it is sent something. */
	fd_close(&store);
	ask(2, SAVE("b", "2"));
	ask(3, SAVE("c", "3"));
	box_reads_last(REFUSED_FRAME("1", CALLS_STORE_LOST));
	ck_assert_int_eq(store_wanted, 3);
	meet_store();
	expect_stored(IPC_SAVE_MEMORY);
	ck_assert(msg.save_memory.id == 2);
	expect_stored(IPC_SAVE_MEMORY);
	ck_assert(msg.save_memory.id == 3);
	store_answers(2, "{}", 2);
	box_reads("{\"type\":\"rpc_response\",\"id\":2,\"success\":true,"
	    "\"payload\":{}}\n");
	close_calls();
}
END_TEST

/* Offers a store that has ended already. */
static void
meet_dead_store(void)
{
	int pair[2];

	ck_assert_int_eq(socketpair(AF_UNIX,
	    SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair), 0);
	close(pair[0]);
	relay_meet_store(&relay, &pair[1]);
	calls_go_on(relay.calls);
}

/* Requests do not wait for ever for a store that always exits. */
START_TEST(the_store_is_not_fetched_for_ever)
{
	int n;

	open_calls();
	ask(1, LIST_MEMORIES);
	ask(2, SAVE("a", "1"));
	for (n = 1; n < STORE_FETCHES_MAX; n++) {
		ck_assert_int_eq(store_wanted, n);
		meet_dead_store();
	}
	ck_assert_int_eq(store_wanted, STORE_FETCHES_MAX);
	meet_dead_store();
	box_reads(REFUSED_FRAME("2", CALLS_STORE_GONE));
	box_reads_last(REFUSED_FRAME("1", CALLS_STORE_GONE));
	ask(3, LIST_MEMORIES);
	box_reads_last(REFUSED_FRAME("3", CALLS_STORE_GONE));
	ck_assert_int_eq(store_wanted, STORE_FETCHES_MAX);
	close_calls();
}
END_TEST

START_TEST(without_a_store_nothing_is_kept)
{
	open_calls();
	calls_close(relay.calls, ROLE_STORE, CALLS_NO_STORE);
	ask(1, LIST_MEMORIES);
	box_reads_last(REFUSED_FRAME("1", CALLS_NO_STORE));
	ck_assert_int_eq(store_wanted, 0);
	ask(1, LIST_SERVERS);
	expect(IPC_LIST_SERVERS);
	close_calls();
}
END_TEST

/* None can be had: what has waited for it does not wait for ever. */
START_TEST(a_store_may_not_be_had)
{
	open_calls();
	ask(1, LIST_MEMORIES);
	ask(2, LIST_SERVERS);
	calls_close(relay.calls, ROLE_STORE, "no \"place\"");
	box_reads(REFUSED_FRAME("1", "no \\\"place\\\""));
	ask(3, LIST_MEMORIES);
	box_reads_last(REFUSED_FRAME("3", "no \\\"place\\\""));
	answer_text(2, "[]");
	box_reads("{\"type\":\"rpc_response\",\"id\":2,\"success\":true,"
	    "\"payload\":[]}\n");
	close_calls();
}
END_TEST

/* Large values come and go by memfd; the box may end meanwhile. */
START_TEST(large_values_are_passed_on)
{
	auto_free char *value = make_object(MEMORY_VALUE_MAX);
	auto_free char *payload = mem_printf("{\"type\":\"save_memory\","
	    "\"key\":\"k\",\"value\":%s}", value);
	auto_buffer struct buffer line = { 0 };

	open_calls();
	ask(1, payload);
	meet_store();
	expect_stored(IPC_SAVE_MEMORY);
	ck_assert_uint_eq(msg.save_memory.value.len, MEMORY_VALUE_MAX);
	ipc_message_close(IPC_SAVE_MEMORY, &msg);
	store_answers(1, value, MEMORY_VALUE_MAX);
	read_line(&line);
	ck_assert_uint_gt(line.len, MEMORY_VALUE_MAX);
	ask(1, payload);
	expect_stored(IPC_SAVE_MEMORY);
	ipc_message_close(IPC_SAVE_MEMORY, &msg);
	fd_close(&box_in);
	store_answers(1, value, MEMORY_VALUE_MAX);
	lose_store();
	close_calls();
}
END_TEST

/* An id is under way once, also while it waits, and they are counted. */
START_TEST(what_waits_is_under_way)
{
	struct err err;
	uint64_t id;

	open_calls();
	ask(1, SAVE("a", "1"));
	ck_assert_int_eq(ask_with(1, LIST_SERVERS, &err), -1);
	for (id = 2; id <= REQUESTS_MAX; id++)
		ask(id, SAVE("a", "1"));
	ask(id, LIST_SERVERS);
	box_reads_last(REFUSED_FRAME("129", "more than 128 calls are in "
	    "flight; await some before making more"));
	close_calls();
}
END_TEST

static void
add_tests(TCase *tc)
{
	tcase_add_test(tc, the_store_is_fetched_when_it_is_needed);
	tcase_add_test(tc, the_store_is_fetched_again);
	tcase_add_test(tc, the_store_is_not_fetched_for_ever);
	tcase_add_test(tc, without_a_store_nothing_is_kept);
	tcase_add_test(tc, a_store_may_not_be_had);
	tcase_add_test(tc, large_values_are_passed_on);
	tcase_add_test(tc, what_waits_is_under_way);
}

int
main(void)
{
	return unit_run("calls_store", add_tests);
}
