"""The tools of hostile.py: what each does is in its name."""
import os
import signal
import sys
from heapq import heappush
from time import monotonic

from hostile_says import (
    OPTIONS, answer, dumps, line, member, put, refuse, say, text_of)

REQUESTS = ("ping", "roots/list", "sampling/createMessage",
            "elicitation/create", "no/such/method")
NOTIFICATIONS = tuple("notifications/" + name for name in (
    "message", "progress", "new", "tools/list_changed", "cancelled"))

inputs = {}  # what is done when a descriptor can be read
timers = []  # (when, number, what is done)
asked = {}  # by id: what is done with the answer of our client
kept = []  # answers that wait for the last one of them
counts = {"timers": 0, "answered": 0, "grown": 0}


def after(milliseconds, act):
    counts["timers"] += 1
    heappush(timers, (monotonic() + milliseconds / 1000, counts["timers"],
                      act))


def sleeper(seconds, detached=False, act=None):
    """Start "sleep SECONDS"; act() is called at its end."""
    seen, held = os.pipe()
    os.set_inheritable(held, act is not None)
    null = [(os.POSIX_SPAWN_OPEN, fd, "/dev/null", os.O_RDWR, 0)
            for fd in range(3)]
    pid = os.posix_spawnp("sleep", ["sleep", str(seconds)], os.environ,
                          file_actions=null, setsid=detached)
    os.close(held)
    if act is None:
        os.close(seen)
        return pid

    def ended():
        del inputs[seen]
        os.close(seen)
        os.waitpid(pid, 0)
        act()
    inputs[seen] = ended
    return pid


def flood(kind, count):
    """Requests to our client, or notifications; ids are "h0", "h1" …"""
    methods = REQUESTS if kind == "request" else NOTIFICATIONS
    for n in range(count):
        line('{"jsonrpc":"2.0",%s"method":"%s","params":{"level":"info",'
             '"data":"x"}}' % ('"id":"h%d",' % n if kind == "request" else "",
                               methods[n % len(methods)]))


# Its tools: each gets the id and the arguments, as text and as values

def counter(call, raw, given):
    counts["answered"] += 1
    say(call, dumps({"pid": os.getpid(), "count": counts["answered"]}))


def progress(call, raw, given):
    """Say so many times that it is at work, then that it is done."""
    def step(left):
        line('{"jsonrpc":"2.0","method":"notifications/progress","params":'
             '{"progressToken":%s,"progress":%d}}' % (
                 call, given["times"] - left))
        after(given["ms"], (lambda: step(left - 1)) if left > 0
              else lambda: say(call, "done"))
    step(given["times"])


def environment(call, raw, given):
    with open("/proc/self/environ", encoding="utf-8",
              errors="replace") as file:
        entries = file.read().split("\0")[:-1]
    files = {}
    for name in "status", "limits":
        with open("/proc/self/" + name) as file:
            files[name] = file.read()
    say(call, dumps({
        "environment": dict(entry.split("=", 1) for entry in entries),
        "arguments": sys.argv[1:], "folder": os.getcwd(), **files,
        "descriptors": os.listdir("/proc/self/fd")}))


def bytes_(call, raw, given):
    put(1, bytes.fromhex(given["hex"].replace("@ID@", call.encode().hex())))


def huge(call, raw, given):
    answer(call, text_of("x" * (given["bytes"] - len(text_of("")))))


def deep(call, raw, given):
    depth = given["depth"]
    answer(call, '{"content":[],"structuredContent":{"a":%s%s}}' % (
        "[" * depth, "]" * depth))


def fail(call, raw, given):
    answer(call, dumps({"isError": True, "content": [
        {"type": "text", "text": given["words"]}],
        "structuredContent": {"a": 1}}))


def error(call, raw, given):
    data = member(raw, "data")
    refuse(call, given["code"], given["message"] * given.get("times", 1), data)


def twice(call, raw, given):
    for n in "1", "2":
        say(call, n)


def stray(call, raw, given):
    """Answer an unknown id, then one that is to come, then its own."""
    for other in ("987654321", str(int(call) + 1), '"x"', "1.5", "-1", call):
        say(other, "for " + ("you" if other == call else other))


def reversed_(call, raw, given):
    """Answer the last of as many as are told first."""
    kept.append(lambda: say(call, dumps(given["n"])))
    if len(kept) == given["of"]:
        while kept:
            kept.pop()()


def log(call, raw, given):
    silent = OPTIONS.get("levels") == ""
    for level, data in [] if silent else given["lines"]:
        line(dumps({"jsonrpc": "2.0", "method": "notifications/message",
                    "params": {"level": level, "logger": "x", "data": data}}))
    say(call, "logged")


def flood_(call, raw, given):
    flood(given["kind"], given["count"])
    say(call, "after the flood")


def chatter(call, raw, given):
    put(2, "e" * given["bytes"] + "\nlast words\n")
    say(call, "said")


def grow(call, raw, given):
    counts["grown"] += 1
    line('{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}')
    say(call, "grown")


def die(call, raw, given):
    put(2, given["words"] + "\n" if given.get("words") else "")
    if given.get("signal"):
        os.kill(os.getpid(), getattr(signal, given["signal"]))
    else:
        os._exit(given["code"])


def ask(call, raw, given):
    """Ask our client so many times at once; say all that it answers."""
    answers = []

    def answered(message):
        answers.append({name: message[name] for name in ("result", "error")
                        if name in message})
        if len(answers) == given.get("times", 1):
            say(call, dumps(answers))
    for n in range(given.get("times", 1)):
        asked["%s-%d" % (call, n)] = answered
        line(dumps({"jsonrpc": "2.0", "id": "%s-%d" % (call, n),
                    "method": given["method"], "params": given["params"]}))
        if given.get("then"):
            line(given["then"].replace("@ID@", "%s-%d" % (call, n)))


def half(call, raw, given):
    put(1, '{"jsonrpc":"2.0","id":%s,"result":{"cont' % call)
    os._exit(0)


def shut(call, raw, given):
    """Read its input no more, but go on."""
    del inputs[0]
    os.close(0)
    say(call, "shut")


TOOLS = {
    "echo": lambda call, raw, given: say(call, raw),
    "counter": counter,
    "sleep": lambda call, raw, given: after(
        given["ms"], lambda: say(call, dumps(given["ms"]))),
    # Ends when its process is ended.
    "gate": lambda call, raw, given: sleeper(
        given["seconds"], act=lambda: say(call, "open")),
    "never": lambda call, raw, given: None,
    "progress": progress,
    "environment": environment,
    # The result, or the whole line, is exactly this text.
    "raw": lambda call, raw, given: answer(call, given["result"]),
    "line": lambda call, raw, given: line(
        given["text"].replace("@ID@", call)),
    "bytes": bytes_,
    "huge": huge,
    "deep": deep,
    "fail": fail,
    "error": error,
    "twice": twice,
    "stray": stray,
    "reversed": reversed_,
    "flood": flood_,
    "log": log,
    "chatter": chatter,
    "grow": grow,
    "die": die,
    "half": half,
    "ask": ask,
    "mute": lambda call, raw, given: os.close(1),
    "shut": shut,
    # Starts a process that lives on; says which.
    "orphan": lambda call, raw, given: say(
        call, str(sleeper(given["seconds"], detached=True))),
}
