"""Boxes with three descriptors run code as others do: the same cases.

    /usr/bin/python3 tests/box/test_three_as_native.py [-v] [-k PATTERN]

Those about the ends of code, its streams and its children; what errors say is
no matter of descriptors.  What each prints and how it ends is compared with its
row, as it is for other boxes; that the interpreter does the same is shown
there.  See bootstrap.py for the cases, and three.py for the box.
"""
import unittest

import bootstrap
import three

bootstrap.Box = three.ThreeBox

from test_bootstrap_ends import ENDS  # noqa: E402
from test_bootstrap_module import STREAMS  # noqa: E402
from test_bootstrap_tasks import CHILDREN  # noqa: E402
from bootstrap import add_cases, Cases  # noqa: E402

# Their files have added all cases.
for name in [name for name in vars(Cases) if name.startswith("test_")]:
    delattr(Cases, name)
TABLES = (("ends", ENDS), ("streams", STREAMS), ("children", CHILDREN))
for _, cases in TABLES:
    for case in cases:
        case.like = False
add_cases(TABLES)

if __name__ == "__main__":
    unittest.main()
