"""The blocks of a result as text."""


def text_of(blocks):
    """Return all text in blocks, and a line for each other one."""
    return "\n".join(map(line_of, blocks))


def text_alone(blocks):
    """Return all text in blocks."""
    return "\n".join(text for text in map(sent, blocks) if text is not None)


def sent(block):
    """Return the text of a block, also of a resource in it; or None."""
    if not isinstance(block, dict):
        return None
    kind = dict.get(block, "type", "text")
    if kind == "resource":
        block = dict.get(block, "resource")
    elif kind != "text":
        return None
    text = dict.get(block, "text") if isinstance(block, dict) else None
    return text if isinstance(text, str) else None


def line_of(block):
    """Return the text of a block, or a line that says what it is."""
    text = sent(block)
    if text is not None:
        return text
    block = block if isinstance(block, dict) else {}
    kind, key = dict.get(block, "type"), "data"
    if kind == "resource":
        block, key = dict.get(block, "resource"), "blob"
        block = block if isinstance(block, dict) else {}
    data = dict.get(block, key)
    said = [kind or "block"]
    if isinstance(data, str):
        said += [dict.get(block, "mimeType"), size_of(data)]
    else:
        said += [dict.get(block, "name"), dict.get(block, "uri")]
    return "[%s]" % " ".join(
        " ".join(each.split()) for each in said if isinstance(each, str))


def size_of(data):
    """Return how much a text in base64 stands for."""
    size = max(len(data) * 3 // 4 - data[-2:].count("="), 0)
    if size < 1000:
        return "%d byte%s" % (size, "" if size == 1 else "s")
    return "%d kB" % ((size + 500) // 1000) if size < 999500 else \
        "%.1f MB" % (size / 1e6)
