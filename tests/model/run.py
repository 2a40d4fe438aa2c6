#!/usr/bin/python3
"""Sends programs as models write them to caisson, and counts right answers.

    run.py [--short | --near | --engine bun|deno|node] [--show]
           [FAMILY | FAMILY/NAME]...

--short runs the programs marked "short" and fails where fewer of them are
right than the file "expected" says; --near those of them whose servers are
stubs or installed for tests/e2e, with no other server; --engine all of the
folder javascript, whose families are languages, with the servers of --near;
--show prints every answer that is not right. CAISSON is the path of the
program, by default ../../build/caisson.

Exit status: 0 done, 1 failed, 77 cannot run here (and a line says why).
"""
import argparse
import json
import os
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
from engines import PLACES, engine_path
CAISSON = os.path.abspath(os.environ.get("CAISSON") or os.path.join(
    HERE, "..", "..", "build", "caisson"))
MODULES = os.path.join(HERE, "node_modules")
NODE_SERVERS = {
    "everything": ["@modelcontextprotocol/server-everything/dist/index.js"],
    "filesystem": ["@modelcontextprotocol/server-filesystem/dist/index.js",
                   "@DATA@"],
    "memory": ["@modelcontextprotocol/server-memory/dist/index.js"],
    "sequential-thinking": [
        "@modelcontextprotocol/server-sequential-thinking/dist/index.js"],
    "git": ["@cyanheads/git-mcp-server/dist/index.js"],
    "excel": ["@negokaz/excel-mcp-server/dist/launcher.js"],
    "calculator": ["@coo-quack/calc-mcp/dist/index.js"],
    "time": ["time-mcp/dist/index.js"],
    "obsidian": ["mcp-obsidian/dist/index.js", "@DATA@/vault"],
}
VARIABLES = {
    "memory": {"MEMORY_FILE_PATH": "@DATA@/memory.jsonl"},
    "git": {"MCP_TRANSPORT_TYPE": "stdio", "MCP_LOG_LEVEL": "error"},
    "time": {"TZ": "UTC"},
}
STUBS = {"github": "forge.py", "office": "office.py"}
COMMITS = [  # author, file, text, message
    ("Ada", "app.py", "print('one')\n", "Add the app"),
    ("Ben", "README", "Run app.py.\n", "Add a README"),
    ("Ada", "app.py", "print('one')\nprint('two')\n", "Print two"),
    ("Cleo", "lib.py", "LIMIT = 10\n", "fix: add the limit"),
    ("Ada", "lib.py", "LIMIT = 20\n", "fix: raise the limit"),
    ("Ben", "app.py", "print('three')\n", "Rewrite the app"),
    ("Ada", "README", "Run app.py twice.\n", "docs: say how often"),
]
NODE_LEAST = 20  # for git and time; the other servers take 18
ANSWER_SECONDS = 300  # of one call; the longest time a call can ask for is 120
START_SECONDS = 300
# A successful answer that says one of these does not mislead the reader.
HINT = re.compile(r"\b(error|exception|warning|hint|note:|traceback|failed|"
                  r"failure|never awaited|not found|unknown)", re.I)


def skip(why):
    print(f"SKIP: {why}")
    sys.exit(77)


def be_alone():
    """Runs this program again where it meets no process or file of others."""
    if "CAISSON_REAPER" in os.environ:
        return
    alone = os.path.join(HERE, "..", "support", "alone.py")
    os.environ["CAISSON"] = CAISSON
    os.execv(sys.executable, [
        sys.executable, "-B", alone, "--keep", os.path.join(HERE, "..", ".."),
        "--keep", os.path.dirname(CAISSON), sys.executable, "-B",
        os.path.abspath(__file__), *sys.argv[1:]])


def use_near():
    """Leaves out the servers that tests/e2e has not got."""
    global MODULES
    MODULES = os.path.join(HERE, "..", "e2e", "node_modules")
    for name, (script, *_) in list(NODE_SERVERS.items()):
        if not os.path.exists(os.path.join(MODULES, script)):
            del NODE_SERVERS[name]
    if "filesystem" not in NODE_SERVERS:
        skip("the packages are not installed: run 'npm ci' in tests/e2e")


