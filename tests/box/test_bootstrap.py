"""What code notices of worker/box/python/bootstrap.py: nothing.

Starts the bootstrap outside of a box, as a plain child with the five
descriptors that caisson-box would give it, plays the relay, and looks at
what comes out.  A case that is "as the interpreter" also runs the same code
by 'python3 file' and demands the same output, errors and end.

    /usr/bin/python3 tests/box/test_bootstrap.py [-v] [-k PATTERN]

The Python that runs the tests is the Python that is tested.
"""
import json
import os
import re
import resource
import select
import signal
import subprocess
import sys
import tempfile
import time
import tokenize
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
PYTHON_DIR = os.path.join(HERE, "..", "..", "worker", "box", "python")
BOOTSTRAP = os.path.join(PYTHON_DIR, "bootstrap.py")
PROBE = os.path.join(
    HERE, "..", "..", "supervisor", "command", "probe.py")
MAIN = "run_python.py"
READY = b'{"type":"ready"}\n'
DEADLINE = 60  # seconds; a case takes 0.02 to 2
TRACE = r"Traceback \(most recent call last\):\n"
LINE = r'  File "MAIN", line \d+, in \S+\n'


class Case:
    """Code, and what it must print and how it must end.

    out: standard output; err: a pattern that all of standard error matches;
    status: an exit code, or -N for signal N; like: whether the interpreter
    must do the same; since, until: versions of Python that it is about.
    """

    def __init__(self, name, code, out="", err="", status=0, like=True,
                 since=(3, 8), until=(4, 0)):
        self.name, self.code, self.out, self.err = name, code, out, err
        self.status, self.like = status, like
        self.since, self.until = since, until


ENDS = [
    Case("nothing", "pass"),
    Case("empty", ""),
    Case("prints", "print('hi')", "hi\n"),
    Case("exit", "import sys\nprint(1)\nsys.exit()\nprint(2)", "1\n"),
    Case("exit 0", "import sys\nsys.exit(0)"),
    Case("exit 3", "import sys\nsys.exit(3)", status=3),
    Case("exit none", "import sys\nsys.exit(None)"),
    Case("exit true", "import sys\nsys.exit(True)", status=1),
    Case("exit text", "import sys\nsys.exit('why')", "", "why\n", 1),
    Case("exit object", "import sys\nsys.exit((1, 2))", "", r"\(1, 2\)\n", 1),
    Case("exit float", "import sys\nsys.exit(0.0)", "", r"0\.0\n", 1),
    Case("exit 137", "import sys\nsys.exit(137)", status=137),
    Case("exit 256", "import sys\nsys.exit(256)"),
    Case("exit -1", "import sys\nsys.exit(-1)", status=255),
    Case("exit 2**31", "import sys\nsys.exit(2 ** 31 + 5)", status=5),
    Case("exit 2**70", "import sys\nsys.exit(2 ** 70)", err=".*", status=255),
    Case("raise SystemExit", "raise SystemExit"),
    Case("raise SystemExit 4", "raise SystemExit(4)", status=4),
    Case("subclass of SystemExit", """
class Quit(SystemExit):
    pass
raise Quit(9)
""", status=9),
    Case("code of SystemExit changed", """
try:
    raise SystemExit(1)
except SystemExit as error:
    error.code = 12
    raise
""", status=12),
    Case("exit while handling", """
try:
    1 / 0
except ZeroDivisionError:
    raise SystemExit(2)
""", status=2),
    Case("exit in finally", """
import sys
try:
    1 / 0
finally:
    sys.exit(8)
""", status=8),
    Case("exit()", "exit(5)", status=5),
    Case("quit()", "quit()"),
    Case("names of site", "print(exit, quit, callable(help))",
         "Use exit() or Ctrl-D (i.e. EOF) to exit "
         "Use quit() or Ctrl-D (i.e. EOF) to exit True\n"),
    Case("exit in a thread", """
import sys, threading
t = threading.Thread(target=sys.exit, args=(3,))
t.start(); t.join(); print('on')
""", "on\n"),
    Case("_exit loses what is buffered", """
import os
print('a'); print('b', end=''); os._exit(7)
""", "a\n", status=7, like=False),
    Case("abort", "import os\nos.abort()", status=-signal.SIGABRT),
    Case("kill -9 self, printed lines stay", """
import os
print('kept'); os.kill(os.getpid(), 9)
""", "kept\n", status=-9, like=False),
    Case("kill -15 self", "import os\nos.kill(os.getpid(), 15)", status=-15),
    Case("SIGALRM", "import signal, time\nsignal.alarm(1)\ntime.sleep(9)",
         status=-signal.SIGALRM),
    Case("segmentation fault", "import ctypes\nctypes.string_at(0)",
         status=-signal.SIGSEGV),
    Case("SIGINT", """
import os, signal, time
os.kill(os.getpid(), signal.SIGINT)
time.sleep(9)
""", "", TRACE + ".*KeyboardInterrupt\n", -signal.SIGINT),
    Case("raise KeyboardInterrupt", "raise KeyboardInterrupt('me')",
         "", TRACE + LINE + ".*KeyboardInterrupt: me\n", -signal.SIGINT),
    Case("KeyboardInterrupt caught", """
import os, signal
try:
    os.kill(os.getpid(), signal.SIGINT)
    while True:
        pass
except KeyboardInterrupt:
    print('caught')
""", "caught\n"),
    Case("handler of a signal", """
import os, signal
signal.signal(signal.SIGTERM, lambda *_: print('term'))
os.kill(os.getpid(), signal.SIGTERM)
""", "term\n"),
    Case("atexit", """
import atexit
atexit.register(print, 'last'); atexit.register(print, 'first'); print('now')
""", "now\nfirst\nlast\n"),
    Case("what an exit function wrote to a file of its own", """
import atexit
atexit.register(open('/dev/stdout', 'w').write, 'last')
""", "last"),
    Case("a file that another module holds", """
import builtins, os
builtins.kept = os.fdopen(os.dup(1), 'w')
builtins.kept.write('kept')
""", "kept"),
    Case("what was printed comes before exit functions", """
import atexit, os
print('first', end=' ')
atexit.register(os.write, 1, b'second')
""", "first second"),
    Case("what was printed is not lost in an exit function", """
import atexit, os
print('printed', end='')
atexit.register(os._exit, 3)
""", "printed", status=3),
    Case("what was printed comes before threads end", """
import os, threading, time
print('printed', end='')
threading.Thread(target=lambda: (time.sleep(0.1), os._exit(4))).start()
""", "printed", status=4),
    Case("what was printed comes before objects end", """
import os
class A:
    def __del__(self, write=os.write): write(1, b'second')
a = A()
print('first', end=' ')
""", "first second"),
    Case("exit functions have no frames around them", """
import atexit, sys
atexit.register(lambda: print(sys._getframe().f_back))
""", "None\n"),
    Case("an exit function of C that fails", """
import atexit, sys
atexit.register(sys.exit, 5)
""", "", ".*SystemExit: 5\n"),
    Case("an interrupt while threads end", """
import os, signal, threading, time
def later():
    time.sleep(0.1)
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(0.1)
threading.Thread(target=later).start()
""", "", r"Exception ignored in: <module 'threading' .*KeyboardInterrupt: ?\n",
         until=(3, 13)),
    Case("a main module that was put back", """
import builtins, os, sys
open('own_module.py', 'w').write(
    "class A:\\n    def __del__(self): print('gone')\\na = A()\\n")
sys.path.insert(0, '')
import own_module
main = sys.modules.pop('__main__')
sys.modules['__main__'] = main
os.unlink('own_module.py')
""", "gone\n"),
    Case("the order of modules", """
import sys
names = list(sys.modules)
print(names.index('__main__') < names.index('stat'))
""", "True\n"),
    Case("output that another module holds", """
import builtins, sys
builtins.kept = sys.stdout
sys.stdout = sys.__stdout__ = None
kept.write('kept')
""", "kept"),
    Case("atexit after an error", """
import atexit
atexit.register(print, 'last')
1 / 0
""", "last\n", TRACE + LINE + ".*ZeroDivisionError.*", 1),
    Case("atexit after exit", """
import atexit, sys
atexit.register(print, 'last')
sys.exit(6)
""", "last\n", status=6),
    Case("error in atexit", """
import atexit
atexit.register(lambda: 1 / 0)
print('a')
""", "a\n", ".*ZeroDivisionError.*"),
    Case("excepthook is the user's in atexit", """
import atexit, sys
atexit.register(lambda: print(sys.excepthook is sys.__excepthook__))
atexit.register(lambda: print(sys.last_traceback.tb_lineno))
1 / 0
""", "5\nTrue\n", TRACE + LINE + ".*ZeroDivisionError.*", 1),
    Case("excepthook is the user's in atexit, after exit", """
import atexit, sys
atexit.register(lambda: print(sys.excepthook is sys.__excepthook__))
sys.exit(2)
""", "True\n", status=2),
    Case("weakref.finalize", """
import weakref
class A: pass
a = A()
weakref.finalize(a, print, 'gone')
print('end')
""", "end\ngone\n"),
    Case("__del__ at the end sees its globals", """
import os
text = 'word'
class A:
    def __del__(self):
        print(text, os.sep, type(self).__name__)
a = A()
print('end')
""", "end\nword / A\n"),
    Case("__del__ in a cycle at the end", """
text = 'word'
class A:
    def __init__(self): self.me = self
    def __del__(self): print('deleted', text)
A(); print('end')
""", "end\ndeleted word\n"),
    Case("__del__ after an error", """
class A:
    def __del__(self): print('deleted')
a = A()
raise ValueError(a.__class__.__name__)
""", "deleted\n", TRACE + LINE + ".*ValueError: A\n", 1),
    Case("os.fork: both go on", """
import os
pid = os.fork()
if pid:
    print('parent', os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
else:
    print('child', flush=True)
    raise SystemExit(3)
""", "child\nparent 3\n", since=(3, 9)),
    Case("error in a forked child", """
import os
pid = os.fork()
if not pid:
    1 / 0
print(os.WEXITSTATUS(os.waitpid(pid, 0)[1]))
""", "1\n", TRACE + LINE + ".*ZeroDivisionError.*"),
]

