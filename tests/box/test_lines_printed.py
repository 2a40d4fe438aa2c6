"""The shorter way of printed lines: programs print the same with it, in the
same order, and nothing is lost that is not lost without it.

    CAISSON_TEMPLATE=.../caisson-template.abi3.so \\
        /usr/bin/python3 tests/box/test_lines_printed.py [-v] [-k PATTERN]

Each program is run twice, with the stream as the bootstrap sets it up, and with
that stream as a template hands it to its boxes.
"""
import os
import subprocess
import sys
import unittest

LIBRARY = os.environ.get("CAISSON_TEMPLATE", "")
DEADLINE = 60
PLAIN = """
import sys
sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace",
                       line_buffering=True)
"""
SHORT = PLAIN + """
from importlib.util import module_from_spec, spec_from_file_location
spec = spec_from_file_location("caisson_template", %r)
library = module_from_spec(spec)
spec.loader.exec_module(library)
library.shorten(sys.stdout)
del spec, library, module_from_spec, spec_from_file_location
"""
PROGRAMS = {
    "lines": "for n in range(20000): print(n, 'x', sep='-')",
    "nothing": "print(end=''); print(); print('')",
    "letters": "print('\\u00e4\\u20ac\\U0001f600' * 100)",
    "halves of characters": """
print('a\\ud800b'); print('\\udc00', end=''); print('c', end='')
print('d'); print('\\ud800', end=''); os.write(1, b'e')""",
    "begun lines": """
sys.stdout.write('a'); os.write(1, b'b'); print('c'); sys.stdout.write('d')
sys.stdout.flush(); os.write(1, b'e'); print('f', end=''); os.write(1, b'g')
""",
    "carriage returns": """
for n in range(3): print(n, end='\\r'); os.write(1, b'.')""",
    "sizes": """
for n in (1, 2047, 4094, 4095, 4096, 4097, 8191, 8192, 8193, 70000, 1 << 20):
    for last in '', 'x', '\\n', '\\r':
        print('a' * n, end=last); print('\\u00e4' * n, end=last)
        sys.stdout.write('b' * 100); sys.stdout.write('c' * n + last)
        print(); os.write(1, b'|'); print('d' * n); os.write(1, b'|')""",
    "lengths": """
for text in 'a', 'a\\n', '\\u00e4', '\\U0001f600\\n', '', 'x' * 9999, '\\ud800':
    os.write(1, b'%d ' % sys.stdout.write(text))""",
    "order with the descriptor": """
for n in range(300): print(n); os.write(1, b'%d\\n' % n)""",
    "order with children": """
import subprocess
for n in range(3):
    print('a'); subprocess.run(['echo', 'b']); os.system('echo c')
    if os.fork() == 0:
        print('d'); os._exit(0)
    os.wait(); print('e')""",
    "a child with a begun line": """
print('a', end='')
if os.fork() == 0:
    print('b'); sys.stdout.flush(); os._exit(0)
os.wait(); print('c')""",
    "order with the C library": """
import ctypes
libc = ctypes.CDLL(None)
for n in range(100):
    print('a'); libc.puts(b'b'); libc.fflush(None); libc.write(1, b'c', 1)""",
    "order with the buffer": """
print('a'); sys.stdout.buffer.write(b'b'); print('c')
sys.stdout.write('d'); sys.stdout.buffer.write(b'e'); print('f')
sys.stdout.write('g'); sys.stdout.buffer.write(b'h'); sys.stdout.flush()
sys.stdout.buffer.writelines([b'i', b'j\\n']); os.write(1, b'k')
sys.stdout.buffer.raw.write(b'l'); print('m'); sys.stdout.buffer.write(b'n')
print('o' * 9999); sys.stdout.buffer.write(b'p'); print('\\ud800')
sys.stdout.write('q'); sys.stdout.buffer.write(b'r'); sys.stdout.write('s')
sys.stdout.writelines(['t', 'u\\n']); os.write(1, b'v')
sys.stdout.buffer.write(b'w'); sys.stdout.buffer.flush(); print('x')
sys.stdout.buffer.write(b'y'); print('z', end='')""",
    "another stream on the buffer": """
import io
print('a'); sys.stdout.write('b')
other = io.TextIOWrapper(sys.stdout.buffer, 'utf-8')
other.write('c'); print('d'); other.flush(); print('e'); other.detach()
print('f')""",
    "another stream on the descriptor": """
print('a'); other = open(1, 'w', closefd=False); other.write('b')
print('c'); other.flush(); print('d')""",
    "killed": """
import signal
print('a'); print('b', end=''); print('c'); print('d', end='')
os.kill(os.getpid(), signal.SIGKILL)""",
    "killed after much": """
import signal
for n in range(50000): print(n)
os.kill(os.getpid(), signal.SIGKILL)""",
    "ended at once": "print('a'); print('b', end=''); os._exit(3)",
    "ended": "print('a'); print('b', end=''); sys.exit(3)",
    "failed": "print('a'); print('b', end=''); 1 / 0",
    "printed while ending": """
import atexit
class A:
    def __del__(self): print('c', end='')
a = A(); atexit.register(print, 'b', end=''); print('a', end='')""",
    "closed": """
print('a'); print('b', end=''); write = sys.stdout.write; sys.stdout.close()
for f in (lambda: print('c'), lambda: write('d'), sys.stdout.flush,
          sys.stdout.fileno, lambda: sys.stdout.close()):
    try: f()
    except ValueError as error: os.write(1, b'%r\\n' % str(error))
print(sys.stdout.closed, file=sys.stderr)""",
    "closed by with": """
with sys.stdout: print('a'); print('b', end='')
try: print('c')
except ValueError as error: os.write(1, b'%r\\n' % str(error))""",
    "closed from below": """
print('a'); sys.stdout.buffer.close()
try: print('c')
except ValueError as error: os.write(1, b'%r\\n' % str(error))""",
    "closed at the bottom": """
print('a'); sys.stdout.buffer.raw.close()
try: print('c')
except ValueError as error: os.write(1, b'%r\\n' % str(error))""",
    "detached": """
import io
print('a'); print('b', end=''); buffer = sys.stdout.detach()
try: print('c')
except ValueError as error: os.write(1, b'%r\\n' % str(error))
sys.stdout = io.TextIOWrapper(buffer, 'ascii', line_buffering=True)
print('d'); print('e', end='')""",
    "detached from below": """
print('a'); raw = sys.stdout.buffer.detach(); raw.write(b'b')
try: print('c')
except ValueError as error: os.write(1, b'%r\\n' % str(error))
sys.stdout = None""",
    "set up anew": """
print('a', end=''); sys.stdout.reconfigure(line_buffering=False)
print('b'); os.write(1, b'c'); print('d')
sys.stdout.reconfigure(encoding='latin-1', newline='\\r\\n'); print('\\u00e4')
sys.stdout.reconfigure(line_buffering=True, errors='strict')
try: print('\\u20ac')
except UnicodeEncodeError as error: print(error)
try: sys.stdout.reconfigure(nonsense=True)
except TypeError as error: print(error)""",
    "replaced": """
import io, contextlib
print('a', end='')
with contextlib.redirect_stdout(io.StringIO()) as file: print('b')
print('c', file.getvalue()); old, sys.stdout = sys.stdout, sys.stderr
print('d'); sys.stdout = old; print('e', end='')
sys.stdout = open(1, 'wb', 0); sys.stdout.write(b'f'); del old""",
    "dropped": """
print('a'); print('b', end=''); sys.stdout = sys.__stdout__ = None
os.write(1, b'c'); print('d')""",
    "methods of the code": """
plain = sys.stdout.write
sys.stdout.write = lambda text: plain(text.upper())
print('a', end=''); print('b'); os.write(1, b'c'); del sys.stdout.write
print('d')""",
    "descriptor replaced": """
import tempfile
file = tempfile.TemporaryFile(); print('a'); kept = os.dup(1)
os.dup2(file.fileno(), 1); print('b'); print('c' * 9999); print('d', end='')
sys.stdout.flush(); os.dup2(kept, 1); file.seek(0); print(file.read())""",
    "descriptor closed": """
os.close(1)
try: print('a')
except OSError as error: os.write(2, b'%r' % str(error))
sys.stdout = None""",
    "descriptor that does not block": """
import time
os.set_blocking(1, False); lost = 0
for n in range(20000):
    try: print('a' * 100)
    except BlockingIOError: lost += 1; time.sleep(0.001)
os.set_blocking(1, True); sys.stdout.flush()
sys.stderr.write('%s' % (lost < 20000))""",
    "wrong values": """
for value in 1, None, b'a':
    try: sys.stdout.write(value)
    except TypeError as error: print(error)
for args in (), ('a', 'b'):
    try: sys.stdout.write(*args)
    except TypeError as error: print(type(error))
class Text(str):
    def __str__(self): return 'b'
print(Text('a')); sys.stdout.write(Text('a'))""",
    "what it is": """
import io
s = sys.stdout
print(type(s) is io.TextIOWrapper, type(s.buffer), type(s.buffer.raw), s.mode,
      s.encoding, s.errors, s.line_buffering, s.write_through, s.newlines,
      s.isatty(), s.fileno(), s.writable(), s.readable(), s.seekable(),
      s.closed, s.name, s, s.buffer, s.buffer.raw, callable(s.write))
for f in s.tell, lambda: s.seek(0), s.truncate, s.read, lambda: next(s):
    try: f()
    except (OSError, io.UnsupportedOperation) as error: print(error)""",
    "flush": """
print('a', end='', flush=True); os.write(1, b'b'); print('c', flush=True)
sys.stdout.buffer.write(b'd'); print(flush=True)""",
    "signals": """
import signal
class Late(Exception): pass
def late(*_): raise Late
signal.signal(signal.SIGALRM, late); raised = 0
while raised < 20:
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.002)
        while True: print('x' * 99)
    except Late: raised += 1
print('done')""",
    "a handler that prints": """
import signal
signal.signal(signal.SIGALRM, lambda *_: print('b'))
signal.setitimer(signal.ITIMER_REAL, 0.001, 0.001)
for n in range(20000): print('a' * 9)
signal.setitimer(signal.ITIMER_REAL, 0); print('done')""",
    "threads": """
import threading
def run(name):
    for n in range(3000): sys.stdout.write('%s %d\\n' % (name * 20, n))
threads = [threading.Thread(target=run, args=(name,)) for name in 'abcd']
for thread in threads: thread.start()
for thread in threads: thread.join()""",
}
# Their output differs from run to run, by more than the order of its lines.
VARIES = {"signals", "a handler that prints",
          "descriptor that does not block"}


