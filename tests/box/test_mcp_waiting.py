"""What code sees of worker/box/python/mcp: calls that wait, in threads and
tasks, and those that are cancelled or interrupted.

    /usr/bin/python3 tests/box/test_mcp_waiting.py [-v] [-k PATTERN]

The Python that runs the tests is the Python that is tested.
"""
import re
import unittest

from mcp_relay import FS, Base, CANCELLED, MOST, tool


class Waiting(Base):
    """Event loops, threads, both, cancelled ones, and children."""

    def test_parallel(self):
        got = self.prints("""
import asyncio
rs = await asyncio.gather(*(mcp_fs.barrier(n=100, i=i) for i in range(300)))
print([r.data['i'] for r in rs] == list(range(300)))
rs = await asyncio.gather(*(mcp_fs.echo(i=i) for i in range(1000)))
print([r.data['i'] for r in rs] == list(range(1000)))
""", "True\nTrue\n")
        self.assertGreaterEqual(got.relay.most, 100)

    def test_every_way_in_a_loop(self):
        self.prints("""
import asyncio
c = mcp_fs.echo
async def main():
    print((await c(a=1)).data, (await asyncio.create_task(c(a=2))).data,
          (await asyncio.wait_for(c(a=3), 9)).data,
          (await asyncio.ensure_future(c(a=4))).data,
          (await asyncio.shield(c(a=5))).data, c(a=6).result().data)
    done, _ = await asyncio.wait([asyncio.ensure_future(c(a=7))])
    print([t.result().data for t in done], asyncio.iscoroutine(c(a=8)))
    call = c(a=9)
    print((await call).data, await call is call.result())
    loop = asyncio.get_running_loop()
    print((await loop.run_in_executor(None, c(a=10).result)).data)
    print('fs.echo' in repr(asyncio.create_task(c(a=11))))
asyncio.run(main())
print(asyncio.run(c(a=12)).data)
loop = asyncio.new_event_loop()
print(loop.run_until_complete(c(a=13)).data)
loop.close()
print(c(a=14).result().data)
""", "{'a': 1} {'a': 2} {'a': 3} {'a': 4} {'a': 5} {'a': 6}\n"
            "[{'a': 7}] True\n{'a': 9} True\n{'a': 10}\nTrue\n{'a': 12}\n"
            "{'a': 13}\n{'a': 14}\n", "note: MAIN:[^\n]*c\\(a=8\\).*")

    def test_answers_without_memory(self):
        """The reads, the joined line and its value need memory, in turn."""
        tools = {"fs": FS + [tool("large")]}
        for wait in "await %s", "%s.result()":
            for size in 40 << 20, 20 << 20, 10 << 20:
                self.prints("""
import asyncio, resource
await mcp_fs.echo(a=0)
pages = int(open('/proc/self/statm').read().split()[0])
most = pages * resource.getpagesize() + (24 << 20)
resource.setrlimit(resource.RLIMIT_AS, (most, most))
try:
    print(len((%s).text))
except runtime.MCPError as error:
    print(error)
print((%s).data)
""" % (wait % "mcp_fs.large(bytes=%d)" % size, wait % "mcp_fs.echo(a=1)"),
                    "fs.large: not enough memory for the answer: request "
                    "less\n{'a': 1}\n", tools=tools)

    def test_threads_loops_and_main_mixed(self):
        """All wait at once: no answer is sent before all have asked."""
        self.prints("""
import asyncio, threading
out, N = [], 30
def sync(i):
    for k in range(3):
        out.append(mcp_fs.barrier(n=N, i=i).result().data['i'])
def loop(i, n):
    async def main():
        for k in range(3):
            rs = await asyncio.gather(*(mcp_fs.barrier(n=N, i=j)
                                        for j in range(i, i + n)))
            out.extend(r.data['i'] for r in rs)
    asyncio.run(main())
threads = [threading.Thread(target=sync, args=(i,)) for i in range(9)]
threads += [threading.Thread(target=loop, args=(i, 5)) for i in (9, 14, 19)]
for t in threads: t.start()
loop(24, 6)
for t in threads: t.join()
print(sorted(out) == sorted(3 * [*range(30)]))
""", "True\n")

    def test_thread_under_a_blocked_loop(self):
        """The loop waits for a call, and its thread for another thread."""
        self.prints("""
import asyncio, threading
async def main():
    task = asyncio.create_task(mcp_fs.keep(a=1))
    await mcp_fs.echo()  # behind the other one
    t = threading.Thread(target=lambda: print(mcp_fs.echo(b=2).result().data))
    t.start(); t.join()
    print(mcp_fs.release(c=3).result().data, (await task).data)
asyncio.run(main())
""", "{'b': 2}\n{'c': 3} {'a': 1}\n")

    def test_call_of_an_idle_loop_ends_in_time(self):
        """By a limit, by another thread, and by an interrupt."""
        self.prints("""
import asyncio, os, signal, threading
async def late():
    try:
        await asyncio.wait_for(mcp_fs.never(), 0.2)
    except asyncio.TimeoutError:
        print('late')
async def cancelled():
    task, loop = asyncio.current_task(), asyncio.get_running_loop()
    threading.Timer(0.2, lambda: loop.call_soon_threadsafe(
        task.cancel)).start()
    try:
        await mcp_fs.never()
    except asyncio.CancelledError:
        print('cancelled')
async def failed():
    try:
        await mcp_fs.nothing()
    except AttributeError as error:
        print(str(error)[:37])
    call = mcp_fs.echo(a=1)
    print((await call).data, (await call).data)
asyncio.run(late())
asyncio.run(cancelled())
asyncio.run(failed())
threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
try:
    asyncio.run(mcp_fs.never())
except KeyboardInterrupt:
    print('interrupted')
print(mcp_fs.echo(a=2).result().data)
""", "late\ncancelled\nserver fs has no tool 'nothing'; it h\n{'a': 1} "
            "{'a': 1}\ninterrupted\n{'a': 2}\n")

    def test_cancelled(self):
        got = self.prints("""
import asyncio
async def main():
    for i in range(3):
        try:
            await asyncio.wait_for(mcp_fs.keep(i=i), 0.05)
        except asyncio.TimeoutError:
            print('late')
    tasks = [asyncio.create_task(mcp_fs.keep(i=i)) for i in range(300)]
    await asyncio.sleep(0.05)
    for t in tasks: t.cancel()
    print({type(r).__name__ for r in await asyncio.gather(
        *tasks, return_exceptions=True)})
asyncio.run(main())
call = mcp_fs.echo(a=1)
async def early():
    task = asyncio.create_task(call)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    print(task.cancelled())
asyncio.run(early())
""", "late\nlate\nlate\n{'CancelledError'}\nTrue\n")
        self.assertEqual(len(got.relay.calls), 3 + MOST)
        self.assertEqual(len(got.relay.cancelled), 3 + MOST)

    def test_a_cancelled_call_is_over(self):
        """The relay hears of it, once; a shield keeps it from that."""
        got = self.prints("""
import asyncio
async def main():
    call = mcp_fs.keep(i=1)
    try:
        await asyncio.wait_for(call, 0.05)
    except asyncio.TimeoutError:
        print('late')
    try:
        await call
    except runtime.MCPError as error:
        print(error)
    task = asyncio.ensure_future(mcp_fs.keep(i=2))
    try:
        await asyncio.wait_for(asyncio.shield(task), 0.05)
    except asyncio.TimeoutError:
        print('late')
    print((await mcp_fs.release(x=1)).data, (await task).data)
    print((await mcp_fs.echo(x=2)).data)
asyncio.run(main())
""", "late\nfs.keep: %s\nlate\n{'x': 1} {'i': 2}\n{'x': 2}\n" % CANCELLED)
        self.assertEqual(len(got.relay.cancelled), 1)

    def test_a_cancelled_fetch_goes_on(self):
        """A list of tools is for all."""
        got = self.prints("""
import asyncio
async def main():
    task = asyncio.ensure_future(mcp_fs.echo(x=1))
    await asyncio.sleep(0)
    task.cancel()
    print((await mcp_fs.echo(x=2)).data)
asyncio.run(main())
""", "{'x': 2}\n")
        self.assertEqual(got.relay.cancelled, [])

    def test_late_answers_are_dropped(self):
        """Calls that were not cancelled can still be awaited."""
        self.prints("""
call = mcp_fs.keep(i=1)
try:
    call.result(0.05)
except TimeoutError:
    print('late')
print((mcp_fs.release(x=1).result()).data, (call.result()).data)
print((mcp_fs.echo(x=2).result()).data)
""", "late\n{'x': 1} {'i': 1}\n{'x': 2}\n")

    def test_signals(self):
        """What a handler raises ends one wait, and nothing else."""
        self.prints("""
import os, signal, sys, threading, time
import mcp._wire
class Late(Exception): pass
def late(*_): raise Late
main, heard = threading.get_ident(), []
def ring():
    # A signal just before the read begins would not end it: once more.
    while not heard:
        if mcp._wire.WIRE.reader == main and \\
                sys._current_frames()[main].f_code.co_name == 'read':
            os.kill(os.getpid(), signal.SIGALRM)
        time.sleep(0.1)
def nested(*_):
    if heard:
        return
    heard.append(True)
    try:
        mcp_fs.echo().result()
    except RuntimeError as error:
        print(error)
    raise Late
def interrupt(call, handler, start):
    signal.signal(signal.SIGALRM, handler)
    try:
        start()
        call.result()
    except Late:
        print('late')
def soon(): signal.setitimer(signal.ITIMER_REAL, 0.5)
call = mcp_fs.keep(a=1)
interrupt(call, late, soon)
t = threading.Thread(target=lambda: print(mcp_fs.keep(b=1).result().data))
t.start()
time.sleep(0.05)
interrupt(mcp_fs.never(), late, soon)
mcp_fs.release().result()
t.join()
print(call.result().data)
interrupt(mcp_fs.never(), nested, threading.Thread(target=ring).start)
threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
mcp_fs.never().result()
""", "late\nlate\n{'b': 1}\n{'a': 1}\na signal handler cannot call a "
            "server while the code that it interrupts waits for one\nlate\n",
            r'Traceback .*\n  File "MAIN", line \d+, in <module>\n[^\n]*\n'
            "(?:[^\n]*\n)?KeyboardInterrupt\n", -2)

    def test_signals_while_answers_are_delivered(self):
        """What was read is delivered all the same, in and to a loop."""
        self.prints("""
import asyncio, sys, threading, time
import mcp._wire
class Late(Exception): pass
def late(frame, event, value):
    global left
    if event in ('call', 'c_return') and \\
            '/mcp/wire/_' in frame.f_code.co_filename:
        name = frame.f_code.co_name
        left -= left > 0 and name in ('digest', 'split', 'deliver')
        if left == 0:
            left = -1
            raise Late
async def gather(n):
    global left
    tasks = [asyncio.ensure_future(mcp_fs.barrier(n=3, i=i))
             for i in range(3)]
    left = n
    sys.setprofile(late)
    await asyncio.wait(tasks, timeout=60)
    sys.setprofile(None)
    for i, task in enumerate(tasks):
        assert task.result().data['i'] == i, (n, i)
loop = asyncio.new_event_loop()
loop.set_exception_handler(lambda *args: None)
for n in range(1, 40):
    loop.run_until_complete(gather(n))
loop.close()
async def keep():
    return (await asyncio.wait_for(mcp_fs.keep(a=1), 5)).data
for n in range(1, 25):
    kept, last = [], mcp._wire.WIRE.last
    thread = threading.Thread(target=lambda: kept.append(asyncio.run(keep())))
    thread.start()
    # An earlier release() may have no answer yet.
    while not any(i > last and r.alone
                  for i, r in [*mcp._wire.WIRE.sent.items()]):
        time.sleep(0.001)
    call = mcp_fs.release()
    left = n
    sys.setprofile(late)
    try:
        call.result()
    except Late:
        pass
    sys.setprofile(None)
    thread.join()
    assert kept == [{'a': 1}], n
print('done')
""", "done\n")

    def test_signals_while_requests_are_sent(self):
        """The next caller that waits sends what a signal interrupted."""
        self.prints("""
import asyncio, sys, threading
class Late(Exception): pass
left = 0
def late(frame, event, value):
    global left
    if event in ('call', 'c_return') and \\
            frame.f_code.co_filename.endswith('/mcp/wire/_wire.py'):
        left -= left > 0
        if left == 0:
            left = -1
            raise Late
def interrupted(n):
    global left
    call, left = mcp_fs.echo(i=n), n
    sys.setprofile(late)
    try:
        call.result()
    except Late:
        pass
    sys.setprofile(None)
    return call
def again(call, n):
    assert call.result(5).data['i'] == n
def in_a_loop(call, n):
    async def main():
        assert (await asyncio.wait_for(call, 5)).data['i'] == n
    asyncio.run(main())
def behind(call, n):
    thread = threading.Thread(target=mcp_fs.keep().result)
    thread.start()
    while mcp._wire.WIRE.reader != thread.ident:
        time.sleep(0.001)
    again(call, n)
    mcp_fs.release().result()
    thread.join()
import mcp._wire, time
mcp_fs.echo().result()
for go_on in again, in_a_loop, behind:
    left, n = -1, 0
    while left == -1:
        n += 1
        go_on(interrupted(n), n)
    print(n > 20)
""", "True\n" * 3)

    def test_signal_handler_raises_an_error_of_the_system(self):
        self.prints("""
import signal
def late(*_): raise TimeoutError('late')
signal.signal(signal.SIGALRM, late)
try:
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    mcp_fs.never().result()
except TimeoutError as error:
    print(error)
print(mcp_fs.echo(a=1).result().data)
""", "late\n{'a': 1}\n")

    def test_end_of_the_connection(self):
        self.prints("""
import asyncio, threading
def f():
    try:
        mcp_fs.never().result()
    except runtime.MCPError as error:
        print(error)
async def main():
    rs = await asyncio.gather(mcp_fs.never(), mcp_fs.hang_up(),
                              return_exceptions=True)
    t.join()
    print(*rs, sep='\\n')
    for call in mcp_fs.echo, mcp_fs.echo:
        try:
            await call()
        except runtime.MCPError as error:
            print(error)
mcp_fs.echo
t = threading.Thread(target=f); t.start()
asyncio.run(main())
""", "fs.never: the connection to the servers has ended\n" * 2
            + "fs.hang-up: the connection to the servers has ended\n"
            + "fs.echo: the connection to the servers has ended\n" * 2)

    def test_control_closed_by_the_code(self):
        self.prints("""
import os
mcp_fs.echo().result()
os.closerange(3, os.sysconf('SC_OPEN_MAX'))
try:
    mcp_fs.echo().result()
except runtime.MCPError as error:
    print(error)
""", "fs.echo: the connection to the servers has ended\n")

    def test_children(self):
        says = ("fs.echo: only the first process of the code can call "
                "servers, not a child of it: make the call there and pass the "
                "result on\n")
        got = self.prints("""
import asyncio, multiprocessing, os, sys
echo, mine, begun = mcp_fs.echo, mcp_fs.echo(), mcp_fs.keep()
try:
    begun.result(0.05)
except TimeoutError:
    pass
done = echo(a=1).result
done = lambda call=echo(a=1): call.result()
done()
def f():
    for call in echo(), mine, begun:
        try:
            call.result()
        except runtime.MCPError as error:
            print(error, flush=True)
    async def main():
        await echo()
    try:
        asyncio.run(main())
    except runtime.MCPError as error:
        print(error, flush=True)
    print(done().data, flush=True)
    import mcp.servers.my_git
    try:
        mcp_my_git.log
    except runtime.MCPError as error:
        print(str(error)[:28], flush=True)
pid = os.fork()
if not pid:
    f()
    os._exit(0)
os.waitpid(pid, 0)
p = multiprocessing.get_context('fork').Process(target=f)
p.start(); p.join()
print(mine.result().data)
""".replace("done = echo(a=1).result\n", ""), (
            says * 2 + says.replace("echo", "keep") + says
            + "{'a': 1}\nmy-git: only the first proce\n") * 2 + "{}\n")
        self.assertEqual(
            [call[1] for call in got.relay.calls], ["keep", "echo", "echo"])


if __name__ == "__main__":
    unittest.main()
