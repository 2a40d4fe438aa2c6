"""What code may say: forged frames, forged answers, bytes of every kind. What
reads them is the relay, which unit tests and fuzzing take apart; here it must
end at most the call that forged.
"""
# What prelude.py brings along is at hand in every case.
from table import case

BROKEN = "~\\[.*protocol violation.*\\]"
RELAY = "one's own call at most: the invariants hold after it"


@case("41a", "garbage for the relay", BROKEN, shown=RELAY,
      python="the code does not hold the pipes of the relay")
def garbage():
    data = b"\0\xff" * 500000 + b"\n"
    # A box that is stopped to be counted interrupts a write.
    while data:
        data = data[os.write(255, data):]
    signal.pause()


@case("41b", "frames that claim that all is well", BROKEN, shown=RELAY,
      python="the code does not hold the pipes of the relay")
def forged_end():
    for frame in (b'{"type":"ready"}\n', b'{"type":"done","exit":0}\n',
                  b'{"type":"stdout","data":"forged"}\n', b"{}\n", b"[]\n",
                  b"null\n", b"1\n"):
        attempt(os.write, 255, frame)
    time.sleep(0.2)
    os._exit(9)


@case("41c", "half a frame, then nothing", "half", shown=RELAY,
      python="the code does not hold the pipes of the relay")
def half_frame():
    os.write(255, b'{"type":"rpc_req')
    os.close(254)
    os.close(255)
    return "half"


@case("41d", "a frame of 40 MiB without an end", "40 MiB", shown="the relay "
      "keeps the head of a frame that is too long, and reads on",
      python="the code does not hold the pipes of the relay")
def endless_frame():
    written = 0
    while written < 40 * MIB:
        written += os.write(255, b"[" * 65536)
    return "%d MiB" % (written // MIB)


@case("41e", "the same, with an end", BROKEN, shown=RELAY,
      python="the code does not hold the pipes of the relay")
def long_frame():
    for _ in range(40 * 16):
        os.write(255, b"[" * 65536)
    os.write(255, b"\n")
    signal.pause()


@case("41f", "pictures that are none, too large, or end their string",
      "~.*1 shown, 11 refused", shown="the relay checks base64 and header, "
      "and refuses", python="the code does not hold the pipes of the relay")
def forged_pictures():
    gif = "R0lGODlhAQABAAAAACwAAAAAAQABAAAC"
    kinds = [("png", gif), ("gif", gif[:-1]), ("gif", gif + r"\u0022}]"),
             ("gif", gif + r'\",\"type\":\"text'), ("gif", "<svg/>"),
             ("jpeg", gif * 30000), ("gif", ""), ("gif", gif),
             ("gif", "R0lGODlh" + "A" * 32),
             ("gif", gif.replace("AQABAAAC", "AQDRBwAC")),
             ("png", "iVBORw0KGgoAAAANSUhEUgAA6mAAAOpg"),
             ("png", "iVBORw0KGgoAAAANSUhEUn////9/////")]
    shown = 0
    for number, (kind, data) in enumerate(kinds, 1):
        frame = ('{"type":"rpc_request","id":%d,"payload":{"type":"show",'
                 '"kind":"%s","data":"%s"}}\n' % (number, kind, data)).encode()
        while frame:
            frame = frame[os.write(255, frame):]
        answer = b""
        while not answer.endswith(b"\n"):
            answer += os.read(254, 65536)
        shown += b'"success":true' in answer
    return "%d shown, %d refused" % (shown, len(kinds) - shown)


@case("41g", "progress where the client did not ask for any", "answered",
      shown="the relay drops it, and the supervisor ends one that does not",
      python="the code does not hold the pipes of the relay")
def unwanted_progress():
    os.write(255, b'{"type":"rpc_request","id":1,"payload":'
             b'{"type":"progress","done":1,"text":"forged"}}\n')
    return "answered" if b'"payload":true' in os.read(254, 65536) else "not"


@case("41h", "progress with a number that is none", BROKEN, shown=RELAY,
      python="the code does not hold the pipes of the relay")
def odd_progress():
    os.write(255, b'{"type":"rpc_request","id":1,"payload":'
             b'{"type":"progress","done":-1}}\n')
    signal.pause()


@case("43", "answers of MCP on standard output", "~.*\"id\": ?1.*",
      shown="bytes of the code are text in the answer")
def forged_answer():
    return ('{"jsonrpc": "2.0", "id": 1, "result": {"content": []}}\n'
            'Content-Length: 3\r\n\r\n{}\n')


@case("44", "depth: of lists, of brackets in code, of calls",
      "~json=RecursionError exec=(SyntaxError|MemoryError) "
      "stack=RecursionError",
      shown="the interpreter's own rule, in a process of its own")
def depth():
    import json
    return same([("json", attempt(json.loads, "[" * 200000)),
                 ("exec", attempt(exec, "(" * 100000)),
                 ("stack", attempt(exec, "def f(): f()\nf()", {}))])


@case("45", "bytes that are no text, and letters of control",
      "~a.*b.*", shown="repaired in the answer, see the tests of output")
def bytes_of_every_kind():
    os.write(1, b"a\xff\xed\xa0\x80\0\x1b[31m\r\x07\xf4\x90\x80\x80b\n")
    return "c"
