"""The table of cases: what one is, and how what was seen is judged.

A case is a function whose source is sent to a box, behind prelude.py, and
whose result is printed there; or, with driven=True, one that plays the client
and looks from outside, and returns what it saw, or a function that waits for
that; or a script of the shell or the body of a function in JavaScript, behind
prelude.mjs, which the function returns.
"""
import inspect
import json
import os
import re
import textwrap

CASES = []
SHOWN_MAX = 200  # characters of what was seen, in the table
# Seconds of what does not end by itself soon: where it is to be ended, and
# where nothing ends it.
LASTS, LASTS_OPEN = 6, 2
# A case in Python, run from a shell.
SCRIPT = """cat > /tmp/case.py << 'CAISSON_END'
%s
CAISSON_END
exec /usr/bin/python3 /tmp/case.py
"""
# The same, from a program in JavaScript, which ends as the case does.
PROGRAM = """import { spawnSync } from "node:child_process";
const done = spawnSync("/usr/bin/python3", ["-c", %s, String(process.pid)],
  { stdio: "inherit" });
if (done.signal)
  process.kill(process.pid, done.signal);
process.exit(done.status ?? 1);
"""
HERE = os.path.dirname(os.path.abspath(__file__))


class Shell(str):
    """Code of the language shell."""
    language = "shell"


class JavaScript(str):
    """Code of the language javascript; all other code is Python."""
    language = "javascript"


class Case:
    """One row of the table.

    number    of the case; letters divide one
    tries     what it attempts
    expected  what must be seen; a regular expression behind "~"
    without   the protections that must be taken away, all together, for
              something else to be seen: the layers (words of open_box.c)
    under     protections that are taken away in any case, so that the layer
              behind them is seen alone
    later     instead of "without": the seconds that the call may then take,
              where the deadline is the protection
    settings  what Caisson is then started with, where a limit of its own is
              the protection, or one of them
    shown     where nothing can be taken away: why
    known     what is wrong, where it is known not to hold
    root      True: only when Caisson runs as root; False: only when not
    open_root whether only root can show what happens without
    python    why it says nothing of a box of the shell, where it does not:
              it is about those of Python
    script    Shell or JavaScript, where the function, which takes facts about
              the host, returns code of that language
    engines   those of JavaScript that it says something of; None: each
    timeout   seconds that the call asks for
    before    a function whose code runs first, in another box
    beside    a function whose code runs at the same time, in another box
    skip      a function of the host: why it cannot be tried, or None
    """

    def __init__(self, number, tries, expected, function, without=None,
                 under="", shown="", known="", root=None, open_root=False,
                 timeout=60, later=None, settings=(), before=None,
                 beside=None, skip=None, driven=False, python="",
                 script=None, engines=None):
        self.number, self.tries, self.expected = number, tries, expected
        self.function = function
        self.without = without
        self.under, self.shown, self.known = under, shown, known
        self.root, self.open_root, self.timeout = root, open_root, timeout
        self.later, self.settings = later, tuple(settings)
        self.before, self.beside, self.skip = before, beside, skip
        self.driven = driven
        self.python, self.script = python, script
        self.engines = engines
        self.lasts = LASTS

    def code(self, facts, language, function=None):
        """The code for a box of a language."""
        function = function or self.function
        if self.script is JavaScript:
            return JavaScript("%s\nconsole.log(await (async () => {\n%s\n})());"
                              % (prelude("prelude.mjs"), function(facts)))
        if self.script:
            return self.script(function(facts))
        code = code_of(function, facts)
        if language is JavaScript:
            return JavaScript(PROGRAM % json.dumps(code))
        return Shell(SCRIPT % code) if language is Shell else code

    def layers(self):
        """What must be taken away, for the table."""
        taken = " ".join(filter(None, [self.without, *self.settings]))
        if self.later:
            taken = "the deadline"
        if self.under:
            taken += " (tried without: %s)" % self.under
        return taken or "-"

    def holds(self, seen):
        """Whether what was seen is what must be seen."""
        if self.expected.startswith("~"):
            return re.fullmatch(self.expected[1:], seen, re.S) is not None
        return seen == self.expected

    def holds_in_part(self, seen):
        """Whether one of many attempts was refused all the same."""
        return any(self.holds(word.split("=", 1)[1])
                   for word in seen.split() if "=" in word)

    def wanted(self):
        """What must be seen, for the table."""
        return self.expected.lstrip("~")


def case(number, tries, expected, **options):
    """Add the function below as a case."""
    def add(function):
        CASES.append(Case(number, tries, expected, function, **options))
        return function
    return add


def prelude(name):
    """The text that stands in front of every case."""
    with open(os.path.join(HERE, name), encoding="utf-8") as file:
        return file.read()


def source_of(function):
    """The text of a function, without its decorator."""
    text = textwrap.dedent(inspect.getsource(function))
    return text[re.search(r"^def ", text, re.M).start():]


def code_of(function, facts):
    """The code for a box that runs function; facts are about the host."""
    return "%s\nHOST = %r\n\n\n%s\n\nprint(%s())\n" % (
        prelude("prelude.py"), facts, source_of(function), function.__name__)


def seen_in(answer):
    """What an answer of run_python tells, in one line."""
    if "error" in answer:
        return "[refused: %s]" % answer["error"]["message"]
    content = answer["result"].get("structuredContent", {})
    text = " ".join(content.get("stdout", [])).strip()
    status = content.get("status", "success")
    if status == "success":
        return text
    how = content.get("signal") or content.get("error", status)
    if status == "timeout":
        how = "timeout"
    elif content.get("exitCode") is not None and "signal" not in content:
        how = "exit %d" % content["exitCode"]
        text = text or " ".join(content.get("stderr", [])[-1:])
    return ("%s [%s]" % (text, how)).strip()


def shorten(text):
    """The beginning of a text, of which a case may print megabytes."""
    shown = "".join(char if char.isprintable() else "·"
                    for char in text[:SHOWN_MAX])
    return shown if len(text) <= SHOWN_MAX else shown + "…"
