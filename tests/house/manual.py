"""
House rule: the manual pages are fresh and clean. Every option, action, role,
message and field of the program's tables stands in the built pages, each with
its sentence, as does what containers keep, and mandoc has nothing to warn
about.
"""
import os
import re
import shutil
import subprocess

import house

PAGES = {"caisson.1", "caisson.conf.5", "caisson-box.7", "caisson-ipc.7",
         "caisson-javascript.7", "caisson-python.7", "caisson-serve.7"}
FIELDS = ("UINT", "TEXT", "BYTES", "BLOB", "FD", "OPTIONAL_FD")


def squeeze(text):
    return " ".join(text.split())


def rendered(page):
    """The page as a reader sees it, on one long line."""
    done = subprocess.run(
        ["mandoc", "-Tutf8", "-Owidth=200", os.path.join(folder, page)],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    text = re.sub(".\b", "", done.stdout.decode())
    # A word is broken only where it has a hyphen.
    return squeeze(re.sub(r"-\n\s+", "-", text.replace("\N{HYPHEN}", "-")))


def missing(page, text, wanted):
    for what in wanted:
        if squeeze(what.replace('\\"', '"')) not in text:
            yield f"{page}: does not say: {what}"


def about_options():
    for row in house.rows("supervisor/options/options.def", "OPTION"):
        yield from (house.flag(row[2]), house.variable(row[2]), row[2], row[5])
    for row in house.rows("supervisor/options/options.def", "OPTION_ACTION"):
        yield from (house.flag(row[1]) +
                    ("" if row[2] == "NULL" else f" [{row[2]}]"), row[3])


def about_settings():
    for row in house.rows("supervisor/options/options.def", "OPTION"):
        yield from (f"{row[2]} (", row[5], house.flag(row[2]),
                    house.variable(row[2]))


def about_sources():
    """The name and the file of each: folders may be made of parts."""
    table = "supervisor/servers/server_sources.def"
    for row in house.rows(table, "SERVER_SOURCE"):
        yield from (row[0], row[6])
        if row[4] != "NULL":
            yield row[4]


def about_roles():
    for role in house.roles():
        yield from (f"{role.name} ({role.binary}", role.folder,
                    f"Lifetime: {role.lifetime}. Privileges: {role.may}. "
                    f"Parses: {role.reads}. Trusts: {role.trusts}. Its "
                    f"compromise costs: {role.costs}.")


def about_messages():
    for message in house.messages():
        yield from (f"{message.name} (number", message.doc,
                    f"From {message.FROM.lower()} to {message.TO.lower()}")
    for kind in FIELDS:
        for row in house.rows("common/ipc_messages.def", "IPC_" + kind):
            kind_shown = row[2] if kind.endswith("FD") else kind
            yield from (f"{row[1]} ({kind_shown}", row[-1])


def about_counts():
    for row in house.rows("common/box_usage.def", "BOX_USAGE"):
        yield f"{row[0]} {row[1]}"


def about_kept():
    """What only native boxes keep."""
    for promise, in house.rows(
            "supervisor/box/container/missing_promises.def", "CONTAINER_LACKS"):
        yield promise + ";"


def about_manual(language):
    """All code of the manual that models read."""
    for part in ("manual", "manual_memory", "manual_more"):
        text = house.read(f"worker/box/{language}/mcp/{part}.md")
        yield from re.findall(r"`([^`]+)`", text)


def lint(page):
    done = subprocess.run(
        ["mandoc", "-Tlint", "-Wwarning", os.path.join(folder, page)],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        check=False)
    return [f"{page}: {line}" for line in done.stdout.splitlines()]


def check():
    wanted = {"caisson.1": list(about_options()),
              "caisson.conf.5": [*about_settings(), *about_sources()],
              "caisson-box.7": [*about_roles(), *about_kept()],
              "caisson-python.7": list(about_manual("python")),
              "caisson-javascript.7": list(about_manual("javascript")),
              "caisson-ipc.7": [*about_roles(), *about_messages(),
                                *about_counts()],
              "caisson-serve.7": []}
    for page in sorted(PAGES):
        text = rendered(page)
        yield from missing(page, text, wanted[page])
        yield from lint(page)


folder = os.path.join(house.BUILD, "man")
if not shutil.which("mandoc"):
    house.skip("mandoc is not installed")
house.finish(list(check()), len(PAGES), "pages")