ERRORS = [
    Case("uncaught", "def f():\n    1 / 0\nf()", "",
         TRACE + r'  File "MAIN", line 3, in <module>\n    f\(\)\n(?: +~.*\n)?'
         r'  File "MAIN", line 2, in f\n    1 / 0\n.*'
         "ZeroDivisionError: division by zero\n", 1),
    Case("name suggested", "import os\nos.getcwdd()", "",
         TRACE + LINE + r".*AttributeError: .*getcwdd.*", 1),
    Case("no module", "import no_such_module", "", TRACE + LINE +
         ".*ModuleNotFoundError: No module named 'no_such_module'\n", 1),
    Case("from", """
try:
    {}['a']
except KeyError as error:
    raise ValueError('b') from error
""", "", TRACE + LINE + r".*KeyError: 'a'\n\nThe above exception was the "
         r"direct cause.*:\n\n" + TRACE + LINE + ".*ValueError: b\n", 1),
    Case("from None", """
try:
    {}['a']
except KeyError:
    raise ValueError('b') from None
""", "", TRACE + LINE + r"    raise.*ValueError: b\n", 1),
    Case("while handling", """
def f():
    {}['a']
try:
    f()
except KeyError:
    raise ValueError('b')
""", "", ".*During handling.*ValueError: b\n", 1),
    Case("context in a circle", """
a, b = ValueError('a'), ValueError('b')
a.__context__ = b
b.__cause__ = a
raise a
""", "", ".*ValueError: a\n", 1),
    Case("long chain", """
error = None
for i in range(200):
    try:
        raise ValueError(i) from error
    except ValueError as e:
        error = e
raise error
""", "", ".*ValueError: 199\n", 1),
    Case("group", """
def f(x):
    raise ValueError(x)
errors = []
for x in 1, 2:
    try:
        f(x)
    except ValueError as error:
        errors.append(error)
raise ExceptionGroup('both', errors)
""", "", r"  \+ Exception Group Traceback.*ValueError: 1\n.*ValueError: 2\n.*",
         1, since=(3, 11)),
    Case("group in a group in a chain", """
try:
    inner = ExceptionGroup('x', [OSError()])
    raise ExceptionGroup('in', [TypeError(1), inner])
except* TypeError as group:
    raise RuntimeError('out') from group
""", "", ".*RuntimeError: out.*", 1, since=(3, 11)),
    Case("note", """
error = ValueError('v')
error.add_note('a note')
raise error
""", "", ".*ValueError: v\na note\n", 1, since=(3, 11)),
    Case("__str__ raises", """
class Bad(Exception):
    def __str__(self):
        1 / 0
raise Bad
""", "", TRACE + LINE + r".*Bad: <exception str\(\) failed>\n", 1),
    Case("BaseException", "class B(BaseException): pass\nraise B(1)", "",
         TRACE + LINE + r".*B: 1\n", 1),
    Case("GeneratorExit", "raise GeneratorExit", "",
         TRACE + LINE + r".*GeneratorExit\n", 1),
    Case("hostile exception", """
class Bad(Exception):
    def __getattribute__(self, name):
        if name.startswith('__'):
            raise RuntimeError(name)
        return super().__getattribute__(name)
    def __setattr__(self, name, value):
        raise RuntimeError(name)
raise Bad('x')
""", "", ".*Bad.*", 1),
    Case("not an exception", "raise 5", "", TRACE + LINE +
         ".*TypeError: exceptions must derive from BaseException\n", 1),
    Case("recursion", "def f(n):\n    return f(n + 1)\nf(0)", "",
         TRACE + r".*Previous line repeated \d+ more times.*"
         "RecursionError: maximum recursion depth exceeded.*", 1),
    Case("recursion caught", """
def f(n):
    return f(n + 1)
try:
    f(0)
except RecursionError:
    print('deep')
""", "deep\n"),
    Case("memory", "x = bytes(1 << 62)", "",
         TRACE + LINE + ".*MemoryError\n", 1),
    Case("huge message", "raise ValueError('x' * 1000000)", "",
         TRACE + LINE + ".*ValueError: x{1000000}\n", 1),
    Case("surrogate in a message", r"raise ValueError('\ud800')", "",
         TRACE + LINE + r".*ValueError: \\ud800\n", 1),
    Case("message of many lines", "raise ValueError('a\\nb\\n')", "",
         TRACE + LINE + ".*ValueError: a\nb\n\n", 1),
    Case("expression of many lines", "x = (1 +\n  2 +\n  'a')", "",
         TRACE + LINE + ".*TypeError.*", 1),
    Case("in a class body", "class A:\n    x = 1 / 0", "",
         TRACE + LINE + ".*" + LINE + ".*ZeroDivisionError.*", 1),
    Case("in exec", "exec('def f():\\n 1/0\\nf()')", "",
         TRACE + LINE + '.*File "<string>", line 3.*ZeroDivisionError.*', 1),
    Case("in a comprehension", "[1 / x for x in (1, 0)]", "",
         TRACE + LINE + ".*ZeroDivisionError.*", 1),
    Case("through the library", "import json\njson.loads('{')", "",
         TRACE + LINE + ".*json/decoder.py.*JSONDecodeError.*", 1),
    Case("print_exc", """
import traceback
try:
    1 / 0
except ZeroDivisionError:
    traceback.print_exc()
""", "", TRACE + LINE + ".*ZeroDivisionError: division by zero\n"),
    Case("in __del__", """
class A:
    def __del__(self):
        1 / 0
A()
print('on')
""", "on\n", "Exception ignored in: <function A.__del__.*" + TRACE + LINE +
         ".*ZeroDivisionError.*", until=(3, 14)),
    Case("unraisablehook", """
import sys
sys.unraisablehook = lambda args: print(args.exc_type.__name__)
class A:
    def __del__(self):
        1 / 0
A()
""", "ZeroDivisionError\n"),
    Case("unraisablehook until the end", """
import sys
sys.unraisablehook = eval("lambda args, print=print: print('mine')", {})
class A:
    def __del__(self):
        1 / 0
a = A()
""", "mine\n"),
    Case("unraisablehook deleted", """
import sys
del sys.unraisablehook
print('on')
""", "on\n"),
    Case("unraisablehook deleted, and an error at the end", """
import sys
class A:
    def __del__(self):
        1 / 0
a = A()
del sys.unraisablehook
""", "", "Exception ignored .*" + TRACE + LINE + ".*ZeroDivisionError.*",
         like=False),
    Case("unraisablehook set at the end, which something ends early", """
import json, sys
class A:
    def __del__(self, sys=sys,
                hook=eval("lambda args, print=print: print('mine')", {})):
        sys.unraisablehook = hook
others = {}
exec('''
class B:
    def __del__(self):
        1 / 0
class Stream:
    count = 0
    @property
    def closed(self):
        self.count += 1
        if self.count == 1:
            raise OSError('once')
        return False
    def flush(self): pass
''', others)
a, json.kept, sys.stderr = A(), others['B'](), others['Stream']()
""", "mine\n"),
    Case("file that cannot be written when it is freed at the end", """
import io
class Raw(io.RawIOBase):
    def writable(self): return True
    def write(self, data): raise OSError('gone')
file = io.BufferedWriter(Raw())
file.write(b'lost')
""", "", "Exception ignored .*" + TRACE + LINE + ".*OSError: gone\n"
         if sys.version_info >= (3, 13) else "", like=False),
    Case("full file at the end", """
file = open('/dev/full', 'w')
file.write('lost')
""", "", r"Exception ignored .*\nOSError: \[Errno 28\] [^\n]*\n"
         if sys.version_info >= (3, 13) else ""),
    Case("files with what is in reference cycles", """
def f(): pass
binary = open('/dev/stdout', 'wb')
binary.write(b'one ')
text = open('/dev/stdout', 'w')
text.write('two')
""", None),
    Case("in a thread", """
import threading
t = threading.Thread(target=lambda: 1 / 0)
t.start(); t.join(); print('on')
""", "on\n", r"Exception in thread Thread-1.*" + TRACE +
         ".*ZeroDivisionError.*"),
    Case("threading.excepthook", """
import threading
threading.excepthook = lambda args: print(args.exc_type.__name__)
t = threading.Thread(target=lambda: 1 / 0)
t.start(); t.join()
""", "ZeroDivisionError\n"),
    Case("excepthook", """
import sys, traceback
def hook(kind, error, trace):
    print(kind.__name__, error, [f.name for f in traceback.extract_tb(trace)],
          trace is error.__traceback__, sys.excepthook is hook)
sys.excepthook = hook
def f():
    1 / 0
f()
""", "ZeroDivisionError division by zero ['<module>', 'f'] True True\n",
         status=1),
    Case("excepthook for KeyboardInterrupt", """
import sys
sys.excepthook = lambda *args: print(args[0].__name__)
raise KeyboardInterrupt
""", "KeyboardInterrupt\n", status=-signal.SIGINT),
    Case("excepthook raises", """
import sys
def hook(*args):
    {}['a']
sys.excepthook = hook
1 / 0
""", "", r"Error in sys.excepthook:\n" + TRACE + LINE + r".*KeyError: 'a'\n\n"
         "Original exception was:\n" + TRACE + LINE + ".*ZeroDivision.*", 1),
    Case("excepthook is None", "import sys\nsys.excepthook = None\n1 / 0", "",
         "Error in sys.excepthook:\n.*TypeError.*callable\n\nOriginal exce.*"
         + TRACE + LINE + ".*ZeroDivisionError.*", 1),
    Case("excepthook exits", """
import sys
sys.excepthook = lambda *args: sys.exit(9)
1 / 0
""", status=9),
    Case("excepthook not for SystemExit", """
import sys
sys.excepthook = print
sys.exit(2)
""", status=2),
    Case("error without stderr", "import sys\nsys.stderr = None\n1 / 0",
         status=1),
    Case("error in main, thread goes on", """
import threading, time
def f():
    time.sleep(0.2); print('thread')
threading.Thread(target=f).start()
1 / 0
""", "thread\n", TRACE + LINE + ".*ZeroDivisionError.*", 1),
    Case("SyntaxError raised by the user", "raise SyntaxError('mine')", "",
         TRACE + LINE + ".*SyntaxError: mine\n", 1),
    Case("SyntaxError in exec", "exec('x = = 1')", "", TRACE + LINE +
         r'.*  File "<string>", line 1\n.*SyntaxError: invalid syntax\n', 1),
    Case("assertion", "x = 3\nassert x == 4, f'{x} is not 4'", "",
         TRACE + LINE + ".*AssertionError: 3 is not 4\n", 1),
]

