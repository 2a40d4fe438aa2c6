"""What code can use up. The limits are small here (128 MiB, 32 processes), so
that what is tried without them stays small: every attempt is bounded to a
little more than the limit.
"""
import re

# What prelude.py brings along is at hand in every case.
from table import case, seen_in

KERNEL = ("where no cgroup counts them only the lines of /proc/PID/fdinfo do, "
          "and to read those takes as long as to make them")
MORE_MEMORY = ("CAISSON_MEMORY=1g",)


@case("20", "fork without end (bounded: 64)", "EAGAIN within 32",
      without="NPROC")
def fork_bomb():
    read, write = os.pipe()
    count, seen = 0, "ok"
    while count < 64:
        try:
            if os.fork() == 0:
                os.close(write)
                os.read(read, 1)
                os._exit(0)
        except OSError as error:
            seen = error_name(error)
            break
        count += 1
    os.close(write)
    return "%s %s" % (seen, "within 32" if count < 32 else "too late")


@case("20b", "fork and end without pause, for a while", "alive",
      shown="see 20; after it Caisson must answer")
def fork_storm():
    end = time.monotonic() + 1
    while time.monotonic() < end:
        try:
            if os.fork() == 0:
                attempt(os.fork)
                os._exit(0)
        except OSError:
            pass
        try:
            while os.waitpid(-1, os.WNOHANG)[0]:
                pass
        except ChildProcessError:
            pass
    return "alive"


@case("21", "threads without end (bounded: 64)", "RuntimeError within 32",
      without="NPROC AS DATA")
def thread_bomb():
    import threading
    stop = threading.Event()
    threads, seen = [], "ok"
    while len(threads) < 64:
        thread = threading.Thread(target=stop.wait)
        try:
            thread.start()
        except RuntimeError as error:
            seen = type(error).__name__
            break
        threads.append(thread)
    stop.set()
    for thread in threads:
        thread.join()
    return "%s %s" % (seen, "within 32" if len(threads) < 32 else "too late")


@case("22a", "private memory of one process (bounded: twice the limit)",
      "MemoryError", without="DATA AS", skip=lambda host: host.grouped and
      "a cgroup ends the box that takes so much, see 23" or None)
def memory_bomb():
    kept = []
    try:
        for _ in range(16):
            kept.append(bytearray(16 * MIB))
    except MemoryError:
        return "MemoryError"
    return "256 MiB"


@case("22b", "shared memory that belongs to no file", "EPERM",
      without="seccomp")
def shared_memory():
    plain = mmap.mmap.__mro__[-2]
    with open("/dev/zero", "rb") as zero:
        device = attempt(plain, zero.fileno(), 4096, prot=mmap.PROT_READ)
    assert device == "ENODEV", device
    return attempt(plain, -1, 4096)


@case("22d", "address space of one process (bounded: 2 GiB, not touched)",
      "ENOMEM", without="AS DATA", skip=lambda host: host.grouped and
      "a cgroup limits what is used, not what is promised" or None,
      python="its processes may reserve any address space")
def address_space():
    return attempt(mmap.mmap, -1, 2 << 30, mmap.MAP_PRIVATE, mmap.PROT_READ)


@case("22c", "a deep stack", "SIGSEGV", shown="where ours is taken away, "
      "the host's own limit of a stack is met")
def deep_stack():
    sys.setrecursionlimit(1 << 30)
    deeper = ctypes.CFUNCTYPE(ctypes.c_int)(lambda: deeper())
    return in_child(deeper)


@case("23", "memory of many processes (bounded: four of 64 MiB)",
      "~.Sandbox ran out of memory .limit 128 MiB.:.*", settings=MORE_MEMORY)
def memory_of_many():
    read, write = os.pipe()
    children = []
    for _ in range(4):
        pid = os.fork()
        if pid == 0:
            kept = bytearray(b"x") * (64 * MIB)
            os.write(write, b"x")
            time.sleep(HOST["lasts"])
            os._exit(len(kept) % 2)
        children.append(pid)
    os.close(write)
    made = 0
    while made < 4 and os.read(read, 1):
        made += 1
    time.sleep(HOST["lasts"] / 2)
    return "256 MiB" if made == 4 else "stopped"


@case("23d", "the same, of processes whose first thread has ended",
      "~.Sandbox ran out of memory .limit 128 MiB.:.*", settings=MORE_MEMORY)
def memory_of_headless():
    import threading
    read, write = os.pipe()

    def fill():
        time.sleep(0.5)
        kept = bytearray(b"x") * (64 * MIB)
        os.write(write, b"x")
        time.sleep(HOST["lasts"])
        os._exit(len(kept) % 2)

    for _ in range(4):
        if os.fork() == 0:
            threading.Thread(target=fill).start()
            raw((60, 93)[COLUMN], 0)
    os.close(write)
    made = 0
    while made < 4 and os.read(read, 1):
        made += 1
    time.sleep(HOST["lasts"] / 2)
    return "256 MiB" if made == 4 else "stopped"


