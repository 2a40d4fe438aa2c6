"""
What the tests of the house rules share: the tracked files, the tables of the
program (*.def) read as rows, what was compiled how, and the one way to report.
Every test is run as "test.py SOURCE BUILD" and changes nothing.
"""
import collections
import concurrent.futures
import functools
import glob
import json
import os
import re
import shlex
import subprocess
import sys

SOURCE = os.path.realpath(sys.argv[1])
BUILD = os.path.realpath(sys.argv[2])
SKIPPED = 77  # the exit status by which meson knows a skipped test

# The folders of worker/box that are languages.
LANGUAGES = tuple(os.path.basename(os.path.dirname(path)) for path in glob.glob(
    os.path.join(SOURCE, "worker/box/*/language.def")))

# For each folder with rooms: these from the top down. Rooms of one row stand
# side by side and include nothing of each other. "" is the folder itself.
ROOMS = {
    "common/": [
        ("worker",), ("seccomp", "ipc"), ("",), ("json",), ("base",),
    ],
    "supervisor/": [
        ("",), ("command",),
        ("command/config", "command/image", "command/libraries",
         "command/selftest", "command/servers_change", "command/service",
         "command/sessions"),
        ("command/adopt", "command/servers"), ("command/client",),
        ("command/shared",), ("door/http",), ("door",), ("front",),
        ("front/resources",), ("front/tools",), ("front/answer",),
        ("front/rpc",), ("run",), ("box", "peers"),
        ("box/container", "box/native"), ("box/shared",), ("box/engine",),
        ("box/cgroup",), ("servers/in_force",), ("servers",), ("process",),
        ("process/socket", "options"), ("options/text",),
    ],
    "worker/box/": [
        ("",), LANGUAGES, ("interpreter", "trial"), ("shared",),
        ("native/template",), ("native",), ("native/memory",),
    ],
    "relay/": [("",), ("calls",), ("output",), ("state",)],
    "worker/broker/": [
        ("",), ("link",), ("arguments",), ("schema",), ("tools",),
        ("state",),
    ],
    "worker/connector/": [("",), ("oauth",), ("http",)],
    "worker/files/": [
        ("",), ("task",), ("stored",),
    ],
}

Role = collections.namedtuple(
    "Role",
    "NAME name kind user folder binary lifetime may reads trusts costs")
Message = collections.namedtuple("Message", "NAME name FROM TO doc")
Object = collections.namedtuple("Object", "source path command")


def read(path):
    """The text of a file of the project."""
    with open(os.path.join(SOURCE, path), encoding="utf-8") as file:
        return file.read()


def walk():
    """All files that a clean clone would have, where git cannot say."""
    for folder, folders, names in os.walk(SOURCE):
        folders[:] = [name for name in folders if name != "node_modules"
                      and name != ".git" and not name.startswith("build")]
        for name in names:
            yield os.path.relpath(os.path.join(folder, name), SOURCE)


@functools.lru_cache()
def files():
    """The paths of all files that are, or could be, tracked."""
    git = ["git", "-C", SOURCE, "ls-files", "-z", "--cached", "--others",
           "--exclude-standard"]
    try:
        done = subprocess.run(git, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, check=False)
        names = done.stdout.decode().split("\0") if not done.returncode else []
    except FileNotFoundError:
        names = []
    # git says nothing about a clone of another user, or an unpacked archive.
    names = [name for name in names if name] or list(walk())
    return sorted(name for name in set(names)
                  if os.path.isfile(os.path.join(SOURCE, name)))


def with_ending(*endings):
    return [path for path in files() if path.endswith(endings)]


def without_comments(text):
    """C without comments: each becomes as many newlines as it had."""
    pattern = r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''

    def blank(match):
        found = match.group(0)
        return found if found[0] in "\"'" else "\n" * found.count("\n") or " "

    return re.sub(pattern, blank, text, flags=re.S)


