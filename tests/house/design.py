"""
House rule: man/design.md agrees with the source. Its table of processes has the
rows of roles.def, and its diagram every process; its table of folders lists
exactly the folders that exist, in the order of rooms of house.py; the
messages it names are in the catalogue, and its names of functions and data in
the source. Links of every page of ours lead to files that exist. The table of
man/adding.md has the places and the lines of each of tests/additions.
"""
import os
import re

import house

PAGE = "man/design.md"
# Folders that are not described one by one: data, and what is hidden.
NOT_LISTED = ("tests/fuzz/corpus", "tests/e2e/support", "tests/escape/cases",
              "tests/model/", "tests/additions/", "tests/unit/")
# Words in capitals that are no messages.
WORDS = re.compile(r"CAISSON_\w+|CLONE_\w+|RLIMIT_\w+|BOX_LEFTOVERS_MS|"
                   r"CONFIG_STALE_MS|RUNTIME|KEEPER_\w+|BOX_GUARD_END|ROOMS|"
                   r"IPC_REQUEST|IPC_JSON|"
                   r"OPERATOR_MS|OPERATORS_MAX")


def section(text, title):
    """What stands below a heading of the second level, up to the next one."""
    return text.split(f"\n## {title}\n", 1)[1].split("\n## ", 1)[0]


def rows_of(text):
    """The rows of the tables, each a list of its cells, without the marks of
    code."""
    return [[cell.strip().replace("`", "")
             for cell in line.strip().strip("|").split("|")]
            for line in text.splitlines() if line.startswith("|")]


def check_roles(text):
    table = rows_of(text)
    diagram = text.split("```")[1]
    wanted = [[f"{role.name} ({role.binary})", role.folder, role.lifetime]
              for role in house.roles()]
    wanted += [[role.name, role.may, role.reads, role.trusts, role.costs]
               for role in house.roles()]
    for row in wanted:
        if row not in table:
            yield f"{PAGE}: has no row of roles.def: {' | '.join(row)}"
    for row in table:
        if row not in wanted and row[0] != "process" and set(row[0]) != {"-"}:
            yield f"{PAGE}: has a row that roles.def has not: {row[0]}"
    for role in house.roles():
        if not re.search(rf"\b{role.name}\b", diagram):
            yield f"{PAGE}: its diagram lacks the role {role.name}"


def folders():
    """The folders with files of ours, each with a slash at its end."""
    found = {os.path.dirname(path) for path in house.files()}
    return {name + "/" for name in found
            if name and not name.startswith((".",) + NOT_LISTED) and
            name != "tests"}


def order(folder):
    """The rooms of a folder from the top down, as a line of the page."""
    named = ["languages" if row == house.LANGUAGES else
             ", ".join(room or "itself" for room in row)
             for row in house.ROOMS[folder]]
    return f"`{folder}`: {' → '.join(named)}"


def check_folders(text):
    listed = [row[0] for row in rows_of(text)[2:]]
    # What a language is, its manifest says.
    known = {f"worker/box/{name}/" for name in house.LANGUAGES}
    for name in sorted(folders() - known - set(listed)):
        yield f"{PAGE}: does not list the folder {name}"
    for name in sorted(set(listed) - folders()):
        yield f"{PAGE}: lists {name}, which has no files"
    for folder in house.ROOMS:
        if order(folder) not in text:
            yield f"{PAGE}: does not say the order of rooms: {order(folder)}"


def check_messages(text):
    known = {message.NAME for message in house.messages()}
    for name in sorted(set(re.findall(r"`([A-Z][A-Z_]{2,}\w*)`", text))):
        if name not in known and not WORDS.fullmatch(name):
            yield f"{PAGE}: names {name}, which is not in the catalogue"


def check_names(text):
    sources = "\n".join(house.without_comments(house.read(path)) for path in
                        house.with_ending(".c", ".h", ".def", "options.txt") +
                        [path for path in house.with_ending(".py")
                         if path.startswith("worker/")])
    words = set(re.findall(r"\w+", sources))
    for name in sorted(set(re.findall(
            r"`(?:struct )?([a-z]\w*_\w*[a-z])(?:\(\))?`", text))):
        if name not in words:
            yield f"{PAGE}: names {name}, which is not in the source"


def check_links(path):
    text = house.read(path)
    heads = {re.sub(r"[^\w -]", "", head).strip().lower().replace(" ", "-")
             for head in re.findall(r"^#+ (.*)$", text, flags=re.M)}
    for target in re.findall(r"\]\(([^()\s]+)\)", text):
        if re.match(r"https?:", target):
            continue
        file, _, head = target.partition("#")
        place = os.path.normpath(os.path.join(os.path.dirname(path), file))
        if file and place not in house.files():
            yield f"{path}: links to {target}, which does not exist"
        elif not file and head not in heads:
            yield f"{path}: links to {target}, but has no such heading"


def places(example):
    """The places that an example touches, as its row tells them, and the lines
    that it adds."""
    folder = f"tests/additions/{example}/"
    told = {f"`{path[len(folder):]}` (new, ": house.read(path).count("\n")
            for path in house.files()
            if path.startswith(folder) and not path.endswith("rows.diff")}
    for part in house.read(folder + "rows.diff").split("\n+++ ")[1:]:
        path, rest = part.split("\n", 1)
        told[f"`{path}` (+"] = len(re.findall(r"^\+", rest, re.M))
    return ({f"{start}{count})" for start, count in told.items()},
            str(sum(told.values())))


def check_additions(text):
    rows = {}
    for line in text.splitlines():
        row = re.match(r"\| \[.*additions/(\w+)/.*\| (.*) \| (\d+) \|$", line)
        if row:
            rows[row[1]] = set(row[2].split("<br>")), row[3]
    for example in sorted(rows.keys() | {
            path.split("/")[2] for path in house.files()
            if re.match(r"tests/additions/\w+/", path)}):
        if rows.get(example) != places(example):
            yield f"man/adding.md: the row of {example} is not as its files"


page = house.read(PAGE)
pages = [path for path in house.with_ending(".md")
         if not path.startswith("worker/")]
problems = [*check_roles(section(page, "Processes")),
            *check_folders(section(page, "Folders and includes")),
            *check_messages(page), *check_names(page),
            *check_additions(house.read("man/adding.md"))]
for each in pages:
    problems += check_links(each)
house.finish(problems, len(pages), "pages")
