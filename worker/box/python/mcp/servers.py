"""The servers that are loaded, as modules: import mcp.servers.fs.

A server may have any name, so this module has none of its own.
"""
import sys

import mcp._by_alias

__path__ = []
sys.modules[__name__].__class__ = mcp._by_alias.Servers
del mcp, sys
