"""
House rule: the AppArmor profile that is installed is one. It is attached to
caisson-box where that is installed, allows user namespaces, and AppArmor's own
parser understands it. Parsers before 4.0 do not know the rule "userns,": they
are given the rest.
"""
import json
import os
import re
import shutil
import subprocess
import tempfile

import house

SYSTEM = "/usr/local/sbin:/usr/sbin:/sbin"
# Where ./setup unpacks the package, which is not installed for a test.
UNPACKED = os.path.join(house.BUILD, "apparmor")


def installed():
    """Where each built file is installed."""
    path = os.path.join(house.BUILD, "meson-info", "intro-installed.json")
    with open(path, encoding="utf-8") as file:
        return json.load(file)


def target(ending):
    found = [place for built, place in installed().items()
             if built.endswith(ending)]
    return found[0] if found else None


def check_text(text):
    box = target("/caisson-box")
    if f"profile caisson-box {box} flags=(unconfined) {{" not in text:
        yield f"the profile is not one of {box}"
    if not re.search(r"^\s*userns,$", text, flags=re.M):
        yield "the profile does not allow user namespaces"
    place = target("/caisson-box.apparmor") or ""
    if not place.endswith("/apparmor.d/caisson-box"):
        yield f"the profile is installed as {place}"


def parser_version(parser):
    done = subprocess.run([parser, "--version"], stdout=subprocess.PIPE,
                          text=True, check=True)
    return int(re.search(r"version (\d+)\.", done.stdout).group(1))


def check_parser(parser, text):
    """What the parser says of the profile; nothing is loaded."""
    if parser_version(parser) < 4:
        print("the rule 'userns,' is not known to this parser and left out")
        text = text.replace("abi/4.0", "abi/3.0")
        text = re.sub(r"^\s*userns,$", "", text, flags=re.M)
    # Includes are searched where the parser's own files lie.
    own = UNPACKED if parser.startswith(UNPACKED) else ""
    base = os.environ.get("APPARMOR_BASE", own + "/etc/apparmor.d")
    with tempfile.NamedTemporaryFile("w", suffix=".profile") as file:
        file.write(text)
        file.flush()
        done = subprocess.run(
            [parser, "--skip-kernel-load", "--skip-cache", "--base", base,
             file.name],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            check=False)
    return [done.stdout] if done.returncode else []


with open(os.path.join(house.BUILD, "worker/box/caisson-box.apparmor"),
          encoding="utf-8") as profile:
    content = profile.read()
problems = list(check_text(content))
program = shutil.which("apparmor_parser",
                       path=":".join((os.environ.get("PATH", ""), SYSTEM,
                                      UNPACKED + "/sbin")))
if program is None and not problems:
    house.skip("there is no apparmor_parser, nor could ./setup get one")
if program is not None:
    problems += check_parser(program, content)
house.finish(problems, 1, "profiles")
