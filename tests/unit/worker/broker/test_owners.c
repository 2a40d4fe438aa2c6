/*
 * Tests of worker/broker: owners of executions, each with processes of servers
 * of its own.
 */

#include "server_play.h"

static struct play_server of_one, of_two;

/* Begins a grant of an owner that loads "gh". */
static int
grant_of(const char *owner)
{
	int relay;

	play_owner = owner;
	relay = play_grant();
	play_owner = "";
	return relay;
}

/* The broker asks for a process of "gh" for this owner, which is greeted. */
static void
serve(const char *owner, struct play_server *server)
{
	uint64_t link = play_expect_want("gh");

	ck_assert_str_eq(play_msg.want.owner, owner);
	play_launch(link, server);
	play_greet(server);
}

/* What one process has listed, perhaps for its owner alone, is not shown. */
UNIT_TEST(lists_are_not_shared)
{
	int one, two;

	play_lists_wait_ms = 200; /* for a store, which there is not */
	play_start();
	one = grant_of("alice");
	serve("alice", &of_one);
	play_list(one, 1, "gh");
	play_hear(&of_one);
	play_say(&of_one, "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":"
	    "{\"tools\":[{\"name\":\"secret\",\"inputSchema\":"
	    "{\"type\":\"object\"}}]}}");
	play_expect(one, IPC_RESULT);
	play_owner = "bob";
	two = play_grant_of("gh", 3, "", 0);
	play_recall(two, 1, "gh");
	serve("bob", &of_two);
	play_hear(&of_two);
	play_say(&of_two, "{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":"
	    "{\"tools\":[]}}");
	play_expect_result(two, 1, "{\"tools\":[],\"aliases\":[]}");
	close(one);
	close(two);
	play_end();
}

/* A server that is removed, or not trusted, is so for all owners. */
UNIT_TESTS(what_is_removed_is_removed_for_all, 2)
{
	int one, two;

	play_start();
	one = grant_of("alice");
	serve("alice", &of_one);
	two = grant_of("bob");
	serve("bob", &of_two);
	if (_i == 0) {
		play_remove("gh");
		play_sync_supervisor();
		close(one);
		play_expect_let_go(of_one.link);
		play_call(two, 1, "gh");
		play_expect_line(&of_two, PLAY_CALLED("2"));
		answer_call(&of_two, 2, two, 1);
		close(two);
		play_expect_let_go(of_two.link);
	} else {
		play_revoke(play_definitions, "its file is another's");
		play_expect_let_go(of_one.link);
		play_expect_let_go(of_two.link);
		play_call(two, 1, "gh");
		play_expect_refused(two, 1, "server \"gh\" was stopped: its "
		    "file is another's");
		close(one);
		close(two);
	}
	play_die(&of_one, "exited with code 0");
	play_die(&of_two, "exited with code 0");
	play_end();
}
