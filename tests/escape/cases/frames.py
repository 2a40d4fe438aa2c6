"""Words that are wrong in every way, through the real relay and the real
broker: what the corpora of tests/fuzz hold, and mutations of it, always the
same. A box says them to its relay; a server says them to the broker.
"""
import json
import os
import random

from table import case, seen_in

CORPUS = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                      "../../fuzz/corpus/frames")
HEAD = 2  # bytes of an entry that are for the fuzz target alone
MUTATIONS = 6  # of each entry, fewer where all is slow
ANSWERS = 100
SEED = 42
ODD = (b"\0", b"\xff", b"\n", b"\"", b"\\u0000", b"\\ud800", b"{", b"[" * 400,
       b"18446744073709551616", b"-1", b"1e999", b"null", b"\xc0\x80")

# Says DATA to the relay, so many bytes at a time.
SAY = """
import os, time
data = bytes.fromhex("%s")
try:
    for at in range(0, len(data), %d):
        os.write(255, data[at:at + %d])
except OSError:
    pass
time.sleep(0.05)
print("said")
"""

ASK = """
try:
    print("answered:", (await mcp_odd.echo()).text)
except runtime.MCPError as error:
    print("refused:", error)
"""

# Its first argument is a file of lines, each said in the place of an answer.
SERVER = r"""
import json, sys
lines = iter(open(sys.argv[1]))
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    if asked["method"] == "tools/call":
        text = bytes.fromhex(next(lines, "")).replace(
            b'"ID"', json.dumps(asked["id"]).encode())
        sys.stdout.buffer.write(text + b"\n")
    result = {"tools": [{"name": "echo", "inputSchema": {"type": "object"}}],
              "content": [{"type": "text", "text": "well"}],
              "protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
              "serverInfo": {"name": "odd", "version": "0"}}
    print(json.dumps({"jsonrpc": "2.0", "id": asked["id"],
                      "result": result}), flush=True)
"""
ANSWER = (b'{"jsonrpc": "2.0", "id": "ID", "result": {"content": '
          b'[{"type": "text", "text": "mutated"}]}}')


def mutate(data, chance):
    """One to four small changes."""
    data = bytearray(data)
    for _ in range(chance.randint(1, 4)):
        at = chance.randrange(len(data) + 1)
        kind = chance.randrange(5)
        if kind == 0 and at < len(data):
            data[at] ^= 1 << chance.randrange(8)
        elif kind == 1:
            del data[at:at + chance.randint(1, 40)]
        elif kind == 2:
            data[at:at] = chance.choice(ODD)
        elif kind == 3:
            data[at:at] = data[at // 2:at]
        else:
            del data[at:]
    return bytes(data)


def corpus(mutations):
    """Every entry as it is, and mutations of it."""
    chance = random.Random(SEED)
    for name in sorted(os.listdir(CORPUS)):
        with open(os.path.join(CORPUS, name), "rb") as file:
            entry = file.read()[HEAD:]
        yield entry
        for _ in range(mutations):
            yield mutate(entry, chance)


def with_server(run, words, answers):
    """A caisson with a server that answers so."""
    where = os.path.join(run.host.folder, "odd")
    os.makedirs(where, exist_ok=True)
    for name, text in (("server.py", SERVER), ("lines", "\n".join(
            answer.hex() for answer in answers)), ("servers.json", json.dumps(
                {"mcpServers": {"odd": {
                    "command": "/usr/bin/python3",
                    "args": [where + "/server.py", where + "/lines"]}}}))):
        with open(os.path.join(where, name), "w", encoding="ascii") as file:
            file.write(text)
    os.chmod(where, 0o755)
    return run.start(words, CAISSON_SERVERS_CONFIG=where + "/servers.json")


def ask(program):
    """Call the tool; what came of it."""
    return seen_in(program.wait(program.ask("tools/call", {
        "name": "run_python", "arguments": {
            "code": ASK, "servers": ["odd"]}})))


@case("42", "frames that are wrong in every way",
      "all answered: said or broken; then: answered: well", driven=True,
      shown="a call of one's own ends at most")
def frames(run, words):
    program = with_server(run, words, [])
    seen, said = set(), list(corpus(MUTATIONS // run.slow))
    chance = random.Random(SEED)
    steps = [chance.choice((1, 7, 4096, 1 << 20)) for _ in said]
    for answer in program.run_all(
            (SAY % (data.hex(), step, step), 20)
            for data, step in zip(said, steps)):
        # Also where the code has ended before its box was.
        content = answer.get("result", {}).get("structuredContent", {})
        text = seen_in(answer)
        # A frame may ask to print something, as the code itself may.
        text = "said" if text.split()[-1:] == ["said"] else text
        # In a container it may claim that the code has ended: then what it
        # prints behind that is not awaited.
        if run.runtime and content.get("status", "success") == "success":
            text = "said"
        seen.add("broken" if "protocol violation" in content.get("error", "")
                 else text)
    after = ask(program)
    program.close()
    if seen == {"said", "broken"}:
        return "all answered: said or broken; then: " + after
    return "%s; then: %s" % (sorted(seen), after)


@case("42b", "answers of a server that are wrong in every way",
      "~all answered; then: answered: well", driven=True,
      shown="a call of a tool fails at most")
def answers(run, words):
    chance = random.Random(SEED)
    lines = [mutate(ANSWER, chance).replace(b"\n", b" ")
             for _ in range(ANSWERS // run.slow)]
    program = with_server(run, words, lines)
    seen = {ask(program).split(":")[0].split("[")[0] for _ in lines}
    after = ask(program)
    program.close()
    odd = seen - {"answered", "refused"}
    return "all answered; then: " + after if not odd else str(odd)
