"""
House rule: no tracked file tells where it was written. No path of this
checkout, no home directory of anybody, no host of a package registry.
"""
import re

import house

HOSTS = [".".join(parts) for parts in (
    ("registry", "npmjs", "org"), ("registry", "yarnpkg", "com"),
    ("npm", "pkg", "github", "com"), ("pypi", "org"),
    ("files", "pythonhosted", "org"), ("proxy", "golang", "org"),
    ("index", "crates", "io"), ("static", "crates", "io"),
    ("deb", "debian", "org"), ("registry-1", "docker", "io"),
    ("ghcr", "io"))]

# Homes that stand for any: those of the manual's examples and of the tests.
ANYBODY = r"(?:you|me|user|u|name|nobody)\b"


def patterns():
    for place in (house.SOURCE, house.BUILD):
        # A checkout at "/src" would forbid a word, not a path.
        if place.count("/") > 1:
            yield (re.escape(place) + r"(?![\w-])", "a path of this checkout")
    for above in ("/home/", "/Users/"):
        yield above + r"(?!" + ANYBODY + r")[a-z][\w.-]*", "a home"
    yield r"[A-Z]:\\\\?Users\\", "a home"
    for host in HOSTS:
        yield re.escape(host) + r"\b", "the host of a registry"
    yield r'"resolved": "https?:', "the address of a package"


def check(path, looks):
    try:
        text = house.read(path)
    except UnicodeDecodeError:
        return  # a picture, an archive: nobody's text
    for pattern, what in looks:
        for match in pattern.finditer(text):
            number = text.count("\n", 0, match.start()) + 1
            yield f"{path}:{number}: {what}: {match.group(0)}"


compiled = [(re.compile(pattern), what) for pattern, what in patterns()]
house.finish([problem for path in house.files()
              for problem in check(path, compiled)],
             len(house.files()), "files")
