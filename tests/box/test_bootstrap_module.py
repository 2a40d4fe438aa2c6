"""What code is under the bootstrap, a module __main__ with its source, and how
it prints: as under the interpreter, which see bootstrap.py.

    /usr/bin/python3 tests/box/test_bootstrap_module.py [-v] [-k PATTERN]

The Python that runs the tests is the Python that is tested.
"""
import unittest

from bootstrap import add_cases, Case, Cases, LINE, MAIN, TRACE

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
print(LOADED_MCP_SERVERS, 'mcp' in sys.modules)
print(runtime.__name__, len(runtime.list_servers()), 'mcp' in sys.modules)
import mcp
print(runtime is mcp.runtime is sys.modules['mcp.runtime'])
""", "() False\nmcp.runtime 0 True\nTrue\n", like=False),
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
         ".*EOFError: EOF when reading a line\nhint: "
         "standard input is empty here: "
         "write the data into the code\n", 1, like=False),
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


add_cases((("sources", SOURCES), ("module", MODULE), ("streams", STREAMS)))


if __name__ == "__main__":
    unittest.main()
