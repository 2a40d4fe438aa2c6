"""What must work in a box, or it would be switched off."""
# What prelude.py brings along is at hand in every case.
from table import case

MUST = "what must work"


@case("66a", "subprocess, with a shell and a pipe", "A 3", shown=MUST)
def subprocesses():
    import subprocess
    done = subprocess.run("echo a | tr a-z A-Z; exit 3", shell=True,
                          capture_output=True, text=True)
    return "%s %d" % (done.stdout.strip(), done.returncode)


@case("66b", "threads, and a pool of them", "45", shown=MUST)
def threads():
    import concurrent.futures
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        return sum(pool.map(int, range(10)))


@case("66c", "asyncio, with a subprocess and a thread", "b'abc' 3", shown=MUST)
def asyncio_works():
    import asyncio

    async def run():
        child = await asyncio.create_subprocess_exec(
            "cat", stdin=-1, stdout=-1)
        out = (await child.communicate(b"abc"))[0]
        return "%r %d" % (out, await asyncio.to_thread(sum, [1, 2]))
    return asyncio.run(run())


@case("66d", "tempfile in each writable place", "ok", shown=MUST)
def tempfiles():
    import tempfile
    for place in WRITABLE:
        with tempfile.NamedTemporaryFile(dir=place) as file:
            file.write(b"x")
            os.fsync(file.fileno())
    return "ok"


@case("66e", "sqlite3 in a file, with its journal and locks", "3", shown=MUST)
def sqlite():
    import sqlite3
    base = sqlite3.connect("/workspace/x")
    base.execute("pragma journal_mode=wal")
    base.execute("create table t (a)")
    with base:
        base.executemany("insert into t values (?)", [(1,), (2,)])
    return base.execute("select sum(a) from t").fetchone()[0]


@case("66f", "multiprocessing: a pool, a queue, shared memory, a pipe",
      "[1, 4] 1 7 2", shown=MUST)
def multiprocessing_works():
    import multiprocessing
    context = multiprocessing.get_context("fork")
    with context.Pool(2) as pool:
        squares = pool.map(abs, [1, -4])
    queue = context.Queue()
    queue.put(1)
    value = context.Value("i", 7)
    left, right = context.Pipe()
    left.send(2)
    return "%s %d %d %d" % (squares, queue.get(), value.value, right.recv())


@case("66g", "json, decimal, zoneinfo, ssl, curses of the library", "ok",
      shown=MUST)
def library():
    import decimal
    import json
    import lzma
    import ssl
    import unittest
    import zoneinfo
    assert json.loads("[1]") and decimal.Decimal(1) and lzma and unittest
    ssl.create_default_context()
    return "ok" if zoneinfo.ZoneInfo("UTC") else ""


@case("66h", "locks among processes of one box: flock and lockf",
      "held held", shown=MUST)
def locks():
    def second(lock):
        with open("/tmp/lock", "w") as file:
            return attempt(lock, file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    seen = []
    for lock in fcntl.flock, fcntl.lockf:
        with open("/tmp/lock", "w") as file:
            lock(file, fcntl.LOCK_EX)
            seen.append("held" if in_child(second, lock) in (
                "EAGAIN", "EACCES") else "free")
    return " ".join(seen)


@case("66i", "pairs of sockets between processes", "b'hello' [1, None]",
      shown=MUST,
      python="Python's own files change the module")
def pairs_between():
    import multiprocessing
    left, right = socket.socketpair()
    here, there = multiprocessing.Pipe()
    if os.fork() == 0:
        right.sendmsg([b"hel", b"lo"])
        there.send([1, None])
        os._exit(0)
    return "%r %r" % (left.recv(9), here.recv())


@case("66j", "programs of the host: git's kind, compilers' kind", "ok",
      shown=MUST)
def programs():
    import subprocess
    for command in (["/usr/bin/env", "true"], ["/bin/sh", "-c", "exit 0"],
                    ["/usr/bin/python3", "-c", "import os"],
                    ["/usr/bin/find", "/workspace"],
                    ["/bin/cp", "/etc/passwd", "/tmp/p"]):
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return "ok"