SYNTAX = [
    Case("syntax: " + name, code, "", r'  File "MAIN", line \d+\n.*' + err, 1,
         like=sys.version_info >= (3, 10) or name not in ("triple", "bracket"))
    for name, code, err in (
        ("operator", "print('never')\nx = = 1", r" +\^+\nSyntaxError.*"),
        ("indent expected", "if x:\npass", "IndentationError: expected an.*"),
        ("indent unexpected", "x = 1\n  y = 2", "IndentationError: unexp.*"),
        ("dedent", "if x:\n    a\n  b", "IndentationError: unindent.*"),
        ("tabs", "if 1:\n        a = 1\n\tb = 2", "TabError: incons.*"),
        ("string", "print('never)", "SyntaxError.*"),
        ("triple", "x = 1\n'''never\n\n", "SyntaxError.*"),
        ("bracket", "x = (1,\n\n", "SyntaxError.*"),
        ("wrong bracket", "x = (1]\n", "SyntaxError.*"),
        ("no bracket", "x = 1)\n", "SyntaxError.*"),
        ("return", "return 1", "SyntaxError: 'return' outside function\n"),
        ("yield", "yield 1", "SyntaxError: 'yield' outside function\n"),
        ("await", "def f():\n    await g()",
         "SyntaxError: 'await' outside async function\n"),
        ("await in lambda", "f = lambda: await g()",
         "SyntaxError: 'await' outside async function\n"),
        ("break", "break", "SyntaxError: 'break' outside loop\n"),
        ("nonlocal", "nonlocal x", "SyntaxError: nonlocal.*"),
        ("star", "def f():\n    from os import *", "SyntaxError: import.*"),
        ("future", "x = 1\nfrom __future__ import annotations",
         "SyntaxError: from __future__.*"),
        ("future unknown", "from __future__ import teleport",
         "SyntaxError: future feature teleport.*"),
        ("print", "print 'hi'", "SyntaxError: Missing parenth.*"),
        ("quotes", "print(\u201chi\u201d)", "SyntaxError: invalid char.*"),
        ("no-break space", "x =\u00a01", "SyntaxError: invalid .*"),
        ("assign", "f() = 1", "SyntaxError: cannot assign.*"),
        ("f-string", "x = 1\nf'{x'", "SyntaxError: .*"),
        ("twice", "def f(a, a): pass", "SyntaxError: duplicate arg.*"),
        ("wide", "\u4f60\u597d = = 1", "SyntaxError.*"),
    ) if not (name == "f-string" and sys.version_info < (3, 12))
] + [
    Case("too many brackets", "(" * 500 + ")" * 500, "", ".*Error.*", 1),
    Case("too many indents", "".join(
        "%sif 1:\n" % (" " * i) for i in range(150)), "", ".*Error.*", 1),
]

SOURCES = [
    Case("no newline at the end", "print(1)", "1\n"),
    Case("only comments", "# nothing\n# at all"),
    Case("only blank", "\n\n   \n\t\n"),
    Case("CRLF", "x = '''a\r\nb'''\r\nprint(repr(x))\r\n", "'a\\nb'\n"),
    Case("CRLF error", "x = 1\r\n\r\n1 / 0\r\n", "",
         TRACE + r'  File "MAIN", line 3.*', 1),
    Case("CR", "print(1)\rprint(2)\r", "1\n2\n", like=False),
    Case("BOM", "\ufeffprint('\u00e9')", "\u00e9\n"),
    Case("form feed", "print(1)\n\f\nprint(2)\n\f", "1\n2\n"),
    Case("tabs", "if 1:\n\tprint(1)\n\tif 2:\n\t\tprint(2)", "1\n2\n"),
    Case("continued", "print(1 + \\\n2)", "3\n"),
    Case("identifiers", "\u00e4\u00f6 = 2\nprint(\u00e4\u00f6)", "2\n"),
    Case("emoji", "print('\U0001f600', len('\U0001f600'))",
         "\U0001f600 1\n"),
    Case("utf-8 declared", "# -*- coding: utf-8 -*-\nprint('\u00e9')",
         "\u00e9\n"),
    Case("latin-1 declared", "# -*- coding: latin-1 -*-\nprint('\u00e9')",
         "\u00e9\n"),
    Case("latin-1 declared, error", """\
# coding: latin-1
name = '\u00e9'; 1 / 0
""", "", TRACE + LINE + ".*name = '\u00e9'; 1 / 0.*", 1),
    Case("latin-1 declared, source read again", """\
# vim: set fileencoding=latin-1 :
import inspect
def f(): return '\u00e9'
print(inspect.getsource(f), end='')
""", "def f(): return '\u00e9'\n"),
    Case("declared what cannot be", "# coding: ascii\nprint('\u00e9')", "",
         ".*SyntaxError.*", 1, like=False),
    Case("declared nonsense", "# coding: klingon\nprint(1)", "",
         ".*SyntaxError: .*klingon.*", 1, like=False),
    Case("coding in a string", "x = 'coding: klingon'\nprint(x)",
         "coding: klingon\n"),
    Case("null byte", "print(1)\0", "", ".*(Value|Syntax)Error: source code "
         "(string )?cannot contain null bytes\n", 1, like=False),
    Case("long line", "x = '%s'\nprint(len(x))" % ("y" * 3000000),
         "3000000\n"),
    Case("many lines", "x = 0\n" + "x += 1\n" * 50000 + "print(x)",
         "50000\n"),
    Case("deep unary", "x = " + "-" * 100000 + "1", "", ".*Error.*", 1,
         like=False),
    Case("invalid escape", "print(len('\\d'))", "2\n", ".*"),
    Case("syntax warning", "print(1 is 1)", "True\n",
         r'MAIN:1: SyntaxWarning: .*\n  print\(1 is 1\)\n'),
    Case("future annotations", """
from __future__ import annotations
def f(x: NoSuch) -> Nothing: pass
print(f.__annotations__)
""", "{'x': 'NoSuch', 'return': 'Nothing'}\n"),
    Case("no future of ours", """
def f(x: int): pass
print(f.__annotations__)
exec('def g(x: int): pass'); print(g.__annotations__)
""", "{'x': <class 'int'>}\n{'x': <class 'int'>}\n"),
]

