"""
House rule: the files on_PEER.c are the complete surface between processes.
Each holds exactly the handlers SELF_on_MESSAGE of what the catalogue lets that
peer send, and no handler stands anywhere else. The other functions of such a
file begin with its name: on_PEER_. A role without a loop has no handlers, and
receives and decodes its messages in such a file alone. The main.c of a worker,
its own or that of common/worker/, and no other file of it, calls
worker_lockdown().
"""
import os
import re

import house

RECEIVES = re.compile(r"\b(ipc_socket_receive|ipc_decode|ipc_permit)\b")


def definitions(path):
    """The functions of a C file that are named like handlers: a definition
    has its name at the start of a line."""
    text = house.without_comments(house.read(path))
    return re.findall(r"^(\w+_on_\w+)\(", text, flags=re.M)


def helpers(path):
    """The functions of a C file that are for that file only."""
    text = house.without_comments(house.read(path))
    return re.findall(r"^static [^\n;(=]*\n(\w+)\(", text, flags=re.M)


def has_routes(role):
    """Whether the role dispatches: one that reads a single message does not.
    """
    return role.kind in ("TASK", "SERVICE") or role.name == "supervisor"


def wanted(role):
    """For each on_PEER.c of a role its handlers."""
    names = {other.NAME: other.name for other in house.roles()}
    found = {}
    for message in house.messages():
        if message.TO == role.NAME:
            path = f"{role.folder}on_{names[message.FROM]}.c"
            found.setdefault(path, set()).add(f"{role.name}_on_{message.name}")
    return found


def check_prefix(path):
    prefix = os.path.basename(path)[:-len(".c")] + "_"
    for name in helpers(path):
        if not name.startswith(prefix):
            yield f"{path}: {name} does not begin with {prefix}"


def check_surface(role, path, handlers):
    if path not in house.files():
        yield f"{path}: is missing; it should have {sorted(handlers)}"
        return
    defined = definitions(path)
    for name in sorted(handlers - set(defined)):
        yield f"{path}: lacks the handler {name}"
    yield from check_prefix(path)
    for name in sorted(set(defined) - handlers):
        yield (f"{path}: {name} is named like a handler, but the catalogue has "
               f"no such message from there to {role.name}")


def of_others(role):
    """The files on_PEER.c of roles whose folder is in that of this role."""
    return {path for other in house.roles() if other != role and
            other.folder.startswith(role.folder) for path in wanted(other)}


def check_elsewhere(role, surface):
    handlers = set().union(*surface.values())
    others = of_others(role)
    for path in house.with_ending(".c"):
        if (not path.startswith(role.folder) or path in surface or
                path in others):
            continue
        for name in definitions(path):
            if name in handlers:
                yield f"{path}: defines the handler {name}"
        if re.match(r"on_\w+\.c$", os.path.basename(path)):
            yield f"{path}: no sender of that name sends to {role.name}"


def check_receivers(role, surface):
    """The files of a role without a loop: what comes in, comes in there."""
    for path in house.with_ending(".c"):
        if not path.startswith(role.folder):
            continue
        text = house.without_comments(house.read(path))
        if path not in surface and RECEIVES.search(text):
            yield f"{path}: receives or decodes a message"
    for path in sorted(surface):
        yield from check_prefix(path)


def check_lockdown(role):
    if role.kind not in ("TASK", "SERVICE"):
        return
    calls = [path for path in house.with_ending(".c")
             if path.startswith(role.folder)
             for _ in re.findall(r"\b(?:worker_)?lockdown\(", house.read(path))]
    main = house.main_of(role)
    own = main.startswith(role.folder)
    name = f"ROLE_{role.NAME}" if own else "WORKER_ROLE"
    if calls != [main] * own or f"worker_lockdown({name}," not in \
            house.read(main):
        yield f"{main}: does not lock {role.name} down, or another file does"


def check(role):
    surface = wanted(role)
    yield from check_lockdown(role)
    if not has_routes(role):
        if surface:
            yield from check_receivers(role, surface)
        return
    for path, handlers in sorted(surface.items()):
        yield from check_surface(role, path, handlers)
    yield from check_elsewhere(role, surface)


house.finish([problem for role in house.roles() for problem in check(role)],
             len(house.messages()), "messages")
