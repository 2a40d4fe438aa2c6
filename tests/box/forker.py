"""Forks boxes that have modules imported, as those of a template have.

    python3 -I -B -X utf8 forker.py BOOTSTRAP MODULE...

Reads the path of a directory from each line of standard input, runs the
bootstrap in a child whose pipes have names in that directory, and writes the
exit status of the child as a line.  It imports nothing but the modules.
"""
import os
import sys

BOOTSTRAP = sys.argv[1]
# As a child of bootstrap.py has them: the name of a pipe, and how it is opened.
PIPES = (("control_in", os.O_RDONLY), ("control_out", os.O_WRONLY),
         ("out", os.O_WRONLY), ("err", os.O_WRONLY))
PLACES = 3, 4, 1, 2
MOST = 256  # descriptors


def become(place, code):
    """Be the interpreter that runs the bootstrap, in a new process."""
    os.setsid()
    high = [os.dup2(os.open("%s/%s" % (place, name), mode), 100 + number)
            for number, (name, mode) in enumerate(PIPES)]
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for old, new in zip(high, PLACES):
        os.dup2(old, new)
    os.closerange(5, MOST)
    os.environ.update(HOME=place + "/work", TMPDIR=place + "/tmp")
    os.chdir(place + "/work")
    module = type(sys)("__main__")
    vars(module).update({name: value for name, value in globals().items()
                         if name.startswith("__")}, __file__=BOOTSTRAP)
    sys.modules["__main__"], sys.argv = module, [BOOTSTRAP]
    exec(code, vars(module))


for name in sys.argv[2:]:
    __import__(name)
with open(BOOTSTRAP, encoding="utf-8") as file:
    CODE = compile(file.read(), BOOTSTRAP, "exec")
for line in sys.stdin:
    pid = os.fork()
    if pid == 0:
        become(line.rstrip("\n"), CODE)
        break
    status = os.waitpid(pid, 0)[1]
    print(-os.WTERMSIG(status) if os.WIFSIGNALED(status)
          else os.WEXITSTATUS(status), flush=True)
