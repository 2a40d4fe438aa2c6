"""What a box cannot do, tried: the abuse suite.

    run.py BUILD [--user UID [--again]] [--only NUMBER,...]
           [--leave NUMBER,...] [--sealed] [--template] [--shell]
           [--engine bun|deno|node] [--runtime podman] [--cgroups FOLDER]
           [--slow FACTOR] [-v]

Each case is a small attempt in Python. It goes through the real program, as a
line of MCP, into a box as users get it, and what it saw there must be what the
table says. Then it is run once more in a box whose protection was taken away,
and must see something else: so no case holds only because it tries nothing.

Such boxes come from caisson-box-open and caisson-open. They are linked from
the very objects of the programs, with calls led elsewhere by the linker (see
open_box.c): what users get has no such switch, which is checked here too. The
programs lie in private copies of the build folder, where the file "open" names
what is left out; beside the program as users get it that file names everything,
to no effect.

Many borders are drawn twice, by different parts of the kernel. The column
"layers" names all of them that had to be taken away, together, before the
attempt saw something else: the more words, the deeper the defence. What would
endanger the machine is only begun, or asked for with arguments that the kernel
refuses later than the protection would: "bounded" in the table.

With --again, beside a run as root, only the cases that root does not try are
made once more without their protection. Cases in --leave are not tried, as
another run tries them.

With --template the attempts go into boxes that a template has forked; they are
not made again without protection, as the borders of both kinds are the same.

With --shell they go into boxes of the shell, which runs them, and are not made
again without protection either. Cases that need to be the first process of
their box are left out.

With --engine it is programs of that engine in JavaScript that run them. The
cases of the file javascript are tried only then, and once more without their
protection.

With --runtime boxes are containers of an engine and an image that are made for
this run. A case holds there as it does natively, or it sees exactly what
contained.py says ("differs"). Caisson is the one of the users also where a
protection is taken away: the engine leaves it out (open_engine.py). First it is
tried whether Caisson refuses engines that leave something out of the trial at
its start, too. Selftests of hosts that lack something (67) and hundreds of
boxes (64) are left to native boxes. Cases that --only names are one group,
whichever files they are in. With --sealed nothing is taken away.

With --cgroups, which only root can ask for, each Caisson gets a cgroup of its
own in that folder of a tree of version 2, delegated to the user it runs as; the
boxes without protection are made without it. With --slow all that is waited for
may take so many times as long, and what is repeated is repeated less often.

After every group of cases, the invariants: Caisson still answers, has no more
descriptors and no more descendants than before, and the host's mounts, files,
shared memory, sockets and processes are untouched. The host is what alone.py
makes of the machine, so nothing else that runs there can spoil a case.

The verdicts: "holds"; "differs"; "FAILS"; "NOT SHOWN" (it holds just as well
without its protection: the case proves nothing); "known" (a weakness that is
written down, with a reason; should it hold one day, that is a failure too, to
be mended here); "skipped", with the reason. Cases lie in cases/*.py, one file a
group; prelude.py stands in front of each. Exit status: 0, 1, or 77 if the suite
cannot run here.
"""
import argparse
import importlib
import os
import signal
import subprocess
import sys
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SUPPORT = os.path.join(os.path.dirname(HERE), "support")
sys.path.insert(0, SUPPORT)
from alone import REAPER, processes_below
from engines import PLACES, engine_path
from contained import (REFUSED, USELESS, container_settings, differences, judge,
                       opening)
from host import Host, descriptors_of
from open_engine import install
from program import Failure, Program, copy_program
from table import CASES, JavaScript, LASTS, LASTS_OPEN, Shell, seen_in, shorten

GROUPS = ("calls", "identity", "filesystem", "execution", "network",
          "processes", "resources", "protocol", "positives", "driven", "hosts",
          "frames", "shell", "javascript", "soak")
