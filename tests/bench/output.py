"""Code that prints much, beside plain Python with the same code."""
import subprocess

from measure import PYTHON, in_turns

ROUNDS = 5
PRINTS = 1000000
MEBIBYTES = 100
NUMBERS = "for n in range({0}): print(n)"
BYTES = ("import sys\n"
         "for _ in range({0} << 4): sys.stdout.buffer.write(b'x' * 65536)")
BY_LINE = "import sys; sys.stdout.reconfigure(line_buffering=True)\n"


def piped(code):
    """A function that runs code in plain Python, its output read by cat."""
    def run():
        first = subprocess.Popen([PYTHON, "-I", "-c", code],
                                 stdout=subprocess.PIPE)
        subprocess.run(["cat"], stdin=first.stdout, check=True,
                       stdout=subprocess.DEVNULL)
        first.stdout.close()
        if first.wait():
            raise RuntimeError("plain Python failed")
    return run


def measure_one(bench, name, code, yardsticks):
    """One program, beside each of its yardsticks."""
    with bench.clients({"it": {}}) as clients:
        seconds = in_turns(
            {name: lambda: clients["it"].run(code),
             **{told: piped(plain) for told, plain in yardsticks.items()}},
            bench.rounds(ROUNDS))
    for yardstick in yardsticks:
        bench.medians(name, seconds[name], yardstick, seconds[yardstick])


def measure(bench):
    """All of it."""
    bench.section = "output"
    prints = 2000 if bench.quick else PRINTS
    mebibytes = 1 if bench.quick else MEBIBYTES
    code = NUMBERS.format(prints)
    measure_one(bench, f"{prints} prints", code, {
        "python3, line-buffered, | cat": BY_LINE + code,
        "python3, block-buffered, | cat": code})
    code = BYTES.format(mebibytes)
    measure_one(bench, f"{mebibytes} MiB of output", code, {
        "python3, block-buffered, | cat": code})