def run(before, program):
    """Return what a program prints, what it complains of, and its status."""
    done = subprocess.run(
        [sys.executable, "-I", "-X", "utf8", "-c",
         before + "import os, sys\n" + program.lstrip("\n")],
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, timeout=DEADLINE)
    return done.stdout, told(done.stderr), done.returncode


def told(errors):
    """Return errors without the places of the program, which differ."""
    return [line for line in errors.splitlines()
            if not line.startswith(b'  File "<string>", line ')]


@unittest.skipUnless(os.path.exists(LIBRARY), "there is no library to test")
class Printed(unittest.TestCase):
    """Each program, with and without."""

    def test_same(self):
        for name, program in PROGRAMS.items():
            with self.subTest(name):
                short = run(SHORT % LIBRARY, program)
                # Without, Python refuses what is printed meanwhile.
                plain = run(PLAIN, program) \
                    if name != "a handler that prints" else (b"", [], 0)
                if name == "threads":
                    plain, short = ((sorted(out.splitlines()), *more)
                                    for out, *more in (plain, short))
                if name in VARIES:
                    self.check(short[0], name)
                    plain, short = plain[1:], short[1:]
                self.assertEqual(short, plain)

    def check(self, out, name):
        """Look at output that is not always the same.

        A handler can run between a text and the end of its line.
        """
        lines = out.splitlines()
        if name == "descriptor that does not block":
            self.assertEqual(set(lines), {b"a" * 100})
            return
        self.assertEqual(lines.pop()[-4:], b"done")
        if name == "signals":
            self.assertFalse([line for line in lines if len(line) % 99])
        else:
            self.assertEqual(out.count(b"a"), 9 * 20000)
            self.assertEqual(out.count(b"\n"), 20001 + out.count(b"b"))

    def test_reader_that_goes(self):
        """The error is the same, and comes at the same time."""
        for before in PLAIN, SHORT % LIBRARY:
            process = subprocess.Popen(
                [sys.executable, "-I", "-X", "utf8", "-c", before + """
import os, sys
sys.stdin.read()
try: print('a')
except BrokenPipeError as error: sys.stderr.write('%s\\n' % error)
try: print('b', end='')
except BrokenPipeError as error: sys.stderr.write('too early\\n')
sys.stderr.flush()
os._exit(0)"""], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=subprocess.PIPE)
            process.stdout.close()
            process.stdout = None
            _, errors = process.communicate(timeout=DEADLINE)
            self.assertEqual(errors, b"[Errno 32] Broken pipe\n")

    def test_lines_take_one_call_each(self):
        """Which is why there is this way: nothing is kept back."""
        reader, writer = os.pipe()
        process = subprocess.Popen(
            [sys.executable, "-I", "-X", "utf8", "-c", SHORT % LIBRARY + """
import sys
for n in range(5):
    print(n)
    sys.stdin.readline()
"""], stdin=subprocess.PIPE, stdout=writer, bufsize=0)
        os.close(writer)
        for n in range(5):
            self.assertEqual(os.read(reader, 99), b"%d\n" % n)
            process.stdin.write(b"\n")
        os.close(reader)
        process.stdin.close()
        process.wait()


if __name__ == "__main__":
    unittest.main()