MODULE = [
    Case("names", """
print(sorted(set(globals()) - {
    'LOADED_MCP_SERVERS', 'mcp_servers', 'runtime'}))
""", None),
    Case("names of ours", """
import sys
print(mcp_servers, LOADED_MCP_SERVERS, 'mcp' in sys.modules)
print(runtime.__name__, runtime.list_servers(), 'mcp' in sys.modules)
import mcp
print(runtime is mcp.runtime is sys.modules['mcp.runtime'])
""", "{} () False\nmcp.runtime () True\nTrue\n", like=False),
    Case("__name__", "print(__name__, __spec__, __package__)",
         "__main__ None None\n"),
    Case("__doc__", "'''What I am.'''\nprint(__doc__)", "What I am.\n"),
    Case("no __doc__", "print(__doc__)", "None\n"),
    Case("__annotations__", "x: int = 1\nprint(__annotations__)",
         "{'x': <class 'int'>}\n"),
    Case("__annotations__ fresh", "print(__annotations__)", "{}\n",
         until=(3, 14)),
    Case("__builtins__", "print(type(__builtins__).__name__)", "module\n"),
    Case("builtins", "print(len(dir(__builtins__)))", None),
    Case("modules", """
import sys
print(sorted(set(sys.modules) - {'_json'}))
""", None),
    Case("path and arguments", """
import os, sys
print(sys.argv == [__file__], os.path.isfile(__file__),
      oct(os.stat(__file__).st_mode & 0o777 & ~os.umask(0)))
print(sys.path[0] == os.environ["HOME"])
print(any('caisson' in p or 'worker' in p for p in sys.path))
""", "True True 0o644\nTrue\nFalse\n", like=False),
    Case("bootstrap not importable", """
for name in 'bootstrap', 'probe', 'caisson':
    try:
        __import__(name); print(name)
    except ImportError:
        pass
"""),
    Case("module in its place", """
import sys, __main__
from __main__ import sys as again
print(sys.modules['__main__'] is __main__, vars(__main__) is globals(),
      type(__main__).__name__, again is sys, 'MAIN' in repr(__main__))
""".replace("'MAIN'", repr(MAIN)), "True True module True True\n"),
    Case("vars, locals, dir", """
x = 1
print(vars() is globals(), locals() is globals(), 'x' in dir())
""", "True True True\n"),
    Case("guard", "if __name__ == '__main__':\n    print('main')", "main\n"),
    Case("del __name__", "del __name__\nprint('__name__' in globals())",
         "False\n"),
    Case("del __file__ and an error", "del __file__\n1 / 0", "",
         TRACE + LINE + ".*ZeroDivisionError.*", 1),
    Case("other __main__", """
import sys, types
sys.modules['__main__'] = types.ModuleType('__main__')
x = 5
def f(): return x
print(f())
""", "5\n"),
    Case("no __main__", """
import sys
del sys.modules['__main__']
x = 5
def f(): return x
print(f(), sys.argv is not None)
""", "5 True\n"),
    Case("star import", "from math import *\nprint(floor(pi), sqrt(4))",
         "3 2.0\n"),
    Case("dataclass", """
from __future__ import annotations
from dataclasses import dataclass, field, asdict
from typing import ClassVar, List
@dataclass(order=True)
class P:
    x: int
    tags: List[str] = field(default_factory=list)
    count: ClassVar[int] = 7
print(P(1, ['a']), P(1) < P(2), asdict(P(3)), P.count)
""", "P(x=1, tags=['a']) True {'x': 3, 'tags': []} 7\n"),
    Case("type hints", """
from __future__ import annotations
import typing
class A:
    b: B
    c: typing.Optional[A]
class B: pass
def f(a: A) -> B: pass
print(typing.get_type_hints(A)['b'] is B, typing.get_type_hints(f))
""", "True {'a': <class '__main__.A'>, 'return': <class '__main__.B'>}\n"),
    Case("NamedTuple", """
import typing, collections
class P(typing.NamedTuple):
    x: int
Q = collections.namedtuple('Q', 'y')
print(P(1), P.__module__, Q(2), Q.__module__)
""", "P(x=1) __main__ Q(y=2) __main__\n"),
    Case("pickle", """
import copy, enum, pickle
class A:
    def __init__(self, x): self.x = x
class C(enum.Enum): RED = 1
def f(): return 3
a = pickle.loads(pickle.dumps(A([1])))
print(type(a) is A, a.x, pickle.loads(pickle.dumps(C.RED)) is C.RED,
      pickle.loads(pickle.dumps(f))(), copy.deepcopy(A(2)).x)
""", "True [1] True 3 2\n"),
    Case("pickle refuses", "import pickle\npickle.dumps(lambda: 1)", "",
         TRACE + LINE + ".*PicklingError: Can't pickle .*", 1),
    Case("inspect", """
import inspect, linecache
class A:
    '''Doc.'''
    def f(self):
        return 1
def g(x, *, y=2):  # remark
    return x
print(inspect.getsource(A), inspect.getsource(g), inspect.signature(g))
print(inspect.getmodule(g).__name__, inspect.getsourcefile(g) == __file__)
print(linecache.getline(__file__, 2), inspect.getdoc(A))
print(__loader__.get_source('__main__') == open(__file__).read())
""", None),
    Case("own frame", """
import inspect, sys
f = sys._getframe()
print(f.f_code.co_name, f.f_code.co_filename == __file__, f.f_lineno)
print(inspect.currentframe().f_globals is globals())
""", "<module> True 4\nTrue\n"),
    Case("nothing being handled", "import sys\nprint(sys.exc_info())",
         "(None, None, None)\n"),
    Case("doctest", """
'''
>>> twice(2)
4
>>> twice('a')
'aa'
'''
def twice(x):
    return x * 2
import doctest
print(doctest.testmod())
""", "TestResults(failed=0, attempted=2)\n"),
    Case("unittest", """
import unittest
class T(unittest.TestCase):
    def test_a(self): self.assertEqual(1, 1)
    def test_b(self): self.assertEqual(1, 2)
unittest.main()
""", "", r".*FAIL: test_b \(__main__.T.*FAILED \(failures=1\)\n", 1),
    Case("argparse", """
import argparse
p = argparse.ArgumentParser(description='D')
p.add_argument('--n', type=int, default=4)
print(p.parse_args()); p.parse_args(['--n', 'x'])
""", "Namespace(n=4)\n", r"usage: run_python.py \[-h\].*", 2),
    Case("timeit and profile", """
import timeit, cProfile, io, contextlib
def f(): return 1
print(timeit.timeit('f()', 'from __main__ import f', number=2) >= 0)
with contextlib.redirect_stdout(io.StringIO()) as s: cProfile.run('f()')
print('function calls' in s.getvalue())
""", "True\nTrue\n"),
    Case("runpy", """
import runpy, sys
if len(sys.argv) == 1:
    sys.argv.append('again')
    print(runpy.run_path(__file__, run_name='other')['x'])
x = __name__
""", "other\n"),
    Case("help", "help(len)", None),
    Case("help without a terminal", "help()", None),
    Case("warnings", """
import warnings
warnings.warn('careful')
def f():
    warnings.warn('old', DeprecationWarning, stacklevel=2)
f()
""", "", r"MAIN:3: UserWarning: careful\n  warnings.warn\('careful'\)\n"
         r"MAIN:6: DeprecationWarning: old\n  f\(\)\n"),
    Case("warnings as errors", """
import warnings
warnings.simplefilter('error')
warnings.warn('careful')
""", "", TRACE + LINE + ".*UserWarning: careful\n", 1),
    Case("logging", """
import logging
logging.warning('w'); logging.info('i')
log = logging.getLogger('a.b')
try:
    1 / 0
except ZeroDivisionError:
    log.exception('e')
""", "", r"WARNING:root:w\nERROR:a.b:e\n" + TRACE + LINE + ".*"),
    Case("logging without set-up", """
import logging
logging.getLogger('x').error('bare')
""", "", "bare\n"),
    Case("importlib.reload refused", """
import importlib, sys
try:
    importlib.reload(sys.modules['__main__'])
except ImportError as error:
    print(type(error).__name__)
""", "ModuleNotFoundError\n"),
]

