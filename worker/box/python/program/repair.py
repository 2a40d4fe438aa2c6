"""Repairs code that does not compile, where only one meaning is possible.

Run by source.py when the compiler has refused the code.  The fewest repairs
after which it compiles are made.  Ambiguous code is left unchanged.
"""
import tokenize
from io import StringIO
from keyword import iskeyword

FENCE = "```"
PYTHON = ("", "python", "python3", "py", "py3", "ipython", "ipython3",
          "tool_code", "run_python")
# Commands of notebooks that change nothing here, as nothing can be installed.
MAGIC = ("!pip ", "!pip3 ", "!python -m pip ", "!python3 -m pip ", "%pip ",
         "%matplotlib ", "%load_ext ", "%autoreload ", "%config ", "%%time ")
INVISIBLE = dict.fromkeys("\u200b\u200c\u200d\u2060\ufeff", "")
INVISIBLE.update(dict.fromkeys("\u00a0\u202f\u2007\u3000", " "))
DOUBLE, SINGLE = "\u201c\u201d\u201e\u201f", "\u2018\u2019\u201a\u201b"
QUOTES = {DOUBLE: '"', SINGLE: "'"}
CODE = set("=([{\"\\")  # is in code, and not in a sentence about it
STATEMENTS = "import ", "from ", "del ", "raise ", "return ", "assert "
BLOCKS = ("", "async", "class", "def", "else", "except", "finally", "for", "if",
          "match", "try", "while", "with")
FENCES = ("the code has %s: send the code of one program alone, without "
          "fences")
NOT_PYTHON = (("const ", "let ", "var ", "function ", "import {", "#!/bin/",
               "console.log", "async function", "export ", "echo "))


class Refused(Exception):
    """The code cannot run; the text says why."""


def repair(text, compiles):
    """Return code that compiles and what was done to it, or None.

    compiles tells whether a text compiles.  Raises Refused.
    """
    made = [(text, [], 0)]
    while made:
        made = [(changed, done + [STEPS[at][1]], at + 1)
                for before, done, first in made
                for at in range(first, len(STEPS))
                for changed in (STEPS[at][0](before),)
                if changed not in (None, before)]
        good = [(changed, done) for changed, done, _ in made
                if compiles(changed)]
        if good:
            text, done = good[0]
            alike = len(meanings(changed for changed, _ in good)) == 1
            return (text, ", ".join(done)) if alike else None
    return None


def without_fence(text):
    """Return the content of the one Markdown fence."""
    lines = text.split("\n")
    marks = [at for at, line in enumerate(lines)
             if line.strip().startswith(FENCE)]
    if not marks:
        return None
    around = lines[:marks[0]] + (lines[marks[-1] + 1:] if marks[1:] else [])
    if any(set(line) & CODE or line.startswith(STATEMENTS) for line in around):
        return None  # it is code, and the fence may be part of a string
    tag = lines[marks[0]].strip().strip("`").strip().lower()
    tag = tag.strip("{}.").split()[0] if tag.strip("{}.") else ""
    if len(marks) > 2:
        raise Refused(FENCES % "more than one Markdown fence")
    if tag not in PYTHON:
        raise Refused(FENCES % "a Markdown fence of the language %s" % tag)
    return "\n".join(lines[marks[0] + 1:(marks + [None])[1]])


def without_backticks(text):
    """Return what stands between backticks."""
    inner = text.strip()
    if inner.startswith(FENCE):
        return None
    while len(inner) > 1 and inner[0] == inner[-1] == "`":
        inner = inner[1:-1].strip()
    return inner if inner != text.strip() else None


def without_prompts(text):
    """Return the lines behind the prompts of an interactive session."""
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    if not lines or not lines[0].startswith(">>>"):
        return None
    code, output = [], [[]]
    for line in text.split("\n"):
        bare = line.lstrip()
        if not bare.startswith((">>>", "...")):
            output[-1].append(line)
            continue
        if bare[3:4].strip():
            return None
        code.append(bare[4:])
        output.append([])
    return None if any(map(may_act, output)) else "\n".join(code)


