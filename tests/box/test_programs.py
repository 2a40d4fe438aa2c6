"""Programs that follow each other in one namespace: see programs.py.

    /usr/bin/python3 tests/box/test_programs.py [-v] [-k PATTERN]
"""
import json
import os
import re
import select
import signal
import threading
import unittest

from bootstrap import Box, DEADLINE, Place, Result
from mcp_relay import Relay, SERVERS

START = r"Traceback \(most recent call last\):\n"
TRACE = r"Traceback \(most recent call last\):\n.*"


class Session(Relay):
    """The relay of a box whose programs follow each other."""

    def __init__(self, box):
        super().__init__(box, (), SERVERS)
        self.ended = threading.Semaphore(0)
        self.ends, self.unanswered = [], 0
        for stream in box.process.stdout, box.process.stderr:
            os.set_blocking(stream.fileno(), False)
        self.start()

    def take(self, line):
        """Take the end of a program, too."""
        frame = json.loads(line)
        if frame["type"] != "ended":
            super().take(line)
            return
        self.ends.append(frame)
        self.under_way.clear()
        self.ended.release()

    def tool_never(self, number, arguments, raw):
        """Do not answer, and answer keep() then."""
        self.unanswered += 1
        if self.unanswered and self.kept:
            self.tool_echo(self.kept.pop()[0], None, b"{}")

    def tool_keep(self, number, arguments, raw):
        """Answer once never() was called."""
        self.kept.append((number, raw))
        self.unanswered -= 1
        self.tool_never(number, arguments, raw)

    def begin(self, code, **more):
        """Send a program."""
        frame = dict({"type": "run", "code": code, "servers": [],
                      "session": True}, **more)
        self.notes.clear()
        self.box.send(json.dumps(frame).encode() + b"\n")

    def end(self):
        """Return what the program has come to."""
        if not self.ended.acquire(timeout=DEADLINE):
            raise AssertionError("the program did not end: %r" % (
                self.printed(),))
        frame = self.ends[-1]
        result = Result(self.box.place, *self.printed(), frame["exit"],
                        notes=self.notes)
        result.threads = frame["threads"]
        return result

    def printed(self):
        """Return what is in both pipes."""
        process = self.box.process
        return [stream.read() or b""
                for stream in (process.stdout, process.stderr)]

    def run_program(self, code, **more):
        """Send a program and return what it has come to."""
        self.begin(code, **more)
        return self.end()

    def close(self):
        """Close the pipe of the relay; return how the process ends."""
        os.close(self.box.control_in)
        self.box.process.wait(DEADLINE)
        self.join(DEADLINE)
        return Result(self.box.place, *self.printed(),
                      self.box.process.returncode)


