#!/usr/bin/python3
"""A client for the conformance suite: code in a box that calls its server, and
a person who logs in there when a call says so.

    conformance_client.py URL

The suite names the scenario in MCP_CONFORMANCE_SCENARIO, and what to call in
MCP_CONFORMANCE_CONTEXT. CAISSON is the program.
"""
import json
import os
import subprocess
import sys
import tempfile
import urllib.request

# What a scenario wants to be called: all tools without arguments, or these.
CALLS = {
    "initialize": {}, "request-metadata": {}, "json-schema-ref-no-deref": {},
    "tools_call": {"add_numbers": {"a": 5, "b": 3}},
    "sse-retry": {"test_reconnection": {}},
    "http-invalid-tool-headers": {"valid_tool": {"region": "x"}},
}
CODE = """
wanted = %r
tools = await runtime.list_tools("far")
names = [tool["name"] for tool in tools]
for name, arguments in ([[name, {}] for name in names] if wanted is None
                        else wanted):
    if name == "json_schema_echo":
        arguments = {"schema": tools[0]["inputSchema"]}
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


# Members of a context, and what an entry calls them.
SETTINGS = {"client_id": "clientId", "client_secret": "clientSecret",
            "private_key_pem": "privateKey", "valid_jwt": "assertion",
            "idp_id_token": "idToken", "idp_client_id": "idpClientId",
            "idp_token_endpoint": "idpTokenEndpoint"}
# A client whose id is a document.
DOCUMENT = "https://conformance-test.local/client-metadata.json"
ATTEMPTS = 3


def client():
    """What the entry says of logins."""
    context = json.loads(os.environ.get("MCP_CONFORMANCE_CONTEXT") or "{}")
    if os.environ["MCP_CONFORMANCE_SCENARIO"] == "auth/basic-cimd":
        return {"oauth": {"clientId": DOCUMENT}}
    grant = {"grant": "client_credentials"} if "credentials" in \
        os.environ["MCP_CONFORMANCE_SCENARIO"] else {"grant": "jwt-bearer"} \
        if "valid_jwt" in context or "idp_id_token" in context else {}
    return {"oauth": {**grant, **{SETTINGS[name]: value for name, value in
                                  context.items() if name in SETTINGS}}}


def log_in(env):
    """Logs in as a browser would that agrees to all."""
    with subprocess.Popen([os.environ["CAISSON"], "servers", "login", "far"],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          text=True, env=env) as login:
        for line in login.stdout:
            if line.startswith("  http"):
                with urllib.request.urlopen(line.strip()) as page:
                    page.read()
    return login.returncode == 0


def call(env):
    """Calls what is wanted, and fills in nothing of a form. Returns whether
    it failed, and what it printed."""
    def say(**message):
        program.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        program.stdin.flush()

    with subprocess.Popen(
            [os.environ["CAISSON"]], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, text=True, env=env) as program:
        say(id=0, method="initialize", params={
            "protocolVersion": "2025-11-25", "clientInfo": {
                "name": "client", "version": "1"},
            "capabilities": {"elicitation": {"form": {}}}})
        say(method="notifications/initialized")
        say(id=1, method="tools/call", params={
            "name": "run_python", "arguments": {
                "code": CODE % (wanted(),), "servers": ["far"]}})
        for message in map(json.loads, program.stdout):
            if message.get("method") == "elicitation/create":
                say(id=message["id"], result={
                    "action": "accept", "content": {}})
            elif message.get("id") == 1:
                program.stdin.close()
                said = json.dumps(message)
                print(said)
                return message.get("result", {}).get("isError", True), said
    return True, ""


with tempfile.TemporaryDirectory() as home:
    place = os.path.join(home, "servers.json")
    settings = {"HOME": home, "PATH": os.environ["PATH"],
                "CAISSON_SERVERS_CONFIG": place}
    with open(place, "w", encoding="utf-8") as file:
        json.dump({"mcpServers": {
            "far": {"url": sys.argv[-1], **client()}}}, file)
    status, said = call(settings)
    for _ in range(ATTEMPTS):
        if not status or "caisson servers login far" not in said or \
                not log_in(settings):
            break
        status, said = call(settings)
    sys.exit(status)
