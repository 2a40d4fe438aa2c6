"""Programs of one's own: no file that the code can write may be executed."""
# What prelude.py brings along is at hand in every case.
from table import case


@case("e1", "run a program that was copied into each writable place",
      "EACCES", without="noexec landlock")
def run_copies():
    import shutil
    seen = []
    for place in WRITABLE:
        path = place + "/true"
        shutil.copy("/bin/true", path)
        os.chmod(path, 0o755)
        fd = os.open(path, os.O_RDONLY)
        seen += [(place, attempt(os.posix_spawn, path, ["x"], {})),
                 (place + "+fd", attempt(os.posix_spawn,
                                         "/proc/self/fd/%d" % fd, ["x"], {})),
                 (place + "+execveat", in_child(
                     call, "execveat", fd, b"\0", 0, 0, 0x1000) or "ok")]
    return same(seen)


@case("e2", "the same, by landlock alone", "EACCES", under="noexec",
      without="landlock")
def run_by_landlock():
    import shutil
    seen = []
    for place in WRITABLE:
        shutil.copy("/bin/true", place + "/true")
        seen.append((place, attempt(os.posix_spawn, place + "/true",
                                    ["x"], {})))
    return same(seen)


@case("e3", "the same, by the mounts alone", "EACCES", under="landlock",
      without="noexec")
def run_by_mounts():
    import shutil
    seen = []
    for place in WRITABLE:
        shutil.copy("/bin/true", place + "/true")
        seen.append((place, attempt(os.posix_spawn, place + "/true",
                                    ["x"], {})))
    return same(seen)


@case("e4", "a script with an interpreter line", "EACCES",
      without="noexec landlock")
def run_script():
    seen = []
    for place in WRITABLE:
        with open(place + "/script", "w") as file:
            file.write("#!/bin/sh\nexit 0\n")
        os.chmod(place + "/script", 0o755)
        seen.append((place, attempt(os.posix_spawn, place + "/script",
                                    ["x"], {})))
    return same(seen)


@case("e5", "have the dynamic loader run the copy", "refused",
      without="noexec")
def run_by_loader():
    import glob
    import shutil
    import subprocess
    loader = (glob.glob("/lib64/ld-linux-*") +
              glob.glob("/lib/ld-linux-a*"))[0]
    seen = []
    for place in WRITABLE:
        shutil.copyfile("/bin/true", place + "/true")
        done = subprocess.run([loader, place + "/true"],
                              capture_output=True, text=True)
        seen.append((place, "refused" if done.returncode else "ok"))
    return same(seen)


@case("e6", "load a library of one's own", "OSError", without="noexec")
def load_library():
    import glob
    import shutil
    library = sorted(glob.glob("/lib/*/libm.so.6") +
                     glob.glob("/lib64/libm.so.6"))[0]
    seen = []
    for place in WRITABLE:
        shutil.copy(library, place + "/own.so")
        seen.append((place, attempt(ctypes.CDLL, place + "/own.so")))
    return same(seen)


@case("e7", "map a file executable: at once, and afterwards", "EPERM",
      without="noexec")
def map_file():
    def protect(fd):
        mapped = mmap.mmap(fd, 4096, mmap.MAP_PRIVATE, 3)
        address = ctypes.addressof(ctypes.c_char.from_buffer(mapped))
        done = LIBC.mprotect(ctypes.c_void_p(address),
                             ctypes.c_size_t(4096), 5)
        # mprotect has EACCES where mmap has EPERM.
        return "ok" if done == 0 else errno.errorcode[
            ctypes.get_errno()].replace("EACCES", "EPERM")
    seen = []
    for place in WRITABLE:
        with open(place + "/code", "w+b") as file:
            file.truncate(4096)
            seen += [(place, attempt(mmap.mmap, file.fileno(), 4096,
                                     mmap.MAP_PRIVATE, 5)),
                     (place + "+later", protect(file.fileno()))]
    return same(seen)


@case("e8", "a file without a name (O_TMPFILE), run by its descriptor",
      "EACCES", without="noexec landlock")
def run_nameless():
    seen = []
    for place in WRITABLE:
        fd = os.open(place, os.O_TMPFILE | os.O_RDWR, 0o700)
        with open("/bin/true", "rb") as file:
            os.write(fd, file.read())
        again = os.open("/proc/self/fd/%d" % fd, os.O_RDONLY)
        os.close(fd)
        seen.append((place, attempt(
            os.posix_spawn, "/proc/self/fd/%d" % again, ["x"], {})))
    return same(seen)


@case("e9", "files in anonymous memory: memfd_create, memfd_secret", "EPERM",
      without="seccomp")
def memory_files():
    return same([("memfd", attempt(os.memfd_create, "x")),
                 ("memfd exec", call("memfd_create", b"x\0", 0x10)),
                 ("memfd huge", call("memfd_create", b"x\0", 4))])


@case("e10", "bring a program of the host into a writable place by a link",
      "EXDEV", shown="the kernel's own rule: a link stays in its file system")
def link_program():
    return same((place, attempt(os.link, "/usr/bin/env", place + "/env"))
                for place in WRITABLE)


@case("e11", "mounts on which programs run, but the parts of the host",
      "none", under="mount_table", without="noexec",
      python="programs of ours lie at its root, which is read-only: S4")
def mounts_exec():
    wanted = "/usr", "/bin", "/sbin", "/lib", HOST["tree"], "/etc", "/dev/"
    return " ".join(sorted({
        where for where, options, *_ in mount_points()
        if "noexec" not in options and not where.startswith(wanted)})
    ) or "none"


@case("e12", "mounts of settings and devices on which programs run", "none",
      under="mount_table", without="noexec")
def settings_exec():
    return " ".join(sorted({
        where for where, options, *_ in mount_points()
        if "noexec" not in options and where.startswith(("/etc", "/dev"))})
    ) or "none"


@case("e13", "stack and heap: executable anonymous memory (allowed)", "42",
      shown="compilers and ctypes need it: the promise is about files")
def anonymous_memory():
    if COLUMN != 0:
        return "42"
    code = mmap.mmap(-1, 4096, mmap.MAP_PRIVATE, 7)
    code.write(bytes.fromhex("b82a000000c3"))
    address = ctypes.addressof(ctypes.c_char.from_buffer(code))
    return ctypes.CFUNCTYPE(ctypes.c_int)(address)()


@case("e14", "pages of the interpreter and of libraries that can be executed "
      "and written to", "none",
      shown="a template makes their constants executable, which adds no right "
      "(see e13), but nothing that can be written to")
def written_and_executed():
    with open("/proc/self/maps", encoding="ascii") as file:
        rows = [line.split() for line in file]
    return " ".join(sorted({row[-1] for row in rows
                            if "w" in row[1] and "x" in row[1]})) or "none"
