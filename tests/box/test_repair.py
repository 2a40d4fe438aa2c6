"""What the bootstrap makes of code that does not compile as it came, and what
it says of errors that the sandbox explains.

    /usr/bin/python3 tests/box/test_repair.py [-v] [-k PATTERN]
"""
import unittest

from bootstrap import ASKS, Cases, Case, LINE, TRACE, add_cases  # noqa: F401

NOTE = "note: the code did not compile, and ran %s\n"
WRONG = r'  File "MAIN", line \d+\n.*\n(?:Syntax|Indentation|Tab)Error: .*\n'


def mends(name, code, out, how):
    """Return the case of code that is repaired, with a note."""
    how = NOTE % how
    for mark in "\\(*.)":
        how = how.replace(mark, "\\" + mark)
    return Case(name, code, out, how, like=False)


def refuses(name, code, hint=""):
    """Return the case of code that is left as it is."""
    return Case(name, code, "", WRONG + hint, 1, like=False)


FENCE = "without the Markdown fence around it"
LEFT = "without the indentation of the whole"
ONE = "the code has %s: send the code of one program alone, without fences\n"
QUOTES = "with plain quotes and spaces"
TABLES = [("mends", [
    mends("fence", "```python\nprint(1)\n```", "1\n", FENCE),
    mends("fence in prose", "Here is the code:\n\n```Python\nprint(1)\n```\n"
          "It prints one.", "1\n", FENCE),
    mends("fence and indentation", "```\n  a = 1\n  print(a)\n```", "1\n",
          FENCE + ", " + LEFT),
    mends("backticks", "`print(1)`", "1\n",
          "without the backticks around it"),
    mends("indentation", "    a = 1\n    if a:\n        print(a)\n", "1\n",
          LEFT),
    mends("indentation behind the first line", "a = 1\n  b = 2\n"
          "  print(a, b)", "1 2\n", LEFT),
    mends("escaped newlines", r"a = 'x\ny'\nprint(a)", "x\ny\n",
          "with \\n as ends of lines"),
    mends("escaped quotes", r'a = \"x\"\nprint(a)', "x\n",
          "with \\n as ends of lines"),
    mends("typographic quotes", "print(\u201ca\u201d, \u2018b\u2019, "
          "'\u201c')", "a b \u201c\n", QUOTES),
    mends("invisible spaces", "a\u00a0= 1\nprint(\u200ba)", "1\n", QUOTES),
    mends("prompts", ">>> for i in 1, 2:\n...     print(i)\n...\n1\n2\n",
          "1\n2\n", "without the prompts"),
    mends("notebook", "!pip install -q x\n%matplotlib inline\nprint(1)",
          "1\n", "without notebook commands such as !pip"),
    mends("notebook commands, but not text in a string",
          "!pip install x\nprint('''a\n%config b\n''')", "a\n%config b\n\n",
          "without notebook commands such as !pip"),
    mends("quotes, and an operand like a command of a notebook",
          "config = 7\nx = (20\n     %config\n)\nprint(\u201cx\u201d, x)",
          "x 6\n", QUOTES),
    mends("notebook commands, but not operands",
          "!pip install x\nconfig = 7\nx = (20\n  %config\n)\n"
          "x = x * 7 \\\n%config \nprint(x)", "0\n",
          "without notebook commands such as !pip"),
    mends("quotes, but not blanks in a string",
          "s = \"\"\"a\n   \nb\"\"\"\nprint(\u201clen\u201d, len(s))",
          "len 7\n", QUOTES),
    mends("indentation, but not that of a string",
          "  s = '''a\n    b\nc'''\n  print(s)", "a\n    b\nc\n", LEFT),
    mends("indentation around a string that goes on",
          "a = 1\n  s = 'a\\\n b'\n  print(s)", "a b\n", LEFT),
    mends("prompts and output like code", ">>> print('sum: 5')\nsum: 5\n"
          ">>> [1,\n... 2]\n[1, 2]\n>>> print('a b(')\na b(\n",
          "sum: 5\na b(\n", "without the prompts"),
    mends("keywords", "def f(**k):\n    return k\n"
          "print(f(a=1, from='(x', to=f(in=[1, 2]), is=3))",
          "{'a': 1, 'from': '(x', 'to': {'in': [1, 2]}, 'is': 3}\n",
          "with keywords as names of arguments"),
    mends("invisible characters outside of strings alone",
          "a = 'x\u200dy\u00a0z'\u200b\n"
          "print(ascii(a), \u201c\u00a0\u201d)",
          "'x\\u200dy\\xa0z' \u00a0\n", QUOTES),
    Case("lines of the repaired code", "```\n\n1 / 0\n```", "",
         r'Traceback .*\n  File "MAIN", line 2, in <module>\n    1 / 0\n'
         r".*ZeroDivisionError: [^\n]*\n" + NOTE % FENCE, 1, like=False),
    Case("a way out", "```\nraise SystemExit(3)\n```", "", NOTE % FENCE, 3,
         like=False),
    Case("display of a notebook", "display([1], 'a')", "[1]\na\n",
         like=False),
    Case("display of the code", "def display(x): print(-x)\ndisplay(1)",
         "-1\n"),
]), ("leaves", [
    Case("a fence in a string", "a = '''\n```python\nprint(1)\n```\n'''\n"
         "print(len(a))", "24\n"),
    refuses("a fence in a string of broken code",
            "a = '''\n```python\nprint(1)\n```\n'''\nprint(len(a)"),
    refuses("two fences", "```\na = 1\n```\n```\nprint(a)\n```",
            "hint: " + ONE % "more than one Markdown fence"),
    refuses("another language", "```bash\nls\n```",
            "hint: " + ONE % "a Markdown fence of the language bash"),
    refuses("a statement outside of the fence",
            "import os\n```python\nprint(1)\n```"),
    refuses("a plain quote between typographic ones",
            'print(\u201ca "r" c\u201d)'),
    refuses("escapes of two meanings", r"a = 'x\\ny'\nprint(a)"),
    refuses("indentation that may be of a string",
            "x = '''\n    keep\n  two'''\n  print(repr(x))"),
    refuses("a prompt without a blank",
            ">>> x = 1\n>>>x = 2\n>>> print(x)"),
    refuses("code behind prompts", ">>> print('a')\nprint('b')"),
    refuses("code behind prompts and output",
            ">>> print('a b')\na b\nprint(\n    'b')\nx = (\n1)"),
    refuses("a command and code in one line", r"!pip install x\nprint(1)",
            "hint: .*"),
    refuses("output that is caught", "%%capture\nprint(1)", "hint: .*"),
    refuses("a block behind one line", "if 0: a = 1\n    print(2)"),
    refuses("tabs of two meanings",
            "if 0:\n    if 0:\n        a = 1\n\tprint(1)\n    print(2\n"),
    refuses("JavaScript", "const a = 1;\nconsole.log(a)",
            "hint: this is not Python\n"),
    refuses("shell code", "echo $a\n", "hint: this is not Python; shell code "
            r"runs as language shell \(caisson exec: --language shell\)\n"),
    refuses("a comprehension as an argument",
            "def f(**k): print(k)\nf(from=x for x in '12')"),
    refuses("a command", "!ls -l", r"hint: commands of notebooks .*\n"),
    refuses("nonsense", "def f(:"),
    Case("a string", "'hello'", ""),
    Case("a string of a name", "'hello'\n", ""),
])]