BOXES = ("box-init", "relay", "python", "bash", "mcp", *PLACES)  # processes
SETTLE_SECONDS = 600  # memory is freed by a process of low priority
BESIDE = 4  # cases that run at once where a case only begins one
BAD = "FAILS", "NOT SHOWN"  # verdicts, of which one is enough
NATIVE = "64", "67"  # cases of native boxes only
LONGEST = 120  # seconds that a call may ask for
# What is not so in the child of an engine, and why.
BELOW = {"23h": "the threads of the engine count as processes, too",
         "39b": "the engine would end, too: J21",
         "22a": "only all processes have a limit: 23 and J9 to J12"}
BELOW_ONE = {("deno", "38c"): "it does not end by such a signal of its own",
             ("bun", "40b"): "it closes what its children inherit: J22"}
SKIPPED = 77  # the exit status by which meson knows a skipped test


class Run:
    """One run of the table."""

    def __init__(self, build, options):
        self.build, self.uid, self.verbose = build, options.user, options.v
        self.template, self.cgroups = options.template, options.cgroups
        self.engine, self.again = options.engine, options.again
        self.language = Shell if options.shell else \
            JavaScript if options.engine else None
        self.left = options.leave
        self.runtime = options.runtime
        self.contained = container_settings(options.runtime)
        self.different = differences(options.runtime)
        self.slow = options.slow
        self.host = Host(self.uid, bool(self.cgroups), self.slow)
        self.verdicts, self.problems, self.copies = [], [], {}
        self.codes = {}

    def is_root(self):
        return os.geteuid() == 0 and self.uid is None

    def copy(self, words=None):
        """The path of a caisson that leaves out words, or, with None, nothing.
        """
        name = "sealed" if words is None else "open-" + "-".join(words.split())
        if name not in self.copies:
            self.copies[name] = copy_program(
                self.build, os.path.join(self.host.folder, name), words)
        return self.copies[name]

    def container_engine(self, words):
        """The path of one that leaves out words."""
        name = "engine-" + "-".join(words.split())
        if name not in self.copies:
            self.copies[name] = install(
                os.path.join(self.host.folder, name), words)
        return self.copies[name]

    def start(self, words=None, **settings):
        """One of these, started."""
        if self.runtime and words is not None:
            settings["CAISSON_RUNTIME"] = self.container_engine(words)
            words = None
        path = self.copy(words)
        environment = self.host.environment()
        template = self.template and words is None
        environment["CAISSON_TEMPLATE"] = "on" if template else "off"
        environment["CAISSON_TOOLS"] = "run_python,run_code"
        environment.update(self.contained)
        if self.engine:
            environment["CAISSON_JAVASCRIPT"] = self.host.place(
                engine_path(self.engine))
        if words is not None and "net" in words.split():
            # The sockets of all others on the host count as the box's.
            environment["CAISSON_MEMORY"] = "1g"
        if words is not None or self.language:
            # One has few calls, or none in Python: no box waits for more.
            environment["CAISSON_POOL"] = "0"
        environment.update(settings)
        program = Program(path, environment, self.uid,
                          self.host.groups,
                          self.cgroups if words is None else None)
        # Where a row asks for another interpreter it may have no template.
        if template and "CAISSON_PYTHON" not in settings:
            program.wait_for_template()
        return program

    def code(self, one, function=None):
        """What is sent to a box: many are sent again and again."""
        key = one, function, one.lasts
        if key not in self.codes:
            facts = {**self.host.facts(), "lasts": one.lasts}
            self.codes[key] = one.code(facts, self.language, function)
        return self.codes[key]

    # Running

    def watch(self, program, cases):
        """What each case saw, in their order."""
        plain = [one for one in cases
                 if not one.driven and not one.before and not one.beside]
        answers = program.run_all(
            (self.code(one), one.seconds) for one in plain)
        seen = {}
        for one, answer in zip(plain, answers):
            seen[one] = seen_in(answer)
            if self.verbose:
                meta = answer.get("result", {}).get("_meta", {})
                print(one.words, one.number, meta.get("caisson/durationMs"),
                      file=sys.stderr)
        begun = []
        for one in cases:
            if one.driven:
                seen[one] = one.function(self, one.words)
                if callable(seen[one]):
                    begun.append(one)
                if len(begun) == BESIDE:
                    first = begun.pop(0)
                    seen[first] = seen[first]()
            elif one not in seen:
                seen[one] = self.watch_two(program, one)
        for one in begun:
            seen[one] = seen[one]()
        return seen

    def watch_two(self, program, one):
        """What a case sees that needs another box, before it or beside it."""
        first = program.start(
            self.code(one, one.before or one.beside), one.seconds)
        if one.before:
            other = seen_in(program.wait(first))
        second = program.start(self.code(one), one.seconds)
        seen = seen_in(program.wait(second))
        if one.beside and one.holds(seen):
            other = seen_in(program.wait(first))
        elif one.beside:  # what was found was there
            program.cancel(first)
            other = "ok"
        return seen if other == "ok" else "the other box: " + other

    def run_group(self, words, cases, later=False, settings=()):
        """Run cases in a program of their own; check the invariants."""
        for one in cases:
            one.words = words
            one.seconds = self.seconds(one, later)
            one.lasts = LASTS_OPEN if later else LASTS * self.slow
        program = self.start(words, **dict(
            setting.split("=") for setting in settings))
        try:
            if words is None:
                # Processes keep the files that code leaves, and memories and
                # output that was cut, from then on.
                program.run("open('/workspace/out/first', 'w').close()\n"
                            "load_memory('first')")
                self.check_limits(program)
                before = self.settled(program, None)
            seen = self.watch(program, cases)
            if words is None:
                self.check_invariants(program, before, cases)
            program.close()
        except Failure as failure:
            program.kill()
            if words is None:
                raise
            seen = dict.fromkeys(cases, "[refused: %s]" % failure)
        if words is not None:
            self.host.forgive()
        return seen

    def seconds(self, one, later):
        """The deadline of a case; none is moved that is the protection."""
        if later and one.later:
            return one.later * self.slow
        return min(LONGEST, one.timeout * (1 if one.later else self.slow))

    def settled(self, program, wanted):
        """Caisson's descriptors and descendants, once no box is left, no
        porter, which carries the files of one, and no keeper of a container
        that is being removed.

        Waits for what was wanted, or for any state without a box.
        """
        end = time.monotonic() + SETTLE_SECONDS * self.slow
        while True:
            names = [name for _, name in processes_below(program.pid)]
            now = descriptors_of(program.pid), sorted(names)
            boxes = sum(name.startswith(BOXES) for name in names)
            # The template is an interpreter, too.
            idle = boxes == self.template and "porter" not in names and \
                not (self.runtime and
                     any(name.startswith("keeper") for name in names))
            if idle and (wanted is None or now == wanted):
                return now
            if time.monotonic() > end:
                return now
            time.sleep(0.05)

    def check_limits(self, program):
        """What limits all processes of a box together."""
        if self.cgroups and program.limits != "cgroup":
            self.problems.append(
                "the limits are those of " + str(program.limits))

    def check_invariants(self, program, before, cases):
        """Nothing is left of the boxes; the host is as it was."""
        where = "after %s to %s: " % (cases[0].number, cases[-1].number)
        answer = program.run("print('hi')")
        if seen_in(answer) != "hi":
            self.problems.append(
                where + "print('hi') gives " + seen_in(answer))
        now = self.settled(program, before)
        if now != before:
            self.problems.append("%sdescriptors and processes of caisson "
                                 "were %s and are %s" % (where, before, now))
        changed = self.host.changed()
        if changed:
            self.problems.append(where + changed)

    # Judging

    def sealed(self, cases):
        """Run cases with all protections, but those of "under"."""
        seen = {}
        if self.runtime:  # an engine leaves out nothing for a case that holds
            return self.run_group(None, cases) if cases else seen
        for under in sorted({one.under for one in cases}):
            group = [one for one in cases if one.under == under]
            seen.update(self.run_group(under or None, group))
        return seen

    def opened(self, cases):
        """Run each case without its protections."""
        seen, groups = {}, {}
        for one in cases:
            if one.open_root and not self.is_root():
                continue
            words = (one.under + " " + (one.without or "")).strip()
            if self.runtime:
                words = opening(one, self.runtime)
            if words or one.later or one.settings:
                groups.setdefault((words, one.settings), []).append(one)
        for (words, settings), group in sorted(
                groups.items(), key=lambda item: item[0]):
            seen.update(self.run_group(words or None, group, True, settings))
        return seen

    def judge(self, one, seen, opened):
        """The verdict of a case, and a remark."""
        if "FileNotFoundError: " in seen and "'/proc" in seen:
            return "skipped", "boxes have no /proc here"
        if self.runtime:
            return judge(one, seen, self.different, opened)
        # What a template stands before may hold where it does not else.
        if one.holds(seen) == bool(one.known) and not (
                one.known and self.template):
            return "FAILS", "known, and yet it holds" if one.known else ""
        if one.known:
            return "known", one.known
        if opened is None:
            return "holds", one.shown or ("without: shown as root"
                if self.again else "without: only root can show it")
        if one.holds(opened) or one.holds_in_part(opened):
            return "NOT SHOWN", "without: " + opened
        return "holds", "without: " + opened

    def cannot(self, one):
        """Why a case cannot be tried here, or None."""
        if one.root is True and not self.is_root():
            return "only where Caisson runs as root"
        if one.root is False and self.is_root():
            return "only where Caisson runs as an ordinary user"
        if self.language and one.python:
            return "in a box of another language: " + one.python
        below = self.engine and (BELOW.get(one.number) or
                                 BELOW_ONE.get((self.engine, one.number)))
        if below:
            return "below a program in JavaScript: " + below
        if one.engines and self.engine not in one.engines:
            return "it is about " + " and ".join(one.engines)
        return one.skip(self.host) if one.skip else None

    def choose(self, names, only):
        """Why each case of some files cannot be tried, or None."""
        return {one: self.cannot(one) for one in CASES
                if one.function.__module__.replace("cases.", "") in names
                and not (self.language and one.driven)
                and (one.script is not JavaScript or self.engine)
                and not (self.engine and one.script is Shell)
                and not (self.runtime and one.number.startswith(NATIVE))
                and (not only or one.number in only)
                and one.number not in self.left}

    def open_files(self, names, only):
        """Run the cases of all files without their protections first: those
        that lack the same ones share a program."""
        return self.opened([
            one for one, reason in self.choose(names, only).items()
            if not reason and (not self.again or one.root is False)])

    def run_files(self, names, only, opened, sealed_only):
        """Run the cases of some files, in the same programs; opened: what was
        seen without their protections."""
        reasons = self.choose(names, only)
        seen = self.sealed([one for one in reasons if not reasons[one]])
        for one in reasons:
            if reasons[one]:
                self.add_row(one, "", "skipped", reasons[one])
                continue
            verdict, remark = self.judge(one, seen[one], opened.get(one))
            if sealed_only and verdict != "FAILS":
                remark = ""
            self.add_row(one, seen[one], verdict, remark)

    def check_trial(self):
        """No engine is used that leaves something out for all containers: not
        with an image, either, whose python3 says that all is well.
        """
        refused = {"liar " + word: sentence
                   for word, sentence in REFUSED.items()}
        right = 0
        for word, sentence in {**refused, **USELESS}.items():
            try:
                program = self.start("trial " + word)
                program.close()
                found = "it is used"
            except Failure as failure:
                found = str(failure)
            if sentence not in found:
                self.problems.append("an engine for '%s': %s" % (word, found))
            elif word in refused:
                right += 1
        print("%d of %d engines that leave something out are refused"
              % (right, len(REFUSED)), flush=True)

    # The program itself

    def check_release(self):
        """What users get has no switch."""
        for name in "caisson", "caisson-box":
            path = os.path.join(self.build, name)
            with open(path, "rb") as file:
                data = file.read()
            symbols = subprocess.run(["nm", "-a", path], check=True,
                                     stdout=subprocess.PIPE).stdout
            for word in b"open_has", b"__wrap_", b"old_root", b"proc_mask":
                if word in data or word in symbols:
                    self.problems.append(
                        "%s has '%s' in it" % (name, word.decode()))

    # The table

    def add_row(self, one, seen, verdict, remark):
        """Print a row at once: what comes later may not come to its end."""
        self.verdicts.append(verdict)
        if verdict in BAD:
            self.problems.append("%s: %s: %s" % (
                one.number, one.tries, shorten(seen)))
        print("%-5s %-9s %s" % (one.number, verdict, one.tries))
        if verdict == "skipped":
            print("SKIP: %s: %s" % (one.number, remark), flush=True)
            return
        print("      expected  %s" % shorten(one.wanted()))
        print("      seen      %s" % shorten(seen))
        print("      layers    %s" % (opening(one, self.runtime) or "-"
                                      if self.runtime else one.layers()))
        if remark:
            print("      %s" % shorten(remark))
        sys.stdout.flush()

    def finish(self, seconds):
        verdicts = self.verdicts
        for problem in self.problems:
            print("FAILS %s" % problem)
        who = "root" if self.is_root() else "an ordinary user"
        print("as %s, %d s: %s; %d problems besides" % (
            who, seconds, ", ".join("%d %s" % (verdicts.count(kind), kind)
                                    for kind in sorted(set(verdicts))),
            len(self.problems) - sum(map(verdicts.count, BAD))))
        return 1 if self.problems or not verdicts else 0


