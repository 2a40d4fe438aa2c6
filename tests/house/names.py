"""
House rule: comments name files that exist. A source file of ours that a comment
names lies in the folder of the process that the comment belongs to, in common/
or at the path that is written; from a test, anywhere. The first sentence of
a source file that ends in "see x.h" names a header that the file includes. The
head of a test that begins "Tests of PATH" names a file or a folder. A name in
capitals stands for any. A unit test lies in the folder of the source that it is
named after, or of its subject.
"""
import os
import re

import house

NAMED = re.compile(r"(?<![\w.*<>{}$/-])((?:[\w-]+/)*[\w-]+\.(?:[ch]|def|rules))"
                   r"(?![\w(/])")
# Headers of the system and of the kernel's sources.
SYSTEM = ("linux/", "asm/", "asm-generic/", "sys/", "include/")
# The first sentence of a source file, where it refers to a header.
HEAD = re.compile(r"/\*(?:\n \*)? [^.]*[\s*]see[\s*]+([\w-]+\.h)\.")
# What the head of a test says it tests: up to the colon or the full stop.
TESTED = re.compile(r"/\*\s+\* Tests of ([^:.]*)")
PATH = re.compile(r"(?<![\w/])(?:common|relay|supervisor|worker)(?:/\w+)+")


def comments(text):
    """The comments of C: the line each begins at, and its text."""
    pattern = r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
    for match in re.finditer(pattern, text, flags=re.S):
        if match.group(0)[0] == "/":
            yield text.count("\n", 0, match.start()) + 1, match.group(0)


def is_example(name):
    """Whether it stands for many, as test_NAME.c does."""
    return re.search(r"[A-Z]{2}", name) is not None


def is_found(path, name):
    if name.startswith(SYSTEM) or is_example(name):
        return True
    folder = house.folder_of(path)
    for target in house.files():
        if target == name or target.endswith("/" + name):
            if ("/" in name or folder is None or
                    house.folder_of(target) in (folder, "common/")):
                return True
    return house.is_there(name)


def check_head(path, text):
    head = HEAD.match(text)
    if head is None or not path.endswith(".c"):
        return
    included = re.findall(r'^\s*#\s*include\s*"([^"]+)"', text, flags=re.M)
    if head.group(1) not in [os.path.basename(name) for name in included]:
        yield f"{path}: refers to {head.group(1)} without including it"


def is_tested(name):
    """Whether it is a source file, written without its ending, or a folder."""
    return any(os.path.splitext(target)[0] == name or
               target.startswith(name + "/") for target in house.files())


def check_tested(path, text):
    head = TESTED.match(text)
    for name in PATH.findall(head.group(1) if head else ""):
        if not is_tested(name):
            yield f"{path}: says it tests {name}, which does not exist"


def check_place(path):
    place = re.fullmatch(r"tests/unit/(.+)/test_(\w+)\.c", path)
    if place is None:
        return
    folder, name = place.groups()
    folders = {os.path.dirname(target) for target in house.files()
               if target.endswith(f"/{name}.c")
               and not target.startswith("tests/")}
    if not is_tested(folder) or folders and folder not in folders:
        yield (f"{path}: is not in the folder of what it tests: "
               f"{' or '.join(sorted(folders)) or folder}")


def check(path):
    text = house.read(path)
    for line, comment in comments(text):
        for match in NAMED.finditer(comment):
            at = line + comment.count("\n", 0, match.start())
            if not is_found(path, match.group(1)):
                yield (f"{path}:{at}: names {match.group(1)}, which does not "
                       "exist")
    yield from check_head(path, text)
    yield from check_tested(path, text)
    yield from check_place(path)


looked = [path for path in house.with_ending(".c", ".h", ".def")
          if "/corpus/" not in path]
house.finish([problem for path in looked for problem in check(path)],
             len(looked), "files")
