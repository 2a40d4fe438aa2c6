"""That each kind of addition is one folder or file and a few rows: adds all
examples of this folder to a copy of the source, builds it, uses each, and runs
the house rules that an addition meets first.

    run.py SOURCE

An example is a folder: files at their places in the tree, and rows.diff, which
changes files of the tree as a diff does, but without numbers of lines: what
stands there before must occur exactly once. Exit status: 0 or 1.
"""
import http.client
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "escape")]
from program import Failure, Program

LINES_MAX = 60
HOUSE = "weight", "layers", "words"
LEFT_OUT = shutil.ignore_patterns("build*", ".git", "node_modules",
                                  "__pycache__", "additions")
TOOLS = "run_python,run_code,list_runners,greet"


def changes(text):
    """Yield (path, old, new) of each hunk of rows.diff."""
    for part in text.split("\n+++ ")[1:]:
        path, *hunks = part.split("\n@@\n")
        for hunk in hunks:
            lines = hunk.rstrip("\n").split("\n")
            yield (path.strip(),
                   *("".join(line[1:] + "\n" for line in lines
                             if line[:1] in (" ", sign)) for sign in "-+"))


def add(example, tree):
    """Add one example to the tree; return how many lines it adds."""
    with open(os.path.join(example, "rows.diff"), encoding="utf-8") as file:
        text = file.read()
    count = text.count("\n+") - text.count("\n+++ ")
    for path, old, new in changes(text):
        place = os.path.join(tree, path)
        with open(place, encoding="utf-8") as file:
            before = file.read()
        if not old or before.count(old) != 1:
            raise Failure(f"{example}: {path} has {before.count(old)} times:"
                          f"\n{old}")
        with open(place, "w", encoding="utf-8") as file:
            file.write(before.replace(old, new))
    for folder, folders, names in os.walk(example):
        folders[:] = [name for name in folders if name != "__pycache__"]
        for name in names:
            path = os.path.relpath(os.path.join(folder, name), example)
            if path == "rows.diff":
                continue
            place = os.path.join(tree, path)
            if os.path.exists(place):
                raise Failure(f"{example}: {path} exists already")
            os.makedirs(os.path.dirname(place), exist_ok=True)
            shutil.copy(os.path.join(example, path), place)
            with open(place, encoding="utf-8") as file:
                count += file.read().count("\n")
    return count


