"""Memories: values that later calls can load.

The host stores them.  A value is anything that JSON can hold; of the result of
a tool, its data is stored.  These functions wait for the answer: when they
return, every call can load the memory.  A failure raises MCPError.
"""
from . import _ask, _state, _values
from ._caller import at_once, for_await
from ._result import MCPError, data_of

NAMES = ("save_tool", "save_memory", "load_memory", "update_memory",
         "delete_memory", "list_memories", "memory_exists", "get_memory_info")
VALUE_MAX = 4 << 20  # bytes, as JSON; the relay refuses more
TRIES = 200  # of an update, where others update the same memory
PAUSE = 0.02  # seconds between two tries, at most


def ask(kind, fields=(), **texts):
    """Ask the store, wait, and return the answer: see _ask.ask()."""
    return _state.run(kind, _ask.ask(kind, fields, **texts))


def key_text(key):
    """Return a key as JSON; raises what it cannot be."""
    if not isinstance(key, str):
        raise TypeError("key must be a string, not an object of type %s"
                        % type(key).__name__)
    if not key:
        raise ValueError("key must not be empty")
    return _values.write(key, "key")


def value_text(value):
    """Return a value as JSON; raises what it cannot be."""
    text = _values.write(value, "value", data_of)
    if len(text) > VALUE_MAX:
        raise MCPError("the value has %d bytes as JSON; %d are allowed: keep "
                       "less, or in parts" % (len(text), VALUE_MAX))
    return text


def find(key, **fields):
    """Return what is known of a memory, or None."""
    return ask("load_memory", fields, key=key_text(key))


def listing(kind, name):
    """Return all that there is, page by page; name is what orders it."""
    found, after = [], ""
    while after is not None:
        page = ask(kind, {"after": after} if after else {})
        found += page["entries"]
        after = found[-1][name] if page["more"] else None
    return found


def save_memory(key, value, metadata=None):
    """Keep a value by a key, in the place of what is there.

    Returns a dict: key, metadata, bytes, version, created_at, updated_at.
    value: what JSON can hold; the .data of results of tools is kept.
    metadata: a dict about it.
    """
    if not isinstance(metadata, (dict, type(None))):
        raise TypeError("metadata must be a dict, not an object of type %s"
                        % type(metadata).__name__)
    return at_once(ask(
        "save_memory", key=key_text(key), value=value_text(value),
        metadata=_values.write(metadata or {}, "metadata", data_of)))


def load_memory(key, default=None):
    """Return the value that is kept by a key, or the default."""
    found = find(key, whole=True)
    return for_await(default if found is None else found["value"])


def update_memory(key, updater):
    """Replace a value by updater(value), and return the new one.

    Nothing that other calls save meanwhile is lost: updater is called again
    then.  It gets None where there is no such memory, and must return the
    new value.  The metadata stay.
    """
    if not callable(updater):
        raise TypeError("updater must be a function of the old value, not an "
                        "object of type %s" % type(updater).__name__)
    for _ in range(TRIES):
        found = find(key, whole=True) or {"value": None, "version": 0}
        value = data_of(updater(found["value"]))
        if value is None:
            raise ValueError("updater returned None: it must return the new "
                             "value; to remove the memory: delete_memory()")
        if ask("save_memory", {"compared": True, "version": found["version"]},
               key=key_text(key), value=value_text(value)):
            return for_await(value)
        pause()
    raise MCPError("the memory was not updated: each of %d times another "
                   "call had changed it first" % TRIES)


def pause():
    """Wait for a random time, so that calls do not collide again."""
    import os
    import time
    time.sleep(PAUSE * os.urandom(1)[0] / 255)


def delete_memory(key):
    """Forget a memory; return whether it was there."""
    return for_await(ask("delete_memory", key=key_text(key)))


def list_memories():
    """Return what is known of all memories: a list of dicts, as
    save_memory() returns one.  It is in the order of the keys.
    """
    return at_once(listing("list_memories", "key"))


def memory_exists(key):
    """Return whether there is a memory of this key."""
    return for_await(find(key) is not None)


def get_memory_info(key):
    """Return what save_memory() does about a memory, or None."""
    found = find(key)
    return for_await(None) if found is None else at_once(found)