@case("23e", "descriptions of memory, and links between them for each fork "
      "(bounded: 24000 in ten)",
      "~.Sandbox ran out of memory .limit 128 MiB.:.*", settings=MORE_MEMORY)
def parts_of_memory():
    area = mmap.mmap(-1, 24000 * mmap.PAGESIZE, mmap.MAP_PRIVATE)
    area[0] = 1
    start = ctypes.addressof(ctypes.c_char.from_buffer(area))
    for page in range(0, 24000, 2):
        LIBC.mprotect(ctypes.c_void_p(start + page * mmap.PAGESIZE),
                      ctypes.c_size_t(mmap.PAGESIZE), 1)
    read, write = os.pipe()
    for number in range(10):
        if os.fork():
            break
        if number == 9:
            time.sleep(HOST["lasts"])
            os.write(write, b"x")
    os.close(write)
    os.read(read, 1)
    if number > 0:
        os._exit(0)
    return "ten"


GROW = """
import ctypes, os, signal, threading, time
ready, go = os.pipe()
told, tell = os.pipe()
kept = []
def grow():
    os.read(ready, 1)
    if %(busy)d:
        time.sleep(1)  # by then the others are busy
    for _ in range(48):
        kept.append(bytearray(b"x") * (1 << 20))
        os.write(1, b"x")
        os.write(tell, b"x")
    time.sleep(%(seconds)d)
    os._exit(0)
for _ in range(%(busy)d):
    if os.fork() == 0:
        os.setsid()
        for fd in 1, 2, go, tell:
            os.close(fd)
        os.read(ready, 1)
        while %(continuing)r:
            try:
                os.kill(-1, signal.SIGCONT)
            except ProcessLookupError:
                pass
        os.execv("/bin/sh", ["sh", "-c", "while :; do :; done"])
for _ in range(%(growing)d):
    if os.fork() == 0:
        os.setsid()
        os.close(go)
        if %(headless)r:
            threading.Thread(target=grow).start()
            ctypes.CDLL(None).pthread_exit(None)
        grow()
os.close(go)
signal.signal(signal.SIGALRM, lambda *_: os._exit(0))
signal.alarm(%(seconds)d)
for _ in range(%(enough)d):
    os.read(told, 1)
os._exit(0)
"""


def grown(run, words, growing, busy, continuing=False, headless=False):
    """What some processes had filled when their box was ended, or in 10 s.

    They end themselves when it is more than it should be. The others have less
    than 32 MiB together. Beside busy ones they may not come to it in that time;
    else they must have been ended for it.
    """
    program = run.start(
        words, CAISSON_PIDS="128", CAISSON_MAX_OUTPUT="1m",
        CAISSON_MEMORY="128m")
    seconds = 10 * run.slow
    code = GROW % {
        "growing": growing, "busy": busy, "continuing": continuing,
        "headless": headless, "enough": ALLOWED + 1, "seconds": seconds}
    for _ in range(TRIES):
        seen = seen_in(program.run(code, 2 * seconds))
        filled = re.match("x*", seen).end()
        if filled <= ALLOWED:
            break
    program.close()
    if filled > ALLOWED:
        return "%d MiB" % filled
    if busy or "Sandbox ran out of memory" in seen:
        return "no more than 192 MiB"
    return seen[-SHOWN:]


# MiB that may be filled: the limit, 128, and the 64 of caisson-box(7), which is
# usually enough: on a machine that is too busy for the watchdog not each time.
ALLOWED = 192
TRIES = 3
SHOWN = 100  # characters of what was seen


@case("23f", "grow in eight processes beside ninety busy ones, each in a "
      "session of its own (bounded: 384 MiB)", "no more than 192 MiB",
      without="watchdog", driven=True)
def outrun(run, words):
    return grown(run, words, 8, 90)


@case("23g", "the same, the others continue all that is stopped",
      "no more than 192 MiB", without="watchdog", driven=True)
def outrun_continued(run, words):
    return grown(run, words, 8, 90, True)


@case("23i", "grow in sixteen processes at once (bounded: 768 MiB)",
      "no more than 192 MiB", without="watchdog", driven=True)
def outrun_at_once(run, words):
    return grown(run, words, 16, 0)


@case("23j", "the same in threads of processes whose first thread has ended "
      "(bounded: 768 MiB)", "no more than 192 MiB", without="watchdog",
      driven=True)
def outrun_headless(run, words):
    return grown(run, words, 16, 0, headless=True)