def build(tree, environment):
    # Without optimization, and many files at once: both take most of the time.
    # Sections let the linker leave out what a program does not use.
    for command in (["setup", "build", "-Dtests=false", "-Dwerror=true",
                     "-Dbuildtype=debug", "-Ddebug=false", "-Dunity=on",
                     "-Dunity_size=30", "-Dc_args=-ffunction-sections",
                     "-Dc_link_args=-Wl,--gc-sections"],
                    ["compile", "-C", "build"]):
        done = subprocess.run(["meson", *command], cwd=tree, text=True,
                              env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        if done.returncode:
            raise Failure("meson %s:\n%s" % (command[0], done.stdout[-8000:]))
    return os.path.join(tree, "build", "caisson")


def house(tree, environment):
    """The problems of the added tree with house rules; the table of lines is
    written anew, as one does after an addition."""
    def rule(name, *more):
        return subprocess.run(
            [sys.executable, "-B", f"tests/house/{name}.py", tree,
             os.path.join(tree, "build"), *more], cwd=tree, env=environment,
            text=True, check=False, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT)

    lines = rule("weight", "--lines").stdout
    with open(os.path.join(tree, "tests/house/lines.txt"), "w") as file:
        file.write(lines)
    for name in HOUSE:
        done = rule(name)
        if done.returncode:
            yield f"house {name}: {done.stdout}"


def text_of(answer):
    return answer.get("result", {}).get("content", [{}])[0].get("text", answer)


def fetched(caisson, environment, target):
    """What "caisson serve" answers to GET."""
    path = os.path.join(environment["HOME"], "http")
    with subprocess.Popen([caisson, "serve", "--listen", "unix:" + path],
                          env=environment, stdin=subprocess.DEVNULL,
                          stderr=subprocess.PIPE, text=True) as serving:
        serving.stderr.readline()
        client = http.client.HTTPConnection("localhost")
        client.sock = socket.socket(socket.AF_UNIX)
        client.sock.connect(path)
        client.request("GET", target)
        answer = client.getresponse().read().decode()
        client.close()
        serving.terminate()
    return answer


def use(caisson, environment):
    """Yield (example, what it gave, what it should give)."""
    def output(*arguments):
        return subprocess.run(
            [caisson, *arguments], env=environment, text=True, check=False,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT).stdout

    def call(name, **arguments):
        return text_of(program.request(
            "tools/call", {"name": name, "arguments": arguments}))

    def start(**settings):
        return Program(caisson, {**environment, **settings}, None, [])

    yield "command", output("hello", "you"), "hello you\n"
    yield "worker", output("heading", "# a"), "a heading\n"
    yield "setting", output("--check", "--examples=9"), "7"
    yield "preset", output("config", "show", "--json", "--limits=strict"), (
        '{"name": "max_concurrent", "value": "3"')
    folder = os.path.join(environment["HOME"], ".example")
    os.makedirs(folder)
    with open(os.path.join(folder, "mcp.json"), "w") as file:
        json.dump({"mcpServers": {"found": {"command": "/bin/cat"}}}, file)
    yield "source", output("servers", "list"), "found"
    dialled = socket.socket(socket.AF_UNIX)
    dialled.bind(os.path.join(environment["HOME"], "dialled"))
    dialled.listen()
    program = start(CAISSON_TOOLS=TOOLS, CAISSON_DIAL=dialled.getsockname())
    try:
        door = dialled.accept()[0]
        door.sendall(b'{"jsonrpc":"2.0","id":7,"method":"ping"}\n')
        yield "door", door.recv(1000).decode(), '"id":7,"result":{}'
        yield "tool", call("greet"), "hello"
        yield "method", program.request("example/echo", {"a": [1]}).get(
            "result"), {"params": {"a": [1]}}
        yield "language", call(
            "run_code", language="wordcount", code="one two three\n"), " 3 "
        yield "executor", call("run_python", code="#echo a, b"), "a, b"
        yield "request", call("run_python", code=(
            "from mcp._measure import measure\nprint(measure('\u00e4'))")), "2"
    finally:
        program.close()
    yield "runtime", output("--check", "--runtime=bare"), "a bare process"
    program = start(CAISSON_RUNTIME="bare", CAISSON_ALLOW_WEAK_ISOLATION="on")
    try:
        yield "runtime", call("run_python", code="print(6 * 7)"), "42"
    finally:
        program.close()
    yield "path", fetched(caisson, environment, "/hello/you"), (
        '{"hello":"you"}')
    yield "path", fetched(caisson, environment, "/other"), (
        "the only paths here are /mcp, /mcp/events, /files/ and /hello/")


def main(source):
    examples = sorted(name for name in os.listdir(HERE)
                      if os.path.exists(os.path.join(HERE, name, "rows.diff")))
    with tempfile.TemporaryDirectory(prefix="caisson-additions-") as top:
        os.chmod(top, 0o755)
        tree, home = os.path.join(top, "tree"), os.path.join(top, "home")
        os.mkdir(home)
        shutil.copytree(source, tree, symlinks=True, ignore=LEFT_OUT)
        problems = []
        for name in examples:
            count = add(os.path.join(HERE, name), tree)
            if count > LINES_MAX:
                problems.append(f"{name}: has {count} lines")
        environment = {"PATH": os.environ["PATH"], "HOME": home,
                       "LC_ALL": "C.UTF-8", "CCACHE_BASEDIR": top,
                       "CCACHE_NOHASHDIR": "1"}
        for name in ("CCACHE_DIR", "CC"):
            if name in os.environ:
                environment[name] = os.environ[name]
        caisson = build(tree, environment)
        problems += house(tree, environment)
        used = set()
        for name, have, want in use(caisson, environment):
            used.add(name)
            fits = want in have if isinstance(have, str) else want == have
            print("%-10s %s" % (name, "works" if fits else "fails"))
            if not fits:
                problems.append(f"{name}: gave {have!r}, not {want!r}")
        problems += [f"{name}: is not used"
                     for name in used.symmetric_difference(examples)]
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1]))
    except Failure as failure:
        sys.exit(str(failure))
