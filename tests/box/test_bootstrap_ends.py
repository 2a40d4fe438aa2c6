"""How code ends under the bootstrap: as under the interpreter, which see
bootstrap.py.

    /usr/bin/python3 tests/box/test_bootstrap_ends.py [-v] [-k PATTERN]

The Python that runs the tests is the Python that is tested.
"""
import sys
import unittest

from bootstrap import ASKS, add_cases, Case, Cases, LINE, TRACE

# At the head of code: await_shutdown() returns when its main thread has begun
# to wait for the others.
SHUTDOWN = """
import sys, threading, time
main = threading.get_ident()
def await_shutdown():
    while True:
        frame = sys._current_frames().get(main)
        if frame and frame.f_code.co_name == '_shutdown':
            break
        time.sleep(0.01)
"""

ENDS = [
    Case("code of SystemExit changed", """
try:
    raise SystemExit(1)
except SystemExit as error:
    error.code = 12
    raise
""", status=12),
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
    Case("what was printed comes before threads end", SHUTDOWN + """
import os
print('printed', end='')
threading.Thread(target=lambda: (await_shutdown(), os._exit(4))).start()
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
    Case("an interrupt while threads end", SHUTDOWN + """
import os, signal
def later():
    await_shutdown()
    os.kill(os.getpid(), signal.SIGINT)
    time.sleep(9)
threading.Thread(target=later).start()
""", "", r"Exception ignored in: <module 'threading' .*KeyboardInterrupt: ?\n",
         until=(3, 13)),
    Case("output that another module holds", """
import builtins, sys
builtins.kept = sys.stdout
sys.stdout = sys.__stdout__ = None
kept.write('kept')
""", "kept"),
    Case("excepthook is the user's in atexit, after exit", """
import atexit, sys
atexit.register(lambda: print(sys.excepthook is sys.__excepthook__))
sys.exit(2)
""", "True\n", status=2),
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
]

ERRORS = [
    Case("no module", "import no_such_module", "", TRACE + LINE +
         ".*ModuleNotFoundError: No module named 'no_such_module'\n"
         "hint: no_such_module is not installed, and code cannot install it; "
         "on the host, install its Debian package, or install it with pip in "
         "the virtual environment that the setting python names; available: "
         "[^\n]*\n", 1,
         like=False, said=ASKS),
    Case("context in a circle", """
a, b = ValueError('a'), ValueError('b')
a.__context__ = b
b.__cause__ = a
raise a
""", "", ".*ValueError: a\n", 1),
    Case("group in a group in a chain", """
try:
    inner = ExceptionGroup('x', [OSError()])
    raise ExceptionGroup('in', [TypeError(1), inner])
except* TypeError as group:
    raise RuntimeError('out') from group
""", "", ".*RuntimeError: out.*", 1, since=(3, 11)),
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
    Case("huge message", "raise ValueError('x' * 1000000)", "",
         TRACE + LINE + ".*ValueError: x{1000000}\n", 1),
    Case("through libraries that hide errors", """
import os
os.environ['no_such']
""", "", TRACE + LINE + r"    os.environ\['no_such'\]\n(?: *[~^]+\n)?"
         r"KeyError: 'no_such'\n", 1, like=False),
    Case("a variable of the user", """
import os
os.environ['API_KEY']
""", "", TRACE + LINE + ".*KeyError: 'API_KEY'\nhint: the sandbox has no "
         "environment variables or keys of the user: [^\n]*\n", 1, like=False),
    Case("no program", """
import subprocess
subprocess.run(['no_such', 'x'])
""", "", TRACE + LINE + ".*FileNotFoundError: [^\n]*\nhint: the program "
         "no_such is not installed, and nothing can be installed\n", 1,
         like=False),
    Case("a program that installs", """
import subprocess
subprocess.run('echo pip install x; exit 1', shell=True, check=True)
""", "pip install x\n", TRACE + LINE + ".*CalledProcessError: [^\n]*\nhint: "
         "nothing can be installed here; available: [^\n]*\n", 1, like=False),
    Case("a program without its network", """
import subprocess
subprocess.run('echo curl https://example.org; exit 6', shell=True, check=True)
""", "curl https://example.org\n", TRACE + LINE + ".*CalledProcessError: "
         "[^\n]*\nhint: there is no network here: [^\n]*\n", 1, like=False),
    Case("a file that cannot be executed", """
import subprocess
open('x.sh', 'w').write('#!/bin/sh')
subprocess.run(['./x.sh'])
""", "", TRACE + LINE + ".*PermissionError: [^\n]*\nhint: no file in "
         "/workspace and /tmp can be executed \\(noexec\\): run a script by "
         "its interpreter, [^\n]*\n", 1, like=False),
    Case("the same in a shell", """
import subprocess
open('x.sh', 'w').write('#!/bin/sh')
subprocess.run('./x.sh 2>&1', shell=True, check=True, stdout=-3)
""", "", TRACE + LINE + ".*CalledProcessError: [^\n]*\nhint: no file in "
         "/workspace and /tmp can be executed [^\n]*\n", 1, like=False),
    Case("a library that cannot be executed", """
raise OSError('./x.so: failed to map segment from shared object')
""", "", TRACE + LINE + ".*OSError: [^\n]*\nhint: no library in /workspace "
         "and /tmp can be loaded \\(noexec\\): [^\n]*\n", 1, like=False),
    Case("a library that is known", """
raise ModuleNotFoundError("No module named 'pypdf'", name='pypdf')
""", "", TRACE + LINE + ".*ModuleNotFoundError: [^\n]*\nhint: pypdf is not "
         "installed, and code cannot install it; on the host, 'caisson "
         "libraries' prints the command that does; available: [^\n]*\n", 1,
         like=False, said=ASKS),
    Case("an error with a cause that is explained", """
try:
    open('no such').read()
except OSError as error:
    raise RuntimeError('failed') from error
""", "", TRACE + ".*RuntimeError: failed\nhint: each call begins with an empty "
         "working directory: [^\n]*\n", 1, like=False, said=ASKS),
    Case("a coroutine that is added", """
async def f(): pass
c = f()
try:
    c + 1
finally:
    c.close()
""", "", TRACE + LINE + ".*TypeError: [^\n]*\nhint: write 'await' [^\n]*\n", 1,
         like=False),
    Case("unraisablehook until the end", """
import sys
sys.unraisablehook = eval("lambda args, print=print: print('mine')", {})
class A:
    def __del__(self):
        1 / 0
a = A()
""", "mine\n"),
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
    Case("excepthook is None", "import sys\nsys.excepthook = None\n1 / 0", "",
         "Error in sys.excepthook:\n.*TypeError.*callable\n\nOriginal exce.*"
         + TRACE + LINE + ".*ZeroDivisionError.*", 1),
    Case("excepthook exits", """
import sys
sys.excepthook = lambda *args: sys.exit(9)
1 / 0
""", status=9),
    Case("error without stderr", "import sys\nsys.stderr = None\n1 / 0",
         status=1),
]

SYNTAX = [
    Case("syntax: " + name, code, "", r'  File "MAIN", line \d+\n.*' + err, 1)
    for name, code, err in (
        ("operator", "print('never')\nx = = 1", r" +\^+\nSyntaxError.*"),
        ("string", "print('never)", "SyntaxError.*"),
        ("await in a class", "class A:\n    x = await g()",
         "SyntaxError: 'await' outside function\n"),
        ("async with", "def f():\n    async with g() as h: pass",
         "SyntaxError: 'async with' outside async function\n"),
        ("future", "x = 1\nfrom __future__ import annotations",
         "SyntaxError: from __future__.*"),
        ("wide", "\u4f60\u597d = = 1", "SyntaxError.*"))
] + [
    Case("too many brackets", "(" * 500 + ")" * 500, "", ".*Error.*", 1),
]


add_cases((("ends", ENDS), ("errors", ERRORS), ("syntax", SYNTAX)))


if __name__ == "__main__":
    unittest.main()
