"""Imports what the bootstrap needs: whether an image's Python can run a box.

    python3 -I -X utf8 FOLDER/trial.py

Run by the program trial (worker/box/trial), once that has found the container
isolated.  This file says nothing of that: the image could have a python3 which
lies.
"""
import atexit  # noqa: F401
import binascii  # noqa: F401
import mmap  # noqa: F401
import select  # noqa: F401
import socket  # noqa: F401
import sys

if sys.version_info < (3, 8):
    sys.exit("Caisson needs Python 3.8 or later, and this is " +
             sys.version.split()[0])
