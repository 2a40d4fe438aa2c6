"""Which import defines a name, where code has an error about a name or a
module that is not there, or that is another one than it takes it for.

Run only when an error has ended the code.
"""
import sys
from importlib import import_module
from importlib.util import find_spec
from re import escape, search

NAMES = """\
collections: Counter OrderedDict defaultdict deque namedtuple
concurrent.futures: ThreadPoolExecutor ProcessPoolExecutor as_completed
contextlib: contextmanager suppress
copy: deepcopy
dataclasses: asdict dataclass
datetime: date datetime timedelta timezone
decimal: Decimal
enum: Enum
fractions: Fraction
functools: lru_cache partial reduce wraps
html.parser: HTMLParser
io: BytesIO StringIO
itertools: accumulate combinations groupby islice permutations zip_longest
math: ceil comb factorial floor gcd isclose isnan sqrt
operator: attrgetter itemgetter
pandas: DataFrame Series
pathlib: Path
pprint: pprint
random: randint shuffle
statistics: mean median stdev
textwrap: dedent
time: sleep
typing: Any Callable Dict Iterable List NamedTuple Optional Tuple TypedDict \
Union
urllib.parse: quote_plus urlencode urljoin urlparse
xml.etree: ElementTree
zoneinfo: ZoneInfo"""
FROM = {name: module for module, _, names in (
    line.partition(": ") for line in NAMES.split("\n"))
        for name in names.split()}
SHORT = {"np": "numpy as np", "pd": "pandas as pd", "sp": "scipy as sp",
         "plt": "matplotlib.pyplot as plt", "dt": "datetime as dt",
         "ET": "xml.etree.ElementTree as ET", "sns": "seaborn as sns"}
ODD = "antigravity", "this", "idlelib"  # modules that do something at once
WRITE = "write '%s' first"
WITHIN = "%s is in the module %s: write 'from %s import %s'"
ALREADY = "%s is the class already: write %s.name for %s.%s.name"
CLASS = "%s is in the class %s: write %s.%s.%s"
NO_CLIENT = ("there is no %s here: write await mcp_<alias>.<tool>(...), or "
             "await runtime.call_tool(server, tool, arguments)")
CLIENTS = "session", "client", "default_api", "functions", "tools", "api"
# What other hosts have, and what there is instead.
ELSEWHERE = {
    "final_answer": "there is no final_answer() here: what is printed, or the "
                    "value of the last expression, is the answer",
    "servers": "the servers are mcp_<alias>, or mcp_servers['name']",
    "fastmcp": "servers are here already: await mcp_<alias>.<tool>(...)",
    "IPython": "display(x) and runtime.show(x) show pictures and tables here",
    "tabulate": "print rows with f-strings, or a frame of pandas",
    "nest_asyncio": "leave it out: 'await' works at top level"}
SERVER = "the server %s is mcp_%s: %s"
SEARCH = ("a tool is called as await mcp_<alias>.%s(...): await "
          "runtime.search_tool_docs('...') finds it")
TOOL = "%s is a tool: write await mcp_%s.%s(...)"


def about_name(name, line):
    """Return a sentence about a name that is not defined; None: it is none of
    these, and an empty string: the interpreter tells what there is to say.

    line: the source of the statement that has failed.
    """
    part = search(r"\b%s\.(\w+)" % escape(name), line)
    if part and is_module(name, part.group(1)):
        return WRITE % ("import " + SHORT.get(name, name)) \
            if sys.version_info < (3, 12) or name in SHORT else ""
    if name in ELSEWHERE and search(r"\b%s\s*[.(\[]" % name, line):
        return ELSEWHERE[name]
    if name in CLIENTS and search(r"\b%s\s*\.\s*\w+\(" % name, line):
        return NO_CLIENT % name
    if name in FROM and is_used(name, line) and find_spec(
            FROM[name].partition(".")[0]):
        return WRITE % "from %s import %s" % (FROM[name], name)
    return None


def is_used(name, line):
    """Whether a name is used as a class or a function is."""
    return name[0].isupper() or search(
        r"@%s\b|\b%s\s*[.(\[]" % (name, name), line)


def is_module(name, part):
    """Whether a name is that of a module, which has this part."""
    module = SHORT.get(name, name).partition(" ")[0]
    if name in ODD or not find_spec(module.partition(".")[0]):
        return False
    return hasattr(import_module(module), part)


def about_attribute(error):
    """Return a sentence about an attribute that there is not, or None.

    A module and a class in it may have one name, as datetime has.
    """
    name, thing = getattr(error, "name", None), getattr(error, "obj", None)
    if not isinstance(name, str):
        return None
    if isinstance(thing, type) and thing.__module__ != "__main__":
        module = thing.__module__
        if name == thing.__name__ == module:
            return ALREADY % (name, name, name, name)
        if hasattr(sys.modules.get(module), name):
            return WITHIN % (name, module, module, name)
    elif isinstance(thing, type(sys)):
        module = thing.__name__
        inner = getattr(thing, module.rpartition(".")[2], None)
        if isinstance(inner, type) and hasattr(inner, name):
            short = inner.__name__
            return CLASS % (name, module + "." + short, module, short, name)
    return None


def about_call(name, line):
    """Return a sentence about a name that may be a server or a tool, or None.

    The servers are asked for only where the name is used as one of them is.
    """
    from . import _hints, _named
    hint = _hints.hyphened(name, line)
    if hint:
        return hint
    import mcp.runtime
    if name in mcp.runtime.__all__:
        return "write runtime.%s" % name
    if search(r"\b%s\s*\(" % escape(name), line):
        servers = sys.modules.get("mcp._state")
        for state in servers.KNOWN.values() if servers else ():
            entry = state.find_alias(name)
            if entry:
                return TOOL % (name, state.alias, entry["toolAlias"])
    if search(r"\bawait\s+%s\s*\(" % escape(name), line):
        return SEARCH % name
    if not search(r"\b%s\s*[.\[]" % escape(name), line):
        return None
    told = _named.find_told(name, _hints.servers() or ())
    return told and SERVER % (
        told["name"], told["alias"], "await mcp_%s.tool(...)" % told["alias"])


def about_module(name):
    """Return a sentence about a module that cannot be imported, or None."""
    from . import _hints, _named
    if name in SHORT and find_spec(SHORT[name].partition(".")[0].split()[0]):
        return "write 'import %s'" % SHORT[name]
    if name in ELSEWHERE:
        return ELSEWHERE[name]
    if name.startswith("mcp_"):
        return _hints.about(name)[0]
    told = _named.find_told(name, _hints.servers() or ())
    return told and SERVER % (told["name"], told["alias"], (
        "write 'import mcp_%s', or 'from mcp.servers.%s import tool'" % (
            told["alias"], told["alias"])))