def get_servers():
    """Installs the servers from npm, once."""
    for command in "node", "git", "npm":
        if command == "npm" and os.path.isdir(MODULES):
            continue
        if not shutil.which(command):
            skip(f"{command} is not installed")
    version = subprocess.run(["node", "--version"], stdout=subprocess.PIPE,
                             text=True, check=True).stdout.strip()
    if int(version[1:].split(".")[0]) < NODE_LEAST:
        skip(f"servers of tests/model need Node.js {NODE_LEAST}; "
             f"here is {version}")
    if os.path.exists(os.path.join(MODULES, ".package-lock.json")):
        return
    variables = dict(os.environ)
    if not os.access(variables.get("HOME", "/nonexistent"), os.W_OK):
        variables["npm_config_cache"] = os.path.join(
            os.path.dirname(CAISSON), "npm")
    done = subprocess.run(
        ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund",
         "--silent"], cwd=HERE, env=variables, stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, check=False)
    if done.returncode != 0:
        skip("npm could not get the servers of tests/model (is this machine "
             "offline?)")


def make_repository(folder):
    """A repository whose commits have the same names everywhere."""
    os.mkdir(folder)

    def git(*arguments, name="Ada", hour=0):
        subprocess.run(
            ["git", "-c", "init.defaultBranch=main", *arguments], cwd=folder,
            check=True, stdout=subprocess.DEVNULL, env={
                "PATH": os.environ["PATH"], "HOME": folder,
                "GIT_CONFIG_NOSYSTEM": "1",
                "GIT_AUTHOR_NAME": name, "GIT_COMMITTER_NAME": name,
                "GIT_AUTHOR_EMAIL": f"{name.lower()}@example.com",
                "GIT_COMMITTER_EMAIL": f"{name.lower()}@example.com",
                "GIT_AUTHOR_DATE": f"2025-03-{hour + 1:02}T10:00:00Z",
                "GIT_COMMITTER_DATE": f"2025-03-{hour + 1:02}T10:00:00Z"})

    git("init", "-q")
    for hour, (name, file, text, message) in enumerate(COMMITS):
        with open(os.path.join(folder, file), "w") as out:
            out.write(text)
        git("add", file)
        git("commit", "-q", "-m", message, name=name, hour=hour)
        if hour == 3:
            git("tag", "v0.1")
            git("branch", "stable")
    git("config", "user.name", "Ada")
    git("config", "user.email", "ada@example.com")
    with open(os.path.join(folder, "draft.txt"), "w") as out:
        out.write("not in git\n")


