"""Prints a number."""
from util import double

# LATER: read the input
# LATER: exit codes
print(double(21))