@case("23h", "what the code has stopped, while all is stopped to be counted",
      "stopped, goes on", shown="nothing but the code continues it")
def stopped_stays():
    with open("/tmp/counter", "w+b") as file:
        file.write(bytes(16))
        file.flush()
        moves = mmap.mmap(file.fileno(), 16)
    # With so many processes each look begins with stopping them.
    for _ in range(8):
        if os.fork() == 0:
            while True:
                signal.pause()
    # A process of this size takes its time to fork: often all is stopped then.
    pages = bytearray(b"x") * (24 << 20)
    children = []
    end = time.monotonic() + 1
    while time.monotonic() < end:
        if len(children) == 16:
            continue
        child = os.fork()
        while child == 0:
            os.kill(os.getpid(), signal.SIGSTOP)
            moves[len(children)] = 1
        children.append(child)
    del pages
    for child in children:
        os.waitpid(child, os.WUNTRACED)
    seen = "moves" if any(moves[:]) else "stopped"
    # Again and again: what was waited for may have been the watchdog's stop of
    # a child that has stopped itself only afterwards.
    end = time.monotonic() + 10 * HOST["slow"]
    while sum(moves[:]) < len(children) and time.monotonic() < end:
        for number, child in enumerate(children):
            if not moves[number]:
                os.kill(child, signal.SIGCONT)
        time.sleep(0.001)
    goes = "goes on" if sum(moves[:]) == len(children) else "is stuck"
    return "%s, %s" % (seen, goes)


@case("23b", "locks of single bytes, which are kernel memory (bounded: 20000)",
      "stopped", known=KERNEL)
def many_locks():
    files = [open("/tmp/%d" % number, "w") for number in range(20)]
    try:
        for file in files:
            for byte in range(1000):
                fcntl.lockf(file, fcntl.LOCK_EX, 1, 2 * byte)
    except OSError:
        return "stopped"
    return "20000 locks"


@case("23c", "watches of epoll, which are kernel memory (bounded: 20000)",
      "stopped", known=KERNEL)
def many_watches():
    import select
    pipes = [os.pipe() for _ in range(75)]
    made = 0
    try:
        for _ in range(90):
            watcher = select.epoll()
            pipes.append((watcher,))
            for pair in pipes[:75]:
                watcher.register(pair[0])
                watcher.register(pair[1])
                made += 2
    except OSError:
        pass
    return "%d000 watches" % (made // 1000) if made >= 12000 else "stopped"


@case("24", "memory in files that no limit counts: memfd, System V, queues",
      "EPERM", without="seccomp")
def hidden_memory():
    return same([("memfd", attempt(os.memfd_create, "x")),
                 ("shmget", call("shmget", 0, 4096, 0o1600)),
                 ("semget", call("semget", 0, 1, 0o1600)),
                 ("msgget", call("msgget", 0, 0o1600))])


@case("24b", "queues of POSIX", "EPERM", without="seccomp MSGQUEUE")
def queues():
    return call("mq_open", b"x\0", os.O_CREAT | os.O_RDWR, 0o600, 0)


@case("28a", "descriptors without end (bounded: 1000)", "EMFILE",
      without="NOFILE")
def descriptors():
    fds = []
    try:
        while len(fds) < 1000:
            fds.append(os.dup(0))
    except OSError as error:
        return error_name(error)
    return "ok"


@case("28b", "large pipes", "EPERM", without="seccomp")
def large_pipes():
    read, write = os.pipe()
    return same([("set", call("fcntl", write, 1031, 128 * 1024)),
                 ("high", call("fcntl", write, (1 << 32) + 1031,
                               128 * 1024))])


@case("28c", "bytes that wait in pipes (bounded: all descriptors)",
      "~[0-7] MiB", without="NOFILE")
def pipe_bytes():
    total = 0
    try:
        for _ in range(200):
            read, write = os.pipe()
            os.set_blocking(write, False)
            while True:
                try:
                    total += os.write(write, bytes(65536))
                except BlockingIOError:
                    break
    except OSError:
        pass
    return "%d MiB" % (total // MIB)


@case("28d", "bytes that wait in a pair of sockets (bounded: 64 MiB)",
      "EPERM, less than 1 MiB", without="seccomp")
def socket_bytes():
    left, right = socket.socketpair()
    left.setblocking(False)
    seen = attempt(left.setsockopt, socket.SOL_SOCKET, socket.SO_SNDBUF,
                   64 * MIB)
    size = left.getsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF)
    total = 0
    try:
        while total < 64 * MIB:
            total += left.send(bytes(65536))
    except BlockingIOError:
        pass
    return "%s, %s than 1 MiB" % (
        seen, "less" if max(size, total) < MIB else "more")


@case("28e", "send descriptors, each of which stays in flight", "EPERM",
      without="seccomp")
def in_flight():
    import _socket
    import array
    left, right = socket.socketpair()
    rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [0]))]
    return same([
        ("sendmsg", attempt(_socket.socket.sendmsg, left, [b"x"], rights)),
        ("nothing", attempt(_socket.socket.sendmsg, left, [b"x"])),
        ("sendmmsg", call("sendmmsg", left.fileno(), 0, 0, 0))])