STREAMS = [
    Case("what they are", """
import sys
for s in sys.stdout, sys.stderr:
    print(s.encoding, s.errors, s.line_buffering, s.isatty(), s.fileno(),
          s.mode, s.name, type(s).__name__)
print(sys.stdout is sys.__stdout__, sys.stdin.fileno(), sys.stdin.name)
""", "utf-8 backslashreplace True False 1 w <stdout> TextIOWrapper\n"
         "utf-8 backslashreplace True False 2 w <stderr> TextIOWrapper\n"
         "True 0 <stdin>\n", like=False),
    Case("bytes", """
import sys
sys.stdout.buffer.write(b'\\x00\\xff\\xfe raw\\n')
sys.stdout.buffer.flush()
print('text')
""", b"\x00\xff\xfe raw\ntext\n"),
    Case("surrogates", r"print('a\ud800b', ascii('\udcff'))",
         "a\\ud800b '\\udcff'\n", like=False),
    Case("surrogate on stderr", r"""
import sys
print('\ud800', file=sys.stderr)
""", "", r"\\ud800\n"),
    Case("long line", "print('y' * 5000000)", "y" * 5000000 + "\n"),
    Case("long line without newline", "print('y' * 300000, end='')",
         "y" * 300000),
    Case("blank lines", "print()\nprint()\nprint('()')\nprint(())",
         "\n\n()\n()\n"),
    Case("carriage returns", "print('a\\rb\\r\\n')", "a\rb\r\n\n"),
    Case("no newline at the end", "print('a', end='')", "a"),
    Case("lines come out as printed", """
import os
print('1'); os.write(1, b'2\\n'); print('3', end='', flush=True)
os.write(1, b'4\\n')
""", "1\n2\n34\n", like=False),
    Case("children write in between", """
import os, subprocess, sys
print('1', flush=True); subprocess.run(['echo', '2'])
print('3', flush=True); os.system('echo 4; echo e >&2')
subprocess.run([sys.executable, '-c', 'print(5)'])
print(subprocess.run(['echo', '6'], stdout=-1).stdout)
""", "1\n2\n3\n4\n5\nb'6\\n'\n", "e\n"),
    Case("stderr", "import sys\nprint('e', file=sys.stderr)\nprint('o')",
         "o\n", "e\n"),
    Case("input", "input('name? ')", "name? ", TRACE + LINE +
         ".*EOFError: EOF when reading a line\n", 1),
    Case("stdin is empty", """
import os, sys
print(repr(sys.stdin.read()), list(sys.stdin), os.read(0, 9))
""", "'' [] b''\n"),
    Case("stdout is None", "import sys\nsys.stdout = None\nprint('x')"),
    Case("both are None", """
import sys
sys.stdout = sys.stderr = None
print('x')
"""),
    Case("stdout closed", "import sys\nsys.stdout.close()"),
    Case("stdout closed, then printed to",
         "import sys\nsys.stdout.close()\nprint('x')", "",
         TRACE + LINE + ".*ValueError: I/O operation on closed file.\n", 1),
    Case("descriptor 1 closed before the flush", """
import os, sys
sys.stdout.write('x'); os.close(1)
""", "", r"Exception ignored .*stdout.*OSError: \[Errno 9\] Bad file "
         "descriptor\n", 120),
    Case("descriptors closed, code goes on", """
import os
os.close(1); os.close(2)
raise SystemExit(7)
""", status=7),
    Case("stdout replaced", """
import io, sys
sys.stdout = io.StringIO()
print('kept'); text = sys.stdout.getvalue()
sys.stdout = sys.__stdout__
print(repr(text))
""", "'kept\\n'\n"),
    Case("stdout raises", """
import sys
class Bad:
    def write(self, text): raise OSError('no')
    def flush(self): pass
sys.stdout = Bad()
print('x')
""", "", TRACE + LINE + ".*OSError: no\n", 1),
    Case("redirected", """
import contextlib, io
with contextlib.redirect_stdout(io.StringIO()) as s: print('in')
print(repr(s.getvalue()))
""", "'in\\n'\n"),
    Case("reconfigured", """
import sys
sys.stdout.reconfigure(encoding='latin-1', errors='replace')
print('\\xe9\\u4f60')
""", b"\xe9?\n"),
    Case("broken pipe of a child", """
import subprocess
p = subprocess.Popen(['true'], stdin=subprocess.PIPE)
p.wait()
try:
    p.stdin.write(b'x'); p.stdin.flush()
except BrokenPipeError:
    print('broken')
""", "broken\n", ".*"),
]

TASKS = [
    Case("top-level await", """
import asyncio
print(await asyncio.sleep(0, 'slept'), __name__)
""", "slept __main__\n", like=False),
    Case("top-level await only", "await __import__('asyncio').sleep(0)",
         like=False),
    Case("async for, async with, comprehension", """
import asyncio, contextlib
async def numbers():
    for i in range(3):
        yield i
async for n in numbers():
    print(n)
@contextlib.asynccontextmanager
async def open_(): yield 'open'
async with open_() as it:
    print(it, [n async for n in numbers()], {n async for n in numbers()})
""", "0\n1\n2\nopen [0, 1, 2] {0, 1, 2}\n", like=False),
    Case("await in a branch, an f-string, a function call", """
import asyncio
async def f(x): return x * 2
if __name__ == '__main__':
    for i in range(2):
        print(f'{await f(i)}', max(await f(1), await f(2)))
""", "0 4\n2 4\n", like=False),
    Case("names are globals", """
import asyncio
x = await asyncio.sleep(0, 5)
def f(): return x
class A: y = x
import __main__, pickle
print(f(), A.y, __main__.x, locals() is globals(),
      type(pickle.loads(pickle.dumps(A()))) is A)
""", "5 5 5 True True\n", like=False),
    Case("dataclass and top-level await", """
from __future__ import annotations
import asyncio, dataclasses, inspect, typing
@dataclasses.dataclass
class P: x: P | None = None
await asyncio.sleep(0)
print(P(), inspect.getsource(P).count('x: P'), __file__ in repr(
    inspect.getmodule(P)), inspect.getmodule(P).__file__ == __file__)
""", "P(x=None) 1 True True\n", like=False),
    Case("gather", """
import asyncio
async def f(x):
    await asyncio.sleep(0.01 * x)
    return x
print(await asyncio.gather(f(2), f(1)))
""", "[2, 1]\n", like=False),
    Case("task group", """
import asyncio
async def f(x): print(x)
async with asyncio.TaskGroup() as group:
    group.create_task(f(1)); group.create_task(f(2))
""", "1\n2\n", like=False, since=(3, 11)),
    Case("task group fails", """
import asyncio
async def f(x): raise ValueError(x)
async with asyncio.TaskGroup() as group:
    group.create_task(f(1)); group.create_task(f(2))
""", "", r"  \+ Exception Group Traceback \(most recent call last\):\n"
         r'  \|   File "MAIN", line 4, in <module>\n.*ValueError: 1\n.*', 1,
         like=False, since=(3, 11)),
    Case("error at top level", """
import asyncio
await asyncio.sleep(0)
1 / 0
""", "", TRACE + r'  File "MAIN", line 4, in <module>\n    1 / 0\n'
         r"( +~.*\n)?ZeroDivisionError: division by zero\n", 1, like=False),
    Case("error inside", """
import asyncio
async def f():
    await asyncio.sleep(0)
    1 / 0
try:
    await f()
except ZeroDivisionError as error:
    raise ValueError('v') from error
""", "", TRACE + r'  File "MAIN", line 7, in <module>\n    await f\(\)\n'
         r'  File "MAIN", line 5, in f\n.*ZeroDiv.*direct cause.*\n\n' + TRACE
         + r'  File "MAIN", line 9, in <module>\n    raise[^\n]*\n'
         "ValueError: v\n", 1, like=False),
    Case("error of a library inside await", """
import asyncio
await asyncio.wait_for(asyncio.sleep(9), 0.01)
""", "", TRACE + r'.*  File "MAIN", line 3, in <module>\n.*asyncio.*'
         r"TimeoutError\n", 1, like=False),
    Case("exit inside", """
import asyncio, sys
async def f(): sys.exit(3)
await f()
""", status=3, like=False),
    Case("interrupt inside", """
import asyncio, os, signal
os.kill(os.getpid(), signal.SIGINT)
await asyncio.sleep(9)
""", "", TRACE + ".*KeyboardInterrupt\n", -signal.SIGINT, like=False),
    Case("interrupt inside, its chain", """
import asyncio, os, signal
asyncio.get_running_loop().call_soon(os.kill, os.getpid(), signal.SIGINT)
await asyncio.sleep(9)
""", "", TRACE + r'  File "MAIN", line 4, in <module>\n.*CancelledError\n'
         r"\nDuring handling of the above.*\n" + TRACE + r'  File "[^"]*'
         r"/asyncio/runners.py.*\nKeyboardInterrupt\n", -signal.SIGINT,
         like=False, since=(3, 11)),
    Case("excepthook and top-level await", """
import asyncio, sys, traceback
sys.excepthook = lambda k, e, t: print(len(traceback.extract_tb(t)), e)
await asyncio.sleep(0)
raise ValueError('v')
""", "1 v\n", status=1, like=False),
    Case("tasks left over are cancelled", """
import asyncio
async def f():
    try:
        await asyncio.sleep(99)
    finally:
        print('cancelled')
task = asyncio.create_task(f())
await asyncio.sleep(0)
print('end')
""", "end\ncancelled\n", like=False),
    Case("generators left over are closed", """
import asyncio
async def f():
    try:
        yield 1
        yield 2
    finally:
        await asyncio.sleep(0)
        print('closed')
g = f()
print(await g.__anext__())
""", "1\nclosed\n", like=False),
    Case("executor is awaited", """
import asyncio, time
def slow():
    time.sleep(0.2); print('done')
asyncio.get_running_loop().run_in_executor(None, slow)
await asyncio.sleep(0)
print('end')
""", "end\ndone\n", like=False, since=(3, 9)),
    Case("atexit and threads after top-level await", """
import asyncio, atexit, threading
atexit.register(print, 'last')
threading.Timer(0.1, print, ('timer',)).start()
await asyncio.sleep(0)
""", "timer\nlast\n", like=False),
    Case("coroutine never awaited, top-level await", """
import asyncio
async def f(): pass
f()
await asyncio.sleep(0)
""", "", r"MAIN:4: RuntimeWarning: coroutine 'f' was never awaited\n  f\(\)\n"
         "RuntimeWarning: Enable tracemalloc .*", like=False),
    Case("coroutine never awaited", "async def f(): pass\nf()\nprint(1)",
         "1\n", "MAIN:2: RuntimeWarning: coroutine 'f' was never awaited.*"),
    Case("syntax error beside await", "await f()\nx = = 1", "",
         r'  File "MAIN", line 2\n.*SyntaxError: invalid syntax\n', 1),
    Case("subprocess", """
import asyncio
p = await asyncio.create_subprocess_exec('echo', 'hi', stdout=-1)
print((await p.communicate())[0], p.returncode)
""", "b'hi\\n' 0\n", like=False),
    Case("to_thread", """
import asyncio
print(await asyncio.to_thread(sum, [1, 2]))
""", "3\n", like=False, since=(3, 9)),
    Case("await what cannot be awaited", "await 5", "",
         TRACE + LINE + ".*TypeError: .*int.*await.*", 1, like=False),
    Case("asyncio.run and top-level await", """
import asyncio
async def main(): print('never')
await asyncio.sleep(0)
asyncio.run(main())
""", "", TRACE + r'  File "MAIN", line 5, in <module>\n.*RuntimeError: '
         r"asyncio.run\(\) cannot be called from a running event loop\nhint: "
         r".*write 'await main\(\)' instead of 'asyncio.run\(main\(\)\)'\n"
         "(.*was never awaited.*)?", 1, like=False),
    Case("second loop and top-level await", """
import asyncio
async def main(): print('never')
await asyncio.sleep(0)
asyncio.new_event_loop().run_until_complete(main())
""", "", TRACE + ".*RuntimeError: .*\nhint: .*", 1, like=False),
    Case("no hint for other errors", """
import asyncio
await asyncio.sleep(0)
raise RuntimeError('mine')
""", "", TRACE + LINE + ".*RuntimeError: mine\n", 1, like=False),
    Case("asyncio.run", """
import asyncio
async def main():
    await asyncio.sleep(0)
    print('in', __name__)
    return 4
print(asyncio.run(main()))
""", "in __main__\n4\n"),
    Case("asyncio.run twice", """
import asyncio
for i in 1, 2:
    asyncio.run(asyncio.sleep(0)); print(i)
""", "1\n2\n"),
    Case("asyncio.run fails", """
import asyncio
async def main(): 1 / 0
asyncio.run(main())
""", "", TRACE + LINE + ".*asyncio/runners.py.*ZeroDivisionError.*", 1),
    Case("asyncio.run inside asyncio.run", """
import asyncio
async def g(): pass
async def main(): asyncio.run(g())
asyncio.run(main())
""", "", ".*RuntimeError: asyncio.run.*", 1),
    Case("asyncio.run exits", """
import asyncio, sys
async def main(): sys.exit(3)
asyncio.run(main())
""", status=3),
    Case("own loop", """
import asyncio
loop = asyncio.new_event_loop()
print(loop.run_until_complete(asyncio.sleep(0, 'x')))
loop.close()
""", "x\n"),
    Case("error never retrieved", """
import asyncio
async def f(): 1 / 0
async def main():
    asyncio.create_task(f())
    await asyncio.sleep(0.01)
asyncio.run(main())
""", "", "Task exception was never retrieved.*ZeroDivisionError.*"),
]