class Programs(unittest.TestCase):
    """What a program leaves to the next one, and what it does not."""

    maxDiff = None

    def setUp(self):
        self.place = Place().__enter__()
        self.addCleanup(self.place.__exit__)
        box = Box(self.place)
        self.addCleanup(box.process.stderr.close)
        self.addCleanup(box.process.stdout.close)
        self.addCleanup(box.process.wait)
        self.addCleanup(box.process.kill)
        box.ready()
        self.session = Session(box)

    def prints(self, code, out, err="", status=0, threads=0, **more):
        """Run a program and compare all that it does."""
        got = self.session.run_program(code, **more)
        self.assertEqual(got.out, out, got.err)
        self.assertRegex(got.err, re.compile(r"\A(?:%s)\Z" % err, re.DOTALL))
        self.assertEqual((got.status, got.threads), (status, threads))
        self.assertIsNone(self.session.cause)
        self.assertNotIn("programs.py", got.err)
        self.assertNotIn("script.py", got.err)
        return got

    def ends(self, status=0, out="", err=""):
        """End the session and compare."""
        got = self.session.close()
        self.assertEqual((got.status, got.out, got.err), (status, out, err))

    def test_exit_codes_are_those_of_a_box(self):
        for code, status, err in (
                ("sys.exit()", 0, ""), ("sys.exit(3)", 3, ""),
                ("sys.exit(True)", 1, ""), ("sys.exit('why')", 1, "why\n"),
                ("sys.exit((1, 2))", 1, r"\(1, 2\)\n"),
                ("sys.exit(-1)", 255, ""), ("exit(256)", 0, ""),
                ("sys.exit(2 ** 70)", 255, "")):
            self.prints("import sys\nn = 1\nprint(n)\n%s\nprint(2)" % code,
                        "1\n", err, status)
        self.prints("print(n)", "1\n")

    def test_an_error_shows_the_lines_of_its_own_program(self):
        self.prints("def f(n):\n    return 1 / n  # of the first", "")
        got = self.prints("\n# of the second\nf(0)  # the call", "",
                          TRACE + "ZeroDivisionError: .*\n", 1)
        self.assertIn("1 / n  # of the first", got.err)
        self.assertIn("f(0)  # the call", got.err)
        self.assertNotIn("# of the second", got.err)

    def test_an_interrupt_ends_the_program_only(self):
        gate = os.path.join(self.place.tmp, "gate")
        os.mkfifo(gate)
        self.prints("n = 5", "")
        for code in ("tell()\nwhile True: pass",
                     "import asyncio\ntell()\nawait asyncio.sleep(1000)",
                     "import threading\ne = threading.Event()\n"
                     "t = threading.Thread(target=lambda: (tell(), e.wait()))"
                     "\nt.start()"):
            self.session.begin("def tell():\n    with open(%r, 'w') as gate:"
                               "\n        gate.write('.')\n%s" % (
                                   gate, code))
            with open(gate) as file:
                file.read()
            self.session.box.process.send_signal(signal.SIGINT)
            got = self.session.end()
            self.assertEqual(got.status, 130, got.err)
            self.assertRegex(got.err, r"(?s)KeyboardInterrupt\n\Z")
            self.assertNotIn("programs.py", got.err)
        self.assertEqual(got.threads, 1)
        got = self.session.run_program("e.set()\nprint(n)")
        self.assertEqual((got.out, got.err, got.status), ("5\n", "", 0))

    def test_an_interrupt_shows_the_line_of_an_await(self):
        """Also where the code computes, behind an await, or in f."""
        for code in ("tell(); await asyncio.sleep(99)", "while tell(): pass",
                     "tell(); await asyncio.gather(asyncio.sleep(99), f())",
                     "while tell(): await asyncio.sleep(0)"):
            with self.subTest(code):
                self.session.begin(
                    "import asyncio, functools, os\nasync def f(): pass\n"
                    "tell = functools.partial(os.write, 1, b'x')\n"
                    "await asyncio.sleep(0)\n"
                    "await asyncio.sleep(0)\n" + code)
                readable, _, _ = select.select(
                    [self.session.box.process.stdout], [], [], DEADLINE)
                self.session.box.process.send_signal(signal.SIGINT)
                got = self.session.end()
                self.assertRegex(got.err, re.compile(
                    r"\A%s  File [^\n]*, line 6, in [^\n]*\n    [^\n]*\n"
                    r"(?:[ ^]*\n)?(?:  File [^\n]*, line 2, in f\n.*\n)?"
                    r"KeyboardInterrupt\n\Z" % START))
                self.assertNotIn("/asyncio/", got.err)
                self.assertEqual(got.status, 130)
        self.prints("print(1)", "1\n")

    def test_an_interrupt_between_programs_does_nothing(self):
        self.prints("n = 1", "")
        for _ in range(20):
            self.session.box.process.send_signal(signal.SIGINT)
        self.prints("import os, signal\nprint(n, signal.getsignal("
                    "signal.SIGINT) is signal.default_int_handler)",
                    "1 True\n")
        self.prints("try:\n    os.kill(os.getpid(), signal.SIGINT)\n"
                    "    while True: pass\n"
                    "except KeyboardInterrupt:\n    print('caught')",
                    "caught\n")

    def test_a_handler_of_the_code_stays_and_is_not_called_between(self):
        self.prints("import os, signal\ndef h(*_): raise OSError('mine')\n"
                    "signal.signal(signal.SIGUSR1, h)", "")
        for _ in range(20):
            self.session.box.process.send_signal(signal.SIGUSR1)
        self.prints("try:\n    os.kill(os.getpid(), signal.SIGUSR1)\n"
                    "    while True: pass\n"
                    "except OSError as error:\n    print(error)", "mine\n")

    def test_threads_are_waited_for_unless_they_are_daemons(self):
        self.prints("""
import threading
def f():
    print('thread')
    said.set()
    go.wait()
def first():
    said.wait()
    print('first')
go, said = threading.Event(), threading.Event()
threading.Thread(target=first).start()
t = threading.Thread(target=f, daemon=True)
t.start()
said.wait()
""", "thread\nfirst\n", threads=1)
        self.prints("print(2)", "2\n", threads=1)
        self.prints("go.set()\nt.join()", "")

    def test_a_pool_of_threads_stays(self):
        self.prints("from concurrent.futures import ThreadPoolExecutor\n"
                    "pool = ThreadPoolExecutor(1)\n"
                    "print(pool.submit(int, '5').result())", "5\n", threads=1)
        self.prints("print(pool.submit(int, '6').result())", "6\n", threads=1)
        self.ends()

    def test_a_child_of_the_code_ends_as_ever(self):
        for code, status, err in (
                ("pass", 0, ""), ("raise SystemExit(4)", 4, ""),
                ("1 / 0", 1, TRACE + "ZeroDivisionError: .*\n"),
                ("raise KeyboardInterrupt", -2,
                 TRACE + "KeyboardInterrupt\n")):
            self.prints("import os\nchild = os.fork()\nif child == 0:\n"
                        "    %s\nelse:\n    print(os.waitstatus_to_exitcode("
                        "os.waitpid(child, 0)[1]))" % code,
                        "%d\n" % status, err)

    def test_what_the_code_replaces_stays_replaced(self):
        self.prints("import builtins, sys\nplain = print\n"
                    "builtins.print = lambda *a: plain('mine', *a)\n"
                    "builtins.callable = builtins.range = None", "")
        self.prints("print(callable)", "mine None\n")
        self.prints("sys.stdout = None\nprint(1)", "")
        self.prints("plain(2)\nsys.stdout = sys.__stdout__", "")
        self.prints("plain(3)", "3\n")

    def test_a_note_is_of_one_program(self):
        self.prints("```python\nprint(1)\n```", "1\n",
                    "note: the code did not compile, and ran .*\n")
        self.prints("print(2)", "2\n")

    def test_the_value_of_the_last_expression_is_told(self):
        self.prints("n = 6\nn * 7", "", echo=True)
        self.prints("n = 8", "")
        self.prints("n", "", echo=True)
        self.assertEqual(self.session.echoed, ["42", "8"])

    def test_a_server_of_an_earlier_program_is_loaded_again(self):
        self.prints("print((await mcp_fs.echo(a=1)).text)", '{"a":1}\n')
        self.session.loaded.clear()
        self.prints("print(LOADED_MCP_SERVERS, (await mcp_fs.echo(a=2)).text,"
                    " LOADED_MCP_SERVERS)", "() {\"a\":2} ('fs',)\n")

    def test_the_code_ends_the_session(self):
        self.session.begin("import atexit, sys\n"
                           "atexit.register(print, 'last')\n"
                           "runtime.end_session()\nprint(1)\nsys.exit(3)")
        self.session.box.process.wait(DEADLINE)
        self.session.join(DEADLINE)
        self.assertEqual(self.session.printed()[0], b"1\nlast\n")
        self.assertEqual((self.session.box.process.returncode,
                          self.session.ends), (3, []))

    def test_a_call_that_is_under_way_fails(self):
        self.session.loaded.append("fs")
        self.prints("""
import threading
def ask():
    try:
        mcp_fs.never().result()
    except Exception as error:
        told.append(str(error))
told, fs = [], mcp_fs
asking = threading.Thread(target=ask, daemon=True)
asking.start()
mcp_fs.keep().result()
""", "", threads=1)
        self.prints("asking.join()\nprint(*told)",
                    "fs.never: the program that made the call has ended\n")
        self.prints("print(fs.echo(b=3).result().text)", '{"b":3}\n')


if __name__ == "__main__":
    unittest.main()
