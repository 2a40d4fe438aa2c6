"""
The counter-proof of the rules about layers, circles, names, symbols, words and
weight: in a copy of the sources, which they find nothing wrong with, each must
find what is planted there.
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

import house

FOLDERS = ("common/", "supervisor/", "relay/", "worker/")
ENDINGS = (".c", ".h", ".def", ".rules", ".py", ".mjs")
LINES = "tests/house/lines.txt"
RULES = os.path.dirname(os.path.realpath(__file__))

# For each plant: the rule, the files that are added, each with its text (one
# that ends in .c is compiled), and what the rule has to say. Those of one rule
# are added at once, as far as no two have the same file; none may be found in
# the place of another.
PLANTS = [
    ("layers", {"supervisor/process/planted.h":
                '#include "../front/front.h"\n'},
     "supervisor/process/planted.h:1: includes supervisor/front/front.h, "
     "which is in a room above or beside its own"),
    ("layers", {"supervisor/planted/planted.h": "\n"},
     "supervisor/planted/planted.h: its room has no place yet"),
    ("layers", {"relay/planted.h": '#include "../worker/reader/config.h"\n'},
     "relay/planted.h:1: includes worker/reader/config.h, but may include "
     "only"),
    ("circles", {"relay/planted.h": '#include "planted_too.h"\n',
                 "relay/planted_too.h": '#include "planted.h"\n'},
     "  relay/planted.h:1: includes relay/planted_too.h"),
    ("circles", {"relay/planted.c": "int b(void);\n"
                 "int a(void);\nint a(void) { return b(); }\n",
                 "relay/planted_too.c": "int a(void);\n"
                 "int b(void);\nint b(void) { return a(); }\n"},
     "  relay/planted.c refers to b of relay/planted_too.c"),
    ("circles", {"supervisor/options/planted.c": "int d(void);\n"
                 "int c;\nint e(void);\nint e(void) { return d(); }\n",
                 "supervisor/servers/planted.c": "extern int c;\n"
                 "int d(void);\nint d(void) { return c; }\n"},
     "  supervisor/servers/planted.c refers to c of supervisor/options"),
    ("circles", {"worker/box/python/mcp/wire/_sown.py":
                 "def a():\n    from . import _planted\n",
                 "worker/box/python/mcp/help/_planted.py":
                 "if True:\n    import mcp._sown\n"},
     "a circle of imports: worker/box/python/mcp/help/_planted.py, "
     "worker/box/python/mcp/wire/_sown.py"),
    ("names", {"relay/planted.h": "/* In relay.c and\n * gone.c. */\n"},
     "relay/planted.h:2: names gone.c, which does not exist"),
    ("names", {"relay/planted.c":
               "/*\n * Planted: see frames.h. Runs in the relay.\n */\n",
               "relay/frames.h": "\n"},
     "relay/planted.c: refers to frames.h without including it"),
    ("names", {"tests/unit/relay/test_sown.c": "\n",
               "relay/output/sown.c": "\n"},
     "test_sown.c: is not in the folder of what it tests: relay/output"),
    ("symbols", {"supervisor/front/planted.c":
                 "#include <signal.h>\nint a(void);\n"
                 "int a(void) { return kill(1, 0); }\n"},
     "supervisor/front/planted.c: references kill"),
    ("words", {"supervisor/run/planted.h": "/* If it is Native. */\n"},
     "supervisor/run/planted.h:1: has the word Native"),
    ("words", {"supervisor/run/planted.h": "int has_landlock;\n"},
     "supervisor/run/planted.h:1: has the word landlock"),
    ("weight", {"relay/planted.h": "static struct a {\n\tbool a, b, c;\n"
                "\tbool d, e, f;\n} h;\n",
                "relay/planted.c": "struct {\n\tint sown;\n} a, b;\n"
                "void c(void);\nvoid c(void) { a.sown = !b.sown; }\n"},
     "relay/planted.h: struct a: has 6 flags"),
    ("weight", {"relay/planted_too.h": "typedef void a_step(int *a);\n"
                "struct a {\n" + "\ta_step *a;\n" * 8 +
                "\tvoid (*b)(void);\n};\n"},
     "relay/planted_too.h: struct a: has 9 functions"),
    ("weight", {"relay/sown.h": "struct a {\n\tuint8_t b, sown : 1;\n};\n"},
     "relay/sown.h: struct a: sown is a flag: make it bool"),
    ("weight", {f"relay/output/planted_{n}.c": "\n" for n in range(17)},
     "C files, no more than 16 may be"),
    ("weight", {"relay/planted_lines.h": "\n" * 2000},
     "tests/house/lines.txt: relay/ has "),
]


def copy(place):
    for path in house.files():
        if path == LINES or (
                path.startswith(FOLDERS) and path.endswith(ENDINGS)):
            target = os.path.join(place, path)
            os.makedirs(os.path.dirname(target), exist_ok=True)
            shutil.copyfile(os.path.join(house.SOURCE, path), target)


def entry(source, output):
    return {"directory": house.BUILD, "file": source, "output": output,
            "command": "cc"}


def compile_file(source, build):
    """Compiles a planted file as if it were of a program."""
    objects = os.path.join(build, "planted.a.p")
    os.makedirs(objects, exist_ok=True)
    output = os.path.join(objects, source.replace("/", "_") + ".o")
    subprocess.run(["cc", "-c", source, "-o", output], check=True)
    return entry(source, output)


def run(rule, place, build, more):
    """Runs a rule over the copy and the objects of the real build."""
    entries = [entry(os.path.join(place, item.source), item.path)
               for item in house.objects() if item.source.startswith(FOLDERS)]
    with open(os.path.join(build, "compile_commands.json"), "w",
              encoding="utf-8") as file:
        json.dump(entries + more, file)
    # The rule about layers looks for headers that were generated, only.
    where = house.BUILD if rule == "layers" else build
    done = subprocess.run(
        [sys.executable, "-B", os.path.join(RULES, rule + ".py"), place,
         where], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        check=False)
    return done.returncode, done.stdout


def together():
    """The plants in groups that are added at once: (rule, files, what it has to
    say).
    """
    groups = []
    for rule, added, wanted in PLANTS:
        for name, files, said in groups:
            if name == rule and not files.keys() & added.keys():
                files.update(added)
                said.append(wanted)
                break
        else:
            groups.append((rule, dict(added), [wanted]))
    return groups


def check(place, build, rule, added, wanted):
    more = []
    for path, text in added.items():
        source = os.path.join(place, path)
        os.makedirs(os.path.dirname(source), exist_ok=True)
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        if path.endswith(".c"):
            more.append(compile_file(source, build))
    status, said = run(rule, place, build, more)
    for path in added:
        os.unlink(os.path.join(place, path))
    for each in wanted:
        if status != 1 or each not in said:
            yield f"{rule} does not say '{each}'; it says:\n{said}"


def check_all(place, build):
    copy(place)
    for rule in ("layers", "circles", "names", "weight"):
        status, said = run(rule, place, build, [])
        if status != 0:
            yield f"{rule} finds something where nothing is planted:\n{said}"
    for rule, added, wanted in together():
        yield from check(place, build, rule, added, wanted)


with tempfile.TemporaryDirectory() as folder:
    places = [os.path.join(os.path.realpath(folder), name)
              for name in ("source", "build")]
    for made in places:
        os.mkdir(made)
    problems = list(check_all(*places))
house.finish(problems, len(PLANTS), "plants")
