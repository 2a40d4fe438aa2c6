"""bundle.py: puts the modules of JavaScript in this folder into two files.

Engines take half a millisecond for each file. bootstrap.mjs gets what every
program needs, library.mjs what is imported when it is used. In both, a module
is a function, which runs when a module needs it first. Imports and exports must
be statements that begin their lines. node:fs, imported as fs, is loaded when it
is used first: every "fs." becomes "fs().", in texts, too.
"""
import glob
import os
import posixpath
import re

ROOT = "bootstrap.mjs"
REST = "library.mjs"
# By what begins their names.
FIRST = ("engines/", "program/", "mcp/wire", "mcp/pipes", "mcp/json",
         "mcp/places")
LATER = ("program/worker",)
IMPORT = re.compile(r"^import (?:(?:\* as )?(\w+|\{[^}]*\}) from )?'(.*)';",
                    re.M)
LAZY = "import * as fs from 'node:fs';"
AGAIN = re.compile(r"^export (\{[^}]*\}) from '(.*)';", re.M)
EXPORT = re.compile(
    r"^export (?=(?:async )?(?:const|class|function\*?) (\w+))", re.M)
HEAD = """import { createRequire } from 'node:module';
const $builtin = createRequire(import.meta.url);
const $url = (path) => new URL(path, import.meta.url).href;
const $made = {};
const $need = (path) => $made[path] ??= $modules[path]();
const $load = async (path) => {
  if (!$modules[path])
    Object.assign($modules,
      (await import('./%s')).modules($builtin, $url, $need, $load));
  return $need(path);
};
""" % REST


def bundled(path):
    """The text of a module, and the names that it exports."""
    def name_of(name):
        return repr(posixpath.normpath(
            posixpath.join(posixpath.dirname(path), name)))

    def imported(found):
        names, name = found.groups()
        value = f"$builtin('{name}')" if ":" in name else \
            f"$need({name_of(name)})"
        return f"const {names} = {value};" if names else f"{value};"

    with open(path) as file:
        text = file.read()
    exports = EXPORT.findall(text)
    for names, _ in AGAIN.findall(text):
        exports += names.strip("{ }").split(", ")
    if LAZY in text:
        text = re.sub(r"(?<![\w.$])fs\.", "fs().", text.replace(
            LAZY, "const fs = () => $builtin('node:fs');"))
    text = IMPORT.sub(imported, AGAIN.sub(r"import \1 from '\2';", text))
    text = EXPORT.sub("", text)
    text = re.sub(r"\bimport\('(\..*?)'\)",
                  lambda found: f"$load({name_of(found[1])})", text)
    text = text.replace("import(`./", "$load(`")
    return text.replace("import.meta.url", f"$url('{path}')"), exports


def functions(paths):
    """Modules as members of an object."""
    parts = []
    for path in paths:
        text, exports = bundled(path)
        os.unlink(path)
        parts.append(f"'{path}'() {{\n{text}return {{ {', '.join(exports)} "
                     "};\n},\n")
    return f"{{ __proto__: null,\n{''.join(parts)}}}"


def main():
    paths = sorted(glob.glob("*/*.mjs"))
    first = [path for path in paths
             if path.startswith(FIRST) and not path.startswith(LATER)]
    rest = functions(path for path in paths if path not in first)
    with open(REST, "w") as file:
        file.write("export const modules = ($builtin, $url, $need, $load) => "
                   f"({rest});\n")
    text = f"{HEAD}const $modules = {functions(first)};\n{bundled(ROOT)[0]}"
    with open(ROOT, "w") as file:
        file.write(text)


if __name__ == "__main__":
    main()
