/*
 * What the tests of worker/broker/link/server share.
 */
#ifndef TESTS_UNIT_SERVER_PLAY_H
#define TESTS_UNIT_SERVER_PLAY_H

#include "broker_play.h"

/* Fails the start that is wanted next. */
static inline void
fail_start(const char *how)
{
	play_ended(play_expect_want("gh"), how);
	play_sync_supervisor();
}

/* The same, which costs a call. */
static inline void
fail_call(int relay, uint64_t id, const char *how)
{
	auto_free char *words = mem_printf("server \"gh\" %s", how);

	play_call(relay, id, "gh");
	fail_start(how);
	play_expect_refused(relay, id, words);
}

/* The server answers the call of this number; a relay hears of it. */
static inline void
answer_call(struct play_server *server, uint64_t number, int relay, uint64_t id)
{
	auto_free char *line = mem_printf("{\"jsonrpc\":\"2.0\",\"id\":%d,"
	    "\"result\":{}}", (int)number);

	play_say(server, line);
	play_expect_result(relay, id, "{}");
}

#endif
