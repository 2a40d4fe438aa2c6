"""What code is under the bootstrap, a module __main__ with its source, and how
it prints: as under the interpreter, which see bootstrap.py.

    /usr/bin/python3 tests/box/test_bootstrap_module.py [-v] [-k PATTERN]

The Python that runs the tests is the Python that is tested.
"""
import unittest

from bootstrap import add_cases, Case, Cases, LINE, MAIN, TRACE

SOURCES = [
    Case("latin-1 declared", "# -*- coding: latin-1 -*-\nprint('\u00e9')",
         "\u00e9\n"),
    Case("null byte", "print(1)\0", "", ".*(Value|Syntax)Error: source code "
         "(string )?cannot contain null bytes\n", 1, like=False),
    Case("many lines", "x = 0\n" + "x += 1\n" * 50000 + "print(x)",
         "50000\n"),
    Case("deep unary", "x = " + "-" * 100000 + "1", "", ".*Error.*", 1,
         like=False),
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
    Case("names of ours", """
import sys
print(LOADED_MCP_SERVERS, 'mcp' in sys.modules)
print(runtime.__name__, len(runtime.list_servers()), 'mcp' in sys.modules)
import mcp
print(runtime is mcp.runtime is sys.modules['mcp.runtime'])
""", "() False\nmcp.runtime 0 True\nTrue\n", like=False),
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
    Case("own frame", """
import inspect, sys
f = sys._getframe()
print(f.f_code.co_name, f.f_code.co_filename == __file__, f.f_lineno)
print(inspect.currentframe().f_globals is globals())
""", "<module> True 4\nTrue\n"),
    Case("runpy", """
import runpy, sys
if len(sys.argv) == 1:
    sys.argv.append('again')
    print(runpy.run_path(__file__, run_name='other')['x'])
x = __name__
""", "other\n"),
]

STREAMS = [
    Case("surrogates", r"print('a\ud800b', ascii('\udcff'))",
         "a\\ud800b '\\udcff'\n", like=False),
    Case("surrogate on stderr", r"""
import sys
print('\ud800', file=sys.stderr)
""", "", r"\\ud800\n"),
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
]


add_cases((("sources", SOURCES), ("module", MODULE), ("streams", STREAMS)))


if __name__ == "__main__":
    unittest.main()
