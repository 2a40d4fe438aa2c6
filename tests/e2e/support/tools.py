#!/usr/bin/python3
"""A downstream MCP server with many tools, for tests of searching them.

Usage: tools.py NUMBER COUNT STARTS [NAME=VALUE ...]

Server NUMBER lists COUNT tools, none of which another number lists, two pages
of them, and writes a line into the file STARTS when it starts.  Every tool
returns its arguments; "change" lists one more tool from then on.  Options:
version=V is what it says of itself, hang=1 never answers, extra=NAME is listed
besides, destroys=1 says so of tools that delete.
"""
import json
import os
import sys

VERBS = ("create", "list", "update", "delete", "archive", "export", "merge",
         "assign", "rename", "publish")
NOUNS = ("invoice", "customer", "shipment", "warehouse", "contract", "ticket",
         "campaign", "playlist", "recipe", "sensor", "vehicle", "lecture",
         "patient", "theorem", "glacier", "orchestra", "satellite", "vineyard",
         "telescope", "aquarium", "museum", "parliament", "harbour", "volcano",
         "tapestry", "cathedral", "locomotive", "parachute", "microscope",
         "submarine", "windmill", "lighthouse", "carousel", "observatory",
         "greenhouse", "monastery", "aqueduct", "planetarium", "boulevard",
         "archipelago", "peninsula", "labyrinth", "gondola", "trombone",
         "accordion", "xylophone", "tambourine", "clarinet")
NUMBER, COUNT, STARTS = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
OPTIONS = dict(option.split("=", 1) for option in sys.argv[4:])


def tool(name, verb, noun):
    """Describe a tool as servers do, with what belongs to it."""
    return {
        "name": name, "title": f"{verb.title()} {noun}",
        "description": f"{verb.title()} one {noun} of the account. Needs the "
        f"right to {verb} and returns what became of the {noun}, with the "
        "time of the change and who made it.",
        "inputSchema": {
            "$schema": "http://json-schema.org/draft-07/schema#",
            "type": "object", "additionalProperties": False,
            "required": ["id"], "properties": {
                "id": {"type": "string",
                       "description": f"Which {noun}, as listed"},
                "fields": {"type": "array", "items": {"type": "string"},
                           "description": "Which fields to return; all of "
                           "them when it is left out"},
                "dryRun": {"type": "boolean", "default": False,
                           "description": "Only say what would be done"},
                "page": {"type": "integer", "minimum": 1, "maximum": 1000,
                         "description": "Where the answer has several"}}},
        "annotations": {"readOnlyHint": verb in ("list", "export"),
                        **({"destructiveHint": True}
                           if "destroys" in OPTIONS and verb == "delete"
                           else {})}}


def tools():
    """List the tools of this number."""
    found = []
    for n in range(NUMBER * COUNT, (NUMBER + 1) * COUNT):
        verb, noun = VERBS[n % len(VERBS)], NOUNS[n // len(VERBS)]
        found.append(tool(f"{verb}_{noun}", verb, noun))
    for name in EXTRA:
        found.append(tool(name, *name.split("_")[:2]))
    return found + [{"name": "change", "inputSchema": {"type": "object"}}]


EXTRA = [OPTIONS["extra"]] if "extra" in OPTIONS else []


def say(message):
    """Write one message."""
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def answer(method, params):
    """Return the result of a request."""
    if method == "initialize":
        return {"protocolVersion": "2025-11-25",
                "capabilities": {"tools": {"listChanged": True}},
                "serverInfo": {"name": "tools",
                               "version": OPTIONS.get("version", "1")}}
    if method == "tools/list":
        found = tools()
        half = len(found) // 2
        return {"tools": found[half:]} if "cursor" in params else {
            "tools": found[:half], "nextCursor": "more"}
    if params.get("name") == "change":
        EXTRA.append("calibrate_sundial")
        say({"method": "notifications/tools/list_changed"})
    return {"content": [{"type": "text",
                         "text": json.dumps(params.get("arguments"))}]}


def main():
    """Serve until the input ends."""
    with open(STARTS, "a") as starts:
        starts.write(f"{NUMBER} {os.getpid()}\n")
    for line in sys.stdin:
        message = json.loads(line)
        if "id" in message and "hang" not in OPTIONS:
            say({"id": message["id"], "result": answer(
                message["method"], message.get("params", {}))})


main()
