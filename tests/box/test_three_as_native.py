"""Boxes with three descriptors run code as others do: the same cases.

    /usr/bin/python3 tests/box/test_three_as_native.py [-v] [-k PATTERN]

See bootstrap.py for the cases, and three.py for the box.
"""
import unittest

import bootstrap
import three

bootstrap.Box = three.ThreeBox

import test_bootstrap_ends  # noqa: E402, F401
import test_bootstrap_module  # noqa: E402, F401
import test_bootstrap_tasks  # noqa: E402, F401
from bootstrap import Cases  # noqa: E402, F401

if __name__ == "__main__":
    unittest.main()
