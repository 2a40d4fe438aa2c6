"""What hostile.py writes, and how it reads JSON: every byte as it is asked to.
"""
import json
import os
import re
import sys
from time import sleep

OPTIONS = dict(argument.partition("=")[::2] for argument in sys.argv[1:])
SURROGATE = re.compile("[\ud800-\udfff]")
SPACE = re.compile(r"[\s,]*")
GARBAGE = ("", "Server listening on stdio", "[1, 2, 3]", "5", "null",
           '"text"', '{"level":"info"}', "{", "\0\1", "a" * 100_000, "\r",
           '{"jsonrpc":"2.0"}', '{"jsonrpc":"2.0","id":null,"result":{}}',
           '{"jsonrpc":"2.0","id":"of nobody","result":{}}')


def number(digits):
    """An integer of any length; of those that are too long only the sign."""
    return int(digits) if len(digits) < 4000 else int(digits[:2])


DECODER = json.JSONDecoder(strict=False, parse_int=number)


def encoded(text):
    """The bytes of a text, where half a character is none."""
    try:
        return text.encode()
    except UnicodeEncodeError:
        return SURROGATE.sub("\ufffd", text).encode()


def put(fd, data):
    """Write all of it before this returns, read or not."""
    if isinstance(data, str):
        data = encoded(data)
    rest = memoryview(data)
    while rest:
        try:
            rest = rest[os.write(fd, rest):]
        except BrokenPipeError:
            return
        except BlockingIOError:
            sleep(0.005)


def line(text):
    """A line as it is."""
    data = encoded(text)
    if "framing" in OPTIONS:
        put(1, b"Content-Length: %d\r\n\r\n%s" % (len(data), data))
        return
    if "noise" in OPTIONS:
        put(1, "\n".join(GARBAGE).encode() + b"\n\xff\xfe\x80\n")
    put(1, data + b"\n")


def dumps(value):
    """JSON as JavaScript writes it."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    try:
        text.encode()
    except UnicodeEncodeError:
        return SURROGATE.sub(lambda found: "\\u%04x" % ord(found[0]), text)
    return text


def text_of(words):
    return dumps({"content": [{"type": "text", "text": words}]})


def answer(call, result):
    """An answer; result and error are JSON text, call is the id as it came."""
    line('{"jsonrpc":"2.0","id":%s,"result":%s}' % (call, result))


def refuse(call, code, message, data=None):
    line('{"jsonrpc":"2.0","id":%s,"error":{"code":%s,"message":%s%s}}' % (
        call, dumps(code), dumps(message), ',"data":' + data if data else ""))


def say(call, words):
    answer(call, text_of(words))


def member(text, name):
    """The text of a member of an object, exactly as it came; the last one."""
    found, at = None, text.index("{") + 1
    while True:
        at = SPACE.match(text, at).end()
        if text[at:at + 1] != '"':
            return found
        key, at = DECODER.raw_decode(text, at)
        start = SPACE.match(text, text.index(":", at) + 1).end()
        at = DECODER.raw_decode(text, start)[1]
        if key == name:
            found = text[start:at]
