"""
House rule: README.md says what is. It has a row for every role of roles.def
with what that role may and reads, names every option, and names no variable
that is not one.
"""
import re

import house


def cells(line):
    return [cell.strip().replace("`", "")
            for cell in line.strip().strip("|").split("|")]


def check_roles(text):
    table = [cells(line) for line in text.splitlines()
             if line.startswith("|")]
    for role in house.roles():
        wanted = [role.folder, role.lifetime, role.may, role.reads]
        row = (f"| `{role.name}` (`{role.binary}`) | `{role.folder}` | "
               f"{role.lifetime} | {role.may} | {role.reads} |")
        if not any(f"({role.binary})" in " ".join(found) and
                   role.name in found[0] and
                   all(want in found for want in wanted) for found in table):
            yield f"README.md: has no row for the role {role.name}:\n{row}"


def check_options(text):
    known = {house.variable(key) for key in house.options()}
    named = set(re.findall(r"\bMCP_BRIDGE_[A-Z0-9_]+\b", text))
    for name in sorted(known - named):
        yield f"README.md: does not name {name}"
    for name in sorted(named - known):
        yield f"README.md: names {name}, which is not an option"


readme = house.read("README.md")
house.finish([*check_roles(readme), *check_options(readme)],
             len(house.roles()) + len(house.options()), "roles and options")
