"""Top-level await, tasks and children of code under the bootstrap: as under the
interpreter, which see bootstrap.py.

    /usr/bin/python3 tests/box/test_bootstrap_tasks.py [-v] [-k PATTERN]

The Python that runs the tests is the Python that is tested.
"""
import signal
import unittest

from bootstrap import add_cases, Case, Cases, LINE, TRACE

TASKS = [
    Case("top-level await", """
import asyncio
print(await asyncio.sleep(0, 'slept'), __name__)
""", "slept __main__\n", like=False),
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
""", "", TRACE + r'.*  File "MAIN", line 3, in <module>\n'
         r"    await [^\n]*\n(?: *[~^]+\n)?\S*TimeoutError\n", 1, like=False),
    Case("interrupt inside", """
import asyncio, os, signal
os.kill(os.getpid(), signal.SIGINT)
await asyncio.sleep(9)
""", "", TRACE + ".*KeyboardInterrupt\n", -signal.SIGINT, like=False),
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
    Case("coroutine never awaited, and kept", "print(1)\n\n"
         "async def f(): pass\nx = f()", "1\n",
         "<?sys>?:[01]: RuntimeWarning: coroutine 'f' was never awaited\n"),
    Case("warnings about who has called the code", """
import warnings
def f():
    warnings.warn("two", stacklevel=2)
    warnings.warn("three", stacklevel=3)
    warnings.warn("nine", DeprecationWarning, stacklevel=9)
f()
""", "", "MAIN:7: UserWarning: two\n  f\\(\\)\nsys:1: UserWarning: three\n"),
    Case("coroutine never awaited, and not told of", "import warnings\n"
         "warnings.simplefilter('ignore')\n"
         "async def f(): pass\nx = f()"),
    Case("syntax error beside await", "await f()\nx = = 1", "",
         r'  File "MAIN", line 2\n.*SyntaxError: invalid syntax\n', 1),
    Case("asyncio.run and top-level await", """
import asyncio
async def main(): print('never')
def go(): asyncio.run(main())
await asyncio.sleep(0)
go()
""", "", TRACE + r'  File "MAIN", line 6, in <module>\n.*RuntimeError: '
         r"asyncio.run\(\) cannot be called from a running event loop\nhint: "
         r".*write 'await main\(\)' instead of 'asyncio.run\(main\(\)\)'\n"
         "(.*was never awaited.*)?", 1, like=False),
    Case("second loop and top-level await", """
import asyncio
async def main(): print('never')
def go(): asyncio.new_event_loop().run_until_complete(main())
await asyncio.sleep(0)
go()
""", "", TRACE + ".*RuntimeError: .*\nhint: .*", 1, like=False),
    Case("no hint for other errors", """
import asyncio
await asyncio.sleep(0)
raise RuntimeError('mine')
""", "", TRACE + LINE + ".*RuntimeError: mine\n", 1, like=False),
    Case("asyncio.run fails, without frames of libraries", """
import asyncio
async def main(): 1 / 0
asyncio.run(main())
""", "", TRACE + LINE + r"    asyncio.run\(main\(\)\)\n" + LINE +
         r"    async def main\(\): 1 / 0\n[ ~^]*\n"
         "ZeroDivisionError: [^\n]*\n", 1, like=False),
    Case("a library calls code that fails", """
import re
def word(match): 1 / 0
re.sub('a', word, 'abc')
""", "", TRACE + LINE + r"    re.sub\('a', word, 'abc'\)\n" + LINE +
         r"    def word\(match\): 1 / 0\n[^\n]*\nZeroDivisionError.*", 1,
         like=False),
]

CHILDREN = [
    Case("what is to be done before threads end", """
import threading
try:
    threading._register_atexit(print, 'last')
except AttributeError:  # before Python 3.9
    print('last')
print('main')
""", None),
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
    Case("spawned pool and top-level await", """
import asyncio, concurrent.futures as futures, multiprocessing
await asyncio.sleep(0)
with futures.ProcessPoolExecutor(1, multiprocessing.get_context('spawn')) as p:
    p.submit(print)
""", "", ".*RuntimeError: code with 'await' at top level cannot be.*", 1,
         like=False),
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
""", "[(b'fork', 'caisson_stand_ins')]\n[(b'spawn', 'caisson_stand_ins')]\n",
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
]


add_cases((("tasks", TASKS), ("children", CHILDREN)))


if __name__ == "__main__":
    unittest.main()