def may_act(lines):
    """Return whether lines of a session without prompts, taken for output, may
    be code that does something.
    """
    import ast
    from textwrap import dedent
    for at, line in enumerate(lines):
        for some in line.strip(), dedent("\n".join(lines[at:])):
            try:
                tree = ast.parse(some)
            except (SyntaxError, ValueError):
                continue
            if any(isinstance(node, (ast.Call, ast.Await, ast.NamedExpr)) or
                   isinstance(node, ast.stmt) and
                   not isinstance(node, ast.Expr) and
                   getattr(node, "value", node) is not None  # not "sum: 5"
                   for node in ast.walk(tree)):
                return True
            break
    return False


def without_magic(text):
    """Return the code without commands of notebooks that do nothing here.

    Lines within strings and statements are no commands.
    """
    inside, lines = within_statements(text), text.split("\n")
    for at, line in enumerate(lines):
        if ((line.strip() + " ").startswith(MAGIC) and "\\" not in line
                and at not in inside):
            lines[at] = ""
    return "\n".join(lines)


def within_statements(text):
    """Return the numbers of the lines that begin in a string, in brackets or
    behind a backslash; all of them where brackets do not match.
    """
    inside, depth, number = within_strings(text), 0, 0
    for kind, part in pieces(text):
        comment = False
        for at, char in enumerate(part):
            if char == "\n":
                number, comment = number + 1, False
                if depth or part[at - 1:at] == "\\":
                    inside.add(number)
            elif kind == "code" and not comment:
                comment = char == "#"
                depth += (char in opened_by) - (char in closed_by)
                if depth < 0:
                    return range(len(text))
    return range(len(text)) if depth else inside


def within_strings(text):
    """Return the numbers of the lines that begin in a string."""
    inside, number = set(), 0
    for kind, part in pieces(text):
        last = number + part.count("\n")
        if kind == "string":
            inside.update(range(number + 1, last + 1))
        number = last
    return inside


def without_indentation(text):
    """Return the code moved to the left; the first line may stand there."""
    moved = dedented(text, 0)
    if moved != text:
        return moved
    text = text.lstrip("\n")
    first, newline, _ = text.partition("\n")
    word = first.replace("(", " ").replace(":", " ").partition(" ")[0]
    if first[:1].isspace() or not newline or word in BLOCKS:
        return None
    return dedented(text, 1)


def dedented(text, first):
    """Return the code with the lines from the first on moved to the left, but
    those within strings; None if these may have been indented with them.
    """
    from textwrap import dedent
    inside, lines = within_strings(text), text.split("\n")
    code = [at for at in range(first, len(lines)) if at not in inside]
    moved = dedent("\n".join(lines[at] for at in code)).split("\n")
    whole = lines[:first] + dedent("\n".join(lines[first:])).split("\n")
    if [whole[at] for at in code] == moved and any(
            whole[at] != lines[at] for at in inside):
        return None
    for at, line in zip(code, moved):
        lines[at] = line
    return "\n".join(lines)


def with_newlines(text):
    """Return one line as the lines that it was before it was escaped.

    Its strings may have been escaped with it, or not.
    """
    line = text.strip()
    if "\n" in line or "\\" not in line:
        return None
    made = [outside(line, lambda part: part.replace("\\r", "").replace(
        "\\n", "\n").replace("\\t", "\t"))]
    try:
        import json
        made.append(json.loads('"%s"' % line.strip('"')))
    except ValueError:
        pass
    found = meanings(made)
    return found[0] if len(found) == 1 else None if found else made[0]


def meanings(texts):
    """Return those texts that compile, of equal ones the last."""
    found = {}
    import ast
    for text in texts:
        try:
            found[ast.dump(compile(
                text, "<code>", "exec",
                ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT,
                True))] = text
        except (SyntaxError, ValueError):
            pass
    return list(found.values())


