"""
House rule: README.md names every option, and names no variable that is not
one.
"""
import re

import house


def check_options(text):
    known = {house.variable(key) for key in house.options()}
    named = set(re.findall(r"\bCAISSON_[A-Z0-9_]+\b", text))
    for name in sorted(known - named):
        yield f"README.md: does not name {name}"
    for name in sorted(named - known):
        yield f"README.md: names {name}, which is not an option"


readme = house.read("README.md")
house.finish(list(check_options(readme)), len(house.options()), "options")
