#!/usr/bin/python3
"""A client for the conformance suite: code in a box that calls its server.

    conformance_client.py URL

The suite names the scenario in MCP_CONFORMANCE_SCENARIO, and what to call in
MCP_CONFORMANCE_CONTEXT. CAISSON is the program.
"""
import json
import os
import subprocess
import sys
import tempfile

# What a scenario wants to be called: all tools without arguments, or these.
CALLS = {
    "initialize": {}, "request-metadata": {}, "json-schema-ref-no-deref": {},
    "tools_call": {"add_numbers": {"a": 5, "b": 3}},
    "sse-retry": {"test_reconnection": {}},
    "http-invalid-tool-headers": {"valid_tool": {"region": "x"}},
}
CODE = """
wanted = %r
names = [tool["name"] for tool in await runtime.list_tools("far")]
for name, arguments in ([[name, {}] for name in names] if wanted is None
                        else wanted):
    if name in names:
        await runtime.call_tool("far", name, arguments)
"""


def wanted():
    context = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT") or "{}")
    calls = CALLS.get(os.environ["MCP_CONFORMANCE_SCENARIO"])
    if "toolCalls" in context:
        return [[call["name"], call["arguments"]]
                for call in context["toolCalls"]]
    return None if calls is None else list(calls.items())


with tempfile.TemporaryDirectory() as home:
    place = os.path.join(home, "servers.json")
    with open(place, "w", encoding="utf-8") as file:
        json.dump({"mcpServers": {"far": {"url": sys.argv[-1]}}}, file)
    sys.exit(subprocess.run(
        [os.environ["CAISSON"], "exec", "-"], input=CODE % (wanted(),),
        text=True,
        env={"HOME": home, "PATH": os.environ["PATH"],
             "CAISSON_SERVERS_CONFIG": place}).returncode)