def run_alone(build, runtime):
    """Start this again where nothing else of the machine is met, and where
    there is an engine for containers, if it is to run them.
    """
    sources = os.path.dirname(os.path.dirname(HERE))
    engine = [sys.executable, "-B", os.path.join(SUPPORT, "own_engine.py"),
              "--build", build, runtime] if runtime else []
    os.execv(sys.executable, [
        sys.executable, "-B", os.path.join(SUPPORT, "alone.py"),
        "--keep", build, "--keep", sources, *engine, sys.executable, "-B"] +
        sys.argv)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--user", type=int)
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--only", type=lambda text: text.split(","))
    parser.add_argument("--leave", type=lambda text: text.split(","),
                        default=())
    parser.add_argument("--file", action="append")
    parser.add_argument("--sealed", action="store_true")
    parser.add_argument("--template", action="store_true")
    parser.add_argument("--shell", action="store_true")
    parser.add_argument("--engine", choices=PLACES)
    parser.add_argument("--runtime", choices=("podman",))
    parser.add_argument("--cgroups")
    parser.add_argument("--slow", type=int, default=1)
    parser.add_argument("-v", action="store_true")
    options = parser.parse_args()
    if options.template and (options.shell or options.engine):
        parser.error("only a box of Python is forked from a template")
    if options.engine and not engine_path(options.engine):
        print("SKIP: %s is not installed: run 'npm ci' in tests/e2e"
              % options.engine)
        return SKIPPED
    if (options.user is not None or options.cgroups) and os.geteuid() != 0:
        print("SKIP: only root can run it as another user, or in cgroups")
        return SKIPPED
    if REAPER not in os.environ:
        run_alone(options.build, options.runtime)
    # So that nothing is left behind when meson loses its patience.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    # All of them: one file takes codes out of the others.
    for name in GROUPS:
        importlib.import_module("cases." + name)
    start = time.monotonic()
    run = Run(os.path.realpath(options.build), options)
    try:
        run.check_release()
        if options.runtime and not options.sealed:
            run.check_trial()
        names = options.file or GROUPS
        # Each program with containers needs some of its own.
        together = options.runtime and options.only
        sealed = set(names)
        if not (options.sealed or options.template or options.shell):
            sealed = sealed - {"javascript"} if options.engine else set()
        opened = run.open_files(set(names) - sealed, options.only)
        for group in [names] if together else [[name] for name in names]:
            run.run_files(group, options.only, opened, sealed.issuperset(group))
    finally:
        run.host.close()
    return run.finish(time.monotonic() - start)


if __name__ == "__main__":
    sys.dont_write_bytecode = True
    sys.exit(main())