def with_plain_quotes(text):
    """Return the code with the quotes of a keyboard around its strings, and no
    invisible characters outside of them.
    """
    parts, end = [], None
    for kind, part in pieces(text):
        if kind == "string" and end:
            return None  # a plain quote between typographic ones
        comment = False
        for char in part if kind == "code" else ():
            if char == "\n":
                comment = False
                if end:
                    return None
            elif char == "#" and not end:
                comment = True
            if end and char in end:
                char, end = QUOTES[end], None
            elif not end and not comment:
                char = INVISIBLE.get(char, char)
                end = next((all_of for all_of in QUOTES if char in all_of),
                           None) if char else None
                char = QUOTES[end] if end else char
            parts.append(char)
        parts.append(part if kind == "string" else "")
    return "".join(parts)


def with_named_keywords(text):
    """Return the code with f(**{"from": 1}) for f(from=1)."""
    try:
        tokens = list(tokenize.generate_tokens(StringIO(text).readline))
    except (SyntaxError, tokenize.TokenError):
        return None
    lines, edits, depth, opened = text.splitlines(True), [], 0, {}
    for at, token in enumerate(tokens[:-1]):
        if token.string in opened_by:
            depth += 1
        if opened.get(depth) and token.string in ("for", "async"):
            return None  # no comprehension is the value of an argument
        if opened.get(depth) and (
                token.string in (",", ")") and token.type == tokenize.OP):
            edits.append((token.start, token.start, "}"))
            opened[depth] = False
        if token.string in closed_by:
            depth -= 1
        if (at and token.type == tokenize.NAME and iskeyword(token.string)
                and tokens[at - 1].string in ("(", ",")
                and tokens[at + 1].string == "="):
            edits.append((token.start, tokens[at + 1].end,
                          '**{"%s":' % token.string))
            opened[depth] = True
    for (row, start), (_, end), new in reversed(edits):
        line = lines[row - 1]
        lines[row - 1] = line[:start] + new + line[end:]
    return "".join(lines) if edits else None


opened_by, closed_by = ("(", "[", "{"), (")", "]", "}")


def outside(text, change):
    """Return the code with everything changed but its string literals."""
    return "".join(part if kind == "string" else change(part)
                   for kind, part in pieces(text))


def pieces(text):
    """Return the parts of some code: literals of strings, and the rest."""
    found, start, at = [], 0, 0
    while at < len(text):
        quote = text[at]
        if quote == "#":
            at = (text + "\n").index("\n", at)
            continue
        if quote not in "'\"":
            at += 1
            continue
        quote = quote * 3 if text.startswith(quote * 3, at) else quote
        end = at + len(quote)
        ends = (quote,) if quote[1:] else (quote, "\n")
        while end < len(text) and not text.startswith(ends, end):
            end += 2 if text[end] == "\\" else 1
        end += len(quote) if text.startswith(quote, end) else 0
        found += [("code", text[start:at]), ("string", text[at:end])]
        start = at = end
    return found + [("code", text[start:])]


def about(text):
    """Return a sentence about code that is not Python, or None."""
    for line in text.split("\n"):
        if line.strip().startswith(NOT_PYTHON):
            return ("this is not Python" + ("; shell code runs as language "
                    "shell (caisson exec: --language shell)"
                    if line.strip().startswith(("#!/bin/", "echo ")) else ""))
        if line.strip().startswith(("!", "%")):
            return ("commands of notebooks and shells (! and %) are not "
                    "Python: use subprocess.run([...])")
    return None


STEPS = (
    (without_fence, "without the Markdown fence around it"),
    (without_backticks, "without the backticks around it"),
    (without_prompts, "without the prompts"),
    (without_magic, "without notebook commands such as !pip"),
    (with_newlines, "with \\n as ends of lines"),
    (without_indentation, "without the indentation of the whole"),
    (with_plain_quotes, "with plain quotes and spaces"),
    (with_named_keywords, "with keywords as names of arguments"),
)
