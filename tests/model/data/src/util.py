"""Arithmetic on one number."""


def double(x):
    # LATER: negative numbers
    return 2 * x


def half(x):
    return x / 2