class Session:
    """A supervisor with all servers, and data of its own in a folder."""
    engine = None  # the path of that of JavaScript

    def __init__(self):
        self.home = tempfile.mkdtemp(prefix="model-")
        os.chmod(self.home, 0o755)
        self.data = os.path.join(self.home, "data")
        shutil.copytree(os.path.join(HERE, "data"), self.data)
        make_repository(os.path.join(self.data, "repo"))
        path = os.path.join(self.home, "servers.json")
        with open(path, "w") as file:
            file.write(self.place(json.dumps({"mcpServers": self.servers()})))
        self.pending = b""
        self.last_id = 0
        # pylint: disable=consider-using-with
        self.log = open(os.path.join(self.home, "log"), "wb")
        self.process = subprocess.Popen(
            [CAISSON], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=self.log, cwd=self.home, env={
                "PATH": os.environ["PATH"], "HOME": self.home,
                "CAISSON_SERVERS_CONFIG": path, **({
                    "CAISSON_JAVASCRIPT": self.engine, "CAISSON_POOL": "0",
                    "CAISSON_TOOLS": "run_code"} if self.engine else {})})
        self.request("initialize", {
            "protocolVersion": "2025-11-25", "capabilities": {},
            "clientInfo": {"name": "model", "version": "1"}}, START_SECONDS)
        self.send({"method": "notifications/initialized"})

    @staticmethod
    def servers():
        """The servers as a user configures them."""
        table = {}
        for name, (script, *arguments) in NODE_SERVERS.items():
            table[name] = {"command": shutil.which("node"), "args": [
                os.path.join(MODULES, script), *arguments]}
            if name in VARIABLES:
                table[name]["env"] = VARIABLES[name]
        for name, script in STUBS.items():
            table[name] = {"command": sys.executable, "args": [
                "-B", os.path.join(HERE, "stubs", script)]}
        return table

    def place(self, text):
        """The text with the folder of the data filled in."""
        return text.replace("@DATA@", self.data)

    def send(self, message):
        line = json.dumps({"jsonrpc": "2.0", **message}) + "\n"
        self.process.stdin.write(line.encode())
        self.process.stdin.flush()

    def request(self, method, params, seconds=ANSWER_SECONDS):
        """The answer to a request, with a member "result" or "error"."""
        self.last_id += 1
        self.send({"id": self.last_id, "method": method, "params": params})
        deadline = time.monotonic() + seconds
        while True:
            while b"\n" not in self.pending:
                left = max(0, deadline - time.monotonic())
                if not select.select([self.process.stdout], [], [], left)[0]:
                    sys.exit(f"no answer to {method} within {seconds} s")
                data = self.process.stdout.read1(1 << 16)
                if not data:
                    sys.exit(f"caisson ended instead of answering {method}")
                self.pending += data
            line, self.pending = self.pending.split(b"\n", 1)
            message = json.loads(line)
            if message.get("id") == self.last_id and "method" not in message:
                return message

    def run(self, program, code):
        """Sends code; returns the text of the answer and whether it is an
        error."""
        arguments = {"code": self.place(code)}
        for key in "servers", "timeout":
            if key in program:
                arguments[key] = program[key]
        if self.engine:
            arguments["language"] = program["family"]
        answer = self.request("tools/call", {
            "name": "run_code" if self.engine else "run_python",
            "arguments": arguments})
        if "error" in answer:
            return answer["error"]["message"], True
        result = answer["result"]
        return "\n".join(part.get("text", f"[{part['type']}]")
                         for part in result["content"]), \
            bool(result.get("isError"))

    def close(self):
        self.process.stdin.close()
        try:
            self.process.wait(START_SECONDS)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()
        self.log.close()
        shutil.rmtree(self.home, ignore_errors=True)


def load(names):
    """The programs with these names or of these families; all for none."""
    try:
        import tomllib
    except ImportError:
        skip("the programs are TOML: this needs Python 3.11 or later")
    programs = []
    folder = os.path.join(HERE, "javascript" if Session.engine else "programs")
    for family in sorted(os.listdir(folder)):
        for file in sorted(os.listdir(os.path.join(folder, family))):
            name = f"{family}/{file.removesuffix('.toml')}"
            if names and family not in names and name not in names:
                continue
            with open(os.path.join(folder, family, file), "rb") as source:
                programs.append({**tomllib.load(source), "family": family,
                                 "name": name})
    return programs


def is_right(program, text, failed):
    """Whether an answer passes the check of its program."""
    return not failed and all(
        re.search(wanted, text, re.M) for wanted in program["expect"]
    ) and not any(re.search(refused, text, re.M)
                  for refused in program.get("refuse", []))


