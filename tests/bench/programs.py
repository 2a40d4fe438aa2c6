"""The programs of the ledger: what a model might write, for typical tasks.

"{folder}" is a folder with the sources of common/. The first ones are tasks
for which one direct call would do: there the program costs more.
"""

MANUAL = "print(runtime.capability_summary())"

# What it is, the servers that it names, the code.
PROGRAMS = (
    ("one small call", ["everything"],
     "print((await mcp_everything.get_sum(a=1, b=2)).text)"),
    ("one file, printed whole", ["files"], """
print((await mcp_files.read_text_file(path="{folder}/common/base/err.h")).text)
"""),
    ("find a tool, read about it, call it", ["everything"], """
for d in await runtime.search_tool_docs("add two numbers", limit=3):
    print(d["server"], d["toolAlias"], d["score"], d["description"])
print(await runtime.query_tool_docs("everything", "get-sum", detail="full"))
print((await mcp_everything.get_sum(a=1, b=2)).text)
"""),
    ("list a folder, the five largest files", ["files"], """
import re
r = await mcp_files.list_directory_with_sizes(path="{folder}/common",
                                              sortBy="size")
print(*[l for l in r.text.splitlines() if "[FILE]" in l][:5], sep="\\n")
"""),
    ("all sources: the longest functions", ["files"], """
import asyncio
r = await mcp_files.search_files(path="{folder}", pattern="**/*.c")
paths = r.text.splitlines()
texts = await asyncio.gather(*[mcp_files.read_text_file(path=p) for p in paths])
found = []
for path, r in zip(paths, texts):
    lines = r.text.splitlines()
    for n, line in enumerate(lines):
        if line == "{":
            end = lines.index("}", n)
            found.append((end - n, path.rsplit("/")[-1], lines[n - 1]))
print(*sorted(found, reverse=True)[:5], sep="\\n")
"""),
    ("a graph of 200 notes, written and summed up", ["memory"], """
import collections
kinds = ["person", "place", "thing", "event"]
await mcp_memory.create_entities(entities=[
    {"name": f"note {n}", "entityType": kinds[n % 4],
     "observations": [f"seen on day {n % 30}", f"weight {n * 7 % 100}"]}
    for n in range(200)])
await mcp_memory.create_relations(relations=[
    {"from": f"note {n}", "to": f"note {n // 2}", "relationType": "after"}
    for n in range(1, 200)])
graph = (await mcp_memory.read_graph()).data
print(collections.Counter(e["entityType"] for e in graph["entities"]))
print(collections.Counter(r["to"] for r in graph["relations"]).most_common(3))
"""),
)
