"""A small MCP server over standard input and output, for the stubs: a table of
tools, arguments checked as servers written with zod check them."""
import json
import sys
import zlib

VERSIONS = "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"
TYPES = {"string": str, "integer": int, "number": (int, float),
         "boolean": bool, "array": list, "object": dict}


def pick(key, choices):
    """One of the choices, always the same for the same key."""
    return choices[zlib.crc32(repr(key).encode()) % len(choices)]


def number(key, most):
    """A number from 0 to most - 1, always the same for the same key."""
    return zlib.crc32(repr(key).encode()) % most


def day(key, year=2025):
    """A date in the year, always the same for the same key."""
    return f"{year}-{1 + number((key, 'm'), 12):02}-" \
        f"{1 + number((key, 'd'), 28):02}"


class Refused(Exception):
    """What a tool reports as its error."""


def parameter(spec):
    """The schema of "integer", "string:what it is" or "open|closed"."""
    kind, _, about = spec.partition(":")
    if "|" in kind:
        schema = {"type": "string", "enum": kind.split("|")}
    elif kind.endswith("[]"):
        schema = {"type": "array", "items": {"type": kind[:-2]}}
    else:
        schema = {"type": kind}
    if about:
        schema["description"] = about
    return schema


class Stub:
    """Tools by name; run() serves them until the input ends."""

    def __init__(self, name):
        self.name = name
        self.tools = {}

    def tool(self, name, about, parameters, function, output=None):
        """Adds a tool. Parameters are {"name" or "name?": spec}. The function
        gets the arguments as a dict and returns a dict for structured
        content, a list for JSON as text, or a string."""
        schema = {"type": "object", "properties": {}, "required": []}
        for key, spec in parameters.items():
            schema["properties"][key.rstrip("?")] = parameter(spec)
            if not key.endswith("?"):
                schema["required"].append(key)
        entry = {"name": name, "description": about, "inputSchema": schema}
        if output:
            entry["outputSchema"] = output
        self.tools[name] = entry, function

    def check(self, schema, arguments):
        """Raises Refused with a line for each wrong argument."""
        wrong = [f"{key}: Required" for key in schema["required"]
                 if key not in arguments]
        for key, value in arguments.items():
            known = schema["properties"].get(key)
            if not known:
                continue
            kind = TYPES[known["type"]]
            if not isinstance(value, kind) or (
                    isinstance(value, bool) and kind is not bool):
                wrong.append(f"{key}: Expected {known['type']}, received "
                             f"{type(value).__name__}")
            elif "enum" in known and value not in known["enum"]:
                wrong.append(f"{key}: Invalid enum value. Expected "
                             + " | ".join(known["enum"]))
        if wrong:
            raise Refused("MCP error -32602: Invalid arguments: "
                          + "; ".join(wrong))

    def call(self, name, arguments):
        """The result of tools/call."""
        if name not in self.tools:
            return {"content": [{"type": "text", "text":
                                 f"MCP error -32602: Tool {name} not found"}],
                    "isError": True}
        entry, function = self.tools[name]
        try:
            self.check(entry["inputSchema"], arguments)
            value = function(arguments)
        except Refused as error:
            return {"content": [{"type": "text", "text": str(error)}],
                    "isError": True}
        if isinstance(value, str):
            return {"content": [{"type": "text", "text": value}]}
        result = {"content": [{"type": "text",
                               "text": json.dumps(value, indent=2)}]}
        if "outputSchema" in entry:
            result["structuredContent"] = value
        return result

    def answer(self, method, params):
        """The result of one request."""
        if method == "initialize":
            wanted = params.get("protocolVersion")
            return {"protocolVersion": wanted if wanted in VERSIONS
                    else VERSIONS[0], "capabilities": {"tools": {}},
                    "serverInfo": {"name": self.name, "version": "1.4.0"}}
        if method == "tools/list":
            return {"tools": [entry for entry, _ in self.tools.values()]}
        if method == "tools/call":
            return self.call(params["name"], params.get("arguments") or {})
        return {} if method == "ping" else None

    def run(self):
        """Serves standard input and output until the input ends."""
        for line in sys.stdin:
            message = json.loads(line)
            if "id" not in message or "method" not in message:
                continue
            answer = {"jsonrpc": "2.0", "id": message["id"]}
            result = self.answer(message["method"],
                                 message.get("params") or {})
            if result is None:
                answer["error"] = {"code": -32601,
                                   "message": "Method not found"}
            else:
                answer["result"] = result
            print(json.dumps(answer), flush=True)