def says(name, code, hint, before=TRACE, since=(3, 8), said=b"", until=(4, 0)):
    """Return the case of code that ends with an error, and a hint below it."""
    return Case(name, code, "", before + r".*\nhint: %s\n" % hint, 1,
                like=False, since=since, until=until, said=said)


OFFLINE = "there is no network here: .*"
FILES = "the sandbox has no files of the user: .*"
TABLES += [("says", [
    says("urllib", "from urllib.request import urlopen\n"
         "urlopen('http://no-such-host.invalid')", OFFLINE, TRACE + LINE +
         r"    urlopen[^\n]*\n(?: *[~^]+\n)?\S*URLError: "),
    says("sockets", "import socket\n"
         "socket.getaddrinfo('no-such-host.invalid', 80)", OFFLINE),
    says("modules", "import no_such.thing",
         "no_such is not installed, and code cannot install it; .*; "
         "available: .*", said=ASKS),
    says("files of the user", "open('/home/me/a.txt')", FILES, said=ASKS),
    says("files of earlier calls", "open('a.txt')",
         "each call begins with an empty working directory: files of earlier "
         "calls are gone; for those of the user, use tools of servers",
         said=ASKS),
    says("folders that cannot be written",
         "raise OSError(30, 'Read-only file system', '/mnt')",
         "files can be written in the working directory, not there; .*"),
    says("libraries of libraries", "raise ImportError(\"Missing optional "
         "dependency 'x'.  Use pip or conda to install x.\")",
         "nothing can be installed here; available: .*"),
    says("names of earlier calls", "print(quarterly_numbers)",
         "this call started afresh: define or import quarterly_numbers in this "
         "code"),
    says("names like modules", "queue.append(1)", "this call started afresh: "
         "define or import queue in this code", said=ASKS),
    Case("names that are none", "raise NameError(\"name 'x\\nhint: y' is not "
         "defined\")", "", TRACE + LINE + ".*NameError: name 'x\nhint: y' is "
         "not defined\n", 1),
    Case("modules that are none", "raise ModuleNotFoundError('no', "
         "name='x\\ny')", "", TRACE + LINE + ".*ModuleNotFoundError: no\n",
         1),
    says("names of JavaScript", "x = undefined",
         "this is Python: write None .*"),
    says("no await", "async def f(): return {}\nf()['x']",
         "write 'await' before the call of the async function",
         ".*never awaited.*"),
    Case("misspelled names", "total = 1\ntotl", "",
         TRACE + LINE + ".*NameError: [^\n]*\n", 1),
    Case("errors of the code", "{}['x']", "",
         TRACE + LINE + ".*KeyError: 'x'\n", 1),
])]

add_cases(TABLES)

if __name__ == "__main__":
    unittest.main()