CHILDREN = [
    Case("threads outlive main", """
import threading, time
def f():
    time.sleep(0.2); print('thread')
threading.Thread(target=f).start()
print('main')
""", "main\nthread\n"),
    Case("daemon threads do not", """
import threading, time
threading.Thread(target=time.sleep, args=(99,), daemon=True).start()
print('main')
""", "main\n"),
    Case("thread pool", """
from concurrent.futures import ThreadPoolExecutor
pool = ThreadPoolExecutor(2)
pool.submit(print, 'pool')
""", "pool\n"),
    Case("thread and exit", """
import sys, threading, time
def f():
    time.sleep(0.1); print('thread')
threading.Thread(target=f).start()
sys.exit(4)
""", "thread\n", status=4),
    Case("multiprocessing by fork", """
import multiprocessing
def f(x): return x * x
context = multiprocessing.get_context('fork')
with context.Pool(2) as pool:
    print(pool.map(f, range(4)))
queue = context.Queue()
p = context.Process(target=queue.put, args=('q',))
p.start(); print(queue.get()); p.join(); print(p.exitcode)
""", "[0, 1, 4, 9]\nq\n0\n"),
    Case("multiprocessing by fork, child fails", """
import multiprocessing
def f(): 1 / 0
p = multiprocessing.get_context('fork').Process(target=f)
p.start(); p.join(); print(p.exitcode)
""", "1\n", "Process ForkProcess-1:\n" + TRACE + ".*ZeroDivisionError.*"),
    Case("multiprocessing by fork under await", """
import asyncio, multiprocessing
await asyncio.sleep(0)
p = multiprocessing.get_context('fork').Process(target=print, args=('x',))
p.start(); p.join(); print(p.exitcode)
""", "x\n0\n", ".*", like=False),
    Case("multiprocessing by spawn", """
import multiprocessing
class A:
    def __init__(self, x): self.x = x
def f(a): return a.x * 2, __name__
if __name__ == '__main__':
    with multiprocessing.get_context('spawn').Pool(1) as pool:
        print(pool.map(f, [A(1)]))
else:
    print(__name__, flush=True)
""", "__mp_main__\n[(2, '__mp_main__')]\n"),
    Case("multiprocessing by forkserver", """
import multiprocessing
def f(x): return x * 2
if __name__ == '__main__':
    context = multiprocessing.get_context('forkserver')
    with context.Pool(1) as pool:
        print(pool.map(f, [4]))
""", "[8]\n"),
    Case("multiprocessing by spawn without the guard", """
import multiprocessing
p = multiprocessing.get_context('spawn').Process(target=print)
p.start(); p.join(); print(p.exitcode)
""", "1\n", ".*RuntimeError.*An attempt has been made to start a new.*"),
    Case("spawn and top-level await", """
import asyncio, multiprocessing
await asyncio.sleep(0)
multiprocessing.get_context('spawn').Process(target=print).start()
""", "", TRACE + r'  File "MAIN", line 4, in <module>.*RuntimeError: code '
         r"with 'await' at top level cannot be re-imported, as the start "
         r"methods 'spawn' and 'forkserver' .*\n", 1, like=False),
    Case("spawn and top-level await, as a cause", """
import asyncio, multiprocessing
await asyncio.sleep(0)
try:
    multiprocessing.get_context('spawn').Process(target=print).start()
except RuntimeError as error:
    raise ValueError('v') from error
""", "", ".*in get_preparation_data\n.*RuntimeError: code.*ValueError: v\n", 1,
         like=False),
    Case("spawn and top-level await, in a group", """
import asyncio, multiprocessing
await asyncio.sleep(0)
try:
    multiprocessing.get_context('spawn').Process(target=print).start()
except RuntimeError as error:
    kept = error
raise ExceptionGroup('g', [kept])
""", "", ".*in get_preparation_data\n.*RuntimeError: code.*", 1, like=False,
         since=(3, 11)),
    Case("spawned pool and top-level await", """
import asyncio, concurrent.futures as futures, multiprocessing
await asyncio.sleep(0)
with futures.ProcessPoolExecutor(1, multiprocessing.get_context('spawn')) as p:
    p.submit(print)
""", "", ".*RuntimeError: code with 'await' at top level cannot be.*", 1,
         like=False),
    Case("process pool", """
from concurrent.futures import ProcessPoolExecutor
def f(x): return x + 1
if __name__ == '__main__':
    with ProcessPoolExecutor(2) as pool:
        print(list(pool.map(f, [1, 2])))
""", "[2, 3]\n", ".*"),
    Case("shared memory", """
from multiprocessing import shared_memory
m = shared_memory.SharedMemory(create=True, size=16)
m.buf[0] = 9
other = shared_memory.SharedMemory(m.name)
print(other.buf[0])
other.close(); m.close(); m.unlink()
""", "9\n", ".*"),
    Case("control is out of the way", """
import os
low = os.open('/dev/null', os.O_RDONLY)
def those():
    found = []
    for fd in range(os.sysconf('SC_OPEN_MAX')):
        try:
            os.fstat(fd); found.append(fd)
        except OSError:
            pass
    return found
mine = those()
print(low, mine[:4], len(mine), [os.get_inheritable(f) for f in mine[4:]])
pid = os.fork()
if not pid:
    print(those(), flush=True)
    os._exit(0)
os.waitpid(pid, 0)
os.system('echo /proc/self/fd/*')
""", "3 [0, 1, 2, 3] 6 [False, False]\n[0, 1, 2, 3]\n"
         "/proc/self/fd/0 /proc/self/fd/1 /proc/self/fd/2 /proc/self/fd/3\n",
         like=False),
    Case("bytes by sendmsg", """
import os, socket
left, right = socket.socketpair()
print(left.sendmsg([b"ab", bytearray(b"c"), memoryview(b"def")[::1]]),
      left.sendmsg(iter([]), []), left.sendmsg([b"gh"], (), 0),
      right.recv(99))
left, right = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
left.sendmsg([b"one", b" packet"])
left.sendmsg([b"another"])
print(right.recv(99), right.recv(99), left.sendmsg([b"x" * 70000] * 2),
      len(right.recv(999999)))
left.setblocking(False)
print(left.sendmsg([b"x" * 70000, b"x" * 65000]), len(right.recv(999999)))
""", "6 0 2 b'abcdefgh'\nb'one packet' b'another' 140000 140000\n"
         "135000 135000\n"),
    Case("more than a pair of sockets holds by sendmsg", """
import os, socket, threading
left, right = socket.socketpair()
data = os.urandom(3 << 20)
sender = threading.Thread(target=lambda: print(left.sendmsg(
    [data, data[::-1]]), left.shutdown(socket.SHUT_WR)))
sender.start()
got = b"".join(iter(lambda: right.recv(1 << 20), b""))
sender.join()
print(got == data + data[::-1])
left, right = socket.socketpair()
left.setblocking(False)
right.setblocking(False)
sent = left.sendmsg([data] * 9)
print(0 < sent < len(data), right.recv(1) == data[:1])
try:
    while True:
        left.sendmsg([data])
except BlockingIOError as error:
    print(error)
try:
    left.sendmsg("text")
except TypeError:
    print("TypeError")
""", "6291456 None\nTrue\nTrue True\n"
         "[Errno 11] Resource temporarily unavailable\nTypeError\n"),
    Case("streams of asyncio over a pair of sockets", """
import asyncio, os, socket
async def main():
    left, right = socket.socketpair()
    reader, other = await asyncio.open_connection(sock=left)
    unused, writer = await asyncio.open_connection(sock=right)
    data = os.urandom(2 << 20)
    writer.write(data)
    writer.writelines([b"ab", b"", b"c"])
    print(await reader.readexactly(len(data) + 3) == data + b"abc")
    await writer.drain()
    writer.close()
    print(await reader.read())
asyncio.run(main())
""", "True\nb''\n"),
    Case("sendmsg of sockets in children", """
import multiprocessing, socket
def send(kind):
    left, right = socket.socketpair()
    left.sendmsg([kind.encode()])
    return right.recv(9), socket.socket.sendmsg.__module__
if __name__ == "__main__":
    for kind in "fork", "spawn":
        with multiprocessing.get_context(kind).Pool(1) as pool:
            print(pool.map(send, [kind]))
""", "[(b'fork', 'caisson_sockets')]\n[(b'spawn', 'caisson_sockets')]\n",
         like=False),
    Case("descriptors by sendmsg, where they are not refused", """
import os, socket
left, right = socket.socketpair()
print(left.sendmsg([b"x"], iter([(
    socket.SOL_SOCKET, socket.SCM_RIGHTS, right.fileno().to_bytes(4, "little")
)])))
print(right.recvmsg(9, 99)[0], len(os.listdir("/proc/self/fd")) > 5)
""", "1\nb'x' True\n"),
    Case("a module socket of the code", """
import os, sys
with open("socket.py", "w") as file:
    file.write("class socket: sendmsg = 7")
import socket
print(socket.socket.sendmsg)
""", "7\n", like=False),
    Case("control closed by the code", """
import os
os.closerange(3, os.sysconf('SC_OPEN_MAX'))
print('on')
""", "on\n", like=False),
    Case("no files beside the user's", "import os\nprint(os.listdir('.'))",
         "[]\n", like=False),
    Case("usual things", """
import sqlite3, tempfile, pathlib, zoneinfo, json, decimal, csv, os
with tempfile.TemporaryDirectory() as d:
    p = pathlib.Path(d, 'x.db')
    db = sqlite3.connect(p)
    db.execute('create table t (x)')
    db.execute('insert into t values (1)')
    db.commit(); print(db.execute('select * from t').fetchall())
pathlib.Path('mine.txt').write_text('x'); print(os.listdir('.'))
""", "[(1,)]\n['mine.txt']\n", since=(3, 9)),
]

