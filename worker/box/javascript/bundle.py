"""bundle.py: puts the modules of JavaScript in this folder into two files.

Engines take half a millisecond for each file, and bun one for 25 kB of text,
used or not, comments too. bootstrap.mjs gets what every program needs in bun,
which starts in less time than the other engines, and library.mjs all else,
without comments before functions: for a shorter bootstrap.mjs bun would take
more memory. In both, a module is a function, which runs when a module needs it
first. What is imported as "* as NAME" is loaded when it is used first, if it is
node:fs, or imported by bootstrap.mjs and not in it: every "NAME." becomes
"(NAME()).", in texts, too.
Imports and exports must be statements that begin their lines.
"""
import glob
import os
import posixpath
import re

ROOT = "bootstrap.mjs"
REST = "library.mjs"
FIRST = ("engines/bun.mjs", "mcp/places.mjs", "program/input.mjs",
         "program/program.mjs", "program/source.mjs")
IMPORT = re.compile(r"^import (?:(\* as )?(\w+|\{[^}]*\}) from )?'(.*)';",
                    re.M)
COMMENT = re.compile(r"^/\*.*?\*/\n", re.M | re.S)
AGAIN = re.compile(r"^export (\{[^}]*\}) from '(.*)';", re.M)
EXPORT = re.compile(
    r"^export (?=(?:async )?(?:const|class|function\*?) (\w+))", re.M)
HEAD = """const $builtin = process.getBuiltinModule ??
  (await import('node:module')).createRequire(import.meta.url);
const $url = (path) => new URL(path, import.meta.url).href;
const $made = { __proto__: null };
const $modules = %s;
const $take = ({ modules }) =>
  Object.assign($modules, modules($builtin, $url, $need, $load));
const $need = (path) => {
  if (!$modules[path])
    $take(import.meta.require('./library.mjs'));
  return $made[path] ??= $modules[path]();
};
const $load = async (path) => $need(path);
if (!process.versions.bun)
  $take(await import('./library.mjs'));
"""


def bundled(path):
    """The text of a module, and the names that it exports."""
    lazy = []

    def name_of(name):
        return posixpath.normpath(
            posixpath.join(posixpath.dirname(path), name))

    def imported(found):
        whole, names, name = found.groups()
        inner = name_of(name)
        value = f"$builtin('{name}')" if ":" in name else f"$need('{inner}')"
        if whole and (name == "node:fs" or (
                path in (ROOT, *FIRST) and inner not in FIRST)):
            lazy.append(names)
            return (f"let {names}$;\n"
                    f"const {names} = () => {names}$ ??= {value};")
        names = names and names.replace(" as ", ": ")
        return f"const {names} = {value};" if names else f"{value};"

    with open(path) as file:
        text = file.read()
    exports = EXPORT.findall(text)
    for names, _ in AGAIN.findall(text):
        exports += names.strip("{ }").split(", ")
    text = IMPORT.sub(imported, AGAIN.sub(r"import \1 from '\2';", text))
    text = EXPORT.sub("", text)
    for name in lazy:
        text = re.sub(rf"(?<![\w.$/]){name}\.(?=\w)", f"({name}()).", text)
    text = re.sub(r"\bimport\('(\..*?)'\)",
                  lambda found: f"$load('{name_of(found[1])}')", text)
    text = text.replace("import(`./", "$load(`")
    text = text.replace("import.meta.url", f"$url('{path}')")
    return text, f"{{ {', '.join(exports)} }}"


def functions(paths):
    """Modules as members of an object."""
    parts = []
    for path in paths:
        text, exports = bundled(path)
        parts.append(f"'{path}'() {{\n{text}return {exports};\n}},\n")
    return f"{{ __proto__: null,\n{''.join(parts)}}}"


def main():
    paths = sorted(glob.glob("*/*.mjs"))
    first, rest = (functions(path for path in paths if (path in FIRST) is so)
                   for so in (True, False))
    text = f"{HEAD % first}{bundled(ROOT)[0]}"
    with open(REST, "w") as file:
        file.write("export const modules = ($builtin, $url, $need, $load) => "
                   f"({COMMENT.sub('', rest)});\n")
    with open(ROOT, "w") as file:
        file.write(text)
    for path in paths:
        os.unlink(path)


if __name__ == "__main__":
    main()