def without_strings(text):
    return re.sub(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', '""', text)


def arguments(text):
    """The arguments of a macro call, of which text begins behind the "("."""
    found, depth, current, quoted = [], 0, "", False
    for match in re.finditer(r"\\.|.", text, flags=re.S):
        char = match.group(0)
        if char == '"':
            quoted = not quoted
        elif not quoted and char in "()" and (depth or char == "("):
            depth += 1 if char == "(" else -1
        elif not quoted and char == ")":
            return found + [current]
        elif not quoted and not depth and char == ",":
            found.append(current)
            current = ""
            continue
        current += char
    raise ValueError("a macro call without its end")


def plain(argument):
    """An argument as a value: adjacent strings are joined."""
    strings = re.findall(r'"((?:\\.|[^"\\])*)"', argument)
    return "".join(strings) if strings else argument.strip()


def limit_text(match):
    """The literal that LIMIT_TEXT(NAME) stands for."""
    return '"%s"' % re.search(rf"#define {match[1]} (\w+)",
                              read("common/limits.h"))[1]


def rows(path, macro):
    """The rows of a table of X-macros, each a list of its arguments."""
    text = without_comments(read(path))
    text = re.sub(r"^#.*$", "", text, flags=re.M)
    text = re.sub(r"LIMIT_TEXT\((\w+)\)", limit_text, text)
    return [[plain(argument) for argument in arguments(text[match.end():])]
            for match in re.finditer(r"\b" + macro + r"\(", text)]


@functools.lru_cache()
def roles():
    return [Role(*row) for row in rows("common/roles.def", "ROLE")]


def main_of(role):
    """The file with the main() of a worker."""
    own = role.folder + "main.c"
    return own if own in files() else "common/worker/main.c"


def folders():
    """The folders that have layers: common, and one for each role."""
    return ["common/"] + [role.folder for role in roles()]


def folder_of(path):
    """The folder with layers that a path lies in, or None."""
    for folder in folders():
        if path.startswith(folder):
            return folder
    return None


def is_there(path):
    """Whether it is a file of ours, or one that was made while building."""
    return (os.path.isfile(os.path.join(SOURCE, path)) or
            os.path.isfile(os.path.join(BUILD, path)))


def found_in(path, folder, name):
    """Where an include leads: seen from the file, from common/, from the top.
    """
    places = [os.path.dirname(path), folder, "common", ""]
    for place in places:
        target = os.path.normpath(os.path.join(place, name))
        if is_there(target):
            return target
    return None


def includes(path):
    """Each include of a file of ours: its line, its name, and where it leads,
    which is None where there is nothing."""
    text = without_comments(read(path))
    for number, line in enumerate(text.split("\n"), 1):
        match = re.match(r'\s*#\s*include\s*"([^"]+)"', line)
        if match:
            yield (number, match.group(1),
                   found_in(path, folder_of(path), match.group(1)))


def messages():
    table = rows("common/ipc_messages.def", "IPC_MESSAGE")
    asked = rows("common/ipc_messages.def", "IPC_REQUEST")
    return [Message(*row[:4], row[-1]) for row in table
            if row[0] != "NAME"] + [
        Message(*row[:2], "RELAY", *row[2:]) for row in asked]


def options():
    """The keys of all options: "max_timeout"."""
    return [row[2] for row in rows("supervisor/options/options.def", "OPTION")]


def variable(key):
    return "CAISSON_" + key.upper()


def flag(key):
    return "--" + key.replace("_", "-")


def words(command):
    """The words of a command, as a shell reads them."""
    if any(char in command for char in "'\"\\"):
        return shlex.split(command)
    return command.split()


@functools.lru_cache()
def objects():
    """Everything that was compiled from C: source, object and command."""
    with open(os.path.join(BUILD, "compile_commands.json"),
              encoding="utf-8") as file:
        commands = json.load(file)
    found = []
    for entry in commands:
        source = os.path.realpath(
            os.path.join(entry["directory"], entry["file"]))
        if source.startswith(SOURCE + os.sep) and source.endswith(".c"):
            found.append(Object(
                os.path.relpath(source, SOURCE),
                os.path.join(entry["directory"], entry["output"]),
                words(entry["command"])))
    return found


def compiler(source):
    """The compiler call for a source file, without its input and output."""
    for item in objects():
        if item.source == source:
            command = item.command[:item.command.index("-MD")]
            return [word for word in command
                    if not word.startswith("-fdiagnostics-color")]
    return None


def in_parallel(check, items):
    """The problems that check(item) finds in each item, in their order."""
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return [problem for found in pool.map(check, items)
                for problem in found]


def in_programs(item):
    """Whether an object is part of a program, not of a tool or a test."""
    folder, target = os.path.split(os.path.dirname(item.path))
    if os.path.basename(os.path.dirname(folder)) == "tests":
        return False
    binaries = [role.binary + ".p" for role in roles()]
    return target in binaries or target.endswith((".a.p", ".so.p"))


def compile_quietly(command, text=None):
    """Runs a compiler in the build folder; returns what it complained."""
    done = subprocess.run(command, cwd=BUILD, input=text, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          check=False)
    return done.stdout.strip() if done.returncode else ""


def finish(problems, count, what):
    """Reports and ends; a test that looked at nothing has failed."""
    for problem in problems:
        print(problem)
    if not count:
        print(f"found no {what} to look at: the test looks in a wrong place")
    print(f"{count} {what} looked at, {len(problems)} problems")
    sys.exit(1 if problems or not count else 0)


def skip(why):
    print(f"SKIP: {why}")
    sys.exit(SKIPPED)