TABLES = (("ends", ENDS), ("errors", ERRORS), ("syntax", SYNTAX),
          ("sources", SOURCES), ("module", MODULE), ("streams", STREAMS),
          ("tasks", TASKS), ("children", CHILDREN))


class Place:
    """An empty home and an empty TMPDIR for one run; removed after it."""

    def __enter__(self):
        self.directory = tempfile.TemporaryDirectory()
        self.work = os.path.join(self.directory.name, "work")
        self.tmp = os.path.join(self.directory.name, "tmp")
        os.mkdir(self.work)
        os.mkdir(self.tmp)
        return self

    def __exit__(self, *_):
        self.directory.cleanup()

    def options(self):
        """Return what every child is started with."""
        return dict(
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, cwd=self.work, start_new_session=True,
            env={"PATH": "/usr/bin:/bin", "HOME": self.work,
                 "LANG": "C.UTF-8", "TMPDIR": self.tmp})


class Box:
    """The bootstrap as a child; this process plays the relay."""

    def __init__(self, place, control=True):
        self.place = place
        self.pipes = in_read, in_write, out_read, out_write = (
            os.pipe() + os.pipe())

        def arrange():
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))
            high = [os.dup2(in_read, 100), os.dup2(out_write, 101)]
            for old, new in zip(high, (3, 4)):
                os.dup2(old, new)
            os.closerange(5 if control else 3, 256)

        self.process = subprocess.Popen(
            [sys.executable, "-I", "-B", "-X", "utf8", BOOTSTRAP],
            close_fds=False, preexec_fn=arrange, **place.options())
        os.close(in_read)
        os.close(out_write)
        self.control_in, self.control_out = in_write, out_read

    def ready(self):
        """Return what the box says first."""
        if not select.select([self.control_out], [], [], DEADLINE)[0]:
            raise AssertionError("the box did not say that it is ready")
        return os.read(self.control_out, 4096)

    def rehearsed(self):
        """Return when the box, which has waited, gets ready for code."""
        path = os.path.join(self.place.tmp, MAIN)
        late = time.monotonic() + DEADLINE
        while not os.path.exists(path):
            if time.monotonic() > late:
                raise AssertionError("the box did not rehearse")
            time.sleep(0.001)

    def send(self, data):
        """Write to the box as much as it will take."""
        try:
            while data:
                data = data[os.write(self.control_in, data):]
        except BrokenPipeError:
            pass

    def end(self):
        """Return what a run has come to."""
        out, err = self.process.communicate(timeout=DEADLINE)
        said = os.read(self.control_out, 4096)
        os.close(self.control_in)
        os.close(self.control_out)
        return Result(self.place, out, err, self.process.returncode, said)


class Result:
    """Output, errors and end of a run, without the names of its places."""

    def __init__(self, place, out, err, status, said=b""):
        self.raw, self.status, self.said = out, status, said
        self.out = self.plain(place, out)
        self.err = self.plain(place, err)

    @staticmethod
    def plain(place, data):
        """Take out what differs from run to run."""
        text = data.decode(errors="surrogateescape")
        text = text.replace(os.path.join(place.tmp, MAIN), "MAIN")
        text = re.sub(r"in \d+\.\d+s\b", "in TIME", text)
        text = re.sub(r"(refcount +:) \d+", r"\1 N", text)
        text = re.sub(r"repeated \d+ more", "repeated 9 more", text)
        return re.sub(r"0x[0-9a-f]{6,}", "0xADDRESS", text)


def frame_of(code):
    """Return the run frame for this code."""
    return json.dumps({"type": "run", "code": code}).encode() + b"\n"


def run_in_box(code, waits=True):
    """Run code as a box would: as one that has waited, or at once."""
    with Place() as place:
        box = Box(place)
        box.ready()
        if waits:
            box.rehearsed()
        box.send(frame_of(code))
        return box.end()


def run_plainly(code):
    """Run code as the interpreter runs a file."""
    with Place() as place:
        path = os.path.join(place.tmp, MAIN)
        with open(path, "wb") as file:
            file.write(as_an_editor_saves(code))
        process = subprocess.Popen(
            [sys.executable, "-X", "utf8", path], **place.options(),
            preexec_fn=lambda: resource.setrlimit(
                resource.RLIMIT_CORE, (0, 0)))
        out, err = process.communicate(timeout=DEADLINE)
        return Result(place, out, err, process.returncode)


def as_an_editor_saves(code):
    """Return the code in the encoding that it declares."""
    data = code.encode()
    lines = iter(data.splitlines(keepends=True))
    try:
        name = tokenize.detect_encoding(lambda: next(lines, b""))[0]
    except SyntaxError:
        return data
    return data if name == "utf-8-sig" else code.encode(name)


