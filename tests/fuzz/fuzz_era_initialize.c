/*
 * Fuzz target of the client's side in a session: whatever the lines are, every
 * answer is one line of JSON, and the session lives on. The first byte chooses
 * the version of the session, whether there is one, and how it ends.
 */
#include "front_play.h"

static const char *const versions[] = { NULL, "2024-11-05", "2025-03-26",
	"2025-11-25" };

/* The session still answers. */
static void
check_alive(struct mcp *mcp, struct lines *lines)
{
	static const char ping[] = "\n{\"jsonrpc\":\"2.0\",\"id\":\"alive\","
	    "\"method\":\"ping\"}\n";
	static const char pong[] =
	    "{\"jsonrpc\":\"2.0\",\"id\":\"alive\",\"result\":{}}\n";

	play_say(mcp, lines, ping, sizeof(ping) - 1);
	FUZZ_ASSERT(play_sent.len >= sizeof(pong) - 1);
	FUZZ_ASSERT(strcmp(play_sent.data + play_sent.len -
	    (sizeof(pong) - 1), pong) == 0);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *version = size > 0 ? versions[data[0] & 3] : NULL;
	int orderly = size > 0 && (data[0] & 4) != 0;
	struct lines *lines = lines_new(PLAY_LINE);
	struct mcp *mcp = play_open();

	if (version != NULL) {
		auto_free char *line = mem_printf("{\"jsonrpc\":\"2.0\","
		    "\"id\":0,\"method\":\"initialize\",\"params\":"
		    "{\"protocolVersion\":\"%s\"}}\n", version);

		play_say(mcp, lines, line, strlen(line));
		FUZZ_ASSERT(strstr(play_sent.data, version) != NULL);
	}
	if (size > 1)
		play_say(mcp, lines, (const char *)data + 1, size - 1);
	check_alive(mcp, lines);
	play_close(&mcp, orderly);
	lines_free(&lines);
	return 0;
}