def first_line(text):
    """The line that says what went wrong, short enough for a table."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    said = [line for line in lines if re.match(r"[A-Za-z_.]*(Error|Exception|"
                                               r"Exit|Interrupt)\b", line)]
    return ((said or lines or [""])[-1 if said else 0])[:150]


def verdict(program, text, failed):
    """RIGHT, ERROR, HINTED (a success that is wrong, and tells of it) or
    SILENT (a success that is wrong)."""
    if is_right(program, text, failed):
        return "RIGHT"
    if failed:
        return "ERROR"
    return "HINTED" if HINT.search(text) else "SILENT"


def run_all(programs, show):
    """Runs the programs; adds "first" and "second", their verdicts, and
    "said", the first answer."""
    session = None
    for program in programs:
        if session and program.get("writes"):
            session.close()
            session = None
        session = session or Session()
        if "before" in program:
            session.run(program, program["before"])
        text, failed = session.run(program, program["code"])
        program["said"] = text
        program["first"] = program["second"] = verdict(program, text, failed)
        if program["first"] != "RIGHT" and "second" in program.get(
                "repair", {}):
            if program.get("writes"):
                session.close()
                session = Session()
            text, failed = session.run({**program, **program["repair"]},
                                       program["repair"]["second"])
            program["second"] = verdict(program, text, failed)
        if show and program["second"] != "RIGHT":
            print(f"=== {program['name']}: {program['second']}\n{text}\n")
        if program.get("writes"):
            session.close()
            session = None
    if session:
        session.close()


def share(programs, try_):
    right = sum(program[try_] == "RIGHT" for program in programs)
    return f"{right:4} {100 * right / len(programs):3.0f} %"


def report(programs):
    """Prints the rates by family, and the failures."""
    natural = [row for row in programs if row["kind"] == "natural"]
    habits = [row for row in programs if row["kind"] == "habit"]
    groups = {}
    for program in programs:
        groups.setdefault(program["family"], []).append(program)
    groups.update({"natural": natural, "habit": habits, "all": programs})
    print(f"{'':16}{'programs':>8}{'first try':>12}{'second try':>12}"
          f"{'SILENT':>8}{'HINTED':>8}")
    for name, rows in groups.items():
        if rows:
            print(f"{name:16}{len(rows):8}{share(rows, 'first'):>12}"
                  f"{share(rows, 'second'):>12}"
                  + "".join(f"{sum(row['first'] == kind for row in rows):8}"
                            for kind in ("SILENT", "HINTED")))
    wrong = [row for row in programs if row["first"] != "RIGHT"]
    errors = [len(row["said"].encode()) for row in wrong
              if row["first"] == "ERROR"]
    if errors:
        print(f"\nmean size of an error: {sum(errors) / len(errors):.0f} "
              "bytes")
    if wrong:
        print("\nNot right on the first try:")
    for row in wrong:
        then = "" if row["second"] == row["first"] else \
            f", then {row['second']}"
        print(f"  {row['name']} ({row['kind']}, {row['style']}): "
              f"{row['first']}{then}: {first_line(row['said'])}")


def expected(key):
    """A number of the file "expected", 0 for one that is not there."""
    try:
        with open(os.path.join(HERE, "expected")) as file:
            rows = dict(line.split() for line in file
                        if line.strip() and line[0] != "#")
    except FileNotFoundError:
        rows = {}
    return int(rows.get(key, 0))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--near", action="store_true")
    parser.add_argument("--show", action="store_true")
    parser.add_argument("--engine", choices=PLACES)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    if options.engine:
        Session.engine = engine_path(options.engine) or skip(
            f"{options.engine} is not installed: run 'npm ci' in tests/e2e")
    if options.near or options.engine:
        use_near()
    get_servers()
    be_alone()
    programs = load(options.names)
    key = options.engine or ("near" if options.near else
                             "short" if options.short else "none")
    if options.short or options.near:
        programs = [row for row in programs if row.get("short")]
    if options.near:
        near = {*NODE_SERVERS, *STUBS}
        programs = [row for row in programs
                    if near.issuperset(row.get("servers", []) + row.get(
                        "repair", {}).get("servers", []))]
    if not programs:
        sys.exit("no such program")
    run_all(programs, options.show)
    report(programs)
    right = sum(row["first"] == "RIGHT" for row in programs)
    if not options.names and right < expected(key):
        print(f"\n{right} right answers, {expected(key)} are expected")
        return 1
    silent = sum(row["first"] == "SILENT" for row in programs
                 if not options.engine or row["kind"] == "natural")
    if key != "none" and silent > expected("silent"):
        print(f"\n{silent} wrong answers are told as right")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