class Cases(unittest.TestCase):
    """Every row of the tables; each becomes a method below."""

    maxDiff = None

    def check(self, case):
        """Run one row."""
        if not case.since <= sys.version_info[:2] < case.until:
            self.skipTest("it is about Python %s up to %s" % (
                ".".join(map(str, case.since)),
                ".".join(map(str, case.until))))
        got = run_in_box(case.code)
        if isinstance(case.out, bytes):
            self.assertEqual(got.raw, case.out)
        elif case.out is not None:
            self.assertEqual(got.out[-3000:], case.out[-3000:], got.err)
            self.assertEqual(len(got.out), len(case.out))
        self.assertEqual(got.status, case.status, got.err)
        self.assertRegex(got.err, re.compile(
            r"\A(?:%s)\Z" % case.err, re.DOTALL))
        self.assertEqual(got.said, b"", "it spoke to the relay")
        self.assertNotIn("bootstrap.py", got.err)
        if case.like:
            self.check_like_interpreter(case, got)

    def check_like_interpreter(self, case, got):
        """Compare with the interpreter itself."""
        want = run_plainly(case.code)
        self.assertEqual(got.raw if isinstance(case.out, bytes) else got.out,
                         want.raw if isinstance(case.out, bytes) else want.out)
        self.assertEqual(got.err, want.err)
        self.assertEqual(got.status, want.status)


def add_cases():
    """Make every row a test of its own, so that -k finds it."""
    for table, cases in TABLES:
        for number, case in enumerate(cases):
            name = "test_%s_%02d_%s" % (
                table, number, re.sub(r"\W+", "_", case.name).strip("_"))
            setattr(Cases, name, lambda self, case=case: self.check(case))


add_cases()


class Protocol(unittest.TestCase):
    """What passes between the box and the relay."""

    def test_code_may_come_at_once(self):
        for code in ("print('hi')", "import sys\nprint('hi')\nsys.exit(3)",
                     "import asyncio\nawait asyncio.sleep(0)\nprint('hi')",
                     "print('hi')\n1 / 0"):
            late, soon = run_in_box(code), run_in_box(code, waits=False)
            self.assertEqual((soon.out, soon.err, soon.status),
                             (late.out, late.err, late.status))
            self.assertEqual(soon.out, "hi\n")

    def test_ready_is_said_once_and_first(self):
        with Place() as place:
            box = Box(place)
            self.assertEqual(box.ready(), READY)
            box.send(frame_of("print(1)"))
            self.assertEqual(box.end().said, b"")

    def test_frames_that_run_nothing(self):
        for line, says in (
                (b"\n", "JSONDecodeError"),
                (b"nonsense\n", "JSONDecodeError"),
                (b"[]\n", "TypeError"),
                (b"5\n", "TypeError"),
                (b"null\n", "TypeError"),
                (b"{}\n", "KeyError: 'type'"),
                (b'{"type":"run"}\n', "KeyError: 'code'"),
                (b'{"type":"run","code":null}\n', "AttributeError"),
                (b'{"type":"run","code":["print(1)"]}\n', "AttributeError"),
                (b'{"type":"nap","code":"print(1)"}\n', "not 'run'"),
                (b'{"type":"run","code":"print(1)"} x\n', "Extra data"),
                (b'{"type":"run","code":"print(1)"', "closed its pipe"),
                (b'{"type":"run","code":"print(1)}\n', "Unterminated"),
                (b'{"type":"run","code":"\\ud800print(1)"}\n', "surrogates"),
                (b'{"type":"run","code":"\xff"}\n', "UnicodeDecodeError"),
                (b"[" * 100000 + b"\n", "RecursionError"),
                (b"", "closed its pipe")):
            with self.subTest(line=line[:60]), Place() as place:
                box = Box(place)
                box.ready()
                box.send(line)
                if not line.endswith(b"\n"):
                    os.dup2(os.open("/dev/null", os.O_WRONLY),
                            box.control_in)
                got = box.end()
                self.assertEqual((got.status, got.out), (70, ""))
                self.assertRegex(got.err, r"\Acaisson: the code was not run: "
                                 r"the relay [^\n]*\n\Z")
                self.assertIn(says, got.err)
                self.assertLess(len(got.err), 300)

    def test_unknown_fields_are_ignored(self):
        with Place() as place:
            box = Box(place)
            box.ready()
            box.send(b' { "later": [{"a": [1.5, -2e9, NaN, null, true]}], '
                     b'"code":"print(1)", "type" :"run", "x":{} } \r\n')
            self.assertEqual(box.end().out, "1\n")

    def test_frame_in_small_pieces(self):
        with Place() as place:
            box = Box(place)
            box.ready()
            for byte in frame_of("print('\u00e9\U0001f600')"):
                box.send(bytes((byte,)))
            self.assertEqual(box.end().out, "\u00e9\U0001f600\n")

    def test_largest_frame(self):
        code = "#" + "\u007f" * (16 * 1024 * 1024 - 10) + "\nprint(1)"
        data = frame_of(code).replace(b"\x7f", b"\\u007f")
        self.assertGreater(len(data), 95 * 1024 * 1024)
        with Place() as place:
            box = Box(place)
            box.ready()
            box.send(data)
            self.assertEqual(box.end().out, "1\n")

    def test_without_the_pipes_of_the_relay(self):
        with Place() as place:
            got = Box(place, control=False).end()
            self.assertEqual((got.status, got.out), (70, ""))
            self.assertIn("descriptors 3 and 4", got.err)

    def test_without_room_for_the_file(self):
        with Place() as place:
            os.rmdir(place.tmp)
            box = Box(place)
            box.ready()
            box.send(frame_of("print(1)\n1 / 0"))
            got = box.end()
            self.assertEqual((got.out, got.status), ("1\n", 1))
            self.assertEqual(got.err, (
                'Traceback (most recent call last):\n  File "MAIN", line 2, '
                "in <module>\nZeroDivisionError: division by zero\n"))

    def test_child_that_keeps_stdout_open(self):
        """Main ends at once; only its children hold the pipe."""
        with Place() as place:
            box = Box(place)
            box.ready()
            box.send(frame_of(
                "import subprocess\n"
                "p = subprocess.Popen(['sleep', '600'])\nprint(p.pid)"))
            self.assertEqual(box.process.wait(DEADLINE), 0)
            child = int(box.process.stdout.readline())
            os.kill(child, signal.SIGKILL)
            self.assertEqual(box.end().said, b"")

    def test_control_ends_with_the_code(self):
        """A child that lives on does not hold the control pipes."""
        with Place() as place:
            box = Box(place)
            box.ready()
            box.send(frame_of(
                "import os, time\npid = os.fork()\n"
                "if pid:\n    print(pid, flush=True)\n    os._exit(0)\n"
                "time.sleep(600)"))
            self.assertEqual(box.process.wait(DEADLINE), 0)
            child = int(box.process.stdout.readline())
            readable = select.select([box.control_out], [], [], DEADLINE)[0]
            os.kill(child, signal.SIGKILL)
            self.assertEqual(readable, [box.control_out])
            self.assertEqual(box.end().said, b"")


class Probe(unittest.TestCase):
    """supervisor/command/probe.py where nothing is promised: outside."""

    BROKEN = (
        "seccomp", "own processes only", "no files of the host",
        "places to write", "limit on files", "no network", "no interfaces",
        "no looking into processes", "no keys", "clock and host name",
        "limit on memory", "no hidden memory", "clean environment",
        "no descriptors of the host")
    KEPT = ("standard input is empty", "subprocess", "threads", "tempfile",
            "asyncio")

    @classmethod
    def setUpClass(cls):
        with open(PROBE) as file:
            code = file.read()
        for mark, number in ("@MEMORY@", "16777216"), ("@PROCESSES@", "8"):
            assert code.count(mark) == 1, mark
            code = code.replace(mark, number)

        def become_nobody():
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            if os.geteuid() == 0:
                os.setgroups([])
                os.setgid(65534)
                os.setuid(65534)

        try:
            child = subprocess.run(
                [sys.executable, "-I", "-c", code], stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd="/",
                preexec_fn=become_nobody, timeout=DEADLINE,
                env={"PATH": "/usr/bin:/bin", "SECRET": "s"})
        except PermissionError:
            raise unittest.SkipTest(
                "user 65534 may not run %s" % sys.executable) from None
        cls.status, cls.err = child.returncode, child.stderr.decode()
        cls.lines = child.stdout.decode().splitlines()

    def test_ends_well_and_says_nothing_else(self):
        self.assertEqual((self.status, self.err), (0, ""))

    def test_form_of_the_lines(self):
        for line in self.lines:
            self.assertRegex(line, r"\A(ok|FAIL)\t[^\t]+\t[^\t]+\Z")
        names = [line.split("\t")[1] for line in self.lines]
        self.assertEqual(len(names), len(set(names)))
        self.assertGreater(len(names), 30)

    def test_broken_promises_are_seen(self):
        results = {line.split("\t")[1]: line for line in self.lines}
        for name in self.BROKEN:
            with self.subTest(name):
                self.assertRegex(results[name], r"\AFAIL\t.*: ")
        for name in self.KEPT:
            with self.subTest(name):
                self.assertRegex(results[name], r"\Aok\t")

    def test_parts_of_the_meaning(self):
        found = [line for line in self.lines if "SECRET" in line]
        self.assertEqual(found, [
            "FAIL\tclean environment\tthere is ['SECRET']: settings or "
            "secrets of the host are visible"])


if __name__ == "__main__":
    unittest.main()
