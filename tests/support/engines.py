"""The engines of JavaScript that tests/e2e has from npm."""
import glob
import os

MODULES = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                       "..", "e2e", "node_modules")
PLACES = {"bun": "@oven/bun-linux-*/bin/bun", "deno": "@deno/linux-*/deno",
          "node": "node-linux-*/bin/node"}


def engine_path(name):
    """The path of an engine, or None if it is not installed."""
    found = glob.glob(os.path.join(MODULES, PLACES[name]))
    return os.path.realpath(found[0]) if found else None