@case("28h", "the same, by the limit alone (bounded: 2000)",
      "ETOOMANYREFS within 300", under="seccomp", without="NOFILE")
def in_flight_by_limit():
    import _socket
    import array
    pairs, total = [], 0
    try:
        while total < 2000:
            left, right = socket.socketpair()
            pairs.append((left, right))
            for _ in range(8):
                _socket.socket.sendmsg(left, [b"x"], [
                    (socket.SOL_SOCKET, socket.SCM_RIGHTS,
                     array.array("i", [0] * 16))])
                total += 16
    except OSError as error:
        return "%s %s" % (error_name(error),
                          "within 300" if total <= 300 else "too late")
    return "ok"


@case("28i", "bytes that wait in sockets which only blocked calls of poll() "
      "hold (bounded: 200 MiB)",
      "~(.*Sandbox ran out of memory .limit 128 MiB.:.*|(1[0-5])?[0-9]?[0-9] "
      "MiB)", shown="a box that is stopped to be counted ends the calls, also "
      "with a higher limit")
def unowned_sockets():
    import select
    import threading

    def block(ends):
        poll = select.poll()
        for end in ends:
            poll.register(end, select.POLLPRI)
        thread = threading.Thread(target=poll.poll, args=(60000,))
        thread.start()
        path = "/proc/self/task/%d/syscall" % thread.native_id
        # Or again, as a call that was stopped meanwhile.
        while not open(path).read().startswith(
                (("7 ", "219 "), ("73 ", "128 "))[COLUMN]):
            time.sleep(0.001)
        return thread

    # A call that is stopped and goes on looks for its descriptors again, finds
    # none of them, and ends: so do the sockets.
    held = []
    for _ in range(4):
        total = 0
        pairs = []
        while len(pairs) < 120:
            pairs.append(socket.socketpair())
            for end in pairs[-1]:
                end.setblocking(False)
                try:
                    while True:
                        total += end.send(bytes(65536))
                except BlockingIOError:
                    pass
        ends = [end.detach() for pair in pairs for end in pair]
        held.append((block(ends), total))
        for end in ends:
            os.close(end)
    # Not waited for, where the box is ended.
    time.sleep(5 * HOST["slow"])
    total = sum(size for thread, size in held if thread.is_alive())
    sys.stdout.write("%d MiB" % (total // MIB))
    sys.stdout.flush()
    os._exit(0)


@case("28f", "signals and timers without end (bounded: 2000)", "EAGAIN",
      without="SIGPENDING")
def pending_signals():
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGRTMIN])
    info = (ctypes.c_int * 32)(signal.SIGRTMIN, 0, -1)
    number = (129, 138)[COLUMN]
    for _ in range(2000):
        seen = raw(number, os.getpid(), signal.SIGRTMIN, info)
        if seen != "ok":
            return seen
    return "ok"


@case("28g", "locked memory, watches, keys: what is counted for a user",
      "EPERM", without="seccomp MEMLOCK")
def counted():
    return same([("mlock", call("mlock", 0, 0)),
                 ("inotify", call("inotify_init1", 0)),
                 ("key", call("add_key", b"user\0", b"x\0", b"x", 1, -3))])


MORE = ["CAISSON_MAX_OUTPUT=1m"]


@case("29", "a flood of standard output (bounded: 64 MiB)",
      "~x{32000}.{30000,36000}", settings=MORE)
def flood():
    block = b"x" * 65536
    for _ in range(64 * 16):
        os.write(1, block)
    return ""


@case("30", "both streams at once", "~[oy]{32000}.{30000,36000}",
      settings=MORE)
def flood_both():
    for _ in range(2000):
        os.write(1, b"o" * 4096)
        os.write(2, b"e" * 4096)
    return ""


@case("31", "one line of 16 MiB without an end", "~y{32000}.{30000,36000}",
      settings=MORE)
def long_line():
    sys.stdout.write("y" * (16 * MIB))
    return ""


@case("32", "many tiny writes", "~[.]{32000}.{30000,36000}", settings=MORE)
def tiny_writes():
    for _ in range(100000):
        os.write(1, b".")
    return ""


@case("33", "close both streams and go on", "[exit 7]", shown="the end of "
      "the code counts, not that of its streams")
def close_streams():
    os.close(1)
    os.close(2)
    time.sleep(0.3)
    os._exit(7)
